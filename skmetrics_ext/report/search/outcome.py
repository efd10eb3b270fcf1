"""From the values of all candidates on all folds to what is told of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.inference.proportions import normal_quantile
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import SCALES, quantile, scales_of
from skmetrics_ext.inference.selection import (
    Choose,
    Chosen,
    FromBest,
    Stable,
    corrected,
    from_best,
    largest,
)
from skmetrics_ext.numeric import Array, wilson
from skmetrics_ext.report.fold import FoldResult
from skmetrics_ext.report.search.noise import RowNoise, TopTwoDifference, of_folds
from skmetrics_ext.report.search.plan import Plan
from skmetrics_ext.report.search.result import COLUMNS, NOT_INCLUDED, SearchReport, label_of
from skmetrics_ext.report.search.simplest import SimplestWithin
from skmetrics_ext.report.summary import bounds_of
from skmetrics_ext.rows import Rows
from skmetrics_ext.validation import InvalidParameterError

_NAN = float("nan")
_SAME = 1e-9  # to which values have to come back; rounding is less
_METHOD = "corrected for selection"
_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class SearchOutcome:
    """Values of the candidates, and which of them is chosen.

    Parameters
    ----------
    plan : Plan
    values : dict of str to ndarray of shape (p, J)
        Of each metric.
    reasons : list of str
        Why a candidate has no mean; empty for those that have one.
    times : ndarray of shape (p,)
        Mean seconds of a fit.
    results : dict
        What ``cv_results_`` of the candidates would be.
    best : int
        The chosen one.
    """

    plan: Plan
    values: dict[str, Array]
    reasons: list[str]
    times: Array
    results: dict[str, Any]
    best: int

    @classmethod
    def of(cls, plan: Plan, fits: Sequence[FoldResult]) -> SearchOutcome:
        """Collect the finished fits; the refit rule of the search chooses."""
        names = plan.candidates.names
        place = {name: k for k, name in enumerate(names)}
        shape = len(names), len(plan.folds)
        values = {metric: np.full(shape, _NAN) for metric in plan.panel.names}
        times, reasons = np.full(shape, _NAN), [""] * len(names)
        for fit in fits:
            candidate = place[fit.model]
            times[candidate, fit.fold] = fit.fit_time
            for metric, table in values.items():
                table[candidate, fit.fold] = _value(plan, fit, metric)
            reasons[candidate] = reasons[candidate] or fit.reasons.get(plan.metric, "")
        n_done = np.isfinite(times).sum(axis=1)
        for k in np.flatnonzero(n_done < shape[1]):
            reasons[k] = reasons[k] or f"{n_done[k]} of {shape[1]} folds were finished"
        if not np.isfinite(values[plan.metric].mean(axis=1)).any():
            why = "; ".join(dict.fromkeys(filter(None, reasons)))
            raise InvalidParameterError(f"No candidate has a value of {plan.metric}: {why}.")
        mean_times = np.nansum(times, axis=1) / np.maximum(n_done, 1)
        results = _results(plan, values)
        return cls(plan, values, reasons, mean_times, results, _chosen(plan, results))

    @property
    def means(self) -> Array:
        """Means of the metric by which the search chooses, (p,)."""
        return np.asarray(self.results[f"mean_test_{self.plan.metric}"])

    def report(
        self,
        rows: RowNoise,
        n_rows: int,
        level: float,
        n_draws: int,
        rng: np.random.Generator,
        nested: Estimate | None,
    ) -> SearchReport:
        """The report of the candidates that have a value on every fold."""
        plan, grouping = self.plan, rows.data.grouping
        kept = np.flatnonzero(np.isfinite(self.values[plan.metric]).all(axis=1))
        splits = self.values[plan.metric][kept]
        values, notes = splits.mean(axis=1), []
        lasting: Array | None
        if rows.why:
            noise, lasting = of_folds(splits, plan.overlap)
            notes.append(
                f"{rows.why}: the noise is estimated from {len(plan.folds)} folds, and rough"
            )
        else:
            noise, lasting = rows.noise(kept, splits, n_draws, rng)
        against = from_best(values, noise, noise.draws(rng, n_draws), level)
        n_units = rows.n_units or len(plan.folds)
        stable = Stable(bounds_of(plan.panel.scorers[plan.metric]), n_units)
        rule, is_slow = self._rule(kept, stable)
        on_scale = stable.to(values), stable.noise(values, noise)
        chosen = corrected(*on_scale, rng, n_draws, rule, level=level, is_slow=is_slow)
        errors = np.sqrt(np.diag(noise.covariance))
        if len(plan.folds) < 2 and not rows.n_units:
            errors = np.full(len(errors), _NAN)
            chosen = Chosen(_NAN, _NAN, _NAN, errors)
            notes.append("one split does not show its noise")
        freedom = np.asarray(float(max(n_units - 1, 1)))
        scaled = Scaled(stable.bounds, quantile(level, freedom), level, rows.n_units)
        notes += self._notes()
        if len(kept) > 1:
            best = int(np.flatnonzero(kept == self.best)[0])
            units = "folds" if not rows.n_units else "rows" if grouping is None else "groups"
            top = TopTwoDifference.of(best, splits, rows.round_of, noise, lasting)
            notes.append(top.description(n_units, units, level))
        return SearchReport(
            metric=plan.metric,
            naive=float(self._known_means()[self.best]),
            best=scaled.estimate(stable, chosen),
            rows=self._rows(kept, scaled, errors, against, chosen.share),
            best_index=self.best,
            n_rows=n_rows,
            n_groups=None if grouping is None else grouping.n_groups,
            n_folds=len(plan.folds),
            splitter=plan.splitter,
            confidence_level=level,
            nested=nested,
            notes=tuple(notes),
        )

    # ----------------------------------------------------------------------- parts

    def _rule(self, kept: Array, stable: Stable) -> tuple[Choose, bool]:
        """The choice of the search among other values of these candidates, on their scale."""
        refit = self.plan.refit
        if not callable(refit):
            return largest, False
        results, is_ours = _part(self.results, kept), isinstance(refit, SimplestWithin)
        choose = refit.of(results) if is_ours else _by_rule(refit, results, self.plan.metric)
        return lambda values: choose(stable.back(values)), not is_ours

    def _known_means(self) -> Array:
        """Means in ``cv_results_`` of a fitted search; else those found here."""
        known = self.plan.results
        if known is None:
            return self.means
        return np.asarray(known[f"mean_test_{self.plan.metric}"])[self.plan.candidates.places]

    def _notes(self) -> list[str]:
        off = np.nanmax(np.abs(np.append(self._known_means() - self.means, 0.0)))
        if not off > _SAME:
            return []
        return [
            f"the values of cv_results_ did not come back (they are off by up to {off:.3g}): the "
            "splits or the models are random without a seed"
        ]

    def _rows(
        self, kept: Array, scaled: Scaled, errors: Array, against: FromBest, share: Array
    ) -> Rows:
        """A row for each candidate."""
        plan, candidates = self.plan, self.plan.candidates
        splits, means = self.values[plan.metric], self.means
        stds = splits.std(axis=1, ddof=1) if splits.shape[1] > 1 else np.full(len(splits), _NAN)
        compared = {}
        for k, place in enumerate(kept.tolist()):
            low, high = scaled.interval(float(means[place]), float(errors[k]))
            compared[place] = {
                "standard_error": float(errors[k]),
                "low": low,
                "high": high,
                "difference": float(means[place] - means[kept].max()),
                "difference_low": float(against.low[k]),
                "difference_high": float(against.high[k]),
                "probability_best": float(share[k]),
                "as_good": bool(against.as_good[k]),
            }
        missing = {"probability_best": 0.0, "as_good": False}
        missing |= dict.fromkeys(next(iter(compared.values())).keys() - missing.keys(), _NAN)
        rows = []
        for place, (name, params) in enumerate(
            zip(candidates.names, candidates.params, strict=True)
        ):
            is_named = plan.search is None
            row: dict[str, Any] = {
                "candidate": name if is_named else int(candidates.places[place]),
                "label": name if is_named else label_of(params),
                "params": params,
                "mean": float(means[place]),
                "std": float(stds[place]),
                **compared.get(place, missing),
                "selected": place == self.best,
                "fit_time": float(self.times[place]),
                "reason": self.reasons[place] or None,
            }
            row |= {f"param_{key}": value for key, value in params.items()}
            for metric in plan.panel.names:
                if metric != plan.metric:
                    row[f"mean_{metric}"] = float(self.results[f"mean_test_{metric}"][place])
            rows.append(row)
        return Rows(rows, COLUMNS)


@dataclass(frozen=True, eq=False, slots=True)
class Scaled:
    """Bounds of values from their errors, on the scale of the metric."""

    bounds: tuple[float, float]
    z: Array
    level: float
    n_units: int

    def interval(self, value: float, error: float) -> tuple[float, float]:
        """Bounds of a value."""
        low, high = self.bounds
        if not np.isfinite(value) or np.isnan(error):
            return _NAN, _NAN
        if error <= _ROUNDING:
            return self._without(value)
        inside = low < value < high
        scale = scales_of(self.bounds)[0] if inside else "delta"
        found = SCALES[scale](np.asarray(value), np.asarray(error), self.z, self.bounds)
        return float(found[0]), float(found[1])

    def estimate(self, stable: Stable, chosen: Chosen) -> Estimate:
        """The corrected value, and its interval on the scale on which it was corrected."""
        value = float(stable.back(np.asarray(chosen.value)))
        note = (
            f"{NOT_INCLUDED}: coverage may be below {100 * self.level:g} % for the refitted model, "
            "see outer="
        )
        if np.isnan(chosen.error):
            return estimate(value, (_NAN, _NAN), _NAN, _METHOD, self.level)
        if chosen.error <= _ROUNDING:
            note = f"no row adds to the error; {note}"
            return estimate(value, self._without(value), 0.0, _METHOD, self.level, note)
        away = chosen.away * float(self.z) / normal_quantile(self.level)  # of few groups
        low, high = (float(stable.back(np.asarray(chosen.value + side * away))) for side in (-1, 1))
        # On the scale of the metric, the error is that of the interval.
        error = (high - low) / 2 * chosen.error / away
        return estimate(value, (low, high), error, _METHOD, self.level, note)

    def _without(self, value: float) -> tuple[float, float]:
        """Bounds of a value to which no row contributes: those of a proportion of as many rows."""
        low, high = self.bounds
        if not np.isfinite([low, high]).all() or not self.n_units:
            return value, value
        share = (value - low) / (high - low)
        found = wilson(share * self.n_units, self.n_units, self.level)
        return tuple(low + (high - low) * float(end) for end in found)  # type: ignore[return-value]


def _value(plan: Plan, result: FoldResult, metric: str) -> float:
    """Value on a fold, or the search's ``error_score`` if the fit failed."""
    value, reason = result.values[metric], result.reasons.get(metric, "")
    error_score = getattr(plan.search, "error_score", _NAN)
    if reason.startswith("fit failed"):
        if error_score == "raise":
            raise InvalidParameterError(f"candidate {result.model}: {reason}")
        return float(error_score)
    return value


def _results(plan: Plan, values: Mapping[str, Array]) -> dict[str, Any]:
    """As ``cv_results_`` has it."""
    from scipy.stats import rankdata

    found: dict[str, Any] = {"params": plan.candidates.params}
    keys = dict.fromkeys(key for params in plan.candidates.params for key in params)
    for key in keys:
        column: Any = np.ma.array(np.empty(len(plan.candidates.params), dtype=object), mask=True)
        for k, params in enumerate(plan.candidates.params):
            if key in params:
                column[k] = params[key]
        found[f"param_{key}"] = column
    for metric, splits in values.items():
        for fold in range(splits.shape[1]):
            found[f"split{fold}_test_{metric}"] = splits[:, fold]
        found[f"mean_test_{metric}"] = splits.mean(axis=1)
        found[f"std_test_{metric}"] = splits.std(axis=1)
        means = np.nan_to_num(found[f"mean_test_{metric}"], nan=-np.inf)
        found[f"rank_test_{metric}"] = rankdata(-means, method="min").astype(np.int32)
    return found


def _chosen(plan: Plan, results: Mapping[str, Any]) -> int:
    """The candidate that the search chose, or its rule chooses."""
    told = getattr(plan.search, "best_index_", None)
    if told is not None:
        return int(np.flatnonzero(plan.candidates.places == told)[0])
    if callable(plan.refit):
        return int(plan.refit(results))
    return int(results[f"rank_test_{plan.metric}"].argmin())


def _part(results: Mapping[str, Any], kept: Array) -> dict[str, Any]:
    """Some of the candidates."""
    return {
        key: [column[k] for k in kept] if isinstance(column, list) else column[kept]
        for key, column in results.items()
    }


def _by_rule(refit: Callable[[Any], int], results: Mapping[str, Any], metric: str) -> Choose:
    """A rule of the user's own, asked for each draw."""
    from scipy.stats import rankdata

    mean = results[f"mean_test_{metric}"]
    splits = [key for key in results if key.startswith("split") and key.endswith(f"test_{metric}")]

    def choose(values: Array) -> Array:
        found = []
        for drawn in values:
            moved = {key: results[key] + (drawn - mean) for key in splits}
            moved[f"mean_test_{metric}"] = drawn
            moved[f"rank_test_{metric}"] = rankdata(-drawn, method="min").astype(np.int32)
            found.append(int(refit({**results, **moved})))
        return np.array(found)

    return choose
