"""Threads of large calls: how many, and what happens where the system starts none."""

import os
import subprocess
import sys
import threading
import warnings
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from support.awkward_calls import draw_call
from support.compare import alike

from skmetrics_ext import kernels
from skmetrics_ext.kernels import _numpy

HAS_THREADS = pytest.mark.skipif(
    "native" not in kernels.available(), reason="NumPy's kernels start no threads"
)


def n_threads():
    from skmetrics_ext.kernels import _native

    return _native.n_threads()


@HAS_THREADS
@pytest.mark.parametrize(
    ("asked", "threads"),
    [
        ("1", 1),
        ("3", 3),
        ("1,1", 1),
        (" 4 , 2", 4),
        ("", 7),
        ("0", 7),
        ("-1", 7),
        ("²", 7),
        (",", 7),
    ],
)
def test_the_first_number_of_the_variable_counts(monkeypatch, asked, threads):
    monkeypatch.setenv("OMP_NUM_THREADS", asked)
    monkeypatch.setattr("joblib.cpu_count", lambda: 7)
    assert n_threads() == threads


@HAS_THREADS
def test_one_thread_in_the_threads_of_others(monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    found = []
    thread = threading.Thread(target=lambda: found.append(n_threads()))
    thread.start()
    thread.join()
    assert found == [1]


@HAS_THREADS
@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_affinity_is_respected():
    code = (
        "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});"
        "from skmetrics_ext.kernels._native import n_threads; print(n_threads())"
    )
    environment = {name: text for name, text in os.environ.items() if name != "OMP_NUM_THREADS"}
    run = subprocess.run(
        [sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True
    )
    assert run.stdout == "1\n"


# A limit on memory a little above what is used leaves room for the stacks of so many threads.
SHORT_OF_THREADS = """
import resource, sys
import numpy as np
from skmetrics_ext.kernels import _compiled, _numpy

def used():
    return int(open("/proc/self/statm").read().split()[0]) * resource.getpagesize()


rng = np.random.default_rng(0)
codes = rng.integers(0, 12, 3000)
score = np.round(rng.normal(size=(3000, 12)), 2)
weight = rng.random(3000)
stack = resource.getrlimit(resource.RLIMIT_STACK)[0]
limits = resource.getrlimit(resource.RLIMIT_AS)
for own in (None, weight):
    expected = _numpy.pair_wins(score, codes, 12, own)
    resource.setrlimit(resource.RLIMIT_AS, (used() + int(float(sys.argv[1]) * stack), limits[1]))
    found = _compiled.pair_wins(score, codes, 12, own, 64)
    resource.setrlimit(resource.RLIMIT_AS, limits)
    np.testing.assert_allclose(found, expected, rtol=1e-12)
print("the same")
"""


@HAS_THREADS
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
@pytest.mark.parametrize("room_for_stacks", [0.5, 2.5])
def test_threads_that_cannot_be_started_are_done_without(room_for_stacks):
    command = [sys.executable, "-c", SHORT_OF_THREADS, str(room_for_stacks)]
    environment = {**os.environ, "OPENBLAS_NUM_THREADS": "1", "MALLOC_ARENA_MAX": "1"}
    run = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert run.stdout.strip() == "the same", run.stderr


def same_in_threads(n_calls, n_threads=8):
    """Every thread makes every call, each in an order of its own."""
    calls = [draw_call(np.random.default_rng(seed)) for seed in range(n_calls)]

    def differing(thread):
        order = np.random.default_rng(thread).permutation(n_calls)
        return [calls[i].told for i in order if not alike(calls[i].answer(), alone[i])]

    with warnings.catch_warnings(), ThreadPoolExecutor(n_threads) as pool:
        warnings.simplefilter("ignore")  # once: filters are those of all threads
        alone = [call.answer() for call in calls]
        assert [*pool.map(differing, range(n_threads))] == [[]] * n_threads


def test_threads_do_not_disturb_each_other():
    same_in_threads(60)


@pytest.mark.slow
def test_many_threads_with_many_calls_do_not_disturb_each_other():
    same_in_threads(2000)


def test_large_calls_in_threads():
    """Beyond what a thread keeps in memory of its own, and with ties."""
    rng = np.random.default_rng(7)
    codes, score = rng.integers(0, 2, 300_000), np.round(rng.random(300_000), 4)
    parts = [(score[i:], codes[i:], None) for i in range(0, 40_000, 5000)]
    expected = [_numpy.ranked_wins(*part) for part in parts]
    with ThreadPoolExecutor(8) as pool:
        found = [*pool.map(lambda part: kernels.ranked_wins(*part), parts * 3)]
    assert found == [tuple(map(int, wins)) for wins in expected] * 3
