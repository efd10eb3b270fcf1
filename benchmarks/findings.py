"""How often findings of a report that rest on a test are false alarms, and how often right.

    python benchmarks/findings.py --draws 400 --into docs/coverage_studies.md

Each sample is cross-validated with models that are fitted, so that their training sets overlap.
Prints Markdown.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from output import markdown, put
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedKFold
from sklearn.naive_bayes import GaussianNB

Sample = tuple[dict[str, Any], Any, Any, dict[str, Any]]  # models, X, y, what else is asked
_LABELS = ["balanced_accuracy", "neg_log_loss"]  # the second asks for probabilities
HEADER = ["code", "false alarms", "of", "found", "of"]


class OfColumns(ClassifierMixin, BaseEstimator):
    """A model of some of the columns."""

    def __init__(self, model: Any = None, columns: Sequence[int] = (0,)) -> None:
        self.model = model
        self.columns = columns

    def fit(self, X: Any, y: Any) -> OfColumns:
        from sklearn.base import clone

        self.model_ = clone(self.model).fit(X[:, self.columns], y)
        self.classes_ = self.model_.classes_
        return self

    def predict(self, X: Any) -> Any:
        return self.model_.predict(X[:, self.columns])

    def predict_proba(self, X: Any) -> Any:
        return self.model_.predict_proba(X[:, self.columns])


def normal(rng: Any, n_rows: int, apart: Sequence[float], share: float = 0.5) -> tuple[Any, Any]:
    """Columns that are normal in each class, their means so far apart."""
    y = np.arange(n_rows) < round(share * n_rows)
    return rng.normal(size=(n_rows, len(apart))) + np.outer(y, apart), y.astype(int)


def noise(rng: Any) -> Sample:
    X, y = normal(rng, 300, [0, 0, 0])
    return {"model": LogisticRegression()}, X, y, {"scoring": "roc_auc"}


def weak(rng: Any) -> Sample:
    X, y = normal(rng, 300, [0.6, 0, 0])
    return {"model": LogisticRegression()}, X, y, {"scoring": "roc_auc"}


def overconfident(rng: Any) -> Sample:
    X, y = normal(rng, 300, [0.2])
    X = np.repeat(X, 15, axis=1) + 0.1 * rng.normal(size=(300, 15))
    return {"model": GaussianNB()}, X, y, {"scoring": "neg_log_loss"}


def _two(X: Any, y: Any, first: Sequence[int], second: Sequence[int]) -> Sample:
    models = {
        "a": OfColumns(LogisticRegression(), first),
        "b": OfColumns(LogisticRegression(), second),
    }
    return models, X, y, {"scoring": "roc_auc"}


def different(rng: Any) -> Sample:
    return _two(*normal(rng, 500, [0.8, 0.8, 0.8, 0]), [0, 1, 2], [0, 3])


def alike(rng: Any) -> Sample:
    return _two(*normal(rng, 500, [0.8, 0.8]), [0], [1])


def balanced(rng: Any) -> Sample:
    X, y = normal(rng, 500, [1.2, 0])
    return {"model": LogisticRegression()}, X, y, {"scoring": _LABELS}


def rare(rng: Any) -> Sample:
    X, y = normal(rng, 1000, [1.2, 0], share=0.05)
    return {"model": LogisticRegression()}, X, y, {"scoring": _LABELS}


def modest(rng: Any) -> Sample:
    X, y = normal(rng, 500, [0.8, 0.8] + [0] * 7)
    return {"model": LogisticRegression()}, X, y, {"scoring": "roc_auc", "train": True}


def overfitted(rng: Any) -> Sample:
    X, y = normal(rng, 500, [0.8, 0.8] + [0] * 20)
    return {"model": LogisticRegression()}, X, y, {"scoring": "roc_auc", "train": True}


# Samples in which a finding is wrong, and in which it is right.
Study = tuple[Callable[[Any], Sample], str]
STUDIES: dict[str, tuple[Study, Study]] = {
    "worse_than_baseline": (
        (noise, "a model of noise, by an area that is 0.5 for both (300 rows)"),
        (overconfident, "a naive Bayes of 15 copies of a feature, by log loss (300 rows)"),
    ),
    "no_better_than_baseline": (
        (weak, "a model whose area is 0.66 (300 rows)"),
        (noise, "a model of noise (300 rows)"),
    ),
    "within_noise": (
        (different, "models whose areas are 0.84 and 0.71 (500 rows)"),
        (alike, "models of features that are alike (500 rows)"),
    ),
    "poor_threshold": (
        (balanced, "two classes of one size, for which 0.5 is best (500 rows)"),
        (rare, "one row in 20 is positive, balanced accuracy (1,000 rows)"),
    ),
    "overfits": (
        (modest, "an area that is 0.02 higher on the training rows (500 rows)"),
        (overfitted, "an area that is 0.05 higher on the training rows (500 rows)"),
    ),
}


def is_said(code: str, sample: Callable[[Any], Sample], seed: int) -> bool:
    """Whether a report of a sample has the finding."""
    import skmetrics_ext as sx

    models, X, y, asked = sample(np.random.default_rng(seed))
    folds = StratifiedKFold(5, shuffle=True, random_state=seed)
    report = sx.cross_validation_report(models, X, y, cv=folds, random_state=0, **asked)
    return code in {row.code for row in report.findings()}


def share(code: str, sample: Callable[[Any], Sample], n_draws: int) -> str:
    said = [is_said(code, sample, seed) for seed in range(n_draws)]
    return f"{100 * np.mean(said):.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--draws", type=int, default=400, help="samples of each kind")
    parser.add_argument("--into", type=Path, help="page to write the table to")
    parser.add_argument("--jobs", type=int, default=1, help="processes")
    options = parser.parse_args()
    asked = [(code, sample) for code, studies in STUDIES.items() for sample, _ in studies]
    work = (delayed(share)(code, sample, options.draws) for code, sample in asked)
    shares = iter(Parallel(n_jobs=options.jobs)(work))
    rows = [
        [f"`{code}`", *(cell for _, told in studies for cell in (next(shares), told))]
        for code, studies in STUDIES.items()
    ]
    text = markdown(HEADER, rows)
    print(text)
    if options.into:
        put(options.into, "findings", text)


if __name__ == "__main__":
    main()
