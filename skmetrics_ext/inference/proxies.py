"""A machine's labels of all rows next to a person's labels of some (prediction-powered inference).

The estimate is a two-phase regression estimator: the metric of the labelled rows, minus a multiple
of the mean influence of the labelled rows on the metric of the proxy, which is 0 over all rows. The
multiple is that of least squares, so that a proxy that says nothing costs nothing.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.partly_labelled import (
    Correction,
    PartlyGiven,
    Reading,
    contributions_of,
    soft_contributions,
)
from skmetrics_ext.numeric import Array, divide
from skmetrics_ext.registry import Metric
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows, labels_of, missing_rows, read_column
from skmetrics_ext.validation.positive import positive_class

_DISAGREE = 10  # labelled rows, or groups, that differ from a proxy that is used
_GAIN = 0.95  # of the variance: a proxy that saves less is not used
_MOST_WEIGHT = 1.5
_MOST_LEVERAGE = 0.9
_SURE = 3.2905  # normal quantile of p = 0.001


def correct_by_proxy(
    reading: Reading, without: Correction, weight: float | None = None, *, leverage: bool = True
) -> Correction:
    """The corrected value and the contributions to its error, or those without the proxy.

    Tests pass a ``weight``, and contributions ``leverage=False``, centred among labelled rows and
    among others: those of a mean in other software.
    """
    rows, judge, parts = reading.rows, reading.judge, reading.parts
    assert judge is not None
    labelled = rows.labelled
    unit = np.nan_to_num(divide(judge, rows.weight))  # influence of a row by its weight
    centre = float((rows.mass * unit).sum())
    moved = np.where(labelled, rows.mass * (unit - centre), 0.0)
    size = float((moved**2).sum())
    times = weight
    if times is None:
        times = float(np.clip((parts * moved).sum() / size, 0.0, _MOST_WEIGHT)) if size else 0.0
    value = reading.value - times * centre
    kept = 1 - np.minimum(moved**2 / size, _MOST_LEVERAGE) if leverage and size else 1.0
    corrected = (parts - times * moved) / kept
    corrected = rows.of_pool(corrected) if rows.pool else corrected + times * judge
    if not leverage:
        for part in (labelled, ~labelled):
            corrected[part] -= corrected[part].mean() if part.any() else 0.0
    before, after = rows.variance(without.parts), rows.variance(corrected)
    n, differ = rows.atoms.n_rows, _disagreements(reading)
    worth = float(n * divide(before, after))
    units = "rows" if rows.design.group is None else "groups"
    counted = f"{n:,.0f} labels of {len(parts):,} rows"
    if weight is not None or (differ >= _DISAGREE and after < _GAIN * before):
        said = f"{counted}, worth {worth:,.0f} with this proxy ({differ:,.0f} {units} differ)"
        note = "; ".join(filter(None, [said, without.note]))
        of_all_rows = 0.0 if rows.pool else times**2 * rows.variance(judge)
        return Correction(value, corrected, True, note, True, without.is_weighted, of_all_rows)
    why = "it would not narrow the interval"
    if differ < _DISAGREE:
        why = f"{differ:.3g} labelled {units} differ from it, at least {_DISAGREE} are needed"
    note = "; ".join(filter(None, [f"proxy not used: {why}", counted, without.note]))
    return without._replace(note=note)


def _disagreements(reading: Reading) -> float:
    """Labelled rows that differ from the proxy; of groups, those with such a row."""
    differ, group = reading.differ, reading.rows.design.group
    assert differ is not None
    return float(differ.sum() if group is None else np.minimum(np.bincount(group, differ), 1).sum())


def with_judge(
    reading: Reading, settled: Metric, metric: Metric, data: PartlyGiven, proxy: Any
) -> Reading:
    """The reading with the metric of the proxy of all rows."""
    rows = data.rows
    n_rows = len(rows.labelled)
    if count_rows(proxy) != n_rows:
        raise InvalidParameterError(
            f"proxy must have a label or a probability for each of the {n_rows} rows of y_true, "
            f"got {count_rows(proxy)}."
        )
    missing = missing_rows(proxy) if len(getattr(proxy, "shape", (0,))) == 1 else np.zeros(1, bool)
    if missing.any():
        raise InvalidParameterError(
            f"proxy has no value in row {int(np.argmax(missing))}: it must have one for every row; "
            "leave out the rows that the machine did not see."
        )
    classes, codes = np.unique(read_column(data.labels, "y_true").labels, return_inverse=True)
    chances = _chances(proxy, classes, settled)
    if chances is None:
        judged = labels_of(proxy, np.ones(n_rows, dtype=bool))
        _, judge, _ = contributions_of(metric, judged, data.y_pred, rows.weight)
        found = np.asarray(read_column(judged, "proxy").labels)
        differ, columns = (found[data.places] != classes[codes]).astype(float), _marks(found)
    else:
        weight = rows.weight[:, None] * chances
        judge = soft_contributions(metric, classes, data.y_pred, weight)[1].sum(axis=0)
        differ, columns = 1 - chances[data.places, codes], chances
    apart = np.zeros(n_rows)
    apart[data.places] = differ
    if rows.probability is None:
        rows = replace(rows, said=(*rows.said, *_unlike(rows, columns)))
    return replace(reading, judge=judge, differ=apart, rows=rows)


def _chances(proxy: Any, classes: Array, metric: Metric) -> Array | None:
    """Probability of each class in each row, (N, K); None of a proxy of labels."""
    values = np.asarray(read_column(proxy, "proxy").labels)
    if values.ndim == 1 and (
        values.dtype.kind not in "fiub"
        or (classes.dtype.kind in "fiub" and np.isin(values, [0, 1, *classes.tolist()]).all())
    ):
        return None
    if not (values.min() >= 0 and values.max() <= 1) or (values.ndim == 1 and len(classes) != 2):
        if values.ndim == 1 and classes.dtype.kind in "fiub" and (values % 1 == 0).all():
            return None  # a class that no person found
        raise InvalidParameterError(
            f"proxy must hold labels like those of y_true, {classes.tolist()!r:.60}, or "
            f"probabilities in [0, 1]; it holds {values.min():g} to {values.max():g}."
        )
    if values.ndim == 1:
        chosen = metric.params.get("pos_label")
        positive = positive_class(classes.tolist(), chosen, what="proxy=", either=True)
        values = np.where(classes == positive, values[:, None], 1 - values[:, None])
    if values.shape[1] != len(classes):
        raise InvalidParameterError(
            f"proxy must have a column of probabilities for each class of y_true, "
            f"{classes.tolist()!r:.60}, got {values.shape[1]}."
        )
    return np.asarray(values, dtype=np.float64)


def _marks(labels: Array) -> Array:
    """Which label each row has, without the first one."""
    return np.asarray(labels[:, None] == np.unique(labels)[1:], dtype=np.float64)


def _unlike(rows: Any, columns: Array) -> list[str]:
    """A note if the proxy is surely other on labelled rows than on all rows."""
    n = np.count_nonzero(rows.labelled)
    if n == len(rows.labelled) or not columns.shape[1]:
        return []
    means = columns.mean(axis=0)
    share = np.where(rows.labelled, 1 / n, 0.0) - 1 / len(rows.labelled)
    parts = (columns - means).T * share
    z = [divide(each.sum(), np.sqrt(rows.variance(each))) for each in parts]
    k = int(np.argmax(np.abs(z)))
    if not np.abs(z[k]) > _SURE:
        return []
    own = columns[rows.labelled, k].mean()
    return [
        f"the labelled rows are not like the others: the proxy's mean is {own:.3g} there and "
        f"{means[k]:.3g} in all rows (p < 0.001); if they were chosen on purpose, pass sampling="
    ]
