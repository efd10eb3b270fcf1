"""The script that names the tests of a change."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("changed", "steps", "found", "left_out"),
    [
        ("skmetrics_ext/cli/marks.py", 1, "tests/cli/test_marks.py", "tests/tallies/test_ranks.py"),
        (
            "skmetrics_ext/tallies/ranks.py",
            1,
            "tests/tallies/test_ranks.py",
            "tests/cli/test_cv.py",
        ),
        (
            "skmetrics_ext/scoring/panel.py",
            1,
            "tests/scoring/test_panel.py",
            "tests/test_tables.py",
        ),
        ("tests/support/rows.py", 1, "tests/guards/test_one_body.py", "tests/test_tables.py"),
    ],
)
def test_tests_that_reach_a_file_are_named(changed, steps, found, left_out):
    command = [sys.executable, "tests/needed.py", changed, "--steps", str(steps)]
    printed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    named = printed.stdout.splitlines()
    assert found in named
    assert left_out not in named
    assert all((ROOT / name).exists() for name in named)
