"""The simplest candidate that is as good as the best one, as a rule for ``refit=``."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import count, takewhile
from typing import Any, Literal

import numpy as np

from skmetrics_ext.inference.scales import quantile
from skmetrics_ext.inference.tests.fold_tests import corrected_error
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_interval

RULES = ("1se", "set")
_LEVEL = 0.95


def simplest_within(
    complexity: str | Callable[[Mapping[str, Any]], float],
    *,
    rule: Literal["1se", "set"] = "1se",
    scoring: str | None = None,
    test_size: float | None = None,
) -> SimplestWithin:
    r"""Rule for ``refit=`` of a search: the simplest candidate about as good as the best.

    Parameters
    ----------
    complexity : str or callable
        Name of a parameter whose smaller values are simpler (``"tree__max_depth"``; None is
        unlimited); with a minus before it, a parameter whose larger values are simpler
        (``"-min_samples_leaf"``); or a function of the parameters of a candidate.
    rule : {"1se", "set"}, default="1se"
        Which candidates count as about as good as the best one:

        - "1se": those within one standard error of it (Breiman et al. 1984), with the correction
          of Nadeau & Bengio (2003) for overlapping training sets,
          :math:`s \sqrt{1/J + n_{test}/n_{train}}` over the J splits;
        - "set": those not significantly worse, by t tests with that error of the differences, at
          a joint level of 0.05 (Bonferroni).
    scoring : str, default=None
        Name of the metric, if the search has several.
    test_size : float in (0, 1), default=None
        Share of test rows in a split. By default 1 / (number of splits), as in k-fold; pass 0.2
        for repeated 5-fold.

    Returns
    -------
    callable
        Takes ``cv_results_`` and returns the index of a candidate. Candidates without a value are
        left out; among equally simple ones the best is taken.

    Raises
    ------
    ValueError
        If ``rule`` is unknown; when called, if a candidate lacks the parameter, the search has
        several metrics and ``scoring`` names none of them, or no candidate has a value.

    References
    ----------
    Breiman, Friedman, Olshen & Stone (1984), Classification and Regression Trees, 3.4.3; Nadeau &
    Bengio (2003), Machine Learning 52(3), 239-281.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import GridSearchCV
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from skmetrics_ext import simplest_within
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> search = GridSearchCV(
    ...     KNeighborsClassifier(),
    ...     {"n_neighbors": [1, 3, 9, 27, 81]},  # the more, the smoother
    ...     refit=simplest_within("-n_neighbors"),
    ... ).fit(X, y)
    >>> search.cv_results_["mean_test_score"].round(3).tolist()
    [0.905, 0.919, 0.931, 0.919, 0.91]
    >>> search.best_params_
    {'n_neighbors': 27}
    """
    if not isinstance(complexity, str) and not callable(complexity):
        raise InvalidParameterError(
            "complexity must be the name of a parameter or a function of the parameters, got "
            f"{complexity!r:.60}."
        )
    check_option("rule", rule, RULES)
    if test_size is not None:
        check_interval("test_size", test_size, "(0, 1)")
    return SimplestWithin(complexity, rule, scoring, test_size)


@dataclass(frozen=True, slots=True)
class SimplestWithin:
    """Rule made by `simplest_within`: a function of ``cv_results_``."""

    complexity: str | Callable[[Mapping[str, Any]], float]
    rule: str
    scoring: str | None = None
    test_size: float | None = None

    def __call__(self, results: Mapping[str, Any]) -> int:
        values = np.asarray(results[f"mean_test_{self.metric(results)}"], dtype=np.float64)
        if not np.isfinite(values).any():
            raise InvalidParameterError("simplest_within: no candidate has a value.")
        return int(self.of(results)(values[None])[0])

    def metric(self, results: Mapping[str, Any]) -> str:
        """Name of the metric in the keys of ``cv_results_``."""
        prefix = "mean_test_"
        names = [key.removeprefix(prefix) for key in results if key.startswith(prefix)]
        if self.scoring is None and len(names) == 1:
            return names[0]
        if self.scoring not in names:
            raise InvalidParameterError(
                f"simplest_within: scoring must be one of the metrics {names} of the search, got "
                f"{self.scoring!r}."
            )
        return str(self.scoring)

    def of(self, results: Mapping[str, Any]) -> Callable[[Array], Array]:
        """The rule as a function of values (B, p) of the same candidates."""
        keys = split_keys(results, self.metric(results))
        splits = np.column_stack([np.asarray(results[key], np.float64) for key in keys])
        cost = np.array([self._cost(params) for params in results["params"]])
        reach = self._reach(splits)

        def choose(values: Array) -> Array:
            values = np.where(np.isfinite(values), values, -np.inf)
            best = values.argmax(axis=1)
            top = values.max(axis=1, keepdims=True)
            as_good = values >= top - reach[best]
            as_good &= np.isfinite(values)
            least = np.where(as_good, cost, np.inf).min(axis=1, keepdims=True)
            return np.where(as_good & (cost == least), values, -np.inf).argmax(axis=1)

        return choose

    def _cost(self, params: Mapping[str, Any]) -> float:
        if callable(self.complexity):
            return float(self.complexity(params))
        name = self.complexity.removeprefix("-")
        if name not in params:
            raise InvalidParameterError(
                f"simplest_within: a candidate has no parameter {name!r}; it has {[*params]}."
            )
        if params[name] is None:
            return np.inf
        try:
            value = float(params[name])
        except (TypeError, ValueError) as error:
            raise InvalidParameterError(
                f"simplest_within: {name} must be a number, got {params[name]!r:.60}: pass a "
                "function of the parameters instead."
            ) from error
        return -value if self.complexity.startswith("-") else value

    def _reach(self, splits: Array) -> Array:
        """How far below each candidate another one still counts as equally good, (p, p)."""
        n_candidates, n_splits = splits.shape
        share = 1 / max(n_splits, 2) if self.test_size is None else self.test_size
        overlap = share / (1 - share)
        if n_splits < 2:
            return np.zeros((n_candidates, n_candidates))
        if self.rule == "1se":
            errors = np.array([_error(values, overlap) for values in splits])
            return np.repeat(errors[:, None], n_candidates, axis=1)
        level = 1 - 2 * (1 - _LEVEL) / max(n_candidates - 1, 1)  # one-sided
        t = quantile(level, n_splits - 1)
        differences = splits[:, None] - splits
        return t * np.array([[_error(values, overlap) for values in row] for row in differences])


def _error(values: Array, overlap: float) -> float:
    """Nadeau and Bengio's standard error, over the splits that have a value."""
    defined = values[np.isfinite(values)]
    return corrected_error(defined, overlap) if len(defined) > 1 else 0.0


def split_keys(results: Mapping[str, Any], metric: str) -> list[str]:
    """Keys of the values on each split."""
    return [*takewhile(results.__contains__, (f"split{k}_test_{metric}" for k in count()))]
