"""Plan of a search: its candidates, folds, metrics and their parameters."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import METRICS, find
from skmetrics_ext.registry.defaults import CHOICE
from skmetrics_ext.report import cross_validation
from skmetrics_ext.report.fold import Fold, numbered_folds
from skmetrics_ext.report.params import (
    Params,
    check_scorer,
    classes_and_task,
    read_scoring,
    send_params,
)
from skmetrics_ext.scoring import ScorerPanel, get_scorer
from skmetrics_ext.scoring.panel import accepts_weight, name_of
from skmetrics_ext.scoring.scorer import Scorer, check_classes
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.positive import natural_positive

_FOLDS = 5


@dataclass(frozen=True, eq=False, slots=True)
class SearchArguments:
    """Arguments of `search_report`, with ``y`` and ``groups`` on the host."""

    X: Any
    y: Any
    groups: Any
    params: Mapping[str, Any]
    cv: Any
    scoring: Any
    n_jobs: int | None

    @property
    def to_fit(self) -> dict[str, Any]:
        """Keyword arguments of the search's ``fit``."""
        return dict(self.params) if self.groups is None else {**self.params, "groups": self.groups}


@dataclass(frozen=True, eq=False, slots=True)
class SearchPlan:
    """A search that is ready to be run.

    Parameters
    ----------
    search : estimator or None
        The search, fitted if its candidates depend on results; None for named candidates.
    params : list of dict
        Parameters of each candidate.
    models : dict of str to estimator
        The estimator of each candidate, by its number in ``cv_results_`` or its name.
    places : ndarray of int of shape (p,)
        Positions of the candidates in ``cv_results_``.
    panel : ScorerPanel
        All metrics of the search.
    metric : str
        The metric by which the search chooses.
    refit : str, bool or callable
        The rule by which it chooses.
    folds : list of Fold
    splitter : str
        The splitter, in one line.
    routed : Params
        Parameters of each fit and metric.
    n_jobs : int or None
    arguments : SearchArguments
    """

    search: Any
    params: list[dict[str, Any]]
    models: dict[str, Any]
    places: Array
    panel: ScorerPanel
    metric: str
    refit: Any
    folds: list[Fold]
    splitter: str
    routed: Params
    n_jobs: int | None
    arguments: SearchArguments

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the candidates."""
        return tuple(self.models)

    @property
    def metric_name(self) -> str:
        """Name of the metric, even if ``cv_results_`` calls it "score"."""
        scorer = self.panel.scorers[self.metric]
        if self.metric != SINGLE or not isinstance(scorer, Scorer):
            return self.metric
        name = name_of(scorer).removesuffix("_score")
        return name if scorer._sign > 0 or name.startswith("neg_") else f"neg_{name}"

    @property
    def overlap(self) -> float:
        """Mean ratio of test rows to training rows."""
        return float(np.mean([len(fold.test) / len(fold.train) for fold in self.folds]))


def plan_of(search: Any, arguments: SearchArguments) -> SearchPlan:
    """Plan a search, or a comparison of named candidates."""
    if isinstance(search, Mapping):
        return _of_named(search, arguments)
    if not is_search(search):
        raise InvalidParameterError(
            "search must be a GridSearchCV, RandomizedSearchCV or halving search of scikit-learn, "
            f"or a dict of name to estimator, got {type(search).__name__}."
        )
    for name in ("cv", "scoring"):
        if getattr(arguments, name) is not None:
            raise InvalidParameterError(
                f"{name} is taken from the search; pass it only with a dict of candidates."
            )
    return _of_search(search, arguments)


def _of_search(search: Any, arguments: SearchArguments) -> SearchPlan:
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import check_cv

    X, y = arguments.X, arguments.y
    classes, _ = classes_and_task(y)
    if not hasattr(search, "cv_results_") and enumerate_params(search) is None:
        search = clone(search).fit(X, y, **arguments.to_fit)  # its candidates depend on results
    panel = ScorerPanel(scoring_of(search, classes))
    metric = metric_chosen_by(search, panel.names)
    check_scorer(panel.scorers[metric], classes)
    for scorer in panel.scorers.values():
        check_classes(scorer, classes)
    splitter = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    params, models, places = _candidates(search)
    routed = _route(search, models, panel, arguments)
    return SearchPlan(
        search=search,
        params=params,
        models=models,
        places=places,
        panel=panel,
        metric=metric,
        refit=search.refit,
        folds=numbered_folds(splits_of(search, splitter, X, y, routed.split)),
        splitter=cross_validation.splitter_text(search.cv, splitter),
        routed=routed,
        n_jobs=search.n_jobs if arguments.n_jobs is None else arguments.n_jobs,
        arguments=arguments,
    )


def _of_named(search: Mapping[Any, Any], arguments: SearchArguments) -> SearchPlan:
    models = cross_validation.named_models(search)
    scoring = CHOICE if arguments.scoring is None else arguments.scoring
    panel, task, *_ = read_scoring(scoring, arguments.y)
    if len(panel.names) > 1:
        raise InvalidParameterError(
            f"scoring must be the one metric to choose by, got {list(panel.names)}."
        )
    cv = _FOLDS if arguments.cv is None else arguments.cv
    splitter = cross_validation.make_splitter(cv, arguments.y, task, arguments.groups, None)
    routed = send_params(models, panel, splitter, arguments.params, arguments.groups)
    return SearchPlan(
        search=None,
        params=[{} for _ in models],
        models=models,
        places=np.arange(len(models)),
        panel=panel,
        metric=panel.names[0],
        refit=True,
        folds=numbered_folds(splitter.split(arguments.X, arguments.y, **routed.split)),
        splitter=cross_validation.splitter_text(cv, splitter),
        routed=routed,
        n_jobs=arguments.n_jobs,
        arguments=arguments,
    )


def _route(
    search: Any, models: Mapping[str, Any], panel: ScorerPanel, arguments: SearchArguments
) -> Params:
    """Parameters that the search passes to fits, metrics and the splitter."""
    from sklearn import get_config
    from sklearn.utils.metadata_routing import process_routing

    if get_config().get("enable_metadata_routing"):
        routed = process_routing(search, "fit", **arguments.to_fit)
        to_score = dict(routed.scorer.score)
        takes_all = hasattr(panel, "_metadata_request") or len(panel.names) == 1
        score = {
            name: to_score if takes_all else _requested(scorer, to_score)
            for name, scorer in panel.scorers.items()
        }
        to_fit = dict(routed.estimator.fit)
        return Params(dict.fromkeys(models, to_fit), score, dict(routed.splitter.split))
    weight = arguments.params.get("sample_weight")
    # From scikit-learn 1.8 on, searches weight their metrics, too.
    weighs = weight is not None and hasattr(search, "_check_scorers_accept_sample_weight")
    score = {
        name: {"sample_weight": weight} if weighs and accepts_weight(scorer) else {}
        for name, scorer in panel.scorers.items()
    }
    to_fit = dict(arguments.params)
    return Params(dict.fromkeys(models, to_fit), score, {"groups": arguments.groups})


def _requested(scorer: Callable[..., Any], params: Mapping[str, Any]) -> dict[str, Any]:
    """Parameters that one of several metrics requests."""
    routing = getattr(scorer, "get_metadata_routing", None)
    if routing is None:
        return dict(params)
    return {key: params[key] for key in routing().consumes("score", list(params))}


SINGLE = "score"  # name in `cv_results_` of the metric of a search with one metric


def _candidates(search: Any) -> tuple[list[dict[str, Any]], dict[str, Any], Array]:
    """Parameters, models and positions of the candidates; for a halving search, the last round."""
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
            copied = {key: clone(value, safe=False) for key, value in params.items()}
            models[str(place)] = clone(search.estimator).set_params(**copied)
        except ValueError as error:
            raise InvalidParameterError(f"candidate {place}: {error}") from error
    return chosen, models, places


def enumerate_params(search: Any) -> list[dict[str, Any]] | None:
    """Parameters of all candidates of a grid or random search; None for other searches."""
    from sklearn import model_selection

    # Subclasses may choose their candidates from results.
    if type(search) is model_selection.GridSearchCV:
        return list(model_selection.ParameterGrid(search.param_grid))
    if type(search) is model_selection.RandomizedSearchCV:
        arguments = search.param_distributions, search.n_iter
        seed = search.random_state
        return list(model_selection.ParameterSampler(*arguments, random_state=seed))
    return None


def is_search(search: Any) -> bool:
    """Whether an object has the attributes of scikit-learn's searches."""
    return all(hasattr(search, name) for name in ("estimator", "scoring", "refit", "cv", "fit"))


# --------------------------------------------------------------------------- metrics


def scoring_of(search: Any, classes: list[Any]) -> dict[str, Callable[..., Any]]:
    """Scorers of a search by their names in ``cv_results_``."""
    scoring = search.scoring
    if isinstance(scoring, ScorerPanel):
        return dict(scoring.scorers)
    if scoring is None:
        return {SINGLE: _default_scorer(search.estimator)}
    if isinstance(scoring, str) or callable(scoring):
        scoring = {SINGLE: scoring}
    elif not isinstance(scoring, Mapping):
        scoring = {name: name for name in scoring}
    return {str(name): as_ours(scorer, classes) for name, scorer in scoring.items()}


def as_ours(scoring: Any, classes: list[Any]) -> Callable[..., Any]:
    """The equivalent scorer of this package, or the scorer itself if there is none."""
    kwargs: dict[str, Any] = {}
    if isinstance(scoring, str):
        metric = find(scoring, scorer=True)
    else:
        function = getattr(scoring, "_score_func", None)
        if isinstance(scoring, Scorer) or function is None:
            return scoring
        name, module = getattr(function, "__name__", ""), getattr(function, "__module__", "")
        if not module.startswith("sklearn.metrics") or name not in METRICS:
            return scoring
        kwargs |= scoring._kwargs
        try:
            metric = find(METRICS[name].function, kwargs)
        except InvalidParameterError:
            return scoring
    by_default = metric.spec.response == "labels" and "pos_label" not in metric.params
    if by_default and metric.sides == "one" and len(classes) == 2 and 1 in classes:
        # scikit-learn's default for labels without a natural positive class
        kwargs |= {} if natural_positive(classes) is not None else {"pos_label": 1}
    if isinstance(scoring, str):
        return get_scorer(scoring, **kwargs)
    return Scorer(metric.function, scoring._sign, kwargs, scoring._response_method)


def _default_scorer(estimator: Any) -> Callable[..., Any]:
    """Scorer equal to ``estimator.score``: accuracy for scikit-learn's classifiers."""
    from sklearn.base import is_classifier

    last = estimator
    while getattr(last, "steps", None):
        last = last.steps[-1][1]
    module = getattr(getattr(type(last), "score", None), "__module__", "")
    if is_classifier(last) and module.startswith("sklearn.") and not hasattr(last, "scoring"):
        return get_scorer(CHOICE)
    return _score


def _score(estimator: Any, X: Any, y: Any) -> float:
    return float(estimator.score(X, y))


def metric_chosen_by(search: Any, names: tuple[str, ...]) -> str:
    """The metric by which a search chooses."""
    if len(names) == 1:
        return names[0]
    name = getattr(search.refit, "scoring", None) if callable(search.refit) else search.refit
    if name not in names:
        raise InvalidParameterError(
            f"refit must name the metric to choose by, one of {list(names)}, got "
            f"{search.refit!r:.80}: pass a name, or a rule with scoring=, such as simplest_within."
        )
    return str(name)


# --------------------------------------------------------------------------- folds


def splits_of(search: Any, splitter: Any, X: Any, y: Any, split_params: Mapping[str, Any]) -> Any:
    """Pairs of training and test rows; for a halving search, those of its last round."""
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
