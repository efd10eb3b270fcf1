"""What notes say of few rows: numbers by hand, and where they begin."""

from functools import partial

import numpy as np
import pytest

import skmetrics_ext as sx
from skmetrics_ext import confidence_interval, partial_roc_auc_score

END = ": this interval may be too narrow; more of them would help"


def ranked(n_pos, n_neg, n_low):
    """Positive rows above all negative ones, but for some below them."""
    places = np.arange(n_pos)
    above = np.where(places < n_low, -1 - places, n_neg + places)
    return np.repeat([0, 1], [n_neg, n_pos]), np.append(np.arange(n_neg), above)


@pytest.mark.parametrize(
    ("metric", "rows", "note"),
    [
        ("roc_auc", (19, 60, 5), "only 19 rows in the smallest class"),
        ("roc_auc", (20, 60, 5), ""),
        ("roc_auc", (60, 19, 15), "only 19 rows in the smallest class"),
        # A distance from the end of 2/40, of 4/40.
        (
            "roc_auc",
            (40, 60, 2),
            "only 40 rows in the smallest class and a value close to its limit",
        ),
        ("roc_auc", (40, 60, 4), ""),
        (
            "roc_auc",
            (40, 60, 38),
            "only 40 rows in the smallest class and a value close to its limit",
        ),
        ("roc_auc", (40, 60, 36), ""),
        ("roc_auc", (40, 60, 3), ""),  # 3 rows exactly, at either end
        ("roc_auc", (40, 60, 37), ""),
        ("gini", (40, 60, 2), "only 40 rows in the smallest class and a value close to its limit"),
        ("gini", (40, 60, 4), ""),
        ("average_precision", (19, 60, 5), "only 19 rows in the smallest class"),
        ("average_precision", (20, 60, 5), ""),
        # A share of 1/10, of 1/5 of the negative rows.
        ("sensitivity_at_specificity_90", (40, 29, 8), "only 2.9 rows beyond the specificity"),
        ("sensitivity_at_specificity_90", (40, 30, 8), ""),
        ("sensitivity_at_specificity_80", (40, 14, 8), "only 2.8 rows beyond the specificity"),
        ("sensitivity_at_specificity_80", (40, 15, 8), ""),
    ],
)
def test_few_rows_of_rankings(metric, rows, note):
    true, score = ranked(*rows)
    found = confidence_interval(metric, true, score, pos_label=1, random_state=0, n_resamples=99)
    few, _, other_way = found.note.partition("worse than chance: low scores go with the positive")
    few = few.removesuffix("; ")
    assert bool(other_way) == (metric == "roc_auc" and found.high < 0.5)
    assert few.startswith(note)
    assert few.endswith(END if note else "")
    assert bool(few) == bool(note)


@pytest.mark.parametrize(
    ("params", "note"),
    [
        ({"fpr_range": (0, 0.025)}, "only 4 rows of a class in the range of rates"),
        ({"fpr_range": (0.1, 0.125)}, "only 4 rows of a class in the range of rates"),
        ({"tpr_range": (0.95, 1)}, "only 3 rows of a class in the range of rates"),
        ({"fpr_range": (0, 0.1)}, ""),
        ({"tpr_range": (0.8, 1)}, ""),
    ],
)
def test_few_rows_in_a_range_are_those_of_its_class(params, note):
    """60 positive rows and 160 negative ones."""
    true = np.repeat([0, 1], [160, 60])
    score = np.append(np.arange(160), np.linspace(40.5, 240, 60))
    found = confidence_interval(partial_roc_auc_score, true, score, **params)
    end = ": this interval may be too narrow; a wider range would help"
    assert found.note == (note + end if note else "")


@pytest.mark.parametrize(
    ("n_pos", "note"), [(14, "only 2.8 rows beyond the sensitivity"), (15, "")]
)
def test_few_rows_beyond_a_point_are_those_of_its_class(n_pos, note):
    true = np.repeat([0, 1], [50, n_pos])
    score = np.append(np.arange(50), np.linspace(5.5, 90, n_pos))
    found = confidence_interval("specificity_at_sensitivity_80", true, score, pos_label=1)
    assert found.note == (note + END if note else "")


@pytest.mark.parametrize(
    ("n_rows", "note"),
    [
        (14, "about 14 rows dominate this value"),
        (16, "based on the equivalent of 16 independent rows"),
        (28, "based on the equivalent of 28 independent rows"),
        (30, ""),
    ],
)
def test_few_rows_of_means(n_rows, note):
    """Losses of two values, each of half of the rows, which all carry the same."""
    proba = np.where(np.arange(n_rows) < n_rows // 2, 0.2, 0.4)
    found = confidence_interval("log_loss", np.arange(n_rows) % 2, np.where(
        np.arange(n_rows) % 2, 1 - proba, proba))  # fmt: skip
    assert found.note.startswith(note)
    assert bool(found.note) == bool(note)


@pytest.mark.parametrize(
    ("metric", "n_rows", "note"),
    [
        ("recall", 4, "only 4 rows enter this share"),
        ("recall", 5, ""),
        ("f1_macro", 4, "only 4 rows of class 1"),
        ("f1_macro", 5, ""),
    ],
)
def test_few_rows_of_shares(metric, n_rows, note):
    true, score = ranked(n_rows, 60, 1)
    found = confidence_interval(metric, true, (score >= 55).astype(int))
    assert found.note.startswith(note)
    assert bool(found.note) == bool(note)


def test_weighted_rows_count_by_their_effective_number():
    """Kish's: 12 weights of 1 and 12 of 3 are worth 48^2 / 120 rows."""
    true, score = ranked(24, 60, 6)
    weight = np.append(np.ones(60), np.tile([1.0, 3.0], 12))
    found = confidence_interval("roc_auc", true, score, sample_weight=weight)
    assert found.note == "only 19.2 rows in the smallest class" + END
    assert confidence_interval("roc_auc", true, score).note == ""


def test_groups_count_in_the_place_of_rows():
    true, score = ranked(60, 120, 15)
    few = np.append(np.arange(120), np.arange(60) // 3)
    found = confidence_interval("roc_auc", true, score, groups=few)
    assert (
        found.note
        == "based on the equivalent of 20 independent groups with rows of the smallest class: "
        "this interval may be too narrow"
    )
    found = confidence_interval("roc_auc", true, score, groups=np.arange(180) % 20)
    assert (
        found.note
        == "based on the equivalent of 20 independent groups: this interval may be too narrow"
    )
    assert confidence_interval("roc_auc", true, score, groups=np.arange(180) % 30).note == ""


@pytest.mark.parametrize(
    ("strata", "note"),
    [
        ([0] * 30 + [1] * 30, ""),
        ([0] * 59 + [1], "1 stratum has one row"),
        ([0] * 58 + [1, 2], "2 strata have one row"),
    ],
)
def test_strata_of_one_row(strata, note):
    true, pred = np.arange(60) % 2, np.arange(60) % 3 % 2
    found = confidence_interval("accuracy", true, pred, strata=strata)
    end = ": this interval may be too narrow; join it with another"
    assert found.note == (note + end if note else "")
    groups = np.arange(60)
    found = confidence_interval("accuracy", true, pred, strata=strata, groups=groups)
    assert found.note == (note.replace("row", "group") + end if note else "")


def test_an_area_near_its_only_end_is_noted():
    """The gain area of a model whose few errors decide how far from 1 it is."""
    rng = np.random.default_rng(0)
    y = (rng.random(1000) < 0.05).astype(int)
    found = sx.confidence_interval("auprg", y, rng.normal(size=1000) + 4.0 * y)
    assert 1 - found.value < 0.07 / y.sum()
    assert "close to its limit" in found.note
    y = (rng.random(1000) < 0.3).astype(int)
    assert sx.confidence_interval("auprg", y, rng.normal(size=1000) + 1.5 * y).note == ""


@pytest.mark.parametrize(("n_rows", "is_few"), [(2000, True), (10_000, False)])
def test_a_gain_area_of_less_than_one_row_is_noted(n_rows, is_few):
    """Half of the area is at recalls up to twice the share of positives: 0.02, so 0.4 or 2 rows."""
    y = (np.arange(n_rows) % 100 == 0).astype(int)
    score = np.random.default_rng(0).normal(size=n_rows) + 1.5 * y
    found = sx.confidence_interval("auprg", y, score)
    assert ("for half of an area, at recalls below 0.02" in found.note) == is_few


def test_a_row_that_decides_an_average_precision_widens_its_interval():
    """One negative row is ranked first: the normal interval is a fraction as wide."""
    y = np.repeat([0, 1], [60, 60])
    score = np.concatenate([np.arange(60) - 100.0, np.arange(60)])
    score[59] = 1000.0
    parts = sx.influence_values("average_precision", y, score) / len(y)
    effective = (parts**2).sum() ** 2 / (parts**4).sum()
    assert effective < 3
    found = sx.confidence_interval("average_precision", y, score)
    assert found.facts.freedom == pytest.approx(max(0.75 * (effective - 1), 2.0), rel=1e-6)


def test_a_class_that_is_never_predicted_may_have_any_precision():
    """Three classes of 20 rows, the last one predicted as the second."""
    y = np.repeat([0, 1, 2], 20)
    predicted = np.where(np.arange(60) % 10 == 0, (y + 1) % 2, np.minimum(y, 1))
    macro = sx.confidence_interval("precision_macro", y, predicted, zero_division=0.0)
    own = sx.confidence_interval("precision", y, predicted, average="macro", labels=[0, 1])
    assert macro.note == ""  # the bounds hold
    assert macro.value == pytest.approx(own.value * 2 / 3)
    assert macro.high == pytest.approx(own.high * 2 / 3 + 1 / 3, abs=0.02)
    options = {"confidence_level": 0.95, "output_dict": True, "zero_division": 0.0}
    report = sx.classification_report(y, predicted, **options)
    average = report["macro avg"]
    assert average["precision_high"] == pytest.approx(macro.high)
    assert "precision_note" not in average
    assert "recall_note" not in average
    with pytest.warns(UserWarning, match="ill-defined"):
        undefined = sx.confidence_interval("precision_macro", y, predicted)
    assert undefined.note == (
        "undefined: nothing is predicted as the class; zero_division=0 counts it as 0, with bounds "
        "that allow for any value"
    )
    left_out = sx.confidence_interval("precision_macro", y, predicted, zero_division=np.nan)
    assert left_out.value == pytest.approx(own.value)
    assert left_out.high <= 1


@pytest.mark.parametrize("recall", [0.1, 0.5])
def test_precision_at_a_recall_with_few_errors_is_no_surer_than_a_share(recall):
    """Wilson's interval of the 101 rows predicted where the precision is largest."""
    y = np.repeat([0, 1], 100)
    score = np.concatenate([np.arange(100.0), np.arange(100) + 150.0])
    score[0] = 1000.0 - recall  # one error, first of all
    found = sx.confidence_interval("precision_at_recall", y, score, recall=recall)
    n_read, z = 101, 1.959964
    centre = (found.value * n_read + z**2 / 2) / (n_read + z**2)
    half = z * np.sqrt(n_read * found.value * (1 - found.value) + z**2 / 4) / (n_read + z**2)
    assert found.low <= centre - half + 1e-6
    assert found.high >= centre + half - 1e-6
    assert found.note == ""


def test_one_row_is_in_the_singular():
    of_share = sx.confidence_interval("recall", [0] * 20 + [1], [0] * 20 + [1])
    assert of_share.note.startswith("only 1 row enters this share: ")
    options = {"interval": True, "n_resamples": 99}
    of_class = sx.optimal_threshold([0] * 20 + [1], np.arange(21.0), **options)
    assert "only 1 row in the smallest class: " in of_class.threshold.note


def test_notes_of_one_row_and_of_several_are_one_footnote():
    true, site = [0] * 20 + [1] * 4, np.r_[np.arange(20) % 2, 0, 1, 1, 1]
    found = sx.compute_metrics(["recall"], true, true, by=site, intervals=True)
    assert [row.note[:16] for row in found] == ["only 1 row enter", "only 3 rows ente"]
    assert "[1] few rows enter this share: " in str(found)
    assert "[2]" not in str(found)


def test_means_of_areas_ask_for_one_row_for_the_distance_from_1():
    """20 or 6 rows of the smallest class, and areas of about 0.88: 2.4 and 0.7 rows."""
    rng = np.random.default_rng(3)
    for n, is_few in ((200, False), (60, True)):
        y = np.repeat([0, 1, 2], [n // 2, 2 * n // 5, n // 10])
        raised = np.exp(rng.normal(size=(n, 3)) + 1.5 * np.eye(3)[y])
        proba = raised / raised.sum(axis=1, keepdims=True)
        for kind in ("ovr", "ovo"):
            asked = partial(sx.roc_auc_score, multi_class=kind)
            found = sx.confidence_interval(asked, y, proba)
            assert (n / 10 * (1 - found.value) < 1) == is_few
            shown = f"only {n // 10} rows in the smallest class and a value close to its limit"
            assert found.note.startswith(shown) if is_few else found.note == ""
