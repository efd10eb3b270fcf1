"""Delta method: gradients, variances, Wilson's interval of the effective number of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from support.rows import NAMES, settings_of

from skmetrics_ext import METRICS, confidence_interval, proportion_interval
from skmetrics_ext.inference.derivatives import value_and_gradient
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.registry import find
from skmetrics_ext.tallies import ConfusionTally

OF_LABELS = [name for name in NAMES if METRICS[name].response == "labels"]
SMOOTH = [name for name in OF_LABELS if METRICS[name].interval != "largest"]


def on_tables(name, params, n_classes):
    metric, classes = find(name, params), np.arange(n_classes)
    return lambda tables: metric.read(ConfusionTally(classes, tables))


def tables_of(n_classes):
    """No two of their cells or margins are equal, where a maximum would have no derivative."""
    cells = st.integers(3, 40)
    apart = np.sqrt(np.arange(n_classes**2) + 2).reshape(n_classes, n_classes) / 7
    tables = nps.arrays(np.float64, (2, n_classes, n_classes), elements=cells.map(float))
    return tables.map(lambda found: found + apart)


@pytest.mark.sampled(6)
@pytest.mark.parametrize("name", SMOOTH)
@settings(max_examples=10, deadline=None)
@given(data=st.data())
def test_gradients_are_those_of_finite_differences(name, data):
    chosen = [(p, kind) for p, kind in settings_of(name) if kind != "multilabel"]
    params, kind = data.draw(st.sampled_from(chosen))
    params = {key: v for key, v in params.items() if (key, v) != ("average", "samples")}
    n_classes = 2 if kind == "binary" else 3
    metric = on_tables(name, params, n_classes)
    tables = data.draw(tables_of(n_classes))
    _, found = value_and_gradient(metric, tables)
    for i, j in np.ndindex(n_classes, n_classes):
        step = np.zeros((n_classes, n_classes))
        step[i, j] = 2e-5 * tables.min()
        slope = (metric(tables + step) - metric(tables - step)) / (2 * step[i, j])
        np.testing.assert_allclose(found[..., i, j], slope, rtol=1e-5, atol=1e-8)


def test_cells_that_are_empty_have_no_gradient():
    tables = np.array([[3.0, 0.0], [1.0, 2.0]])
    _, found = value_and_gradient(on_tables("recall_score", {}, 2), tables)
    np.testing.assert_allclose(found, [[0, 0], [-2 / 9, 1 / 9]], rtol=1e-12)


def test_variance_of_a_proportion_is_binomial():
    y_true, y_pred = [1] * 10 + [0] * 30, [1] * 7 + [0] * 33
    found = confidence_interval("recall", y_true, y_pred)
    assert found.standard_error**2 == pytest.approx(0.7 * 0.3 / 10, rel=1e-12)


def takahashi(table):
    """Variance of macro-F1 in closed form (Takahashi et al. 2022)."""
    total, n_classes = table.sum(), len(table)
    shares = table / total
    margins, own = shares.sum(axis=0) + shares.sum(axis=1), shares.diagonal()
    f1, rest = 2 * own / margins, margins - 2 * own
    alone = (f1 * rest / margins**2 * (rest / margins + f1 / 2)).sum()
    together = shares * np.outer(f1 / margins, f1 / margins)
    return 2 / n_classes**2 * (alone + together.sum() - np.trace(together)) / total


@given(nps.arrays(np.int64, (4, 4), elements=st.integers(1, 40)))
def test_macro_f1_has_the_variance_of_takahashi(table):
    found = confidence_interval("f1_macro", ConfusionTally(np.arange(4), table))
    assert found.standard_error**2 == pytest.approx(takahashi(table), rel=1e-9)


def statistic(name, *rows, **about):
    return linearize(sample_of_rows(name, *rows, **about))


def test_frequency_weights_are_rows_and_importance_weights_are_not():
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 3, 50), rng.integers(0, 3, 50)
    once, twice = statistic("f1_macro", *rows), {"sample_weight": np.full(50, 2)}
    weighed = statistic("f1_macro", *rows, **twice)
    seen = statistic("f1_macro", *rows, weights_are="frequency", **twice)
    assert weighed.squares == pytest.approx(once.squares, rel=1e-10)
    assert seen.squares == pytest.approx(once.squares / 2, rel=1e-10)
    assert weighed.origin.equal_rows.sum() == pytest.approx(50)


def test_groups_of_one_row_are_rows():
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    alone = statistic("f1_macro", true, pred)
    grouped = statistic("f1_macro", true, pred, groups=np.arange(60))
    assert grouped.variance == pytest.approx(alone.squares * 60 / 59, rel=1e-10)
    rows = np.tile(true, 5), np.tile(pred, 5)
    copies = statistic("f1_macro", *rows, groups=np.tile(range(60), 5))
    assert copies.variance == pytest.approx(grouped.variance, rel=1e-10)


def test_weighted_variance_is_the_sum_of_squared_contributions():
    """A weighted accuracy: sum w^2 (hit - A)^2 / (sum w)^2."""
    rng = np.random.default_rng(2)
    true, pred, weight = rng.integers(0, 2, 40), rng.integers(0, 2, 40), rng.random(40)
    found = statistic("accuracy", true, pred, sample_weight=weight)
    hits = true == pred
    share = np.average(hits, weights=weight)
    expected = (weight**2 * (hits - share) ** 2).sum() / weight.sum() ** 2
    assert found.squares == pytest.approx(expected, rel=1e-10)


@given(nps.arrays(np.int64, (2, 2), elements=st.integers(1, 40)))
def test_the_effective_sample_size_of_a_proportion_is_its_denominator(table):
    """So that its interval is Wilson's of the counts."""
    for name, count, rows in (
        ("recall_score", table[1, 1], table[1].sum()),
        ("precision_score", table[1, 1], table[:, 1].sum()),
        ("accuracy_score", table.trace(), table.sum()),
    ):
        found = confidence_interval(name, ConfusionTally([0, 1], table))
        wanted = proportion_interval(count, rows)
        assert (found.low, found.high) == pytest.approx((wanted.low, wanted.high), rel=1e-9)


def test_a_class_without_an_error_leaves_a_width():
    perfect = ConfusionTally([0, 1, 2], np.diag([20, 20, 4]))
    for name in ("balanced_accuracy", "matthews_corrcoef", "f1_macro"):
        found = confidence_interval(name, perfect, method="effective_n")
        assert found.high == pytest.approx(1)
        assert -1 < found.low < 0.97, name


def test_bounds_on_the_log_scale_where_nothing_went_wrong():
    table = ConfusionTally([0, 1], [[20, 0], [3, 17]])
    found = confidence_interval("diagnostic_odds_ratio", table, method="log")
    assert np.isinf(found.high)
    assert 1 < found.low < 20.5 * 17.5 / (0.5 * 3.5)


def test_degrees_of_freedom_are_those_of_the_rare_class():
    """Of six rows of a class that alone vary, five."""
    true, pred = [0] * 500 + [1] * 6, [0] * 500 + [1] * 3 + [0] * 3
    assert statistic("balanced_accuracy", true, pred).freedom == pytest.approx(5)
