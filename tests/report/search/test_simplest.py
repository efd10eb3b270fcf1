"""The simplest candidate that is about as good as the best, by hand."""

import pickle

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import simplest_within

# Means 0.70, 0.78, 0.80; of the last the folds have standard deviation 0.05.
SPLITS = np.array([[0.65, 0.70, 0.75, 0.70], [0.80, 0.76, 0.80, 0.76], [0.75, 0.80, 0.85, 0.80]])
DEPTHS = [1, 2, 3]


def results(splits=SPLITS, params=None, name="score"):
    params = [{"tree__depth": depth} for depth in DEPTHS] if params is None else params
    found = {f"split{j}_test_{name}": column for j, column in enumerate(np.transpose(splits))}
    return {**found, f"mean_test_{name}": np.mean(splits, axis=1), "params": params}


def test_one_standard_error_is_nadeau_and_bengios():
    """s^2 = 0.005 / 3; of four folds the error is s sqrt(1/4 + 1/3) = 0.0312."""
    error = np.sqrt(0.005 / 3 * (1 / 4 + 1 / 3))
    assert 0.80 - 0.78 < error < 0.80 - 0.70
    assert simplest_within("tree__depth")(results()) == 1
    near = SPLITS.copy()
    near[0] += 0.80 - 0.70 - 0.99 * error
    assert simplest_within("tree__depth")(results(near)) == 0
    near[0] -= 0.02 * error
    assert simplest_within("tree__depth")(results(near)) == 1


def test_test_size_is_the_share_that_is_tested_on():
    """Of repeated folds the splits do not tell it: a tenth has s sqrt(1/4 + 1/9) = 0.0245."""
    near, error = SPLITS.copy(), np.sqrt(0.005 / 3 * (1 / 4 + 1 / 9))
    near[0] += 0.80 - 0.70 - 1.01 * error
    assert simplest_within("tree__depth")(results(near)) == 0
    assert simplest_within("tree__depth", test_size=0.1)(results(near)) == 1


def test_the_set_holds_what_is_not_shown_to_be_worse():
    """Differences of the second are -0.05, 0.04, 0.05, 0.04, of the first 0.1 without spread."""
    assert simplest_within("tree__depth", rule="set")(results()) == 1
    noisy = SPLITS.copy()
    noisy[0] += [0.05, -0.05, 0.05, -0.05]
    apart = noisy[2] - noisy[0]
    error = np.sqrt(apart.var(ddof=1) * (1 / 4 + 1 / 3))
    assert apart.mean() < stats.t.ppf(1 - 0.05 / 2, 3) * error
    assert simplest_within("tree__depth", rule="set")(results(noisy)) == 0


def test_a_minus_asks_for_more_and_a_function_for_anything():
    params = [{"leaf": 9, "m": "a"}, {"leaf": 5, "m": "bb"}, {"leaf": 1, "m": "c"}]
    assert simplest_within("-leaf")(results(params=params)) == 1
    assert simplest_within("leaf")(results(params=params)) == 2
    assert simplest_within(lambda own: -len(own["m"]))(results(params=params)) == 1


def test_none_is_unlimited_and_of_equals_the_better_is_taken():
    params = [{"depth": None}, {"depth": None}, {"depth": 9}]
    assert simplest_within("depth")(results(params=params)) == 2
    assert simplest_within(lambda own: 0)(results()) == 2


def test_candidates_without_a_value_are_left_out():
    splits = SPLITS.copy()
    splits[1] = np.nan
    assert simplest_within("tree__depth")(results(splits)) == 2
    with pytest.raises(ValueError, match="no candidate has a value"):
        simplest_within("tree__depth")(results(np.full((3, 4), np.nan)))


def test_scoring_says_which_metric():
    both = {**results(name="f1"), **results(SPLITS[::-1], name="recall")}
    assert simplest_within("tree__depth", scoring="f1")(both) == 1
    assert simplest_within("tree__depth", scoring="recall")(both) == 0
    with pytest.raises(ValueError, match=r"one of the metrics \['f1', 'recall'\]"):
        simplest_within("tree__depth")(both)


def test_a_search_takes_it():
    X, y = load_iris(return_X_y=True)
    rule = pickle.loads(pickle.dumps(simplest_within("max_depth", scoring="accuracy")))
    search = GridSearchCV(
        DecisionTreeClassifier(random_state=0), {"max_depth": [None, 5, 3, 2, 1]}, refit=rule,
        scoring=["accuracy", "f1_macro"],
    ).fit(X, y)  # fmt: skip
    assert search.best_params_ == {"max_depth": 3}


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"complexity": 3}, "complexity must be the name of a parameter"),
        ({"complexity": "d", "rule": "2se"}, "rule"),
        ({"complexity": "d", "test_size": 1.0}, "test_size .*\\(0, 1\\), got 1\\.0"),
    ],
)
def test_mistakes_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        simplest_within(options.pop("complexity"), **options)


def test_parameters_that_are_missing_or_no_numbers_are_named():
    with pytest.raises(ValueError, match="no parameter 'depth'; it has"):
        simplest_within("depth")(results())
    with pytest.raises(ValueError, match="must be a number"):
        simplest_within("kernel")(results(params=[{"kernel": name} for name in "abc"]))
