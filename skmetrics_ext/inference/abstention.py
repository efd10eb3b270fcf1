"""Predictions that are no answer: left out, or counted as errors, with the coverage beside."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, cast, get_args

import numpy as np

from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.metrics.labels.accuracy import accuracy_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.containers import (
    count_rows,
    missing_rows,
    read_column,
    read_numbers,
    take_rows,
)
from skmetrics_ext.validation.encoding import encode
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.tensors import Function

Abstained = Literal["leave out", "wrong"]
MISSING = "missing"  # stands for None and nan
NO_ANSWER = "pass abstain='missing'"
_PREDICTIONS = ("y_pred", "pred_a", "pred_b")
_BY_ROW = (
    *("y_true", "y_score", "y_proba", "sample_weight", "groups", "strata", "rows", "by"),
    *("proxy", "sampling", "observed", "X", "confidence", "cost_matrix", "readers"),
)
_FAR = 0.02  # coverages that differ by more are noted


def may_abstain(door: Function) -> Function:
    """Let a function read predictions of which ``abstain=`` says that they are no answer."""

    @functools.wraps(door)
    def function(
        *args: Any,
        abstain: Any = None,
        abstained: Abstained = "leave out",
        ignore: Any = None,
        **options: Any,
    ) -> Any:
        if ignore is not None:
            given = _arguments(door, args, options)
            kept, told = not_ignored(given["y_true"], ignore)
            own = _of_rows(given, [*_PREDICTIONS], kept)
            return _with_note(function(abstain=abstain, abstained=abstained, **own), told)
        if abstain is not None:
            return answered(door, _arguments(door, args, options), abstain, abstained)
        try:
            return door(*args, **options)
        except ValueError as error:
            given = inspect.signature(door).bind(*args, **options).arguments
            if not any(_lacks_values(given.get(name)) for name in _PREDICTIONS):
                raise
            raise InvalidParameterError(
                f"{error} If a missing prediction is no answer: {NO_ANSWER}."
            ) from error

    return cast(Function, function)


def _arguments(door: Callable[..., Any], args: Any, options: Mapping[str, Any]) -> dict[str, Any]:
    """Arguments of a call by name, those of the metric included."""
    given = dict(inspect.signature(door).bind(*args, **options).arguments)
    return given | given.pop("metric_params", {}) | given.pop("params", {})


def not_ignored(y_true: Any, ignore: Any) -> tuple[Array, str]:
    """Rows whose true label is none of those to ignore, and how many others there are."""
    is_list = hasattr(ignore, "__iter__") and not isinstance(ignore, str | bytes)
    ignored = read_labels(ignore if is_list else [ignore], "ignore")
    true = read_column(y_true, "y_true").labels
    if true.ndim != 1:
        raise InvalidParameterError(
            f"ignore= names true labels of rows, and y_true is of shape {true.shape}: flatten it."
        )
    classes, (codes,) = encode(true)
    kept = np.isin(classes.astype(object), ignored.astype(object), invert=True)[codes]
    if not kept.any():
        raise InvalidParameterError(f"Every true label is in ignore={ignored.tolist()}.")
    n_left_out = int(np.count_nonzero(~kept))
    text = f"{n_left_out} of {len(kept)} rows left out: their label is in {ignored.tolist()}"
    return kept, text if n_left_out else ""


def _with_note(result: Any, note: str) -> Any:
    """A result that says which rows are left out; a dict of values has no place for it."""
    if isinstance(result, Estimate) and note:
        return replace(result, note="; ".join(filter(None, [note, result.note])))
    if hasattr(result, "notes") and note:
        result.notes = (*result.notes, note)
    return result


def _lacks_values(column: Any) -> bool:
    try:
        return column is not None and bool(missing_rows(column).any())
    except Exception:  # an object may raise anything; what reads it names the argument
        return False


def answered(door: Callable[..., Any], given: dict[str, Any], abstain: Any, how: str) -> Any:
    """The result of a function of the rows that are answered, with their share."""
    check_option("abstained", how, get_args(Abstained))
    names = [name for name in _PREDICTIONS if given.get(name) is not None]
    if not names:
        raise InvalidParameterError("abstain= needs predictions: pass y_pred=.")
    if any(isinstance(given[name], Mapping) for name in names):
        raise InvalidParameterError(
            "abstain= takes the predictions of one model, since each answers other rows: call once "
            "for each, or compare(metric, y_true, pred_a, pred_b, abstain=...)."
        )
    kept = {name: ~_refused(given[name], abstain, name) for name in names}
    if how == "wrong":
        given |= {name: _wrong(given["y_true"], given[name], kept[name]) for name in names}
        results = [door(**given)]
    elif len({tuple(mask) for mask in kept.values()}) == 1:
        results = [door(**_of_rows(given, names, next(iter(kept.values()))))]
    else:
        results = _of_other_rows(given, kept)
    return _with_coverage(door, results, given, list(kept.values()), how)


def _refused(pred: Any, abstain: Any, name: str) -> Array:
    """Rows of which the prediction is no answer."""
    if isinstance(abstain, str) and abstain == MISSING:
        refused = missing_rows(pred)
        answers = read_column(_plain(take_rows(pred, np.flatnonzero(~refused))), name)
        if not refused.all() and MISSING in answers.labels.tolist():
            raise InvalidParameterError(
                f"abstain='missing' stands for None and NaN, and {name} has a class of this name: "
                "rename the class."
            )
    else:
        (label,) = read_labels([abstain], "abstain").tolist()
        refused = np.array([each == label for each in read_column(pred, name).labels.tolist()])
    if refused.all():
        raise InvalidParameterError(f"{name} holds no answer: every prediction abstains.")
    return np.asarray(refused)


def _of_rows(given: dict[str, Any], names: list[str], kept: Array) -> dict[str, Any]:
    """The arguments of a call with some of its rows."""
    rows, n = np.flatnonzero(kept), len(kept)

    def cut(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: cut(each) for key, each in value.items()}
        return _plain(take_rows(value, rows)) if count_rows(value) == n else value

    costs, of_rows = given.get("cost_matrix"), {*_BY_ROW, *names}
    if costs is not None and read_numbers("cost_matrix", costs).ndim == 2:  # one of all rows
        of_rows -= {"cost_matrix"}
    return {k: cut(v) if k in of_rows else v for k, v in given.items()}


def _plain(values: Any) -> Any:
    """Values that a missing one made objects, of their own type."""
    if hasattr(values, "infer_objects"):
        return values.infer_objects()
    is_object = isinstance(values, np.ndarray) and values.dtype.kind == "O"
    return values.tolist() if is_object else values


def _wrong(y_true: Any, pred: Any, kept: Array) -> Any:
    """Predictions with another class where there is no answer: the next one in order."""
    true = read_column(y_true, "y_true").labels.tolist()
    answers = read_column(_plain(take_rows(pred, np.flatnonzero(kept))), "y_pred").labels.tolist()
    classes = sorted(set(true) | set(answers))
    after = dict(zip(classes, [*classes[1:], classes[0]], strict=True))
    each = iter(answers)
    return [next(each) if known else after[label] for label, known in zip(true, kept, strict=True)]


def _of_other_rows(given: dict[str, Any], kept: dict[str, Array]) -> list[Any]:
    """The difference of two models, each on its own rows, of which shared ones are paired."""
    from skmetrics_ext.inference.confidence_interval import confidence_interval  # which needs this

    claim = {key: given.pop(key) for key in ("alternative", "margin") if key in given}
    if given.get("groups") is not None or given.get("strata") is not None:
        raise InvalidParameterError(
            "pred_a and pred_b abstain in different rows, of which groups= and strata= cannot be "
            "paired: compare them in the rows that both answer, or pass abstained='wrong'."
        )
    sides = []
    for name, mask in kept.items():
        own = {k: v for k, v in given.items() if k not in kept}
        own |= {"y_pred": given[name], "rows": np.arange(len(mask))}
        sides.append(confidence_interval(**_of_rows(own, ["y_pred"], mask)))
    difference = sides[0] - sides[1]
    return [difference.test(**claim) if claim else difference]


def _with_coverage(
    door: Callable[..., Any], results: list[Any], given: dict[str, Any], kept: list[Array], how: str
) -> Any:
    """The result, with the share of the rows that are answered next to it."""
    (result,) = results
    ones, answers = np.ones(len(kept[0]), dtype=np.int64), [mask.astype(np.int64) for mask in kept]
    shared = ("sample_weight", "groups", "strata", "weights_are", "confidence_level")
    if isinstance(result, Estimate) or type(result) is list:
        from skmetrics_ext.inference.confidence_interval import confidence_interval

        options = {key: given[key] for key in shared if key in given}
        each = [confidence_interval(accuracy_score, ones, own, **options) for own in answers]
        each = [replace(one, facts=replace(one.facts, metric="coverage")) for one in each]
        found = result if isinstance(result, list) else [result]
        found = [_noted(estimate, each, given["y_true"], kept, how) for estimate in found]
        return found if isinstance(result, list) else found[0]
    options = {k: given[k] for k in ("sample_weight", "by", "bins", "margins") if k in given}
    of_rows = door([accuracy_score], ones, answers[0], **options)
    if isinstance(result, dict):
        return result | dict(zip(("coverage",), of_rows.values(), strict=True))
    if isinstance(of_rows, dict):
        share = dict(zip((None,), of_rows.values(), strict=True))
    else:
        share = {row["group"]: row["value"] for row in of_rows}
    for row in result:
        row["coverage"] = share[row["group"]]
    return result


def _noted(
    estimate: Estimate, coverage: list[Estimate], y_true: Any, kept: list[Array], how: str
) -> Estimate:
    """An estimate with its coverage, and a note on the rows without an answer."""
    positive = estimate.facts.positive_class if estimate.facts else None
    notes = []
    for mask in kept:
        text = f"{np.count_nonzero(~mask)} of {len(mask)} rows have no answer"
        if positive is not None:
            of_class = np.array(read_column(y_true, "y_true").labels == positive)
            refused = np.count_nonzero(of_class & ~mask)
            text += f" ({refused} of {of_class.sum()} of class {positive!r})"
        notes.append(text + ("; they count as errors" if how == "wrong" else ""))
    shares = [one.value for one in coverage]
    if max(shares) - min(shares) > _FAR and how != "wrong":
        notes.append("the models answer different shares of the rows: compare at equal coverage")
    note = "; ".join(dict.fromkeys(filter(None, [*notes, estimate.note])))
    both = coverage[0] if len(coverage) == 1 else tuple(coverage)
    return replace(estimate, note=note, facts=replace(estimate.facts or Facts(), coverage=both))
