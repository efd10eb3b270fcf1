"""Public names in code font become links to their pages, in Markdown and docstrings alike.

Sources stay plain Markdown, and a page cannot name a function without leading to it.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from names import HOMES, sections

# A name alone, perhaps of the package; else the first public name that is called. A method of
# something else (`report.compare()`) is not the function of that name.
ALONE = re.compile(r"(?:(?:sx|skmetrics_ext)\.)?(?:(?:results|tallies)\.)?(\w+)")
CALLED = re.compile(r"(?<![\w.])(?:(?:sx|skmetrics_ext)\.)?(?:(?:results|tallies)\.)?(\w+)\(")


def public_name(text: str) -> str | None:
    """The public name that a piece of code is about."""
    alone = ALONE.fullmatch(text)
    found = [alone[1]] if alone else CALLED.findall(text)
    return next((name for name in found if name in PAGES), None)


def link(app: Any, tree: nodes.document, docname: str) -> None:
    """Wrap each such piece of code in a link, but on its own page and inside other links."""
    for literal in list(tree.findall(nodes.literal)):
        name = public_name(literal.astext())
        target = f"api/{name}"
        if name is None or target == docname or _inside(literal, nodes.reference, nodes.title):
            continue
        uri = app.builder.get_relative_uri(docname, target)
        reference = nodes.reference("", "", internal=True, refuri=uri)
        literal.replace_self(reference)
        reference += literal


def resolve(app: Any, env: Any, node: Any, text: Any) -> Any:
    """A reference to a public name of another module, such as `Estimate` from a function's page."""
    target = node.get("reftarget", "").removeprefix("skmetrics_ext.")
    home = HOMES.get(target.partition(".")[0])
    if node.get("refdomain") != "py" or home is None:
        return None
    python = env.get_domain("py")
    place = node.get("refdoc", env.docname)
    return python.resolve_xref(env, place, app.builder, "obj", f"{home}.{target}", node, text)


def trim(app: Any, tree: nodes.document) -> None:
    """Take off the empty line that a doctest in Markdown needs before the end of its block."""
    for block in tree.findall(nodes.literal_block):
        if block.rawsource == block.astext():
            text = block.rawsource.rstrip()
            block.rawsource, block.children = text, [nodes.Text(text)]


def _inside(node: Any, *kinds: type) -> bool:
    while node.parent is not None:
        node = node.parent
        if isinstance(node, kinds):
            return True
    return False


PAGES = {name for names in sections().values() for name in names}


def setup(app: Any) -> dict[str, Any]:
    """Connect; links are made after references were resolved."""
    app.connect("doctree-read", trim)
    app.connect("missing-reference", resolve)
    app.connect("doctree-resolved", link, priority=900)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
