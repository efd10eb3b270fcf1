"""Whether planned sample sizes have the width of the interval, or the power of the test.

    python benchmarks/sample_sizes.py --draws 1000 --into docs/coverage_studies.md

Each plan assumes a value; samples of that many rows are drawn from a population that has it, and
the interval or the test is that of this package. Prints Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from output import markdown, put
from scipy.special import expit
from scipy.stats import norm

import skmetrics_ext as sx
from skmetrics_ext.metrics.calibration.recalibration import observed_expected_ratio

Draw = Callable[[np.random.Generator, int], tuple[Any, Any]]
HEADER = ["plan", "rows", "asked", "mean", "samples that keep it"]


def labels(rng: Any, n: int, right: float, share: float = 0.5) -> tuple[Any, Any]:
    """Predicted labels that are right with some probability."""
    true = rng.random(n) < share
    return true.astype(int), np.where(rng.random(n) < right, true, ~true).astype(int)


def scores(rng: Any, n: int, area: float, share: float, ratio: float = 1.0) -> tuple[Any, Any]:
    """Scores that are normal in both classes; the ratio is that of their standard deviations."""
    true = (rng.random(n) < share).astype(int)
    apart = norm.ppf(area) * np.sqrt(1 + ratio**2)
    return true, np.where(true == 1, apart + ratio * rng.normal(size=n), rng.normal(size=n))


def probabilities(rng: Any, n: int, mean: float, sd: float) -> tuple[Any, Any]:
    """Calibrated probabilities, whose log odds are normal."""
    chance = expit(rng.normal(mean, sd, size=n))
    return (rng.random(n) < chance).astype(int), chance


class Plan(NamedTuple):
    """Rows that were planned, what was asked, and one sample's answer to it."""

    title: str
    rows: int
    asked: float
    answer: Callable[[np.random.Generator, int], float]
    is_width: bool = True


def widths(title: str, metric: Any, value: float, width: float, draw: Draw, **options: Any) -> Plan:
    def answer(rng: np.random.Generator, n: int) -> float:
        estimate = sx.confidence_interval(metric, *draw(rng, n))
        return estimate.high - estimate.low

    n = sx.sample_size(metric, value=value, width=width, **options).n
    return Plan(title, n, width, answer)


def slopes(title: str, width: float, mean: float, sd: float) -> Plan:
    def answer(rng: np.random.Generator, n: int) -> float:
        slope = sx.calibration_slope_intercept(*probabilities(rng, n, mean, sd)).slope
        return slope.high - slope.low

    logits = norm.ppf((np.arange(10**5) + 0.5) / 10**5, mean, sd)
    n = sx.sample_size(sx.calibration_slope_intercept, logits=logits, width=width).n
    return Plan(title, n, width, answer)


def two_samples(
    title: str, metric: str, value: float, draw: Callable[..., Any], key: str, **options: Any
) -> Plan:
    """Two samples, the second of which has the value less the difference."""
    difference = options.get("difference", 0.0)
    claim = {key: options[key] for key in ("margin", "alternative") if key in options}

    def answer(rng: np.random.Generator, n: int) -> float:
        first = draw(rng, n, **{key: value})
        second = draw(rng, n, **{key: value - difference})
        return float(sx.compare_samples(metric, *first, *second, **claim).concluded)

    n = sx.sample_size(metric, value=value, samples=2, **options).n
    return Plan(title, n, 0.8, answer, is_width=False)


def plans() -> list[Plan]:
    rare = {"area": 0.8, "share": 0.05}
    even = {"area": 0.8, "share": 0.3}
    wide = {**even, "ratio": 2.0}
    found = [
        widths("accuracy 0.8", "accuracy", 0.8, 0.1, partial(labels, right=0.8)),
        widths("accuracy 0.98", "accuracy", 0.98, 0.04, partial(labels, right=0.98)),
        widths("recall 0.9, 20 % positive", "recall", 0.9, 0.1,
               partial(labels, right=0.9, share=0.2), prevalence=0.2),
        widths("ratio of observed to expected", observed_expected_ratio, 1.0, 0.4,
               partial(probabilities, mean=-2, sd=1),
               prevalence=float(expit(norm.ppf((np.arange(10**5) + 0.5) / 10**5, -2, 1)).mean())),
        slopes("calibration slope, log odds of mean -2 and deviation 1", 0.4, -2, 1),
        slopes("calibration slope, log odds of mean 0 and deviation 2", 0.3, 0, 2),
    ]  # fmt: skip
    for method in ("newcombe", "hanley_mcneil", "obuchowski"):
        for name, population in (
            ("30 % positive", even),
            ("5 % positive", rare),
            ("30 % positive, deviations 2 and 1", wide),
        ):
            title = f'area 0.8, {name}, "{method}"'
            options = {"prevalence": population["share"], "method": method}
            draw = partial(scores, **population)
            found.append(widths(title, "roc_auc", 0.8, 0.1, draw, **options))
    right, area = partial(labels), partial(scores, share=0.3)
    return [
        *found,
        two_samples("accuracies 0.85 and 0.8", "accuracy", 0.85, right, "right", difference=0.05),
        two_samples("accuracy 0.85 not lower by 0.05", "accuracy", 0.85, right, "right",
              margin=0.05, alternative="non-inferior"),
        two_samples("accuracy 0.85 within 0.05", "accuracy", 0.85, right, "right",
              margin=0.05, alternative="equivalent"),
        two_samples("areas 0.8 and 0.7, 30 % positive", "roc_auc", 0.8, area, "area",
              difference=0.1, prevalence=0.3),
    ]  # fmt: skip


def simulate(plan: Plan, n_draws: int) -> list[str]:
    """The row of a plan."""
    rng = np.random.default_rng(0)
    found = np.array([plan.answer(rng, plan.rows) for _ in range(n_draws)])
    found = found[~np.isnan(found)]
    if not plan.is_width:
        return [plan.title, f"2 x {plan.rows:,}", "power 0.8", f"{found.mean():.3f}", ""]
    kept = f"{100 * np.mean(found <= plan.asked):.0f} %"
    return [plan.title, f"{plan.rows:,}", f"width {plan.asked:g}", f"{found.mean():.3f}", kept]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=1000, help="samples of each plan")
    parser.add_argument("--into", type=Path, help="page to write the table to")
    options = parser.parse_args()
    text = markdown(HEADER, (simulate(plan, options.draws) for plan in plans()))
    print(text)
    if options.into:
        put(options.into, "sample sizes", text)


if __name__ == "__main__":
    main()
