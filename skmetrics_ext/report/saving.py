"""Reports saved as files of plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.plain_files import check_content, read_content, write_content
from skmetrics_ext.registry import find
from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import FoldValues, ScoredData
from skmetrics_ext.report.summary import INTERVAL_KINDS
from skmetrics_ext.scoring.scorer import Scorer, metric_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows

KIND, VERSION = "CrossValidationReport", 1
# Fields of a report that are plain values; its results and data hold arrays and objects.
_PLAIN_FIELDS = [
    item.name for item in fields(FoldValues) if item.init and item.name not in ("results", "data")
]


class LostScorer:
    """Placeholder for a user's scorer, whose function a saved report does not hold."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any, **__: Any) -> float:
        """Raise an error, since only the values on the folds are known."""
        raise InvalidParameterError(
            f"{self.name!r} is not a metric of this package: a saved report holds its values on "
            "the folds, but not its function."
        )


def save(report: FoldValues, path: str | Path) -> None:
    """Write a report to a file, without the models and their features.

    Raises
    ------
    InvalidParameterError
        If it holds anything but None, bools, numbers, text, arrays, and lists, tuples and mappings
        of these.
    """
    content: dict[str, Any] = {name: getattr(report, name) for name in _PLAIN_FIELDS}
    content["results"] = [_as_map(result) for result in report.results]
    data = report.data
    content["data"] = {
        "y": data.y,
        "scorers": {name: _scorer_parts(scorer) for name, scorer in data.scorers.items()},
        "params": data.params,
        "grouping": None if data.grouping is None else _as_map(data.grouping),
        "rows_by": _group_parts(data.rows_by),
    }
    write_content(path, KIND, VERSION, content, "the report")


def load(path: str | Path) -> dict[str, Any]:
    """Fields of a report from a file that `save` wrote; errors as in `read_content`."""
    return read_content(path, KIND, VERSION, _report_fields)


# --------------------------------------------------------------------------- parts of a report


def _as_map(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _group_parts(rows_by: Any) -> dict[str, Any] | None:
    if rows_by is None:
        return None
    return _as_map(rows_by) | {"by": _as_map(rows_by.by), "groups": list(rows_by.groups)}


def _scorer_parts(scorer: Callable[..., Any]) -> Mapping[str, Any] | None:
    """Parts from which a scorer can be rebuilt; None for a user's function."""
    metric = metric_of(scorer)
    if metric is None or not isinstance(scorer, Scorer):
        return None
    return {"metric": metric.spec.name, **scorer._arguments}


def _scorer(name: str, parts: Mapping[str, Any] | None) -> Callable[..., Any]:
    if parts is None:
        return LostScorer(name)
    options = dict(parts)
    spec, kwargs = find(options.pop("metric")), options.pop("kwargs")
    if options["name"] is not None:
        options["metric"] = find(options["name"], kwargs, scorer=True)
    sign, response_method = options.pop("sign"), options.pop("response_method")
    is_named = isinstance(response_method, str) or _are_texts(response_method)
    _check_parts({f"parameters of {name!r:.60}": sign in (1, -1) and is_named})
    return Scorer(spec.function, sign, kwargs, response_method, **options)


def _check_parts(parts: Mapping[str, bool]) -> None:
    """Raise for the first part, named in the plural, whose check failed."""
    for part, is_valid in parts.items():
        check_content(is_valid, f"the {part} do not fit")


def _report_fields(content: dict[str, Any]) -> dict[str, Any]:
    """Fields of a report, once their kinds and sizes are checked."""
    models, metrics, n_samples = (content[name] for name in ("models", "metrics", "n_samples"))
    known = {*_PLAIN_FIELDS, "results", "data"}
    check_content(content.keys() <= known, f"its fields have to be some of {sorted(known)}")
    texts = content["left_out"], content.get("data_warnings", ()), (content["splitter"],)
    is_single = not isinstance(content["positive_class"], Mapping | list)
    _check_parts({
        "models and metrics": _are_texts(models) and _are_texts(metrics),
        "splitter and notes": all(map(_are_texts, texts)),
        "models and their baseline": content["baseline"] in (None, *models),
        "confidence levels": 0 < float(content["confidence_level"]) < 1,
        "kinds of intervals": content.get("interval", "auto") in INTERVAL_KINDS,
        "positive classes": is_single,
    })  # fmt: skip
    content["results"] = tuple(FoldResult(**result) for result in content["results"])
    for result in content["results"]:
        times = result.fit_time, result.score_time
        numbers = [*result.values.values(), *result.train_values.values(), *times, result.fold]
        notes = (*result.reasons.values(), *result.notes.values())
        sizes = {len(result.rows), *map(count_rows, result.responses.values())}
        model = f"{result.model!r:.60}"
        _check_parts({
            f"values of {model}": result.model in models
            and set(metrics) <= set(result.values)
            and all(isinstance(number, float | int) for number in numbers)
            and _are_texts(notes),
            f"predictions of {model}": _are_numbers(result.rows, n_samples)
            and sizes == {result.n_test}
            and (result.classes is None or np.ndim(result.classes) == 1),
        })  # fmt: skip
    data = content.pop("data", None)
    if data is not None:
        content["data"] = _scored_data(data, content)
    return content


def _scored_data(data: Mapping[str, Any], content: Mapping[str, Any]) -> ScoredData:
    """True labels, scorers and groups of a report, once their sizes are checked."""
    n_samples, params = content["n_samples"], data["params"]
    scorers = {name: _scorer(name, parts) for name, parts in data["scorers"].items()}
    weights = [kept["sample_weight"] for kept in params.values() if "sample_weight" in kept]
    _check_parts({
        "scorers": set(content["metrics"]) <= set(scorers) & set(params),
        "labels": {n_samples} == {count_rows(rows) for rows in (data["y"], *weights)},
    })  # fmt: skip
    grouping, rows_by = data["grouping"], data["rows_by"]
    if grouping is not None:
        grouping = Grouping(**grouping)
        folds = {result.fold for result in content["results"]}
        is_complete = len(grouping.of_row) == n_samples and folds <= set(grouping.sizes)
        _check_parts({"groups": is_complete and _are_numbers(grouping.of_row, n_samples)})
    if rows_by is not None:
        from skmetrics_ext.report.by_group import RowGroups
        from skmetrics_ext.slices.group_columns import GroupColumns

        rows_by = RowGroups(**{**rows_by, "by": GroupColumns(**rows_by["by"])})
        is_complete = len(rows_by.of_row) == n_samples
        are_groups = _are_numbers(rows_by.of_row, len(rows_by.groups))
        _check_parts({"groups by which results are split": is_complete and are_groups})
    return ScoredData(data["y"], scorers, params, grouping, rows_by=rows_by)


def _are_texts(values: Any) -> bool:
    return isinstance(values, tuple) and all(isinstance(value, str) for value in values)


def _are_numbers(rows: Any, end: int) -> bool:
    """Whether an array holds integers from 0 to below ``end``."""
    is_integer = isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype.kind in "iu"
    return is_integer and (not len(rows) or (rows.min() >= 0 and rows.max() < end))
