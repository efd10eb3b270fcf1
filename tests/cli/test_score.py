"""``score``: values, tables and pages of files of predictions; pages of ``cv``."""

import json
import re
import sys
from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from sklearn import metrics as theirs
from support.command_line import main
from support.rows import NO_INTERVAL

import skmetrics_ext
from skmetrics_ext import METRICS

pandas = pytest.importorskip("pandas")
RNG = np.random.default_rng(0)
N = 120
ILL = RNG.random(N) < 0.4
P = np.clip(RNG.normal(0.35 + 0.3 * ILL, 0.2), 0.01, 0.99)


@pytest.fixture(scope="module")
def frame():
    return pandas.DataFrame(
        {
            "truth": np.where(ILL, "ill", "well"),
            "p": P,
            "s": RNG.normal(size=N) + ILL,
            "pred": np.where(P > 0.5, "ill", "well"),
            "w": RNG.integers(1, 4, N),
            "clinic": np.where(np.arange(N) % 3 == 0, "A", "B"),
        }
    )


@pytest.fixture(params=["csv", "parquet"])
def file(request, frame, tmp_path):
    path = tmp_path / f"predictions.{request.param}"
    if request.param == "csv":
        frame.to_csv(path, index=False)
    else:
        pytest.importorskip("pyarrow")
        frame.to_parquet(path)
    return str(path)


def rows_of(capsys, *arguments):
    which = [] if "--metrics" in arguments else ["--all"]
    assert (
        main(["score", *arguments, "--json", "--json-schema", "1", "--resamples", "100", *which])
        == 0
    )
    found = json.loads(capsys.readouterr().out)
    return found["rows"] if isinstance(found, dict) else found  # of several models, with more


def values(rows, of, group="all"):
    return {r["metric"]: r["value"] for r in rows if (r["of"], r["group"]) == (of, group)}


def test_values_of_two_models_and_of_labels(file, frame, capsys):
    rows = rows_of(
        capsys, file, "--true", "truth", "--score", "p", "--score", "s", "--pred", "pred",
        "--positive", "ill",
    )  # fmt: skip
    p, s, labels = (values(rows, of) for of in ("p", "s", "pred"))
    marks = frame.truth == "ill"
    assert p["roc_auc"] == pytest.approx(theirs.roc_auc_score(marks, frame.p))
    assert p["log_loss"] == pytest.approx(theirs.log_loss(marks, frame.p))
    assert p["brier_score"] == pytest.approx(theirs.brier_score_loss(marks, frame.p))
    assert s["average_precision"] == pytest.approx(theirs.average_precision_score(marks, frame.s))
    assert "log_loss" not in s  # scores outside [0, 1] are no probabilities
    assert labels["f1"] == pytest.approx(theirs.f1_score(frame.truth, frame.pred, pos_label="ill"))
    assert labels["matthews_corrcoef"] == pytest.approx(
        theirs.matthews_corrcoef(frame.truth, frame.pred)
    )
    assert labels["prevalence"] == pytest.approx(marks.mean())
    assert len(p) > 35
    for row in rows:
        if row["value"] is not None and row["low"] is not None:
            assert row["low"] <= row["value"] <= row["high"], row
    with_interval = [row for row in rows if row["low"] is not None]
    without = [row for row in rows if (row["reason"] or "").startswith("no interval")]
    assert len(with_interval) > 0.9 * (len(rows) - len(without))
    assert {METRICS[row["metric"]].interval for row in without} <= set(NO_INTERVAL)
    assert len(labels) > 25


def test_groups_and_weights(file, frame, capsys):
    rows = rows_of(
        capsys, file, "--true", "truth", "--pred", "pred", "--weight", "w", "--by", "clinic",
        "--positive", "ill",
    )  # fmt: skip
    for group, part in [("all", frame), *frame.groupby("clinic")]:
        expected = theirs.accuracy_score(part.truth, part.pred, sample_weight=part.w)
        assert values(rows, "pred", group)["accuracy"] == pytest.approx(expected)
    assert {row["n_rows"] for row in rows if row["group"] == "A"} == {40}


def test_the_other_class_may_be_the_positive_one(file, frame, capsys):
    rows = rows_of(capsys, file, "--true", "truth", "--score", "s", "--positive", "well")
    got = values(rows, "s")["roc_auc"]
    assert got == pytest.approx(theirs.roc_auc_score(frame.truth == "well", frame.s))


OF_ONE_CLASS = "average_precision", "lift_at_10", "f1", "specificity", "prevalence"


def test_a_column_may_hold_scores_and_predicted_labels(frame, tmp_path, capsys):
    path = str(tmp_path / "marks.csv")
    frame.assign(truth=ILL.astype(int), mark=(P > 0.5).astype(int)).to_csv(path, index=False)
    given = [path, "--target", "truth", "--score", "mark", "--pred", "mark", "--by", "clinic"]
    found = values(rows_of(capsys, *given, "--metrics", "roc_auc", "accuracy"), "mark")
    assert found["roc_auc"] == pytest.approx(theirs.roc_auc_score(ILL, P > 0.5))
    assert found["accuracy"] == theirs.accuracy_score(ILL, P > 0.5)
    limits = ["--require", "worst:roc_auc>=0", "--require", "worst:accuracy>=0"]
    assert main(["score", *given, *limits, "--quiet"]) == 0


def test_a_limit_of_the_worst_group_needs_groups(file, capsys):
    given = [file, "--target", "truth", "--pred", "pred", "--require", "worst:accuracy>=0.5"]
    assert main(["score", *given, "--quiet"]) == 2
    assert "needs groups: pass --by, or leave out 'worst:'" in capsys.readouterr().err


def test_a_group_called_all_is_not_all_rows(frame, tmp_path, capsys):
    path = str(tmp_path / "groups.csv")
    frame.assign(clinic=frame.clinic.replace("A", "all")).to_csv(path, index=False)
    given = [path, "--target", "truth", "--pred", "pred", "--by", "clinic", "clinic"]
    rows = rows_of(capsys, *given, "--metrics", "accuracy")
    sizes = {row["group"]: row["n_rows"] for row in rows}
    assert sizes == {"all": N, "clinic=all": N // 3, "B": N - N // 3}
    pair = [path, "--target", "truth", "--pred", "pred", "--pred", "pred2", "--by", "clinic"]
    frame.assign(clinic=frame.clinic.replace("A", "all"), pred2="ill").to_csv(path, index=False)
    assert (
        main(["compare", *pair, "--metrics", "accuracy", "--json", "--json-schema", "1", "--quiet"])
        == 0
    )
    rows = json.loads(capsys.readouterr().out)
    assert [row["group"] for row in rows] == ["all", "B", "clinic=all"]


@pytest.mark.parametrize("stream", [False, True])
def test_without_a_positive_class_metrics_of_one_are_left_out(file, frame, capsys, stream):
    pytest.importorskip("pyarrow")
    columns = [file, "--true", "truth", "--pred", "pred"]
    told = ["--stream", "--quiet"] if stream else []
    assert (
        main(
            [
                "score",
                *columns,
                "--json",
                "--json-schema",
                "1",
                "--resamples",
                "100",
                "--all",
                *told,
            ]
        )
        == 0
    )
    out, err = capsys.readouterr()
    (line,) = [line for line in err.splitlines() if "no positive class" in line]
    assert line.endswith(
        "metrics of one class are left out. Pass --positive well or --positive ill."
    )
    rows = json.loads(out)
    names = {row["metric"] for row in rows}
    assert names.isdisjoint(OF_ONE_CLASS)
    share = theirs.accuracy_score(frame.truth, frame.pred)
    assert values(rows, "pred")["accuracy"] == pytest.approx(share)
    more = rows_of(capsys, *columns, "--score", "p", "--positive", "well", *told)
    assert {*OF_ONE_CLASS} <= {row["metric"] for row in more}
    of_well = theirs.roc_auc_score(frame.truth == "well", frame.p)
    assert values(more, "p")["roc_auc"] == pytest.approx(of_well)


def test_columns_of_many_classes_are_found_by_name(tmp_path, capsys):
    y = RNG.integers(0, 3, 60)
    proba = RNG.dirichlet(np.ones(3), 60)
    names = np.array(["c", "a", "b"])
    table = pandas.DataFrame(proba, columns=["p_b", "p_c", "p_a"]).assign(truth=names[y])
    path = tmp_path / "three.csv"
    table.to_csv(path, index=False)
    rows = rows_of(
        capsys, str(path), "--true", "truth", "--score", "p_b", "--score", "p_c", "--score", "p_a"
    )
    got = values(rows, "p_b, p_c, p_a")
    expected = theirs.log_loss(names[y], table[["p_a", "p_b", "p_c"]])
    assert got["log_loss"] == pytest.approx(expected)
    area = theirs.roc_auc_score(names[y], table[["p_a", "p_b", "p_c"]], multi_class="ovr")
    assert got["roc_auc_ovr"] == pytest.approx(area)
    assert main(["score", str(path), "--true", "truth", "--score", "p_b"]) == 2
    assert "for 'a' there is none among ['p_b']" in capsys.readouterr().err


def test_tables_on_the_terminal(file, capsys):
    arguments = ["--true", "truth", "--score", "p", "--positive", "ill", "--resamples", "100"]
    assert main(["score", file, *arguments]) == 0
    out, err = capsys.readouterr()
    assert out.startswith(f"{N} rows, positive class 'ill', 95 % intervals")
    assert any(line.split()[:2] == ["roc_auc", "p"] for line in out.splitlines())
    assert "no --pred" in err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--true", "truth"], "nothing to score: pass --score or --pred"),
        (["--true", "truht", "--score", "p"], "no column 'truht'. Did you mean 'truth'?"),
        (
            ["--true", "truth", "--score", "p", "--positive", "sick"],
            "--positive has to be one of ['ill', 'well'], got 'sick'",
        ),
        (["--true", "truth", "--score", "p", "--confidence", "95"], "between 0 and 1, got '95'"),
    ],
)
def test_what_is_refused(file, capsys, arguments, message):
    assert main(["score", file, *arguments]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert len(err.splitlines()) == 1


def test_scores_of_one_class_are_refused(frame, tmp_path, capsys):
    path = str(tmp_path / "ill.csv")
    frame[ILL].to_csv(path, index=False)
    assert main(["score", path, "--target", "truth", "--score", "p"]) == 2
    assert "need two classes, and the file has ['ill']" in capsys.readouterr().err


def test_missing_values_and_files(frame, tmp_path, capsys):
    path = tmp_path / "holes.csv"
    frame.assign(p=frame.p.where(frame.index != 7)).to_csv(path, index=False)
    assert main(["score", str(path), "--true", "truth", "--score", "p"]) == 2
    assert "Column 'p' has a missing value in line 9" in capsys.readouterr().err
    assert main(["score", "nowhere.csv", "--true", "t", "--score", "p"]) == 2
    assert "'nowhere.csv' is no file" in capsys.readouterr().err
    (tmp_path / "table.xlsx").touch()
    assert main(["score", str(tmp_path / "table.xlsx"), "--true", "t", "--score", "p"]) == 2
    assert "In Excel: Save as > CSV UTF-8" in capsys.readouterr().err


def test_page_with_curves(file, tmp_path, capsys):
    path = tmp_path / "scores.html"
    arguments = [file, "--true", "truth", "--score", "p", "--score", "s", "--positive", "ill"]
    assert main(["score", *arguments, "--html", str(path), "--resamples", "100"]) == 0
    text = path.read_text(encoding="utf-8")
    assert text.count('<svg viewBox="0 0 400') == 3  # ROC, precision-recall, reliability
    for line in ("p <small>AUC", "s <small>AUC", "positive class: ill"):
        assert line in text
    assert text.count("<script") == 2  # those of every page
    assert "<img" not in text


@pytest.mark.parametrize("n_classes", [4, 5])
def test_reliability_of_many_classes_is_that_of_the_top_label(n_classes, tmp_path, capsys):
    rng, names = np.random.default_rng(3), list("abcde")[:n_classes]
    path, page = tmp_path / "rows.csv", tmp_path / "page.html"
    rows = pandas.DataFrame(rng.dirichlet(np.ones(n_classes), 60), columns=names)
    rows.assign(truth=np.array(names)[np.arange(60) % n_classes]).to_csv(path, index=False)
    columns = [part for name in names for part in ("--score", name)]
    asked = ("--metrics", "log_loss", "--quiet", "--html", str(page))
    assert main(["score", str(path), "--true", "truth", *columns, *asked]) == 0
    chart = page.read_text(encoding="utf-8").partition('data-chart="calibration"')[2]
    legend = chart.partition('<ul class="legend">')[2].partition("</ul>")[0]
    shown = re.findall('data-model="(.*?)"', legend)
    assert shown == (names if n_classes == 4 else ["top label"])


@pytest.mark.parametrize(
    "options",
    [
        (),
        ("--groups", "patient"),
        ("--confidence", "0.8"),
        ("--weight", "w", "--groups", "patient", "--confidence", "0.9"),
    ],
)
def test_intervals_in_a_legend_are_those_of_the_table(frame, tmp_path, capsys, options):
    page, path = tmp_path / "scores.html", tmp_path / "rows.csv"
    frame.assign(patient=np.arange(N) // 6).to_csv(path, index=False)
    columns = ("--true", "truth", "--score", "p", "--positive", "ill")
    asked = (str(path), *columns, *options, "--metrics", "roc_auc", "--quiet")
    (row,) = rows_of(capsys, *asked, "--html", str(page))
    shown = f"p <small>AUC {row['value']:.4f} [{row['low']:.4f}, {row['high']:.4f}]</small>"
    assert shown in page.read_text(encoding="utf-8")


def test_page_without_a_positive_class_says_what_it_lacks(file, tmp_path, capsys):
    path = tmp_path / "scores.html"
    arguments = [file, "--true", "truth", "--pred", "pred", "--html", str(path)]
    assert main(["score", *arguments, "--resamples", "100"]) == 0
    assert "metrics of one class are left out" in path.read_text(encoding="utf-8")


def test_page_of_cv(tmp_path, capsys):
    path = tmp_path / "cv.html"
    arguments = ["--data", "iris", "--models", "tree", "naive_bayes", "--scoring", "accuracy"]
    arguments += ["--repeats", "2", "--interval", "corrected"]
    assert main(["cv", *arguments, "--html", str(path), "--quiet"]) == 0
    text = path.read_text(encoding="utf-8")
    assert "95 %, models trained on other samples of this size" in text
    assert text.count("<svg") == 1  # the metric
    assert text.count('aria-label="Confusion matrix of') == 2
    assert "RepeatedStratifiedKFold" in text
    assert "10 folds of 150 rows" in capsys.readouterr().out


@pytest.mark.sampled(2)
@pytest.mark.parametrize("by", [(), ("--by", "clinic")])
def test_a_stream_gives_what_the_rows_in_memory_give(file, frame, capsys, by):
    pytest.importorskip("pyarrow")
    columns = [file, "--true", "truth", "--score", "p", "--score", "s", "--pred", "pred"]
    arguments = [*columns, "--positive", "ill", *by]
    whole = rows_of(capsys, *arguments)
    streamed = rows_of(capsys, *arguments, "--stream", "--quiet")
    key = ("group", "of", "metric")
    found = {tuple(row[k] for k in key): row for row in streamed}
    assert len(found) == len(streamed) == len(whole)
    for row in whole:
        other = found[tuple(row[k] for k in key)]
        pair = np.array([other["value"], row["value"]], dtype=float)  # None is nan
        np.testing.assert_allclose(*pair, rtol=1e-10, atol=1e-13, err_msg=str(row))
        assert other["n_rows"] == row["n_rows"]
    weighted = rows_of(capsys, *arguments, "--weight", "w", "--stream", "--quiet")
    area = theirs.roc_auc_score(frame.truth == "ill", frame.p, sample_weight=frame.w)
    assert values(weighted, "p")["roc_auc"] == pytest.approx(area)
    share = theirs.accuracy_score(frame.truth, frame.pred, sample_weight=frame.w)
    assert values(weighted, "pred")["accuracy"] == pytest.approx(share)


def test_a_stream_of_many_classes_from_a_folder_with_progress(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    y = RNG.integers(0, 3, 60)
    proba = RNG.dirichlet(np.ones(3), 60)
    table = pandas.DataFrame(proba, columns=["p_0", "p_1", "p_2"]).assign(truth=y)
    for i in range(2):
        table[30 * i : 30 * (i + 1)].to_parquet(tmp_path / f"{i}.parquet")
    columns = ["--true", "truth", "--score", "p_2", "--score", "p_0", "--score", "p_1"]
    assert main(["score", str(tmp_path), *columns, "--stream", "--json", "--json-schema", "1"]) == 0
    out, err = capsys.readouterr()
    got = values(json.loads(out), "p_2, p_0, p_1")
    assert got["log_loss"] == pytest.approx(theirs.log_loss(y, proba))
    area = theirs.roc_auc_score(y, proba, multi_class="ovr")
    assert got["roc_auc_ovr"] == pytest.approx(area, rel=1e-15)
    assert "row" in err


def test_files_beyond_a_size_are_streamed_unasked(file, tmp_path, monkeypatch, capsys):
    pytest.importorskip("pyarrow")
    monkeypatch.setattr("skmetrics_ext.cli.predictions.LARGE", 100)
    arguments = [file, "--true", "truth", "--score", "p", "--positive", "ill"]
    rows = rows_of(capsys, *arguments, "--quiet")
    # What noise makes larger has no interval from sums, and says so.
    row = next(row for row in rows if row["metric"] == "ks_statistic")
    assert row["low"] is None
    assert "resampling" in row["reason"]
    page = tmp_path / "page.html"
    assert main(["score", *arguments, "--html", str(page)]) == 0
    assert "There are no pictures" in page.read_text(encoding="utf-8")


def test_a_stream_names_the_row_of_what_is_missing(frame, tmp_path, capsys):
    pytest.importorskip("pyarrow")
    path = tmp_path / "holes.parquet"
    frame.assign(p=frame.p.where(frame.index != 7)).to_parquet(path)
    arguments = [str(path), "--true", "truth", "--score", "p", "--positive", "ill"]
    assert main(["score", *arguments, "--stream", "--quiet"]) == 2
    assert "Column 'p' has a missing value in row 8" in capsys.readouterr().err


@pytest.mark.parametrize("command", ["score", "cv"])
@pytest.mark.parametrize(
    ("out", "told"),
    [("missing/page.html", "there is no folder"), ("", "must name a file"), (".", "must name a")],
)
def test_pages_that_cannot_be_written_are_found_before_the_work(
    tmp_path, monkeypatch, capsys, command, out, told
):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("skmetrics_ext.cli.score.Predictions", None)
    monkeypatch.setattr("skmetrics_ext.cli.cv.load_data_and_models", None)
    given = {"score": ["file.csv", "--true", "t", "--score", "s"], "cv": []}[command]
    assert main([command, *given, "--html", out]) == 2
    assert told in capsys.readouterr().err


def test_names_and_groups_do_not_steer_the_terminal(tmp_path, frame, capsys):
    path = tmp_path / "odd.csv"
    odd = frame.rename(columns={"p": "p\x1b[2J"}).assign(clinic="A\x07")
    odd.to_csv(path, index=False)
    arguments = ["--true", "truth", "--score", "p\x1b[2J", "--positive", "ill", "--by", "clinic"]
    assert main(["score", str(path), *arguments, "--resamples", "100"]) == 0
    out, err = capsys.readouterr()
    assert re.search(r"A\\x07 +roc_auc +p\\x1b\[2J ", out)
    assert all(line.isprintable() for text in (out, err) for line in text.splitlines())


def test_many_rows_are_resampled_only_where_asked(file, monkeypatch, capsys):
    monkeypatch.setattr("skmetrics_ext.cli.score.MOST_RESAMPLED", 50)
    columns = [file, "--true", "truth", "--score", "p", "--positive", "ill"]
    told = ["--metrics", "roc_auc", "ks_statistic", "--json", "--json-schema", "1", "--quiet"]
    assert main(["score", *columns, *told]) == 0
    out, err = capsys.readouterr()
    assert "no resampled intervals beyond" in err
    area, distance = json.loads(out)
    assert area["low"] < area["value"] < area["high"]
    assert distance["low"] is None
    assert "needs resampling" in distance["reason"]
    assert main(["score", *columns, *told, "--resamples", "100"]) == 0
    out, err = capsys.readouterr()
    assert "left out of" not in err
    assert json.loads(out)[1]["low"] is not None


@pytest.mark.parametrize(("options", "most"), [((), 13_000), (("--json",), 9_500)])
def test_two_models_by_two_columns_are_read_once(tmp_path, frame, capsys, options, most):
    """Calls of functions of this package, of which the first issue counted 30,791 printed."""
    path = tmp_path / "rows.csv"
    many = pandas.concat([frame] * 10, ignore_index=True)
    q, sex = many.p + RNG.normal(0, 0.1, len(many)), np.where(many.index % 2, "f", "m")
    many.assign(q=q.clip(0.01, 0.99), sex=sex).to_csv(path, index=False)
    asked = ["score", str(path), "--target", "truth", "--positive", "ill", "--quiet", *options]
    asked += ["--score", "p", "--score", "q", "--by", "clinic", "sex"]
    assert main(asked) == 0  # what is imported and compiled once
    inside, calls = str(Path(skmetrics_ext.__file__).parent), Counter()

    def see(called, event, _):
        if event == "call" and called.f_code.co_filename.startswith(inside):
            calls[called.f_code.co_name] += 1

    before = sys.getprofile()
    sys.setprofile(see)
    try:
        main(asked)
    finally:
        sys.setprofile(before)
    assert calls["evaluate"] == 0
    if skmetrics_ext.kernels.active() == "native":
        assert calls.total() <= most
