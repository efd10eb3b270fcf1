"""Markdown pages: names exist, calls work, links lead to a file, guides keep their shape."""

import inspect
import json
import math
import re
from pathlib import Path

import names
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV
from sklearn.tree import DecisionTreeClassifier
from support.markdown import ROOT, links
from support.public import PUBLIC

import skmetrics_ext

DOCS = ROOT / "docs"
MADE = ("api/", "auto_gallery/")  # pages that the build writes
PAGES = sorted(path for path in DOCS.rglob("*.md") if "auto_gallery" not in path.parts)
GUIDE = sorted(path for path in (DOCS / "guide").glob("*.md") if path.stem != "index")
DEFINITIONS = ROOT / "tests" / "reference" / "data" / "quantities.json"
QUESTIONS = DOCS / "questions.md"
CODE = re.compile(r"`([^`]+)`")


def code_in_tables(page: str) -> list[str]:
    lines = (DOCS / page).read_text(encoding="utf-8").splitlines()
    return [span for line in lines if line.startswith("|") for span in CODE.findall(line)]


def parameters() -> set[str]:
    """Names of the parameters of all public functions."""
    functions = filter(inspect.isfunction, PUBLIC.values())
    return {name for function in functions for name in inspect.signature(function).parameters}


@pytest.mark.parametrize("page", ["which_metric.md", "glossary.md"])
def test_names_of_the_tables_exist(page):
    known = set(PUBLIC) | set(skmetrics_ext.get_scorer_names())
    accepted = parameters()
    found = code_in_tables(page)
    assert len(found) > 80
    for span in found:
        name, is_parameter, _ = span.partition("=")
        assert name in (accepted if is_parameter else known | accepted), f"{page}: {span}"


def test_every_metric_is_in_the_glossary_or_a_variant_of_one_that_is():
    text = (DOCS / "glossary.md").read_text(encoding="utf-8")
    public = [name for name in skmetrics_ext.METRICS if name in skmetrics_ext.__all__]
    missing = {name for name in public if f"`{name}`" not in text}
    # Operating points and gains are named after the rates that they are of.
    named_after = r"_at_|d2_log_loss_score"
    assert {name for name in missing if not re.search(named_after, name)} == set()


@pytest.mark.parametrize(
    "term",
    ["查准率", "查全率", "准确率", "精度", "错误率", "宏平均", "微平均", "加权平均", "真正例",
     "假正例", "真反例", "假反例", "混淆矩阵", "校准", "阈值", "交叉验证", "留出法", "对数损失",
     "调和平均", "平衡点"],
)  # fmt: skip
def test_the_terms_of_chinese_notes_are_in_the_glossary(term):
    assert term in (DOCS / "glossary.md").read_text(encoding="utf-8")


def quantities() -> dict[str, str]:
    """Quantity -> the first code of its call."""
    rows = re.findall(
        r"^\| (.+?) \| .+ \| (?:`([^`]+)`.*) \|$",
        (DOCS / "quantities.md").read_text(encoding="utf-8"),
        re.MULTILINE,
    )
    assert len(rows) == len(dict(rows)), "a quantity has two rows"
    return {name.replace(" ", "_"): call for name, call in rows}


def namespace() -> dict[str, object]:
    """Rows of which every call on the page has an answer."""
    rng = np.random.default_rng(0)
    y_true, pred_a = np.array([0, 1] * 20), np.array([0, 1, 0, 0, 1, 1, 0, 1] * 5)
    score_a, score_b = (np.round((y_true + 2 * rng.random(40)) / 3, 2) for _ in range(2))
    folds = rng.random((2, 10))
    return PUBLIC | {
        "y_true": y_true,
        "y_true_b": y_true,
        "y_pred": pred_a,
        "y_score": score_a,
        "y_proba": score_a,
        "pred_a": pred_a,
        "pred_b": (score_b > 0.5).astype(int),
        "score_a": score_a,
        "score_b": score_b,
        "folds_a": folds[0],
        "folds_b": folds[1],
        "halves_a": folds[0].reshape(5, 2),
        "halves_b": folds[1].reshape(5, 2),
        "data_sets_a": folds[0],
        "data_sets_b": folds[1],
        "table": rng.random((8, 3)),
        "c": 0.5,
        "l": 0.4,
        "m": 0.5,
        "exp": math.exp,
        **dict(zip(("tp", "fp", "fn", "tn"), np.arange(2.0, 6.0), strict=True)),
    }


def test_every_quantity_of_the_reference_tests_has_a_row():
    assert quantities().keys() == json.loads(DEFINITIONS.read_text(encoding="utf-8")).keys()


@pytest.mark.parametrize(("name", "call"), quantities().items())
def test_every_call_of_a_quantity_works(name, call):
    if re.search(r'method="(bootstrap|bca)"', call):
        call = f"{call.removesuffix(')')}, n_resamples=199, random_state=0)"
    found = eval(call, namespace())
    assert found is not None


def questions() -> list[str]:
    return re.findall(r"^\| .+ \| `(sx\..+)` \|$", QUESTIONS.read_text("utf-8"), re.MULTILINE)


def rows_of_questions() -> dict[str, object]:
    """What the calls of the page are asked with."""
    pandas = pytest.importorskip("pandas")
    rng = np.random.default_rng(0)
    y = rng.permutation([0, 1] * 60)
    a, b = (np.round((y + 2 * rng.random(120)) / 3, 2) for _ in range(2))
    site, patient = np.array(["north", "south"] * 60), np.arange(120) // 2
    X = np.column_stack([a, b])
    tree = DecisionTreeClassifier(random_state=0)
    return {
        "sx": skmetrics_ext,
        "y_true": y,
        "y_pred": (a > 0.5).astype(int),
        "y_proba": a,
        "a": a,
        "b": b,
        "patient": patient,
        "site": site,
        "frame": pandas.DataFrame({"y": y, "p": a > 0.5, "s": a, "site": site}).astype({"p": int}),
        "X": X,
        "y": y,
        "models": {"tree": tree},
        "search": GridSearchCV(tree, {"max_depth": [1, 2]}),
    }


@pytest.mark.parametrize("call", questions())
def test_every_call_that_answers_a_question_works(call):
    assert eval(call, rows_of_questions()) is not None


def test_the_index_for_programs_leads_to_pages():
    found = re.findall(r"\]\((\S+)\)", (DOCS / "llms.txt").read_text("utf-8"))
    assert len(found) > 15
    for target in found:
        assert (DOCS / target).exists(), target


def test_links_lead_to_files():
    for page in PAGES:
        for target in links(page):
            place = (page.parent / target).resolve()
            made = place.is_relative_to(DOCS) and place.relative_to(DOCS).as_posix()
            if not (made and made.startswith(MADE)):
                assert place.exists(), f"{page.relative_to(ROOT)}: {target}"


@pytest.mark.parametrize("path", GUIDE, ids=lambda path: path.stem)
def test_a_guide_opens_with_a_question_and_ends_with_mistakes(path: Path):
    text = path.read_text(encoding="utf-8")
    title, question, *_ = (part.strip() for part in text.split("\n\n"))
    assert title.startswith("# ")
    assert "?" in question, question
    headings = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert headings[-1] == "Mistakes that this prevents"
    assert text.rpartition("## ")[2].count("\n- **") >= 3
    assert re.search(r"^!\[[^\]]{20,}\]\(\.\./pictures/", text, re.MULTILINE), "no picture"


def test_guides_are_those_of_the_sections():
    of_sections = {section.guide for section in names.SECTIONS}
    others = {"command_line", "abstention", "leaderboards", "raters", "readers", "small_groups"}
    assert {path.stem for path in GUIDE} == of_sections | others
