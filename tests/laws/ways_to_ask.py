"""Every way to ask a metric about rows: the function, and whatever else gives its value."""

import inspect
import re
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin

import skmetrics_ext as sx
from skmetrics_ext.inference.draws.readers import read_metric
from skmetrics_ext.scoring.responses import Stored

from .asked_data import Rows

KEY = "it"  # what the metric is called where it may be given a name


# --------------------------------------------------------------------------- questions


@dataclass(frozen=True, eq=False)
class Question:
    """A metric with its parameters, rows, and the positive class where one is named.

    Parameters
    ----------
    spec : MetricSpec
    scorer : str or None
        The scorer's name, which sets some parameters.
    fixed : dict
        The parameters that this name sets.
    extra : dict
        Further parameters.
    rows : Rows
    pos_label : object
        None where it is not passed.
    """

    spec: Any
    scorer: str | None
    fixed: dict[str, Any]
    extra: dict[str, Any]
    rows: Rows
    pos_label: Any = None

    @cached_property
    def parameters(self):
        return inspect.signature(self.spec.function).parameters

    @property
    def options(self):
        return {**self.fixed, **self.extra}

    @property
    def name(self):
        """The name by which it may be asked for; of a loss that of the loss itself."""
        return self.spec.name if self.scorer is None else self.scorer.removeprefix("neg_")

    @property
    def metric(self):
        """The name, or where that does not say all a partial of the function."""
        return partial(self.spec.function, **self.options) if self.extra else self.name

    @cached_property
    def sides(self):
        """Whether it is a number of "one" class of two, of "either", or of "none": by asking."""
        if "pos_label" not in self.parameters:
            return "none"
        if self.spec.response == "labels":
            average = self.parameters.get("average")
            default = None if average is None else average.default
            return "one" if self.options.get("average", default) == "binary" else "none"
        own, other = (self._of_two(turned) for turned in (False, True))
        return "either" if np.allclose(own, other, equal_nan=True) else "one"

    def _of_two(self, turned):
        true = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0])
        share = np.array([0.11, 0.93, 0.42, 0.57, 0.61, 0.13, 0.57, 0.77, 0.34])
        if turned:
            true, share = 1 - true, 1 - share
        score = 2 * share - 1 if self.spec.response == "scores" else share
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            return np.asarray(self.spec.function(true, score, **self.options), dtype=float)

    # ------------------------------------------------------------------- what a way passes on

    def response(self, other=False, *, shared=False):
        """Labels, or scores of all classes; of two, of the positive one.

        A function without ``pos_label`` reads those of the later class. Ways that take one
        ``pos_label`` for all metrics (``shared``) read those of that class for every metric.
        """
        if self.spec.response == "labels":
            return self.rows.y_pred(other)
        named = self.pos_label if shared or "pos_label" in self.parameters else None
        return self._scores(self.rows.positive(named), other)

    def _scores(self, positive, other):
        of_rows = self.rows.scores if self.spec.response == "scores" else self.rows.probabilities
        return of_rows(positive, other)

    def named(self, *names):
        """Arguments of these names, where the metric takes them and they are said."""
        said = {
            "labels": list(self.rows.classes) if self.rows.told else None,
            "pos_label": self.pos_label,
            "sample_weight": self.rows.weight,
        }
        own = {name: said[name] for name in names if said[name] is not None}
        return {name: value for name, value in own.items() if name in self.parameters}

    def thresholded(self, threshold):
        """The same of the labels that a threshold gives: the positive class from it on."""
        rows, positive = self.rows, self.rows.positive(self.pos_label)
        own = rows.classes.index(positive)
        chosen = rows.probabilities(positive) >= threshold
        return replace(self, rows=replace(rows, pred=np.where(chosen, own, 1 - own)))

    def __str__(self):
        given = {**self.options, **({"pos_label": self.pos_label} if self.says_positive else {})}
        told = ", ".join(f"{key}={value!r}" for key, value in given.items())
        return f"{self.name}({told}) of {self.rows.name} {self.rows.classes}"

    @property
    def says_positive(self):
        return self.pos_label is not None


# --------------------------------------------------------------------------- answers


@dataclass(frozen=True, eq=False)
class Answer:
    """What was said: numbers, or why there are none.

    Parameters
    ----------
    value : ndarray of shape (n_values,) or None
        None where the question was refused.
    said : str
        The error, or the reason of a nan.
    warned : bool
        Whether it was said that the value is undefined and one by convention.
    crashed : bool
        Whether the error is none that tells a user what to do.
    """

    value: Any
    said: str = ""
    warned: bool = False
    crashed: bool = False

    @property
    def is_undefined(self):
        return self.value is None or bool(np.isnan(self.value).all())

    def asks_for(self, classes):
        """Whether it refuses for want of the positive class, and names both."""
        named = all(str(label) in self.said for label in classes)
        return self.is_undefined and "pos_label" in self.said and named

    def __str__(self):
        if self.value is None or self.said:
            return re.sub(r"\s+", " ", f"refuses: {self.said}")[:110]
        return np.array2string(self.value, precision=6, threshold=6, max_line_width=200)


def flat(value):
    """Any value as a vector: of dicts and lists of values in their order."""
    if isinstance(value, dict):
        value = list(value.values())
    return np.asarray(value, dtype=np.float64).reshape(-1)


def answered(way, question):
    """Answer of a way, with its errors and what it warned of."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", UserWarning)
        try:
            found = way.ask(question)
        except ValueError as error:
            return Answer(None, str(error))
        except Exception as error:
            return Answer(None, f"{type(error).__name__}: {error}", crashed=True)
    if not isinstance(found, Answer):
        found = Answer(flat(found))
    return replace(found, warned=bool(caught))


# --------------------------------------------------------------------------- ways


def function(question):
    return question.spec.function(
        question.rows.y_true,
        question.response(),
        **question.options,
        **question.named("labels", "pos_label", "sample_weight"),
    )


ARGUMENTS = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}


def computed(question):
    rows, argument = question.rows, ARGUMENTS[question.spec.response]
    given = {argument: question.response(shared=True)}
    labels = list(rows.classes) if rows.told else None
    found = sx.compute_metrics(
        [question.name],
        rows.y_true,
        **given,
        labels=labels,
        pos_label=question.pos_label,
        sample_weight=rows.weight,
        **question.extra,
    )
    return found[question.name]


def sign_of(question):
    return 1 if question.spec.greater_is_better else -1


def model_of(rows):
    """A model that says what is stored of these rows."""
    later = rows.classes[-1]
    responses = {
        "predict": rows.y_pred(),
        "predict_proba": rows.proba,
        "decision_function": rows.scores(later),
    }
    return Stored(rows.names, responses)


def scorer_of(question):
    """Its scorer; the model tells the classes of scores."""
    extra = dict(question.extra)
    if question.spec.response == "labels":
        extra |= question.named("labels")
    return sx.get_scorer(question.scorer, **question.named("pos_label"), **extra)


def scored(question):
    rows = question.rows
    empty = np.zeros((len(rows), 1))
    scorer = scorer_of(question)
    return sign_of(question) * scorer(model_of(rows), empty, rows.y_true, rows.weight)


def by_name(question):
    """Whether the name of a scorer says it all."""
    return not question.extra and not question.rows.told


def paneled(question):
    rows = question.rows
    if by_name(question):
        panel = sx.ScorerPanel({KEY: question.scorer}, pos_label=question.pos_label)
    else:
        panel = sx.ScorerPanel({KEY: scorer_of(question)})
    empty = np.zeros((len(rows), 1))
    found = panel.evaluate(model_of(rows), empty, rows.y_true, rows.weight)
    value = flat(sign_of(question) * found.values[KEY])
    return Answer(value, found.reasons.get(KEY, ""))


class Reciting(ClassifierMixin, BaseEstimator):
    """Says what is stored of a row, whose number is the only feature."""

    def __init__(self, rows=None):
        self.rows = rows

    def fit(self, X, y, sample_weight=None):
        self.classes_ = self.rows.names
        return self

    def _stored(self, X):
        return self.rows.take(np.asarray(X)[:, 0])

    def predict(self, X):
        return self._stored(X).y_pred()

    def predict_proba(self, X):
        return self._stored(X).proba

    def decision_function(self, X):
        return self._stored(X).scores(self.rows.classes[-1])


def reported(question):
    """Value of the one fold that is tested; rows of each class are there to be trained on."""
    rows = question.rows
    n_rows, n_classes = len(rows), len(rows.classes)
    test, train = np.arange(n_rows), np.arange(n_rows, n_rows + n_classes)
    y = np.concatenate([rows.y_true, rows.names])
    named = by_name(question) and not question.says_positive
    params = {}
    if rows.weight is not None:
        params["sample_weight"] = np.concatenate([rows.weight, np.ones(n_classes)])
    report = sx.cross_validation_report(
        Reciting(rows),
        np.arange(n_rows + n_classes)[:, None],
        y,
        scoring={KEY: question.scorer if named else scorer_of(question)},
        cv=[(train, test)],
        baseline=None,
        params=params,
    )
    (fold,) = report.folds()
    return Answer(flat(sign_of(question) * fold["value"]), fold["reason"] or "")


def estimated(question):
    found = sx.confidence_interval(
        question.metric,
        question.rows.y_true,
        question.response(),
        n_resamples=9,
        random_state=0,
        **question.named("labels", "pos_label", "sample_weight"),
    )
    return [one.value for one in found] if isinstance(found, list) else found.value


def compared(question):
    """The difference between models A and B, to which the value of B is added."""
    rows = question.rows
    found = sx.compare(
        question.metric,
        rows.y_true,
        question.response(),
        question.response(other=True),
        n_resamples=9,
        random_state=0,
        **question.named("labels", "pos_label", "sample_weight"),
    )
    return found.difference


def is_told(question):
    """Whether a stream has to be told the classes: no batch of scores need hold them all."""
    usual = question.rows.natural is not None
    return question.rows.told or not (usual or question.spec.response == "labels")


def accumulated(question):
    """In batches at random, some of which lack a class."""
    rows = question.rows
    stream = sx.Accumulator(
        {KEY: question.metric},
        labels=list(rows.classes) if is_told(question) else None,
        pos_label=question.pos_label,
    )
    response = question.response(shared=True)
    rng = np.random.default_rng(len(rows) + len(question.name))
    for part in np.array_split(rng.permutation(len(rows)), [3, 4, 7]):
        weight = None if rows.weight is None else rows.weight[part]
        stream.update(rows.y_true[part], response[part], weight)
    return stream.compute()[KEY]


def evaluated(question, engine):
    rows = question.rows
    columns = {"true": rows.y_true}
    response = question.response(shared=True)
    roles = {}
    if question.spec.response == "labels":
        columns["pred"] = response
        roles["pred"] = "pred"
    elif response.ndim == 1:
        columns["score"] = response
        roles["score"] = "score"
    else:
        own = [f"of {label}" for label in rows.classes]
        columns |= dict(zip(own, response.T, strict=True))
        roles["score"] = own
    if rows.weight is not None:
        columns["weight"] = rows.weight
        roles["weight"] = "weight"
    found = sx.evaluate(
        pd.DataFrame(columns),
        true="true",
        **roles,
        metrics={KEY: question.metric},
        labels=list(rows.classes) if rows.told else None,
        pos_label=question.pos_label,
        engine=engine,
    )
    reasons = "; ".join(row.reason for row in found if row.reason)
    value = flat([row.value for row in found])
    return Answer(value, reasons if np.isnan(value).all() else "")


def drawn(question):
    """The only call of what is not public: the draw of every row once, as the bootstrap makes it."""
    reading = read_metric(
        question.metric,
        question.rows.y_true,
        question.response(),
        **question.named("labels", "pos_label", "sample_weight"),
    )
    return reading.statistic(reading.units.rows[None])[0]


# --------------------------------------------------------------------------- ways over thresholds


def at_thresholds(question):
    """Values at each threshold, and these."""
    rows = question.rows
    function = partial(question.spec.function, **question.options)
    return sx.metric_at_thresholds(
        rows.y_true,
        rows.probabilities(rows.positive(question.pos_label)),
        function,
        pos_label=question.pos_label,
        sample_weight=rows.weight,
    )


def searched(question):
    """The value at the threshold that is best."""
    rows = question.rows
    best = sx.optimal_threshold(
        rows.y_true,
        rows.probabilities(rows.positive(question.pos_label)),
        criterion=question.metric,
        pos_label=question.pos_label,
        sample_weight=rows.weight,
    )
    return [best.value], [best.threshold]


class Undrawn(sx.ThresholdDisplay):
    """The numbers of the picture without the picture."""

    def plot(self, ax=None, **look):
        return self


def displayed(question):
    rows = question.rows
    display = Undrawn.from_predictions(
        rows.y_true,
        rows.probabilities(rows.positive(question.pos_label)),
        metrics=[question.metric],
        pos_label=question.pos_label,
        sample_weight=rows.weight,
    )
    columns = display.columns()
    return columns["value"], columns["threshold"]


# --------------------------------------------------------------------------- the list


def anything(question):
    return True


def has_scorer(question):
    """A row that describes and does not judge has none."""
    return question.scorer is not None


def of_labels(question):
    """Thresholds make labels of two classes, so that they change no metric of scores."""
    return question.spec.response == "labels" and question.rows.is_binary


def of_function(question, right):
    return right(question)


def of_classes_told(question, right):
    """A stream of scores is told the classes, and so their order."""
    return right(replace(question, rows=replace(question.rows, told=is_told(question))))


def of_defined(question, right):
    """Scorers leave classes without rows out of a macro average, which is nan by the function."""
    found = right(question)
    average = question.parameters.get("average")
    several = question.spec.response != "labels" and not question.rows.is_binary
    if average is None or not several or not found.is_undefined:
        return found
    if question.options.get("average", average.default) != "macro":
        return found
    each = right(replace(question, extra={**question.extra, "average": None}))
    if each.is_undefined:
        return found
    return Answer(flat(np.nanmean(each.value)))


def of_difference(question, right):
    """What two answers of the function differ by."""
    rows = question.rows
    other = replace(rows, pred=rows.pred_b, proba=rows.proba_b)
    one, two = right(question), right(replace(question, rows=other))
    if one.value is None or two.value is None:
        return one if one.value is None else two
    with np.errstate(invalid="ignore"):  # infinity less infinity
        return Answer(one.value - two.value, warned=one.warned or two.warned)


@dataclass(frozen=True)
class Way:
    """A way to ask.

    Parameters
    ----------
    ask : callable
        ``ask(question)``: numbers, or an `Answer`.
    takes : callable
        ``takes(question)``: whether the question can be put to it.
    single : bool
        Whether it gives one number only, and takes no metric with more.
    right : callable
        ``right(question, expected)``: the right answer, by what the function says.
    """

    ask: Callable[..., Any]
    takes: Callable[[Question], bool] = field(default=anything)
    single: bool = False
    right: Callable[..., Answer] = of_function


WAYS = {
    "function": Way(function),
    "compute_metrics": Way(computed),
    "scorer": Way(scored, has_scorer, True, of_defined),
    "panel": Way(paneled, has_scorer, True, of_defined),
    "report": Way(reported, has_scorer, True, of_defined),
    "confidence_interval": Way(estimated),
    "compare": Way(compared, anything, True, of_difference),
    "Accumulator": Way(accumulated, right=of_classes_told),
    "evaluate in memory": Way(partial(evaluated, engine="memory")),
    "evaluate by DuckDB": Way(partial(evaluated, engine="duckdb")),
    "draw": Way(drawn),
}
OVER_THRESHOLDS = {
    "metric_at_thresholds": Way(at_thresholds, of_labels),
    "optimal_threshold": Way(searched, of_labels, single=True),
    "ThresholdDisplay": Way(displayed, of_labels, single=True),
}
