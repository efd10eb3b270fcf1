"""Test rows whose features the training rows contain, counted by hand."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.model_selection import KFold
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import cross_validation_report, search_report

TREE = DecisionTreeClassifier(max_depth=2, random_state=0)
RNG = np.random.default_rng(3)
N = 200
Y = np.arange(N) % 2


def data_findings(X, y=Y, **options):
    report = cross_validation_report(TREE, X, y, scoring="accuracy", baseline=None, **options)
    return [row.text for row in report.findings("data")]


def by_hand(X, folds):
    """The number of test rows that are also training rows, row by row."""
    rows = [tuple(row) for row in np.asarray(X).tolist()]
    return sum(
        rows[k] in {rows[i] for i in train} for train, test in folds.split(rows) for k in test
    )


def containers():
    X = RNG.normal(size=(N, 3))
    X[150:] = X[:50]
    yield pytest.param(X, id="floats")
    yield pytest.param(X.astype(np.float32), id="float32")
    yield pytest.param(np.asfortranarray(X), id="by column")
    yield pytest.param(RNG.integers(0, 6, (N, 3)), id="integers")
    yield pytest.param(np.where(X > 0, 0.0, -0.0) + (X > 1), id="zeros of both signs")


@pytest.mark.parametrize("X", [*containers()])
@pytest.mark.parametrize("in_frame", [False, True])
def test_rows_are_counted_as_by_hand(X, in_frame):
    folds = KFold(4, shuffle=True, random_state=1)
    n = by_hand(X, folds)
    assert n >= 2
    shown = f"{100 * n / N:.3g} % of the test rows ({n} of {N}) have the same features"
    if in_frame:
        X = pytest.importorskip("pandas").DataFrame(X)
    (text,) = data_findings(X, cv=folds)
    assert text.startswith(shown)


def test_text_beside_numbers():
    pandas = pytest.importorskip("pandas")
    from skmetrics_ext.report.fold import Fold
    from skmetrics_ext.report.out_of_fold import repeated_rows

    frame = pandas.DataFrame({"x": [1.0, 1, 2, 1, 3, 1], "g": ["a", None, "a", "a", "a", "a"]})
    first, second = np.arange(3), np.arange(3, 6)
    halves = [Fold(0, first, second), Fold(1, second, first)]
    (line,) = repeated_rows(frame, halves)  # the first, the fourth and the last row
    assert line.startswith("50 % of the test rows (3 of 6)")
    assert repeated_rows(frame.assign(x=range(6)), halves) == ()
    assert repeated_rows(frame.assign(g=[[1]] * 6), halves) == ()  # has no hash


def test_less_than_a_percent_is_not_reported():
    X = RNG.normal(size=(400, 2))
    folds = KFold(2)
    y = np.arange(400) % 2
    for n_repeated, n_lines in ((1, 0), (2, 1)):  # 0.5 % and 1 % of the test rows
        X[200 : 200 + n_repeated] = X[:n_repeated]
        assert len(data_findings(X, y, cv=folds)) == n_lines


def test_groups_that_hold_the_repeats_keep_it_silent():
    X = np.repeat(RNG.normal(size=(40, 2)), 5, axis=0)
    y = np.repeat(np.arange(40) % 2, 5)
    (text,) = data_findings(X, y, cv=KFold(5, shuffle=True, random_state=0))
    assert "have the same features as a training row" in text
    assert data_findings(X, y, groups=np.repeat(np.arange(40), 5)) == []


def test_a_search_notes_them():
    X = np.repeat(RNG.normal(size=(40, 2)), 5, axis=0)
    y = np.repeat(np.arange(40) % 2, 5)
    candidates = {"one": TREE, "two": DecisionTreeClassifier(random_state=0)}
    folds = KFold(5, shuffle=True, random_state=0)
    n = by_hand(X, folds)
    said = f"{n / 2:.3g} % of the test rows ({n} of 200)"
    report = search_report(candidates, X, y, cv=folds, random_state=0)
    assert report.notes[0].startswith(said)
    assert said in report.to_html()
    grouped = search_report(candidates, X, y, groups=np.repeat(np.arange(40), 5), random_state=0)
    assert not any("same features" in note for note in grouped.notes)


@pytest.mark.parametrize(
    "load",
    [
        load_wine,
        load_breast_cancer,
        load_iris,
        pytest.param(load_digits, marks=pytest.mark.exhaustive),
    ],
)
def test_data_of_scikit_learn(load):
    X, y = load(return_X_y=True)
    n = by_hand(X, KFold(5, shuffle=True, random_state=0))
    found = data_findings(X, y, cv=KFold(5, shuffle=True, random_state=0))
    assert n in (0, 2)  # iris has a single pair, which is no reason for a finding
    assert found == []
