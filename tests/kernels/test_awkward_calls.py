"""Public functions give the same value, or refuse by the same error, whichever kernels run."""

import warnings

import numpy as np
import pytest
from support.awkward_calls import draw_call
from support.compare import alike

from skmetrics_ext import kernels

if "native" not in kernels.available():
    pytest.skip("the native kernels are not built", allow_module_level=True)


@pytest.fixture(scope="module", autouse=True)
def implementation():
    """Both run in every test here."""
    before = kernels.active()
    yield
    kernels.use(before)


def both(call):
    answers = []
    for name in kernels.available():
        kernels.use(name)
        answers.append(call.answer())
    return answers


def check(seeds):
    refused = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            call = draw_call(np.random.default_rng(seed))
            numpy_says, native_says = both(call)
            assert alike(native_says, numpy_says), (call.name, call.told, native_says, numpy_says)
            refused += isinstance(numpy_says, type)
    # Values and refusals both are compared.
    assert 0.2 < refused / len(seeds) < 0.8


def test_the_kernels_that_run_make_no_difference():
    check(range(600))


@pytest.mark.slow
def test_nor_in_many_calls():
    check(range(600, 8_600))
