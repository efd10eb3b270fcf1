"""Examples of the gallery run with warnings as errors, and their pictures are saved whole."""

from __future__ import annotations

import warnings
from typing import Any

_saved: list[Any] = []


def warnings_are_errors(gallery_conf: Any, name: str, when: str) -> None:
    """Before an example every warning is an error; after it things are as they were."""
    if when == "before":
        import matplotlib as mpl

        mpl.rcParams["savefig.bbox"] = "tight"  # titles that were set later are not cut off
        _saved.append(warnings.filters[:])
        warnings.simplefilter("error")
        # The gallery looks for each class at the top level, where results are deprecated.
        warnings.filterwarnings("ignore", category=DeprecationWarning, module="sphinx_gallery")
    elif _saved:
        warnings.filters[:] = _saved.pop()
        warnings._filters_mutated()  # type: ignore[attr-defined]
