"""How often intervals of equalized odds hold.

    python benchmarks/fairness.py --draws 200 --into docs/coverage_studies.md

Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from output import markdown, put

import skmetrics_ext as sx

HEADER = ["true positive rates", "groups", "truth", "covers", "as if not chosen"]
RATES = {
    "equal": [0.8] * 3,
    "equal, of many": [0.8] * 8,
    "one lower by 0.2": [0.8, 0.8, 0.6],
    "two lower by 0.2": [0.8, 0.8, 0.8, 0.6, 0.6],
}
FALSE, ROWS = 0.2, 100


def simulate(name: str, n_draws: int) -> list[str]:
    """The row of a population."""
    rng, rates = np.random.default_rng(4), np.array(RATES[name])
    truth, held = float(np.ptp(rates)), []
    group = np.repeat(np.arange(len(rates)), ROWS)
    y = np.arange(len(group)) % 2
    for _ in range(n_draws):
        pred = (rng.random(len(y)) < np.where(y == 1, rates[group], FALSE)).astype(int)
        table = sx.compute_metrics(["recall"], y, pred, by={"group": group}, intervals=True)
        found = table.equalized_odds()
        values = [table.row("recall", k).value for k in range(len(rates))]
        a, b = int(np.argmax(values)), int(np.argmin(values))
        hits = [values[k] * ROWS / 2 for k in (a, b)]
        error = sum(h * (ROWS / 2 - h) / (ROWS / 2) ** 3 for h in hits) ** 0.5
        gap = values[a] - values[b]
        held.append([found.low <= truth <= found.high, abs(gap - truth) <= 1.96 * error])
    shares = [f"{100 * share:.1f} %" for share in np.mean(held, axis=0)]
    return [name, str(len(rates)), f"{truth:.1f}", *shares]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200, help="samples of each population")
    parser.add_argument("--into", type=Path, help="page to write the table to")
    options = parser.parse_args()
    text = markdown(HEADER, (simulate(name, options.draws) for name in RATES))
    print(text)
    if options.into:
        put(options.into, "fairness", text)


if __name__ == "__main__":
    main()
