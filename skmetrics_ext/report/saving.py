"""Reports as files of plain values."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from skmetrics_ext.plain_files import check_content, read_content, write_content
from skmetrics_ext.registry import find
from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.summary import INTERVAL_KINDS
from skmetrics_ext.scoring.scorer import Scorer, metric_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows

if TYPE_CHECKING:
    from skmetrics_ext.report.cv_report import CrossValidationReport

KIND, VERSION = "CrossValidationReport", 1
# Fields of a report that are plain values; its results and data hold arrays and objects.
_PLAIN_FIELDS = ("models", "metrics", "n_samples", "splitter", "baseline", "positive_class",
                 "confidence_level", "left_out", "data_warnings", "interval")  # fmt: skip


class LostScorer:
    """Placeholder for a user's own scorer, whose function a saved report does not hold."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, *_: Any, **__: Any) -> float:
        """Raise an error: only the values on the folds are known."""
        raise InvalidParameterError(
            f"{self.name!r} is no metric of this package: a saved report keeps its values on the "
            "folds, and not its function."
        )


def save(report: CrossValidationReport, path: str | Path) -> None:
    """Write everything in a report except the models and their features.

    Raises
    ------
    InvalidParameterError
        If it holds something other than None, bools, numbers, text, arrays, and lists, tuples and
        mappings of these.
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
    """Read the fields of a report that `save` wrote, with the errors of `read_content`."""
    return read_content(path, KIND, VERSION, _report_fields)


# --------------------------------------------------------------------------- parts of a report


def _as_map(value: Any) -> dict[str, Any]:
    return {field.name: getattr(value, field.name) for field in fields(value)}


def _group_parts(rows_by: Any) -> dict[str, Any] | None:
    if rows_by is None:
        return None
    return _as_map(rows_by) | {"by": _as_map(rows_by.by), "groups": list(rows_by.groups)}


def _scorer_parts(scorer: Callable[..., Any]) -> Mapping[str, Any] | None:
    """Parts of a scorer from which it can be made again; None for a user's own."""
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
    is_named = _is_text(response_method) or _are_texts(response_method)
    check_content(sign in (1, -1) and is_named, f"the scorer {name!r:.60} does not fit")
    return Scorer(spec.function, sign, kwargs, response_method, **options)


def _report_fields(content: dict[str, Any]) -> dict[str, Any]:
    """Fields of a report, of kinds and sizes that fit together."""
    models, metrics, n_samples = (content[name] for name in ("models", "metrics", "n_samples"))
    known = {*_PLAIN_FIELDS, "results", "data"}
    check_content(content.keys() <= known, f"its fields have to be some of {sorted(known)}")
    check_content(_are_texts(models) and _are_texts(metrics), "the models and metrics do not fit")
    texts = content["left_out"], content.get("data_warnings", ()), (content["splitter"],)
    check_content(all(map(_are_texts, texts)), "the splitter and metrics do not fit")
    check_content(content["baseline"] in (None, *models), "the baseline does not fit")
    check_content(0 < float(content["confidence_level"]) < 1, "the confidence level does not fit")
    kind, positive = content.get("interval", "auto"), content["positive_class"]
    check_content(kind in INTERVAL_KINDS, "the kind of interval does not fit")
    check_content(not isinstance(positive, Mapping | list), "the positive class does not fit")
    content["results"] = tuple(FoldResult(**result) for result in content["results"])
    for result in content["results"]:
        times = result.fit_time, result.score_time
        values = [*result.values.values(), *result.train_values.values(), *times]
        sizes = {len(result.rows), *map(count_rows, result.responses.values())}
        check_content(
            result.model in models
            and set(metrics) <= set(result.values)
            and all(isinstance(value, float | int) for value in (*values, result.fold))
            and all(_are_texts(tuple(told.values())) for told in (result.reasons, result.notes)),
            f"the values of {result.model!r:.60} do not fit",
        )
        check_content(
            _are_numbers(result.rows, n_samples)
            and sizes == {result.n_test}
            and (result.classes is None or np.ndim(result.classes) == 1),
            f"the predictions of {result.model!r:.60} do not fit",
        )
    data = content.pop("data", None)
    if data is None:
        return content
    grouping, rows_by, params = data["grouping"], data["rows_by"], data["params"]
    scorers = {name: _scorer(name, parts) for name, parts in data["scorers"].items()}
    check_content(set(metrics) <= set(scorers) & set(params), "the scorers do not fit")
    weights = [own["sample_weight"] for own in params.values() if "sample_weight" in own]
    check_content(
        {n_samples} == {count_rows(rows) for rows in (data["y"], *weights)}, "the labels do not fit"
    )
    if grouping is not None:
        grouping = Grouping(**grouping)
        check_content(
            _are_numbers(grouping.of_row, n_samples)
            and len(grouping.of_row) == n_samples
            and {result.fold for result in content["results"]} <= set(grouping.sizes),
            "the groups do not fit",
        )
    if rows_by is not None:
        from skmetrics_ext.report.by_group import RowGroups
        from skmetrics_ext.slices.group_columns import GroupColumns

        rows_by = RowGroups(**{**rows_by, "by": GroupColumns(**rows_by["by"])})
        check_content(
            _are_numbers(rows_by.of_row, len(rows_by.groups)) and len(rows_by.of_row) == n_samples,
            "the groups that values are shown by do not fit",
        )
    content["data"] = ScoredData(data["y"], scorers, params, grouping, rows_by=rows_by)
    return content


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(values: Any) -> bool:
    return isinstance(values, tuple) and all(map(_is_text, values))


def _are_numbers(rows: Any, end: int) -> bool:
    """True for an array of row numbers, from 0 to below ``end``."""
    is_integer = isinstance(rows, np.ndarray) and rows.ndim == 1 and rows.dtype.kind in "iu"
    return is_integer and (not len(rows) or (rows.min() >= 0 and rows.max() < end))
