"""Models of the command line: name -> estimator, ready for any table of `datasets`."""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from skmetrics_ext.datasets import Dataset
from skmetrics_ext.validation.errors import near


@dataclass(frozen=True, slots=True)
class Model:
    """Where a classifier is found, and what it needs.

    Parameters
    ----------
    path : str
        ``module:Class``; imported only when the model is asked for.
    scaled : bool
        Whether features are scaled first.
    seeded : bool
        Whether it takes ``random_state``.
    params : mapping
        Its parameters.
    """

    path: str
    scaled: bool = False
    seeded: bool = True
    params: Mapping[str, Any] = field(default_factory=dict)


MODELS = {
    "logistic": Model("sklearn.linear_model:LogisticRegression", True, params={"max_iter": 1000}),
    "forest": Model("sklearn.ensemble:RandomForestClassifier"),
    "gradient_boosting": Model("sklearn.ensemble:HistGradientBoostingClassifier"),
    "knn": Model("sklearn.neighbors:KNeighborsClassifier", scaled=True, seeded=False),
    "naive_bayes": Model("sklearn.naive_bayes:GaussianNB", seeded=False),
    "svm": Model("sklearn.svm:SVC", scaled=True),
    "tree": Model("sklearn.tree:DecisionTreeClassifier"),
}


def make_model(name: str, data: Dataset, seed: int | None = None) -> Any:
    """Estimator of a name of `MODELS` for a data set.

    Parameters
    ----------
    name : str
        A key of `MODELS`.
    data : Dataset
        Says which columns must be encoded or filled.
    seed : int or None, default=None
        ``random_state`` of the model.

    Returns
    -------
    estimator
        A pipeline where the features need preparation.

    Raises
    ------
    ValueError
        If the name is unknown.
    """
    if name not in MODELS:
        raise ValueError(f"{name!r} is no model.{near(name, MODELS)} Models: {', '.join(MODELS)}.")
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    model = MODELS[name]
    module, _, kind = model.path.partition(":")
    seeded = {"random_state": seed} if model.seeded else {}
    estimator = getattr(importlib.import_module(module), kind)(**model.params, **seeded)
    steps = [] if data.is_plain else [_preparation(data)]
    if model.scaled:
        steps.append(StandardScaler())
    return make_pipeline(*steps, estimator) if steps else estimator


def _preparation(data: Dataset) -> Any:
    """Fills and encodes; inside the pipeline, so that it learns from training folds only."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    numeric = [column for column in data.X.columns if column not in data.categorical]
    return make_column_transformer(
        # A column without any value in a training fold stays, so that folds have equal widths.
        (SimpleImputer(strategy="median", keep_empty_features=True), numeric),
        (OneHotEncoder(handle_unknown="ignore", sparse_output=False), list(data.categorical)),
    )
