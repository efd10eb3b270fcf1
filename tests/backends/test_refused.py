"""What is refused, where it stands, and what is told."""

import sys
from functools import partial

import numpy as np
import pytest
from support.frames import binary_frame, run, small_batches

from skmetrics_ext import PartitionError, brier_score_loss, evaluate, net_benefit

pytestmark = pytest.mark.usefixtures(small_batches.__name__)
__all__ = ["small_batches"]

ENGINES = ("memory", "duckdb", "dask")
# The row of the frame at fault, as each engine names it: by its number, and in its partition.
PLACES = {"memory": "row 130", "duckdb": "row 130", "dask": "row 10 of partition 2 of the Dask"}


def broken(column, value, row=130):
    frame = binary_frame(300)
    if value is None or isinstance(value, float):
        frame[column] = frame[column].astype(object if column == "group" else float)
    frame.loc[row, column] = value
    return frame


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize(
    ("column", "value", "told"),
    [
        ("true", np.nan, "'true'.*missing"),
        ("score", np.nan, "'score'.*(missing|nan)"),
        ("score", np.inf, "'score'.*inf"),
        ("pred", np.nan, "'pred'.*missing"),
        ("weight", np.nan, "'weight'.*(missing|nan)"),
        ("weight", -0.5, "'weight'.*negative weight -0.5"),
    ],
)
def test_bad_values_are_named_with_their_place(engine, column, value, told):
    with pytest.raises(ValueError, match=f"{told}.*{PLACES[engine]}"):
        run(
            engine,
            broken(column, value),
            score="score",
            pred="pred",
            weight="weight",
            by="group",
            metrics=["roc_auc", "f1"],
        )


def test_nulls_in_files_are_named_with_their_file(tmp_path):
    pytest.importorskip("duckdb")
    good, bad = binary_frame(100), broken("score", np.nan, row=33)
    good.to_parquet(tmp_path / "a.parquet")
    bad.to_parquet(tmp_path / "b.parquet")
    with pytest.raises(ValueError, match=r"'score' has a missing value in row 34 of .*b\.parquet"):
        evaluate(str(tmp_path), true="true", score="score", metrics=["roc_auc"], engine="duckdb")


@pytest.mark.parametrize("engine", ENGINES)
def test_scores_that_are_no_probabilities(engine):
    frame = broken("score", 1.5)
    place = PLACES["dask"] if engine == "dask" else "row 130"
    with pytest.raises(ValueError, match=rf"'score' holds 1\.5 in {place}"):
        run(engine, frame, score="score", metrics=["log_loss"])
    found = run(engine, frame, score="score", metrics=["roc_auc"])
    assert 0.5 < found.value("roc_auc") < 1


@pytest.mark.parametrize("engine", ENGINES)
def test_probabilities_that_do_not_sum_to_one(engine):
    frame = binary_frame(100)
    frame["rest"] = 1 - frame["score"]
    frame.loc[70, "rest"] += 0.1
    with pytest.raises(ValueError, match=r"rest, score sum to .* row 1?[0-9]+"):
        run(engine, frame, score=["rest", "score"], metrics=["log_loss"])


@pytest.mark.parametrize("engine", ENGINES)
def test_other_mistakes(engine):
    frame = binary_frame(100)
    frame["zero"] = 0
    cases = [
        ({"metrics": ["rocauc"]}, "'rocauc' is not a valid scoring value. Did you mean"),
        ({"metrics": ["roc_auc"], "score": None}, "roc_auc needs scores"),
        ({"metrics": ["f1"]}, "f1 needs predicted labels"),
        ({"metrics": []}, "metrics is empty"),
        ({"metrics": [np.mean]}, "mean cannot be read from sums"),
        ({"metrics": ["roc_auc", "roc_auc"]}, "metrics holds roc_auc twice"),
        ({"metrics": ["roc_auc"], "weight": "zero"}, "every weight is 0"),
        ({"metrics": ["roc_auc"], "labels": [0, 2]}, "labels does not name"),
        ({"metrics": ["roc_auc"], "labels": [0, 0]}, "twice"),
        ({"metrics": ["roc_auc"], "pos_label": 5}, "pos_label=5 is not a valid label"),
        ({"metrics": ["roc_auc"], "score": ["score"] * 3}, "3 columns of scores .*need"),
        ({"metrics": ["roc_auc"], "memory_limit": "much"}, "memory_limit must be"),
    ]
    for options, told in cases:
        with pytest.raises(ValueError, match=told):
            run(engine, frame, **{"score": "score", **options})


@pytest.mark.sampled(2)
@pytest.mark.parametrize("names", [("ill", "well"), ("no", "yes"), (1, 2)])
@pytest.mark.parametrize("engine", ENGINES)
def test_metrics_of_one_class_ask_which_it_is(engine, names):
    frame = binary_frame(60)
    codes = frame[["true", "pred"]].to_numpy()
    frame["true"], frame["pred"] = (np.array(names)[own] for own in codes.T)
    asks = f"needs a positive class: pass pos_label={names[1]!r} or pos_label="
    for options in (
        *({"score": "score", "metrics": [name]} for name in ("roc_auc", "ks_statistic")),
        {"score": "score", "metrics": ["roc_auc", "average_precision"]},
        {"pred": "pred", "metrics": ["accuracy", "f1"]},
        {"score": "score", "metrics": ["brier_score", partial(net_benefit, threshold=0.3)]},
    ):
        with pytest.raises(ValueError, match=asks):
            run(engine, frame, **options)
    with pytest.raises(ValueError, match=asks):  # a class that is only predicted is one
        run(engine, frame[frame["true"] == names[1]], pred="pred", metrics=["f1"])
    either = ["roc_auc", "ks_statistic", "brier_score", "accuracy", "f1_macro", "markedness"]
    found = run(engine, frame, score="score", pred="pred", metrics=either, pos_label=names[1])
    plain = frame.assign(true=codes[:, 0], pred=codes[:, 1])
    wanted = run(engine, plain, score="score", pred="pred", metrics=either)
    assert [row.value for row in found] == [row.value for row in wanted]


@pytest.mark.parametrize("engine", ENGINES)
def test_three_classes_and_one_column(engine):
    frame = binary_frame(60)
    frame.loc[5, "true"] = 2
    with pytest.raises(ValueError, match="One column of scores needs two classes"):
        run(engine, frame, score="score", metrics=["roc_auc"])


def test_data_sets_of_no_kind():
    for dataset in ({"a": [1]}, 5, np.zeros((3, 2))):
        with pytest.raises(ValueError, match="dataset must be a path or glob"):
            evaluate(dataset, true="a", metrics=["accuracy"], pred="a")
    with pytest.raises(ValueError, match="is no file, folder or glob"):
        evaluate("nothing/*.parquet", true="a", metrics=["accuracy"], pred="a")
    with pytest.raises(ValueError, match=r"has no column 'truth'\. Did you mean 'true'\? Col"):
        evaluate(binary_frame(9), true="truth", pred="pred", metrics=["accuracy"])
    with pytest.raises(ValueError, match="engine='dask' needs a Dask DataFrame, got pandas"):
        evaluate(binary_frame(9), true="true", pred="pred", metrics=["accuracy"], engine="dask")
    with pytest.raises(ValueError, match="has no rows"):
        evaluate(binary_frame(9)[:0], true="true", pred="pred", metrics=["accuracy"])


@pytest.mark.parametrize("module", ["duckdb", "pyarrow"])
def test_a_missing_engine_is_one_line_with_what_to_install(monkeypatch, tmp_path, module):
    path = tmp_path / "rows.parquet"
    binary_frame(20).to_parquet(path)
    from importlib import util

    found = util.find_spec
    monkeypatch.setattr(util, "find_spec", lambda name: None if name == module else found(name))
    monkeypatch.delitem(sys.modules, module, raising=False)
    extra = {"duckdb": "duckdb", "pyarrow": "frames"}[module]
    with pytest.raises(ImportError, match=rf"pip install 'skmetrics-ext\[{extra}\]'$") as raised:
        evaluate(str(path), true="true", pred="pred", metrics=["accuracy"], engine="duckdb")
    assert "\n" not in str(raised.value)


def test_too_many_distinct_scores_without_an_engine_that_sorts(tmp_path):
    path = tmp_path / "rows.parquet"
    frame = binary_frame(500, decimals=12)
    frame.to_parquet(path)
    options = {"true": "true", "score": "score", "engine": "memory", "memory_limit": 5000}
    with pytest.raises(ValueError, match=r"more than 26 distinct scores.*install DuckDB"):
        evaluate(str(path), metrics=["roc_auc"], **options)
    found = evaluate(str(path), metrics=["brier_score"], **options)
    expected = brier_score_loss(frame["true"], frame["score"])
    np.testing.assert_allclose(found.value("brier_score"), expected, rtol=1e-12)


class BrokenError(RuntimeError):
    pass


def test_a_partition_that_raises_names_itself():
    dd = pytest.importorskip("dask.dataframe")
    import dask

    frame = binary_frame(100)

    def read(number):
        if number == 3:
            raise BrokenError("the disk is gone")
        return frame

    meta = frame[:0]
    dataset = dd.from_delayed([dask.delayed(read)(i) for i in range(6)], meta=meta)
    told = "partition 3 of the Dask DataFrame raised BrokenError: the disk is gone"
    with dask.config.set(scheduler="synchronous"), pytest.raises(PartitionError, match=told):
        evaluate(dataset, true="true", score="score", metrics=["roc_auc"])


def test_our_own_errors_in_a_partition_name_it(monkeypatch):
    pytest.importorskip("dask.dataframe")
    from skmetrics_ext.backends import partitions

    def fails(part):
        raise ZeroDivisionError("by chance")

    monkeypatch.setattr(partitions, "count_labels", fails)
    with pytest.raises(PartitionError, match=r"partition \d of the Dask DataFrame raised ZeroDiv"):
        run("dask", binary_frame(50), score="score", metrics=["roc_auc"])
