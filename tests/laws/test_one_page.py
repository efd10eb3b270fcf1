"""The law of pages: an interval printed on a page is in a table of the same page."""

import contextlib
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from support.command_line import main

import skmetrics_ext as sx

from .interval_cases import cases

_NUMBER = r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?"
_BRACKETS = re.compile(rf"\[({_NUMBER}), ({_NUMBER})\]")


def text_of(page):
    """What a reader of a page sees, legends of pictures included."""
    return re.sub(r"<(style|script).*?</\1>", "", page, flags=re.DOTALL)


def printed(text):
    """All intervals of a text, as pairs of text."""
    return set(_BRACKETS.findall(text))


def is_rounded(pair, ends):
    """Whether a printed pair is these two numbers, rounded as it is."""
    for text, end in zip(pair, ends, strict=True):
        decimals = len(text.partition(".")[2].partition("e")[0])
        if not abs(float(text) - end) <= 0.5001 * 10**-decimals:
            return False
    return True


def strangers(page, intervals):
    """The intervals of a page that are none of these."""
    known = [ends for ends in intervals if np.isfinite(ends).all()]
    found = printed(text_of(page))
    return [pair for pair in found if not any(is_rounded(pair, ends) for ends in known)]


def of_curves(rows, level):
    """Intervals of single classes and averages in legends, which no row of a table shows."""
    if rows.is_binary:
        return []
    about = {"confidence_level": level, "sample_weight": rows.weight, **rows.design}
    proba = rows.probabilities(None)
    found = []
    for metric, further in (("roc_auc", {"multi_class": "ovr"}), ("average_precision", {})):
        options = {**about, **further}
        found += sx.confidence_interval(metric, rows.y_true, proba, average=None, **options)
        for average in ("macro", "micro"):
            options["average"] = average
            found.append(sx.confidence_interval(metric, rows.y_true, proba, **options))
    for label, risk in zip(rows.classes, proba.T, strict=True):
        marks = (rows.y_true == label).astype(np.int64)
        found.append(sx.confidence_interval("brier_score", marks, risk, **about))
    return [(one.low, one.high) for one in found]


@pytest.mark.parametrize(
    ("design", "confidence"), [("plain", "0.95"), ("groups and weights", "0.8")]
)
def test_the_page_of_a_file_prints_the_intervals_of_its_table(design, confidence, tmp_path):
    for rows in cases(design):
        proba = rows.probabilities(rows.classes[-1])
        columns = {"true": rows.y_true, "pred": rows.y_pred()}
        columns |= (
            {"risk": proba}
            if proba.ndim == 1
            else {f"of_{k}": own for k, own in zip(rows.classes, proba.T, strict=True)}
        )
        scores = [part for name in columns if name not in ("true", "pred")
                  for part in ("--score", name)]  # fmt: skip
        further = []
        for role, column in (("weight", rows.weight), ("groups", rows.group)):
            if column is not None:
                columns[role] = column
                further += [f"--{role}", role]
        file, out = tmp_path / "rows.csv", tmp_path / f"{rows.number}.html"
        pd.DataFrame(columns).to_csv(file, index=False)
        told = io.StringIO()
        with contextlib.redirect_stdout(told):
            code = main(
                ["score", str(file), "--true", "true", "--pred", "pred", *scores, *further,
                 "--confidence", confidence, "--json", "--quiet", "--html", str(out)]
            )  # fmt: skip
        assert code == 0
        table = [(row["low"], row["high"]) for row in json.loads(told.getvalue())["rows"]]
        table = [ends for ends in table if None not in ends]
        table += of_curves(rows, float(confidence))
        page = out.read_text(encoding="utf-8")
        assert len(printed(text_of(page))) >= min(5, len(table))
        assert strangers(page, table) == []


@pytest.fixture(scope="module")
def report():
    rng = np.random.default_rng(3)
    y = rng.permutation(np.repeat([0, 1], [90, 60]))
    X = rng.standard_normal((150, 4)) + 0.6 * y[:, None]
    models = {"bayes": GaussianNB(), "logistic": LogisticRegression(C=0.001)}
    scoring = ["roc_auc", "accuracy", "f1", "neg_log_loss"]
    return sx.cross_validation_report(models, X, y, scoring=scoring)


def bounds_of(rows):
    """Bounds as a page shows them: of a loss itself, where the table has the negated score."""
    return [
        (-row["high"], -row["low"])
        if row["metric"].startswith("neg_")
        else (row["low"], row["high"])
        for row in rows
    ]


def differences_of(report):
    """The bounds of all comparisons, whichever model is named first."""
    found = [(row["low"], row["high"]) for row in report.compare()]
    return [*found, *[(-high, -low) for low, high in found]]


def test_the_page_of_a_report_prints_the_intervals_of_its_tables(report):
    known = [*bounds_of([*report.summary(), *report.pooled()]), *differences_of(report)]
    page = report.to_html()
    assert len(printed(text_of(page))) > 10
    assert strangers(page, known) == []


def test_a_report_has_one_interval_for_a_mean(report):
    """The interval that is printed next to the values, in sentences and in legends."""
    means, differences = bounds_of(report.summary()), differences_of(report)
    page = report.to_html()
    sentences = re.search(r'<div class="brief">.*?</div>', page, re.DOTALL).group()
    legends = re.findall(r'<ul class="legend">.*?</ul>', page, re.DOTALL)
    assert legends
    assert strangers(sentences, [*means, *differences]) == []
    assert strangers("".join(legends), means) == []


def test_a_stranger_is_seen():
    page = "<p>AUC 0.75 [0.712, 0.810]</p><style>[1, 2]</style><td>[0.7119, 0.8104]</td>"
    assert strangers(page, [(0.71187, 0.81041)]) == []
    assert len(strangers(page, [(0.7129, 0.8104)])) == 2
