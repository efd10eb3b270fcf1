"""ScorerPanel of twenty metrics beside scikit-learn's dict of the same twenty scorers.

    python benchmarks/panel.py

For each number of rows: the twenty values must be equal; then both score a fitted
LogisticRegression in the same rounds, and beside them run its predictions alone and these with
one sort (an AUC) and one count (a confusion matrix): what a panel cannot do without. Prints
Markdown. Exit status 1 if a value differs.
"""

from __future__ import annotations

import argparse
from functools import partial
from typing import Any

import numpy as np
from measuring import own_kernels_kept, tell
from options import race_parser
from output import CLOCKS, machine_line, markdown, put, seconds, three_digits
from timing import Entrant, Ratio, difference, one_thread, race

NAMES = (
    "accuracy",
    "balanced_accuracy",
    "precision",
    "precision_macro",
    "precision_weighted",
    "recall",
    "recall_macro",
    "recall_weighted",
    "f1",
    "f1_macro",
    "f1_micro",
    "f1_weighted",
    "jaccard",
    "jaccard_macro",
    "jaccard_weighted",
    "matthews_corrcoef",
    "roc_auc",
    "average_precision",
    "neg_log_loss",
    "neg_brier_score",
)
_PANEL, _DICT = "panel", "scikit-learn"
_PREDICTED, _LEAST = "predictions", "predictions, a sort and a count"


def entrants(n: int) -> dict[str, Entrant]:
    """Both panels and the two limits, for n rows of ten features."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.metrics import check_scoring

    import skmetrics_ext as sx
    from skmetrics_ext import kernels

    rng = np.random.default_rng([7, n])
    true = (rng.random(n) < 0.3).astype(np.int64)
    X = rng.standard_normal((n, 10)) + 0.4 * true[:, None]
    model = LogisticRegression().fit(X[:5000], true[:5000])
    ours, theirs = sx.ScorerPanel(NAMES), check_scoring(model, scoring=list(NAMES))

    def predict() -> Any:
        return model.predict(X), model.predict_proba(X), model.decision_function(X)

    def least() -> Any:
        pred, proba, _ = predict()
        return sx.roc_auc_score(true, proba[:, 1]), sx.confusion_matrix(true, pred)

    return {
        **{
            name: Entrant(lambda: ours(model, X, true), partial(kernels.use, name))
            for name in reversed(kernels.available())
        },
        _DICT: Entrant(lambda: theirs(model, X, true)),
        _PREDICTED: Entrant(predict),
        _LEAST: Entrant(least, partial(kernels.use, kernels.available()[-1])),
    }


def measure(n: int, options: argparse.Namespace) -> tuple[list[str], str | None]:
    """A line of the table, and what differs."""
    calls = entrants(n)
    theirs = calls[_DICT].answer()
    own = [name for name in calls if name in ("native", "numpy")]
    wrong = [difference(calls[name].answer(), theirs, 1e-12) for name in own]
    times = race(calls, rounds=options.rounds, seconds=options.seconds, clock=options.clock)

    def ratio(slow: str, fast: str) -> str:
        return f"x{three_digits(Ratio.of(times[slow], times[fast]).median)}"

    best = own[0]
    plain = [f"**{ratio(_DICT, best)}**", ratio(_DICT, "numpy")]
    shown = [seconds(float(np.median(times[who]))) for who in (best, _DICT, _PREDICTED, _LEAST)]
    problem = next(filter(None, wrong), None)
    return [f"{n:,}", *plain, *shown, ratio(best, _LEAST)], problem


def parse(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = race_parser(__doc__, "panel")
    parser.add_argument("--sizes", type=int, nargs="+", default=[1000, 10_000, 100_000])
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse(arguments)
    lines, problems = [], []
    with one_thread(), own_kernels_kept():
        for n in options.sizes:
            tell(f"panel, n = {n:,}")
            line, problem = measure(n, options)
            lines.append(line)
            if problem is not None:
                problems.append(f"- n = {n:,}: {problem}")
    head = ["n", "native", "NumPy", "our panel takes", "their dict takes",
            "predictions alone", _LEAST, "panel / these"]  # fmt: skip
    legend = (
        f"{len(NAMES)} metrics of a fitted LogisticRegression: how many times faster than "
        f"scikit-learn's dict of the same scorers (median over rounds, by {CLOCKS[options.clock]}; "
        "each predicts as often as it needs), and the least that a panel can cost."
    )
    page = "\n\n".join([machine_line(options.clock), legend, markdown(head, lines), *problems])
    print(page)
    for path in options.into:
        put(path, "panel", page)
    return int(bool(problems))


if __name__ == "__main__":
    raise SystemExit(main())
