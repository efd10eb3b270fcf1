"""References of methods, as a paper cites them."""

from __future__ import annotations

_CITATIONS = {
    "wilson": "Wilson score interval (Wilson 1927)",
    "wilson_cc": "Wilson score interval with continuity correction (Newcombe 1998)",
    "clopper_pearson": "exact interval (Clopper & Pearson 1934)",
    "jeffreys": "Jeffreys interval (Brown, Cai & DasGupta 2001)",
    "agresti_coull": "Agresti-Coull interval (Agresti & Coull 1998)",
    "mid_p": "mid-P interval (Lancaster 1961)",
    "effective_n": "effective-n score interval (Korn & Graubard 1998)",
    "wald": "Wald interval of a maximum-likelihood estimate (Wald 1943)",
    "mover": "MOVER interval (Zou & Donner 2008)",
    "delta": "delta method",
    "delong": "DeLong's method (DeLong, DeLong & Clarke-Pearson 1988)",
    "Welch-Satterthwaite": "Welch-Satterthwaite degrees of freedom (Satterthwaite 1946)",
    "logit": "interval on the logit scale from influence values (Hampel 1974)",
    "log": "interval on the log scale (Katz et al. 1978)",
    "atanh": "interval on Fisher's z scale (Fisher 1921)",
    "hall": "t interval transformed for skewness (Hall 1992)",
    "anytime": "confidence sequence (Waudby-Smith et al. 2024; Howard et al. 2021)",
    "t": "t interval (Student 1908)",
    "bca": "BCa bootstrap (Efron 1987)",
    "expanded": "expanded percentile bootstrap (Hesterberg 2015)",
    "bootstrap": "percentile bootstrap (Efron 1979)",
    "upper": "one-sided percentile bootstrap (Efron 1979)",
    "m-out-of-n bootstrap": "m-out-of-n bootstrap (Bickel, Gotze & van Zwet 1997)",
    "cross-fitted": "cross-fitted value (Stone 1974)",
    "tango": "Tango's score interval (Tango 1998)",
    "mcnemar": "McNemar's test (McNemar 1947)",
    "welch": "Welch's t test (Welch 1947)",
    "paired t": "paired t test (Student 1908)",
    "permutation": "permutation test (Fisher 1935)",
    "log_ratio": "difference of logarithms (Katz et al. 1978)",
    "simultaneous": "simultaneous bounds (Bonferroni)",
    "reml": "random effects by restricted maximum likelihood (Patterson & Thompson 1971)",
    "hartung-knapp": "Hartung-Knapp interval (Hartung & Knapp 2001)",
    "rubin": "Rubin's rules (Rubin 1987)",
    "barnard-rubin": "small-sample degrees of freedom (Barnard & Rubin 1999)",
    "obuchowski-rockette": "Obuchowski & Rockette (1995), degrees of freedom of Hillis (2007)",
    "holm": "p-values by Holm (1979)",
    "bonferroni": "simultaneous bounds (Bonferroni)",
    "hsu": "multiple comparisons with the best (Hsu 1996)",
    "nemenyi": "p-values by Nemenyi (1963)",
    "shrunk": "shrinkage toward a model of the groups (Morris 1983)",
    "max_t": "simultaneous intervals by max-t (Hothorn, Bretz & Westfall 2008)",
    "": "",
}


def citation(method: str) -> str:
    """The method as a paper cites it; parts of its name without a reference stay as they are."""
    return ", ".join(_CITATIONS.get(part, part) for part in method.split(", "))
