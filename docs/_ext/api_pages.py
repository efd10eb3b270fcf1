"""Write the API pages from the public names and the registry: one page for each name."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import facts
import skmetrics_ext
from names import HOMES, Section, is_class, public, sections

KEEP = {"backreferences", "sklearn.inv"}


def own_members(thing: type) -> list[str]:
    """Public methods and properties that this package wrote and documented."""
    found = []
    for name in dir(thing):
        if name.startswith("_"):
            continue
        owner = next((base for base in thing.__mro__ if name in vars(base)), None)
        if owner is None or not owner.__module__.startswith("skmetrics_ext"):
            continue
        raw = inspect.getattr_static(thing, name)
        member = getattr(raw, "__func__", getattr(raw, "fget", raw))
        if inspect.isfunction(member) and member.__doc__:
            found.append(name)
    return found


def summary(name: str) -> str:
    """The first paragraph of the documentation."""
    if name == "METRICS":
        return "The registry: one `MetricSpec` per metric, by the name of its function."
    doc = inspect.getdoc(public(name)) or ""
    return " ".join(doc.split("\n\n")[0].split())


def page(name: str) -> str:
    """The page of a public name."""
    table = "\n".join(f"   * - {left}\n     - {right}" for left, right in facts.rows(name))
    thing = public(name)
    lines = [
        name, "=" * len(name), "",
        ".. list-table::", "   :class: facts", "   :stub-columns: 1", "   :widths: 1 4", "",
        table, "",
        f".. currentmodule:: {HOMES[name]}", "",
    ]  # fmt: skip
    if name == "METRICS":
        lines += [".. py:data:: METRICS", "", f"   {summary(name)}", "", scorer_table()]
    elif is_class(thing):
        lines += [f".. autoclass:: {name}"]
        members = own_members(thing)
        if members:
            lines += [f"   :members: {', '.join(members)}"]
    else:
        lines += [f".. autofunction:: {name}"]
    lines += ["", f".. minigallery:: {HOMES[name]}.{name}", ""]
    return "\n".join(lines)


def link(name: str) -> str:
    """A link to the page of a public name, whose text is the name alone."""
    return f":py:obj:`{name} <{HOMES[name]}.{name}>`"


def scorer_table() -> str:
    """Every row of the registry in short."""
    lines = [
        ".. list-table::", "   :header-rows: 1", "   :class: wide", "",
        "   * - function", "     - range", "     - undefined where", "     - scorers",
    ]  # fmt: skip
    for spec in skmetrics_ext.METRICS.values():
        scorers = ", ".join(f"``{name}``" for name in spec.scorers) or "none"
        low, high = map(facts.number, spec.bounds)
        own = spec.name in skmetrics_ext.__all__  # else it is asked for by name
        link = f":func:`{spec.name}`" if own else f":func:`{spec.name} <confusion_statistic>`"
        lines += [
            f"   * - {link}", f"     - {low} to {high}",
            f"     - {spec.undefined}", f"     - {scorers}",
        ]  # fmt: skip
    return "\n".join(lines)


def index() -> str:
    """The list of all names by section."""
    lines = [
        "API", "===", "",
        "Every public name, by task. The facts above each metric (range, direction, scorers, "
        "intervals) come from the registry, :data:`~skmetrics_ext.METRICS`.", "",
        "Looking for a quantity by its definition? :doc:`/quantities` maps more than 170 to calls.", "",
        ".. currentmodule:: skmetrics_ext", "",
        ".. toctree::", "   :hidden:", "", "   /quantities", "",
    ]  # fmt: skip
    for section, names in sections().items():
        lines += [section.title, "-" * len(section.title), "", section.about]
        lines += [f"The guide: :doc:`/guide/{section.guide}`.", ""]
        lines += [".. list-table::", "   :class: names", "   :widths: 2 3", ""]
        for name in names:
            lines += [f"   * - {link(name)}", f"     - {summary(name)}"]
        lines += [""]
    pages = [f"   {task_page(section)}" for section in sections()]
    return "\n".join([*lines, ".. toctree::", "   :hidden:", "", *pages, ""])


def task_page(section: Section) -> str:
    """The name of the page of a task, under which the sidebar lists its names."""
    return "task_" + re.sub(r"\W+", "_", section.title.lower())


def task(section: Section, names: list[str]) -> str:
    """The page of a task."""
    table = [f"   * - {link(name)}\n     - {summary(name)}" for name in names]
    lines = [
        section.title, "=" * len(section.title), "",
        f"{section.about} The guide: :doc:`/guide/{section.guide}`.", "",
        ".. currentmodule:: skmetrics_ext", "",
        ".. list-table::", "   :class: names", "   :widths: 2 3", "", *table, "",
        ".. toctree::", "   :hidden:", "", *(f"   {name}" for name in names), "",
    ]  # fmt: skip
    return "\n".join(lines)


def write(folder: Path) -> None:
    """Write what changed, and remove pages of names that are gone."""
    pages = {"index.rst": index()}
    pages |= {f"{task_page(one)}.rst": task(one, names) for one, names in sections().items()}
    pages |= {f"{name}.rst": page(name) for names in sections().values() for name in names}
    folder.mkdir(exist_ok=True)
    for path in folder.iterdir():
        if path.name not in pages and path.name not in KEEP:
            path.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")


def setup(app: Any) -> dict[str, Any]:
    """Write the pages before Sphinx looks for them."""
    app.connect("config-inited", lambda app, config: write(Path(app.srcdir) / "api"))
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
