"""Models by rank: joint intervals of ranks, the models that may be the best, and the winner."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.algebra import (
    Expression,
    Given,
    Leaf,
    Made,
    leaves_of_models,
    linear,
    related,
)
from skmetrics_ext.inference.compare import compare_pairs
from skmetrics_ext.inference.draws.atoms import WeightsAre, block_sizes
from skmetrics_ext.inference.draws.bootstrap import DrawPlan, seed_sequence
from skmetrics_ext.inference.draws.readers import find_metric
from skmetrics_ext.inference.estimate_rows import NEGATED, EstimateRow
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.linearized import Linearized, covariance_of
from skmetrics_ext.inference.margins import Asked, greater_is_better
from skmetrics_ext.inference.methods import facts_of_both, interval_of, positive_class_of
from skmetrics_ext.inference.notes import ROUNDING
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.inference.selection import rows_to_separate
from skmetrics_ext.inference.simultaneous import largest_of, level_together, root_of
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.numeric import Array, RandomState
from skmetrics_ext.registry import Metric
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.tables import Shown, columns
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level
from skmetrics_ext.validation.positive import class_notes

OVER = ("these", "data sets")
_COLUMNS = (
    *columns("rank", "model", "value", "interval"),
    Shown("ranks", ("rank_low", "rank_high"), "{} to {}".format),
    Shown("may be best", "in_best_set", lambda best: "yes" if best else "no"),
)
_FEWEST_SETS = 5
_NO_ROWS = (
    "the models of this leaderboard have no rows to subtract: leaderboard(..., over='these') of "
    "estimates that were computed in this session can be asked against."
)
_MANY = 200  # models
_AT_ONCE = 1 << 17  # numbers that are drawn at once
_CHOSEN = "the best of {} models: its value is too high on average, its interval holds all the same"


class Leaderboard(Estimates):
    """Models by rank, as `leaderboard` returns them: `Estimates` with the best model first.

    Parameters
    ----------
    rows : iterable of mapping, default=()
        A row per model, as in `Estimates`, with ``rank``, ``rank_low``, ``rank_high`` and
        ``in_best_set``.
    winner : Estimate, default=None
        The first model's value, and an interval that holds although the model was chosen.
    separate : float, default=inf
        Rows, or groups or data sets, that would separate the first two models with a power of
        80 %; infinite if they are equal.
    **options : object
        As of `Estimates`; ``confidence_level`` is the simultaneous coverage of all ranks, and of
        all intervals.

    Examples
    --------
    >>> from skmetrics_ext import leaderboard
    >>> y = [0, 1] * 50
    >>> models = {"a": y, "b": [0, 1, 1, 1] * 25, "c": [0, 1, 1, 0] * 25}
    >>> board = leaderboard("accuracy", y, models)
    >>> [row.model for row in board.best()], board[1].model, board[1].rank_low
    (['a'], 'b', 2)
    """

    def __init__(
        self,
        rows: Iterable[Mapping[str, Any]] = (),
        *,
        winner: Estimate | None = None,
        separate: float = np.inf,
        **options: Any,
    ) -> None:
        super().__init__(rows, **options)
        self.winner, self.separate = winner, separate

    @property
    def metric(self) -> str:
        """Name of the metric."""
        return str(self[0]["metric"])

    def best(self) -> Estimates:
        """The models that may be the best.

        Returns
        -------
        Estimates
        """
        return self.where(in_best_set=True)

    def against(self, reference: Any = None, **column: Any) -> Estimates:
        """Each model minus another one, or every two with "each".

        Parameters
        ----------
        reference, **column : object
            As in `Estimates.against`.

        Returns
        -------
        Estimates
            For several data sets, the difference of the means over these.

        Raises
        ------
        InvalidParameterError
            If the leaderboard is over all data sets, so that there are no rows to subtract.
        """
        if any(row.estimate._made is None for row in self):
            raise InvalidParameterError(_NO_ROWS)
        found = super().against(reference, **column)
        found.notes = ()
        return found

    def _contents(self) -> dict[str, Any]:
        chosen = {"winner": self.winner, "separate": self.separate}
        return {"metric": self.metric, **super()._contents(), **chosen}


class _Models(NamedTuple):
    """Values (K,) of models and their covariance, with degrees of freedom, and their making."""

    values: Array
    covariance: Array
    freedom: float
    n_units: float
    units: str
    metric: Metric
    expressions: Sequence[Expression]
    statistics: Sequence[Linearized] = ()


@document
def leaderboard(
    metric: Any,
    y_true: ArrayLike | None = None,
    predictions: Mapping[Any, Any] | None = None,
    *,
    over: Literal["these", "data sets"] = "these",
    groups: ArrayLike | None = None,
    strata: ArrayLike | None = None,
    sample_weight: ArrayLike | None = None,
    confidence_level: float = 0.95,
    weights_are: WeightsAre = "importance",
    n_resamples: int = 20_000,
    random_state: RandomState = 0,
    **metric_params: Any,
) -> Leaderboard:
    r"""Models by rank: which may be the best, and how good is the winner?

    Parameters
    ----------
    metric : str, callable or mapping
        As in `compare`; of several data sets a mapping of models to lists of estimates, one for
        each data set in the same order, instead of all three arguments.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs), default=None
        True labels.
    predictions : mapping, default=None
        Predictions of two or more models by name, in the form that the metric takes.
    over : {"these", "data sets"}, default="these"
        Of several data sets: whether ranks are those of the mean over these data sets, whose rows
        are the sample, or over all data sets of which these, five or more, are the sample.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, such as the task or the patient; rows of a group may be dependent.
    strata : array-like of shape (n_samples,), default=None
        The stratum of each row, as in `confidence_interval`.
    {sample_weight}
    confidence_level : float in (0, 1), default=0.95
        Simultaneous coverage of all ranks, and of all intervals.
    weights_are : {"importance", "frequency"}, default="importance"
        Whether a weight of 2 is one row that counts twice, or two rows.
    n_resamples : int, default=20000
        Number of draws of the largest difference.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws.
    **metric_params : dict
        Parameters of the metric.

    Returns
    -------
    Leaderboard
        A row per model, the best first, with ``rank``, ``rank_low``, ``rank_high`` and
        ``in_best_set``; ``.best()``, ``.winner``, ``.separate`` and ``.plot()``.

    Raises
    ------
    {raises}

    Notes
    -----
    Two models are told apart if their difference is more than c standard errors, with c the
    quantile of the largest of all :math:`|D_{jk}| / s_{jk}` under a normal distribution with the
    covariance of the contributions, converted to t. The lowest rank of a model counts the models
    that are better for sure, the highest those that are worse; all ranks hold at once. The interval
    of each model is the value -+ c' standard errors with the quantile of the largest error of all
    models, so it holds for whichever is chosen. The winner's value is not corrected.

    References
    ----------
    Mogstad, Romano, Shaikh & Wilhelm (2024), Review of Economic Studies 91(1), 476-518; Hothorn,
    Bretz & Westfall (2008), Biometrical Journal 50(3), 346-363.

    Examples
    --------
    >>> from skmetrics_ext import leaderboard
    >>> y = [0, 0, 1, 1] * 50
    >>> a, b = [0, 0, 1, 1] * 40 + [1, 0, 1, 0] * 10, [0, 1, 1, 1] * 40 + [0, 0, 1, 1] * 10
    >>> c = [0, 0, 1, 1] * 45 + [1, 0, 1, 0] * 5
    >>> print(leaderboard("accuracy", y, {"a": a, "b": b, "c": c}))
    accuracy of 3 models, 200 rows (95 % simultaneous intervals of values and ranks)
    rank  model   value          interval   ranks  may be best
    ----  -----  ------  ----------------  ------  -----------
       1  c      0.9500  [0.9137, 0.9863]  1 to 1          yes
       2  a      0.9000  [0.8501, 0.9499]  2 to 2           no
       3  b      0.8000  [0.7334, 0.8666]  3 to 3           no
    <BLANKLINE>
    separating the first two (difference 0.05) takes about 150 rows, with a power of 80 %
    c is the best of 3 models: its value is too high on average, its interval holds all the same
    """
    check_option("over", over, OVER)
    level, plan = check_level(confidence_level), DrawPlan(n_resamples, random_state=random_state)
    named = metric if isinstance(metric, Mapping) else predictions
    if not isinstance(named, Mapping) or len(named) < 2:
        raise InvalidParameterError(
            "predictions must be a mapping of two models or more, such as "
            f"leaderboard('f1', y_true, {{'a': pred_a, 'b': pred_b}}), got {named!r:.60}."
        )
    if named is metric:
        models = _of_data_sets(metric, over)
    else:
        measure = find_metric(metric, metric_params)
        given = Given(measure, y_true, named, sample_weight, groups, strata, weights_are)
        models = _of_rows(leaves_of_models(given, "predictions"), list(named))
    return _ranked(models, list(named), level, plan)


# --------------------------------------------------------------------------- models


def _of_rows(known: Sequence[tuple[Leaf, Linearized]], names: Sequence[Any]) -> _Models:
    """Models on the same rows."""
    leaves, statistics = zip(*known, strict=True)
    metric, first = statistics[0].origin.metric, statistics[0]
    for name, each in zip(names, statistics, strict=True):
        if not each.has_influence or each.undefined or not np.isfinite(each.value):
            raise InvalidParameterError(
                f"metric={metric.name!r} of {name!r} has no value or no derivative by its rows, "
                "which ranks need: leave the model out, or use "
                "confidence_interval(metric, y_true, models).against('each').adjust('bonferroni')."
            )
    is_grouped, atoms = first.design.group is not None, first.atoms
    n = float(atoms.n_groups if is_grouped else atoms.n_rows)
    is_mean = first.origin.is_mean or metric.tally in ("hits", "marks")
    freedom = n - 1 if is_mean else min(each.origin.fewest_rows for each in statistics) - 1
    values = np.array([float(each.value) for each in statistics])
    covariance = covariance_of(statistics) * n / (n - 1)
    unit = "groups" if is_grouped else "rows"
    freedom = max(freedom, 1.0)
    return _Models(values, covariance, freedom, n, unit, metric, leaves, statistics)


def _of_data_sets(estimates: Mapping[Any, Any], over: str) -> _Models:
    """Models by the estimates of each on several data sets."""
    made = [[getattr(each, "_made", None) for each in found] for found in estimates.values()]
    leaves: list[list[Any]] = [[each and each.expression for each in found] for found in made]
    flat = [leaf for found in leaves for leaf in found]
    sizes = {len(found) for found in leaves}
    n_sets, least = min(sizes), {"data sets": _FEWEST_SETS}.get(over, 1)
    is_known = flat and all(isinstance(leaf, Leaf) for leaf in flat)
    if not is_known or len(sizes) > 1 or n_sets < least or len({x.metric.name for x in flat}) > 1:
        raise InvalidParameterError(
            f"metric: each model needs a result of confidence_interval of one metric on each of "
            f"{least} or more data sets for over={over!r}, got {[len(found) for found in leaves]}; "
            "results from a file have no rows: compute them again."
        )
    if over == OVER[1]:
        table = np.array([[leaf.value for leaf in found] for found in leaves])
        values, covariance = table.mean(axis=1), np.cov(table) / n_sets
        return _Models(values, covariance, n_sets - 1, n_sets, over, flat[0].metric, ())
    parts = []
    for of_set in zip(*leaves, strict=True):
        read = [(leaf, leaf.read()) for leaf in of_set]
        if any(related(read[0], other) != "same" for other in read):
            raise InvalidParameterError(
                "metric: the estimates of a data set must be of the same rows."
            )
        parts.append(_of_rows(read, list(estimates)))
    values = np.mean([part.values for part in parts], axis=0)
    covariance = np.sum([part.covariance for part in parts], axis=0) / n_sets**2
    freedom, n_units = min(p.freedom for p in parts), sum(p.n_units for p in parts)
    known = parts[0].statistics if n_sets == 1 else ()
    means = [linear(*((1 / n_sets, leaf) for leaf in found)) for found in leaves]
    first = parts[0]
    return _Models(values, covariance, freedom, n_units, first.units, first.metric, means, known)


# --------------------------------------------------------------------------- ranks


def _ranked(models: _Models, names: list[Any], level: float, plan: DrawPlan) -> Leaderboard:
    """Ranks from all differences at once, and intervals of all values at once."""
    metric, n, covariance = models.metric, len(names), models.covariance
    name = metric.name.removeprefix(NEGATED)  # values are those of the loss itself
    is_loss = not greater_is_better(metric, "a leaderboard")
    scores, root = -models.values if is_loss else models.values, root_of(covariance)
    variance = np.diag(covariance)
    draws = plan.most_draws, plan.random_state

    first, second = np.triu_indices(n, 1)
    of_pair = variance[first] + variance[second] - 2 * covariance[first, second]
    varies = of_pair > ROUNDING * (variance[first] + variance[second])
    apart = np.sqrt(np.where(varies, of_pair, np.inf))
    largest = _largest_differences(root, apart, *draws)
    away = quantile(level_together(largest, int(varies.sum()), level), models.freedom) * apart
    gap, better = scores[first] - scores[second], np.zeros((n, n), dtype=bool)
    better[first, second], better[second, first] = gap > away, -gap > away
    for k in np.flatnonzero(~varies & (gap != 0)).tolist() if models.statistics else ():
        i, j = int(first[k]), int(second[k])
        i, j = (i, j) if gap[k] > 0 else (j, i)
        pair = models.statistics[i], models.statistics[j]
        (exact,) = compare_pairs([pair], Asked(1 - (1 - level) / len(first)))
        better[i, j] = (exact.high < 0) if is_loss else (exact.low > 0)

    error, known = np.sqrt(variance), variance > 0
    of_each = level_together(largest_of(root[known], *draws), int(known.sum()), level)
    reach = quantile(of_each) * error
    low, high = np.clip((models.values - reach, models.values + reach), *metric.spec.bounds)
    for k in np.flatnonzero(~known).tolist() if models.statistics else ():
        alone: Any = interval_of(models.statistics[k], "auto", of_each, plan)
        low[k], high[k] = alone.low, alone.high
    order = np.argsort(-scores, kind="stable")
    found = {
        "value": models.values,
        "low": low,
        "high": high,
        "standard_error": error,
        "rank": 1 + (scores > scores[:, None]).sum(axis=1),
        "rank_low": 1 + better.sum(axis=0),
        "rank_high": n - better.sum(axis=1),
        "in_best_set": ~better.any(axis=0),
    }
    rows = []
    for k in order.tolist():
        row = {key: values[k].item() for key, values in found.items()}
        row |= {"metric": name, "model": names[k], "method": "max_t"}
        shown = row["value"], row["low"], row["high"], row["standard_error"]
        of_row: Any = {"facts": Facts(name)}
        if models.expressions:
            of_row["_made"] = Made(models.expressions[k], plan)
        rows.append(EstimateRow(row, level, Estimate(*shown, "max_t", level, **of_row)))
    a, b = order[:2].tolist()
    lead_of_a, squared = scores[a] - scores[b], variance[a] + variance[b] - 2 * covariance[a, b]
    separate = np.inf
    notes = [f"the first two are equal, and no number of {models.units} separates them"]
    if lead_of_a > 0:
        separate = rows_to_separate(float(lead_of_a), float(squared), models.n_units, level)
        notes = [
            f"separating the first two (difference {lead_of_a:.2g}) takes about {ceil(separate):,} "
            f"{models.units}, with a power of 80 %"
        ]
    notes.append(f"{rows[0]['model']} is {_CHOSEN.format(n)}")
    notes += [f"{n} models are {len(first):,} pairs, all of which are compared"] * (n > _MANY)
    statistics = models.statistics
    facts = facts_of_both(None, statistics[a]) if statistics else Facts(name)
    winner = replace(rows[0].estimate, note=_CHOSEN.format(n), facts=facts)
    notes += class_notes(positive_class_of(statistics[a].origin)) if statistics else ()
    lead = f"{name} of {n} models, {models.n_units:,.0f} {models.units} "
    lead += f"({100 * level:g} % simultaneous intervals of values and ranks)"
    said: Any = {"columns": _COLUMNS, "confidence_level": level, "lead": [lead], "notes": notes}
    return Leaderboard(rows, winner=winner, separate=separate, **said)


def _largest_differences(root: Array, errors: Array, n_draws: int, seed: object) -> Array:
    """The largest standardised difference of two models in each draw, sorted."""
    rng, n, found = np.random.default_rng(seed_sequence(seed)), len(root), []
    per_error = np.zeros((n, n))
    per_error[np.triu_indices(n, 1)] = 1 / errors
    for size in block_sizes(n_draws, max(_AT_ONCE // n, 1)):
        values, largest = root @ rng.normal(size=(root.shape[1], size)), np.zeros(size)
        for k in range(n - 1):
            ratio = np.abs(values[k + 1 :] - values[k]) * per_error[k, k + 1 :, None]
            np.maximum(largest, ratio.max(axis=0), out=largest)
        found.append(largest)
    return np.sort(np.concatenate(found))
