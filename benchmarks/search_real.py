"""Searches of real data beside rows that were held out, and what a report of a search costs."""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np
from output import markdown

from skmetrics_ext.inference.selection import corrected, from_best

LEVEL, DRAWS = 0.95, 1000


# --------------------------------------------------------------------------- real data


def trees() -> tuple[Any, dict[str, list[Any]]]:
    from sklearn.tree import DecisionTreeClassifier

    grid = {"max_depth": [1, 2, 3, 4, 6], "min_samples_leaf": [1, 2, 4, 8]}
    return DecisionTreeClassifier(random_state=0), grid


def neighbours() -> tuple[Any, dict[str, list[Any]]]:
    from sklearn.neighbors import KNeighborsClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    name = "kneighborsclassifier"
    grid = {f"{name}__n_neighbors": [*range(1, 20, 2)], f"{name}__weights": ["uniform", "distance"]}
    return make_pipeline(StandardScaler(), KNeighborsClassifier()), grid


REAL = (
    ("breast_cancer", 100, trees, "roc_auc"),
    ("breast_cancer", 100, trees, "accuracy"),
    ("digits", 200, trees, "accuracy"),
    ("wine", 60, neighbours, "accuracy"),
)


def real(options: argparse.Namespace) -> str:
    """Errors of the naive and the corrected value against rows that were held out."""
    import sklearn.datasets
    from sklearn.base import clone
    from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split

    from skmetrics_ext import get_scorer, search_report

    lines = []
    for number, (name, n_rows, candidates, metric) in enumerate(REAL, start=1):
        if options.only and number not in options.only:
            continue
        X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
        model, grid = candidates()
        scorer, found = get_scorer(metric), []
        for seed in range(options.repetitions or 100):
            own, rest, y_own, y_rest = train_test_split(
                X, y, train_size=n_rows, stratify=y, random_state=seed
            )
            folds = StratifiedKFold(5, shuffle=True, random_state=seed)
            search = GridSearchCV(model, grid, scoring=scorer, cv=folds)
            report = search_report(search, own, y_own, random_state=seed)
            chosen = clone(model).set_params(**report.selected.params)
            parts = [chosen.fit(own[train], y_own[train]) and scorer(chosen, rest, y_rest)
                     for train, _ in folds.split(own, y_own)]  # fmt: skip
            judged, after = float(np.mean(parts)), scorer(report.best_estimator_, rest, y_rest)
            held = report.best.low <= judged <= report.best.high
            found.append([report.naive - judged, report.best.value - judged, held, judged - after])
        mean = np.mean(found, axis=0)
        spread = np.std(found, axis=0, ddof=1) / np.sqrt(len(found))
        lines.append([
            name, metric, str(n_rows), f"{len(y) - n_rows:,}", str(len(report.rows)),
            f"{mean[0]:+.4f} ± {spread[0]:.4f}", f"**{mean[1]:+.4f}** ± {spread[1]:.4f}",
            f"{100 * mean[2]:.0f}", f"{mean[3]:+.4f}",
        ])  # fmt: skip
        print(*lines[-1], sep=" | ", flush=True)
    head = ("data", "metric", "rows", "held out", "candidates", "error of `best_score_`",
            "of the corrected value", "intervals that hold it, %",
            "models of the folds less that of all rows")  # fmt: skip
    return markdown(head, lines)


# --------------------------------------------------------------------------- cost


def cost(options: argparse.Namespace) -> str:
    """In calls of scikit-learn's area on as many rows, and in searches."""
    lines = [
        ["1,000 draws of 200 candidates on 10,000 rows (area)", *draws_of_many(options)],
        ["report of a search of 20 logistic regressions", *search_and_report(options)],
    ]
    return markdown(("what", "took", "in"), lines)


def draws_of_many(options: argparse.Namespace) -> tuple[str, str]:
    from sklearn.metrics import roc_auc_score
    from sklearn.model_selection import StratifiedKFold

    from skmetrics_ext import get_scorer
    from skmetrics_ext.report.fold import FoldResult
    from skmetrics_ext.report.out_of_fold import ScoredData
    from skmetrics_ext.report.search.noise import RowNoise

    n, p, rng = 10_000, 200, np.random.default_rng(0)
    true = (np.arange(n) < n // 2).astype(int)
    scores = true[:, None] + rng.normal(size=(n, p))
    folds = [
        test for _, test in StratifiedKFold(5, shuffle=True, random_state=0).split(scores, true)
    ]
    areas = [[roc_auc_score(true[test], scores[test, k]) for test in folds] for k in range(p)]
    ratios = []
    for _ in range(options.repetitions or 5):
        start = time.process_time()
        for _ in range(20):
            roc_auc_score(true, scores[:, 0])
        middle = time.process_time()
        data = ScoredData(true, {"auc": get_scorer("roc_auc")}, {"auc": {}})
        rows = RowNoise(data, "auc", p, np.zeros(len(folds), dtype=int))
        for k in range(p):
            for number, test in enumerate(folds):
                said = {"decision_function": np.ascontiguousarray(scores[test, k])}
                rows.take(k, FoldResult(str(k), number, n - len(test), len(test), 0.0, 0.0,
                                        {"auc": areas[k][number]}, rows=test,
                                        classes=np.array([0, 1]), responses=said))  # fmt: skip
        values = np.mean(areas, axis=1)
        noise = rows.of_means(np.arange(p), np.array(areas), 0.25, DRAWS, rng).joint
        corrected(values, noise, rng, DRAWS)
        from_best(values, noise, noise.draws(rng, DRAWS), LEVEL)
        ratios.append((time.process_time() - middle) / ((middle - start) / 20))
    return f"{np.median(ratios):.0f}", "calls of `sklearn.metrics.roc_auc_score` on the rows"


def search_and_report(options: argparse.Namespace) -> tuple[str, str]:
    from sklearn.datasets import load_breast_cancer
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    from skmetrics_ext import search_report

    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=2000))
    grid = {"logisticregression__C": np.logspace(-4, 2, 20)}
    search = GridSearchCV(model, grid, scoring="roc_auc")
    ratios = []
    for _ in range(options.repetitions or 5):
        start = time.process_time()
        search.fit(X, y)
        middle = time.process_time()
        search_report(GridSearchCV(model, grid, scoring="roc_auc"), X, y, random_state=0)
        ratios.append((time.process_time() - middle) / (middle - start))
    return f"{np.median(ratios):.2f}", "times `fit` of the search, when the report runs it"
