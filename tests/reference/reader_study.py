"""A study of readers and cases, analysed with loops over pairs of cases and the published formulas.

The values in ``tests/inference/test_reader_studies.py`` are the output of

    python tests/reference/reader_study.py

It uses NumPy for the data and SciPy for the quantiles, and nothing of the package.
"""

import json

import numpy as np
from scipy import stats

N_READERS, N_NORMAL, N_DISEASED = 4, 22, 18


def study():
    """Ratings 1 to 5 of two models, by four readers who read all cases: long form, as columns."""
    rng = np.random.default_rng(20)
    truth = np.array([0] * N_NORMAL + [1] * N_DISEASED)
    n = len(truth)
    case, skill = rng.normal(0, 0.6, (2, n)), rng.normal(0, 0.12, (2, N_READERS))
    cell = rng.normal(0, 0.4, (N_READERS, n))
    rows = {"reader": [], "case": [], "truth": [], "a": [], "b": []}
    noise = rng.normal(0, 0.7, (2, N_READERS, n))
    for j in range(N_READERS):
        for c in range(n):
            latent = [
                truth[c] * (gain + skill[i, j]) + case[i, c] + cell[j, c] + noise[i, j, c]
                for i, gain in enumerate((0.9, 1.6))
            ]
            rows["reader"].append(f"r{j}")
            rows["case"].append(c)
            rows["truth"].append(int(truth[c]))
            rows["a"].append(int(np.clip(np.floor(latent[0] * 1.5 + 2.5), 1, 5)))
            rows["b"].append(int(np.clip(np.floor(latent[1] * 1.5 + 2.5), 1, 5)))
    return rows


def contributions(truth, rating):
    """The area, and DeLong's structural components centred at it, of the listed cases."""
    positive = [i for i, t in enumerate(truth) if t == 1]
    negative = [i for i, t in enumerate(truth) if t == 0]
    wins = {
        (i, j): (rating[i] > rating[j]) + 0.5 * (rating[i] == rating[j])
        for i in positive
        for j in negative
    }
    area = sum(wins.values()) / len(wins)
    parts = {}
    for i in positive:
        parts[i] = sum(wins[i, j] for j in negative) / len(negative) - area
    for j in negative:
        parts[j] = sum(wins[i, j] for i in positive) / len(positive) - area
    return area, parts, len(positive), len(negative)


def covariance(first, second, truth):
    """Covariance of two areas through the cases that both have."""
    total = 0.0
    for place, size in ((1, 2), (0, 3)):
        n, m = first[size], second[size]
        both = [c for c in first[1] if c in second[1] and truth[c] == place]
        products = sum(first[1][c] * second[1][c] for c in both)
        total += products / (n * m) * (n / (n - 1) * m / (m - 1)) ** 0.5
    return total


def analyse(rows, left_out=()):
    """Difference of b and a, and each mean; ``left_out`` are pairs (reader, case)."""
    names = sorted(set(rows["reader"]))
    truth = dict(zip(rows["case"], rows["truth"], strict=True))
    read = {}
    for model in "ab":
        for name in names:
            lines = [
                k
                for k, (r, c) in enumerate(zip(rows["reader"], rows["case"], strict=True))
                if r == name and (r, c) not in left_out
            ]
            own = {rows["case"][k]: rows[model][k] for k in lines}
            cases = list(own)
            area, parts, n, m = contributions(
                [truth[c] for c in cases], {i: own[c] for i, c in enumerate(cases)}
            )
            read[model, name] = area, {cases[i]: part for i, part in parts.items()}, n, m
    cov = {(p, q): covariance(read[p], read[q], truth) for p in read for q in read}
    R = len(names)
    pairs = [(j, k) for j in names for k in names if j != k]
    found = {}
    for model in "ab":
        values = [read[model, j][0] for j in names]
        shared = np.mean([cov[(model, j), (model, k)] for j, k in pairs])
        found[model] = interval(values, shared, R, (0, 1))
    difference = [read["b", j][0] - read["a", j][0] for j in names]

    def of_difference(j, k):
        return (
            cov[("b", j), ("b", k)]
            + cov[("a", j), ("a", k)]
            - cov[("b", j), ("a", k)]
            - cov[("a", j), ("b", k)]
        )

    shared = np.mean([of_difference(j, k) for j, k in pairs])
    found["b - a"] = interval(difference, shared, R, (-1, 1))
    fixed = sum(of_difference(j, k) for j in names for k in names) / R**2
    z = stats.norm.ppf(0.975)
    mean = np.mean(difference)
    found["fixed"] = {
        "value": mean,
        "se": fixed**0.5,
        "low": mean - z * fixed**0.5,
        "high": mean + z * fixed**0.5,
        "p": 2 * stats.norm.sf(abs(mean) / fixed**0.5),
    }
    return found


def interval(values, shared, R, limits):
    """Hillis' interval of the mean of the readers."""
    spread = np.var(values, ddof=1) / R
    variance = spread + max(shared, 0)
    freedom = variance**2 / (spread**2 / (R - 1))
    mean, away = np.mean(values), stats.t.ppf(0.975, freedom) * variance**0.5
    return {
        "value": mean,
        "se": variance**0.5,
        "df": freedom,
        "low": max(mean - away, limits[0]),
        "high": min(mean + away, limits[1]),
        "p": 2 * stats.t.sf(abs(mean) / variance**0.5, freedom),
    }


def unread(rows):
    """Every third reading, so that no reader has all cases."""
    cells = zip(rows["reader"], rows["case"], strict=True)
    return {(r, c) for r, c in cells if (c + int(r[1])) % 3 == 0}


if __name__ == "__main__":
    rows = study()
    found = {"crossed": analyse(rows), "not crossed": analyse(rows, unread(rows))}
    print(json.dumps(found, indent=1, default=float))
