"""ScorerPanel: many metrics from one prediction and one check of the data."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.numeric import PosLabel
from skmetrics_ext.questions import Rows
from skmetrics_ext.questions.question import MISSING
from skmetrics_ext.registry import find, parameters_of, spec_of
from skmetrics_ext.scoring.intervals import estimate_of
from skmetrics_ext.scoring.making import get_scorer
from skmetrics_ext.scoring.recording import PanelResult, evaluate_all
from skmetrics_ext.scoring.scorer import (
    Missing,
    Scorer,
    TakesMetadata,
    read_as_scorer,
)
from skmetrics_ext.validation import InvalidParameterError, check_option, warn_undefined
from skmetrics_ext.validation.errors import warn_user

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# Callers that would read the dict as one number without a clear error: searches by successive
# halving, and curves of scikit-learn, whose own message does not say what to pass.
_SEARCHES = "_search_successive_halving"
_CURVES = ("learning_curve", "validation_curve")


class SeveralNumbersError(TypeError):
    """The dict of a panel was used as one number.

    Not a ValueError, which scikit-learn ignores when it calls ``item``.
    """


class PanelScores(dict[str, float]):
    """Values by metric; used as one number it raises a TypeError that says what to pass."""

    __slots__ = ()

    def _one_number(self, *_: Any) -> NoReturn:
        # `keys`, because `__iter__` and `items` call this method.
        raise SeveralNumbersError(several_numbers(self.keys()))

    item = __float__ = __int__ = __neg__ = __abs__ = _one_number
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _one_number
    __lt__ = __le__ = __gt__ = __ge__ = _one_number

    def __iter__(self) -> Iterator[str]:
        if any(module.endswith(_SEARCHES) for module, _ in _callers()):
            self._one_number()
        return super().__iter__()

    def items(self) -> Any:
        """Names and values."""
        if any(name in _CURVES and module.startswith("sklearn.") for module, name in _callers()):
            self._one_number()
        return super().items()


def _callers() -> Iterator[tuple[str, str]]:
    """Module and name of the functions on the call stack."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_back is not None:
        yield frame.f_globals.get("__name__", ""), frame.f_code.co_name
        frame = frame.f_back


def several_numbers(names: Iterable[str]) -> str:
    """Message for a panel that is used as one number."""
    metrics = [*dict.fromkeys(names)]
    return (
        f"A ScorerPanel returns several numbers ({', '.join(metrics)}), and one is needed: pass "
        f"panel.single({metrics[0]!r})."
    )


Scoring = str | Callable[..., Any]


class ScorerPanel(TakesMetadata):
    """Scorer that returns a dict of many metrics from one prediction.

    ``panel(estimator, X, y)`` calls each of ``predict``, ``predict_proba`` and
    ``decision_function`` at most once, and checks and encodes the labels once for all metrics. Its
    keys are always the same and its values are floats: a metric that is undefined or raises is nan,
    with one warning that gives the reasons, and the others keep their values. Pass it as
    ``scoring=`` to ``cross_validate``, and to searches with ``refit=`` one of its names. Where one
    number is needed (``cross_val_score``, ``RFECV``, searches by successive halving), pass
    `single`.

    Parameters
    ----------
    scoring : list of str and callable, or dict of str to these
        Names of `get_scorer_names`, scorers, metrics of this package, or callables
        ``scorer(estimator, X, y)``. The keys of a dict rename them.
    missing : {"align", "nan", "raise"}, default="align"
        As in `get_scorer`, for metrics given by name.
    pos_label : int, float, bool or str, default=None
        As in `get_scorer`, for metrics of one class given by name.
    intervals : bool or dict, default=False
        Whether to add the keys ``{name}_low`` and ``{name}_high``, the bounds of
        `confidence_interval`; a dict holds options of that function. They are nan for callables,
        and if a metric or its interval is undefined. ``groups=`` in the call (with metadata
        routing: ``set_score_request(groups=True)``) makes them intervals for grouped rows.
    on_error : {"nan", "raise"}, default=None
        What to do if a metric raises. By default "nan", or "raise" with ``missing="raise"``. A
        panel cannot see the ``error_score`` of its host, such as ``GridSearchCV``: next to
        ``error_score="raise"`` pass ``on_error="raise"``.

    Attributes
    ----------
    names : tuple of str
        Names of the metrics.
    scorers : dict of str to callable
        Scorer of each metric.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.model_selection import cross_validate
    >>> from sklearn.naive_bayes import GaussianNB
    >>> from skmetrics_ext import ScorerPanel
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> panel = ScorerPanel(["roc_auc", "f1", "neg_log_loss"])
    >>> {name: round(value, 3) for name, value in panel(GaussianNB().fit(X, y), X, y).items()}
    {'roc_auc': 0.989, 'f1': 0.955, 'neg_log_loss': -0.52}
    >>> sorted(cross_validate(GaussianNB(), X, y, scoring=panel))
    ['fit_time', 'score_time', 'test_f1', 'test_neg_log_loss', 'test_roc_auc']
    """

    def __init__(
        self,
        scoring: Iterable[Scoring] | Mapping[str, Scoring],
        *,
        missing: Missing = "align",
        pos_label: PosLabel = None,
        intervals: bool | Mapping[str, Any] = False,
        on_error: Literal["nan", "raise"] | None = None,
    ) -> None:
        check_option("missing", missing, MISSING)
        if on_error is None:
            on_error = "raise" if missing == "raise" else "nan"
        check_option("on_error", on_error, ("nan", "raise"))
        self.missing, self.pos_label = missing, pos_label
        self.intervals, self.on_error = intervals, on_error
        self.scorers = {
            name: _scorer(item, missing, pos_label) for name, item in named_scorers(scoring).items()
        }

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the metrics."""
        return tuple(self.scorers)

    @read_as_scorer
    def __call__(
        self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, **metadata: Any
    ) -> dict[str, float]:
        """Score the predictions of an estimator.

        Parameters
        ----------
        estimator : object
            Fitted.
        X : array-like
            Features of the rows.
        y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, for the metrics that take it.
        **metadata : dict
            Further arguments of the metrics, by metadata routing; ``groups`` of the rows are for
            intervals.

        Returns
        -------
        dict of str to float
            Greater is better. Used as one number, it raises a TypeError that says what to pass.
        """
        result = self.evaluate(estimator, X, y_true, sample_weight, **metadata)
        warnings = []
        for heading, messages in (("nan for", result.reasons), ("by convention", result.notes)):
            if messages:
                listed = [f"{name}: {text.removesuffix('.')}" for name, text in messages.items()]
                warnings.append(f"{heading} {'; '.join(listed)}")
        if warnings:
            warn_undefined(f"ScorerPanel gives {'. And '.join(warnings)}.")
        return PanelScores(result.values)

    def evaluate(
        self,
        estimator: BaseEstimator,
        X: ArrayLike,
        y_true: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **metadata: Any,
    ) -> PanelResult:
        """Values of all metrics, with reasons instead of warnings for those that are nan.

        Parameters
        ----------
        estimator : object
            Fitted.
        X, y_true, sample_weight : array-like
            As for the call.
        **metadata : dict
            Further arguments of the metrics.

        Returns
        -------
        PanelResult
            ``values``, ``reasons``, ``notes``.
        """
        params = dict(metadata)
        if sample_weight is not None:
            params["sample_weight"] = sample_weight
        if not params:
            return self.read(Rows.of_model(estimator, X, y_true), {})
        params_of = {}
        columns = self._columns()
        for name, scorer in self.scorers.items():
            if isinstance(scorer, Scorer):
                not_taken = columns - scorer._columns()
            else:
                not_taken = columns - parameters_of(scorer).keys()
            params_of[name] = {key: params[key] for key in params if key not in not_taken}
            if sample_weight is not None and not accepts_weight(scorer):
                warn_user(f"The metric {name!r} takes no sample_weight and is computed without.")
                del params_of[name]["sample_weight"]
        return self.read(Rows.of_model(estimator, X, y_true), params_of)

    def read(self, rows: Rows, params_of: Mapping[str, Mapping[str, Any]]) -> PanelResult:
        """Values of all metrics of rows, with parameters for each metric.

        Parameters
        ----------
        rows : Rows
            True labels and the responses of an estimator.
        params_of : mapping of str to mapping
            Further arguments (``sample_weight``) of each metric, by name.

        Returns
        -------
        PanelResult
        """
        groups = None
        for params in params_of.values():
            groups = params.get("groups", groups)
        if groups is not None:  # intervals take them, our metrics do not
            params_of = {
                name: _without_groups(self.scorers[name], params)
                for name, params in params_of.items()
            }
        result = evaluate_all(self.scorers, rows, params_of, reraise=self.on_error == "raise")
        if self.intervals is False:
            return result
        options = dict(self.intervals) if isinstance(self.intervals, Mapping) else {}
        if groups is not None:
            options["groups"] = groups
        for name, scorer in self.scorers.items():
            value, params = result.values[name], params_of.get(name, {})
            estimate = None
            if not np.isnan(value):
                estimate, _ = estimate_of(scorer, rows, params, options, value)
            for end in ("low", "high"):
                bound = float("nan") if estimate is None else getattr(estimate, end)
                result.values[f"{name}_{end}"] = bound
        return result

    def single(self, name: str) -> Callable[..., float]:
        """Scorer of one metric of the panel, where scikit-learn needs one number.

        Parameters
        ----------
        name : str
            Name of a metric; with ``intervals`` also ``"{name}_low"`` or ``"{name}_high"``.

        Returns
        -------
        callable
            ``scorer(estimator, X, y_true, sample_weight=None)``.
        """
        if name in self.scorers:
            return self.scorers[name]
        stem = name.removesuffix("_low").removesuffix("_high")
        if self.intervals is not False and stem in self.scorers and stem != name:
            return _Bound(self, stem, name)
        raise InvalidParameterError(
            f"{name!r} is not a metric of this panel: {', '.join(self.names)}."
        )

    @property
    def _score_func(self) -> Any:
        """Raise for `TunedThresholdClassifierCV`, which would build a scorer from it."""
        raise AttributeError(several_numbers(self.scorers), name="_score_func", obj=self)

    @property
    def __name__(self) -> str:
        """Raise for displays of scikit-learn, which draw one score under its name."""
        raise AttributeError(several_numbers(self.scorers), name="__name__", obj=self)

    def _accept_sample_weight(self) -> bool:
        return any(map(accepts_weight, self.scorers.values()))

    def _columns(self) -> set[str]:
        ours = [scorer for scorer in self.scorers.values() if isinstance(scorer, Scorer)]
        return set().union(*[scorer._columns() for scorer in ours])

    def __repr__(self) -> str:
        return f"ScorerPanel({list(self.names)!r})"


class _Bound(TakesMetadata):
    """Scorer that returns one bound of the interval of a metric."""

    def __init__(self, panel: ScorerPanel, stem: str, name: str) -> None:
        scorers = {stem: panel.scorers[stem]}
        self._panel = ScorerPanel(scorers, intervals=panel.intervals, on_error=panel.on_error)
        self._name = name

    @read_as_scorer
    def __call__(
        self, estimator: Any, X: Any, y_true: Any, sample_weight: Any = None, **metadata: Any
    ) -> float:
        return self._panel(estimator, X, y_true, sample_weight, **metadata)[self._name]

    def _accept_sample_weight(self) -> bool:
        return self._panel._accept_sample_weight()

    def __repr__(self) -> str:
        return f"{self._panel!r}.single({self._name!r})"


def named_scorers(scoring: Any) -> dict[str, Any]:
    """The items of ``scoring=`` by name: scorers, or names of scorers."""
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    if isinstance(scoring, Mapping):
        named = {
            name if isinstance(name, str) else str(name): scorer for name, scorer in scoring.items()
        }
    elif isinstance(scoring, Iterable):
        items = list(scoring)
        named = dict(zip(unique(map(name_of, items)), items, strict=True))
    else:
        raise InvalidParameterError(
            "scoring must be a name, a scorer, or several of them in a list or a dict, got "
            f"{type(scoring).__name__}."
        )
    if not named:
        raise InvalidParameterError("scoring is empty.")
    for name, scorer in named.items():
        if not isinstance(scorer, str) and not callable(scorer):
            raise InvalidParameterError(
                f"The scorer {name!r} must be a name or a callable scorer(estimator, X, y), got "
                f"{type(scorer).__name__}."
            )
    return named


def _without_groups(scorer: Callable[..., Any], params: Mapping[str, Any]) -> Mapping[str, Any]:
    if not isinstance(scorer, Scorer) or "groups" in scorer._columns():
        return params
    return {key: value for key, value in params.items() if key != "groups"}


def _scorer(item: Scoring, missing: Missing, pos_label: Any) -> Callable[..., Any]:
    if not isinstance(item, str):
        return item if spec_of(item) is None else get_scorer(item, missing=missing)
    if not find(item, scorer=True).takes("pos_label"):
        pos_label = None
    return get_scorer(item, missing=missing, pos_label=pos_label)


def accepts_weight(scorer: Callable[..., Any]) -> bool:
    """Whether a scorer takes ``sample_weight``."""
    # All scorers have it in their signature, even if their metric does not take it.
    accept = getattr(scorer, "_accept_sample_weight", None)
    if accept is not None:
        return bool(accept())
    return "sample_weight" in parameters_of(scorer)


def unique(names: Iterable[str]) -> list[str]:
    """The names, with numbers for repeated ones: a, a_2, a_3."""
    distinct: list[str] = []
    for name in names:
        candidate, count = name, 1
        while candidate in distinct:
            count += 1
            candidate = f"{name}_{count}"
        distinct.append(candidate)
    return distinct


def name_of(scorer: Any) -> str:
    """The registered name of a scorer, else the name of its function."""
    if isinstance(scorer, str):
        return scorer
    if isinstance(scorer, Scorer):
        return scorer.__name__
    function = getattr(scorer, "_score_func", scorer)
    return str(getattr(function, "__name__", type(scorer).__name__))
