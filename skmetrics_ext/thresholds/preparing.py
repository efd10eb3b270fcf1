"""Before the search of `ThresholdOptimizerCV`: who gets which argument, folds, final estimator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Self

from sklearn import get_config
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedShuffleSplit, check_cv
from sklearn.utils import indexable
from sklearn.utils.metadata_routing import get_routing_for_object
from sklearn.utils.multiclass import check_classification_targets, type_of_target
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from skmetrics_ext.thresholds.folds import take_rows
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.containers import count_rows
from skmetrics_ext.validation.groups import read_groups
from skmetrics_ext.validation.rows import check_fitted_rows


@dataclass(frozen=True, slots=True)
class Routed:
    """Arguments for the estimator and the splitter, and the weights of the search."""

    estimator: dict[str, Any]
    splitter: dict[str, Any]
    search_weight: Any

    @classmethod
    def make(cls, owner: Any, own_request: Any, weight: Any, params: dict[str, Any]) -> Self:
        """Share out the arguments of ``owner.fit``.

        Without metadata routing the estimator gets them all, weights if it takes any, and the
        splitter the groups; with it, whoever asked.
        """
        given = dict(params)
        if not get_config().get("enable_metadata_routing"):
            splitter = {"groups": given.pop("groups")} if "groups" in given else {}
            if weight is not None and has_fit_parameter(owner.estimator, "sample_weight"):
                given["sample_weight"] = weight
            return cls(given, splitter, weight)
        if weight is not None:
            given["sample_weight"] = weight
        routing = get_routing_for_object(owner)
        routing.validate_metadata(params=given, method="fit")
        routed = routing.route_params(params=given, caller="fit")
        asked = bool(own_request.consumes("fit", ["sample_weight"]))
        splitter = routed["splitter"]["split"] if "splitter" in routed else {}
        return cls(dict(routed["estimator"]["fit"]), dict(splitter), weight if asked else None)


def check_rows(X: Any, y: Any, sample_weight: Any, params: Mapping[str, Any]) -> tuple[Any, ...]:
    """``X, y, sample_weight`` of ``fit``, made to be indexed.

    Refuses a ``y`` that holds other than one label a row, and what by its index or its mask is of
    other rows.
    """
    check_fitted_rows(X, y=y, sample_weight=sample_weight, **params)
    X, y, sample_weight = indexable(X, y, sample_weight)
    check_classification_targets(y)
    if type_of_target(y, input_name="y") not in ("binary", "multiclass"):
        raise InvalidParameterError(
            f"y must hold one label a row, got {type_of_target(y)}: only single-label "
            "classification is supported."
        )
    if params.get("groups") is not None:
        read_groups(params["groups"], count_rows(y) or 0)
    return X, y, sample_weight


def is_prefit(cv: Any) -> bool:
    return isinstance(cv, str) and cv == "prefit"


def make_splits(
    estimator: Any, cv: Any, refit: bool, random_state: Any, X: Any, y: Any, routed: Routed
) -> list[tuple[Any, Any]]:
    """Positions of the rows to fit and to score; None for an estimator that is fitted."""
    if is_prefit(cv):
        if refit:
            raise InvalidParameterError("When cv='prefit', refit cannot be True.")
        try:
            check_is_fitted(estimator, "classes_")
        except NotFittedError as error:
            raise NotFittedError("When cv='prefit', `estimator` must be fitted.") from error
        return [(None, None)]
    if isinstance(cv, str):
        raise InvalidParameterError(f"cv has to be folds or 'prefit', got {cv!r}.")
    if isinstance(cv, float):
        if not 0 < cv < 1:
            raise InvalidParameterError(f"A float cv has to lie in (0, 1), got {cv}.")
        folds = StratifiedShuffleSplit(1, test_size=cv, random_state=random_state)
    else:
        folds = check_cv(cv, y=y, classifier=True)
    splits = list(folds.split(X, y, **routed.splitter))
    if not refit and len(splits) > 1:
        raise InvalidParameterError("When cv has several folds, refit cannot be False.")
    return splits


def final_estimator(estimator: Any, X: Any, y: Any, rows: Any, params: dict[str, Any]) -> Any:
    """A clone fitted to these rows; None for all of them."""
    fitted = clone(estimator)
    if rows is not None:
        params = {name: take_rows(value, rows, len(y)) for name, value in params.items()}
        X, y = take_rows(X, rows), take_rows(y, rows)
    return fitted.fit(X, y, **params)
