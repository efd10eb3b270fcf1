"""The page of a report: whole, self-contained, and drawn by a browser."""

import json
import re
from html.parser import HTMLParser
from pathlib import Path

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from skmetrics_ext import cross_validation_report, f1_score
from skmetrics_ext.formats import html_table, with_interval
from skmetrics_ext.report.page import document as page_document
from skmetrics_ext.report.page.charts import Dot, dot_chart
from skmetrics_ext.report.page.document import document, section

X, Y = load_breast_cancer(return_X_y=True)
ROWS = np.argsort(Y, kind="stable")
CURVES = ("ROC", "Precision and recall", "Reliability")
OVERLAID = CURVES[:2]
VOID = {"meta", "link", "br", "img"}


class Page(HTMLParser):
    """Checks that tags are closed in order; keeps attributes and text."""

    def __init__(self, text):
        super().__init__()
        self.open, self.attributes, self.tags, self.text = [], [], [], []
        self.feed(text)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_startendtag(self, tag, attrs):
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data):
        self.text.append(data)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    report = cross_validation_report(
        {"a <b> & c": GaussianNB()}, X, Y, scoring=["roc_auc", "f1"], random_state=0
    )
    path = tmp_path_factory.mktemp("page") / "report.html"
    assert report.to_html(path) is None
    text = path.read_text(encoding="utf-8")
    assert report.to_html() == text
    return path, text, report


def test_page_is_whole_and_loads_nothing(page):
    _, text, report = page
    read = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    swatches = len(OVERLAID)  # one model has a line in the legend of each
    swatches += len(CURVES)  # and in that of each of its own
    drawn = len(report.metrics) + len(OVERLAID) + len(CURVES)
    assert read.tags.count("svg") == drawn + swatches
    labels = [value for name, value in read.attributes if name == "aria-label"]
    assert [label for label in labels if label.endswith("of a <b> & c")] == [
        *(f"{title} of a <b> & c" for title in OVERLAID),
        *(f"{title} of a <b> & c" for title in CURVES),
        "Confusion matrix of a <b> & c",
    ]
    links = [value for name, value in read.attributes if name in ("src", "href", "srcset")]
    assert [link for link in links if not link.startswith("#part-")] == ["data:,"]
    inner = [value for name, value in read.attributes if name == "xlink:href"]
    assert all(value.startswith(("#", "data:image/png;base64,")) for value in inner)
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org)", text)
    assert read.tags.count("script") == 2
    assert "a <b> & c" in read.text
    for row in report.summary():
        assert any(f"{row['mean']:.3f}" in part for part in read.text)


def test_a_page_with_undefined_folds_says_why():
    report = cross_validation_report(GaussianNB(), X[ROWS], Y[ROWS], cv=KFold(5), scoring="gini")
    text = report.to_html()
    assert "undefined in 4 of 5 folds" in text
    assert "(4 undefined)" in text
    Page(text)


def test_a_page_without_a_positive_class_draws_what_needs_none():
    names = np.array(["a", "b"])[Y]
    pictures = {}
    for label in (None, "b"):
        report = cross_validation_report(
            GaussianNB(), X, names, cv=3, scoring=["roc_auc", "neg_log_loss"], pos_label=label
        )
        text = report.to_html()
        pictures[label] = [title for title in CURVES if f"{title} of GaussianNB" in text]
        for part in ("Precision and recall", "Reliability", "Threshold"):
            assert (f'<p class="note">{part}: ' in text) == (label is None)
        assert ("needs a positive class: pass pos_label=" in text) == (label is None)
    assert pictures == {None: ["ROC"], "b": list(CURVES)}


def test_picture_of_dot_chart():
    lines = [Dot("first", 0.8, 0.7, 0.9, [0.75, 0.85]), Dot("base", 0.68, is_baseline=True)]
    picture = dot_chart(lines, "accuracy")
    assert picture.count("<circle") == 2
    assert picture.count('class="chance"') == 1
    assert "<title>first: 0.8000 [0.7000, 0.9000]</title>" in picture
    first, base = (float(x) for x in re.findall(r'<circle [^>]*cx="([0-9.]+)"', picture))
    ends = [
        float(x)
        for x in re.search(r'class="range" d="M([0-9.]+) 24.0H([0-9.]+)"', picture).groups()
    ]
    assert base < ends[0] < first < ends[1]
    assert (first - ends[0]) == pytest.approx(ends[1] - first, abs=0.2)


@pytest.mark.parametrize(("base", "arrow"), [(0.5, "← 0.5000"), (1.7, "1.7000 →")])
def test_a_baseline_far_from_the_models_does_not_hide_their_differences(base, arrow):
    """By hand: values from 0.80 to 0.84 with a fifth of room on both sides."""
    lines = [Dot("a", 0.81, 0.8, 0.82), Dot("b", 0.83, 0.82, 0.84), Dot("base", base, 0.4, 1.8)]
    lines[2] = lines[2]._replace(is_baseline=True)
    picture = dot_chart(lines, "accuracy")
    assert arrow in picture
    assert 'class="chance"' not in picture
    a, b = (float(x) for x in re.findall(r'<circle [^>]*cx="([0-9.]+)"', picture))
    wide = 440 - (4 * 7.2 + 12) - 28
    assert b - a == pytest.approx(wide * 0.02 / (0.04 * 1.4), abs=0.11)
    near = dot_chart([*lines[:2], lines[2]._replace(value=0.795, low=0.79, high=0.8)], "accuracy")
    assert near.count("<circle") == 3


def test_pictures_without_spread_or_values():
    assert "undefined" in dot_chart([Dot("a", float("nan"))], "gini")
    assert dot_chart([Dot("a", 1.0), Dot("b", 1.0)], "gini").count("<circle") == 2
    assert dot_chart([Dot("a", 1e-9, 0.9e-9, 1.1e-9)], "tiny").count("<text") >= 3


def test_cells_are_escaped():
    part = section("<s>", html_table(["<h>"], [["<c>"]], caption="<k>"))
    text = document("<t>", ["<l>"], [part])
    for name in "tlhcks":
        assert f"<{name}>" not in text
        assert f"&lt;{name}&gt;" in text


def data_of(text):
    """What the script of a page reads, as a browser finds it."""
    held = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.DOTALL)
    return json.loads(held[1])


def test_names_end_no_script():
    """Names of models, metrics and classes are data, whatever they hold."""
    name = "</script><script>alert(1)</script><!-- \u2028 &amp;"
    labels = np.array(["<no>", "</script>"])[Y]
    report = cross_validation_report(
        {name: GaussianNB()},
        X,
        labels,
        cv=3,
        scoring={f"{name}!": "roc_auc"},
        pos_label="</script>",
    )
    text = report.to_html()
    assert Page(text).tags.count("script") == 2
    found = data_of(text)
    assert found["models"] == [name, report.baseline]
    assert found["metrics"] == [f"{name}!"]
    assert found["thresholds"]["labels"] == ["<no>", "</script>"]


def test_counts_and_values_at_thresholds_are_those_of_the_predictions(page):
    """Thinning leaves out thresholds, and rounds nothing."""
    _, text, report = page
    held = data_of(text)["thresholds"]["models"][0]
    own = report.predictions["a <b> & c"]
    score, true = own.responses["predict_proba"][:, 1], Y[own.rows]
    assert held["t"] == sorted(held["t"])
    assert {0.0, 0.25, 0.5, 1.0} <= set(held["t"])
    for threshold in (0.0, 0.01, 0.25, 0.5, 0.73, 0.98):
        k = held["t"].index(threshold)
        mark = score >= threshold
        assert held["tp"][k] == np.count_nonzero(mark & (true == 1))
        assert held["fp"][k] == np.count_nonzero(mark & (true == 0))
        assert held["values"]["F1"][k] == pytest.approx(f1_score(true, mark), abs=6e-5)
        specificity = 1 - mark[true == 0].mean()
        assert held["values"]["Specificity"][k] == pytest.approx(specificity, abs=6e-5)
    assert held["t"][held["start"]] == 0.5


def test_curves_that_the_script_reads_are_those_of_the_displays(page):
    """Points of the picture are those of the mean curve, to a tenth of a pixel."""
    _, text, report = page
    box = re.search(r'data-chart="roc".*?data-frame="(.*?)".*?points="(.*?)"', text, re.DOTALL)
    left, top, wide, high = map(float, box[1].split())
    points = np.array([point.split(",") for point in box[2].split()], dtype=float)
    shown = report.plot("roc").columns()
    mean = shown["fold"] == "mean"
    x, y = (points[:, 0] - left) / wide, 1 - (points[:, 1] - top) / high
    for a, b in zip(x, y, strict=True):
        away = np.hypot(shown["fpr"][mean] - a, shown["tpr"][mean] - b)
        assert away.min() < 0.1 / min(wide, high)
    assert (x[0], x[-1], y[-1]) == (0, 1, 1)


def test_long_names_are_wrapped_in_the_picture_of_dot_chart():
    name = "a pipeline of " + "many " * 15 + "steps"
    picture = dot_chart([Dot(name, 0.8), Dot("b", 0.5)], "accuracy")
    spans = re.findall(r'text-anchor="end">([^<]*)</text>', picture)
    assert " ".join(spans) == f"{name} b"
    assert max(map(len, spans)) < 30


@pytest.mark.parametrize("interval", ["auto", "corrected", "pooled"])
def test_every_interval_of_a_mean_is_that_of_the_summary(interval):
    """Table, text, dots, legends and pictures of matplotlib print one interval for one mean."""
    models = {"bayes": GaussianNB(), "stump": DecisionTreeClassifier(max_depth=1)}
    scoring = ["roc_auc", "average_precision", "balanced_accuracy"]
    report = cross_validation_report(models, X[:, :3], Y, scoring=scoring, random_state=0)
    text = report.to_html(interval=interval)
    summary = {(row.model, row.metric): row for row in report.summary(interval)}
    target = report.summary(interval)[0].target
    assert text.count(f"95 %, {target}") >= len(scoring) + 1  # the dots and their legend
    assert f"95 % intervals for {target}" in text  # the table
    for row in summary.values():
        if not np.isnan(row.low):
            short = f"{row.model}: {row.value:.4f} [{row.low:.4f}, {row.high:.4f}]"
            assert f"<title>{short}</title>" in text
            assert f"<td>{with_interval(row.value, row.low, row.high)}" in text
    for chart, metric in (("roc", "roc_auc"), ("precision_recall", "average_precision")):
        legend = re.search(rf'data-chart="{chart}".*?<ul class="legend">(.*?)</ul>', text, re.S)[1]
        intervals = re.findall(r"\[.*?\]", legend)
        bounds = [summary[model, metric] for model in models]
        shown = [f"[{b.low:.4f}, {b.high:.4f}]" for b in bounds if not np.isnan(b.low)]
        assert intervals == shown
    picture = report.plot("roc", interval=interval)
    (line,) = [k for k in picture.lines if (k.model, k.fold) == ("stump", "mean")]
    own = summary["stump", "roc_auc"]
    if np.isnan(own.low):
        assert line.interval is None
    else:
        assert (line.interval.low, line.interval.high) == (own.low, own.high)
    labels = [label.get_text() for label in report.plot(interval=interval).legend_.get_texts()]
    assert any(report.summary(interval)[0].target in label for label in labels)


def test_a_baseline_that_cannot_vary_has_no_interval_without_comment():
    report = cross_validation_report(GaussianNB(), X, Y, scoring="roc_auc", interval="corrected")
    row = report.summary()[1]
    assert row.is_baseline
    assert np.isnan(row.low)
    assert row.note in report.to_html()
    assert "[0.5000, 0.5000]" not in report.to_html()
    (row,) = report[report.baseline].summary("cv")
    assert row.low < 0.5 < row.high
    assert "no sampling variation" in row.note


def card_of(text):
    lines = text.split('<div class="brief">')[1].split("</div>")[0]
    return re.findall(r"<p>(.*?)</p>", lines)


@pytest.fixture(scope="module")
def overfitted():
    labels = np.where(Y == 1, "benign", "malignant")
    models = {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)}
    scoring = ["neg_log_loss", "roc_auc", "f1"]
    options = {"pos_label": "benign", "scoring": scoring, "train": True}
    report = cross_validation_report(models, X, labels, cv=KFold(5), **options)
    return report, report.to_html()


def test_the_card_has_at_most_ten_lines_and_losses_are_positive(overfitted):
    report, text = overfitted
    card = card_of(text)
    assert len(card) <= 10
    assert card[0].startswith("Which model predicts &#x27;benign&#x27; best? Log loss (lower")
    proba = report.predictions["bayes"].responses["predict_proba"]
    own = report.predictions["bayes"]
    true = np.where(Y[own.rows] == 1, proba[:, 0], proba[:, 1])
    loss = np.mean([-np.log(true[own.fold == fold]).mean() for fold in range(5)])
    assert f"{loss:.4f}" in text
    assert f"-{loss:.4f}" not in text
    assert "neg_log_loss" not in "".join(card)
    assert card[-1].startswith("Findings: ")
    assert "overfits (Log loss of tree, ROC AUC of tree, F1 of tree" in card[-1]


def test_only_the_models_stand_open(overfitted):
    _, text = overfitted
    assert re.findall(r'<section id="[^"]*"><h2>(.*?)</h2>', text) == ["Models"]
    folded = re.findall(r'<details id="[^"]*"><summary><h2>(.*?)</h2>', text)
    assert folded == [
        "Findings",
        "Curves",
        "Thresholds and confusion matrices",
        "Comparison of the models",
        "Details",
    ]


def test_the_positive_class_stands_last_in_every_matrix(overfitted):
    report, text = overfitted
    for model in ("bayes", "tree"):
        matrix = text.split(f'aria-label="Confusion matrix of {model}"')[1].split("</table>")[0]
        assert re.findall(r'<th scope="row">(\w+)</th>', matrix) == ["malignant", "benign"]
        counts = list(map(int, re.findall(r"(\d+)<br>", matrix)))
        own = report.predictions[model]
        said, true = own.responses["predict"] == "benign", Y[own.rows] == 1
        assert counts == [
            ((true == a) & (said == b)).sum() for a in (False, True) for b in (False, True)
        ]


def test_findings_name_the_part_of_the_guide_that_explains_them(overfitted, monkeypatch):
    report, text = overfitted
    assert text.count("Guide: cross-validation") == len({row.code for row in report.findings()})
    monkeypatch.setattr(page_document, "_documentation", lambda: "https://docs.example")
    link = re.search(r'<a href="https://docs.example/(\S+)\.html#(\S+)">', report.to_html())
    guide = (Path(__file__).parents[2] / "docs" / f"{link[1]}.md").read_text(encoding="utf-8")
    headings = re.findall(r"^#+ (.*)$", guide, flags=re.MULTILINE)
    slugs = [re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings]
    assert link[2] in slugs


def test_rankings_that_are_not_pooled_have_one_footnote(overfitted):
    report, _ = overfitted
    lines = str(report.pooled()).splitlines()
    assert sum("not pooled" in line for line in lines) == 3  # a model each
    assert sum("have no common scale" in line for line in lines) == 1
    assert not any("undefined" in line for line in lines)
