"""Two samples, margins, many models at once, and slices in which a metric is worse."""

from __future__ import annotations

from typing import Any

import numpy as np

import skmetrics_ext as m

from .making import Call, Inputs, Params

LOSS = "brier_score"
DRAWS = 200_000  # of max-t, against the integrals of other software


def parts(found: m.results.Comparison) -> dict[str, float]:
    names = ("difference", "statistic", "p_value", "low", "high", "standard_error")
    return {name: getattr(found, name) for name in names}


def two_samples(metric: str) -> Call:
    def call(inputs: Inputs, params: Params) -> dict[str, float]:
        samples = [inputs[name] for name in ("y_true_a", "y_score_a", "y_true_b", "y_score_b")]
        return parts(m.compare_samples(metric, *samples, method="welch", **params))

    return call


def paired_margin(inputs: Inputs, params: Params) -> dict[str, float]:
    rows = (inputs[name] for name in ("y_true", "y_score_a", "y_score_b"))
    return parts(m.compare(LOSS, *rows, **params))


def many_models(part: str) -> Call:
    def call(inputs: Inputs, params: Params) -> list[float]:
        models = dict(enumerate(inputs["y_scores"]))
        options = {"n_resamples": DRAWS, "random_state": 0, **params}
        key = {"difference": "value", "p_value": "p_adjusted"}.get(part, part)
        control = options.pop("control", "each")
        # Holm's steps have no bounds of their own: those of Bonferroni hold with them.
        steps = ("bonferroni", "holm") if options.pop("adjust", "") == "holm" else ("simultaneous",)
        table = m.confidence_interval(LOSS, inputs["y_true"], models, **options)
        found = table.against(model=control)
        for step in steps:
            found = found.adjust(step)
        return [row[key] for row in found]

    return call


def slices(inputs: Inputs, **options: Any) -> m.results.WeakSlices:
    """Slices of up to 0.5, so that more than the clearest are named."""
    data = dict(inputs) | {"site": np.asarray(inputs["site"]), "ward": np.asarray(inputs["ward"])}
    columns = {"true": "y_true", "pred": "y_pred", "columns": ["site", "ward"]}
    return m.weak_slices(data, metric="accuracy", alpha=0.5, min_rows=10, **columns, **options)


def weak_slice_p(inputs: Inputs, params: Params) -> dict[str, float]:
    rows = slices(inputs, **params).rows
    return {" ".join(map(str, row.slice.values())): row.p_adjusted for row in rows}


def weak_slice_interval(inputs: Inputs, params: Params) -> dict[str, float]:
    (row,) = (
        row for row in slices(inputs, max_columns=1).rows if row.slice == {"site": params["slice"]}
    )
    return {"low": row.low, "high": row.high}


CALLS: dict[str, Call] = {
    "many_models_high": many_models("high"),
    "many_models_low": many_models("low"),
    "many_models_p": many_models("p_value"),
    "paired_margin": paired_margin,
    "two_sample_auc": two_samples("roc_auc"),
    "two_sample_welch": two_samples(LOSS),
    "weak_slice_interval": weak_slice_interval,
    "weak_slice_p": weak_slice_p,
}
