"""The scripts run at tiny sizes: equal answers, and an exit status that tells. No times."""

import json
import sys

import pytest

QUICK = ("--rounds", "3", "--seconds", "0.01", "--peers", "scikit-learn")


def rows(text: str) -> list[list[str]]:
    """Cells of the lines of the tables of a page."""
    lines = (line.strip("| ").split(" | ") for line in text.splitlines() if line.startswith("| "))
    return [cells for cells in lines if cells[0] != "---"]


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


def test_resampling_agrees_with_a_loop(run):
    done = run("compare.py", "--sizes", "1000", *QUICK, "--only", "replicate.*(K=2|roc)")
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(rows(done.stdout)) == 3
    assert "PROBLEM" not in done.stdout


def test_figures_say_what_is_met(run, tmp_path):
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- begin figures -->\nold\n<!-- end figures -->\nafter\n")
    arguments = ("--rounds", "3", "--seconds", "0.01", "--only", "brier", "--largest", "100")
    done = run("compare.py", "--figures", *arguments, "--into", str(page))
    assert done.returncode == 0, done.stdout + done.stderr
    (head, line) = rows(done.stdout)
    assert head[:4] == ["call", "n", "against", "at least"]
    assert line[:4] == ["brier_score_loss", "100", "scikit-learn", "x30"]
    assert line[5] in ("yes", "**no**")
    text = page.read_text()
    assert text.startswith("before\n<!-- begin figures -->\n")
    assert text.endswith("<!-- end figures -->\nafter\n")
    assert " | ".join(line) in text
    assert "old" not in text


def test_growth_has_the_limits_and_a_picture(run, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "growth.png"
    options = ("--sizes", "1000", "10000", "--rounds", "3", "--seconds", "0.01")
    done = run("compare.py", "--growth", *options, "--memory-repeats", "1", "--plot", str(picture))
    assert done.returncode == 0, done.stdout + done.stderr
    assert picture.read_bytes().startswith(b"\x89PNG")
    for limit in ("one np.sort", "reading the columns once"):
        assert limit in done.stdout
    assert "1,000 to 10,000" in done.stdout


def test_panel_equals_scikit_learn(run):
    done = run("panel.py", "--sizes", "200", "--rounds", "3", "--seconds", "0.01")
    assert done.returncode == 0, done.stdout + done.stderr
    assert rows(done.stdout)[1][0] == "200"


@pytest.mark.skipif(sys.platform != "linux", reason="peaks of memory are read from /proc")
def test_peak_memory_of_a_copy(run):
    done = run("memory.py", "roc_curve", "numpy", "1000000")
    assert done.returncode == 0, done.stderr
    # At least the three columns of the answer, two thirds of the rows or more in each.
    assert int(done.stdout) > 3 * 8 * 600_000
