"""The scripts run at tiny sizes: equal answers, and an exit status that tells. No times."""

import json
import sys
from pathlib import Path

import pytest

ROOT = str(Path(__file__).parents[2])
QUICK = ("--rounds", "1", "--seconds", "0.01", "--peers", "scikit-learn")


def rows(text: str) -> list[list[str]]:
    """Cells of the lines of the tables of a page."""
    lines = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| "))
    return [cells for cells in lines if cells[0] != "---"]


@pytest.mark.slow
def test_every_case_agrees_with_scikit_learn(run, tmp_path):
    done = run("compare.py", "--sizes", "64", *QUICK, "--json", str(tmp_path / "all.json"))
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads((tmp_path / "all.json").read_text())
    assert found["skipped"] == []
    assert len(found["rows"]) > 45
    for row in found["rows"]:
        assert row["problem"] is None, row
        assert row["numpy"]["ratio"] > 0
        assert ("native" in row) == ("native" in found["machine"]["kernels"])


@pytest.mark.exhaustive
def test_resampling_agrees_with_a_loop(run):
    done = run("compare.py", "--sizes", "1000", *QUICK, "--only", "replicate.*(K=2|roc)")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(rows(done.stdout)) == 3
    assert "PROBLEM" not in done.stdout


def test_figures_say_what_is_met(run, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin figures -->\nold\n<!-- end figures -->\nafter\n")
    arguments = ("--rounds", "1", "--seconds", "0.01", "--largest", "100")
    only = ("--only", "brier|^f1_score macro$")
    done = run("compare.py", "--figures", *arguments, *only, "--into", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    (head, *single_calls, line) = rows(done.stdout)
    # Single calls have goals of their own.
    name = "f1_score macro"
    assert [cells[0] for cells in single_calls] == [f"{name}, single calls", name]
    assert head[:4] == ["call", "n", "against", "at least"]
    assert line[:4] == ["brier_score_loss", "100", "scikit-learn", "x30"]
    assert line[5] in ("yes", "**no**")
    text = page.read_text()
    assert text.startswith("before\n<!-- begin figures -->\n")
    assert text.endswith("<!-- end figures -->\nafter\n")
    assert " | ".join(line) in text
    assert "old" not in text


def test_an_interrupted_comparison_prints_what_it_has(script, monkeypatch, capsys, tmp_path):
    compare, measuring = script("compare"), script("measuring")
    measure, kept = measuring.measure, []

    def measured(*arguments):
        if kept:
            raise KeyboardInterrupt
        kept.append(measure(*arguments))
        return kept[0]

    monkeypatch.setattr(measuring, "measure", measured)
    numbers = tmp_path / "numbers.json"
    options = ["--sizes", "64", "--only", "^brier|^log_loss", *QUICK, "--json", str(numbers)]
    assert compare.main(options) == 1
    out, err = capsys.readouterr()
    assert len(rows(out)) == 2
    assert "interrupted" in err
    assert not numbers.exists()


def test_growth_has_the_limits_and_a_picture(script, monkeypatch, capsys, tmp_path):
    """Peaks of memory, each of a process of its own, are told here; one is measured below."""
    pytest.importorskip("matplotlib")
    compare, growth = script("compare"), script("growth")
    monkeypatch.setattr(growth, "peak", lambda name, who, n, repeats: 128.0 * n * repeats)
    picture = tmp_path / "growth.png"
    options = ["--sizes", "1000", "10000", "--rounds", "1", "--seconds", "0.01"]
    done = compare.main(["--growth", *options, "--memory-repeats", "2", "--plot", str(picture)])
    told = capsys.readouterr().out
    assert done == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    for limit in ("one np.sort", "reading the columns once"):
        assert limit in told
    assert "1,000 to 10,000" in told
    assert "2.4 MiB" in told


@pytest.mark.exhaustive
def test_panel_equals_scikit_learn(run):
    done = run("panel.py", "--sizes", "200", "--rounds", "1", "--seconds", "0.01")
    assert done.returncode == 0, done.stdout + done.stderr
    assert rows(done.stdout)[1][0] == "200"


@pytest.mark.exhaustive
def test_errors_from_influence_values_and_from_draws(run):
    few = ("--rows", "300", "--draws", "199", "--timed-rows", "300", "--seconds", "0.01")
    done = run("errors.py", "--only", "^(f1|roc_auc|ks_statistic)$", *few)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Of 2 scorers and numbers of classes" in done.stdout
    timed = [cells for cells in rows(done.stdout) if len(cells) == 5][1:]
    assert {(name, method) for name, method, *_ in timed} == {
        ("f1", "wilson"),
        ("roc_auc", "logit"),
        ("ks_statistic", "bca"),
    }


@pytest.mark.exhaustive
def test_coverage_of_hard_cases(run, script):
    done = run("hard_cases.py", "--draws", "2", "--large", "20000")
    assert done.returncode == 0, done.stdout + done.stderr
    found = [row[:3] for row in rows(done.stdout)]
    assert ["few groups, scores", "`roc_auc`", "8 of 68 groups"] in found
    for case in script("hard_cases").CASES:
        for metric in case.metrics:
            assert sum(row[:2] == [case.name, f"`{metric}`"] for row in found) == len(case.sizes)


@pytest.mark.exhaustive
def test_coverage_of_clustered_rows(run):
    done = run("clustered.py", "--draws", "3")
    assert done.returncode == 0, done.stdout + done.stderr
    shares = [float(cell[:-2]) for line in rows(done.stdout) for cell in line if cell[-2:] == " %"]
    assert len(shares) == 2 * 4 + 2 * 4 + 2 * 8
    assert all(0 <= share <= 100 for share in shares)


@pytest.mark.exhaustive
def test_a_stream_says_what_the_function_says(run):
    few = ("--batches", "20", "--rounds", "1", "--seconds", "0.01")
    done = run("stream.py", "--sizes", "16", *few)
    assert done.returncode == 0, done.stdout + done.stderr
    (head, *lines) = rows(done.stdout)
    assert head[0] == "metrics"
    assert [line[1] for line in lines] == ["16"] * 5
    assert all(float(line[4]) > 0 for line in lines)


@pytest.mark.slow
def test_calls_are_counted_here_and_there(run):
    done = run("calls.py", "--rounds", "1", "--seconds", "0.01", "--top", "2", "--against", ROOT)
    assert done.returncode == 0, done.stdout + done.stderr
    found = {cells[0]: cells[1:] for cells in rows(done.stdout)}
    for name in ("panel of 3 with intervals", "report of 3 folds", "f1_score macro"):
        assert f"## {name}: " in done.stdout
    # Counts, unlike times, are the same in each process.
    assert found["predict"] == ["1", "1", "1.00"]
    for name, most in (("panel of 3 with intervals", "334"), ("report of 3 folds", "1,198")):
        allowed, here, there, ratio, kept = found[f"calls, {name}"]
        assert (allowed, here, ratio) == (most, there, "1.00")
        assert kept in ("yes", "**no**")


def test_calls_of_the_package_are_those_of_its_functions(script):
    calls = script("calls")
    from skmetrics_ext import confusion_matrix, kernels, roc_auc_score

    found = calls.calls_of(lambda: [kernels.active(), sorted([2, 1])])
    assert found == {"kernels/__init__.py:active": 1}
    true, pred, score = [0, 1, 1], [0, 1, 0], [1, 3, 2]
    assert calls.work_of(lambda: confusion_matrix(true, pred)) == {"encode": 1, "confusion": 1}
    before = kernels.active()
    kernels.use("numpy")
    try:
        ranked = calls.work_of(lambda: roc_auc_score(true, score))
    finally:
        kernels.use(before)
    assert ranked["sort of NumPy"] == 1
    assert sum(ranked[name] for name in calls.SORTS) == 1


def test_a_checkout_is_as_fast_as_itself(run):
    options = ("--only", "brier", "--largest", "100", "--kernels", "numpy", "--limit", "100")
    few = ("--processes", "1", "--turns", "2", "--seconds", "0.01")
    done = run("against.py", ROOT, *options, *few)
    assert done.returncode == 0, done.stdout + done.stderr
    (head, line) = rows(done.stdout)
    assert head[:5] == ["call", "n", "here", "there", "here / there"]
    assert line[:2] == ["brier_score_loss", "100"]
    assert float(line[4]) > 0
    assert "0 of 1 figures take more" in done.stdout


def test_a_figure_is_slower_if_it_is_so_twice(script):
    against, figures = script("against"), script("figures")
    slow, unsure, fast = figures.GOALS[:3]
    found = {
        slow: {"here": [1.0, 1.2, 9.0], "there": [1.0, 1.0, 1.0]},
        unsure: {"here": [1.1, 1.1, 1.1], "there": [1.0, 1.0, 1.0]},
        fast: {"here": [1.0, 0.5, 0.4], "there": [1.0, 1.0, 9.0]},
    }
    second = {slow: found[slow], unsure: {"here": [1.04], "there": [1.0]}}
    assert against.ratio(found[slow]) == pytest.approx(1.2)
    assert against.slower_than(second, 1.05) == [slow]
    lines = rows(against.page(found, second, 1.05))[1:]
    assert [line[4] for line in lines] == ["1.20", "1.10", "0.50"]
    assert ["**slower**" in line for line in lines] == [True, False, False]


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_peak_memory_of_a_copy(run):
    done = run("memory.py", "roc_curve", "numpy", "1000000")
    assert done.returncode == 0, done.stderr
    # At least the three columns of the answer, two thirds of the rows or more in each.
    assert int(done.stdout) > 3 * 8 * 600_000


@pytest.mark.exhaustive
def test_weak_slices_are_counted_and_timed(run):
    few = ("--sets", "2", "--rows", "3000", "--rounds", "3", "--seconds", "0.01")
    done = run("slices.py", "--only", "^accuracy$", *few)
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [cells for cells in rows(done.stdout) if cells[0] == "`accuracy`"]
    assert [len(cells) for cells in lines] == [4, 4, 3]
    assert all(cell in ("0.0 %", "50.0 %", "100.0 %") for cell in lines[0][1:] + lines[1][1:])


@pytest.mark.exhaustive
def test_groups_say_how_often_gaps_hold(run):
    done = run("groups.py", "--draws", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    held = [cells for cells in rows(done.stdout) if cells[1].endswith(("of 2", "of 6"))]
    assert len(held) == 12


@pytest.mark.exhaustive
def test_findings_say_how_often_they_are_false_alarms(run):
    done = run("findings.py", "--draws", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = [cells for cells in rows(done.stdout) if cells[0].startswith("`")]
    assert len(lines) == 5
    assert all(cell in ("0.0 %", "100.0 %") for cells in lines for cell in (cells[1], cells[3]))


@pytest.mark.exhaustive
def test_planned_sample_sizes_say_what_width_and_power_they_have(run):
    done = run("sample_sizes.py", "--draws", "2")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = rows(done.stdout)[1:]
    assert len(lines) == 19
    for title, _, asked, mean, *_ in lines:
        kind, value = asked.split()
        if kind == "width" and "deviations" not in title:
            assert float(mean) == pytest.approx(float(value), rel=0.5)


@pytest.mark.exhaustive
def test_few_labels_say_how_often_their_intervals_hold(run):
    done = run("labels.py", "--draws", "1", "--metrics", "f1_score", "roc_auc_score")
    assert "| f1_score |" in done.stdout
    assert "Median coverage" in done.stdout


@pytest.mark.exhaustive
def test_studies_of_readers_say_how_often_their_intervals_hold(run):
    done = run("readers.py", "--draws", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    lines = rows(done.stdout)[1:]
    assert len(lines) == 10
    assert all(cell.endswith(" %") for cells in lines for cell in cells[2:])


@pytest.mark.parametrize(
    "data", ["iris", pytest.param("breast_cancer", marks=pytest.mark.exhaustive)]
)
def test_parity_with_scikit_learn_on_real_data(run, data):
    done = run("parity.py", "--data", data, "--model", "naive_bayes", "--runs", "1")
    assert done.returncode == 0, done.stdout + done.stderr
    _, _, header, _, *lines = done.stdout.splitlines()
    assert header.split()[0] == "metric"
    assert len(lines) > 15
    for line in lines:
        name, ours, his, difference, *times = line.rsplit(None, 6)
        assert abs(float(difference)) <= 1e-12 * max(1, abs(float(his))), name
        assert ours == his
        assert all(float(time) >= 0 for time in times)


@pytest.mark.parametrize(
    ("arguments", "n_lines"),
    [
        (("small_groups.py", "--draws", "1"), 4),
        pytest.param(("fairness.py", "--draws", "2"), 4, marks=pytest.mark.exhaustive),
        pytest.param(("pooling.py", "--draws", "3"), 8, marks=pytest.mark.exhaustive),
        pytest.param(("leaderboards.py", "--draws", "1"), 18, marks=pytest.mark.exhaustive),
        pytest.param(
            ("anytime.py", "--streams", "1", "--rows", "1500", "--population", "20000"),
            4 * 5 + 2, marks=pytest.mark.exhaustive,
        ),
        pytest.param(
            ("calibration.py", "--draws", "2"), 7 + (1 + 4), marks=pytest.mark.exhaustive
        ),
    ],
)  # fmt: skip
def test_studies_have_a_line_for_each_case(run, arguments, n_lines):
    done = run(*arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(rows(done.stdout)[1:]) == n_lines
