"""The page of the command line: its commands print what it shows, on the files that it makes."""

from __future__ import annotations

import re
import shlex

import pytest
from support.command_line import main
from support.markdown import ROOT, blocks

PAGE = ROOT / "docs" / "guide" / "command_line.md"
SECONDS = re.compile(r"(?<=^fit \(s\)).*$", re.MULTILINE)


def words(text: str) -> list[str]:
    """Without the times of fits, and wherever lines are broken."""
    return SECONDS.sub("", text).split()


def test_the_commands_print_what_is_shown(tmp_path, monkeypatch, capsys):
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    monkeypatch.chdir(tmp_path)
    shown = blocks(PAGE)
    program, *rest = shown
    assert program.language == "python"
    exec(compile(program.text, "command_line.md", "exec"), {})
    commands, answers = rest[::2], rest[1::2]
    assert len(commands) >= 5
    for command, answer in zip(commands, answers, strict=True):
        assert (command.language, answer.language) == ("sh", "text")
        python, *arguments = shlex.split(command.text.replace("\\\n", ""))
        assert [python, *arguments[:2]] == ["python", "-m", "skmetrics_ext"]
        main(arguments[2:])
        out, err = capsys.readouterr()
        assert words(err + out) == words(answer.text), f"command_line.md:{command.line}"
