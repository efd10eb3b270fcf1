"""Every way to ask a metric about rows: the function, and whatever else gives its value."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn.base import BaseEstimator, ClassifierMixin
from support.stored import Stored

import skmetrics_ext as sx
from skmetrics_ext.inference.draws.readers import sample_of_rows

from .asked_data import Answer, flat

KEY = "it"  # what the metric is called where it may be given a name
ARGUMENTS = {"labels": "y_pred", "scores": "y_score", "probabilities": "y_proba"}


# --------------------------------------------------------------------------- by arrays


def function(question):
    return question.spec.function(
        question.rows.y_true,
        question.response(),
        **question.options,
        **question.named("labels", "pos_label", "sample_weight"),
    )


def computed(question):
    rows = question.rows
    found = sx.compute_metrics(
        [question.name],
        rows.y_true,
        **{ARGUMENTS[question.spec.response]: question.response(shared=True)},
        labels=list(rows.classes) if rows.told else None,
        pos_label=question.pos_label,
        sample_weight=rows.weight,
        **question.extra,
    )
    return found[question.name]


def estimated(question):
    found = sx.confidence_interval(
        question.metric,
        question.rows.y_true,
        question.response(),
        n_resamples=3,
        random_state=0,
        **question.named("labels", "pos_label", "sample_weight"),
    )
    return [one.value for one in found] if isinstance(found, list) else found.value


def compared(question):
    """The difference between the two models; of ratios, whose logarithms it is of, by hand."""
    found = sx.compare(
        question.metric,
        question.rows.y_true,
        question.response(),
        question.response(other=True),
        n_resamples=3,
        random_state=0,
        **question.named("labels", "pos_label", "sample_weight"),
    )
    if not found.method.startswith("log_ratio"):
        return found.difference
    first, second = map(np.float64, (found.value_a, found.value_b))
    with np.errstate(invalid="ignore", divide="ignore"):
        logs, plain = np.log(first) - np.log(second), first - second
    np.testing.assert_allclose(found.difference, 0.0 if first == second else logs)
    return plain


def drawn(question):
    """The draw of every row once, as the bootstrap makes it: the one call of what is internal."""
    reading = sample_of_rows(
        question.metric,
        question.rows.y_true,
        question.response(),
        **question.named("labels", "pos_label", "sample_weight"),
    )
    return reading.statistic(reading.atoms.rows[None])[0]


# --------------------------------------------------------------------------- by models


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


def stored(rows):
    """A fitted model that says what is stored, of nothing at all, and its rows of nothing."""
    responses = {
        "predict": rows.y_pred(),
        "predict_proba": rows.proba,
        "decision_function": rows.scores(rows.classes[-1]),
    }
    return Stored(rows.names, responses), np.zeros((len(rows), 1))


def sign_of(question):
    """Scorers negate losses."""
    return 1 if question.spec.greater_is_better else -1


def scorer_of(question):
    """Its scorer; of scores the model tells the classes."""
    extra = dict(question.extra)
    if question.spec.response == "labels":
        extra |= question.named("labels")
    return sx.get_scorer(question.scorer, **question.named("pos_label"), **extra)


def is_named(question):
    """Whether the name of a scorer says it all."""
    return not question.extra and not question.rows.told


def scored(question):
    rows = question.rows
    return sign_of(question) * scorer_of(question)(*stored(rows), rows.y_true, rows.weight)


def paneled(question):
    rows = question.rows
    if is_named(question):
        panel = sx.ScorerPanel({KEY: question.scorer}, pos_label=question.pos_label)
    else:
        panel = sx.ScorerPanel({KEY: scorer_of(question)})
    found = panel.evaluate(*stored(rows), rows.y_true, rows.weight)
    return Answer(flat(sign_of(question) * found.values[KEY]), found.reasons.get(KEY, ""))


def reported(question):
    """Value of the one fold that is tested; rows of each class are there to be trained on."""
    rows = question.rows
    n_rows, n_classes = len(rows), len(rows.classes)
    test, train = np.arange(n_rows), np.arange(n_rows, n_rows + n_classes)
    weight = None if rows.weight is None else np.append(rows.weight, np.ones(n_classes))
    named = is_named(question) and question.pos_label is None
    report = sx.cross_validation_report(
        Reciting(rows),
        np.arange(n_rows + n_classes)[:, None],
        np.concatenate([rows.y_true, rows.names]),
        scoring={KEY: question.scorer if named else scorer_of(question)},
        cv=[(train, test)],
        baseline=None,
        params=None if weight is None else {"sample_weight": weight},
    )
    (fold,) = report.folds()
    return Answer(flat(sign_of(question) * fold["value"]), fold["note"])


# --------------------------------------------------------------------------- by parts


def is_told(question):
    """Whether a stream of scores has to be told the classes: no batch need hold them all."""
    usual = set(question.rows.classes) <= {0, 1}
    return question.rows.told or not (usual or question.spec.response == "labels")


def accumulated(question):
    """In batches at random, some of which lack a class."""
    rows, response = question.rows, question.response(shared=True)
    stream = sx.Accumulator(
        {KEY: question.metric},
        labels=list(rows.classes) if is_told(question) else None,
        pos_label=question.pos_label,
    )
    order = np.random.default_rng(len(rows) + len(question.name)).permutation(len(rows))
    for part in np.array_split(order, [3, 4, 7]):
        weight = None if rows.weight is None else rows.weight[part]
        stream.update(rows.y_true[part], response[part], weight)
    return stream.compute()[KEY]


def evaluated(question, engine):
    (answer,) = evaluated_together([question], engine)
    return answer


def evaluated_together(questions, engine):
    """Answers of one call: to questions of the same rows, kind of response and positive class."""
    first = questions[0]
    rows, response = first.rows, first.response(shared=True)
    columns, roles = {"true": rows.y_true}, {}
    if response.ndim == 2:
        roles["score"] = [f"of {label}" for label in rows.classes]
        columns |= dict(zip(roles["score"], response.T, strict=True))
    else:
        role = "pred" if first.spec.response == "labels" else "score"
        roles[role], columns[role] = role, response
    if rows.weight is not None:
        roles["weight"], columns["weight"] = "weight", rows.weight
    found = sx.evaluate(
        pd.DataFrame(columns),
        true="true",
        **roles,
        metrics={str(place): question.metric for place, question in enumerate(questions)},
        labels=list(rows.classes) if rows.told else None,
        pos_label=first.pos_label,
        engine=engine,
    )
    answers = []
    for place in range(len(questions)):
        own = [row for row in found if row.metric == str(place)]
        value = flat([row.value for row in own])
        reason = "; ".join(row.note for row in own) if np.isnan(value).all() else ""
        answers.append(Answer(value, reason))
    return answers


# --------------------------------------------------------------------------- over thresholds


def over_thresholds(question):
    """Arguments that the ways over thresholds share."""
    given = {"pos_label": question.pos_label, "sample_weight": question.rows.weight}
    return (question.rows.y_true, question.risk()), given


def mapped(question):
    rows, given = over_thresholds(question)
    function = partial(question.spec.function, **question.options)
    values, thresholds = sx.metric_at_thresholds(*rows, function, **given)
    return Answer(flat(values), thresholds=thresholds)


def searched(question):
    """The value at the best threshold."""
    rows, given = over_thresholds(question)
    best = sx.optimal_threshold(*rows, criterion=question.metric, **given)
    return Answer(flat(best.value), thresholds=[best.threshold])


class Undrawn(sx.ThresholdDisplay):
    """The numbers of the picture without the picture."""

    def plot(self, ax=None, **look):
        return self


def displayed(question):
    rows, given = over_thresholds(question)
    columns = Undrawn.from_predictions(*rows, metrics=[question.metric], **given).columns()
    return Answer(flat(columns["value"]), thresholds=columns["threshold"])


# --------------------------------------------------------------------------- what they take


def anything(question):
    return True


def has_scorer(question):
    """A row that describes and does not judge has none."""
    return question.scorer is not None


def fits_all_classes(question):
    """A report refuses a metric of two classes for the three of ``y``, of which a fold has two."""
    average = question.parameters.get("average")
    chosen = question.options.get("average", average and average.default)
    return has_scorer(question) and (question.rows.is_binary or chosen != "binary")


def labels_of_two(question):
    """Thresholds make labels of two classes, so that they change no metric of scores.

    Of one class that occurs alone the other is known only where it is the usual one; and what
    has a value for each class has fewer.
    """
    rows = question.rows
    single = has_scorer(question) and question.options.get("average", "") is not None
    known = not rows.lacks_a_class or (rows.natural is not None and single)
    return question.spec.response == "labels" and rows.is_binary and known


def labels_of_both(question):
    """A curve is of rows of both classes."""
    return labels_of_two(question) and has_scorer(question) and not question.rows.lacks_a_class


def counts_of_both(question):
    """A criterion judges counts, which do not tell labels that are numbers."""
    return labels_of_both(question) and not question.spec.numeric_labels


# --------------------------------------------------------------------------- what is right


def of_function(question, expected):
    return expected(question)


def of_classes_told(question, expected):
    """A stream of scores is told the classes, and so their order."""
    if question.rows.told == is_told(question):
        return expected(question)
    return expected(replace(question, rows=replace(question.rows, told=True)))


def of_defined(question, expected):
    """Scorers leave classes without rows out of a macro average.

    By the function it is nan then, or the class counts 0 by a convention of scikit-learn.
    """
    found = expected(question)
    average = question.parameters.get("average")
    several = question.spec.response != "labels" and not question.rows.is_binary
    by_convention = question.spec.needs_positives and question.rows.lacks_a_class
    if average is None or not several or not (found.is_undefined or by_convention):
        return found
    if question.options.get("average", average.default) != "macro":
        return found
    each = expected(replace(question, extra={**question.extra, "average": None}))
    if each.is_undefined:
        return found
    rows = np.isin(np.arange(len(question.rows.classes)), question.rows.true)
    return Answer(flat(np.nanmean(each.value[rows] if by_convention else each.value)))


def of_difference(question, expected):
    """What two answers of the function differ by."""
    rows = question.rows
    other = replace(rows, pred=rows.pred_b, proba=rows.proba_b)
    one, two = expected(question), expected(replace(question, rows=other))
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
    keeps_rule : bool
        Whether it has a name of scikit-learn, and chooses the class by its rule.
    """

    ask: Callable[..., Any]
    takes: Callable[[Any], bool] = anything
    single: bool = False
    right: Callable[..., Answer] = of_function
    keeps_rule: bool = False


DUCKDB = "evaluate by DuckDB"
WAYS = {
    "function": Way(function),
    "compute_metrics": Way(computed),
    "scorer": Way(scored, has_scorer, True, of_defined),
    "panel": Way(paneled, has_scorer, True, of_defined),
    "report": Way(reported, fits_all_classes, True, of_defined),
    "confidence_interval": Way(estimated),
    "compare": Way(compared, anything, True, of_difference),
    "Accumulator": Way(accumulated, right=of_classes_told),
    "evaluate in memory": Way(partial(evaluated, engine="memory")),
    DUCKDB: Way(partial(evaluated, engine="duckdb")),
    "draw": Way(drawn),
}
OVER_THRESHOLDS = {
    "metric_at_thresholds": Way(mapped, labels_of_two, keeps_rule=True),
    "optimal_threshold": Way(searched, counts_of_both, True),
    "ThresholdDisplay": Way(displayed, labels_of_both, True),
}
