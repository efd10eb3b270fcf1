"""What is drawn from: checked scores of one set of rows, or of every fold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from skmetrics_ext.alignment import AlignedRows
from skmetrics_ext.numeric import Array
from skmetrics_ext.scoring.responses import Responses, Stored
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option, distinct_labels
from skmetrics_ext.validation.containers import count_rows, read_array, take_rows
from skmetrics_ext.validation.positive import positive_class

RESPONSES = ("predict_proba", "decision_function")
_NEEDED = ("estimator", "indices")


class NoScoresError(InvalidParameterError):
    """The model has no score for a class of the rows."""


@dataclass(frozen=True, eq=False, slots=True)
class ScoredFold:
    """Scores of the test rows of a fold, or why there are none.

    Parameters
    ----------
    number : int
        From 0.
    scores : Scores or None
    n_train, n_test : int
        Rows that the model was fitted on, and those scored.
    reason : str
        Why there are no scores.
    group : ndarray of int of shape (n_test,) or None
        Number of the group of each test row, where groups are known.
    """

    number: int
    scores: Scores | None
    n_train: int
    n_test: int
    reason: str = ""
    group: Array | None = None


# --------------------------------------------------------------------------- one set of rows


def estimator_scores(
    estimator: Any,
    X: Any,
    y: Any,
    sample_weight: Any,
    *,
    pos_label: Any,
    methods: tuple[str, ...],
    sides: str,
    what: str,
) -> Scores:
    """Scores of a fitted estimator, its columns matched with the classes by name.

    ``sides`` and ``what`` decide on the positive class, as in `Scores.check`.
    """
    responses = Responses(estimator, X)
    method = responses.method(methods, prefer_order=True, what=what)
    classes = responses.classes
    if classes is None:
        asked = {"pos_label": pos_label, "side": sides, "what": what}
        return Scores.check(y, responses.get(method), sample_weight=sample_weight, **asked)
    rows = AlignedRows(y, classes, sample_weight)
    target = rows.target
    if target is None:  # multilabel
        return rows.scores(method, responses.get(method))
    if target.unseen:
        raise NoScoresError(
            f"y holds the classes {target.unseen}, which the model never saw and has no score for; "
            f"it knows {target.known}."
        )
    if len(target.known) < 2:
        raise NoScoresError(f"The model was fitted on the single class {target.known[0]!r}.")
    positive = None
    if len(target.known) == 2:
        positive = positive_class(target.known, pos_label, what=what, either=sides == "either")
    return rows.scores(method, responses.get(method), positive)


def response_methods(response_method: str, accepted: tuple[str, ...]) -> tuple[str, ...]:
    """Methods to try, in order."""
    check_option("response_method", response_method, ("auto", *accepted))
    return accepted if response_method == "auto" else (response_method,)


def binary_problems(rows: Scores) -> Iterator[tuple[Any, Scores]]:
    """Each class against the rest, with its name; of two classes, the positive one."""
    if rows.kind == "binary":
        yield rows.classes.tolist()[-1], rows
        return
    for label, mark, score in zip(rows.classes.tolist(), rows.marks().T, rows.score.T, strict=True):
        codes = mark.astype(np.int64)
        column = np.ascontiguousarray(score)
        yield label, Scores("binary", np.array([0, 1]), codes, column, rows.weight)


# --------------------------------------------------------------------------- folds


class FoldRows(NamedTuple):
    """The test rows of a fold, and the model of the fold or why there is none."""

    number: int
    estimator: Any
    X: Any
    y: Any
    weight: Any
    n_train: int
    reason: str = ""
    group: Array | None = None


def fold_rows(
    cv_results: Mapping[str, Any], X: Any, y: Any, sample_weight: Any, what: str
) -> Iterator[FoldRows]:
    """The folds of a result of ``cross_validate``."""
    if not isinstance(cv_results, Mapping) or not all(key in cv_results for key in _NEEDED):
        raise InvalidParameterError(
            f"{what} needs cv_results of cross_validate(..., return_estimator=True, "
            "return_indices=True): 'estimator' or 'indices' is missing."
        )
    indices = cv_results["indices"]
    n_rows = count_rows(X) or 0
    triples = zip(cv_results["estimator"], indices["train"], indices["test"], strict=True)
    for number, (estimator, train, test) in enumerate(triples):
        last = max(np.max(train), np.max(test))
        if last >= n_rows:
            raise InvalidParameterError(
                f"X has {n_rows} rows, and fold {number} of cv_results has row {last}: pass the X "
                "and y that were cross-validated."
            )
        weight = None if sample_weight is None else read_array("sample_weight", sample_weight)[test]
        yield FoldRows(
            number, estimator, take_rows(X, test), take_rows(y, test), weight, len(train)
        )


def report_model(report: Any, model: str | None) -> str:
    """The model to draw: the one of this name, or the only one beside the baseline."""
    candidates = [name for name in report.models if name != report.baseline]
    if model is None and len(candidates) == 1:
        return str(candidates[0])
    if model is None or model not in report.models:
        told = "which of several models to draw is not said" if model is None else f"got {model!r}"
        raise InvalidParameterError(f"model must be one of {list(report.models)}; {told}.")
    return model


def report_rows(
    report: Any, model: str, methods: tuple[str, ...], what: str, once: bool
) -> Iterator[FoldRows]:
    """The folds of a model of a report, by the predictions that were kept.

    ``once`` leaves out rows that an earlier fold had, for pictures of all rows together.
    """
    results = [result for result in report.results if result.model == model]
    if report.data is None or not any(m in r.responses for r in results for m in methods):
        raise InvalidParameterError(
            f"{what} needs {' or '.join(methods)} of {model!r}, which no metric of the report "
            f"asked for; it has {list(report.metrics)}."
        )
    params = report.data.params.values()
    weight = next((own["sample_weight"] for own in params if "sample_weight" in own), None)
    seen: set[int] = set()
    for result in results:
        kept = np.arange(len(result.rows))
        if once:
            kept = np.array([k for k in kept if int(result.rows[k]) not in seen], dtype=np.int64)
            seen.update(result.rows.tolist())
            if not len(kept):
                continue
        rows = result.rows[kept]
        said = {method: response[kept] for method, response in result.responses.items()}
        reasons = sorted(set(result.reasons.values())) or ["there are no predictions"]
        yield FoldRows(
            result.fold,
            Stored(result.classes, said),
            None,
            take_rows(report.data.y, rows),
            None if weight is None else read_array("sample_weight", weight)[rows],
            result.n_train,
            "" if any(method in said for method in methods) else reasons[0],
            None if report.data.grouping is None else report.data.grouping.of_row[rows],
        )


def scored_folds(folds: Iterable[FoldRows], y: Any, **asked: Any) -> list[ScoredFold]:
    """Scores of the test rows of each fold by the model of the fold, asked as `estimator_scores`.

    Where the model was not fitted on all classes, its curves would be of another problem.
    """
    classes = distinct_labels(y)
    found = []
    for fold in folds:
        scores, reason = None, fold.reason
        known = getattr(fold.estimator, "classes_", None)
        if classes is not None and known is not None:
            seen = read_array("classes_", known).tolist()
            lacking = [label for label in classes.tolist() if label not in seen]
            if lacking:
                reason = f"the model was fitted without the classes {lacking}"
        if not reason:
            scores = estimator_scores(fold.estimator, fold.X, fold.y, fold.weight, **asked)
        n_test = len(fold.y)
        found.append(ScoredFold(fold.number, scores, fold.n_train, n_test, reason, fold.group))
    return found


def given_folds(
    folds: Iterable[Sequence[Any]], n_train: Any, labels: Any, pos_label: Any, sides: str, what: str
) -> list[ScoredFold]:
    """Folds from (y_true, y_score) or (y_true, y_score, sample_weight) of each."""
    listed = [tuple(fold) for fold in folds]
    if not listed or any(len(fold) not in (2, 3) for fold in listed):
        raise InvalidParameterError(
            "folds must hold (y_true, y_score) or (y_true, y_score, sample_weight) of one fold or "
            f"more, got {len(listed)} with {sorted({len(fold) for fold in listed})} arrays."
        )
    if labels is None:  # a fold may lack classes that others have
        found = distinct_labels(np.concatenate([read_array("y_true", fold[0]) for fold in listed]))
        if found is not None and len(found) >= 2:
            labels = found
        if found is not None and len(found) == 2:
            pos_label = positive_class(
                found.tolist(), pos_label, what=what, either=sides == "either"
            )
    sizes = np.array([len(fold[0]) for fold in listed])
    # Without other word the folds are those of one partition.
    trained = sizes.sum() - sizes if n_train is None else np.broadcast_to(n_train, sizes.shape)
    checked = []
    for number, fold in enumerate(listed):
        true, score, weight = (*fold, None)[:3]
        asked = {"labels": labels, "pos_label": pos_label, "side": sides, "what": what}
        scores = Scores.check(true, score, sample_weight=weight, **asked)
        checked.append(ScoredFold(number, scores, int(trained[number]), int(sizes[number])))
    return checked


def pooled(folds: list[ScoredFold]) -> Scores:
    """The test rows of all folds as one set."""
    parts = [fold.scores for fold in folds if fold.scores is not None]
    if not parts:
        raise InvalidParameterError(f"No fold has scores: {folds[0].reason}.")
    first = parts[0]
    weight = None
    if any(part.weight is not None for part in parts):
        ones = [np.ones(len(p.true)) if p.weight is None else p.weight for p in parts]
        weight = np.concatenate(ones)
    return Scores(
        first.kind,
        first.classes,
        np.concatenate([part.true for part in parts]),
        np.concatenate([part.score for part in parts]),
        weight,
    )
