"""ScorerPanel: many metrics from one prediction, one check and one tally of each kind."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Literal, NoReturn

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.numeric import PosLabel
from skmetrics_ext.registry import find, parameters_of, spec_of
from skmetrics_ext.scoring.intervals import estimate_of
from skmetrics_ext.scoring.making import get_scorer
from skmetrics_ext.scoring.recording import PanelResult, evaluate_all
from skmetrics_ext.scoring.scorer import (
    MISSING,
    Missing,
    ScoredModel,
    Scorer,
    TakesMetadata,
    read_as_scorer,
)
from skmetrics_ext.validation import InvalidParameterError, check_option, warn_undefined
from skmetrics_ext.validation.errors import warn_user

if TYPE_CHECKING:
    from sklearn.base import BaseEstimator

# What reads one number without asking the dict for it: searches that look it up in a table of
# their own, and functions whose error would be one of a list.
_SEARCHES = "_search_successive_halving"
_CURVES = ("learning_curve", "validation_curve")


class SeveralNumbersError(TypeError):
    """A panel's dict is read as one number.

    No ValueError: scikit-learn passes over one where it asks for ``item``.
    """


class PanelScores(dict[str, float]):
    """Values by name of the metric; as one number it raises a TypeError that says what to pass."""

    __slots__ = ()

    def _one_number(self, *_: Any) -> NoReturn:
        raise SeveralNumbersError(several_numbers(self.keys()))  # others ask who reads

    item = __float__ = __int__ = __neg__ = __abs__ = _one_number
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = __truediv__ = _one_number
    __lt__ = __le__ = __gt__ = __ge__ = _one_number

    def __iter__(self) -> Iterator[str]:
        if any(module.endswith(_SEARCHES) for module, _ in _callers()):
            self._one_number()
        return super().__iter__()

    def items(self) -> Any:
        """Names and values; scikit-learn asks for them before it leaves the process."""
        if any(name in _CURVES and of.startswith("sklearn.") for of, name in _callers()):
            self._one_number()
        return super().items()


def _callers() -> Iterator[tuple[str, str]]:
    """Module and name of the functions that are running."""
    frame = sys._getframe(2)
    while frame is not None and frame.f_back is not None:
        yield frame.f_globals.get("__name__", ""), frame.f_code.co_name
        frame = frame.f_back


def several_numbers(names: Iterable[str]) -> str:
    """Message where a panel is read as one number."""
    listed = [*dict.fromkeys(names)]
    return (
        f"A ScorerPanel gives several numbers ({', '.join(listed)}) where one is wanted: pass "
        f"panel.single({listed[0]!r})."
    )


Scoring = str | Callable[..., Any]


class ScorerPanel(TakesMetadata):
    """Scorer of many metrics: a dict from one prediction and one pass over the rows.

    ``panel(estimator, X, y)`` calls each of ``predict``, ``predict_proba`` and
    ``decision_function`` at most once, checks and encodes the labels once, and counts and sorts
    once for all metrics. Its keys are always the same and its values plain floats: a metric
    that is undefined on some rows, or raises there, is nan, with one warning that names the
    reasons, and the others are kept. It may be the ``scoring=`` of ``cross_validate`` and of
    searches with ``refit="a name of it"``; `single` gives one of its metrics where one number is
    wanted, as in ``cross_val_score``, ``RFECV`` and searches by successive halving.

    Parameters
    ----------
    scoring : list of str and callable, or dict of str to these
        Names of `get_scorer_names`, scorers, metrics of this package, or callables
        ``scorer(estimator, X, y)``. A dict gives them names of its own.
    missing : {"align", "nan", "raise"}, default="align"
        As in `get_scorer`, for those given by name.
    pos_label : int, float, bool or str, default=None
        As in `get_scorer`, for the metrics of one class among those given by name.
    intervals : bool or dict, default=False
        Whether the keys ``{name}_low`` and ``{name}_high`` are added, the bounds of
        `confidence_interval`; a dict holds options of that function. They are nan for callables
        and where a metric or its interval is undefined. With ``groups=`` in the call (by metadata
        routing: ``set_score_request(groups=True)``) they are by groups.
    on_error : {"nan", "raise"}, default=None
        Whether a metric that raises is nan, or its error is raised. nan by default, unless
        ``missing="raise"``.

    Attributes
    ----------
    names : tuple of str
        Names of the metrics.
    scorers : dict of str to callable

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
        if on_error is None:
            on_error = "raise" if missing == "raise" else "nan"
        check_option("missing", missing, MISSING)
        check_option("on_error", on_error, ("nan", "raise"))
        given = named_scorers(scoring)
        self.missing, self.pos_label = missing, pos_label
        self.intervals, self.on_error = intervals, on_error
        self.scorers = {name: _scorer(item, missing, pos_label) for name, item in given.items()}

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
            What it predicts from.
        y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
            True labels.
        sample_weight : array-like of shape (n_samples,), default=None
            Weight of each row, for the metrics that take it.
        **metadata : dict
            Further arguments of the metrics, by metadata routing; ``groups`` are those of the rows,
            for intervals.

        Returns
        -------
        dict of str to float
            Greater is better. Where one number is wanted of it, it raises a TypeError that says so.
        """
        result = self.evaluate(estimator, X, y_true, sample_weight, **metadata)
        parts = [f"{name}: {reason.removesuffix('.')}" for name, reason in result.reasons.items()]
        told = [f"nan for {'; '.join(parts)}"] if parts else []
        if result.notes:
            notes = [f"{name}: {note.removesuffix('.')}" for name, note in result.notes.items()]
            told.append(f"by convention {'; '.join(notes)}")
        if told:
            warn_undefined(f"ScorerPanel gives {'. And '.join(told)}.")
        return PanelScores(result.values)

    def evaluate(
        self,
        estimator: BaseEstimator,
        X: ArrayLike,
        y_true: ArrayLike,
        sample_weight: ArrayLike | None = None,
        **metadata: Any,
    ) -> PanelResult:
        """Values of all metrics, with the reasons of those that are nan, which are not warned of.

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
        params_of = {}
        columns = self._columns()
        for name, scorer in self.scorers.items():
            own = scorer._columns() if isinstance(scorer, Scorer) else parameters_of(scorer).keys()
            params_of[name] = {key: params[key] for key in params if key not in columns - own}
            if sample_weight is not None and not accepts_weight(scorer):
                warn_user(f"The metric {name!r} takes no sample_weight and goes on without.")
                del params_of[name]["sample_weight"]
        return self.read(ScoredModel(estimator, X, y_true), params_of)

    def read(
        self, evaluation: ScoredModel, params_of: Mapping[str, Mapping[str, Any]]
    ) -> PanelResult:
        """Values of all metrics of a model that has predicted, with parameters for each metric.

        Parameters
        ----------
        evaluation : ScoredModel
            The estimator and the rows, with what was predicted.
        params_of : mapping of str to mapping
            Further arguments (``sample_weight``) by the name of the metric.

        Returns
        -------
        PanelResult
        """
        groups = None
        for own in params_of.values():
            groups = own.get("groups", groups)
        if groups is not None:
            params_of = {  # intervals take groups, our metrics do not
                name: {key: own[key] for key in own if key != "groups"}
                if isinstance(scorer := self.scorers[name], Scorer)
                and "groups" not in scorer._columns()
                else own
                for name, own in params_of.items()
            }
        result = evaluate_all(self.scorers, evaluation, params_of, reraise=self.on_error == "raise")
        if self.intervals is False:
            return result
        options = dict(self.intervals) if isinstance(self.intervals, Mapping) else {}
        if groups is not None:
            options["groups"] = groups
        for name, scorer in self.scorers.items():
            value, about = result.values[name], params_of.get(name, {})
            estimate = None
            if not np.isnan(value):
                estimate, _ = estimate_of(scorer, evaluation, about, options, value)
            for end in ("low", "high"):
                bound = float("nan") if estimate is None else getattr(estimate, end)
                result.values[f"{name}_{end}"] = bound
        return result

    def single(self, name: str) -> Callable[..., float]:
        """Scorer of one number of the panel, for places that take no dict.

        Parameters
        ----------
        name : str
            A name of the panel; with ``intervals`` also ``"{name}_low"`` or ``"{name}_high"``.

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
            f"{name!r} is not a name of this panel: {', '.join(self.names)}."
        )

    @property
    def _score_func(self) -> Any:
        """Refused to `TunedThresholdClassifierCV`, which makes a scorer of its own from it."""
        raise AttributeError(several_numbers(self.scorers), name="_score_func", obj=self)

    @property
    def __name__(self) -> str:
        """Refused to displays of scikit-learn, which draw one score and name it."""
        raise AttributeError(several_numbers(self.scorers), name="__name__", obj=self)

    def _accept_sample_weight(self) -> bool:
        return any(map(accepts_weight, self.scorers.values()))

    def _columns(self) -> set[str]:
        of_each = [one._columns() for one in self.scorers.values() if isinstance(one, Scorer)]
        return set().union(*of_each)

    def __repr__(self) -> str:
        return f"ScorerPanel({list(self.names)!r})"


class _Bound(TakesMetadata):
    """One bound of the interval of one metric."""

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
    """Scorers and names of scorers by name, from whatever ``scoring=`` may be."""
    if isinstance(scoring, str) or callable(scoring):
        scoring = [scoring]
    if isinstance(scoring, Mapping):
        given = {str(name): scorer for name, scorer in scoring.items()}
    elif isinstance(scoring, Iterable):
        listed = list(scoring)
        names = [item if isinstance(item, str) else name_of(item) for item in listed]
        given = dict(zip(unique(names), listed, strict=True))
    else:
        raise InvalidParameterError(
            "scoring must be a name, a scorer, or several of them in a list or a dict, got "
            f"{type(scoring).__name__}."
        )
    if not given:
        raise InvalidParameterError("scoring is empty.")
    for name, scorer in given.items():
        if not isinstance(scorer, str) and not callable(scorer):
            raise InvalidParameterError(
                f"The scorer {name!r} must be a name or a callable scorer(estimator, X, y), got "
                f"{type(scorer).__name__}."
            )
    return given


def _scorer(item: Scoring, missing: Missing, pos_label: Any) -> Callable[..., Any]:
    if not isinstance(item, str):
        return item if spec_of(item) is None else get_scorer(item, missing=missing)
    of_one = find(item, scorer=True).takes("pos_label")
    return get_scorer(item, missing=missing, pos_label=pos_label if of_one else None)


def accepts_weight(scorer: Callable[..., Any]) -> bool:
    """Whether a scorer takes ``sample_weight``."""
    # Scorers take it in their signature whether their metric does or not, and say it here.
    told = getattr(scorer, "_accept_sample_weight", None)
    if told is not None:
        return bool(told())
    return "sample_weight" in parameters_of(scorer)


def unique(names: Iterable[str]) -> list[str]:
    """The names, later ones of the same name numbered: a, a_2, a_3."""
    found: list[str] = []
    for name in names:
        candidate, count = name, 1
        while candidate in found:
            count += 1
            candidate = f"{name}_{count}"
        found.append(candidate)
    return found


def name_of(scorer: Any) -> str:
    """Name of a scorer: as registered, else that of its function."""
    if isinstance(scorer, str):
        return scorer
    if isinstance(scorer, Scorer) and scorer._name is not None:
        return scorer._name
    function = getattr(scorer, "_score_func", scorer)
    return str(getattr(function, "__name__", type(scorer).__name__))
