"""Files are replaced as a whole: whatever goes wrong, the old one stays."""

import errno
import os
import re
import stat
import sys
from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from support.command_line import main

from skmetrics_ext import cross_validation_report, search_report, tables
from skmetrics_ext.results import Table

RNG = np.random.default_rng(0)
X = RNG.normal(size=(40, 2))
Y = (X[:, 0] + RNG.normal(size=40) > 0).astype(int)
SOURCE = Path(__file__).resolve().parents[1] / "skmetrics_ext"


@pytest.fixture(scope="module")
def report():
    return cross_validation_report(GaussianNB(), X, Y, scoring="accuracy", cv=2)


@pytest.fixture(scope="module")
def search():
    models = {"a": LogisticRegression(C=0.1), "b": LogisticRegression()}
    return search_report(models, X, Y, cv=2, scoring="accuracy")


def outputs(report, search):
    """Every way to write a file, by name."""
    table = Table([{"model": "a", "value": 1.0}])
    found = {f"report.{name}": getattr(report, name) for name in dir(report) if "to_" in name}
    found |= {f"search.{name}": getattr(search, name) for name in dir(search) if "to_" in name}
    found |= {f"table.{name}": getattr(table, name) for name in dir(table) if "to_" in name}
    found = {name: write for name, write in found.items() if not name.endswith("to_dict")}
    return found | {"report.save": report.save}


class FullDisk:
    """A file that can be opened and takes some bytes, and then no more."""

    def __init__(self, stream):
        self.stream = stream

    def write(self, data):
        self.stream.write(data[:100])
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    def __getattr__(self, name):
        return getattr(self.stream, name)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()


def fill_the_disk(monkeypatch):
    def opened(path, mode="r", **options):
        stream = open(path, mode, **options)  # noqa: SIM115 - closed by its user
        return FullDisk(stream) if "r" not in mode else stream

    monkeypatch.setattr(tables, "open", opened, raising=False)


def test_a_full_disk_leaves_the_old_file(report, search, tmp_path, monkeypatch):
    fill_the_disk(monkeypatch)
    for name, write in outputs(report, search).items():
        path = tmp_path / name
        path.write_bytes(b"old")
        with pytest.raises(OSError, match="No space left") as caught:
            write(path)
        assert caught.value.filename == str(path)
        assert path.read_bytes() == b"old"
        assert os.listdir(tmp_path) == [name]
        path.unlink()


def test_the_command_line_keeps_the_old_page(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    data = tmp_path / "data.csv"
    lines = [f"{x:.3f},{y},{p:.3f}" for (x, _), y, p in zip(X, Y, RNG.random(40), strict=True)]
    data.write_text("x,y,p\n" + "\n".join(lines), encoding="utf-8")
    page = tmp_path / "page.html"
    page.write_text("old", encoding="utf-8")
    fill_the_disk(monkeypatch)
    for command in (
        ["score", str(data), "--true", "y", "--score", "p", "--html", str(page)],
        ["cv", "--data", str(data), "--target", "y", "--folds", "2", "--html", str(page)],
        ["cv", "--data", str(data), "--target", "y", "--folds", "2", "--save", str(page)],
    ):
        assert main([*command, "--quiet"]) != 0
        error = capsys.readouterr().err
        assert "No space left" in error
        assert str(page) in error
        assert page.read_text(encoding="utf-8") == "old"
    assert sorted(os.listdir(tmp_path)) == ["data.csv", "page.html"]


def test_names_that_utf8_lacks(search, tmp_path):
    """As in names of files that were no UTF-8, which Python reads as \\udc80."""
    models = {"a\udc80": GaussianNB(), "b": LogisticRegression()}
    report = cross_validation_report(models, X, Y, scoring="accuracy", cv=2, baseline=None)
    for name, write in outputs(report, search).items():
        path = tmp_path / name
        path.write_bytes(b"old")
        write(path)
        if name.startswith("report") and name != "report.save":
            text = path.read_text(encoding="utf-8").replace("\\textbackslash{}", "\\")
            assert "a\\udc80" in text.replace("\\\\", "\\")


def test_a_file_keeps_its_permissions_and_a_link_its_target(tmp_path):
    if sys.platform == "win32":
        pytest.skip("permissions and links are those of POSIX")
    table = Table([{"value": 1.0}])
    target, link = tmp_path / "target.md", tmp_path / "link.md"
    target.write_text("old", encoding="utf-8")
    target.chmod(0o640)
    link.symlink_to(target)
    table.to_markdown(link)
    assert link.is_symlink()
    assert stat.S_IMODE(target.stat().st_mode) == 0o640
    assert target.read_text(encoding="utf-8").startswith("| value |")
    new = tmp_path / "new.md"
    table.to_markdown(new)
    plain = tmp_path / "plain"
    plain.touch()
    assert new.stat().st_mode == plain.stat().st_mode
    table.to_markdown("/dev/null")
    assert not Path("/dev/null").is_file()


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    path = tmp_path / "none" / "table.md"
    with pytest.raises(FileNotFoundError, match=re.escape(repr(str(path)))):
        Table([{"value": 1.0}]).to_markdown(path)


def test_an_interrupted_file_is_removed(tmp_path):
    path = tmp_path / "a.md"
    path.write_text("old", encoding="utf-8")

    def write():
        with tables.replacing(path) as stream:
            stream.write(b"new")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        write()
    assert (os.listdir(tmp_path), path.read_text(encoding="utf-8")) == (["a.md"], "old")


def test_one_place_opens_files_for_writing():
    """A second one would again destroy what it cannot replace."""
    writes = re.compile(r"write_text|write_bytes|savefig\((?!\s*text)|open\([^)]*[\"'][wax]b?[\"']")
    found = {
        str(path.relative_to(SOURCE))
        for path in SOURCE.rglob("*.py")
        if writes.search(path.read_text(encoding="utf-8"))
    }
    assert found <= {"tables.py", "cli/inputs.py"}  # what an archive holds, in a folder of its own
