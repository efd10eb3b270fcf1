"""Calls of public functions as they should not be, drawn at random."""

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse

from skmetrics_ext import METRICS
from support.compare import listed
from support.layouts import layouts_of


def _set(values, row, value):
    values = values.astype(np.result_type(values, np.asarray(value)))
    values[:1] = value
    return values


def _object(values, *replaced):
    own = np.empty(len(values), dtype=object)
    own[:] = values.tolist()
    own[: len(replaced)] = replaced[: len(own)]
    return own


NAMES = np.array(["b", "a", "c", "é" * 9])
FAR = np.array([2**62, -(2**62), 5, 2**53 + 1])
# y_true, or labels as y_pred, from codes below 2 or 3.
LABELS = {
    "codes": lambda codes: codes,
    "uint8": lambda codes: codes.astype(np.uint8),
    "int16": lambda codes: codes.astype(np.int16) - 1,
    "uint64": lambda codes: codes.astype(np.uint64) + np.uint64(2**63),
    "far apart": lambda codes: FAR[codes],
    "booleans": lambda codes: codes > 0,
    "floats": lambda codes: codes.astype(np.float32),
    "fractions": lambda codes: codes + 0.5,
    "missing": lambda codes: _set(codes.astype(float), 0, np.nan),
    "text": lambda codes: NAMES[codes],
    "bytes": lambda codes: NAMES[codes % 3].astype("S"),
    "objects of text": lambda codes: _object(NAMES[codes]),
    "objects of numbers": lambda codes: _object(codes),
    "text and None": lambda codes: _object(NAMES[codes], None),
    "text and number": lambda codes: _object(NAMES[codes], 1),
    "unhashable": lambda codes: _object(codes, [1], [2]),
    "dates": lambda codes: codes.astype("M8[D]"),
    "complex": lambda codes: codes + 1j,
    "one class": np.zeros_like,
    "none": lambda codes: codes[:0],
    "one row": lambda codes: codes[:1],
    "one row fewer": lambda codes: codes[:-1],
    "a matrix": lambda codes: np.stack([codes, codes[::-1]], axis=1),
    "marks": lambda codes: np.stack([codes == k for k in range(3)], axis=1).astype(int),
    "one column": lambda codes: codes[:, None],
    "a number": lambda codes: codes.max(initial=0),
    "list": lambda codes: codes.tolist(),
    "masked": lambda codes: np.ma.masked_equal(codes, 1),
    "sparse column": lambda codes: sparse.csr_array(codes[:, None]),
    "sparse marks": lambda codes: sparse.coo_array(np.stack([codes, codes], axis=1) % 2),
}
# Scores or probabilities, from a column in [0, 1] or a row of them for each class.
SCORES = {
    "floats": lambda scores: scores,
    "float32": lambda scores: scores.astype(np.float32),
    "float16": lambda scores: scores.astype(np.float16),
    "long double": lambda scores: scores.astype(np.longdouble),
    "decisions": lambda scores: scores * 8 - 4,
    "ties": lambda scores: np.round(scores * 2) / 2,
    "large": lambda scores: scores * 1e308,
    "tiny": lambda scores: scores * 5e-324,
    "integers": lambda scores: (scores * 9).astype(np.int64),
    "large integers": lambda scores: (scores * 9).astype(np.int64) + 2**60,
    "uint64": lambda scores: (scores * 9).astype(np.uint64) + np.uint64(2**63),
    "booleans": lambda scores: scores > 0.5,
    "nan": lambda scores: _set(scores, 0, np.nan),
    "infinity": lambda scores: _set(scores, 0, -np.inf),
    "text": lambda scores: scores.astype("U4"),
    "objects": lambda scores: scores.astype(object),
    "objects and None": lambda scores: _set(scores.astype(object), 0, None),
    "complex": lambda scores: scores + 1j,
    "dates": lambda scores: (scores * 9).astype("M8[s]"),
    "none": lambda scores: scores[:0],
    "one row fewer": lambda scores: scores[:-1],
    "one column": lambda scores: scores.reshape(len(scores), -1)[:, :1],
    "two columns": lambda scores: np.stack([1 - scores, scores], axis=1),
    "a number": lambda scores: scores.mean(),
    "list": lambda scores: scores.tolist(),
    "masked": lambda scores: np.ma.masked_greater(scores, 0.8),
    "sparse": lambda scores: sparse.csr_array(np.atleast_2d(scores)),
}
WEIGHTS = {
    "eighths": lambda drawn: drawn / 8,
    "counts": lambda drawn: drawn,
    "uint8": lambda drawn: drawn.astype(np.uint8),
    "large counts": lambda drawn: drawn + 2**56,
    "too large counts": lambda drawn: drawn + 2**62,
    "uint64": lambda drawn: drawn.astype(np.uint64) + np.uint64(2**63),
    "large": lambda drawn: drawn * 1e307,
    "tiny": lambda drawn: drawn * 5e-324,
    "float32": lambda drawn: drawn.astype(np.float32) / 8,
    "booleans": lambda drawn: drawn > 4,
    "zeros": np.zeros_like,
    "negative": lambda drawn: drawn - 3,
    "nan": lambda drawn: _set(drawn / 8, 0, np.nan),
    "infinity": lambda drawn: _set(drawn / 8, 0, np.inf),
    "objects": lambda drawn: _object(drawn),
    "text": lambda drawn: drawn.astype("U2"),
    "one row fewer": lambda drawn: drawn[:-1],
    "one column": lambda drawn: drawn[:, None],
    "a number": lambda drawn: 2,
    "list": lambda drawn: drawn.tolist(),
    "masked": lambda drawn: np.ma.masked_equal(drawn, 3),
    "sparse": lambda drawn: sparse.csr_array(drawn[:, None]),
}


@dataclass
class Call:
    """A function, its arguments, and what was done to them."""

    name: str
    arguments: list[Any]
    options: dict[str, Any]
    told: str

    def answer(self):
        """The value as nested lists of numbers, or the type of the error."""
        try:
            return listed(METRICS[self.name].function(*self.arguments, **self.options))
        except Exception as error:
            return type(error)


def draw_call(rng):
    """A call of any metric; most arguments are as they should be."""
    name = rng.choice(list(METRICS))
    spec = METRICS[name]
    n_rows, n_classes = int(rng.integers(1, 12)), int(rng.integers(2, 4))
    told = [f"{n_rows} rows of {n_classes} classes"]

    def drawn(table, values, odd):
        kind = rng.choice(list(table)) if rng.random() < odd else next(iter(table))
        found = table[kind](values)
        told.append(kind)
        if isinstance(found, np.ndarray) and type(found) is np.ndarray and found.ndim:
            layouts = layouts_of(found)
            layout = rng.choice(list(layouts))
            if found.dtype.kind not in "M":
                found = layouts[layout](found)
                told.append(layout)
        return found

    codes = rng.integers(0, n_classes, n_rows)
    arguments = [drawn(LABELS, codes, 0.5)]
    if spec.response == "labels":
        same = rng.random() < 0.5  # in the words of y_true
        other = rng.integers(0, n_classes, n_rows)
        arguments.append(drawn({0: LABELS[told[1]]} if same else LABELS, other, 0.5))
    else:
        columns = np.round(rng.dirichlet(np.ones(n_classes), n_rows) * 64) / 64
        columns[:, 0] += 1 - columns.sum(axis=1)
        arguments.append(drawn(SCORES, columns[:, 1] if n_classes == 2 else columns, 0.5))
    options = {**spec.params, **rng.choice([*spec.variants.values()] or [{}])}
    if rng.random() < 0.5:
        options["sample_weight"] = drawn(WEIGHTS, rng.integers(0, 9, n_rows), 0.7)
    return Call(name, arguments, options, ", ".join(map(str, told)))
