"""Command line: ``python -m skmetrics_ext`` and the name of a command."""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import socket
import sys
import tempfile
import threading
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from io import TextIOWrapper
from pathlib import Path
from typing import NoReturn

from skmetrics_ext import __version__
from skmetrics_ext.backends import PartitionError
from skmetrics_ext.backends.files import own_prefix
from skmetrics_ext.cli.compare import add_compare
from skmetrics_ext.cli.cv import add_cv
from skmetrics_ext.cli.messages import log, print_lines
from skmetrics_ext.cli.metrics import add_metrics
from skmetrics_ext.cli.score import add_score
from skmetrics_ext.cli.search import add_search
from skmetrics_ext.cli.sites import add_merge, add_tally
from skmetrics_ext.cli.slices import add_slices
from skmetrics_ext.cli.threshold import add_threshold

PATIENCE = 0.4  # seconds after Ctrl-C in which the command may end in an orderly way
INTERRUPTED = 130  # the status of a process that SIGINT ended

# Words of Python in errors, and of the command line.
_OPTIONS = {
    "pos_label=": "--positive ",
    "needed, not a comma.": "needed, not a comma; --decimal , takes commas for it, --thousands , "
    "removes them.",
    "one sign of decimals is needed.": "--decimal says which is the sign of decimals.",
    "no UTF-8 text.": "no UTF-8 text; --encoding says what it is, such as gbk or latin-1.",
    "drop or fill such rows.": "--drop-missing leaves out such rows.",
    "skmetrics_ext.get_scorer_names() lists all.": "`skmetrics-ext metrics` lists all.",
    "memory_limit": "--memory",
    "min_cell= joins neighbouring bins of scores: pass bins= too": "--min-cell joins neighbouring "
    "bins of scores: pass --bins too",
    "min_cell=": "--min-cell ",
}


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, without the usage before it."""

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
        Exit status: 0; 1 where a requirement is not met; 2, with one line on stderr, where an
        argument is wrong.

    Examples
    --------
    >>> from skmetrics_ext.cli import main
    >>> main(["cv", "iris", "--models", "tree", "--metrics", "accuracy", "--quiet"])
    ... # doctest: +ELLIPSIS
    5 folds of 150 rows: StratifiedKFold(n_splits=5, random_state=0, shuffle=True)
    ...
    0
    """
    if argv is not None:
        return _run(argv)
    with _interruptible():
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, TextIOWrapper):  # better "?" than no table at all
                stream.reconfigure(errors="replace")
        return _run(None)


def _run(argv: Sequence[str] | None) -> int:
    with warnings.catch_warnings():
        warnings.showwarning = lambda message, kind, *_, **__: log(f"{kind.__name__}: {message}")
        try:
            options = _parser().parse_args(argv)
            status = options.run(options)
            sys.stdout.flush()
            return int(status or 0)
        except (ValueError, ImportError) as error:
            text = str(error)
            for word, option in _OPTIONS.items():
                text = text.replace(word, option)
            log(f"error: {text}")
            return 2
        except BrokenPipeError:  # the reader, such as head, has seen enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 0
        except (PartitionError, OSError, MemoryError) as error:
            log(f"error: {error or type(error).__name__}")
            return 2
        except KeyboardInterrupt:
            log("interrupted")
            return INTERRUPTED


def _parser() -> argparse.ArgumentParser:
    parser = _Parser(
        prog="skmetrics_ext", description="Classification metrics for scikit-learn users."
    )
    parser.add_argument("--version", action="version", version=f"skmetrics_ext {__version__}")
    parser.set_defaults(run=lambda _: print_lines(parser.format_help()))
    commands = parser.add_subparsers(title="commands", dest="command")
    evaluating = add_score, add_compare, add_threshold, add_slices
    for add in (add_cv, add_search, *evaluating, add_tally, add_merge, add_metrics):
        add(commands)
    return parser


@contextmanager
def _interruptible() -> Iterator[None]:
    """End the process within a second of Ctrl-C, also while compiled code runs.

    Python raises KeyboardInterrupt once the running call is over, and the fit of a model or a sort
    may take minutes. The signal itself writes to a socket, which a thread reads; if the command
    does not end soon after, the thread ends the process.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals go to the main thread alone
        return
    reading, writing = socket.socketpair()
    writing.setblocking(False)
    over = threading.Event()
    before = signal.set_wakeup_fd(writing.fileno(), warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(reading, over), daemon=True).start()
    try:
        yield
    finally:
        over.set()
        signal.set_wakeup_fd(before)
        writing.close()


def _watch(reading: socket.socket, over: threading.Event) -> None:
    with reading:
        while numbers := reading.recv(64):
            if signal.SIGINT in numbers and not over.wait(PATIENCE):
                log("interrupted")
                for folder in Path(tempfile.gettempdir()).glob(f"{own_prefix()}*"):
                    shutil.rmtree(folder, ignore_errors=True)
                os._exit(INTERRUPTED)
