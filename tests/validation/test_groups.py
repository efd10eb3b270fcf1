"""Groups: what says which rows belong together, and what is refused wherever it is asked for."""

import datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold

from skmetrics_ext import (
    ThresholdOptimizerCV,
    compare,
    confidence_interval,
    cross_validation_report,
    delong_test,
)
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation.groups import Design, read_groups

N = 24
CODES = np.arange(N) // 4
INDEX = [f"row {i}" for i in range(N)]
RNG = np.random.default_rng(0)
Y = pd.Series(np.arange(N) % 2, index=INDEX)
A, B = (pd.Series(Y + RNG.normal(size=N), index=INDEX) for _ in range(2))
X = pd.DataFrame({"a": A, "b": B})


def own(y_true, y_pred):
    return float(np.mean(np.asarray(y_true) == (np.asarray(y_pred) > 0)))


# Every public function that is told of groups.
DOORS = {
    "interval of an area": lambda g: confidence_interval("roc_auc", Y, A, groups=g),
    "interval of a table": lambda g: confidence_interval("f1", Y, Y, groups=g),
    "interval of a function": lambda g: confidence_interval(own, Y, A, groups=g, n_resamples=9),
    "comparison of areas": lambda g: compare("roc_auc", Y, A, B, groups=g),
    "comparison of a function": lambda g: compare(own, Y, A, B, groups=g, n_resamples=9),
    "DeLong's test": lambda g: delong_test(Y, A, B, groups=g),
    "DeLong's test of two samples": lambda g: delong_test(
        Y, A, B, y_true_b=Y, groups=CODES, groups_b=g
    ),
    "report": lambda g: cross_validation_report(
        LogisticRegression(), X, Y, scoring=["roc_auc"], cv=3, groups=g
    ),
    "thresholds": lambda g: ThresholdOptimizerCV(LogisticRegression(), cv=GroupKFold(3)).fit(
        X, Y, groups=g
    ),
}
SOME = CODES.astype(float)
REFUSED = {
    "nan": (np.where(np.arange(N) == 5, np.nan, SOME), "groups has no value in row 5"),
    "None": (["a"] * 3 + [None] + ["b"] * (N - 4), "groups has no value in row 3"),
    "NaT": (
        np.array(["2020-01-01"] * (N - 1) + ["NaT"], "M8[D]"),
        f"groups has no value in row {N - 1}",
    ),
    "a mask": (np.ma.array(CODES, mask=np.arange(N) == 2), "groups (has no value|is masked)"),
    "a null": (pl.Series([*CODES[:-1].tolist(), None]), "groups contains NaN"),
    "an index in another order": (
        pd.Series(CODES, index=INDEX[::-1]),
        "(y_true|X) and groups.*another order.*groups.loc",
    ),
    "text and numbers": (np.array(["a", 1] * (N // 2), object), "groups must hold values of one"),
    "two columns": (np.ones((N, 2), dtype=int), r"groups must be 1-D.*\(24, 2\)"),
    "too few": (CODES[:-1], "(one group for each of the 24 rows, got 23|inconsistent)"),
}


@pytest.mark.parametrize("what", REFUSED)
@pytest.mark.parametrize("door", DOORS)
def test_refused_with_what_was_found(door, what):
    groups, message = REFUSED[what]
    with pytest.raises(ValueError, match=message):
        DOORS[door](groups)


READ = {
    "numbers": CODES.astype(float) / 2,
    "objects": CODES.astype(object),
    "text": [f"patient {k}" for k in CODES],
    "categories": pd.Categorical([f"patient {k}" for k in CODES]),
    "dates": np.datetime64("2020-01-01") + CODES,
    "dates of Python": [datetime.date(2020, 1, 1 + k) for k in CODES],
    "the same index": pd.Series(CODES, index=INDEX),
    "polars": pl.Series([f"patient {k}" for k in CODES]),
}


@pytest.mark.parametrize("kind", READ)
@pytest.mark.parametrize("door", ["interval of an area", "comparison of areas"])
def test_whatever_tells_groups_apart(door, kind):
    assert DOORS[door](READ[kind]) == DOORS[door](CODES)


def test_a_masked_row_has_no_group():
    masked = np.ma.array(Y.to_numpy(), mask=np.arange(N) == 1)
    kept = np.arange(N) != 1
    got = confidence_interval("roc_auc", masked, A.to_numpy(), groups=CODES)
    assert got == confidence_interval("roc_auc", Y[kept], A[kept], groups=CODES[kept])
    weight = np.ma.array(np.ones(N), mask=~kept)
    got = compare("roc_auc", Y, A, B, sample_weight=weight, groups=CODES)
    weight = weight.data[kept]
    rows = Y[kept], A[kept], B[kept]
    assert got == compare("roc_auc", *rows, sample_weight=weight, groups=CODES[kept])


def test_models_that_are_masked_in_different_rows():
    one, other = (np.ma.array(A.to_numpy(), mask=np.arange(N) == row) for row in (1, 2))
    for call in (lambda: compare("roc_auc", Y, one, other), lambda: delong_test(Y, one, other)):
        with pytest.raises(ValueError, match="masked in different rows"):
            call()


def test_what_a_model_is_fitted_to_is_neither_permuted_nor_masked():
    weight = pd.Series(np.ones(N), index=INDEX[::-1])
    masked = np.ma.array(Y.to_numpy(), mask=np.arange(N) == 3)
    model = LogisticRegression()
    with pytest.raises(ValueError, match=r"X and sample_weight.*another order"):
        ThresholdOptimizerCV(model).fit(X, Y, sample_weight=weight)
    with pytest.raises(ValueError, match=r"X and sample_weight.*another order"):
        cross_validation_report(model, X, Y, params={"sample_weight": weight})
    with pytest.raises(ValueError, match=r"X and y.*another order"):
        cross_validation_report(model, X, Y[::-1])
    for call in (ThresholdOptimizerCV(model).fit, lambda *a: cross_validation_report(model, *a)):
        with pytest.raises(ValueError, match="y is masked in row 3"):
            call(X, masked)


def test_numbers_of_the_groups():
    assert read_groups(["b", "a", "b"], 3).tolist() == [1, 0, 1]
    assert read_groups([7, 7, 5], 3).tolist() == [1, 1, 0]


def test_one_group_is_refused_of_two_rows_or_more():
    assert read_groups(["a"], 1).tolist() == [0]
    assert read_groups(["a", "a"], 2, True).tolist() == [0, 0]
    for n_rows in (2, 3):
        with pytest.raises(ValueError, match=f"groups holds one group for all {n_rows} rows"):
            read_groups(["a"] * n_rows, n_rows)


def test_groups_of_the_rows_that_are_not_masked():
    """Of all rows, or of those that are left."""
    true = np.ma.array([0, 1, 1, 0], mask=[0, 1, 0, 0])
    pred = np.ma.array([0, 1, 1, 0], mask=[0, 0, 0, 1])
    groups = ["a", "b", "c", "d"]
    assert read_groups(groups, 3, y_true=true).tolist() == [0, 1, 2]
    assert read_groups(groups, 2, y_true=true, y_pred=pred).tolist() == [0, 1]
    assert read_groups(["a", "c"], 2, y_true=true, y_pred=pred).tolist() == [0, 1]
    assert read_groups(["a", "c", "d"], 3, y_true=true).tolist() == [0, 1, 2]
    with pytest.raises(ValueError, match="one group for each of the 2 rows, got 3"):
        read_groups(["a", "b", "c"], 2, y_true=true, y_pred=pred)


def test_the_design_of_some_rows():
    group, stratum = np.array([0, 0, 1, 2, 2, 3]), np.array([0, 0, 0, 1, 1, 1])
    design = Design(group, stratum)
    part = design.kept(np.array([0, 3, 4]))
    assert (part.group.tolist(), part.stratum.tolist()) == ([0, 1, 1], [0, 1, 1])
    one = design.kept(np.array([3, 5]))
    assert (one.group.tolist(), one.stratum) == ([0, 1], None)
    assert design.kept(slice(2, 4)).group.tolist() == [0, 1]
    for part, plain in ((Design(), True), (Design(group), False), (Design(None, stratum), False)):
        assert part.is_plain == plain
        assert part.kept(np.array([0, 5])).is_plain == plain


def test_tables_of_numbered_groups():
    count = ConfusionTally.from_predictions
    table = count(Y, Y, groups=CODES).table
    assert table.shape == (6, 2, 2)
    masked = np.ma.array(Y.to_numpy(), mask=np.arange(N) == 1)
    assert count(masked, Y, groups=CODES).table.sum(axis=(1, 2)).tolist() == [3, 4, 4, 4, 4, 4]
    refused = {
        "text": ([f"{k}" for k in CODES], "groups must number .* from 0"),
        "fractions": (CODES + 0.5, "groups must number .* from 0"),
        "below 0": (CODES - 1, "groups must number .* from 0, got -1"),
        "an index": (pd.Series(CODES, index=INDEX[::-1]), "y_true and groups.*another order"),
    }
    for groups, message in refused.values():
        with pytest.raises(ValueError, match=message):
            count(Y, Y, groups=groups)


def test_numbered_groups_may_be_whole_floats():
    true, pred, groups = [0, 1, 1, 0], [0, 1, 0, 0], np.array([0.0, 2.0, 2.0, 0.0])
    tally = ConfusionTally.from_predictions(true, pred, groups=groups)
    assert tally.table.tolist() == [[[2, 0], [0, 0]], [[0, 0], [0, 0]], [[0, 0], [1, 1]]]
    odd = np.array([1.0, 3.0, 3.0, 1.0])
    assert ConfusionTally.from_predictions(true, pred, groups=odd).table.shape == (4, 2, 2)
    for wrong in (groups + 0.5, np.array([0, 1.5, 2, 0]), ["a", "b", "b", "a"]):
        with pytest.raises(ValueError, match="groups must number the groups from 0, got dtype"):
            ConfusionTally.from_predictions(true, pred, groups=wrong)
    with pytest.raises(ValueError, match="groups must number the groups from 0, got -1"):
        ConfusionTally.from_predictions(true, pred, groups=groups - 1)


def test_strata_of_one_unit_each_are_refused_by_what_they_hold():
    """A stratum of one row, or of one group, does not show how its rows vary."""
    for strata, groups, told in (
        (np.arange(N), None, f"strata has one row in each of its {N} .*such rows vary.*two rows"),
        (CODES, CODES, "strata has one group in each of its 6 .*such groups vary.*two groups"),
    ):
        with pytest.raises(ValueError, match=told):
            confidence_interval("accuracy", Y, Y, strata=strata, groups=groups)
    for strata, groups in ((CODES, None), (CODES // 2, CODES), (np.zeros(N), CODES)):
        assert confidence_interval("accuracy", Y, Y, strata=strata, groups=groups).value == 1


def test_one_stratum_is_none():
    for groups in (None, CODES):
        one = confidence_interval("roc_auc", Y, A, strata=["all"] * N, groups=groups)
        assert one == confidence_interval("roc_auc", Y, A, groups=groups)


@pytest.mark.parametrize("row", [1, 5, N - 1])
def test_a_group_in_two_strata_is_refused_by_its_rows(row):
    strata = CODES // 2
    strata[row] = 9
    first = row // 4 * 4
    with pytest.raises(ValueError, match=f"rows {first} and {row} are of one group and of two"):
        confidence_interval("accuracy", Y, Y, strata=strata, groups=CODES)
