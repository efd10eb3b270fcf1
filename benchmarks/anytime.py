"""How often intervals hold at every look at a growing stream, into docs/coverage_studies.md.

    python benchmarks/anytime.py --streams 1000 --into docs/coverage_studies.md

Streams of 5,000 rows of a binormal score, looked at every 25 rows from 200 on: with 30 % and 5 %
positive rows, in clusters of 5 rows whose scores share a part, and with skewed weights. Both the
interval for one look and the one for every look are computed at each. A stream counts as held if
no interval misses. Prints Markdown.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from output import markdown, put
from scipy import special

import skmetrics_ext as sx
from skmetrics_ext.inference.draws.bootstrap import DrawPlan
from skmetrics_ext.inference.draws.readers import find_metric, sample_of_rows
from skmetrics_ext.inference.linearized import linearize
from skmetrics_ext.inference.methods import interval_of

N_ROWS, STEP, MIN_ROWS, MU = 5000, 25, 200, 1.5
METRICS = ["accuracy", "f1_macro", "roc_auc", "average_precision", "log_loss"]
STREAMS = {
    "30 % positive": {"prevalence": 0.3},
    "5 % positive": {"prevalence": 0.05},
    "clusters of 5": {"prevalence": 0.3, "size": 5},
    "weights": {"prevalence": 0.3, "weighted": True},
}
DIFFERENCES = ["roc_auc", "log_loss"]
FIRST = 1000  # seed


def draw(
    seed: int, n_rows: int, *, prevalence: float, size: int = 1, weighted: bool = False
) -> dict[str, Any]:
    """Labels, log odds of two models, clusters and weights."""
    rng = np.random.default_rng(seed)
    group = np.arange(n_rows) // size
    shared = np.sqrt(0.5) * rng.normal(size=group[-1] + 1)[group] if size > 1 else 0.0
    alone = np.sqrt(0.5 if size > 1 else 1.0)
    y = (rng.random(n_rows) < prevalence).astype(int)
    score = MU * y + shared + alone * rng.normal(size=n_rows)
    other = 0.9 * score + 0.6 * rng.normal(size=n_rows)
    odds = MU * score - MU**2 / 2 + np.log(prevalence / (1 - prevalence))
    slope = MU * 0.9 / (0.9**2 + 0.6**2)
    odds_other = slope * (other - 0.45 * MU) + np.log(prevalence / (1 - prevalence))
    weight = rng.lognormal(sigma=0.7, size=n_rows) if weighted else None
    return {"y": y, "odds": odds, "other": odds_other, "weight": weight,
            "group": group if size > 1 else None}  # fmt: skip


def response(metric: str, odds: Any, prevalence: float) -> Any:
    """What a metric reads; labels are positive above the prevalence."""
    if find_metric(metric, {}).spec.response == "labels":
        return (special.expit(odds) > prevalence).astype(int)
    return special.expit(odds)


def truth(metric: str, about: dict[str, Any], differs: bool, n_rows: int) -> float:
    """Value in a sample so large that it stands for the population."""
    rows = draw(1, n_rows, **about)
    function = find_metric(metric, {})
    values = [
        function.function(
            rows["y"], response(metric, rows[odds], about["prevalence"]), **function.params
        )
        for odds in ("odds", "other")[: 1 + differs]
    ]
    return float(values[0] - values[1] if differs else values[0])


def of_stream(
    seed: int, metric: str, about: dict[str, Any], true: float, differs: bool, n_rows: int
) -> list[Any]:
    """Whether both intervals hold at all looks, and how their widths compare at the last."""
    rows = draw(seed, n_rows, **about)
    pred, other = (response(metric, rows[odds], about["prevalence"]) for odds in ("odds", "other"))
    plan, held, wider = DrawPlan(min_rows=MIN_ROWS), [True, True], np.nan
    found, size = find_metric(metric, {}), about.get("size", 1)
    for n in range(MIN_ROWS * size, n_rows + 1, STEP):
        part = {"sample_weight": rows["weight"], "groups": rows["group"]}
        part = {name: None if data is None else data[:n] for name, data in part.items()}
        if differs:
            both = [
                sx.compare(metric, rows["y"][:n], pred[:n], other[:n], method=method, **part)
                for method in ("delta", "anytime")
            ]
        else:
            statistic = linearize(sample_of_rows(found, rows["y"][:n], pred[:n], **part))
            both = [interval_of(statistic, method, 0.95, plan) for method in ("auto", "anytime")]
        for place, interval in enumerate(both):
            held[place] &= not (true < interval.low or true > interval.high)
        wider = (both[1].high - both[1].low) / (both[0].high - both[0].low)
    return [*held, wider]


def row_of(
    name: str, metric: str, differs: bool, n_streams: int, n_rows: int, population: int
) -> list[str]:
    """A row of the table."""
    about = STREAMS[name]
    true = truth(metric, about, differs, population)
    seeds = range(FIRST, FIRST + n_streams)
    asked = (metric, about, true, differs, n_rows)
    found = Parallel(2)(delayed(of_stream)(seed, *asked) for seed in seeds)
    one_look, every_look, wider = np.nanmean(np.array(found, dtype=float), axis=0)
    title = f"`{metric}`" + (" of two models" if differs else "")
    line = [name, title, f"{one_look:.1%}", f"{every_look:.1%}", f"{wider:.2f}"]
    print(*line, flush=True)
    return line


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--streams", type=int, default=1000)
    parser.add_argument("--rows", type=int, default=N_ROWS, help="of each stream")
    parser.add_argument("--population", type=int, default=4_000_000)
    parser.add_argument("--into", type=Path)
    options = parser.parse_args()
    asked = [(name, metric, False) for name in STREAMS for metric in METRICS]
    asked += [("30 % positive", metric, True) for metric in DIFFERENCES]
    sizes = options.streams, options.rows, options.population
    lines = [row_of(*one, *sizes) for one in asked]
    error = np.sqrt(0.95 * 0.05 / options.streams)
    head = ["stream", "metric", "one look", "every look", "times as wide"]
    table = markdown(head, lines)
    text = (
        f"Share of {options.streams} streams in which no interval missed at any look "
        f"(Monte Carlo error of 95 %: {error:.1%}), for intervals meant for one look and for "
        f'`method="anytime"`.\n\n{table}'
    )
    if options.into is None:
        print(text)
    else:
        put(options.into, "anytime", text)


if __name__ == "__main__":
    main()
