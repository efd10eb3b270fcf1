"""How often the intervals of `confidence_interval` hold the true value, by simulation.

    python benchmarks/coverage.py                        # the whole study, into docs/coverage.md
    python benchmarks/coverage.py --repetitions 200 --metrics f1_score roc_auc_score --out -

Every metric is simulated with the method that "auto" chooses, at a nominal level of 95 %. Labels
are drawn from a table whose cells are known, so the true value is that of the table. Scores are
normal in each class; their true values are those of a million rows. Intervals of metrics of labels
are computed for all tables at once, by the functions that `confidence_interval` calls for one;
all others by `confidence_interval` itself.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

import skmetrics_ext as m
from skmetrics_ext.inference import delta
from skmetrics_ext.inference.bootstrap import BOOTSTRAP_METHODS
from skmetrics_ext.inference.methods import FEW_ROWS, is_share, methods_of
from skmetrics_ext.inference.readers import Metric, read_metric
from skmetrics_ext.inference.readings import TableReading

SIZES = (50, 200, 1000)
LEVEL = 0.95
DRAWS = 999
LARGE = 1_000_000
RARE = 0.05
OUT = Path(__file__).parents[1] / "docs" / "coverage.md"
PREVALENCES = ("balanced", "rare")
# Metrics that are read draw by draw take too long for as many repetitions as the others.
SLOW_SHARE, SLOWEST_SHARE = 0.1, 0.02
SLOWEST = {
    "h_measure_score",
    "auprg_score",
    "roc_auc_convex_hull_score",
    "expected_calibration_error",
    "smooth_calibration_error",
}


@dataclass(frozen=True)
class Result:
    """Coverage of one method of one metric on one population and size."""

    metric: str
    method: str
    n_classes: int
    prevalence: str
    size: int
    truth: float
    coverage: float
    repetitions: int
    noted: float

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of the coverage."""
        return float(np.sqrt(self.coverage * (1 - self.coverage) / self.repetitions))


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
    def spec(self) -> m.MetricSpec:
        return m.METRICS[self.name]

    @property
    def title(self) -> str:
        told = [f"{key}={value!r}" for key, value in self.params]
        return f"{self.name}({', '.join(told)})" if told else self.name


def cases(wanted: list[str]) -> Iterator[Case]:
    """Every metric that gives a number, with the averages that it has."""
    for name, spec in m.METRICS.items():
        if wanted and name not in wanted:
            continue
        if name in ("confusion_matrix", "averaged_confusion"):
            continue
        if name in ("prevalence", "detection_prevalence") and spec.on_tables is not None:
            yield Case(name, (), 2)  # their means over classes are constants
            continue
        listed = [dict(v) for v in spec.variants.values() if v.get("average") != "samples"]
        if spec.tally == "ranks" and spec.interval != "logit":  # one point, one average
            listed = [v for v in listed if v == listed[0] or "target" in v]
        if spec.on_tables is not None and {"average": "macro"} not in listed:
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


# --------------------------------------------------------------------------- simulation


def simulate(case: Case, repetitions: int, seed: int) -> Iterator[Result]:
    """Results of a case for every prevalence and size."""
    for prevalence in PREVALENCES:
        if case.spec.on_tables is not None:
            yield from of_labels(case, prevalence, repetitions, seed)
        else:
            yield from of_scores(case, prevalence, repetitions, seed)


def holds(low: Any, high: Any, truth: float) -> np.ndarray:
    slack = 1e-9 * max(abs(truth), 1)
    return (np.asarray(low) <= truth + slack) & (truth - slack <= np.asarray(high))


def of_labels(case: Case, prevalence: str, repetitions: int, seed: int) -> Iterator[Result]:
    shares, n_classes = population(case.n_classes, prevalence), case.n_classes
    classes, params = np.arange(n_classes), dict(case.params)
    metric = Metric.find(case.spec.function, params)

    def on_tables(tables: np.ndarray) -> np.ndarray:
        return case.spec.on_tables(tables, classes, **params)  # type: ignore[misc]

    truth = float(on_tables(shares * LARGE))  # some metrics correct for small samples
    true, pred = np.divmod(np.arange(n_classes**2), n_classes)
    reading = read_metric(case.spec.function, true, pred, **params)
    assert isinstance(reading, TableReading)
    method = methods_of(metric, reading)[0]
    share = is_share(metric, reading)
    rng = np.random.default_rng([seed, n_classes, PREVALENCES.index(prevalence)])
    for size in SIZES:
        tables = rng.multinomial(size, shares.ravel(), size=repetitions)
        tables = tables.reshape(-1, n_classes, n_classes).astype(np.float64)
        tables = tables[(tables.sum(axis=-1) > 0).all(axis=-1)]
        if case.spec.interval == "largest":
            low, high, noted = by_call(case, tables[: max(len(tables) // 4, 1)])
        else:
            spread = delta.Spread.of_tables(on_tables, tables)
            low, high = delta.bounds_by(method, spread, case.spec.bounds, LEVEL, share=share)
            rare = tables.sum(axis=-1).min(axis=-1) < FEW_ROWS
            rare |= np.isinf(spread.value)
            few = delta.worth(spread, case.spec.bounds, prior=None) < FEW_ROWS if share else rare
            low, high, noted = (part[~np.isnan(spread.value)] for part in (low, high, few))
        hit = holds(low, high, truth)
        yield Result(
            case.title,
            method,
            n_classes,
            prevalence,
            size,
            truth,
            hit.mean(),
            len(hit),
            float(noted.mean()),
        )


def by_call(case: Case, tables: np.ndarray) -> tuple[Any, Any, Any]:
    """Intervals of tables one by one, from the rows that make them up."""
    n_classes = case.n_classes
    true, pred = np.divmod(np.arange(n_classes**2), n_classes)
    found = []
    for i, table in enumerate(tables):
        rows = np.repeat(np.arange(n_classes**2), table.ravel().astype(int))
        found.append(interval(case, true[rows], pred[rows], i))
    low, high, noted = zip(*found, strict=True)
    return np.array(low), np.array(high), np.array(noted)


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


def of_scores(case: Case, prevalence: str, repetitions: int, seed: int) -> Iterator[Result]:
    spec, n_classes = case.spec, case.n_classes
    rng = np.random.default_rng([seed, n_classes, PREVALENCES.index(prevalence), 1])
    large = draw_scores(rng, LARGE, n_classes, prevalence, spec.response)
    truth = float(spec.function(*large, **dict(case.params)))
    few = draw_scores(rng, 50, n_classes, prevalence, spec.response)
    first = m.confidence_interval(spec.function, *few, n_resamples=9, **dict(case.params))
    method = first.method
    if method in BOOTSTRAP_METHODS:
        share = SLOWEST_SHARE if case.name in SLOWEST else SLOW_SHARE
        repetitions = max(int(share * repetitions), 1)
    for size in SIZES:
        if case.name in SLOWEST and size > 200:
            continue
        found = []
        for i in range(repetitions):
            rows = draw_scores(rng, size, n_classes, prevalence, spec.response)
            found.append(interval(case, *rows, i))
        low, high, noted = zip(*found, strict=True)
        kept = ~np.isnan(np.array(low))
        hit = holds(np.array(low)[kept], np.array(high)[kept], truth)
        yield Result(
            case.title,
            method,
            n_classes,
            prevalence,
            size,
            truth,
            hit.mean(),
            len(hit),
            float(np.mean(noted)),
        )


# --------------------------------------------------------------------------- table

HEAD = """# Coverage of the intervals

Made by `benchmarks/coverage.py`; do not edit. Share of simulated samples whose 95 % interval of
`confidence_interval(..., method="auto")` holds the true value, in percent, with its Monte-Carlo
standard error. **Bold** is outside of 93 to 97.5 %; in brackets, where it is not 0, the share of
the samples whose interval bore a note that its coverage is doubtful.

Labels: 80 % of each class are predicted right. "rare": the last class (the positive one of two) has
5 % of the rows and 60 % right; with n = 50, 200 and 1000 these are 2.5, 10 and 50 rows. Samples
that lack a class, and values that are undefined, are left out. Scores are normal with equal
spread, 1.2 apart (1.5 for the own class of five); probabilities are those that fit them. The
bootstrap has 999 draws here (9,999 by default) and fewer repetitions, as its standard errors
show. Means over five classes of metrics that are bootstrapped are left out.

Version {version} with NumPy {numpy}; {repetitions} repetitions of the closed forms;
{seconds:.0f} s.
"""


def table_of(results: list[Result]) -> str:
    """Markdown table, a line for each metric and population."""
    lines = [
        "| metric | method | classes | | truth | " + " | ".join(f"n = {n}" for n in SIZES) + " |",
        "|---|---|---|---|---|" + "---|" * len(SIZES),
    ]
    by_line: dict[tuple[Any, ...], dict[int, Result]] = {}
    for result in results:
        key = (result.metric, result.method, result.n_classes, result.prevalence)
        by_line.setdefault(key, {})[result.size] = result
    for (metric, method, n_classes, prevalence), cells in by_line.items():
        truth = next(iter(cells.values())).truth
        parts = [cell(cells.get(size)) for size in SIZES]
        facts = (f"`{metric}`", method, str(n_classes), prevalence, f"{truth:.3g}")
        lines.append("| " + " | ".join([*facts, *parts]) + " |")
    return "\n".join(lines) + "\n"


def cell(result: Result | None) -> str:
    if result is None:
        return ""
    text = f"{100 * result.coverage:.1f} ± {100 * result.error:.1f}"
    if not 0.93 <= result.coverage <= 0.975:
        text = f"**{text}**"
    return f"{text} ({100 * result.noted:.0f})" if result.noted >= 0.005 else text


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repetitions", type=int, default=2000)
    parser.add_argument("--metrics", nargs="*", default=[], help="names of metrics; all by default")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", default=str(OUT), help="a file, or - for the screen")
    options = parser.parse_args()
    start, results = time.perf_counter(), []
    for case in cases(options.metrics):
        began = time.perf_counter()
        results += simulate(case, options.repetitions, options.seed)
        now = time.perf_counter()
        print(f"{now - began:7.1f} s  {case.title} {case.n_classes}", file=sys.stderr, flush=True)
        head = HEAD.format(
            version=m.__version__,
            numpy=np.__version__,
            repetitions=options.repetitions,
            seconds=now - start,
        )
        page = f"{head}\n{table_of(results)}"
        if options.out != "-":  # what is there, should the rest be interrupted
            Path(options.out).write_text(page, encoding="utf-8")
    if options.out == "-":
        print(page)


if __name__ == "__main__":
    main()
