"""Metrics of means from the moments of what each row brings: their number and derivative."""

import numpy as np
import pytest

import skmetrics_ext as m
from skmetrics_ext import METRICS
from skmetrics_ext.registry.find import find
from skmetrics_ext.tallies import Means, MomentTally
from skmetrics_ext.validation import Probabilities
from skmetrics_ext.validation.scores import check_decisions

NAMES = sorted(
    name
    for name, row in METRICS.items()
    if row.row_values and (row.response == "probabilities" or "by_sign" in row.traits)
)
N_ROWS = 40


def sample(name, n_classes, absent, weighted):
    """True labels, responses, and what the function is told of them."""
    rng = np.random.default_rng(n_classes)
    true = rng.integers(0, n_classes - absent, N_ROWS)
    proba = rng.dirichlet(np.ones(n_classes), N_ROWS)
    options = {"sample_weight": rng.integers(1, 5, N_ROWS) / 3 if weighted else None}
    if absent:
        options["labels"] = list(range(n_classes))
    if "by_sign" in METRICS[name].traits:
        return true, (proba if n_classes > 2 else proba[:, 1]) * 4 - 1, options
    return true, proba, options


def moments(name, true, response, sample_weight=None, labels=None, **params):
    row = METRICS[name]
    check = check_decisions if "by_sign" in row.traits else row.check or Probabilities.check_strict
    checked = check(true, response, labels=labels, sample_weight=sample_weight)
    columns = np.asarray(row.row_values(checked, **params), dtype=np.float64)
    return MomentTally.from_checked(columns, checked.weight)


CASES = [
    (name, n_classes, absent)
    for name in NAMES
    for n_classes, absent in ((2, 0), (3, 0), (4, 1), (5, 2))
    if n_classes == 2 or find(name).sides != "one"
]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize(("name", "n_classes", "absent"), CASES)
def test_the_moments_give_the_value_of_the_function(name, n_classes, absent, weighted):
    true, response, options = sample(name, n_classes, absent, weighted)
    got = find(name).read(moments(name, true, response, **options))
    expected = METRICS[name].function(true, response, **options)
    assert float(got) == pytest.approx(expected, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize(("name", "n_classes", "absent"), CASES)
def test_complex_means_give_the_derivative(name, n_classes, absent):
    """The imaginary part beside a step of central differences, over two leading axes."""
    true, response, options = sample(name, n_classes, absent, True)
    first, second = (
        moments(name, true[rows], response[rows], labels=options.get("labels"))
        for rows in (slice(None, 20), slice(20, None))
    )
    metric, step, turn = find(name), 1e-5, 1e-30
    away = second.mean - first.mean

    def at(mean):
        return metric.read(Means(first.weight, np.stack([mean, mean])[:, None]))

    got = at(first.mean + 1j * turn * away)
    assert got.shape == (2, 1)
    np.testing.assert_allclose(got.real, metric.read(first), rtol=1e-12)
    differences = (at(first.mean + step * away) - at(first.mean - step * away)) / (2 * step)
    np.testing.assert_allclose(got.imag / turn, differences, rtol=1e-5, atol=1e-8)


@pytest.mark.parametrize("scale_by_half", [True, False, "auto"])
def test_parameters_of_the_function_are_those_of_the_values(scale_by_half):
    true, proba, _ = sample("brier_score_loss", 3, 0, False)
    tally = moments("brier_score_loss", true, proba, scale_by_half=scale_by_half)
    expected = m.brier_score_loss(true, proba, scale_by_half=scale_by_half)
    assert float(tally.mean[0]) == pytest.approx(expected, rel=1e-14)
