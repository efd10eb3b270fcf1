"""The factory of public functions: documentation, tensors, and the spec of each metric.

`metric` publishes a hand-written function. Rates, statistics of the confusion table and ranking
metrics share signatures and bodies, which `rate`, `statistic` and `ranking` provide.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, Literal, NamedTuple, Protocol, TypeVar, cast

import numpy as np
from numpy.typing import ArrayLike

from skmetrics_ext.metrics.averaging import AVERAGES as CLASS_AVERAGES
from skmetrics_ext.metrics.averaging import (
    ZERO_WITHOUT_WEIGHT,
    Averaged,
    ClassAverage,
    Mean,
    RankKernel,
    RateKernel,
    Tell,
    ZeroDivision,
    averaged,
    check_zero_division,
)
from skmetrics_ext.metrics.documentation import document
from skmetrics_ext.metrics.rankings.score_tally import read_areas, read_scores
from skmetrics_ext.metrics.spec import NEVER, PLAIN, UNBOUNDED, MetricSpec, Variants
from skmetrics_ext.numeric import Array, PosLabel
from skmetrics_ext.tallies import LabelTally
from skmetrics_ext.validation import (
    InvalidParameterError,
    Labels,
    Scores,
    check_option,
    warn_undefined,
)
from skmetrics_ext.validation.errors import warn_user
from skmetrics_ext.validation.parameters import check_interval, check_level

Public = TypeVar("Public", bound=Callable[..., Any])
# Called with the name of a parameter and its value; returns what the kernel takes.
Check = Callable[[str, Any], Any]

AVERAGES = ("macro", "weighted", "micro", None)
MULTI_CLASS = ("raise", "ovr", "ovo")
METHODS = ("step", "interpolated")
_SECTIONS = re.compile(r"\n(?=See Also\n|References\n)")  # follow the parameters


def metric(kernel: Callable[..., Any], title: str = "", **facts: Any) -> Callable[[Public], Public]:
    """Publish a function: fill its docstring, let it take tensors, attach its `MetricSpec`.

    ``facts`` are fields of the spec. By default scorers are named after the function, with variants
    for ``multi_class``; there are none if ``greater_is_better`` is None.
    """

    def publish(function: Public) -> Public:
        public = document(function)
        judges = facts.get("greater_is_better", True) is not None
        stem = function.__name__.removesuffix("_score")
        variants = OF_AREAS if "multi_class" in inspect.signature(function).parameters else PLAIN
        named = {"scorer": stem, "variants": variants} if judges else {"scorer": None}
        public.spec = MetricSpec(public, kernel, title, **{**named, **facts})  # type: ignore[attr-defined]
        return public

    return publish


# --------------------------------------------------------------------------- scorers


def _by_average(*averages: str) -> Variants:
    return {**PLAIN, **{average: {"average": average} for average in averages}}


OF_SINGLE_LABELS = _by_average("macro", "micro", "weighted")
OF_AREAS: Variants = {
    **PLAIN,
    **{
        classes + suffix: {"multi_class": classes, "average": average}
        for suffix, average in (("", "macro"), ("_weighted", "weighted"))
        for classes in ("ovr", "ovo")
    },
}
OF_RANKINGS = _by_average("weighted", "micro")
_OF_CURVES = _by_average("weighted")
_OF_RATES = _by_average("macro", "micro", "weighted", "samples")


# --------------------------------------------------------------------------- rates


class RateFunction(Protocol):
    """The signature of all rates, and their attributes."""

    __name__: str
    spec: MetricSpec
    # read(plan, zero_division, instead): the value of checked data, by this or another kernel
    read: Callable[..., Any]
    # warn(average, n_values): warn that 0/0 is set to 0, in scikit-learn's words
    warn: Callable[[str | None, int], None]

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: PosLabel = None,
        average: ClassAverage | None = "binary",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
    ) -> float | Array: ...


class PredictiveValue(RateFunction, Protocol):
    """The signature of rates that depend on the prevalence and accept a stated one."""

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: PosLabel = None,
        average: ClassAverage | None = "binary",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        prevalence: float | None = None,
    ) -> float | Array: ...


def rate(
    name: str,
    kernel: RateKernel,
    title: str,
    undefined: str,
    *,
    absent: str = "",
    pos_label: Any = None,
    **facts: Any,
) -> RateFunction:
    """Make the public function of a rate: check, count, average, warn.

    Parameters
    ----------
    name : str
        The function's name, which the caller assigns it to.
    kernel : callable
        A rate of the counts of one class; nan for 0/0. Its docstring becomes the function's, with
        the parameters inserted before the references.
    title, undefined, **facts
        Fields of the spec. A rate that is a single share has Wilson's interval.
    absent : str, default=""
        The samples whose absence makes the rate 0/0, in scikit-learn's words.
    pos_label : object, default=None
        The function's default: 1 where scikit-learn has the function.
    """
    if len(facts.get("shares", ())) == 1:
        facts["interval"] = "wilson"
    judges = facts.get("greater_is_better", True) is not None
    facts = {"sides": "one", "variants": _OF_RATES if judges else PLAIN, **facts}
    in_units = "weights_are_counts" in facts.get("traits", ())
    either, is_ours = facts["sides"] == "either", pos_label is None
    count = partial(counted, either=either, in_units=in_units, is_ours=is_ours)
    unbounded = facts.get("bounds") == UNBOUNDED

    def warn(average: str | None, n_values: int) -> None:
        thing, place = ("labels", "samples") if average == "samples" else ("samples", "labels")
        where = "due to" if n_values == 1 else f"in {place} with"
        why = f"{where} no {absent} {thing}" if absent else f"where {undefined}"
        warn_undefined(
            f"{title} is ill-defined and being set to 0.0 {why}. "
            "Use `zero_division` parameter to control this behavior."
        )

    def read(plan: Averaged, zero_division: Any = "warn", instead: RateKernel | None = None) -> Any:
        average = plan.read
        if unbounded:  # infinities of both signs have no mean
            average = np.errstate(invalid="ignore")(average)
        value = average(instead or kernel, zero_division, warn)
        return value if plan.average is None else float(value)

    def function(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: PosLabel = None,
        average: ClassAverage | None = "binary",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
    ) -> Any:
        options = labels, pos_label, average, sample_weight, zero_division
        return read(count(y_true, y_pred, title, *options), zero_division)

    def predictive_value(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        pos_label: PosLabel = None,
        average: ClassAverage | None = "binary",
        sample_weight: ArrayLike | None = None,
        zero_division: ZeroDivision = "warn",
        prevalence: float | None = None,
    ) -> Any:
        options = labels, pos_label, average, sample_weight, zero_division
        plan = count(y_true, y_pred, title, *options)
        if prevalence is None:
            return read(plan, zero_division)
        share = check_level(prevalence, "prevalence")
        if average != "binary":
            raise InvalidParameterError(
                "prevalence= is the share of one class, so that it takes average='binary', got "
                f"average={average!r}."
            )
        return read(plan, zero_division, with_params(kernel, {"prevalence": share}))

    takes_prevalence = inspect.signature(kernel).parameters.get("prevalence") is not None
    described: Any = predictive_value if takes_prevalence else function
    described.__kwdefaults__["pos_label"] = pos_label
    parameters = f"""{{y_true_y_pred_multilabel}}
{{labels}}
{{{"pos_label" if pos_label is None else "pos_label_1"}}}
{{average}}
{{sample_weight}}
zero_division : {{"warn", 0.0, 1.0, nan}}, default="warn"
    Value where {undefined}. "warn" is 0 with a warning; nan leaves the class out of an
    average."""
    if takes_prevalence:
        parameters += """
prevalence : float in (0, 1), default=None
    Share of the positive class in the population, where the rows were sampled by class or come from
    another one; the value then follows from sensitivity and specificity. With average="binary"."""
    facts["undefined"] = undefined
    kind = "float or ndarray of shape (n_classes,)"
    public = named(described, name, kernel, title, parameters, (kind, ""), **facts)
    public.read, public.warn = read, warn
    return cast(RateFunction, public)


def counted(
    y_true: Any,
    y_pred: Any,
    what: str,
    labels: Any,
    pos_label: Any,
    average: str | None,
    sample_weight: Any,
    zero_division: Any,
    *,
    averages: tuple[str | None, ...] = ("binary", *CLASS_AVERAGES),
    either: bool = False,
    in_units: bool = False,
    is_ours: bool = True,
) -> Averaged:
    """Check the arguments and count once; any number of rates can then be read.

    Rates that scikit-learn lacks (``is_ours``) refuse predictions that share no class with y_true.
    """
    check_zero_division(zero_division)
    check_option("average", average, averages)
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=in_units)
    if average != "binary" and pos_label is not None and pos_label != 1:
        warn_user(
            f"Note that pos_label (set to {pos_label!r}) is ignored when average != 'binary' "
            f"(got {average!r}). You may use labels=[pos_label] to specify a single positive "
            "class."
        )
    if is_ours and y_true is not y_pred:  # checked before, maybe those of a group
        checked.sharing_classes(labels)
    return averaged(LabelTally(checked), labels, pos_label, average, what, either)


def mean_of(
    plan: Averaged,
    zero_division: Any,
    *rates: RateFunction,
    other: Mapping[RateKernel, Tell] | None = None,
) -> Mean:
    """The average of any of these rates, or of other kernels, with their warnings."""
    warn: dict[RateKernel, Tell] = {rate.spec.kernel: rate.warn for rate in rates}
    warn |= other or {}
    return lambda kernel: plan.read(kernel, zero_division, warn[kernel])


# --------------------------------------------------------------------------- whole tables


class TableFunction(Protocol):
    """The signature of all functions that read the whole confusion table."""

    __name__: str
    spec: MetricSpec

    def __call__(
        self,
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> float | Array: ...


def whole_table(
    name: str,
    kernel: Callable[..., Array],
    title: str,
    undefined: str = NEVER,
    *,
    per_class: bool = False,
    reads: Literal["counts", "table"] = "counts",
    **facts: Any,
) -> TableFunction:
    """Make the public function of a kernel that reads the whole table, or all of its counts.

    Parameters are those of `rate`. Kernels with ``labels`` depend on the number of these;
    ``per_class`` kernels return one value for each class.
    """
    in_units = "weights_are_counts" in facts.get("traits", ())
    read = _reader(kernel, reads)

    def function(
        y_true: ArrayLike,
        y_pred: ArrayLike,
        *,
        labels: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
    ) -> Any:
        checked = rows_with_labels(y_true, y_pred, labels, sample_weight, title, in_units)
        value = read(LabelTally(checked), labels)
        return value if per_class else value_or_nan(value, title, undefined)

    parameters = """{y_true_y_pred}
labels : array-like of shape (n_classes,), default=None
    The classes of the table; rows with any other class are left out. All that occur by default.
{sample_weight}"""
    kind = "ndarray of shape (n_classes,)" if per_class else "float"
    nan = "nan where" if per_class else "nan, with a warning, where"
    more = f" {nan} {undefined}." if undefined != NEVER else ""
    facts |= {"undefined": undefined, "reads": reads}
    public = named(function, name, kernel, title, parameters, (kind, more), **facts)
    return cast(TableFunction, public)


def _reader(kernel: Callable[..., Array], reads: str) -> Callable[..., Array]:
    """``read(tally, labels)``: a kernel applied to the table or its counts; nan for 0/0."""
    takes_labels = "labels" in inspect.signature(kernel).parameters

    def read(tally: LabelTally, labels: Any = None) -> Array:
        params = {"labels": labels} if takes_labels else {}
        return kernel(tally.counts() if reads == "counts" else tally, **params)

    return read


class Statistic(NamedTuple):
    """Facts about a statistic of the confusion table, for `confusion_statistic`."""

    abbreviation: str  # its name in PyCM, or in the source
    per_class: bool
    in_units: bool  # whether the scale of the weights matters
    formula: str
    source: str
    read: Callable[..., Array]  # read(tally, labels): nan for 0/0


def statistic(
    abbreviation: str,
    undefined: str = NEVER,
    *,
    per_class: bool = False,
    reads: Literal["counts", "table"] = "counts",
    **facts: Any,
) -> Callable[[Callable[..., Array]], TableFunction]:
    """Turn a kernel into the function of a statistic of the confusion table of the same name.

    The kernel's docstring is the formula and, in a second paragraph, its source. Functions with
    one value per class, read from counts, average as rates do.
    """

    def publish(kernel: Callable[..., Array]) -> TableFunction:
        name, title = kernel.__name__, kernel.__name__.replace("_", " ").capitalize()
        formula, _, source = inspect.cleandoc(kernel.__doc__ or "").partition("\n\n")
        formula, source = " ".join(formula.split()), " ".join(source.split())
        if kernel.__doc__ is not None:  # it is under python -OO
            kernel.__doc__ = (
                f"{title}: a statistic of the confusion table.\n\n    {formula}\n\n"
                "See Also\n--------\nconfusion_statistic : This and other statistics by name.\n\n"
                f"References\n----------\n{source}\n"
            )
        if per_class and reads == "counts":
            public: Any = rate(name, kernel, title, undefined, **facts)
        else:
            public = whole_table(
                name, kernel, title, undefined, per_class=per_class, reads=reads, **facts
            )
        read = _reader(kernel, reads)
        in_units = public.spec.weights_are_counts
        public.statistic = Statistic(abbreviation, per_class, in_units, formula, source, read)
        return cast(TableFunction, public)

    return publish


def rows_with_labels(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, what: str, absolute: bool = False
) -> Labels:
    """Checked labels of the rows with both classes in ``labels``; at least one row."""
    checked = Labels.check(y_true, y_pred, sample_weight=sample_weight, absolute=absolute)
    restricted = checked.single_label(what).restrict(labels)
    if y_true is not y_pred:
        checked.sharing_classes(labels)
    if restricted.total_weight == 0:
        raise InvalidParameterError(
            f"No row has its true and its predicted label in labels={restricted.classes.tolist()}."
        )
    return restricted


def value_or_nan(values: Array, what: str, why: str = "only one class occurs") -> float:
    """A float, with a warning if it is nan."""
    if np.isnan(values):
        warn_undefined(f"{what} is undefined (0/0) and set to nan: {why}.")
    return float(values)


def named(
    function: Callable[..., Any],
    name: str,
    kernel: Callable[..., Any],
    title: str,
    parameters: str,
    returns: tuple[str, str],
    **facts: Any,
) -> Any:
    """Publish a function under its name in the kernel's module, so that it can be pickled."""
    function.__name__ = function.__qualname__ = name
    function.__module__ = kernel.__module__
    if kernel.__doc__ is not None:  # it is under python -OO
        head, *tail = _SECTIONS.split(inspect.cleandoc(kernel.__doc__), maxsplit=1)
        (kind, more), (low, high) = returns, facts.get("bounds", (0.0, 1.0))
        better = {True: "; higher is better", False: "; lower is better", None: ""}
        which = better[facts.get("greater_is_better", True)]
        function.__doc__ = f"""{head}
Parameters
----------
{parameters}

Returns
-------
{kind}
    In [{low:g}, {high:g}]{which}.{more}

Raises
------
{{raises}}

{"".join(tail)}
"""
    return metric(kernel, title, **facts)(function)


# --------------------------------------------------------------------------- rankings


def ranking(
    kernel: Callable[..., Any],
    title: str = "",
    *,
    checks: Mapping[str, Check] | None = None,
    together: Callable[[dict[str, Any]], None] | None = None,
    scores: Callable[[Scores], None] | None = None,
    **facts: Any,
) -> Callable[[Public], Public]:
    """Turn a signature with a docstring into the public function of a ranking kernel.

    With ``multi_class`` in its signature it averages as areas under the ROC curve do, also over
    pairs of classes.

    Parameters
    ----------
    kernel : callable
        ``kernel(tally, **params)``.
    title, **facts
        Fields of the spec; ``title`` is also the subject of the warning.
    checks : mapping of str to callable, default=None
        Check for each parameter of the kernel.
    together : callable, default=None
        Joint check of these parameters.
    scores : callable, default=None
        Additional check of the checked scores.
    """
    checks = checks or {}

    def publish(described: Public) -> Public:
        what = described.__name__
        taken = inspect.signature(described).parameters
        is_area = "multi_class" in taken
        defaults = {name: taken[name].default for name in checks}
        undefined = "a class has no rows" if is_area else "a class has no rows, or no others"
        if is_area:
            of_kind: dict[str, Any] = {"convention": ZERO_WITHOUT_WEIGHT}
        else:
            of_kind = {"variants": _OF_CURVES}
        stated = {"sides": "one", "undefined": undefined, **of_kind, **facts}

        @functools.wraps(described)
        def function(y_true: Any, y_score: Any, **given: Any) -> Any:
            described(y_true, y_score, **given)  # refuses unknown parameters
            average = given.get("average", "macro")
            if is_area:
                check_option("multi_class", given.get("multi_class", "raise"), MULTI_CLASS)
            else:
                check_option("average", average, AVERAGES)
            params = {
                name: check(name, given.get(name, defaults[name])) for name, check in checks.items()
            }
            if together is not None:
                together(params)
            names = ("labels", "pos_label", "sample_weight")
            options: dict[str, Any] = {name: given.get(name) for name in names}
            checked = Scores.check(y_true, y_score, side=stated["sides"], what=what, **options)
            if scores is not None:
                scores(checked)
            read = with_params(kernel, params)
            if is_area:
                return read_areas(read, checked, given.get("multi_class", "raise"), average)
            value = read_scores(read, checked, average)
            if np.isnan(value).any():
                warn_undefined(f"{title} is undefined and nan: a class has no rows, or no others.")
            return value

        return cast(Public, metric(kernel, title, **stated)(function))

    return publish


def at_percents(argument: str, *percents: int) -> Variants:
    """Scorers of a metric at points of a curve, named after the point in percent."""
    return {str(percent): {argument: percent / 100} for percent in percents}


def with_params(kernel: Callable[..., Any], params: dict[str, Any]) -> RankKernel:
    """The kernel with its parameters: a function of the tally alone."""
    return partial(kernel, **params) if params else kernel


def one_of(*options: Any) -> Check:
    """A check that a parameter is one of some options."""

    def check(name: str, value: Any) -> Any:
        check_option(name, value, options)
        return value

    return check


def number_in(interval: str) -> Check:
    """A check that a parameter is a number in an interval, as in `check_interval`."""
    return partial(check_interval, interval=interval)
