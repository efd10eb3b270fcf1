"""The population that is meant: verified rows, other covariates, another prevalence.

Rows are weighted, so that those with a label stand for the population. Where only some rows were
verified, their probabilities are shares of cells, or follow from a logistic regression; with many
verified rows the unverified ones also enter, with the probability of each label (doubly robust:
right if either of the two models is).
"""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference import notes
from skmetrics_ext.inference.linearized import Contributions, Linearized
from skmetrics_ext.inference.methods import methods_of
from skmetrics_ext.inference.partly_labelled import (
    FEW_ROWS,
    PartlyGiven,
    PartlyLabelled,
    Reading,
    soft_contributions,
)
from skmetrics_ext.inference.scales import Interval
from skmetrics_ext.metrics.family import RANKING
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import missing_values, read_column, read_numbers
from skmetrics_ext.validation.parameters import as_number
from skmetrics_ext.validation.positive import positive_class

_FEWEST = 20  # effective rows
_LARGEST = 1 / 3  # of the weight, of one row
_MOST_CELLS = 20
_IN_CELL = 5  # verified rows of each cell
_DOUBLY = 500  # verified rows of a doubly robust estimate
_LEAST_CHANCE = 0.01  # of being verified
_SAME = 1e-9
_RARE, _FEW_RARE = 0.06, 200  # prevalence, and rows of the rarest class, that a curve needs

# --------------------------------------------------------------------------- weights


def _weighted(data: PartlyGiven, weight: Array, what: str) -> PartlyGiven:
    """Rows whose labelled ones have these weights; refused if few of them carry the estimate."""
    rows = data.rows
    mass = np.where(rows.labelled, rows.weight * weight, 0.0)
    rows = replace(rows, mass=mass / mass.sum(), probability=np.ones(len(mass)))
    effective, most = rows.atoms.effective_rows, float(rows.mass.max())
    if effective < _FEWEST or most > _LARGEST:
        raise InvalidParameterError(
            f"{what} leaves the labelled rows worth {effective:.3g} equally weighted ones, and one "
            f"of them has {100 * most:.0f} % of the weight: the population differs too much from "
            f"these rows. At least {_FEWEST} are needed, none above a third."
        )
    said = [f"{rows.atoms.n_rows:,.0f} labels, worth {effective:,.0f} equally weighted ones"]
    said += [notes.MAY_MISS] if effective < FEW_ROWS else []
    return replace(data, rows=replace(rows, said=(*rows.said, *said)))


def to_target(data: PartlyGiven, X: Any, target: Any, target_weight: Any) -> PartlyGiven:
    """Rows that stand for another population, by their covariates or by weights."""
    n_rows = len(data.rows.labelled)
    if target_weight is not None:
        weight = read_numbers("target_weight", target_weight)
        if weight.shape != (n_rows,) or not (np.isfinite(weight) & (weight >= 0)).all():
            raise InvalidParameterError(
                f"target_weight must have a finite weight, not negative, for each of {n_rows} rows."
            )
        return _weighted(data, weight, "target_weight")
    here, there = (list(_columns(each, name)) for each, name in ((X, "X"), (target, "target")))
    if X is None or len(here) != len(there) or any(len(column) != n_rows for column in here):
        raise InvalidParameterError(
            f"target holds the covariates of the other population: pass the same columns of the "
            f"{n_rows} rows as X=."
        )
    both = [np.concatenate(pair) for pair in zip(here, there, strict=True)]
    is_there = np.arange(len(both[0])) >= n_rows
    chance = _chances(_matrix(both), is_there)[:n_rows, 1]
    return _weighted(data, chance / (1 - chance), "target")


def at_prevalence(metric: Metric, data: PartlyGiven, prevalence: Any) -> tuple[Linearized, Reading]:
    """The metric at stated shares of the classes, which are not random."""
    classes, codes = np.unique(read_column(data.labels, "y_true").labels, return_inverse=True)
    shares = _shares_of(metric, classes, prevalence)
    rows, places = data.rows, data.places
    now = np.bincount(codes, rows.mass[places])
    weight = np.zeros(len(rows.labelled))
    weight[places] = (shares / now)[codes]
    (before, parts), plain = data.of_labels(metric), Reading
    same = plain(float(before.value), parts, rows, said=("the same at any prevalence",))
    data = _weighted(data, weight, "prevalence")
    after, parts = data.of_labels(metric)
    moved = np.bincount(codes, parts[places])
    size = np.abs(parts).sum()
    if np.abs(moved).max() <= _SAME * size and abs(after.value - before.value) <= _SAME:
        return before, same
    n_rows = np.bincount(codes)
    if n_rows.min() < 2:
        raise InvalidParameterError(
            f"prevalence needs two rows of each class, and {classes[n_rows.argmin()]!r} has one."
        )
    centre = (moved / n_rows)[codes]
    parts[places] = (parts[places] - centre) * np.sqrt(n_rows / (n_rows - 1))[codes]
    error = as_number(getattr(prevalence, "standard_error", 0.0))
    slope = float((moved / shares) @ np.where(shares == shares[-1], 1, -1)) if error else 0.0
    said = ["at a stated prevalence" if not error else "at an estimated prevalence"]
    is_curve = after.origin.kind == "smooth" and after.origin.metric.spec.family is RANKING
    if is_curve and shares.min() < _RARE and n_rows.min() <= _FEW_RARE:
        said.append(notes.MAY_MISS)
    return after, Reading(float(after.value), parts, data.rows, shift=error * slope, said=(*said,))


def _shares_of(metric: Metric, classes: Array, prevalence: Any) -> Array:
    """The share of each class in the population that is meant."""
    if isinstance(prevalence, Mapping):
        shares = np.array([as_number(prevalence.get(label)) for label in classes.tolist()])
        if len(prevalence) != len(classes) or not abs(shares.sum() - 1) < 1e-6:
            raise InvalidParameterError(
                f"prevalence must have a share for each class, {classes.tolist()!r:.60}, and 1 in "
                f"total, got {dict(prevalence)!r:.80}."
            )
    else:
        if len(classes) != 2:
            raise InvalidParameterError(
                f"prevalence is the share of one of two classes, and y_true has "
                f"{classes.tolist()!r:.60}: pass a dict with the share of each class."
            )
        chosen, value = metric.params.get("pos_label"), as_number(prevalence)
        positive = positive_class(classes.tolist(), chosen, what="prevalence=")
        shares = np.where(classes == positive, value, 1 - value)
    if not ((shares > 0) & (shares < 1)).all():
        raise InvalidParameterError(f"prevalence has to be in (0, 1), got {prevalence!r:.60}.")
    return shares


# --------------------------------------------------------------------------- verified rows


def of_verified(
    metric: Metric, data: PartlyGiven, X: Any, responses: Sequence[Any]
) -> tuple[Linearized, Reading] | Linearized:
    """The metric of all rows, of which some were verified.

    Verification may depend on X and on the responses of the models.
    """
    rows, seen = data.rows, data.rows.labelled
    n_rows, n_seen = len(seen), len(data.places)
    predicted = [column for each in responses for column in _columns(each, "y_pred")]
    columns = [*predicted, *_columns(X, "X")]
    if any(len(column) != n_rows for column in columns):
        raise InvalidParameterError(f"X must have a value for each of the {n_rows} rows.")
    codes_of = np.column_stack([np.unique(c, return_inverse=True)[1] for c in columns])
    cell = np.unique(codes_of, axis=0, return_inverse=True)[1].reshape(-1)
    of_cell, seen_of_cell = np.bincount(cell), np.bincount(cell, seen)
    are_few = len(of_cell) <= _MOST_CELLS
    is_never = (seen_of_cell == 0) & (of_cell * n_seen >= _IN_CELL * n_rows)
    if (are_few and is_never.any()) or any(_are_apart(column, seen) for column in columns):
        return _unidentified(metric, data)
    classes, codes = np.unique(read_column(data.labels, "y_true").labels, return_inverse=True)
    marks = np.zeros((n_rows, len(classes)))
    marks[data.places, codes] = 1.0
    by_cell = are_few and seen_of_cell.min() >= _IN_CELL
    chance_of_label = None
    if by_cell:
        total = np.bincount(cell, rows.weight)
        labelled = np.stack([np.bincount(cell, rows.weight * mark) for mark in marks.T])
        chance = (labelled.sum(axis=0) / total)[cell]
        chance_of_label = (labelled / labelled.sum(axis=0)).T[cell]
    else:
        n_text = len(predicted) if metric.spec.response == "labels" else 0
        matrix = _matrix(columns, n_text)
        chance = np.maximum(_chances(matrix, seen)[:, 1], _LEAST_CHANCE)
        if n_seen >= _DOUBLY:
            chance_of_label = _chances(matrix[seen], codes, matrix)
    data = _weighted(data, 1 / chance, "observed")
    plain, parts = data.of_labels(metric)
    how = "weighted by the probability of verification"
    weighted = Reading(float(plain.value), parts, data.rows, said=(how,))
    if chance_of_label is None or metric.spec.point_of:
        return plain, weighted
    z = seen[:, None]
    signed = (marks - (z - chance[:, None]) * chance_of_label) / chance[:, None]
    value, each, _ = soft_contributions(metric, classes, data.y_pred, rows.weight[:, None] * signed)
    low, high = plain.bounds
    if not low <= value <= high:
        return plain, weighted
    every = np.ones(n_rows, dtype=bool)
    both = replace(weighted, value=value, parts=each.sum(axis=0), carriers=every)
    if by_cell:
        return plain, replace(both, said=("by the verified share of each cell",))
    said = [f"doubly robust; by weighting alone {weighted.value:.4g}"]
    if abs(value - weighted.value) > 2 * np.sqrt(rows.variance(both.parts)):
        said.append("they differ by more than two standard errors: one of the two models is wrong")
    return plain, replace(both, said=tuple(said))


class _Unidentified(Linearized):
    """A metric of labels that are missing by a rule, so that no row stands for them."""

    def minus(self, other: Linearized) -> Linearized:
        raise InvalidParameterError(
            f"{self.origin.metric.name} is not identified: some rows can have no label, by a rule "
            "that the predictions or X show. Compare the models on rows of which some have."
        )


def _are_apart(column: Array, seen: Array) -> bool:
    """Whether all verified rows are on one side of all others."""
    if column.dtype.kind not in "iuf" or seen.all():
        return False
    inside, outside = column[seen], column[~seen]
    return bool(outside.max() < inside.min() or outside.min() > inside.max())


def _unidentified(metric: Metric, data: PartlyGiven) -> Linearized:
    """Bounds of a metric between all unseen labels being of one class and of the other."""
    labels = np.asarray(read_column(data.labels, "y_true").labels)
    classes, seen = np.unique(labels), data.rows.labelled
    if len(classes) != 2:
        raise InvalidParameterError(
            "Rows lack a label by a rule that the predictions or X show, and the metric has bounds "
            f"for two classes only, got {classes.tolist()!r:.60}."
        )
    every = replace(data.rows, labelled=np.ones(len(seen), dtype=bool), mass=data.rows.weight)
    ends = []
    for label in classes:
        filled = np.full(len(seen), label)
        filled[seen] = labels
        ends.append(replace(data, labels=filled, rows=every).of_labels(metric)[0])
    if abs(float(ends[0].value) - float(ends[1].value)) <= _SAME:
        return ends[0]  # it does not read their labels
    n_unseen = np.count_nonzero(~seen)
    told = " and ".join(
        f"{float(end.value):.4g} if all {n_unseen:,} of them were {label!r}"
        for end, label in zip(ends, classes.tolist(), strict=True)
    )
    note = f"not identified: rows lack a label by a rule; {told}"

    def bounds(statistic: Any, _method: str, level: Any, plan: Any) -> Interval:
        each = [next(iter(methods_of(end).items())) for end in ends]
        both = [run(end, name, level, plan) for end, (name, run) in zip(ends, each, strict=True)]
        low, high = np.fmin(both[0].low, both[1].low), np.fmax(both[0].high, both[1].high)
        return Interval(low, high, np.asarray(np.nan), note)

    atoms = data.rows.atoms
    sample: Any = PartlyLabelled(ends[0], np.nan, atoms, lambda _: {"bounds": bounds})
    known = Contributions(np.zeros(len(seen)), atoms)
    return _Unidentified(np.nan, sample, ends[0].bounds, known=known)


# --------------------------------------------------------------------------- models


def _columns(X: Any, name: str) -> Iterator[Array]:
    """The columns of an array, a data frame, a dict of columns, or one column."""
    if X is None:
        return
    try:
        named = getattr(X, "column_names", getattr(X, "columns", None))
        parts: Any = X.values() if isinstance(X, Mapping) else None
        if parts is None and named is not None:
            parts = [X[column] for column in named]
        if parts is None:
            values = np.asarray(read_column(X, name).labels)
            parts = values.T if values.ndim == 2 else [values]
        columns = [np.asarray(read_column(part, name).labels) for part in parts]
        complete = columns and all(
            column.ndim == 1 and not missing_values(column).any() for column in columns
        )
    except InvalidParameterError:
        raise
    except Exception:  # an object may raise anything
        complete = False
    if not complete:
        raise InvalidParameterError(
            f"{name} must hold columns with a value in each row, none of them missing, got "
            f"{type(X).__name__}: {X!r:.60}."
        )
    yield from columns


def _matrix(columns: Sequence[Array], n_text: int = 0) -> Array:
    """Columns of numbers, standardised; of text, and of the first ones, a mark for each value."""
    parts = []
    for place, column in enumerate(columns):
        if column.dtype.kind in "iufb" and place >= n_text:
            spread = column.std()
            parts.append(((column - column.mean()) / (spread or 1.0))[:, None])
        else:
            parts.append(column[:, None] == np.unique(column)[1:])
    return np.concatenate(parts, axis=1).astype(np.float64)


def _chances(matrix: Array, codes: Array, of: Array | None = None) -> Array:
    """Probability of each code by logistic regression without a penalty, (n, K)."""
    from sklearn.linear_model import LogisticRegression

    if len(np.unique(codes)) < 2:
        return np.column_stack([np.zeros(len(matrix)), np.ones(len(matrix))])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = LogisticRegression(C=np.inf, solver="newton-cholesky", tol=1e-10, max_iter=1000)
        model.fit(matrix, codes)
    return np.asarray(model.predict_proba(matrix if of is None else of))
