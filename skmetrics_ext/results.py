"""Public result classes, each imported on first use; ``results.pyi`` lists them."""

from functools import partial
from typing import Any

from skmetrics_ext._lazy import lazy_names, places_in_stub, renamed

_RENAMED = {
    "Rows": "Table",
    **dict.fromkeys(("GroupGaps", "ManyComparisons", "WorstGroup"), "Estimates"),
}
_get, __dir__ = lazy_names(__name__, partial(places_in_stub, __name__))


def __getattr__(name: str) -> Any:
    return _get(renamed(__name__, name, _RENAMED))
