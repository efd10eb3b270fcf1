"""What the comparison rests on: answers that differ are found, and rounds are fair."""

import dataclasses

import numpy as np
import pytest


@pytest.mark.parametrize(
    ("ours", "theirs", "where"),
    [
        (0.5, 0.5 + 1e-9, "0.5"),
        (np.array([1, 2]), np.array([1, 3]), "at (1,)"),
        (np.array([1, 2]), np.array([1, 2, 3]), "shape"),
        ({"a": 1.0}, {"b": 1.0}, "keys differ"),
        ((1.0, (0.0, 2.0)), (1.0, (0.0, 3.0)), "[1]: [1]"),
        ("text", "texts", "is not"),
        (1.0, np.nan, "nan"),
    ],
)
def test_a_difference_is_told(script, ours, theirs, where):
    difference = script("timing").difference
    assert where in difference(ours, theirs, 1e-12)
    assert difference(theirs, theirs, 1e-12) is None


def test_a_wrong_answer_is_a_problem_and_no_time(script):
    case, peers, measuring, compare = map(script, ("case", "peers", "measuring", "compare"))
    data = script("data").labels(n_classes=2)
    right = case.same("right", "f1_score", data)
    wrong = dataclasses.replace(right, name="wrong", peers=(peers.sklearn("accuracy_score"),))
    failing = dataclasses.replace(right, name="failing", peers=(peers.sklearn("no_such_name"),))
    options = compare.parse(["--sizes", "50", "--rounds", "3", "--seconds", "0.01"])
    rows = measuring.measure_all([right, wrong, failing], options)
    assert [row["problem"] is None for row in rows] == [True, False, False]
    assert "theirs" in rows[0]
    assert "theirs" not in rows[1]
    assert "AttributeError" in rows[2]["problem"]


def test_kernels_that_disagree_are_a_problem(script, monkeypatch):
    case, measuring, compare = map(script, ("case", "measuring", "compare"))
    from skmetrics_ext import kernels

    if "native" not in kernels.available():
        pytest.skip("the native kernels were not built")
    chosen = case.same("case", "roc_auc_score", script("data").scores())
    wins = kernels._numpy.ranked_wins
    monkeypatch.setattr(kernels._numpy, "ranked_wins", lambda *args: (1, *wins(*args)[1:]))
    options = compare.parse(["--sizes", "50", "--rounds", "3", "--seconds", "0.01"])
    before = kernels.active()
    (row,) = measuring.measure_all([chosen], options)
    assert "kernels native and numpy" in row["problem"]
    assert kernels.active() == before


def test_rounds_are_shuffled_and_choose_the_kernels_outside_the_time(script):
    timing = script("timing")
    log = []
    clock = iter(range(10**6))

    def entrant(name, units=1):
        return timing.Entrant(
            lambda: log.append(name), before=lambda: log.append(name.upper()), units=units
        )

    def now():
        log.append("|")
        return 1e-2 * next(clock)

    timing.CLOCKS["counted"] = now
    try:
        times = timing.race(
            {"a": entrant("a"), "b": entrant("b", units=10)}, rounds=8, seconds=60, clock="counted"
        )
    finally:
        del timing.CLOCKS["counted"]
    text = "".join(log)
    rounds = [text[at : at + 8] for at in range(0, len(text), 8)]
    assert rounds[0] == "A|a|B|b|"  # the warm-up
    assert set(rounds[1:]) == {"A|a|B|b|", "B|b|A|a|"}
    assert times == {"a": pytest.approx([1e-2] * 8), "b": pytest.approx([1e-3] * 8)}


def test_few_replicates_judge_a_standard_error(script):
    differs = script("peers")._replicates_differ
    replicates = np.random.default_rng(0).normal(0.7, 0.02, 200)
    assert differs((0.7, 0.66, 0.74, 0.02), replicates) is None
    assert "standard error" in differs((0.7, 0.6, 0.8, 0.04), replicates)
    assert "mean" in differs((0.72, 0.68, 0.76, 0.02), replicates)


def test_goals_name_cases(script):
    figures = script("figures")
    names = {case.name: case for case in script("cases").CASES}
    for goal in (*figures.GOALS, figures.MEMORY_GOAL):
        case = names[goal.case]
        assert case.min_n <= goal.n <= case.max_n, goal
        assert goal.peer in {peer.library for peer in case.peers}, goal
