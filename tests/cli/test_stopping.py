"""Ctrl-C, and a reader that stops."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

import skmetrics_ext

MODEL = """
import tempfile, time
from sklearn.base import ClassifierMixin, BaseEstimator

class Slow(ClassifierMixin, BaseEstimator):
    def fit(self, X, y):
        self.folder = tempfile.TemporaryDirectory()
        print(self.folder.name, flush=True)
        time.sleep(1000)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="SIGINT of one process is that of a group")
def test_an_interrupt_ends_a_command_which_cleans_up(tmp_path):
    (tmp_path / "slow_model.py").write_text(MODEL)
    root = Path(skmetrics_ext.__file__).parents[1]
    arguments = ["cv", "--data", "iris", "--models", "slow_model:Slow", "--quiet"]
    with subprocess.Popen(
        [sys.executable, "-m", "skmetrics_ext", *arguments],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        folder = Path(process.stdout.readline().strip())  # the fit has begun
        assert folder.is_dir()
        process.send_signal(signal.SIGINT)
        try:
            _, err = process.communicate(timeout=60)
        finally:
            process.kill()
    assert process.returncode == 130
    assert err.splitlines()[-1] == "skmetrics_ext: interrupted"
    assert not folder.exists()


@pytest.mark.skipif(sys.platform == "win32", reason="a pipe that is closed is another error")
def test_files_are_written_though_nobody_reads_what_is_printed(tmp_path):
    """As `cv --save FILE | head -3` of a long table."""
    root = Path(skmetrics_ext.__file__).parents[1]
    arguments = ["cv", "--data", "iris", "--models", "naive_bayes", "--folds", "2", "--quiet"]
    reader, writer = os.pipe()
    os.close(reader)
    run = subprocess.run(
        [sys.executable, "-m", "skmetrics_ext", *arguments, "--save", "report"],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert (run.returncode, run.stderr) == (0, b"")
    assert (
        skmetrics_ext.results.CrossValidationReport.load(tmp_path / "report").best()
        == "naive_bayes"
    )
