"""Values and predictions of every model, fold and metric of a cross-validation."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from skmetrics_ext.report.fold import FoldResult, Grouping
from skmetrics_ext.report.out_of_fold import OutOfFold, ScoredData, out_of_fold
from skmetrics_ext.report.summary import IntervalKind


@dataclass(frozen=True, repr=False, slots=True)
class FoldValues:
    """Fields of `CrossValidationReport`, by model and by fold."""

    models: tuple[str, ...]
    metrics: tuple[str, ...]
    results: tuple[FoldResult, ...]
    n_samples: int
    splitter: str
    baseline: str | None = None
    positive_class: Any = None
    confidence_level: float = 0.95
    left_out: tuple[str, ...] = ()
    data: ScoredData = field(default_factory=ScoredData, repr=False, compare=False)
    interval: IntervalKind = "auto"
    data_warnings: tuple[str, ...] = ()
    # Results of `computed_once`.
    computed: dict[Any, Any] = field(default_factory=dict, init=False, repr=False, compare=False)

    @property
    def n_folds(self) -> int:
        """Number of folds."""
        return len({result.fold for result in self.results})

    @property
    def has_train(self) -> bool:
        """Whether the models were also scored on their training rows."""
        return any(result.train_values for result in self.results)

    @property
    def grouping(self) -> Grouping | None:
        """Groups of dependent rows; None if no groups were given."""
        return self.data.grouping

    def __iter__(self) -> Iterator[str]:
        """Names of the models."""
        return iter(self.models)

    def __getitem__(self, model: str | Sequence[str]) -> Self:
        """The report of one model, or of several.

        Parameters
        ----------
        model : str or sequence of str
            One of ``models``, or several.

        Returns
        -------
        CrossValidationReport
        """
        names = (model,) if isinstance(model, str) else tuple(model)
        unknown = [name for name in names if name not in self.models]
        if unknown or not names:
            raise KeyError(f"models are {list(self.models)}; got {model!r}")
        baseline = self.baseline if self.baseline in names else None
        results = tuple(result for name in names for result in self.results_of(name))
        return replace(self, models=names, results=results, baseline=baseline)

    def results_of(self, model: str) -> list[FoldResult]:
        """Results of a model, fold by fold.

        Parameters
        ----------
        model : str
            One of ``models``.

        Returns
        -------
        list of FoldResult
        """
        return [result for result in self.results if result.model == model]

    @property
    def predictions(self) -> dict[str, OutOfFold]:
        """Out-of-fold predictions of each model, by its name.

        Returns
        -------
        dict of str to OutOfFold
            ``rows``, ``fold`` and ``responses``: an array for each method that the metrics read,
            with columns in the order of ``classes``.
        """
        return {model: out_of_fold(self.results_of(model)) for model in self.models}

    def times(self) -> dict[str, tuple[float, float]]:
        """Mean fit and score time of a fold in seconds, by model.

        Returns
        -------
        dict of str to (float, float)
        """
        means = {}
        for model in self.models:
            seconds = [(result.fit_time, result.score_time) for result in self.results_of(model)]
            # A model has no fold if the run was interrupted before its first one.
            fit, score = np.mean(seconds or [(np.nan, np.nan)], axis=0).tolist()
            means[model] = (fit, score)
        return means
