"""How often intervals of several readers and cases hold.

    python benchmarks/readers.py --draws 400 --into docs/coverage_studies.md

Studies of Roe & Metz (1997, Academic Radiology 4(4), 298-303): the score of a case is the sum of
effects of the reader, the case and their combinations with the model, which are normal. The area is
known in closed form, F1 at a threshold from many readers. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from output import markdown, put
from scipy.stats import norm

import skmetrics_ext as sx

HEADER = ["readers", "cases", "difference", "one model", "readers taken as fixed"]
METRICS = ("roc_auc", "f1")
GAINS = np.array([1.2, 1.7])  # distance of both classes, by model
THRESHOLD = 0.6
DESIGNS = [
    (3, 25, 25, 1.0),
    (5, 25, 25, 1.0),
    (3, 50, 100, 1.0),
    (5, 50, 100, 1.0),
    (5, 50, 100, 0.6),
]


class Effects(NamedTuple):
    """Variances: reader, reader by model, case, case by model, reader by case, error."""

    reader: float
    by_model: float
    case: float
    case_by_model: float
    reader_by_case: float
    error: float


SETTINGS = [
    Effects(0.0055, 0.0055, 0.3, 0.3, 0.2, 0.2),
    Effects(0.0055, 0.0055, 0.1, 0.1, 0.2, 0.6),
    Effects(0.056, 0.03, 0.3, 0.3, 0.2, 0.2),
]


def study(rng: Any, effects: Effects, n_readers: int, n_pos: int, n_neg: int, read: float) -> Any:
    """Truth, scores of both models, case and reader, in long form."""
    truth = np.repeat([1, 0], [n_pos, n_neg])
    n = len(truth)
    sd = np.sqrt(effects)
    score = GAINS[:, None, None] * truth + np.zeros((2, n_readers, n))
    score += rng.normal(0, sd[0], (1, n_readers, 2))[:, :, truth]
    score += rng.normal(0, sd[1], (2, n_readers, 2))[:, :, truth]
    score += rng.normal(0, sd[2], n) + rng.normal(0, sd[3], (2, 1, n))
    score += rng.normal(0, sd[4], (n_readers, n)) + rng.normal(0, sd[5], (2, n_readers, n))
    reader, case = np.divmod(np.arange(n_readers * n), n)
    kept = rng.random(len(case)) < read
    first, second = score.reshape(2, -1)[:, kept]
    return truth[case[kept]], first, second, case[kept], reader[kept]


def truths(effects: Effects, metric: str, share: float) -> np.ndarray:
    """The mean of the metric over all readers, by model."""
    within = sum(effects[2:])
    between = effects.reader + effects.by_model
    if metric == "roc_auc":
        return norm.cdf(GAINS / np.sqrt(2 * (within + between)))
    rng = np.random.default_rng(0)
    shift = rng.normal(0, between**0.5, (2, 1_000_000))
    hits = norm.sf((THRESHOLD - GAINS[:, None] - shift[0]) / within**0.5)
    false = norm.sf((THRESHOLD - shift[1]) / within**0.5)
    return (2 * share * hits / (share * hits + (1 - share) * false + share)).mean(axis=1)


def simulate(metric: str, design: Any, n_draws: int) -> list[str]:
    """The row of a design: the share of studies whose interval holds, over all settings."""
    n_readers, n_pos, n_neg, read = design
    rng, held = np.random.default_rng(1), []
    for effects in SETTINGS:
        truth = truths(effects, metric, n_pos / (n_pos + n_neg))
        for _ in range(n_draws):
            y, a, b, case, reader = study(rng, effects, *design)
            if metric == "f1":
                a, b = a > THRESHOLD, b > THRESHOLD
            of = {"groups": case, "readers": reader}
            both = sx.compare(metric, y, b, a, **of)
            one = sx.confidence_interval(metric, y, a, **of)
            fixed = [float(end) for end in both.note.split("[")[-1].rstrip("]").split(", ")]
            found = [(both.low, both.high), (one.low, one.high), fixed]
            right = truth[1] - truth[0], truth[0], truth[1] - truth[0]
            held.append([low <= t <= high for (low, high), t in zip(found, right, strict=True)])
    shares = [f"{100 * share:.1f} %" for share in np.mean(held, axis=0)]
    cases = f"{n_pos} + {n_neg}" + f", {100 * read:.0f} % each" * (read < 1)
    return [f"`{metric}`, {n_readers}", cases, *shares]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400, help="studies of each setting")
    parser.add_argument("--into", type=Path, help="page to write the table to")
    options = parser.parse_args()
    rows = (simulate(m, design, options.draws) for m in METRICS for design in DESIGNS)
    text = markdown(HEADER, rows)
    print(text)
    if options.into:
        put(options.into, "readers", text)


if __name__ == "__main__":
    main()
