"""How often intervals of a cross-validation hold the truth, into docs/coverage_studies.md.

    python benchmarks/fold_intervals.py --draws 1000 --into docs/coverage_studies.md

Samples of 200 rows, 40 % of them positive, with three normal features; a logistic regression on
five folds. The truth is what the five fitted models are worth on 20,000 other rows, averaged over
the folds. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put
from sklearn import metrics
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold

import skmetrics_ext as sx

N_ROWS, N_OTHERS = 200, 20_000
SCORING = {
    "accuracy": ("predict", metrics.accuracy_score),
    "f1": ("predict", metrics.f1_score),
    "roc_auc": ("decision_function", metrics.roc_auc_score),
    "neg_log_loss": ("predict_proba", lambda y, proba: -metrics.log_loss(y, proba)),
}
KINDS = ("cv", "pooled", "corrected")
FIRST = 1000  # seed


def sample(n: int, seed: Any) -> tuple[Any, Any]:
    """Features and classes."""
    rng = np.random.default_rng(seed)
    y = (rng.random(n) < 0.4).astype(int)
    X = rng.normal(size=(n, 3))
    X[:, 0] += 1.2 * y
    return X, y


def truths(X: Any, y: Any, folds: list[Any], others: Any, y_others: Any) -> dict[str, float]:
    """What the models of the folds are worth, averaged over them."""
    models = [LogisticRegression().fit(X[train], y[train]) for train, _ in folds]
    return {
        name: float(np.mean([score(y_others, getattr(own, asked)(others)) for own in models]))
        for name, (asked, score) in SCORING.items()
    }


def held(n_draws: int) -> dict[tuple[str, str], list[bool]]:
    """Whether each interval of each metric holds the truth, by draws."""
    others = sample(N_OTHERS, 0)
    found: dict[tuple[str, str], list[bool]] = {}
    for seed in range(FIRST, FIRST + n_draws):
        X, y = sample(N_ROWS, seed)
        folds = list(StratifiedKFold(5, shuffle=True, random_state=seed).split(X, y))
        truth = truths(X, y, folds, *others)
        report = sx.cross_validation_report(
            LogisticRegression(), X, y, scoring=list(SCORING), cv=folds, baseline=None
        )
        for kind in KINDS:
            for row in report.summary(interval=kind):
                told = found.setdefault((row.metric, kind), [])
                if row.low is not None and np.isfinite(row.low):
                    told.append(row.low <= truth[row.metric] <= row.high)
    return found


def table(n_draws: int) -> str:
    """Per cent of intervals that hold the truth."""
    found = held(n_draws)
    lines = []
    for name in SCORING:
        shares = [100 * np.mean(found[name, kind]) if found[name, kind] else None for kind in KINDS]
        lines.append([name, *("-" if share is None else f"{share:.1f}" for share in shares)])
    about = (
        f"{n_draws:,} samples of {N_ROWS} rows, 5 folds: per cent of the 95 % intervals that hold "
        "the mean of what the five fitted models are worth."
    )
    return f"{about}\n\n{markdown(['metric', *(f'`{kind}`' for kind in KINDS)], lines)}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=1000)
    parser.add_argument("--into", type=Path, help="page to write the table to")
    options = parser.parse_args()
    text = table(options.draws)
    print(text)
    if options.into:
        put(options.into, "folds", text)


if __name__ == "__main__":
    main()
