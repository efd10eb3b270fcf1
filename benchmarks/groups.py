"""Gaps between groups: how often intervals hold, and what they cost, into docs/coverage_studies.md.

    python benchmarks/groups.py --draws 400 --peer /path/to/python --into docs/coverage_studies.md

The truth of each group is known: scores of both classes are normal. ``--peer`` names a Python that
has fairlearn, whose `MetricFrame` is timed on the same rows; without it that line is left out.
Prints Markdown.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np

SIZES, APART = (60, 180, 360), (1.6, 2.0, 2.4)
UNEQUAL = (15, 20, 25, 30, 40, 60, 80, 120, 160, 240, 320, 400)
METRICS = ("accuracy", "f1", "roc_auc")
N_ROWS, N_GROUPS = 100_000, 20
FIRST = 1000  # seed


# --------------------------------------------------------------------------- coverage


def scored(rng: Any, sizes: Any, apart: Any) -> tuple[Any, Any, Any]:
    """Classes, scores and groups: scores of the two classes are normal, so far apart."""
    group = np.repeat(np.arange(len(sizes)), sizes)
    y = rng.integers(0, 2, len(group))
    away = np.asarray(apart)[group] / 2
    return y, rng.normal(size=len(group)) + np.where(y == 1, away, -away), group


def truth(metric: str, groups: list[int]) -> float:
    """Of some of the groups together; F1 is the accuracy, as classes and errors are alike."""
    from scipy.stats import norm

    share = np.array(SIZES)[groups] / np.array(SIZES)[groups].sum()
    apart = np.array(APART)[groups]
    if metric != "roc_auc":
        return float(share @ norm.cdf(apart / 2))
    pairs = (apart[:, None] + apart) / 2
    return float(share @ norm.cdf(pairs / np.sqrt(2)) @ share)


Held = dict[str, list[bool]]  # whether what is told holds, by what it is


def of_gaps(seeds: range) -> Held:
    """Whether intervals of gaps hold the truth."""
    import skmetrics_ext as sx

    every = list(range(len(SIZES)))
    held: Held = {}
    for seed in seeds:
        y, score, group = scored(np.random.default_rng(seed), SIZES, APART)
        found = sx.compute_metrics(
            METRICS, y, (score > 0).astype(int), y_score=score, by={"group": group}
        )
        for metric in METRICS:
            for against, told in (("rest", "the rest"), ("overall", "all rows")):
                name = f"gap of {metric} from {told}"
                for row in found.gaps(metric, against=against).rows:
                    others = [g for g in every if against == "overall" or g != row.group]
                    apart = truth(metric, [row.group]) - truth(metric, others)
                    held.setdefault(name, []).append(row.low <= apart <= row.high)
    return held


def of_clusters(seeds: range) -> Held:
    """The same where patients have rows in both groups."""
    from scipy.stats import norm

    import skmetrics_ext as sx

    with_groups = "gap of accuracy, patients seen at both sites, `groups=`"
    held: Held = {with_groups: [], "the same without `groups=`": []}
    apart = norm.cdf(0.8 / np.sqrt(2)) - norm.cdf(0.5 / np.sqrt(2))
    for seed in seeds:
        rng = np.random.default_rng(seed)
        patient = np.repeat(np.arange(80), 6)
        site = rng.integers(0, 2, len(patient))
        odds = np.where(site == 0, 0.8, 0.5) + rng.normal(size=80)[patient]
        hit = rng.random(len(patient)) < norm.cdf(odds)
        y = np.ones(len(patient), dtype=int)
        for name, groups in zip(held, (patient, None), strict=True):
            found = sx.compute_metrics(
                ["accuracy"], y, hit.astype(int), by={"site": site}, groups=groups
            )
            row = found.gaps("accuracy", against={"site": 1}).rows[0]
            held[name].append(row.low <= apart <= row.high)
    return held


def of_worst(seeds: range) -> Held:
    """Whether bounds of the worst of equal groups hold, and their gaps pass for chance."""
    from scipy.stats import norm

    import skmetrics_ext as sx

    about = f"of {len(UNEQUAL)} equal groups of {UNEQUAL[0]} to {UNEQUAL[-1]} rows"
    names, held = ("accuracy", "roc_auc"), {}
    for seed in seeds:
        y, score, group = scored(np.random.default_rng(seed), UNEQUAL, [2.0] * len(UNEQUAL))
        found = sx.compute_metrics(
            names, y, (score > 0).astype(int), y_score=score, by={"group": group}
        )
        for name, value in zip(names, norm.cdf([1.0, np.sqrt(2)]), strict=True):
            (worst,) = found.where(metric=name).surely_worst()
            bounds = held.setdefault(f"bounds of the worst {about}, {name}", [])
            bounds.append(worst.low <= value <= worst.high)
            chance = held.setdefault(f"largest gap {about} is no more than chance, {name}", [])
            chance.append(found.spread(name).p_value > 0.05)
    return held


def shares(n_draws: int, n_jobs: int) -> list[list[str]]:
    """How often each holds, over all draws."""
    from joblib import Parallel, delayed

    parts = np.array_split(np.arange(FIRST, FIRST + n_draws), n_jobs)
    seeds = [range(part[0], part[-1] + 1) for part in parts if len(part)]
    studies = (of_gaps, of_clusters, of_worst)
    held: Held = {}
    done = Parallel(n_jobs=n_jobs)(delayed(study)(own) for study in studies for own in seeds)
    for found in done:
        for name, told in found.items():
            held.setdefault(name, []).extend(told)
    return [[name, percent(told)] for name, told in held.items()]


def percent(held: list[bool]) -> str:
    return f"{100 * np.mean(held):.1f} % of {len(held):,}"


# --------------------------------------------------------------------------- cost


def rows_of_cost() -> tuple[Any, Any, Any]:
    """Classes, predictions and groups."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, N_ROWS)
    pred = np.where(rng.random(N_ROWS) < 0.8, y, 1 - y)
    return y, pred, rng.integers(0, N_GROUPS, N_ROWS)


def fastest(call: Any, repeats: int) -> float:
    """Seconds of CPU time of the fastest of some calls: others may share the machine."""
    found = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        found.append(time.process_time() - start)
    return min(found)


def own_cost() -> dict[str, float]:
    """Seconds of values, and of values with intervals."""
    import skmetrics_ext as sx

    y, pred, group = rows_of_cost()
    names = ["accuracy", "precision", "recall", "f1"]

    def values(**options: Any) -> Any:
        return sx.compute_metrics(names, y, pred, by={"group": group}, **options)

    found = values(intervals=True)
    return {
        "values": fastest(values, 5),
        "intervals": fastest(lambda: values(intervals=True), 5),
        "gaps": fastest(lambda: values().gaps("f1"), 3) if len(found) else 0.0,
    }


def peer_cost(n_boot: int) -> dict[str, float]:
    """Seconds of fairlearn's MetricFrame: values, and values with bootstrap intervals."""
    import warnings

    from fairlearn.metrics import MetricFrame
    from sklearn import metrics

    warnings.simplefilter("ignore")
    y, pred, group = rows_of_cost()
    of = {
        "accuracy": metrics.accuracy_score,
        "precision": metrics.precision_score,
        "recall": metrics.recall_score,
        "f1": metrics.f1_score,
    }

    def frame(**options: Any) -> Any:
        asked = MetricFrame(metrics=of, y_true=y, y_pred=pred, sensitive_features=group, **options)
        return asked.by_group, asked.overall

    quantiles = {"ci_quantiles": [0.025, 0.975], "random_state": 0}
    return {
        "values": fastest(frame, 2),
        "intervals": fastest(lambda: frame(n_boot=n_boot, **quantiles), 1),
        "draws": n_boot,
    }


def cost(peer: str | None, n_boot: int) -> list[list[str]]:
    """Seconds side by side."""
    ours = own_cost()
    theirs: dict[str, float] = {}
    if peer and peer.endswith(".json"):
        theirs = json.loads(Path(peer).read_text(encoding="utf-8"))
    elif peer:
        asked = [peer, __file__, "--only-peer", "--boot", str(n_boot)]
        told = subprocess.run(asked, check=True, capture_output=True, text=True)
        theirs = json.loads(told.stdout.splitlines()[-1])
    draws = f"{theirs.get('draws', n_boot):g}"
    names = {
        "values": "values",
        "intervals": f"values with intervals (fairlearn: {draws} bootstrap draws)",
        "gaps": "values, and gaps of F1 from the rest with p-values",
    }
    rows = []
    for name, text in names.items():
        row = [text, f"{1000 * ours[name]:.0f} ms", "", ""]
        if name in theirs:
            row[2:] = [f"{theirs[name]:.1f} s", f"{theirs[name] / ours[name]:,.0f}"]
        rows.append(row)
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--draws", type=int, default=400)
    parser.add_argument("--jobs", type=int, default=1, help="processes of the study")
    parser.add_argument("--boot", type=int, default=20, help="bootstrap draws of the peer")
    parser.add_argument("--peer", help="Python with fairlearn, or JSON of --only-peer")
    parser.add_argument("--into", type=Path, help="page to write the tables to")
    parser.add_argument("--only-peer", action="store_true", help="time the peer, print JSON")
    options = parser.parse_args()
    if options.only_peer:
        sys.stdout.write(json.dumps(peer_cost(options.boot)) + "\n")
        return
    from output import markdown, put

    held = shares(options.draws, options.jobs)
    about = f"{N_GROUPS} groups, 4 metrics, {N_ROWS:,} rows, CPU time"
    text = "\n\n".join(
        [
            markdown(["what is asked to hold in 95 %", "does"], held),
            markdown([about, "here", "fairlearn", "times"], cost(options.peer, options.boot)),
        ]
    )
    print(text)
    if options.into:
        put(options.into, "groups", text)


if __name__ == "__main__":
    main()
