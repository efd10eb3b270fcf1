"""Statistics of the confusion table: by hand, by definition, against SciPy and scikit-learn."""

from __future__ import annotations

import pickle
from fractions import Fraction
from math import log, log2, pi, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chi2_contingency, entropy
from scipy.stats.contingency import association
from sklearn import metrics as sk
from sklearn.exceptions import UndefinedMetricWarning
from support.compare import same, undefined_allowed

import skmetrics_ext as m
from skmetrics_ext import METRICS
from skmetrics_ext.tallies import ConfusionTally

from .tables import BINARY, written_out

TRUE, PRED = written_out(BINARY)
STATISTICS = {name: METRICS[name].function.statistic for name in m.confusion_statistics(TRUE, PRED)}
F5 = Fraction(20, 29)  # F0.5 of class 0, whose TP, FP, FN are 4, 2, 1; its F2 is 10/13
BY_HAND = {
    "adjusted_f_score": [sqrt(Fraction(10, 13) * Fraction(5, 7)), sqrt(Fraction(5, 8) * F5)],
    "adjusted_geometric_mean": [(sqrt(12 / 25) + 0.3) / 1.5, (sqrt(12 / 25) + 0.4) / 1.5],
    "adjusted_rand_index": Fraction(4, 67),  # pairs 10 of 20 and 21, of 45
    "bangdiwala_b": Fraction(1, 2),
    "braun_blanquet_similarity": [Fraction(2, 3), Fraction(3, 5)],
    "bray_curtis_dissimilarity": [Fraction(1, 20)] * 2,
    "chance_agreement": [Fraction(3, 10), Fraction(1, 5)],
    "chi_squared": Fraction(5, 3),
    "chi_squared_degrees_of_freedom": 1,
    "class_balance_accuracy": Fraction(19, 30),
    "classification_success_index": Fraction(49, 120),
    "count_difference": [1, -1],
    "cramers_v": sqrt(Fraction(1, 6)),
    "cross_entropy": -(log2(0.6) + log2(0.4)) / 2,
    "discriminant_power": [sqrt(3) / pi * log(6)] * 2,
    "goodman_kruskal_lambda_pred": Fraction(1, 4),
    "goodman_kruskal_lambda_true": Fraction(2, 5),
    "individual_classification_success_index": [Fraction(7, 15), Fraction(7, 20)],
    "information_score": [log2(4 / 3), log2(1.5)],
    "kulczynski_similarity": [Fraction(11, 15), Fraction(27, 40)],
    "lift": [Fraction(4, 3), Fraction(3, 2)],
    "mean_predicted_count": 5,
    "optimized_precision": [Fraction(39, 70)] * 2,
    "overall_chance_agreement": Fraction(1, 2),
    "overall_unbiased_chance_agreement": Fraction(101, 200),
    "overlap_coefficient": [Fraction(4, 5), Fraction(3, 4)],
    "pearson_contingency_coefficient": sqrt(Fraction(1, 7)),
    "phi_squared": Fraction(1, 6),
    "prevalence_adjusted_kappa": Fraction(2, 5),
    "roc_corner_distance": [sqrt(0.2)] * 2,
    "roc_corner_similarity": [1 - sqrt(0.1)] * 2,
    "true_entropy": 1,
    "unbiased_chance_agreement": [Fraction(121, 400), Fraction(81, 400)],
    "yule_q": [Fraction(5, 7)] * 2,
}


@pytest.mark.parametrize("name", BY_HAND)
def test_by_hand(name: str) -> None:
    got = m.confusion_statistic(TRUE, PRED, name)
    np.testing.assert_allclose(got, np.array(BY_HAND[name], dtype=float), rtol=1e-13)


@st.composite
def tables(draw, low=2, high=4):
    """Counts whose classes all occur both true and predicted."""
    k = draw(st.integers(low, high))
    cells = draw(st.lists(st.integers(0, 9), min_size=k * k, max_size=k * k))
    return np.reshape(cells, (k, k)) + np.eye(k, dtype=int)


def of(table: np.ndarray) -> dict[str, object]:
    with undefined_allowed():
        return m.confusion_statistics(*written_out(table))


@given(tables())
def test_against_scipy_and_scikit_learn(table) -> None:
    found, labels, k = of(table), written_out(table), len(table)
    chi = chi2_contingency(table, correction=False)
    true, pred = table.sum(axis=1), table.sum(axis=0)
    wanted = {
        "chi_squared": chi.statistic,
        "chi_squared_degrees_of_freedom": chi.dof,
        "cramers_v": association(table, method="cramer"),
        "pearson_contingency_coefficient": association(table, method="pearson"),
        "adjusted_rand_index": sk.adjusted_rand_score(*labels),
        "mutual_information": sk.mutual_info_score(*labels) / log(2),
        "true_entropy": entropy(true, base=2),
        "predicted_entropy": entropy(pred, base=2),
        "joint_entropy": entropy(table.ravel(), base=2),
        "kullback_leibler_divergence": entropy(true, pred, base=2),
        "roc_corner_distance": np.hypot(
            1 - table.diagonal() / true,
            (pred - table.diagonal()) / (table.sum() - true),
        ),
        "overall_chance_agreement": (true * pred).sum() / table.sum() ** 2,
        "mean_predicted_count": table.sum() / k,
    }
    if np.isnan(found["adjusted_rand_index"]):  # no class joins two rows: 0/0, not 1
        assert max(*true, *pred) == 1
        del wanted["adjusted_rand_index"]
    for name, value in wanted.items():
        np.testing.assert_allclose(found[name], value, rtol=1e-9, atol=1e-9, err_msg=name)


@given(tables())
def test_what_is_made_of_what(table) -> None:
    found = of(table)
    true, both = found["true_entropy"], found["joint_entropy"]
    shared = found["mutual_information"]
    assert found["conditional_entropy"] == pytest.approx(both - true, abs=1e-9)
    assert shared == pytest.approx(true + found["predicted_entropy"] - both, abs=1e-9)
    assert found["relative_classifier_information"] == pytest.approx(shared / true, abs=1e-9)
    assert found["cross_entropy"] == pytest.approx(
        true + found["kullback_leibler_divergence"], abs=1e-9
    )
    swapped = of(table.T)
    assert found["goodman_kruskal_lambda_true"] == swapped["goodman_kruskal_lambda_pred"]
    np.testing.assert_allclose(found["information_score"], np.log2(found["lift"]), atol=1e-12)


def entropy_of_class(table: np.ndarray, j: int, modified: bool) -> float:
    """The sums of Wei et al. (2010), and of Delgado and Nunez-Gonzalez (2019), cell by cell."""
    k = len(table)
    around = table[j].sum() + table[:, j].sum() - (table[j, j] if modified else 0)
    total = 0.0
    for i in range(k):
        for cell in (table[i, j], table[j, i]):
            if i != j and cell:
                total -= cell / around * log2(cell / around) / log2(2 * (k - 1))
    return total


@given(tables())
def test_confusion_entropy_cell_by_cell(table) -> None:
    found, k, n = of(table), len(table), table.sum()
    around = table.sum(axis=0) + table.sum(axis=1)
    for name, modified in (("confusion_entropy", False), ("modified_confusion_entropy", True)):
        each = [entropy_of_class(table, j, modified) for j in range(k)]
        np.testing.assert_allclose(found[name], each, atol=1e-12)
        share, total = around, 2 * n
        if modified:
            share = around - table.diagonal()
            total = 2 * n - (0.5 if k == 2 else 1) * table.trace()
        np.testing.assert_allclose(found[f"overall_{name}"], each @ (share / total), atol=1e-12)


@given(tables(high=2))
def test_modified_confusion_entropy_of_two_classes_is_in_bounds(table) -> None:
    assert 0 <= of(table)["overall_modified_confusion_entropy"] <= 1 + 1e-12


def test_confusion_entropy_of_even_errors() -> None:
    wrong = of(np.ones((3, 3), dtype=int) - np.eye(3, dtype=int))
    assert wrong["overall_confusion_entropy"] == pytest.approx(1)
    right = of(np.eye(3, dtype=int))
    assert right["overall_confusion_entropy"] == right["overall_modified_confusion_entropy"] == 0


@given(tables(), st.randoms())
def test_order_and_names_do_not_count(table, random) -> None:
    true, pred = written_out(table)
    rows = random.sample(range(len(true)), len(true))
    names = np.array(["a", "b", "c", "d"])
    shuffled = m.confusion_statistics
    with undefined_allowed():
        again = shuffled(names[true[rows]], names[pred[rows]])
    for name, value in of(table).items():
        same(again[name], value)


@given(tables())
def test_weights_are_repeated_rows(table) -> None:
    true, pred = np.indices(table.shape).reshape(2, -1)
    with undefined_allowed():
        weighted = m.confusion_statistics(true, pred, sample_weight=table.ravel())
    for name, value in of(table).items():
        same(weighted[name], value)


@pytest.mark.parametrize("scale", [1e-300, 0.1, 1e300])
@given(tables())
def test_the_scale_of_weights_counts_where_it_is_said(scale, table) -> None:
    true, pred = np.indices(table.shape).reshape(2, -1)
    with undefined_allowed():
        scaled = m.confusion_statistics(true, pred, sample_weight=table.ravel() * scale)
    for name, value in of(table).items():
        if not STATISTICS[name].in_units:
            same(scaled[name], value, rtol=1e-7, atol=1e-9)
        elif name != "adjusted_rand_index":  # counts pairs of rows
            same(np.asarray(scaled[name]) / scale, np.asarray(value), rtol=1e-7, atol=1e-9)


def test_one_class_alone() -> None:
    with pytest.warns(UndefinedMetricWarning, match="confusion_entropy, cramers_v, "):
        found = m.confusion_statistics([1, 1], [1, 1], sample_weight=[0.1, 0.7])
    assert found["true_entropy"] == found["mutual_information"] == found["chi_squared"] == 0
    for name in (
        "adjusted_rand_index",
        "relative_classifier_information",
        "overall_confusion_entropy",
    ):
        assert np.isnan(found[name]), name
    with pytest.warns(UndefinedMetricWarning, match="for a class and set to nan: yule_q"):
        assert np.isnan(m.confusion_statistic([1, 1], [1, 1], "yule_q")).all()


def test_a_class_that_is_only_true_or_only_predicted() -> None:
    """Its row or column of expected counts is empty: no term, and no degree of freedom."""
    with undefined_allowed():
        found = m.confusion_statistics(["a", "a", "b", "b"], ["a", "b", "c", "c"])
    assert found["chi_squared"] == pytest.approx(4.0)
    assert found["chi_squared_degrees_of_freedom"] == 2
    assert found["cramers_v"] == pytest.approx(1.0)
    assert found["kullback_leibler_divergence"] == pytest.approx(0.5 + 0.5)
    with undefined_allowed():
        never = m.confusion_statistics(["a", "b"], ["a", "a"])
    assert never["cross_entropy"] == never["kullback_leibler_divergence"] == np.inf
    assert never["braun_blanquet_similarity"].tolist() == [0.5, 0]
    assert np.isnan(never["lift"][1])
    assert np.isnan(never["overlap_coefficient"][1])


def test_no_hit_at_all_has_an_information_of_minus_infinity() -> None:
    assert m.confusion_statistic([0, 1], [1, 0], "information_score").tolist() == [-np.inf] * 2
    assert m.confusion_statistic([0, 1], [1, 0], "discriminant_power").tolist() == [-np.inf] * 2


def test_labels_are_the_table() -> None:
    labels = [0, 1, 2, 0, 1], [0, 1, 2, 1, 2]
    options = {"labels": [1, 0]}
    np.testing.assert_allclose(
        m.confusion_statistic(*labels, "chance_agreement", **options), [2 / 9, 2 / 9]
    )
    assert m.confusion_statistic(*labels, "mean_predicted_count", labels=[0, 1, 2, 3]) == 5 / 4


def test_one_is_one_of_all() -> None:
    found = of(np.array(BINARY))
    assert found.keys() == STATISTICS.keys()
    for name, value in found.items():
        same(m.confusion_statistic(TRUE, PRED, name), value)
        assert np.shape(value) == ((2,) if STATISTICS[name].per_class else ())


@pytest.mark.parametrize(
    ("wrong", "near"),
    [("cramer_v", "cramers_v"), ("AGF", "adjusted_f_score"), ("lifts", "lift")],
)
def test_near_names(wrong: str, near: str) -> None:
    with pytest.raises(ValueError, match=f"Did you mean '{near}'"):
        m.confusion_statistic(TRUE, PRED, wrong)


def test_the_table_is_in_the_documentation() -> None:
    doc = m.confusion_statistic.__doc__
    assert all(f"``{name}`` ({entry.abbreviation})" in doc for name, entry in STATISTICS.items())
    assert list(STATISTICS) == sorted(STATISTICS)
    abbreviations = [entry.abbreviation for entry in STATISTICS.values()]
    assert len(set(abbreviations)) == len(abbreviations)


# --------------------------------------------------------------------------- rows of the registry

ROWS = {name: METRICS[name] for name in STATISTICS}


@pytest.mark.parametrize("name", ROWS)
def test_each_is_a_metric_of_the_registry(name: str) -> None:
    """With the values that `confusion_statistic` has of the same rows."""
    function, value = ROWS[name].function, m.confusion_statistic(TRUE, PRED, name)
    if ROWS[name].averages:
        same(function(TRUE, PRED, average=None), value)
        assert function(TRUE, PRED, pos_label=0) == value[0]
        assert function(TRUE, PRED) == value[1]
        assert function(TRUE, PRED, average="macro") == pytest.approx(value.mean(), rel=1e-14)
    else:
        same(function(TRUE, PRED), value)
    assert pickle.loads(pickle.dumps(function)) is function


def test_what_judges_has_scorers() -> None:
    names = {name for row in ROWS.values() for name in row.scorers}
    assert {"yule_q", "yule_q_macro", "optimized_precision", "adjusted_f_weighted"} <= names
    assert {"neg_overall_confusion_entropy", "neg_roc_corner_distance", "bangdiwala_b"} <= names
    describes = {name for name, row in ROWS.items() if row.greater_is_better is None}
    assert {"true_entropy", "chi_squared", "mutual_information", "count_difference"} <= describes
    assert not describes & {name.removeprefix("neg_") for name in names}
    assert m.get_scorer("precision_gain_macro")._kwargs == {"average": "macro"}
    assert m.compute_metrics(["yule_q", "lift"], TRUE, PRED) == pytest.approx(
        {"yule_q": 5 / 7, "lift": 3 / 2}
    )


def test_what_describes_is_the_same_for_a_model_that_names_the_other_class() -> None:
    """Or of the margins alone, or a number of rows: it cannot tell a good model from a bad one."""
    of_margins = {"bray_curtis_dissimilarity", "count_difference", "cross_entropy",
                  "chance_agreement", "kullback_leibler_divergence", "overall_chance_agreement",
                  "overall_unbiased_chance_agreement", "predicted_entropy", "true_entropy",
                  "unbiased_chance_agreement", "conditional_entropy", "joint_entropy"}  # fmt: skip
    for name, row in ROWS.items():
        value, other = (m.confusion_statistic(TRUE, pred, name) for pred in (PRED, 1 - PRED))
        if row.greater_is_better is None:
            assert name in of_margins or value == pytest.approx(other, rel=1e-12), name
        else:
            assert np.all(value > other if row.greater_is_better else value < other), name


def test_the_standard_error_of_yules_q_is_yules() -> None:
    """(1 - Q^2) / 2 times the root of the sum of the reciprocal cells (Yule 1912)."""
    (tn, fp), (fn, tp) = cells = np.multiply(BINARY, 10)
    found = m.confidence_interval("yule_q", *written_out(cells), method="delta")
    q = (tp * tn - fp * fn) / (tp * tn + fp * fn)
    error = (1 - q**2) / 2 * sqrt(1 / tp + 1 / tn + 1 / fp + 1 / fn)
    assert found.value == pytest.approx(q, rel=1e-12)
    assert found.standard_error == pytest.approx(error, rel=1e-9)


def test_undefined_statistics_of_a_class_are_0_with_a_warning_or_what_is_said() -> None:
    yule_q = ROWS["yule_q"].function
    with pytest.warns(UndefinedMetricWarning, match="Yule q is ill-defined and being set to 0.0"):
        assert yule_q([1, 1, 0], [1, 1, 1]) == 0.0
    assert np.isnan(yule_q([1, 1, 0], [1, 1, 1], zero_division=np.nan))
    cramers_v = ROWS["cramers_v"].function
    with pytest.warns(UndefinedMetricWarning, match=r"Cramers v is undefined \(0/0\)"):
        assert np.isnan(cramers_v([1, 1], [1, 1]))


@given(tables(high=3))
def test_a_class_without_rows_is_not_there(table) -> None:
    """Unless it is named: statistics that count classes are those of the others."""
    k = len(table)
    padded = np.zeros((k + 1, k + 1), dtype=int)
    padded[:k, :k] = table
    for row in ROWS.values():
        if row.averages:
            continue
        with undefined_allowed():
            own, wider = (
                np.asarray(row.function(tally, tally))
                for tally in (ConfusionTally.from_table(table), ConfusionTally.from_table(padded))
            )
        same(wider[:k] if wider.ndim else wider, own)
