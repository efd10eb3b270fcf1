"""``evaluate(n_resamples=)``: intervals and notes are those of `confidence_interval`."""

import numpy as np
import pandas as pd
import pytest
from support.frames import needs

from skmetrics_ext import confidence_interval, evaluate

RNG = np.random.default_rng(2)
N = 120
ILL = RNG.random(N) < 0.4
P = np.clip(RNG.normal(0.35 + 0.3 * ILL, 0.2), 0.01, 0.99)
FRAME = pd.DataFrame(
    {
        "y": ILL.astype(int),
        "p": P,
        "pred": (P > 0.5).astype(int),
        "w": RNG.integers(0, 3, N),
        "patient": np.arange(N) // 4,
        "site": np.where(np.arange(N) % 3, "a", "b"),
    }
)
METRICS = {
    "p": ["roc_auc", "log_loss", "ks_statistic", "expected_calibration_error", "d2_log_loss_score"],
    "pred": ["accuracy", "f1", "matthews_corrcoef"],
}


@pytest.mark.parametrize("engine", ["memory", "duckdb"])
@pytest.mark.parametrize("column", METRICS)
@pytest.mark.parametrize(
    "design", [{}, {"weight": "w"}, {"groups": "patient"}, {"weight": "w", "groups": "patient"}]
)
def test_intervals_are_those_of_the_function(engine, column, design):
    needs(engine)
    role = {"score" if column == "p" else "pred": column}
    asked = {"metrics": METRICS[column], "intervals": True, "n_resamples": 100, "by": "site"}
    rows = evaluate(FRAME, true="y", engine=engine, margins=True, **asked, **role, **design)
    assert len(rows) == 3 * len(METRICS[column])
    names = {"weight": "sample_weight", "groups": "groups"}
    for row in rows:
        part = FRAME if row.group is None else FRAME[FRAME.site == row.group]
        given = {names[key]: part[name] for key, name in design.items()}
        own = confidence_interval(
            row.metric, part.y, part[column], n_resamples=100, random_state=0, **given
        )
        found = row.value, row.low, row.high
        assert found == pytest.approx((own.value, own.low, own.high), rel=1e-12), row
        assert (row.method, row.note) == (own.method, own.note)


def test_rows_that_do_not_fit_name_the_argument():
    asked = {"metrics": ["ks_statistic"], "intervals": True, "n_resamples": 100}
    with pytest.raises(ValueError, match=r"n_resamples needs the rows in memory.*memory_limit"):
        evaluate(FRAME, true="y", score="p", engine="memory", memory_limit=100, **asked)
    with pytest.raises(ValueError, match="n_resamples has to be"):
        evaluate(FRAME, true="y", score="p", **(asked | {"n_resamples": -1}))
