"""``score``: which metrics, which rows, and what of them depends on each other."""

import gzip
import json

import numpy as np
import pytest
from support.command_line import main

from skmetrics_ext import METRICS, confidence_interval, roc_auc_score

pandas = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
# Metrics of a file by default, as far as its columns have them, and headings.
FILE_METRICS = (
    "roc_auc", "roc_auc_ovr", "average_precision", "log_loss", "brier_score",
    "accuracy", "balanced_accuracy", "precision", "recall", "specificity", "f1",
    "precision_macro", "recall_macro", "f1_macro", "matthews_corrcoef",
)  # fmt: skip
HEADINGS = {
    "scores": "ranking", "probabilities": "probabilities", "labels": "predicted labels"
}  # fmt: skip
RNG = np.random.default_rng(5)
N = 80


@pytest.fixture(scope="module")
def frame():
    ill = np.arange(N) % 5 < 2
    p = np.clip(RNG.normal(0.35 + 0.3 * ill, 0.2), 0.01, 0.99)
    return pandas.DataFrame(
        {
            "truth": np.where(ill, "ill", "well"),
            "p": p,
            "pred": np.where(p > 0.5, "ill", "well"),
            "patient": RNG.integers(0, 20, N),
        }
    )


@pytest.fixture
def file(frame, tmp_path):
    path = tmp_path / "predictions.csv.gz"
    path.write_bytes(gzip.compress(frame.to_csv(sep=";", index=False).encode()))
    return str(path)


COLUMNS = ("--true", "truth", "--score", "p", "--pred", "pred", "--positive", "ill")
STREAM = pytest.mark.parametrize("stream", [(), ("--stream",)], ids=["memory", "stream"])


def rows_of(capsys, *arguments):
    assert (
        main(["score", *arguments, "--json", "--json-schema", "1", "--quiet", "--resamples", "100"])
        == 0
    )
    out, err = capsys.readouterr()
    return json.loads(out), err.splitlines()


@STREAM
def test_a_few_metrics_by_default_and_all_on_demand(file, stream, capsys):
    few, _ = rows_of(capsys, file, *COLUMNS, *stream)
    names = [row["metric"] for row in few]
    assert set(names) <= set(FILE_METRICS)
    assert 8 <= len(names) <= 12
    assert all(row["low"] is not None for row in few)
    many, _ = rows_of(capsys, file, *COLUMNS, *stream, "--all")
    assert len(many) > 60
    found = {(row["of"], row["metric"]): row for row in many}
    for row in few:  # DuckDB adds up rows unless other metrics read them
        assert found[row["of"], row["metric"]]["value"] == pytest.approx(row["value"], rel=1e-14)


def test_metrics_are_in_the_order_of_what_they_read(file, capsys):
    rows, _ = rows_of(capsys, file, *COLUMNS)
    assert list(dict.fromkeys(row["kind"] for row in rows)) == list(HEADINGS.values())
    assert main(["score", file, *COLUMNS]) == 0
    out, err = capsys.readouterr()
    names = [line.split()[0] for line in out.splitlines()[3:]]
    assert names[: len(rows)] == [row["metric"] for row in rows]
    assert "--all shows all that apply" in err
    assert "2/2" in err  # progress


def test_every_metric_has_a_heading():
    assert {row.response for row in METRICS.values()} == set(HEADINGS)


@STREAM
def test_named_metrics(file, stream, frame, capsys):
    asked = ("--metrics", "f1", "roc_auc,neg_log_loss")
    rows, _ = rows_of(capsys, file, *COLUMNS, *stream, *asked)
    assert {row["metric"] for row in rows} == {"f1", "roc_auc", "log_loss"}
    loss = next(row["value"] for row in rows if row["metric"] == "log_loss")
    assert loss > 0  # a loss, as everywhere in this command
    for arguments, told in (
        ((*COLUMNS[:4], "--metrics", "f1"), "f1 needs predicted labels: --pred"),
        ((*COLUMNS[:2], *COLUMNS[4:], "--metrics", "roc_auc"), "roc_auc needs scores: --score"),
        ((*COLUMNS, "--metrics", "rocauc"), "Did you mean 'roc_auc'"),
        ((*COLUMNS, "--metrics", "confusion_matrix"), "no single value"),
        ((*COLUMNS[:6], "--metrics", "f1"), "pass --positive 'well' or --positive 'ill'"),
        ((*COLUMNS, "--metrics", "f1", "--all"), "pass one of them"),
    ):
        assert main(["score", file, *arguments, *stream]) == 2
        assert told in capsys.readouterr().err


@STREAM
def test_groups_of_rows_make_intervals(file, stream, frame, capsys):
    asked = (*COLUMNS, "--metrics", "roc_auc", "accuracy", "--groups", "patient")
    rows, _ = rows_of(capsys, file, *asked, *stream)
    for row in rows:
        given = frame.pred if row["metric"] == "accuracy" else frame.p
        more = {"pos_label": "ill"} if row["metric"] == "roc_auc" else {}
        own = confidence_interval(row["metric"], frame.truth, given, groups=frame.patient, **more)
        got = row["value"], row["low"], row["high"]
        assert got == pytest.approx((own.value, own.low, own.high), rel=1e-10)


@STREAM
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_rows_that_lack_a_value_are_left_out_on_demand(stream, ending, frame, tmp_path, capsys):
    path = str(tmp_path / f"holes.{ending}")
    holes = frame.assign(
        p=frame.p.where(frame.index != 7), truth=frame.truth.where(frame.index != 9)
    )
    holes.to_csv(path, index=False) if ending == "csv" else holes.to_parquet(path)
    assert main(["score", path, *COLUMNS, *stream, "--quiet"]) == 2
    told = capsys.readouterr().err
    places = {"csv": ("line 9", "line 11"), "parquet": ("row 8", "row 10")}[ending]
    assert any(f"has a missing value in {place} of" in told for place in places)
    asked = (*COLUMNS, *stream, "--drop-missing", "--metrics", "roc_auc")
    (row,), lines = rows_of(capsys, path, *asked)
    left = frame.drop(index=[7, 9])
    assert row["value"] == pytest.approx(roc_auc_score(left.truth == "ill", left.p))
    assert row["n_rows"] == N - 2
    assert any("left out" in line for line in lines)


def test_a_wrong_value_keeps_its_row_where_others_are_left_out(frame, tmp_path, capsys):
    weights = np.where(frame.index == 11, -1.0, 1.0)
    weights[3] = np.nan
    path = str(tmp_path / "weights.csv")
    frame.assign(w=weights).to_csv(path, index=False)
    asked = (*COLUMNS, "--weight", "w", "--drop-missing", "--stream", "--quiet")
    assert main(["score", path, *asked]) == 2
    assert "holds the negative weight -1.0 in line 13 of" in capsys.readouterr().err
