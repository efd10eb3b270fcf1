"""Models of the command line: estimators by name, from a module or from a file."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Mapping, Sequence
from typing import Any

from skmetrics_ext.datasets import Dataset
from skmetrics_ext.questions.rows import estimator_name
from skmetrics_ext.scoring.panel import unique
from skmetrics_ext.validation.errors import near

# Import path of each classifier, its parameters, and whether features are scaled first.
MODELS: Mapping[str, tuple[str, Mapping[str, Any], bool]] = {
    "logistic": ("sklearn.linear_model:LogisticRegression", {"max_iter": 1000}, True),
    "forest": ("sklearn.ensemble:RandomForestClassifier", {}, False),
    "gradient_boosting": ("sklearn.ensemble:HistGradientBoostingClassifier", {}, False),
    "knn": ("sklearn.neighbors:KNeighborsClassifier", {}, True),
    "naive_bayes": ("sklearn.naive_bayes:GaussianNB", {}, False),
    "svm": ("sklearn.svm:SVC", {}, True),
    "tree": ("sklearn.tree:DecisionTreeClassifier", {}, False),
}


def make_models(
    texts: Sequence[str], data: Dataset, seed: int, *, trusted: bool = False
) -> dict[str, Any]:
    """Estimators by name; the user's own are named after their classes.

    Parameters
    ----------
    texts : sequence of str
        Names, ``module:factory``, or files of joblib.
    data : Dataset
        Its columns decide which features are encoded and imputed.
    seed : int
        ``random_state`` of the models of `MODELS`.
    trusted : bool
        Whether files may be loaded, which runs code in them.
    """
    names, models = [], []
    for text in texts:
        if ":" in text or _is_file(text):
            models.append(own_model(text, data, trusted=trusted))
            names.append(estimator_name(models[-1]))
        else:
            models.append(make_model(text, data, seed))
            names.append(text)
    return dict(zip(unique(names), models, strict=True))


def make_model(name: str, data: Dataset, seed: int | None = None) -> Any:
    """A model of `MODELS`, after the preprocessing that the features need."""
    if name not in MODELS:
        raise ValueError(
            f"{name!r} is not a model.{near(name, MODELS)} Models: {', '.join(MODELS)}, "
            "module:factory of your own, or a .joblib file."
        )
    from sklearn.preprocessing import StandardScaler

    path, params, is_scaled = MODELS[name]
    estimator = _from_module(path).set_params(**params)
    if "random_state" in estimator.get_params():
        estimator.set_params(random_state=seed)
    return _prepared(data, *([StandardScaler()] if is_scaled else []), estimator)


def own_model(text: str, data: Dataset, *, trusted: bool) -> Any:
    """An estimator from ``module:factory`` or a joblib file; a pipeline is used unchanged."""
    load = _load_file if _is_file(text) else _from_module
    if load is _load_file and not trusted:
        raise ValueError(f"loading {text!r} runs code in it: add --trust if you trust the file.")
    try:
        estimator = load(text)
    except Exception as error:  # the user's code may raise anything
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        raise ValueError(f"the model {text!r} cannot be loaded: {reason}") from error
    if not hasattr(estimator, "fit") or isinstance(estimator, type):
        raise ValueError(f"{text!r} gives {type(estimator).__name__}, which is not an estimator.")
    return estimator if hasattr(estimator, "steps") else _prepared(data, estimator)


def _is_file(text: str) -> bool:
    return text.lower().endswith((".joblib", ".pkl", ".pickle"))


def _load_file(path: str) -> Any:
    import joblib

    return joblib.load(path)


def _from_module(text: str) -> Any:
    module, _, names = text.partition(":")
    if os.getcwd() not in sys.path:  # as for `python -m`
        sys.path.insert(0, os.getcwd())
    target: Any = importlib.import_module(module)
    for name in names.split("."):
        target = getattr(target, name)
    return target if hasattr(target, "fit") and not isinstance(target, type) else target()


def _prepared(data: Dataset, *steps: Any) -> Any:
    from sklearn.pipeline import make_pipeline

    before = [] if data.is_plain else [_preparation(data)]
    return make_pipeline(*before, *steps) if before or len(steps) > 1 else steps[0]


def _preparation(data: Dataset) -> Any:
    """Imputes and encodes, inside the pipeline so that it is fitted on training folds only."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.preprocessing import OneHotEncoder

    numeric = [column for column in data.X.columns if column not in data.categorical]
    rare = {"handle_unknown": "infrequent_if_exist", "max_categories": data.most_levels}
    encoder = OneHotEncoder(**rare, sparse_output=False)
    # Empty columns are kept, so that all folds have the same features.
    imputer = SimpleImputer(strategy="median", keep_empty_features=True)
    return make_column_transformer((imputer, numeric), (encoder, list(data.categorical)))
