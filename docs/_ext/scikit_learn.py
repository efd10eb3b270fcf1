"""An inventory of the installed scikit-learn, for links to its pages where there is no network."""

from __future__ import annotations

import importlib
import inspect
import zlib
from pathlib import Path
from typing import Any

PLACE = "api/sklearn.inv"
MODULES = (
    "calibration", "datasets", "dummy", "exceptions", "linear_model", "metrics",
    "model_selection", "naive_bayes", "pipeline",
)  # fmt: skip


def entries() -> list[str]:
    """A line for each public class and function; their pages are named after them."""
    found = []
    for part in MODULES:
        module = importlib.import_module(f"sklearn.{part}")
        for name, thing in sorted(vars(module).items()):
            own = getattr(thing, "__module__", "").startswith(f"sklearn.{part}")
            if own and not name.startswith("_"):
                kind = "class" if inspect.isclass(thing) else "function"
                full = f"sklearn.{part}.{name}"
                found.append(f"{full} py:{kind} 1 modules/generated/{full}.html#$ -")
    return found


def inventory() -> bytes:
    """The file that intersphinx reads."""
    from sklearn import __version__

    head = "# Sphinx inventory version 2\n# Project: scikit-learn\n"
    head += f"# Version: {__version__}\n# The remainder of this file is compressed using zlib.\n"
    return head.encode() + zlib.compress("\n".join([*entries(), ""]).encode())


def write(app: Any, config: Any) -> None:
    """Write it before intersphinx looks for it."""
    path = Path(app.srcdir) / PLACE
    path.parent.mkdir(exist_ok=True)
    path.write_bytes(inventory())


def setup(app: Any) -> dict[str, Any]:
    """Connect."""
    app.connect("config-inited", write)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
