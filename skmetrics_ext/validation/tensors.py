"""Tensors: converted to NumPy on entry, with results returned in the same library and device.

Tensors are recognised by their class (PyTorch, CuPy) or by the array API standard
(``__array_namespace__``, ``__dlpack__``: JAX and others). No such library is imported here.

They are detached, moved to the host and widened to a NumPy dtype, each step exact. No other
module of the package handles tensors; kernels on a device would start here.
"""

from __future__ import annotations

import functools
import inspect
import sys
from collections.abc import Callable
from itertools import zip_longest
from typing import Any, TypeVar, cast

import numpy as np

from skmetrics_ext.annotations import RAW_ERRORS, misfit, usage
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.errors import InvalidParameterError

# Libraries of columns, which may share memory as tensors do, but have their own readers.
_COLUMNS = frozenset(["numpy", "pandas", "polars", "pyarrow", "scipy"])
_WIDER = {"complex": np.complex64, "uint": np.uint8, "int": np.int8}
# Dtypes on devices without 64-bit numbers.
_NARROWER = {"float64": np.float32, "int64": np.int32, "uint64": np.uint32}


def is_tensor(data: Any) -> bool:
    """Whether data are a tensor: an array of another library than NumPy, on any device."""
    return _reader(data) is not None


def to_host(data: Any, name: str) -> Any:
    """A tensor as a NumPy array; anything else unchanged.

    Parameters
    ----------
    data : object
        Also a list or tuple of tensors, as a loop over batches or rows collects them.
    name : str
        The argument, for the error.

    Returns
    -------
    ndarray or object
        bfloat16 and 8-bit floats become float32, exactly. May be a view of the tensor's memory.
    """
    if type(data) is np.ndarray or data is None:
        return data
    read = _reader(data)
    if read is None:
        if isinstance(data, list | tuple) and len(data) and is_tensor(data[0]):
            return [np.asarray(to_host(part, name))[()] for part in data]  # numbers, or rows
        return data
    try:
        return widened(read(data))
    except MemoryError:
        raise
    except Exception as error:  # libraries raise their own errors for tensors without values
        kind = f"{type(data).__module__}.{type(data).__qualname__}"
        why = str(error).partition("\n")[0]
        raise InvalidParameterError(
            f"{name} is a tensor ({kind}) whose values cannot be read on the host: {why}"
        ) from error


def widened(values: Array) -> Array:
    """Numbers of dtypes that NumPy lacks (bfloat16, 8-bit floats, 4-bit integers), widened."""
    if values.dtype.type.__module__ != "ml_dtypes":
        return values
    wider = next((wide for kind, wide in _WIDER.items() if kind in values.dtype.name), np.float32)
    return values.astype(wider)


def take_of_tensor(data: Any, rows: Array) -> Any:
    """Some rows of a tensor, by index or mask, on its device."""
    if rows.dtype == bool:
        rows = np.flatnonzero(rows)
    if not hasattr(data, "__array_namespace__"):
        return data[rows]
    xp = data.__array_namespace__()
    return xp.take(data, xp.asarray(np.array(rows), device=data.device), axis=0)


# --------------------------------------------------------------------------- readers


def _reader(data: Any) -> Callable[[Any], Array] | None:
    """The function that reads a tensor; None for other data."""
    kind: Any = type(data)
    return _reader_of(kind)


@functools.lru_cache(maxsize=256)
def _reader_of(kind: Any) -> Callable[[Any], Array] | None:
    made_by = {(base.__module__.partition(".")[0], base.__name__) for base in kind.__mro__}
    for library, read in _OF_LIBRARIES.items():
        if library in made_by:
            return read
    if any(module in _COLUMNS for module, _ in made_by):
        return None
    standard = hasattr(kind, "__array_namespace__") or hasattr(kind, "__dlpack__")
    return _read_standard if standard else None


def _read_torch(data: Any) -> Array:
    try:
        return data.numpy(force=True)  # resolves the bits of conjugates and negatives
    except TypeError:  # a layout or dtype that NumPy lacks
        data = data.detach().cpu()
    if not hasattr(data, "is_quantized"):  # only behaves like a tensor
        return data.numpy()
    if data.is_quantized:
        data = data.dequantize()
    if data.is_sparse or "sparse" in str(data.layout):
        data = data.to_dense()
    return (data.float() if data.is_floating_point() else data).numpy(force=True)


def _read_cupy(data: Any) -> Array:
    return data.get()


def _read_standard(data: Any) -> Array:
    try:
        values = np.asarray(data)
    except (TypeError, ValueError, RuntimeError):
        values = None
    if values is not None and values.dtype.kind != "O":
        return values
    try:
        return np.from_dlpack(data, device="cpu")
    except TypeError:  # NumPy before 2.1, which knows no devices
        return np.from_dlpack(data)


_OF_LIBRARIES: dict[tuple[str, str], Callable[[Any], Array]] = {
    ("torch", "Tensor"): _read_torch,
    ("cupy", "ndarray"): _read_cupy,
}

# --------------------------------------------------------------------------- results


_PREDICTIONS = frozenset(["y_pred", "y_score", "y_proba", "pred_decision", "y2"])
# Arguments that receive a caller's function or estimator, which is given the tensors unchanged.
_CALLED = frozenset(["metric", "metric_func", "estimator"])
_PLAIN = frozenset([np.ndarray, type(None), str, bool, int, float])
Function = TypeVar("Function", bound=Callable[..., Any])


def taking_tensors(function: Function) -> Function:
    """The function with tensors converted on entry and results returned as tensors.

    Results follow the library and device of the predictions (or else of the second or only
    argument) if scikit-learn's ``array_api_dispatch`` is on; otherwise they are NumPy arrays.
    """
    kinds = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = inspect.signature(function).parameters
    names = [name for name, one in parameters.items() if one.kind in kinds]
    leading = next((name for name in names if name in _PREDICTIONS), names[:2][-1])
    place, as_they_came = names.index(leading), not _CALLED.isdisjoint(names)

    @functools.wraps(function)
    def public(*args: Any, **given: Any) -> Any:
        try:
            if _PLAIN.issuperset(map(type, args)) and _PLAIN.issuperset(map(type, given.values())):
                return function(*args, **given)  # the usual case
            reference = args[place] if len(args) > place else given.get(leading)
            if not as_they_came:
                named = zip_longest(args, names[: len(args)], fillvalue="an argument")
                args = tuple([to_host(one, name) for one, name in named])
                given = {name: to_host(one, name) for name, one in given.items()}
            result = function(*args, **given)
            if not is_tensor(reference) or not _dispatches():
                return result
            return _given_back(result, reference)
        except InvalidParameterError:
            raise
        except RAW_ERRORS as error:
            try:
                inspect.signature(function).bind(*args, **given)
            except TypeError:
                raise InvalidParameterError(f"{error}. {usage(function)}") from None
            if message := misfit(function, dict(zip(names, args, strict=False)) | given):
                raise InvalidParameterError(message) from error
            raise

    return cast(Function, public)


def _dispatches() -> bool:
    """Whether array API dispatch is on; it is off until scikit-learn is imported."""
    sklearn = sys.modules.get("sklearn")
    return sklearn is not None and bool(sklearn.get_config()["array_api_dispatch"])


def _given_back(result: Any, reference: Any) -> Any:
    """A result with its numeric arrays in the namespace and on the device of a tensor.

    Arrays become tensors, also within a tuple or dict; numbers and text stay as they are.
    """
    if isinstance(result, np.ndarray):
        return _tensor_of(result, reference) if result.dtype.kind in "biuf" else result
    if type(result) is tuple:
        return tuple(_given_back(part, reference) for part in result)
    if type(result) is dict:
        return {key: _given_back(part, reference) for key, part in result.items()}
    return result


def _tensor_of(values: Array, reference: Any) -> Any:
    """A 64-bit tensor, or a 32-bit one if the device has no more, as in scikit-learn."""
    values = np.array(values, order="C")  # a tensor must not share a tally's memory
    try:
        return _put(values, reference)
    except (TypeError, ValueError, RuntimeError) as error:
        narrower = _NARROWER.get(values.dtype.name)
        if narrower is None:
            raise InvalidParameterError(
                f"A result of shape {values.shape} cannot be put where the predictions are "
                f"({type(reference).__name__} on {reference.device}): {error}"
            ) from error
        return _tensor_of(values.astype(narrower), reference)


def _put(values: Array, reference: Any) -> Any:
    library = type(reference).__module__.partition(".")[0]
    if library == "cupy":
        with reference.device:
            return sys.modules[library].asarray(values)
    standard = getattr(reference, "__array_namespace__", None)
    namespace: Any = standard() if standard is not None else sys.modules["torch"]
    return namespace.asarray(values, device=reference.device)
