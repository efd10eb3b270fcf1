"""Arrays of libraries that need not be installed, by what stands in for them."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import skmetrics_ext as sx
from skmetrics_ext.validation.tensors import is_tensor, take_of_tensor, to_host

Y = np.array([0, 1, 1, 0, 1])
SCORE = np.array([0.5, 0.75, 0.25, 0.125, 1.0])


def of_ml_dtypes(name, numbers):
    """An array of a dtype that NumPy lacks, whose numbers NumPy can convert."""
    kind = type(name, (np.void,), {"__module__": "ml_dtypes"})
    array = np.zeros(len(numbers), np.dtype((kind, [("value", numbers.dtype)])))
    array["value"] = numbers
    return array


@pytest.mark.parametrize("name", ["bfloat16", "float8_e5m2"])
def test_short_floats_in_arrays_of_numpy_are_widened(name):
    short = of_ml_dtypes(name, SCORE.astype(np.float32))
    assert to_host(short, "it") is short  # arrays of NumPy are read by the door alone
    for metric in (sx.roc_auc_score, sx.brier_score_loss):
        assert metric(Y, short) == metric(Y, SCORE)
    assert sx.accuracy_score(Y, Y, sample_weight=short) == 1


@pytest.mark.parametrize(
    ("name", "dtype"), [("int4", np.int8), ("uint4", np.uint8), ("complex32", np.complex64)]
)
def test_other_short_numbers_in_arrays_of_numpy_are_widened(name, dtype):
    given = of_ml_dtypes(name, Y.astype(dtype))
    if dtype is np.complex64:
        with pytest.raises(ValueError, match="Complex data not supported in y_true"):
            sx.f1_score(given, Y)
    else:
        assert sx.confusion_matrix(given, Y).tolist() == [[2, 0], [0, 3]]


class Tensor:
    """Stands in for a tensor of PyTorch, step by step as the real one is read.

    Of a layout or dtype that NumPy lacks, ``numpy`` raises a TypeError.
    """

    def __init__(self, values, *, lacks="", own=True, floats=False):
        self.values, self.lacks, self.floats = np.asarray(values), lacks, floats
        self.steps = []
        self.shape, self.ndim = self.values.shape, self.values.ndim
        if own:  # what only behaves like a tensor has no such attribute
            self.is_quantized = lacks == "quantized"
        self.is_sparse = lacks == "sparse"
        self.layout = "torch.sparse_csr" if lacks == "sparse rows" else "torch.strided"

    def __len__(self):
        return len(self.values)

    def _step(self, name, mends):
        self.steps.append(name)
        if self.lacks in mends:
            self.lacks = ""
        return self

    def detach(self):
        return self._step("detach", ())

    def cpu(self):
        return self._step("cpu", ())

    def dequantize(self):
        return self._step("dequantize", ("quantized",))

    def to_dense(self):
        return self._step("to_dense", ("sparse", "sparse rows"))

    def is_floating_point(self):
        return self.floats

    def float(self):
        return self._step("float", ("bfloat16",))

    def numpy(self, *, force=False):
        self.steps.append("numpy")
        if not force:
            raise RuntimeError("it requires grad")
        if self.lacks:
            raise TypeError(f"can't convert a {self.lacks} tensor to numpy")
        return self.values


class Alike(Tensor):
    """Behaves like a tensor, but has no ``force``."""

    def numpy(self):
        self.steps.append("numpy")
        return self.values


for one in (Tensor, Alike):
    one.__module__ = "torch"
READ = {
    "plain": ({}, ["numpy"]),
    "quantized": ({"lacks": "quantized"}, ["numpy", "detach", "cpu", "dequantize", "numpy"]),
    "sparse": ({"lacks": "sparse"}, ["numpy", "detach", "cpu", "to_dense", "numpy"]),
    "sparse rows": ({"lacks": "sparse rows"}, ["numpy", "detach", "cpu", "to_dense", "numpy"]),
    "bfloat16": (
        {"lacks": "bfloat16", "floats": True},
        ["numpy", "detach", "cpu", "float", "numpy"],
    ),
}


@pytest.mark.parametrize("what", READ)
def test_a_tensor_takes_the_steps_that_it_needs(what):
    options, steps = READ[what]
    tensor = Tensor(SCORE, **options)
    assert is_tensor(tensor)
    np.testing.assert_array_equal(to_host(tensor, "it"), SCORE)
    assert tensor.steps == steps
    assert sx.roc_auc_score(Y, Tensor(SCORE, **options)) == sx.roc_auc_score(Y, SCORE)


def test_what_only_behaves_like_a_tensor():
    tensor = Alike(SCORE, own=False)
    np.testing.assert_array_equal(to_host(tensor, "it"), SCORE)
    assert tensor.steps == ["detach", "cpu", "numpy"]


def test_a_list_of_tensors_is_its_rows():
    for rows in ([SCORE], [SCORE, SCORE], (SCORE,)):
        found = to_host(type(rows)(Tensor(row) for row in rows), "it")
        np.testing.assert_array_equal(found, rows)
    mixed = [Tensor(SCORE), SCORE]
    np.testing.assert_array_equal(to_host(mixed, "it"), [SCORE, SCORE])
    for kept in ([], (), [1, 2], [[1], [2, 3]], "ab", None, 3):
        assert to_host(kept, "it") is kept


class Exported:
    """An array that NumPy reads by its memory alone."""

    def __init__(self, values, error=None):
        self.values, self.error = values, error

    def __array__(self, dtype=None, copy=None):
        if self.error is None:
            return np.array([self], dtype=object)
        raise self.error

    def __dlpack__(self, **options):
        options = {name: one for name, one in options.items() if name != "dl_device"}
        return self.values.__dlpack__(**options)

    def __dlpack_device__(self):
        return self.values.__dlpack_device__()


@pytest.mark.parametrize("error", [None, TypeError("no"), ValueError("no"), RuntimeError("no")])
def test_memory_is_read_where_there_is_no_array(error):
    assert is_tensor(Exported(SCORE))
    np.testing.assert_array_equal(to_host(Exported(SCORE, error), "it"), SCORE)


def test_only_the_first_line_of_an_error_is_told():
    given = Exported(SCORE, OSError("it is gone\nmany more lines"))
    with pytest.raises(ValueError, match=r"it is a tensor .* on the host: it is gone$"):
        to_host(given, "it")


def test_columns_that_share_memory_are_no_tensors():
    class Own(pd.Series):
        pass

    for data in (Own([1, 2]), pd.DataFrame({"a": [1]}), pl.Series([1]), pa.array([1]), [1], 3):
        assert not is_tensor(data)


@pytest.mark.parametrize("rows", [np.array([3, 1]), np.array([False, True, False, True, True])])
def test_rows_of_a_tensor_without_the_standard(rows):
    """PyTorch's tensors take an array of places, not a mask of NumPy."""

    class Indexed:
        __module__ = "torch"
        __name__ = "Tensor"

        def __init__(self, values):
            self.values, self.shape = values, values.shape

        def __getitem__(self, places):
            assert places.dtype != bool
            return self.values[places]

    np.testing.assert_array_equal(take_of_tensor(Indexed(SCORE), rows), SCORE[rows])


def test_a_tensor_that_cannot_be_read_is_refused_by_name():
    with pytest.raises(ValueError, match=r"y_score is a tensor .*can't convert a strange tensor"):
        sx.roc_auc_score(Y, Tensor(SCORE, lacks="strange"))
