"""Rules about the files of the repository."""

import os
import re
import shutil
import subprocess
from fnmatch import fnmatch
from pathlib import Path

ROOT = Path(__file__).parents[2]
LONG_FILES: dict[str, int] = {}  # path: lines, with the reason in a comment
ROOTED = re.compile(r"(?<![\w.])/(?:work|root|home|tmp)/\w")


def tracked(*patterns: str) -> list[Path]:
    """Files that git knows; in a source distribution those that it would not ignore."""
    if shutil.which("git") and (ROOT / ".git").exists():
        listed = subprocess.run(
            ["git", "ls-files", *patterns], cwd=ROOT, capture_output=True, text=True, check=True
        )
        return [ROOT / line for line in listed.stdout.splitlines() if (ROOT / line).exists()]
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    plain = [line.rstrip("/") for line in ignored]

    def is_kept(path: str) -> bool:
        return not any(fnmatch(path, own) or fnmatch(path, f"*/{own}") for own in plain)

    found = []
    for folder, folders, files in os.walk(ROOT):
        about = Path(folder).relative_to(ROOT)
        folders[:] = [name for name in folders if is_kept((about / name).as_posix())]
        found += [about / name for name in files if is_kept((about / name).as_posix())]
    return [ROOT / path for path in found if not patterns or any(map(path.match, patterns))]


def test_python_files_can_be_read_in_one_sitting() -> None:
    files = tracked("*.py")
    assert Path(__file__) in files
    for path in files:
        name = path.relative_to(ROOT).as_posix()
        assert len(path.read_text(encoding="utf-8").splitlines()) <= LONG_FILES.get(name, 600), name


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
