"""Several readers of the same cases: values of an independent script, refusals, planning."""

import importlib.util
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import skmetrics_ext as sx

SCRIPT = Path(__file__).parents[1] / "reference" / "reader_study.py"
SPEC = importlib.util.spec_from_file_location("reader_study", SCRIPT)
reference = importlib.util.module_from_spec(SPEC)
SPEC.loader.exec_module(reference)

ROWS = pd.DataFrame(reference.study())
Y, A, B = (ROWS[name].to_numpy() for name in ("truth", "a", "b"))
DESIGN = {"groups": ROWS["case"].to_numpy(), "readers": ROWS["reader"].to_numpy()}
N_FIRST = int(DESIGN["groups"][Y == 1][0])  # a diseased case
# The output of the script: value, bounds, degrees of freedom, p.
CROSSED = {
    "a": (0.6174242424242424, 0.46196234169224737, 0.7728861431562375, 12.028441153598962),
    "b": (0.8503787878787878, 0.7741480279312474, 0.9266095478263283, 71.57717329692542),
    "b - a": (0.23295454545454544, 0.07443369344461065, 0.39147539746448023, 62.5142655724301),
    "fixed": (0.23295454545454544, 0.07290625940501633, 0.39300283150407456, None),
}
NOT_CROSSED = {
    "a": (0.617609126984127, 0.43194487484000466, 0.8032733791282493, 6.876234529374805),
    "b": (0.8603174603174604, 0.808116716039846, 0.9125182045950747, 597.7477346703828),
    "b - a": (0.2427083333333333, 0.04189008789592802, 0.4435265787707386, 10.876172152607257),
    "fixed": (0.2427083333333333, 0.07406322047008179, 0.4113534461965848, None),
}
P_VALUES = {"b - a": 0.00463305064392936, "fixed": 0.0043338639421385255}


def numbers(estimate):
    return estimate.value, estimate.low, estimate.high


def check(found, expected):
    assert numbers(found) == pytest.approx(expected[:3], rel=1e-10)
    assert found.freedom == (None if expected[3] is None else pytest.approx(expected[3], rel=1e-8))


def test_the_frozen_numbers_are_those_of_the_script():
    rows = reference.study()
    for left_out, expected in (((), CROSSED), (reference.unread(rows), NOT_CROSSED)):
        found = reference.analyse(rows, left_out)
        for name, (value, low, high, _) in expected.items():
            each = found[name]
            assert (each["value"], each["low"], each["high"]) == pytest.approx((value, low, high))


def test_all_readers_read_all_cases():
    check(sx.confidence_interval("roc_auc", Y, A, **DESIGN), CROSSED["a"])
    check(sx.confidence_interval("roc_auc", Y, B, **DESIGN), CROSSED["b"])
    found = sx.compare("roc_auc", Y, B, A, **DESIGN)
    check(found, CROSSED["b - a"])
    assert found.p_value == pytest.approx(P_VALUES["b - a"], rel=1e-9)
    assert (found.value_a, found.value_b) == (CROSSED["b"][0], CROSSED["a"][0])
    assert found.n_groups == 40
    assert "obuchowski-rockette, 4 random readers" in str(found)
    assert "the readers differ less than chance explains" in found.note
    assert "these readers alone: [0.07291, 0.393]" in found.note
    assert "Hillis" in found.cite()


def test_fixed_readers():
    found = sx.compare("roc_auc", Y, B, A, readers_are="fixed", **DESIGN)
    check(found, CROSSED["fixed"])
    assert found.p_value == pytest.approx(P_VALUES["fixed"], rel=1e-9)
    assert "4 fixed readers" in str(found)


@pytest.mark.parametrize("kind", ["leave rows out", "missing"])
def test_not_every_reader_reads_every_case(kind):
    unread = reference.unread(reference.study())
    pairs = zip(ROWS["reader"], ROWS["case"], strict=True)
    lacking = np.array([pair in unread for pair in pairs])
    if kind == "missing":
        a, b = (np.where(lacking, np.nan, column) for column in (A, B))
        found = sx.compare("roc_auc", Y, b, a, **DESIGN)
    else:
        kept = ROWS[~lacking]
        design = {"groups": kept["case"], "readers": kept["reader"]}
        found = sx.compare("roc_auc", kept["truth"], kept["b"], kept["a"], **design)
        check(
            sx.confidence_interval("roc_auc", kept["truth"], kept["a"], **design), NOT_CROSSED["a"]
        )
        check(
            sx.confidence_interval("roc_auc", kept["truth"], kept["b"], **design), NOT_CROSSED["b"]
        )
    check(found, NOT_CROSSED["b - a"])
    assert "not fully crossed: " in found.note


def test_readers_with_own_cases_are_a_t_test_of_their_values():
    from scipy import stats

    case = ROWS["case"].astype(str) + ROWS["reader"]
    found = sx.compare("accuracy", Y, B > 3, A > 3, groups=case, readers=ROWS["reader"])
    right = ROWS.assign(d=((B > 3) == Y) * 1.0 - ((A > 3) == Y))
    values = right.groupby("reader")["d"].mean()
    test = stats.ttest_1samp(values, 0)
    assert found.p_value == pytest.approx(test.pvalue)
    assert (found.low, found.high) == pytest.approx(tuple(test.confidence_interval()))


def placements(score, name):
    """What each case adds to a reader's area, by DeLong: squares sum to its variance."""
    rows = np.flatnonzero(DESIGN["readers"] == name)
    rows = rows[np.argsort(DESIGN["groups"][rows])]
    sign, found = np.sign(score.sum()), np.zeros(len(rows))
    score, true = np.abs(score[rows]), Y[rows]
    wins = (score > score[:, None]) + (score == score[:, None]) / 2
    for label in (0, 1):
        own, other = np.flatnonzero(true == label), np.flatnonzero(true != label)
        share = wins[np.ix_(own, other)].mean(axis=1)
        share = share if label == 0 else 1 - share
        found[own] = (share - share.mean()) / np.sqrt(len(own) * (len(own) - 1))
    return sign * found


def test_readers_of_one_model_each():
    first = np.isin(DESIGN["readers"], ["r0", "r1"])
    a, b = np.where(first, A, np.nan), np.where(first, np.nan, B)
    found = sx.compare("roc_auc", Y, b, a, **DESIGN)
    areas = {
        (model, name): sx.roc_auc_score(Y[rows], ROWS[model].to_numpy()[rows])
        for model in "ab"
        for name in ("r0", "r1", "r2", "r3")
        for rows in [DESIGN["readers"] == name]
    }
    left, right = [areas["b", "r2"], areas["b", "r3"]], [areas["a", "r0"], areas["a", "r1"]]
    assert found.value == pytest.approx(np.mean(left) - np.mean(right))
    spread = np.var(left, ddof=1) / 2 + np.var(right, ddof=1) / 2
    sides = [(B, ["r2", "r3"]), (-A, ["r0", "r1"])]
    parts = [np.array([placements(score, name) for name in names]) for score, names in sides]
    of_means = sum(part.mean(axis=0) for part in parts)
    # Covariances of two readers: of one model without the readers' own variances.
    shared = of_means @ of_means - sum((part**2).sum() / 4 for part in parts)
    shared += sum((part[0] @ part[1]) / 2 for part in parts)
    assert found.standard_error**2 == pytest.approx(spread + shared, rel=1e-10)
    assert "2 and 2 random readers" in found.method
    mixed = np.where(DESIGN["readers"] == "r0", B, b)
    with pytest.raises(ValueError, match="used one of both models"):
        sx.compare("roc_auc", Y, mixed, a, **DESIGN)


@pytest.mark.parametrize("n_readers", [2, 3])
def test_two_readers_are_said_to_be_few(n_readers):
    kept = np.isin(DESIGN["readers"], ["r0", "r1", "r2"][:n_readers])
    design = {name: column[kept] for name, column in DESIGN.items()}
    found = sx.confidence_interval("roc_auc", Y[kept], A[kept], **design)
    assert ("add readers" in found.note) == (n_readers == 2)


def test_one_reader_is_a_sample_of_cases():
    rows = DESIGN["readers"] == "r1"
    design = {name: column[rows] for name, column in DESIGN.items()}
    found = sx.compare("roc_auc", Y[rows], B[rows], A[rows], **design)
    plain = sx.compare("roc_auc", Y[rows], B[rows], A[rows])
    assert numbers(found) == numbers(plain)
    assert found.note.startswith("one reader: the interval says nothing about other readers")
    found = sx.confidence_interval("recall", Y[rows], B[rows] > 3, goal=0.1, **design)
    assert numbers(found) == numbers(sx.confidence_interval("recall", Y[rows], B[rows] > 3))
    assert found.reached


@pytest.mark.parametrize(
    "metric",
    ["roc_auc", "recall", "specificity", "f1", "f1_macro", "matthews_corrcoef", "log_loss"],
)
def test_any_metric_with_contributions(metric):
    score = np.clip(B / 6, 0.05, 0.95)
    pred = score if metric in ("roc_auc", "log_loss") else (B > 3).astype(int)
    found = sx.confidence_interval(metric, Y, pred, **DESIGN)
    each = [
        sx.confidence_interval(metric, Y[rows], pred[rows]).value
        for name in ("r0", "r1", "r2", "r3")
        for rows in [DESIGN["readers"] == name]
    ]
    assert found.value == pytest.approx(np.mean(each))
    assert found.low < found.value < found.high
    assert found.standard_error**2 >= np.var(each, ddof=1) / 4 * (1 - 1e-9)


def test_ratios_are_compared_by_their_logarithms():
    metric = "positive_likelihood_ratio"
    found = sx.compare(metric, Y, B > 2, A > 2, **DESIGN)
    each = {
        (name, model): np.log(sx.confidence_interval(metric, Y[rows], pred[rows] > 2).value)
        for name in ("r0", "r1", "r2", "r3")
        for rows in [DESIGN["readers"] == name]
        for model, pred in (("a", A), ("b", B))
    }
    means = {model: np.mean([v for (_, m), v in each.items() if m == model]) for model in "ab"}
    assert found.value == pytest.approx(means["b"] - means["a"])
    assert (found.value_b, found.value_a) == pytest.approx((np.exp(means["a"]), np.exp(means["b"])))
    assert ": log ratio " in str(found)


def test_a_single_case_of_a_class_shows_no_variance():
    kept = (DESIGN["readers"] != "r3") | (Y == 0) | (DESIGN["groups"] == N_FIRST)
    design = {name: column[kept] for name, column in DESIGN.items()}
    found = sx.confidence_interval("roc_auc", Y[kept], A[kept], **design)
    assert np.isnan([found.low, found.high]).all()
    assert "a reader has a single case of a class" in found.note


def test_readers_and_cases_in_any_order_and_container():
    order = np.random.default_rng(1).permutation(len(ROWS))
    frame = ROWS.iloc[order]
    design = {"groups": frame["case"], "readers": frame["reader"].astype("category")}
    found = sx.compare("roc_auc", frame["truth"], frame["b"], frame["a"], **design)
    assert numbers(found) == pytest.approx(CROSSED["b - a"][:3])


def test_margins():
    claim = {"margin": 0.05, "alternative": "non-inferior"}
    found = sx.compare("roc_auc", Y, B, A, **claim, **DESIGN)
    assert found.concluded is True
    assert sx.compare("roc_auc", Y, A, B, **claim, **DESIGN).concluded is False


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"groups": None}, "readers= needs groups=, the case of each row"),
        ({"groups": DESIGN["groups"] // 2}, r"2 rows of reader 'r0' and case 0"),
        ({"y_true": 1 - Y * (DESIGN["readers"] == "r2")}, r"case \d+ has two true labels"),
        ({"sample_weight": np.ones(len(Y))}, "sample_weight is not available with readers="),
        ({"method": "bootstrap"}, "method is not available with readers="),
        ({"readers_are": "chosen"}, "readers_are"),
        ({"metric": "ks_statistic"}, "readers= needs a metric with influence_values"),
        ({"metric": lambda y, p: 0.5}, "a metric of this package"),
        ({"readers": DESIGN["readers"][:-1]}, "readers must hold one reader for each"),
    ],
)
def test_refusals(changes, message):
    given = {"metric": "roc_auc", "y_true": Y, "pred_a": A, "pred_b": B, **DESIGN, **changes}
    with pytest.raises(ValueError, match=message):
        sx.compare(**given)


def test_a_reader_without_a_class_is_refused():
    kept = ~((DESIGN["readers"] == "r3") & (Y == 1))
    design = {name: column[kept] for name, column in DESIGN.items()}
    with pytest.raises(ValueError, match="reader 'r3' has no finite value of roc_auc"):
        sx.confidence_interval("roc_auc", Y[kept], A[kept], **design)


def test_no_variation_has_no_interval():
    found = sx.confidence_interval("roc_auc", Y, Y, **DESIGN)
    assert found.value == 1
    assert np.isnan([found.low, found.high]).all()
    assert "neither readers nor cases show any variation" in found.note


def test_results_of_readers_are_subtracted_by_compare():
    a, b = (sx.confidence_interval("roc_auc", Y, x, **DESIGN) for x in (A, B))
    with pytest.raises(ValueError, match="readers="):
        b - a


# --------------------------------------------------------------------------- planning


def simulated(n_readers, n_cases, seed=3):
    rng = np.random.default_rng(seed)
    truth = np.arange(n_cases) % 2
    case, skill = rng.normal(0, 0.6, n_cases), rng.normal(1.2, 0.4, n_readers)
    noise = rng.normal(0, 0.8, (n_readers, n_cases))
    score = truth * skill[:, None] + case + noise
    reader, number = np.divmod(np.arange(n_readers * n_cases), n_cases)
    return np.tile(truth, n_readers), score.ravel(), {"groups": number, "pilot_readers": reader}


def test_planned_cases_and_readers_are_inverse():
    y, score, pilot = simulated(6, 60)
    plan = sx.sample_size("roc_auc", y, score, readers=12, width=0.2, **pilot)
    assert plan.n == 12 * plan.n_groups
    assert plan.n_readers == 12
    assert f"{plan.n_groups} cases, each with 12 readers" in str(plan)
    back = sx.sample_size("roc_auc", y, score, cases=plan.n_groups, width=0.2, **pilot)
    assert back.n_readers <= 12
    fewer = sx.sample_size("roc_auc", y, score, cases=plan.n_groups - 1, width=0.2, **pilot)
    assert fewer.n_readers >= 12


def test_the_pilot_itself_has_its_width():
    """As many readers and cases as in the pilot give the width of its interval."""
    y, score, pilot = simulated(6, 60)
    found = sx.confidence_interval(
        "accuracy", y, score > 0.6, groups=pilot["groups"], readers=pilot["pilot_readers"]
    )
    width = found.high - found.low
    plan = sx.sample_size("accuracy", y, score > 0.6, readers=6, width=width, **pilot)
    assert plan.n_groups == pytest.approx(60, abs=1)
    assert plan.standard_error == pytest.approx(found.standard_error, rel=0.01)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"width": 0.01}, r"no number of cases gives width=0.01 with 3 readers.*pass readers="),
        ({"readers": None, "cases": 20, "width": 0.01}, "no number of readers gives width=0.01"),
        ({"cases": 20}, "needs one of both"),
        ({"pilot_readers": None}, "pilot_readers=, the reader of each row"),
        ({"width": None, "difference": 0.1}, "needs one of both, the number that is given, with"),
        ({"readers": 1}, "readers"),
    ],
)
def test_plans_that_do_not_exist(changes, message):
    y, score, pilot = simulated(6, 60)
    given = {"readers": 3, "width": 0.2, **pilot, **changes}
    with pytest.raises(ValueError, match=message):
        sx.sample_size("roc_auc", y, score, **given)
