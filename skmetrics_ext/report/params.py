"""Metrics of a report, and the parameters of each fit, each metric and the splitter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import HEADLINE
from skmetrics_ext.scoring import ScorerPanel
from skmetrics_ext.scoring.panel import accepts_weight, named_scorers
from skmetrics_ext.scoring.scorer import metric_of
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.positive import natural_positive, positive_class


@dataclass(frozen=True, slots=True)
class Params:
    """Parameters of each model's fit, of each metric, and of the splitter."""

    fit: Mapping[str, Mapping[str, Any]]
    score: Mapping[str, Mapping[str, Any]]
    split: Mapping[str, Any]


def send_params(
    models: Mapping[str, Any],
    scoring: ReportScoring,
    splitter: Any,
    params: Mapping[str, Any],
    groups: Any,
) -> Params:
    """Parameters of each fit and metric, by their requests if metadata routing is enabled."""
    from sklearn import get_config

    if get_config().get("enable_metadata_routing"):
        given = params if groups is None else {**params, "groups": groups}
        return _route(models, scoring, splitter, given)
    return _send_weight(models, scoring, params, groups)


def _send_weight(
    models: Mapping[str, Any], scoring: ReportScoring, params: Mapping[str, Any], groups: Any
) -> Params:
    """Without routing: all to fit, and ``sample_weight`` to all that take it."""
    rest = {key: value for key, value in params.items() if key != "sample_weight"}
    fit: dict[str, dict[str, Any]] = {name: dict(rest) for name in models}
    score: dict[str, dict[str, Any]] = {name: {} for name in scoring.panel.names}
    weight = params.get("sample_weight")
    if weight is not None:
        for name, model in models.items():
            key = _weight_of_fit(model)
            if key is None:
                _warn_unweighted(f"The fit of {name!r}")
            else:
                fit[name][key] = weight
        for name, scorer in scoring.panel.scorers.items():
            if accepts_weight(scorer):
                score[name]["sample_weight"] = weight
            else:
                _warn_unweighted(f"The metric {name!r}")
    return Params(fit, score, {"groups": groups})


def _weight_of_fit(model: Any) -> str | None:
    """Name of the argument of ``fit`` that weights go to."""
    from sklearn.utils.validation import has_fit_parameter

    prefix = ""
    while getattr(model, "steps", None):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    return f"{prefix}sample_weight" if has_fit_parameter(model, "sample_weight") else None


def _warn_unweighted(what: str) -> None:
    warn_user(f"{what} takes no sample_weight and is computed without.")


def _route(
    models: Mapping[str, Any], scoring: ReportScoring, splitter: Any, params: Mapping[str, Any]
) -> Params:
    """With routing: each gets what it requests."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

    router = MetadataRouter(owner="cross_validation_report").add(
        splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split")
    )
    panel = scoring.panel
    # A panel that was told what it takes speaks for all of its metrics.
    is_panel = hasattr(panel, "_metadata_request")
    metrics: Mapping[str, Any] = {"": panel} if is_panel else panel.scorers
    for name, item in metrics.items():
        if name in scoring.by_name and accepts_weight(item):
            item.set_score_request(sample_weight=True)
    for callee, objects in (("fit", models), ("score", metrics)):
        mapping = MethodMapping().add(caller="fit", callee=callee)
        for number, item in enumerate(objects.values()):
            router.add(**{f"{callee}_{number}": item}, method_mapping=mapping)
    routed = process_routing(router, "fit", **params)
    fit, score = (
        {name: routed[f"{callee}_{k}"].get(callee, {}) for k, name in enumerate(objects)}
        for callee, objects in (("fit", models), ("score", metrics))
    )
    if is_panel:
        score = {name: _taken(score[""], scorer) for name, scorer in panel.scorers.items()}
    return Params(fit, score, routed["splitter"].get("split", {}))


def _taken(params: Mapping[str, Any], scorer: Any) -> dict[str, Any]:
    """Parameters of a panel that one of its metrics takes."""
    if accepts_weight(scorer):
        return dict(params)
    return {key: value for key, value in params.items() if key != "sample_weight"}


@dataclass(frozen=True, slots=True)
class ReportScoring:
    """The panel of a report, and which of its metrics were given by name.

    ``left_out`` are metrics that a report shows by default, but not where no class is positive.
    """

    panel: ScorerPanel
    by_name: frozenset[str]
    left_out: tuple[str, ...] = ()


def positive_of(scoring: Any, classes: Sequence[Any], pos_label: Any = None) -> Any:
    """The positive class of two: as given, as the scorers agree, or the natural one; else None.

    Raises
    ------
    InvalidParameterError
        If ``pos_label`` and scorers name different classes.
    """
    positive = {} if pos_label is None else {"pos_label": pos_label}
    scorers: Mapping[str, Any] = {}
    if scoring is not None:
        is_panel = isinstance(scoring, ScorerPanel)
        scorers = scoring.scorers if is_panel else named_scorers(scoring)
    for name, scorer in scorers.items():
        label = _described_class(scorer, classes)
        positive |= {} if label is None else {name: label}
    if len(set(positive.values())) > 1:
        listed = ", ".join(f"{name}: {label!r}" for name, label in positive.items())
        raise InvalidParameterError(
            f"scoring describes different positive classes ({listed}), and a report describes one: "
            "pass scorers of one class, or make a report for each."
        )
    label = next(iter(positive.values()), None)
    return (
        natural_positive(classes)
        if label is None
        else positive_class(classes, label, what="A report")
    )


def _described_class(scorer: Any, classes: Sequence[Any]) -> Any:
    """The positive class of a scorer; None for a name, which follows the others."""
    metric = metric_of(scorer)
    if metric is None:  # scikit-learn's scorers keep the arguments of their function
        return getattr(scorer, "_kwargs", {}).get("pos_label")
    natural = natural_positive(classes) if metric.sides == "one" else None
    return None if metric.sides == "none" else metric.params.get("pos_label", natural)


def resolve_scoring(scoring: Any, task: str, positive: Any) -> ReportScoring:
    """Scorers by name, from whatever ``scoring=`` may be.

    All metrics of one class that are given by name are of the same class.
    """
    if isinstance(scoring, ScorerPanel):
        return ReportScoring(scoring, frozenset())
    left_out: tuple[str, ...] = ()
    if scoring is None:
        scoring = HEADLINE[task]
        if task == "binary" and positive is None:
            left_out = tuple(name for name in scoring if find(name).sides == "one")
            scoring = [name for name in scoring if name not in left_out]
    given = named_scorers(scoring)
    by_name = frozenset([name for name, scorer in given.items() if isinstance(scorer, str)])
    return ReportScoring(ScorerPanel(given, pos_label=positive), by_name, left_out)
