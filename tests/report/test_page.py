"""The page of a report: whole, self-contained, and drawn by a browser."""

import json
import re
import shutil
import subprocess
from html.parser import HTMLParser

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import KFold
from sklearn.naive_bayes import GaussianNB

from skmetrics_ext import cross_validation_report
from skmetrics_ext.cli import main
from skmetrics_ext.formats import html_table
from skmetrics_ext.report.page.document import document
from skmetrics_ext.report.page.picture import ChartLine, dots

X, Y = load_breast_cancer(return_X_y=True)
ROWS = np.argsort(Y, kind="stable")
CURVES = ("ROC", "Precision and recall", "Reliability")
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
    text = report.to_html(path)
    assert path.read_text(encoding="utf-8") == text
    return path, text, report


def test_page_is_whole_and_loads_nothing(page):
    _, text, report = page
    read = Page(text)
    assert text.startswith("<!DOCTYPE html>")
    assert read.tags.count("svg") == len(report.metrics) + len(CURVES) + 1  # and the matrix
    labels = [value for name, value in read.attributes if name == "aria-label"]
    assert [label for label in labels if label.endswith("of a <b> & c")] == [
        *(f"{title} of a <b> & c" for title in CURVES),
        "Confusion matrix of a <b> & c",
    ]
    links = [value for name, value in read.attributes if name in ("src", "href", "srcset")]
    assert links == ["data:,"]
    inner = [value for name, value in read.attributes if name == "xlink:href"]
    assert all(value.startswith(("#", "data:image/png;base64,")) for value in inner)
    assert not re.search(r"url\((?!#)|@import|https?://(?!www\.w3\.org)", text)
    assert "script" not in read.tags
    assert "a <b> & c" in read.text
    for row in report.summary():
        assert any(f"{row['mean']:.4f}" in part for part in read.text)


def test_a_page_with_undefined_folds_says_why():
    report = cross_validation_report(GaussianNB(), X[ROWS], Y[ROWS], cv=KFold(5), scoring="gini")
    text = report.to_html()
    assert "undefined in 4 of 5 folds" in text
    assert "1 of 5" in text
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
        told = "no pos_label= said which is positive: Precision and recall, Reliability."
        assert (told in text) == (label is None)
    assert pictures == {None: ["ROC"], "b": list(CURVES)}


def test_picture_of_dots():
    lines = [ChartLine("first", 0.8, 0.7, 0.9, [0.75, 0.85]), ChartLine("base", 0.5, marked=True)]
    picture = dots(lines, "accuracy")
    assert picture.count("<circle") == 2
    assert picture.count('stroke-dasharray="2 3"') == 1
    assert "<title>first: 0.8 [0.7, 0.9]</title>" in picture
    first, base = (float(x) for x in re.findall(r'<circle cx="([0-9.]+)"', picture))
    ends = [
        float(x) for x in re.search(r'x1="([0-9.]+)" x2="([0-9.]+)" y1="22.0"', picture).groups()
    ]
    assert base < ends[0] < first < ends[1]
    assert (first - ends[0]) == pytest.approx(ends[1] - first, abs=0.2)


def test_pictures_without_spread_or_values():
    assert "undefined" in dots([ChartLine("a", float("nan"))], "gini")
    assert dots([ChartLine("a", 1.0), ChartLine("b", 1.0)], "gini").count("<circle") == 2
    assert dots([ChartLine("a", 1e-9, 0.9e-9, 1.1e-9)], "tiny").count("<text") >= 3


def test_cells_are_escaped():
    text = document("<t>", ["<l>"], [html_table(["<h>"], [["<c>"]], caption="<k>")])
    for name in "tlhck":
        assert f"<{name}>" not in text
        assert f"&lt;{name}&gt;" in text


@pytest.fixture(scope="module")
def score_page(tmp_path_factory):
    """The page of ``score --html``, with its number of pictures: those of scores, and a matrix."""
    folder = tmp_path_factory.mktemp("score")
    score = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
    table = np.column_stack([Y, score, score > 0.5])
    np.savetxt(folder / "p.csv", table, delimiter=",", header="truth,p,label", comments="")
    columns = ["--true", "truth", "--score", "p", "--pred", "label", "--resamples", "100"]
    assert main(["score", str(folder / "p.csv"), *columns, "--html", str(folder / "p.html")]) == 0
    return (folder / "p.html").read_text(encoding="utf-8"), len(CURVES) + 1


def opened(text, folder, width):
    """What a browser says of a page: pictures drawn, whether too wide, what it loaded, its log."""
    browser = next(filter(None, map(shutil.which, ("chromium", "chromium-browser"))), None)
    if browser is None:
        pytest.skip("there is no Chromium")
    probe = (
        "<script>addEventListener('load', () => {const r = [...document.querySelectorAll('svg')]"
        ".map(s => s.getBoundingClientRect()); document.title = JSON.stringify({"
        "drawn: r.filter(b => b.width > 200 && b.height > 50).length, "
        "wide: document.documentElement.scrollWidth > innerWidth, "
        "loaded: performance.getEntriesByType('resource').map(e => e.name)"
        ".filter(n => !n.startsWith('data:')).length})})</script>"
    )
    copy = folder / "page.html"
    copy.write_text(text.replace("</body>", f"{probe}</body>"), encoding="utf-8")
    run = subprocess.run(
        [browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--enable-logging=stderr",
         f"--window-size={width},900", f"--user-data-dir={folder / 'profile'}",
         "--virtual-time-budget=2000", "--dump-dom", copy.as_uri()],
        capture_output=True, encoding="utf-8", timeout=120,
    )  # fmt: skip
    title = re.search(r"<title>(.*?)</title>", run.stdout).group(1).replace("&quot;", '"')
    return json.loads(title), ":CONSOLE" in run.stderr


@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_draws_the_report(page, tmp_path, width):
    _, text, report = page
    drawn = len(report.metrics) + len(CURVES) + 1
    assert opened(text, tmp_path, width) == ({"drawn": drawn, "wide": False, "loaded": 0}, False)


@pytest.mark.parametrize("width", [1280, 390])
def test_a_browser_draws_the_scores(score_page, tmp_path, width):
    text, drawn = score_page
    assert opened(text, tmp_path, width) == ({"drawn": drawn, "wide": False, "loaded": 0}, False)


@pytest.mark.parametrize(
    ("fault", "loaded", "logged"),
    [
        ("<script>nothing.here()</script>", 0, True),
        ('<img src="http://127.0.0.1:9/x.png">', 1, False),
    ],
    ids=["console error", "request"],
)
def test_the_browser_would_tell(tmp_path, fault, loaded, logged):
    told, found = opened(document("t", [], [fault]), tmp_path, 390)
    assert (told["loaded"], found) == (loaded, logged)
