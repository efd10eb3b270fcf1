"""Gaps between groups, the worst of them, and what chance shows."""

import warnings

import numpy as np
import pandas as pd
import pytest
from scipy import stats
from support.frames import run
from support.public import DEPRECATED

import skmetrics_ext as sx
from skmetrics_ext import evaluate
from skmetrics_ext.inference.linearized import correlation
from skmetrics_ext.slices import chance_spread
from skmetrics_ext.validation import InvalidParameterError

proportion_difference_interval = DEPRECATED["proportion_difference_interval"]

METRICS = ["roc_auc", "f1", "accuracy", "brier_score", "average_precision", "matthews_corrcoef"]
SITES = ("A", "B", "C")


def frame_of(n_rows=240, seed=3):
    rng = np.random.default_rng(seed)
    true = rng.integers(0, 2, n_rows)
    score = np.round(1 / (1 + np.exp(-(rng.normal(size=n_rows) + 1.5 * true - 0.5))), 2)
    return pd.DataFrame(
        {
            "y": true,
            "p": score,
            "d": (score > 0.5).astype(int),
            "site": rng.choice(SITES, n_rows, p=(0.5, 0.3, 0.2)),
            "sex": rng.integers(0, 2, n_rows),
        }
    )


def response(name):
    return "d" if sx.registry.find(name).spec.response == "labels" else "p"


def asked(frame, metrics=METRICS, **options):
    options = {"by": "site", **options}
    return evaluate(frame, true="y", score="p", pred="d", metrics=metrics, **options)


def two_samples(name, first, second):
    kind = response(name)
    return sx.compare_samples(name, first.y, first[kind], second.y, second[kind])


# --------------------------------------------------------------------------- gaps


@pytest.mark.parametrize("name", METRICS)
def test_a_gap_from_the_rest_is_that_of_two_samples(name):
    frame = frame_of()
    gaps = asked(frame).gaps(name)
    expected = [two_samples(name, *(frame[frame.site == s], frame[frame.site != s])) for s in SITES]
    adjusted = sx.holm_adjust([one.p_value for one in expected])
    for row, one, p_value in zip(gaps.rows, expected, adjusted, strict=True):
        np.testing.assert_allclose(
            [row.value_a, row.value_b, row.value, row.low, row.high, row.p_adjusted],
            [one.value_a, one.value_b, one.difference, one.low, one.high, p_value],
            rtol=1e-7,
            atol=1e-9,
        )
        assert row.ratio == pytest.approx(one.value_a / one.value_b, rel=1e-12)


@pytest.mark.parametrize("engine", ["duckdb", "dask"])
def test_engines_agree(engine):
    frame = frame_of().rename(columns={"y": "true"})
    options = {"score": "p", "pred": "d", "by": ["site", "sex"], "metrics": ["roc_auc", "f1"]}
    found, plain = (
        run(one, frame, **options).gaps("roc_auc").frame() for one in (engine, "memory")
    )
    pd.testing.assert_frame_equal(found, plain, rtol=1e-10)


@pytest.mark.parametrize("name", METRICS)
def test_what_a_group_shares_with_all_rows_is_that_of_their_influence_values(name):
    frame = frame_of()
    statistic = asked(frame).groups.of(name).statistic
    kind = response(name)
    whole = sx.influence_values(name, frame.y, frame[kind]) / len(frame)
    own = np.zeros(len(frame))
    inside = (frame.site == "B").to_numpy()
    part = frame[inside]
    own[inside] = sx.influence_values(name, part.y, part[kind]) / len(part)
    expected = own @ whole / np.sqrt(own @ own * (whole @ whole))
    assert correlation(statistic(["B"]), statistic(list(SITES))) == pytest.approx(
        expected, rel=1e-9
    )
    assert correlation(statistic(["B"]), statistic(["A", "C"])) == 0


def test_a_part_of_the_whole_has_the_interval_that_knows_it():
    frame = frame_of()
    found = asked(frame, ["accuracy"], intervals=True, margins=True)
    gap = found.gaps("accuracy", against="overall").row(group="A")
    own, whole = found.row("accuracy", "A"), found.row("accuracy")
    # Of shares, the errors of a part and of the whole have this correlation but for what the
    # values differ.
    share = own.n_rows / whole.n_rows
    spread = [row.value * (1 - row.value) / row.n_rows for row in (own, whole)]
    shared = share * spread[0] / np.sqrt(spread[0] * spread[1])
    down, up = own.value - own.low, whole.high - whole.value
    expected = np.sqrt(down**2 + up**2 - 2 * shared * down * up)
    assert gap.value - gap.low == pytest.approx(expected, rel=1e-9)
    assert gap.value_b == whole.value


def test_against_a_group_keeps_the_other_columns():
    frame = frame_of()
    found = asked(frame, ["accuracy"], by=["site", "sex"], margins=True)
    gaps = found.gaps("accuracy", against={"site": "A"})
    assert [row.group for row in gaps.rows] == [
        ("B", 0), ("B", 1), ("C", 0), ("C", 1), ("B", None), ("C", None),
    ]  # fmt: skip
    assert gaps.row(group=("C", 1)).value_b == found.value("accuracy", ("A", 1))
    assert gaps.row(group=("C", None)).value_b == found.value("accuracy", ("A", None))
    both = found.gaps("accuracy", against={"site": "A", "sex": 0})
    assert {row.value_b for row in both.rows} == {found.value("accuracy", ("A", 0))}


@pytest.mark.parametrize("against", ["rest", "overall", "best", {"site": 1}])
def test_the_variable_of_the_groups_may_be_called_group(against):
    true, pred = [1, 0, 1, 1, 0, 1] * 20, [1, 1, 1, 0, 0, 1] * 20
    groups = np.repeat([0, 1, 2], 40)
    found = {
        name: sx.compute_metrics(["accuracy"], true, pred, by={name: groups})
        for name in ("site", "group")
    }
    named = {"group": 1} if isinstance(against, dict) else against
    gaps = found["site"].gaps("accuracy", against=against)
    same = found["group"].gaps("accuracy", against=named)
    assert len(gaps) == len(same) >= 2
    for gap, row in zip(gaps, same, strict=True):
        assert (gap.value, gap.low, gap.high) == (row.value, row.low, row.high)
    if isinstance(against, dict):
        assert [row.value for row in found["group"].against(group=1)] == [gap.value for gap in gaps]


def test_against_the_best_is_by_the_direction_of_the_metric():
    found = asked(frame_of(), ["accuracy", "brier_score"])
    values = {s: found.value("accuracy", s) for s in SITES}
    best = max(values, key=values.get)
    gaps = found.gaps("accuracy", against="best")
    assert [row.group for row in gaps.rows] == [s for s in SITES if s != best]
    assert all(row.value_b == values[best] and row.value <= 0 for row in gaps.rows)
    assert all(row.value >= 0 for row in found.gaps("brier_score", against="best").rows)


@pytest.mark.exhaustive
def test_gaps_to_the_best_allow_for_the_choice():
    """Six equal groups: chosen as the best, one of them differs from another by luck."""
    rng = np.random.default_rng(8)
    group = np.repeat(np.arange(6), 60)
    any_small = 0
    for _ in range(100):
        right = rng.random(len(group)) < 0.8
        frame = pd.DataFrame({"y": 1, "d": right.astype(int), "site": group})
        found = evaluate(frame, true="y", pred="d", metrics=["accuracy"], by="site")
        rows = found.gaps("accuracy", against="best").rows
        any_small += any(row.p_adjusted <= 0.05 for row in rows)
        assert all(row.low <= row.value <= row.high <= 0 for row in rows)
    assert any_small <= 11  # 5 in 100, more in 1 %


def test_bounds_to_the_best_are_those_of_all_that_may_be_the_best():
    counts = {"a": 90, "b": 88, "c": 60}
    right = np.concatenate([np.arange(100) < n for n in counts.values()])
    frame = pd.DataFrame({"y": 1, "d": right.astype(int), "site": np.repeat(list("abc"), 100)})
    found = evaluate(frame, true="y", pred="d", metrics=["accuracy"], by="site")
    rows = {row.group: row for row in found.gaps("accuracy", against="best").rows}
    told = {
        pair: proportion_difference_interval(
            counts[pair[0]], 100, counts[pair[1]], 100, confidence_level=0.975
        )
        for pair in (("b", "a"), ("c", "a"), ("c", "b"))
    }
    assert (rows["b"].low, rows["b"].high) == pytest.approx((told["b", "a"].low, 0.0))
    assert rows["c"].low == pytest.approx(told["c", "a"].low)
    assert rows["c"].high == pytest.approx(told["c", "b"].high)


def shares_frame(**counts):
    """Groups of rows of class 1, with the number of those found and of all."""
    parts = [
        pd.DataFrame({"y": 1, "p": 0.5, "d": (np.arange(n) < hits).astype(int), "site": site})
        for site, (hits, n) in counts.items()
    ]
    return pd.concat(parts, ignore_index=True)


def test_of_two_groups_the_gap_to_the_best_is_one_difference():
    found = asked(shares_frame(a=(45, 60), b=(36, 50)), ["accuracy"])
    (row,) = found.gaps("accuracy", against="best").rows
    alone = proportion_difference_interval(36, 50, 45, 60)
    assert (row.low, row.high) == pytest.approx((alone.low, 0.0))
    gap = found.gaps("accuracy", against={"site": "a"}).rows[0]
    assert row.p_adjusted == pytest.approx(min(2 * gap.p_value, 1))  # Holm, of two


def test_gaps_of_a_loss_to_the_best_are_those_of_its_score_turned():
    frame = shares_frame(a=(900, 1000), b=(16, 20), c=(860, 1000))
    found = asked(frame, ["accuracy", "error_rate"])
    of_share = {row.group: row for row in found.gaps("accuracy", against="best").rows}
    of_loss = {row.group: row for row in found.gaps("error_rate", against="best").rows}
    assert list(of_share) == list(of_loss) == ["b", "c"]
    for group, row in of_share.items():
        other = of_loss[group]
        assert (other.low, other.high) == pytest.approx((-row.high, -row.low), abs=1e-12)
        assert other.p_adjusted == pytest.approx(row.p_adjusted)
    # c is worse than a, not surely worse than b, which may be the best.
    c = of_share["c"]
    assert c.high == 0.0
    level = 1 - 0.05 / 2
    to_b, to_a = (
        proportion_difference_interval(860, 1000, *other, confidence_level=level)
        for other in ((16, 20), (900, 1000))
    )
    assert to_a.high < 0 < to_b.high
    assert c.low == pytest.approx(min(to_a.low, to_b.low))


def test_the_gaps_to_the_best_and_others_are_cited():
    found = asked(frame_of(), ["accuracy"], by=["site", "sex"], margins=True)
    assert "Hsu 1996" in found.gaps("accuracy", against="best").cite()
    plain = found.gaps("accuracy").cite()
    assert "Hsu" not in plain
    assert "Holm (1979)" in plain


def test_a_reference_without_rows_is_the_reason():
    frame = frame_of()
    frame = frame[(frame.site != "A") | (frame.sex == 0)]
    found = asked(frame, ["accuracy"], by=["site", "sex"]).gaps("accuracy", against={"site": "A"})
    row = found.row(group=("B", 1))
    assert row.note == "the group of reference has no rows"
    assert np.isnan([row.value, row.value_b, row.p_value]).all()
    assert found.row(group=("B", 0)).note == ""


def test_resampled_groups_are_not_compared_with_rows_that_they_share():
    """Rates at a sensitivity jump between grades, so that they have no derivative."""
    frame = frame_of()
    grade = np.resize([1, 2, 2, 3, 3, 3, 4, 5], len(frame))
    frame = frame.assign(p=np.where(frame.y == 1, grade + 1, grade) / 10)
    name = "specificity_at_sensitivity_80"
    found = asked(frame, [name], margins=True)
    for row in found.gaps(name, against="overall").rows:
        assert row.note.startswith("it is resampled, and the groups share rows")
        assert row.value == row.value_a - row.value_b
        assert row.value_b == found.value(name)
        assert np.isnan([row.low, row.high, row.p_value]).all()
    for row in found.gaps(name).rows:
        assert row.low < row.value < row.high


def test_groups_without_an_interval_are_left_out_and_counted():
    found = asked(frame_of(), ["accuracy"], min_rows=50)  # 123, 74 and 43 rows
    (worst,) = found.surely_worst()
    assert worst.note == "left out without an interval: 1 of 3 groups"
    assert worst.group == "B"
    assert asked(frame_of(), ["accuracy"]).surely_worst()[0].note == ""
    assert found.spread("accuracy").n_groups == 2
    one = asked(frame_of(), ["accuracy"], min_rows=75)
    assert len(one.surely_worst()) == 1
    with pytest.raises(InvalidParameterError, match=r"fewer than two groups .*74 rows are fewer"):
        one.spread("accuracy")
    none = asked(frame_of(), ["accuracy"], min_rows=124)
    with pytest.raises(InvalidParameterError, match="no group can be compared"):
        none.worst("accuracy")
    assert len(asked(frame_of(), ["accuracy"], min_rows=123).surely_worst()) == 1


@pytest.mark.parametrize(
    ("margins", "hits", "told"),
    [(False, {("A", 0): 3}, ["A", "0"]), (True, {("A", 0): 14, ("A", 1): 14}, ["A", "all"])],
)
def test_the_worst_of_crossed_groups_is_named_by_what_it_has(margins, hits, told):
    parts = [
        shares_frame(**{site: (hits.get((site, sex), 29), 30)}).assign(sex=sex)
        for site in "AB"
        for sex in (0, 1)
    ]
    found = asked(pd.concat(parts), ["accuracy"], by=["site", "sex"], margins=margins)
    worst = found.surely_worst()
    assert str(worst).splitlines()[2].split()[:2] == told
    assert [
        text or "all"
        for text in worst.frame()[["site", "sex"]]
        .astype(object)
        .where(lambda cell: cell.notna(), "")
        .iloc[0]
        .map(str)
    ] == told


def test_a_group_without_a_value_is_not_in_the_picture():
    plt = pytest.importorskip("matplotlib.pyplot")
    frame = frame_of()
    ax = asked(frame[(frame.site != "C") | (frame.y == 1)], ["roc_auc"]).plot("roc_auc")
    assert [text.get_text().partition(" ")[0] for text in ax.get_yticklabels()] == ["A", "B"]
    plt.close(ax.figure)


def test_the_frame_has_a_column_for_each_group_variable():
    found = asked(frame_of(), ["f1"], by=["site", "sex"]).gaps("f1")
    columns = list(found.frame().columns)
    assert columns[:2] == ["site", "sex"]
    assert {"value", "ratio", "low", "high", "p_value", "p_adjusted", "note"} <= set(columns)
    assert str(found).splitlines()[0].split()[:4] == ["site", "sex", "metric", "against"]
    with pytest.raises(KeyError):
        found.row(group="A")


def test_groups_that_cannot_be_compared_say_why():
    frame = frame_of(60)
    frame = frame[(frame.site != "C") | (frame.y == 1)]
    found = asked(frame, ["roc_auc", "expected_calibration_error", "accuracy"])
    row = found.gaps("roc_auc").row(group="C")
    assert np.isnan(row.p_value)
    assert row.note == found.row("roc_auc", "C").note != ""
    assert "resampling" in found.gaps("expected_calibration_error").row(group="A").note
    few = asked(frame, ["accuracy"], min_rows=20).gaps("accuracy").row(group="C")
    assert "fewer than min_rows=20" in few.note


def test_weighted_sums_do_not_tell():
    frame = frame_of(60).assign(w=np.linspace(0.5, 1.5, 60))
    found = asked(frame, ["accuracy"], weight="w").gaps("accuracy")
    assert all("weighted rows" in row.note for row in found.rows)


def test_scores_that_are_not_held_do_not_tell():
    found = asked(frame_of(), ["roc_auc"], engine="duckdb", memory_limit=4_000)
    assert "memory_limit" in found.gaps("roc_auc").rows[0].note


# --------------------------------------------------------------------------- the worst


def test_noise_of_a_tiny_group_does_not_win():
    hits = {"large": (1000, 0.6), "good": (1000, 0.9), "tiny": (4, 0.5)}
    frame = pd.concat(
        pd.DataFrame({"g": g, "y": 1, "d": (np.arange(n) < n * share).astype(int)})
        for g, (n, share) in hits.items()
    )
    found = evaluate(frame, true="y", pred="d", by="g", metrics=["accuracy", "error_rate"])
    (worst,) = found.where(metric="accuracy").surely_worst()
    assert (worst.group, worst.value) == ("large", 0.6)
    with pytest.warns(FutureWarning, match="surely_worst"):
        assert found.worst("accuracy")[0].group == "tiny"
    alone = sx.confidence_interval(
        "accuracy",
        [1] * 1000,
        [1] * 600 + [0] * 400,
        confidence_level=1 - 0.05 / 3,
        method="clopper_pearson",
    )
    assert (worst.low, worst.high) == pytest.approx((alone.low, alone.high), rel=1e-9)
    (loss,) = found.where(metric="error_rate").surely_worst()
    assert (loss.group, loss.value) == ("large", pytest.approx(0.4))


def test_the_worst_of_a_metric_without_a_direction_is_refused():
    found = asked(frame_of(60), ["prevalence"])
    with pytest.raises(InvalidParameterError, match="neither better"):
        found.worst("prevalence")
    assert len(found.gaps("prevalence").rows) == 3


# --------------------------------------------------------------------------- chance


def by_site(frame, name, site):
    kind, metric = response(name), getattr(sx, f"{name}_score")
    return np.array([metric(frame.y[site == s], frame[kind][site == s]) for s in SITES])


def apart(values, sizes):
    """Range of values in standard errors, which go with the root of the number of rows."""
    mean = values @ sizes / sizes.sum()
    return np.ptp((values - mean) * np.sqrt(sizes))


def test_equal_areas_vary_by_their_own_standard_errors():
    frame = frame_of()
    found, rng = asked(frame).spread("roc_auc"), np.random.default_rng(1)
    parts = [frame[frame.site == s] for s in SITES]
    errors = [sx.confidence_interval("roc_auc", part.y, part.p).standard_error for part in parts]
    ranges = np.ptp(rng.normal(size=(4_000, 3)) * errors, axis=1)
    assert found.expected == pytest.approx(ranges.mean(), rel=0.05)
    assert found.limit == pytest.approx(np.quantile(ranges, 0.95), rel=0.06)
    assert found.method == "normal"


def test_what_equal_groups_show_is_what_shuffled_groups_show():
    name, frame = "f1", frame_of()
    found = asked(frame).spread(name)
    site, rng = frame.site.to_numpy(), np.random.default_rng(1)
    sizes = np.array([(site == s).sum() for s in SITES])
    values = by_site(frame, name, site)
    drawn = np.array([by_site(frame, name, rng.permutation(site)) for _ in range(300)])
    assert found.largest == pytest.approx(np.ptp(values))
    assert (found.lowest, found.highest) == (SITES[values.argmin()], SITES[values.argmax()])
    ranges = np.ptp(drawn, axis=1)
    assert abs(found.expected - ranges.mean()) < 4 * ranges.std() / 300**0.5 + 0.03 * ranges.mean()
    share = np.mean([apart(one, sizes) >= apart(values, sizes) for one in drawn])
    assert abs(found.p_value - share) < 4 * np.sqrt(0.25 / 300)
    assert found.method == "permutation"
    ends = f"from {found.lowest} to {found.highest} ({len(SITES)} groups); equal groups would lie "
    assert str(found).startswith(f"{found.largest:.4g} {ends}{found.expected:.4g} apart on average")


@pytest.mark.slow
@pytest.mark.parametrize("name", ["recall", "balanced_accuracy"])
def test_groups_that_differ_in_prevalence_alone_are_equal(name):
    """Six groups of equal recall whose prevalence is 0.05 to 0.6: 5 % false alarms are nominal."""
    rng = np.random.default_rng(0)
    prevalence = np.repeat([0.05, 0.1, 0.2, 0.3, 0.45, 0.6], 200)
    false_alarms = []
    for seed in range(150):
        y = (rng.random(1200) < prevalence).astype(int)
        d = np.where(rng.random(1200) < 0.75, y, 1 - y)
        frame = pd.DataFrame({"y": y, "d": d, "g": np.repeat(range(6), 200)})
        found = evaluate(frame, true="y", pred="d", by="g", metrics=[name])
        false_alarms.append(found.spread(name, random_state=seed).p_value < 0.05)
    assert np.mean(false_alarms) < 0.05 + 3 * (0.05 * 0.95 / 150) ** 0.5


def test_a_group_whose_pairs_are_ranked_alike_does_not_tell_whether_others_differ():
    frame = frame_of()
    others = frame[frame.site != "C"]
    perfect = frame.assign(p=frame.p.where(frame.site != "C", frame.y * 1.0))
    found, plain = (asked(one).spread("roc_auc") for one in (perfect, others))
    assert (found.highest, found.n_groups, found.method) == ("C", 3, "normal")
    assert found.largest == pytest.approx(plain.largest + 1 - asked(others).value("roc_auc", "A"))
    assert found.p_value == pytest.approx(plain.p_value, abs=4 * (0.5 / 1999) ** 0.5)


def test_a_group_without_positives_has_no_recall_to_compare():
    """The rows that two others find, of all positives: hypergeometric."""
    frame = frame_of()
    frame = frame[(frame.site != "C") | (frame.y == 0)]
    found = asked(frame, ["recall"]).spread("recall")
    hits, sizes = (frame[frame.y == 1].groupby("site").d.agg(name) for name in ("sum", "count"))
    recalls = hits / sizes
    assert (found.lowest, found.highest) == (recalls.idxmin(), recalls.idxmax())
    assert found.largest == pytest.approx(recalls.max() - recalls.min(), rel=1e-12)
    assert (found.n_groups, found.method) == (2, "permutation")
    possible = np.arange(hits.sum() + 1)
    gaps = np.abs(possible / sizes.A - (hits.sum() - possible) / sizes.B)
    chances = stats.hypergeom.pmf(possible, sizes.sum(), hits.sum(), sizes.A)
    expected = chances[gaps >= gaps[hits.A] - 1e-9].sum()
    assert 0.1 < expected < 0.9
    assert found.p_value == pytest.approx(expected, abs=4 * np.sqrt(0.25 / 2000))


@pytest.mark.parametrize("weight", [None, 2.0, 0.5])
@pytest.mark.parametrize("clustered", [False, True])
def test_a_convention_for_0_over_0_is_no_gap(weight, clustered):
    """Recall of a group without positives is 0/0; accuracy and macro F1 have a value there."""
    frame = frame_of()
    frame = frame[(frame.site != "C") | (frame.y == 0)]
    options = {"sample_weight": None if weight is None else np.full(len(frame), weight)}
    if clustered:
        options |= {"groups": np.arange(len(frame)) // 2, "intervals": True}
    names = ["recall", "accuracy", "f1_macro"]
    found = sx.compute_metrics(names, frame.y, frame.d, by={"site": frame.site}, **options)
    row = found.gaps("recall").row(group="C")
    assert np.isnan([row.value_a, row.value, row.p_value]).all()
    assert "no row is of the class" in row.note
    for name in names[1:]:
        others, row = frame[frame.site != "C"], found.gaps(name).row(group="C")
        own = frame[frame.site == "C"]
        right, rest = (sx.compute_metrics([name], one.y, one.d)[name] for one in (own, others))
        assert (row.value_a, row.value_b) == pytest.approx((right, rest), rel=1e-12)


@pytest.mark.parametrize(
    ("limit", "most", "name", "method"),
    [
        ("_MOST_CELLS", 3 * 2**4, "matthews_corrcoef", "permutation"),
        ("_MOST_CELLS", 3 * 2**4 - 1, "matthews_corrcoef", "normal"),
        ("_MOST_ROWS", 241, "matthews_corrcoef", "permutation"),
        ("_MOST_ROWS", 240, "matthews_corrcoef", "normal"),
        ("_MOST_ROWS", 241, "accuracy", "permutation"),
        ("_MOST_ROWS", 240, "accuracy", "normal"),
    ],
)
def test_rows_are_permuted_up_to_a_number(monkeypatch, limit, most, name, method):
    """240 rows, in three groups of tables of two classes."""
    found = asked(frame_of(), [name])
    many = found.spread(name)
    monkeypatch.setattr(chance_spread, limit, most)
    few = found.spread(name)
    assert (many.method, few.method) == ("permutation", method)
    assert few.largest == many.largest
    assert few.p_value == pytest.approx(many.p_value, abs=0.1)


@pytest.mark.parametrize("name", ["accuracy", "matthews_corrcoef"])
def test_groups_without_an_error_do_not_differ(name):
    frame = pd.DataFrame({"y": [0, 1] * 30, "d": [0, 1] * 30, "p": 0.5})
    found = asked(frame.assign(site=np.repeat(list(SITES), 20)), [name]).spread(name)
    assert (found.largest, found.expected, found.limit, found.p_value) == (0, 0, 0, 1)


def test_a_tiny_group_does_not_hide_that_others_differ():
    hits = {"a": (900, 0.8), "b": (900, 0.9), "tiny": (5, 0.6)}
    frame = pd.concat(
        pd.DataFrame({"g": g, "y": 1, "d": (np.arange(n) < n * share).astype(int)})
        for g, (n, share) in hits.items()
    )
    found = evaluate(frame, true="y", pred="d", by="g", metrics=["accuracy"]).spread("accuracy")
    assert found.largest == pytest.approx(0.3)
    assert found.p_value < 0.001


# --------------------------------------------------------------------------- refused, and drawn


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda found: found.gaps("recall"), "was not asked for"),
        (lambda found: found.gaps("f1", against="all"), "no row has group='all'"),
        (lambda found: found.gaps("f1", against={"place": 1}), "not among the columns"),
        (lambda found: found.gaps("f1", against={"site": "Z"}), "no group has site='Z'"),
    ],
)
def test_refused(call, message):
    with pytest.raises(InvalidParameterError, match=message):
        call(asked(frame_of(60), ["f1"]))


def test_without_groups_there_is_nothing_to_compare():
    with pytest.raises(InvalidParameterError, match="pass by="):
        asked(frame_of(60), ["f1"], by=None).gaps("f1")


def test_the_picture_shows_groups_around_all_rows():
    plt = pytest.importorskip("matplotlib.pyplot")
    found = asked(frame_of(), ["f1"], margins=True)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ax = found.plot("f1")
    assert [text.get_text().partition(" ")[0] for text in ax.get_yticklabels()] == list(SITES)
    (points,) = [line for line in ax.lines if line.get_marker() == "o"]
    np.testing.assert_allclose(points.get_xdata(), [found.value("f1", s) for s in SITES])
    (whole,) = [line for line in ax.lines if line.get_linestyle() == "--"]
    assert set(whole.get_xdata()) == {found.value("f1")}
    plt.close(ax.figure)


# --------------------------------------------------------------------------- means of losses


def groups_of_one_population(seed, sizes):
    """Probabilities whose log odds are four times too large, in groups of these sizes."""
    rng = np.random.default_rng(seed)
    z = rng.normal(-1.3, 1.2, sum(sizes))
    y = (rng.random(len(z)) < 1 / (1 + np.exp(-z))).astype(int)
    p = np.clip(1 / (1 + np.exp(-4 * z - 1)), 1e-6, 1 - 1e-6)
    return y, p, np.repeat(np.arange(len(sizes)), sizes)


def test_small_groups_of_one_population_have_equal_losses():
    """The studentized range rejected 22 to 32 % of these; 5 % is nominal."""
    names, rejected = ["log_loss", "brier_score_loss"], np.zeros(2)
    for seed in range(150):
        y, p, g = groups_of_one_population(seed, [600, 300, 120, 60, 25, 12])
        found = sx.compute_metrics(names, y, y_proba=p, by={"g": g})
        rejected += [found.spread(name).p_value <= 0.05 for name in names]
    assert (rejected / 150 <= 0.08).all()


@pytest.mark.parametrize("name", ["log_loss", "brier_score_loss", "roc_auc", "d2_log_loss_score"])
def test_two_groups_have_one_test(name):
    y, p, g = groups_of_one_population(3, [120, 40])
    found = sx.compute_metrics([name], y, y_proba=p, by={"g": g})
    (gap,) = found.gaps(name, against={"g": 0}).rows
    assert found.spread(name).p_value == pytest.approx(gap.p_value, rel=1e-9)


def test_losses_that_differ_are_found():
    y, p, g = groups_of_one_population(3, [600, 300, 120, 60, 25, 12])
    worse = np.where(g == 1, 1 - p, p)
    found = sx.compute_metrics(["log_loss"], y, y_proba=worse, by={"g": g})
    assert found.spread("log_loss").p_value < 1e-6
