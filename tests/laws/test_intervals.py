"""Laws of intervals over the registry: names, order and units do not say how sure a value is."""

import numpy as np
import pytest

from skmetrics_ext import confidence_interval, influence_values
from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.registry import find

from .test_influence import CASES, DATA, WEIGHT, N

RNG = np.random.default_rng(23)
ORDER = RNG.permutation(N)
COPIES = RNG.integers(1, 4, N)
GROUPS = RNG.integers(0, 25, N)
# The order of their classes says something: of grades, or of equal scores.
ORDERED = {"macro_averaged_mean_absolute_error", "ranked_probability_score", "top_k_accuracy_score"}


def asked(name, true, response, **options):
    """Bounds and standard errors of an interval without draws, a row for each number."""
    about = {key: options[key] for key in ("pos_label", "labels", "groups") if key in options}
    methods = methods_of(linearize(sample_of_rows(name, true, response, **about)))
    method = next(one for one in methods if one not in BOOTSTRAP_METHODS)
    found = confidence_interval(name, true, response, method=method, **options)
    listed = found if isinstance(found, list) else [found]
    return np.array([(one.value, one.low, one.high, one.standard_error) for one in listed])


def exchanged(name, n_classes):
    """The same rows where the classes have changed places, and what is then asked."""
    metric = find(name)
    true, response = DATA[n_classes, metric.spec.response]
    if n_classes == 3:
        place = np.array([2, 0, 1])  # the new name of each class
        if metric.spec.response == "labels":
            return place[true], place[response], {}
        return place[true], response[:, np.argsort(place)], {}
    if metric.spec.response == "labels":
        about = {"pos_label": 0} if metric.sides == "one" else {}
        return 1 - true, 1 - response, about
    if metric.sides == "one":  # the scores stay those of the positive class
        return 1 - true, response, {"pos_label": 0}
    return 1 - true, -response if metric.spec.response == "scores" else 1 - response, {}


def is_ordered(name):
    """Whether a metric depends on the order of its classes."""
    metric = find(name)
    return metric.spec.name in ORDERED or metric.options.get("weights") is not None


UNORDERED = [case for case in CASES if case.values[1] == 2 or not is_ordered(case.values[0])]


@pytest.mark.sampled(2)
@pytest.mark.parametrize(("name", "n_classes"), UNORDERED)
def test_exchanging_classes_changes_no_interval(name, n_classes):
    true, response = DATA[n_classes, find(name).spec.response]
    other_true, other, about = exchanged(name, n_classes)
    wanted, found = asked(name, true, response), asked(name, other_true, other, **about)
    np.testing.assert_allclose(np.sort(found, axis=0), np.sort(wanted, axis=0), rtol=1e-7)


@pytest.mark.sampled(3)
@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_names_order_and_units_change_no_interval(name, n_classes):
    spec = find(name).spec
    true, response = DATA[n_classes, spec.response]
    wanted = asked(name, true, response, groups=GROUPS)
    moved = asked(name, true[ORDER], response[ORDER], groups=GROUPS[ORDER])
    np.testing.assert_allclose(moved, wanted, rtol=1e-7)
    names = np.array([3, 4, 5] if is_ordered(name) else ["a", "b", "c"])
    told = names[response] if spec.response == "labels" else response
    about = {}
    if n_classes == 2 and find(name).sides != "none" and find(name).takes("pos_label"):
        about = {"pos_label": names[1]}
    elif n_classes == 2 and find(name).sides != "none":
        about = {"labels": names[:2].tolist()}
    renamed = asked(name, names[true], told, groups=-7 * GROUPS, **about)
    np.testing.assert_allclose(renamed, wanted, rtol=1e-7)
    if not spec.weights_are_counts:
        scaled = [asked(name, true, response, sample_weight=s * WEIGHT) for s in (1.0, 3e-4)]
        np.testing.assert_allclose(scaled[1], scaled[0], rtol=1e-7)


@pytest.mark.parametrize(("name", "n_classes"), CASES)
def test_a_row_that_weighs_more_has_the_influence_of_its_copies(name, n_classes):
    true, response = DATA[n_classes, find(name).spec.response]
    rows = np.repeat(np.arange(N), COPIES)
    listed = influence_values(name, true[rows], response[rows]) / len(rows)
    found = influence_values(name, true, response, sample_weight=COPIES) / N
    sums = np.add.reduceat(listed, np.append(0, np.cumsum(COPIES)[:-1]), axis=0)
    np.testing.assert_allclose(found, sums, rtol=1e-7, atol=1e-12)


TIED = {
    "continuous": lambda score: score,
    "two decimals": lambda score: np.round(score, 2),
    "a block": lambda score: np.where(score < 0.4, 0.0, score),
    "two blocks": lambda score: np.where(score < 0, 0.0, np.where(score > 1.5, 1.5, score)),
    "five grades": lambda score: np.digitize(score, [-0.3, 0.5, 1.1, 1.9]) * 1.0,
}


@pytest.mark.parametrize("ties", TIED)
@pytest.mark.parametrize(
    "name",
    [
        "equal_error_rate",
        "precision_at_recall_80",
        "sensitivity_at_specificity_90",
        "specificity_at_sensitivity_80",
    ],
)
def test_weights_are_copies_of_any_unit_where_scores_are_tied(name, ties):
    for seed in range(6):
        rng = np.random.default_rng(seed)
        true, copies = rng.integers(0, 2, 400), rng.integers(1, 4, 400)
        score = TIED[ties](rng.normal(size=400) + 1.2 * true)
        rows = np.repeat(np.arange(400), copies)
        listed = influence_values(name, true[rows], score[rows]) / len(rows)
        sums = np.add.reduceat(listed, np.append(0, np.cumsum(copies)[:-1]))
        for unit in (1, 0.37):
            found = influence_values(name, true, score, sample_weight=copies * unit) / 400
            np.testing.assert_allclose(found, sums, rtol=1e-7, atol=1e-12)
