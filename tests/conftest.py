"""Settings that every test shares."""

import os
import sys
from collections.abc import Generator
from pathlib import Path
from typing import Any

# Tests run in as many processes as there are cores: threads of BLAS would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
# Printed lines are as long as in a wide terminal, wherever the tests run.
os.environ["COLUMNS"] = "100"

import pytest
from hypothesis import HealthCheck, Phase, settings

# Tests are imported by their paths; what they share, tests/support, is imported by its name.
sys.path.append(str(Path(__file__).parent))

from support.sampling import mark_exhaustive

# Shrinking small arrays is slow enough on a busy machine to trip the deadline and the health
# check, which say nothing of the package.
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("dev", max_examples=20, **COMMON)
# The same examples in every run, so that a failure in CI is met again at home.
settings.register_profile("ci", max_examples=10, derandomize=True, **COMMON)
# Where it counts only whether something fails: no smaller example is looked for.
settings.register_profile(
    "unshrunk",
    max_examples=10,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    **COMMON,
)
# A second run of the same laws, on the other kernels.
settings.register_profile("again", max_examples=3, derandomize=True, **COMMON)
settings.register_profile("thorough", max_examples=500, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

# ``pytest -m smoke``: values by hand and from other systems, the README, both kernels, the command
# line and the report, in less than a minute on two cores. Other files are not even collected.
TESTS = Path(__file__).parent
SMOKE = tuple(
    TESTS / name
    for name in (
        "cli/test_by_hand.py",
        "docs/test_readme.py",
        "guards/test_tree.py",
        "inference/test_by_hand.py",
        "kernels/test_counting.py",
        "kernels/test_ranking.py",
        "metrics/labels/test_values_by_hand.py",
        "metrics/rankings/test_values_by_hand.py",
        "reference/test_reference.py",
        "report/test_values.py",
        "scoring/test_silent_table.py",
        "test_worked_examples.py",
    )
)


def pytest_configure(config: pytest.Config) -> None:
    missing = [path for path in SMOKE if not path.exists()]
    if missing and config.option.markexpr == "smoke":
        raise pytest.UsageError(f"SMOKE of {__file__} names files that are gone: {missing}")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    smoke = config.option.markexpr == "smoke" and collection_path.is_file()
    return True if smoke and collection_path not in SMOKE else None


@pytest.hookimpl(wrapper=True)
def pytest_pycollect_makeitem() -> Generator[None, Any, Any]:
    """All cases of a test are known here, whichever of them are selected later."""
    found = yield
    if isinstance(found, list):
        mark_exhaustive(found)
    return found


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if item.path in SMOKE and item.get_closest_marker("slow") is None:
            item.add_marker("smoke")
