"""Tensors of PyTorch and JAX, where these are installed: what no other array has."""

import warnings
from importlib.util import find_spec

import numpy as np
import pytest
import sklearn
from support.compare import identical, same, undefined_allowed
from support.rows import NAMES
from support.tensor_calls import DOORS, FUNCTIONS, P3, Y3, S, W, Y, called, parts_of

import skmetrics_ext as sx
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.tensors import to_host

CALLS = {**FUNCTIONS, **DOORS}


def of_torch(values):
    """A view with a gradient, as a model in training gives it; numbers as they are."""
    import torch

    wide = torch.tensor(np.repeat(values, 2, axis=0))
    return (wide.requires_grad_() if wide.is_floating_point() else wide)[::2]


def of_torch_in_short(values):
    """bfloat16, the numbers of mixed precision."""
    import torch

    tensor = torch.tensor(values)
    return tensor.bfloat16() if tensor.is_floating_point() else tensor


def of_jax(values):
    import jax

    return jax.numpy.asarray(values)


def of_jax_in_short(values):
    import jax

    array = jax.numpy.asarray(values)
    return array.astype("bfloat16") if values.dtype.kind == "f" else array


PUTS = {"torch": [of_torch, of_torch_in_short], "jax": [of_jax, of_jax_in_short]}
FOUND = [puts for library, puts in PUTS.items() if find_spec(library)]
if not FOUND:
    pytest.skip("neither PyTorch nor JAX is installed", allow_module_level=True)
LONG, SHORT = ([puts[place] for puts in FOUND] for place in (0, 1))
LIBRARIES = LONG + SHORT


def agree(got, expected):
    if isinstance(expected, dict):
        for key, value in expected.items():
            agree(got[key], value)
    elif isinstance(expected, list):
        for one, other in zip(got, expected, strict=True):
            agree(one, other)
    elif isinstance(expected, np.ndarray | float) and np.asarray(expected).dtype.kind in "biuf":
        assert type(got) is type(expected)
        same(got, expected, 1e-12)
    else:
        np.testing.assert_array_equal(got, expected)


@pytest.mark.parametrize("put", LIBRARIES)
@pytest.mark.parametrize("name", CALLS)
def test_every_door(name, put):
    with undefined_allowed():
        got = parts_of(CALLS[name](put))
        agree(got, parts_of(CALLS[name](lambda values: to_host(put(values), "values"))))


@pytest.mark.parametrize("put", LIBRARIES)
@pytest.mark.parametrize("name", NAMES)
def test_every_metric(name, put):
    expected = called(name, lambda values: to_host(put(values), "values"))
    for got, value in zip(called(name, put), expected, strict=True):
        agree(parts_of(got), parts_of(value))


# --------------------------------------------------------------------------- reading


@pytest.mark.parametrize("put", LONG)
def test_numbers_are_those_of_the_tensor(put):
    given = np.array([[0, 1, 200], [3, 4, 5]])
    for dtype in (np.float32, np.float16, np.int32, np.int8, np.uint8, bool):
        identical(to_host(put(given.astype(dtype)), "it"), given.astype(dtype))


@pytest.mark.parametrize("put", SHORT)
def test_short_floats_are_widened_exactly(put):
    exact = np.array([0.0, -2.5, 2.0**-126, 1.5 * 2.0**100, np.inf])
    identical(to_host(put(exact), "it"), exact.astype(np.float32))
    rounded = to_host(put(np.array([1 / 3])), "it")
    np.testing.assert_allclose(rounded, 1 / 3, rtol=2.0**-8)
    assert rounded.view(np.uint32)[0] & 0xFFFF == 0  # nothing that bfloat16 has not


@pytest.mark.parametrize("name", ["float8_e4m3fn", "float8_e5m2"])
def test_floats_of_eight_bits(name):
    torch = pytest.importorskip("torch")
    given = torch.tensor([0.5, 1.75, -2.0]).to(getattr(torch, name))
    identical(to_host(given, "it"), np.array([0.5, 1.75, -2.0], np.float32))


def test_numpy_arrays_of_the_types_of_jax():
    types = pytest.importorskip("ml_dtypes")
    score = S.astype(types.bfloat16)
    assert sx.roc_auc_score(Y, score) == sx.roc_auc_score(Y, S)
    assert sx.f1_score(Y.astype(types.int4), Y) == 1.0
    with pytest.raises(InvalidParameterError, match="Complex"):
        sx.f1_score(Y.astype(np.complex64), Y)


def test_what_torch_alone_has():
    torch = pytest.importorskip("torch")
    conjugate = torch.tensor([1 + 2j, 3 - 4j]).conj().imag
    identical(to_host(conjugate, "it"), np.array([-2, 4], np.float32))
    marks = torch.tensor([[0, 1, 0], [1, 1, 0]])
    identical(to_host(marks.to_sparse(), "it"), marks.numpy())
    parameter = torch.nn.Parameter(torch.tensor([0.25, 0.75]))
    identical(to_host(parameter, "it"), np.array([0.25, 0.75], np.float32))

    class Own(torch.Tensor):
        pass

    identical(to_host(torch.tensor([1, 2]).as_subclass(Own), "it"), np.array([1, 2]))
    assert sx.accuracy_score([torch.tensor(1), torch.tensor(0)], [1, 0]) == 1.0


def test_tensors_are_not_changed_and_keep_their_gradient():
    torch = pytest.importorskip("torch")
    score = torch.tensor(S, requires_grad=True)
    sx.log_loss(Y, score, sample_weight=torch.tensor(W))
    assert score.requires_grad
    np.testing.assert_array_equal(score.detach().numpy(), S)


@pytest.mark.parametrize("name", ["y_true", "y_score", "sample_weight"])
def test_tensors_without_values_are_refused_by_name(name):
    torch = pytest.importorskip("torch")
    given = {"y_true": Y, "y_score": S, "sample_weight": W}
    given[name] = torch.zeros(len(Y), device="meta")
    with pytest.raises(InvalidParameterError, match=rf"{name} is a tensor .*meta tensor"):
        sx.roc_auc_score(given["y_true"], given["y_score"], sample_weight=given["sample_weight"])


def test_traced_arrays_are_refused():
    jax = pytest.importorskip("jax")
    with pytest.raises(InvalidParameterError, match=r"y_score is a tensor .*traced array"):
        jax.jit(lambda score: sx.roc_auc_score(Y, score))(S)


# --------------------------------------------------------------------------- results


@pytest.mark.parametrize("put", LONG)
def test_results_follow_the_predictions_under_dispatch(put, monkeypatch):
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")
    expected = sx.roc_curve(Y, S, sample_weight=W)
    with sklearn.config_context(array_api_dispatch=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        found = sx.roc_curve(put(Y), put(S), sample_weight=put(W))
        table = sx.confusion_matrix(Y3, put(P3))
    for one, other in zip((*found, table), (*expected, sx.confusion_matrix(Y3, P3)), strict=True):
        assert type(one) is type(put(np.zeros(1)).detach() if put is of_torch else put(np.zeros(1)))
        assert one.device == put(np.zeros(1)).device
        same(to_host(one, "it"), other, 1e-6)
