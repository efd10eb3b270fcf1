"""Formulas as MathML, which browsers draw themselves: the pages load nothing from elsewhere."""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from latex2mathml.converter import convert


# TP is one name, not T times P.
ABBREVIATION = re.compile(r"(?<![A-Za-z\\])[a-z]*[A-Z]{2,}")


def _mathml(formula: str, display: str) -> str:
    # The converter does not know \arg.
    formula = formula.replace(r"\arg", r"\operatorname{arg}")
    return convert(ABBREVIATION.sub(r"\\text{\g<0>}", formula), display=display)


def _inline(writer: Any, node: nodes.math) -> None:
    writer.body.append(f'<span class="math">{_mathml(node.astext(), "inline")}</span>')
    raise nodes.SkipNode


def _block(writer: Any, node: nodes.math_block) -> None:
    formula = _mathml(" ".join(node.astext().split()), "block")
    writer.body.append(f'<div class="math">{formula}</div>')
    raise nodes.SkipNode


def setup(app: Any) -> dict[str, Any]:
    """Register the renderer."""
    app.add_html_math_renderer("mathml", inline_renderers=(_inline, None),
                               block_renderers=(_block, None))  # fmt: skip
    app.config.html_math_renderer = "mathml"
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
