"""What a door said: numbers, an error of ours, or one that must not leave the package."""

import re
import warnings
from dataclasses import dataclass

import numpy as np

from skmetrics_ext.validation import InvalidParameterError

from .doors import numbers

_MOST = 8  # disagreements that a failure shows


@dataclass(frozen=True)
class Refused:
    """An error of ours."""

    said: str

    def __str__(self):
        return f"refuses: {self.said[:200]}"

    def names(self, names):
        """Whether it tells which argument is wrong."""
        return any(re.search(rf"\b{re.escape(name)}(?!\w)", self.said) for name in names)


@dataclass(frozen=True)
class Crashed:
    """Any other error, and a warning of the arithmetic."""

    said: str

    def __str__(self):
        return f"crashes: {self.said[:200]}"


def heard(ask, arguments):
    """The numbers of a call, or why there are none."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.simplefilter("ignore", UserWarning)
        try:
            return np.array(numbers(ask(**arguments)))
        except InvalidParameterError as error:
            return Refused(str(error))
        except Exception as error:
            return Crashed(f"{type(error).__name__}: {error}")


def as_expected(got, right):
    """Whether both are refused, or both are the same numbers."""
    if isinstance(right, np.ndarray) and isinstance(got, np.ndarray):
        close = {"rtol": 1e-9, "atol": 1e-12, "equal_nan": True}
        return got.shape == right.shape and np.allclose(got, right, **close)
    return type(got) is type(right) is Refused


def check(wrong, about=""):
    """Assert that nothing is wrong, and show some of it."""
    shown = "\n  ".join(map(str, wrong[:_MOST]))
    assert not wrong, f"{about}: {len(wrong)} answers are wrong:\n  {shown}"
