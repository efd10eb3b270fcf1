"""Docstrings of displays: shared paragraphs, and constructors that name their options."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import Parameter
from typing import Any, TypeVar

from skmetrics_ext.metrics.documentation import PARAMETERS, document, fill
from skmetrics_ext.validation import InvalidParameterError

Shown = TypeVar("Shown", bound=type)
Options = Mapping[str, Parameter]

# The methods that the options of a constructor go to, one after the other.
_ROWS, _FOLDS = ("_of_rows", "_read", "_line"), ("_of_folds", "_read", "_line")
_POOLED = ("_of_folds", "_of_rows", "_read")
_CONSTRUCTORS = {"from_predictions": _ROWS, "from_estimator": _ROWS} | dict.fromkeys(
    ("from_folds", "from_cv_results", "from_report"), _FOLDS
)

_CURVE_OPTIONS = """
- of one set of rows: ``band``, the band around each curve as `curve_band` computes it:
  "pointwise", "simultaneous" or None; "auto" is "pointwise" for up to 4 curves and 20,000 rows
  (with more rows the band is narrow and takes seconds). ``interval``, the method of the interval in
  the legend as in `confidence_interval` (None: no interval). ``groups``, groups of rows that
  depend on each other;
- ``confidence_level=0.95``, of all intervals;"""
BLOCKS = PARAMETERS | {
    "curve_options": f"""
- ``curves``: the classes to draw, of more than two each against the rest;
{_CURVE_OPTIONS.strip()}""",
    "average_options": f"""
- ``curves``: the curves to draw, by class, "micro" or "macro"; all by default, and "macro" of
  folds and of several models with more than two classes;
{_CURVE_OPTIONS.strip()}""",
    "curve_parameters": """
name : str, default=None
    Name of the model, where there is one.
positive : object, default=None
    The positive class, for binary data.
undefined : mapping of int to str, default=None
    Folds that have no curve, and why; of several models by (model, fold).
comparison : Comparison, default=None
    Difference between the first and the second of two models, as `compare` gives it.""",
    "curve_attributes": """
ax_, figure_ : matplotlib axes and figure
lines_, fold_lines_ : list of matplotlib lines
    Of the curves, or of their means, and of the folds.
line_ : matplotlib line
    The first of ``lines_``.
notes : tuple of str
    Notes of the numbers that have a star in the legend.""",
    "score_pos_label": """
pos_label : int, float, bool or str, default=None
    The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or {-1, 1},
    or True. It is required for other labels, except by confusion matrices, and by ROC curves of
    a column for each class (the same from either side: the later class).""",
    "estimator_pos_label": """
pos_label : int, float, bool or str, default=None
    The positive class of two. By default 1 of {0, 1} or {-1, 1}, or True. It is required for
    other labels, except by ROC curves (the same from either side: ``classes_[1]``) and
    confusion matrices.""",
    "response_method": """
response_method : {"auto", "predict_proba", "decision_function"}, default="auto"
    Method that gives the scores; "auto" is the first that the model has.""",
    "model_name": """
name : str, default=None
    Name of one model in the legend; several are named by the keys of their mapping.""",
    "estimator_name": """
name : str, default=None
    Name in the legend; the class of the estimator by default.""",
    "display_ax": """
ax : matplotlib axes, default=None
    Where to draw; a new figure by default. Axes of another display of the same kind are
    added to.""",
    "drawn": """
Returns
-------
display
    Drawn.""",
    "axes": """
ax : matplotlib axes or sequence of them, default=None
    Where to draw, one for each panel; a new figure by default.""",
}


def document_display(display: Shown) -> Shown:
    """Fill the ``{name}`` lines of the docstrings of a display.

    Its constructors take ``**options``: each gets a signature and a docstring that name those of
    this display, and refuses others.
    """
    for name, chain in _CONSTRUCTORS.items():
        function = getattr(getattr(display, name, None), "__func__", None)
        if function is not None:
            function = getattr(function, "__wrapped__", function)  # of a kind of display above
            chain = _POOLED if chain is _FOLDS and getattr(display, "pools", False) else chain
            setattr(display, name, classmethod(_naming_options(function, display, chain)))
    return document(display, BLOCKS)


def _naming_options(
    function: Callable[..., Any], display: Any, chain: tuple[str, ...]
) -> Callable[..., Any]:
    signature = inspect.signature(function)
    explicit = {key: p for key, p in signature.parameters.items() if key != "options"}
    computing = {key: p for key, p in _options(display, chain).items() if key not in explicit}
    plot = vars(display).get("plot") or display.plot
    drawing = {k: p for k, p in _keywords(plot).items() if k not in explicit and k not in computing}
    accepted = {**explicit, **computing, **drawing}

    @wraps(function)
    def call(cls: Any, *args: Any, **options: Any) -> Any:
        unknown = [key for key in options if key not in accepted]
        if unknown:
            raise InvalidParameterError(
                f"{cls.__name__}.{function.__name__} takes no {' and no '.join(unknown)}; its "
                f"options are {[*computing, *drawing]}."
            )
        return function(cls, *args, **options)

    call.__signature__ = signature.replace(parameters=list(accepted.values()))  # type: ignore[attr-defined]
    groups = [(computing, "options of the display", "Described in the class."),
              (drawing, "options of the drawing", "Passed to `plot`.")]  # fmt: skip
    lines = [f"{', '.join(keys)} : {kind}\n    {where}" for keys, kind, where in groups if keys]
    if function.__doc__:  # absent under python -OO
        call.__doc__ = fill(function.__doc__, BLOCKS | {"options": "\n".join(lines)})
    return call


def _options(display: type, chain: tuple[str, ...]) -> Options:
    """Keyword parameters of the methods that options are passed through."""
    options: dict[str, Parameter] = {}
    for method in chain:
        for kind in display.__mro__:
            function = getattr(vars(kind).get(method), "__func__", None)
            if function is not None:
                options = {**_keywords(function), **options}
                parameters = inspect.signature(function).parameters.values()
                if all(p.kind is not Parameter.VAR_KEYWORD for p in parameters):
                    return options
    return options


def _keywords(function: Callable[..., Any]) -> dict[str, Parameter]:
    parameters = inspect.signature(function).parameters
    return {key: p for key, p in parameters.items() if p.kind is Parameter.KEYWORD_ONLY}
