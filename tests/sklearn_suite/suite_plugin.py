"""pytest plugin: run scikit-learn's own tests against another package's metrics.

Loaded by runner.py with `-p suite_plugin`. The swap happens in pytest_configure, before any test
module of scikit-learn is imported, so all that those modules build at import time (tables of
functions, partials, lists of parameters) holds the swapped functions. Every event goes to
$SKSUITE_LOG as one line of JSON, flushed at once, so that a crash loses nothing.
"""

import json
import os
import re
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

import pytest
import suite_spec as spec
import suite_swap as sw


@dataclass
class Run:
    """State of the run and of the running test."""

    log: TextIO | None = None
    swapped: set[str] = field(default_factory=set)
    reports: dict = field(default_factory=dict)
    failure: dict = field(default_factory=dict)
    worker_offset: int = 0


run = Run()


def emit(**event) -> None:
    run.log.write(json.dumps(event, default=repr) + "\n")
    run.log.flush()


@pytest.hookimpl(tryfirst=True)
def pytest_configure(config):
    log = Path(os.environ["SKSUITE_LOG"])
    run.log = log.open("w")
    info = sw.swap()
    run.swapped = set(info["swapped"])
    emit(ev="swap", **info)


def _wanted(nodeid: str, baseline: spec.Baseline | None) -> bool:
    if ("array_api" in nodeid) != (os.environ.get("SCIPY_ARRAY_API") == "1"):
        return False  # they ask for an environment that the others do not have
    if "array_api" in nodeid:
        return True
    if baseline is None or spec.file_of(nodeid) not in spec.SELECTED:
        return True
    return bool(baseline.reaches.get(spec.function_of(nodeid), set()) & run.swapped)


def _some(items: list[pytest.Item], most: int) -> set[str]:
    """The ids of at most so many cases of each test, spread over them."""
    cases: dict[str, list[str]] = {}
    for item in items:
        cases.setdefault(spec.function_of(item.nodeid), []).append(item.nodeid)
    found: set[str] = set()
    for ids in cases.values():
        found.update(ids[:: -(-len(ids) // most)])
    return found


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config, items):
    everything = os.environ.get("SKSUITE_EVERYTHING") == "1"
    baseline = None if everything else spec.load_baseline()
    keep = [item for item in items if _wanted(item.nodeid, baseline)]
    if most := int(os.environ.get("SKSUITE_MOST_CASES", "0")):  # of each test; 0: all
        some = _some(keep, most)
        keep = [item for item in keep if item.nodeid in some]
    kept = {item.nodeid for item in keep}
    drop = [item for item in items if item.nodeid not in kept]
    config.hook.pytest_deselected(items=drop)
    items[:] = keep
    emit(ev="collected", ids=[item.nodeid for item in keep])


def pytest_collectreport(report):
    if report.failed:
        emit(ev="collect_error", id=report.nodeid, msg=str(report.longrepr)[-800:])


def _new_worker_calls() -> set[str]:
    """Return the functions that joblib's worker processes called since the last look."""
    log = Path(os.environ["SKSUITE_WORKER_LOG"])
    if not log.exists():
        return set()
    with log.open() as f:
        f.seek(run.worker_offset)
        text = f.read()
        run.worker_offset = f.tell()
    return set(text.split())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item, nextitem):
    run.reports, run.failure = {}, {}
    _new_worker_calls()
    state = sw.state
    state.item, state.reached, state.via_score, state.last = item.nodeid, set(), set(), None
    sw.local.stack = []
    emit(ev="start", id=item.nodeid)
    start = time.perf_counter()
    try:
        return (yield)
    finally:
        state.item = None
        reached = state.reached | _new_worker_calls()
        outcome = _outcome(run.reports)
        emit(
            ev="end",
            id=item.nodeid,
            outcome=outcome,
            reached=sorted(reached),
            via_score=sorted(state.via_score - reached),
            last=state.last,
            seconds=round(time.perf_counter() - start, 4),
            **(run.failure if outcome == "failed" else {}),
        )


def _outcome(reports: dict) -> str:
    if any(report.failed for report in reports.values()) or "setup" not in reports:
        return "failed"
    if any(report.skipped and not hasattr(report, "wasxfail") for report in reports.values()):
        return "skipped"
    return "passed"


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):
    report = yield
    run.reports[report.when] = report
    if report.failed and call.excinfo is not None and not run.failure:
        exc, msg = type(call.excinfo.value).__name__, str(call.excinfo.value)
        run.failure = {"kind": classify(exc, msg), "msg": f"{exc}: {msg}"[:800]}
    return report


def classify(exc: str, msg: str) -> str:
    """Give a rough reason, to tell wrong results from wrong wording."""
    kind = "exception:" + exc
    if "Regex pattern did not match" in msg:
        kind = "message"  # the right class of exception, another text
    elif "DID NOT WARN" in msg:
        wanted = re.search(r"of type \(?<class '([\w.]+)'", msg)
        emitted = msg.partition("mitted warnings:")[2]
        right_class = wanted is not None and wanted[1].split(".")[-1] + "(" in emitted
        kind = "message" if "matching the regex" in msg and right_class else "did_not_warn"
    elif "DID NOT RAISE" in msg:
        kind = "did_not_raise"
    elif exc == "AssertionError":
        kind = "assertion"
    elif exc == "TypeError" and "argument" in msg:
        kind = "signature"
    return kind


def pytest_sessionfinish(session, exitstatus):
    if run.log is not None:
        emit(ev="finish", status=int(exitstatus), delegations=dict(sw.state.delegations))
