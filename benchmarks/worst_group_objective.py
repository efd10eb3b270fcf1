"""Which model `get_scorer(..., worst_of=)` chooses, where noise in small groups may decide.

    python benchmarks/worst_group_objective.py --repeats 2000

Model A is right more often than B in the worst group of the population. Prints Markdown.
"""

from __future__ import annotations

import argparse

import numpy as np
from output import markdown

# Name of the case; rows of each group, and the share of right answers of A and of B there.
CASES = (
    ("worst group of 400 rows", (400, 400, 400), (0.85, 0.85, 0.80), (0.90, 0.90, 0.75)),
    ("and two of 10 rows", (400, 400, 400, 10, 10), (0.85, 0.85, 0.80, 0.85, 0.85), None),
    ("and five of 10 rows", (400, 400, 400, *[10] * 5), (0.85, 0.85, 0.80, *[0.85] * 5), None),
    ("worst group of 60 rows", (400, 400, 60), (0.85, 0.85, 0.80), (0.90, 0.90, 0.65)),
    ("worst group of 15 rows", (400, 400, 15), (0.85, 0.85, 0.80), (0.90, 0.90, 0.60)),
    ("no difference in the worst group", (400, 400, 400), (0.90, 0.90, 0.75), (0.85, 0.85, 0.75)),
)
OPTIONS = ({}, {"min_rows": 30}, {"worst_of_bound": True})


def chosen(case: tuple, repeats: int) -> list[str]:
    """How often A has the higher score, by the options of the scorer; half for a tie."""
    from skmetrics_ext import get_scorer
    from skmetrics_ext.questions import Rows

    _, sizes, right_a, right_b = case
    if right_b is None:  # better in every large group but the worst one
        right_b = (0.90, 0.90, 0.75, *[0.85] * (len(sizes) - 3))
    region = np.repeat(np.arange(len(sizes)), sizes)
    scorers = [get_scorer("accuracy", worst_of="region", **options) for options in OPTIONS]
    better = np.zeros((repeats, len(OPTIONS)))
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        y = rng.integers(0, 2, len(region))
        scores = []
        for right in (right_a, right_b):
            is_right = rng.random(len(region)) < np.repeat(right, sizes)
            rows = Rows(y, {"predict": np.where(is_right, y, 1 - y)}, np.array([0, 1]))
            scores.append([scorer.evaluate(rows, region=region) for scorer in scorers])
        better[seed] = (np.sign(np.subtract(*scores)) + 1) / 2
    return [f"{100 * mean:.0f} %" for mean in better.mean(axis=0)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2000)
    repeats = parser.parse_args().repeats
    rows = [[case[0], *chosen(case, repeats)] for case in CASES]
    print(markdown(["accuracy of A is higher in the", "worst_of", "min_rows=30", "bound"], rows))


if __name__ == "__main__":
    main()
