"""Means over rows that DuckDB adds up itself, against NumPy and by hand."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skmetrics_ext as sx
from skmetrics_ext import evaluate
from skmetrics_ext.backends.duckdb import DuckEngine

OF_PROBABILITIES = {
    "log_loss": "log_loss",
    "brier": "brier_score",
    "whole brier": partial(sx.brier_score_loss, scale_by_half=False),
    "skill": "d2_log_loss_score",
    "brier skill": "brier_skill_score",
    "spherical": "spherical_score",
}
BY_ROWS = {"ranked": "ranked_probability_score", "hinge": "hinge_loss"}  # no SQL states them


@pytest.fixture
def by_sql_only(monkeypatch):
    """No rows leave DuckDB."""

    def refused(engine, columns):
        raise AssertionError(f"rows are read: {columns}")

    monkeypatch.setattr(DuckEngine, "collect", refused)


def both(data, **options):
    """The same evaluation in memory and by DuckDB."""
    found = [evaluate(data, engine=engine, **options) for engine in ("memory", "duckdb")]
    for mine, other in zip(*found, strict=True):
        assert (mine.metric, mine.group, mine.note) == (other.metric, other.group, other.note)
        for name in ("value", "low", "high", "standard_error"):
            pair = [np.nan if v is None else v for v in (getattr(mine, name), getattr(other, name))]
            np.testing.assert_allclose(*pair, rtol=1e-12, atol=1e-15, err_msg=mine.metric)
    return found


@st.composite
def frames(draw):
    """Rows of some classes with probabilities, weights, some of them 0, and groups."""
    n_classes = draw(st.integers(2, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    n = draw(st.integers(n_classes, 60))
    true = np.concatenate([np.arange(n_classes), rng.integers(0, n_classes, n - n_classes)])
    proba = rng.dirichlet(np.full(n_classes, draw(st.sampled_from([0.1, 1.0, 30.0]))), n)
    if draw(st.booleans()):
        proba[rng.random(n) < 0.2] = np.eye(n_classes)[0]  # certain forecasts
    columns = {f"p{k}": proba[:, k] for k in range(n_classes)}
    whole = rng.integers(0, 3, n)
    whole[:n_classes] = 1
    group = rng.choice(np.array(["a", "b", None], dtype=object), n)
    real = whole * rng.random(n)
    return pd.DataFrame({"y": true, **columns, "whole": whole, "real": real, "g": group})


@settings(max_examples=8)
@given(frames(), st.sampled_from([None, "whole", "real"]), st.sampled_from([None, "g"]))
def test_duckdb_equals_memory(frame, weight, by):
    """Also the intervals, of rows that are counted by their weights."""
    columns = [name for name in frame if name.startswith("p")]
    of_rows = {"true": "y", "weight": weight, "by": by, "intervals": weight != "real"}
    of_rows |= {"weights_are": "frequency"} if weight == "whole" else {}
    if len(columns) > 2:
        of_rows |= {"labels": range(len(columns)), "score": columns}
        both(frame, metrics=OF_PROBABILITIES, **of_rows)
        both(frame, metrics=OF_PROBABILITIES | BY_ROWS, **of_rows)
    else:
        both(frame, score="p1", metrics=OF_PROBABILITIES, **of_rows)
        both(frame, score=columns, metrics=OF_PROBABILITIES, pos_label=0, labels=[0, 1], **of_rows)


def rows_of(n=2000, seed=0):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n)
    p = 1 / (1 + np.exp(-rng.normal(size=n) - y))
    return pd.DataFrame({"y": y, "p": p, "g": rng.choice(["a", "b"], n)})


@pytest.mark.usefixtures("by_sql_only")
@pytest.mark.parametrize("by", [None, "g"])
def test_no_rows_leave_duckdb(by):
    frame = rows_of()
    evaluate(frame, true="y", score="p", by=by, metrics=OF_PROBABILITIES, engine="duckdb")


@pytest.mark.usefixtures("by_sql_only")
def test_by_hand():
    """-(log 1/2 + log 1/4 + log 1/4) / 3, and (1/4 + 9/16 + 9/16) / 3, with standard errors."""
    frame = pd.DataFrame({"y": ["no", "yes", "no"], "p": [0.5, 0.25, 0.75]})
    asked = {"true": "y", "score": "p", "pos_label": "yes", "intervals": True, "engine": "duckdb"}
    found = evaluate(frame, metrics=["log_loss", "brier_score"], **asked)
    assert found.value("log_loss") == pytest.approx(5 / 3 * np.log(2), rel=1e-15)
    assert found.value("brier_score") == pytest.approx(11 / 24, rel=1e-15)
    # Deviations -2/3, 1/3 and 1/3 of log 2, and -5/24, 5/48 and 5/48: squares over n (n - 1).
    errors = [found.row(name).standard_error for name in ("log_loss", "brier_score")]
    assert errors == pytest.approx([np.log(2) / 3, 5 / 48], rel=1e-14)


@pytest.mark.usefixtures("by_sql_only")
def test_log_loss_is_clipped_by_the_type_of_the_column():
    for dtype, loss in (("float32", -np.log(2.0**-23)), ("float64", -np.log(2.0**-52))):
        frame = pd.DataFrame({"y": [0, 1], "p": np.array([1, 1], dtype=dtype)})
        found = evaluate(frame, true="y", score="p", metrics="log_loss", engine="duckdb")
        assert found.value("log_loss") == pytest.approx(loss / 2, rel=1e-6)


def test_values_that_hardly_differ_keep_the_digits_of_their_variance():
    """A variance of 1e-12 next to a mean near 1: sums of squares would lose half of the digits."""
    frame = rows_of()
    frame["p"] = 0.25 + 1e-6 * frame["p"]
    frame["y"] = 1
    both(frame, true="y", score="p", labels=[0, 1], metrics="log_loss", intervals=True)


@pytest.mark.parametrize(
    ("column", "value", "message"),
    [
        ("p", 1.25, r"Column 'p' holds 1.25 in row 3"),
        ("p", np.nan, r"Column 'p'"),
        ("p", np.inf, r"Column 'p' holds inf in row 3"),
        ("q", 0.125, r"The probabilities q, p sum to .* in row 3"),
        ("w", -1.0, r"Column 'w' holds the negative weight -1.0 in row 3"),
    ],
)
@pytest.mark.parametrize("metric", ["log_loss", "roc_auc"])
def test_invalid_rows_are_refused_as_in_memory(column, value, message, metric):
    if column == "p" and value == 1.25 and metric == "roc_auc":
        message = "The probabilities q, p sum to"
    frame = pd.DataFrame({"y": [0, 1] * 3, "p": [0.25, 0.75] * 3, "w": 1.0})
    frame["q"] = 1 - frame["p"]
    frame.loc[3, column] = value
    told = []
    for engine in ("memory", "duckdb"):
        with pytest.raises(ValueError, match=message) as error:
            evaluate(frame, true="y", score=["q", "p"], weight="w", metrics=metric, engine=engine)
        told.append(str(error.value))
    assert told[0] == told[1]


def test_scores_that_no_metric_reads_are_checked():
    frame = rows_of(20).assign(c=1)
    frame.loc[7, "p"] = np.inf
    for engine in ("memory", "duckdb"):
        with pytest.raises(ValueError, match="Column 'p' holds inf in row 7"):
            evaluate(frame, true="y", score="p", pred="c", metrics="accuracy", engine=engine)


def test_probabilities_beyond_1_by_rounding_are_clipped():
    frame = rows_of(50)
    frame.loc[3, "p"] = 1 + 1e-9
    both(frame, true="y", score="p", metrics=["log_loss", "brier_score"])
