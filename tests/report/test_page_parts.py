"""The parts of a report's page, each against the folds and rows that it shows."""

import html
import re
from importlib.metadata import PackageNotFoundError
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import KFold, RepeatedStratifiedKFold
from sklearn.naive_bayes import GaussianNB

from skmetrics_ext import cross_validation_report, f1_score, roc_auc_score
from skmetrics_ext.report import fold
from skmetrics_ext.report.page import document as page_document
from skmetrics_ext.report.page.document import document, section
from tests.report.test_findings import Given
from tests.report.test_page import data_of

RNG = np.random.default_rng(0)
N = 90
X, Y = RNG.random((N, 6)), np.arange(N) % 2


def report_of(models=None, **options):
    if models is None:
        models = {f"m{k}": Given(k) for k in range(5)}
    elif isinstance(models, int):
        models = {f"m{k}": Given(k) for k in range(models)}
    options = {"cv": KFold(3), "scoring": ["roc_auc", "neg_brier_score", "recall"]} | options
    return cross_validation_report(models, options.pop("X", X), options.pop("y", Y), **options)


def part_of(page, title):
    """HTML of a section, without its pictures."""
    part = re.split(rf"<h2>{title}</h2>", page)[1]
    part = re.split(r"<(?:section|details) id=|</main>", part)[0]
    return re.sub(r"<svg.*?</svg>", "", part, flags=re.DOTALL)


def tables_of(part):
    """Cells of each table, by row."""
    tables = re.findall(r"<table>.*?</table>", part, flags=re.DOTALL)
    return [
        [
            re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row)
            for row in re.findall(r"<tr.*?</tr>", table, flags=re.DOTALL)
        ]
        for table in tables
    ]


@pytest.fixture(scope="module")
def noise():
    report = report_of()
    return report, report.to_html()


def test_findings_are_sentences_by_model_and_the_kinds_are_explained_below(noise):
    report, page = noise
    part = part_of(page, "Findings")
    rows = report.findings()
    told = [html.unescape(text) for text in re.findall(r"<li[^>]*>(.*?)</li>", part)]
    assert told == str(rows).splitlines()
    models = [row.model for row in rows]
    assert [text.split(",")[0] for text in told] == sorted(models, key=models.index)
    opened, folded = part.split("<details>")
    assert opened.count("<li") == 12
    assert f"<summary>{len(rows) - 12} more</summary>" in folded
    assert '<li data-metric="ROC AUC" data-model="m0">m0, ROC AUC: not distinguishable' in opened
    codes = dict.fromkeys(row.code for row in rows)
    assert re.findall(r"<dt>.*?<code>(\w+)</code></dt>", part) == [*codes]
    assert "False-alarm rate in simulations: 22.5 %." in part
    assert "False-alarm rate in simulations: 11.5 %." in part
    listed = re.search(r"<p>Findings: (.*?)\.</p>", page)[1]
    assert listed.startswith("no better than baseline (ROC AUC of m0, ")
    assert "; within noise (ROC AUC of " in listed


def test_facts_have_no_rate_of_false_alarms_and_may_concern_all_models():
    page = report_of(1, X=X[:24], y=Y[:24], scoring="recall").to_html()
    part = part_of(page, "Findings")
    few = part.split("<code>few_rows</code>")[1].split("<code>")[0]
    assert "False-alarm" not in few
    assert '<ul class="findings"><li>Test folds with fewer than 10 rows' in part
    assert "few rows; " in page.split("<p>Findings: ")[1].split("</p>")[0]
    good = np.column_stack([np.where(Y, 0.9, 0.1) + RNG.random(N) / 20])
    quiet = report_of({"good": Given(0)}, X=good, scoring="roc_auc").to_html()
    assert "<p>Findings: none.</p>" in quiet
    assert "<h2>Findings</h2>" not in quiet


def test_a_model_has_one_row_with_all_metrics(noise):
    report, page = noise
    (head, *rows), *_ = tables_of(part_of(page, "Models"))
    names = ["ROC AUC", "Brier score", "Recall"]
    assert head == ["model", *names, "fit (s)"]
    assert [row[0] for row in rows] == list(report.models)
    times = {m: np.mean([r.fit_time for r in report.results_of(m)]) for m in report.models}
    summary = {(row.model, row.metric): row for row in report.summary()}
    for row in rows:
        for cell, metric, sign in zip(row[1:4], report.metrics, (1, -1, 1), strict=True):
            own = summary[row[0], metric]
            ends = sorted((sign * own.low, sign * own.high))
            assert cell.startswith(f"{sign * own.value:.3f} [{ends[0]:.3f}, {ends[1]:.3f}]")
        assert row[4] == f"{times[row[0]]:.3f}"
    brier = re.search(r'aria-label="Brier score.*?</svg>', page, re.DOTALL)[0]
    ticks = [float(x) for x in re.findall(r'text-anchor="middle">([-.\d]+)<', brier)]
    assert 0.1 <= min(ticks) <= max(ticks) <= 0.5  # as the values of the folds
    captions = re.findall(r"<figcaption>(.*?)</figcaption>", part_of(page, "Models"))
    assert captions == ["ROC AUC", "Brier score (lower is better)", "Recall"]


def test_the_page_shows_requirements_and_what_it_was_made_from():
    report = report_of(2, scoring=["roc_auc", "neg_log_loss"])
    limits = ["roc_auc.value>=0", "m0/roc_auc - m1/roc_auc >= -1"]
    page = report.to_html(requirements=limits, source="rows <1>.csv, target y")
    (head, *rows), *_ = tables_of(part_of(page, "Requirements"))
    assert (head[0], head[-1]) == ("requirement", "verdict")
    assert [row[-1] for row in rows] == ["pass"] * 3
    assert "<p>Requirements: 3 of 3 met.</p>" in page
    footer = html.unescape(re.search(r"<footer>(.*?)</footer>", page)[1])
    assert re.fullmatch(
        r"rows <1>\.csv, target y; \d{1,2} [A-Z]\w+ 20\d\d; skmetrics_ext [\d.a-z+]*", footer
    )
    assert "<h2>Requirements</h2>" not in report.to_html()


def test_undefined_folds_are_counted_out_of_the_defined_ones():
    order = np.argsort(Y, kind="stable")
    report = report_of(1, X=X[order], y=Y[order])
    page = report.to_html()
    (head, *rows), *_ = tables_of(part_of(page, "Models"))
    own = dict(zip(head, rows[0], strict=True))
    assert "(2 undefined)" in own["ROC AUC"]
    assert "undefined" not in own["Brier score"]
    assert "pooled out-of-fold estimates" not in page.lower()
    pooled = report_of(1, interval="pooled").to_html()
    assert "<summary>Pooled out-of-fold estimates</summary>" in pooled
    assert "Dot: metric of the pooled predictions." in pooled
    assert "Dot: mean over folds." in page


def test_overlaid_curves_have_the_look_of_their_model(noise):
    _, page = noise
    overlaid = re.findall(
        r'<div class="chart" data-chart="(\w+)".*?<ul class="legend">(.*?)</ul>', page, re.DOTALL
    )
    assert [kind for kind, _ in overlaid] == ["roc", "precision_recall"]
    for _, legend in overlaid:
        names = re.findall(r'data-model="(\w+)".*?look-(\d)', legend, re.DOTALL)
        assert names == [(f"m{k}", str(k)) for k in range(5)]
    roc = page.split('data-chart="roc"')[1].split("</svg>")[0]
    assert re.findall(r'<polyline class="(\w+) look-(\d)"', roc) == [
        ("line", str(k)) for k in range(5)
    ]
    assert "polygon" not in roc
    own = page.split("<summary>Folds of m1</summary>")[1].split("</svg>")[0]
    assert own.count('<polyline class="fold') == 3
    assert own.count("<polygon") == 1
    assert "Reliability pools the probabilities of all folds; bars: 95 % intervals." in page
    assert "data-chart" not in own
    areas = [roc_auc_score(Y[test], X[test, 1]) for _, test in KFold(3).split(X)]
    assert f"AUC {np.mean(areas):.4f} [" in page.split("<summary>Folds of m1")[1].split("</ul>")[0]
    assert "baseline" not in "".join(legend for _, legend in overlaid)
    many = report_of({f"m{k}": Given(k % 5) for k in range(9)}, scoring="roc_auc").to_html()
    looks = many.split('data-chart="roc"')[1].split('class="legend"')[1].split("</ul>")[0]
    assert re.findall(r"look-(\d)", looks) == [*"012345670"]


def test_counts_at_thresholds_are_those_of_the_rows():
    report = report_of(2)
    page = report.to_html()
    first, second = (table for table in tables_of(part_of(page, "Thresholds and confusion matr.*")))
    head, *rows = second
    assert head[:6] == ["threshold", "TP", "FP", "FN", "TN", "Precision"]
    shown = (0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95)
    assert [row[0] for row in rows] == [f"{threshold:g}" for threshold in shown]
    for row, threshold in zip(rows, shown, strict=True):
        said = X[:, 1] >= threshold
        counts = [(said & (Y == 1)), (said & (Y == 0)), (~said & (Y == 1)), (~said & (Y == 0))]
        assert row[1:5] == [str(count.sum()) for count in counts]
        assert row[head.index("F1")] == f"{f1_score(Y, said):.4f}"
    assert first[1][0] == "0.01"
    held = data_of(page)["thresholds"]
    assert held["labels"] == ["0", "1"]
    assert [one["model"] for one in held["models"]] == ["m0", "m1"]
    for one in held["models"]:
        assert one["total"] == [45, 45]
        assert one["t"][one["start"]] == 0.5
        assert len(one["t"]) <= 101 + 100
        for values in one["values"].values():
            assert all(value is None or value == round(value, 4) for value in values)
    assert "A row counts once for each time" not in page


@pytest.mark.parametrize("weight", [None, np.full(N, 2.0)])
def test_rows_that_are_predicted_twice_are_told(weight):
    folds = RepeatedStratifiedKFold(n_splits=3, n_repeats=2, random_state=0)
    page = report_of({"bayes": GaussianNB()}, cv=folds, sample_weight=weight).to_html()
    assert ("A row counts once for each time it was predicted." in page) == (weight is None)
    whole = 90 if weight is None else 180
    (one,) = data_of(page)["thresholds"]["models"]
    assert one["total"] == [whole, whole]
    thirds = report_of({"bayes": GaussianNB()}, sample_weight=np.full(N, 1 / 3)).to_html()
    (one,) = data_of(thirds)["thresholds"]["models"]
    for counts in (one["tp"], one["fp"]):
        assert counts == [round(count, 6) for count in counts]


def test_values_that_are_undefined_are_missing_for_the_script():
    page = report_of({"half": DummyClassifier()}, baseline=None, scoring="neg_log_loss").to_html()
    (one,) = data_of(page)["thresholds"]["models"]
    last = one["t"].index(1.0)
    assert one["tp"][last] == one["fp"][last] == 0
    assert one["values"]["Precision"][last] is None
    assert one["values"]["Recall"][last] == 0
    assert one["values"]["Recall"][0] == 1


def test_meanings_of_metrics_are_those_of_the_package():
    def own(model, X, y):
        return 0.5

    page = report_of(1, scoring={"area": "roc_auc", "loss": "neg_log_loss", "mine": own}).to_html()
    part = part_of(page, "Details")
    assert re.findall(r"<dt>(\w+) <code>(\w+)</code></dt>", part) == [
        ("area", "area"),
        ("loss", "loss"),
    ]
    facts = dict(re.findall(r'<div data-metric="(\w+)"><dt>.*?</dt>(.*?)</div>', part))
    assert "<dd>From 0 to 1, higher is better; reads the order of scores.</dd>" in facts["area"]
    assert facts["area"].startswith("<dd>Area under the ROC curve: chance that a positive row")
    assert "<dd>Undefined: a class has no rows.</dd>" in facts["area"]
    assert "<dd>With pos_label=1.</dd>" in facts["area"]
    assert "<dd>From 0 to inf, lower is better; reads probabilities.</dd>" in facts["loss"]
    kept = report_of(1, scoring={"mine": own}).to_html()
    assert "<summary>Metrics</summary>" not in kept


@pytest.mark.parametrize("n_classes", [4, 5])
def test_reliability_of_many_classes_is_that_of_the_top_label(n_classes):
    y = np.arange(N) % n_classes
    page = report_of({"bayes": GaussianNB()}, y=y, scoring="neg_log_loss").to_html()
    legend = page.split('"Reliability of ')[1].split('<ul class="legend">')[1].split("</ul>")[0]
    named = re.findall(r"<span>(.*?) <small>ECE", legend)
    assert named == ([f"class {k}" for k in range(4)] if n_classes == 4 else ["top label"])


def test_what_is_left_out_is_told_with_the_reason():
    y = np.arange(N) % 3
    page = report_of({"bayes": GaussianNB()}, y=y, scoring="neg_log_loss").to_html()
    left = page.split("<summary>Left out</summary>")[1].split("</details>")[0]
    assert re.findall(r'<p class="note">(.*?)</p>', left) == [
        "Threshold: needs probabilities of two classes, one of them positive.",
        "Confusion matrices: need predicted labels, one class per row.",
    ]
    assert data_of(page)["thresholds"] is None
    whole = report_of(1).to_html()
    assert "<summary>Left out</summary>" not in whole
    assert "<h2>Comparison of the models</h2>" in whole
    assert "<h2>Comparison of the models</h2>" not in report_of(1, baseline=None).to_html()


def test_the_title_names_the_models_unless_they_are_many():
    def title(*names):
        page = report_of({name: Given(0) for name in names}, scoring="recall").to_html()
        return re.search("<title>(.*?)</title>", page)[1]

    assert title("a", "b") == "Cross-validation of a, b"
    assert title("a" * 39, "b" * 39) == f"Cross-validation of {'a' * 39}, {'b' * 39}"
    assert title("a" * 39, "b" * 40) == "Cross-validation of 2 models"


def test_data_of_a_page_hold_no_nan():
    assert page_document.embedded({"a": [1.5, None], "b": "</x>&"}) == (
        '{"a":[1.5,null],"b":"\\u003c/x\\u003e\\u0026"}'
    )
    with pytest.raises(ValueError, match="not JSON compliant"):
        page_document.embedded({"a": float("nan")})


def test_contents_shorten_long_titles():
    titles = ["word " * 9 + "abc", "word " * 9 + "abcd", "<short>"]
    text = document("title", [], [section(titles[0], "x"), None, section(titles[1], "", ""),
                                  section(titles[1], "y", is_folded=True),
                                  section(titles[2], "", "z")])  # fmt: skip
    contents = re.findall(r'<li><a href="#(part-\d)">(.*?)</a></li>', text)
    assert contents == [
        ("part-0", titles[0]),
        ("part-1", "word word word word word word word word word …"),
        ("part-2", "&lt;short&gt;"),
    ]
    assert f'<section id="part-0"><h2>{titles[0]}</h2>\nx</section>' in text
    assert f'<details id="part-1"><summary><h2>{titles[1]}</h2></summary>\ny</details>' in text
    assert "<nav" not in document("title", [], [])
    assert '<p class="lead">&lt;a&gt;</p>' in document("title", ["<a>"], [])


@pytest.mark.parametrize(
    ("addresses", "found"),
    [
        (
            ["Source, https://s.example", "Documentation, https://d.example/x/"],
            "https://d.example/x",
        ),
        (["Source, https://s.example"], ""),
        (None, ""),
        ("missing", ""),
    ],
)
def test_the_address_of_the_documentation_is_that_of_the_package(monkeypatch, addresses, found):
    def metadata(name):
        assert name == "skmetrics-ext"
        if addresses == "missing":
            raise PackageNotFoundError(name)
        return SimpleNamespace(get_all={"Project-URL": addresses}.get)

    monkeypatch.setattr(page_document, "metadata", metadata)
    assert page_document._documentation.__wrapped__() == found
    monkeypatch.setattr(page_document, "_documentation", lambda: found)
    linked = f'<a href="{found}/guide/a_b.html#c">Guide: a-b</a>' if found else "Guide: a-b"
    assert page_document.guide("a_b", "c") == linked


def test_seconds_are_those_between_the_start_the_fit_and_the_scores(monkeypatch):
    clock = iter([1.0, 3.0, 7.0, 10.0, 10.5, 10.75])
    monkeypatch.setattr(fold, "time", SimpleNamespace(perf_counter=lambda: next(clock)))
    report = report_of(1, cv=KFold(2), baseline=None)
    assert [(r.fit_time, r.score_time) for r in report.results] == [(2, 4), (0.5, 0.25)]
