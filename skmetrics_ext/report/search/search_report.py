"""A search and what it should have said."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.draws.bootstrap import seed_sequence
from skmetrics_ext.inference.results import Estimate, estimate
from skmetrics_ext.progress import Progress
from skmetrics_ext.report.cross_validation import (
    cross_validation_report,
    read_rows,
    run_fits,
)
from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import ScoredData
from skmetrics_ext.report.search.noise import RowNoise, rounds_of
from skmetrics_ext.report.search.outcome import SearchOutcome
from skmetrics_ext.report.search.plan import Plan, SearchArguments, plan_of
from skmetrics_ext.report.search.result import SearchReport
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.parameters import check_integer, check_level

_LEAST_DRAWS = 20


def search_report(
    search: Any,
    X: Any,
    y: Any,
    *,
    groups: Any = None,
    params: Mapping[str, Any] | None = None,
    cv: Any = None,
    scoring: Any = None,
    outer: Any = None,
    n_resamples: int = 1000,
    confidence_level: float = 0.95,
    random_state: Any = None,
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
        Folds of a nested cross-validation, whose estimate is given beside; it runs the search
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
    n_rows = len(labels)
    arguments = SearchArguments(X, labels, groups, params, cv, scoring, n_jobs)
    plan = plan_of(search, arguments)
    grouping = None if group is None else Grouping.of(group, plan.folds)
    data = ScoredData(labels, plan.panel.scorers, plan.routed.score, grouping)
    rounds = rounds_of(plan.folds, n_rows)
    rows = RowNoise(data, plan.metric, len(plan.candidates.names), rounds)
    results = _run(plan, X, labels, rows, progress)
    rng = np.random.default_rng(seed_sequence(random_state))
    outcome = SearchOutcome.of(plan, results)
    nested = None if outer is None else _nested(plan, arguments, outer, level)
    report = outcome.report(rows, n_rows, level, n_resamples, rng, nested)
    try:
        return replace(report, best_estimator_=_best_model(plan, outcome.best, X, labels))
    except KeyboardInterrupt:
        warn_user("Interrupted: the chosen candidate was not fitted to all rows.")
        return report


def _run(plan: Plan, X: Any, y: Any, rows: RowNoise, progress: Progress) -> list[FoldResult]:
    """All fits, candidate by candidate, of which values are kept."""
    place = {name: k for k, name in enumerate(plan.candidates.names)}

    def keep(result: FoldResult) -> FoldResult:
        rows.take(place[result.model], result)
        return replace(result, responses={}, rows=None, classes=None)

    fits = (
        (name, model, fold, X, y, plan.routed.fit[name], plan.panel, plan.routed.score)
        for name, model in plan.candidates.models.items()
        for fold in plan.folds
    )
    total = len(plan.candidates.names) * len(plan.folds)
    return run_fits(fits, total, plan.n_jobs, progress, keep)


def _best_model(plan: Plan, best: int, X: Any, y: Any) -> Any:
    """The chosen candidate, fitted to all rows; that of the search where it has one."""
    from sklearn.base import clone

    if hasattr(plan.search, "best_estimator_"):
        return plan.search.best_estimator_
    name = plan.candidates.names[best]
    return clone(plan.candidates.models[name]).fit(X, y, **plan.routed.fit[name])


def _nested(plan: Plan, arguments: SearchArguments, outer: Any, level: float) -> Estimate:
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
