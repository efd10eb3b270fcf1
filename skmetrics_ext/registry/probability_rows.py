"""Rows of the metrics of probabilities, and of losses of scores."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from skmetrics_ext.metrics.calibration import errors, recalibration, smooth
from skmetrics_ext.metrics.labels import costs
from skmetrics_ext.metrics.probabilities import (
    hinge,
    losses,
    proper_scores,
    skill_scores,
)
from skmetrics_ext.registry.spec import INFINITY, NEVER, PLAIN, WHOLE, MetricSpec, Variants
from skmetrics_ext.validation import Probabilities
from skmetrics_ext.validation.decisions import check_decisions

TARGETS: Variants = {
    **PLAIN,
    **{target: {"target": target} for target in ("top_label", "classwise")},
}


def _loss(
    function: Callable[..., Any],
    kernel: Callable[..., Any] = losses.mean,
    bounds: tuple[float, float] = (0.0, INFINITY),
    scorer: str | None = None,
    undefined: str = NEVER,
    **other: Any,
) -> MetricSpec:
    """Row of a metric of probabilities, of which the lower is the better unless it is said."""
    name = function.__name__
    facts: dict[str, Any] = {
        "tally": "moments",
        "response": "probabilities",
        "sides": "either",
        "greater_is_better": False,
        "scorer": scorer or name.removesuffix("_score"),
    }
    facts |= other
    if facts["greater_is_better"] is None:
        facts["scorer"] = None
    return MetricSpec(name, function, kernel, bounds=bounds, undefined=undefined, **facts)


def _skill(
    function: Callable[..., Any],
    kernel: Callable[..., Any] = skill_scores.brier_skill,
    **other: Any,
) -> MetricSpec:
    """Row of a share of a loss that is removed."""
    facts = {"row_values": skill_scores.brier_losses_and_classes, "greater_is_better": True}
    undefined = "the reference forecast is without error"
    return _loss(function, kernel, (-INFINITY, 1.0), undefined=undefined, **{**facts, **other})


ROWS = (
    _loss(
        losses.log_loss,
        check=Probabilities.check,
        row_values=losses.log_losses,
        takes_logs=True,
    ),
    _loss(
        losses.brier_score_loss,
        bounds=(0.0, 2.0),  # of two classes 1
        scorer="brier_score",
        check=losses.check_brier,
        row_values=losses.brier_losses,
    ),
    _loss(
        hinge.hinge_loss,
        response="scores",
        check=check_decisions,
        by_sign=True,
        row_values=hinge.hinge_losses,
    ),
    _skill(
        skill_scores.d2_log_loss_score,
        skill_scores.log_loss_skill,
        scorer="d2_log_loss_score",
        takes_logs=True,
        check=Probabilities.check,
        row_values=skill_scores.log_losses_and_classes,
    ),
    _skill(skill_scores.d2_brier_score, scorer="d2_brier_score", check=losses.check_brier),
    _skill(skill_scores.brier_skill_score),
    _loss(
        proper_scores.spherical_score,
        bounds=(0.0, 1.0),
        greater_is_better=True,
        row_values=proper_scores.spherical_cosines,
    ),
    _loss(
        proper_scores.ranked_probability_score,
        bounds=(0.0, 1.0),
        scorer="ranked_probability_score",
        numeric_labels=True,
        row_values=proper_scores.ranked_distances,
    ),
    _loss(
        errors.expected_calibration_error,
        errors.binned_error,
        (0.0, 1.0),
        tally="ranks",
        ranges=WHOLE,
        bins_when=("strategy", "uniform"),
        variants=TARGETS,
        interval="calibration",
    ),
    _loss(
        smooth.smooth_calibration_error,
        smooth.smooth_error,
        (0.0, 1.0),
        tally="ranks",
        ranges=WHOLE,
        interval="calibration",
    ),
    _loss(
        recalibration.observed_expected_ratio,
        recalibration.observed_to_expected,
        undefined="every probability is 0 and no event happened",
        sides="one",
        check=partial(Probabilities.check_strict, side="one", what="observed_expected_ratio"),
        row_values=recalibration.events_and_chances,
        greater_is_better=None,
        interval="ratio",
    ),
)

FURTHER = (
    _loss(
        costs.expected_cost_proba,
        bounds=(-INFINITY, INFINITY),
        sides="one",
        check=partial(Probabilities.check_strict, side="one", what="expected_cost_proba"),
        row_values=costs.drawn_costs,
    ),
)
