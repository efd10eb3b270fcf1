"""Delta method: gradients, variances, Wilson's interval of the effective number of rows."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps
from support.rows import NAMES, settings_of

from skmetrics_ext import METRICS, ConfusionTally, confidence_interval
from skmetrics_ext.inference.draws.readers import read_metric
from skmetrics_ext.inference.influence import tables as delta
from skmetrics_ext.inference.influence.derivatives import gradient
from skmetrics_ext.registry import find

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
    found = gradient(metric, tables)
    for i, j in np.ndindex(n_classes, n_classes):
        step = np.zeros((n_classes, n_classes))
        step[i, j] = 2e-5 * tables.min()
        slope = (metric(tables + step) - metric(tables - step)) / (2 * step[i, j])
        np.testing.assert_allclose(found[..., i, j], slope, rtol=1e-5, atol=1e-8)


def test_cells_that_are_empty_have_no_gradient():
    tables = np.array([[3.0, 0.0], [1.0, 2.0]])
    found = gradient(on_tables("recall_score", {}, 2), tables)
    np.testing.assert_allclose(found, [[0, 0], [-2 / 9, 1 / 9]], rtol=1e-12)


def test_variance_of_a_proportion_is_binomial():
    y_true, y_pred = [1] * 10 + [0] * 30, [1] * 7 + [0] * 33
    found = delta.TableSpread.of_reading(read_metric("recall", y_true, y_pred))
    assert found.variance == pytest.approx(0.7 * 0.3 / 10, rel=1e-12)


def takahashi(table):
    """Variance of macro-F1 in closed form (Takahashi et al. 2022)."""
    total, n_classes = table.sum(), len(table)
    shares = table / total
    margins, own = shares.sum(axis=0) + shares.sum(axis=1), shares.diagonal()
    f1, rest = 2 * own / margins, margins - 2 * own
    alone = (f1 * rest / margins**2 * (rest / margins + f1 / 2)).sum()
    together = shares * np.outer(f1 / margins, f1 / margins)
    return 2 / n_classes**2 * (alone + together.sum() - np.trace(together)) / total


@given(tables_of(4))
def test_macro_f1_has_the_variance_of_takahashi(tables):
    metric = on_tables("f1_score", {"average": "macro"}, 4)
    found = delta.multinomial_variance(tables[0], gradient(metric, tables[0]))
    assert found == pytest.approx(takahashi(tables[0]), rel=1e-9)


def test_frequency_weights_are_rows_and_importance_weights_are_not():
    rng = np.random.default_rng(0)
    true, pred = rng.integers(0, 3, 50), rng.integers(0, 3, 50)
    once = delta.TableSpread.of_reading(read_metric("f1_macro", true, pred))
    twice = {"sample_weight": np.full(50, 2)}
    weighed = delta.TableSpread.of_reading(read_metric("f1_macro", true, pred, **twice))
    seen = delta.TableSpread.of_reading(
        read_metric("f1_macro", true, pred, weights_are="frequency", **twice)
    )
    assert weighed.variance == pytest.approx(once.variance, rel=1e-10)
    assert seen.variance == pytest.approx(once.variance / 2, rel=1e-10)
    assert weighed.tables.sum() == pytest.approx(50)


def test_groups_of_one_row_are_rows():
    rng = np.random.default_rng(1)
    true, pred = rng.integers(0, 3, 60), rng.integers(0, 3, 60)
    alone = delta.TableSpread.of_reading(read_metric("f1_macro", true, pred))
    grouped = delta.TableSpread.of_reading(
        read_metric("f1_macro", true, pred, groups=np.arange(60))
    )
    assert grouped.variance == pytest.approx(alone.variance * 60 / 59, rel=1e-10)
    copies = delta.TableSpread.of_reading(
        read_metric("f1_macro", np.tile(true, 5), np.tile(pred, 5), groups=np.tile(range(60), 5))
    )
    assert copies.variance == pytest.approx(grouped.variance, rel=1e-10)


def test_weighted_variance_is_the_sum_of_squared_contributions():
    """Of a weighted accuracy: sum w^2 (hit - A)^2 / (sum w)^2."""
    rng = np.random.default_rng(2)
    true, pred, weight = rng.integers(0, 2, 40), rng.integers(0, 2, 40), rng.random(40)
    found = delta.TableSpread.of_reading(read_metric("accuracy", true, pred, sample_weight=weight))
    hits = true == pred
    share = np.average(hits, weights=weight)
    expected = (weight**2 * (hits - share) ** 2).sum() / weight.sum() ** 2
    assert found.variance == pytest.approx(expected, rel=1e-10)


@given(tables_of(2))
def test_a_proportion_is_worth_its_denominator(tables):
    for name, denominator in (
        ("recall_score", tables[:, 1].sum(axis=1)),
        ("precision_score", tables[:, :, 1].sum(axis=1)),
        ("accuracy_score", tables.sum(axis=(1, 2))),
    ):
        spread = delta.TableSpread.of_tables(on_tables(name, {}, 2), tables)
        np.testing.assert_allclose(delta.worth(spread, (0, 1), None), denominator, rtol=1e-9)
        np.testing.assert_allclose(delta.worth(spread, (0, 1)), denominator, rtol=1e-9)


def test_a_class_without_an_error_leaves_a_width():
    perfect = np.diag([20.0, 20.0, 4.0])
    for name in ("balanced_accuracy_score", "matthews_corrcoef", "f1_score"):
        params = {"average": "macro"} if name == "f1_score" else {}
        spec = METRICS[name]
        spread = delta.TableSpread.of_tables(on_tables(name, params, 3), perfect[None])
        low, high = delta.bounds_by("wilson", spread, spec.bounds, 0.95, share="")
        assert high[0] == pytest.approx(1)
        assert -1 < low[0] < 0.97, name


def test_bounds_on_the_log_scale_where_nothing_went_wrong():
    spec = METRICS["diagnostic_odds_ratio"]
    spread = delta.TableSpread.of_tables(
        on_tables("diagnostic_odds_ratio", {}, 2), np.array([[[20.0, 0.0], [3.0, 17.0]]])
    )
    low, high = delta.bounds_by("log", spread, spec.bounds, 0.95, share="")
    assert np.isinf(high[0])
    assert 1 < low[0] < 20.5 * 17.5 / (0.5 * 3.5)


def test_degrees_of_freedom_are_those_of_the_rare_class():
    squares, rows = np.array([[1e-9, 0.0], [1.0, 1.0]]), np.array([[500.0, 1.0], [6.0, 5.0]])
    assert delta.freedom_of(squares, rows) <= 10.0001


@pytest.mark.parametrize(
    ("name", "params"),
    [
        ("accuracy_score", {}),
        ("f1_score", {"average": "macro"}),
        ("precision_score", {"average": "weighted"}),
        ("matthews_corrcoef", {}),
        ("negative_likelihood_ratio", {"average": "macro"}),
        ("macro_averaged_mean_absolute_error", {}),
    ],
)
def test_stacks_of_tables_have_the_intervals_of_their_rows(name, params):
    """What the study of coverage simulates is what the public function gives."""
    rng = np.random.default_rng(0)
    tables = rng.integers(1, 20, (4, 3, 3)) + 10 * np.eye(3, dtype=int)
    spread = delta.TableSpread.of_tables(on_tables(name, params, 3), tables.astype(float))
    spec, (true, pred) = METRICS[name], np.divmod(np.arange(9), 3)
    for i, table in enumerate(tables):
        rows = np.repeat(np.arange(9), table.ravel())
        found = confidence_interval(spec.function, true[rows], pred[rows], **params)
        low, high = delta.bounds_by(
            found.method,
            spread,
            spec.bounds,
            0.95,
            share="wilson" if name == "accuracy_score" else "",
        )
        assert (found.low, found.high) == pytest.approx((low[i], high[i]), rel=1e-9)
        assert found.standard_error == pytest.approx(np.sqrt(spread.variance[i]), rel=1e-9)
