"""How often intervals from few labels and a judge hold the truth, into docs/coverage_studies.md.

    python benchmarks/labels.py --draws 60 --into docs/coverage_studies.md

5,000 rows, of which 100, 300 or 1,000 have a person's label and all have a judge's. Two
populations: 40 % positive with a judge who is right in 90 %, and 10 % positive with one who is
right in 95 %. All metrics of two classes that are one number and have influence values. The truth
is the value of 400,000 rows. Prints Markdown.
"""

from __future__ import annotations

import argparse
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put

import skmetrics_ext as sx
from skmetrics_ext.inference.notes import MAY_MISS, NO_SPREAD

N_ROWS, SIZES = 5000, (100, 300, 1000)
POPULATIONS = ((0.4, 0.9), (0.1, 0.95))
PARAMS: dict[str, Any] = {
    "net_benefit": {"threshold": 0.3},
    "fbeta_score": {"beta": 2},
    "partial_roc_auc_score": {"fpr_range": (0, 0.3)},
}


def rows(rng: Any, n: int, prevalence: float, right: float) -> dict[str, Any]:
    """True labels, those of a judge, predicted labels and probabilities."""
    true = (rng.random(n) < prevalence).astype(int)
    x = rng.normal(1.6 * true, 1.0)
    odds = np.log(prevalence / (1 - prevalence)) + 1.6 * x - 1.28
    chance = 1 / (1 + np.exp(-odds))
    judge = np.where(rng.random(n) < right, true, 1 - true)
    return {"true": true, "judge": judge, "labels": (chance > prevalence).astype(int), "p": chance}


def response(name: str, data: dict[str, Any]) -> Any:
    return data["labels" if sx.METRICS[name].response == "labels" else "p"]


def smooth_metrics() -> dict[str, float]:
    """Names with values of the first population, of metrics that partly labelled rows can have."""
    data, found = rows(np.random.default_rng(1), 400, *POPULATIONS[0]), {}
    human = np.where(np.arange(400) < 100, data["true"], np.nan)
    for name in sx.METRICS:
        try:
            sx.METRICS[name].function(data["true"], response(name, data), **PARAMS.get(name, {}))
            estimate = sx.confidence_interval(
                name, human, response(name, data), proxy=data["judge"], **PARAMS.get(name, {})
            )
        except (ValueError, TypeError):
            continue
        if np.isfinite(estimate.low + estimate.high):
            found[name] = estimate.value
    return found


def truths(names: list[str], population: tuple[float, float]) -> dict[str, float]:
    """Values of many rows."""
    large = rows(np.random.default_rng(2), 400_000, *population)
    return {
        name: sx.METRICS[name].function(
            large["true"], response(name, large), **PARAMS.get(name, {})
        )
        for name in names
    }


def draw(held: Any, rng: Any, population: tuple[float, float], truth: dict[str, float]) -> None:
    """Add one sample: whether an interval has a warning, holds the truth, and its width."""
    data, order = rows(rng, N_ROWS, *population), rng.permutation(N_ROWS)
    for n in SIZES:
        human, seen = np.where(order < n, data["true"], np.nan), order < n
        for name, value in truth.items():
            pred, params = response(name, data), PARAMS.get(name, {})
            found = sx.confidence_interval(name, human, pred, proxy=data["judge"], **params)
            plain = found
            if "worth" in found.note:
                plain = sx.confidence_interval(name, data["true"][seen], pred[seen], **params)
            is_clear = MAY_MISS not in found.note and NO_SPREAD not in found.note
            width = (found.high - found.low) / (plain.high - plain.low)
            held[name, n].append((is_clear, found.low <= value <= found.high, width))


def table_of(held: Any, names: list[str]) -> list[list[str]]:
    """For each metric and number of labels, coverage without a warning and relative width."""
    table = []
    for name in names:
        row = [name]
        for n in SIZES:
            is_clear, hit, width = np.array(held[name, n]).T
            clear = is_clear == 1
            share = f"{100 * hit[clear].mean():.1f}" if 4 * clear.sum() >= len(hit) else "noted"
            row += [share, f"{np.median(width):.2f}"]
        table.append(row)
    return table


def page_of(held: Any, names: list[str]) -> str:
    """The table, with its summary and the misses."""
    table, n_draws = table_of(held, names), len(held[names[0], SIZES[0]])
    heads = ["metric", *(f"{n:,}: {what}" for n in SIZES for what in ("coverage", "width"))]
    shares = np.array([[float(c) if c != "noted" else np.nan for c in row[1::2]] for row in table])
    error = 100 * (0.95 * 0.05 / n_draws) ** 0.5
    low = [
        f"{row[0]} at {n:,} ({share:.1f})"
        for row, each in zip(table, shares, strict=True)
        for n, share in zip(SIZES, each, strict=True)
        if share < 93 - error
    ]
    known = shares[np.isfinite(shares)]
    inside = np.mean((known >= 93 - error) & (known <= 98 + error))
    lower = ", ".join(low) or "none"
    return (
        f"Share of 95 % intervals without a warning that hold the truth, in %, and their median "
        f"width as a multiple of that of the labels alone; {n_draws} samples, Monte Carlo error "
        f"{error:.1f} points. Median coverage {np.median(known):.1f} %; {100 * inside:.0f} % of "
        f"the cells are from 93 to 98, give or take this error. Lower: {lower}.\n\n"
        f"{markdown(heads, table)}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=60, help="samples of each population")
    parser.add_argument("--metrics", nargs="+", default=None, help="default: all that apply")
    parser.add_argument("--into", type=Path, nargs="+", default=[], metavar="PAGE")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    names = options.metrics or list(smooth_metrics())
    held: Any = defaultdict(list)
    for population in POPULATIONS:
        truth, rng = truths(names, population), np.random.default_rng(0)
        for _ in range(options.draws):
            draw(held, rng, population, truth)
    text = page_of(held, names)
    print(text)
    for page in options.into:
        put(page, "labels", text)


if __name__ == "__main__":
    main()
