"""How often intervals of dependent rows hold the truth, into docs/coverage_studies.md.

    python benchmarks/clustered.py --draws 2000 --into docs/coverage_studies.md

Patients with 8 to 24 rows whose scores share a part; of a report of 60 of them, the intervals of
pooled predictions and of means over folds, with ``groups=`` and without; the recall where few
patients are ill; and samples of strata. A model that knows the scores already is fitted in each
fold, so that what it is worth is known. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from output import markdown, put
from scipy.special import expit
from scipy.stats import norm
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.model_selection import GroupKFold

import skmetrics_ext as sx

SPREAD = np.sqrt(1 + 1.2**2)
SCORING = ["accuracy", "f1", "neg_log_loss", "roc_auc"]
FIRST = 1000  # seed


class Told(ClassifierMixin, BaseEstimator):
    """A model that is given the log odds."""

    def fit(self, X: Any, y: Any) -> Told:
        self.classes_ = np.array([0, 1])
        return self

    def predict(self, X: Any) -> Any:
        return (X[:, 0] > 0).astype(int)

    def predict_proba(self, X: Any) -> Any:
        positive = expit(X[:, 0])
        return np.column_stack([1 - positive, positive])


def patients(seed: int, n_groups: int = 60) -> tuple[Any, Any, Any]:
    """Log odds, classes and patients; both classes are alike but for their sign."""
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_groups), rng.integers(8, 25, n_groups))
    y = (rng.random(len(group)) < expit(rng.normal(size=n_groups))[group]).astype(int)
    odds = 2 * y - 1 + 1.2 * rng.normal(size=n_groups)[group] + rng.normal(size=len(y))
    return odds[:, None], y, group


def of_reports(n_draws: int) -> list[list[str]]:
    """Share of intervals that hold the truth, by metric."""
    held: dict[str, list[Any]] = {name: [[], [], []] for name in SCORING}
    for seed in range(FIRST, FIRST + n_draws):
        X, y, group = patients(seed)
        about = {"scoring": SCORING, "baseline": None, "cv": list(GroupKFold(5).split(X, y, group))}
        for place, groups in enumerate((group, None)):
            report = sx.cross_validation_report(Told(), X, y, groups=groups, **about)
            kinds = report.summary("pooled"), report.summary("cv")  # areas are not pooled
            for row in (
                pool if np.isfinite(pool.low) else cv for pool, cv in zip(*kinds, strict=True)
            ):
                held[row["metric"]][place].append((row["low"], row["high"]))
                if place == 0:
                    held[row["metric"]][2].append((row["value"], row["interval"]))
    nodes, shares = np.polynomial.hermite_e.hermegauss(60)
    loss = float((np.logaddexp(0, -(1 + SPREAD * nodes)) * shares).sum() / shares.sum())
    right = float(norm.cdf(1 / SPREAD))
    truth = {"accuracy": right, "f1": right, "neg_log_loss": -loss}
    lines = []
    for name, (with_groups, without, values) in held.items():
        # An area of folds is also of pairs of one patient: its expectation is the mean of all.
        true = truth.get(name, float(np.mean([value for value, _ in values])))
        found = [_share(np.array(one), true) for one in (with_groups, without)]
        lines.append([f"`{name}`, {values[0][1]}", *found])
    return lines


def of_few_patients(n_draws: int) -> list[list[str]]:
    """The recall where 8 of 70 patients, or 20 of 180, are ill."""
    true, lines = float(norm.cdf(0.8 / np.sqrt(2))), []
    for n_ill, n_groups in ((8, 70), (20, 180)):
        for rows in ((4, 17), (10, 11)):
            ends, noted = [], 0
            for seed in range(FIRST, FIRST + n_draws):
                rng = np.random.default_rng(seed)
                group = np.repeat(np.arange(n_groups), rng.integers(*rows, n_groups))
                y = (group < n_ill).astype(int)
                score = 1.6 * y + rng.normal(size=n_groups)[group] + rng.normal(size=len(y))
                found = sx.confidence_interval("recall", y, (score > 0.8) * 1, groups=group)
                ends.append((found.low, found.high))
                noted += bool(found.note)
            sizes = f"{rows[0]} to {rows[1] - 1} rows" if rows[1] - rows[0] > 1 else "10 rows"
            told = f"{n_ill} of {n_groups} patients, of {sizes} each"
            lines.append([told, _share(np.array(ends), true), f"{100 * noted / n_draws:.0f} %"])
    return lines


def of_strata(n_draws: int) -> list[list[str]]:
    """Sites of unlike prevalence, of each of which as many patients are drawn."""
    metrics = ("accuracy", "recall", "roc_auc", "log_loss")
    lines = []
    for n_sites, each in ((3, 15), (20, 2)):
        y, score, *_ = _sites(n_sites, 60_000 // n_sites, 1)
        truth = {name: _asked(name, y, score).value for name in metrics}
        held: dict[str, Any] = {name: ([], []) for name in metrics}
        for seed in range(FIRST, FIRST + n_draws):
            y, score, group, site = _sites(n_sites, each, seed)
            for name in metrics:
                for place, strata in enumerate((site, None)):
                    found = _asked(name, y, score, groups=group, strata=strata)
                    held[name][place].append((found.low, found.high))
        for name in metrics:
            both = [np.array(one) for one in held[name]]
            width = np.diff(both[0]).mean() / np.diff(both[1]).mean()
            told = f"`{name}`, {n_sites} sites of {each} patients"
            lines.append([told, *(_share(one, truth[name]) for one in both), f"{width:.2f}"])
    return lines


def _sites(n_sites: int, each: int, seed: int) -> tuple[Any, Any, Any, Any]:
    rng = np.random.default_rng(seed)
    group = np.repeat(np.arange(n_sites * each), 6)
    site = group // each
    level = np.linspace(-1.2, 1.2, n_sites)[site]
    y = (rng.random(len(site)) < expit(level)).astype(int)
    shared = 0.8 * rng.normal(size=n_sites * each)[group]
    return y, 1.2 * y + 1.6 * level + shared + rng.normal(size=len(y)), group, site


def _asked(name: str, y: Any, score: Any, **about: Any) -> Any:
    said = {"roc_auc": score, "log_loss": expit(score - 0.6)}.get(name, (score > 0.6) * 1)
    return sx.confidence_interval(name, y, said, **about)


def _share(ends: Any, true: float) -> str:
    low, high = ends.T
    return f"{100 * np.mean((low <= true) & (true <= high)):.1f} %"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=2000, help="samples of each kind")
    parser.add_argument("--into", type=Path, nargs="+", default=[], metavar="PAGE")
    options = parser.parse_args()
    n_draws = options.draws
    heads = (
        ["report of 60 patients", "with `groups=`", "without"],
        ["recall", "covers", "noted"],
        ["sites", "with `strata=` and `groups=`", "`groups=` alone", "width"],
    )
    tables = (of_reports(n_draws), of_few_patients(n_draws), of_strata(n_draws))
    parts = [markdown(head, lines) for head, lines in zip(heads, tables, strict=True)]
    intro = f"Share of 95 % intervals that hold the truth in {n_draws:,} samples:"
    text = "\n\n".join([intro, *parts])
    print(text)
    for page in options.into:
        put(page, "clustered", text)


if __name__ == "__main__":
    main()
