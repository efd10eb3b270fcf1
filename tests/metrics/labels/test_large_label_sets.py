"""10,000 classes: memory grows with the classes, not with their square."""

from __future__ import annotations

import tracemalloc
from functools import partial

import numpy as np
import pytest

import skmetrics_ext as m

N_CLASSES = 10_000
SQUARE = N_CLASSES**2 * 8  # bytes of a table of all pairs: 800 MB
METRICS = {
    "accuracy": m.accuracy_score,
    "macro precision": partial(m.precision_score, average="macro", zero_division=0),
    "macro recall": partial(m.recall_score, average="macro", zero_division=0),
    "macro F1": partial(m.f1_score, average="macro", zero_division=0),
    "F1 of averages": partial(m.fbeta_of_averages_score, zero_division=0),
    "Matthews": m.matthews_corrcoef,
    "kappa": m.cohen_kappa_score,
    "Scott": m.scott_pi_score,
    "Gwet": m.gwet_ac1_score,
    "Brennan": m.brennan_prediger_score,
    "Krippendorff": m.krippendorff_alpha_score,
    "balanced accuracy": m.balanced_accuracy_score,
    "geometric mean": m.geometric_mean_score,
    "lift": partial(m.confusion_statistic, statistic="lift"),
    "entropy": partial(m.confusion_statistic, statistic="true_entropy"),
}


def sample(rows: int) -> tuple[np.ndarray, np.ndarray]:
    rng = np.random.default_rng(0)
    true = np.concatenate([np.arange(N_CLASSES), rng.integers(0, N_CLASSES, rows - N_CLASSES)])
    pred = np.where(rng.random(rows) < 0.7, true, rng.integers(0, N_CLASSES, rows))
    pred[:N_CLASSES] = np.arange(N_CLASSES)  # every class is predicted
    return true, pred


def peak_of(metric, true, pred) -> int:
    tracemalloc.start()
    try:
        metric(true, pred)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.parametrize("name", METRICS)
def test_memory(name: str) -> None:
    true, pred = sample(100_000)
    assert peak_of(METRICS[name], true, pred) < SQUARE / 20


@pytest.mark.slow
@pytest.mark.parametrize("name", METRICS)
def test_memory_of_a_million_rows(name: str) -> None:
    true, pred = sample(1_000_000)
    assert peak_of(METRICS[name], true, pred) < SQUARE / 8


def test_values() -> None:
    """Against sums over rows that need no table either."""
    true, pred = sample(100_000)
    right = np.bincount(true[true == pred], minlength=N_CLASSES)
    of_true, of_pred = np.bincount(true, minlength=N_CLASSES), np.bincount(pred)
    n, hits = len(true), int(right.sum())
    chance = int((of_true * of_pred).sum())
    assert m.accuracy_score(true, pred) == hits / n
    recalls = right / of_true
    assert m.balanced_accuracy_score(true, pred) == pytest.approx(recalls.mean(), rel=1e-12)
    f1 = 2 * right / (of_true + of_pred)
    assert m.f1_score(true, pred, average="macro") == pytest.approx(f1.mean(), rel=1e-12)
    kappa = (hits * n - chance) / (n * n - chance)
    assert m.cohen_kappa_score(true, pred) == pytest.approx(kappa, rel=1e-12)
    spread = [n * n - int((part**2).sum()) for part in (of_true, of_pred)]
    matthews = (hits * n - chance) / np.sqrt(spread[0]) / np.sqrt(spread[1])
    assert m.matthews_corrcoef(true, pred) == pytest.approx(matthews, rel=1e-12)


def test_text_and_sparse_codes_are_no_exception() -> None:
    true, pred = sample(60_000)
    names = np.array([f"class {i}" for i in range(N_CLASSES)])
    plain = m.matthews_corrcoef(true, pred)
    assert peak_of(m.matthews_corrcoef, names[true], names[pred]) < SQUARE / 10
    assert m.matthews_corrcoef(names[true], names[pred]) == pytest.approx(plain, rel=1e-12)
    far = 10**12 * true, 10**12 * pred
    assert m.matthews_corrcoef(*far) == pytest.approx(plain, rel=1e-12)
