"""Signatures name the options that a docstring names and a door accepts, so that editors do."""

import inspect
import re
import typing

import pytest
from matplotlib.axes import Axes
from sklearn.base import BaseEstimator
from support.public import PUBLIC

from skmetrics_ext.inference import areas, compare, margins, methods, proportions, two_proportions
from skmetrics_ext.inference.draws import atoms, bootstrap
from skmetrics_ext.operations import compare_many
from skmetrics_ext.report import summary
from skmetrics_ext.scoring import scorer
from skmetrics_ext.tables import LIBRARIES, Library, Tabular

NAMED = re.compile(r"^(\w+) : \{([^}]*)\}", re.MULTILINE)
FUNCTIONS = [thing for thing in PUBLIC.values() if inspect.isfunction(thing)]
CLASSES = [thing for thing in PUBLIC.values() if inspect.isclass(thing)]
FOR_TYPE_CHECKERS = {"Axes": Axes, "BaseEstimator": BaseEstimator}  # not imported at run time
METHODS = [
    method
    for kind in CLASSES
    for name, method in inspect.getmembers(kind, callable)
    if not name.startswith("_")
    and str(getattr(method, "__module__", "")).startswith("skmetrics_ext")
]


def options(function) -> list[tuple[str, set[str]]]:
    """Text options of the parameters that a docstring lists."""
    doc = inspect.getdoc(function) or ""
    return [(name, set(re.findall(r'"([^"]*)"', told))) for name, told in NAMED.findall(doc)]


def literals(hint) -> set:
    """All values of the literals of a type."""
    if typing.get_origin(hint) is typing.Literal:
        return set(typing.get_args(hint))
    return {value for part in typing.get_args(hint) for value in literals(part)}


DOCUMENTED = {
    function.__qualname__: function
    for function in [*FUNCTIONS, *METHODS]
    if any(told for _, told in options(function))
}


@pytest.mark.parametrize("name", DOCUMENTED)
def test_options_of_the_docstring_are_in_the_signature(name):
    function = DOCUMENTED[name]
    plain = inspect.unwrap(getattr(function, "__func__", function))
    hints = typing.get_type_hints(plain, localns=FOR_TYPE_CHECKERS)
    for parameter, told in options(function):
        if told and parameter in hints and parameter != "baseline":  # a strategy or a model
            assert told <= literals(hints[parameter]), parameter


@pytest.mark.parametrize(
    ("alias", "accepted"),
    [
        (compare.CompareMethod, compare.COMPARE_METHODS),
        (proportions.ProportionMethod, proportions.PROPORTION_METHODS),
        (two_proportions.DifferenceMethod, two_proportions.DIFFERENCE_METHODS),
        (margins.Alternative, margins.ALTERNATIVES),
        (atoms.WeightsAre, atoms.WEIGHT_KINDS),
        (scorer.Missing, scorer.MISSING),
        (summary.IntervalKind, ("auto", *summary.KINDS)),
        (typing.get_type_hints(compare_many.compare_many)["adjust"], compare_many.ADJUSTMENTS),
        (Library, LIBRARIES),
        (
            methods.IntervalMethod,
            (
                *("auto", "delta", "effective_n", "anytime", *proportions.PROPORTION_METHODS),
                *areas.AUC_METHODS,
                *(*methods.MEAN_METHODS, *bootstrap.BOOTSTRAP_METHODS),
            ),
        ),
    ],
)
def test_types_name_what_is_accepted(alias, accepted):
    assert literals(alias) == set(accepted)


def test_arrays_are_typed_as_such():
    arrays = ("y_true", "y_pred", "y_score", "y_proba", "sample_weight")
    for function in FUNCTIONS:
        for name, parameter in inspect.signature(function).parameters.items():
            if name in arrays:
                assert str(parameter.annotation).startswith("ArrayLike"), function.__name__


# Arguments that few need, in the order in which long signatures and docstrings end.
FEW_NEED = (
    *("weights_are", "rows", "margins", "bins", "freq"),
    *("proxy", "sampling", "population", "observed", "X", "target", "target_weight", "prevalence"),
    *("readers", "readers_are", "abstain", "abstained", "ignore"),
    *("stratified", "min_rows", "n_resamples", "curve_points", "random_state", "n_jobs"),
    *("progress", "engine", "memory_limit"),
)
# Of a study that is planned, these are what is planned.
PLANNED = {"sample_size": {"prevalence", "readers"}}
LONG = {
    thing.__name__: thing
    for thing in PUBLIC.values()
    if inspect.isfunction(thing) or (inspect.isclass(thing) and issubclass(thing, BaseEstimator))
    if len(inspect.signature(thing).parameters) > 11
}
PARAMETERS = re.compile(r"Parameters\n-+\n(.*?)\n\n[A-Z][\w ]+\n-", re.DOTALL)
NAMES = re.compile(r"^(\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: :|$)", re.MULTILINE)


@pytest.mark.parametrize("name", LONG)
def test_arguments_that_few_need_come_last_in_one_order(name):
    signature = inspect.signature(LONG[name]).parameters
    kept = [key for key, one in signature.items() if one.kind is not one.KEYWORD_ONLY]
    listed = PARAMETERS.search(inspect.getdoc(LONG[name]))[1]
    documented = [key.strip("*") for row in NAMES.findall(listed) for key in row.split(", ")]
    assert sorted(documented) == sorted(signature)
    last = [key for key in FEW_NEED if key in signature]
    last = [key for key in last if key not in {*kept, *PLANNED.get(name, ())}]
    for order in (documented, list(signature)):
        rest = [key for key in order if key in last or key not in kept]
        assert rest[len(rest) - len(last) :] == last


def test_every_table_has_one_road():
    kinds, own = [Tabular], set()
    while kinds:
        kind = kinds.pop()
        kinds += kind.__subclasses__()
        own |= {kind.__name__} if "to_dict" in vars(kind) else set()
    assert own == {"Tabular"}
