"""Rows labelled with known probabilities: Hajek's estimates of every metric."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from skmetrics_ext.inference.partly_labelled import PartlyGiven
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import read_numbers

FEW_ROWS = 100  # effective rows
_LARGE_SHARE = 0.1  # of the weight, of one row


def with_sampling(
    data: PartlyGiven, sampling: Any, population: str, *, fixed: bool = False
) -> PartlyGiven:
    """The rows weighted by the inverse of their probabilities, which are one for each row."""
    rows, said = data.rows, []
    labelled, pool = rows.labelled, "fixed" if population == "pool" else ""
    probability = None
    if sampling is not None:
        pool = "poisson" if pool and not fixed else pool
        values = read_numbers("sampling", sampling)
        if values.shape == (len(data.places),):  # of labelled rows only
            probability = np.ones(len(labelled))
            probability[data.places] = values
        elif values.shape == labelled.shape:
            probability = np.where(labelled, values, 1.0)
        else:
            raise InvalidParameterError(
                f"sampling must have a probability for each of the {len(labelled)} rows, or of the "
                f"{len(data.places)} labelled ones, got an array of shape {values.shape}."
            )
        wrong = np.flatnonzero(~((probability > 0) & (probability <= 1)))
        if len(wrong):
            raise InvalidParameterError(
                f"sampling must be above 0 and at most 1 for each labelled row, got "
                f"{probability[wrong[0]]:g} in row {wrong[0]}."
            )
        mass = np.where(labelled, rows.weight / probability, 0.0)
        rows = replace(rows, mass=mass / mass.sum())
    elif labelled.all():
        raise InvalidParameterError(
            "population='pool' asks about these rows only, and all of them are labelled: their "
            "metric is known. Leave it out."
        )
    rows = replace(rows, probability=probability, pool=pool)
    if sampling is not None:
        said = [
            f"{len(data.places):,} labels drawn with known probabilities, "
            f"{rows.atoms.effective_rows:,.0f} effective rows"
        ]
        if rows.atoms.effective_rows < FEW_ROWS:
            said.append("this interval may be too narrow; more labels would help")
        if (most := float(rows.mass.max())) > _LARGE_SHARE:
            said.append(f"one row has {100 * most:.0f} % of the weight")
    return replace(data, rows=replace(rows, said=(*rows.said, *said)))
