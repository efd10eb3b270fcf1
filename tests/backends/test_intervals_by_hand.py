"""Intervals of evaluate: those of the rows, from sums of groups, from ranges and from held rows."""

from functools import partial

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support.frames import needs

import skmetrics_ext as sx
from skmetrics_ext import confidence_interval, evaluate
from skmetrics_ext.merged import grouped_rows

RNG = np.random.default_rng(0)
N = 160
Y = RNG.integers(0, 2, N)
S = np.round((RNG.random(N) + 0.4 * Y) / 1.4, 2)
FRAME = pd.DataFrame({
    "y": Y, "s": S, "p": (S > 0.45).astype(int), "site": RNG.choice([*"abc"], N),
    "sex": RNG.integers(0, 2, N), "w": RNG.integers(0, 3, N), "patient": np.arange(N) // 4,
})  # fmt: skip
OF_LABELS = ("accuracy", "f1", "matthews_corrcoef")
FROM_SUMS = [*OF_LABELS, "roc_auc", "gini", "average_precision", "log_loss", "brier_score",
             "d2_log_loss_score"]  # fmt: skip
WEIGHTED = "the variance of weighted rows is not in sums of their weights"
RESAMPLED = "its interval needs resampling, and so the rows in memory"


def asked(frame=FRAME, **options):
    options = {"true": "y", "score": "s", "pred": "p", "intervals": True} | options
    return evaluate(frame, **options)


def right(metric, rows, **options):
    response = rows.p if metric in OF_LABELS else rows.s
    return confidence_interval(metric, rows.y, response, **options)


def is_that_of(row, estimate):
    assert (row.value, row.low, row.high) == pytest.approx(
        (estimate.value, estimate.low, estimate.high), rel=1e-9
    ), row
    assert row.method == estimate.method


@pytest.mark.parametrize("metric", FROM_SUMS)
def test_sums_of_groups_and_margins_have_the_intervals_of_their_rows(metric):
    found = asked(metrics=[metric], by=["site", "sex"], margins=True)
    assert len(found) == 6 + 3 + 2 + 1
    for row in found:
        site, sex = row.group or (None, None)
        rows = FRAME[(FRAME.site == (site or FRAME.site)) & ((sex is None) | (FRAME.sex == sex))]
        is_that_of(row, right(metric, rows))


def test_rows_of_a_weight_are_so_many_rows():
    frame = FRAME.assign(w=np.where(FRAME.site == "c", 0, FRAME.w))
    found = asked(
        frame, metrics=FROM_SUMS, by="site", margins=True, weight="w", weights_are="frequency"
    )
    for row in found:
        if row.group == "c":
            assert np.isnan([row.value, row.low, row.high]).all()
            assert row.note == "no row has weight"
            continue
        rows = frame if row.group is None else frame[frame.site == row.group]
        is_that_of(row, right(row.metric, rows.loc[rows.index.repeat(rows.w)]))
    for weight in ("w", "half"):
        own = asked(frame.assign(half=frame.w / 2), metrics=FROM_SUMS, weight=weight)
        told = [row.note for row in own]
        assert all(text.startswith(WEIGHTED) for text in told), told
    halves = asked(
        frame.assign(w=frame.w / 2), metrics=FROM_SUMS, weight="w", weights_are="frequency"
    )
    assert all(row.note.startswith(WEIGHTED) for row in halves)


def test_why_sums_have_no_interval():
    rng = np.random.default_rng(0)
    for name in ("ks_statistic", "expected_calibration_error"):
        row = asked(metrics=[name]).row(name)
        assert row.note.startswith(RESAMPLED)
        assert np.isnan([row.low, row.high]).all()
    table = rng.dirichlet(np.ones(3), N)
    several = FRAME.assign(y=rng.integers(0, 3, N), a=table[:, 0], b=table[:, 1], c=table[:, 2])
    options = {"score": ["a", "b", "c"], "pred": None}
    area = asked(several, metrics=["roc_auc_ovr", "log_loss"], **options)
    assert area.row("roc_auc_ovr").note.startswith("areas of several classes are correlated")
    estimate = confidence_interval("log_loss", several.y, table)
    is_that_of(area.row("log_loss"), estimate)
    held = asked(several, metrics=["roc_auc_ovr"], n_resamples=0, **options).row("roc_auc_ovr")
    is_that_of(held, confidence_interval("roc_auc_ovr", several.y, table))
    one = FRAME.assign(y=1)
    row = asked(one, metrics=["roc_auc"]).row("roc_auc")
    assert (row.note, row.method) == ("a class has no rows", "")


def test_gaps_are_of_single_numbers():
    by_class = {"f1": partial(sx.f1_score, average=None)}
    found = asked(metrics=by_class, by="site")
    gaps = found.gaps("f1").rows
    assert all(np.isnan(row.value) for row in gaps)
    (reason,) = {row.note for row in gaps}
    assert reason == "groups are compared by single numbers: ask for an average"


# --------------------------------------------------------------------------- ranges


def delong(rows):
    """The area under the ROC curve and its standard error, from all pairs."""
    positive, negative = (rows.s[rows.y == k].to_numpy() for k in (1, 0))
    above = (positive[:, None] > negative) + 0.5 * (positive[:, None] == negative)
    error = above.mean(axis=1).var() / len(positive) + above.mean(axis=0).var() / len(negative)
    return above.mean(), np.sqrt(error)


@pytest.mark.parametrize("name", ["roc_auc", "gini"])
def test_areas_from_ranges_have_the_interval_of_their_rows(name):
    needs("duckdb")
    options = {"engine": "duckdb", "memory_limit": 2000, "pred": None}
    found = asked(metrics=[name, "average_precision"], by="site", margins=True, **options)
    for row in found:
        rows = FRAME if row.group is None else FRAME[FRAME.site == row.group]
        if row.metric == "average_precision" or row.group is None:
            assert row.note == "its scores are more than memory_limit allows to hold: raise it"
            assert np.isnan(row.low)
            assert not np.isnan(row.value)
        else:
            is_that_of(row, right(name, rows))
    whole = asked(metrics=[name], confidence_level=0.9, **options).row(name)
    is_that_of(whole, right(name, FRAME, confidence_level=0.9))
    plain = asked(metrics=[name], intervals=False, **options).row(name)
    assert (plain.note, np.isnan(plain.low)) == ("", True)


@pytest.mark.parametrize("limit", ["1GiB", 2000])
def test_areas_have_the_standard_error_of_delong(limit):
    """By hand: on the scale of the logit of the area, with divisors n - 1."""
    needs("duckdb")
    row = asked(metrics=["roc_auc"], engine="duckdb", memory_limit=limit).row("roc_auc")
    area, error = delong(FRAME)
    assert row.value == pytest.approx(area, rel=1e-12)
    middle = np.log(row.low / (1 - row.low)) + np.log(row.high / (1 - row.high))
    assert middle / 2 == pytest.approx(np.log(area / (1 - area)), abs=0.05)
    half = (row.high - row.low) / 2
    assert half == pytest.approx(stats.norm.ppf(0.975) * error, rel=0.03)


# --------------------------------------------------------------------------- held rows


@pytest.mark.parametrize("weight", [None, "w"])
def test_clusters_reach_across_groups(weight):
    found = asked(metrics=FROM_SUMS, groups="patient", weight=weight, by="site", margins=True)
    for row in found:
        rows = FRAME if row.group is None else FRAME[FRAME.site == row.group]
        options = {"groups": rows.patient}
        if weight:
            options["sample_weight"] = rows.w
        is_that_of(row, right(row.metric, rows, **options))


def test_a_group_of_one_cluster_shows_no_variance():
    frame = FRAME.assign(patient=np.where(FRAME.site == "a", 0, FRAME.patient + 1))
    row = asked(frame, metrics=["accuracy"], groups="patient", by="site").row("accuracy", "a")
    assert not np.isnan(row.value)
    assert np.isnan(row.low)
    assert row.note == "its rows belong to one cluster, which shows no variance between clusters"
    text = frame.assign(patient=[f"patient {k}" for k in frame.patient])
    for own, same in zip(*(
        asked(one, metrics=["accuracy", "roc_auc"], groups="patient") for one in (frame, text)
    ), strict=True):  # fmt: skip
        assert (own.low, own.high) == (same.low, same.high)
    none = frame.assign(w=np.where(frame.site == "a", 0, 1))
    row = asked(none, metrics=["accuracy"], groups="patient", by="site", weight="w")
    assert row.row("accuracy", "a").note == "no row has weight"


def test_resampling_is_for_few_rows_or_where_it_is_asked_for(monkeypatch):
    options = {"metrics": ["ks_statistic", "accuracy"], "groups": "patient", "pred": "p"}
    default = asked(**options).row("ks_statistic")
    assert not np.isnan(default.low)
    monkeypatch.setattr(grouped_rows, "MOST_RESAMPLED", N)
    assert asked(**options).row("ks_statistic").low == default.low
    monkeypatch.setattr(grouped_rows, "MOST_RESAMPLED", N - 1)
    refused = asked(**options)
    assert refused.row("ks_statistic").note.startswith(RESAMPLED)
    assert not np.isnan(refused.row("accuracy").low)
    given = asked(n_resamples=50, **options).row("ks_statistic")
    estimate = confidence_interval("ks_statistic", FRAME.y, FRAME.s, groups=FRAME.patient,
                                   n_resamples=50, random_state=0)  # fmt: skip
    is_that_of(given, estimate)
    none = asked(n_resamples=0, metrics=["ks_statistic"]).row("ks_statistic")
    assert none.note.startswith(RESAMPLED)
    plain = asked(n_resamples=50, metrics=["ks_statistic", "roc_auc", "accuracy", "log_loss"])
    for row in plain:
        is_that_of(row, right(row.metric, FRAME, n_resamples=50, random_state=0))


def test_held_rows_of_several_classes_and_of_classes_that_are_turned():
    rng = np.random.default_rng(1)
    table = rng.dirichlet(np.ones(3), N)
    several = FRAME.assign(y=rng.integers(0, 3, N), a=table[:, 0], b=table[:, 1], c=table[:, 2])
    options = {"score": ["a", "b", "c"], "pred": None, "groups": "patient"}
    names = ["roc_auc_ovr", "log_loss", "top_k_accuracy", "brier_score"]
    for row in asked(several, metrics=names, **options):
        is_that_of(row, confidence_interval(row.metric, several.y, table, groups=several.patient))
    words = FRAME.assign(y=np.array(["well", "ill"])[FRAME.y], p=np.array(["well", "ill"])[FRAME.p])
    found = asked(words, metrics=FROM_SUMS, pos_label="ill", groups="patient")
    for row in found:
        is_that_of(row, right(row.metric, FRAME, groups=FRAME.patient))
    two = FRAME.assign(rest=1 - FRAME.s)
    for row in asked(two, score=["rest", "s"], metrics=["roc_auc", "log_loss"], groups="patient"):
        is_that_of(row, right(row.metric, FRAME, groups=FRAME.patient))
    hinge = asked(FRAME, metrics=["hinge_loss"], groups="patient").row("hinge_loss")
    is_that_of(hinge, right("hinge_loss", FRAME, groups=FRAME.patient))


def test_arrays_have_the_intervals_of_their_groups():
    options = {
        "by": {"site": FRAME.site},
        "margins": True,
        "confidence_level": 0.9,
        "intervals": True,
    }
    table = sx.compute_metrics(
        ["accuracy", "roc_auc", "log_loss"], FRAME.y, FRAME.p, y_score=FRAME.s, **options
    )
    assert len(table) == 12
    for row in table:
        rows = FRAME if row.group is None else FRAME[FRAME.site == row.group]
        is_that_of(row, right(row.metric, rows, confidence_level=0.9))
