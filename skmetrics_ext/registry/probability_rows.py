"""Rows of the metrics of probabilities, and of losses of scores."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from skmetrics_ext.metrics.calibration import errors, recalibration, smooth
from skmetrics_ext.metrics.labels import costs
from skmetrics_ext.metrics.probabilities import (
    hinge,
    losses,
    proper_scores,
    row_values,
    skill_scores,
)
from skmetrics_ext.registry.spec import INFINITY, NEVER, PLAIN, MetricSpec, Variants
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
        "greater_is_better": False,
        "scorer": scorer or name.removesuffix("_score"),
    }
    facts |= other
    if facts["greater_is_better"] is None:
        facts["scorer"] = None
    return MetricSpec(name, function, kernel, bounds=bounds, undefined=undefined, **facts)


def _check_brier(
    y_true: Any,
    y_proba: Any,
    *,
    labels: Any = None,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Probabilities:
    return losses.check_brier(y_true, y_proba, labels, pos_label, sample_weight)


ROWS = (
    _loss(losses.log_loss, check=Probabilities.check, row_values=row_values.log_loss),
    _loss(
        losses.brier_score_loss,
        bounds=(0.0, 2.0),  # of two classes 1
        scorer="brier_score",
        check=_check_brier,
        row_values=row_values.brier_score,
    ),
    _loss(
        hinge.hinge_loss,
        response="scores",
        check=check_decisions,
        by_sign=True,
        row_values=row_values.hinge_loss,
    ),
    *(
        _loss(
            function,
            kernel,
            (-INFINITY, 1.0),
            scorer,
            "the reference forecast is without error",
            greater_is_better=True,
            check=check,
            row_values=(
                row_values.log_loss_and_classes
                if kernel is skill_scores.log_loss_skill
                else row_values.brier_and_classes
            ),
        )
        for function, kernel, scorer, check in (
            (
                skill_scores.d2_log_loss_score,
                skill_scores.log_loss_skill,
                "d2_log_loss_score",
                Probabilities.check,
            ),
            (skill_scores.d2_brier_score, skill_scores.brier_skill, "d2_brier_score", _check_brier),
            (skill_scores.brier_skill_score, skill_scores.brier_skill, "brier_skill", None),
        )
    ),
    _loss(
        proper_scores.spherical_score,
        bounds=(0.0, 1.0),
        greater_is_better=True,
        row_values=row_values.spherical,
    ),
    _loss(
        proper_scores.ranked_probability_score,
        bounds=(0.0, 1.0),
        scorer="ranked_probability_score",
        numeric_labels=True,
        row_values=row_values.ranked_probability,
    ),
    _loss(
        errors.expected_calibration_error,
        errors.binned_error,
        (0.0, 1.0),
        tally="ranks",
        variants=TARGETS,
        interval="biased",
    ),
    _loss(
        smooth.smooth_calibration_error,
        smooth.smooth_error,
        (0.0, 1.0),
        tally="ranks",
        interval="biased",
    ),
    _loss(
        recalibration.observed_expected_ratio,
        recalibration.observed_to_expected,
        undefined="every probability is 0 and no event happened",
        tally="ranks",
        greater_is_better=None,
    ),
)

FURTHER = (
    _loss(
        costs.expected_cost_proba,
        bounds=(-INFINITY, INFINITY),
        row_values=row_values.drawn_cost,
    ),
)
