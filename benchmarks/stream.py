"""Accumulator.update in a training loop, beside scikit-learn's roc_auc_score of each batch.

    python benchmarks/stream.py

For each list of metrics: a new `Accumulator` takes so many batches, as many distinct scores as
rows, and gives its values once, all of which is the time of its updates; scikit-learn's
roc_auc_score reads one batch in the same rounds. What the stream says of the area must be what
the function says of all rows. Prints Markdown. Exit status 1 if it differs, and with ``--strict``
where an update takes more than a tenth of the call.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from typing import Any

import numpy as np
from options import race_parser
from output import CLOCKS, machine_line, markdown, put, seconds, three_digits
from timing import Entrant, Ratio, difference, one_thread, race

LISTS = (
    ("roc_auc",),
    ("accuracy", "f1"),
    ("roc_auc", "log_loss"),
    ("roc_auc", "log_loss", "brier_score", "average_precision"),
    ("roc_auc", "log_loss", "accuracy", "f1"),
)
MOST = 0.1  # of one call of scikit-learn
_THEIRS = "scikit-learn"


def streams(size: int, n_batches: int) -> dict[str, Callable[[], dict[str, Any]]]:
    """What takes all batches and gives the values, by the names of its metrics."""
    from skmetrics_ext import Accumulator

    true, score = batches(size, n_batches)
    pred = (score > 0.5).astype(np.int64)

    def fed(names: tuple[str, ...]) -> dict[str, Any]:
        stream = Accumulator(names)
        if "roc_auc" not in names:
            for y, own in zip(true, pred, strict=True):
                stream.update(y, own)
        elif "f1" in names:
            for y, s, own in zip(true, score, pred, strict=True):
                stream.update(y, s, y_pred=own)
        else:
            for y, s in zip(true, score, strict=True):
                stream.update(y, s)
        return stream.compute()

    return {", ".join(names): (lambda names=names: fed(names)) for names in LISTS}


def batches(size: int, n_batches: int) -> tuple[Any, Any]:
    """Labels and scores, a row for each batch."""
    rng = np.random.default_rng([11, size])
    true = (rng.random((n_batches, size)) < 0.3).astype(np.int64)
    true[:, :2] = 0, 1
    return true, 1 / (1 + np.exp(-rng.standard_normal(true.shape) - true))


def measure(size: int, options: argparse.Namespace) -> tuple[list[list[str]], list[str], bool]:
    """Lines of the table, what differs, and whether every update is short enough."""
    from sklearn.metrics import roc_auc_score

    true, score = batches(size, options.batches)
    calls = {
        name: Entrant(call, units=options.batches)
        for name, call in streams(size, options.batches).items()
    }
    whole = roc_auc_score(true.ravel(), score.ravel())
    found = {name: call.answer() for name, call in calls.items()}
    wrong = {
        name: difference(values["roc_auc"], whole, 1e-12)
        for name, values in found.items()
        if "roc_auc" in values
    }
    problems = [f"- {name}, {size} rows: {told}" for name, told in wrong.items() if told]
    calls[_THEIRS] = Entrant(lambda: roc_auc_score(true[0], score[0]))
    times = race(calls, rounds=options.rounds, seconds=options.seconds, clock=options.clock)
    theirs, lines, kept = times.pop(_THEIRS), [], True
    for name, own in times.items():
        share = Ratio.of(own, theirs).median
        kept = kept and share <= MOST
        shown = [seconds(float(np.median(own))), seconds(float(np.median(theirs)))]
        lines.append([name, f"{size:,}", *shown, three_digits(share)])
    return lines, problems, kept


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = race_parser(__doc__, "stream")
    parser.add_argument("--sizes", type=int, nargs="+", default=[32, 256, 4096], help="of a batch")
    parser.add_argument("--batches", type=int, default=600, help="of a stream (default 600)")
    parser.add_argument("--strict", action="store_true", help="exit status 1 beyond the limit")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    lines, problems, all_kept = [], [], True
    with one_thread():
        for size in options.sizes:
            own, wrong, kept = measure(size, options)
            lines += own
            problems += wrong
            all_kept = all_kept and (kept or size != 256)
    head = ["metrics", "rows", "one update", "one roc_auc_score", "update / call"]
    legend = (
        f"`Accumulator.update` of batches, counting and the final values included, beside "
        f"scikit-learn's `roc_auc_score` of one batch (medians, by {CLOCKS[options.clock]}). "
        f"Allowed of 256 rows: {MOST}."
    )
    page = "\n\n".join([machine_line(options.clock), legend, markdown(head, lines), *problems])
    print(page)
    for path in options.into:
        put(path, "stream", page)
    return int(bool(problems) or (options.strict and not all_kept))


if __name__ == "__main__":
    raise SystemExit(main())
