"""`find`: a metric, its spec and parameters, from a name, a function or a partial."""

from __future__ import annotations

import difflib
import inspect
import re
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, cached_property, lru_cache, partial
from types import MappingProxyType
from typing import Any

import numpy as np

from skmetrics_ext._lazy import renamed
from skmetrics_ext.metrics import averaging
from skmetrics_ext.metrics.averaging import Tell
from skmetrics_ext.metrics.labels.summaries import confusion_statistic
from skmetrics_ext.metrics.spec import NO_ROW, MetricSpec, UnknownSpec
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry.defaults import SYNONYMS, Familiar
from skmetrics_ext.registry.table import SPECS
from skmetrics_ext.tallies import Counts
from skmetrics_ext.validation import InvalidParameterError
from skmetrics_ext.validation.errors import spoken
from skmetrics_ext.validation.labels import read_labels
from skmetrics_ext.validation.positive import positive_class


def parameters_of(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    """Parameters of a function; none if it has no signature."""
    try:
        return _signature(function)
    except (TypeError, ValueError):  # built-in, no function, or not hashable
        return {}


@lru_cache(maxsize=1024)  # costs more than a metric of a hundred rows
def _signature(function: Callable[..., Any]) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(function).parameters


@lru_cache(maxsize=1024)
def defaults_of(function: Callable[..., Any]) -> Mapping[str, Any]:
    """Default values of a metric's parameters, without the data."""
    return {
        name: parameter.default
        for name, parameter in list(parameters_of(function).items())[2:]
        if parameter.default is not inspect.Parameter.empty
    }


_NEW_NAMES = {f"{name}_gain_score": f"{name}_gain" for name in ("f1", "precision", "recall")}
_AS_NEAR = 0.1  # how much less like a name another suggestion may be than the first
_OVER_CLASSES = (None, "micro", "macro", "weighted")
_OF_ONE = ("binary", "micro")


@dataclass(frozen=True, eq=False)
class Metric:
    """A metric and its parameters, with all choices made.

    Parameters
    ----------
    name : str
        The name that the user passed.
    function : callable
        ``function(y_true, y_pred or y_score, **params)``.
    spec : MetricSpec
        Its facts from the registry; an `UnknownSpec` for a user's function.
    params : dict
        Parameters that were passed, or that the name sets.
    """

    name: str
    function: Callable[..., Any]
    spec: MetricSpec
    params: Mapping[str, Any] = field(default_factory=dict)
    _settled: dict[Any, Metric] = field(init=False, repr=False, default_factory=dict)

    def __post_init__(self) -> None:
        object.__setattr__(self, "spec", self.spec.given(self.params))

    def takes(self, name: str) -> bool:
        """Whether the function has a parameter of this name."""
        return name in parameters_of(self.function)

    @cached_property
    def options(self) -> Mapping[str, Any]:
        """All parameters, with defaults where none was passed."""
        return {**defaults_of(self.function), **self.spec.params, **self.params}

    def __reduce__(self) -> Any:
        # By name: specs hold functions, which every machine has.
        return _again, (self.name, self.function, dict(self.params), bool(self.spec.by_row))

    def bounds(self, n_classes: int) -> tuple[float, float]:
        """Range of the metric for so many classes."""
        narrower = self.spec.narrower
        return self.spec.bounds if narrower is None else narrower(n_classes, **self.row_params)

    @cached_property
    def sums(self) -> str:
        """Sums that parts of the rows are reduced to: "tables", "moments", "bins" or "ranks"."""
        name, value = self.spec.bins_when or ("", None)
        is_binned = name and self.options[name] == value
        return "bins" if is_binned else self.spec.family.sums

    # ----------------------------------------------------------------------- the positive class

    @cached_property
    def sides(self) -> str:
        """Whether the metric describes "one" class of two, "either", or "none"."""
        spec, options = self.spec, self.options
        if spec.response == "labels":
            return spec.sides if options.get("average", "binary") == "binary" else "none"
        if any(options.get(name) is not None for name in spec.one_sided_params):
            return "one"
        return spec.sides

    def positive(self, classes: Any, pos_label: Any = None) -> Any:
        """The positive class of at most two, or None if the metric has none."""
        chosen = self.params.get("pos_label", pos_label)
        if self.sides == "none" and chosen is None:
            return None
        return positive_class(classes, chosen, what=self.name, either=self.sides != "one")

    def settled(self, classes: Any, pos_label: Any = None) -> Metric:
        """This metric with its positive class of these two, if it has one.

        With more than two classes the metric's function says what it needs.
        """
        if self.sides == "none" or not self.takes("pos_label") or len(classes) > 2:
            return self
        return self.with_positive(self.positive(classes, pos_label))

    def with_positive(self, positive: Any) -> Metric:
        """This metric for a positive class; unchanged for None."""
        if positive is None:
            return self
        if positive not in self._settled:
            self._settled[positive] = self.with_params(pos_label=positive)
        return self._settled[positive]

    @cached_property
    def undefined_as_nan(self) -> Metric:
        """This metric for groups or thresholds, with nan for 0/0 unless the user chose a value.

        The convention 0 for a rate of the positive class would be the best value of an error.
        Averages over classes keep the convention.
        """
        fill = self.spec.fill if self.sides == "none" else "zero_division"
        is_open = fill and self.takes(fill) and fill not in self.params
        return self.with_params(**{fill: np.nan}) if is_open else self

    @cached_property
    def bare(self) -> Metric:
        """This metric without parameters that checked data already carry."""
        return self.without("labels", "pos_label", "normalize")

    def with_params(self, **params: Any) -> Metric:
        """This metric with additional parameters."""
        return replace(self, params={**self.params, **params})

    def without(self, *names: str) -> Metric:
        """This metric without some of its parameters."""
        if self.params.keys().isdisjoint(names):
            return self
        return replace(self, params={k: v for k, v in self.params.items() if k not in names})

    @cached_property
    def view_key(self) -> Hashable:
        """Key of the view that the metric reads; metrics with equal keys share it."""
        spec, params = self.spec, self.params
        pos_label, labels = params.get("pos_label"), params.get("labels")
        is_sum = params.get("normalize") is False
        if spec.response == "labels":
            return spec.response, spec.weights_are_counts or is_sum, self.sides, pos_label
        return (
            spec.response,
            spec.tally,
            spec.ranks_labels and spec.name,
            "misses_unseen" in spec.traits,
            self.sides,
            pos_label,
            None if labels is None else tuple(labels),
            is_sum,
        )

    # ----------------------------------------------------------------------- reading

    @cached_property
    def has_named_params(self) -> bool:
        """Whether all parameters but the positive class are those of a registered name."""
        rest = {name: value for name, value in self.params.items() if name != "pos_label"}
        return not rest or any(rest == dict(fixed) for fixed in self.spec.scorers.values())

    @cached_property
    def row_params(self) -> Mapping[str, Any]:
        """Parameters of `row_values`, for a metric of means."""
        names = parameters_of(self.spec.row_values) if self.spec.row_values else ()
        return {name: self.options[name] for name in names if name in self.options}

    @cached_property
    def kernel_params(self) -> Mapping[str, Any]:
        """Parameters of the kernel that differ from its defaults."""
        names = list(parameters_of(self.spec.kernel).items())[1:]
        return {
            name: self.options[name]
            for name, parameter in names
            if name in self.options and not _same(self.options[name], parameter.default)
        }

    def plain_shares(self, ranking: Any) -> list[Any]:
        """Shares of rows that the metric of a ranking is; empty where it is smooth."""
        shares = self.spec.plain_shares
        return [] if shares is None else shares(ranking, **self.kernel_params)

    @cached_property
    def kernel(self) -> Callable[..., Array]:
        """The kernel with its parameters: a function of the tally alone."""
        kernel, params = self.spec.kernel, self.kernel_params
        return partial(kernel, **params) if params else kernel

    @cached_property
    def tally(self) -> str:
        """The tally that the kernel reads; some parameters need the full table."""
        needs_table = any(not self.is_default(name) for name in self.spec.table_when)
        return "confusion" if needs_table else self.spec.tally

    def is_default(self, name: str) -> bool:
        """Whether a parameter has its default value."""
        return _same(self.options.get(name), defaults_of(self.function).get(name))

    def tally_of(self, checked: Any) -> Any:
        """Tally of checked data for `read`; None if only the metric's function can read them."""
        return self.spec.family.tally(self, checked)

    def read(self, tally: Any, *, tell: Tell = None, filled: bool = True) -> Array:
        """Value of a tally with any leading axes; 0/0 becomes ``zero_division``, or nan.

        Parameters
        ----------
        tally : ConfusionTally, LabelTally, ThresholdTally, Rankings or MomentTally
            The kind that the spec names.
        tell : callable, default=None
            Called with the average and its number of values if one is 0/0.
        filled : bool, default=True
            Whether a ranking that is 0/0 has scikit-learn's value, or nan.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            return self.spec.family.read(self, tally, tell, filled)

    def plain_value(self, view: Any) -> float | None:
        """The value straight from the tally; None if there is anything to warn of."""
        warned: list[Any] = []
        try:
            tally = self.spec.family.tally(self, view)
            if tally is None or view.cache.get("no_sum"):
                return None
            value = self.read(tally, tell=lambda *undefined: warned.append(undefined))
        except Warning:
            raise
        except Exception:  # the metric's function says why
            return None
        return None if warned or value.ndim or np.isnan(value) else float(value)

    def is_surely_measured(self, value: Array) -> bool:
        """Whether a value shows that no 0/0 enters it by convention, which would be 0."""
        if self.options.get("zero_division") != "warn" or self.spec.averages != "classes":
            return False
        return self.options.get("average") in _OF_ONE and bool(value.all())

    def measured(self, tally: Any) -> Array:
        """Value of a tally, but nan if 0/0 of any class enters it by convention.

        A value for 0/0 that the user chose is kept.
        """
        value = self.read(tally, filled=False)
        if "zero_division" in self.options:
            if "zero_division" in self.params or self.is_surely_measured(value):
                return value
            is_measured = value == self.with_params(zero_division=1.0).read(tally)
        elif self.spec.undefined == NO_ROW:
            counts = tally.counts()
            is_measured = ((counts.true != 0) | (counts.pred == 0)).all(axis=-1)
        else:
            return value
        return np.where(is_measured, value, np.nan)

    @property
    def averages_classes(self) -> bool:
        """Whether classes count equally, so that one without rows changes what the value means."""
        spec, is_macro = self.spec, averaging.is_plain(self.options.get("average"))
        return is_macro or spec.undefined == NO_ROW or "mean_of_classes" in spec.traits

    def counted(self, tally: Any) -> tuple[Counts, Callable[[Counts], Array]]:
        """Counts that a metric of labels is read from, if it needs no table, and the reader."""
        if not self.spec.averages:
            return tally.counts(), self.kernel
        plan = averaging.averaged(tally, *self.average_options)
        fill = self.options.get("zero_division", np.nan)
        return plan.counts, lambda counts: replace(plan, counts=counts).read(self.kernel, fill)

    def listed_classes(self, classes: Sequence[Any] = ()) -> list[Any]:
        """The classes, of ``labels`` or of these, whose rates it averages; none if it does not."""
        if not (self.spec.averages and self.options.get("average") in _OVER_CLASSES):
            return []
        labels = self.options.get("labels")
        return list(dict.fromkeys(classes if labels is None else read_labels(labels).tolist()))

    def of_one_class(self, label: Any) -> Metric:
        """The metric of one class, of a metric that averages over classes."""
        return self.without("labels").with_params(average="binary", pos_label=label)

    @cached_property
    def average_options(self) -> tuple[Any, ...]:
        """Arguments of `averaging.averaged` besides the tally."""
        options, either = self.options, self.spec.sides == "either"
        of_class = options.get("labels"), options.get("pos_label")
        return *of_class, options.get("average", "macro"), self.name, either


def _again(
    name: str, function: Callable[..., Any], params: dict[str, Any], by_row: bool = False
) -> Metric:
    spec = spec_of(function) or UnknownSpec(function)
    return Metric(name, function, spec.with_rows if by_row else spec, params)


def _same(value: Any, default: Any) -> bool:
    if value is default:
        return True
    return bool(np.isscalar(value) and np.isscalar(default) and value == default)


def spec_of(function: Callable[..., Any]) -> MetricSpec | None:
    """The spec of a function of this package; None for any other function."""
    spec = SPECS.get(getattr(function, "__name__", ""))
    return spec if spec is not None and spec.function is function else None


def scorer_names() -> list[str]:
    """Names of scorers in lists and hints, without statistics of the table, which also answer."""
    return sorted(n for n, (s, _) in scorers().items() if not hasattr(s.function, "statistic"))


class _Listed(dict[str, MetricSpec]):
    """Specs by function name; scorer names are looked up too."""

    def __missing__(self, name: str) -> MetricSpec:
        try:
            return find(name).spec
        except InvalidParameterError as error:
            raise KeyError(str(error)) from None


METRICS: Mapping[str, MetricSpec] = MappingProxyType(
    _Listed({name: spec for name, spec in SPECS.items() if "unlisted" not in spec.traits})
)


@cache
def scorers() -> Mapping[str, tuple[MetricSpec, Mapping[str, Any]]]:
    """Name of every scorer -> its spec and the parameters that it sets."""
    return {
        name: (spec, params) for spec in METRICS.values() for name, params in spec.scorers.items()
    }


def find(metric: Any, params: Mapping[str, Any] | None = None, *, scorer: bool = False) -> Metric:
    """A metric by its name, a scorer's name (with or without ``neg_``), its function or a partial.

    The spec of functions outside this package is unknown. ``scorer`` accepts only names of scorers.
    """
    params = {name: _plain(value) for name, value in params.items()} if params else {}
    if isinstance(metric, Metric):
        return metric.with_params(**params) if params else metric
    if isinstance(metric, str):
        new = renamed("METRICS", metric, _NEW_NAMES) if metric in _NEW_NAMES else metric
        named = _named(new, scorer)
        return _registered(named.name, named.spec, {**named.params, **params}) if params else named
    if not callable(metric):
        several = isinstance(metric, list | tuple) and all(isinstance(name, str) for name in metric)
        raise InvalidParameterError(
            f"metric must be a name or a function of (y_true, y_pred), got {metric!r:.60}."
            + " Several at once: compute_metrics([...], y_true, y_pred, intervals=True)." * several
        )
    function = metric
    while isinstance(function, partial) and not function.args:
        params = {**{k: _plain(v) for k, v in function.keywords.items()}, **params}
        function = function.func
    if function is confusion_statistic and "statistic" in params:
        statistic = find(params.pop("statistic"), params)
        return statistic.with_params(average=None) if statistic.takes("average") else statistic
    spec = spec_of(function)
    name = getattr(function, "__name__", repr(function))
    if spec is None:
        return Metric(name, function, UnknownSpec(function), params)
    return _registered(name, spec, params)


def _plain(value: Any) -> Any:
    """A parameter as it is printed: Python's number or text instead of NumPy's."""
    return value.item() if isinstance(value, np.generic) else value


def familiar_name(name: Any) -> str | None:
    """The registered name of a metric that is called ``name`` elsewhere, or spelled differently."""
    plain = re.sub(r"[^a-z0-9+]+", "_", str(name).lower().replace("'", ""))
    stem, _, average = plain.rpartition("_")
    variant = f"{SYNONYMS.get(stem)}_{average}"  # "sensitivity_macro"
    positive = plain.removeprefix("neg_")
    if positive != plain and not positive.startswith("neg_"):
        variant = f"neg_{familiar_name(positive)}"
    registered = SYNONYMS.get(plain) or SYNONYMS.get(plain.removesuffix("_score"))
    spelled = (each for each in (plain, variant) if each in scorers() and each != name)
    return registered or next(spelled, None)


def registered_name(name: Any, among: Iterable[Any] = ()) -> Any:
    """The registered name of a metric for a synonym of it; any other name as it is.

    A name that is one of those ``among`` which it is looked up is meant literally.
    """
    is_own = not isinstance(name, str) or name in among or name in SPECS
    if is_own or {name, f"neg_{name}"} & scorers().keys():
        return name
    registered = familiar_name(name)
    return name if registered is None else _as_typed(registered, name)


def _as_typed(name: str, typed: str) -> str:
    """A registered name, which prints as the synonym that was typed, not as another spelling."""
    return Familiar(name, typed) if typed.lower() in SYNONYMS else name


@lru_cache(maxsize=1024)
def _named(name: str, scorer: bool) -> Metric:
    if name in SPECS and not scorer:
        return Metric(name, SPECS[name].function, SPECS[name], SPECS[name].params)
    known = scorers()
    for candidate in (name, f"neg_{name}"):
        if candidate in known:
            spec, params = known[candidate]
            return Metric(name, spec.function, spec, params)
    registered = familiar_name(name)
    if registered is not None:
        if scorer and registered not in known and f"neg_{registered}" in known:
            raise InvalidParameterError(
                f"{name!r} is a loss, and scorers are higher-is-better: 'neg_{registered}'."
            )
        metric = _named(registered, scorer)
        return replace(metric, name=_as_typed(metric.name, name))
    near = difflib.get_close_matches(str(name), [*scorer_names(), *SYNONYMS], n=3, cutoff=0.5)
    likeness = [difflib.SequenceMatcher(None, str(name), similar).ratio() for similar in near]
    close = [
        f"{similar!r} ({SYNONYMS[similar]})" if similar in SYNONYMS else repr(similar)
        for similar, ratio in zip(near, likeness, strict=True)
        if ratio > likeness[0] - _AS_NEAR  # others resemble it in letters only
    ]
    hint = f" Did you mean {' or '.join(close)}?" if close else ""
    raise InvalidParameterError(
        f"{name!r} is not a valid scoring value.{hint} {spoken(_LISTS_ALL)}."
    )


def _registered(name: str, spec: MetricSpec, params: dict[str, Any]) -> Metric:
    accepted = parameters_of(spec.function)
    unknown = [key for key in params if key not in accepted]
    if unknown:
        raise InvalidParameterError(
            f"{spec.name} takes no {' and no '.join(unknown)}; its parameters are "
            f"{[key for key in list(accepted)[2:] if key != 'sample_weight']}."
        )
    if params.get("sample_weight") is not None:
        raise InvalidParameterError(
            f"sample_weight is no parameter of {spec.name} that all rows share: pass it as "
            "sample_weight= next to y_true."
        )
    if params.get("labels") is not None:
        read_labels(params["labels"])
    return Metric(name, spec.function, spec, params)


# --------------------------------------------------------------------------- what can be computed

_LISTS_ALL = "skmetrics_ext.get_scorer_names() lists all"
_SEVERAL = ("average", "multi_class", "target")  # parameters of more than two classes


def reads(spec: MetricSpec, holds: str) -> bool:
    """Whether a metric reads "labels", "probabilities", or "values" (other scores)."""
    return holds != "labels" if spec.response == "scores" else spec.response == holds


def single_valued(holds: str, classes: Sequence[Any]) -> dict[str, Metric]:
    """Names of metrics with one meaningful value for such predictions, and the metrics.

    Parameters
    ----------
    holds : {"labels", "probabilities", "values"}
        The kind of predictions.
    classes : sequence
        In order; there are no distances between text labels.
    """
    metrics, responses = {}, {holds} if holds == "labels" else {holds, "scores"}
    for spec in METRICS.values():
        by_class = spec.scorer is None and spec.greater_is_better is not None
        unordered = spec.numeric_labels and isinstance(classes[0], str)
        senseless = "by_sign" in spec.traits and holds == "probabilities"
        if spec.response not in responses or spec.is_table or spec.ranks_labels or by_class:
            continue
        if unordered or senseless or len(classes) < spec.least_classes:
            continue
        for name in [name.removeprefix("neg_") for name in spec.scorers] or [spec.name]:
            if _suits(find(name), len(classes)):
                metrics[name] = find(name)
    return metrics


def _suits(metric: Metric, n_classes: int) -> bool:
    """Whether the parameters set by a metric's name suit the number of classes."""
    several = not metric.params.keys().isdisjoint(_SEVERAL)
    if n_classes == 2:
        return not several
    if metric.spec.response == "labels":
        of_two = metric.sides != "none"
    else:
        of_two = metric.sides == "one" and not metric.takes("average")
    unnamed = not several and any(map(metric.takes, ("multi_class", "target")))
    return not (metric.params.get("average") == "samples" or of_two or unnamed)
