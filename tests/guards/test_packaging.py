"""What is published: addresses, versions, and the wheel itself, outside the checkout."""

import os
import re
import shutil
import subprocess
import sys
import sysconfig
import tomllib
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ADDRESS, GUIDE = "https://example.org/owner/name", "https://name.example.org"
RELATIVE = re.compile(r"\]\((?![a-z]+://|#)([^)]+)\)")
PIP = [sys.executable, "-m", "pip"]
STRICT = "-Ccmake.define.SKMETRICS_WARNINGS_AS_ERRORS=ON"  # those of the optimiser, too
PUBLISHED = (
    "README.md",
    "README.zh.md",
    "pyproject.toml",
    "CITATION.cff",
    ".ci/address.py",
    ".ci/addresses.toml",
)

# An editable installation would be found before the one that is tested here.
RUN = """
import sys
sys.meta_path[:] = [f for f in sys.meta_path if "editable" not in type(f).__module__]
sys.path.insert(0, sys.argv[1])
import skmetrics_ext
assert skmetrics_ext.__file__.startswith(sys.argv[1]), skmetrics_ext.__file__
from skmetrics_ext import kernels
assert kernels.active() == "native", kernels.available()
import pytest
sys.exit(pytest.main(sys.argv[2:]))
"""


def test_links_hold_outside_of_the_repository(tmp_path):
    if "urls" in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]:
        # A release, in which they are written already.
        assert not RELATIVE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
        return
    for name in PUBLISHED:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    links = RELATIVE.findall((ROOT / "README.md").read_text(encoding="utf-8"))
    missing = [link for link in links if not (ROOT / link.partition("#")[0]).exists()]
    assert links
    assert not missing
    command = [sys.executable, ".ci/address.py", "v1"]
    addresses = tmp_path / ".ci/addresses.toml"
    for repository in ("", "example.org"):
        addresses.write_text(f'repository = "{repository}"\ndocumentation = ""\n', "utf-8")
        run = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
        assert run.returncode == 1
        assert "no https:// address of: repository, documentation" in run.stderr
    addresses.write_text(f'repository = "{ADDRESS}/"\ndocumentation = "{GUIDE}"\n', "utf-8")
    subprocess.run(command, cwd=tmp_path, check=True)
    readme = (tmp_path / "README.md").read_text(encoding="utf-8")
    assert not RELATIVE.findall(readme)
    assert all(f"{ADDRESS}/{kind}/v1/" in readme for kind in ("raw", "blob"))
    project = tomllib.loads((tmp_path / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert project["urls"]["Issues"] == f"{ADDRESS}/issues"
    assert project["urls"]["Documentation"] == GUIDE
    assert f"repository-code: {ADDRESS}\n" in (tmp_path / "CITATION.cff").read_text("utf-8")


def test_one_version():
    version = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]["version"]
    for name in ("CITATION.cff", ".ci/conda/recipe.yaml"):
        found = re.search(r"^ *version: (\S+)$", (ROOT / name).read_text("utf-8"), re.MULTILINE)
        assert found, name
        assert found[1] == version, name


def test_conda_recipe_asks_for_what_the_wheel_asks_for():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    recipe = (ROOT / ".ci/conda/recipe.yaml").read_text("utf-8")
    asked = project["project"]["dependencies"] + project["build-system"]["requires"]
    for requirement in [*asked, "python" + project["project"]["requires-python"]]:
        spaced = requirement.replace(">=", " >=")
        assert f"- {spaced}\n" in recipe, requirement


def build_wheel(folder, *options, **variables):
    """The wheel of this checkout, and what pip says meanwhile."""
    command = [*PIP, "wheel", "--verbose", "--no-deps", *options, "--wheel-dir", folder, ROOT]
    run = subprocess.run(command, env=os.environ | variables, capture_output=True, check=False)
    told = (run.stdout + run.stderr).decode("utf-8", "replace")
    assert run.returncode == 0, told[-4000:]
    (wheel,) = folder.glob("*.whl")
    return wheel, told


@pytest.mark.slow
def test_wheel_without_a_compiler_is_pure_python(tmp_path):
    wheel, told = build_wheel(tmp_path, CXX="no-such-compiler")
    assert "the NumPy kernels will run" in told
    assert wheel.name.endswith("-py3-none-any.whl")
    assert not [
        name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".so", ".pyd"))
    ]
    code = "from skmetrics_ext import kernels; print(kernels.__file__, kernels.active())"
    # An editable installation would be found first.
    code = f"import sys; del sys.meta_path[:-3]; sys.path.insert(0, {str(wheel)!r}); {code}"
    command = [sys.executable, "-P", "-c", code]
    run = subprocess.run(command, capture_output=True, text=True, check=True)
    assert run.stdout.split() == [f"{wheel}/skmetrics_ext/kernels/__init__.py", "numpy"]


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("clang++") is None, reason="clang is not installed")
def test_clang_has_no_warning_either(tmp_path):
    # Those of g++ are errors where the wheel is built below. Warnings of clang need no optimiser.
    subprocess.run([*PIP, "install", "--quiet", "--target", tmp_path, "nanobind"], check=True)
    code = [*(ROOT / "skmetrics_ext/kernels/native").glob("*.cpp")]
    command = [
        "clang++",
        "-fsyntax-only",
        "-std=c++17",
        "-Werror",
        "-Wall",
        "-Wextra",
        "-Wconversion",
    ]
    headers = [tmp_path / "nanobind" / "include", sysconfig.get_path("include")]
    command += [f"-isystem{one}" for one in headers]
    run = subprocess.run([*command, *code], capture_output=True, text=True, check=False)
    assert code
    assert run.returncode == 0, run.stderr[:4000]


@pytest.mark.exhaustive
@pytest.mark.skipif(sys.platform != "linux", reason="auditwheel reads wheels of Linux")
@pytest.mark.skipif(shutil.which("g++") is None, reason="g++ is not installed")
def test_wheel_runs_outside_of_the_checkout(tmp_path):
    pytest.importorskip("auditwheel", reason="part of the extra dev")
    wheel, _ = build_wheel(tmp_path, STRICT)
    held = zipfile.ZipFile(wheel).namelist()
    assert {"skmetrics_ext/report/page/page.css", "skmetrics_ext/report/page/page.js"} <= {*held}
    shown = subprocess.run(
        [sys.executable, "-m", "auditwheel", "show", wheel],
        capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    # Nothing but the C and C++ runtimes that every distribution has.
    assert "manylinux_2_" in shown, shown
    target = tmp_path / "installed"
    subprocess.run([*PIP, "install", "--quiet", "--no-deps", "--target", target, wheel], check=True)
    tests = tmp_path / "tests"
    for part in ("kernels", "support"):
        shutil.copytree(ROOT / "tests" / part, tests / part)
    shutil.copy(ROOT / "tests" / "conftest.py", tests)
    command = [sys.executable, "-P", "-c", RUN, target, "-q", "-x", "-n0", "-p", "no:cacheprovider"]
    command += ["--import-mode=importlib", "kernels/test_counting.py", "kernels/test_ranking.py"]
    run = subprocess.run(command, cwd=tests, capture_output=True, text=True, check=False)
    assert run.returncode == 0, run.stdout[-4000:] + run.stderr[-4000:]
    assert " passed" in run.stdout


def workflow(name):
    path = ROOT / ".github" / "workflows" / name
    if not path.is_file():
        pytest.skip("no workflows here, as in a source archive")
    return pytest.importorskip("yaml").safe_load(path.read_text(encoding="utf-8"))


def steps(job):
    return "\n".join(step.get("run", "") for step in job["steps"])


def test_each_supported_python_is_tested_and_tried_with_the_wheel():
    """The wheel of 3.12 has the stable ABI, and is that of all later versions."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    prefix = "Programming Language :: Python :: 3."
    classifiers = project["project"]["classifiers"]
    supported = {int(c.removeprefix(prefix)) for c in classifiers if c.startswith(prefix)}
    assert project["tool"]["scikit-build"]["wheel"]["py-api"] == "cp312"
    jobs = workflow("release.yml")["jobs"]
    later = jobs["later"]
    tried = {int(version[2:]) for version in later["strategy"]["matrix"]["python"]}
    assert tried == {version for version in supported if version > 12}
    assert "--no-index --find-links dist" in steps(later)
    assert "kernels.active() == 'native'" in steps(later)
    assert set(jobs["publish"]["needs"]) == jobs.keys() - {"publish"}
    run = {
        int(v[2:]) for v in workflow("ci.yml")["jobs"]["versions"]["strategy"]["matrix"]["python"]
    }
    assert run | {11} == supported


def test_musl_wheels_are_built_and_not_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    assert project["tool"]["cibuildwheel"]["test-skip"] == "*-musllinux_*"
    assert not any("musl" in text for text in project["tool"]["cibuildwheel"].get("skip", []))


def test_nightly_wheels_are_tested_every_week():
    nightly = workflow("nightly.yml")
    when = nightly[True]["schedule"][0]["cron"].split()  # YAML reads the key "on" as true
    assert when[2:4] == ["*", "*"]
    assert when[4].isdecimal()
    text = steps(nightly["jobs"]["nightly"])
    assert "scientific-python-nightly-wheels" in text
    assert {"numpy", "scipy", "scikit-learn", "--pre"} <= set(text.split())
