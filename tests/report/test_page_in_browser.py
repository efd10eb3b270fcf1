"""What a browser makes of the pages: drawn, quiet, within the window, and alive."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler
from support import browser as browsing
from support.command_line import main

from skmetrics_ext import cross_validation_report

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(browsing.path() is None, reason="there is no Chromium on this machine"),
]
X, Y = load_breast_cancer(return_X_y=True)
X = StandardScaler().fit_transform(X)[:, :8]
LONG = "a model whose name tells each of its parameters, max_features_of_every_split=0.5, seed=0"
PAGE = "<!doctype html><html lang='en'><title>t</title><body>{}</body></html>"
OUTSIDE = """[...document.querySelectorAll("body *")]
  .filter((e) => !e.closest(".wide") && e.getBoundingClientRect().right > %d + 1).length"""
OPEN = "document.querySelectorAll('details').forEach((part) => { part.open = true; })"
CELLS = """[...document.querySelectorAll("#part-0 tbody tr")]
  .map((row) => row.cells[%d].textContent)"""


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    with browsing.Browser(tmp_path_factory.mktemp("browser")) as started:
        yield started


@pytest.fixture(scope="module")
def report():
    models = {LONG: LogisticRegression(), "</script><b>": GaussianNB()}
    scoring = ["roc_auc", "f1", "balanced_accuracy", "neg_log_loss"]
    return cross_validation_report(models, X, Y, cv=3, scoring=scoring, random_state=0)


@pytest.fixture(scope="module")
def page(report, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "report.html"
    report.to_html(path)
    return path


@pytest.fixture(scope="module")
def score_page(tmp_path_factory):
    """The page of ``score --html``."""
    folder = tmp_path_factory.mktemp("score")
    score = GaussianNB().fit(X, Y).predict_proba(X)[:, 1]
    table = np.column_stack([Y, score, score > 0.5])
    np.savetxt(folder / "p.csv", table, delimiter=",", header="truth,p,label", comments="")
    columns = ["--true", "truth", "--score", "p", "--pred", "label", "--resamples", "100"]
    assert main(["score", str(folder / "p.csv"), *columns, "--html", str(folder / "p.html")]) == 0
    return folder / "p.html"


def asked_elsewhere(browser):
    return [url for url in browser.requests if not url.startswith(("file:", "data:"))]


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
@pytest.mark.parametrize("width", [1440, 390])
@pytest.mark.parametrize("name", ["page", "score_page"])
def test_a_page_is_quiet_and_within_the_window(browser, request, name, width, scripts):
    browser.open(request.getfixturevalue(name), width, scripts=scripts)
    assert not browser.log
    assert not asked_elsewhere(browser)
    assert browser.ask("document.documentElement.scrollWidth") == width
    assert browser.ask(OUTSIDE % width) == 0
    assert browser.ask("document.querySelectorAll('main svg[role=img]').length") >= 3


@pytest.mark.parametrize("name", ["page", "score_page"])
def test_a_phone_shows_every_number_of_a_table(browser, request, name):
    browser.open(request.getfixturevalue(name), 390)
    browser.ask(OPEN)
    tables = "[...document.querySelectorAll('.wide')].filter((box) => !box.closest('.matrix'))"
    assert browser.ask(f"{tables}.length") >= 1
    assert browser.ask(f"{tables}.filter((b) => b.scrollWidth > b.clientWidth + 1).length") == 0
    cut = "(td) => td.getBoundingClientRect().right > document.documentElement.clientWidth + 1"
    assert browser.ask(f"[...document.querySelectorAll('.wide td')].filter({cut}).length") == 0
    titled = "(td) => td.dataset.title && getComputedStyle(td, '::before').content !== 'none'"
    numbers = "[...document.querySelectorAll('.stacked td:not(.text)')]"
    assert browser.ask(f"{numbers}.length") == browser.ask(f"{numbers}.filter({titled}).length") > 5


def test_a_click_and_a_key_sort_a_table(browser, page, report):
    browser.open(page)
    rows = [row for row in report.summary() if row.metric == "f1"]
    means = [f"{row.value:.3f} [{row.low:.3f}, {row.high:.3f}]" for row in rows]
    button = "document.querySelectorAll('#part-0 thead th')[2].querySelector('button')"
    browser.ask(f"{button}.click()")
    falling = sorted(means, key=lambda text: -float(text.split()[0]))
    assert browser.ask(CELLS % 2) == falling
    browser.ask(f"{button}.focus()")
    browser.press("Enter", 13, "\r")
    assert browser.ask(CELLS % 2) == falling[::-1]
    heading = "document.querySelectorAll('#part-0 thead th')[2].getAttribute('aria-sort')"
    assert browser.ask(heading) == "ascending"


def test_models_and_a_metric_are_chosen(browser, page, report):
    browser.open(page)
    browser.ask(OPEN)
    browser.ask("document.querySelectorAll('#choose input')[0].click()")
    shown = """[...document.querySelectorAll("#part-0 tbody tr")]
      .filter((row) => row.offsetParent !== null).map((row) => row.cells[0].textContent)"""
    others = [model for model in report.models if model != LONG]
    assert browser.ask(shown) == others
    select = "document.querySelector('#choose select')"
    browser.ask(f"{select}.value = 'F1'; {select}.dispatchEvent(new Event('change'))")
    assert browser.ask(shown) == others
    heads = "[...document.querySelectorAll('#part-0 thead th')]"
    heads += ".filter((cell) => cell.offsetParent !== null).map((cell) => cell.textContent)"
    assert browser.ask(heads) == ["model", "F1", "fit (s)"]
    lines = "[...document.querySelectorAll('[data-chart] polyline.line')]"
    lines += ".filter((e) => e.checkVisibility())"
    assert browser.ask(f"{lines}.map((e) => e.dataset.model)") == ["</script><b>"] * 2


def test_the_slider_moves_counts_and_metrics(browser, page, report):
    browser.open(page)
    browser.ask(OPEN)
    own = report.predictions[LONG]
    score, true = own.responses["predict_proba"][:, 1], Y[own.rows]
    found = {}
    for threshold in (0.5, 0.2):
        move = f"""(() => {{
          const range = document.getElementById("slide-threshold");
          const steps = JSON.parse(document.getElementById("data").textContent).thresholds;
          range.value = steps.models[0].t.indexOf({threshold});
          range.dispatchEvent(new Event("input"));
          return [...document.querySelectorAll("#slide td")].map((td) => td.innerText);
        }})()"""
        mark = score >= threshold
        cells = [
            np.count_nonzero((mark == said) & (true == is_true))
            for is_true in (0, 1)
            for said in (False, True)
        ]
        found[threshold] = browser.ask(move)
        assert [int(text.split()[0]) for text in found[threshold][:4]] == cells
        recall = np.count_nonzero(mark & (true == 1)) / np.count_nonzero(true == 1)
        assert found[threshold][5] == f"{recall:.4f}"
    assert found[0.5] != found[0.2]


def test_the_pointer_and_the_arrows_read_the_curves(browser, page, report):
    browser.open(page)
    browser.ask("document.querySelector('nav a[href=\"#part-2\"]').click()")  # opens the curves
    svg = "document.querySelector('[data-chart=roc] svg')"
    browser.ask(f"{svg}.focus()")
    browser.press("ArrowRight", 39)
    said = "document.querySelector('[data-chart=roc] ~ .legend output').textContent"
    shown = report[LONG].plot("roc").columns()
    mean = shown["fold"] == "mean"
    at = np.interp(0.11, shown["fpr"][mean], shown["tpr"][mean])
    assert float(browser.ask(said)) == pytest.approx(at, abs=1e-3)
    place = (
        f"(() => {{const b = {svg}.getBoundingClientRect(); return [b.left, b.top, b.width]}})()"
    )
    browser.ask(f"{svg}.scrollIntoView()")
    left, top, width = browser.ask(place)
    x = left + (50 + 0.5 * 338) / 400 * width
    browser.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=top + 50)
    assert browser.ask("document.querySelector('[data-chart=roc] + .readout').textContent")[
        -4:
    ] == ("0.50")


def test_all_is_printed(browser, page, report):
    """What is folded or left out by a choice stands on paper."""
    browser.open(page)
    browser.ask("document.querySelectorAll('#choose input')[0].click()")
    browser.call("Emulation.setEmulatedMedia", media="print")
    seen = "[...document.querySelectorAll('main td')].filter((e) => !e.closest('#slide'))"
    hidden = f"{seen}.filter((e) => !e.checkVisibility({{contentVisibilityAuto: true}})).length"
    assert browser.ask(f"{seen}.length") > 100
    assert browser.ask(hidden) == 0
    # Chromium repeats a heading on every sheet only if no cell of it holds a box.
    button = "getComputedStyle(document.querySelector('th button')).display"
    assert browser.ask(button) == "contents"
    browser.call("Emulation.setEmulatedMedia", media="")


# Of text that is small: the least contrast of WCAG 2.2, level AA.
CONTRAST = """(() => {
  const context = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
  const parts = (colour) => {
    context.clearRect(0, 0, 1, 1);
    context.fillStyle = colour;
    context.fillRect(0, 0, 1, 1);
    return context.getImageData(0, 0, 1, 1).data;
  };
  const light = (colour) => {
    const [r, g, b] = [...parts(colour)].map((c) => c / 255)
      .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const behind = (element) => {
    for (let e = element; e !== null; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (parts(colour)[3] === 255) return colour;
    }
    return "white";
  };
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  return [...document.querySelectorAll("body *:not(script, style, svg, svg *)")]
    .filter((e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.data.trim() !== ""))
    .map((e) => [ratio(light(getComputedStyle(e).color), light(behind(e))), e.textContent])
    .filter(([found]) => found < 4.5).map(([found, text]) => `${found} ${text.slice(0, 40)}`);
})()"""


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_text_is_read_on_its_ground(browser, page, dark):
    browser.open(page, dark=dark)
    assert browser.ask("getComputedStyle(document.body).backgroundColor") == (
        "rgb(22, 24, 27)" if dark else "rgb(255, 255, 255)"
    )
    assert browser.ask(CONTRAST) == []


@pytest.mark.parametrize(
    "fault",
    ["<script>nothing.here()</script>", '<img alt="" src="http://127.0.0.1:9/x.png">'],
    ids=["console error", "request"],
)
def test_the_browser_would_tell(browser, tmp_path, fault):
    path = tmp_path / "page.html"
    path.write_text(PAGE.format(fault), encoding="utf-8")
    browser.open(path, 390)
    assert browser.log or asked_elsewhere(browser)


def test_the_browser_would_tell_what_is_too_wide(browser, tmp_path):
    path = tmp_path / "page.html"
    path.write_text(PAGE.format('<p style="width:600px">wide</p>'), encoding="utf-8")
    browser.open(path, 390)
    assert browser.ask(OUTSIDE % 390) >= 1
