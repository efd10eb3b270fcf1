"""weak_slices by hand: the error of rows like all others, what is tested, what is folded."""

import numpy as np
import pytest
from scipy import stats

from skmetrics_ext import weak_slices

# Rows of class 1 and of class 0: how many, and the share that is right.
REST = {1: (400, 0.95), 0: (200, 0.75)}
WEAK = {1: (30, 0.0), 0: (120, 1.0)}  # no spread: all rows of a class are predicted alike


def rows_of(site, shares):
    true, pred = [], []
    for label, (n_rows, right) in shares.items():
        n_right = round(n_rows * right)
        true += [label] * n_rows
        pred += [label] * n_right + [1 - label] * (n_rows - n_right)
    return {"y": true, "p": pred, "site": [site] * len(true)}


def joined(*parts):
    return {name: np.concatenate([part[name] for part in parts]) for name in parts[0]}


@pytest.mark.parametrize(
    ("metric", "worth", "value", "rest_value"),
    [("balanced_accuracy", {0: 1 / 2, 1: 1 / 2}, 0.5, 0.85), ("recall", {1: 1}, 0.0, 0.95)],
)
def test_a_slice_without_spread_has_the_error_of_rows_like_all_others(
    metric, worth, value, rest_value
):
    """A row of class k adds (right - recall) / n_k times what its class is worth."""
    data = joined(rows_of("rest", REST), rows_of("weak", WEAK))
    data["w"] = np.full(len(data["y"]), 2.0)  # without weights recalls are tested exactly
    found = weak_slices(
        data, true="y", pred="p", metric=metric, weight="w", columns=["site"], min_rows=20
    )
    n_rows = {k: REST[k][0] + WEAK[k][0] for k in (0, 1)}
    recall = {
        k: sum(round(n * right) for n, right in (REST[k], WEAK[k])) / n_rows[k] for k in (0, 1)
    }

    def moments(sizes):
        squares = sum(
            recall[k] * (1 - recall[k]) * share**2 / sizes[k] for k, share in worth.items()
        )
        fourth = sum(
            (recall[k] * (1 - recall[k]) ** 4 + (1 - recall[k]) * recall[k] ** 4)
            * share**4
            / sizes[k] ** 3
            for k, share in worth.items()
        )
        return squares, max(squares**2 / fourth - 1, 1)

    as_the_whole = {k: 150 * n / sum(n_rows.values()) for k, n in n_rows.items()}
    own_classes = moments({k: n for k, (n, _) in WEAK.items()})
    variance, freedom = max(own_classes, moments(as_the_whole))
    assert (variance, freedom) == own_classes  # few rows of class 1
    # Of the rest, that of as many rows like all.
    rest, rest_freedom = moments({k: 600 * n / sum(n_rows.values()) for k, n in n_rows.items()})
    t = (rest_value - value) / np.sqrt(variance + rest)
    down = variance**2 / freedom + rest**2 / rest_freedom
    p_value = stats.t.sf(t, (variance + rest) ** 2 / down)
    (row,) = found.rows
    assert row.slice == {"site": "weak"}
    assert (row.value_a, row.value_b) == pytest.approx((value, rest_value))
    assert row.p_value == pytest.approx(p_value)
    assert row.p_adjusted == pytest.approx(2 * p_value)  # Holm, of two slices


def losses(rng, n_rows, weak):
    y = rng.integers(0, 2, n_rows)
    return y, np.clip(np.abs(1 - y - np.where(weak, 0.45, 0.75)) + rng.normal(0, 0.1, n_rows), 0, 1)


def test_the_unit_of_weights_changes_nothing():
    rng = np.random.default_rng(1)
    site = rng.choice(["a", "b", "c"], 600)
    y, score = losses(rng, 600, site == "b")
    weight = rng.uniform(0.2, 3, 600)
    about = {"true": "y", "score": "s", "metric": "brier_score", "weight": "w", "columns": ["site"]}
    first, second = (
        weak_slices({"y": y, "s": score, "site": site, "w": unit * weight}, **about)
        for unit in (1.0, 16.0)
    )
    assert first.rows[0].slice == {"site": "b"}
    (one,), (other,) = first.rows, second.rows
    for name in ("value", "value_a", "value_b", "low", "high", "p_value", "p_adjusted"):
        assert one[name] == pytest.approx(other[name], rel=1e-9)


@pytest.mark.parametrize("missing", [None, np.nan, "nan of floats"])
def test_missing_values_of_objects_are_a_slice(missing):
    lacks = np.arange(400) % 4 == 0
    column = np.where(lacks, None, np.where(np.arange(400) % 2, "x", "y")).astype(object)
    column[lacks] = missing
    if missing == "nan of floats":
        column = np.where(lacks, np.nan, np.arange(400) % 3)
    pred = np.where(lacks & (np.arange(400) % 8 == 0), 0, 1)
    data = {"y": np.ones(400, int), "p": pred, "column": column}
    found = weak_slices(data, true="y", pred="p", metric="accuracy")
    assert found.rows[0].slice == {"column": None}
    assert found.rows[0].value_a == 0.5


def test_the_fewest_rows_are_enough_on_both_sides():
    half = np.repeat(["a", "b"], 50)
    data = {"y": np.ones(100, int), "p": np.repeat([1, 0, 1], [50, 30, 20]), "half": half}
    found = weak_slices(data, true="y", pred="p", metric="accuracy", min_rows=50)
    assert found.n_tested == 2
    assert found.rows[0].slice == {"half": "b"}


def test_a_slice_is_folded_into_the_one_that_has_most_of_its_rows():
    """Site and ward are weak; most rows of the zone are of the site, some of the ward."""
    rng = np.random.default_rng(3)
    n_rows = 3000
    site = rng.choice(["a", "b", "c"], n_rows)
    ward = rng.choice(["u", "v", "w"], n_rows)
    weak = (site == "a") | (ward == "u")
    shares = np.select([site == "a", (ward == "u") & (site == "b")], [0.6, 0.4], 0.2)
    in_zone = rng.random(n_rows) < shares
    right = rng.random(n_rows) < np.where(weak, 0.6, 0.95)
    zone = np.where(in_zone, "z", "y")
    data = {"y": np.ones(n_rows, int), "p": right * 1, "site": site, "ward": ward, "zone": zone}
    found = weak_slices(data, true="y", pred="p", metric="accuracy", max_columns=1)
    into = {tuple(row.slice.items()): row.into for row in found.folded}
    assert sorted(next(iter(row.slice)) for row in found.rows) == ["site", "ward"]
    assert into == {(("zone", "z"),): {"site": "a"}}
