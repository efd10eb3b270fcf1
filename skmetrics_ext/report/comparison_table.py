"""Rows of models compared: a list that prints as a table."""

from __future__ import annotations

from typing import Any

from skmetrics_ext.report.document import fragment, table
from skmetrics_ext.report.frames import Framed
from skmetrics_ext.report.render import interval, probability, signed, text_table


class ComparisonTable(Framed, list[dict[str, Any]]):
    """A list of a dict per metric and pair of models, shown as a table.

    Made by `CrossValidationReport.compare`.

    Parameters
    ----------
    rows : sequence of dict
        The rows.
    confidence_level : float
        Of the intervals.
    """

    def __init__(self, rows: list[dict[str, Any]], confidence_level: float = 0.95) -> None:
        super().__init__(rows)
        self.confidence_level = confidence_level

    def _listed(self) -> list[dict[str, Any]]:
        return self

    def header(self) -> list[str]:
        """Names of the columns that are shown."""
        rope = self[0]["rope"] if self else 0.0
        return [
            "metric", "a", "b", "a - b", f"{100 * self.confidence_level:g}% interval", "p",
            "p (Holm)", "P(a)", f"P(±{rope:g})", "P(b)",
        ]  # fmt: skip

    def cells(self) -> list[list[str]]:
        """What is shown of each row."""
        return [
            [
                row["metric"],
                row["model_a"],
                row["model_b"],
                signed(row["difference"]) or "undefined",
                interval(row["low"], row["high"]),
                *map(probability, (row["p_value"], row["p_holm"], row["p_a_better"])),
                *map(probability, (row["p_equivalent"], row["p_b_better"])),
            ]
            for row in self
        ]

    def notes(self) -> list[str]:
        """What the columns are, and why a row has no comparison."""
        return [
            "p: corrected resampled t-test; p (Holm): adjusted for the pairs of the metric. P: "
            "probability, by the Bayesian correlated t-test, that a is better, that they differ "
            "by no more than the given size (the same in practice), that b is better.",
            *(
                f"{row['metric']} of {row['model_a']} and {row['model_b']}: {row['reason']}"
                for row in self
                if row["reason"]
            ),
        ]

    def __str__(self) -> str:
        if not self:
            return "no pair of models to compare"
        return "\n".join([text_table(self.header(), self.cells(), "<<<"), "", *self.notes()])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        return fragment([], table(self.header(), self.cells()), self.notes())
