"""Run scikit-learn's own metrics tests with the functions of skmetrics_ext in place of its own.

    python tests/sklearn_suite/runner.py --groups core
    python tests/sklearn_suite/runner.py --array-api                    # tensors, of what is there
    python tests/sklearn_suite/runner.py -k test_roc_auc --verbose      # development: tracebacks
    python tests/sklearn_suite/runner.py --target sklearn.metrics       # must print 100 %

The package must be importable (installed, or on PYTHONPATH), with the scikit-learn that
baseline.toml names. pandas, polars, pyarrow, matplotlib and array libraries (array-api-strict,
PyTorch) each turn skipped tests into run ones.

In `pytest_configure`, each function of `suite_spec.LISTED` that the target has in `__all__` is
replaced in every loaded scikit-learn module and scorer. A test counts if it calls one.

The tests are mostly invariances: a metric that is wrong by a constant factor passes most of them.
Values are the business of tests/reference and of the comparison with scikit-learn.

Exit status: 0 all counted tests pass, or fail as exceptions.toml says; 1 not so; 3 not run.

A new scikit-learn: `runner.py --target sklearn.metrics --write-baseline`, with all optional
packages installed, then read the difference.
"""

import argparse
import contextlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path

import suite_results
import suite_spec as spec


class HarnessError(Exception):
    """The tests could not be run."""


def parse_args() -> argparse.Namespace:
    doc = argparse.RawDescriptionHelpFormatter
    p = argparse.ArgumentParser(description=__doc__, formatter_class=doc)
    p.add_argument("--target", default=spec.DEFAULT_TARGET, help="module with the functions")
    p.add_argument("--groups", default=",".join(spec.GROUPS), help="default: %(default)s")
    p.add_argument("--array-api", action="store_true", help="the tests of array_api_dispatch alone")
    p.add_argument("-k", dest="keyword", help="passed on to pytest")
    p.add_argument("-v", "--verbose", action="store_true", help="show pytest's own output")
    p.add_argument("--timeout", type=int, default=900, help="seconds for the whole run")
    p.add_argument("--write-baseline", action="store_true", help="see above")
    return p.parse_args()


def environment(args: argparse.Namespace, tmp: Path) -> dict[str, str]:
    """Return the environment of the inner run: none of the settings of an outer one."""
    outer = ("PYTEST_", "SKLEARN_", "SKSUITE_", "PYTHONWARNINGS", "SCIPY_ARRAY_API")
    env = {k: v for k, v in os.environ.items() if not k.startswith(outer)}
    user_path = [str(Path(p).resolve()) for p in env.get("PYTHONPATH", "").split(os.pathsep) if p]
    env.update(
        PYTHONPATH=os.pathsep.join([str(spec.HERE), *user_path]),
        PYTHONSAFEPATH="1",
        PYTHONHASHSEED="0",
        PYTEST_DISABLE_PLUGIN_AUTOLOAD="1",
        MPLBACKEND="agg",
        SKSUITE_TARGET=args.target,
        SKSUITE_LOG=str(tmp / "events"),
        SKSUITE_WORKER_LOG=str(tmp / "worker_calls"),
        SKSUITE_EVERYTHING="1" if args.write_baseline else "0",
    )
    if args.array_api:
        env["SCIPY_ARRAY_API"] = "1"  # scikit-learn asks for it
    for var in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"):
        env.setdefault(var, "1")  # the tests are small: threads only slow them down
    return env


def run_pytest(args: argparse.Namespace, root: Path, files: list[str], tmp: Path) -> list[dict]:
    """Run the test files in a new interpreter and return the events that the plugin wrote."""
    (tmp / "pytest.ini").write_text("[pytest]\n")  # not the one of the package under test
    cmd = [sys.executable, "-m", "pytest", "-p", "suite_plugin", "-p", "no:cacheprovider"]
    cmd += ["-c", str(tmp / "pytest.ini"), "--rootdir", str(root), "--confcutdir", str(root)]
    cmd += ["--basetemp", str(tmp / "basetemp"), "--continue-on-collection-errors"]
    # Assertions of scikit-learn say little more when they are rewritten, which takes seconds.
    cmd += ["-q", "--tb=short", "--disable-warnings", "--color=no", "--assert=plain"]
    cmd += ["-k", args.keyword] if args.keyword else []
    cmd += [str(root / path) for path in files]
    log = tmp / "log"
    with log.open("w") as f:
        out = None if args.verbose else f
        env = environment(args, tmp)
        proc = subprocess.Popen(
            cmd, cwd=tmp, env=env, stdout=out, stderr=out and subprocess.STDOUT,
            start_new_session=True,  # so that joblib's workers can be ended with it
        )  # fmt: skip
        try:
            proc.wait(args.timeout)
        except subprocess.TimeoutExpired:
            print(f"[ended after {args.timeout} s]")
        finally:
            end(proc)
    events = []
    if (tmp / "events").exists():
        for line in (tmp / "events").read_text().splitlines():
            with contextlib.suppress(ValueError):  # a line cut off by a crash
                events.append(json.loads(line))
    if not any(e["ev"] == "collected" for e in events):
        raise HarnessError(f"pytest did not start on {args.target!r}:\n{log.read_text()[-2000:]}")
    return events


def end(proc: subprocess.Popen) -> None:
    """End the process and its group, if there is anything left of them."""
    try:
        os.killpg(proc.pid, signal.SIGKILL)
    except (AttributeError, ProcessLookupError):  # no process groups on Windows
        proc.kill()
    proc.wait()


def write_baseline(events: list[dict]) -> None:
    """Write down which tests call which functions; see suite_spec.Baseline."""
    results = [e for e in events if e["ev"] == "end" and e["reached"]]
    if bad := [e["id"] for e in events if e.get("outcome") == "failed"]:
        raise HarnessError(f"scikit-learn fails its own tests here: {bad}")
    reaches: dict[str, dict[str, set[str]]] = {}
    for r in results:
        path, _, test = spec.function_of(r["id"]).partition("::")
        reaches.setdefault(path, {}).setdefault(test, set()).update(r["reached"])
    lines = ["# Written by `runner.py --write-baseline`; read by suite_spec.load_baseline."]
    lines += [f'sklearn = "{events[0]["sklearn"]}"', "", "skips = ["]
    lines += sorted(f"  {json.dumps(r['id'])}," for r in results if r["outcome"] == "skipped")
    lines += ["]"]
    for path, tests in sorted(reaches.items()):
        lines += ["", f'[reaches."{path}"]']
        lines += [f'{test} = "{" ".join(sorted(tests[test]))}"' for test in sorted(tests)]
    spec.BASELINE.write_text("\n".join(lines) + "\n", encoding="utf-8")


def report(args: argparse.Namespace, events: list[dict], files: list[str]) -> int:
    """Print all that was found; return the exit status."""
    info = events[0]
    baseline = spec.load_baseline()
    if info["sklearn"] != baseline.sklearn:
        raise HarnessError(f"scikit-learn is {info['sklearn']}, baseline.toml {baseline.sklearn}")
    results = suite_results.judge(events, baseline)
    rows = suite_results.load_exemptions() if args.target == spec.DEFAULT_TARGET else []
    rows = [row for row in rows if spec.file_of(row.tests) in files]
    some = int(os.environ.get("SKSUITE_MOST_CASES", "0"))
    whole = not (args.keyword or args.array_api or some)
    left, covered, stale = suite_results.match(rows, results, whole=whole)
    print(f"{info['target']} ({info['where']}) in the tests of scikit-learn {info['sklearn']}")
    suite_results.print_tables(results, files, info["swapped"])
    print(f"not exposed: {' '.join(info['not_exposed']) or 'none'}")
    delegations = events[-1].get("delegations", {})
    # metric_at_thresholds is given the metric that it calls.
    delegations = [d for d in delegations if not d.startswith("metric_at_thresholds ->")]
    uncounted = [r for r in results if r["outcome"] == "failed" and not r["counted"]]
    print_list("Failures that do not count (no swapped function)", [r["id"] for r in uncounted])
    print_list("Failures that exceptions.toml allows", covered)
    print_list("FAILURES", [f"{r['id']}\n    [{r['kind']}] {short(r)}" for r in left])
    print_list("EXCEPTIONS that do not hold (exceptions.toml)", stale)
    print_list("CALLS of the target into sklearn.metrics", delegations + info["held"])
    wrong = ["no test called a swapped function"] * (not any(r["counted"] for r in results))
    wrong += ["the run did not end as it should"] * (events[-1]["ev"] != "finish")
    print_list("THE RUN", wrong)
    return int(bool(left or stale or delegations or info["held"] or wrong))


def short(result: dict) -> str:
    """Return the function called last and the beginning of the message, as indented lines."""
    lines = [line for line in result["msg"].splitlines() if line.strip()][:8]
    return f"{result['last'] or 'no call'}: " + "\n    ".join(lines)


def print_list(title: str, lines: list[str]) -> None:
    if lines:
        print(f"\n{title}: {len(lines)}", *lines, sep="\n  ")


def main() -> int:
    args = parse_args()
    if args.write_baseline:
        args.groups, args.keyword = ",".join(spec.GROUPS), None
    groups = args.groups.split(",")
    if unknown := set(groups) - set(spec.GROUPS):
        raise HarnessError(f"unknown groups {sorted(unknown)}; known: {list(spec.GROUPS)}")
    files = [path for group in groups for path in spec.GROUPS[group]]
    package = find_spec("sklearn")
    if package is None or package.origin is None:
        raise HarnessError("scikit-learn is not installed")
    root = Path(package.origin).parents[1]
    start = time.perf_counter()
    with tempfile.TemporaryDirectory(prefix="sksuite") as tmp:
        events = run_pytest(args, root, files, Path(tmp))
    if args.write_baseline:
        write_baseline(events)
    status = report(args, events, files)
    print(f"\n{time.perf_counter() - start:.0f} s")
    return status


if __name__ == "__main__":
    try:
        sys.exit(main())
    except (HarnessError, ValueError) as e:
        print(f"HARNESS ERROR: {e}", file=sys.stderr)
        sys.exit(3)
