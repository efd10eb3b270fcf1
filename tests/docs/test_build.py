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
from names import HOMES
from support.markdown import ROOT

import skmetrics_ext

NEEDED = ("sphinx", "numpydoc", "myst_parser", "sphinx_gallery", "pydata_sphinx_theme",
          "sphinx_copybutton", "latex2mathml", "matplotlib")  # fmt: skip
MADE = shutil.ignore_patterns("api", "auto_gallery", "_build", "__pycache__")
SPHINX = (sys.executable, "-m", "sphinx", "-D", "plot_gallery=0")
SKLEARN = "https://scikit-learn.org/stable/modules/generated/"
# What the pages need beside docs/ itself.
BESIDE = ("CHANGELOG.md", "CONTRIBUTING.md", "README.md", "README.zh.md")


class Links(HTMLParser):
    """What a page links to and what can be linked to in it."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.targets: set[str] = set()
        self.anchors: set[str] = {"", "top"}
        self.loaded: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        self.targets |= {value for key in ("href", "src") if (value := given.get(key))}
        if tag not in ("a", "link") or given.get("rel") == "stylesheet":
            self.loaded |= {value for key in ("href", "src") if (value := given.get(key))}
        self.anchors |= {value for key in ("id", "name") if (value := given.get(key))}


def build(copy: Path) -> Path:
    """The built site, from a copy that holds no page of an earlier build.

    Its examples are shown and not run, which tests/docs/test_gallery.py does.
    """
    shutil.copytree(ROOT / "docs", copy / "docs", ignore=MADE)
    for name in BESIDE:
        shutil.copy(ROOT / name, copy / name)
    place = copy / "site"
    package = Path(skmetrics_ext.__file__).parents[1]
    run = subprocess.run(
        [*SPHINX, "-W", "--keep-going", "-q", "-b", "html", "docs", place],
        cwd=copy,
        env=os.environ | {"PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        check=False,
    )
    assert run.returncode == 0, run.stderr[-5000:]
    return place


def read(site: Path) -> dict[Path, Links]:
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


def loaded_from_elsewhere(pages: dict[Path, Links]) -> set[str]:
    """Scripts, pictures and styles that a page would fetch over the network."""
    return {url for page in pages.values() for url in page.loaded if urlsplit(url).netloc}


# One test, so that the site is built once however many processes share the tests.
@pytest.mark.slow
@pytest.mark.skipif(
    any(find_spec(name) is None for name in NEEDED),
    reason="the site needs the docs extra: pip install 'skmetrics-ext[docs]'",
)
def test_the_site(tmp_path):
    site = build(tmp_path)
    pages = read(site)
    assert len(pages) > 180
    assert not sorted(broken(site, pages))
    assert not loaded_from_elsewhere(pages)
    for name, home in HOMES.items():
        assert f"{home}.{name}" in pages[site / "api" / f"{name}.html"].anchors, name
    # Names of the decision table are links, and shared names lead to scikit-learn.
    decisions = pages[site / "which_metric.html"].targets
    assert {"api/roc_auc_score.html", "api/expected_cost.html", "api/log_loss.html"} <= decisions
    assert f"{SKLEARN}sklearn.metrics.f1_score.html" in {
        target.partition("#")[0] for target in pages[site / "api" / "f1_score.html"].targets
    }


def test_a_broken_link_and_a_broken_anchor_are_found(tmp_path):
    (tmp_path / "b.html").write_text('<p id="here">', encoding="utf-8")
    (tmp_path / "a.html").write_text(
        '<a href="b.html#here"></a><a href="b.html#there"></a><img src="c.png">'
        '<script src="https://example.org/x.js"></script>',
        encoding="utf-8",
    )
    pages = read(tmp_path)
    assert sorted(broken(tmp_path, pages)) == [
        "a.html: b.html#there: no such anchor",
        "a.html: c.png: no such file",
    ]
    assert loaded_from_elsewhere(pages) == {"https://example.org/x.js"}
