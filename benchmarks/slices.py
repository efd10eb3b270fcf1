"""How honest weak_slices is, how much it finds, and what it costs.

    python benchmarks/slices.py
    python benchmarks/slices.py --sets 50 --only "^f1" --into docs/coverage_studies.md

Data sets of 12 columns of 5 values: without a weak slice, the share with any find, which is to be
at most alpha = 0.05; with a planted slice of two columns, the share in which it is found first.
Then the time of all slices of up to two of 20 columns of 8 values over 300,000 rows, over that of
one call of scikit-learn's f1_score on the rows. Prints Markdown.
"""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any

import numpy as np
from options import race_parser
from output import machine_line, markdown, put, seconds, three_digits
from timing import Entrant, Ratio, one_thread, race

N_COLUMNS, N_VALUES = 12, 5
PLANTED = {"c0": 1, "c3": 2}
_OF_SCORES = ("roc_auc", "log_loss")
METRICS = ("accuracy", "f1", "f1_macro", "matthews_corrcoef", *_OF_SCORES)
# Rows, share of positives, how often a label is right, whether values are of unequal frequency.
NULLS = (
    (2000, 0.5, 0.85, False),
    (2000, 0.1, 0.95, False),
    (4000, 0.3, 0.9, True),
)
SIZES = (2000, 3000, 5000)


def columns(rng: np.random.Generator, n: int, unequal: bool = False) -> dict[str, np.ndarray]:
    """Columns that have nothing to do with each other, nor with the labels."""
    shares = 0.5 ** np.arange(N_VALUES) if unequal else np.ones(N_VALUES)
    size = (N_COLUMNS, n)
    codes = rng.choice(N_VALUES, size=size, p=shares / shares.sum())
    return {f"c{i}": one for i, one in enumerate(codes)}


def null_set(
    rng: np.random.Generator, about: tuple[int, float, float, bool]
) -> dict[str, np.ndarray]:
    """Predictions that are as good everywhere."""
    n, positives, right, unequal = about
    y = (rng.random(n) < positives).astype(int)
    logit = 2.0 * (rng.normal(size=n) + 2.0 * y - 1.0) + np.log(positives / (1 - positives))
    return {
        **columns(rng, n, unequal),
        "true": y,
        "pred": np.where(rng.random(n) < right, y, 1 - y),
        "score": 1 / (1 + np.exp(-logit)),
    }


def planted_set(rng: np.random.Generator, n: int) -> dict[str, np.ndarray]:
    """Labels right with 0.85, in one slice 0.55; scores that know as much."""
    data = columns(rng, n)
    weak = np.all([data[name] == value for name, value in PLANTED.items()], axis=0)
    y = rng.integers(0, 2, n)
    pred = np.where(rng.random(n) < np.where(weak, 0.55, 0.85), y, 1 - y)
    # By Bayes' rule what a label that is right with 0.85 says, blurred.
    score = 1 / (1 + np.exp(-np.log(0.85 / 0.15) * (2 * pred - 1) - rng.normal(0, 0.5, n)))
    return {**data, "true": y, "pred": pred, "score": score}


def search(data: dict[str, np.ndarray], metric: str) -> Any:
    """The weak slices by one metric."""
    from skmetrics_ext import weak_slices

    response = {"score": "score"} if metric in _OF_SCORES else {"pred": "pred"}
    names = [name for name in data if name.startswith("c")]
    return weak_slices(data, true="true", metric=metric, columns=names, **response)


def shares(
    make: Callable[[np.random.Generator], dict[str, np.ndarray]],
    hit: Callable[[Any], bool],
    metrics: Iterable[str],
    n_sets: int,
    seed: int,
) -> list[float]:
    """Of so many data sets, how many are a hit by each metric."""
    hits = dict.fromkeys(metrics, 0)
    for k in range(n_sets):
        data = make(np.random.default_rng([seed, k]))
        for metric in hits:
            hits[metric] += hit(search(data, metric))
    return [number / n_sets for number in hits.values()]


def is_first(found: Any) -> bool:
    return bool(found.rows) and found.rows[0].slice == PLANTED


def honesty(metrics: list[str], n_sets: int) -> str:
    """Shares of data sets with any find."""
    found = []
    for place, about in enumerate(NULLS):
        make = partial(null_set, about=about)
        found.append(shares(make, lambda one: bool(one.rows), metrics, n_sets, place))
    heads = [
        f"{n:,} rows, {100 * positives:g} % positive, right in {100 * right:g} %"
        f"{', values of unequal frequency' if unequal else ''}"
        for n, positives, right, unequal in NULLS
    ]
    lines = zip(metrics, *found, strict=True)
    return markdown(
        ["metric", *heads],
        ([f"`{name}`", *(f"{100 * share:.1f} %" for share in own)] for name, *own in lines),
    )


def power(metrics: list[str], n_sets: int) -> str:
    """Shares of data sets in which the planted slice stands first."""
    found = [shares(partial(planted_set, n=n), is_first, metrics, n_sets, 100 + n) for n in SIZES]
    lines = zip(metrics, *found, strict=True)
    return markdown(
        ["metric", *(f"{n:,} rows, {n // N_VALUES**2} in the slice" for n in SIZES)],
        ([f"`{name}`", *(f"{100 * share:.1f} %" for share in own)] for name, *own in lines),
    )


def costs(metrics: list[str], options: argparse.Namespace) -> str:
    """Time of a search, in calls of scikit-learn's f1_score on the same rows."""
    from sklearn.metrics import f1_score

    rng, n = np.random.default_rng(0), options.rows
    data = {f"c{i}": codes for i, codes in enumerate(rng.integers(0, 8, (20, n)))}
    made = null_set(rng, (n, 0.3, 0.9, False))
    data |= {name: made[name] for name in ("true", "pred", "score")}
    lines = []
    for metric in metrics:
        calls = {
            "ours": Entrant(partial(search, data, metric)),
            "theirs": Entrant(partial(f1_score, data["true"], data["pred"])),
        }
        times = race(calls, rounds=options.rounds, seconds=options.seconds, clock=options.clock)
        ratio = Ratio.of(times["ours"], times["theirs"]).median
        took = seconds(float(np.median(times["ours"])))
        lines.append([f"`{metric}`", took, three_digits(ratio)])
    return markdown(["metric", "time", "calls of `f1_score`"], lines)


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = race_parser(__doc__, "slices", rounds=3)
    parser.add_argument("--sets", type=int, default=200, help="data sets of each kind")
    parser.add_argument("--only", help="metrics whose names match")
    parser.add_argument("--rows", type=int, default=300_000, help="of the times")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    metrics = [name for name in METRICS if options.only is None or re.search(options.only, name)]
    with one_thread():
        parts = [
            f"Without a weak slice: the share of {options.sets} data sets with any find, which is "
            f"to be at most 5 %; chance alone moves it by {(0.0475 / options.sets) ** 0.5:.1%}.",
            honesty(metrics, options.sets),
            "Labels right with 0.85, in one slice of two columns with 0.55: the share of "
            f"{options.sets} data sets in which it stands first.",
            power(metrics, options.sets),
            f"All slices of up to two of 20 columns of 8 values, {options.rows:,} rows.",
            costs(metrics, options),
            machine_line(options.clock),
        ]
    page = "\n\n".join(parts)
    print(page)
    for path in options.into:
        put(path, "slices", page)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
