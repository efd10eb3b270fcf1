"""Rules about the files of the repository."""

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
LONG_FILES: dict[str, int] = {}  # path: lines, with the reason in a comment
ROOTED = re.compile(r"(?<![\w.])/(?:work|root|home|tmp)/\w")


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(
        ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if listed.returncode:
        pytest.skip("not a git checkout: " + listed.stderr.strip())
    return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]


def test_python_files_can_be_read_in_one_sitting() -> None:
    for path in tracked("*.py"):
        name = path.relative_to(ROOT).as_posix()
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONG_FILES.get(name, 400), name


def test_no_path_of_one_machine() -> None:
    for path in tracked():
        assert not ROOTED.search(path.read_text(encoding="utf-8", errors="replace")), path


def test_readme_has_the_two_commands_that_ci_runs() -> None:
    lines = (ROOT / "README.md").read_text(encoding="utf-8").splitlines()
    commands = [line for line in lines if line.startswith("python3 -m venv")]
    assert len(commands) == 2
    assert commands[0].endswith("-m skmetrics_ext cv")
    assert commands[1].endswith("-m pytest")


def test_arrow_is_new_enough_for_files_of_others():
    """Before 14.0.1 reading a file could run code that it holds (CVE-2023-47248)."""
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    found = re.findall(r'"pyarrow([<>=~!][^"]*)"', text)
    assert found
    assert set(found) == {">=14.0.1"}
