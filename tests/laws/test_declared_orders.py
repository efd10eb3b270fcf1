"""The law of declared orders: classes are sorted, as the columns of an estimator are, and the
order that a categorical declares counts for metrics of grades alone."""

import json
import subprocess
import sys
from functools import partial

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from parity.comparing import compare
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression

import skmetrics_ext as sx

CLASSES = {
    "two texts": ["high", "low"],
    "0 and 1": [0, 1],
    "booleans": [False, True],
    "three texts": ["high", "low", "mid"],
    "three numbers": [1, 2, 5],
    "four texts": ["a", "b", "c", "d"],
}


def _pandas(values, order):
    return pd.Series(pd.Categorical(values, categories=order, ordered=True))


def _arrow(values, order):
    codes = pa.array([order.index(value) for value in values], pa.int8())
    return pa.DictionaryArray.from_arrays(codes, pa.array(order), ordered=True)


CONTAINERS = {
    "pandas": _pandas,
    "Arrow": _arrow,
    "polars": lambda values, order: pl.Series(values, dtype=pl.Enum(order)),
}


def _kinds(several):
    return [kind for kind, classes in CLASSES.items() if several or len(classes) == 2]


def _drawn(data, kinds):
    """Sorted classes, true and predicted labels, probabilities, and what declares an order."""
    kind = data.draw(st.sampled_from(kinds))
    classes = CLASSES[kind]
    rng = np.random.default_rng(data.draw(st.integers(0, 2**31)))
    codes = np.append(np.arange(len(classes)), rng.integers(0, len(classes), 25))
    proba = rng.dirichlet(np.ones(len(classes)), len(codes)) + 0.3 * np.eye(len(classes))[codes]
    proba /= proba.sum(axis=1, keepdims=True)
    true = [classes[code] for code in codes]
    pred = [classes[code] for code in rng.permutation(codes)]
    order = data.draw(st.permutations(classes))
    names = [name for name in CONTAINERS if name != "polars" or "text" in kind]
    put = partial(CONTAINERS[data.draw(st.sampled_from(names))], order=order)
    return classes, true, pred, proba, put


# Functions of labels, and whether they take more than two classes.
OF_LABELS = {
    "confusion_matrix": {},
    "multilabel_confusion_matrix": {},
    "precision_recall_fscore_support": {"zero_division": 0},
    "classification_report": {"output_dict": True, "zero_division": 0},
    "balanced_accuracy_score": {},
    "matthews_corrcoef": {},
    "cohen_kappa_score": {},
    **{
        f"{name}_score": {"average": None, "zero_division": 0}
        for name in ("recall", "precision", "f1", "jaccard")
    },
}


@pytest.mark.parametrize("name", OF_LABELS)
@settings(max_examples=8)
@given(data=st.data())
def test_labels_give_what_scikit_learn_gives_for_plain_arrays(name, data):
    _, true, pred, _, put = _drawn(data, _kinds(several=True))
    theirs = partial(getattr(sklearn.metrics, name), np.array(true), np.array(pred))
    if hasattr(sklearn.metrics, name):
        for a, b in ((put(true), put(pred)), (put(true), np.array(pred))):
            ours = partial(getattr(sx, name), a, b)
            compare(ours, theirs, told=False, **OF_LABELS[name])


def test_likelihood_ratios_of_1_declared_before_0():
    true, pred = [0, 0, 0, 1, 1, 1, 1], [0, 1, 1, 1, 1, 1, 0]
    declared = [_pandas(labels, [1, 0]) for labels in (true, pred)]
    assert sx.class_likelihood_ratios(*declared) == pytest.approx((9 / 8, 3 / 4))


# Functions of scores: the columns they take, and options.
OF_SCORES = {
    "roc_auc_score": ("positive", {}),
    "roc_auc_score ovr": ("each", {"multi_class": "ovr"}),
    "roc_auc_score ovo": ("each", {"multi_class": "ovo"}),
    "log_loss": ("each", {}),
    "log_loss of the positive class": ("positive", {}),
    "brier_score_loss": ("each", {}),
    "d2_log_loss_score": ("each", {}),
    "d2_brier_score": ("each", {}),
    "top_k_accuracy_score": ("each", {"k": 1}),
    "hinge_loss": ("each", {}),
}


@pytest.mark.parametrize("row", OF_SCORES)
@settings(max_examples=8)
@given(data=st.data())
def test_columns_of_scores_are_those_of_sorted_classes(row, data):
    name = row.partition(" ")[0]
    columns, options = OF_SCORES[row]
    if not hasattr(sklearn.metrics, name) or (
        name == "brier_score_loss" and sklearn.__version__ < "1.7"
    ):
        return
    kinds = _kinds(several=True)
    if columns == "positive":
        kinds = _kinds(several=False)
    elif name != "log_loss" and "each" in columns:
        kinds = [kind for kind in kinds if len(CLASSES[kind]) > 2]
    _, true, _, proba, put = _drawn(data, kinds)
    score = proba[:, 1] if columns == "positive" else proba
    theirs = partial(getattr(sklearn.metrics, name), np.array(true), score)
    compare(partial(getattr(sx, name), put(true), score), theirs, told=False, **options)


# --------------------------------------------------------------------------- grades

# True mid, high, low. The columns are those of the sorted classes high, low, mid.
GRADES = ["low", "mid", "high"]
TRUE, COLUMNS = ["mid", "high", "low"], [[0.2, 0.5, 0.3], [0.5, 0.2, 0.3], [0.1, 0.6, 0.3]]
# Cumulative low, low or mid: (.5, .8), (.2, .5), (.6, .9); reached from the true class on.
RANKED = ((0.5**2 + 0.2**2) + (0.2**2 + 0.5**2) + (0.4**2 + 0.1**2)) / 6


@pytest.mark.parametrize("container", CONTAINERS)
def test_grades_follow_the_declared_order_and_columns_the_sorted_classes(container):
    true, columns = CONTAINERS[container](TRUE, GRADES), np.array(COLUMNS)
    value = pytest.approx(RANKED)
    assert sx.ranked_probability_score(true, columns) == value
    # kappa with weights: predicted mid, mid, low, one of three a step away; by chance 8 / 9 steps.
    pred = CONTAINERS[container](["mid", "mid", "low"], GRADES)
    assert sx.cohen_kappa_score(true, pred, weights="linear") == pytest.approx(
        1 - (1 / 3) / (7 / 9)
    )
    assert sx.macro_averaged_mean_absolute_error(true, pred) == pytest.approx(1 / 3)
    # The columns are those of labels, and so is the order, where labels are listed.
    listed = columns[:, [1, 2, 0]]
    assert sx.ranked_probability_score(true, listed, labels=GRADES) == value


# --------------------------------------------------------------------------- every door


def _iris():
    """Iris whose classes are declared as small < medium < large: sorted large, medium, small."""
    X, y = load_iris(return_X_y=True)
    order = ["small", "medium", "large"]
    true = [order[code] for code in y]
    return X, true, LogisticRegression(max_iter=1000).fit(X, true).predict_proba(X), order


X, SIZES, PROBA, SIZE_ORDER = _iris()
NAMES = ["large", "medium", "small"]
NEAR = pytest.approx


def _frame(proba=PROBA):
    columns = {f"p_{name}": proba[:, k] for k, name in enumerate(NAMES)}
    return pd.DataFrame({"true": _pandas(SIZES, SIZE_ORDER), **columns})


SCORE = {name: f"p_{name}" for name in NAMES}
ASKED = ["neg_log_loss", "roc_auc_ovr", "neg_ranked_probability_score"]


def _expected():
    """Log loss and area of scikit-learn, ranked probability score from its definition."""
    loss = sklearn.metrics.log_loss(SIZES, PROBA)
    area = sklearn.metrics.roc_auc_score(SIZES, PROBA, multi_class="ovr")
    reached = np.cumsum(PROBA[:, ::-1], axis=1)[:, :2]  # small, medium
    passed = np.array([SIZE_ORDER.index(size) for size in SIZES])[:, None] <= np.arange(2)
    return -loss, area, -((reached - passed) ** 2).sum(axis=1).mean() / 2


EXPECTED = tuple(NEAR(value, rel=1e-9) for value in _expected())


def _signed(values, of=ASKED):
    """Greater is better, whatever a door calls it."""
    return tuple(-abs(value) if name.startswith("neg") else value for name, value in values.items())


def _computed(true):
    return sx.compute_metrics(ASKED, true, y_proba=PROBA)


def _again(column):
    """Each row twice, of the same type."""
    rows = np.repeat(np.arange(len(column)), 2)
    return column.take(pa.array(rows)) if isinstance(column, pa.Array) else column[rows]


def _by_groups(true):
    by = {"site": np.arange(300) % 2}  # every row at both
    twice = true.repeat(2) if isinstance(true, pd.Series) else _again(true)
    table = sx.compute_metrics(ASKED, twice, y_proba=np.repeat(PROBA, 2, axis=0), by=by)
    return {name: table.value(name.removeprefix("neg_"), 0) for name in ASKED}


def _intervals(true):
    return {name: sx.confidence_interval(name, true, PROBA).value for name in ASKED}


def _scored(true):
    model = LogisticRegression(max_iter=1000).fit(X, true)
    return {name: sx.get_scorer(name)(model, X, true) for name in ASKED}


def _panel(true):
    model = LogisticRegression(max_iter=1000).fit(X, true)
    return sx.ScorerPanel(ASKED)(model, X, true)


def _streamed(true):
    names = [name.removeprefix("neg_") for name in ASKED[:2]]
    stream = sx.Accumulator(names, labels=NAMES)
    for rows in (slice(0, 70), slice(70, 150)):
        stream.update(true[rows], PROBA[rows])
    values = stream.compute()
    return {"neg_log_loss": values["log_loss"], "roc_auc_ovr": values["roc_auc_ovr"]}


DOORS = {
    "compute_metrics": _computed,
    "compute_metrics by groups": _by_groups,
    "confidence_interval": _intervals,
    "scorers": _scored,
    "panel": _panel,
    "stream": _streamed,
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("door", DOORS)
def test_every_door_reads_columns_by_sorted_classes(door, container):
    if door in ("scorers", "panel") and container != "pandas":
        return  # scikit-learn's estimators read no other ordered column
    true = CONTAINERS[container](SIZES, SIZE_ORDER)
    found = _signed(DOORS[door](true))
    assert found == EXPECTED[: len(found)]


def _duckdb_enum(folder):
    import duckdb

    plain = _frame().astype({"true": str})
    plain.to_parquet(folder / "plain.parquet")
    base = duckdb.connect()
    base.execute("CREATE TYPE size AS ENUM ('small', 'medium', 'large')")
    sql = f'SELECT * REPLACE ("true"::size AS "true") FROM \'{folder / "plain.parquet"}\''
    return base.sql(sql), base


def _parquet(folder):
    path = folder / "ordered.parquet"
    pq.write_table(pa.Table.from_pandas(_frame()), path)
    assert pq.read_table(path).schema.field("true").type.ordered
    return str(path), None


SOURCES = {
    "pandas": lambda folder: (_frame(), None),
    "Arrow": lambda folder: (pa.Table.from_pandas(_frame()), None),
    "polars": lambda folder: (
        pl.from_pandas(_frame().astype({"true": str})).with_columns(
            pl.col("true").cast(pl.Enum(SIZE_ORDER))
        ),
        None,
    ),
    "Parquet": _parquet,
    "DuckDB ENUM": _duckdb_enum,
}


@pytest.mark.parametrize("engine", ["auto", "memory", "duckdb"])
@pytest.mark.parametrize("source", SOURCES)
def test_data_sets_read_columns_by_sorted_classes(source, engine, tmp_path):
    if source == "DuckDB ENUM" and engine == "memory":
        return
    data, _base = SOURCES[source](tmp_path)
    metrics = ["log_loss", "roc_auc_ovr"]
    found = sx.evaluate(data, true="true", score=SCORE, metrics=metrics, engine=engine)
    assert (-found.value("log_loss"), found.value("roc_auc_ovr")) == EXPECTED[:2]
    told = sx.evaluate(
        data,
        true="true",
        score={name: f"p_{name}" for name in SIZE_ORDER},
        labels=SIZE_ORDER,
        metrics=["ranked_probability_score"],
        engine=engine,
    )
    assert -told.value("ranked_probability_score") == EXPECTED[2]


@pytest.mark.parametrize("source", SOURCES)
def test_weights_of_kappa_follow_the_declared_order_of_a_data_set(source, tmp_path):
    frame = _frame()
    guess = np.roll(frame["true"].astype(str).to_numpy(), 7)
    data, base = SOURCES[source](tmp_path)
    guesses = pd.DataFrame({"guess": guess})
    if base is not None:
        base.register("guesses", guesses)
        rows = "row_number() OVER () AS n"
        data = base.sql(
            f"SELECT g.guess, d.true FROM (SELECT *, {rows} FROM data) d "
            f"JOIN (SELECT *, {rows} FROM guesses) g USING (n)"
        )
    elif source == "polars":
        data = data.with_columns(pl.Series("guess", guess))
    else:
        table = (
            pq.read_table(data) if source == "Parquet" else pa.table(pa.Table.from_pandas(frame))
        )
        data = table.append_column("guess", pa.array(guess.tolist()))
    kappa = partial(sx.cohen_kappa_score, weights="linear")
    found = sx.evaluate(data, true="true", pred="guess", metrics=[kappa], intervals=True).rows[0]
    grades = [[SIZE_ORDER.index(size) for size in sizes] for sizes in (frame["true"], guess)]
    assert found.value == NEAR(sklearn.metrics.cohen_kappa_score(*grades, weights="linear"))
    assert found.low < found.value < found.high


def test_a_difference_keeps_its_sign():
    sharper = PROBA**1.1 / (PROBA**1.1).sum(axis=1, keepdims=True)
    loss = partial(sklearn.metrics.log_loss, SIZES)
    right = loss(PROBA) - loss(sharper)
    true = _pandas(SIZES, SIZE_ORDER)
    found = sx.compare("neg_log_loss", true, PROBA, sharper)
    assert abs(found.difference) == NEAR(right)
    plain = sx.compare("neg_log_loss", np.array(SIZES), PROBA, sharper)
    assert (found.difference, found.p_value) == NEAR((plain.difference, plain.p_value))


def test_a_report_of_folds_grades_in_the_declared_order():
    order = ["small", "medium", "large"]
    folds = [(np.arange(150) % 2 == 0, np.arange(150) % 2 == 1)]
    split = [tuple(np.flatnonzero(rows) for rows in fold) for fold in folds]
    model = LogisticRegression(max_iter=1000)
    report = sx.cross_validation_report(
        model, X, _pandas(SIZES, order), scoring=ASKED, cv=split, baseline=None
    )
    train, test = split[0]
    sizes = np.array(SIZES)
    proba = LogisticRegression(max_iter=1000).fit(X[train], sizes[train]).predict_proba(X[test])
    reached = np.cumsum(proba[:, ::-1], axis=1)[:, :2]
    passed = np.array([order.index(size) for size in sizes[test]])[:, None] <= np.arange(2)
    graded = ((reached - passed) ** 2).sum(axis=1).mean() / 2
    values = report.results[0].values
    assert abs(values["neg_ranked_probability_score"]) == NEAR(graded)
    assert abs(values["neg_log_loss"]) == NEAR(sklearn.metrics.log_loss(sizes[test], proba))


def test_the_command_line_reads_a_dictionary_of_parquet(tmp_path):
    path, _ = _parquet(tmp_path)
    scores = [part for name in NAMES for part in ("--score", f"p_{name}")]
    asked = ["--metrics", "log_loss", "roc_auc_ovr", "--json"]
    command = [sys.executable, "-m", "skmetrics_ext", "score", path, "--target", "true"]
    done = subprocess.run([*command, *scores, *asked], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    rows = json.loads(done.stdout)["rows"]
    assert {row["metric"]: row["value"] for row in rows} == {
        "log_loss": NEAR(-_expected()[0]),
        "roc_auc_ovr": NEAR(_expected()[1]),
    }
