"""Generated samples for any metric: by what it reads and by kind of problem."""

from dataclasses import dataclass, replace
from functools import cache, partial

import numpy as np
from hypothesis import strategies as st

KINDS = ("binary", "multiclass", "multilabel", "graded")
# Kinds whose rows have a mark, or a grade of relevance, for each label.
OF_LABELS = ("multilabel", "graded")


@dataclass(frozen=True)
class Sample:
    """True labels, what a model answered, and weights.

    Every class (and both marks of every output) is true in one of the first rows, so that
    no row but those decides which classes there are.
    """

    kind: str
    n_classes: int
    true: np.ndarray
    response: np.ndarray
    weight: np.ndarray | None = None

    def __len__(self):
        return len(self.true)

    def take(self, rows):
        weight = None if self.weight is None else self.weight[rows]
        return replace(self, true=self.true[rows], response=self.response[rows], weight=weight)

    def weighted(self, weight):
        return replace(self, weight=weight)


@cache
def integers(low, high, shape):
    """An array of integers from ``low`` to ``high``; in one of four most are the same.

    All of it is one choice of Hypothesis, of bytes: a choice for each cell takes ten times as
    long. Bytes of 0 are what it makes failing examples of, here integers as near to 0 as may be.
    """
    size = next(size for size in (1, 4, 8) if high - low < 2 ** (8 * size))
    simple = max(low, min(high, 0))

    def array(drawn):
        parts = np.frombuffer(drawn, f">u{size}", offset=1)
        if drawn[0] >= 192:
            parts = np.where(parts >> (8 * size - 2), parts[:1], parts)
        parts = (parts >> (size == 8)).astype(np.int64)
        return (low + (parts + simple - low) % (high - low + 1)).reshape(shape)

    n_bytes = 1 + size * int(np.prod(shape))
    return st.binary(min_size=n_bytes, max_size=n_bytes).map(array)


def orders(n_rows):
    """Numbers of rows in any order."""
    return integers(0, 255, n_rows).map(partial(np.argsort, kind="stable"))


@cache
def grid_scores(shape):
    """Scores on a coarse grid, so that many tie; both signs."""
    return integers(-6, 6, shape).map(lambda values: values / 8)


@st.composite
def probabilities(draw, n_rows, n_classes):
    parts = draw(integers(0, 6, (n_rows, n_classes))) + np.eye(n_classes)[np.arange(n_rows) % 2]
    return parts / parts.sum(axis=1, keepdims=True)


@cache
def weights(n_rows):
    """Multiples of 1/8, whose sums are exact: a share that is 0/0 stays 0/0."""
    return integers(1, 40, n_rows).map(lambda values: values / 8)


@st.composite
def samples(draw, response, kind, weighted=False, max_rows=10):
    """A sample of one kind for metrics of "labels", "scores" or "probabilities"."""
    n_classes = 2 if kind == "binary" else draw(st.integers(3, 4))
    forced = 2 if kind in OF_LABELS else n_classes
    n_rows = forced + draw(st.integers(0, max_rows))
    if kind in OF_LABELS:
        shape = (n_rows, n_classes)
        true = draw(integers(0, 1 if kind == "multilabel" else 3, shape))
        true[0], true[1] = 0, 1
    else:
        shape = (n_rows,) if kind == "binary" else (n_rows, n_classes)
        true = draw(integers(0, n_classes - 1, n_rows))
        true[:n_classes] = np.arange(n_classes)
    if response == "labels":
        own = draw(
            integers(0, 1, shape) if kind in OF_LABELS else integers(0, n_classes - 1, n_rows)
        )
    elif response == "scores":
        own = draw(grid_scores(shape))
    elif kind == "multiclass":
        own = draw(probabilities(n_rows, n_classes))
    else:
        own = draw(integers(0, 16, shape)) / 16
    weight = draw(weights(n_rows)) if weighted else None
    return Sample(kind, n_classes, true, own, weight)
