"""One call of ours beside the same call of scikit-learn's."""

import re
import warnings

import numpy as np
from sklearn.exceptions import UndefinedMetricWarning
from support.compare import same


def outcome(function, *args, **kwargs):
    """Value, or error; and whether a warning said that the value is undefined."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value, error = function(*args, **kwargs), None
        except (ValueError, TypeError) as raised:
            value, error = None, raised
    unexpected = [w for w in caught if not issubclass(w.category, UserWarning | FutureWarning)]
    undefined = any(issubclass(w.category, UndefinedMetricWarning) for w in caught)
    return value, error, undefined, unexpected


def compare(ours, theirs, *args, rtol=1e-12, told=True, **kwargs):
    """Assert the same value, the same refusal and, if told, the same warning of 0/0."""
    value, error, undefined, unexpected = outcome(ours, *args, **kwargs)
    expected, their_error, their_undefined, _ = outcome(theirs, *args, **kwargs)
    assert not unexpected, unexpected[0]
    if their_error is not None:
        assert error is not None, f"answered {value!r} where scikit-learn raises {their_error!r}"
        return
    assert error is None, f"raised {error!r} where scikit-learn answers {expected!r}"
    equal(value, expected, rtol)
    assert undefined == their_undefined or not told, (
        f"warned {undefined}, scikit-learn {their_undefined}"
    )


def equal(value, expected, rtol):
    """Equal numbers, arrays, dicts or reports.

    In a report scikit-learn prints the number of rows as a float where the weights are integers
    or no row is predicted rightly; we never do.
    """
    if isinstance(expected, dict):
        assert list(value) == list(expected)
        for key in expected:
            equal(value[key], expected[key], rtol)
    elif isinstance(expected, str):
        texts = [
            re.sub(r"  (\d+)\.0$", r"    \1", t, flags=re.MULTILINE) for t in (value, expected)
        ]
        assert texts[0] == texts[1]
    elif isinstance(expected, tuple) and value is not None:
        for one, other in zip(value, expected, strict=True):
            equal(one, other, rtol)
    elif isinstance(expected, np.ndarray) and expected.dtype.kind in "iu":
        np.testing.assert_array_equal(value, expected)
    else:
        same(value, expected, rtol=rtol, atol=1e-13)
