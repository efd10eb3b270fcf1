"""A law of memory: arrays of a call are freed as it returns.

Those in a cycle of references stay until Python looks for cycles, whose time depends on the number
of objects, not on their size: data of 10 million rows would keep hundreds of megabytes.
"""

import gc
import warnings
from contextlib import contextmanager, suppress
from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import skmetrics_ext as sx

from .all_doors import DOORS

RNG = np.random.default_rng(3)
N = 60
NAMES = [name for name in sx.get_scorer_names() if not sx.METRICS[name].ranks_labels]


@contextmanager
def kept_arrays():
    """Sizes of the arrays that the calls within leave in cycles."""
    sizes = []
    gc.freeze()  # objects from before are not looked at
    gc.disable()
    gc.set_debug(gc.DEBUG_SAVEALL)
    try:
        yield sizes
        gc.collect()
        held = [part for found in gc.garbage for part in gc.get_referents(found)]
        sizes += [part.size for part in held if isinstance(part, np.ndarray) and part.size > 8]
    finally:
        gc.set_debug(0)
        gc.garbage.clear()
        gc.enable()
        gc.unfreeze()


def test_an_array_in_a_cycle_is_seen():
    with kept_arrays() as sizes:
        cycle = {"rows": np.zeros(N)}
        cycle["itself"] = cycle
        del cycle
    assert sizes == [N]


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", DOORS)
@settings(max_examples=1)
@given(data=st.data())
def test_no_function_leaves_arrays_in_cycles(name, data):
    call = DOORS[name](data)
    with warnings.catch_warnings(action="ignore"):
        call.ask(**call.arguments)  # what is computed once is kept
        with kept_arrays() as sizes:
            call.ask(**call.arguments)
    assert sizes == []


def rows_of(n_classes, response):
    true = RNG.permutation(np.arange(N) % n_classes)
    if response == "labels":
        return true, RNG.integers(0, n_classes, N), true
    scores = RNG.normal(size=(2, N, n_classes)) + np.eye(n_classes)[true]
    scores = np.exp(scores) / np.exp(scores).sum(axis=-1, keepdims=True)
    return true, *(scores if n_classes > 2 else scores[..., 1])


@pytest.mark.sampled(3)
@pytest.mark.parametrize("name", NAMES)
def test_no_interval_leaves_arrays_in_cycles(name):
    rows = {n: rows_of(n, sx.METRICS[name].response) for n in (2, 3)}

    draws = {"n_resamples": 20, "random_state": 0}
    questions = [
        question
        for true, first, second in rows.values()
        for question in (
            partial(sx.confidence_interval, name, true, first, **draws),
            partial(sx.compare, name, true, first, second, **draws),
            partial(sx.influence_values, name, true, first),
        )
    ]

    def ask():
        for question in questions:
            with suppress(ValueError):  # it is not for so many classes, or has no derivative
                question()

    with warnings.catch_warnings(action="ignore"):
        ask()
        with kept_arrays() as sizes:
            ask()
    assert sizes == []
