"""Leaderboards: ranks by hand and by an independent computation, ties, data sets, refusals."""

import json

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support.command_line import main

import skmetrics_ext as sx

RNG = np.random.default_rng(11)
N = 240
Y = (np.arange(N) % 3 == 0).astype(int)
RIGHT = {"a": 0.6, "b": 0.7, "c": 0.88, "d": 0.9, "e": 0.9}
MODELS = {name: np.where(RNG.random(N) < share, Y, 1 - Y) for name, share in RIGHT.items()}


def best_of(board):
    return [row.model for row in board.best()]


def by_model(board):
    return {row.model: row for row in board.rows}


def independent(parts, values, freedom, level=0.95, n_draws=400_000, seed=7):
    """Critical values and joint ranks from the contributions of rows (K, n), by a plain program."""
    K, n = parts.shape
    C = parts @ parts.T / (n * (n - 1))
    draws = np.random.default_rng(seed).multivariate_normal(np.zeros(K), C, size=n_draws)
    pairs = [(i, j) for i in range(K) for j in range(i + 1, K)]
    s = {(i, j): np.sqrt(C[i, i] + C[j, j] - 2 * C[i, j]) for i, j in pairs}
    largest = np.max([np.abs(draws[:, i] - draws[:, j]) / s[i, j] for i, j in pairs], axis=0)
    z = np.quantile(largest, level)
    c = stats.t.isf(stats.norm.sf(z), freedom)
    surely = np.zeros((K, K), bool)
    for i, j in pairs:
        surely[i, j] = values[i] - values[j] > c * s[i, j]
        surely[j, i] = values[j] - values[i] > c * s[i, j]
    each = np.quantile(np.abs(draws / np.sqrt(np.diag(C))).max(axis=1), level)
    return 1 + surely.sum(axis=0), K - surely.sum(axis=1), each * np.sqrt(np.diag(C)), C


def test_accuracy_agrees_with_a_plain_program():
    board = sx.leaderboard("accuracy", Y, MODELS)
    right = np.array([pred == Y for pred in MODELS.values()], float)
    values = right.mean(axis=1)
    low, high, reach, C = independent(right - values[:, None], values, N - 1)
    rows = by_model(board)
    assert [rows[name].value for name in MODELS] == pytest.approx(values)
    assert [rows[name].rank_low for name in MODELS] == low.tolist()
    assert [rows[name].rank_high for name in MODELS] == high.tolist()
    widths = [rows[name].value - rows[name].low for name in MODELS]
    assert widths == pytest.approx(reach, rel=0.01)
    assert sorted(best_of(board)) == [name for name, k in zip(MODELS, low, strict=True) if k == 1]
    a, b = np.argsort(-values, kind="stable")[:2]
    squared = C[a, a] + C[b, b] - 2 * C[a, b]
    expected = N * squared * (stats.norm.isf(0.025) + stats.norm.isf(0.2)) ** 2
    assert board.separate == pytest.approx(expected / (values[a] - values[b]) ** 2)
    assert board.winner.value == values[a]
    assert "the best of 5 models: its value is too high on average" in board.winner.note


def test_f1_counts_the_rarest_class():
    board = sx.leaderboard("f1", Y, MODELS)
    parts = sx.influence_values("f1", Y, MODELS).T
    values = np.array([sx.f1_score(Y, pred) for pred in MODELS.values()])
    low, high, _, _ = independent(parts, values, Y.sum() - 1)
    rows = by_model(board)
    assert [rows[name].rank_low for name in MODELS] == low.tolist()
    assert [rows[name].rank_high for name in MODELS] == high.tolist()


def test_of_a_loss_the_least_is_first():
    proba = {name: 0.1 + 0.8 * pred for name, pred in MODELS.items()}
    board = sx.leaderboard("log_loss", Y, proba)
    losses = [row.value for row in board.rows]
    assert losses == sorted(losses)
    assert board.rows[0].rank_low == 1
    assert [row.model for row in board.rows] == [
        row.model for row in sx.leaderboard("accuracy", Y, MODELS).rows
    ]
    assert sx.leaderboard("neg_log_loss", Y, proba).rows == board.rows


def test_groups_widen_the_ranks():
    groups = np.arange(N) // 6
    rows = {name: np.repeat(pred[::6], 6) for name, pred in MODELS.items()}
    y = np.repeat(Y[::6], 6)
    y[:6] = 1
    alone = sx.leaderboard("accuracy", y, rows)
    grouped = sx.leaderboard("accuracy", y, rows, groups=groups)
    assert grouped.winner.standard_error > 2 * alone.winner.standard_error
    assert "40 groups" in str(grouped)


def test_equal_models_share_a_rank():
    twice = MODELS | {"f": MODELS["d"].copy()}
    rows = by_model(sx.leaderboard("accuracy", Y, twice))
    assert rows["d"].rank == rows["f"].rank
    assert (rows["d"].rank_low, rows["d"].rank_high) == (rows["f"].rank_low, rows["f"].rank_high)
    board = sx.leaderboard("accuracy", Y, {"x": MODELS["d"], "y": MODELS["d"]})
    assert board.separate == np.inf
    assert best_of(board) == ["x", "y"]
    assert "the first two are equal" in str(board)


def test_a_difference_without_variance_is_tested_exactly():
    board = sx.leaderboard("accuracy", Y, {"right": Y, "wrong": 1 - Y})
    assert best_of(board) == ["right"]
    assert board.rows[0].low < 1 == board.rows[0].high
    few = sx.leaderboard("accuracy", [0, 1], {"right": [0, 1], "wrong": [1, 0]})
    assert best_of(few) == ["right", "wrong"]


# --------------------------------------------------------------------------- data sets


def data_sets(n_sets, seed=0):
    rng = np.random.default_rng(seed)
    estimates = {name: [] for name in ("a", "b", "c")}
    for _ in range(n_sets):
        y = rng.integers(0, 2, 90)
        for name, share in zip(estimates, (0.6, 0.8, 0.82), strict=True):
            pred = np.where(rng.random(90) < share, y, 1 - y)
            estimates[name].append(sx.confidence_interval("accuracy", y, pred))
    return estimates


def test_the_mean_over_these_data_sets():
    estimates = data_sets(3)
    board = sx.leaderboard(estimates)
    rows = by_model(board)
    for name, each in estimates.items():
        assert rows[name].value == pytest.approx(sx.mean(each).value)
    squared = sum(e.value * (1 - e.value) / 89 for e in estimates[board.rows[0].model]) / 9
    assert board.winner.standard_error == pytest.approx(squared**0.5)
    assert "270 rows" in str(board)
    one = sx.leaderboard({name: each[:1] for name, each in estimates.items()})
    assert one.rows[0].value == max(each[0].value for each in estimates.values())


def test_data_sets_as_the_sample():
    estimates = data_sets(6)
    board = sx.leaderboard(estimates, over="data sets")
    table = np.array([[e.value for e in each] for each in estimates.values()])
    first = board.rows[0].model
    place = list(estimates).index(first)
    error = table.std(axis=1, ddof=1)[place] / 6**0.5
    assert board.winner.standard_error == pytest.approx(error)
    with pytest.raises(ValueError, match="5 or more data sets"):
        sx.leaderboard(data_sets(4), over="data sets")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("accuracy", Y, {"a": Y}), "mapping of two models or more"),
        (("accuracy", Y, [Y, Y]), "mapping of two models or more"),
        (("ks_statistic", Y, MODELS), "no derivative by its rows"),
        (("prevalence", Y, MODELS), "known direction|metric"),
        (({"a": [0.5, 0.6], "b": [0.4, 0.5]},), "needs a result of confidence_interval"),
    ],
)
def test_refusals(arguments, message):
    with pytest.raises(ValueError, match=message):
        sx.leaderboard(*arguments)


def test_estimates_of_a_data_set_are_of_the_same_rows():
    estimates = data_sets(2)
    estimates["a"] = estimates["a"][::-1]
    with pytest.raises(ValueError, match="same rows"):
        sx.leaderboard(estimates)


# --------------------------------------------------------------------------- shown


def test_it_prints_converts_and_draws():
    pytest.importorskip("matplotlib")
    board = sx.leaderboard("f1_macro", Y, MODELS)
    assert "may be best" in str(board)
    assert list(board.frame()["model"]) == [row.model for row in board.rows]
    assert board.to_dict()["separate"] == board.separate
    ax = board.plot()
    assert [text.get_text().split(" (")[0] for text in ax.get_yticklabels()] == [
        str(row.model) for row in board.rows
    ]
    assert "simultaneous" in ax.get_xlabel()


def test_command_line(tmp_path, capsys):
    path = tmp_path / "predictions.csv"
    pd.DataFrame({"ill": Y, **MODELS}).to_csv(path, index=False)
    chosen = [word for name in MODELS for word in ("--pred", name)]
    call = ["compare", str(path), "--target", "ill", *chosen, "--metrics", "accuracy", "--quiet"]
    assert main([*call, "--leaderboard"]) == 0
    printed = capsys.readouterr().out
    assert "accuracy of 5 models, 240 rows" in printed
    assert main([*call, "--leaderboard", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["rows"]
    assert [row["rank_low"] for row in rows] == [
        row.rank_low for row in sx.leaderboard("accuracy", Y, MODELS).rows
    ]
    assert main([*call, "--leaderboard", "--margin", "0.1"]) != 0


def test_a_hundred_models():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 10_000)
    models = {k: np.where(rng.random(10_000) < 0.6 + 0.003 * k, y, 1 - y) for k in range(100)}
    board = sx.leaderboard("f1_macro", y, models)
    assert len(board.rows) == 100
    assert 99 in best_of(board)


def test_rows_are_subtracted():
    rng = np.random.default_rng(1)
    y = rng.integers(0, 2, 200)
    models = {name: np.where(rng.random(200) < 0.2 * k, 1 - y, y) for k, name in enumerate("abc")}
    board = sx.leaderboard("accuracy", y, models)
    for row in board.against("c"):
        right = sx.compare("accuracy", y, models[row.model], models["c"])
        assert (row.value, row.low, row.high) == pytest.approx(tuple(right))
        assert row.p_value == pytest.approx(right.p_value)
    assert len(board.against(model="each").adjust("simultaneous")) == 3
    sets = [y[k::5] for k in range(5)]
    estimates = {
        name: [sx.confidence_interval("accuracy", s, pred[k::5]) for k, s in enumerate(sets)]
        for name, pred in models.items()
    }
    these = sx.leaderboard(estimates).against("c")
    for row in these:
        own, other = (sx.mean(estimates[name]) for name in (row.model, "c"))
        assert row.value == pytest.approx(own.value - other.value)
        assert row.low < row.value < row.high
    with pytest.raises(ValueError, match="over='these'"):
        sx.leaderboard(estimates, over="data sets").against("c")


def test_a_rank_is_1_and_the_number_of_better_models():
    y = np.arange(60) % 2
    wrong = {"a": 3, "b": 9, "c": 9, "d": 20}
    models = {name: np.where(np.arange(60) < n, 1 - y, y) for name, n in wrong.items()}
    rows = {row.model: row for row in sx.leaderboard("accuracy", y, models).rows}
    assert {name: row.rank for name, row in rows.items()} == {"a": 1, "b": 2, "c": 2, "d": 4}
    losses = {row.model: row for row in sx.leaderboard("error_rate", y, models).rows}
    assert {name: row.rank for name, row in losses.items()} == {"a": 1, "b": 2, "c": 2, "d": 4}


@pytest.mark.parametrize(("times", "last"), [(1, 2), (4, 1)])
def test_ranks_of_recalls_have_the_freedom_of_the_positives(times, last):
    """3 of 9 positives: 2.1 errors, less than t of 8 degrees of freedom has, more than of 48."""
    y = np.repeat([0, 1], [40, 9 * times])
    wrong = np.where(np.arange(len(y)) >= len(y) - 3 * times, 0, y)
    gap, error = 1 / 3, (2 / 9 / (9 * times)) ** 0.5
    assert stats.t.ppf(0.975, 39 + 9 * times) < gap / error
    assert (gap / error < stats.t.ppf(0.975, 9 * times - 1)) == (last == 2)
    rows = {row.model: row for row in sx.leaderboard("recall", y, {"a": y, "b": wrong}).rows}
    assert (rows["a"].rank, rows["a"].rank_low, rows["a"].rank_high) == (1, 1, last)
