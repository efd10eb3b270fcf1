"""Doors of metrics: calls that take columns, with arguments that suit them.

A door is ``door(data) -> Call``: it draws rows and says how it is asked about them. What the
arguments are put in, and what is wrong with them, is not its business. Every one is in
`all_doors`.
"""

from collections.abc import Callable
from dataclasses import dataclass, field, fields, is_dataclass, replace
from functools import partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from support.rows import OF_ONE_LABEL, draw_case, settings_of
from support.rows import signature as signature_of
from support.stored import Stored

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from tests.support.many_models import all_differences

from .asked_data import Question, any_rows

_MANY_LABELS = ("multilabel", "graded")
# Parameters that hold rows: what they hold.
ROLES = {
    **dict.fromkeys(("y_true", "y1", "labels_a"), "true"),
    **dict.fromkeys(("y_pred", "y2", "labels_b", "pred_a"), "pred"),
    **dict.fromkeys(("y_score", "score_a", "pred_decision"), "score"),
    **dict.fromkeys(("score_b",), "score of B"),
    **dict.fromkeys(("pred_b",), "pred of B"),
    **dict.fromkeys(("y_proba",), "proba"),
    **dict.fromkeys(("sample_weight",), "weight"),
    **dict.fromkeys(("groups",), "group"),
    **dict.fromkeys(("labels",), "classes"),
}
# What a container and a hostile value have to know of them.
KINDS = {
    **dict.fromkeys(("true", "pred", "pred of B"), "labels"),
    **dict.fromkeys(("score", "score of B", "decision"), "scores"),
    **dict.fromkeys(("proba", "proba of B"), "probabilities"),
    "weight": "weights",
    "group": "groups",
    "number": "groups",
    "classes": "classes",
    "marks": "marks",
    "grades": "grades",
}


@dataclass(frozen=True, eq=False)
class Call:
    """A call with its arguments, which are arrays, and lists of classes.

    Parameters
    ----------
    ask : callable
        ``ask(**arguments)``.
    arguments : dict
    kinds : dict
        Of the arguments: what they hold, in the terms of ``KINDS``.
    told_as : dict
        By what other names a message may tell of an argument.
    about : str
        What was asked, for a message.
    rows_may_go : bool
        Whether a row can be left out: not where they are folds of a design.
    leaves_out : tuple of str
        Containers in which the same columns say something else.
    """

    ask: Callable[..., Any]
    arguments: dict[str, Any]
    kinds: dict[str, str]
    told_as: dict[str, tuple[str, ...]] = field(default_factory=dict)
    about: str = ""
    rows_may_go: bool = True
    leaves_out: tuple[str, ...] = ()

    @property
    def of_rows(self):
        """Names of the arguments that have a row for each sample."""
        return [name for name, kind in self.kinds.items() if kind != "classes"]

    def told(self, name):
        """What a message may call an argument."""
        return (name, *RATERS.get(name, ()), *self.told_as.get(name, ()))

    def with_arguments(self, **changed):
        return replace(self, arguments={**self.arguments, **changed})

    def take(self, rows):
        """The same call about some of the rows, or about some of them twice."""
        return self.with_arguments(**{name: self.arguments[name][rows] for name in self.of_rows})


def numbers(found):
    """All numbers of a result, in order; what is no number is left out."""
    if isinstance(found, sx.results.MetricSpec | str | bytes) or callable(found) or found is None:
        return []
    if isinstance(found, dict):
        found = list(found.values())
    elif is_dataclass(found):
        found = [getattr(found, own.name) for own in fields(found) if own.name != "models"]
    elif isinstance(found, np.ndarray) and found.dtype.kind in "biuf":
        return found.astype(np.float64).ravel().tolist()
    if isinstance(found, int | float | np.number | np.bool_):
        return [float(found)]
    if not hasattr(found, "__iter__"):
        return []
    return [number for one in found for number in numbers(one)]


# --------------------------------------------------------------------------- what is drawn


def materials(rows, positive):
    """Columns of rows by their role."""
    return {
        "true": rows.y_true,
        "pred": rows.y_pred(),
        "pred of B": rows.y_pred(other=True),
        "score": rows.scores(positive),
        "score of B": rows.scores(positive, other=True),
        "proba": rows.probabilities(positive),
        "proba of B": rows.probabilities(positive, other=True),
        "weight": np.ones(len(rows)) if rows.weight is None else rows.weight,
        "group": np.array([f"g{row // 2}" for row in range(len(rows))]),
        "number": np.arange(len(rows)) // 2,
        "classes": list(rows.classes),
    }


def draw_rows(data, binary=False, numeric=False):
    """Rows of two classes, or of two or three; of classes that are numbers, or of any."""

    def fit(rows):
        return (rows.is_binary or not binary) and not (numeric and rows.names.dtype.kind == "U")

    return data.draw(any_rows().filter(fit))


def call_of(ask, rows, roles, positive=None, **options):
    """A call about rows whose arguments have these roles."""
    own = materials(rows, rows.positive(positive))
    arguments = {name: own[role] for name, role in roles.items()}
    kinds = {name: KINDS[role] for name, role in roles.items()}
    about = f"classes {rows.classes}"
    return Call(partial(ask, **options), arguments, kinds, about=about)


# --------------------------------------------------------------------------- metrics


def draw_question(data, name):
    """A metric with parameters that its scorers set, and rows of which it says something."""
    spec = METRICS[name]
    rows = draw_rows(data, numeric=spec.numeric_labels)
    variants = [own for own in spec.variants.values() if own.get("average") != "samples"]
    fixed = {**spec.params, **data.draw(st.sampled_from(variants))}
    asked = Question(spec, None, fixed, {}, rows)
    named = "pos_label" in asked.parameters and rows.is_binary
    return replace(asked, pos_label=rows.positive(None) if named else None)


RESPONSES = {"labels": "pred", "scores": "score", "probabilities": "proba"}


def metric_roles(spec):
    """Roles of the arguments of its function."""
    parameters = list(signature_of(spec))
    roles = {parameters[0]: "true", parameters[1]: RESPONSES[spec.response]}
    return roles | {name: ROLES[name] for name in ("sample_weight", "labels") if name in parameters}


def options_of(asked):
    positive = {} if asked.pos_label is None else {"pos_label": asked.pos_label}
    return {**asked.options, **positive}


def of_metric(name, data):
    """The function of a row of the registry."""
    spec = METRICS[name]
    if spec.ranks_labels or data.draw(st.integers(0, 4)) == 0:
        found = of_many_labels(spec, data)
        if found is not None:
            return found
    asked = draw_question(data, name)
    call = call_of(spec.function, asked.rows, metric_roles(spec), **options_of(asked))
    return replace(call, about=str(asked), leaves_out=orders_of(asked.spec))


def orders_of(spec):
    """Grades in a declared order are one step apart, whatever their numbers."""
    declared = ("pandas ordered category", "pyarrow ordered dictionary", "polars Enum")
    names = (*declared, *(f"{name}, reversed" for name in declared))
    return names if spec.numeric_labels else ()


def of_many_labels(spec, data):
    """The same about rows with a mark, or a grade, for each label; None where it takes none."""
    if not settings_of(spec.name, kinds=_MANY_LABELS):
        return None
    _, params, sample = draw_case(data, spec.name, _MANY_LABELS, weighted=True)
    own = {"true": sample.true, "response": sample.response, "weight": sample.weight}
    names = list(signature_of(spec))[:2]
    marks = "marks" if sample.kind == "multilabel" else "grades"
    kinds = [marks, "marks" if spec.response == "labels" else "scores"]
    arguments = {names[0]: own["true"], names[1]: own["response"]}
    kind_of = dict(zip(names, kinds, strict=True))
    if "sample_weight" in signature_of(spec):
        arguments["sample_weight"], kind_of["sample_weight"] = own["weight"], "weights"
    return Call(
        partial(spec.function, **params), arguments, kind_of, about=f"{spec.name}({params})"
    )


def of_scorer(name, data):
    """A scorer of the metric, whose model keeps its responses in containers."""
    spec = METRICS[name]
    scorer = data.draw(st.sampled_from(sorted(spec.scorers)))
    if spec.ranks_labels or spec.scorers[scorer].get("average") == "samples":
        return of_scorer_of_many_labels(spec, scorer, data)
    rows = draw_rows(data, numeric=spec.numeric_labels)
    positive = rows.positive(None)
    accepts = "pos_label" in signature_of(spec) and rows.is_binary
    made = sx.get_scorer(scorer, **({"pos_label": positive} if accepts else {}))
    role = {"scores": "decision_function", "probabilities": "predict_proba"}.get(spec.response)

    def ask(y_true, response, sample_weight):
        return made(model_of(rows.names, role, response), None, y_true, sample_weight)

    roles = {"y_true": "true", "response": "pred", "sample_weight": "weight"}
    call = call_of(ask, rows, roles)
    if spec.response != "labels":
        # A model that knows two classes scores the later one.
        response = rows.scores(rows.classes[-1]) if spec.response == "scores" else rows.proba
        call = call.with_arguments(response=response)
        call.kinds["response"] = spec.response
    about = f"{scorer} of {rows.classes}"
    return replace(call, about=about, told_as=TOLD_BY_SCORERS, leaves_out=orders_of(spec))


def model_of(classes, method, response):
    methods = ("predict", "predict_proba", "decision_function")
    return Stored(classes, dict.fromkeys((method,) if method else methods, response))


# What errors of scikit-learn's kappa, whose tests read them, call its raters.
RATERS = {"y1": ("y_true",), "y2": ("y_pred",)}
TOLD_BY_SCORERS = {
    "response": (
        *("predict", "predict_proba", "decision_function"),
        *("y_pred", "y_score", "y_proba", "pred_decision", "y2"),
    ),
    "y_true": ("y_true", "y1"),
}


def of_scorer_of_many_labels(spec, scorer, data):
    found = of_many_labels(spec, data)
    made = sx.get_scorer(scorer)

    def ask(y_true, response, sample_weight):
        return made(model_of(None, None, response), None, y_true, sample_weight)

    names = dict(zip(found.arguments, ("y_true", "response", "sample_weight"), strict=True))
    arguments = {names[own]: values for own, values in found.arguments.items()}
    kinds = {names[own]: kind for own, kind in found.kinds.items()}
    return Call(ask, arguments, kinds, TOLD_BY_SCORERS, about=scorer)


# --------------------------------------------------------------------------- of any metric


def draw_judge(data, names=OF_ONE_LABEL):
    """A question about any metric that gives one number."""
    chosen = [name for name in names if METRICS[name].scorer is not None]
    return draw_question(data, data.draw(st.sampled_from(chosen)))


def of_compute_metrics(data):
    asked = draw_judge(data)
    spec, rows = asked.spec, asked.rows
    argument = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}[spec.response]
    roles = {"y_true": "true", argument: RESPONSES[spec.response], "sample_weight": "weight"}
    name = data.draw(st.sampled_from(sorted(spec.scorers))).removeprefix("neg_")
    if spec.scorers.get(name, {}).get("average") == "samples":
        name = spec.scorer
    ask = partial(sx.compute_metrics, [name], pos_label=rows.positive(None))
    if not rows.is_binary:
        ask = partial(sx.compute_metrics, [name])
    call = call_of(ask, rows, {**roles, "labels": "classes"})
    return replace(call, about=f"{name} of {rows.classes}", leaves_out=orders_of(spec))


def of_panel(data):
    rows = draw_rows(data)
    names = ["accuracy", "f1_macro", "neg_log_loss", "roc_auc" if rows.is_binary else "roc_auc_ovr"]
    panel = sx.ScorerPanel(names, pos_label=rows.positive(None) if rows.is_binary else None)

    def ask(y_true, predict, predict_proba, sample_weight):
        model = Stored(rows.names, {"predict": predict, "predict_proba": predict_proba})
        found = panel.evaluate(model, None, y_true, sample_weight)
        if found.reasons:
            raise sx.validation.InvalidParameterError("; ".join(found.reasons.values()))
        return found.values

    roles = {"y_true": "true", "predict": "pred", "sample_weight": "weight"}
    call = call_of(ask, rows, roles).with_arguments(predict_proba=rows.proba)
    call.kinds["predict_proba"] = "probabilities"
    told = {"predict": ("y_pred",), "predict_proba": ("y_proba", "y_score")}
    return replace(call, told_as=told)


def of_confidence_interval(data):
    asked = draw_judge(data)
    spec, rows = asked.spec, asked.rows
    roles = {"y_true": "true", "y_pred": RESPONSES[spec.response], "sample_weight": "weight"}
    if data.draw(st.booleans()):
        roles["groups"] = "group"
    options = {"n_resamples": 3, "random_state": 0, **options_of(asked)}
    ask = partial(sx.confidence_interval, spec.function)
    told = {"y_pred": (list(signature_of(spec))[1],)}
    return replace(
        call_of(ask, rows, roles, **options),
        about=str(asked),
        told_as=told,
        leaves_out=orders_of(asked.spec),
    )


def of_compare(data):
    asked = draw_judge(data)
    spec, rows = asked.spec, asked.rows
    role = RESPONSES[spec.response]
    roles = {"y_true": "true", "pred_a": role, "pred_b": f"{role} of B"}
    roles |= {"sample_weight": "weight"} | ({"groups": "group"} if data.draw(st.booleans()) else {})
    options = {"n_resamples": 3, "random_state": 0, **options_of(asked)}
    ask = partial(sx.compare, spec.function)
    return replace(
        call_of(ask, rows, roles, **options), about=str(asked), leaves_out=orders_of(asked.spec)
    )


def of_influence_values(data):
    return _about_a_metric(data, sx.influence_values)


def of_sample_size(data):
    return _about_a_metric(data, partial(sx.sample_size, width=0.1))


def of_curve_band(data):
    """A metric of a point on a curve, or of the labels that thresholds give."""
    rows = draw_rows(data, binary=True)
    metric = data.draw(st.sampled_from(["sensitivity_at_specificity", "recall", "f1_macro"]))
    band = data.draw(st.sampled_from(["pointwise", "simultaneous"]))
    options = {"at": [0.3, 0.6], "band": band, "n_resamples": 9, "random_state": 0}
    options["pos_label"] = rows.positive(None)
    roles = {"y_true": "true", "y_score": "score", "sample_weight": "weight"}
    if data.draw(st.booleans()):
        roles["groups"] = "group"
    return replace(call_of(partial(sx.curve_band, metric), rows, roles, **options), about=metric)


def _about_a_metric(data, function):
    asked = draw_judge(data)
    spec, rows = asked.spec, asked.rows
    roles = {"y_true": "true", "y_pred": RESPONSES[spec.response], "sample_weight": "weight"}

    def ask(**arguments):
        return function(spec.function, **arguments)

    told = {"y_pred": (list(signature_of(spec))[1],)}
    return replace(
        call_of(ask, rows, roles, **options_of(asked)),
        about=str(asked),
        told_as=told,
        leaves_out=orders_of(asked.spec),
    )


def of_differences(data):
    asked = draw_judge(data)
    role = RESPONSES[asked.spec.response]
    roles = {"y_true": "true", "first": role, "second": f"{role} of B", "sample_weight": "weight"}
    options = {"n_resamples": 3, "random_state": 0, **options_of(asked)}

    def ask(y_true, first, second, sample_weight):
        models = {"first": first, "second": second}
        weighted = {**options, "sample_weight": sample_weight}
        return all_differences(asked.spec.function, y_true, models, **weighted)

    return replace(
        call_of(ask, asked.rows, roles), about=str(asked), leaves_out=orders_of(asked.spec)
    )
