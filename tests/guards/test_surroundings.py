"""Order of tests, hash seed, locale and time zone do not matter to a sample of the tests.

Each run is of its own process, in which the plugin below shuffles what was collected and keeps a
part. A locale that a machine does not have is that of C, whose text is ASCII.
"""

import locale
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import NamedTuple

import pytest

pytestmark = pytest.mark.skipif(
    not hasattr(time, "tzset"), reason="Windows takes no time zone from the environment"
)
ROOT = Path(__file__).parents[2]
PLUGIN = f"""
import sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
import test_surroundings as surroundings
"""


class Surroundings(NamedTuple):
    """Seeds of the order and of hashes, what prints numbers and text, and the hour."""

    seed: int
    locale: str
    zone: str


FAR = [
    Surroundings(1, "C", "XYZ-14"),  # 14 hours before Greenwich; text is ASCII
    Surroundings(2, "de_DE.UTF-8", "NST+3:30NDT"),  # a comma for the point of a number
]
# Where numbers are printed, files are read, names are sorted and results are kept.
PARTS = ("backends", "cli", "metrics", "plotting", "report", "scoring", "streaming", "thresholds")


class Sample:
    """A plugin that keeps some tests, in any order."""

    def __init__(self, seed, number):
        self.seed, self.number = seed, number

    def pytest_configure(self, config):
        time.tzset()
        try:
            locale.setlocale(locale.LC_ALL, "")
        except locale.Error:
            locale.setlocale(locale.LC_ALL, "C")

    @pytest.hookimpl(trylast=True)
    def pytest_collection_modifyitems(self, items):
        items.sort(key=lambda item: item.nodeid)
        random.Random(self.seed).shuffle(items)
        del items[self.number :]


def files_of(seed, number):
    """Some test files of those parts, so that not all are collected."""
    found = [path for part in PARTS for path in sorted((ROOT / "tests" / part).glob("test_*.py"))]
    return [str(path) for path in random.Random(seed).sample(found, number)]


def run(surroundings, number, places):
    environment = {
        **{key: value for key, value in os.environ.items() if not key.startswith("PYTEST_")},
        "PYTHONHASHSEED": str(surroundings.seed),
        "LC_ALL": surroundings.locale,
        "LANG": surroundings.locale,
        "PYTHONCOERCECLOCALE": "0",
        "PYTHONUTF8": "0",
        "TZ": surroundings.zone,
    }
    arguments = ["-n0", "-q", "-p", "no:cacheprovider", *places]
    plugin = f"surroundings.Sample({surroundings.seed}, {number})"
    program = f"{PLUGIN}\nimport pytest\nsys.exit(pytest.main({arguments!r}, [{plugin}]))"
    done = subprocess.run(
        [sys.executable, "-c", program],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        check=False,
    )
    assert not done.returncode, done.stdout[-6000:] + done.stderr[-2000:]
    return int(re.search(r"(\d+) passed", done.stdout)[1])


def test_surroundings_do_not_matter_to_a_few():
    assert run(FAR[0], 40, ["tests/edge_cases"]) > 30


@pytest.mark.slow
@pytest.mark.parametrize("surroundings", FAR)
def test_surroundings_do_not_matter(surroundings):
    assert run(surroundings, 75, files_of(surroundings.seed, 12)) > 62


def test_another_order_is_seen(tmp_path):
    """A test that hangs on the one before it fails."""
    lines = ["seen = []"]
    lines += [
        f"def test_{i}():\n    seen.append({i})\n    assert seen == list(range({i + 1}))"
        for i in range(5)
    ]
    (tmp_path / "test_order.py").write_text("\n".join(lines), encoding="utf-8")
    with pytest.raises(AssertionError, match="failed"):
        run(FAR[0], 5, ["--rootdir", str(tmp_path), "-c", os.devnull, str(tmp_path)])
