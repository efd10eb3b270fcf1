"""The candidates of a search, on which folds, and by which metrics they are compared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import METRICS, find
from skmetrics_ext.registry.headline import CHOICE
from skmetrics_ext.scoring import ScorerPanel, get_scorer
from skmetrics_ext.scoring.scorer import Scorer
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.positive import natural_positive

SINGLE = "score"  # what scikit-learn calls the metric of a search that has one


@dataclass(frozen=True, eq=False, slots=True)
class Candidates:
    """What a search compares.

    Parameters
    ----------
    names : tuple of str
        A name of each candidate: its number in ``cv_results_``, or as given.
    params : list of dict
        Parameters of each.
    models : dict of str to estimator
        The estimator with these parameters.
    places : ndarray of int of shape (p,)
        Where they stand in ``cv_results_``.
    """

    names: tuple[str, ...]
    params: list[dict[str, Any]]
    models: dict[str, Any]
    places: Array

    @classmethod
    def named(cls, models: dict[str, Any]) -> Candidates:
        """Of estimators by their names."""
        return cls(tuple(models), [{} for _ in models], models, np.arange(len(models)))

    @classmethod
    def of(cls, search: Any) -> Candidates:
        """Of a search that is fitted, or tells its candidates; of halving ones the last round."""
        from sklearn.base import clone

        results = getattr(search, "cv_results_", None)
        listed = (enumerate_params(search) or []) if results is None else list(results["params"])
        places = np.arange(len(listed))
        if results is not None and "iter" in results:
            rounds = np.asarray(results["iter"])
            places = np.flatnonzero(rounds == rounds.max())
        chosen = [dict(listed[k]) for k in places]
        models = {}
        for place, params in zip(places, chosen, strict=True):
            try:
                own = {key: clone(value, safe=False) for key, value in params.items()}
                models[str(place)] = clone(search.estimator).set_params(**own)
            except ValueError as error:
                raise InvalidParameterError(f"candidate {place}: {error}") from error
        return cls(tuple(models), chosen, models, places)


def enumerate_params(search: Any) -> list[dict[str, Any]] | None:
    """Parameters of all candidates of a grid, or of random ones; None of other searches."""
    from sklearn.model_selection import (
        GridSearchCV,
        ParameterGrid,
        ParameterSampler,
        RandomizedSearchCV,
    )

    # A class that inherits from these may choose its candidates by results.
    if type(search) is GridSearchCV:
        return list(ParameterGrid(search.param_grid))
    if type(search) is RandomizedSearchCV:
        drawn = ParameterSampler(
            search.param_distributions, search.n_iter, random_state=search.random_state
        )
        return list(drawn)
    return None


def is_search(search: Any) -> bool:
    """Whether it is one of scikit-learn's searches, or speaks as they do."""
    return all(hasattr(search, name) for name in ("estimator", "scoring", "refit", "cv", "fit"))


# --------------------------------------------------------------------------- metrics


def scoring_of(search: Any, classes: list[Any]) -> dict[str, Callable[..., Any]]:
    """Scorers of a search by the names that they have in ``cv_results_``."""
    scoring = search.scoring
    if isinstance(scoring, ScorerPanel):
        return dict(scoring.scorers)
    if scoring is None:
        return {SINGLE: _own_scorer(search.estimator)}
    if isinstance(scoring, str) or callable(scoring):
        return {SINGLE: as_ours(scoring, classes)}
    if isinstance(scoring, Mapping):
        return {str(name): as_ours(one, classes) for name, one in scoring.items()}
    return {str(name): as_ours(name, classes) for name in scoring}


def as_ours(scoring: Any, classes: list[Any]) -> Callable[..., Any]:
    """The scorer of this package that gives the same numbers; itself where there is none."""
    if isinstance(scoring, str):
        return get_scorer(scoring, **_positive_of(find(scoring, scorer=True), classes))
    function = getattr(scoring, "_score_func", None)
    if isinstance(scoring, Scorer) or function is None:
        return scoring
    name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
    if not module.startswith("sklearn.metrics") or name not in METRICS:
        return scoring
    kwargs = dict(scoring._kwargs)
    try:
        metric = find(METRICS[name].function, kwargs)
    except InvalidParameterError:
        return scoring
    kwargs |= _positive_of(metric, classes)
    return Scorer(metric.function, scoring._sign, kwargs, scoring._response_method)


def _positive_of(metric: Any, classes: list[Any]) -> dict[str, Any]:
    """The class 1, which is what metrics of labels take by default, where it is no natural one."""
    by_default = metric.spec.response == "labels" and "pos_label" not in metric.params
    if by_default and metric.sides == "one" and len(classes) == 2 and 1 in classes:
        return {} if natural_positive(classes) is not None else {"pos_label": 1}
    return {}


def _own_scorer(estimator: Any) -> Callable[..., Any]:
    """What ``estimator.score`` is: of scikit-learn's classifiers the share that is right."""
    from sklearn.base import is_classifier

    last = estimator
    while getattr(last, "steps", None):
        last = last.steps[-1][1]
    own = getattr(getattr(type(last), "score", None), "__module__", "")
    if is_classifier(last) and own.startswith("sklearn.") and not hasattr(last, "scoring"):
        return get_scorer(CHOICE)
    return _score


def _score(estimator: Any, X: Any, y: Any) -> float:
    return float(estimator.score(X, y))


def metric_chosen_by(search: Any, names: tuple[str, ...]) -> str:
    """The metric by which a search chooses."""
    if len(names) == 1:
        return names[0]
    told = getattr(search.refit, "scoring", None) if callable(search.refit) else search.refit
    if told not in names:
        raise InvalidParameterError(
            f"refit must say by which of the metrics {list(names)} the search chooses, got "
            f"{search.refit!r:.80}: a name, or a rule with scoring= (simplest_within)."
        )
    return str(told)


# --------------------------------------------------------------------------- folds


def splits_of(search: Any, splitter: Any, X: Any, y: Any, split_params: Mapping[str, Any]) -> Any:
    """Pairs of the rows to train and to test on; of halving searches those of the last round."""
    from sklearn.utils import resample

    splits = list(splitter.split(X, y, **split_params))
    results = getattr(search, "cv_results_", None)
    if results is None or "n_resources" not in results or search.resource != "n_samples":
        return splits
    share = int(np.max(results["n_resources"])) / (count_rows(y) or 1)

    def part(rows: Any) -> Any:
        size = int(share * len(rows))
        return resample(rows, replace=False, random_state=search.random_state, n_samples=size)

    return [(part(train), part(test)) for train, test in splits]
