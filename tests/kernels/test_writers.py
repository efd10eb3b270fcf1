"""Another thread writes into the arrays during a call: a number or an error, no dead process.

The sanitized build (tests/guards/test_sanitizers.py) runs this file, too.
"""

import os
import subprocess
import sys

import pytest

from skmetrics_ext import kernels

# Values that are valid by themselves: more classes, other scores, other texts.
PROGRAM = """
import sys, threading, time, warnings
import numpy as np
# The package is found as the tests found it, also past an editable installation.
sys.meta_path[:] = [f for f in sys.meta_path if type(f).__module__ in sys.argv[3].split()]
if sys.argv[1] == "public":
    import skmetrics_ext as sx
from skmetrics_ext import kernels

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
n, k = 40_000, 5
wide = rng.normal(size=n) * 10.0 ** rng.integers(-300, 300, n)
versions = {
    "binary": [rng.integers(0, 2, n), np.zeros(n, int), np.ones(n, int), rng.integers(0, 9, n)],
    "codes": [rng.integers(0, k, n), np.full(n, k - 1), rng.integers(-3, 70, n)],
    "shifted": [rng.integers(1, 3, n), rng.integers(1, 70_000, n), np.full(n, 2**62)],
    "score": [rng.random(n), np.round(rng.random(n), 1), wide, np.full(n, np.inf)],
    "weight": [rng.random(n), rng.random(n) * 1e9],
    "text": [np.array(["no", "yes", "maybe so"])[rng.integers(0, 3, n)] for _ in range(3)],
}
versions["narrow"] = [x.astype(np.float32) for x in versions["score"]]
versions["small"] = [x.astype(np.int8) for x in versions["codes"]]
versions["bits"] = [x.astype(bool) for x in versions["binary"]]
versions["matrix"] = [np.stack([np.roll(x, i) for i in range(k)], 1) for x in versions["score"]]
versions["text"][1] = np.array([str(i % 900) for i in range(n)], versions["text"][0].dtype)
if sys.argv[1] == "public":  # finite scores, which the checks let pass
    versions = {name: values[: 2 + (name == "binary")] for name, values in versions.items()}
shared = {name: values[0].copy() for name, values in versions.items()}
binary, codes, shifted, score, weight, text, narrow, matrix, small, bits = map(shared.get, (
    "binary", "codes", "shifted", "score", "weight", "text", "narrow", "matrix", "small", "bits"))
second = codes[::-1]
calls = {
    "kernels": [
        lambda: kernels.confusion(binary, binary[::-1].copy(), 2, None),
        lambda: kernels.confusion(codes, codes, k, None),
        lambda: kernels.confusion(codes, codes, 100, None),
        lambda: kernels.class_counts(codes, codes, k, weight),
        lambda: kernels.encode(shifted, shifted),
        *(lambda own=own: kernels.tabulate(own, own) for own in (binary, codes, shifted, score)),
        *(lambda own=own: kernels.tabulate(own, own[::-1]) for own in (small, bits)),
        lambda: kernels.encode(text),
        lambda: kernels.all_finite(score),
        lambda: kernels.value_range(score),
        lambda: kernels.squared_distances(binary, score),
        lambda: kernels.binned_events(binary, score, np.array([0.25, 0.5])),
        *(
            lambda call=call, own=own, heavy=heavy: call(own, heavy)
            for own in (score, narrow)
            for heavy in (None, weight)
            for call in (
                lambda own, heavy: kernels.ranked_wins(own, binary, heavy),
                lambda own, heavy: kernels.ranked_precision(own, binary, heavy),
                lambda own, heavy: kernels.ranked_steps(own, binary, heavy, True),
                lambda own, heavy: kernels.rank_table(own, binary, 2, heavy),
                lambda own, heavy: kernels.rank_table(own, codes, k, heavy),
                lambda own, heavy: kernels.placements(own, binary, heavy),
                lambda own, heavy: kernels.precision_slopes(own, binary, heavy),
                lambda own, heavy: kernels.ranked_squares(own, binary),
            )
        ),
        lambda: kernels.pair_wins(matrix, codes, k, None),
        lambda: kernels.pair_wins(matrix, codes, k, weight),
        lambda: kernels.resampled_wins(np.random.default_rng(0), binary, codes, 3, True),
        lambda: kernels.resampled_wins(np.random.default_rng(0), binary, codes, 3, False),
    ],
    "public": sys.argv[1] == "public" and [
        lambda: sx.f1_score(codes, second, average="macro"),
        lambda: sx.cohen_kappa_score(codes, second),
        lambda: sx.confidence_interval("f1_macro", small, small[::-1]),
        lambda: sx.f1_score(bits, bits[::-1]),
        lambda: sx.matthews_corrcoef(binary, codes),
        lambda: sx.accuracy_score(text, text[::-1]),
        lambda: sx.f1_score(binary, codes % 2, average="macro", sample_weight=weight),
        lambda: sx.roc_auc_score(binary, score, sample_weight=weight),
        lambda: sx.roc_auc_score(binary, narrow),
        lambda: sx.roc_auc_score(codes, matrix, multi_class="ovo", labels=range(k)),
        lambda: sx.average_precision_score(binary, score),
        lambda: sx.roc_curve(binary, score),
        lambda: sx.precision_recall_curve(binary, score),
        lambda: sx.brier_score_loss(binary, score),
        lambda: sx.confidence_interval("roc_auc", binary, score),
        lambda: sx.confidence_interval("f1_macro", codes, second),
        lambda: sx.compare("roc_auc", binary, score, score[::-1], n_resamples=99),
        lambda: sx.compare("kappa", codes, second, codes),
        lambda: sx.optimal_threshold(binary, score, "f1"),
    ],
}[sys.argv[1]]
running, count = True, 0

def write():
    while running:
        for name, values in versions.items():
            for value in values[1:] + values[:1]:
                np.copyto(shared[name], value)

writers = [threading.Thread(target=write, daemon=True) for _ in range(2)]
for writer in writers:
    writer.start()
stop = time.monotonic() + float(sys.argv[2])
while time.monotonic() < stop or not count:
    for call in calls:
        try:
            call()
        except Exception:
            pass  # whatever was read
        count += 1
running = False
for writer in writers:
    writer.join()
compiled = sys.modules.get("skmetrics_ext.kernels._compiled")
print("calls", count, kernels.active(), getattr(compiled, "__file__", None), sep="\\n")
"""


@pytest.mark.parametrize("calls", ["kernels", "public"])
def test_the_process_lives(calls):
    environment = os.environ | {"SKMETRICS_EXT_KERNELS": kernels.active(), "OMP_NUM_THREADS": "2"}
    finders = " ".join(type(finder).__module__ for finder in sys.meta_path)
    run = subprocess.run(
        [sys.executable, "-X", "faulthandler", "-c", PROGRAM, calls, "1.5", finders],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
        timeout=240,
    )
    assert run.returncode == 0, run.stderr[-3000:]
    title, count, name, file = run.stdout.splitlines()
    assert title == "calls"
    assert int(count) > 0
    assert name == kernels.active()
    if name == "native":  # the ones that these tests run, which may be a sanitized build
        assert file == sys.modules["skmetrics_ext.kernels._compiled"].__file__
