"""Comparisons of values that may be numbers, arrays, tuples or tables."""

import warnings
from contextlib import contextmanager

import numpy as np


def same(got, expected, rtol=1e-9, atol=1e-12):
    """Assert equality up to rounding; nan equals nan, and shapes have to agree."""
    if isinstance(expected, tuple):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            same(one, other, rtol, atol)
        return
    if expected is None:
        assert got is None
        return
    assert np.shape(got) == np.shape(expected), (got, expected)
    np.testing.assert_allclose(got, expected, rtol=rtol, atol=atol, equal_nan=True)


def listed(found):
    """An answer of any form as nested lists."""
    if isinstance(found, dict):
        return [[str(key), listed(value)] for key, value in found.items()]
    if isinstance(found, tuple | list):
        return [listed(part) for part in found]
    return found.tolist() if isinstance(found, np.ndarray | np.generic) else found


def alike(found, expected):
    """Whether nested lists hold the same, numbers up to rounding; types of errors are equal."""
    if isinstance(found, list) and isinstance(expected, list):
        return len(found) == len(expected) and all(map(alike, found, expected))
    if isinstance(found, float) and isinstance(expected, float):
        return bool(np.isclose(found, expected, rtol=1e-9, atol=1e-12, equal_nan=True))
    return found is expected or found == expected


def identical(got, expected):
    """Assert equal arrays of one dtype."""
    got, expected = np.asarray(got), np.asarray(expected)
    assert got.dtype == expected.dtype, (got.dtype, expected.dtype)
    np.testing.assert_array_equal(got, expected)


@contextmanager
def undefined_allowed():
    """Warnings about undefined ratios pass; a RuntimeWarning of the arithmetic does not."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        yield
