"""Inputs at the edges, answered as a careful reader of the data would."""

import warnings
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import UndefinedMetricWarning
from support.frames import needs

import skmetrics_ext as sx
from skmetrics_ext.tallies import RankTally

Y = np.array([0, 1, 1, 0, 1, 0, 1, 1])
S = np.array([0.1, 0.9, 0.8, 0.35, 0.3, 0.2, 0.7, 0.6])
PLAIN = pytest.approx(14 / 15, rel=1e-15)


def test_the_plain_values():
    assert sx.roc_auc_score(Y, S) == PLAIN
    assert sx.average_precision_score(Y, S) == pytest.approx((4 + 5 / 6) / 5, rel=1e-15)


# --------------------------------------------------------------------------- dtypes and containers


@pytest.mark.parametrize("dtype", [">f8", "f4", "O"])
def test_dtypes_of_scores(dtype):
    assert sx.roc_auc_score(Y.astype(">i4"), S.astype(dtype)) == PLAIN


def test_boolean_and_hard_scores_are_ranked():
    assert sx.roc_auc_score(Y, S > 0.5) == 0.9
    assert sx.roc_auc_score(Y, (S > 0.5).astype(int)) == 0.9
    assert sx.average_precision_score(Y, S > 0.5) == pytest.approx(4 / 5 + 1 / 5 * 5 / 8)


def test_weights_beyond_the_integers_of_float32():
    weight = np.ones(18, dtype=np.float32)
    weight[0] = 2**24
    tps = sx.confusion_matrix_at_thresholds(np.ones(18, int), np.arange(18), sample_weight=weight)
    assert tps[3][-1] == 2**24 + 17


def test_a_denormal_is_not_0():
    assert sx.roc_auc_score([0, 1], [0.0, 5e-324]) == 1
    assert sx.roc_curve([0, 1], [0.0, 5e-324])[1].tolist() == [0, 1, 1]
    assert sx.roc_auc_score([0, 1], [0.0, -0.0]) == 0.5
    assert sx.roc_curve([0, 1], [0.0, -0.0])[1].tolist() == [0, 1]


@pytest.mark.parametrize("base", [2**53, 2**60, 2**63 - 2, 2**64, -(2**60), -(2**64)])
@pytest.mark.parametrize("weight", [None, [1, 2], [0.5, 0.25]])
def test_integers_that_floats_cannot_tell_apart(base, weight):
    for score in ([base, base + 1], np.array([base, base + 1])):
        assert sx.roc_auc_score([0, 1], score, sample_weight=weight) == 1
        assert sx.roc_auc_score([1, 0], score, sample_weight=weight) == 0
        assert sx.roc_curve([0, 1], score, sample_weight=weight)[1].tolist() == [0, 1, 1]
    one_above = [[base + (row == column) for column in range(3)] for row in range(3)]
    assert sx.roc_auc_score([0, 1, 2], one_above, multi_class="ovo") == 1


STEP = np.finfo(np.longdouble).eps
CLOSE = {
    "fractions": [Fraction(1, 3), Fraction(10**30 + 1, 3 * 10**30)],
    "decimals": [Decimal(1), Decimal("1.00000000000000000000001")],
    "integers beside a float": np.array([2**53, 2**53 + 1, 0.5], dtype=object),
}
if np.finfo(float).eps > STEP:  # on some platforms they are the same
    CLOSE["long double"] = np.array([1, 1 + STEP], dtype=np.longdouble)
    CLOSE["long double below 0"] = np.array([-1 - STEP, -1], dtype=np.longdouble)


@pytest.mark.parametrize("kind", sorted(CLOSE))
def test_numbers_of_more_digits_than_floats_keep_their_order(kind):
    score = CLOSE[kind]
    true = np.arange(len(score)) % 2
    assert sx.roc_auc_score(true, score) == 1
    assert sx.average_precision_score(true, score, pos_label=0) < 1
    assert sx.roc_auc_score(true, [score[0]] * len(score)) == 0.5
    with pytest.raises(ValueError, match="y_score holds numbers of more digits"):
        RankTally.from_predictions(true, score)


@pytest.mark.parametrize("score", [["1e400", "1"], ["nan", "1"]])
def test_long_doubles_beyond_floats_are_refused(score):
    with pytest.raises(ValueError, match="y_score, first in row 0"):
        sx.roc_auc_score([0, 1], np.array(score, dtype=np.longdouble))
    with pytest.raises(ValueError, match="y_score must hold numbers"):
        sx.roc_auc_score([0, 1], np.array([10**400, 1], dtype=object))


def test_tallies_of_integers_and_of_floats_add_exactly():
    wide = RankTally.from_predictions([0, 1], [2**60, 2**60 + 1])
    for score in ([1.0, 2.0], [2**60, 2**60 + 1]):
        merged = RankTally.combine([wide, RankTally.from_predictions([0, 1], score)])
        assert merged.mass.sum() == 4
    with pytest.raises(ValueError, match="no common dtype"):
        RankTally.combine([wide, RankTally.from_predictions([0, 1], [0.25, 0.5])])


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
def test_frames_of_integers_beyond_floats_are_refused(engine):
    needs(engine)
    data = pd.DataFrame({"y": [0, 1], "s": [2**60, 2**60 + 1]})
    with pytest.raises(ValueError, match=r"'s' holds \d+ .* integers beyond 2\*\*53"):
        sx.evaluate(data, true="y", score="s", metrics=["roc_auc"], engine=engine)


def test_integers_within_floats_are_floats():
    assert sx.confusion_matrix_at_thresholds([0, 1], [3, 2**53])[4].dtype == np.float64
    parts = [RankTally.from_predictions([0, 1], [2**60 + k, 2**60 + 2]) for k in (0, 1)]
    assert RankTally.combine(parts).positive.tolist() == [2, 0, 0]


@pytest.mark.parametrize(
    "score",
    [
        S + 0j,
        S.astype(str),
        np.array([*S[:-1], "x"], dtype=object),
        np.where(S == 0.9, np.nan, S),
        [*S[:-1], None],
        pd.Series([*S[:-1], None], dtype="Float64"),
    ],
)
@pytest.mark.parametrize(
    "function",
    [
        sx.roc_auc_score,
        sx.average_precision_score,
        sx.pr_auc_score,
        sx.roc_curve,
        sx.precision_recall_curve,
        sx.det_curve,
        sx.confusion_matrix_at_thresholds,
        sx.roc_curves,
        sx.roc_auc_convex_hull_score,
    ],
)
def test_scores_that_are_no_numbers(function, score):
    with pytest.raises(ValueError, match="y_score"):
        function(Y, score)


def test_nan_is_refused_with_its_row_whatever_the_configuration():
    import sklearn

    with sklearn.config_context(assume_finite=True), pytest.raises(ValueError, match="in row 2"):
        sx.roc_curve(Y, np.where(S == 0.8, np.nan, S))


def test_masked_rows_are_absent():
    mask = np.zeros(8, dtype=bool)
    mask[[4, 7]] = True
    true, score = np.ma.masked_array(Y, mask), np.ma.masked_array(S, mask)
    kept = ~mask
    for function in (sx.roc_auc_score, sx.average_precision_score):
        assert function(true, score) == function(Y[kept], S[kept])
    assert len(sx.roc_curve(true, score, drop_intermediate=False)[0]) == 7


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_matrices_of_one_column():
    assert sx.roc_auc_score(Y, np.matrix(S).T) == PLAIN


# --------------------------------------------------------------------------- weights


def test_weights_of_any_scale():
    for scale in (1e308, 1e-320, 1e-170, 2.0**-1060):
        weight = np.full(8, scale)
        assert sx.roc_auc_score(Y, S, sample_weight=weight) == PLAIN
        fpr, tpr, _ = sx.roc_curve(Y, S, sample_weight=weight)
        assert sx.auc(fpr, tpr) == pytest.approx(14 / 15)
        assert sx.average_precision_score(Y, S, sample_weight=weight) == pytest.approx(29 / 30)
        ranged = sx.partial_roc_auc_score(Y, S, fpr_range=(0, 1), sample_weight=weight)
        assert ranged == pytest.approx(14 / 15)


def test_one_weight_that_swallows_the_others():
    # The heavy negative outranks one of two positives of weight 1, beside a light negative.
    true, score = [1, 0, 1, 0], [0.9, 0.95, 0.2, 0.1]
    weight = [1.0, 1e16, 1.0, 1.0]
    exact = Fraction(2, 2 * (10**16 + 1))
    got = sx.roc_auc_score(true, score, sample_weight=weight)
    assert got == pytest.approx(float(exact), rel=1e-12)


@pytest.mark.parametrize("function", [sx.roc_auc_score, sx.average_precision_score, sx.roc_curve])
@pytest.mark.parametrize(
    ("weight", "message"),
    [
        ([-1, 1, 1, 1, 1, 1, 1, 1], "must not be negative"),
        (np.zeros(8), "at least one non-zero"),
        ([np.inf] * 8, "infinity"),
        ([np.nan] * 8, "NaN"),
        (np.ones(7), "inconsistent"),
        (np.ones((8, 1)), "1D array"),
    ],
)
def test_weights_that_are_none(function, weight, message):
    with pytest.raises(ValueError, match=message):
        function(Y, S, sample_weight=weight)


def test_no_weight_on_any_positive():
    weight = (Y == 0).astype(float)
    for function, more in (
        (sx.roc_auc_score, {}),
        (sx.pr_auc_score, {}),
        (sx.roc_auc_convex_hull_score, {}),
        (sx.partial_roc_auc_score, {"fpr_range": (0, 0.5)}),
    ):
        with pytest.warns(UndefinedMetricWarning):
            assert np.isnan(function(Y, S, sample_weight=weight, **more))
    with pytest.raises(ValueError, match="Only one class"):
        sx.det_curve(Y, S, sample_weight=weight)


def test_ovo_takes_weights():
    true = [0, 1, 2, 0]
    score = [[0.8, 0.1, 0.1], [0.1, 0.8, 0.1], [0.1, 0.1, 0.8], [0.6, 0.2, 0.2]]
    assert sx.roc_auc_score(true, score, multi_class="ovo", sample_weight=[1, 2, 3, 4]) == 1


# --------------------------------------------------------------------------- classes


def test_no_negatives_and_no_positives():
    assert sx.average_precision_score([1, 1, 1], [0.1, 0.5, 0.9]) == 1
    with pytest.warns(UndefinedMetricWarning, match="No negative"):
        assert np.isnan(sx.roc_curve([1, 1], [0.1, 0.5])[0]).all()
    with pytest.raises(ValueError, match="Only one class"):
        sx.det_curve([1, 1], [0.1, 0.5])


@pytest.mark.parametrize(
    "function",
    [
        sx.roc_auc_score,
        sx.roc_curve,
        sx.det_curve,
        sx.precision_recall_curve,
        sx.average_precision_score,
        sx.top_k_accuracy_score,
        sx.pairwise_roc_auc,
        sx.roc_curves,
    ],
)
def test_no_rows_and_no_arrays(function):
    with pytest.raises(ValueError, match="0 sample"):
        function([], [])
    with pytest.raises(ValueError, match="y_true must"):
        function(1, 0.5)


def test_a_multilabel_column_of_one_class():
    true = np.array([[0, 1], [1, 1], [0, 1]])
    with pytest.warns(UndefinedMetricWarning):
        assert np.isnan(sx.roc_auc_score(true, true + 0.5))


def test_columns_in_numeric_order_of_text_labels():
    true, ages = ["9", "10", "11"], ["9", "10", "11"]
    score = np.eye(3) * 0.7 + 0.1
    assert sx.roc_auc_score(true, score, multi_class="ovr", labels=ages) == 1
    assert sx.average_precision_score(true, score, labels=ages) == 1
    assert sx.top_k_accuracy_score(true, score, labels=ages, k=1) == 1
    assert sx.roc_curves(true, score, labels=ages).areas == dict.fromkeys(
        [*ages, "micro", "macro"], 1
    )
    # Without labels they are sorted, as in scikit-learn.
    assert sx.roc_auc_score(true, score, multi_class="ovr") == 0.25


@pytest.mark.parametrize(
    ("function", "more"),
    [
        (sx.average_precision_score, {}),
        (sx.top_k_accuracy_score, {}),
        (sx.pairwise_roc_auc, {}),
        (sx.roc_auc_score, {"multi_class": "ovo"}),
        (sx.roc_curves, {}),
    ],
)
def test_a_class_that_the_model_never_saw(function, more):
    true, score = ["b", "c", "d"], [[0.2, 0.6, 0.2], [0.1, 0.3, 0.6], [0.1, 0.1, 0.8]]
    with pytest.raises(ValueError, match="'d'"):
        function(true, score, labels=["a", "b", "c"], **more)


def test_scores_that_are_no_probabilities():
    score = np.array([[3.0, -1, 0], [0, 2, 1], [-2, 0, 5], [1, 0, -4]])
    assert sx.roc_auc_score([0, 1, 2, 0], score, multi_class="ovr") == 1
    many = np.random.default_rng(0).normal(size=(2000, 1000)).astype(np.float32)
    many = np.exp(many) / np.exp(many).sum(axis=1, keepdims=True)
    true = np.arange(2000) % 1000
    assert 0 < sx.roc_auc_score(true, many, multi_class="ovr") < 1


def test_labels_1_and_2():
    true, score = [1, 1, 2, 2], [0.1, 0.2, 0.7, 0.9]
    assert sx.roc_auc_score(true, score) == 1
    values, _ = sx.metric_at_thresholds(true, score, sx.f1_score)
    assert values.max() == 1
    values, _ = sx.metric_at_thresholds([-1, -1, 1, 1], score, sx.accuracy_score)
    assert values.tolist() == [0.75, 1, 0.75, 0.5]


def test_a_range_smaller_than_any_step():
    assert sx.roc_auc_score(Y, S, max_fpr=1e-12) == pytest.approx(0.9, rel=1e-9)


def test_no_warning_where_nothing_is_undefined():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for function in (sx.roc_curve, sx.det_curve, sx.precision_recall_curve):
            function(Y, np.zeros(8))
