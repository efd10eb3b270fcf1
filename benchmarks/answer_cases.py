"""Rows of the comparison beyond a metric: intervals, groups, streams and searches.

The others are what people write without the package: a loop over draws of the rows, fairlearn's
`MetricFrame`, torchmetrics' modules, a search inside a cross-validation.
"""

from __future__ import annotations

import importlib
from functools import lru_cache
from typing import Any

import numpy as np
import peers
from case import Case
from data import Inputs, Maker, labels, scores, two_scores
from peers import Call, Peer

import skmetrics_ext

_FEW, _DRAWS = 100, 1000  # of the loop: timed, and in a bootstrap as people run it
_GROUPS = 20
_BATCHES = 200
_BY_LABEL = {
    "accuracy": "accuracy_score",
    "precision": "precision_score",
    "recall": "recall_score",
    "f1": "f1_score",
}


def _interval(metric: str, function: str, data: Maker, **options: Any) -> Case:
    """The usual interval of a metric, and 1,000 draws of scikit-learn's function."""
    return Case(
        f"interval of {metric}",
        "confidence_interval",
        data,
        (peers.sklearn_bootstrap(function, _FEW, whole=_DRAWS, **options),),
        first=(metric,),
        read=lambda found: (found.value, found.low, found.high, found.standard_error),
        min_n=1000,
        max_n=100_000,
    )


def _area_by_difference(true: Any, one: Any, other: Any) -> float:
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(true, one) - roc_auc_score(true, other)


def _metric_frame(draws: int = 0) -> Peer:
    """fairlearn's values of each group, with intervals where it draws."""

    def prepare(inputs: Inputs) -> Call:
        from fairlearn.metrics import MetricFrame
        from sklearn import metrics

        (true, pred), options = inputs
        functions = {name: getattr(metrics, own) for name, own in _BY_LABEL.items()}
        drawn = {"n_boot": draws, "ci_quantiles": [0.025, 0.975], "random_state": 0}

        def values() -> list[float]:
            frame = MetricFrame(
                metrics=functions, y_true=true, y_pred=pred,
                sensitive_features=options["by"]["group"], **(drawn if draws else {}),
            )  # fmt: skip
            return frame.by_group.to_numpy().ravel().tolist()

        return values

    return Peer("fairlearn", "fairlearn", prepare, units=draws / _DRAWS if draws else 1)


def _grouped(n: int) -> Inputs:
    (true, pred), _ = labels(n_classes=2)(n)
    return (true, pred), {"by": {"group": np.random.default_rng([7, n]).integers(0, _GROUPS, n)}}


def _groups(name: str, peer: Peer, **options: Any) -> Case:
    return Case(
        f"{_GROUPS} groups, 4 metrics{name}",
        "compute_metrics",
        _grouped,
        (peer,),
        options=options,
        first=(list(_BY_LABEL),),
        read=lambda found: [row.value for row in found.rows],
        min_n=10_000,
        max_n=100_000,  # fairlearn draws beyond it for minutes
    )


def _batches(n: int) -> Inputs:
    """Labels and scores of so many batches of n rows."""
    (true, score), _ = scores()(n * _BATCHES)
    return (true.reshape(_BATCHES, n), score.reshape(_BATCHES, n)), {}


def streamed(true: Any, score: Any, metrics: tuple[str, ...]) -> tuple[float, ...]:
    """The values of a stream of batches."""
    stream = skmetrics_ext.Accumulator(metrics)
    for own_true, own_score in zip(true, score, strict=True):
        stream.update(own_true, own_score)
    return tuple(stream.compute().values())


def _torch_modules(*names: str) -> Peer:
    """The same with torchmetrics' modules, on tensors made beforehand; it answers in float32."""

    def prepare(inputs: Inputs) -> Call:
        import torch

        torch.set_num_threads(1)
        module = importlib.import_module("torchmetrics.classification")
        true, score = (torch.from_numpy(column.copy()) for column in inputs[0])

        def values() -> tuple[float, ...]:
            modules = [getattr(module, name)() for name in names]
            for own_true, own_score in zip(true, score, strict=True):
                for one in modules:
                    one.update(own_score, own_true)
            return tuple(float(one.compute()) for one in modules)

        return values

    return Peer("torchmetrics", "torchmetrics", prepare, tolerance=1e-5, units=_BATCHES)


def _stream(modules: dict[str, str]) -> Case:
    return Case(
        f"Accumulator, a batch: {', '.join(modules)}",
        streamed,
        _batches,
        (_torch_modules(*modules.values()),),
        options={"metrics": tuple(modules)},
        units=_BATCHES,
        min_n=32,
        max_n=4096,
    )


@lru_cache(maxsize=1)
def _searched(n: int) -> Inputs:
    """A grid of 20 logistic regressions."""
    from sklearn.datasets import make_classification
    from sklearn.linear_model import LogisticRegression
    from sklearn.model_selection import GridSearchCV

    grid = {"C": np.logspace(-4, 2, 20)}
    search = GridSearchCV(LogisticRegression(), grid, scoring="roc_auc")
    return (search, *make_classification(n, random_state=0)), {}


def _nested() -> Peer:
    """The search inside each of five folds, beside the one on all rows."""

    def prepare(inputs: Inputs) -> Call:
        from sklearn.base import clone
        from sklearn.model_selection import cross_val_score

        search, X, y = inputs[0]

        def values() -> np.ndarray:
            clone(search).fit(X, y)
            return cross_val_score(search, X, y, cv=5, scoring="roc_auc")

        return values

    def differs(ours: Any, theirs: np.ndarray) -> str | None:
        value, error = ours
        apart = abs(theirs.mean() - value) / error
        return f"{apart:.1f} standard errors apart" if apart > 3 else None

    return Peer("scikit-learn", "sklearn", prepare, differs=differs)


ANSWERS = (
    _interval("accuracy", "accuracy_score", labels(n_classes=2)),
    _interval("f1_macro", "f1_score", labels(), average="macro"),
    _interval("matthews_corrcoef", "matthews_corrcoef", labels()),
    _interval("roc_auc", "roc_auc_score", scores()),
    _interval("average_precision", "average_precision_score", scores()),
    _interval("log_loss", "log_loss", scores()),
    _interval("brier_score", "brier_score_loss", scores()),
    Case(
        "interval of the difference of two roc_auc",
        "compare",
        two_scores(),
        (peers.bootstrap_loop(_area_by_difference, _FEW, whole=_DRAWS),),
        first=("roc_auc",),
        read=lambda found: (found.difference, found.low, found.high, found.standard_error),
        min_n=1000,
        max_n=100_000,
    ),
    _groups("", _metric_frame()),
    _groups(" with intervals", _metric_frame(draws=20), intervals=True),
    _stream({"roc_auc": "BinaryAUROC"}),
    _stream({"roc_auc": "BinaryAUROC", "average_precision": "BinaryAveragePrecision"}),
    Case("report of a search", "search_report", _searched, (_nested(),),
         options={"random_state": 0}, read=lambda found: (found.best.value,
         found.best.standard_error), min_n=300, max_n=3000),
)  # fmt: skip
