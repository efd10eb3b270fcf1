"""Counts and metrics of labels over the threshold: a table, and what the script slides along."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.formats import html_table, known
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import AT_THRESHOLD
from skmetrics_ext.report.out_of_fold import ThresholdCounts
from skmetrics_ext.report.page.document import Section, note, section
from skmetrics_ext.tallies import Counts, RankTally

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

_SHOWN = (0.01, 0.02, 0.05, *np.round(np.arange(0.1, 0.95, 0.1), 1).tolist(), 0.95)
# Places of the slider: scores that occur, and round ones.
_STEPS = (100, np.round(np.linspace(0, 1, 101), 2).tolist())
_ABOUT = (
    "Out-of-fold probabilities of all folds together: rows whose probability of {} is at least the "
    "threshold are predicted positive. {}"
)
_REPEATED = "Each row counts once for each time it was predicted."


def thresholds_part(report: CrossValidationReport) -> tuple[list[Section], dict[str, Any]]:
    """The part of the page, and what its script reads; nothing without probabilities of a class."""
    slid, tables, labels = [], [], []
    for model in report.models:
        folds = None if model == report.baseline else ThresholdCounts.of(report, model, *_STEPS)
        if folds is None:
            continue
        labels = [str(label) for label in folds.labels.tolist()]
        thresholds, counts = _steps(folds)
        values = {name: _values(folds, name, counts) for name in AT_THRESHOLD}
        slid.append(_data(model, thresholds, counts, values))
        tables.append(_table(model, thresholds, counts, values))
    if not slid:
        return [], {}
    positive = str(report.positive_class)
    once = report.n_samples == sum(slid[0]["total"])
    about = _ABOUT.format(positive, "" if once or _is_weighted(report) else _REPEATED).strip()
    host = '<div id="slide"></div>\n'
    shown = f"<details><summary>Counts at some thresholds</summary>\n{''.join(tables)}</details>\n"
    part = section("Threshold", note(about), host, shown)
    return [part], {"models": slid, "labels": labels, "metrics": list(AT_THRESHOLD)}


def _is_weighted(report: CrossValidationReport) -> bool:
    return report.data is not None and any(
        "sample_weight" in p for p in report.data.params.values()
    )


def _steps(folds: ThresholdCounts) -> tuple[Array, Counts]:
    """Thresholds, rising, and the counts of all folds at each."""
    pooled: RankTally = folds.tally.pool()
    counts = Counts(*(part[::-1] for part in pooled.counts().astuple()))
    return pooled.thresholds[::-1], counts


def _values(folds: ThresholdCounts, name: str, counts: Counts) -> Array:
    metric = find(name, scorer=True)
    if metric.takes("zero_division"):
        metric = metric.with_params(zero_division=np.nan)
    metric = metric.settled(folds.labels.tolist(), folds.labels[1])
    return folds.values(metric, counts)


def _data(
    model: str, thresholds: Array, counts: Counts, values: dict[str, Array]
) -> dict[str, Any]:
    return {
        "model": model,
        "t": [float(f"{threshold:.6g}") for threshold in thresholds.tolist()],
        "tp": _plain(counts.tp, 6),
        "fp": _plain(counts.fp, 6),
        "total": [float((counts.tn + counts.fp)[0]), float((counts.tp + counts.fn)[0])],
        "start": int(np.searchsorted(thresholds, 0.5)),
        "values": {name: _plain(found, 4) for name, found in values.items()},
    }


def _plain(numbers: Array, digits: int) -> list[float | None]:
    rounded = np.round(np.asarray(numbers, dtype=np.float64), digits).tolist()
    return [None if number != number else number for number in rounded]


def _table(model: str, thresholds: Array, counts: Counts, values: dict[str, Array]) -> str:
    """Some of the thresholds, for readers without scripts and on paper."""
    places = np.searchsorted(thresholds, np.unique([*_SHOWN, 0.5]))
    rows = [
        [
            f"{thresholds[place]:.3g}",
            *(f"{float(part[place]):.6g}" for part in counts.astuple()),
            *(known(float(found[place])) or "undefined" for found in values.values()),
        ]
        for place in places
    ]
    header = ["threshold", "TP", "FP", "FN", "TN", *(name.replace("_", " ") for name in values)]
    return html_table(header, rows, caption=model)
