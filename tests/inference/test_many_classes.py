"""Thousands of classes: shares have Wilson's interval, and tables cost what single intervals do."""

import numpy as np
import pytest
from sklearn import metrics

import skmetrics_ext as sx
from skmetrics_ext.inference import derivatives
from skmetrics_ext.inference.derivatives import slope_by_counts
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.registry import find
from skmetrics_ext.validation import Labels


def cyclic(n_rows=20_000, n_classes=5_000):
    """The class is the row modulo their number; right where the row modulo 5 is below 3."""
    i = np.arange(n_rows)
    true = i % n_classes
    return true, np.where(i % 5 < 3, true, (true + 1) % n_classes)


def drawn(n_rows, n_classes, seed=0):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, n_classes, n_rows)
    return true, np.where(rng.random(n_rows) < 0.6, true, rng.integers(0, n_classes, n_rows))


SHARES = [
    "accuracy", "precision_micro", "recall_micro", "f1_micro", "error_rate", "zero_one_loss",
]  # fmt: skip


@pytest.mark.parametrize("metric", SHARES)
@pytest.mark.parametrize("n_classes", [100, 400, 5_000])
def test_shares_of_rows_have_wilsons_interval_at_any_number_of_classes(metric, n_classes):
    true, pred = cyclic(n_classes=n_classes)
    wilson = sx.proportion_interval(12_000, 20_000)
    low, high = wilson.low, wilson.high
    if "error" in metric or "loss" in metric:
        low, high = 1 - high, 1 - low
    found = sx.confidence_interval(metric, true, pred)
    assert (found.low, found.high) == pytest.approx((low, high), abs=1e-6)
    assert not found.note
    assert found.draws is None
    if n_classes == 5_000:
        assert (round(wilson.low, 4), round(wilson.high, 4)) == (0.5932, 0.6068)


def test_top_k_accuracy_of_many_classes_has_wilsons_interval():
    rng = np.random.default_rng(0)
    scores = rng.random((600, 2_500))
    true = np.where(np.arange(600) % 2 == 0, scores.argmax(axis=1), scores.argmin(axis=1))
    found = sx.confidence_interval("top_k_accuracy", true, scores, labels=np.arange(2_500), k=2)
    wilson = sx.proportion_interval(300, 600)
    assert (found.low, found.high) == pytest.approx((wilson.low, wilson.high))


@pytest.mark.parametrize("metric", ["f1_macro", "recall_macro", "f1_weighted", "matthews_corrcoef"])
def test_averages_over_thousands_of_classes_lie_inside_their_interval(metric):
    true, pred = drawn(60_000, 5_000)
    options = {"zero_division": 0} if "macro" in metric else {}
    found = sx.confidence_interval(metric, true, pred, **options)
    assert found.low < found.value < found.high
    assert found.draws is None
    assert found.high - found.low < 0.03


@pytest.mark.parametrize(
    ("metric", "params"),
    [
        ("f1", {"average": "macro"}),
        ("recall", {"average": "weighted"}),
        ("f1", {"average": "macro", "labels": [0, 1, 2, 5]}),
        ("matthews_corrcoef", {}),
        ("cohen_kappa", {}),
        ("f1", {"average": None}),
    ],
)
def test_derivatives_by_classes_that_are_alike(metric, params):
    """By small steps of the weights of rows, of scikit-learn's or our own functions."""
    true, pred = cyclic(60, 10)
    pred[::7] = 3
    measure = find(metric, params)
    slope = slope_by_counts(measure, Labels.check(true, pred))
    for row in range(0, 60, 11):
        up, down = (
            np.asarray(measure.function(true, pred, sample_weight=weight, **params))
            for weight in (1 + 1e-4 * (np.arange(60) == row), 1 - 1e-4 * (np.arange(60) == row))
        )
        np.testing.assert_allclose(slope[..., row], (up - down) / 2e-4, atol=1e-7)


def test_so_many_derivatives_are_computed_as_classes_differ(monkeypatch):
    steps = []
    original = derivatives.stepped
    monkeypatch.setattr(
        derivatives,
        "stepped",
        lambda read, base, places, *shape: (
            steps.append(len(places)), original(read, base, places, *shape)
        )[1],
    )  # fmt: skip
    sample_of_rows("matthews_corrcoef", *cyclic()).slope()
    assert steps == [4 * 4]  # a class in five rows of a cycle, of which two are alike


@pytest.mark.parametrize(("n_rows", "n_classes"), [(5_000, 400), (20_000, 1_000)])
def test_a_table_has_the_intervals_of_single_calls_without_a_table_of_pairs(n_rows, n_classes):
    true, pred = drawn(n_rows, n_classes)
    names = ["accuracy", "f1_macro", "f1_micro", "matthews_corrcoef"]
    table = sx.compute_metrics(names, true, pred, intervals=True)
    for name in names:
        own, row = sx.confidence_interval(name, true, pred), table.row(name)
        assert (row.low, row.high) == pytest.approx((own.low, own.high), rel=1e-9), name
        assert (row.method, row.note) == (own.method, own.note)
    wilson = sx.proportion_interval((true == pred).sum(), n_rows)
    assert table.row("accuracy").low == pytest.approx(wilson.low)


def test_groups_of_rows_of_many_classes():
    true, pred = drawn(12_000, 400)
    by = np.arange(12_000) % 3
    table = sx.compute_metrics(["accuracy", "f1_macro"], true, pred, by={"g": by}, intervals=True)
    own = sx.confidence_interval("f1_macro", true[by == 1], pred[by == 1])
    row = table.row("f1_macro", 1)
    assert (row.low, row.high) == pytest.approx((own.low, own.high), rel=1e-9)
    gap = table.gaps("f1_macro", against={"g": 0}).row(group=1)
    theirs = sx.compare_samples(
        "f1_macro", true[by == 1], pred[by == 1], true[by == 0], pred[by == 0]
    )
    assert (gap.low, gap.high) == pytest.approx((theirs.low, theirs.high), rel=1e-9)
    assert table.worst("accuracy")[0].group in (0, 1, 2)
    assert table.spread("f1_macro").n_groups == 3


def test_areas_of_single_classes_are_computed_with():
    """Two classes of one model by the bootstrap of whole rows; one class of two is `compare`."""
    rng, n = np.random.default_rng(4), 240
    true = rng.integers(0, 3, n)
    first, second = (
        scores / scores.sum(axis=1, keepdims=True)
        for scores in (rng.dirichlet([1, 1, 1], n) + np.eye(3)[true] * up for up in (0.5, 0.3))
    )
    tables = [
        sx.confidence_interval("roc_auc", true, proba, multi_class="ovr", average=None)
        for proba in (first, second)
    ]
    found = tables[0][0].estimate - tables[0][1].estimate
    area = metrics.roc_auc_score
    expected = area(true == 0, first[:, 0]) - area(true == 1, first[:, 1])
    assert found.value == pytest.approx(expected)
    drawn = []
    for _ in range(400):
        rows = rng.integers(0, n, n)
        y, p = true[rows], first[rows]
        drawn.append(area(y == 0, p[:, 0]) - area(y == 1, p[:, 1]))
    assert found.standard_error == pytest.approx(np.std(drawn), rel=0.1)
    other = tables[0][2].estimate - tables[1][2].estimate
    alone = sx.compare("roc_auc", true == 2, first[:, 2], second[:, 2])
    assert (*other, other.p_value) == pytest.approx((*alone, alone.p_value))
