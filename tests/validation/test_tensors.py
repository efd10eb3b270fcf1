"""Tensors at every door: numbers as of NumPy, whatever library and device hold them."""

import inspect
import sys
from contextlib import nullcontext
from types import ModuleType

import array_api_strict as xp
import numpy as np
import pytest
import sklearn
from support.compare import same, undefined_allowed
from support.public import CALLED, PUBLIC
from support.rows import NAMES
from support.tensor_calls import DOORS, FUNCTIONS, OF_NO_ROWS, P3, Y3, P, S, W, Y, called, parts_of

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import take_rows
from skmetrics_ext.validation.tensors import is_tensor, taking_tensors, to_host

CALLS = {**FUNCTIONS, **DOORS}
HERE, ELSEWHERE, SHORT = map(xp.Device, ("CPU_DEVICE", "device1", "no_float64"))


def as_given(values):
    return values


def elsewhere(values):
    """On a device that is not the host, from where NumPy cannot read by itself."""
    return xp.asarray(values, device=ELSEWHERE)


def short(values):
    """On a device without float64."""
    narrow = values.astype(np.float32) if values.dtype == np.float64 else values
    return xp.asarray(narrow, device=SHORT)


@pytest.fixture(params=[False, True], ids=["", "dispatch"])
def dispatch(request, monkeypatch):
    """scikit-learn's switch for results, off and on."""
    if not request.param:
        yield False
        return
    monkeypatch.setenv("SCIPY_ARRAY_API", "1")  # scikit-learn asks for it
    with sklearn.config_context(array_api_dispatch=True):
        yield True


def agree(got, expected, put=as_given):
    """Assert the same answer, all of whose arrays are where those are that ``put`` makes."""
    assert type(got) is type(expected) or is_tensor(got), (type(got), type(expected))
    if isinstance(expected, dict):
        assert list(got) == list(expected)
        for key, value in expected.items():
            agree(got[key], value, put)
    elif isinstance(expected, list):
        assert len(got) == len(expected)
        for one, other in zip(got, expected, strict=True):
            agree(one, other, put)
    elif isinstance(expected, np.ndarray) and expected.dtype.kind in "biuf":
        there = put(np.zeros(1))
        assert type(got) is type(there)
        assert getattr(got, "device", None) == getattr(there, "device", None)
        rtol = 1e-6 if put is short else 1e-12
        same(to_host(got, "the result"), expected, rtol)
    elif isinstance(expected, float):
        same(got, expected, 1e-12)
    else:
        np.testing.assert_array_equal(got, expected)


def answers(call, put):
    with undefined_allowed():
        return parts_of(call(put))


# --------------------------------------------------------------------------- every door


def test_every_public_function_is_in_the_tables():
    of_registry = {spec.function for spec in METRICS.values()}
    functions = {
        name
        for name, thing in CALLED.items()
        if inspect.isfunction(thing) and thing not in of_registry
    }
    missing = functions - OF_NO_ROWS - CALLS.keys()
    assert not missing, f"tests/support/tensor_calls.py lacks a call of {missing}"
    classes = {name for name, thing in PUBLIC.items() if hasattr(thing, "from_predictions")}
    assert classes <= CALLS.keys()


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", CALLS)
def test_a_tensor_is_read_wherever_rows_are_taken(name):
    agree(answers(CALLS[name], elsewhere), answers(CALLS[name], as_given))


@pytest.mark.parametrize("device", [HERE, ELSEWHERE])
def test_a_batch_may_be_written_over_once_it_was_added(device):
    stream = sx.Accumulator(["roc_auc", "f1"])
    batch = [xp.asarray(values, device=device, copy=True) for values in (Y, S, W, P)]
    stream.update(*batch[:3], y_pred=batch[3])
    for array in batch:
        array[...] = array[0]
    found = stream.compute()
    assert found["roc_auc"] == pytest.approx(sx.roc_auc_score(Y, S, sample_weight=W), rel=1e-12)
    assert found["f1"] == pytest.approx(sx.f1_score(Y, P, sample_weight=W), rel=1e-12)


# --------------------------------------------------------------------------- results


def holds_arrays(found):
    """Whether arrays stand alone, in a tuple or in a dict: those that follow a tensor."""
    parts = found.values() if type(found) is dict else found if type(found) is tuple else [found]
    return any(isinstance(part, np.ndarray) for part in parts)


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("put", [elsewhere, short])
def test_arrays_of_metrics_follow_the_predictions_under_dispatch(name, put, dispatch):
    got = called(name, put)
    found = put if dispatch else as_given
    # A device of float32 was given numbers of float32; these are the numbers asked about.
    expected = called(name, lambda values: to_host(put(values), "values"))
    for one, other in zip(got, expected, strict=True):
        agree(parts_of(one), parts_of(other), found if holds_arrays(other) else as_given)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_arrays_of_functions_follow_the_predictions_under_dispatch(name, dispatch):
    found, expected = (FUNCTIONS[name](put) for put in (elsewhere, as_given))
    put = elsewhere if dispatch and holds_arrays(expected) else as_given
    agree(parts_of(found), parts_of(expected), put)


@pytest.mark.parametrize("true", [as_given, elsewhere])
@pytest.mark.parametrize("pred", [as_given, elsewhere, np.ndarray.tolist])
def test_the_predictions_decide_where_results_are(true, pred, dispatch):
    got = sx.confusion_matrix(true(Y3), pred(P3), sample_weight=elsewhere(W))
    put = elsewhere if dispatch and pred is elsewhere else as_given
    agree(got, sx.confusion_matrix(Y3, P3, sample_weight=W), put)
    rows = sx.influence_values("accuracy", true(Y3), pred(P3))
    agree(rows, sx.influence_values("accuracy", Y3, P3), put)
    agree(sx.confusion_matrix(true(Y3), y_pred=pred(P3)), sx.confusion_matrix(Y3, P3), put)
    by_name = sx.confusion_matrix(y_pred=pred(P3), y_true=true(Y3))
    agree(by_name, sx.confusion_matrix(Y3, P3), put)


def test_results_are_no_views_of_what_is_kept(dispatch):
    tally = sx.tallies.ConfusionTally.from_predictions(Y3, P3)
    found = sx.confusion_matrix(tally, tally)
    before = found.copy()
    given = sx.confusion_matrix(elsewhere(Y3), elsewhere(P3))
    given[0, 0] = 99
    np.testing.assert_array_equal(sx.confusion_matrix(tally, tally), before)


def test_numbers_are_floats_under_dispatch(dispatch):
    assert type(sx.f1_score(elsewhere(Y), elsewhere(Y))) is float
    assert type(sx.roc_auc_score(elsewhere(Y), elsewhere(S))) is float


# --------------------------------------------------------------------------- reading


class Unreadable:
    """Says that it is an array, and has no values."""

    shape, ndim = (60,), 1

    def __dlpack__(self, **options):
        raise BufferError("there is no memory")

    def __dlpack_device__(self):
        return 1, 0


ARGUMENTS = {
    "y_true": lambda bad: sx.f1_score(bad, Y),
    "y_pred": lambda bad: sx.f1_score(Y, bad),
    "y_score": lambda bad: sx.roc_auc_score(Y, bad),
    "y_proba": lambda bad: sx.log_loss(Y, bad),
    "sample_weight": lambda bad: sx.f1_score(Y, Y, sample_weight=bad),
    "labels": lambda bad: sx.confusion_matrix(Y, Y, labels=bad),
    "groups": lambda bad: sx.confidence_interval("f1", Y, Y, groups=bad),
    "n_bins": lambda bad: sx.expected_calibration_error(Y, S, n_bins=bad),
    "cost_matrix": lambda bad: sx.expected_cost(Y, Y, cost_matrix=bad),
}


@pytest.mark.parametrize("name", ARGUMENTS)
def test_a_tensor_without_values_is_refused_by_name(name):
    with pytest.raises(InvalidParameterError, match=f"{name} is a tensor .*Unreadable"):
        ARGUMENTS[name](Unreadable())


class Counted:
    """An array that tells how often it is read: each time it would be moved from its device."""

    def __init__(self, values):
        self.values, self.reads = values, 0
        self.shape, self.ndim, self.dtype = values.shape, values.ndim, values.dtype

    def __array_namespace__(self, api_version=None):
        return np

    def __array__(self, dtype=None, copy=None):
        self.reads += 1
        return self.values


# What calls functions and estimators of the user is to give them tensors, and reads its own;
# estimates hold the rows by reference, and are read again to compute with.
OF_THE_USER = {
    name
    for name in FUNCTIONS
    if {"metric", "metric_func", "estimates"} & inspect.signature(CALLED[name]).parameters.keys()
}


@pytest.mark.sampled(2)
@pytest.mark.parametrize("name", sorted(FUNCTIONS.keys() - OF_THE_USER | set(NAMES)))
def test_a_tensor_is_read_once(name):
    given = []

    def put(values):
        given.append(Counted(values))
        return given[-1]

    with undefined_allowed():
        called(name, put) if name in NAMES else FUNCTIONS[name](put)
    assert {one.reads for one in given} <= {1}


def test_lists_of_tensors_are_rows():
    scalars = [elsewhere(np.array(label)) for label in Y]
    assert sx.f1_score(scalars, Y) == 1.0
    named = [elsewhere(np.array(label)) for label in (1, 0)]
    same(sx.confusion_matrix(Y, Y, labels=named), sx.confusion_matrix(Y, Y, labels=[1, 0]))
    rows = [elsewhere(row) for row in np.eye(3)[Y3]]
    assert sx.roc_auc_score(Y3, rows, multi_class="ovr") == 1.0


def test_tensors_of_two_dimensions_too_many_are_refused_as_arrays_are():
    for put in (as_given, elsewhere):
        with pytest.raises(ValueError, match="is not supported"):
            sx.f1_score(put(np.zeros((2, 2, 2))), put(np.zeros((2, 2, 2))))
        with pytest.raises(InvalidParameterError, match="must hold rows"):
            sx.f1_score(put(np.array(1)), put(Y))


@pytest.mark.parametrize("rows", [np.array([3, 1]), np.arange(60) % 7 == 0])
def test_rows_of_a_tensor_stay_on_its_device(rows):
    for values in (S, np.column_stack([S, 2 * S, 3 * S])):
        taken = take_rows(elsewhere(values), rows)
        assert taken.device == ELSEWHERE
        np.testing.assert_array_equal(to_host(taken, "S"), values[rows])


class Borrowed:
    """Stands in for an array of CuPy, whose memory NumPy cannot see: no graphics card is here."""

    def __init__(self, values, device=None):
        self.values, self.device = np.asarray(values), nullcontext() if device is None else device
        self.shape, self.ndim, self.dtype = self.values.shape, self.values.ndim, self.values.dtype

    def __len__(self):
        return len(self.values)

    def __array__(self, *args, **kwargs):
        raise TypeError("Implicit conversion to a NumPy array is not allowed.")

    def get(self):
        return self.values


def test_cupy_is_asked_for_its_values(monkeypatch, dispatch):
    Borrowed.__module__, Borrowed.__name__ = "cupy", "ndarray"
    module = ModuleType("cupy")
    module.asarray = Borrowed
    monkeypatch.setitem(sys.modules, "cupy", module)
    found = sx.confusion_matrix(Borrowed(Y3), Borrowed(P3), sample_weight=Borrowed(W))
    assert isinstance(found, Borrowed) == dispatch
    same(to_host(found, "it"), sx.confusion_matrix(Y3, P3, sample_weight=W))


# --------------------------------------------------------------------------- signatures

ONE, OTHER = xp.asarray([1.0, 2.0], device=HERE), xp.asarray([3.0, 4.0], device=ELSEWHERE)
SIGNATURES = {
    "predictions by name": lambda data, y_true, y_score: np.ones(1),
    "predictions first": lambda y_pred, weights: np.ones(1),
    "the second of others": lambda first, second, third=None: np.ones(1),
    "the only one": lambda alone: np.ones(1),
    "names after a star": lambda first, second, *, y_pred=None: np.ones(1),
}
LEADS = {
    "predictions by name": [((ONE, ONE, OTHER), {}), ((ONE, ONE), {"y_score": OTHER})],
    "predictions first": [((OTHER, ONE), {}), ((), {"weights": ONE, "y_pred": OTHER})],
    "the second of others": [((ONE, OTHER, ONE), {}), ((ONE,), {"second": OTHER})],
    "the only one": [((OTHER,), {}), ((), {"alone": OTHER})],
    "names after a star": [((ONE, OTHER), {"y_pred": ONE})],
}


@pytest.mark.parametrize("what", SIGNATURES)
def test_which_argument_results_follow(what, dispatch):
    """The predictions, else the second or the only argument that has a place."""
    function = taking_tensors(SIGNATURES[what])
    for args, given in LEADS[what]:
        found = function(*args, **given)
        assert is_tensor(found) == dispatch
        if dispatch:
            assert found.device == ELSEWHERE
    plain = [np.ones(2)] * len(LEADS[what][0][0])
    assert type(function(*plain)) is np.ndarray


def test_what_a_function_is_given_and_gives(dispatch):
    seen = []

    @taking_tensors
    def own(y_true, y_pred, *, sample_weight=None):
        seen.extend([y_true, y_pred, sample_weight])
        return {"a": (np.arange(2), np.array(["x"])), "b": 3, "c": None}

    @taking_tensors
    def with_function(metric, y_true, y_pred):
        return type(y_pred)

    found = own(ONE, OTHER, sample_weight=[ONE, ONE])
    assert [type(one) for one in seen] == [np.ndarray, np.ndarray, list]
    assert found["a"][1].tolist() == ["x"]
    assert (found["b"], found["c"]) == (3, None)
    assert is_tensor(found["a"][0]) == dispatch
    assert with_function(max, ONE, OTHER) is type(OTHER)
    with pytest.raises(InvalidParameterError, match=r"Write own\(y_true, y_pred, \.\.\.\)"):
        own(ONE)


def test_an_error_within_a_function_is_its_own():
    @taking_tensors
    def own(y_true):
        raise TypeError("mine")

    for given in ([1], np.ones(1), ONE):
        with pytest.raises(TypeError, match=r"^mine$") as told:
            own(given)
        assert type(told.value) is TypeError
