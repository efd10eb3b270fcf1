"""Reference values of other software, and rows of which some are labelled."""

import json
from pathlib import Path

import numpy as np

REFERENCE = json.loads(Path(__file__).with_name("reference.json").read_text("utf-8"))
OF_SCORES = ("roc_auc", "average_precision", "brier_score", "log_loss")


def digits(text):
    """Labels that are written as one digit each, missing where there is a dot."""
    return [None if mark == "." else int(mark) for mark in text]


def thousandths(text):
    return np.array([int(text[i : i + 3]) for i in range(0, len(text), 3)]) / 1000


def proxy_case():
    found = REFERENCE["proxy"]
    labels = {name: digits(found[name]) for name in ("human", "judge", "pred", "pred_b")}
    return labels | {name: thousandths(found[name]) for name in ("score", "score_b")}


def response(metric, rows, suffix=""):
    return rows[("score" if metric in OF_SCORES else "pred") + suffix]


def population(seed=0, n_rows=2000, n_labels=300, wrong=0.1):
    """True labels, those of a person (missing elsewhere), of a judge, predictions and scores."""
    rng = np.random.default_rng(seed)
    true = (rng.random(n_rows) < 0.4).astype(int)
    score = 0.3 * true + 0.7 * rng.random(n_rows)
    judge = np.where(rng.random(n_rows) < wrong, 1 - true, true)
    labelled = rng.permutation(n_rows) < n_labels
    human = np.where(labelled, true, np.nan)
    return {
        "true": true,
        "score": score,
        "pred": (score > 0.45).astype(int),
        "other": np.where(rng.random(n_rows) < 0.2, 1, (score > 0.6).astype(int)),
        "judge": judge,
        "labelled": labelled,
        "human": human,
        "rng": rng,
    }
