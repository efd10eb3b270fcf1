"""What tests use that only POSIX has, each with a skip elsewhere: the tests run on Windows too."""

import ast
import re
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
MODULES = {"fcntl", "grp", "pty", "pwd", "resource", "syslog", "termios"}
NAMES = {
    "SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGUSR1", "SIGUSR2", "alarm", "chmod", "fork",
    "forkpty", "geteuid", "getuid", "killpg", "mkfifo", "pass_fds", "pipe", "preexec_fn",
    "send_signal", "setitimer", "setsid", "start_new_session", "symlink", "symlink_to", "tzset",
    "uname",
}  # fmt: skip
# Paths of POSIX, and programs in text that import its modules.
TEXT = re.compile(rf"^/(?:bin|dev|etc|proc|tmp|usr)\b|\bimport (?:\w+, )*(?:{'|'.join(MODULES)})\b")
SHELL = {"bash", "sh"}
# Names of files that Windows refuses; patterns alone, such as "*.md", find files and make none.
FILE = re.compile(r'^(?!\*\.)[^\s/=]*[?*<>|":][^\s/]*\.(?:csv|html|json|parquet|report|tsv)$')

LISTED = {
    "backends/hostile.py": {"part*.parquet", "part?.parquet", "symlink"},
    "backends/test_dask_cluster.py": {"SIGKILL"},
    "cli/test_stopping.py": {"pipe", "send_signal"},
    "guards/test_surroundings.py": {"tzset"},
    "kernels/test_threads.py": {"import resource"},
    "report/search/test_spilled.py": {"/proc"},
    "sklearn_suite/runner.py": {"SIGKILL", "killpg", "start_new_session"},
    "support/browser.py": {"import fcntl", "pass_fds", "pipe"},
    "tallies/test_confusion.py": {"resource"},
    "test_written_files.py": {"/dev", "chmod", "symlink_to"},
}
# Why these have no mark that skips them.
HANDLED = {
    "backends/hostile.py": "test_hostile_files skips OF_POSIX",
    "report/search/test_spilled.py": "counts open files only where the folder is",
    "sklearn_suite/runner.py": "ends the process alone where there are no groups",
    "support/browser.py": "path() is None",
}


def of_posix(text):
    """Names in a program that only POSIX has."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.Import(names=names):
                found |= {name.name for name in names} & MODULES
            case ast.ImportFrom(module=str(name)):
                found |= {name} & MODULES
            case ast.Attribute(attr=name) | ast.keyword(arg=name):
                found |= {name} & NAMES
            case ast.Call(args=[ast.Constant(value=str(name)), *_]) if name in MODULES:
                found.add(name)
            case ast.List(elts=[ast.Constant(value=str(name)), *_]) if name in SHELL:
                found.add(name)
            case ast.Constant(value=str(value)):
                found |= {match[0] for match in TEXT.finditer(value)} | set(FILE.findall(value))
    return found


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("import resource, os", {"resource"}),
        ("from fcntl import fcntl", {"fcntl"}),
        ("pytest.importorskip('resource')", {"resource"}),
        ("os.kill(1, signal.SIGKILL)", {"SIGKILL"}),
        ("run(preexec_fn=f)", {"preexec_fn"}),
        ("run(['bash', '-c', ''])", {"bash"}),
        ("open('/proc/self/statm')", {"/proc"}),
        ("run('import sys, resource')", {"import sys, resource"}),
        ("folder / 'a?.csv'", {"a?.csv"}),
        ("folder.glob('*.csv')", set()),
        ("os.remove(path)", set()),
    ],
)
def test_what_is_found(text, found):
    assert of_posix(text) == found


@pytest.mark.slow
def test_names_of_posix_are_listed_and_skipped_elsewhere():
    programs = {
        path.relative_to(TESTS).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(TESTS.rglob("*.py"))
        if path.name != Path(__file__).name
    }
    assert {name: found for name, text in programs.items() if (found := of_posix(text))} == LISTED
    for name in LISTED.keys() - HANDLED.keys():
        assert re.search(r"skipif|importorskip|pytest\.skip\(", programs[name]), name
