"""The hot loops behind the tallies, behind one small interface.

Codes are int64 from 0 to ``n_classes - 1``, scores are finite floats, weights are ``None`` (counts
come back as int64), int64 or float64. Codes of no class and columns of several lengths are
refused; what else is wrong, the layers above have refused. Each function below has the same
meaning in every implementation, and answers or refuses alike. The NumPy one is the reference and
has them all; the native one (C++) has those that gain by it, and is there where the package was
built with a compiler. The environment
variable ``SKMETRICS_EXT_KERNELS`` asks for one by name.
"""

from __future__ import annotations

import os
from importlib import import_module, util

from skmetrics_ext.kernels import _numpy

all_finite = _numpy.all_finite
bin_sums = _numpy.bin_sums
class_counts = _numpy.class_counts
confusion = _numpy.confusion
encode = _numpy.encode
pair_wins = _numpy.pair_wins
placements = _numpy.placements
rank_table = _numpy.rank_table
ranked_precision = _numpy.ranked_precision
ranked_steps = _numpy.ranked_steps
ranked_wins = _numpy.ranked_wins
resampled_wins = _numpy.resampled_wins
types = _numpy.types
value_range = _numpy.value_range

_INTERFACE = _numpy.__all__
# A third implementation (an array library, a GPU) is a module and a line here; what is on a
# device would come to it from validation/tensors.py, before it is moved to the host.
_MODULES = {"numpy": "skmetrics_ext.kernels._numpy", "native": "skmetrics_ext.kernels._native"}
_VARIABLE = "SKMETRICS_EXT_KERNELS"
_active = "numpy"

__all__ = ["active", "available", "use", *_INTERFACE]


def available() -> tuple[str, ...]:
    """Names of the implementations that this installation has.

    Examples
    --------
    >>> from skmetrics_ext import kernels
    >>> "numpy" in kernels.available()
    True
    """
    built = util.find_spec("skmetrics_ext.kernels._compiled") is not None
    return ("numpy", "native") if built else ("numpy",)


def active() -> str:
    """Name of the implementation that runs: "native" where it was built, else "numpy".

    The native one is built when the package is installed where a C++ compiler is found. An
    installation without it says nothing, for its numbers are the same: ask here. Installing again
    with ``pip install --force-reinstall --no-cache-dir`` where there is a compiler builds it.

    Examples
    --------
    >>> from skmetrics_ext import kernels
    >>> kernels.active() in kernels.available()
    True
    """
    return _active


def use(name: str) -> None:
    """Let another implementation run, in the whole process: for tests and benchmarks.

    Parameters
    ----------
    name : {"native", "numpy"}
        One of `available`.

    Raises
    ------
    ValueError
        If there is no such implementation.
    ImportError
        If this installation was built without it.
    """
    global _active
    if name not in _MODULES:
        raise ValueError(f"{_VARIABLE} must be one of {tuple(_MODULES)}, got {name!r}.")
    if name not in available():
        raise ImportError(
            f"The {name} kernels were not built: install skmetrics_ext again where a C++ compiler "
            f"is found, or set {_VARIABLE}=numpy."
        )
    module = import_module(_MODULES[name])
    for function in _INTERFACE:
        globals()[function] = getattr(module, function, getattr(_numpy, function))
    _active = name


use(os.environ.get(_VARIABLE) or available()[-1])
