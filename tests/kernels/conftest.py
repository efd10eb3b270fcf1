"""Every test of the kernels runs on each implementation that is installed."""

import pytest

from skmetrics_ext import kernels


@pytest.fixture(scope="module", params=kernels.available(), autouse=True)
def implementation(request):
    before = kernels.active()
    kernels.use(request.param)
    yield request.param
    kernels.use(before)
