"""``metrics``: the registry as a table, and one metric in full."""

from __future__ import annotations

import argparse
from typing import Any

from skmetrics_ext.cli.explain import explain
from skmetrics_ext.cli.words import tell
from skmetrics_ext.formats import text_table
from skmetrics_ext.registry import METRICS, MetricSpec


def add_metrics(commands: argparse._SubParsersAction[Any]) -> None:
    """The command."""
    metrics = commands.add_parser("metrics", help="list all metrics, or explain one")
    metrics.set_defaults(run=_metrics)
    metrics.add_argument(
        "name", nargs="?", metavar="NAME", help="a metric to explain; its function or a scorer"
    )


def _metrics(options: argparse.Namespace) -> int:
    if options.name is not None:
        tell(explain(options.name))
        return 0
    header = ("metric", "scorer", "reads", "better", "range", "undefined when")
    print(text_table(header, map(_row, METRICS.values()), align="<<<<><"))
    return 0


def _row(spec: MetricSpec) -> tuple[str, ...]:
    names = list(spec.scorers)
    better = {True: "higher", False: "lower", None: "-"}[spec.greater_is_better]
    more = f" (+{len(names) - 1})" if len(names) > 1 else ""
    return (
        spec.name,
        names[0] + more if names else "-",
        spec.response,
        better,
        f"{spec.bounds[0]:g} to {spec.bounds[1]:g}",
        spec.undefined,
    )
