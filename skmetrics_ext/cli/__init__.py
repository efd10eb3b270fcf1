"""Command line: ``python -m skmetrics_ext`` and the name of a command."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from functools import partial
from io import TextIOWrapper
from typing import NoReturn, TextIO

from skmetrics_ext import __version__
from skmetrics_ext.backends import PartitionError
from skmetrics_ext.cli.comparing import add_compare
from skmetrics_ext.cli.cv import add_cv
from skmetrics_ext.cli.metrics import add_metrics
from skmetrics_ext.cli.parity import add_parity
from skmetrics_ext.cli.score import add_score
from skmetrics_ext.cli.searching import add_search
from skmetrics_ext.cli.stopping import INTERRUPTED, stopping_in_time
from skmetrics_ext.cli.words import say, tell


class _UsageError(Exception):
    """What the user typed cannot be understood."""


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage before it."""

    def error(self, message: str) -> NoReturn:
        raise _UsageError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments; those of the process by default.

    Returns
    -------
    int
        Exit status: 0, or 2 with one line on stderr where an argument is wrong.

    Examples
    --------
    >>> from skmetrics_ext.cli import main
    >>> main(["cv", "--data", "iris", "--models", "tree", "--scoring", "accuracy", "--quiet"])
    ... # doctest: +ELLIPSIS
    5 folds of 150 rows: StratifiedKFold(n_splits=5, random_state=0, shuffle=True)
    ...
    0
    """
    if argv is not None:
        return _run(argv)
    with stopping_in_time():
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # better "?" than no table at all
                stream.reconfigure(errors="replace")
        return _run(None)


def _run(argv: Sequence[str] | None) -> int:
    with warnings.catch_warnings():
        warnings.showwarning = _show_warning
        try:
            options = _parser().parse_args(argv)
            status: int = options.run(options)
            sys.stdout.flush()
            return status
        except (_UsageError, ValueError, ImportError) as error:
            say(f"error: {_in_options(str(error))}")
            return 2
        except BrokenPipeError:  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except (PartitionError, OSError, MemoryError) as error:
            say(f"error: {error or type(error).__name__}")
            return 2
        except KeyboardInterrupt:
            say("interrupted")
            return INTERRUPTED


# What the functions call something, and the command line.
_OPTIONS = {
    "pos_label=": "--positive ",
    "needed, not a comma.": "needed, not a comma; --decimal , takes commas for it.",
    "one sign of decimals is needed.": "--decimal says which is the sign of decimals.",
    "no UTF-8 text.": "no UTF-8 text; --encoding says what it is, such as gbk or latin-1.",
}


def _in_options(text: str) -> str:
    for ours, option in _OPTIONS.items():
        text = text.replace(ours, option)
    return text


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    say(f"{category.__name__}: {message}")


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="skmetrics_ext", description="Classification metrics for scikit-learn users."
    )
    parser.add_argument("--version", action="version", version=f"skmetrics_ext {__version__}")
    parser.set_defaults(run=partial(_help, parser))
    commands = parser.add_subparsers(title="commands", dest="command")
    for add in (add_cv, add_search, add_score, add_compare, add_metrics, add_parity):
        add(commands)
    return parser


def _help(parser: argparse.ArgumentParser, _: argparse.Namespace) -> int:
    tell(parser.format_help())
    return 0
