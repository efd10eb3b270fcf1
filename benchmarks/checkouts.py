"""The package of a checkout, measured in a process of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parents[1]


def environment(checkout: Path) -> dict[str, str]:
    """Variables of a process that imports the package of this checkout."""
    before = os.environ.get("PYTHONPATH")
    return os.environ | {"PYTHONPATH": os.pathsep.join(filter(None, [str(checkout), before]))}


def package() -> dict[str, Any]:
    """Which package this process imports, and its kernels."""
    import skmetrics_ext

    folder = Path(skmetrics_ext.__file__).resolve().parents[1]
    return {"checkout": str(folder), "kernels": list(skmetrics_ext.kernels.available())}


def check_package(found: dict[str, Any], checkout: Path) -> None:
    """Stop unless a process imported the package of the checkout that it was to measure."""
    if Path(found["checkout"]) != checkout.resolve():
        raise SystemExit(
            f"The package of {checkout} was to be measured, but {found['checkout']} was imported: "
            "an editable installation that goes before PYTHONPATH."
        )


def run_in(checkout: Path, script: str, *arguments: str) -> Any:
    """What a script of this folder prints as JSON, run on the package of a checkout.

    The scripts are always those of this folder: both checkouts are asked the same.
    """
    command = [sys.executable, str(Path(__file__).with_name(script)), *arguments]
    done = subprocess.run(
        command, env=environment(checkout), stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode != 0:
        raise SystemExit(f"{script} failed on {checkout}.")
    found = json.loads(done.stdout)
    check_package(found["package"], checkout)
    return found
