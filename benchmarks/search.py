"""What `search_report` says of the best of many candidates, beside what is true.

    python benchmarks/search.py simulation          # 12 scenarios; half an hour
    python benchmarks/search.py real                # data of scikit-learn, large held-out parts
    python benchmarks/search.py cost
    python benchmarks/search.py simulation --only 1 2 --repetitions 100
    python benchmarks/search.py simulation --into docs/coverage_studies.md

Out-of-fold scores are drawn directly, so that nothing is fitted: normal in each class, with errors
that candidates share in part. What the rows add to a value is found for all candidates at once; a
test holds it to what `search_report` finds of such scores. Prints Markdown.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put
from scipy.special import expit, logit, ndtr, ndtri
from scipy.stats import binom
from search_real import cost, real
from timing import one_thread

from skmetrics_ext.inference.selection import (
    CandidateNoise,
    StabilisedScale,
    corrected,
    corrected_value,
    from_best,
)
from skmetrics_ext.report.search.search_report import Scaled

LEVEL, DRAWS = 0.95, 1000
FURTHER = 5  # times as many samples for the bias as for coverage
BOUNDS = {"auc": (0.0, 1.0), "accuracy": (0.0, 1.0), "f1": (0.0, 1.0), "log loss": (-np.inf, 0.0)}


@dataclass(frozen=True)
class Scenario:
    """A search: how many rows and candidates, how good and how alike these are."""

    metric: str
    n: int
    p: int
    true: str  # equal, unequal, or a grid
    shared: float = 0.0  # of the errors of candidates
    repeats: int = 1
    prevalence: float = 0.5
    repetitions: int = 1000
    n_folds: int = 5

    def told(self) -> list[str]:
        shared = f", {self.shared:g} shared" if self.shared else ""
        folds = f"{self.repeats} x {self.n_folds}" if self.repeats > 1 else str(self.n_folds)
        return [self.metric, f"{self.n:,}", folds, f"{self.p} {self.true}{shared}"]


SCENARIOS = (
    Scenario("auc", 100, 50, "equal"),
    Scenario("auc", 300, 50, "equal"),
    Scenario("auc", 300, 50, "unequal"),
    Scenario("auc", 300, 50, "equal", shared=0.8),
    Scenario("auc", 200, 30, "unequal", shared=0.5, repeats=5),
    Scenario("auc", 3000, 500, "unequal", shared=0.5, repetitions=200),
    Scenario("accuracy", 100, 10, "equal"),
    Scenario("accuracy", 500, 100, "grid", shared=0.9),
    Scenario("f1", 300, 50, "unequal", prevalence=0.3),
    Scenario("f1", 1000, 10, "equal", shared=0.5, prevalence=0.3),
    Scenario("log loss", 300, 50, "unequal", shared=0.5),
    Scenario("log loss", 1000, 200, "unequal", shared=0.8, repetitions=400),
)


# --------------------------------------------------------------------------- drawing


def distances(one: Scenario, rng: np.random.Generator) -> np.ndarray:
    """How far apart the classes are in the scores of each candidate, (p,)."""
    area = np.full(one.p, 0.75)
    if one.true == "unequal":
        area = area + 0.02 * rng.normal(size=one.p)
    elif one.true == "grid":
        area = area - 0.2 * (np.linspace(-1, 1, one.p) - 0.2) ** 2
    return np.sqrt(2) * ndtri(area)


def folds_of(one: Scenario, true: np.ndarray, rng: np.random.Generator) -> list[list[np.ndarray]]:
    """Rows of the stratified folds of each repetition."""
    found = []
    for _ in range(one.repeats):
        number = np.empty(len(true), dtype=np.int64)
        for label in (0, 1):
            own = rng.permutation(np.flatnonzero(true == label))
            number[own] = np.arange(len(own)) % one.n_folds
        found.append([np.flatnonzero(number == k) for k in range(one.n_folds)])
    return found


def errors_of(one: Scenario, rng: np.random.Generator) -> np.ndarray:
    """Errors (n, p) of variance 1 that candidates share, all alike or with their neighbours."""
    own = rng.normal(size=(one.n, one.p))
    if one.true != "grid":
        common = rng.normal(size=(one.n, 1))
        return np.sqrt(one.shared) * common + np.sqrt(1 - one.shared) * own
    for k in range(1, one.p):
        own[:, k] = one.shared * own[:, k - 1] + np.sqrt(1 - one.shared**2) * own[:, k]
    return own


def sample(
    one: Scenario, far: np.ndarray, rng: np.random.Generator
) -> tuple[np.ndarray, list[tuple[np.ndarray, np.ndarray]]]:
    """True labels, and rows and scores (m, p) of each fold."""
    true = (np.arange(one.n) < round(one.prevalence * one.n)).astype(np.int64)
    stays, found = errors_of(one, rng), []
    for folds in folds_of(one, true, rng):
        errors = stays
        if one.repeats > 1:  # other training sets say something else of a row
            errors = np.sqrt(0.7) * stays + np.sqrt(0.3) * rng.normal(size=stays.shape)
        scores = far * true[:, None] + errors
        found += [(rows, scores[rows]) for rows in folds]
    return true, found


# --------------------------------------------------------------------------- values and parts


def of_fold(
    one: Scenario, far: np.ndarray, true: np.ndarray, scores: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Values (p,), what rows add (m, p), and the classes within which they do."""
    alone = np.zeros(len(true), dtype=np.int64)
    if one.metric == "auc":
        value, added = _area(true, scores)
        return value, added, true
    if one.metric == "log loss":
        proba = expit(far * scores - far**2 / 2 + logit(one.prevalence))
        loss = -np.log(np.where(true[:, None] == 1, proba, 1 - proba))
        return -loss.mean(axis=0), (loss.mean(axis=0) - loss) / len(true), alone
    pred = scores > far / 2
    if one.metric == "accuracy":
        right = (pred == (true[:, None] == 1)).astype(float)
        return right.mean(axis=0), (right - right.mean(axis=0)) / len(true), alone
    hit = pred & (true[:, None] == 1)
    size = pred.sum(axis=0) + true.sum()  # 2 TP + FP + FN
    value = 2 * hit.sum(axis=0) / size
    wrong = pred ^ (true[:, None] == 1)
    return value, ((2 - 2 * value) * hit - value * wrong) / size, alone


def _area(true: np.ndarray, scores: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Areas, and the placements of rows among those of the other class less the area."""
    rank = np.argsort(np.argsort(scores, axis=0), axis=0)
    parts, sizes = np.empty(scores.shape), np.bincount(true)
    for label in (0, 1):
        own = rank[true == label]
        within = np.argsort(np.argsort(own, axis=0), axis=0)
        below = (own - within) / sizes[1 - label]
        parts[true == label] = below if label else 1 - below
    area = parts[true == 1].mean(axis=0)
    return area, (parts - area) / sizes[true][:, None]


def truth(one: Scenario, far: np.ndarray) -> np.ndarray:
    """What each candidate is worth: the mean of its values on folds of this size."""
    if one.metric == "auc":
        return ndtr(far / np.sqrt(2))
    if one.metric == "accuracy":
        return ndtr(far / 2)
    if one.metric == "log loss":
        z, width = np.linspace(-8, 8, 4001), 16 / 4000
        density = np.exp(-(z**2) / 2) / np.sqrt(2 * np.pi) * width
        odds = far[:, None] * z - far[:, None] ** 2 / 2 + logit(one.prevalence)
        up = odds + far[:, None] ** 2  # of positives, whose scores are `far` higher
        gain = one.prevalence * -np.logaddexp(0, -up) + (1 - one.prevalence) * -np.logaddexp(
            0, odds
        )
        return gain @ density
    m = one.n // one.n_folds
    positive = round(one.prevalence * m)
    return np.interp(far, *_worth(positive, m - positive))


@cache
def _worth(positive: int, negative: int) -> tuple[np.ndarray, np.ndarray]:
    """Mean F1 of so many rows by the distance of the classes, exactly."""
    far = np.linspace(0.4, 1.8, 57)
    hit, false = np.arange(positive + 1)[:, None], np.arange(negative + 1)
    value = 2 * hit / (hit + false + positive)
    found = [
        binom.pmf(hit, positive, rate).T @ value @ binom.pmf(false, negative, 1 - rate)
        for rate in ndtr(far / 2)
    ]
    return far, np.array(found).reshape(-1)


def means_and_parts(
    one: Scenario, far: np.ndarray, true: np.ndarray, folds: list[tuple[np.ndarray, np.ndarray]]
) -> tuple[np.ndarray, np.ndarray]:
    """Mean values over folds (p,), and what each row adds to them (n, p)."""
    found = [of_fold(one, far, true[rows], scores) for rows, scores in folds]
    values = np.mean([value for value, _, _ in found], axis=0)
    parts = np.zeros((one.n, one.p))
    for (rows, _), (value, added, label) in zip(folds, found, strict=True):
        share = 1 / np.bincount(label)[label]
        parts[rows] += (added + np.outer(share, value - values)) / len(folds)
    return values, parts * np.sqrt(one.n / (one.n - 1))


# --------------------------------------------------------------------------- the study


@dataclass(frozen=True)
class Found:
    """Of one sample: errors of the three values, and whether intervals and the set hold."""

    naive: float
    corrected: float
    bootstrap: float
    covers: float = np.nan
    plain: float = np.nan
    holds: float = np.nan
    size: float = np.nan


def simulate(one: Scenario, seed: int) -> Iterator[Found]:
    """Samples of a scenario; the last ones, which are cheap, have values alone."""
    rng = np.random.default_rng([seed, 7])
    far = distances(one, rng) if one.true != "unequal" else None
    stable = StabilisedScale(BOUNDS[one.metric], one.n)
    scaled = Scaled(stable, LEVEL, is_of_rows=True)
    for number in range(FURTHER * one.repetitions):
        own = distances(one, rng) if far is None else far
        worth = truth(one, own)
        true, folds = sample(one, own, rng)
        values, parts = means_and_parts(one, own, true, folds)
        noise, best = CandidateNoise.of(parts), int(values.argmax())
        there, its_noise, chosen = stable.to(values), stable.noise(values, noise), worth[best]
        double = corrected_value(there, best, its_noise.antithetic_draws(rng, DRAWS), size=1.0)
        three = [values[best] - chosen, 0.0, float(stable.back(np.asarray(double))) - chosen]
        if number >= one.repetitions:
            value = corrected_value(there, best, its_noise.antithetic_draws(rng, DRAWS))
            three[1] = float(stable.back(np.asarray(value))) - chosen
            yield Found(*three)
            continue
        found = corrected(there, its_noise, rng, DRAWS)
        three[1] = float(stable.back(np.asarray(found.value))) - chosen
        low, high = stable.back(found.value + found.away * np.array([-1, 1]))
        apart = from_best(values, noise, noise.draws(rng, DRAWS), LEVEL)
        error = float(np.sqrt(noise.covariance[best, best]))
        naive_low, naive_high = scaled.interval(float(values[best]), error)
        yield Found(
            *three,
            float(low <= chosen <= high),
            float(naive_low <= chosen <= naive_high),
            float(apart.as_good[int(worth.argmax())]),
            float(apart.as_good.mean()),
        )


def study(one: Scenario, seed: int) -> list[str]:
    """The line of a scenario."""
    found = np.array([list(vars(each).values()) for each in simulate(one, seed)], dtype=float)
    mean, count = np.nanmean(found, axis=0), len(found)
    spread = found[:, :3].std(axis=0, ddof=1) / np.sqrt(count)
    naive, value, double = mean[:3]
    return [
        *one.told(),
        f"{naive:+.4f}",
        f"{double:+.4f}",
        f"**{value:+.4f}** ± {spread[1]:.4f}",
        f"{value / naive:+.2f}",
        f"{100 * mean[4]:.1f}",
        f"**{100 * mean[3]:.1f}**",
        f"{100 * mean[5]:.1f}",
        f"{100 * mean[6]:.0f}",
        f"{count:,}, {one.repetitions:,}",
    ]


HEAD = (
    "metric", "rows", "folds", "candidates", "bias of `best_score_`", "of the bootstrap",
    "corrected", "ratio", "coverage around `best_score_`, %", "corrected, %",
    "set holds the best, %", "in the set, %", "samples",
)  # fmt: skip


def simulation(options: argparse.Namespace) -> str:
    lines = []
    for number, one in enumerate(SCENARIOS, start=1):
        if options.only and number not in options.only:
            continue
        if options.repetitions:
            one = replace(one, repetitions=options.repetitions)
        start = time.perf_counter()
        lines.append([str(number), *study(one, number)])
        print(*lines[-1], f"{time.perf_counter() - start:.0f} s", sep=" | ", flush=True)
    return markdown(["", *HEAD], lines)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("part", choices=PARTS)
    parser.add_argument("--only", type=int, nargs="*", help="numbers of scenarios")
    parser.add_argument("--repetitions", type=int, help="samples of each")
    parser.add_argument("--into", type=Path, help="page with markers for the table")
    options = parser.parse_args()
    with one_thread():
        table = PARTS[options.part](options)
    print(table)
    if options.into:
        put(options.into, f"search {options.part}", table + "\n")


PARTS: dict[str, Any] = {"simulation": simulation, "real": real, "cost": cost}

if __name__ == "__main__":
    main()
