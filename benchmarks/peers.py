"""How another library is called on the inputs of a case."""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from data import Inputs
from timing import Entrant, difference

Call = Callable[[], Any]


@dataclass(frozen=True)
class Peer:
    """A library and its way to the same answer.

    ``prepare`` takes the inputs and returns the call that is timed; what it does before (imports,
    copies into tensors) is not. ``tolerance`` is how far the answers may lie apart, absolutely
    and relatively; ``differs`` compares answers that chance has a part in. ``units`` is how much
    of the work that is compared a call does (replicates of a bootstrap).
    """

    library: str
    package: str
    prepare: Callable[[Inputs], Call]
    tolerance: float = 1e-12
    units: float = 1
    differs: Callable[[Any, Any], str | None] | None = None

    @property
    def is_installed(self) -> bool:
        return importlib.util.find_spec(self.package) is not None

    def entrant(self, inputs: Inputs) -> Entrant:
        return Entrant(self.prepare(inputs), units=self.units)

    def difference(self, ours: Any, theirs: Any) -> str | None:
        """What is wrong, None where the answers are equal."""
        if self.differs is not None:
            return self.differs(ours, theirs)
        return difference(ours, theirs, self.tolerance)


def sklearn(function: str, **options: Any) -> Peer:
    """scikit-learn's function of this name."""
    return Peer("scikit-learn", "sklearn", _plain("sklearn.metrics", function, options))


def imblearn(function: str, **options: Any) -> Peer:
    """imbalanced-learn's function of this name."""
    return Peer("imbalanced-learn", "imblearn", _plain("imblearn.metrics", function, options))


def torchmetrics(function: str, **options: Any) -> Peer:
    """torchmetrics' function of this name, one thread; it answers in float32."""

    def prepare(inputs: Inputs) -> Call:
        import torch

        torch.set_num_threads(1)
        module = importlib.import_module("torchmetrics.functional.classification")
        call = getattr(module, function)
        true, pred = (torch.from_numpy(column.copy()) for column in inputs[0])
        return lambda: _numbers(call(pred, true, **options))

    return Peer("torchmetrics", "torchmetrics", prepare, tolerance=1e-5)


def polars_ds(function: str) -> Peer:
    """polars-ds's expression of this name, on a data frame made beforehand."""

    def prepare(inputs: Inputs) -> Call:
        import polars as pl

        frame = pl.DataFrame(dict(zip(("true", "pred"), inputs[0], strict=True)))
        expression = getattr(importlib.import_module("polars_ds"), function)("true", "pred")
        return lambda: frame.select(expression).item()

    return Peer("polars-ds", "polars_ds", prepare)


def fastauc() -> Peer:
    """fastauc's function with Numba; its source is public, no package index has it."""

    def prepare(inputs: Inputs) -> Call:
        call = importlib.import_module("fastauc.fast_auc").fast_numba_auc
        true, pred = inputs[0]
        positive = true.astype(bool)
        return lambda: call(positive, pred)

    return Peer("fastauc", "fastauc", prepare)


def pycm(read: Callable[[Any], Any]) -> Peer:
    """PyCM's confusion matrix of both columns, and what is read from it."""

    def prepare(inputs: Inputs) -> Call:
        make = importlib.import_module("pycm").ConfusionMatrix
        return lambda: read(make(*inputs[0]))

    return Peer("PyCM", "pycm", prepare)


def confidenceinterval_delong() -> Peer:
    """The interval of DeLong's variance by the package confidenceinterval; ranks in float32."""

    def prepare(inputs: Inputs) -> Call:
        call = importlib.import_module("confidenceinterval").roc_auc_score
        return lambda: call(*inputs[0], confidence_level=0.95, method="delong")

    return Peer("confidenceinterval", "confidenceinterval", prepare, tolerance=1e-5)


def mlstatkit_delong() -> Peer:
    """MLstatkit's DeLong test of two models: statistic and p-value."""

    def prepare(inputs: Inputs) -> Call:
        call = importlib.import_module("MLstatkit").Delong_test
        return lambda: call(*inputs[0], return_ci=False, return_auc=False)

    # Their statistic is of the second area minus the first.
    def differs(ours: Any, theirs: Any) -> str | None:
        statistic, p_value = theirs[:2]
        return difference(ours, (-statistic, p_value), 1e-6)

    return Peer("MLstatkit", "MLstatkit", prepare, differs=differs)


def sklearn_panel(rows: Sequence[tuple[str, str, dict[str, Any]]]) -> Peer:
    """scikit-learn's functions one after the other: (name in the answer, function, options)."""

    def prepare(inputs: Inputs) -> Call:
        module = importlib.import_module("sklearn.metrics")
        calls = [(name, getattr(module, function), options) for name, function, options in rows]
        args, weights = inputs
        return lambda: {n: call(*args, **weights, **options) for n, call, options in calls}

    return Peer("scikit-learn", "sklearn", prepare)


def sklearn_at_thresholds(function: str) -> Peer:
    """scikit-learn's loop over the thresholds with its function of this name."""

    def prepare(inputs: Inputs) -> Call:
        module = importlib.import_module("sklearn.metrics")
        call = getattr(module, function)
        return lambda: module.metric_at_thresholds(*inputs[0], call)

    return Peer("scikit-learn", "sklearn", prepare)


def sklearn_bootstrap(
    function: str, n_replicates: int = 200, whole: int = 1, **options: Any
) -> Peer:
    """A loop that draws rows and calls scikit-learn's function of this name: its replicates."""

    def call(*columns: np.ndarray) -> float:
        return getattr(importlib.import_module("sklearn.metrics"), function)(*columns, **options)

    return bootstrap_loop(call, n_replicates, whole)


def bootstrap_loop(call: Callable[..., float], n_replicates: int, whole: int = 1) -> Peer:
    """A loop that draws rows and calls the function; the time of ``whole`` replicates."""

    def prepare(inputs: Inputs) -> Call:
        columns = inputs[0]
        n = len(columns[0])

        def replicates() -> np.ndarray:
            rng = np.random.default_rng(0)
            draws = (rng.integers(0, n, n) for _ in range(n_replicates))
            return np.array([call(*(column[rows] for column in columns)) for rows in draws])

        return replicates

    units = n_replicates / whole
    return Peer("scikit-learn", "sklearn", prepare, units=units, differs=_replicates_differ)


def _replicates_differ(ours: Any, theirs: np.ndarray) -> str | None:
    """Whether few replicates and the standard error of many are at odds.

    The bounds are five standard errors of what the few can tell.
    """
    value, _, _, error = ours
    seen, few = theirs.std(ddof=1), len(theirs)
    if abs(np.log(seen / error)) > 5 / np.sqrt(2 * few):
        return f"standard error {error:g}, {few} replicates of the loop have {seen:g}"
    if abs(theirs.mean() - value) > 5 * error / np.sqrt(few) + 0.1 * error:
        return f"value {value:g}, {few} replicates of the loop have the mean {theirs.mean():g}"
    return None


def _plain(module_name: str, function: str, options: dict[str, Any]) -> Callable[[Inputs], Call]:
    def prepare(inputs: Inputs) -> Call:
        call = getattr(importlib.import_module(module_name), function)
        args, weights = inputs
        return lambda: call(*args, **weights, **options)

    return prepare


def _numbers(value: Any) -> Any:
    if isinstance(value, (tuple, list)):
        return tuple(part.numpy() for part in value)
    return value.numpy()
