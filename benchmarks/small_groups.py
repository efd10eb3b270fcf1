"""How often intervals of shrunk groups hold.

    python benchmarks/small_groups.py --draws 100 --into docs/coverage_studies.md

Recall in crossed groups of 8 to 60 positive rows. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put

import skmetrics_ext as sx

HEADER = [
    "recall of the groups",
    "covers",
    "raw covers",
    "width, of raw",
    "error, of raw",
    "bad group",
]
SHAPE = (6, 4)
KINDS = ("additive", "additive and normal, 0.05", "one bad group", "skewed")


def truths(rng: Any, kind: str) -> np.ndarray:
    """Recall of each group."""
    recall = 0.8 + np.linspace(-0.08, 0.08, SHAPE[0])[:, None] + np.linspace(-0.06, 0.06, SHAPE[1])
    recall = recall.ravel()
    if kind == KINDS[1]:
        recall = recall + rng.normal(0, 0.05, len(recall))
    elif kind == KINDS[2]:
        recall[9] -= 0.35
    elif kind == KINDS[3]:
        recall = recall + 0.08 - rng.exponential(0.08, len(recall))
    return np.clip(recall, 0.05, 0.98)


def simulate(kind: str, n_draws: int) -> list[str]:
    """The row of a population."""
    rng, found = np.random.default_rng(2), []
    first, second = np.divmod(np.arange(SHAPE[0] * SHAPE[1]), SHAPE[1])
    for _ in range(n_draws):
        recall, rows = truths(rng, kind), rng.integers(8, 61, len(first))
        cell = np.repeat(np.arange(len(first)), rows)
        pred = (rng.random(len(cell)) < recall[cell]).astype(int)
        by = {"a": first[cell], "b": second[cell]}
        about: dict[str, Any] = {"pos_label": 1, "labels": [0, 1]}
        y = np.ones(len(cell), dtype=int)
        table = sx.compute_metrics(["recall"], y, pred, by=by, intervals=True, **about)
        for row in table.shrunk("recall"):
            a, b = row["group"]
            true = recall[a * SHAPE[1] + b]
            ends = np.array([row["low"], row["high"], row["raw_low"], row["raw_high"]])
            found.append(
                [
                    ends[0] <= true <= ends[1],
                    ends[2] <= true <= ends[3],
                    ends[1] - ends[0],
                    ends[3] - ends[2],
                    (row["value"] - true) ** 2,
                    (row["raw"] - true) ** 2,
                    a * SHAPE[1] + b == 9,
                ]
            )
    held = np.array(found, dtype=float)
    mean = held.mean(axis=0)
    bad = f"{100 * held[held[:, 6] == 1, 0].mean():.0f} %" if kind == KINDS[2] else ""
    ratios = f"{mean[2] / mean[3]:.2f}", f"{(mean[4] / mean[5]) ** 0.5:.2f}"
    return [kind, f"{100 * mean[0]:.1f} %", f"{100 * mean[1]:.1f} %", *ratios, bad]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=100, help="samples of each population")
    parser.add_argument("--into", type=Path, help="page to write the table to")
    options = parser.parse_args()
    text = markdown(HEADER, (simulate(kind, options.draws) for kind in KINDS))
    print(text)
    if options.into:
        put(options.into, "small groups", text)


if __name__ == "__main__":
    main()
