"""A report as a file, and back."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

from skmetrics_ext.registry import find
from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.packing import load_packed, save_packed
from skmetrics_ext.scoring.scorer import Scorer, metric_of
from skmetrics_ext.validation import InvalidParameterError

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

KIND, VERSION = "CrossValidationReport", 1
# Plain values of a report; its results and data are made of more.
_OWN = ("models", "metrics", "n_samples", "splitter", "baseline", "positive_class",
        "confidence_level", "left_out")  # fmt: skip


class LostScorer:
    """In the place of a scorer of the user's own, which no file of numbers can hold."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any, **__: Any) -> float:
        """Refused."""
        raise InvalidParameterError(
            f"{self.name!r} is no metric of this package: a saved report keeps its values on the "
            "folds, and not its function."
        )


def save(report: CrossValidationReport, path: str | Path) -> None:
    """Write all of a report but its models and what they predict from."""
    content: dict[str, Any] = {name: getattr(report, name) for name in _OWN}
    content["results"] = [_as_map(result) for result in report.results]
    data = report.data
    if data is not None:
        content["data"] = {
            "y": data.y,
            "scorers": {name: _told(scorer) for name, scorer in data.scorers.items()},
            "params": data.params,
            "grouping": None if data.grouping is None else _as_map(data.grouping),
            "rows_by": _groups_told(data.rows_by),
        }
    save_packed(path, KIND, VERSION, content)


def load(path: str | Path) -> dict[str, Any]:
    """The fields of a report."""
    return load_packed(path, KIND, VERSION, _fields)


def _fields(content: dict[str, Any]) -> dict[str, Any]:
    held = content.pop("data", None)
    content["results"] = tuple(FoldResult(**result) for result in content["results"])
    if held is not None:
        grouping, rows_by = held["grouping"], held["rows_by"]
        content["data"] = ScoredData(
            held["y"],
            {name: _scorer(name, told) for name, told in held["scorers"].items()},
            held["params"],
            None if grouping is None else Grouping(**grouping),
            rows_by=None if rows_by is None else _groups(rows_by),
        )
    return content


def _as_map(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _groups_told(rows_by: Any) -> dict[str, Any] | None:
    if rows_by is None:
        return None
    told = _as_map(rows_by) | {"by": _as_map(rows_by.by), "groups": list(rows_by.groups)}
    return {name: value for name, value in told.items() if name != "tables"}  # made anew


def _groups(told: Mapping[str, Any]) -> Any:
    from skmetrics_ext.merged.by import By
    from skmetrics_ext.report.by_group import RowsBy

    return RowsBy(**{**told, "by": By(**told["by"])})


def _told(scorer: Callable[..., Any]) -> Mapping[str, Any] | None:
    """What makes a scorer of a metric of ours; None for others."""
    metric = metric_of(scorer)
    if metric is None or not isinstance(scorer, Scorer):
        return None
    return {
        "metric": metric.spec.name,
        "sign": scorer._sign,
        "kwargs": scorer._kwargs,
        "response_method": scorer._response_method,
        "missing": scorer._missing,
        "name": scorer._name,
    }


def _scorer(name: str, told: Mapping[str, Any] | None) -> Callable[..., Any]:
    if told is None:
        return LostScorer(name)
    parts = dict(told)
    row, kwargs = find(parts.pop("metric")), parts.pop("kwargs")
    if parts["name"] is not None:
        parts["metric"] = find(parts["name"], kwargs, scorer=True)
    return Scorer(row.function, parts.pop("sign"), kwargs, parts.pop("response_method"), **parts)
