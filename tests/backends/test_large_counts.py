"""Counts of 10^10 and more rows, whose products are beyond int64, wrap nowhere."""

import numpy as np
import pytest
from support.frames import (
    WHOLE,
    binary_frame,
    binary_names,
    run,
    same_rows,
    several_frame,
    small_batches,
)

from skmetrics_ext import Accumulator

pytestmark = pytest.mark.usefixtures(small_batches.__name__)
__all__ = ["small_batches"]

MANY = 3**18  # rows that one row of a test stands for


@pytest.mark.parametrize("limit", ["1GiB", 12_000])
@pytest.mark.parametrize("engine", ["memory", "duckdb", "dask"])
def test_two_classes(engine, limit):
    frame = binary_frame()
    frame["count"] *= MANY
    options = {"weight": "count", "metrics": binary_names(), "memory_limit": limit}
    found = run(engine, frame, score="score", pred="pred", **options)
    same_rows(found, frame, "count", skip=WHOLE if limit != "1GiB" and engine != "memory" else ())


@pytest.mark.parametrize("engine", ["memory", "duckdb", "dask"])
def test_several_classes(engine):
    frame, labels, columns = several_frame()
    frame["count"] = np.arange(len(frame)) % 5 * MANY
    names = ["roc_auc_ovr", "roc_auc_ovo_weighted", "average_precision", "h_measure"]
    names += ["roc_auc_convex_hull_ovr", "matthews_corrcoef", "cohen_kappa", "f1_macro", "log_loss"]
    for limit in ("1GiB", 20_000):
        options = {"labels": labels, "weight": "count", "metrics": names, "memory_limit": limit}
        found = run(engine, frame, score=columns, pred="pred", **options)
        same_rows(found, frame, "count", labels=labels, columns=columns)


def test_an_accumulator_and_its_intervals():
    frame = binary_frame(200)
    names = ["roc_auc", "roc_auc_convex_hull", "matthews_corrcoef", "accuracy"]
    few, many = Accumulator(names), Accumulator(names)
    for accumulator, weight in ((few, frame["count"]), (many, frame["count"] * MANY)):
        for rows in (slice(None, 90), slice(90, None)):
            accumulator.update(
                frame["true"][rows], frame["score"][rows], weight[rows], y_pred=frame["pred"][rows]
            )
    for name, value in few.compute().items():
        np.testing.assert_allclose(many.compute()[name], value, rtol=1e-12, err_msg=name)
    for name in ("roc_auc", "matthews_corrcoef", "accuracy"):
        wide = few.evaluation(intervals=True, weights_are="frequency").row(name)
        narrow = many.evaluation(intervals=True, weights_are="frequency").row(name)
        share = (narrow.high - narrow.low) / (wide.high - wide.low)
        np.testing.assert_allclose(share, MANY**-0.5, rtol=0.1, err_msg=name)


@pytest.mark.parametrize("engine", ["memory", "duckdb", "dask"])
def test_weights_whose_sum_no_integer_holds_are_refused(engine):
    frame = binary_frame(1100)  # in batches that fit each for itself
    frame["count"] = 2**53
    options = {"score": "score", "pred": "pred", "weight": "count"}
    options["metrics"] = ["accuracy", "roc_auc", "log_loss"]
    with pytest.raises(ValueError, match=r"sums to .*, beyond the largest int64 count 2\*\*63"):
        run(engine, frame, **options)
    fits = frame[:1023]
    same_rows(run(engine, fits, **options), fits, "count")
