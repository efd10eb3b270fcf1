"""The page of differences: both answers of its rows, by asking both libraries.

A case names its row by what stands in it, and each answer by the words of the row: a number with
its digits, or the error. Rows whose answers the tests of scikit-learn demand are checked there.
"""

import re
import warnings
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest
from scipy.sparse import csr_array
from sklearn import metrics
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from support.markdown import ROOT
from support.versions import IS_REFERENCE

import skmetrics_ext

PAGE = (ROOT / "docs" / "differences.md").read_text(encoding="utf-8")
ROWS = [line for line in PAGE.splitlines() if line.startswith("| ")]
REFUSED = "`ValueError`"

Y, P, S = [0, 1, 1, 0], [0, 1, 0, 0], [0.1, 0.9, 0.4, 0.2]
MARKS, RANKS = np.array([[1, 0], [0, 1], [1, 1]]), np.array([[0.1, 0.2], [0.3, 0.9], [0.4, 0.3]])
SIGNS = 2 * MARKS - 1
BIG = np.array([2**53, 2**53 + 1])
COLUMN, SPARSE = np.ones((4, 1)), csr_array(MARKS)
DIGITS, CLASSES, N = ["1", "2", "1", "1"], np.array([[0], [1]]), [0, 0, 0, 0]
DATES = np.array([1, 2, 2, 1], "M8[s]"), np.array([1, 2, 1, 1], "M8[s]")
GRADES = ["lo", "mid", "hi"]
TEXT = GRADES, ["lo", "mid", "lo"]
ORDERED = [
    pd.Categorical(text, categories=order, ordered=True)
    for text, order in zip(TEXT, (GRADES, GRADES[::-1]), strict=True)
]
MASKED = np.ma.array(np.ones(4), mask=[0, 0, 1, 0])
INF = float("inf")


class Case(NamedTuple):
    row: str  # in the cell of what differs
    ask: Callable[[Any], Any]
    theirs: str
    ours: str


def of_report(report: dict[str, Any]) -> float:
    return float(report["accuracy"])


def hits(m: Any, dtype: Any) -> Any:
    weights = np.ones(300, dtype)
    return m.accuracy_score([1] * 300, [1] * 300, normalize=False, sample_weight=weights)


def sepals(m: Any) -> float:
    X, y = load_iris(return_X_y=True)
    train, test = next(StratifiedKFold(3).split(X, y))
    model = LogisticRegression().fit(X[train, :2], y[train])
    return m.get_scorer("average_precision")(model, X[test, :2], y[test])


def no_positive(m: Any) -> float:
    X, y = load_iris(return_X_y=True)
    model = LogisticRegression().fit(X[:100, :1], y[:100])
    return m.get_scorer("average_precision")(model, X[:50, :1], y[:50])


def first_name(m: Any) -> str:
    labels = pd.Series([0, 1], dtype="Int64")
    return str(next(iter(m.classification_report(labels, labels, output_dict=True))))


def pr_dtype(m: Any, dtype: Any) -> str:
    return str(m.precision_recall_curve(Y, np.array([1, 9, 4, 2], dtype))[2].dtype)


def one_vs_one(m: Any) -> str:
    rows = np.array([[0.6, 0.2, 0.2], [0.2, 0.5, 0.3], [0.1, 0.2, 0.7]])
    return type(m.roc_auc_score([0, 1, 2], rows, multi_class="ovo")).__name__


def weighted_errors(m: Any) -> str:
    weights = [1, 2, 1, 1]
    return type(m.zero_one_loss(Y, P, normalize=False, sample_weight=weights)).__name__


CASES = [
    Case("sparse multilabel", lambda m: m.roc_auc_score(SPARSE, RANKS), REFUSED, "accepted"),
    Case("sparse multilabel", lambda m: m.coverage_error(SPARSE, RANKS), REFUSED, "accepted"),
    Case("sparse multilabel", lambda m: m.dcg_score(SPARSE, RANKS), REFUSED, "accepted"),
    Case("beyond 2^53", lambda m: len(m.confusion_matrix(BIG, BIG.astype(float))), "one", REFUSED),
    Case("nullable or Arrow", first_name, "0.0", "0"),
    Case("-1 and 1", lambda m: m.accuracy_score(SIGNS, -SIGNS), "0", REFUSED),
    Case("-1 and 1", lambda m: m.f1_score(SIGNS, -SIGNS, average="samples"), "1.0", REFUSED),
    Case("-1 and 1", lambda m: m.roc_auc_score(SIGNS, RANKS), "an area", REFUSED),
    Case("`pos_label=None` in", lambda m: m.f1_score(Y, P, pos_label=None), REFUSED, "one rule"),
    Case(
        "twice in `labels=` of `cohen",
        lambda m: m.cohen_kappa_score(Y, P, labels=[0, 0, 1]),
        "0.5",
        REFUSED,
    ),
    Case(
        "twice in `labels=` of `classification",
        lambda m: of_report(m.classification_report(Y, P, labels=[0, 0, 1], output_dict=True)),
        "0.714",
        REFUSED,
    ),
    Case(
        '`["0", "1"]`',
        lambda m: m.f1_score(Y, P, labels=["0", "1"], average="macro"),
        "0.733",
        REFUSED,
    ),
    Case("`labels=[]`", lambda m: m.f1_score(Y, P, labels=[], average="macro"), "nan", REFUSED),
    Case("one class or three", lambda m: m.brier_score_loss(Y, S, labels=[1]), "0.105", REFUSED),
    Case("one class or three", lambda m: m.hinge_loss(Y, S, labels=[1]), "0.75", REFUSED),
    Case(
        "one class or three",
        lambda m: m.brier_score_loss(Y, S, labels=[0, 1, 2]),
        "0.105",
        REFUSED,
    ),
    Case("text as weights", lambda m: m.roc_auc_score(Y, S, sample_weight=DIGITS), "1.0", REFUSED),
    Case(
        "text as weights",
        lambda m: m.balanced_accuracy_score(Y, P, sample_weight=DIGITS),
        "0.833",
        REFUSED,
    ),
    Case("shape (k, 1)", lambda m: m.log_loss(Y, S, labels=CLASSES), "0.338", REFUSED),
    Case("shape (k, 1)", lambda m: m.hinge_loss(Y, S, labels=CLASSES), "0.75", REFUSED),
    Case("zero_division=True", lambda m: m.precision_score(Y, N, zero_division=True), "1", REFUSED),
    Case("dtype of the thresholds", lambda m: pr_dtype(m, np.float16), "float16", "float32"),
    Case("dtype of the thresholds", lambda m: pr_dtype(m, np.int64), "int64", "float64"),
    Case("type of a number", one_vs_one, "float64", "float"),
    Case("type of a number", weighted_errors, "float64", "float"),
    Case(
        "`normalize=False` in `confusion",
        lambda m: m.confusion_matrix(Y, P, normalize=False),
        "refused",
        "refused",
    ),
    Case("`pos_label=7`", lambda m: m.brier_score_loss(Y, S, pos_label=7), "0.255", REFUSED),
    Case("`pos_label=7`", lambda m: m.d2_brier_score(Y, S, pos_label=7), "-inf", REFUSED),
    Case("`pos_label=7`", lambda m: m.det_curve(Y, S, pos_label=7)[1][0], "nan", REFUSED),
    Case("`datetime64`", lambda m: m.accuracy_score(*DATES), "0.75", REFUSED),
    Case(
        "classes of text, lo, mid, hi",
        lambda m: m.cohen_kappa_score(*TEXT, weights="linear"),
        "0.571",
        REFUSED,
    ),
    Case(
        "conflicting orders",
        lambda m: m.cohen_kappa_score(*ORDERED, weights="linear"),
        "0.571",
        REFUSED,
    ),
    Case(
        "shape (n, 1)", lambda m: m.roc_auc_score(Y, S, sample_weight=COLUMN), "accepted", REFUSED
    ),
    Case(
        "nan among the weights",
        lambda m: m.hinge_loss(Y, S, sample_weight=[1, np.nan, 1, 1]),
        "nan",
        REFUSED,
    ),
    Case(
        "nan among the weights",
        lambda m: m.coverage_error(MARKS, RANKS, sample_weight=[1, np.nan, 1]),
        "nan",
        REFUSED,
    ),
    Case(
        "weights that are all 0",
        lambda m: m.label_ranking_average_precision_score(MARKS, RANKS, sample_weight=[0] * 3),
        "nan",
        REFUSED,
    ),
    Case(
        "pandas categorical as weights",
        lambda m: m.accuracy_score(Y, P, sample_weight=pd.Categorical([1, 3, 1, 1])),
        "0.833",
        REFUSED,
    ),
    Case(
        "masked `sample_weight`",
        lambda m: m.accuracy_score(Y, P, sample_weight=MASKED),
        "0.75",
        "1",
    ),
    Case(
        "nan among text labels",
        lambda m: m.accuracy_score(["a", float("nan"), "b"], ["a", "a", "b"]),
        "0.667",
        REFUSED,
    ),
    Case("text as prob", lambda m: m.log_loss([0, 1, 1], [".1", ".2", ".3"]), "0.973", REFUSED),
    Case("300 hits", lambda m: hits(m, np.uint8), "44", "300"),
    Case("300 hits", lambda m: hits(m, bool), "1", "300"),
    Case(
        "[0.1, 0.8], labels=[1, 0]",
        lambda m: m.brier_score_loss([0, 1], [0.1, 0.8], labels=[1, 0]),
        "0.025",
        "0.725",
    ),
    Case(
        "labels=[2, 0, 1]",
        lambda m: m.d2_brier_score([0, 2, 0, 2], [[0.5, 0, 0.5]] * 4, labels=[2, 0, 1]),
        "0",
        "-1",
    ),
    Case(
        "hinge_loss([1, 1]",
        lambda m: m.hinge_loss([1, 1], [0.5, 2], labels=[0, 1]),
        "2.25",
        "0.25",
    ),
    Case(
        "d2_log_loss_score` of one class alone",
        lambda m: m.d2_brier_score([1, 1], [0.5, 0.6]),
        "-inf",
        "nan",
    ),
    Case("`average_precision` for three", sepals, "0.756", "0.792"),
    Case("`average_precision`, a fold", no_positive, "0", "nan"),
    Case(
        "adjusted=True",
        lambda m: m.balanced_accuracy_score([0, 0], [0, 1], adjusted=True),
        "-inf",
        "nan",
    ),
    Case(
        "of `uint8` scores",
        lambda m: m.ndcg_score([[1, 0]], np.array([[2, 0]], np.uint8)),
        "0.631",
        "1",
    ),
    Case("`beta=inf`", lambda m: m.fbeta_score([0, 0], [0, 1], beta=INF), "0", "0"),
    Case("`matthews_corrcoef` of one class", lambda m: m.matthews_corrcoef(Y, [1] * 4), "0", "0"),
]


def answer(case: Case, library: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        warnings.simplefilter("ignore", RuntimeWarning)
        try:
            return case.ask(library)
        except ValueError:
            return REFUSED


def said(text: str, got: Any) -> bool:
    """Whether an answer is the one that the words say."""
    if text in (REFUSED, "refused") or isinstance(got, str):
        return got in (text, REFUSED if text == "refused" else text)
    if not re.fullmatch(r"-?(nan|inf|[\d.]+)", text):
        return bool(np.isfinite(got).all())
    digits = len(text.partition(".")[2])
    return bool(got == pytest.approx(float(text), abs=0.51 * 10.0**-digits, nan_ok=True))


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.row}: {case.theirs}, {case.ours}")
def test_both_answers_are_those_of_the_page(case: Case) -> None:
    rows = [row for row in ROWS if case.row in row]
    assert len(rows) == 1, f"the page has {len(rows)} rows with {case.row!r}"
    cells = [cell.strip() for cell in rows[0].strip("|").split(" | ")]
    asked = [(case.ours, skmetrics_ext), *([(case.theirs, metrics)] if IS_REFERENCE else [])]
    for text, library in asked:
        assert any(text in cell for cell in cells), f"{text!r} does not stand in the row"
        assert said(text, answer(case, library)), f"{library.__name__}: {answer(case, library)!r}"
