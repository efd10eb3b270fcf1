"""How many functions of the package one question calls, and which.

    python benchmarks/calls.py --top 15
    python benchmarks/calls.py --against ../another-checkout

Where a question takes microseconds, its price is the number of Python functions on its way. They
are counted with ``sys.setprofile``: every call of a function whose code lies in the package, each
step of a generator and each comprehension with a frame of its own as one, in a call that is not
the first. So the counts are the same in every run and on every machine. The questions:

- a `ScorerPanel` of roc_auc, f1 and neg_log_loss with ``intervals=True`` scores a fitted
  LogisticRegression on the breast cancer data (739 calls before the limit was set);
- `cross_validation_report` of a LogisticRegression and the baseline that stands beside it unless
  told otherwise, so of two models, with the metrics that it chooses itself, on 3 folds of these
  data (2,755 before);
- one metric of 100 rows with two classes: binary f1, macro f1, accuracy;
- a `ScorerPanel` of the twenty metrics of ``panel.py`` on 1,000 rows.

Of the twenty metrics the kernels and predictions that run are counted too, and the arrays that
NumPy sorts: one count and one sort would do. Times are compared where a limit is one of
times: binary f1 takes at most the mean of the other two, the twenty metrics at most twice the
predictions. Prints Markdown. Exit status 1 with ``--strict`` where a limit is not kept.
"""

from __future__ import annotations

import argparse
import json
import sys
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
from case import OURS
from checkouts import HERE, package, run_in
from data import labels
from output import markdown, seconds, three_digits
from panel import NAMES, entrants
from timing import Entrant, Ratio, one_thread, race

PANEL, REPORT, TWENTY = "panel of 3 with intervals", "report of 3 folds", "panel of 20, n = 1,000"
BINARY, MACRO, ACCURACY = "f1_score binary, n = 100", "f1_score macro", "accuracy_score"
LIMITS = {PANEL: 300, REPORT: 1300}
_PREDICTED = "predictions"
_SORTS = frozenset(["sort", "argsort", "lexsort", "partition", "argpartition"])

Call = Callable[[], Any]


def questions() -> dict[str, Call]:
    """The calls that are counted, by the names of their rows."""
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.preprocessing import StandardScaler

    import skmetrics_ext as sx

    X, y = load_breast_cancer(return_X_y=True)
    X = StandardScaler().fit_transform(X)
    model = LogisticRegression().fit(X, y)
    panel = sx.ScorerPanel(["roc_auc", "f1", "neg_log_loss"], intervals=True)
    (true, pred), _ = labels(n_classes=2)(100)
    twenty = entrants(1000)
    return {
        PANEL: lambda: panel(model, X, y),
        REPORT: lambda: sx.cross_validation_report(model, X, y, cv=3),
        BINARY: lambda: sx.f1_score(true, pred),
        MACRO: lambda: sx.f1_score(true, pred, average="macro"),
        ACCURACY: lambda: sx.accuracy_score(true, pred),
        TWENTY: twenty[sx.kernels.active()].call,
        _PREDICTED: twenty[_PREDICTED].call,
    }


# --------------------------------------------------------------------------- counts


def profiled(call: Call, see: Callable[[Any, str, Any], object]) -> None:
    """Run a call, the second time with the profiler's function."""
    call()
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)


def calls_of(call: Call) -> Counter[str]:
    """Calls of each function of the package, by ``file:name``."""
    inside, found = _inside(), Counter[CodeType]()

    def see(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(inside):
            found[frame.f_code] += 1

    profiled(call, see)
    named: Counter[str] = Counter()
    for code, number in found.items():
        name = code.co_qualname.replace(".<locals>", "")
        named[f"{code.co_filename.removeprefix(inside)}:{name}"] += number
    return named


def work_of(call: Call) -> Counter[str]:
    """Kernels called from elsewhere in the package, NumPy's sorts, and predictions."""
    kernels, found = _inside("kernels"), Counter[str]()

    def see(frame: Any, event: str, function: Any) -> None:
        if event == "c_call":
            sorts = function.__name__ in _SORTS and isinstance(function.__self__, np.ndarray)
            found["sorts of NumPy"] += sorts
        elif event == "call":
            code, caller = frame.f_code, frame.f_back.f_code.co_filename
            if code.co_filename.startswith(kernels) and not caller.startswith(kernels):
                found[code.co_name] += 1
            elif code.co_name in ("predict", "predict_proba", "decision_function"):
                found[code.co_name] += not caller.startswith(_sklearn())

    profiled(call, see)
    return +found


def _inside(*rooms: str) -> str:
    import skmetrics_ext

    return str(Path(skmetrics_ext.__file__).parent.joinpath(*rooms)) + "/"


def _sklearn() -> str:
    return str(Path(sys.modules["sklearn"].__file__).parent) + "/"


# --------------------------------------------------------------------------- the measurement


def measure(options: argparse.Namespace) -> dict[str, Any]:
    """Counts and times of the package that this process imports."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        asked = questions()
        counts = {name: calls_of(call) for name, call in asked.items() if name != _PREDICTED}
        work = work_of(asked[TWENTY])
        times = {}
        for group in ((BINARY, MACRO, ACCURACY), (TWENTY, _PREDICTED), (PANEL,)):
            runners = {name: Entrant(asked[name]) for name in group}
            times |= race(runners, rounds=options.rounds, seconds=options.seconds)
    return {"package": package(), "counts": counts, "work": work, "times": times}


def verdicts(found: dict[str, Any]) -> dict[str, tuple[float, float]]:
    """Reached and allowed, by limit."""
    times = {name: np.array(values) for name, values in found["times"].items()}
    n = min(map(len, times.values()))
    mean = (times[MACRO][:n] + times[ACCURACY][:n]) / 2
    cheap = Ratio.of(list(times[BINARY][:n]), list(mean)).median
    twenty = Ratio.of(list(times[TWENTY][:n]), list(times[_PREDICTED][:n])).median
    return {
        **{name: (sum(found["counts"][name].values()), most) for name, most in LIMITS.items()},
        f"time of {BINARY} / mean of macro and accuracy": (cheap, 1.0),
        f"time of {TWENTY} / {_PREDICTED}": (twenty, 2.0),
        "sorts and counts of the twenty metrics": (_passes(found["work"]), 2),
    }


def _passes(work: dict[str, int]) -> int:
    """How often rows are sorted or counted."""
    return sum(n for name, n in work.items() if name.startswith(("rank", "pair", "place", "conf")))


# --------------------------------------------------------------------------- the page


def page(found: dict[str, Any], other: dict[str, Any] | None, top: int) -> str:
    """All tables."""
    sides = [found] if other is None else [found, other]
    parts = [
        markdown(
            ["calls inside the package", *_heads(sides)],
            ([name, *_numbers(_totals(sides, name))] for name in found["counts"]),
        ),
        markdown(
            ["time", *_heads(sides)],
            ([name, *_durations(_medians(sides, name))] for name in found["times"]),
        ),
        markdown(
            ["kernel, sort or prediction of the twenty metrics", *_heads(sides)],
            (
                [name, *_numbers([side["work"].get(name, 0) for side in sides])]
                for name in sorted(set().union(*(side["work"] for side in sides)))
            ),
        ),
        markdown(
            ["limit", "at most", *_heads(sides)[: len(sides)], "kept"],
            (
                [name, f"{most:g}", *(_reached(side, name) for side in sides), _kept(value, most)]
                for name, (value, most) in verdicts(found).items()
            ),
        ),
    ]
    if top:
        parts += [_top(name, Counter(calls), top) for name, calls in found["counts"].items()]
    return "\n\n".join(parts)


def _heads(sides: list[Any]) -> list[str]:
    return ["here"] if len(sides) == 1 else ["here", "there", "here / there"]


def _totals(sides: list[Any], name: str) -> list[int]:
    return [sum(side["counts"][name].values()) for side in sides]


def _medians(sides: list[Any], name: str) -> list[float]:
    return [float(np.median(side["times"][name])) for side in sides]


def _numbers(values: list[int]) -> list[str]:
    return [*(f"{value:,}" for value in values), *_share(values)]


def _durations(values: list[float]) -> list[str]:
    return [*map(seconds, values), *_share(values)]


def _share(values: list[Any]) -> list[str]:
    return [three_digits(values[0] / values[1]) if values[1] else "-"] if len(values) > 1 else []


def _reached(side: dict[str, Any], name: str) -> str:
    value = verdicts(side)[name][0]
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


def _kept(value: float, most: float) -> str:
    return "yes" if value <= most else "**no**"


def _top(name: str, calls: Counter[str], top: int) -> str:
    """The functions that are called most, and the share of each room."""
    total = sum(calls.values())
    rooms: Counter[str] = Counter()
    for place, number in calls.items():
        rooms[place.partition(":")[0].partition("/")[0].removesuffix(".py")] += number
    shares = ", ".join(f"{room} {100 * n / total:.0f} %" for room, n in rooms.most_common())
    table = markdown(
        ["calls", "function"], ([str(n), f"`{at}`"] for at, n in calls.most_common(top))
    )
    return f"## {name}: {total:,} calls of {len(calls)} functions\n\nBy room: {shares}.\n\n{table}"


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--top", type=int, default=0, metavar="N", help="functions of each question"
    )
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout, beside it")
    parser.add_argument("--rounds", type=int, default=15, help="of times, at most (default 15)")
    parser.add_argument("--seconds", type=float, default=3.0, help="stop a group after so long")
    parser.add_argument("--strict", action="store_true", help="exit status 1 beyond a limit")
    parser.add_argument("--json", action="store_true", help="print the numbers of this process")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.json:
        print(json.dumps(measure(options)))
        return 0
    if options.against is None:
        found, other = measure(options), None
    else:
        asked = ("--json", "--rounds", str(options.rounds), "--seconds", str(options.seconds))
        found, other = (run_in(path, "calls.py", *asked) for path in (HERE, options.against))
    print(page(found, other, options.top))
    broken = [name for name, (value, most) in verdicts(found).items() if value > most]
    return int(options.strict and bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
