"""The hot loops of the tallies, behind one small interface.

Codes are int64 from 0 to ``n_classes - 1``, scores are finite floats, weights are ``None`` (counts
are int64), int64 or float64. `tabulate` alone reads labels in their own type, and is None where
codes are better. Invalid codes and columns of unequal lengths are refused; all other checks are
done in the layers above. Every implementation gives the same results and errors. The NumPy one is
the reference and complete; the native one (C++), available if the package was built with a
compiler, has the functions that gain from it. The environment variable ``SKMETRICS_EXT_KERNELS``
selects one by name.
"""

from __future__ import annotations

import os
from importlib import import_module, util

from skmetrics_ext.kernels import _numpy
from skmetrics_ext.kernels._numpy import *  # noqa: F403 - the interface, which `use` rebinds

# A third implementation (an array library, a GPU) takes a module and a line here; it would receive
# tensors from validation/tensors.py before they are moved to the host.
_MODULES = {"numpy": "skmetrics_ext.kernels._numpy", "native": "skmetrics_ext.kernels._native"}
_VARIABLE = "SKMETRICS_EXT_KERNELS"
_active = "numpy"

__all__ = ["active", "available", "use", *_numpy.__all__]


def available() -> tuple[str, ...]:
    """Names of the implementations in this installation.

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

    The native one is built on installation if a C++ compiler is found. Without it the numbers are
    the same, so there is no warning. ``pip install --force-reinstall --no-cache-dir`` with a
    compiler builds it.

    Examples
    --------
    >>> from skmetrics_ext import kernels
    >>> kernels.active() in kernels.available()
    True
    """
    return _active


def use(name: str) -> None:
    """Switch the implementation in the whole process, for tests and benchmarks.

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
    for function in _numpy.__all__:
        globals()[function] = getattr(module, function, getattr(_numpy, function))
    _active = name


use(os.environ.get(_VARIABLE) or available()[-1])
