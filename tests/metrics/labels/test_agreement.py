"""Agreement of ordered and unordered labels, by hand and by its definition."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn import metrics as sk
from sklearn.exceptions import UndefinedMetricWarning

import skmetrics_ext as m

from .tables import TWENTY_ONE, written_out

ORDER = ["low", "medium", "high"]  # as text: high, low, medium


def in_order(container: str, codes) -> object:
    values = [ORDER[code] for code in codes]
    if container == "pandas":
        return pd.Series(pd.Categorical(values, categories=ORDER, ordered=True))
    if container == "polars":
        return pl.Series(values, dtype=pl.Enum(ORDER))
    return values


# Of TWENTY_ONE: sum of the distances 16 where 368/21 is expected, of their squares 22 and 528/21.
@pytest.mark.parametrize(("weights", "value"), [("linear", 2 / 23), ("quadratic", 1 / 8)])
@pytest.mark.parametrize("container", ["pandas", "polars"])
def test_declared_order_is_kept(container, weights, value) -> None:
    raters = [in_order(container, codes) for codes in written_out(TWENTY_ONE)]
    assert m.cohen_kappa_score(*raters, weights=weights) == pytest.approx(value, rel=1e-13)
    of_name = m.compute_metrics([f"cohen_kappa_{weights}"], *raters)
    assert of_name == pytest.approx({f"cohen_kappa_{weights}": value}, rel=1e-13)


# Every metric of grades, by the name and the options that ask for their order.
OF_GRADES = {
    "linear kappa": (m.cohen_kappa_score, {"weights": "linear"}),
    "quadratic kappa": (m.cohen_kappa_score, {"weights": "quadratic"}),
    "ordinal alpha": (m.krippendorff_alpha_score, {"level": "ordinal"}),
    "interval alpha": (m.krippendorff_alpha_score, {"level": "interval"}),
    "mean distance": (m.macro_averaged_mean_absolute_error, {}),
}


def at_every_door(function, params, y_true, y_pred, **labels):
    """The metric of a function, of many at once, of an interval, and of a table."""
    metric = partial(function, **params)
    yield lambda: function(y_true, y_pred, **params, **labels)
    yield lambda: m.compute_metrics([metric], y_true, y_pred, **labels).popitem()[1]
    yield (
        lambda: (
            m.confidence_interval(
                metric, y_true, y_pred, **labels, n_resamples=20, random_state=0
            ).value
        )
    )
    if not labels:
        table = m.tallies.ConfusionTally.from_predictions(y_true, y_pred)
        yield lambda: function(table, table, **params)


@pytest.mark.parametrize("name", OF_GRADES)
def test_text_has_no_order_but_the_one_that_is_declared(name) -> None:
    function, params = OF_GRADES[name]
    codes = written_out(TWENTY_ONE)
    value = pytest.approx(function(*codes, **params), rel=1e-13)
    raters = [in_order("list", rater) for rater in codes]
    for ask in at_every_door(function, params, *raters):
        with pytest.raises(ValueError, match=r"y_true holds text.*no order: pass labels="):
            ask()
    for ask in at_every_door(function, params, *raters, labels=ORDER):
        assert ask() == value
    for ask in at_every_door(function, params, *[in_order("pandas", rater) for rater in codes]):
        assert ask() == value


@pytest.mark.parametrize("name", OF_GRADES)
def test_conflicting_orders_are_refused_where_the_order_counts(name) -> None:
    function, params = OF_GRADES[name]
    y_true, y_pred = (in_order("pandas", rater) for rater in written_out(TWENTY_ONE))
    y_pred = y_pred.cat.reorder_categories(ORDER[::-1], ordered=True)
    for ask in at_every_door(function, params, y_true, y_pred):
        with pytest.raises(ValueError, match=r"y_true and y_pred.*conflicting orders: pass labels"):
            ask()
    text = [list(y_true), list(y_pred)]
    assert m.cohen_kappa_score(y_true, y_pred) == m.cohen_kappa_score(*text)
    declared = function(y_true, y_pred, labels=ORDER, **params)
    assert declared == function(*text, labels=ORDER, **params)


def test_an_order_that_lacks_a_class_is_none() -> None:
    y_true = pd.Categorical(["low", "mid", "low"], categories=["low", "mid"], ordered=True)
    for y_pred in (["low", "high", "mid"], pd.Categorical(["low", "high", "mid"])):
        with pytest.raises(ValueError, match=r"holds text.*no order"):
            m.cohen_kappa_score(y_true, y_pred, weights="linear")
    # One that has all of them, and another that agrees with it.
    full = pd.Categorical(["low", "high", "mid"], categories=["low", "mid", "high"], ordered=True)
    got = m.cohen_kappa_score(y_true, full, weights="linear")
    assert got == m.cohen_kappa_score([0, 1, 0], [0, 2, 1], weights="linear")


def test_grades_set_the_distances() -> None:
    """Grades 0, 1, 3: the classes are 1, 2 and 3 apart."""
    labels = written_out(TWENTY_ONE)
    # Cells of distance 1: 3 + 2; of 2: 3 + 2; of 3: 1 + 2. Margins 8, 8, 5 of both.
    observed = 5 + 2 * 5 + 3 * 3
    expected = (2 * 8 * 8 + 2 * 2 * 8 * 5 + 3 * 2 * 8 * 5) / 21
    got = m.cohen_kappa_score(*labels, weights="linear", grades=[0, 1, 3])
    assert got == pytest.approx(1 - observed / expected, rel=1e-13)
    same = m.cohen_kappa_score(*labels, weights="quadratic", grades=[-1.0, 1.0, 3.0])
    assert same == pytest.approx(1 / 8, rel=1e-13)  # even steps of any size


def test_a_matrix_of_weights() -> None:
    labels = written_out(TWENTY_ONE)
    distance = np.abs(np.subtract.outer(range(3), range(3)))
    got = m.cohen_kappa_score(*labels, weights=distance)
    assert got == pytest.approx(2 / 23, rel=1e-13)
    alike = m.cohen_kappa_score(*labels, weights=1 - np.eye(3))
    assert alike == pytest.approx(5 / 96, rel=1e-13)  # kappa without weights


raters = st.integers(2, 4).flatmap(
    lambda k: st.tuples(
        *[st.lists(st.integers(0, k - 1), min_size=20, max_size=20)] * 2,
        st.lists(st.integers(1, 9), min_size=20, max_size=20),
    )
)


@given(raters, st.sampled_from([None, "linear", "quadratic"]))
def test_kappa_is_that_of_scikit_learn(sample, weights) -> None:
    first, second, weight = sample
    if len(set(first) | set(second)) == 1:
        return
    options = {"weights": weights, "sample_weight": weight}
    ours = m.cohen_kappa_score(first, second, **options)
    assert ours == pytest.approx(sk.cohen_kappa_score(first, second, **options), abs=1e-12)


@given(raters)
def test_krippendorff_by_its_definition(sample) -> None:
    """All ordered pairs of the 2n values, drawn without replacement."""
    first, second = (np.repeat(part, sample[2]) for part in sample[:2])
    if len(set(first) | set(second)) == 1:
        return
    values = np.concatenate([first, second]).astype(float)
    n = len(values)
    squares = (values[:, None] - values) ** 2
    for level, differences, seen in (
        ("nominal", squares > 0, first != second),
        ("interval", squares, (first - second) ** 2),
    ):
        wanted = 1 - np.mean(seen) / (differences.sum() / (n * (n - 1)))
        got = m.krippendorff_alpha_score(
            first, second, level=level, grades=None if level == "nominal" else np.unique(values)
        )
        assert got == pytest.approx(wanted, abs=1e-12)
    counted = m.krippendorff_alpha_score(sample[0], sample[1], sample_weight=sample[2])
    assert counted == pytest.approx(m.krippendorff_alpha_score(first, second), abs=1e-12)


def test_ordinal_krippendorff_by_hand() -> None:
    """Values 0 0 0 1 1 2 (rows 00, 01, 12); middles of ranks 1.5, 4, 5.5, so distances 2.5, 1.5, 4.

    Within rows: 0, 2.5^2, 1.5^2, mean 17/6. Of all pairs: 3 2 of 2.5, 2 1 of 1.5, 3 1 of 4, twice,
    over 30.
    """
    got = m.krippendorff_alpha_score([0, 0, 1], [0, 1, 2], level="ordinal")
    expected = 2 * (6 * 6.25 + 2 * 2.25 + 3 * 16) / 30
    assert got == pytest.approx(1 - (6.25 + 2.25) / 3 / expected, rel=1e-13)


@pytest.mark.parametrize(
    "metric",
    [m.scott_pi_score, m.gwet_ac1_score, m.brennan_prediger_score, m.krippendorff_alpha_score],
)
def test_one_class_is_undefined_with_a_warning(metric) -> None:
    with pytest.warns(UndefinedMetricWarning, match="only one class occurs"):
        assert np.isnan(metric([1, 1], [1, 1]))
    with pytest.warns(UndefinedMetricWarning, match="only one class occurs"):
        assert np.isnan(metric([1, 1, 1], [1, 1, 1], sample_weight=[0.1, 0.7, 0.3]))


def test_labels_count_as_classes_though_they_do_not_occur() -> None:
    labels = [0, 0, 1, 1], [0, 1, 1, 1]
    assert m.brennan_prediger_score(*labels, labels=[0, 1, 2, 3]) == pytest.approx(2 / 3)
    assert m.gwet_ac1_score([1, 1], [1, 1], labels=[0, 1]) == 1.0


def test_kappa_of_one_class() -> None:
    with pytest.warns(UndefinedMetricWarning, match="`cohen_kappa_score` is undefined"):
        assert m.cohen_kappa_score([1, 1], [1, 1], replace_undefined_by=0.0) == 0.0


@pytest.mark.parametrize("value", [-1, -1.0, 0.25, 1, 1.0, np.float32(1)])
def test_an_undefined_kappa_may_be_any_number_that_kappas_are(value):
    with pytest.warns(UndefinedMetricWarning):
        assert m.cohen_kappa_score([1, 1], [1, 1], replace_undefined_by=value) == value
    for beyond in (np.nextafter(1, 2), -1.5):
        with pytest.raises(ValueError, match="replace_undefined_by"):
            m.cohen_kappa_score([1, 1], [1, 1], replace_undefined_by=beyond)
