"""A wrong parameter is refused by a message that names it."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import skmetrics_ext as m

Y, P = [0, 1, 1, 0, 1], [0, 1, 0, 0, 1]
T, Q = [0, 1, 2, 0, 1], [0, 1, 1, 0, 2]
MARKS = np.eye(3, dtype=int)

# (what the message names, function, arguments, keywords)
WRONG = [
    ("average", m.f1_score, (Y, P), {"average": "mean"}),
    ("average", m.f1_score, (T, Q), {"average": 3}),
    ("average", m.f1_score, (T, Q), {}),
    ("average", m.recall_score, (MARKS, MARKS), {}),
    ("average", m.specificity_score, (T, Q), {"average": "binary"}),
    ("average", m.geometric_mean_score, (Y, P), {"average": "samples"}),
    ("average", m.index_balanced_accuracy_score, (Y, P), {"average": "all"}),
    ("zero_division", m.precision_score, (Y, P), {"zero_division": 2}),
    ("zero_division", m.precision_score, (Y, P), {"zero_division": "nan"}),
    ("zero_division", m.precision_score, (Y, P), {"zero_division": True}),
    ("zero_division", m.classification_report, (Y, P), {"zero_division": None}),
    ("zero_division", m.fbeta_of_averages_score, (Y, P), {"zero_division": -1}),
    ("zero_division", m.precision_recall_fscore_support, (Y, P), {"zero_division": 0.5}),
    ("zero_division", m.matthews_corrcoef, (Y, P), {"zero_division": "nan"}),
    ("zero_division", m.matthews_corrcoef, (Y, P), {"zero_division": 3}),
    ("beta", m.fbeta_score, (Y, P), {"beta": -1}),
    ("beta", m.fbeta_score, (Y, P), {"beta": "2"}),
    ("beta", m.fbeta_score, (Y, P), {"beta": np.nan}),
    ("beta", m.fbeta_of_averages_score, (Y, P), {"beta": None}),
    ("beta", m.precision_recall_fscore_support, (Y, P), {"beta": -0.1}),
    ("labels", m.f1_score, (T, Q), {"labels": 1, "average": "macro"}),
    ("labels", m.f1_score, (T, Q), {"labels": [], "average": "macro"}),
    ("labels", m.f1_score, (T, Q), {"labels": [[0, 1]], "average": "macro"}),
    ("labels", m.f1_score, (T, Q), {"labels": "01", "average": "macro"}),
    ("labels", m.f1_score, (MARKS, MARKS), {"labels": [3], "average": "macro"}),
    ("labels", m.f1_score, (MARKS, MARKS), {"labels": [-1], "average": "macro"}),
    ("labels", m.f1_score, (MARKS, MARKS), {"labels": ["a"], "average": "macro"}),
    ("labels", m.confusion_matrix, (T, Q), {"labels": []}),
    ("label", m.confusion_matrix, (T, Q), {"labels": [7]}),
    ("labels", m.cohen_kappa_score, (T, Q), {"labels": [7, 8]}),
    ("labels", m.cohen_kappa_score, (T, Q), {"labels": [0, 1, 1]}),
    ("labels", m.scott_pi_score, (T, Q), {"labels": [7, 8]}),
    ("labels", m.gwet_ac1_score, (T, Q), {"labels": [0, 1, 1]}),
    ("labels", m.krippendorff_alpha_score, (T, Q), {"labels": [7, 8]}),
    ("labels", m.expected_cost, (T, Q), {"labels": [0, 1], "cost_matrix": np.ones((2, 2))}),
    ("labels", m.macro_averaged_mean_absolute_error, (T, Q), {"labels": [7, 8]}),
    ("labels", m.macro_averaged_mean_absolute_error, (["a", "b"], ["b", "b"]), {}),
    ("labels", m.class_likelihood_ratios, (Y, P), {"labels": [0]}),
    ("labels", m.averaged_confusion, (T, Q), {"labels": []}),
    ("labels", m.confusion_statistic, (T, Q, "lift"), {"labels": [8]}),
    ("pos_label", m.recall_score, (Y, P), {"pos_label": 3}),
    ("pos_label", m.recall_score, (Y, P), {"pos_label": [1]}),
    ("pos_label", m.recall_score, (["a", "b"], ["a", "b"]), {}),
    ("pos_label", m.geometric_mean_score, (Y, P), {"average": "binary", "pos_label": "x"}),
    ("weights", m.cohen_kappa_score, (T, Q), {"weights": "cubic"}),
    ("weights", m.cohen_kappa_score, (T, Q), {"weights": True}),
    ("weights", m.cohen_kappa_score, (T, Q), {"weights": [[0, 1], [1, 0]]}),
    ("weights", m.cohen_kappa_score, (T, Q), {"weights": np.eye(3)}),
    ("weights", m.cohen_kappa_score, (T, Q), {"weights": [["a"] * 3] * 3}),
    ("weights", m.cohen_kappa_score, (T, Q), {"weights": [[0, -1, 1], [1, 0, 1], [1, 1, 0]]}),
    ("weights", m.cohen_kappa_score, (T, Q), {"weights": [[0, np.inf, 1], [1, 0, 1], [1, 1, 0]]}),
    ("grades", m.cohen_kappa_score, (T, Q), {"weights": "linear", "grades": [1, 2]}),
    ("grades", m.cohen_kappa_score, (T, Q), {"weights": "linear", "grades": ["a", "b", "c"]}),
    ("grades", m.cohen_kappa_score, (T, Q), {"weights": "linear", "grades": [0, 1, np.nan]}),
    ("grades", m.krippendorff_alpha_score, (T, Q), {"level": "interval", "grades": [1]}),
    ("level", m.krippendorff_alpha_score, (T, Q), {"level": "cardinal"}),
    ("replace_undefined_by", m.cohen_kappa_score, (T, Q), {"replace_undefined_by": "x"}),
    ("replace_undefined_by", m.cohen_kappa_score, (T, Q), {"replace_undefined_by": 5}),
    ("replace_undefined_by", m.class_likelihood_ratios, (Y, P), {"replace_undefined_by": 5}),
    ("replace_undefined_by", m.class_likelihood_ratios, (Y, P), {"replace_undefined_by": "x"}),
    ("base", m.index_balanced_accuracy_score, (Y, P), {"base": "mean"}),
    ("alpha", m.index_balanced_accuracy_score, (Y, P), {"alpha": "x"}),
    ("correction", m.geometric_mean_score, (Y, P), {"correction": 2}),
    ("correction", m.geometric_mean_score, (Y, P), {"correction": "x"}),
    ("adjusted", m.balanced_accuracy_score, (Y, P), {"adjusted": "x"}),
    ("normalize", m.accuracy_score, (Y, P), {"normalize": "x"}),
    ("normalize", m.zero_one_loss, (Y, P), {"normalize": None}),
    ("normalize", m.confusion_matrix, (Y, P), {"normalize": "rows"}),
    ("normalize", m.confusion_matrix, (Y, P), {"normalize": True}),
    ("extra", m.classification_report, (Y, P), {"extra": ["mcc"]}),
    ("extra", m.classification_report, (Y, P), {"extra": 3}),
    ("digits", m.classification_report, (Y, P), {"digits": -1}),
    ("target_names", m.classification_report, (Y, P), {"target_names": ["a"]}),
    ("confidence_level", m.classification_report, (Y, P), {"confidence_level": 95}),
    ("confidence_level", m.classification_report, (Y, P), {"confidence_level": "0.9"}),
    ("cost_matrix", m.expected_cost, (Y, P), {"cost_matrix": [[0, 1, 2]]}),
    ("cost_matrix", m.expected_cost, (Y, P), {"cost_matrix": [[0, np.inf], [1, 0]]}),
    ("cost_matrix", m.expected_cost, (Y, P), {"cost_matrix": "x"}),
    ("cost_matrix", m.expected_cost, (Y, P), {"cost_matrix": [[0, 1], [1]]}),
    ("sample_weight", m.f1_score, (Y, P), {"sample_weight": ["a"] * 5}),
    ("sample_weight", m.f1_score, (Y, P), {"sample_weight": "abcde"}),
    ("sample_weight", m.f1_score, (Y, P), {"sample_weight": [1, 2]}),
    ("sample_weight", m.f1_score, (Y, P), {"sample_weight": [1, 1, 1, 1, np.nan]}),
    ("sample_weight", m.f1_score, (Y, P), {"sample_weight": [1, 1, 1, 1, -1]}),
    ("warn_for", m.precision_recall_fscore_support, (Y, P), {"warn_for": 3}),
    ("statistic", m.confusion_statistic, (Y, P, "lifts"), {}),
    ("statistic", m.confusion_statistic, (Y, P, 3), {}),
    ("y_pred", m.f1_score, (Y, [0, 1]), {}),
    ("y_pred", m.f1_score, (Y, np.eye(5, dtype=int)), {}),
    ("y_true", m.f1_score, ({0: 1}, P), {}),
    ("kappa", m.cohen_kappa_score, (MARKS, MARKS), {}),
]


@pytest.mark.parametrize(
    ("named", "function", "arguments", "keywords"),
    WRONG,
    ids=[f"{function.__name__}-{named}" for named, function, _, _ in WRONG],
)
def test_refused_by_name(named, function, arguments, keywords) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises((ValueError, TypeError)) as caught:
            function(*arguments, **keywords)
    assert named in str(caught.value)


@pytest.mark.parametrize(
    "function",
    [
        m.matthews_corrcoef,
        m.balanced_accuracy_score,
        m.scott_pi_score,
        m.gwet_ac1_score,
        m.brennan_prediger_score,
        m.krippendorff_alpha_score,
        m.confusion_matrix,
        m.no_information_rate,
        m.macro_averaged_mean_absolute_error,
        m.confusion_statistics,
    ],
)
def test_indicators_are_refused_where_a_row_needs_one_label(function) -> None:
    with pytest.raises(ValueError, match="multilabel-indicator is not supported"):
        function(MARKS, MARKS)


def test_a_pos_label_that_is_ignored_warns() -> None:
    with pytest.warns(UserWarning, match="pos_label .* is ignored when average != 'binary'"):
        m.recall_score(Y, P, pos_label=0, average="macro")
