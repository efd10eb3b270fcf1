"""search_report: fit all candidates of a search, and correct the best score for selection."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.inference import selection
from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.inference.scales import SCALES, quantile, scales_of
from skmetrics_ext.numeric import Array, RandomState, wilson
from skmetrics_ext.progress import Progress
from skmetrics_ext.report.cross_validation import cross_validation_report, read_rows, run_fits
from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import ScoredData, repeated_rows
from skmetrics_ext.report.search.noise import RowNoise, TopTwoDifference, rounds_of
from skmetrics_ext.report.search.plan import SearchArguments, SearchPlan, plan_of
from skmetrics_ext.report.search.result import COLUMNS, NOT_INCLUDED, SearchReport, label_of
from skmetrics_ext.report.search.simplest import SimplestWithin, split_keys
from skmetrics_ext.report.summary import bounds_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.parameters import check_draws, check_level

_NAN = float("nan")
_LEAST_DRAWS = 20
_SAME = 1e-9  # larger differences from cv_results_ are not rounding
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
    confidence_level: float = 0.95,
    n_resamples: int = 1000,
    random_state: RandomState = 0,
    n_jobs: int | None = None,
    progress: Progress = None,
) -> SearchReport:
    r"""Best score of a search, corrected for selection, and the candidates that are as good.

    ``best_score_`` is the largest of many noisy means, so it is too high: with 50 candidates of
    the same AUC of 0.75 and 100 rows, by about 0.10.

    Parameters
    ----------
    search : estimator or dict of str to estimator
        A ``GridSearchCV``, ``RandomizedSearchCV`` or halving search of scikit-learn, fitted
        or not, or a dict of named candidates. Candidates, splits, metrics and the ``refit`` rule
        are taken from the search; from a halving search, the candidates of its last round. The
        search is not changed. It stores no predictions, so even a fitted search is run again.
    X : array-like of shape (n_samples, n_features)
        Features.
    y : array-like of shape (n_samples,) or (n_samples, n_outputs)
        Classes of any kind, or multilabel indicators.
    groups : array-like of shape (n_samples,), default=None
        The group of each row, such as the patient; rows of a group may be dependent. Groups are
        passed to the splitter, and intervals and tests treat groups, not rows, as independent.
    params : dict, default=None
        Parameters of the search's ``fit``: with metadata routing they go where they are
        requested, otherwise to the fits.
    cv, scoring : object, default=None
        As in `cross_validation_report`, for a dict of candidates only; by default 5 folds and
        accuracy.
    outer : int, splitter or iterable of (train, test), default=None
        Outer folds of a nested cross-validation, whose estimate is reported as well. The search is
        run once per outer fold.
    confidence_level : float in (0, 1), default=0.95
        Nominal coverage of all intervals.
    n_resamples : int, default=1000
        Number of draws of the noise.
    random_state : int, RandomState, Generator or None, default=0
        Seed of the draws.
    n_jobs : int or None, default=None
        Number of parallel jobs; by default that of the search.
    progress : bool, callable or None, default=None
        As in `cross_validation_report`.

    Returns
    -------
    SearchReport
        ``.naive``, ``.best``, ``.rows``, ``.selected``, ``.best_estimator_``, ``.frame()``,
        ``.plot()``, ``.to_html()``; it prints as a table. After a keyboard interrupt it holds the
        finished candidates, with a warning.

    Raises
    ------
    ValueError
        If an argument is invalid, or no candidate has a value.

    Notes
    -----
    The mean values :math:`v` of the candidates have errors with covariance :math:`\Sigma`, from
    the contributions of each row (or group) to them. With noise
    :math:`\omega \sim N(0, \Sigma)`, the candidate chosen by :math:`v + \sqrt\alpha\,\omega` has
    the unbiased value :math:`v - \omega / \sqrt\alpha` (Oliveira, Lei & Tibshirani 2024), for a
    choice under :math:`1 + \alpha` times the noise. Bootstrap bias-corrected cross-validation
    (Tsamardinos, Greasidou & Borboudakis 2018) is :math:`\alpha = 1`; here it is 0.1, closer to
    the actual choice. The standard error is the spread of the corrected value in samples drawn
    around values that are as spread out as the true ones. Metrics with two bounds are corrected on
    the arcsine scale, those with one bound on the log scale.

    For a metric without influence values, :math:`\Sigma` comes from resampled rows; for a function
    that is not a metric of this package, from the values of the folds.

    Differences from the best are Hsu's multiple comparisons with the best, by the largest of
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
    0.7424 [0.6622, 0.8151], 95 %, corrected for selection; training-set ...
    >>> sum(row.as_good for row in report.rows)
    29
    """
    level, params = check_level(confidence_level), dict(params or {})
    n_resamples = check_draws(n_resamples, _LEAST_DRAWS)
    labels, groups, group = read_rows(X, y, groups, params)
    arguments = SearchArguments(X, labels, groups, params, cv, scoring, n_jobs)
    plan = plan_of(search, arguments)
    grouping = None if group is None else Grouping.of(group, plan.folds)
    data = ScoredData(labels, plan.panel.scorers, plan.routed.score, grouping)
    rounds = rounds_of(plan.folds, len(labels))
    row_noise = RowNoise(data, plan.metric, len(plan.names), rounds)
    outcome = SearchOutcome.of(plan, _run(plan, row_noise, progress))
    rng = np.random.default_rng(seed_sequence(random_state))
    nested = None if outer is None else _nested(plan, outer, level)
    report = replace(outcome.report(row_noise, level, n_resamples, rng), nested=nested)
    try:
        return replace(report, best_estimator_=_best_model(plan, outcome.best))
    except KeyboardInterrupt:
        warn_user("Interrupted: the chosen candidate was not fitted to all rows.")
        return report


def _run(plan: SearchPlan, row_noise: RowNoise, progress: Progress) -> list[FoldResult]:
    """Fit and score all candidates; keep their values, and drop predictions once read."""
    place = {name: k for k, name in enumerate(plan.names)}

    def keep(result: FoldResult) -> FoldResult:
        row_noise.take(place[result.model], result)
        return replace(result, responses={}, rows=None, classes=None)

    data, routed = plan.arguments, plan.routed
    fits = (
        (name, model, fold, data.X, data.y, routed.fit[name], plan.panel, routed.score)
        for name, model in plan.models.items()
        for fold in plan.folds
    )
    total = len(plan.names) * len(plan.folds)
    return [*run_fits(fits, total, plan.n_jobs, progress, keep).values()]


def _best_model(plan: SearchPlan, best: int) -> Any:
    """The chosen candidate fitted to all rows, taken from the search if it has one."""
    from sklearn.base import clone

    if hasattr(plan.search, "best_estimator_"):
        return plan.search.best_estimator_
    name = plan.names[best]
    return clone(plan.models[name]).fit(plan.arguments.X, plan.arguments.y, **plan.routed.fit[name])


def _nested(plan: SearchPlan, outer: Any, level: float) -> Estimate:
    """Nested cross-validation: the search itself is cross-validated."""
    from sklearn.base import clone

    if plan.search is None:
        raise InvalidParameterError("outer needs a search, which is run on each outer fold.")
    arguments = plan.arguments
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
    note = row["note"]
    return estimate(row["mean"], bounds, row["standard_error"], method, level, note)


# --------------------------------------------------------------------------- outcome


@dataclass(frozen=True, eq=False, slots=True)
class SearchOutcome:
    """Values of the candidates, and the choice among them.

    Parameters
    ----------
    plan : SearchPlan
    values : dict of str to ndarray of shape (p, J)
        Values on the folds by metric.
    reasons : list of str
        Why a candidate has no mean; "" for the others.
    times : ndarray of shape (p,)
        Mean seconds of a fit.
    results : dict
        The values in the form of ``cv_results_``.
    best : int
        Position of the chosen candidate.
    """

    plan: SearchPlan
    values: dict[str, Array]
    reasons: list[str]
    times: Array
    results: dict[str, Any]
    best: int

    @classmethod
    def of(cls, plan: SearchPlan, fits: Sequence[FoldResult]) -> SearchOutcome:
        """Collect the finished fits, and choose by the refit rule of the search."""
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
    def splits(self) -> Array:
        """Values (p, J) of the metric by which the search chooses."""
        return self.values[self.plan.metric]

    @property
    def means(self) -> Array:
        """Means (p,) of the metric by which the search chooses."""
        return np.asarray(self.results[f"mean_test_{self.plan.metric}"])

    def report(
        self, row_noise: RowNoise, level: float, n_draws: int, rng: np.random.Generator
    ) -> SearchReport:
        """The report, from the candidates that have a value on every fold."""
        plan, grouping = self.plan, row_noise.data.grouping
        kept = np.flatnonzero(np.isfinite(self.splits).all(axis=1))
        splits, values = self.splits[kept], self.means[kept]
        noise = row_noise.of_means(kept, splits, plan.overlap, n_draws, rng)
        errors = noise.errors
        against = selection.from_best(values, noise.joint, noise.joint.draws(rng, n_draws), level)
        scale = selection.StabilisedScale(bounds_of(row_noise.data, plan.metric), noise.n_units)
        scaled = Scaled(scale, level, noise.unit != "folds")
        chosen = selection.CorrectedChoice(_NAN, _NAN, _NAN, errors)
        if noise.is_known:
            on_scale = scale.to(values), scale.noise(values, noise.joint)
            rule, is_slow = self._rule(kept, scale)
            chosen = selection.corrected(
                *on_scale, rng, n_draws, rule, level=level, is_slow=is_slow
            )
        pairs = zip(values.tolist(), errors.tolist(), strict=True)
        low, high = np.array([scaled.interval(*pair) for pair in pairs]).T
        columns = {
            "standard_error": errors,
            "low": low,
            "high": high,
            "difference": values - values.max(),
            "difference_low": against.low,
            "difference_high": against.high,
            "probability_best": chosen.share,
            "as_good": against.as_good,
        }
        repeated = repeated_rows(plan.arguments.X, plan.folds)
        notes = [*repeated, *noise.caveats, *self._not_reproduced()]
        if len(kept) > 1:
            best = int(np.flatnonzero(kept == self.best)[0])
            top = TopTwoDifference.of(best, splits, row_noise.round_of, noise)
            notes.append(top.description(noise.n_units, noise.unit, level))
        return SearchReport(
            metric=plan.metric_name,
            naive=float(self._known_means()[self.best]),
            best=scaled.estimate(chosen),
            rows=self._rows(kept, columns, level),
            best_index=self.best,
            n_rows=len(row_noise.data.y),
            n_groups=None if grouping is None else grouping.n_groups,
            n_folds=len(plan.folds),
            splitter=plan.splitter,
            confidence_level=level,
            notes=tuple(notes),
        )

    def _rule(self, kept: Array, scale: selection.StabilisedScale) -> tuple[selection.Choose, bool]:
        """The refit rule for draws of the kept values on the scale, and whether it is slow."""
        refit = self.plan.refit
        if not callable(refit):
            return selection.largest, False
        results = {
            key: [column[k] for k in kept] if isinstance(column, list) else column[kept]
            for key, column in self.results.items()
        }
        is_slow = not isinstance(refit, SimplestWithin)
        choose = _by_callable(refit, results, self.plan.metric) if is_slow else refit.of(results)
        return lambda values: choose(scale.back(values)), is_slow

    def _known_means(self) -> Array:
        """Means in ``cv_results_`` if the search was fitted; otherwise the means of these fits."""
        known = getattr(self.plan.search, "cv_results_", None)
        if known is None:
            return self.means
        return np.asarray(known[f"mean_test_{self.plan.metric}"])[self.plan.places]

    def _not_reproduced(self) -> Iterator[str]:
        """A note if the means differ from those of the search."""
        off = np.nanmax(np.abs(np.append(self._known_means() - self.means, 0.0)))
        if off > _SAME:
            yield (
                f"the values of cv_results_ were not reproduced (differences up to {off:.3g}): the "
                "splits or the models are random without a seed"
            )

    def _rows(self, kept: Array, columns: Mapping[str, Array], level: float) -> Estimates:
        """A row per candidate; these columns have the values of the kept ones."""
        plan, splits = self.plan, self.splits
        missing = dict.fromkeys(columns, _NAN) | {"probability_best": 0.0, "as_good": False}
        cells_of: dict[int, dict[str, Any]] = {
            place: {key: column[k].item() for key, column in columns.items()}
            for k, place in enumerate(kept.tolist())
        }
        rows = []
        for place, (name, params) in enumerate(zip(plan.names, plan.params, strict=True)):
            text, mean = name if plan.search is None else label_of(params), self.means[place]
            row: dict[str, Any] = {
                "metric": plan.metric_name,
                "model": text,
                "value": float(mean),
                "note": self.reasons[place],
                "candidate": name if plan.search is None else int(plan.places[place]),
                "label": text,
                "params": params,
                "mean": float(mean),
                "std": float(splits[place].std(ddof=1)) if splits.shape[1] > 1 else _NAN,
                **cells_of.get(place, missing),
                "selected": place == self.best,
                "fit_time": float(self.times[place]),
            }
            row |= {f"param_{key}": value for key, value in params.items()}
            for metric in plan.panel.names:
                if metric != plan.metric:
                    row[f"mean_{metric}"] = float(self.results[f"mean_test_{metric}"][place])
            rows.append(row)
        return Estimates(rows, columns=COLUMNS, confidence_level=level)


@dataclass(eq=False, slots=True)
class Scaled:
    """Intervals from values and their errors, on a scale that suits the range of the metric.

    Parameters
    ----------
    scale : StabilisedScale
        The scale on which the value was corrected, with the number of units.
    level : float
    is_of_rows : bool
        Whether the units are rows or groups, rather than folds.
    """

    scale: selection.StabilisedScale
    level: float
    is_of_rows: bool
    t: Array = field(init=False)  # quantile of the t distribution

    def __post_init__(self) -> None:
        self.t = quantile(self.level, np.asarray(max(self.scale.n_units - 1.0, 1.0)))

    def interval(self, value: float, error: float) -> tuple[float, float]:
        """Interval of the mean of one candidate."""
        bounds = self.scale.bounds
        if not np.isfinite(value) or np.isnan(error):
            return _NAN, _NAN
        if error <= _ROUNDING:
            return self._without_error(value)
        name = scales_of(bounds)[0] if bounds[0] < value < bounds[1] else "delta"
        ends = SCALES[name](np.asarray(value), np.asarray(error), self.t, bounds)
        return float(ends[0]), float(ends[1])

    def estimate(self, chosen: selection.CorrectedChoice) -> Estimate:
        """The corrected value, with an interval on the scale on which it was corrected."""
        value = float(self.scale.back(np.asarray(chosen.value)))
        note = (
            f"{NOT_INCLUDED}: coverage may be below {100 * self.level:g} % for the refitted model, "
            "see outer="
        )
        if np.isnan(chosen.error):
            return estimate(value, (_NAN, _NAN), _NAN, _METHOD, self.level)
        if chosen.error <= _ROUNDING:
            note = f"no row contributes to the error; {note}"
            return estimate(value, self._without_error(value), 0.0, _METHOD, self.level, note)
        away = chosen.away * float(self.t) / quantile(self.level)
        low, high = self.scale.back(chosen.value + away * np.array([-1, 1])).tolist()
        error = (high - low) / 2 * chosen.error / away  # on the scale of the metric
        return estimate(value, (low, high), error, _METHOD, self.level, note)

    def _without_error(self, value: float) -> tuple[float, float]:
        """Wilson's interval for a share of as many rows, if no row contributes to the value."""
        low, high = self.scale.bounds
        if not np.isfinite([low, high]).all() or not self.is_of_rows:
            return value, value
        n_rows, share = self.scale.n_units, (value - low) / (high - low)
        first, last = wilson(share * n_rows, n_rows, self.level)
        return low + (high - low) * float(first), low + (high - low) * float(last)


def _value(plan: SearchPlan, result: FoldResult, metric: str) -> float:
    """Value on a fold, or the search's ``error_score`` if the fit failed."""
    if not result.fit_error:
        return result.values[metric]
    error_score = getattr(plan.search, "error_score", _NAN)
    if error_score == "raise":
        raise InvalidParameterError(f"candidate {result.model}: {result.fit_error}")
    return float(error_score)


def _results(plan: SearchPlan, values: Mapping[str, Array]) -> dict[str, Any]:
    """The values in the form of ``cv_results_``."""
    results: dict[str, Any] = {"params": plan.params}
    keys = dict.fromkeys(key for params in plan.params for key in params)
    for key in keys:
        column: Any = np.ma.array(np.empty(len(plan.params), dtype=object), mask=True)
        for k, params in enumerate(plan.params):
            if key in params:
                column[k] = params[key]
        results[f"param_{key}"] = column
    for metric, splits in values.items():
        for fold in range(splits.shape[1]):
            results[f"split{fold}_test_{metric}"] = splits[:, fold]
        means = splits.mean(axis=1)
        results[f"mean_test_{metric}"] = means
        results[f"std_test_{metric}"] = splits.std(axis=1)
        results[f"rank_test_{metric}"] = _ranks(means)
    return results


def _ranks(means: Array) -> Array:
    """Ranks of the candidates, 1 for the best, as in ``cv_results_``."""
    from scipy.stats import rankdata

    return rankdata(-np.nan_to_num(means, nan=-np.inf), method="min").astype(np.int32)


def _chosen(plan: SearchPlan, results: Mapping[str, Any]) -> int:
    """Position of the candidate that the search chose, or that its rule chooses."""
    known = getattr(plan.search, "best_index_", None)
    if known is not None:
        return int(np.flatnonzero(plan.places == known)[0])
    if callable(plan.refit):
        return int(plan.refit(results))
    return int(results[f"rank_test_{plan.metric}"].argmin())


def _by_callable(
    refit: Callable[[Any], int], results: Mapping[str, Any], metric: str
) -> selection.Choose:
    """A user's refit rule, called once for each draw of the values."""
    mean, splits = results[f"mean_test_{metric}"], split_keys(results, metric)

    def choose(values: Array) -> Array:
        places = []
        for drawn in values:
            moved = {key: results[key] + (drawn - mean) for key in splits}
            moved |= {f"mean_test_{metric}": drawn, f"rank_test_{metric}": _ranks(drawn)}
            places.append(int(refit({**results, **moved})))
        return np.array(places)

    return choose
