"""What metrics are asked: questions about rows of classes by any name, and their answers."""

import inspect
import re
import warnings
from dataclasses import dataclass, replace
from functools import cache, cached_property, partial
from typing import Any

import numpy as np
from hypothesis import strategies as st
from support.samples import integers, probabilities, weights

from skmetrics_ext import METRICS

BAD_GOOD = ("bad", "good")


@dataclass(frozen=True, eq=False)
class Rows:
    """Rows of two models, A and B, that know the same classes.

    Parameters
    ----------
    name : str
        What is special of them.
    classes : tuple
        Those that the models know, sorted. Rows need not be of each.
    true, pred, pred_b : ndarray of int of shape (n,)
        Codes into ``classes``.
    proba, proba_b : ndarray of shape (n, K)
        Sixteenths, so that a probability and its complement are exact.
    weight : ndarray or None
    told : bool
        Whether ``labels=`` is passed: the rows alone do not tell all classes.
    """

    name: str
    classes: tuple
    true: np.ndarray
    pred: np.ndarray
    pred_b: np.ndarray
    proba: np.ndarray
    proba_b: np.ndarray
    weight: np.ndarray | None = None
    told: bool = False

    def __len__(self):
        return len(self.true)

    @property
    def is_binary(self):
        """Whether the models tell two classes apart."""
        return len(self.classes) == 2

    @property
    def lacks_a_class(self):
        """Whether a class has no row."""
        return len(set(self.true.tolist())) < len(self.classes)

    @property
    def has_empty_class(self):
        """Whether a class has no row, or is never predicted: where averages meet 0/0."""
        return self.lacks_a_class or len(set(self.pred.tolist())) < len(self.classes)

    @cached_property
    def names(self):
        return np.array(self.classes)

    @cached_property
    def y_true(self):
        return self.names[self.true]

    def y_pred(self, other=False):
        return self.names[self.pred_b if other else self.pred]

    @property
    def natural(self):
        """1 of {0, 1} and of {-1, 1}, True of {False, True}; else None."""
        usual = any(set(self.classes) <= own for own in ({0, 1}, {-1, 1}))
        return self.classes[-1] if usual and self.is_binary else None

    def positive(self, pos_label):
        """The class that a single column of scores is of."""
        found = self.natural if pos_label is None else pos_label
        return self.classes[-1] if found is None else found

    def probabilities(self, positive, other=False):
        """Of the positive class of two, else a column for each class."""
        proba = self.proba_b if other else self.proba
        return proba[:, self.classes.index(positive)] if self.is_binary else proba

    def scores(self, positive, other=False):
        """The same as decisions, which are above 0 for the class and below for the other."""
        proba = self.probabilities(positive, other)
        return 2 * proba - 1 if self.is_binary else proba

    def seen_from(self, positive):
        """The same rows of the classes 0 and 1, of which 1 is this one of two."""
        if positive == self.classes[1]:
            return replace(self, classes=(0, 1))
        true, pred, pred_b = 1 - self.true, 1 - self.pred, 1 - self.pred_b
        proba, proba_b = self.proba[:, ::-1], self.proba_b[:, ::-1]
        return replace(
            self, classes=(0, 1), true=true, pred=pred, pred_b=pred_b, proba=proba, proba_b=proba_b
        )

    def take(self, rows):
        """Some of the rows."""
        parts = {
            name: getattr(self, name)[rows]
            for name in ("true", "pred", "pred_b", "proba", "proba_b", "weight")
            if getattr(self, name) is not None
        }
        return replace(self, **parts)


@dataclass(frozen=True, eq=False)
class Question:
    """A metric with its parameters, rows, and the positive class where one is named.

    Parameters
    ----------
    spec : MetricSpec
    scorer : str or None
        Name of a scorer of it, where it has one.
    fixed : dict
        The parameters that this name sets.
    extra : dict
        Further parameters.
    rows : Rows
    pos_label : object
        None where it is not passed.
    """

    spec: Any
    scorer: str | None
    fixed: dict[str, Any]
    extra: dict[str, Any]
    rows: Rows
    pos_label: Any = None

    @property
    def parameters(self):
        return _signature(self.spec.name)

    @property
    def options(self):
        return {**self.fixed, **self.extra}

    @property
    def name(self):
        """The name by which it may be asked for; of a loss that of the loss itself."""
        return self.spec.name if self.scorer is None else self.scorer.removeprefix("neg_")

    @property
    def metric(self):
        """The name; where that does not say all a partial of the function."""
        return partial(self.spec.function, **self.options) if self.extra else self.name

    @property
    def sides(self):
        """Whether it is a number of "one" class of two, of "either", or of "none" of them."""
        return _sides(self.spec.name, tuple(sorted(self.options.items(), key=str)))

    # ------------------------------------------------------------------- what a way passes on

    def response(self, other=False, *, shared=False):
        """Labels, or scores of all classes; of two, of the positive one.

        A function without ``pos_label`` reads those of the later class. Ways that take one
        ``pos_label`` for all metrics (``shared``) read those of that class for every metric.
        """
        if self.spec.response == "labels":
            return self.rows.y_pred(other)
        named = self.pos_label if shared or "pos_label" in self.parameters else None
        rows = self.rows
        read = rows.scores if self.spec.response == "scores" else rows.probabilities
        return read(rows.positive(named), other)

    def risk(self):
        """The probability that is compared with thresholds."""
        return self.rows.probabilities(self.rows.positive(self.pos_label))

    def named(self, *names):
        """Arguments of these names, where they are said and the function takes them."""
        said = {
            "labels": list(self.rows.classes) if self.rows.told else None,
            "pos_label": self.pos_label,
            "sample_weight": self.rows.weight,
        }
        own = {name: said[name] for name in names if said[name] is not None}
        return {name: value for name, value in own.items() if name in self.parameters}

    def thresholded(self, threshold):
        """The same of the labels that a threshold gives: the positive class from it on."""
        own = self.rows.classes.index(self.rows.positive(self.pos_label))
        pred = np.where(self.risk() >= threshold, own, 1 - own)
        return replace(self, rows=replace(self.rows, pred=pred))

    def __str__(self):
        positive = {} if self.pos_label is None else {"pos_label": self.pos_label}
        given = {**self.options, **positive}
        told = ", ".join(f"{key}={value!r}" for key, value in given.items())
        return f"{self.name}({told}) of {self.rows.name} {self.rows.classes}"


@cache
def _signature(name):
    return inspect.signature(METRICS[name].function).parameters


@cache
def _sides(name, options):
    """By asking about rows of two classes from both sides."""
    spec, accepted, options = METRICS[name], _signature(name), dict(options)
    if "pos_label" not in accepted:
        return "none"
    if spec.response == "labels":
        if options.get("average", accepted["average"].default) != "binary":
            return "none"
        true, pred = np.repeat([[1, 1, 0, 0], [1, 0, 1, 0]], [3, 1, 2, 5], axis=1)
        sides = [spec.function(*pair, **options) for pair in ((true, pred), (1 - true, 1 - pred))]
        return "either" if np.allclose(*sides) else "one"
    true = np.array([0, 1, 1, 0, 1, 0, 0, 1, 0])
    share = np.array([0.11, 0.93, 0.12, 0.57, 0.61, 0.13, 0.57, 0.77, 0.34])
    values = []
    for marks, risk in ((true, share), (1 - true, 1 - share)):
        score = 2 * risk - 1 if spec.response == "scores" else risk
        values.append(np.asarray(spec.function(marks, score, **options), dtype=float))
    return "either" if np.allclose(*values, equal_nan=True) else "one"


# --------------------------------------------------------------------------- answers


@dataclass(frozen=True, eq=False)
class Answer:
    """What was said: numbers, or why there are none.

    Parameters
    ----------
    value : ndarray of shape (n_values,) or None
        None where the question was refused.
    said : str
        The error, or the reason of a nan.
    warned : bool
        Whether it was said that the value is undefined, and perhaps a number by convention.
    crashed : bool
        Whether the error is none that tells a user what to do.
    thresholds : list
        Where values are of each of several thresholds.
    """

    value: Any
    said: str = ""
    warned: bool = False
    crashed: bool = False
    thresholds: Any = ()

    @property
    def is_undefined(self):
        return self.value is None or bool(np.isnan(self.value).all())

    def asks_for(self, classes):
        """Whether it refuses for want of the positive class, and names both."""
        named = all(str(label) in self.said for label in classes)
        asks = "pos_label" in self.said or "labels=" in self.said  # where there is no pos_label
        return self.is_undefined and asks and named

    def __str__(self):
        if self.value is None or self.said:
            return re.sub(r"\s+", " ", f"refuses: {self.said}")[:150]
        return np.array2string(self.value, precision=6, threshold=6, max_line_width=200)


def flat(value):
    """Any value as a vector; of a dict its values in their order."""
    if isinstance(value, dict):
        value = list(value.values())
    return np.asarray(value, dtype=np.float64).reshape(-1)


def heard(ask, *args):
    """Answer of a call, with its error and whether it warned."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("error")
        warnings.simplefilter("always", UserWarning)
        try:
            found = ask(*args)
        except ValueError as error:
            return Answer(None, str(error))
        except Exception as error:
            return Answer(None, f"{type(error).__name__}: {error}", crashed=True)
    if not isinstance(found, Answer):
        found = Answer(flat(found))
    return replace(found, warned=bool(caught))


# --------------------------------------------------------------------------- rows


_TWO = np.array([0, 1, 1, 0, 1, 0, 0, 1, 1, 0])
_TWO_A = np.array([0, 1, 0, 0, 1, 1, 0, 1, 1, 0])
_TWO_B = np.array([0, 0, 1, 0, 1, 1, 1, 1, 0, 0])
_RISK_A = np.array([2, 13, 6, 6, 11, 9, 3, 15, 11, 1]) / 16
_RISK_B = np.array([3, 7, 12, 2, 9, 9, 12, 14, 5, 1]) / 16
_THREE = np.array([0, 1, 2, 0, 1, 2, 2, 1, 0, 1])
_THREE_A = np.array([0, 1, 2, 1, 1, 2, 0, 1, 0, 2])
_THREE_B = np.array([0, 2, 2, 1, 0, 2, 0, 1, 0, 1])
_PARTS_A = [(9, 4, 3), (2, 11, 3), (1, 5, 10), (6, 7, 3), (4, 8, 4), (3, 4, 9), (7, 3, 6),
            (5, 9, 2), (12, 3, 1), (2, 6, 8)]  # fmt: skip
_PARTS_B = [(8, 5, 3), (1, 6, 9), (2, 3, 11), (5, 9, 2), (7, 5, 4), (2, 5, 9), (9, 1, 6),
            (4, 10, 2), (10, 4, 2), (3, 11, 2)]  # fmt: skip
_TIMES = np.array([1, 2, 1, 3, 1, 1, 2, 1, 1, 2])
_WORTH = np.array([8, 12, 5, 8, 16, 3, 8, 9, 20, 8]) / 8


def _two(name, classes, **changes):
    proba, proba_b = (np.column_stack([1 - p, p]) for p in (_RISK_A, _RISK_B))
    return replace(Rows(name, classes, _TWO, _TWO_A, _TWO_B, proba, proba_b), **changes)


def _three(name, classes, **changes):
    proba, proba_b = np.array(_PARTS_A) / 16, np.array(_PARTS_B) / 16
    return replace(Rows(name, classes, _THREE, _THREE_A, _THREE_B, proba, proba_b), **changes)


@cache
def known_rows():
    """The cases that are asked of every metric and every way."""
    nothing, every = np.zeros(10, dtype=int), np.ones(10, dtype=int)
    some = {"true": _TWO, "told": True}
    of_two = {"pred": _TWO_A, "pred_b": _TWO_B}
    return (
        _two("0 and 1", (0, 1)),
        _two("-1 and 1, float weights", (-1, 1), weight=_WORTH),
        _two("bool, integer weights", (False, True), weight=_TIMES),
        _two("1 and 2", (1, 2)),
        _two("0 and 2, float weights", (0, 2), weight=_WORTH),
        _two("text, integer weights", BAD_GOOD, weight=_TIMES),
        _three("three classes", (0, 1, 2)),
        _three("three classes by text, float weights", ("a", "b", "c"), weight=_WORTH),
        _three("a class without rows", (0, 1, 2), **some),
        _three("a class neither true nor predicted", (3, 4, 7), **some, **of_two, weight=_TIMES),
        _three("a class never predicted", (0, 1, 2), pred=np.minimum(_THREE_A, 1)),
        _two("nothing positive", (0, 1), pred=nothing, weight=_WORTH),
        _two("nothing positive by text", BAD_GOOD, pred=nothing),
        _two("only 0", (0, 1), true=nothing),
        _two("only 1", (0, 1), true=every, weight=_TIMES),
        _two("only -1", (-1, 1), true=nothing, pred=nothing),
        _two("only good", BAD_GOOD, true=every, told=True),
    )


NAMES_OF_TWO = ((0, 1), (-1, 1), (False, True), (1, 2), (0, 2), (3, 8), BAD_GOOD, ("no", "yes"))
NAMES_OF_THREE = ((0, 1, 2), (-1, 0, 1), (2, 5, 9), ("a", "b", "c"))


@st.composite
def any_rows(draw, min_rows=4, max_rows=9):
    """Rows of two or three classes, each of which has a row."""
    classes = draw(st.sampled_from(NAMES_OF_TWO + NAMES_OF_THREE))
    n_classes, n_rows = len(classes), draw(st.integers(min_rows, max_rows))
    true, pred, pred_b = (draw(integers(0, n_classes - 1, n_rows)) for _ in range(3))
    true[:n_classes] = np.arange(n_classes)
    if n_classes == 2:
        risks = [draw(integers(0, 16, n_rows)) / 16 for _ in range(2)]
        proba, proba_b = (np.column_stack([1 - p, p]) for p in risks)
    else:
        proba, proba_b = (draw(probabilities(n_rows, n_classes)) for _ in range(2))
    weight = draw(st.sampled_from([None, "times", "worth"]))
    if weight is not None:
        own = weights(n_rows) if weight == "worth" else integers(1, 3, n_rows)
        weight = draw(own)
    return Rows("generated", classes, true, pred, pred_b, proba, proba_b, weight)
