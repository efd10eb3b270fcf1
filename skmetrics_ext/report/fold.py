"""One model on one fold: fit, then every metric from one prediction."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from skmetrics_ext.numeric import Array
from skmetrics_ext.report.result import FoldResult
from skmetrics_ext.report.rows import count_rows, take_params, take_rows
from skmetrics_ext.scoring.panel import ScorerPanel
from skmetrics_ext.scoring.recording import one_line
from skmetrics_ext.scoring.scorer import ScoredModel


@dataclass(frozen=True, slots=True)
class Fold:
    """Number and rows of a fold."""

    number: int
    train: Array
    test: Array


def fit_and_score(
    model: str,
    estimator: Any,
    fold: Fold,
    X: Any,
    y: Any,
    fit_params: Mapping[str, Any],
    panel: ScorerPanel,
    score_params: Mapping[str, Mapping[str, Any]],
) -> FoldResult:
    """Fit a copy of the estimator and score it. Whatever fails is told as a reason."""
    from sklearn.base import clone

    n_samples = count_rows(y)
    own = clone(estimator)
    values = dict.fromkeys(panel.names, float("nan"))
    reasons: dict[str, str] = {}
    notes: dict[str, str] = {}
    responses: dict[str, Array] = {}
    start = time.perf_counter()
    try:
        own.fit(
            take_rows(X, fold.train),
            take_rows(y, fold.train),
            **take_params(fit_params, n_samples, fold.train),
        )
    except Warning:  # the user made errors of warnings
        raise
    except Exception as error:
        reasons = dict.fromkeys(panel.names, f"fit failed: {one_line(error)}")
    fitted = time.perf_counter()
    if not reasons:
        evaluation = ScoredModel(own, take_rows(X, fold.test), take_rows(y, fold.test))
        params_of = {
            name: take_params(score_params[name], n_samples, fold.test) for name in panel.names
        }
        found = panel.read(evaluation, params_of)
        values, reasons, notes = found.values, found.reasons, found.notes
        responses = {
            method: np.asarray(response) for method, response in evaluation.responses.all().items()
        }
    scored = time.perf_counter()
    classes = getattr(own, "classes_", None)
    return FoldResult(
        model=model,
        fold=fold.number,
        n_train=len(fold.train),
        n_test=len(fold.test),
        fit_time=fitted - start,
        score_time=scored - fitted,
        values=values,
        reasons=reasons,
        notes=notes,
        rows=fold.test,
        classes=None if classes is None or isinstance(classes, list) else np.asarray(classes),
        responses=responses,
    )
