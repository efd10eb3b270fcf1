"""Chosen thresholds: how often their intervals hold, and guarantees.

    python benchmarks/chosen_thresholds.py
    python benchmarks/chosen_thresholds.py --repeats 1000
    python benchmarks/chosen_thresholds.py --guaranteed --repeats 1000

Scores of both classes are normal with equal spread, so that the best threshold and every rate at
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
    from skmetrics_ext import optimal_threshold

    n_rows, share, apart = case
    best = GRID[truth(criterion, GRID, share, apart).argmax()]
    found = []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        true = (rng.random(n_rows) < share).astype(np.int64)
        score = rng.normal(size=n_rows) + apart * true
        told = optimal_threshold(
            true, score, criterion=criterion, n_resamples=draws, random_state=0, interval=True
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


# Constraint, rows, share of positives, distance of the classes, rows in a group, unequal weights.
GUARANTEED = (
    *((("precision", ">=", 0.8), n, 0.3, 1.5, 1, False) for n in (300, 600, 3000, 20000)),
    *((("precision", ">=", 0.8), n, 0.1, 2.1, 1, False) for n in (600, 3000, 20000)),
    (("precision", ">=", 0.8), 3000, 0.3, 1.5, 1, True),
    *((("precision", ">=", 0.8), n, 0.3, 1.5, 5, False) for n in (3000, 20000)),
    *((("negative_predictive_value", ">=", 0.9), n, 0.3, 1.5, 1, False) for n in (600, 3000)),
    *((("specificity", ">=", 0.9), n, 0.3, 1.5, 1, False) for n in (100, 600, 20000)),
    (("recall", ">=", 0.8), 600, 0.1, 1.5, 1, False),
    (("specificity", ">=", 0.9), 3000, 0.3, 1.5, 5, False),
    *((("expected_cost", "<=", 0.5), n, 0.3, 1.5, 1, False) for n in (600, 3000)),
    *((("net_benefit", ">=", 0.12), n, 0.3, 1.5, 1, False) for n in (600, 3000)),
    (
        (("precision", ">=", 0.7), ("recall", ">=", 0.4)),
        *(3000, 0.3, 1.5, 1, False),
    ),
)
COST = (1.0, 3.0)
# The criterion that is largest at the laxest threshold.
LAX = {"recall": "specificity", "negative_predictive_value": "specificity"}


def rates(at: float, share: float, apart: float) -> dict[str, float]:
    """What constraints bound, in the population."""
    tp, fp = share * ndtr(apart - at), (1 - share) * ndtr(-at)
    fn, tn = share - tp, 1 - share - fp
    return {
        "precision": tp / (tp + fp) if tp else 1.0,
        "recall": tp / share,
        "specificity": tn / (1 - share),
        "negative_predictive_value": tn / (tn + fn) if tn else 1.0,
        "expected_cost": COST[0] * fp + COST[1] * fn,
        "net_benefit": tp - COST[0] / COST[1] * fp,
    }


def guaranteed(case: tuple, repeats: int, confidence: float | None) -> list[str]:
    """Shares of samples with an answer and with the constraints kept, and the mean of a rate."""
    from skmetrics_ext import optimal_threshold
    from skmetrics_ext.thresholds.search import InfeasibleError

    constraint, n_rows, share, apart, size, weighted = case
    listed = [constraint] if isinstance(constraint[0], str) else list(constraint)
    lax = LAX.get(listed[0][0], "recall")
    options = {"cost": COST} if listed[0][0] in ("expected_cost", "net_benefit") else {}
    found = []
    for seed in range(repeats):
        rng = np.random.default_rng(seed)
        group = np.arange(n_rows) // size
        true = (rng.random(n_rows) < share)[group].astype(np.int64)
        within = 1.0 if size == 1 else 0.5  # of the variance of the scores of a class
        score = within**0.5 * rng.normal(size=n_rows) + apart * true
        score += (1 - within) ** 0.5 * rng.normal(size=n_rows)[group]
        if weighted:
            options["sample_weight"] = rng.gamma(2, size=n_rows)
        if confidence is not None and size > 1:
            options["groups"] = group
        try:
            chosen = optimal_threshold(
                true, score, criterion=lax, constraint=listed, confidence=confidence, **options
            )
        except InfeasibleError:
            found.append((False, True, np.nan))
            continue
        known = rates(chosen.threshold, share, apart)
        kept = all(
            known[name] >= bound if sign == ">=" else known[name] <= bound
            for name, sign, bound in listed
        )
        found.append((True, kept, known[lax]))
    answered, kept, value = np.array(found, dtype=np.float64).T
    right = kept[answered == 1].mean() if answered.any() else np.nan
    worth = np.nanmean(value) if answered.any() else np.nan
    shares = answered.mean(), right, 1 - kept.mean()
    return [*(f"{100 * one:.1f} %" for one in shares), f"{lax} {worth:.2f}"]


def table_of_guarantees(repeats: int) -> str:
    head = ["constraint", "rows", "positive", "rows in a group"]
    head += ["kept without `confidence=`", "at", "answer at 95 %", "kept where answered"]
    head += ["broken of all samples", "at"]
    lines = []
    for case in GUARANTEED:
        constraint, n_rows, share, _, size, weighted = case
        listed = [constraint] if isinstance(constraint[0], str) else constraint
        named = ", ".join(f"{name} {sign} {bound:g}" for name, sign, bound in listed)
        plain = guaranteed(case, min(repeats, 500), None)
        lines.append(
            [
                *(named, f"{n_rows:,}{', weights' * weighted}", f"{share:.0%}", str(size)),
                *(plain[1], plain[3], *guaranteed(case, repeats, 0.95)),
            ]
        )
    return markdown(head, lines)


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=300, help="samples (default 300)")
    parser.add_argument("--draws", type=int, default=499)
    parser.add_argument("--guaranteed", action="store_true", help="thresholds with confidence=")
    options = parser.parse_args(arguments)
    if options.guaranteed:
        print(table_of_guarantees(options.repeats))
        return 0
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
