"""How often bands of curves hold the curve: at a point on average, and all of it at once.

    python benchmarks/bands.py
    python benchmarks/bands.py --repeats 2000 --into docs/coverage_studies.md

Scores of both classes are normal, one standard deviation or more apart, so that the true curves
are known; with groups, rows of a group share a part of their score. Prints Markdown.
"""

from __future__ import annotations

import argparse
import warnings
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from output import markdown, put
from scipy.special import ndtr, ndtri

POINTS = {
    "sensitivity_at_specificity": None,
    "precision_at_recall": None,
    "recall": np.linspace(-1.0, 2.5, 50),
    "f1": np.linspace(-1.0, 2.5, 50),
    "net_benefit": np.arange(1, 61) / 100,
}


class Population(NamedTuple):
    """Rows, share of positives, distance of the classes, and rows of a group."""

    n_rows: int
    share: float
    apart: float
    per_group: int = 1

    def draw(self, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, Any]:
        """Labels, scores and groups of one sample."""
        true = (rng.random(self.n_rows) < self.share).astype(np.int64)
        group = np.arange(self.n_rows) // self.per_group
        noise = rng.normal(size=self.n_rows)
        if self.per_group > 1:
            shared = rng.normal(size=group[-1] + 1)[group]
            noise = np.sqrt(0.5) * (noise + shared)
        return true, noise + self.apart * true, group if self.per_group > 1 else None

    def chance(self, score: np.ndarray) -> np.ndarray:
        """Probability of the positive class at a score."""
        odds = self.share / (1 - self.share) * np.exp(self.apart * (score - self.apart / 2))
        return odds / (1 + odds)

    def truth(self, metric: str, at: np.ndarray) -> np.ndarray:
        """The curve."""
        share, apart = self.share, self.apart
        if metric == "sensitivity_at_specificity":
            return ndtr(apart - ndtri(at))
        if metric == "precision_at_recall":
            right, wrong = share * at, (1 - share) * ndtr(-(apart - ndtri(at)))
            return right / (right + wrong)
        if metric == "net_benefit":
            odds = at / (1 - at)
            cut = apart / 2 + np.log(odds * (1 - share) / share) / apart
            return share * ndtr(apart - cut) - (1 - share) * ndtr(-cut) * odds
        recall, rest = ndtr(apart - at), ndtr(-at)
        if metric == "recall":
            return recall
        return 2 * share * recall / (share * recall + (1 - share) * rest + share)


POPULATIONS = (
    Population(100, 0.4, 1.3),
    Population(300, 0.4, 1.3),
    Population(300, 0.1, 2.0),
    Population(1000, 0.4, 1.3),
    Population(1000, 0.1, 2.5),
    Population(1000, 0.4, 1.3, per_group=5),
)


def covered(
    metric: str, population: Population, repeats: int, draws: int, told: Callable[..., Any]
) -> Iterator[list[float]]:
    """At a point with "pointwise", at all points with "simultaneous", and its mean width."""
    for seed in np.random.SeedSequence(7).spawn(repeats):
        true, score, groups = population.draw(np.random.default_rng(seed))
        given = population.chance(score) if metric == "net_benefit" else score
        about = {"at": POINTS[metric], "groups": groups, "random_state": 0, "n_resamples": draws}
        point = told(metric, true, given, **about)
        every = told(metric, true, given, band="simultaneous", **about)
        truth, together = (population.truth(metric, band.at) for band in (point, every))
        inside = (point.low <= truth) & (truth <= point.high)
        whole = (every.low <= together) & (together <= every.high)
        quiet = np.array([not note for note in every.notes])
        yield [
            float(inside.mean()),
            float(whole.all()),
            float((whole | ~quiet).all()),
            float(np.mean(every.high - every.low)),
        ]


def page(options: argparse.Namespace) -> str:
    from skmetrics_ext import curve_band

    lines = []
    for metric in POINTS:
        if options.only and options.only not in metric:
            continue
        for own in POPULATIONS:
            found = np.array(
                list(covered(metric, own, options.repeats, options.draws, curve_band))
            ).mean(axis=0)
            groups = f"{own.n_rows // own.per_group} groups" if own.per_group > 1 else ""
            about = [metric, f"{own.n_rows:,}", f"{own.share:.0%}", f"{own.apart:g}", groups]
            lines.append(
                [*about, *(f"{100 * share:.1f}" for share in found[:3]), f"{found[3]:.3f}"]
            )
    head = ["curve", "rows", "positive", "apart", "", "pointwise", "all points"]
    head += ["all without a note", "width"]
    error = 100 * np.sqrt(0.95 * 0.05 / options.repeats)
    told = (
        f"Bands of `curve_band` at 95 %, {options.repeats:,} samples each: per cent of points in "
        "the pointwise band, and of samples with all points in the simultaneous one, and with all "
        f"of those that bear no note; its mean width. Chance alone moves them by {error:.1f}."
    )
    return "\n\n".join([told, markdown(head, lines)])


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=500, help="samples (default 500)")
    parser.add_argument("--draws", type=int, default=1999, help="of the largest error")
    parser.add_argument("--only", help="curves whose names hold this")
    parser.add_argument("--into", nargs="*", default=[], help="pages to write the table into")
    options = parser.parse_args(arguments)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = page(options)
    print(found)
    for path in options.into:
        put(path, "bands", found)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
