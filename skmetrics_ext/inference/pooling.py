"""Pooling of estimates: over sites that differ, or over imputations of missing values."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from skmetrics_ext.inference.algebra import Leaf, Linear, Mapped
from skmetrics_ext.inference.arithmetic import shared_level
from skmetrics_ext.inference.results import Estimate
from skmetrics_ext.inference.scales import RANGES, Range, on_scale, quantile
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.result_bases import Facts
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_level, check_number

_FEWEST = {"sites": 3, "fixed": 2, "imputations": 2}
_METHODS = {"sites": "reml, hartung-knapp", "fixed": "fixed effect", "imputations": "rubin"}
_FEW_SITES, _FEW_IMPUTATIONS = 10, 5  # below which a note is given
_ERROR_FROM_SPREAD = 5  # sites: with fewer, the error is at least that of known variances


@dataclass(frozen=True, repr=False, eq=False, slots=True)
class PooledEstimate(Estimate):
    """The mean of the estimates of several sites or imputations, as `pool` returns it.

    Parameters
    ----------
    value, low, high, standard_error, method, confidence_level, note, **further
        As in `Estimate`.
    tau2 : float, default=nan
        Variance between sites, on the scale of pooling; nan for imputations.
    prediction : (float, float) or None, default=None
        Prediction interval: bounds for the true value of a further site; None unless sites
        differ in truth (``how="sites"``).

    Examples
    --------
    >>> from skmetrics_ext import pool
    >>> values = [0.78, 0.83, 0.71, 0.86, 0.80, 0.75, 0.88]
    >>> errors = [0.03, 0.025, 0.05, 0.02, 0.04, 0.035, 0.03]
    >>> pooled = pool(zip(values, errors))
    >>> round(pooled.tau2, 5), [round(bound, 4) for bound in pooled.prediction]
    (0.00213, [0.6842, 0.9341])
    """

    tau2: float = float("nan")
    prediction: tuple[float, float] | None = None


def pool(
    estimates: Iterable[Any],
    how: Literal["sites", "fixed", "imputations"] = "sites",
    *,
    n_rows: float | None = None,
    confidence_level: float | None = None,
) -> PooledEstimate:
    r"""One estimate from those of several sites, or of several imputations of missing values.

    .. math:: \hat\mu = \frac{\sum_k w_k y_k}{\sum_k w_k}, \qquad w_k = \frac{1}{s_k^2 + \tau^2}

    Values and standard errors are pooled on the scale of the metric (a ROC AUC on the logit scale,
    a log loss on the log scale, differences as they are), and the result is mapped back.

    Parameters
    ----------
    estimates : iterable of Estimate or of (float, float)
        Results of `confidence_interval`, or computed from them; or pairs of a value and its
        standard error, which are pooled as they are. No rows are needed, so estimates from a file
        are welcome.
    how : {"sites", "fixed", "imputations"}, default="sites"
        - "sites": samples without shared rows, whose true values differ; random effects, with the
          variance between sites by restricted maximum likelihood and the interval of Hartung and
          Knapp.
        - "fixed": samples without shared rows that all have the same true value; weights are the
          inverse variances, and the interval is too narrow if sites differ.
        - "imputations": the same rows with missing values filled in several times; Rubin's rules.
    n_rows : float, default=None
        For imputations: the number of rows, or of groups of dependent rows. Degrees of freedom
        then are those of Barnard and Rubin, which small samples need.
    confidence_level : float in (0, 1), default=None
        Nominal coverage of the interval; by default that of the estimates, and 0.95 for pairs.

    Returns
    -------
    PooledEstimate
        An `Estimate` with ``tau2``, the variance between sites on the scale of pooling, and
        ``prediction``, bounds for the true value of a further site.

    Raises
    ------
    InvalidParameterError
        If there are too few estimates (3 sites, 2 otherwise), they have different metrics or
        levels, a value has no standard error on the scale, or sites have the same rows.

    Notes
    -----
    With fewer than five sites the standard error is at least that of known variances (Röver, Knapp
    & Friede 2015). The prediction interval adds the variance between sites, and is rough with
    fewer than ten.

    References
    ----------
    Hartung & Knapp (2001), Statistics in Medicine 20(24), 3875-3889; Röver, Knapp & Friede (2015),
    BMC Medical Research Methodology 15, 99; Rubin (1987), Multiple Imputation for Nonresponse in
    Surveys, Wiley; Barnard & Rubin (1999), Biometrika 86(4), 948-955.

    Examples
    --------
    Seven sites, and five imputations of the same 200 rows:

    >>> import skmetrics_ext as sx
    >>> values = [0.78, 0.83, 0.71, 0.86, 0.80, 0.75, 0.88]
    >>> errors = [0.03, 0.025, 0.05, 0.02, 0.04, 0.035, 0.03]
    >>> print(f"{sx.pool(zip(values, errors)):.4f}")
    0.8091 [0.7556, 0.8626]
    >>> imputed = zip([0.8132, 0.8077, 0.824, 0.8011, 0.8155], [0.021, 0.022, 0.02, 0.023, 0.021])
    >>> print(sx.pool(imputed, how="imputations", n_rows=200))
    0.8123 [0.7657, 0.8589], 95 %, rubin, barnard-rubin
    """
    check_option("how", how, tuple(_FEWEST))
    is_list = isinstance(estimates, Iterable) and getattr(estimates, "shape", None) != ()
    parts = list(estimates) if is_list else []
    pairs = [
        (part.value, part.standard_error) if isinstance(part, Estimate) else part for part in parts
    ]
    if len(parts) < _FEWEST[how] or not all(np.shape(pair) == (2,) for pair in pairs):
        raise InvalidParameterError(
            f"how={how!r} needs {_FEWEST[how]} or more estimates, or pairs (value, standard "
            f"error), got {parts!r:.80}. Of two sites show both, or pass how='fixed'."
        )
    if n_rows is not None and how != "imputations":
        raise InvalidParameterError(
            f"n_rows is for how='imputations', got {n_rows!r} with {how!r}."
        )
    known = [part for part in parts if isinstance(part, Estimate)]
    level = check_level(shared_level(known) if confidence_level is None else confidence_level)
    metrics = sorted({each.metric for each in known})
    if len(metrics) > 1 or (how != "imputations" and _share_rows(known)):
        raise InvalidParameterError(
            f"estimates must be of one metric and, with how={how!r}, of different rows, got "
            f"{metrics}: use mean([...]) for the same rows, or how='imputations'."
        )
    to, back, slope = on_scale(_range(known[0]) if known else RANGES["plain"])
    values, errors = np.array(pairs, dtype=np.float64).T
    with np.errstate(all="ignore"):
        y, errors = to(values), errors * slope(values)
    for place in np.flatnonzero(~(np.isfinite(y + errors) & (errors > 0))):
        raise InvalidParameterError(
            f"estimates[{place}], {parts[place]}, has no standard error above 0 on the scale of "
            "its range: leave it out, or pass pairs (value, standard error)."
        )
    tau2 = {"sites": _between(y, errors**2), "fixed": 0.0}.get(how, float("nan"))
    if how == "imputations":
        mean, error, freedom = _imputed(y, errors**2, n_rows)
    else:
        mean, error, freedom = _weighted(y, errors**2 + tau2, is_fixed=how == "fixed")
    size = quantile(level, freedom)
    value, low, high = back(mean + size * error * np.array([0, -1, 1])).tolist()
    note, prediction = "", None
    if how == "sites":
        away = size * np.hypot(error, tau2**0.5)
        prediction = float(back(mean - away)), float(back(mean + away))
        note = "a further site: [{:.4g}, {:.4g}]".format(*prediction)
        note += f" (rough with fewer than {_FEW_SITES} sites)" * (len(y) < _FEW_SITES)
    elif how == "imputations" and len(y) < _FEW_IMPUTATIONS:
        note = f"{len(y)} imputations: make {_FEW_IMPUTATIONS} or more for a stable interval"
    method = _METHODS[how] + ", barnard-rubin" * (n_rows is not None)
    facts = Facts("".join(metrics), freedom=freedom)
    own: dict[str, Any] = {"facts": facts, "tau2": tau2, "prediction": prediction}
    return PooledEstimate(value, low, high, error / float(slope(value)), method, level, note, **own)


def _share_rows(known: Sequence[Estimate]) -> bool:
    """Whether two estimates are of the same arrays, which are no independent samples."""
    leaves = [each._made.expression.operands() for each in known if each._made is not None]
    rows = [{id(getattr(leaf.read, "y_true", leaf)) for leaf in each} for each in leaves]
    return len(set().union(*rows)) < sum(map(len, rows))


def _range(estimate: Estimate) -> Range:
    """The range that pooling keeps: none for differences and for most functions."""
    x = getattr(estimate._made, "expression", None)
    if isinstance(x, Mapped) and x.name == "exp":
        return RANGES["log"]
    if isinstance(x, Leaf) or (isinstance(x, Linear) and len({f > 0 for f, _ in x.terms}) == 1):
        return x.bounds
    with suppress(ValueError):  # of a file
        if x is None and estimate.alternative is None:
            return find(estimate.metric).spec.bounds
    return RANGES["plain"]


# --------------------------------------------------------------------------- methods

Mean = tuple[float, float, float | None]  # with its error and degrees of freedom


def _weighted(y: Array, variance: Array, *, is_fixed: bool) -> Mean:
    """The mean with weights 1 / variance, and the error of Hartung and Knapp."""
    weight, n = 1 / variance, len(y)
    mean, error = float(np.average(y, weights=weight)), float(weight.sum() ** -0.5)
    if is_fixed:
        return mean, error, None
    spread = float(np.sqrt(np.average((y - mean) ** 2, weights=weight) / (n - 1)))
    return mean, max(spread, error) if n < _ERROR_FROM_SPREAD or not spread else spread, n - 1


def _between(y: Array, variance: Array) -> float:
    """The variance between sites, where the restricted likelihood has its maximum."""
    from scipy.optimize import brentq

    def slope(tau2: float) -> float:
        weight = 1 / (variance + tau2)
        residual = y - np.average(y, weights=weight)
        excess = np.average(residual**2 - variance, weights=weight**2)
        return float(excess + 1 / weight.sum() - tau2)

    most = 2 * float(np.ptp(y) ** 2 + variance.max())
    return 0.0 if slope(0.0) <= 0 else float(brentq(slope, 0.0, most, xtol=1e-14))


def _imputed(y: Array, variance: Array, n_rows: float | None) -> Mean:
    """Rubin's rules, with Barnard and Rubin's degrees of freedom for a number of rows."""
    n, between = len(y), (1 + 1 / len(y)) * float(y.var(ddof=1))
    total = float(variance.mean()) + between
    share = between / total  # of the variance that is due to missing values
    freedom = (n - 1) / share**2 if share else None
    if n_rows is not None:
        complete = check_number("n_rows", n_rows, 2) - 1
        observed = (complete + 1) / (complete + 3) * complete * (1 - share)
        freedom = freedom * observed / (freedom + observed) if freedom else complete
    return float(y.mean()), total**0.5, freedom
