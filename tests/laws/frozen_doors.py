"""Tables of estimates of small data, from which `frozen_tables.json` was made."""

import numpy as np
import pandas
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import skmetrics_ext as sx
from tests.support.many_models import all_differences

N = 120


def arrays():
    """Labels, scores and predictions of three models, sites, periods and patients."""
    rng = np.random.default_rng(5)
    y = (rng.random(N) < 0.45).astype(int)
    score = {
        name: np.round(rng.normal(y * lift, 1.0), 3)
        for name, lift in (("a", 1.6), ("b", 1.2), ("c", 0.6))
    }
    proba = {name: np.round(1 / (1 + np.exp(-x)), 4) for name, x in score.items()}
    pred = {name: (p > 0.6).astype(int) for name, p in proba.items()}
    site, time = rng.choice(["n", "s", "w"], N), rng.choice(["early", "late"], N)
    return y, proba, pred, site, time, rng.integers(0, 40, N)


def frame():
    y, proba, pred, site, time, patient = arrays()
    return pandas.DataFrame(
        {"y": y, "p": proba["a"], "c": pred["a"], "site": site, "time": time, "patient": patient}
    )


def evaluations():
    """An evaluation by two columns, plain and with clusters, and one from arrays."""
    names = ["recall", "roc_auc", "brier_score", "f1"]
    plain = {"true": "y", "score": "p", "pred": "c", "metrics": names, "intervals": True}
    data = frame()
    return {
        "evaluate": sx.evaluate(data, by=["site", "time"], margins=True, **plain),
        "evaluate, clusters": sx.evaluate(data, by="site", groups="patient", **plain),
        "compute_metrics": sx.compute_metrics(
            ["recall", "log_loss", "matthews_corrcoef"],
            data.y,
            data.c,
            y_proba=data.p,
            intervals=True,
        ),
    }


def gaps():
    found = evaluations()
    tables = {}
    for name in ("evaluate", "evaluate, clusters"):
        for metric in ("recall", "roc_auc", "brier_score"):
            for against in ("rest", "overall", "best", {"site": "n"}):
                tables[f"{name}, {metric}, {against}"] = found[name].gaps(metric, against=against)
    return tables


def models():
    y, proba, pred, _, _, patient = arrays()
    tables = {}
    for metric, given in (("roc_auc", proba), ("brier_score", proba), ("recall", pred)):
        for adjust, how in (("max_t", "simultaneous"), ("holm", "holm")):
            for control in (None, "a"):
                tables[f"{metric}, {adjust}, {control}"] = all_differences(
                    metric, y, given, adjust=how, control=control, n_resamples=199
                )
    tables["clusters"] = all_differences("recall", y, pred, groups=patient, n_resamples=199)
    return tables


def report():
    """Three models over five folds, by a metric of ranks, of labels, and a loss."""
    rng = np.random.default_rng(3)
    rows = rng.normal(size=(N, 3))
    y = (rows[:, 0] + rng.normal(size=N) > 0.3).astype(int)
    return sx.cross_validation_report(
        {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(max_depth=2, random_state=0)},
        rows,
        y,
        scoring=["roc_auc", "f1", "neg_log_loss"],
        cv=5,
    )


def reports():
    of = report()
    kinds = ("cv", "pooled", "corrected")
    tables = {f"summary, {kind}": of.summary(kind) for kind in kinds}
    return tables | {"pooled": of.pooled(), "compare": of.compare(), "folds": of.folds()}


def classes():
    y, _, pred, *_ = arrays()
    three = np.array(["x", "y", "z"])[(y + np.asarray(pred["c"])) % 3]
    told = np.array(["x", "y", "z"])[(y + np.asarray(pred["b"])) % 3]
    return {
        name: sx.confidence_interval(name, three, told, average=None)
        for name in ("recall", "precision", "f1")
    }
