"""What is to be fitted: candidates, folds, metrics, and the parameters that each takes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from skmetrics_ext.registry.headline import CHOICE
from skmetrics_ext.report.fold import Fold, row_numbers
from skmetrics_ext.report.params import Params, send_params
from skmetrics_ext.report.run import (
    classes_and_task,
    described,
    make_splitter,
    named_models,
    positive_of,
)
from skmetrics_ext.report.scoring import resolve_scoring
from skmetrics_ext.report.search.candidates import (
    Candidates,
    enumerate_params,
    is_search,
    metric_chosen_by,
    scoring_of,
    splits_of,
)
from skmetrics_ext.scoring.panel import ScorerPanel, accepts_weight
from skmetrics_ext.validation import InvalidParameterError

_FOLDS = 5


@dataclass(frozen=True, eq=False, slots=True)
class Plan:
    """A search, ready to be run.

    Parameters
    ----------
    search : estimator or None
        The search, fitted where its candidates depend on results; None of named candidates.
    candidates : Candidates
    panel : ScorerPanel
        All metrics of the search.
    metric : str
        The one by which it chooses.
    refit : str, bool or callable
        How it chooses.
    folds : list of Fold
    splitter : str
        How they were made.
    routed : Params
        What each fit and each metric is given.
    n_jobs : int or None
    """

    search: Any
    candidates: Candidates
    panel: ScorerPanel
    metric: str
    refit: Any
    folds: list[Fold]
    splitter: str
    routed: Params
    n_jobs: int | None

    @property
    def results(self) -> Mapping[str, Any] | None:
        """``cv_results_`` of a search that was fitted."""
        return getattr(self.search, "cv_results_", None)


@dataclass(frozen=True, eq=False, slots=True)
class Asked:
    """What `search_report` was given beside the search; ``y`` and ``groups`` are on the host."""

    X: Any
    y: Any
    groups: Any
    params: Mapping[str, Any]
    cv: Any = None
    scoring: Any = None
    n_jobs: int | None = None

    @property
    def to_fit(self) -> dict[str, Any]:
        """What ``fit`` of the search takes beside the rows."""
        return dict(self.params) if self.groups is None else {**self.params, "groups": self.groups}


def plan_of(search: Any, asked: Asked) -> Plan:
    """Of a search, or of named candidates."""
    if isinstance(search, Mapping):
        return _of_named(search, asked)
    if not is_search(search):
        raise InvalidParameterError(
            "search must be a search of scikit-learn (GridSearchCV, RandomizedSearchCV, a halving "
            f"one) or a dict of name to estimator, got {type(search).__name__}."
        )
    for name in ("cv", "scoring"):
        if getattr(asked, name) is not None:
            raise InvalidParameterError(
                f"{name} is that of the search; it is given for a dict of candidates alone."
            )
    return _of_search(search, asked)


def _of_search(search: Any, asked: Asked) -> Plan:
    from sklearn.base import clone, is_classifier
    from sklearn.model_selection import check_cv

    X, y, (classes, _) = asked.X, asked.y, classes_and_task(asked.y)
    if not hasattr(search, "cv_results_") and enumerate_params(search) is None:
        search = clone(search).fit(X, y, **asked.to_fit)  # its candidates depend on results
    panel = ScorerPanel(scoring_of(search, classes))
    metric = metric_chosen_by(search, panel.names)
    splitter = check_cv(search.cv, y, classifier=is_classifier(search.estimator))
    candidates = Candidates.of(search)
    fit, score, split = _route(search, panel, asked)
    folds = _numbered(splits_of(search, splitter, X, y, split))
    routed = Params(dict.fromkeys(candidates.names, fit), score, split)
    told, n_jobs = described(search.cv, splitter), asked.n_jobs
    n_jobs = search.n_jobs if n_jobs is None else n_jobs
    return Plan(search, candidates, panel, metric, search.refit, folds, told, routed, n_jobs)


def _of_named(search: Mapping[Any, Any], asked: Asked) -> Plan:
    models, (classes, task) = named_models(search), classes_and_task(asked.y)
    positive = positive_of(classes, None) if task == "binary" else None
    scoring = CHOICE if asked.scoring is None else asked.scoring
    chosen = resolve_scoring(scoring, task, positive)
    if len(chosen.panel.names) > 1:
        raise InvalidParameterError(
            f"scoring must be one metric, by which to choose, got {list(chosen.panel.names)}."
        )
    cv = _FOLDS if asked.cv is None else asked.cv
    splitter = make_splitter(cv, asked.y, task, asked.groups, None)
    routed = send_params(models, chosen, splitter, asked.params, asked.groups)
    folds = _numbered(splitter.split(asked.X, asked.y, **routed.split))
    (metric,) = chosen.panel.names
    told, panel = described(cv, splitter), chosen.panel
    candidates = Candidates.named(models)
    return Plan(None, candidates, panel, metric, True, folds, told, routed, asked.n_jobs)


def _numbered(splits: Any) -> list[Fold]:
    folds = [
        Fold(number, row_numbers(train), row_numbers(test))
        for number, (train, test) in enumerate(splits)
    ]
    if not folds:
        raise InvalidParameterError("cv gives no folds.")
    return folds


def _route(
    search: Any, panel: ScorerPanel, asked: Asked
) -> tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, Any]]:
    """What the search gives to fits, metrics and the splitter."""
    from sklearn import get_config
    from sklearn.utils.metadata_routing import process_routing

    if get_config().get("enable_metadata_routing"):
        routed = process_routing(search, "fit", **asked.to_fit)
        to_score = dict(routed.scorer.score)
        told = hasattr(panel, "_metadata_request") or len(panel.names) == 1
        score = {
            name: {key: to_score[key] for key in _requested(scorer, to_score, told)}
            for name, scorer in panel.scorers.items()
        }
        return dict(routed.estimator.fit), score, dict(routed.splitter.split)
    weight = asked.params.get("sample_weight")
    # Searches of scikit-learn 1.8 and later weight their metrics too, those before do not.
    weighs = weight is not None and hasattr(search, "_check_scorers_accept_sample_weight")
    score = {
        name: {"sample_weight": weight} if weighs and accepts_weight(scorer) else {}
        for name, scorer in panel.scorers.items()
    }
    return dict(asked.params), score, {"groups": asked.groups}


def _requested(scorer: Callable[..., Any], given: Mapping[str, Any], asked: bool) -> frozenset[str]:
    """Those that one of several metrics takes."""
    told = getattr(scorer, "get_metadata_routing", None)
    if asked or told is None:
        return frozenset(given)
    return frozenset(told().consumes("score", list(given)))
