"""Multilabel indicators: dense, every sparse format, and by hand."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse
from support.compare import same, undefined_allowed
from support.rows import of_each_metric, settings_of
from support.samples import integers

import skmetrics_ext as m
from skmetrics_ext import METRICS

TAKING_INDICATORS = [
    (name, params)
    for name, spec in METRICS.items()
    if spec.response == "labels"
    for params, _ in settings_of(name, ("multilabel",))
]
FORMATS = ["csr", "csc", "coo", "lil"]


def indicators(rows, outputs):
    def columns(n_rows):
        return integers(0, 1, (n_rows, 2 * outputs))

    return (
        st.integers(2, rows)
        .flatmap(columns)
        .map(lambda rows: np.hsplit(np.vstack([np.zeros((1, 2 * outputs), int), rows]), 2))
    )


@pytest.mark.sampled(2)
@of_each_metric
@given(indicators(8, 3), st.sampled_from(FORMATS), st.booleans(), st.data())
@pytest.mark.parametrize(("name", "params"), TAKING_INDICATORS)
def test_sparse_is_dense(name, params, marks, form, weighted, data) -> None:
    true, pred = marks
    true[1] = 1
    options = {**METRICS[name].params, **params}
    if weighted:
        options["sample_weight"] = data.draw(integers(1, 9, len(true)))
    kinds = sparse.csr_array, sparse.csr_matrix
    kind = data.draw(st.sampled_from(kinds))
    with undefined_allowed():
        wanted = METRICS[name].function(true, pred, **options)
        got = METRICS[name].function(
            kind(true).asformat(form), kind(pred).asformat(form), **options
        )
        mixed = METRICS[name].function(kind(true), pred, **options)
    same(got, wanted)
    same(mixed, wanted)


def test_stored_zeros_are_no_marks_and_repeated_entries_are_refused() -> None:
    true = np.array([[1, 0], [0, 1]])
    stored = sparse.csr_array(([1, 0, 1], ([0, 0, 1], [0, 1, 1])), shape=(2, 2))
    assert stored.nnz == 3
    assert m.accuracy_score(stored, true) == 1.0
    twice = sparse.coo_array(([1, 1, 1], ([0, 0, 1], [0, 0, 1])), shape=(2, 2))
    with pytest.raises(ValueError, match="y_pred holds 1, 2 as multilabel indicators"):
        m.f1_score(true, twice, average="micro")
    assert twice.nnz == 3  # what was passed is left as it was


def test_by_hand() -> None:
    """Outputs: TP (1, 2), FP (1, 0), FN (0, 1), TN (1, 0). Rows: F1 (1, 2/3, 2/3)."""
    true, pred = np.array([[0, 1], [0, 1], [1, 1]]), np.array([[0, 1], [1, 1], [1, 0]])
    assert m.f1_score(true, pred, average=None).tolist() == pytest.approx([2 / 3, 4 / 5])
    assert m.f1_score(true, pred, average="samples") == pytest.approx(7 / 9)
    assert m.f1_score(true, pred, average="micro") == pytest.approx(6 / 8)
    assert m.accuracy_score(true, pred) == pytest.approx(1 / 3)
    assert m.hamming_loss(true, pred) == pytest.approx(2 / 6)
    assert m.jaccard_score(true, pred, average="samples") == pytest.approx((1 + 1 / 2 + 1 / 2) / 3)
    assert m.f1_score(true, pred, average="samples", sample_weight=[1, 2, 0]) == pytest.approx(
        (1 + 2 * 2 / 3) / 3
    )
    np.testing.assert_allclose(m.averaged_confusion(true, pred), [[0.5, 0.5], [0.5, 1.5]])
    tables = m.multilabel_confusion_matrix(true, pred, samplewise=True)
    assert tables[1].tolist() == [[0, 1], [0, 1]]


@pytest.mark.parametrize("outputs", [[1], [1, 0], [1, 1]])
def test_labels_choose_outputs(outputs) -> None:
    true, pred = np.array([[0, 1], [0, 1], [1, 1]]), np.array([[0, 1], [1, 1], [1, 0]])
    values = np.array([2 / 3, 4 / 5])[outputs]
    got = m.f1_score(true, pred, labels=outputs, average=None)
    np.testing.assert_allclose(got, values)


def test_sparse_marks_are_counted_in_any_format():
    """Stored zeros, unsorted indices and CSC; the caller's matrix stays as it is."""
    rng = np.random.default_rng(0)
    true, pred = (rng.random((2, 9, 4)) < 0.4).astype(int)
    stored = sparse.csr_array(np.ones_like(true))
    stored.data = true.ravel().astype(float)
    turned = sparse.csr_array(pred)
    for start, stop in pairwise(turned.indptr):
        turned.indices[start:stop] = turned.indices[start:stop][::-1]
    turned.has_sorted_indices = False
    before = turned.indices.copy()
    for first, second in ((stored, turned), (sparse.csc_array(true), pred.astype(bool))):
        assert m.hamming_loss(first, second) == np.mean(true != pred)
        hits = (true & pred).sum(axis=0)
        assert m.multilabel_confusion_matrix(first, second)[:, 1, 1].tolist() == hits.tolist()
        alike = (true == pred).all(axis=1)
        assert m.accuracy_score(first, second) == alike.mean()
        weight = rng.random(9)
        weighted = m.accuracy_score(first, second, sample_weight=weight)
        assert weighted == pytest.approx(weight @ alike / weight.sum())
    assert turned.indices.tolist() == before.tolist()
