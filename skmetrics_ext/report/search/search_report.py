"""search_report: fits all candidates, and corrects the best value for the selection."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference.draws.bootstrap import seed_sequence
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
from skmetrics_ext.numeric import Array, RandomState, wilson
from skmetrics_ext.progress import Progress
from skmetrics_ext.report.cross_validation import cross_validation_report, read_rows, run_fits
from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.search.noise import RowNoise, TopTwoDifference, of_folds, rounds_of
from skmetrics_ext.report.search.plan import SearchArguments, SearchPlan, plan_of
from skmetrics_ext.report.search.result import COLUMNS, NOT_INCLUDED, SearchReport, label_of
from skmetrics_ext.report.search.simplest import SimplestWithin
from skmetrics_ext.report.summary import bounds_of
from skmetrics_ext.rows import Rows
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.parameters import check_integer, check_level

_NAN = float("nan")
_LEAST_DRAWS = 20
_SAME = 1e-9  # rounding is less: a larger difference means that values did not come back
_METHOD = "corrected for selection"
_ROUNDING = 1e-12


def search_report(
    search: Any,
    X: ArrayLike,
    y: ArrayLike,
    *,
    groups: ArrayLike | None = None,
    params: Mapping[str, Any] | None = None,
    cv: Any = None,
    scoring: Any = None,
    outer: Any = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    random_state: RandomState = None,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> SearchReport:
    r"""Best score of a search corrected for selection, and the candidates that are as good.

    ``best_score_`` is the largest of many noisy means, and so too high: of 50 candidates with the
    same area of 0.75, by about 0.10 with 100 rows.

    Parameters
    ----------
    search : estimator or dict of str to estimator
        A ``GridSearchCV``, ``RandomizedSearchCV`` or halving search of scikit-learn, fitted
        or not, or candidates by their names. Candidates, splits, metrics and the rule for
        ``refit`` are those of the search; of a halving search the candidates of the last round.
        It is not changed. A search keeps no predictions, so the candidates of a fitted one are
        fitted again.
    X : array-like of shape (n_samples, n_features)
        What the candidates predict from.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Classes of any kind, or multilabel indicators.
    groups : array-like of shape (n_samples,), default=None
        The group of each row (the patient); rows of a group may depend on each other. They go to
        the splitter, and intervals and tests take groups, not rows, as independent.
    params : dict, default=None
        As ``fit`` of the search takes them: with metadata routing they go where they are
        requested, and without it to the fits.
    cv, scoring : object, default=None
        As in `cross_validation_report`, for a dict of candidates: 5 folds and accuracy by default.
    outer : int, splitter or iterable of (train, test), default=None
        Folds of a nested cross-validation, whose estimate is shown as well; it runs the search
        once for each.
    n_resamples : int, default=1000
        Draws of the noise.
    confidence_level : float in (0, 1), default=0.95
        Of all intervals.
    random_state : int, RandomState, Generator or None, default=None
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of parallel jobs, that of the search by default.
    progress : bool, callable or None, default=None
        Whether, or how, to tell how many fits are done.

    Returns
    -------
    SearchReport
        ``.naive``, ``.best``, ``.rows``, ``.selected``, ``.best_estimator_``, ``.frame()``,
        ``.plot()``, ``.to_html()``; it prints as a table. Interrupted from the keyboard, it
        holds the candidates that were finished, with a warning.

    Raises
    ------
    ValueError
        If an argument is not what it says, or no candidate has a value.

    Notes
    -----
    The mean values :math:`v` of the candidates have an error of covariance :math:`\Sigma`, which
    is that of what each row (or group) adds to them. With noise
    :math:`\omega \sim N(0, \Sigma)`, the candidate that is chosen by
    :math:`v + \sqrt\alpha\,\omega` has the value :math:`v - \omega / \sqrt\alpha` without bias
    (Oliveira, Lei & Tibshirani 2024), as if it were chosen under :math:`1 + \alpha` times the
    noise. Bootstrap bias-corrected cross-validation (Tsamardinos, Greasidou & Borboudakis 2018) is
    :math:`\alpha = 1`; here it is 0.1, nearer to the choice that was made. The standard error is
    the spread of the same in samples drawn from values that are as spread as the true ones.
    Values between two bounds are put on the scale of angles, those with one on that of logs.

    A metric without influence values takes :math:`\Sigma` from values of drawn rows, and a function
    that is no metric of this package from the values of the folds.

    Differences to the best are Hsu's multiple comparisons with the best, by the largest of
    correlated statistics.

    References
    ----------
    Tsamardinos, Greasidou & Borboudakis (2018), Machine Learning 107(12), 1895-1922; Oliveira, Lei
    & Tibshirani (2024), Electronic Journal of Statistics 18(2), 5405-5448; Hsu (1996), Multiple
    Comparisons, Chapman & Hall; Bayle, Bayle, Janson & Mackey (2020), Advances in Neural
    Information Processing Systems 33.

    Examples
    --------
    >>> from sklearn.datasets import load_wine
    >>> from sklearn.model_selection import GridSearchCV, KFold
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skmetrics_ext import search_report
    >>> X, y = load_wine(return_X_y=True)
    >>> folds = KFold(5, shuffle=True, random_state=0)
    >>> search = GridSearchCV(KNeighborsClassifier(), {"n_neighbors": range(1, 31)}, cv=folds)
    >>> report = search_report(search, X, y, random_state=0)
    >>> report.selected.params, round(report.naive, 3)
    ({'n_neighbors': 1}, 0.753)
    >>> print(report.best)  # doctest: +ELLIPSIS
    0.7424 [0.6622, 0.8151] (95% confidence, corrected for selection; training-set ...
    >>> sum(row.as_good for row in report.rows)
    29
    """
    level, params = check_level(confidence_level), dict(params or {})
    n_resamples = check_integer("n_resamples", n_resamples, _LEAST_DRAWS)
    labels, groups, group = read_rows(X, y, groups, params)
    arguments = SearchArguments(X, labels, groups, params, cv, scoring, n_jobs)
    plan = plan_of(search, arguments)
    grouping = None if group is None else Grouping.of(group, plan.folds)
    data = ScoredData(labels, plan.panel.scorers, plan.routed.score, grouping)
    rounds = rounds_of(plan.folds, len(labels))
    rows = RowNoise(data, plan.metric, len(plan.names), rounds)
    results = _run(plan, X, labels, rows, progress)
    rng = np.random.default_rng(seed_sequence(random_state))
    outcome = SearchOutcome.of(plan, results)
    nested = None if outer is None else _nested(plan, arguments, outer, level)
    report = outcome.report(rows, level, n_resamples, rng, nested)
    try:
        return replace(report, best_estimator_=_best_model(plan, outcome.best, X, labels))
    except KeyboardInterrupt:
        warn_user("Interrupted: the chosen candidate was not fitted to all rows.")
        return report


def _run(plan: SearchPlan, X: Any, y: Any, rows: RowNoise, progress: Progress) -> list[FoldResult]:
    """Run all fits, candidate by candidate; values are kept, predictions are not."""
    place = {name: k for k, name in enumerate(plan.names)}

    def keep(result: FoldResult) -> FoldResult:
        rows.take(place[result.model], result)
        return replace(result, responses={}, rows=None, classes=None)

    fits = (
        (name, model, fold, X, y, plan.routed.fit[name], plan.panel, plan.routed.score)
        for name, model in plan.models.items()
        for fold in plan.folds
    )
    total = len(plan.names) * len(plan.folds)
    return [*run_fits(fits, total, plan.n_jobs, progress, keep).values()]


def _best_model(plan: SearchPlan, best: int, X: Any, y: Any) -> Any:
    """The chosen candidate, fitted to all rows, by the search if it did that."""
    from sklearn.base import clone

    if hasattr(plan.search, "best_estimator_"):
        return plan.search.best_estimator_
    name = plan.names[best]
    return clone(plan.models[name]).fit(X, y, **plan.routed.fit[name])


def _nested(plan: SearchPlan, arguments: SearchArguments, outer: Any, level: float) -> Estimate:
    """The search itself, cross-validated."""
    from sklearn.base import clone

    if plan.search is None:
        raise InvalidParameterError("outer needs a search, which it runs on each of its folds.")
    report = cross_validation_report(
        {"search": clone(plan.search)},
        arguments.X,
        arguments.y,
        scoring={plan.metric: plan.panel.scorers[plan.metric]},
        cv=outer,
        groups=arguments.groups,
        baseline=None,
        params=arguments.to_fit,
        confidence_level=level,
        n_jobs=plan.n_jobs,
    )
    (row,) = report.summary()
    bounds, method = (row["low"], row["high"]), f"nested, {row['interval']}"
    note = row["interval_note"] or ""
    return estimate(row["mean"], bounds, row["standard_error"], method, level, note)


# --------------------------------------------------------------------------- outcome


@dataclass(frozen=True, eq=False, slots=True)
class SearchOutcome:
    """Values of the candidates, and which of them is chosen.

    Parameters
    ----------
    plan : SearchPlan
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

    plan: SearchPlan
    values: dict[str, Array]
    reasons: list[str]
    times: Array
    results: dict[str, Any]
    best: int

    @classmethod
    def of(cls, plan: SearchPlan, fits: Sequence[FoldResult]) -> SearchOutcome:
        """Collect the finished fits; the refit rule of the search chooses."""
        names = plan.names
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
        noise, lasting = rows.noise(kept, splits, n_draws, rng) or of_folds(splits, plan.overlap)
        if rows.why:
            notes.append(
                f"{rows.why}: the noise is estimated from {len(plan.folds)} folds, and rough"
            )
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
            metric=plan.metric_name,
            naive=float(self._known_means()[self.best]),
            best=scaled.estimate(stable, chosen),
            rows=self._rows(kept, scaled, errors, against, chosen.share),
            best_index=self.best,
            n_rows=len(rows.data.y),
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
        return np.asarray(known[f"mean_test_{self.plan.metric}"])[self.plan.places]

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
        """A row for each candidate; what needs a value on every fold is nan for the others."""
        plan, means = self.plan, self.means
        splits = self.values[plan.metric]
        stds = splits.std(axis=1, ddof=1) if splits.shape[1] > 1 else np.full(len(splits), _NAN)
        pairs = zip(means[kept].tolist(), errors.tolist(), strict=True)
        low, high = np.array([scaled.interval(*pair) for pair in pairs]).T
        of_kept = {
            "standard_error": errors,
            "low": low,
            "high": high,
            "difference": means[kept] - means[kept].max(),
            "difference_low": against.low,
            "difference_high": against.high,
            "probability_best": share,
            "as_good": against.as_good,
        }
        columns: dict[str, list[Any]] = {"mean": means.tolist(), "std": stds.tolist()}
        for key, values in of_kept.items():
            fill = {"probability_best": 0.0, "as_good": False}.get(key, _NAN)
            column = np.full(len(means), fill, dtype=values.dtype)
            column[kept] = values
            columns[key] = column.tolist()
        is_named = plan.search is None
        rows = []
        for place, (name, params) in enumerate(zip(plan.names, plan.params, strict=True)):
            row: dict[str, Any] = {
                "candidate": name if is_named else int(plan.places[place]),
                "label": name if is_named else label_of(params),
                "params": params,
                **{key: column[place] for key, column in columns.items()},
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
        away = chosen.away * float(self.z) / quantile(self.level)  # of few groups
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


def _value(plan: SearchPlan, result: FoldResult, metric: str) -> float:
    """Value on a fold, or the search's ``error_score`` if the fit failed."""
    value, reason = result.values[metric], result.reasons.get(metric, "")
    error_score = getattr(plan.search, "error_score", _NAN)
    if reason.startswith("fit failed"):
        if error_score == "raise":
            raise InvalidParameterError(f"candidate {result.model}: {reason}")
        return float(error_score)
    return value


def _results(plan: SearchPlan, values: Mapping[str, Array]) -> dict[str, Any]:
    """The values in the form of ``cv_results_``."""
    from scipy.stats import rankdata

    found: dict[str, Any] = {"params": plan.params}
    keys = dict.fromkeys(key for params in plan.params for key in params)
    for key in keys:
        column: Any = np.ma.array(np.empty(len(plan.params), dtype=object), mask=True)
        for k, params in enumerate(plan.params):
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


def _chosen(plan: SearchPlan, results: Mapping[str, Any]) -> int:
    """The candidate that the search chose, or its rule chooses."""
    told = getattr(plan.search, "best_index_", None)
    if told is not None:
        return int(np.flatnonzero(plan.places == told)[0])
    if callable(plan.refit):
        return int(plan.refit(results))
    return int(results[f"rank_test_{plan.metric}"].argmin())


def _part(results: Mapping[str, Any], kept: Array) -> dict[str, Any]:
    """``cv_results_`` of the candidates at these places."""
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
