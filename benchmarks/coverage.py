"""How often the intervals of `confidence_interval` hold the true value, by simulation.

    python benchmarks/coverage.py               # the whole study, into docs/coverage.md
    python benchmarks/coverage.py --resume      # only what benchmarks/results/coverage.csv lacks
    python benchmarks/coverage.py --metrics f1_score roc_auc_score --repetitions 200 --out -

Every metric is simulated with the method that "auto" chooses, at a nominal level of 95 %. Labels
are drawn from a table whose cells are known, so the true value is that of the table. Scores are
normal in each class; their true values are those of a million rows. Intervals of bootstrapped
rankings are computed for many metrics from the same draws, by the functions that
`confidence_interval` calls for one; all others by `confidence_interval` itself.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import coverage_page as page
import numpy as np
from coverage_page import LEVEL, PREVALENCES, SIZES, Result

import skmetrics_ext as m
from skmetrics_ext.inference.draws.bootstrap import (
    BOOTSTRAP_METHODS,
    DrawPlan,
    acceleration,
    resample,
)
from skmetrics_ext.inference.draws.rankings import RankingSample
from skmetrics_ext.inference.draws.readers import sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.inference.methods import bounds_of_draws, methods_of
from skmetrics_ext.inference.notes import NO_INTERVAL

DRAWS, LARGE, RARE = 399, 1_000_000, 0.05
RESULTS = Path(__file__).parent / "results" / "coverage.csv"
OUT = Path(__file__).parents[1] / "docs" / "coverage.md"
# Of the repetitions, by how long one takes: for tables, and for scores at each size.
OF_TABLES = 1
SHARES = {"": (1, 1, 1), "drawn": (1, 1, 1), "slow": (0.1, 0.1, 0.05)}
SLOW = {"h_measure_score", "roc_auc_convex_hull_score", "expected_calibration_error"}
LEFT_OUT = {
    "confusion_matrix",
    "averaged_confusion",
    "brier_skill_score",  # equal to d2_brier_score
    "smooth_calibration_error",  # seconds for each sample
}


# --------------------------------------------------------------------------- populations


def priors(n_classes: int, prevalence: str) -> np.ndarray:
    """Shares of the classes; the last one is the rare one."""
    if prevalence == "balanced":
        return np.full(n_classes, 1 / n_classes)
    return np.append(np.full(n_classes - 1, (1 - RARE) / (n_classes - 1)), RARE)


def population(n_classes: int, prevalence: str) -> np.ndarray:
    """A table of shares: 80 % of each class are predicted right, 60 % of the rare one."""
    right = np.full(n_classes, 0.8)
    if prevalence == "rare":
        right[-1] = 0.6
    table = np.repeat((1 - right)[:, None] / (n_classes - 1), n_classes, axis=1)
    np.fill_diagonal(table, right)
    return priors(n_classes, prevalence)[:, None] * table


def draw_scores(
    rng: np.random.Generator, n_rows: int, n_classes: int, prevalence: str, response: str
) -> tuple[np.ndarray, np.ndarray]:
    """Labels, every class among them, and scores or the probabilities that fit them."""
    share = priors(n_classes, prevalence)
    true = rng.choice(n_classes, size=n_rows, p=share)
    while len(np.unique(true)) < n_classes:
        true = rng.choice(n_classes, size=n_rows, p=share)
    if n_classes == 2:
        score = rng.normal(size=n_rows) + 1.2 * true
        if response == "scores":
            return true, score
        odds = np.log(share[1] / share[0]) + 1.2 * score - 0.72
        return true, 1 / (1 + np.exp(-odds))
    score = rng.normal(size=(n_rows, n_classes)) + 1.5 * np.eye(n_classes)[true]
    if response == "scores":
        return true, score
    raised = share * np.exp(1.5 * score)
    return true, raised / raised.sum(axis=1, keepdims=True)


# --------------------------------------------------------------------------- cases


@dataclass(frozen=True)
class Case:
    """A metric with parameters on a number of classes."""

    name: str
    params: tuple[tuple[str, Any], ...]
    n_classes: int

    @property
    def spec(self) -> m.results.MetricSpec:
        return m.METRICS[self.name]

    @property
    def title(self) -> str:
        told = [f"{key}={value!r}" for key, value in self.params]
        return f"{self.name}({', '.join(told)})" if told else self.name

    @property
    def key(self) -> tuple[str, int]:
        return self.title, self.n_classes

    def read(self, true: Any, response: Any) -> Any:
        return sample_of_rows(self.spec.function, true, response, **dict(self.params))


def cases(wanted: list[str]) -> Iterator[Case]:
    """Every metric that gives a number, with the averages that it has."""
    for name, spec in m.METRICS.items():
        if name in LEFT_OUT or (wanted and name not in wanted):
            continue
        if name in ("prevalence", "detection_prevalence"):
            yield Case(name, (), 2)  # their means over classes are constants
            continue
        listed = [dict(v) for v in spec.variants.values() if v.get("average") != "samples"]
        if spec.tally == "ranks" and spec.interval != "logit":  # one point, one average
            listed = [v for v in listed if v == listed[0] or "target" in v]
        if spec.response == "labels" and {"average": "macro"} not in listed:
            listed += [{"average": "macro"}] if hasattr(spec.function, "rate") else []
        for variant in listed:
            params = tuple({**spec.params, **variant}.items())
            for n_classes in (2, 5):
                if accepts(name, params, n_classes):
                    yield Case(name, params, n_classes)


@cache
def accepts(name: str, params: tuple[tuple[str, Any], ...], n_classes: int) -> bool:
    """Whether a metric takes so many classes, and says something else than for two."""
    spec, options = m.METRICS[name], dict(params)
    if n_classes == 2 and ("multi_class" in options or options.get("target") == "classwise"):
        return False
    if n_classes == 2 and spec.response != "labels" and "average" in options:
        return False
    ranks = spec.tally == "ranks" and spec.interval != "logit"
    if n_classes == 5 and ranks and options.get("target") != "top_label":
        return False  # means over classes of bootstrapped metrics are left out: see the page
    if name == "top_k_accuracy_score" and n_classes == 2:
        return False
    rng = np.random.default_rng(0)
    true, response = draw_scores(rng, 60, n_classes, "balanced", spec.response)
    response = true if spec.response == "labels" else response
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            value = spec.function(true, response, **options)
    except ValueError:
        return False
    return np.ndim(value) == 0


def groups(listed: list[Case]) -> Iterator[tuple[list[Case], Callable[..., Iterator[Result]]]]:
    """Cases that are simulated together, and how; the slowest last."""
    shared: dict[tuple[str, ...], list[Case]] = {}
    alone: dict[str, list[Case]] = {"drawn": [], "slow": []}
    for case in listed:
        if case.spec.response == "labels":
            yield [case], of_labels
            continue
        speed, method = speed_of(case), method_of(case)
        if not speed:
            yield [case], of_scores
        elif isinstance(case.read(*few_rows(case)), RankingSample):
            shared.setdefault((speed, case.spec.response, method), []).append(case)
        else:
            alone[speed].append(case)
    for speed, left in alone.items():
        yield from ((together, of_draws) for key, together in shared.items() if key[0] == speed)
        yield from (([case], of_scores) for case in left)


@cache
def method_of(case: Case) -> str:
    return next(iter(methods_of(linearize(case.read(*few_rows(case))))))


@cache
def speed_of(case: Case) -> str:
    if method_of(case) not in BOOTSTRAP_METHODS:
        return ""
    return "slow" if case.name in SLOW else "drawn"


def few_rows(case: Case) -> tuple[Any, Any]:
    if case.spec.response == "labels":
        return np.divmod(np.arange(case.n_classes**2), case.n_classes)
    return draw_scores(np.random.default_rng(0), 50, case.n_classes, "balanced", case.spec.response)


# --------------------------------------------------------------------------- simulation


def holds(low: Any, high: Any, truth: float) -> np.ndarray:
    slack = 1e-9 * max(abs(truth), 1)
    return (np.asarray(low) <= truth + slack) & (truth - slack <= np.asarray(high))


def result(
    case: Case, method: str, prevalence: str, size: int, truth: float, bounds: Any, noted: Any
) -> Result:
    """Coverage from bounds, one of each repetition; those without bounds are left out."""
    low, high = np.asarray(bounds)
    known = ~np.isnan(low)
    hit, told = holds(low[known], high[known], truth), np.asarray(noted)[known]
    return Result(
        case.title,
        method,
        case.n_classes,
        prevalence,
        size,
        truth,
        float(hit.mean()),
        len(hit),
        float(told.mean()),
    )


def of_labels(listed: list[Case], prevalence: str, repetitions: int, seed: int) -> Iterator[Result]:
    (case,) = listed
    shares, n_classes = population(case.n_classes, prevalence), case.n_classes
    classes, options = np.arange(n_classes), dict(case.params)
    large = m.tallies.ConfusionTally(classes, np.rint(shares * LARGE).astype(np.int64))
    truth = float(m.confidence_interval(case.spec.function, large, **options).value)
    rng = np.random.default_rng([seed, n_classes, PREVALENCES.index(prevalence)])
    for size in SIZES:
        tables = rng.multinomial(size, shares.ravel(), size=int(OF_TABLES * repetitions))
        tables = tables.reshape(-1, n_classes, n_classes)
        tables = tables[(tables.sum(axis=-1) > 0).all(axis=-1)]
        found = [
            interval(case, m.tallies.ConfusionTally(classes, table), None, i)
            for i, table in enumerate(tables)
        ]
        low, high, noted = map(np.array, zip(*found, strict=True))
        yield result(case, method_of(case), prevalence, size, truth, (low, high), noted)


def interval(case: Case, true: Any, response: Any, seed: int) -> tuple[float, float, bool]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        one = m.confidence_interval(
            case.spec.function,
            true,
            response,
            n_resamples=DRAWS,
            random_state=seed,
            **dict(case.params),
        )
    return one.low, one.high, bool(one.note)


def truths(listed: list[Case], rng: np.random.Generator, prevalence: str) -> list[float]:
    first = listed[0]
    large = draw_scores(rng, LARGE, first.n_classes, prevalence, first.spec.response)
    return [float(case.spec.function(*large, **dict(case.params))) for case in listed]


def repeated(case: Case, repetitions: int) -> Iterator[tuple[int, int]]:
    """Sizes, and how many samples of each."""
    for size, share in zip(SIZES, SHARES[speed_of(case)], strict=True):
        yield size, max(int(share * repetitions), 1)


def of_scores(listed: list[Case], prevalence: str, repetitions: int, seed: int) -> Iterator[Result]:
    (case,) = listed
    spec, n_classes = case.spec, case.n_classes
    rng = np.random.default_rng([seed, n_classes, PREVALENCES.index(prevalence), 1])
    (truth,) = truths(listed, rng, prevalence)
    method = method_of(case)
    for size, n_samples in repeated(case, repetitions):
        found = []
        for i in range(n_samples):
            rows = draw_scores(rng, size, n_classes, prevalence, spec.response)
            found.append(interval(case, *rows, i))
        low, high, noted = zip(*found, strict=True)
        yield result(case, method, prevalence, size, truth, (low, high), noted)


@dataclass(frozen=True, eq=False)
class Joint(RankingSample):
    """Metrics of the same rankings, whose draws are tallied once."""

    readings: tuple[Any, ...] = ()

    @classmethod
    def of(cls, readings: list[Any]) -> Joint:
        first, values = readings[0], np.array([reading.value for reading in readings])
        return cls(first.metric, values, first.data, first.design, readings=tuple(readings))

    def statistic(self, counts: np.ndarray) -> np.ndarray:
        tally = self.tally(counts)
        return np.stack([reading.metric.read(tally) for reading in self.readings], axis=-1)


def of_draws(listed: list[Case], prevalence: str, repetitions: int, seed: int) -> Iterator[Result]:
    """Bootstrapped metrics of one ranking, all from the same draws of the same samples."""
    first = listed[0]
    rng = np.random.default_rng([seed, first.n_classes, PREVALENCES.index(prevalence), 2])
    true_values = truths(listed, rng, prevalence)
    method = method_of(first)
    for size, n_samples in repeated(first, repetitions):
        found = []
        for i in range(n_samples):
            rows = draw_scores(rng, size, first.n_classes, prevalence, first.spec.response)
            readings = [case.read(*rows) for case in listed]
            joint = Joint.of(readings)
            values = resample(joint, DrawPlan(DRAWS, random_state=i))
            skew = acceleration(joint) if method == "bca" else np.zeros(len(listed))
            told = [
                bounds_of_draws(linearize(reading), values[:, k], method, LEVEL, skew[k])
                for k, reading in enumerate(readings)
            ]
            found.append([(float(one.low), float(one.high), bool(one.notes)) for one in told])
        for case, truth, column in zip(listed, true_values, zip(*found, strict=True), strict=True):
            low, high, noted = zip(*column, strict=True)
            yield result(case, method, prevalence, size, truth, (low, high), noted)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--metrics", nargs="*", default=[], help="names of metrics; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--resume", action="store_true", help="leave out what was simulated before")
    parser.add_argument("--page", action="store_true", help="only write the page anew")
    parser.add_argument("--results", default=str(RESULTS), help="a CSV file of all numbers")
    parser.add_argument("--out", default=str(OUT), help="a file, or - for the screen")
    options = parser.parse_args()
    order = [case.key for case in cases([]) if case.spec.interval not in NO_INTERVAL]
    known = page.read(options.results)
    kept = {one.key for one in known} if options.resume or options.page else set()
    wanted = [] if options.page else list(cases(options.metrics))
    wanted = [case for case in wanted if case.spec.interval not in NO_INTERVAL]
    for listed, simulate in groups(wanted):
        left = [case for case in listed if case.key not in kept]
        if not left:
            continue
        began = time.perf_counter()
        found = [
            one
            for prevalence in PREVALENCES
            for one in simulate(left, prevalence, options.repetitions, options.seed)
        ]
        taken = time.perf_counter() - began
        print(f"{taken:7.1f} s ", *(case.key for case in left), file=sys.stderr, flush=True)
        fresh = {one.key for one in found}
        known = [one for one in known if one.key not in fresh] + found
        known.sort(key=lambda one: order.index(one.key) if one.key in order else len(order))
        if options.out != "-":  # what is there, should the rest be interrupted
            page.write(known, options.results)
    text = page.text_of([one for one in known if one.key in order], DRAWS, m.__version__)
    if options.out == "-":
        print(text)
    else:
        Path(options.out).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
