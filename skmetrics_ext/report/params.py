"""Metrics of a report, and parameters of its fits, metrics and splitter."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import HEADLINE
from skmetrics_ext.registry.find import registered_name
from skmetrics_ext.scoring import ScorerPanel
from skmetrics_ext.scoring.panel import accepts_weight, named_scorers
from skmetrics_ext.scoring.scorer import check_classes, metric_of
from skmetrics_ext.validation import InvalidParameterError, distinct_labels
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
    panel: ScorerPanel,
    splitter: Any,
    params: Mapping[str, Any],
    groups: Any,
) -> Params:
    """Route parameters to fits, metrics and splitter, by request if metadata routing is enabled."""
    from sklearn import get_config

    if get_config().get("enable_metadata_routing"):
        metadata = params if groups is None else {**params, "groups": groups}
        return _route(models, panel, splitter, metadata)
    return _send_weight(models, panel, params, groups)


def _send_weight(
    models: Mapping[str, Any], panel: ScorerPanel, params: Mapping[str, Any], groups: Any
) -> Params:
    """Without routing: everything to the fits, and ``sample_weight`` to all that accept it."""
    rest = {key: value for key, value in params.items() if key != "sample_weight"}
    fit: dict[str, dict[str, Any]] = {name: dict(rest) for name in models}
    score: dict[str, dict[str, Any]] = {name: {} for name in panel.names}
    weight = params.get("sample_weight")
    if weight is not None:
        for name, model in models.items():
            key = _weight_of_fit(model)
            if key is not None:
                fit[name][key] = weight
            else:
                _warn_unweighted(f"The fit of {name!r}")
        for name, scorer in panel.scorers.items():
            if accepts_weight(scorer):
                score[name]["sample_weight"] = weight
            else:
                _warn_unweighted(f"The metric {name!r}")
    return Params(fit, score, {"groups": groups})


def _weight_of_fit(model: Any) -> str | None:
    """Argument of ``fit`` for weights, in a pipeline that of its last step; None without one."""
    from sklearn.utils.validation import has_fit_parameter

    prefix = ""
    while getattr(model, "steps", None):
        step, model = model.steps[-1]
        prefix += f"{step}__"
    return f"{prefix}sample_weight" if has_fit_parameter(model, "sample_weight") else None


def _warn_unweighted(what: str) -> None:
    warn_user(f"{what} takes no sample_weight and is computed without.")


def _route(
    models: Mapping[str, Any], panel: ScorerPanel, splitter: Any, params: Mapping[str, Any]
) -> Params:
    """With routing: fits, metrics and splitter receive what they request."""
    from sklearn.utils.metadata_routing import MetadataRouter, MethodMapping, process_routing

    router = MetadataRouter(owner="cross_validation_report").add(
        splitter=splitter, method_mapping=MethodMapping().add(caller="fit", callee="split")
    )
    # A panel with requests of its own decides for all of its metrics.
    is_panel = hasattr(panel, "_metadata_request")
    metrics: Mapping[str, Any] = {"": panel} if is_panel else panel.scorers
    objects_of = {"fit": models, "score": metrics}
    for callee, objects in objects_of.items():
        mapping = MethodMapping().add(caller="fit", callee=callee)
        for number, item in enumerate(objects.values()):
            router.add(**{f"{callee}_{number}": item}, method_mapping=mapping)
    routed = process_routing(router, "fit", **params)
    fit, score = (
        {name: routed[f"{callee}_{k}"].get(callee, {}) for k, name in enumerate(objects)}
        for callee, objects in objects_of.items()
    )
    if is_panel:
        score = {name: _accepted(score[""], scorer) for name, scorer in panel.scorers.items()}
    return Params(fit, score, routed["splitter"].get("split", {}))


def _accepted(params: Mapping[str, Any], scorer: Any) -> dict[str, Any]:
    """Parameters of a panel that one of its metrics accepts."""
    if accepts_weight(scorer):
        return dict(params)
    return {key: value for key, value in params.items() if key != "sample_weight"}


# --------------------------------------------------------------------------- metrics


def read_scoring(
    scoring: Any, y: Any, pos_label: Any = None
) -> tuple[ScorerPanel, str, Any, tuple[str, ...]]:
    """The metrics of the argument ``scoring`` for the labels, checked before any fit.

    Returns
    -------
    panel : ScorerPanel
    task : {"binary", "multiclass", "multilabel"}
    positive : object
        The positive class; None if there is none, or none is known.
    left_out : tuple of str
        Default metrics that need a positive class, if none is known.
    """
    classes, task = classes_and_task(y)
    positive = _positive_of(scoring, classes, pos_label) if task == "binary" else None
    panel, left_out = _resolve_scoring(scoring, task, positive)
    if positive is None:
        for scorer in panel.scorers.values():
            check_scorer(scorer, classes)
    return panel, task, positive, left_out


def classes_and_task(y: Any) -> tuple[list[Any], str]:
    from sklearn.utils.multiclass import type_of_target

    classes = distinct_labels(y, "y")
    if classes is None:
        kind = type_of_target(y)
        if kind == "multilabel-indicator":
            return [], "multilabel"
        raise InvalidParameterError(f"y must hold classes or multilabel indicators; it is {kind}.")
    if len(classes) < 2:
        raise InvalidParameterError(f"y holds the single class {classes.tolist()[0]!r}.")
    return classes.tolist(), "binary" if len(classes) == 2 else "multiclass"


def check_scorer(scorer: Any, classes: list[Any]) -> None:
    """Raise before any fit if a metric does not apply, or lacks a positive class."""
    metric = metric_of(scorer)
    if metric is not None and metric.sides == "one" and len(classes) == 2:
        metric.positive(classes)
    check_classes(scorer, classes)


def _positive_of(scoring: Any, classes: Sequence[Any], pos_label: Any = None) -> Any:
    """The positive class: ``pos_label``, that of the scorers, or the natural one; else None.

    Raises
    ------
    InvalidParameterError
        If ``pos_label`` and scorers name different classes.
    """
    positive = {} if pos_label is None else {"pos_label": pos_label}
    natural = natural_positive(classes)
    scorers: Mapping[str, Any] = {}
    if scoring is not None:
        is_panel = isinstance(scoring, ScorerPanel)
        scorers = scoring.scorers if is_panel else named_scorers(scoring)
    for name, scorer in scorers.items():
        label = _described_class(scorer, natural)
        positive |= {} if label is None else {name: label}
    if len(set(positive.values())) > 1:
        listed = ", ".join(f"{name}: {label!r}" for name, label in positive.items())
        raise InvalidParameterError(
            f"scoring describes different positive classes ({listed}), and a report describes one: "
            "pass scorers of one class, or make a report for each."
        )
    if not positive:
        return natural
    return positive_class(classes, next(iter(positive.values())), what="A report")


def _described_class(scorer: Any, natural: Any) -> Any:
    """The positive class of a scorer; None if the scorer leaves it open, as a name does."""
    metric = metric_of(scorer)
    if metric is None:  # scikit-learn's scorers keep the arguments of their function
        return getattr(scorer, "_kwargs", {}).get("pos_label")
    default = natural if metric.sides == "one" else None
    return None if metric.sides == "none" else metric.params.get("pos_label", default)


def _resolve_scoring(scoring: Any, task: str, positive: Any) -> tuple[ScorerPanel, tuple[str, ...]]:
    """The panel for the argument ``scoring``, and the default metrics left out of it.

    Metrics given by name all describe the same positive class, and request weights where metadata
    routing is enabled. Default metrics of one class are left out if no class is positive.
    """
    from sklearn import get_config

    if isinstance(scoring, ScorerPanel):
        return scoring, ()
    left_out: tuple[str, ...] = ()
    if scoring is None:
        scoring = HEADLINE[task]
        if task == "binary" and positive is None:
            left_out = tuple(name for name in scoring if find(name).sides == "one")
            scoring = [name for name in scoring if name not in left_out]
    scorers = named_scorers(scoring)
    if not isinstance(scoring, Mapping):  # whose names are those of the user
        scorers = {registered_name(name): scorer for name, scorer in scorers.items()}
    panel = ScorerPanel(scorers, pos_label=positive)
    if get_config().get("enable_metadata_routing"):
        made: Mapping[str, Any] = panel.scorers
        for name, scorer in made.items():
            if isinstance(scorers[name], str) and accepts_weight(scorer):
                scorer.set_score_request(sample_weight=True)
    return panel, left_out
