"""Models of the command line: name -> estimator, ready for any table of `datasets`."""

from __future__ import annotations

import importlib
import os
import sys
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
        raise ValueError(
            f"{name!r} is no model.{near(name, MODELS)} Models: {', '.join(MODELS)}, "
            "module:factory of your own, or a .joblib file."
        )
    from sklearn.preprocessing import StandardScaler

    model = MODELS[name]
    module, _, kind = model.path.partition(":")
    seeded = {"random_state": seed} if model.seeded else {}
    estimator = getattr(importlib.import_module(module), kind)(**model.params, **seeded)
    scaling = [StandardScaler()] if model.scaled else []
    return _prepared(data, *scaling, estimator)


def own_model(text: str, data: Dataset, *, trusted: bool) -> Any:
    """Estimator of ``module:factory`` or of a file of joblib, which is somebody's own.

    A pipeline is taken as it is. Others get the preparation of `make_model`, without scaling.

    Parameters
    ----------
    text : str
        A module that can be imported, and a class, function or estimator in it; or a file.
    data : Dataset
        Says which columns must be encoded or filled.
    trusted : bool
        Whether the file may be loaded, which runs code that it holds.

    Returns
    -------
    estimator

    Raises
    ------
    ValueError
        If it is not found, fails, is no estimator, or a file that is not trusted.
    """
    load = _load_file if is_file_of_model(text) else _from_module
    if load is _load_file and not trusted:
        raise ValueError(
            f"loading {text!r} runs code that the file holds; --trust says that you trust it."
        )
    try:
        estimator = load(text)
    except Exception as error:  # their code may raise anything
        told = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"the model {text!r} cannot be had: {told}") from error
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise ValueError(f"{text!r} gives no estimator, but {type(estimator).__name__}.")
    return estimator if hasattr(estimator, "steps") else _prepared(data, estimator)


def is_file_of_model(text: str) -> bool:
    """Whether a model is told by a file."""
    return text.lower().endswith((".joblib", ".pkl", ".pickle"))


def _load_file(path: str) -> Any:
    import joblib

    return joblib.load(path)


def _from_module(text: str) -> Any:
    module, _, names = text.partition(":")
    folder = os.getcwd()
    if folder not in sys.path:  # as for `python -m`
        sys.path.insert(0, folder)
    found: Any = importlib.import_module(module)
    for name in names.split("."):
        found = getattr(found, name)
    return found if hasattr(found, "fit") and not isinstance(found, type) else found()


def _prepared(data: Dataset, *steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    before = [] if data.is_plain else [_preparation(data)]
    return make_pipeline(*before, *steps) if before or len(steps) > 1 else steps[0]


def _preparation(data: Dataset) -> Any:
    """Fills and encodes; inside the pipeline, so that it learns from training folds only."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    numeric = [column for column in data.X.columns if column not in data.categorical]
    encoder = OneHotEncoder(
        handle_unknown="infrequent_if_exist",
        max_categories=data.most_levels,
        sparse_output=False,
    )
    return make_column_transformer(
        # A column without any value in a training fold stays, so that folds have equal widths.
        (SimpleImputer(strategy="median", keep_empty_features=True), numeric),
        (encoder, list(data.categorical)),
    )
