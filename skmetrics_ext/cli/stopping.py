"""Ctrl-C, which compiled code does not hear."""

from __future__ import annotations

import os
import shutil
import signal
import socket
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from skmetrics_ext.backends.files import own_prefix
from skmetrics_ext.cli.words import say

PATIENCE = 0.4  # seconds in which what is finished may still be shown
INTERRUPTED = 130  # the status of a process that SIGINT ended


@contextmanager
def stopping_in_time() -> Iterator[None]:
    """Ctrl-C ends the process within a second, whatever runs.

    Python raises KeyboardInterrupt once the running call is over, and the fit of a model or a sort
    may take minutes. The signal itself writes to a socket, which a thread reads; where the command
    has not ended by itself soon after, the thread ends the process.
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
        while told := reading.recv(64):
            if signal.SIGINT in told and not over.wait(PATIENCE):
                say("interrupted")
                for folder in Path(tempfile.gettempdir()).glob(f"{own_prefix()}*"):
                    shutil.rmtree(folder, ignore_errors=True)
                os._exit(INTERRUPTED)
