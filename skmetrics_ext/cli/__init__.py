"""Command line: ``python -m skmetrics_ext`` and the name of a command."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import ExitStack
from io import TextIOWrapper
from typing import NoReturn

from skmetrics_ext import __version__
from skmetrics_ext.backends import PartitionError
from skmetrics_ext.cli.cv import CV, SEARCH
from skmetrics_ext.cli.inputs import resolve
from skmetrics_ext.cli.label import LABEL
from skmetrics_ext.cli.messages import log, print_lines
from skmetrics_ext.cli.metrics import LIST
from skmetrics_ext.cli.score import COMPARE, SCORE
from skmetrics_ext.cli.sites import MERGE, TALLY
from skmetrics_ext.cli.slices import SLICES
from skmetrics_ext.cli.threshold import THRESHOLD
from skmetrics_ext.validation.errors import speaking

COMMANDS = (CV, SEARCH, SCORE, COMPARE, THRESHOLD, SLICES, LABEL, TALLY, MERGE, LIST)
INTERRUPTED = 130  # the status of a process that SIGINT ended

# What errors say here, where they name arguments of Python or give no advice.
_POINT = "needed, not a comma"
_SEPARATORS = f"{_POINT}; --decimal , reads commas as decimal points, --thousands , removes them"
_NO_NUMBER = "which is no number"
_WORDS = {
    "pos_label=": "--positive ",
    "pass pos_label= for": "pass --positive for",
    "by=": "--by",
    "bins=": "--bins",
    "min_cell=": "--min-cell ",
    "memory_limit": "--memory",
    _NO_NUMBER: f"{_NO_NUMBER}; --missing TEXT names a mark of missing values",
    f"{_NO_NUMBER}: a decimal point is {_POINT}": f"{_NO_NUMBER}: a decimal point is {_SEPARATORS}",
    f"whose comma marks decimals or thousands: a decimal point is {_POINT}": (
        f"whose comma marks decimals or thousands: a decimal point is {_SEPARATORS}"
    ),
    "one sign of decimals is needed": "--decimal names the decimal separator",
    "is no UTF-8 text": "is no UTF-8 text; --encoding names its encoding, such as cp1252 or gbk",
    "drop or fill such rows": "--drop-missing leaves out such rows",
    "skmetrics_ext.get_scorer_names() lists all": "`skmetrics-ext metrics` lists all",
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage."""

    def error(self, message: str) -> NoReturn:
        raise ValueError(message)


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    Parameters
    ----------
    argv : sequence of str, default=None
        Arguments; those of the process by default.

    Returns
    -------
    int
        Exit status: 0; 1 if a requirement is not met; 2, with one line on stderr, after an error.

    Examples
    --------
    >>> from skmetrics_ext.cli import main
    >>> main(["cv", "iris", "--models", "tree", "--metrics", "accuracy", "--quiet"])
    ... # doctest: +ELLIPSIS
    highest accuracy: tree ...; better than baseline (prior) ...
    ...
    0
    """
    for stream in (sys.stdout, sys.stderr) if argv is None else ():
        if isinstance(stream, TextIOWrapper):  # print "?" rather than fail
            stream.reconfigure(errors="replace")
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, kind, *_, **__: log(f"{kind.__name__}: {message}")
        try:
            given = sys.argv[1:] if argv is None else list(argv)
            named = next((text for text in given if not text.startswith("-")), None)
            options = _parser(named).parse_args(given)
            with ExitStack() as stack, speaking(_WORDS):
                resolve(options, stack)
                status = options.run(options)
            sys.stdout.flush()
            return int(status or 0)
        except (ValueError, ImportError) as error:
            log(f"error: {error}")
            return 2
        except BrokenPipeError:  # the reader, such as head, has stopped reading
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except (PartitionError, OSError, MemoryError) as error:
            log(f"error: {error or type(error).__name__}")
            return 2
        except KeyboardInterrupt:
            log("interrupted")
            return INTERRUPTED


def _parser(run: str | None = None) -> argparse.ArgumentParser:
    """The parser of all commands, or of the one that is run and the names of the others."""
    parser = _Parser(
        prog="skmetrics_ext", description="Classification metrics for scikit-learn users."
    )
    parser.add_argument("--version", action="version", version=f"skmetrics_ext {__version__}")
    parser.set_defaults(run=lambda _: print_lines(parser.format_help()))
    commands = parser.add_subparsers(title="commands", dest="command")
    for command in COMMANDS:
        command.add_to(commands, is_run=run in (None, command.name))
    return parser
