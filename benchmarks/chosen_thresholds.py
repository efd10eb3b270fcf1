"""How often the intervals of `optimal_threshold_interval` hold what they are of.

    python benchmarks/chosen_thresholds.py
    python benchmarks/chosen_thresholds.py --repeats 1000

Scores of both classes are normal with equal spread, so that the best threshold and the criterion at
any threshold are known. Prints Markdown.
"""

from __future__ import annotations

import argparse

import numpy as np
from output import markdown
from scipy.special import ndtr

CASES = (
    *((100, 0.5, 1.3), (300, 0.4, 1.3), (1000, 0.4, 1.3), (300, 0.1, 2.0), (1000, 0.1, 2.0)),
    *((120, 0.5, 2.66), (600, 0.1, 2.66)),  # an area of 0.97, and 60 positives
)
GRID = np.linspace(-3, 5, 8001)


def truth(criterion: str, at: np.ndarray, share: float, apart: float) -> np.ndarray:
    """The criterion in the population."""
    recall, rest = ndtr(apart - at), ndtr(-at)
    if criterion == "youden":
        return recall - rest
    return 2 * share * recall / (share * recall + (1 - share) * rest + share)


def covered(criterion: str, case: tuple[int, float, float], repeats: int, draws: int) -> list[str]:
    from skmetrics_ext import optimal_threshold_interval

    n_rows, share, apart = case
    best = GRID[truth(criterion, GRID, share, apart).argmax()]
    found = []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        true = (rng.random(n_rows) < share).astype(np.int64)
        score = rng.normal(size=n_rows) + apart * true
        told = optimal_threshold_interval(
            true, score, criterion=criterion, n_resamples=draws, random_state=0
        )
        worth = truth(criterion, told.chosen.threshold, share, apart)
        place, value = told.threshold, told.value
        found.append(
            [
                place.low <= best <= place.high,
                value.low <= worth <= value.high,
                told.chosen.value - worth,
                value.value - worth,
                bool(place.note),
            ]
        )
    means = np.array(found, dtype=np.float64).mean(axis=0)
    shares = [f"{100 * mean:.1f}" for mean in means[:2]]
    return [*shares, *(f"{mean:+.4f}" for mean in means[2:4]), f"{100 * means[4]:.0f} %"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=300, help="samples (default 300)")
    parser.add_argument("--draws", type=int, default=499)
    options = parser.parse_args(arguments)
    head = ["criterion", "rows", "positive", "area", "holds the best threshold", "holds the value"]
    head += ["chosen value too large by", "honest value too large by", "noted"]
    lines = [
        [
            *(criterion, f"{case[0]:,}", f"{case[1]:.0%}", f"{ndtr(case[2] / 2**0.5):.2f}"),
            *covered(criterion, case, options.repeats, options.draws),
        ]
        for criterion in ("youden", "f1")
        for case in CASES
    ]
    print(markdown(head, lines))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
