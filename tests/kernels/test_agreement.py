"""The native kernels against the NumPy ones: counts to the last bit, sums to 1e-13."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.compare import identical
from support.samples import integers
from support.score_inputs import HARD, arrays

from skmetrics_ext.kernels import _numpy, available

if "native" not in available():
    pytest.skip("the native kernels are not built", allow_module_level=True)

from skmetrics_ext.kernels import _native

SCORES = {
    "ties": st.sampled_from([0.0, -0.0, 0.25, 0.5, 1.0]),
    "probabilities": st.floats(0, 1),
    "decisions": st.floats(-50, 50),
    "any": st.floats(allow_nan=False, allow_infinity=False),
    "hard": st.sampled_from(HARD),
    "large integers": st.integers(2**60, 2**60 + 3),
}
SIZES = st.integers(1, 60)
WEIGHTS = {
    "none": st.none(),
    "counts": st.integers(0, 5),
    "floats": st.floats(0, 10),
    "wide floats": st.sampled_from([0.0, 1e-12, 1.0, 1e12]),
}


@st.composite
def rankings(draw, n_classes=2, n_columns=None):
    """Scores, codes and weights of one sample."""
    kind = draw(st.sampled_from(sorted(SCORES)))
    n = draw(SIZES)
    dtype = np.int64 if kind == "large integers" else np.float64
    shape = n * (n_columns or 1)
    score = draw(arrays(SCORES[kind], st.just(shape))).astype(dtype)
    if n_columns:
        score = np.reshape(score, (n, n_columns), order=draw(st.sampled_from("CF")))
    elif dtype is np.float64 and draw(st.booleans()):
        with np.errstate(over="ignore"):
            single = score.astype(np.float32)
        score = single if np.isfinite(single).all() else score
    codes = draw(integers(0, n_classes - 1, n))
    weights = WEIGHTS[draw(st.sampled_from(sorted(WEIGHTS)))]
    values = draw(st.lists(weights, min_size=n, max_size=n))
    weight = None if values[0] is None else np.array(values)
    return score, codes, weight


def near(found, expected):
    """Equal to the last bit for integers, to 1e-13 of the largest for sums of floats."""
    found, expected = np.asarray(found), np.asarray(expected)
    if expected.dtype.kind != "f":
        identical(found.astype(np.int64), expected.astype(np.int64))
        return
    scale = np.abs(expected).max(initial=0)
    np.testing.assert_allclose(found, expected, rtol=1e-13, atol=1e-13 * scale)


@given(data=rankings())
def test_rank_table(data):
    score, codes, weight = data
    found = _native.rank_table(score, codes, 2, weight)
    expected = _numpy.rank_table(score, codes, 2, weight)
    identical(found[0], expected[0])
    near(found[1], expected[1])


@given(data=rankings(n_classes=5))
def test_rank_table_of_many_classes(data):
    score, codes, weight = data
    found = _native.rank_table(score, codes, 5, weight)
    expected = _numpy.rank_table(score, codes, 5, weight)
    identical(found[0], expected[0])
    near(found[1], expected[1])


@given(data=rankings())
def test_sums_over_one_ranking(data):
    score, codes, weight = data
    for name in ("ranked_wins", "ranked_precision", "precision_slopes"):
        found = getattr(_native, name)(score, codes, weight)
        expected = getattr(_numpy, name)(score, codes, weight)
        for pair in zip(found, expected, strict=True):
            near(*pair)


@given(data=rankings())
def test_squares_of_one_ranking(data):
    score, codes, _ = data
    assert _native.ranked_squares(score, codes) == _numpy.ranked_squares(score, codes)


@given(data=rankings(), corners=st.booleans())
def test_steps_of_curves(data, corners):
    score, codes, weight = data
    if weight is not None and weight.dtype.kind == "f" and corners:
        weight = None  # equal steps are equal to the last bit for counts only
    found = _native.ranked_steps(score, codes, weight, corners)
    expected = _numpy.ranked_steps(score, codes, weight, corners)
    identical(found[0][1:], expected[0][1:])
    near(found[1], expected[1])
    near(found[2], expected[2])


@given(data=rankings(n_classes=3, n_columns=3))
def test_pairs_of_classes(data):
    score, codes, weight = data
    near(_native.pair_wins(score, codes, 3, weight), _numpy.pair_wins(score, codes, 3, weight))


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("rows", [5, 70_000])
def test_pairs_by_looking_up_and_by_sorting(monkeypatch, rows, weighted):
    """Small classes are looked up, large ones sorted; several threads share the columns."""
    rng = np.random.default_rng(5)
    n, k = (200_000, 12) if rows > 5 else (500, 12)
    shares = np.full(k, 0.3 / (k - 2))
    shares[:2] = 0.35
    codes = rng.choice(k, n, p=shares / shares.sum())
    score = np.round(rng.normal(size=(n, k)), 3)
    weight = rng.random(n) if weighted else None
    expected = _numpy.pair_wins(score, codes, k, weight)
    for threads in ("1", "3"):
        monkeypatch.setenv("OMP_NUM_THREADS", threads)
        near(_native.pair_wins(score, codes, k, weight), expected)


@pytest.mark.parametrize("n", [300, 20_000, 100_000])
@pytest.mark.parametrize("shape", ["even", "normal", "heavy", "crowded", "one far"])
def test_sizes_of_every_way_to_sort(n, shape):
    rng = np.random.default_rng(n)
    score = {
        "even": lambda: rng.random(n),
        "normal": lambda: rng.normal(size=n) * 5,
        "heavy": lambda: rng.standard_cauchy(n) ** 3,
        "crowded": lambda: np.where(rng.random(n) < 0.9, 0.5, rng.random(n)),
        "one far": lambda: np.append(rng.random(n - 1), 1e300),
    }[shape]()
    codes = rng.integers(0, 2, n)
    found = _native.rank_table(score, codes, 2, None)
    expected = _numpy.rank_table(score, codes, 2, None)
    identical(found[0], expected[0])
    identical(found[1], expected[1])
    near(_native.ranked_wins(score, codes, None), _numpy.ranked_wins(score, codes, None))


@given(data=st.data())
def test_confusion(data):
    k, n = data.draw(st.integers(1, 6)), data.draw(st.integers(0, 200))
    true, pred = data.draw(integers(0, k - 1, n)), data.draw(integers(0, k - 1, n))
    identical(_native.confusion(true, pred, k, None), _numpy.confusion(true, pred, k, None))


@given(st.lists(st.floats(width=32), max_size=40))
def test_all_finite(values):
    for dtype in (np.float32, np.float64):
        array = np.array(values, dtype=dtype)
        assert _native.all_finite(array) == _numpy.all_finite(array)
        assert _native.all_finite(array[::2]) == _numpy.all_finite(array[::2])


def test_every_row_may_hold_the_one_bad_value():
    for row in range(40):
        for bad in (np.nan, np.inf, -np.inf):
            values = np.zeros(40)
            values[row] = bad
            assert not _native.all_finite(values)


@given(data=rankings())
def test_placements(data):
    near(_native.placements(*data), _numpy.placements(*data))


@given(
    rows=st.lists(st.tuples(st.integers(0, 5), st.integers(0, 1)), min_size=1, max_size=70),
    seed=st.integers(0, 2**32),
    stratified=st.booleans(),
)
def test_draws_are_the_same(rows, seed, stratified):
    group, marks = np.array(sorted(rows)).T
    draws = [
        kernel.resampled_wins(np.random.default_rng(seed), marks, group, 7, stratified)
        for kernel in (_native, _numpy)
    ]
    for found, expected in zip(*draws, strict=True):
        identical(found, expected)
