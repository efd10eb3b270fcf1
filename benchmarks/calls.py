"""How many functions of the package one question calls, and which.

    python benchmarks/calls.py --top 15
    python benchmarks/calls.py --against ../another-checkout

Where a question takes microseconds, its price is the number of Python functions on its way. They
are counted with ``sys.setprofile``: each call of a function whose code lies in the package, and
each step of a generator and each comprehension with a frame of its own, in a call that is not the
first. So the counts are the same in every run of one Python version. The questions:

- a `ScorerPanel` of roc_auc, f1 and neg_log_loss with ``intervals=True`` scores a fitted
  LogisticRegression on the breast cancer data (739 calls before there was a limit);
- `cross_validation_report` of a LogisticRegression and of the baseline that stands beside it
  unless told otherwise, with the metrics that it chooses itself, on 3 folds of these data (2,755);
- intervals and comparisons of F1 and of the area under the ROC curve, and three metrics as a dict
  and as a table with intervals, of 500 rows;
- binary f1, macro f1 and accuracy of 100 rows with two classes;
- ``score`` of the command line, printed and as JSON: a CSV file of 300 rows with the scores of two
  models and two columns of two groups each (30,791 calls printed);
- a `ScorerPanel` of the twenty metrics of ``panel.py`` on 1,000 rows.

Of the twenty metrics the kernels and the predictions that run are counted too, and the arrays
that NumPy sorts. Two limits are of times: binary f1 takes at most the mean of macro f1 and
accuracy, the twenty metrics at most twice the predictions with one sort and one count. Prints
Markdown. Exit status 1 with ``--strict`` where a limit is not kept.
"""

from __future__ import annotations

import argparse
import io
import json
import sys
import tempfile
import warnings
from collections import Counter
from collections.abc import Callable
from contextlib import redirect_stderr, redirect_stdout
from pathlib import Path
from types import CodeType
from typing import Any

import numpy as np
from checkouts import HERE, package, run_in
from data import labels
from output import markdown, seconds, three_digits
from panel import entrants
from timing import Entrant, Ratio, one_thread, race

PANEL, REPORT, TWENTY = "panel of 3 with intervals", "report of 3 folds", "panel of 20, n = 1,000"
BINARY, MACRO, ACCURACY = "f1_score binary, n = 100", "f1_score macro", "accuracy_score"
LEAST = "predictions, a sort and a count"
PRINTED, AS_JSON = "score of 2 models by 2 columns", "score of 2 models by 2 columns, JSON"
INTERVAL, INTERVAL_OF_AREA = "interval of F1", "interval of an area"
COMPARISON, COMPARISON_OF_AREAS = "comparison of F1", "comparison of areas"
VALUES, TABLE = "dict of 3 metrics", "table of 3 metrics with intervals"
MOST_CALLS = {PANEL: 334, REPORT: 1198, PRINTED: 13_000, AS_JSON: 9_500}
MOST_CALLS |= {INTERVAL: 134, INTERVAL_OF_AREA: 160, COMPARISON: 396, COMPARISON_OF_AREAS: 309}
MOST_CALLS |= {VALUES: 213, TABLE: 500}
# Kernels that put the rows in order, and those that count them by class.
SORTS = ("rank_table", "ranked_wins", "ranked_precision", "ranked_steps", "pair_wins", "placements")
COUNTS = ("confusion", "class_counts", "bin_sums")
NUMPY_SORTS = ("sort", "argsort", "lexsort", "partition", "argpartition")
PREDICTIONS = ("predict", "predict_proba", "decision_function")

Call = Callable[[], Any]
Side = dict[str, Any]


def questions() -> dict[str, Call]:
    """What is asked, by the names of the rows."""
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
    rng = np.random.default_rng(0)
    rows = rng.integers(0, 2, 500)
    score = 0.3 * rows + 0.7 * rng.random(500)
    labels_at, other = (score > 0.5).astype(int), score**2 + 0.01 * rng.random(500)
    three = {"metrics": ["f1", "roc_auc", "log_loss"], "y_proba": score}
    return {
        INTERVAL: lambda: sx.confidence_interval("f1", rows, labels_at),
        INTERVAL_OF_AREA: lambda: sx.confidence_interval("roc_auc", rows, score),
        COMPARISON: lambda: sx.compare("f1", rows, labels_at, 1 - labels_at),
        COMPARISON_OF_AREAS: lambda: sx.compare("roc_auc", rows, score, other),
        VALUES: lambda: sx.compute_metrics(y_true=rows, y_pred=labels_at, **three),
        TABLE: lambda: sx.compute_metrics(y_true=rows, y_pred=labels_at, intervals=True, **three),
        PANEL: lambda: panel(model, X, y),
        REPORT: lambda: sx.cross_validation_report(model, X, y, cv=3),
        BINARY: lambda: sx.f1_score(true, pred),
        MACRO: lambda: sx.f1_score(true, pred, average="macro"),
        ACCURACY: lambda: sx.accuracy_score(true, pred),
        PRINTED: _command_line(),
        AS_JSON: _command_line("--json"),
        TWENTY: twenty[sx.kernels.active()].call,
        LEAST: twenty[LEAST].call,
    }


def _command_line(*options: str) -> Call:
    """The command ``score`` on a file of two models and two columns of groups."""
    from skmetrics_ext.cli import main

    rng = np.random.default_rng(0)
    ill = rng.random(300) < 0.4
    rows = ["ill,old,new,sex,clinic"]
    for place, (is_ill, old, new) in enumerate(
        zip(ill, rng.random(300), 0.3 * ill + 0.7 * rng.random(300), strict=True)
    ):
        rows.append(f"{int(is_ill)},{old:.4f},{new:.4f},{'fm'[place % 2]},{'ab'[place % 3 > 1]}")
    folder = tempfile.TemporaryDirectory(prefix="calls_")
    path = Path(folder.name) / "scores.csv"
    path.write_text("\n".join(rows) + "\n", encoding="utf-8")
    asked = ("--target", "ill", "--score", "old", "--score", "new", "--by", "sex", "clinic")

    def call(_folder: Any = folder) -> None:  # which keeps the file
        with redirect_stdout(io.StringIO()), redirect_stderr(io.StringIO()):
            if main(["score", str(path), *asked, "--quiet", *options]):
                raise RuntimeError("score failed")

    return call


# --------------------------------------------------------------------------- counts


def calls_of(call: Call) -> Counter[str]:
    """Calls of each function of the package, by ``file:name``."""
    inside, found = _inside(), Counter[CodeType]()

    def see(frame: Any, event: str, _: Any) -> None:
        if event == "call" and frame.f_code.co_filename.startswith(inside):
            found[frame.f_code] += 1

    _profiled(call, see)
    named: Counter[str] = Counter()
    for code, number in found.items():
        name = code.co_qualname.replace(".<locals>", "")
        named[f"{code.co_filename.removeprefix(inside)}:{name}"] += number
    return named


def work_of(call: Call) -> Counter[str]:
    """Kernels that the package calls, predictions that it asks for, and sorts of NumPy."""
    inside, kernels, found = _inside(), _inside("kernels"), Counter[str]()

    def see(frame: Any, event: str, function: Any) -> None:
        if event == "c_call" and function.__name__ in NUMPY_SORTS:
            found["sort of NumPy"] += isinstance(function.__self__, np.ndarray)
        elif event == "call" and (caller := frame.f_back.f_code.co_filename).startswith(inside):
            code = frame.f_code
            is_kernel = code.co_filename.startswith(kernels) and not caller.startswith(kernels)
            found[code.co_name] += is_kernel or code.co_name in PREDICTIONS

    _profiled(call, see)
    return +found


def _profiled(call: Call, see: Callable[[Any, str, Any], None]) -> None:
    """Run a call twice, the second time seen by the profiler's function."""
    call()
    sys.setprofile(see)
    try:
        call()
    finally:
        sys.setprofile(None)


def _inside(*rooms: str) -> str:
    import skmetrics_ext

    return str(Path(skmetrics_ext.__file__).parent.joinpath(*rooms) / "_").removesuffix("_")


# --------------------------------------------------------------------------- the measurement


def measure(options: argparse.Namespace) -> Side:
    """Counts and times of the package that this process imports."""
    with warnings.catch_warnings(), one_thread():
        warnings.simplefilter("ignore")
        asked = questions()
        counts = {name: calls_of(call) for name, call in asked.items() if name != LEAST}
        work = work_of(asked[TWENTY])
        times: dict[str, list[float]] = {}
        for group in ((BINARY, MACRO, ACCURACY), (TWENTY, LEAST), (PANEL, REPORT)):
            runners = {name: Entrant(asked[name]) for name in group}
            times |= race(runners, rounds=options.rounds, seconds=options.seconds)
    return {"package": package(), "counts": counts, "work": work, "times": times}


def limits(side: Side) -> dict[str, tuple[float, float]]:
    """Reached and allowed, by what is limited."""
    times, work = side["times"], side["work"]
    others = [sum(two) / 2 for two in zip(times[MACRO], times[ACCURACY], strict=True)]
    return {
        **{f"calls, {name}": (total(side, name), most) for name, most in MOST_CALLS.items()},
        "binary f1 / mean of macro and accuracy": (Ratio.of(times[BINARY], others).median, 1),
        f"20 metrics / {LEAST}": (Ratio.of(times[TWENTY], times[LEAST]).median, 2),
        "sorts for 20 metrics": (sum(work.get(name, 0) for name in SORTS), 1),
        "counts for 20 metrics": (sum(work.get(name, 0) for name in COUNTS), 1),
    }


def total(side: Side, name: str) -> int:
    """Calls that one question makes."""
    return sum(side["counts"][name].values())


# --------------------------------------------------------------------------- the page


def page(sides: list[Side], top: int) -> str:
    """Tables of one checkout, or of two beside each other."""
    first = sides[0]
    work = sorted(set().union(*(side["work"] for side in sides)))
    reached = [limits(side) for side in sides]
    columns = ["here"] if len(sides) == 1 else ["here", "there", "here / there"]
    parts = [
        markdown(
            ["calls inside the package", *columns],
            ([name, *_counted(total(side, name) for side in sides)] for name in first["counts"]),
        ),
        markdown(
            ["CPU time", *columns],
            (
                [name, *_beside([float(np.median(side["times"][name])) for side in sides], seconds)]
                for name in first["times"]
            ),
        ),
        markdown(
            ["what 20 metrics need", *columns],
            ([name, *_counted(side["work"].get(name, 0) for side in sides)] for name in work),
        ),
        markdown(
            ["limit", "at most", *columns, "kept"],
            (
                [
                    name,
                    f"{most:,}",
                    *_beside([found[name][0] for found in reached], _number),
                    "yes" if value <= most else "**no**",
                ]
                for name, (value, most) in reached[0].items()
            ),
        ),
    ]
    if top:
        parts += [_top(name, Counter(calls), top) for name, calls in first["counts"].items()]
    return "\n\n".join(parts)


def _counted(values: Any) -> list[str]:
    return _beside(list(values), _number)


def _beside(values: list[float], show: Callable[[float], str]) -> list[str]:
    """The values and, of two, the first by the second."""
    shown = [show(value) for value in values]
    if len(values) == 1:
        return shown
    return [*shown, _number(values[0] / values[1]) if values[1] else "-"]


def _number(value: float) -> str:
    return f"{value:,}" if isinstance(value, int) else three_digits(value)


def _top(name: str, calls: Counter[str], top: int) -> str:
    """The functions that are called most, and the share of each room."""
    n_calls = sum(calls.values())
    rooms: Counter[str] = Counter()
    for place, number in calls.items():
        room = place.partition(":")[0].partition("/")[0]
        rooms[room.removesuffix(".py")] += number
    shares = ", ".join(f"{room} {100 * n / n_calls:.0f} %" for room, n in rooms.most_common())
    most = ([str(number), f"`{place}`"] for place, number in calls.most_common(top))
    head = f"## {name}: {n_calls:,} calls of {len(calls)} functions\n\nBy room: {shares}."
    return f"{head}\n\n{markdown(['calls', 'function'], most)}"


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--top", type=int, default=0, metavar="N", help="most called functions")
    parser.add_argument("--against", type=Path, metavar="PATH", help="another checkout, beside")
    parser.add_argument("--rounds", type=int, default=15, help="of times, at most (default 15)")
    parser.add_argument("--seconds", type=float, default=3.0, help="stop a race after so long")
    parser.add_argument("--strict", action="store_true", help="exit status 1 beyond a limit")
    parser.add_argument("--json", action="store_true", help="print the numbers, for --against")
    options = parser.parse_args(arguments)
    options.rounds = max(options.rounds, 3)
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    if options.json:
        print(json.dumps(measure(options)))
        return 0
    if options.against is None:
        sides = [measure(options)]
    else:
        asked = ("--json", "--rounds", str(options.rounds), "--seconds", str(options.seconds))
        sides = [run_in(path, "calls.py", *asked) for path in (HERE, options.against)]
    print(page(sides, options.top))
    return int(options.strict and any(value > most for value, most in limits(sides[0]).values()))


if __name__ == "__main__":
    raise SystemExit(main())
