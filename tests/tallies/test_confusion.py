"""ConfusionTally and Counts: counting, union of classes, leading axes."""

import pickle
from collections import Counter
from dataclasses import FrozenInstanceError
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.compare import identical
from support.label_inputs import single_labels
from support.samples import integers

from skmetrics_ext import METRICS, cohen_kappa_score, confusion_matrix
from skmetrics_ext.tallies import ConfusionTally, Counts, ThresholdTally


def brute_table(y_true, y_pred, classes, weight):
    cells = Counter()
    for pair, w in zip(zip(y_true.tolist(), y_pred.tolist(), strict=True), weight, strict=True):
        cells[pair] += w
    return np.array([[cells[(t, p)] for p in classes] for t in classes])


def int_weights(n_rows):
    return integers(0, 5, n_rows).map(lambda values: values + (values.sum() == 0))


@given(data=st.data(), columns=single_labels())
def test_every_pair_is_counted(data, columns):
    y_true, y_pred, _ = columns
    classes = sorted({*y_true.tolist(), *y_pred.tolist()})
    tally = ConfusionTally.from_predictions(y_true, y_pred)
    assert tally.classes.tolist() == classes
    identical(tally.table, brute_table(y_true, y_pred, classes, [1] * len(y_true)))
    weight = data.draw(int_weights(len(y_true)))
    weighted = ConfusionTally.from_predictions(y_true, y_pred, sample_weight=weight)
    identical(weighted.table, brute_table(y_true, y_pred, classes, weight.tolist()))
    as_floats = ConfusionTally.from_predictions(y_true, y_pred, sample_weight=weight / 4)
    identical(as_floats.table, weighted.table / 4)


@pytest.mark.parametrize("dtype", [bool, np.uint8, np.int8, np.uint16, np.uint64])
def test_narrow_integer_weights_do_not_overflow(dtype):
    weight = np.ones(300, dtype=dtype)
    table = ConfusionTally.from_predictions([0, 1] * 150, [0] * 300, sample_weight=weight).table
    identical(table, np.array([[150, 0], [150, 0]]))


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_float_weights_add_up_in_double_precision(dtype):
    weight = np.ones(5000, dtype=dtype)
    table = ConfusionTally.from_predictions([0] * 5000, [0] * 5000, sample_weight=weight).table
    identical(table, np.array([[5000.0]]))


def test_integer_weights_near_the_limit_are_exact():
    weight = [2**61 + 1, 2**61 + 3, 1]
    table = confusion_matrix([0, 0, 1], [0, 0, 0], sample_weight=weight)
    assert table.tolist() == [[2**62 + 4, 0], [1, 0]]


@given(data=st.data(), columns=single_labels())
def test_merging_is_counting_all_rows(data, columns):
    y_true, y_pred, _ = columns
    n_rows = len(y_true)
    weight = data.draw(
        st.none() | int_weights(n_rows) | int_weights(n_rows).map(lambda w: w + 0.25)
    )
    part_of = np.array(data.draw(st.lists(st.integers(0, 2), min_size=n_rows, max_size=n_rows)))
    parts = []
    for k in set(part_of.tolist()):
        rows = part_of == k
        part_weight = None if weight is None else weight[rows]
        if part_weight is not None and not part_weight.any():
            return  # a part of no weight is refused at the door
        parts.append(
            ConfusionTally.from_predictions(y_true[rows], y_pred[rows], sample_weight=part_weight)
        )
    whole = ConfusionTally.from_predictions(y_true, y_pred, sample_weight=weight)
    for merged in (ConfusionTally.combine(parts), parts[0].merge(*parts[1:])):
        identical(merged.table, whole.table)
        assert merged.classes.tolist() == whole.classes.tolist()


@given(data=st.data(), columns=single_labels())
def test_groups_are_a_leading_axis(data, columns):
    y_true, y_pred, _ = columns
    groups = data.draw(integers(0, 2, len(y_true)))
    groups[0] = 2  # so that there are three
    weight = data.draw(st.none() | int_weights(len(y_true)))
    tally = ConfusionTally.from_predictions(y_true, y_pred, groups=groups, sample_weight=weight)
    ones = np.ones(len(y_true), dtype=int) if weight is None else weight
    for k in range(3):
        rows = groups == k
        expected = brute_table(
            y_true[rows], y_pred[rows], tally.classes.tolist(), ones[rows].tolist()
        )
        identical(tally.table[k], expected.astype(np.int64))
    whole = ConfusionTally.from_predictions(y_true, y_pred, sample_weight=weight)
    identical(tally.pool().table, whole.table)
    identical(tally.pool().counts().tn, tally.counts().pool(axis=0).tn)
    last = len(tally.classes) - 1
    selected = tally.select(np.array([last, -1]), np.array(["last", "none"]))
    identical(selected.table[:, 0, 0], tally.table[:, last, last])
    assert not selected.table[:, 1].any()
    assert not selected.table[:, :, 1].any()


def test_labels_choose_and_order_the_classes():
    tally = ConfusionTally.from_predictions(
        ["a", "b", "c", "b"], ["a", "c", "c", "b"], labels=["c", "absent", "b"]
    )
    assert tally.classes.tolist() == ["c", "absent", "b"]
    identical(tally.table, np.array([[1, 0, 0], [0, 0, 0], [1, 0, 1]]))


@given(columns=single_labels(), data=st.data())
def test_counts_by_hand(columns, data):
    y_true, y_pred, names = columns
    weight = data.draw(int_weights(len(y_true)))
    labels = [*names.tolist(), names[0]]
    counts = Counts.from_predictions(y_true, y_pred, labels=labels, sample_weight=weight)
    for i, label in enumerate(labels):
        true, pred = y_true == label, y_pred == label
        assert counts.tp[i] == weight[true & pred].sum()
        assert counts.fp[i] == weight[~true & pred].sum()
        assert counts.fn[i] == weight[true & ~pred].sum()
        assert counts.tn[i] == weight[~true & ~pred].sum()
    assert all(part.dtype == np.int64 for part in counts.astuple())
    identical(counts.true, counts.tp + counts.fn)
    identical(counts.pred, counts.tp + counts.fp)
    assert (counts.total == weight.sum()).all()
    doubled = counts.merge(counts)
    identical(doubled.fp, 2 * counts.fp)
    both = counts.both_classes()
    identical(both.tp[..., 0], counts.tn)
    identical(both.tp[..., 1], counts.tp)
    identical(both.fp[..., 1], counts.fp)


def test_counts_of_many_classes_do_not_need_a_square_table():
    rng = np.random.default_rng(0)
    y_true, y_pred = rng.integers(0, 3000, 5000), rng.integers(0, 3000, 5000)
    weight = rng.integers(0, 9, 5000)
    counts = Counts.from_predictions(y_true, y_pred, sample_weight=weight)
    classes = np.union1d(y_true, y_pred)
    for k in (0, 7, len(classes) - 1):
        true, pred = y_true == classes[k], y_pred == classes[k]
        assert counts.tp[k] == weight[true & pred].sum()
        assert counts.fp[k] == weight[~true & pred].sum()
        assert counts.fn[k] == weight[true & ~pred].sum()


def rounded_weights(n_rows):
    return st.lists(st.floats(0.01, 10), min_size=n_rows, max_size=n_rows).map(np.array)


@given(data=st.data(), n_rows=st.integers(1, 12))
def test_a_class_of_all_rows_has_no_negatives(data, n_rows):
    """Whatever their weights add up to."""
    y_pred = data.draw(integers(0, 1, n_rows))
    counts = Counts.from_predictions(
        np.ones(n_rows, dtype=int),
        y_pred,
        labels=[1],
        sample_weight=data.draw(rounded_weights(n_rows)),
    )
    assert counts.tn[0] == 0
    assert counts.fp[0] == 0


@settings(max_examples=30)
@given(data=st.data(), n_rows=st.integers(2, 12))
def test_rounded_weights_leave_no_outcome_that_did_not_occur(data, n_rows):
    y_true, y_pred = (data.draw(integers(0, 1, n_rows)) for _ in range(2))
    y_pred = np.where(data.draw(st.booleans()), 1 - y_true, y_pred)  # all wrong, often
    weight = data.draw(rounded_weights(n_rows))
    counts = Counts.from_predictions(y_true, y_pred, labels=[1], sample_weight=weight)
    assert (counts.tp[0] > 0) == ((y_true == 1) & (y_pred == 1)).any()
    assert (counts.fp[0] > 0) == ((y_true == 0) & (y_pred == 1)).any()
    assert (counts.fn[0] > 0) == ((y_true == 1) & (y_pred == 0)).any()
    assert (counts.tn[0] > 0) == ((y_true == 0) & (y_pred == 0)).any()


def test_nor_do_those_of_a_table():
    """0.1 + 0.2 - 0.1 - 0.2 is not 0."""
    tally = ConfusionTally.from_predictions([0, 1], [1, 0], sample_weight=[0.1, 0.2])
    for counts in (tally.counts(), tally.merge(tally).counts()):
        assert counts.tn.tolist() == counts.tp.tolist() == [0.0, 0.0]


def test_tallies_are_values():
    tally = ConfusionTally.from_predictions([0, 1], [1, 1])
    for value in (tally, tally.counts()):
        with pytest.raises(FrozenInstanceError):
            setattr(value, value.__slots__[0], 0)
        copy = pickle.loads(pickle.dumps(value))
        for name in value.__slots__:
            identical(getattr(copy, name), getattr(value, name))


@given(data=st.data(), columns=single_labels())
def test_counts_of_a_table_are_those_of_its_rows(data, columns):
    y_true, y_pred, _ = columns
    weight = data.draw(st.none() | int_weights(len(y_true)))
    table = ConfusionTally.from_predictions(y_true, y_pred, sample_weight=weight).table
    counts = Counts.from_predictions(y_true, y_pred, sample_weight=weight)
    for given_as in (table, table / 4, table + 0j, np.stack([table, table])):
        scale = 4 if given_as.dtype.kind == "f" else 1
        found = Counts.from_table(given_as)
        for part, expected in zip(found.astuple(), counts.astuple(), strict=True):
            np.testing.assert_array_equal(np.broadcast_to(expected / scale, part.shape), part)


def test_a_rounding_error_is_no_row():
    """Of three classes of which one alone occurs, no row is outside of it."""
    table = np.zeros((3, 3))
    table[0, 0], table[0, 1], table[1, 0] = 0.1, 0.2, 0.3
    tn = Counts.from_table(table).tn
    assert tn[0] == 0
    assert tn[1] == pytest.approx(0.1)
    assert tn[2] == pytest.approx(0.6)


def test_a_table_at_thresholds_is_read_from_the_counts_of_one_class():
    positive = Counts(*(np.array(part) for part in ([1, 2], [0, 3], [4, 3], [5, 2])))
    tally = ThresholdTally(np.array(["no", "yes"]), positive)
    assert tally.of_class(1) is positive
    assert tally.table[1].tolist() == [[2, 3], [3, 2]]
    for part, own, other in zip(
        tally.counts().astuple(),
        (positive.tp, positive.fp, positive.fn, positive.tn),
        (positive.tn, positive.fn, positive.fp, positive.tp),
        strict=True,
    ):
        np.testing.assert_array_equal(part, np.stack([other, own], axis=-1))
    assert tally.hits().tp[:, 0].tolist() == [6, 4]
    assert tally.hits().fp[:, 0].tolist() == [0, 0]
    assert tally.hits().fn[:, 0].tolist() == [4, 6]
    folds = Counts(*(np.stack([part, 2 * part]) for part in positive.astuple()))
    stack = ThresholdTally(tally.classes, folds)
    assert stack.table[1].tolist() == (2 * tally.table).tolist()
    for part, whole in zip(tally.counts().astuple(), stack.counts().astuple(), strict=True):
        np.testing.assert_array_equal(whole, [part, 2 * part])
    assert tally.restrict(["yes", "no"]).table[0].tolist() == [[1, 4], [0, 5]]


@pytest.mark.parametrize(
    "call",
    [
        lambda y: confusion_matrix(y, y),
        lambda y: confusion_matrix(y, y, sample_weight=y / 2 + 1),
        lambda y: confusion_matrix(y[:2], y[:2], labels=y),
        lambda y: ConfusionTally.from_predictions(y, y),
        lambda y: ConfusionTally.from_predictions(y, y, groups=y % 2),
    ],
)
def test_tables_beyond_memory_say_their_size(call):
    resource = pytest.importorskip("resource")
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (1 << 36, hard))
    try:
        with pytest.raises(ValueError, match=r"of 200000 classes would take (298|596) GiB"):
            call(np.arange(200_000))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


@pytest.mark.parametrize("name", ["mutual_information", "confusion_matrix", "kappa"])
def test_a_table_needs_room_for_a_copy(name):
    """20,000 classes: 2.98 GiB, which fit into 4.5 GiB, but not with a copy of them."""
    resource = pytest.importorskip("resource")
    asked = {
        "mutual_information": METRICS["mutual_information"].function,
        "confusion_matrix": partial(confusion_matrix, normalize="true"),
        "kappa": partial(cohen_kappa_score, weights="linear"),
    }[name]
    soft, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (int(4.5 * 2**30), hard))
    try:
        with pytest.raises(ValueError, match=r"table of 20000 classes would take 2\.98 GiB"):
            asked(np.arange(20_000), np.roll(np.arange(20_000), 1))
    finally:
        resource.setrlimit(resource.RLIMIT_AS, (soft, hard))


def test_tables_of_the_same_classes_merge_in_their_order():
    grades = ["low", "mid", "high"]
    parts = [
        ConfusionTally.from_predictions(rows, rows, labels=grades)
        for rows in (["low", "high"], ["mid", "low"])
    ]
    merged = parts[0].merge(parts[1])
    assert merged.classes.tolist() == grades
    assert merged.ordered
    other = ConfusionTally.from_predictions(["mid"], ["mid"], labels=["mid", "low", "high"])
    assert not merged.merge(other).ordered


@pytest.mark.parametrize("classes", [[0, 0], [[0, 1]], ["a", "a"]])
def test_classes_of_a_table_are_named_once(classes):
    for given_as in (classes, np.array(classes)):
        with pytest.raises(ValueError, match="classes"):
            ConfusionTally(given_as, np.array([[1, 2], [3, 4]]))
