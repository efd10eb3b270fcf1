"""How often intervals of risk against coverage hold the truth, into docs/coverage_studies.md.

    python benchmarks/abstention.py --draws 300 --into docs/coverage_studies.md

Errors are drawn with a probability that falls with the confidence; the truth is the value of
200,000 rows. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put
from scipy.special import expit

import skmetrics_ext as sx

NAMES = "aurc", "augrc", "e_aurc"
# Errors among the least and the most confident rows, as log odds; decimals of the confidence.
POPULATIONS = {
    "20 % errors": (0.0, -3.0, 6),
    "5 % errors": (-1.5, -5.0, 6),
    "tied confidence": (0.5, -3.0, 1),
    "useless confidence": (-1.4, -1.4, 6),
}
SIZES = 100, 400, 2000


def rows(rng: Any, n: int, first: float, last: float, decimals: int) -> tuple[Any, Any, Any]:
    """Labels, predictions and two confidences, of which the second is noisier."""
    certain = rng.random(n)
    wrong = rng.random(n) < expit(first + (last - first) * certain)
    noisy = certain + 0.5 * rng.random(n)
    return np.zeros(n, int), wrong.astype(int), (np.round(certain, decimals), noisy)


def tables(n_draws: int) -> list[list[str]]:
    """Share of intervals that hold the truth, by population and size."""
    rng, lines = np.random.default_rng(0), []
    for kind, population in POPULATIONS.items():
        y, pred, both = rows(rng, 200_000, *population)
        truth = {name: [getattr(sx, name)(y, pred, confidence=c) for c in both] for name in NAMES}
        for n in SIZES:
            held = np.zeros(2 * len(NAMES))
            for _ in range(n_draws):
                drawn, own, each = rows(rng, n, *population)
                for place, name in enumerate(NAMES):
                    values = truth[name]
                    found = sx.confidence_interval(name, drawn, own, confidence=each[0])
                    held[place] += found.low <= values[0] <= found.high
                    gap = sx.compare(name, drawn, own, own, confidence=each)
                    held[place + 3] += gap.low <= values[0] - values[1] <= gap.high
            lines.append([kind, f"{n:,}", *(f"{100 * h / n_draws:.1f}" for h in held)])
    return lines


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=300, help="samples of each kind")
    parser.add_argument("--into", type=Path, nargs="+", default=[], metavar="PAGE")
    options = parser.parse_args()
    heads = ["population", "rows", *NAMES, *(f"difference of {name}" for name in NAMES)]
    intro = f"Share of 95 % intervals that hold the truth in {options.draws:,} samples, in %:"
    text = f"{intro}\n\n{markdown(heads, tables(options.draws))}"
    print(text)
    for page in options.into:
        put(page, "abstention", text)


if __name__ == "__main__":
    main()
