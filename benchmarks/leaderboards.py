"""How often ranks, best sets and the winner's interval of a leaderboard hold.

    python benchmarks/leaderboards.py --draws 200 --into docs/coverage_studies.md

Models whose errors are correlated through the difficulty of a row, some of them exactly as good as
others. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put
from scipy.stats import norm

import skmetrics_ext as sx

HEADER = ["metric", "models", "rows", "all ranks", "best set", "winner", "winner, as if not chosen"]
SHARED = 0.7  # correlation of the scores of two models
POPULATIONS = {
    "5, equal": [1.2] * 5,
    "5, two best": [0.6, 0.9, 1.2, 1.5, 1.5],
    "10, three best": [0.4, 0.5, 0.6, 0.8, 0.9, 1.0, 1.1, 1.4, 1.4, 1.4],
}
ROWS = (200, 1000)


def draw(rng: Any, gains: np.ndarray, n: int) -> tuple[np.ndarray, dict[int, np.ndarray]]:
    """Classes of equal frequency, and scores of all models."""
    y = rng.integers(0, 2, n)
    noise = SHARED**0.5 * rng.normal(size=n) + (1 - SHARED) ** 0.5 * rng.normal(
        size=(len(gains), n)
    )
    return y, dict(enumerate(gains[:, None] * y + noise))


def truth(metric: str, gains: np.ndarray) -> np.ndarray:
    """The value of each model in the population."""
    if metric == "roc_auc":
        return norm.cdf(gains / 2**0.5)
    hits, false = norm.sf(0.5 - gains), norm.sf(0.5)
    return hits / 2 + norm.cdf(0.5) / 2 if metric == "accuracy" else 2 * hits / (hits + false + 1)


def simulate(metric: str, name: str, n: int, n_draws: int) -> list[str]:
    """The row of a population."""
    gains, rng, held = np.array(POPULATIONS[name]), np.random.default_rng(3), []
    true = truth(metric, gains)
    least = 1 + (true > true[:, None] + 1e-12).sum(axis=1)
    most = len(true) - (true < true[:, None] - 1e-12).sum(axis=1)
    for _ in range(n_draws):
        y, scores = draw(rng, gains, n)
        models = scores if metric == "roc_auc" else {k: s > 0.5 for k, s in scores.items()}
        board = sx.leaderboard(metric, y, models, n_resamples=4000)
        ranks = [r.rank_low <= least[r.model] and r.rank_high >= most[r.model] for r in board.rows]
        winner = board.rows[0].model
        naive = sx.confidence_interval(metric, y, models[winner])
        held.append(
            [
                all(ranks),
                set(np.flatnonzero(least == 1)) <= {row.model for row in board.best()},
                board.winner.low <= true[winner] <= board.winner.high,
                naive.low <= true[winner] <= naive.high,
            ]
        )
    shares = [f"{100 * share:.1f} %" for share in np.mean(held, axis=0)]
    return [f"`{metric}`", name, f"{n:,}", *shares]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=200, help="samples of each population")
    parser.add_argument("--into", type=Path, help="page to write the table to")
    options = parser.parse_args()
    metrics = ("accuracy", "f1", "roc_auc")
    cases = [(m, name, n) for m in metrics for name in POPULATIONS for n in ROWS]
    text = markdown(HEADER, (simulate(*case, options.draws) for case in cases))
    print(text)
    if options.into:
        put(options.into, "leaderboards", text)


if __name__ == "__main__":
    main()
