"""The table of what is compared: a row is a call of ours, its inputs, and who else can do it.

A new metric is a new row. A row whose function the package does not have yet is skipped, with a
note, and appears when the function does.
"""

from __future__ import annotations

import peers
from answer_cases import ANSWERS
from case import Case, same
from data import class_scores, labels, multilabel, scores
from inference_cases import INFERENCE

_TEN = {"num_classes": 10}
_MACRO = {"average": "macro"}
_BINARY_AUC = (
    peers.torchmetrics("binary_auroc"),
    peers.polars_ds("query_roc_auc"),
    peers.fastauc(),
)
_OVR, _OVO = {"multi_class": "ovr"}, {"multi_class": "ovo"}

# Scorer's name in skmetrics_ext, scikit-learn's function and its options.
_PANEL = (
    ("accuracy", "accuracy_score", {}),
    ("balanced_accuracy", "balanced_accuracy_score", {}),
    ("matthews_corrcoef", "matthews_corrcoef", {}),
    ("cohen_kappa", "cohen_kappa_score", {}),
    ("precision_macro", "precision_score", _MACRO),
    ("precision_weighted", "precision_score", {"average": "weighted"}),
    ("recall_macro", "recall_score", _MACRO),
    ("recall_weighted", "recall_score", {"average": "weighted"}),
    ("f1_macro", "f1_score", _MACRO),
    ("f1_micro", "f1_score", {"average": "micro"}),
    ("f1_weighted", "f1_score", {"average": "weighted"}),
    ("jaccard_macro", "jaccard_score", _MACRO),
    ("zero_one_loss", "zero_one_loss", {}),
)

LABELS = (
    same(
        "accuracy_score",
        "accuracy_score",
        labels(),
        peers.torchmetrics("multiclass_accuracy", average="micro", **_TEN),
        history=True,
    ),
    same("accuracy_score weighted", "accuracy_score", labels(weighted=True)),
    same("accuracy_score fixed-width text", "accuracy_score", labels("fixed")),
    same(
        "confusion_matrix",
        "confusion_matrix",
        labels(),
        peers.torchmetrics("multiclass_confusion_matrix", **_TEN),
        peers.pycm(lambda found: found.to_array()),
        history=True,
    ),
    same("confusion_matrix int8", "confusion_matrix", labels("int8")),
    same("confusion_matrix K=300", "confusion_matrix", labels(n_classes=300), min_n=1000),
    same("confusion_matrix weighted", "confusion_matrix", labels(weighted=True)),
    same("confusion_matrix fixed-width text", "confusion_matrix", labels("fixed"), history=True),
    same("confusion_matrix object text", "confusion_matrix", labels("object"), history=True),
    same("confusion_matrix pandas text", "confusion_matrix", labels("pandas")),
    same("confusion_matrix categorical", "confusion_matrix", labels("categorical"), history=True),
    same("f1_score binary", "f1_score", labels(n_classes=2)),
    same(
        "f1_score macro",
        "f1_score",
        labels(),
        peers.torchmetrics("multiclass_f1_score", average="macro", **_TEN),
        peers.pycm(lambda found: found.F1_Macro),
        options=_MACRO,
        history=True,
    ),
    same("f1_score macro weighted", "f1_score", labels(weighted=True), options=_MACRO),
    same("f1_score macro fixed-width text", "f1_score", labels("fixed"), options=_MACRO),
    same("f1_score macro object text", "f1_score", labels("object"), options=_MACRO),
    same("f1_score macro categorical", "f1_score", labels("categorical"), options=_MACRO),
    same("f1_score macro multilabel", "f1_score", multilabel(10), options=_MACRO),
    same("precision_score macro", "precision_score", labels(), options=_MACRO),
    same(
        "recall_score macro",
        "recall_score",
        labels(),
        peers.imblearn("sensitivity_score", **_MACRO),
        options=_MACRO,
    ),
    Case(
        "specificity_score macro",
        "specificity_score",
        labels(),
        (peers.imblearn("specificity_score", **_MACRO),),
        options=_MACRO,
    ),
    Case(
        "geometric_mean_score",
        "geometric_mean_score",
        labels(),
        (peers.imblearn("geometric_mean_score"),),
    ),
    same("balanced_accuracy_score", "balanced_accuracy_score", labels()),
    same(
        "matthews_corrcoef",
        "matthews_corrcoef",
        labels(),
        peers.torchmetrics("multiclass_matthews_corrcoef", **_TEN),
        history=True,
    ),
    *(
        same(f"matthews_corrcoef {name}", "matthews_corrcoef", labels(kind))
        for name, kind in (
            ("fixed-width text", "fixed"),
            ("object text", "object"),
            ("categorical", "categorical"),
        )
    ),
    same(
        "cohen_kappa_score",
        "cohen_kappa_score",
        labels(),
        peers.torchmetrics("multiclass_cohen_kappa", **_TEN),
    ),
    same("jaccard_score macro", "jaccard_score", labels(), options=_MACRO),
    same("hamming_loss", "hamming_loss", labels()),
    same("hamming_loss multilabel", "hamming_loss", multilabel(10)),
    same("zero_one_loss", "zero_one_loss", labels()),
    same("precision_recall_fscore_support", "precision_recall_fscore_support", labels()),
    same("classification_report text", "classification_report", labels()),
    same(
        "classification_report dict",
        "classification_report",
        labels(),
        options={"output_dict": True},
    ),
    Case(
        "panel of 13 label metrics",
        "compute_metrics",
        labels(),
        (peers.sklearn_panel(_PANEL),),
        first=([name for name, _, _ in _PANEL],),
        history=True,
    ),
)

SCORES = (
    same("roc_auc_score", "roc_auc_score", scores(), *_BINARY_AUC, history=True),
    same("roc_auc_score float32", "roc_auc_score", scores("float32"), *_BINARY_AUC[:1]),
    same("roc_auc_score ties", "roc_auc_score", scores("ties"), *_BINARY_AUC[:2], history=True),
    same("roc_auc_score decision", "roc_auc_score", scores("decision")),
    same("roc_auc_score weighted", "roc_auc_score", scores(weighted=True), history=True),
    same("roc_auc_score max_fpr", "roc_auc_score", scores(), options={"max_fpr": 0.1}),
    *(
        same(
            f"roc_auc_score {kind['multi_class']} K={k}",
            "roc_auc_score",
            class_scores(k),
            options=kind,
            history=k == 10,
            # Every class needs rows, and beyond these sizes scikit-learn takes minutes.
            min_n=10 * k,
            max_n=10**6 if k <= 10 else 10**4,
        )
        for k in (3, 10, 100)
        for kind in (_OVR, _OVO)
    ),
    same(
        "average_precision_score",
        "average_precision_score",
        scores(),
        peers.torchmetrics("binary_average_precision"),
        history=True,
    ),
    same("roc_curve", "roc_curve", scores(), history=True),
    same("roc_curve ties", "roc_curve", scores("ties")),
    same("precision_recall_curve", "precision_recall_curve", scores(), history=True),
    same("det_curve", "det_curve", scores()),
    same("log_loss", "log_loss", scores(), peers.polars_ds("query_log_loss"), history=True),
    same("log_loss K=10", "log_loss", class_scores(10)),
    same("brier_score_loss", "brier_score_loss", scores(), history=True),
)

CASES = LABELS + SCORES + INFERENCE + ANSWERS
