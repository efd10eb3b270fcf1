"""Inputs of the benchmarks: seeded, so that every run and every library sees the same rows.

A maker takes the number of rows and returns the positional arguments and the keyword arguments
of a metric.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from typing import Any

import numpy as np

Inputs = tuple[tuple[Any, ...], dict[str, Any]]
Maker = Callable[[int], Inputs]

POSITIVE_SHARE = 0.3
_SHIFT = 1.0  # distance between the means of the two classes: AUC about 0.76
_RIGHT = 0.7  # share of the predicted labels that are right before chance


def scores(kind: str = "distinct", *, weighted: bool = False) -> Maker:
    """Binary labels and scores.

    ``kind`` is "distinct" (float64 in (0, 1)), "float32", "ties" (two decimals, 101 values) or
    "decision" (unbounded, as a decision function gives them).
    """

    def make(n: int) -> Inputs:
        true, decision = _binary(n)
        if kind == "decision":
            score = 3 * decision
        else:
            score = 1 / (1 + np.exp(-decision))
            if kind == "ties":
                score = score.round(2)
            elif kind == "float32":
                score = score.astype(np.float32)
        return (true, score), _weights(n) if weighted else {}

    return make


def two_scores() -> Maker:
    """Binary labels and the scores of two models, the second a noisier copy of the first."""

    def make(n: int) -> Inputs:
        true, decision = _binary(n)
        other = decision + np.random.default_rng([6, n]).standard_normal(n)
        return (true, decision, other), {}

    return make


def class_scores(n_classes: int) -> Maker:
    """Labels 0 .. K-1 and a row of probabilities each, which sum to 1."""

    def make(n: int) -> Inputs:
        rng = np.random.default_rng([2, n, n_classes])
        true = _classes(rng, n, n_classes)
        decision = rng.standard_normal((n, n_classes))
        decision[np.arange(n), true] += _SHIFT
        proba = np.exp(decision)
        return (true, proba / proba.sum(axis=1, keepdims=True)), {}

    return make


def labels(kind: str = "int", *, n_classes: int = 10, weighted: bool = False) -> Maker:
    """True and predicted labels.

    ``kind`` is "int" (int64), "int8", "fixed" (fixed-width text of 8 characters), "object"
    (Python strings), "pandas" (a Series of strings) or "categorical" (a pandas Series).
    """

    def make(n: int) -> Inputs:
        columns = tuple(_as_kind(codes, kind, n_classes) for codes in _labels(n, n_classes))
        return columns, _weights(n) if weighted else {}

    return make


def multilabel(n_outputs: int) -> Maker:
    """Indicator matrices, 30 % of them set."""

    def make(n: int) -> Inputs:
        rng = np.random.default_rng([4, n, n_outputs])
        true = rng.random((n, n_outputs)) < POSITIVE_SHARE
        keep = rng.random((n, n_outputs)) < _RIGHT
        pred = np.where(keep, true, rng.random((n, n_outputs)) < POSITIVE_SHARE)
        return (true.astype(np.int64), pred.astype(np.int64)), {}

    return make


@lru_cache(maxsize=1)
def _binary(n: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([1, n])
    true = (rng.random(n) < POSITIVE_SHARE).astype(np.int64)
    return true, rng.standard_normal(n) + _SHIFT * true - _SHIFT / 2


@lru_cache(maxsize=1)
def _labels(n: int, n_classes: int) -> tuple[Any, Any]:
    rng = np.random.default_rng([3, n, n_classes])
    true = _classes(rng, n, n_classes)
    pred = np.where(rng.random(n) < _RIGHT, true, rng.integers(0, n_classes, n))
    return true, pred


def _classes(rng: np.random.Generator, n: int, n_classes: int) -> Any:
    codes = rng.integers(0, n_classes, n)
    codes[: min(n, n_classes)] = np.arange(min(n, n_classes))  # every class occurs
    return codes


def _weights(n: int) -> dict[str, Any]:
    return {"sample_weight": np.random.default_rng([5, n]).uniform(0.5, 2.0, n)}


def _as_kind(codes: Any, kind: str, n_classes: int) -> Any:
    if kind in ("int", "int8"):
        return codes if kind == "int" else codes.astype(np.int8)
    names = np.array([f"class{i:03d}" for i in range(n_classes)])
    if kind == "fixed":
        return names[codes]
    objects = names.astype(object)
    if kind == "object":
        return objects[codes]
    import pandas as pd

    if kind == "pandas":
        return pd.Series(objects[codes], dtype="str")
    return pd.Series(pd.Categorical.from_codes(codes, categories=names))
