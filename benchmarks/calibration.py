"""How often intervals of calibration and of decision curves hold the truth.

    python benchmarks/calibration.py
    python benchmarks/calibration.py --draws 1000 --into docs/coverage_studies.md

Events follow the line a + b * logit(p) of a model's probabilities p, so that slope and intercept
are known; the isotonic line and its consistency band are those of a calibrated model. With groups,
rows of a group share a normal effect. Decision curves are those of `bands.py`, of a model and of
one with noise added. Prints Markdown.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from bands import Population
from output import markdown, put
from scipy.special import expit, ndtri

import skmetrics_ext as sx
from skmetrics_ext.inference.calibration_intervals import consistency_band
from skmetrics_ext.metrics.calibration.decomposition import isotonic

SLOPE, INTERCEPT, LARGE = 0.8, 0.3, 0.4
AT = np.linspace(0.05, 0.95, 19)
THRESHOLDS = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6)
NOISE = 0.7


class Forecasts(NamedTuple):
    """Rows, mean log odds, and rows of a group."""

    n_rows: int
    centre: float
    per_group: int = 1

    def draw(self, rng: np.random.Generator, line: Callable[[Any], Any]) -> tuple[Any, Any, Any]:
        """Events, probabilities and groups of one sample."""
        group = np.arange(self.n_rows) // self.per_group
        noise = rng.normal(size=self.n_rows)
        if self.per_group > 1:  # half of what decides an event is the group's
            noise = np.sqrt(0.5) * (noise + rng.normal(size=group[-1] + 1)[group])
        x = rng.normal(self.centre, 1.2, self.n_rows)
        event = noise < ndtri(expit(line(x)))
        return event.astype(np.int64), expit(x), group if self.per_group > 1 else None


FORECASTS = (
    Forecasts(50, 0.0),
    Forecasts(100, -2.2),
    Forecasts(200, -3.2),
    Forecasts(500, 0.0),
    Forecasts(2000, -2.2),
    Forecasts(120, 0.0, per_group=6),
    Forecasts(600, 0.0, per_group=6),
)
DECISIONS = (
    Population(100, 0.4, 1.3),
    Population(300, 0.1, 2.0),
    Population(1000, 0.4, 1.3),
    Population(1000, 0.4, 1.3, per_group=5),
)


def of_lines(forecasts: Forecasts, n_draws: int) -> list[Any]:
    """Share of samples in which each interval holds its coefficient, and the band the line."""
    rng, held, noted = np.random.default_rng(0), [], []
    inside = []
    for _ in range(n_draws):
        event, proba, group = forecasts.draw(rng, lambda x: INTERCEPT + SLOPE * x)
        moved, same, of_same = forecasts.draw(rng, lambda x: LARGE + x)
        if min(event.mean(), moved.mean()) in (0, 1):
            continue
        line = sx.calibration_slope_intercept(event, proba, labels=[0, 1], groups=group)
        large = sx.calibration_slope_intercept(moved, same, labels=[0, 1], groups=of_same)
        pairs = (line.slope, SLOPE), (line.intercept, INTERCEPT), (large.in_the_large, LARGE)
        held.append([estimate.low <= truth <= estimate.high for estimate, truth in pairs])
        noted.append(bool(line.slope.note))
        event, proba, group = forecasts.draw(rng, lambda x: x)
        distinct, _, fit = isotonic(proba, event.astype(np.int64), None)
        drawn = np.interp(AT, distinct, fit)
        places, *bounds = consistency_band(proba, event, None, group, 0.95)
        low, high = (np.interp(AT, places, bound) for bound in bounds)
        inside.append(np.mean((low - 1e-12 <= drawn) & (drawn <= high + 1e-12)))
    shares = [100 * share for share in (*np.mean(held, axis=0), np.mean(inside))]
    groups = f"{forecasts.n_rows // forecasts.per_group} groups" if forecasts.per_group > 1 else ""
    chances = expit(np.random.default_rng(1).normal(forecasts.centre, 1.2, 100_000))
    facts = f"{forecasts.n_rows:,}", f"{chances.mean():.0%}", groups
    return [*facts, *(f"{share:.1f}" for share in shares), f"{100 * np.mean(noted):.0f}"]


def of_decisions(population: Population, n_draws: int) -> list[Any]:
    """Share of thresholds at which an interval holds a net benefit, and a difference of two."""
    rng, single, both = np.random.default_rng(0), [], []
    apart = population.apart / np.hypot(1, NOISE)
    other = population._replace(apart=apart)
    at = np.array(THRESHOLDS)
    truth = population.truth("net_benefit", at)
    gap = truth - other.truth("net_benefit", at)
    for _ in range(n_draws):
        true, score, group = population.draw(rng)
        noisy = (score + NOISE * rng.normal(size=len(score))) / np.hypot(1, NOISE)
        models = population.chance(score), other.chance(noisy)
        for k, threshold in enumerate(THRESHOLDS):
            metric = partial(sx.net_benefit, threshold=threshold, standardized=True)
            found = sx.confidence_interval(metric, true, models[0], groups=group)
            single.append(found.low <= truth[k] / population.share <= found.high)
            metric = partial(sx.net_benefit, threshold=threshold)
            found = sx.compare(metric, true, *models, groups=group)
            both.append(found.low <= gap[k] <= found.high)
    groups = population.n_rows // population.per_group if population.per_group > 1 else None
    named = f"{groups} groups" if groups else ""
    facts = f"{population.n_rows:,}", f"{population.share:.0%}", named
    return [*facts, f"{100 * np.mean(single):.1f}", f"{100 * np.mean(both):.1f}"]


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--draws", type=int, default=1000, help="samples (default 1000)")
    parser.add_argument("--into", type=Path, help="page to write the tables into")
    options = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    lines = [of_lines(forecasts, options.draws) for forecasts in FORECASTS]
    head = ["rows", "events", "", "slope", "intercept", "in the large", "band", "with a note"]
    of_curves = [of_decisions(population, options.draws) for population in DECISIONS]
    second = ["rows", "events", "", "standardized net benefit", "difference of two models"]
    text = f"{markdown(head, lines)}\n\n{markdown(second, of_curves)}"
    print(text)
    if options.into:
        put(options.into, "calibration", text)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
