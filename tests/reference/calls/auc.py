"""Quantities of the uncertainty of areas under the ROC curve."""

from __future__ import annotations

import math
from typing import Any

from support.areas import auc_interval

import skmetrics_ext
from skmetrics_ext.inference.tests.roc_curves import mwu_auc_test

from .making import Call, Inputs, Params


def interval(inputs: Inputs, params: Params) -> list[float]:
    """Both bounds by DeLong."""
    found = auc_interval(inputs["y_true"], inputs["y_score"], confidence_level=params["conf_level"])
    return [found.low, found.high]


def variance(inputs: Inputs, params: Params) -> float:
    """DeLong's variance of one area."""
    return auc_interval(inputs["y_true"], inputs["y_score"]).standard_error ** 2


def delong(inputs: Inputs, **options: Any) -> skmetrics_ext.results.DelongTest:
    """DeLong's test of two scores."""
    scores = inputs["y_score"], inputs["y_score2"]
    return skmetrics_ext.delong_test(inputs["y_true"], *scores, **options)


def difference_interval(inputs: Inputs, params: Params) -> list[float]:
    """Both bounds of the difference of two areas."""
    found = delong(inputs, confidence_level=params["conf_level"]).pairs[0, 1]
    return [found.low, found.high]


def paired(inputs: Inputs, params: Params) -> dict[str, float]:
    """Statistic and p-value."""
    found = delong(inputs)
    return {"statistic": found.statistic, "p_value": found.p_value}


def unpaired(inputs: Inputs, params: Params) -> dict[str, float]:
    """The same of two samples."""
    found = delong(inputs, y_true_b=inputs["y_true"])
    return {
        "statistic": found.statistic,
        "df": found.degrees_of_freedom,
        "p_value": found.p_value,
    }


def one_sided(inputs: Inputs, params: Params) -> dict[str, float]:
    """P-value of an alternative."""
    return {"p_value": delong(inputs, alternative=params["alternative"]).p_value}


def mann_whitney(inputs: Inputs, params: Params) -> dict[str, float]:
    """The area and its test against 1/2; that software has no continuity correction."""
    scores = inputs["y_true"], inputs["y_score"]
    found = mwu_auc_test(*scores, alternative="greater", method="asymptotic")
    assert not math.isnan(found.statistic)
    return {"auc": skmetrics_ext.roc_auc_score(*scores), "p_value": found.p_value}


CALLS: dict[str, Call] = {
    "auc_delong_ci": interval,
    "auc_delong_variance": variance,
    "delong_cov": lambda inputs, params: delong(inputs).covariance[0, 1],
    "delong_diff_ci": difference_interval,
    "delong_test_one_sided": one_sided,
    "delong_test_paired": paired,
    "delong_test_unpaired": unpaired,
    "mwu_auc_test": mann_whitney,
}
