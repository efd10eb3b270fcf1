"""The site builds from a copy without warnings, and every link and anchor of it leads somewhere."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from support.markdown import ROOT

import skmetrics_ext

NEEDED = ("sphinx", "numpydoc", "myst_parser", "sphinx_gallery", "pydata_sphinx_theme",
          "sphinx_copybutton", "latex2mathml", "matplotlib")  # fmt: skip
MADE = shutil.ignore_patterns("api", "auto_gallery", "_build", "__pycache__")
# What the pages need beside docs/ itself.
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "README.zh.md")

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        any(find_spec(name) is None for name in NEEDED),
        reason="the site needs the docs extra: pip install 'skmetrics-ext[docs]'",
    ),
]


class Links(HTMLParser):
    """What a page links to and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = {"", "top"}
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.targets |= {value for key in ("href", "src") if (value := given.get(key))}
        self.anchors |= {value for key in ("id", "name") if (value := given.get(key))}


@pytest.fixture(scope="module")
def site(tmp_path_factory) -> Path:
    """The built site, from a copy that holds no page of an earlier build."""
    copy = tmp_path_factory.mktemp("copy")
    shutil.copytree(ROOT / "docs", copy / "docs", ignore=MADE)
    for name in BESIDE:
        shutil.copy(ROOT / name, copy / name)
    place = copy / "site"
    package = Path(skmetrics_ext.__file__).parents[1]
    run = subprocess.run(
        [sys.executable, "-m", "sphinx", "-W", "--keep-going", "-q", "-b", "html", "docs", place],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-5000:]
    return place


@pytest.fixture(scope="module")
def pages(site) -> dict[Path, Links]:
    found = (path for path in site.rglob("*.html") if "_static" not in path.parts)  # templates
    return {path: Links(path.read_text(encoding="utf-8")) for path in found}


def broken(site: Path, pages: dict[Path, Links]) -> Iterator[str]:
    for page, found in pages.items():
        for target in found.targets:
            parts = urlsplit(target)
            if parts.scheme or parts.netloc:
                continue
            place = (page.parent / unquote(parts.path)).resolve() if parts.path else page
            where = f"{page.relative_to(site)}: {target}"
            if not place.exists():
                yield f"{where}: no such file"
            elif place in pages and unquote(parts.fragment) not in pages[place].anchors:
                yield f"{where}: no such anchor"


def test_internal_links_and_anchors(site, pages):
    assert len(pages) > 180
    assert not sorted(broken(site, pages))


def test_each_public_name_has_a_page_with_its_documentation(site, pages):
    for name in skmetrics_ext.__all__:
        page = pages[site / "api" / f"{name}.html"]
        assert f"skmetrics_ext.{name}" in page.anchors, name


def test_names_of_the_decision_table_are_links(site, pages):
    targets = pages[site / "which_metric.html"].targets
    assert {"api/roc_auc_score.html", "api/expected_cost.html", "api/log_loss.html"} <= targets


def test_shared_names_link_to_scikit_learn(site, pages):
    targets = pages[site / "api" / "f1_score.html"].targets
    assert any(t.startswith("https://scikit-learn.org/stable/modules/generated") for t in targets)


def test_pages_load_nothing_from_elsewhere(pages):
    class Loaded(HTMLParser):
        def handle_starttag(self, tag, attrs):
            given = dict(attrs)
            url = given.get("src") or (given.get("href") if tag == "link" else None)
            rel = given.get("rel") or ""
            if url and rel not in ("canonical", "author"):
                assert not urlsplit(url).netloc, url

    for page in pages:
        Loaded().feed(page.read_text(encoding="utf-8"))
