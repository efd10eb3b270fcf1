"""How often pooled intervals hold.

    python benchmarks/pooling.py --draws 1000 --into docs/coverage_studies.md

Sites report the recall of one model among 20 to 200 positive rows each, and its standard error.
Imputations fill in a third of the true labels from a covariate. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put
from scipy.special import expit

import skmetrics_ext as sx

HEADER = ["what", "pooled", "fixed effect, or one imputation", "a further site"]
SITES = (4, 7, 15)
SPREADS = {"sites that hardly differ": 0.1, "sites that differ": 0.5}
CENTRE = 1.4  # log odds of recall


def of_sites(n_sites: int, spread: float, n_draws: int) -> list[str]:
    """Shares of samples whose intervals of the mean hold, and the prediction interval."""
    rng, held = np.random.default_rng(n_sites), []
    for _ in range(n_draws):
        logits = rng.normal(CENTRE, spread, n_sites + 1)
        rows = rng.integers(20, 201, n_sites)
        hits = rng.binomial(rows, expit(logits[:-1]))
        odds = np.log((hits + 0.5) / (rows - hits + 0.5))
        pairs = list(zip(odds, np.sqrt(1 / (hits + 0.5) + 1 / (rows - hits + 0.5)), strict=True))
        random, fixed = sx.pool(pairs), sx.pool(pairs, how="fixed")
        low, high = random.prediction
        held.append(
            [
                random.low <= CENTRE <= random.high,
                fixed.low <= CENTRE <= fixed.high,
                low <= logits[-1] <= high,
            ]
        )
    return [f"{100 * share:.1f} %" for share in np.mean(held, axis=0)]


def of_imputations(m: int, n_rows: int, n_draws: int) -> list[str]:
    """The share of samples whose pooled interval of the accuracy holds; of one imputation alone."""
    rng, held, truth = np.random.default_rng(m), [], 0.8
    for _ in range(n_draws):
        right = rng.random(n_rows) < truth
        seen = rng.random(n_rows) < 2 / 3
        estimates = []
        for _ in range(m):  # a draw of the share from its posterior, then of the missing rows
            share = rng.beta(1 + right[seen].sum(), 1 + (~right[seen]).sum())
            filled = np.where(seen, right, rng.random(n_rows) < share).mean()
            estimates.append((filled, (filled * (1 - filled) / n_rows) ** 0.5))
        pooled = sx.pool(estimates, how="imputations", n_rows=n_rows)
        value, error = estimates[0]
        held.append([pooled.low <= truth <= pooled.high, abs(value - truth) <= 1.96 * error])
    return [f"{100 * share:.1f} %" for share in np.mean(held, axis=0)]


def rows(n_draws: int) -> Any:
    for name, spread in SPREADS.items():
        for n_sites in SITES:
            yield [f"{n_sites} {name}", *of_sites(n_sites, spread, n_draws)]
    for m in (5, 20):
        yield [f"{m} imputations of 150 rows", *of_imputations(m, 150, n_draws), ""]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000, help="samples of each row")
    parser.add_argument("--into", type=Path, help="page to write the table to")
    options = parser.parse_args()
    text = markdown(HEADER, rows(options.draws))
    print(text)
    if options.into:
        put(options.into, "pooling", text)


if __name__ == "__main__":
    main()
