"""How many rows, or repeats of the folds, would tell two candidates apart."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from skmetrics_ext.inference.selection import Noise, repeats_to_tell, rows_to_tell
from skmetrics_ext.numeric import Array

_ROUNDING = 1e-12


@dataclass(frozen=True, eq=False, slots=True)
class Apart:
    """The difference of two candidates, and what it errs by.

    Parameters
    ----------
    folds : ndarray of shape (J,)
        Differences on the folds.
    round_of : ndarray of int of shape (J,)
        The repeat to which each fold belongs.
    variance : float
        Of the mean, by rows.
    lasting : float or None
        The part of it that no repeat takes away; None where one repeat does not tell.
    """

    folds: Array
    round_of: Array
    variance: float
    lasting: float | None

    @classmethod
    def of(
        cls, best: int, splits: Array, round_of: Array, noise: Noise, lasting: Array | None
    ) -> Apart:
        """The one that was chosen, and the best of the others, of values (k, J)."""
        values = splits.mean(axis=1)
        other = int(np.where(np.arange(len(values)) == best, -np.inf, values).argmax())
        side = np.zeros(len(values))
        side[[best, other]] = 1.0, -1.0
        stays = None if lasting is None else max(float(side @ lasting @ side), 0.0)
        return cls(side @ splits, round_of, float(side @ noise.covariance @ side), stays)

    @property
    def n_repeats(self) -> int:
        """Of the folds."""
        return int(self.round_of.max()) + 1

    @property
    def varying(self) -> float:
        """The variance of one repeat, where rows are what they are.

        By the repeats, which vary together in the rows of a fold; and no less than rows show.
        """
        means = np.bincount(self.round_of, weights=self.folds) / np.bincount(self.round_of)
        shown = self.n_repeats * (self.variance - (self.lasting or 0.0))
        return max(float(means.var(ddof=1)) if len(means) > 1 else 0.0, shown)

    def told(self, n_units: int, units: str, level: float) -> str:
        """How many rows (or groups, or folds) would tell them apart, and how many repeats."""
        difference = abs(float(self.folds.mean()))
        if difference <= _ROUNDING or self.variance <= 0:
            return (
                "the first two candidates have the same value: no number of rows tells them apart"
            )
        needed = rows_to_tell(difference, self.variance, n_units, level)
        repeats = np.nan
        if self.lasting is not None:
            repeats = repeats_to_tell(difference, self.lasting, self.varying, level)
        if needed <= n_units:
            more = f", with about {_rounded(repeats)} repeats of the folds (there are "
            more += f"{self.n_repeats}), as far as they vary"
            told = f"the {n_units} {units} are enough to tell the first two candidates apart"
            return told + more * bool(self.n_repeats < repeats < np.inf)
        if np.isnan(repeats):
            more = "repeat the folds to see what more repeats would do"
        elif np.isinf(repeats):
            more = "no number of repeats of the folds is enough, for the noise of the rows stays"
        else:
            more = f"or about {_rounded(repeats)} repeats of the folds (there are {self.n_repeats})"
        return (
            f"to tell the first two apart, which differ by {difference:.3g}, takes about "
            f"{_rounded(needed)} {units} (power 80 %; there are {n_units}); {more}"
        )


def _rounded(number: float) -> str:
    """With two digits that count."""
    return f"{float(f'{number:.2g}'):,.0f}"
