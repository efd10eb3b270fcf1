"""Rankings of the native kernels on other processors, where a compiler and an emulator are there.

Debian has them: ``apt install qemu-user g++-aarch64-linux-gnu g++-s390x-linux-gnu``. The last one
puts the high bytes of a number first.
"""

import shutil
import subprocess
from pathlib import Path

import pytest

import skmetrics_ext

HEADERS = Path(skmetrics_ext.__file__).parent / "kernels" / "native"
SOURCE = Path(__file__).with_name("rankings.cpp")
EMULATED = [
    name
    for name in ("aarch64", "s390x")
    if shutil.which(f"{name}-linux-gnu-g++") and shutil.which(f"qemu-{name}")
]


def said(compiler, *emulator, folder):
    program = str(folder / "rankings")
    asked = [compiler, "-O2", "-std=c++17", "-static", f"-I{HEADERS}", str(SOURCE), "-o", program]
    subprocess.run(asked, check=True)
    return subprocess.run([*emulator, program], check=True, capture_output=True, text=True).stdout


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_rankings_are_right_on_this_processor(tmp_path):
    assert said("g++", folder=tmp_path) == "right\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", EMULATED)
def test_rankings_are_right_on_others(name, tmp_path):
    assert said(f"{name}-linux-gnu-g++", f"qemu-{name}", folder=tmp_path) == "right\n"
