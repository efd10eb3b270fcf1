"""classification_report: the text of scikit-learn, and the columns that it has not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from parity.comparing import equal
from scipy import stats
from sklearn import metrics as sk
from support.compare import undefined_allowed

import skmetrics_ext as m

from .tables import BINARY, TWENTY_ONE, written_out

NAMES = np.array(["ant", "bee", "a wasp with a long name", "fly"])


def both(*arguments, **options) -> tuple[object, object]:
    with undefined_allowed():
        ours = m.classification_report(*arguments, **options)
        return ours, sk.classification_report(*arguments, **options)


@st.composite
def inputs(draw):
    rows = draw(st.integers(1, 30))
    codes = st.lists(st.integers(0, 3), min_size=rows, max_size=rows)
    true, pred = np.array(draw(codes)), np.array(draw(codes))
    if draw(st.booleans()):
        true, pred = NAMES[true], NAMES[pred]
    options = {"zero_division": draw(st.sampled_from(["warn", 0.0, 1.0, np.nan]))}
    options["digits"] = draw(st.integers(0, 6))
    known = np.unique(np.concatenate([true, pred])).tolist()
    if draw(st.booleans()):
        options["labels"] = draw(st.permutations(known))[: draw(st.integers(1, len(known)))]
    if draw(st.booleans()):
        names = draw(st.permutations(["one", "number two", "3", "iv"]))
        options["target_names"] = names[: len(options.get("labels", known))]
    if draw(st.booleans()):
        weight = draw(st.lists(st.integers(1, 20), min_size=rows, max_size=rows))
        options["sample_weight"] = np.array(weight) / draw(st.sampled_from([1, 4]))
    return (true, pred), options


def clean_weights(options) -> bool:
    """Whether scikit-learn's float sums make no 0/0 where rows are (integers and quarters)."""
    return "sample_weight" not in options or options["sample_weight"].max() <= 20


@given(inputs())
def test_text_is_identical(sample) -> None:
    labels, options = sample
    assert clean_weights(options)
    equal(*both(*labels, **options), rtol=0)  # but for "1.0" rows where no prediction is right


@given(inputs())
def test_dict_is_equal(sample) -> None:
    labels, options = sample
    ours, theirs = both(*labels, **options, output_dict=True)
    assert list(ours) == list(theirs)
    for name, row in theirs.items():
        if isinstance(row, dict):
            assert list(ours[name]) == list(row)
            np.testing.assert_allclose(list(ours[name].values()), list(row.values()), rtol=1e-12)
        else:
            assert ours[name] == pytest.approx(row, nan_ok=True)


@given(st.lists(st.lists(st.integers(0, 1), min_size=6, max_size=6), min_size=2, max_size=15))
def test_multilabel_text_is_identical(rows) -> None:
    marks = np.array(rows)
    marks[0], marks[1] = 0, 1
    ours, theirs = both(marks[:, :3], marks[:, 3:], zero_division=0)
    assert ours == theirs


def test_extra_columns() -> None:
    """Against the rest: specificity (9/13, 8/13, 12/16), NPV (9/13, 8/13, 12/16)."""
    report = m.classification_report(
        *written_out(TWENTY_ONE), output_dict=True, extra=["specificity", "npv"]
    )
    columns = ["precision", "recall", "f1-score", "specificity", "npv", "support"]
    assert all(list(report[name]) == columns for name in ("0", "1", "2", "macro avg"))
    values = [9 / 13, 8 / 13, 12 / 16]
    for column in ("specificity", "npv"):
        assert [report[name][column] for name in "012"] == pytest.approx(values)
        assert report["macro avg"][column] == pytest.approx(np.mean(values))
        weighted = np.average(values, weights=[8, 8, 5])
        assert report["weighted avg"][column] == pytest.approx(weighted)
    assert report["accuracy"] == pytest.approx(8 / 21)
    text = m.classification_report(*written_out(TWENTY_ONE), extra="npv")
    assert text.splitlines()[0].split() == ["precision", "recall", "f1-score", "npv", "support"]
    assert text.splitlines()[2].split() == ["0", "0.50", "0.50", "0.50", "0.69", "8"]


def wilson(count: int, rows: int) -> tuple[float, float]:
    """The roots p of (count / rows - p)^2 = z^2 p (1 - p) / rows, z = 1.959963984540054."""
    square = 1.959963984540054**2
    share = count / rows
    return tuple(
        np.sort(np.roots([rows + square, -(2 * rows * share + square), rows * share**2]).real)
    )


def test_wilson_intervals() -> None:
    report = m.classification_report(
        *written_out(BINARY), output_dict=True, confidence_level=0.95, extra=["specificity", "npv"]
    )
    row = report["1"]
    for column, count, rows in (
        ("precision", 3, 4),
        ("recall", 3, 5),
        ("specificity", 4, 5),
        ("npv", 4, 6),
    ):
        assert row[column] == pytest.approx(count / rows)
        interval = row[f"{column}_low"], row[f"{column}_high"]
        assert interval == pytest.approx(wilson(count, rows), rel=1e-9)
    # F1 = 2 J / (1 + J) of the Jaccard index J, a proportion: 3 of 6 rows.
    low, high = (2 * end / (1 + end) for end in wilson(3, 6))
    assert (row["f1-score_low"], row["f1-score_high"]) == pytest.approx((low, high), rel=1e-9)
    assert row["support"] == 5
    assert (report["accuracy_low"], report["accuracy_high"]) == pytest.approx(wilson(7, 10))
    assert report["macro avg"]["recall_low"] < 0.7 < report["macro avg"]["recall_high"]


def test_intervals_of_several_labels_a_row() -> None:
    true, pred = [[1, 0], [1, 1], [0, 1], [0, 0]] * 10, [[1, 0], [1, 0], [0, 1], [1, 0]] * 10
    report = m.classification_report(
        true, pred, output_dict=True, confidence_level=0.9, zero_division=0
    )
    for heading in ("0", "micro avg", "macro avg", "weighted avg", "samples avg"):
        row = report[heading]
        assert row["precision_low"] < row["precision"] < row["precision_high"]


def test_an_interval_of_a_share_of_one_has_a_width() -> None:
    report = m.classification_report([0, 1], [0, 1], output_dict=True, confidence_level=0.9)
    assert report["1"]["recall"] == report["1"]["recall_high"] == 1
    assert 0.2 < report["1"]["recall_low"] < 0.5


def test_intervals_in_the_text() -> None:
    text = str(m.classification_report(*written_out(BINARY), confidence_level=0.95))
    low, high = wilson(3, 4)
    assert f"0.75 [{low:.2f}, {high:.2f}]" in text
    lines = [line for line in text.splitlines() if line and " of " not in line]
    assert len({len(line) for line in lines}) == 1


def test_intervals_make_a_table_of_estimates() -> None:
    """Recalls of two classes are shares of other rows; the interval of their difference by hand."""
    true, pred = [0, 1, 1, 1] * 20, [0, 1, 1, 0] * 20
    report = m.classification_report(true, pred, confidence_level=0.95, target_names=["no", "yes"])
    assert isinstance(report, m.results.Estimates)
    assert list(report[0])[:13] == list(m.compute_metrics(["recall"], true, pred, by=true)[0])[:13]
    assert {row.metric for row in report} == {"precision", "recall", "f1", "accuracy"}
    assert report.row(metric="recall", label="yes").support == 60
    assert report.row("accuracy").label is None
    recalls = report.where(metric="recall", label=["no", "yes"])
    assert str(recalls).startswith("metric  label")
    (row,) = recalls.against(label="no")
    error = np.sqrt(2 / 9 / 60)
    reach = stats.t.ppf(0.975, 59) * error
    assert (row.value, row.standard_error) == pytest.approx((-1 / 3, error))
    assert (row.low, row.high) == pytest.approx((-1 / 3 - reach, -1 / 3 + reach))
    macro = m.confidence_interval("f1_macro", true, pred)
    assert report.estimate(metric="f1", label="macro avg").low == pytest.approx(macro.low)
