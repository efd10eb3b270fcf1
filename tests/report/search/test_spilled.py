"""What each row adds to many candidates, kept in a file."""

import os
import tempfile
import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from sklearn.model_selection import KFold, RepeatedKFold
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import get_scorer, search_report
from skmetrics_ext.report.fold import FoldResult
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.search import noise
from skmetrics_ext.validation import InvalidParameterError

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
Y = (X[:, 0] + RNG.normal(size=60) > 0).astype(int)
MODELS = {str(k): DecisionTreeClassifier(max_depth=k, random_state=0) for k in (1, 2, 4)}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """The only place for temporary files."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    return tmp_path


def report(cv):
    return search_report(MODELS, X, Y, cv=cv, scoring="roc_auc", n_resamples=50, random_state=0)


def open_files_in(folder):
    return [
        path
        for path in Path("/proc/self/fd").iterdir()
        if path.exists() and os.readlink(path).startswith(str(folder))
    ]


@pytest.mark.parametrize("cv", [KFold(3), RepeatedKFold(n_splits=3, n_repeats=2, random_state=0)])
def test_a_file_gives_the_same_and_vanishes(folder, monkeypatch, cv):
    held, seen = report(cv), []
    room = noise._room

    def spied(shape):
        seen.append(room(shape))
        # Where the file has a name at all, it has it while it is written.
        assert len(list(folder.iterdir())) <= 1
        return seen[-1]

    monkeypatch.setattr(noise, "_HELD", 25)  # numbers: less than each candidate has
    monkeypatch.setattr(noise, "_room", spied)
    spilled = report(cv)
    assert isinstance(seen[0], np.memmap)
    assert seen[0].any()
    assert spilled.best.value == pytest.approx(held.best.value, abs=1e-6)
    for one, other in zip(spilled.rows, held.rows, strict=True):
        assert one.mean == other.mean
        assert one.standard_error == pytest.approx(other.standard_error, rel=1e-5)
        assert one.low == pytest.approx(other.low, rel=1e-5)
        assert (one.as_good, one.selected) == (other.as_good, other.selected)
    assert spilled.notes == held.notes
    seen.clear()
    assert list(folder.iterdir()) == []
    if os.path.isdir("/proc/self/fd"):
        assert open_files_in(folder) == []


def test_what_is_in_a_file_is_read_in_parts(folder, monkeypatch):
    """No copy of all of it is made: 30 candidates of 4000 rows are 960 kB of floats."""
    monkeypatch.setattr(noise, "_HELD", 3000)
    n, p = 4000, 30
    true, said = RNG.integers(0, 2, n), RNG.integers(0, 2, (p, n))
    data = ScoredData(true, {"accuracy": get_scorer("accuracy")}, {"accuracy": {}})
    rows = noise.RowNoise(data, "accuracy", p, np.zeros(1, dtype=int))
    right = said == true
    for k in range(p):
        values = {"accuracy": right[k].mean()}
        result = FoldResult(
            str(k), 0, n, n, 0.0, 0.0, values,
            rows=np.arange(n), classes=np.array([0, 1]), responses={"predict": said[k]},
        )  # fmt: skip
        rows.take(k, result)
    splits = right.mean(axis=1, keepdims=True)
    tracemalloc.start()
    found = rows.of_means(np.arange(p), splits, 0.25, 50, RNG).joint
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 480_000
    assert found.covariance == pytest.approx(np.cov(right) / n, rel=1e-4, abs=1e-9)


def test_a_folder_that_cannot_be_written_is_told(monkeypatch):
    monkeypatch.setattr(tempfile, "tempdir", "/proc/nowhere")
    monkeypatch.setattr(noise, "_HELD", 25)
    with pytest.raises(InvalidParameterError, match=r"3 candidates need a temporary .*TMPDIR"):
        report(KFold(3))


@pytest.mark.parametrize("reserves", [True, False])
def test_a_disk_that_is_full_is_told_beforehand(folder, monkeypatch, reserves):
    def full(*_, **__):
        raise OSError(28, "No space left on device")

    if reserves:
        monkeypatch.setattr(os, "posix_fallocate", full, raising=False)
    else:
        monkeypatch.delattr(os, "posix_fallocate", raising=False)
        monkeypatch.setattr(np, "memmap", full)
    monkeypatch.setattr(noise, "_HELD", 25)
    with pytest.raises(InvalidParameterError, match=r"No space left on device.*fewer candidates"):
        report(KFold(3))
    assert list(folder.iterdir()) == []
