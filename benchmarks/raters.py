"""How often intervals of agreement of raters hold the truth, into docs/coverage_studies.md.

    python benchmarks/raters.py --draws 300 --into docs/coverage_studies.md

Four raters who know the class of an item with the stated probability and guess otherwise; 30 % of
their ratings are missing. The truth is the value of 100,000 items. Prints Markdown.
"""

from __future__ import annotations

import argparse
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put

import skmetrics_ext as sx

METRICS: list[tuple[str, dict[str, Any]]] = [
    ("krippendorff_alpha", {}),
    ("krippendorff_alpha", {"level": "ordinal"}),
    ("gwet_ac1", {}),
    ("gwet_ac1", {"weights": "quadratic"}),
    ("fleiss_kappa", {}),
]
POPULATIONS = [(0.8, [0.25] * 4), (0.6, [0.7, 0.15, 0.1, 0.05])]
SIZES = 20, 50, 200


def ratings(rng: Any, n: int, right: float, shares: list[float]) -> Any:
    """Ratings of n items by four raters."""
    true = rng.choice(4, n, p=shares)
    guess = rng.choice(4, (n, 4), p=shares)
    table = np.where(rng.random((n, 4)) < right, true[:, None], guess).astype(float)
    table[rng.random((n, 4)) < 0.3] = np.nan
    return table


def table_of(n_draws: int) -> list[list[str]]:
    """Share of intervals that hold the truth, by metric, population and number of items."""
    rng, rows = np.random.default_rng(0), []
    for name, params in METRICS:
        options = {"labels": [0, 1, 2, 3], **params}
        score = sx.METRICS[name + "_score"].function
        cells = []
        for population in POPULATIONS:
            truth = np.mean([score(ratings(rng, 20_000, *population), **options) for _ in range(5)])
            for n in SIZES:
                held = 0
                for _ in range(n_draws):
                    table = ratings(rng, n, *population)
                    found = sx.confidence_interval(name, table, **options)
                    held += found.low <= truth <= found.high
                cells.append(f"{100 * held / n_draws:.1f}")
        shown = ", ".join(f"{key}={value!r}" for key, value in params.items())
        rows.append([f"{name} {shown}".strip(), *cells])
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=300, help="samples of each kind")
    parser.add_argument("--into", type=Path, nargs="+", default=[], metavar="PAGE")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    kinds = "right 80 %, equal classes", "right 60 %, one class 70 %"
    heads = ["metric", *(f"{kind}: {n} items" for kind in kinds for n in SIZES)]
    intro = f"Share of 95 % intervals that hold the truth in {options.draws:,} samples, in %:"
    text = f"{intro}\n\n{markdown(heads, table_of(options.draws))}"
    print(text)
    for page in options.into:
        put(page, "raters", text)


if __name__ == "__main__":
    main()
