"""One race a case and size: the peers and both of our implementations in the same rounds."""

from __future__ import annotations

import argparse
import re
import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

import numpy as np
from case import OURS, Case
from timing import Entrant, Ratio, difference, race

Row = dict[str, Any]
# How far the two implementations of ours may lie apart.
_KERNELS_AGREE = 1e-12
_SINGLE_ROUNDS = 7


def measure(case: Case, n: int, options: argparse.Namespace, single: bool = False) -> list[Row]:
    """Rows of results of one case at one size, one for each installed peer.

    ``theirs`` are seconds of the peer; ``native`` and ``numpy``, where that implementation is
    there, hold the seconds of ours and the ratio of the two. With ``single`` no call is repeated.
    """
    inputs = case.data(n)
    ours = case.ours(inputs)
    entrants, answers = dict(ours), {}
    rows, kept = [], []
    for peer in case.peers:
        if not peer.is_installed:
            continue
        row: Row = {"case": case.name, "peer": peer.library, "n": n}
        rows.append(row)
        try:
            answers = answers or _answers(case, ours)
            entrant = peer.entrant(inputs)
            theirs = entrant.answer()
            found = (peer.difference(answer, theirs) for answer in answers.values())
            row["problem"] = next(filter(None, found), None)
        except Exception as error:  # whatever a library raises is a result to show
            row["problem"] = f"{type(error).__name__}: {error}".splitlines()[0]
        if row["problem"] is None:
            entrants[peer.library] = entrant
            kept.append(row)
    if not kept:
        return rows
    # A single short call varies more than the mean of many.
    rounds = _SINGLE_ROUNDS * options.rounds if single else options.rounds
    times = race(
        entrants, rounds=rounds, seconds=options.seconds, clock=options.clock, single=single
    )
    for row in kept:
        theirs = times[row["peer"]]
        row.update(theirs=float(np.median(theirs)), rounds=len(theirs), units=case.units)
        row.update({name: _beside(theirs, times[name]) for name in ours})
    return rows


def _answers(case: Case, ours: dict[str, Entrant]) -> dict[str, Any]:
    """What each of our implementations answers, which must be the same."""
    answers = {name: case.read(entrant.answer()) for name, entrant in ours.items()}
    first, *others = answers.items()
    for name, answer in others:
        found = difference(first[1], answer, _KERNELS_AGREE)
        if found is not None:
            raise ArithmeticError(f"{OURS}, kernels {first[0]} and {name}: {found}")
    return answers


def _beside(theirs: list[float], ours: list[float]) -> Row:
    ratio = Ratio.of(theirs, ours)
    return {
        "ratio": ratio.median,
        "quartiles": [ratio.low, ratio.high],
        "noisy": ratio.is_noisy,
        "seconds": float(np.median(ours)),
    }


def measure_all(cases: Iterable[Case], options: argparse.Namespace) -> list[Row]:
    """Rows of results of every case at every size that it allows, with the chosen peers."""
    rows = []
    with own_kernels_kept(), until_interrupted(options):
        for case in cases:
            for n in options.sizes:
                if case.min_n <= n <= case.max_n:
                    rows += measure(chosen(case, options.peers), n, options, options.single)
                    tell(f"{case.name}, n = {n:,}")
    return rows


def chosen(case: Case, pattern: str) -> Case:
    """The case with the peers whose name matches."""
    found = tuple(peer for peer in case.peers if re.search(pattern, peer.library))
    return replace(case, peers=found)


def not_installed(cases: Iterable[Case]) -> list[str]:
    """Libraries of these cases that are not there."""
    every = {peer.library: peer for case in cases for peer in case.peers}
    return sorted(name for name, peer in every.items() if not peer.is_installed)


def tell(line: str) -> None:
    """Progress, beside the page that goes to the standard output."""
    print(line, file=sys.stderr, flush=True)


@contextmanager
def until_interrupted(options: argparse.Namespace) -> Iterator[None]:
    """End at Ctrl-C with what was measured before; ``options.interrupted`` records it."""
    try:
        yield
    except KeyboardInterrupt:
        options.interrupted = True
        tell("interrupted: what follows was measured before, and no page or file is written")


@contextmanager
def own_kernels_kept() -> Iterator[None]:
    """Afterwards the kernels run that ran before; warnings of the peers are theirs."""
    from skmetrics_ext import kernels

    before = kernels.active()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        kernels.use(before)
