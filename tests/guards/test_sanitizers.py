"""The native kernels built with the address and undefined behaviour sanitizers: no finding.

The smaller twin is tests/kernels, on the kernels as they are installed.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STRICT = ("SKMETRICS_SANITIZE", "SKMETRICS_WARNINGS_AS_ERRORS")
# An editable installation would be found before the one that is tested here.
RUN = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
import skmetrics_ext.kernels._compiled as compiled
assert compiled.__file__.startswith(sys.argv[1]), compiled.__file__
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""


def runtime(name):
    """Path of a sanitizer's library, which must be loaded before Python."""
    found = subprocess.run(
        ["gcc", f"-print-file-name={name}"], capture_output=True, text=True, check=True
    ).stdout.strip()
    return found if os.path.isabs(found) else None


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_no_finding_and_no_warning(tmp_path):
    libraries = [runtime("libasan.so"), runtime("libubsan.so")]
    if None in libraries:
        pytest.skip("gcc has no sanitizer libraries here")
    target = tmp_path / "installed"
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", target]
    subprocess.run([*install, *(f"-Ccmake.define.{x}=ON" for x in STRICT), ROOT], check=True)
    assert list(target.glob("skmetrics_ext/kernels/_compiled*")), "the native kernels did not build"
    tests = tmp_path / "tests"
    shutil.copytree(ROOT / "tests" / "kernels", tests / "kernels")
    shutil.copytree(ROOT / "tests" / "support", tests / "support")
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    environment = {
        **os.environ,
        "PYTHONPATH": str(target),
        "LD_PRELOAD": " ".join(libraries),
        # Python keeps what it allocates, and a MemoryError is an answer.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
        "OMP_NUM_THREADS": "2",
        "SKMETRICS_EXT_KERNELS": "native",
        "HYPOTHESIS_PROFILE": "again",  # the twin has more examples
    }
    command = [sys.executable, "-c", RUN, str(target), "-q", "-x", "-n0", "-m", "not slow"]
    command += [
        "-p",
        "no:cacheprovider",
        "--import-mode=importlib",
        "--ignore=kernels/test_choice.py",
        "kernels",
    ]
    run = subprocess.run(
        command, cwd=tests, env=environment, capture_output=True, text=True, check=False
    )
    report = run.stdout + run.stderr
    assert run.returncode == 0, report[-4000:]
    assert "ERROR: AddressSanitizer" not in report
    assert "runtime error" not in report
    assert "passed" in run.stdout
