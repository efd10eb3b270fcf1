"""Results of the study of coverage as a table of numbers, and as a page for readers."""

from __future__ import annotations

import csv
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from typing import Any

LEVEL = 0.95
SIZES = (50, 200, 1000)
PREVALENCES = ("balanced", "rare")


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
    def key(self) -> tuple[str, int]:
        """The metric with its parameters, and the number of classes."""
        return self.metric, self.n_classes

    @property
    def error(self) -> float:
        """Monte-Carlo standard error of the coverage."""
        return float((self.coverage * (1 - self.coverage) / self.repetitions) ** 0.5)


def read(path: str) -> list[Result]:
    """The results in a file; none where there is none."""
    if not Path(path).exists():
        return []
    kinds = {"n_classes": int, "size": int, "repetitions": int}
    kinds |= dict.fromkeys(("truth", "coverage", "noted"), float)
    with Path(path).open(encoding="utf-8", newline="") as file:
        return [
            Result(**{name: kinds.get(name, str)(text) for name, text in row.items()})
            for row in csv.DictReader(file)
        ]


def write(results: list[Result], path: str) -> None:
    """All results, a line for each."""
    with Path(path).open("w", encoding="utf-8", newline="") as file:
        lines = csv.writer(file, lineterminator="\n")
        lines.writerow(field.name for field in fields(Result))
        for one in results:
            told = (f"{part:.6g}" if isinstance(part, float) else part for part in astuple(one))
            lines.writerow(told)


# --------------------------------------------------------------------------- the page

LOWEST, HIGHEST = 0.93, 0.975
RARE = 0.05
ENOUGH_ROWS, ENOUGH_OF_EACH = 200, 20
FEW_ROWS = 5
NOTE = "†"
HARD = "\N{NO-BREAK SPACE}"
PLACES = [(prevalence, size) for prevalence in PREVALENCES for size in SIZES]

HEAD = """# Coverage of the intervals

How often does the 95 % interval of `confidence_interval(..., method="auto")` hold the true value?
That share is called its coverage, and should be 95 %. This page has it for every metric that gives
one number, by simulation. It is made by `benchmarks/coverage.py`; do not edit it. The numbers are
in `benchmarks/results/coverage.csv`. For data that are less well-behaved see
[Coverage where it is hard](coverage_hard.md), and for bands, gaps, folds, slices and searches
[their coverage](coverage_studies.md).

![Coverage of the default intervals in six settings, with and without a note](pictures/coverage.png)

## What to take from it

- **With 200 rows and 20 rows of the rarest class, intervals without a note can be trusted.** Of
  {enough} such cases {good} cover between 93 and 97.5 %. {rest}
- **Read the note of an interval.** It says why the interval may hold the true value too seldom: few
  rows of a class, a value near the end of its range, a metric that noise makes larger. In the
  tables {NOTE} marks the cases in which at least half of the intervals bear a note.
- **With fewer than 5 rows of a class** intervals of metrics of labels cover between {least} and
  {most} %, those of averages over classes least of all: so few rows do not show how often the class
  is missed. Take more rows, or the interval of each class (`average=None`).
- **Metrics that noise makes larger** have no interval with the right coverage: the
  Kolmogorov-Smirnov statistic, the H-measure, the area under the convex hull, and recall at a
  precision. Their intervals always bear a note. Use these metrics to compare models, and do not
  rely on the bounds.
- **Some statistics of a table have no interval**, for none covers them: those that grow with the
  number of rows, or are flat where classes are balanced (chi-squared, counts, entropies,
  divergences, lambda). Those of `method="delta"`, here left out, covered between 0 and 100 %; the
  numbers are in the file.
- **Calibration errors have one bound.** No two-sided interval holds the error of a calibrated
  model, which is next to 0. The upper bound holds more often than in 95 %.

## Summary

Share of the cases that cover between 93 and 97.5 %. In brackets: how many of the others are without
a note in more than half of the intervals.

{summary}
Metrics with a case outside (bold) among those of 200 rows, and 20 of the rarest class, in percent:

{outside}
## How it was simulated

Labels: 80 % of each class are predicted correctly. "rare": the last class (the positive one of two)
has 5 % of the rows, and 60 % of it are predicted correctly; with n = 50, 200 and 1000 these are
2.5, 10 and 50 rows. Samples that lack a class, and undefined values, are left out. Scores are
normal with equal variance, the classes 1.2 standard deviations apart (1.5 with five classes);
probabilities are those that belong to them, so that the models are calibrated. The true value is
that of the population's confusion matrix, or of a million rows of scores.

Each number comes from {of_labels} samples for metrics of labels, {of_scores} for areas and mean
losses, and {of_draws} for bootstrapped metrics, fewest where a draw takes longest. The
bootstrap has {draws} draws here and 1,999 to 9,999 by default. Not simulated are means over five
classes of metrics that are bootstrapped, `brier_skill_score` (equal to `d2_brier_score`), and
`smooth_calibration_error`, which takes seconds a sample. Version {version}.

The bootstrap that "auto" takes and the notes for partial areas and for the share of the largest
class were chosen after earlier runs on these populations, with other samples. Two cases without a
note that were outside, `index_balanced_accuracy_score(average='macro')` (92.9 %) and
`auprg_score` (98.0 % of 100 samples), were run again with more samples and came inside.

## All cases

In percent, with the Monte-Carlo standard error (±). **Bold** is outside of 93 to 97.5 %. Metrics
with the same numbers share a line.
"""

KINDS = {
    "wilson": "Shares of rows",
    "effective_n": "Other metrics of labels with two bounds",
    "mover": "Sums and means of shares of rows",
    "log": "Ratios and errors with one bound",
    "delta": "Metrics of labels without bounds",
    "logit": "Areas under the ROC curve",
    "hall": "Means of losses of rows",
    "expanded": "By the bootstrap, percentiles expanded",
    "upper": "By the bootstrap, one-sided",
    "bca": "By the bootstrap, corrected for bias (BCa)",
}

SAMPLES = {
    "of_labels": ("wilson", "effective_n", "mover", "log", "delta"),
    "of_scores": ("logit", "hall"),
    "of_draws": ("expanded", "upper", "bca"),
}


def text_of(results: list[Result], draws: int, version: str) -> str:
    """The page, from the summary to every case."""
    enough = [one for one in results if one.size >= ENOUGH_ROWS and rarest(one) >= ENOUGH_OF_EACH]
    outside = [one for one in enough if not is_good(one)]
    names = {one.key for one in outside}
    shown = [place for place in PLACES if any((o.prevalence, o.size) == place for o in enough)]
    few = [
        one.coverage
        for one in results
        if rarest(one) < FEW_ROWS and one.method in SAMPLES["of_labels"]
    ]
    head = HEAD.format(
        NOTE=NOTE,
        good=len(enough) - len(outside),
        enough=len(enough),
        rest=_rest(outside),
        least=f"{100 * min(few):.0f}",
        most=f"{100 * max(few):.0f}",
        summary=_summary(results),
        outside=_table([one for one in enough if one.key in names], shown),
        **{kind: _numbers(results, *methods) for kind, methods in SAMPLES.items()},
        draws=draws,
        version=version,
    )
    parts = [
        f"\n### {title} ({method})\n\n{_table(found, PLACES)}"
        for method, title in KINDS.items()
        if (found := [one for one in results if one.method == method])
    ]
    return head + "".join(parts)


def rarest(one: Result) -> float:
    """Rows of the rarest class, on average over samples."""
    return one.size * (RARE if one.prevalence == "rare" else 1 / one.n_classes)


def is_good(one: Result) -> bool:
    return LOWEST <= one.coverage <= HIGHEST


def is_noted(one: Result) -> bool:
    return one.noted >= 0.5


def _numbers(results: list[Result], *methods: str) -> str:
    """How many samples a number comes from; that some of them lack a class is not told."""
    counts = [one.repetitions for one in results if one.method in methods]
    rounded = sorted({round(count, 1 - len(str(count))) for count in counts})
    ends = dict.fromkeys([rounded[0], rounded[-1]] if rounded else [0])
    return " to ".join(f"{count:,}" for count in ends)


def _rest(outside: list[Result]) -> str:
    silent = [one for one in outside if not is_noted(one)]
    told = f"The other {len(outside)} are listed below; {len(outside) - len(silent)} bear a note"
    if not silent:
        return f"{told}."
    away = max(
        min(
            abs(one.coverage - end) / (end * (1 - end) / one.repetitions) ** 0.5
            for end in (LOWEST, HIGHEST)
        )
        for one in silent
    )
    return f"{told}, and those without are at most {away:.1f} Monte-Carlo errors outside."


def _summary(results: list[Result]) -> str:
    head = ["classes", "", *(f"n = {size}" for size in SIZES)]
    lines = [head, ["---"] * len(head)]
    for n_classes in (2, 5):
        for prevalence in PREVALENCES:
            line = [str(n_classes), prevalence]
            for size in SIZES:
                own = [
                    one
                    for one in results
                    if (one.n_classes, one.prevalence, one.size) == (n_classes, prevalence, size)
                ]
                good = sum(map(is_good, own))
                silent = sum(not is_good(one) and not is_noted(one) for one in own)
                told = f"{100 * good / len(own):.0f} % of {len(own)} ({silent})" if own else ""
                line.append(told)
            lines.append(line)
    return _markdown(lines)


def _table(results: list[Result], places: list[tuple[str, int]]) -> str:
    """A line for all metrics that have the same numbers."""
    by_metric: dict[tuple[str, int], dict[tuple[str, int], Result]] = {}
    for one in results:
        by_metric.setdefault(one.key, {})[one.prevalence, one.size] = one
    by_line: dict[tuple[Any, ...], list[str]] = {}
    for (metric, n_classes), cells in by_metric.items():
        told = tuple(_cell(cells.get(place)) for place in places)
        by_line.setdefault((n_classes, told), []).append(f"`{metric}`")
    lines = [["metric", "classes", *(f"{prevalence}, n = {size}" for prevalence, size in places)]]
    lines.append(["---"] * len(lines[0]))
    for (n_classes, told), metrics in by_line.items():
        lines.append([", ".join(metrics), str(n_classes), *told])
    return _markdown(lines)


def _percent(one: Result) -> str:
    return f"{100 * one.coverage:.1f}{HARD}±{HARD}{100 * one.error:.1f}"


def _cell(one: Result | None) -> str:
    if one is None:
        return ""
    text = _percent(one) if is_good(one) else f"**{_percent(one)}**"
    return f"{text}{HARD}{NOTE}" if is_noted(one) else text


def _markdown(lines: list[list[str]]) -> str:
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)
