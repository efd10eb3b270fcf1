"""Groups of arrays: compute_metrics with columns for by."""

import pickle

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx
from skmetrics_ext import compute_metrics, evaluate


def arrays(n_rows=200, seed=4):
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, n_rows)
    p = np.round(1 / (1 + np.exp(-(rng.normal(size=n_rows) + y - 0.5))), 2)
    by = {"site": rng.choice(list("AB"), n_rows), "age": rng.uniform(20, 80, n_rows)}
    return y, (p > 0.5).astype(int), p, by, rng.integers(0, 4, n_rows) / 2


def test_each_subset_has_the_values_of_the_functions():
    y, d, p, by, w = arrays()
    names = ["roc_auc", "f1", "log_loss", "average_precision", "expected_calibration_error"]
    found = compute_metrics(
        names, y, d, y_proba=p, by=by, bins={"age": [50]}, margins=True, sample_weight=w
    )
    assert len(found) == len(names) * 9
    for row in found:
        site, age = (None, None) if row.group is None else row.group
        rows = np.ones(len(y), dtype=bool)
        rows &= True if site is None else by["site"] == site
        rows &= True if age is None else (by["age"] < 50) == (age == "< 50")
        whole = compute_metrics(
            [row.metric], y[rows], d[rows], y_proba=p[rows], sample_weight=w[rows]
        )
        np.testing.assert_allclose(row.value, whole[row.metric], rtol=1e-12)


def test_the_same_as_of_a_data_set_with_intervals_and_gaps():
    y, d, p, by, _ = arrays()
    frame = pd.DataFrame({"y": y, "d": d, "p": p, "site": by["site"]})
    options = {
        "intervals": True,
        "margins": True,
        "metrics": ["roc_auc", "f1", "average_precision"],
    }
    plain = evaluate(frame, true="y", pred="d", score="p", by="site", **options)
    found = compute_metrics(y_true=y, y_pred=d, y_score=p, by={"site": by["site"]}, **options)
    pd.testing.assert_frame_equal(found.frame(), plain.frame(), rtol=1e-12)
    for name in options["metrics"]:
        pd.testing.assert_frame_equal(
            found.gaps(name, against="overall").frame(),
            plain.gaps(name, against="overall").frame(),
            rtol=1e-9,
        )


def test_weighted_rows_tell_intervals_and_gaps():
    y, d, _, by, w = arrays()
    site = by["site"]
    found = compute_metrics(["f1"], y, d, by={"site": site}, sample_weight=w, intervals=True)
    parts = [(y[site == s], d[site == s], w[site == s]) for s in "AB"]
    alone = sx.confidence_interval("f1", *parts[0][:2], sample_weight=parts[0][2])
    row = found.row("f1", "A")
    np.testing.assert_allclose([row.low, row.high], [alone.low, alone.high], rtol=1e-9)
    both = sx.compare_samples(
        "f1", *parts[0][:2], *parts[1][:2], sample_weight_a=parts[0][2], sample_weight_b=parts[1][2]
    )
    gap = found.gaps("f1", against={"site": "B"}).row(group="A")
    np.testing.assert_allclose(
        [gap.low, gap.high, gap.p_value], [both.low, both.high, both.p_value], rtol=1e-6
    )


def test_a_table_of_groups_can_be_sent():
    y, d, p, by, w = arrays(60)
    found = compute_metrics(["f1", "roc_auc"], y, d, y_score=p, by=by | {"age": y}, groups=w)
    sent = pickle.loads(pickle.dumps(found))
    for name in ("f1", "roc_auc"):
        assert str(sent.gaps(name)) == str(found.gaps(name))


def test_classes_are_found_where_columns_have_none():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 3, 90)
    p = rng.dirichlet(np.ones(3), 90)
    site = np.repeat(["a", "b"], 45)
    found = compute_metrics(["roc_auc_ovr", "log_loss"], y, y_proba=p, by={"site": site})
    for row in found:
        rows = site == row.group
        metric = {"roc_auc_ovr": sx.roc_auc_score, "log_loss": sx.log_loss}[row.metric]
        about = {"multi_class": "ovr"} if row.metric == "roc_auc_ovr" else {}
        np.testing.assert_allclose(row.value, metric(y[rows], p[rows], **about), rtol=1e-12)


def every_scorer():
    return [
        name.removeprefix("neg_")
        for name in sx.get_scorer_names()
        if not sx.METRICS[name].ranks_labels
    ]


@pytest.mark.parametrize("step", [4, pytest.param(1, marks=pytest.mark.exhaustive)])
def test_every_metric_has_a_value_or_a_reason_and_so_have_its_gaps(step):
    y, d, p, by, _ = arrays(60)
    several = ("ovo", "ovr", "top_k")
    names = [name for name in every_scorer() if not any(part in name for part in several)][::step]
    found = compute_metrics(names, y, d, y_score=p, by={"site": by["site"]})
    assert {row.metric for row in found} == set(names)
    for row in found:
        assert np.isfinite(row.value) or row.note or row.label is not None
    told = 0
    for name in names:
        for row in found.gaps(name, against={"site": "B"}).rows:
            assert np.isfinite(row.p_value) or row.note
            told += np.isfinite(row.p_value)
    assert told > len(names) / 2  # most metrics have influence values


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"by": {"site": [1, 2]}}, "column 'site' has 2 rows"),
        ({"by": ["site"]}, "by must be a dict"),
        ({"by": {}}, "by must be a dict"),
        ({"margins": True}, "margins applies to groups"),
        ({"groups": [1] * 60}, "groups changes intervals only"),
        ({"by": {"site": ["a"] * 60}, "bins": {"age": 2}}, "not among the columns of by"),
        ({"by": {"row": np.arange(200)}}, "identifies rows"),
        ({"by": {"site": np.ma.masked_equal([0, 1] * 30, 1)}}, "masked"),
        ({"by": {"site": ["a"] * 60}, "beta": 2}, "takes"),
    ],
)
def test_refused(options, message):
    y, d, p, *_ = arrays(200 if "row" in (options.get("by") or ()) else 60)
    with pytest.raises(ValueError, match=message):
        compute_metrics(["f1", "roc_auc"], y, d, y_score=p, **options)
