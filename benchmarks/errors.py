"""Standard errors from influence values beside the bootstrap's, and what an interval costs.

    python benchmarks/errors.py
    python benchmarks/errors.py --only "auc|f1" --draws 999 --into docs/coverage.md

For every scorer that has influence values, of two classes and of three: its standard error, over
the standard deviation of its values on drawn rows. For every scorer: the time of its interval by
``method="auto"``, over that of one call of a metric of scikit-learn of the same kind on as many
rows, in the same rounds. Prints Markdown.
"""

from __future__ import annotations

import argparse
import re
import warnings
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from options import race_parser
from output import CLOCKS, machine_line, markdown, put, seconds, three_digits
from timing import Entrant, Ratio, one_thread, race

FAR = 0.05
MOST_SMOOTH, MOST_DRAWN = 20, 350  # calls of scikit-learn's metric


def rows(n_rows: int, n_classes: int, response: str) -> tuple[np.ndarray, np.ndarray]:
    """Labels, and labels, scores or probabilities that know something of them."""
    rng = np.random.default_rng([n_rows, n_classes, len(response)])
    true = rng.choice(n_classes, size=n_rows, p=[0.6, 0.4] if n_classes == 2 else [0.5, 0.3, 0.2])
    if response == "labels":
        return true, np.where(rng.random(n_rows) < 0.6, true, rng.integers(0, n_classes, n_rows))
    score = rng.normal(size=(n_rows, n_classes)) + 1.3 * np.eye(n_classes)[true]
    if response == "probabilities":
        score = np.exp(score) / np.exp(score).sum(axis=1, keepdims=True)
    return true, score if n_classes > 2 else score[:, 1]


def scorers(only: str | None) -> list[tuple[str, Any]]:
    """Names of scorers and their metrics."""
    from skmetrics_ext import get_scorer_names
    from skmetrics_ext.registry import find

    found = [(name, find(name)) for name in get_scorer_names()]
    return [
        (name, metric)
        for name, metric in found
        if not metric.spec.ranks_labels and (only is None or re.search(only, name))
    ]


def compared(name: str, metric: Any, n_classes: int, options: argparse.Namespace) -> float | None:
    """Error over error of draws less 1, the farthest of them; None where there is none."""
    from skmetrics_ext.inference.draws.bootstrap import DrawPlan, resample
    from skmetrics_ext.inference.draws.readers import sample_of_rows
    from skmetrics_ext.inference.linearized import linearize

    try:
        reading = sample_of_rows(name, *rows(options.rows, n_classes, metric.spec.response))
        statistic = linearize(reading)
    except ValueError:  # not of so many classes
        return None
    if not statistic.has_influence:
        return None
    drawn = np.nanstd(resample(reading, DrawPlan(options.draws, random_state=0)), axis=0, ddof=1)
    known = np.asarray(drawn) > 0  # of two classes the true one is always among the first two
    away = np.ravel(np.sqrt(statistic.variance)[known] / drawn[known] - 1)
    if not len(away):
        return None
    return float(away[np.abs(away).argmax()])


def agreement(options: argparse.Namespace) -> list[str]:
    """What was found, in words and a table of those that are far."""
    found = {
        (name, n_classes): compared(name, metric, n_classes, options)
        for name, metric in scorers(options.only)
        for n_classes in (2, 3)
    }
    known = {key: away for key, away in found.items() if away is not None}
    far = {key: away for key, away in known.items() if not abs(away) <= FAR}
    noise = 1 / np.sqrt(2 * options.draws)
    middle = np.median(np.abs(list(known.values()))) if known else np.nan
    told = (
        f"Of {len(known)} scorers and numbers of classes, {len(known) - len(far)} have a standard "
        f"error from influence values within {FAR:.0%} of that of {options.draws:,} draws of "
        f"{options.rows:,} rows (median distance {middle:.1%}; draws alone err by {noise:.1%}). "
        "The others:"
    )
    lines = [[name, str(k), f"{away:+.1%}"] for (name, k), away in far.items()]
    return [told, markdown(["scorer", "classes", "influence / draws - 1"], lines)]


def peers(n_rows: int) -> dict[str, Callable[[], Any]]:
    """One call of scikit-learn for each kind of metric."""
    from sklearn.metrics import f1_score, log_loss, roc_auc_score

    functions = {"labels": f1_score, "scores": roc_auc_score, "probabilities": log_loss}
    return {kind: partial(call, *rows(n_rows, 2, kind)) for kind, call in functions.items()}


def costs(options: argparse.Namespace) -> list[str]:
    """Times of intervals of two classes beside one call of scikit-learn."""
    from skmetrics_ext import confidence_interval
    from skmetrics_ext.inference.draws.bootstrap import BOOTSTRAP_METHODS

    theirs, lines = peers(options.timed_rows), []
    for name, metric in scorers(options.only):
        kind = metric.spec.response
        data = rows(options.timed_rows, 2, kind)

        def interval(name: str = name, data: Any = data) -> Any:
            return confidence_interval(name, *data, random_state=0)

        try:
            method = interval().method
        except ValueError:
            continue
        calls = {"ours": Entrant(interval), "theirs": Entrant(theirs[kind])}
        times = race(calls, rounds=options.rounds, seconds=options.seconds, clock=options.clock)
        ratio = Ratio.of(times["ours"], times["theirs"]).median
        most = MOST_DRAWN if method in BOOTSTRAP_METHODS else MOST_SMOOTH
        took = seconds(float(np.median(times["ours"])))
        lines.append((ratio / most, [name, method, took, f"x{three_digits(ratio)}", f"x{most}"]))
    lines.sort(key=lambda line: -line[0])
    beyond = sum(share > 1 for share, _ in lines)
    told = (
        f'Intervals of {options.timed_rows:,} rows by `method="auto"`, with as many draws as it '
        f"takes by default, over one call of scikit-learn's `f1_score`, `roc_auc_score` or "
        f"`log_loss`: {beyond} of {len(lines)} take more calls than the goal. The nearest to it:"
    )
    head = ["scorer", "method", "interval", "calls", "goal"]
    return [told, markdown(head, [line for _, line in lines[: options.shown]])]


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = race_parser(__doc__, "errors", rounds=5, seconds=2.0)
    parser.add_argument("--only", help="scorers whose names match")
    parser.add_argument("--rows", type=int, default=2000, help="of the errors (default 2,000)")
    parser.add_argument("--draws", type=int, default=4999, help="of the errors (default 4,999)")
    parser.add_argument("--timed-rows", type=int, default=10_000, help="of the times")
    parser.add_argument("--shown", type=int, default=25, help="lines of the table of times")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    with one_thread(), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        parts = [*agreement(options), f"Times: {CLOCKS[options.clock]}.", *costs(options)]
    page = "\n\n".join([machine_line(options.clock), *parts])
    print(page)
    for path in options.into:
        put(path, "errors", page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
