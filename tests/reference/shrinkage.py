"""Shares of crossed groups pulled toward an additive model, by a plain program.

The values in ``tests/operations/test_shrinkage.py`` are the output of

    python tests/reference/shrinkage.py

It uses NumPy, and nothing of the package: bisection for the variance between groups, and weighted
least squares by the normal equations.
"""

import json

import numpy as np

HITS = [[9, 14, 22, 7], [18, 25, 11, 30], [4, 16, 12, 9], [21, 13, 28, 6], [2, 19, 15, 33]]
ROWS = [[12, 20, 25, 9], [30, 31, 17, 36], [11, 21, 19, 12], [26, 14, 40, 8], [17, 27, 18, 38]]


def fit(y, s2, tau2, X):
    """Values of the model by weighted least squares, and their variances."""
    w = 1 / (s2 + tau2)
    inverse = np.linalg.inv(X.T @ (w[:, None] * X))
    coefficients = inverse @ (X.T @ (w * y))
    return X @ coefficients, np.array([x @ inverse @ x for x in X])


def between(y, s2, X):
    """Paule and Mandel's variance between groups, by bisection."""
    freedom = len(y) - X.shape[1]

    def excess(tau2):
        m, _ = fit(y, s2, tau2, X)
        return ((y - m) ** 2 / (s2 + tau2)).sum() - freedom

    if excess(0) <= 0:
        return 0.0
    low, high = 0.0, 1.0
    for _ in range(200):
        middle = (low + high) / 2
        low, high = (middle, high) if excess(middle) > 0 else (low, middle)
    return low


def analyse():
    n = np.array(ROWS, float).ravel()
    y = np.array(HITS, float).ravel() / n
    first, second = np.divmod(np.arange(len(y)), len(HITS[0]))
    X = np.array(
        [
            [1.0, *(a == k for k in range(1, len(HITS))), *(b == k for k in range(1, len(HITS[0])))]
            for a, b in zip(first, second, strict=True)
        ]
    )
    m = np.full(len(y), (y * n).sum() / n.sum())
    for _ in range(21):
        p = np.clip(m, 0.02, 0.98)
        s2 = p * (1 - p) / n
        tau2 = between(y, s2, X)
        m, h = fit(y, s2, tau2, X)
    free = len(y) - X.shape[1]
    B = (free - 2) / free * s2 / (s2 + tau2)
    value = m + (1 - B) * (y - m)
    squared = s2 * (1 - B) + B**2 * h
    squared += 2 * B**2 / (free - 2) * (s2.mean() + tau2) / (s2 + tau2) * (y - m) ** 2
    unlike = np.abs(y - m) > 2 * np.sqrt(s2 + tau2)
    return {
        "tau": tau2**0.5,
        "fitted": m.tolist(),
        "value": value.tolist(),
        "error": np.sqrt(squared).tolist(),
        "unlike": np.flatnonzero(unlike).tolist(),
    }


if __name__ == "__main__":
    print(json.dumps(analyse(), indent=1))
