"""Equalized odds, equal opportunity and demographic parity as one number, by hand."""

import numpy as np
import pandas as pd
import pytest
from scipy import stats

import skmetrics_ext as sx

# Rows of each group: true positives, false negatives, false positives, true negatives.
COUNTS = {"a": (40, 10, 12, 48), "b": (25, 15, 20, 40), "c": (33, 7, 9, 51)}


def frame_of(counts):
    rows = [
        (site, y, p)
        for site, cells in counts.items()
        for (y, p), n in zip(((1, 1), (1, 0), (0, 1), (0, 0)), cells, strict=True)
        for _ in range(n)
    ]
    return pd.DataFrame(rows, columns=["site", "y", "p"])


FRAME = frame_of(COUNTS)


def evaluated(frame=FRAME, metrics=("accuracy",), **about):
    return sx.evaluate(frame, true="y", pred="p", by="site", metrics=list(metrics), **about)


def projection(shares, level=0.95, n_draws=400_000):
    """Largest gap of independent shares (rate -> list of (hits, rows)) and its projected bounds."""
    rng = np.random.default_rng(0)
    gaps, errors, drawn = [], [], []
    for cells in shares.values():
        p = np.array([hits / n for hits, n in cells])
        v = p * (1 - p) / np.array([n for _, n in cells])
        z = rng.normal(size=(n_draws, len(p))) * np.sqrt(v)
        for i in range(len(p)):
            for j in range(i + 1, len(p)):
                s = np.sqrt(v[i] + v[j])
                gaps.append(abs(p[i] - p[j]))
                errors.append(s)
                drawn.append(np.abs(z[:, i] - z[:, j]) / s)
    c = np.quantile(np.max(drawn, axis=0), level)
    gaps, errors = np.array(gaps), np.array(errors)
    return gaps.max(), max(0, (gaps - c * errors).max()), (gaps + c * errors).max()


TRUE = [(tp, tp + fn) for tp, fn, _, _ in COUNTS.values()]
FALSE = [(fp, fp + tn) for _, _, fp, tn in COUNTS.values()]
CHOSEN = [(tp + fp, sum(cells)) for cells in COUNTS.values() for tp, _, fp, _ in [cells]]


@pytest.mark.parametrize(
    ("name", "shares"),
    [
        ("equalized_odds", {"t": TRUE, "f": FALSE}),
        ("equal_opportunity", {"t": TRUE}),
        ("demographic_parity", {"s": CHOSEN}),
    ],
)
def test_the_largest_gap_and_its_projection(name, shares):
    found = getattr(evaluated(), name)()
    value, low, high = projection(shares)
    assert found.value == pytest.approx(value)
    assert (found.low, found.high) == pytest.approx((low, high), abs=0.005)
    assert found.metric == name.replace("_", " ")
    assert found.n == len(FRAME)


def test_equal_opportunity_names_the_groups():
    found = evaluated().equal_opportunity()
    assert found.note.startswith("true positive rate of b and c")


def test_two_groups_are_one_gap():
    two = {"a": COUNTS["a"], "b": COUNTS["b"]}
    found = evaluated(frame_of(two)).equal_opportunity()
    p, q = 40 / 50, 25 / 40
    error = (p * (1 - p) / 50 + q * (1 - q) / 40) ** 0.5
    z = stats.norm.ppf(0.975)
    assert found.value == pytest.approx(p - q)
    assert found.high == pytest.approx(p - q + z * error, abs=1e-3)


def test_groups_without_errors_have_a_width():
    found = evaluated(frame_of({"a": (20, 0, 0, 20), "b": (20, 0, 0, 20)})).equalized_odds()
    assert found.value == 0 == found.low
    assert 0.1 < found.high < 0.4


def test_clusters_widen_the_interval():
    wide = FRAME.loc[FRAME.index.repeat(4)].reset_index(drop=True)
    wide["patient"] = np.arange(len(wide)) // 4
    apart = evaluated(wide, intervals=True).equalized_odds()
    joined = evaluated(wide, intervals=True, groups="patient").equalized_odds()
    assert joined.value == pytest.approx(apart.value)
    assert joined.high - joined.value == pytest.approx(2 * (apart.high - apart.value), rel=0.05)


def test_tables_of_arrays_and_of_text_labels():
    words = np.array(["no", "yes"])
    table = sx.compute_metrics(
        ["f1"], words[FRAME["y"]], words[FRAME["p"]], by={"site": FRAME["site"]}, pos_label="yes"
    )
    expected = evaluated().equalized_odds()
    found = table.equalized_odds()
    assert (found.value, found.low, found.high) == (expected.value, expected.low, expected.high)


def test_a_group_without_positives_is_left_out_and_named():
    counts = COUNTS | {"d": (0, 0, 3, 30)}
    found = evaluated(frame_of(counts)).equal_opportunity()
    assert "left out, undefined: true positive rate of d" in found.note
    assert found.value == pytest.approx(evaluated().equal_opportunity().value)


def test_refusals():
    scores = sx.compute_metrics(["roc_auc"], FRAME["y"], y_score=FRAME["p"] * 1.0, by=FRAME["site"])
    with pytest.raises(ValueError, match="no metric of labels"):
        scores.equalized_odds()
    with pytest.raises(ValueError, match="no groups"):
        sx.compute_metrics(["recall"], FRAME["y"], FRAME["p"], intervals=True).equalized_odds()
    one = evaluated(FRAME[FRAME["site"] == "a"])
    with pytest.raises(ValueError, match="needs two groups"):
        one.demographic_parity()


def test_a_share_of_1_has_the_variance_of_one_further_row_of_either_kind():
    """10 of 10 and 12 of 20: (11 / 12) (1 / 12) / 12 and 0.6 * 0.4 / 20."""
    cells = {"a": (10, 0, 5, 5), "b": (12, 8, 5, 5)}
    found = evaluated(frame_of(cells)).equal_opportunity()
    error = (11 / 12**3 + 0.6 * 0.4 / 20) ** 0.5
    z = stats.norm.ppf(0.975)
    assert found.value == pytest.approx(0.4)
    assert (found.low, found.high) == pytest.approx((0.4 - z * error, 0.4 + z * error), abs=1e-3)
