"""What holds between label metrics, whatever the labels."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skmetrics_ext as m

COMPLEMENTS = [
    (m.recall_score, m.false_negative_rate),
    (m.specificity_score, m.false_positive_rate),
    (m.precision_score, m.false_discovery_rate),
    (m.negative_predictive_value_score, m.false_omission_rate),
    (m.accuracy_score, m.error_rate),
]


@st.composite
def labelled(draw, n_classes=4, max_rows=25):
    rows = draw(st.integers(2, max_rows))
    column = st.lists(st.integers(0, n_classes - 1), min_size=rows, max_size=rows)
    # Eighths, whose sums are exact.
    weight = st.lists(st.integers(1, 40), min_size=rows, max_size=rows)
    return draw(column), draw(column), np.array(draw(weight)) / 8


@given(labelled())
def test_micro_averages_of_single_labels_are_the_accuracy(sample) -> None:
    true, pred, weight = sample
    for metric in (m.precision_score, m.recall_score, m.f1_score):
        got = metric(true, pred, average="micro", sample_weight=weight)
        assert got == pytest.approx(m.accuracy_score(true, pred, sample_weight=weight), rel=1e-12)


@given(labelled())
def test_micro_rates_follow_from_the_averaged_table(sample) -> None:
    true, pred, weight = sample
    (tn, fp), (fn, tp) = m.averaged_confusion(true, pred, sample_weight=weight)
    options = {"average": "micro", "sample_weight": weight, "zero_division": np.nan}
    for metric, top, bottom in (
        (m.precision_score, tp, tp + fp),
        (m.recall_score, tp, tp + fn),
        (m.jaccard_score, tp, tp + fp + fn),
        (m.specificity_score, tn, tn + fp),
        (m.negative_predictive_value_score, tn, tn + fn),
    ):
        wanted = top / bottom if bottom else np.nan
        assert metric(true, pred, **options) == pytest.approx(wanted, rel=1e-12, nan_ok=True)


@given(labelled())
def test_the_f_of_averages_is_not_below_the_average_f(sample) -> None:
    true, pred, _ = sample
    averaged = m.f1_score(true, pred, average="macro", zero_division=0)
    assert m.fbeta_of_averages_score(true, pred, zero_division=0) >= averaged - 1e-12


@given(labelled())
def test_weighted_recall_is_the_accuracy(sample) -> None:
    true, pred, weight = sample
    got = m.recall_score(true, pred, average="weighted", sample_weight=weight, zero_division=0)
    assert got == pytest.approx(m.accuracy_score(true, pred, sample_weight=weight), rel=1e-12)


@given(labelled(n_classes=2))
def test_matthews_is_the_mean_of_informedness_and_markedness(sample) -> None:
    """The geometric mean, with their sign, of Youden's J and the markedness."""
    true, pred, weight = sample
    options = {"sample_weight": weight, "zero_division": np.nan}
    informed = m.youden_j_score(true, pred, **options)
    marked = m.markedness_score(true, pred, **options)
    correlation = m.matthews_corrcoef(true, pred, **options)
    if np.isnan(informed) or np.isnan(marked):
        return
    product = np.sign(informed) * np.sqrt(max(informed * marked, 0.0))
    assert correlation == pytest.approx(product, abs=1e-9)


@given(labelled(n_classes=3))
def test_complements_sum_to_one(sample) -> None:
    true, pred, weight = sample
    for first, second in COMPLEMENTS:
        options = {"sample_weight": weight}
        if first is not m.accuracy_score:
            options |= {"average": None, "zero_division": np.nan}
        total = np.asarray(first(true, pred, **options)) + second(true, pred, **options)
        assert np.all(np.isnan(total) | (np.abs(total - 1) < 1e-12))


@given(labelled(n_classes=2))
def test_exchanging_the_classes_exchanges_the_rates(sample) -> None:
    true, pred, weight = (np.asarray(part) for part in sample)
    options = {"sample_weight": weight, "zero_division": np.nan}
    for first, second in (
        (m.recall_score, m.specificity_score),
        (m.precision_score, m.negative_predictive_value_score),
        (m.youden_j_score, m.youden_j_score),
        (m.markedness_score, m.markedness_score),
    ):
        exchanged = first(1 - true, 1 - pred, **options)
        assert second(true, pred, **options) == pytest.approx(exchanged, rel=1e-12, nan_ok=True)


@given(labelled())
def test_both_raters_are_alike_to_the_agreements(sample) -> None:
    true, pred, weight = sample
    for metric in (
        m.cohen_kappa_score,
        m.scott_pi_score,
        m.gwet_ac1_score,
        m.brennan_prediger_score,
        m.krippendorff_alpha_score,
        m.matthews_corrcoef,
    ):
        if len(set(true) | set(pred)) == 1:
            return
        # Whole numbers, for to Krippendorff's alpha weights are counts of rows.
        options = {"sample_weight": weight * 8, "labels": [0, 1, 2, 3]}
        if metric is m.matthews_corrcoef:
            options = {**options, "zero_division": 0}
            del options["labels"]
        one, other = metric(true, pred, **options), metric(pred, true, **options)
        assert one == pytest.approx(other, rel=1e-9, abs=1e-12, nan_ok=True)
