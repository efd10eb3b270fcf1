"""Rows of the comparison beyond one number: every threshold, intervals, tests, resampling."""

from __future__ import annotations

from typing import Any

import peers
from case import Case
from data import labels, scores, two_scores

import skmetrics_ext

_N_RESAMPLES = 9999
_BOOTSTRAP = {"method": "bootstrap", "n_resamples": _N_RESAMPLES, "random_state": 0}
_SIZES_OF_LOOP = {"min_n": 1000, "max_n": 100_000}


def _bounds(estimate: Any) -> tuple[float, tuple[float, float]]:
    return estimate.value, (estimate.low, estimate.high)


def _estimate(estimate: Any) -> tuple[float, float, float, float]:
    return estimate.value, estimate.low, estimate.high, estimate.standard_error


def _test(test: Any) -> tuple[float, float]:
    return test.statistic, test.p_value


def _bootstrap(name: str, metric: str, data: Any, peer: peers.Peer) -> Case:
    return Case(
        name,
        "confidence_interval",
        data,
        (peer,),
        first=(metric,),
        options=_BOOTSTRAP,
        read=_estimate,
        units=_N_RESAMPLES,
        **_SIZES_OF_LOOP,
    )


INFERENCE = (
    Case(
        "metric_at_thresholds f1_score",
        "metric_at_thresholds",
        scores(),
        (peers.sklearn_at_thresholds("f1_score"),),
        options={"metric_func": skmetrics_ext.f1_score},
        max_n=3000,  # scikit-learn counts the rows at every threshold
    ),
    Case(
        "DeLong interval",
        "confidence_interval",
        scores(),
        (peers.confidenceinterval_delong(),),
        first=("roc_auc",),
        options={"method": "delong"},
        read=_bounds,
        max_n=10**6,
    ),
    Case(
        "DeLong test of two models",
        "delong_test",
        two_scores(),
        (peers.mlstatkit_delong(),),
        read=_test,
        max_n=10**5,
    ),
    *(
        _bootstrap(
            f"bootstrap replicate f1_score macro K={k}",
            "f1_macro",
            labels(n_classes=k),
            peers.sklearn_bootstrap("f1_score", average="macro"),
        )
        for k in (2, 10)
    ),
    _bootstrap(
        "bootstrap replicate roc_auc_score",
        "roc_auc",
        scores(),
        peers.sklearn_bootstrap("roc_auc_score"),
    ),
)
