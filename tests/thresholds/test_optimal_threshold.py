"""The threshold search against every threshold tried one by one."""

import inspect
import re
from fractions import Fraction
from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from sklearn.linear_model import LogisticRegression
from support.compare import undefined_allowed

import skmetrics_ext
from skmetrics_ext import METRICS, ThresholdOptimizerCV, ks_statistic_score, optimal_threshold
from skmetrics_ext.tallies import Counts

JUDGES = [
    name
    for name, spec in METRICS.items()
    if spec.tally == "counts" and spec.greater_is_better is not None and not spec.params
]
SCORERS = {
    name: (spec, params)
    for spec in METRICS.values()
    if spec.tally == "counts"
    for name, params in spec.scorers.items()
    if params.get("average") != "samples"
}


@st.composite
def rankings(draw, weighted=False):
    n_rows = draw(st.integers(2, 9))
    true = draw(nps.arrays(np.int64, n_rows, elements=st.integers(0, 1)))
    true[:2] = 0, 1
    score = draw(nps.arrays(np.int64, n_rows, elements=st.integers(-4, 4))) / 4
    weight = draw(nps.arrays(np.int64, n_rows, elements=st.integers(1, 5))) if weighted else None
    return true, score, weight


def thresholds_of(score):
    return [np.inf, *sorted(set(score.tolist()), reverse=True)]


def tried(function, params, true, score, weight):
    """Value of a metric of labels at every threshold; of one class nan where it is 0/0."""
    options, accepted = dict(params), inspect.signature(function).parameters
    if function is skmetrics_ext.matthews_corrcoef:
        options["zero_division"] = np.nan
    if "pos_label" in accepted and options.get("average", "binary") == "binary":
        options["zero_division"] = np.nan
    if weight is not None:
        options["sample_weight"] = weight
    with undefined_allowed():
        return np.array(
            [function(true, (score >= t).astype(int), **options) for t in thresholds_of(score)]
        )


def check(found, score, values, sign):
    thresholds = np.array(thresholds_of(score))
    best = np.nanmax(sign * values)
    slack = 1e-9 * max(1, abs(best)) if np.isfinite(best) else 0
    as_good = thresholds[sign * values >= best - slack]
    assert found.value == pytest.approx(sign * best, rel=1e-9, abs=1e-12)
    np.testing.assert_array_equal(found.ties, as_good)
    assert found.threshold == as_good[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", JUDGES)
@settings(max_examples=10)
@given(ranking=rankings(weighted=True))
def test_every_metric_of_counts_by_name_and_by_function(name, ranking):
    true, score, weight = ranking
    spec = METRICS[name]
    if spec.weights_are_counts:
        weight = None
    values = tried(spec.function, {}, true, score, weight)
    sign = 1 if spec.greater_is_better else -1
    if np.isnan(values).all():
        with pytest.raises(ValueError, match="undefined at every threshold"):
            optimal_threshold(true, score, criterion=name, sample_weight=weight)
        return
    for criterion in (name, spec.function):
        found = optimal_threshold(true, score, criterion=criterion, sample_weight=weight)
        check(found, score, values, sign)
        chosen = (score >= found.threshold).astype(int)
        counts = Counts.from_predictions(true, chosen, labels=[1], sample_weight=weight)
        for got, expected in zip(found.counts.astuple(), counts.astuple(), strict=True):
            assert got == expected[0]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", SCORERS)
@settings(max_examples=5)
@given(ranking=rankings())
def test_every_scorer_of_counts_by_name(name, ranking):
    true, score, _ = ranking
    spec, params = SCORERS[name]
    values = tried(spec.function, params, true, score, None)
    if not spec.greater_is_better:
        values = -values
    if not np.isnan(values).all():
        check(optimal_threshold(true, score, criterion=name), score, values, 1)


def exact_rates(true, score):
    for t in thresholds_of(score):
        tp, fp = (int(np.sum((score >= t) & (true == k))) for k in (1, 0))
        yield t, Fraction(tp, int(np.sum(true == 1))), Fraction(fp, int(np.sum(true == 0)))


@given(rankings())
def test_youden_and_the_corner_without_costs(ranking):
    true, score, _ = ranking
    rates = list(exact_rates(true, score))
    best = optimal_threshold(true, score)
    assert best.value == pytest.approx(float(max(tpr - fpr for _, tpr, fpr in rates)), abs=1e-12)
    assert best.value == pytest.approx(ks_statistic_score(true, score), abs=1e-12)
    assert best.sensitivity + best.specificity - 1 == pytest.approx(best.value, abs=1e-12)
    corner = optimal_threshold(true, score, criterion="closest_topleft")
    nearest = min((1 - tpr) ** 2 + fpr**2 for _, tpr, fpr in rates)
    assert corner.value == pytest.approx(float(nearest), abs=1e-12)


@given(rankings(), st.fractions(Fraction(1, 10), Fraction(9, 10), max_denominator=10),
       st.integers(0, 5), st.integers(1, 5))  # fmt: skip
def test_rules_with_costs_and_a_prevalence(ranking, share, of_fp, of_fn):
    true, score, _ = ranking
    rates = list(exact_rates(true, score))
    options = {"cost": (of_fp, of_fn), "prevalence": float(share)}
    weight = (1 - share) * of_fp / (share * of_fn)
    youden = optimal_threshold(true, score, **options)
    largest = max(tpr + weight * (1 - fpr) for _, tpr, fpr in rates) - 1
    assert youden.value == pytest.approx(float(largest), rel=1e-9, abs=1e-12)
    corner = optimal_threshold(true, score, criterion="closest_topleft", **options)
    nearest = min((1 - tpr) ** 2 + weight * fpr**2 for _, tpr, fpr in rates)
    assert corner.value == pytest.approx(float(nearest), rel=1e-9, abs=1e-12)
    cheapest = optimal_threshold(true, score, criterion="expected_cost", **options)
    least = min(of_fn * share * (1 - tpr) + of_fp * (1 - share) * fpr for _, tpr, fpr in rates)
    assert cheapest.value == pytest.approx(float(least), rel=1e-9, abs=1e-12)
    # Both say the same of two errors that cost something.
    assert cheapest.threshold == youden.threshold


@given(rankings(weighted=True))
def test_costs_alone_are_those_of_the_rows(ranking):
    true, score, weight = ranking
    found = optimal_threshold(
        true, score, criterion="expected_cost", cost=(2, 3), sample_weight=weight
    )
    costs = [
        (2 * weight[(score >= t) & (true == 0)].sum() + 3 * weight[(score < t) & (true == 1)].sum())
        / weight.sum()
        for t in thresholds_of(score)
    ]
    check(found, score, np.array(costs), -1)
    youden = optimal_threshold(true, score, cost=(2, 3), sample_weight=weight)
    assert youden.threshold == found.threshold


@given(rankings(), st.integers(1, 5), st.integers(1, 5))
def test_a_prevalence_is_a_weight_of_the_classes(ranking, of_positive, of_negative):
    true, score, _ = ranking
    weight = np.where(true == 1, of_positive, of_negative)
    share = weight[true == 1].sum() / weight.sum()
    options = {"criterion": "f1", "constraint": ("recall", ">=", 0.1)}
    weighted = optimal_threshold(true, score, sample_weight=weight, **options)
    found = optimal_threshold(true, score, prevalence=share, **options)
    assert found.value == pytest.approx(weighted.value, rel=1e-9)
    assert found.threshold == weighted.threshold
    assert found.counts.total == len(true)  # counts are of the rows


BOUNDS = [("precision", ">="), ("specificity", ">="), ("false_positive_rate", "<="),
          ("detection_prevalence", "<="), ("accuracy", ">=")]  # fmt: skip


@pytest.mark.parametrize(("bounded", "comparison"), BOUNDS)
@given(ranking=rankings(), bound=st.fractions(0, 1, max_denominator=8))
def test_constraints(bounded, comparison, ranking, bound):
    true, score, _ = ranking
    limit = float(bound)
    function = {"accuracy": "accuracy_score", "precision": "precision_score",
                "specificity": "specificity_score"}.get(bounded, bounded)  # fmt: skip
    other = tried(getattr(skmetrics_ext, function), {}, true, score, None)
    recall = tried(skmetrics_ext.recall_score, {}, true, score, None)
    with np.errstate(invalid="ignore"):
        kept = other >= limit - 1e-9 if comparison == ">=" else other <= limit + 1e-9
    options = {"criterion": "recall", "constraint": (bounded, comparison, limit)}
    if kept.any():
        found = optimal_threshold(true, score, **options)
        check(found, score, np.where(kept, recall, np.nan), 1)
        return
    attainable = np.nanmax(other) if comparison == ">=" else np.nanmin(other)
    with pytest.raises(ValueError, match="No threshold keeps") as caught:
        optimal_threshold(true, score, **options)
    assert f"is {attainable:.6g}, at threshold" in str(caught.value)


def test_largest_recall_with_a_precision():
    y, s = [1, 0, 1, 0, 1, 0], [6, 5, 4, 3, 2, 1]
    best = optimal_threshold(y, s, criterion="recall", constraint=("precision", ">=", 0.6))
    assert (best.threshold, best.value, best.precision) == (2.0, 1.0, 0.6)
    with pytest.raises(
        ValueError,
        match=r"No threshold keeps precision >= 0.9: the best attainable precision is 0.75, "
        r"at threshold 1\.",
    ):
        optimal_threshold(
            [0, 1, 1, 1], [1, 1, 1, 1], criterion="recall", constraint=("precision", ">=", 0.9)
        )


def test_of_several_as_good_the_highest():
    best = optimal_threshold([1, 0, 1, 0], [4, 3, 2, 1], criterion="youden")
    assert best.threshold == 4.0
    assert best.ties.tolist() == [4.0, 2.0]


def test_predicting_nothing_may_be_best():
    best = optimal_threshold([0, 0, 0, 1], [4, 3, 2, 1], criterion="accuracy")
    assert best.threshold == np.inf
    assert best.value == 0.75
    assert int(best.counts.fn) == 1
    assert np.isnan(best.precision)


@given(rankings(), st.sampled_from([0.1, 1 / 3, 0.7]))
def test_weights_that_round_choose_the_same(ranking, factor):
    true, score, _ = ranking
    weight = np.full(len(true), factor)
    for criterion in ("youden", "f1", "cohen_kappa"):
        plain = optimal_threshold(true, score, criterion=criterion)
        found = optimal_threshold(true, score, criterion=criterion, sample_weight=weight)
        np.testing.assert_array_equal(found.ties, plain.ties)


def test_a_callable_on_counts():
    def product(counts):
        return counts.tp / counts.true * counts.tn / (counts.tn + counts.fp)

    y, s = [1, 0, 1, 0], [4, 3, 2, 1]
    best = optimal_threshold(y, s, criterion=product, constraint=(product, ">=", 0.1))
    assert (best.threshold, best.value, best.criterion) == (4.0, 0.5, "product")
    with pytest.raises(ValueError, match="one value per threshold"):
        optimal_threshold(y, s, criterion=lambda counts: counts.tp.sum())


def test_labels_and_containers():
    y, s = np.array(["ill", "well", "ill"]), np.array([0.9, 0.2, 0.4], dtype=np.float32)
    assert optimal_threshold(y, s, pos_label="ill").value == 1.0
    assert optimal_threshold(y, s, labels=["well", "ill"]).threshold == np.float32(0.4)
    both = np.column_stack([s, 1 - s]).tolist()
    assert optimal_threshold(y, both, pos_label="ill").value == 1.0
    assert (s >= optimal_threshold(y, s, pos_label="ill").threshold).sum() == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"criterion": "f2_score"}, r"got 'f2_score'\. Did you mean"),
        ({"criterion": "rocauc"}, r"got 'rocauc'\.$"),  # similar names are no metrics of labels
        ({"criterion": "roc_auc"}, "has to be 'youden'"),
        ({"criterion": skmetrics_ext.roc_auc_score}, "is not a metric of counts"),
        ({"criterion": skmetrics_ext.fbeta_score}, "needs beta"),
        ({"criterion": "averaged_confusion"}, "neither a large nor a small value|no single value"),
        ({"criterion": "macro_averaged_mean_absolute_error"}, "reads labels as numbers"),
        ({"criterion": "prevalence"}, "describes predictions and does not judge"),
        ({"criterion": 3}, "has to be 'youden'"),
        (
            {"criterion": partial(skmetrics_ext.f1_score, pos_label=0)},
            "sets pos_label: leave that out",
        ),
        ({"criterion": "f1", "cost": (1, 2)}, "has no effect on criterion='f1'"),
        ({"criterion": "expected_cost"}, "needs cost="),
        ({"cost": (1, 0)}, "cost has to be"),
        ({"cost": (-1, 1)}, "cost has to be"),
        ({"cost": 3}, "cost has to be"),
        ({"cost": (1, 2, 3)}, "cost has to be"),
        ({"prevalence": 0}, r"prevalence has to be a number in \(0, 1\)"),
        ({"prevalence": 1.5}, r"prevalence has to be a number in \(0, 1\)"),
        ({"constraint": ("precision", ">", 0.9)}, "constraint has to be"),
        ({"constraint": ("precision", 0.9)}, "constraint has to be"),
        ({"constraint": ("precision", ">=", float("nan"))}, "constraint has to be"),
        ({"constraint": ("precise", ">=", 0.9)}, "constraint has to be .* got 'precise'"),
        ({"constraint": ("roc_auc", ">=", 0.9)}, "constraint has to be"),
    ],
)
def test_arguments_refused(options, message):
    with pytest.raises(ValueError, match=message):
        optimal_threshold([0, 1, 1], [1, 2, 3], **options)


@pytest.mark.parametrize(
    ("asked", "message"),
    [
        ({"criterion": np.nan}, "criterion has to be 'youden'.*got nan"),
        (
            {"criterion": lambda c: np.full(c.tp.shape, np.nan)},
            "undefined.*function that returns nan",
        ),
        ({"criterion": lambda c: c.tp * 1j}, "must give real numbers, got dtype complex128"),
        ({"criterion": lambda c: c.tp.astype(str)}, "must give real numbers, got dtype <U"),
        ({"constraint": ("precision", ">=", np.nan)}, "constraint has to be.*got .*nan"),
        ({"cost": (np.nan, 1)}, "cost has to be.*got .*nan"),
        ({"prevalence": np.nan}, "prevalence has to be.*got nan"),
        ({"pos_label": "1"}, r"pos_label='1' is not a valid label.*\[0 1\]"),
    ],
)
def test_what_is_no_number_is_refused(asked, message):
    y_true, scores = np.tile([0, 0, 1, 1], 5), np.tile([0.1, 0.4, 0.35, 0.8], 5)
    with pytest.raises(ValueError, match=message):
        optimal_threshold(y_true, scores, **asked)
    with pytest.raises(ValueError, match=message):
        ThresholdOptimizerCV(LogisticRegression(), **asked).fit(scores[:, None], y_true)


def test_problems_refused():
    with pytest.raises(ValueError, match="optimal_threshold needs binary labels"):
        optimal_threshold([0, 1, 2], np.eye(3))
    with pytest.raises(ValueError, match="undefined at every threshold: a class has no rows"):
        optimal_threshold([0, 0], [0.1, 0.2], labels=[0, 1])


@pytest.mark.parametrize("names", [("healthy", "sick"), ("no", "yes"), (1, 2), (0, 2)])
def test_the_positive_class_has_to_be_said(names):
    true, score = np.array(names)[[0, 1, 1, 0]], [0.1, 0.9, 0.4, 0.5]
    asks = f"needs a positive class: pass pos_label={names[1]!r} or pos_label={names[0]!r}"
    with pytest.raises(ValueError, match=re.escape(asks)):
        optimal_threshold(true, score)
    plain = optimal_threshold([0, 1, 1, 0], score)
    assert optimal_threshold(true, score, pos_label=names[1]).ties.tolist() == plain.ties.tolist()


def test_what_the_user_says_of_0_over_0_holds():
    y, s = [1, 0, 0, 1], [4, 3, 2, 1]
    assert optimal_threshold(y, s, criterion="precision").threshold == 4.0
    told = partial(skmetrics_ext.precision_score, zero_division=1.0)
    assert optimal_threshold(y, s, criterion=told).ties.tolist() == [np.inf, 4.0]


def test_the_result_is_frozen():
    best = optimal_threshold([0, 1], [0.1, 0.2])
    with pytest.raises(AttributeError):
        best.threshold = 3


def test_a_series_of_the_other_class_is_noted():
    y, score = ["bad", "good"] * 20, np.arange(40.0)
    of_bad, of_good = (pd.Series(score, name=f"p_{label}") for label in ("bad", "good"))
    found = optimal_threshold(y, of_bad, pos_label="good")
    assert found.note.endswith("pass the column of 'good', or 'bad' as the positive class")
    assert "'p_bad' is read as the scores of 'good'" in found.note
    assert optimal_threshold(y, of_good, pos_label="good").note == ""
    interval = optimal_threshold(y, of_bad, pos_label="good", interval=True, n_resamples=99)
    assert "'p_bad' is read as the scores of 'good'" in interval.threshold.note
