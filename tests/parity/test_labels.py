"""Metrics of labels: one row per function, what it takes and how it is called."""

from functools import partial

import pytest
import sklearn.metrics
from hypothesis import given, settings
from hypothesis import strategies as st
from support.label_inputs import multilabel, single_labels
from support.versions import has, taken

import skmetrics_ext
from parity import options as opt
from parity.comparing import compare

BINARY = ("binary",)
SINGLE = ("single",)
BOTH = ("single", "multilabel")
INPUTS = {"binary": single_labels(2), "single": single_labels(), "multilabel": multilabel()}

# name of the function, kinds of input, generator of its keyword arguments
ROWS = [
    ("accuracy_score", BOTH, opt.normalized),
    ("zero_one_loss", BOTH, opt.normalized),
    ("hamming_loss", BOTH, opt.weights),
    ("confusion_matrix", SINGLE, opt.table),
    ("multilabel_confusion_matrix", BOTH, opt.tables),
    ("precision_score", BOTH, opt.averaged),
    ("recall_score", BOTH, opt.averaged),
    ("f1_score", BOTH, opt.averaged),
    ("fbeta_score", BOTH, opt.averaged_beta),
    ("jaccard_score", BOTH, opt.averaged_without_nan),
    ("precision_recall_fscore_support", BOTH, opt.summary),
    ("balanced_accuracy_score", SINGLE, opt.adjusted),
    ("matthews_corrcoef", SINGLE, opt.weights),
    ("cohen_kappa_score", SINGLE, opt.kappa),
    ("class_likelihood_ratios", BINARY, opt.likelihood),
    ("classification_report", BOTH, opt.report),
]
# Theirs is 0 without a warning where the value is 0/0.
SILENT = {"matthews_corrcoef": partial(skmetrics_ext.matthews_corrcoef, zero_division=0)}
CALLS = [(name, kind, options) for name, kinds, options in ROWS if has(name) for kind in kinds]


@pytest.mark.parametrize(
    ("name", "kind", "options"), CALLS, ids=[f"{name}-{kind}" for name, kind, _ in CALLS]
)
@settings(max_examples=12)
@given(data=st.data())
def test_equal_to_scikit_learn(name, kind, options, data):
    y_true, y_pred, names = data.draw(INPUTS[kind])
    ours, theirs = getattr(skmetrics_ext, name), getattr(sklearn.metrics, name)
    kwargs = taken(theirs, options(data.draw, y_true, names))
    ours = SILENT.get(name, ours)
    tells = name != "cohen_kappa_score" or has("cohen_kappa_score warns of 0/0")
    compare(ours, theirs, y_true, y_pred, told=tells, **kwargs)
