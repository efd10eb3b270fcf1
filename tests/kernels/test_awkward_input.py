"""Input that kernels are not made for: both answer or refuse alike, and nothing crashes."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from support.compare import alike, listed
from support.layouts import layouts_of, records

from skmetrics_ext import kernels
from skmetrics_ext.kernels import _numpy

if "native" not in kernels.available():
    pytest.skip("the native kernels are not built", allow_module_level=True)

from skmetrics_ext.kernels import _native


@pytest.fixture(scope="module", autouse=True)
def implementation():
    """Both run in every test here."""
    before = kernels.active()
    yield
    kernels.use(before)


ROWS = st.integers(0, 9)
SCORE_TYPES = ["f8", "f4", "i8", "f2", "u1", ">f8", "?", "U2", "O", "c16", "M8[s]", "g"]
CODE_TYPES = ["i8", "i8", "i8", "i4", "u1", "f8", ">i8", "?", "O", "u8"]
WEIGHT_TYPES = ["f8", "i8", "f4", "u8", "i4", "?", "O", ">f8"]
HARD = [0.0, -0.0, 1.0, 2.5, -3.0, 5e-324, 1e308, -1e308, np.nan, np.inf, -np.inf]
LARGE = [0, 1, 2, 5, 2**31, 2**53 + 1, 2**62, 2**63 - 1]


CLASSES = (
    [0, 1, 2],
    [-5, 3, 300],
    [2**62, -(2**62), 0],
    ["a", "bb", ""],
    [0.5, 1.0],
    [True, False],
)
OBJECTS = (
    ["a", "b", None],
    [float("nan"), 1.0, float("nan"), 2],
    [1, True, 1.0, 0],
    [(1,), (0,)],
    [[1], 2],
    ["a", "a\0"],
)
MATRICES = {
    "C": np.ascontiguousarray,
    "F": np.asfortranarray,
    "reversed": lambda values: values[::-1, ::-1],
    "records": records,
    "integers": lambda values: as_type(values, "i8"),
    "one column": lambda values: values[:, 0],
    "a third axis": lambda values: values[:, :, None],
    "strided": lambda values: np.repeat(np.repeat(values, 2, axis=0), 3, axis=1)[::2, ::3],
}
SHAPES = {
    "column": lambda values: values,
    "one row fewer": lambda values: values[:-1],
    "matrix": lambda values: np.stack([values, values], axis=1),
    "number": lambda values: np.asarray(values[0] if len(values) else 0, dtype=values.dtype),
    "masked": lambda values: np.ma.masked_array(values, mask=np.arange(len(values)) == 1),
    "sparse": lambda values: sparse.csr_array(np.atleast_2d(np.zeros(len(values))).T),
    "list": lambda values: values.tolist(),
}


def column(draw, values, dtypes, n_rows, odd):
    """A column in some layout; where ``odd``, of another type, shape or length than is right."""
    dtype = draw(st.sampled_from(dtypes)) if odd else dtypes[0]
    listed = draw(st.lists(st.sampled_from(values), min_size=n_rows, max_size=n_rows))
    made = as_type(np.array(listed), dtype)
    made = drawn_layout(draw, made)
    return SHAPES[draw(st.sampled_from(sorted(SHAPES)))](made) if odd else made


def drawn_layout(draw, values):
    layouts = layouts_of(values)
    return layouts[draw(st.sampled_from(sorted(layouts)))](values)


def as_type(values, dtype):
    with np.errstate(all="ignore"):
        if dtype == "M8[s]":
            return np.zeros(len(values), dtype="i8").astype(dtype)
        if np.dtype(dtype).kind in "iu?" and values.dtype.kind == "f":
            values = np.nan_to_num(values, posinf=9, neginf=-9).clip(-9, 9)
        return values.astype(dtype)


@st.composite
def calls(draw):
    """A kernel and arguments, most of which are what it is made for."""
    name = draw(st.sampled_from(sorted(ARGUMENTS)))
    n_rows = draw(ROWS)
    return name, ARGUMENTS[name](Drawn(draw, n_rows))


class Drawn:
    """Arguments of a call: at most one of them is odd, and codes may be of no class."""

    def __init__(self, draw, n_rows):
        self.draw, self.n_rows = draw, n_rows
        self.odd = draw(st.integers(0, 5))  # the position of the odd one, beyond the last: none
        self.at = 0

    def column(self, values, dtypes):
        self.at += 1
        return column(self.draw, values, dtypes, self.n_rows, self.at == self.odd)

    def score(self):
        return self.column(self.draw(st.sampled_from([HARD[:5], HARD])), SCORE_TYPES)

    def codes(self, n_classes=2):
        outside = self.draw(st.sampled_from([[], [], [n_classes], [-1], [-(2**63)], [2**63 - 1]]))
        return self.column([*range(n_classes), *outside], CODE_TYPES)

    def weight(self):
        kind = self.draw(st.sampled_from(["none", "float", "int"]))
        if kind == "none":
            return None
        if kind == "float":
            return self.column([x for x in HARD if not x < 0], WEIGHT_TYPES)
        return self.column(self.draw(st.sampled_from([LARGE[:4], LARGE])), ["i8", *WEIGHT_TYPES])

    def number(self):
        return self.draw(st.sampled_from([3, 3, 3, 1, 0, -1, 70, 2.0, None, np.int64(3), 2**40]))


def ranking(drawn):
    return drawn.score(), drawn.codes(), drawn.weight()


def table(drawn):
    n_classes = drawn.number()
    return drawn.score(), drawn.codes(3), n_classes, drawn.weight()


def pairs(drawn):
    _, codes, n_classes, weight = table(drawn)
    values = drawn.draw(st.sampled_from([HARD[:5], HARD]))
    shape = (drawn.n_rows, drawn.draw(st.sampled_from([3, 3, 3, 2, 4])))
    cells = drawn.draw(st.lists(st.sampled_from(values), min_size=40, max_size=40))
    matrix = as_type(np.resize(cells, shape), drawn.draw(st.sampled_from(["f8", "f4", "f2"])))
    return MATRICES[drawn.draw(st.sampled_from(sorted(MATRICES)))](matrix), codes, n_classes, weight


def labels(drawn):
    values = drawn.draw(st.sampled_from(CLASSES))
    own = np.array(values).dtype.str
    types = {"U": [own, "U9", ">U2", "O", "S3"], "f": [own, "f4", "O"], "b": [own, "O", "i8"]}
    dtypes = types.get(np.dtype(own).kind, [own, "i4", "u1", "i2", "u8", "O", ">i8", "u4", "f8"])
    return tuple(drawn.column(values, dtypes) for _ in range(drawn.draw(st.integers(1, 2))))


def objects(drawn):
    values = drawn.draw(st.sampled_from(OBJECTS))
    columns = []
    for _ in range(drawn.draw(st.integers(1, 2))):
        own = np.empty(drawn.n_rows, dtype=object)
        own[:] = [drawn.draw(st.sampled_from(values)) for _ in range(drawn.n_rows)]
        columns.append(drawn_layout(drawn.draw, own))
    return tuple(columns)


def drawing(drawn):
    n_draws = drawn.draw(st.sampled_from([3, 0, -1, 2.0, None, 2**62]))
    return drawn.codes(), drawn.codes(4), n_draws, drawn.draw(st.booleans())


ARGUMENTS = {
    "all_finite": lambda drawn: (drawn.score(),),
    "binned_events": lambda drawn: (drawn.codes(), drawn.score(), np.array([0.25, 0.5])),
    "class_counts": lambda drawn: (drawn.codes(3), drawn.codes(3), drawn.number(), drawn.weight()),
    "confusion": lambda drawn: (drawn.codes(3), drawn.codes(3), drawn.number(), drawn.weight()),
    "encode": labels,
    "encode of objects": objects,
    "largest_differences": lambda drawn: (
        drawn.score().reshape(-1, 1),
        drawn.codes(),
        drawn.codes(),
        drawn.weight(),
    ),
    "pair_wins": pairs,
    "placements": ranking,
    "precision_slopes": ranking,
    "rank_table": table,
    "ranked_precision": ranking,
    "ranked_squares": lambda drawn: ranking(drawn)[:2],
    "ranked_steps": lambda drawn: (*ranking(drawn), drawn.draw(st.booleans())),
    "ranked_wins": ranking,
    "resampled_wins": drawing,
    "squared_distances": lambda drawn: (drawn.codes(), drawn.score()),
    "types": lambda drawn: (objects(drawn)[0] if drawn.draw(st.booleans()) else drawn.codes(),),
    "value_range": lambda drawn: (drawn.score(),),
}


def answer(module, name, arguments):
    """What a kernel answers as lists, or the type of what it raises."""
    kernel = getattr(module, name.partition(" ")[0])
    if name == "resampled_wins":
        arguments = (np.random.default_rng(0), *arguments)
    with np.errstate(all="ignore"):
        try:
            return listed(kernel(*arguments))
        except MemoryError:
            return MemoryError  # NumPy's own is a class below
        except Exception as error:
            return type(error)


def check(call):
    name, arguments = call
    found, expected = answer(_native, name, arguments), answer(_numpy, name, arguments)
    assert alike(found, expected), (found, expected)


@settings(max_examples=200)
@given(call=calls())
def test_both_answer_or_refuse_alike(call):
    check(call)


@pytest.mark.slow
@settings(max_examples=1_000)
@given(call=calls())
def test_so_in_many_calls(call):
    check(call)
