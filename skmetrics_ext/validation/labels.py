"""Labels: class codes of single-label data, indicators of multilabel data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np

from skmetrics_ext import kernels
from skmetrics_ext.numeric import Array
from skmetrics_ext.validation.containers import EXACT, Column, read_column
from skmetrics_ext.validation.encoding import Order, encode_columns, find_labels, order_of
from skmetrics_ext.validation.errors import InvalidParameterError, MixedTargetsError, shown_labels
from skmetrics_ext.validation.rows import read_rows
from skmetrics_ext.validation.targets import MULTILABEL, kind_of, label_values, read_values
from skmetrics_ext.validation.tensors import to_host

_KINDS = (str, bool, int, float, np.bool_, np.integer, np.floating)
_MANY_ROWS = 1 << 14  # which are counted as they are, not copied as codes
_ROWS_OF_CLASS = 5  # with fewer rows a class, all may be predicted wrong by chance
NO_SAMPLES = "Samplewise metrics are not available outside of multilabel classification."


@dataclass(frozen=True, eq=False, slots=True)
class Labels:
    """Checked true and predicted labels.

    Parameters
    ----------
    kind : {"binary", "multiclass", "multilabel-indicator"}
        Kind of both columns together, in scikit-learn's terms.
    classes : ndarray of shape (K,)
        The classes that occur, sorted; output numbers for multilabel data.
    true, pred : ndarray of int64 of shape (n,), or bool array or CSR matrix of shape (n, K)
        Codes into ``classes``, or indicators.
    weight : ndarray of shape (n,) or None
    ordered : bool, tuple or None
        The classes from the lowest to the highest, if an ordered categorical declares all of them;
        True if they are listed in this order, None where two columns declare conflicting orders.
    absolute : bool
        Whether the weights are as the caller passed them, not rescaled.
    cache : dict
        Tallies of these labels, so that many metrics share one count.
    """

    kind: str
    classes: Array
    true: Any
    pred: Any
    weight: Array | None
    ordered: Order = False
    absolute: bool = True
    cache: dict[str, Any] = field(default_factory=dict, repr=False)

    @classmethod
    def check(
        cls,
        y_true: Any,
        y_pred: Any,
        *,
        sample_weight: Any = None,
        absolute: bool = False,
        names: tuple[str, str] = ("y_true", "y_pred"),
    ) -> Labels:
        """Check and encode; ``absolute`` keeps the weights unscaled, ``names`` appear in errors.

        Checked labels passed as both arguments are returned as they are; the cells of a confusion
        table are read as weighted rows.
        """
        if sample_weight is None and _are_plain(y_true, y_pred):
            classes, (true_codes, pred_codes) = kernels.encode(y_true, y_pred)
            return cls(kind_of(classes), classes, true_codes, pred_codes, None, False, absolute)
        checked = checked_before(cls, y_true, y_pred, None, sample_weight, absolute)
        if checked is not None:
            return checked
        if hasattr(y_true, "as_labels"):
            if y_pred is not y_true or sample_weight is not None:
                raise InvalidParameterError(
                    "A ConfusionTally holds y_true, y_pred and sample_weight: pass it in the place "
                    "of both y_true and y_pred, and no sample_weight."
                )
            return y_true.as_labels(absolute)
        columns, weight = read_rows(
            sample_weight, absolute, **dict(zip(names, (y_true, y_pred), strict=True))
        )
        true, pred = columns
        is_large = weight is None and true.values.shape[0] >= _MANY_ROWS
        is_coded = true.values.dtype == pred.values.dtype == np.int64  # or nearly
        has_table = is_large and not is_coded
        tabulated = kernels.tabulate(true.values, pred.values) if has_table else None
        if tabulated is not None:
            return CountedLabels.of(true, pred, *tabulated, absolute)
        (true_values, true_kind), (pred_values, pred_kind) = values_of(true), values_of(pred)
        if true_kind == pred_kind == "":
            return cls._encoded((true, true_values), (pred, pred_values), weight, absolute)
        if true_kind != pred_kind:
            kinds = " and ".join(label_values(column)[1] for column in columns)
            are_scores = kinds == "binary and continuous"
            raise (MixedTargetsError if are_scores else InvalidParameterError)(
                f"Classification metrics can't handle a mix of {kinds} targets ({names[0]} and "
                f"{names[1]}, in this order)."
            )
        if true_kind != MULTILABEL:
            raise InvalidParameterError(
                f"{true_kind} is not supported: {names[0]} and {names[1]} must hold class labels "
                "(integers, text, booleans) or multilabel indicators."
            )
        n_outputs = true_values.shape[1]
        if n_outputs != pred_values.shape[1]:
            raise InvalidParameterError(
                "Multi-label binary indicator input with different numbers of labels: "
                f"{names[0]} has {n_outputs} columns, {names[1]} {pred_values.shape[1]}."
            )
        marks = _alike(true_values, pred_values)
        return cls(MULTILABEL, np.arange(n_outputs), *marks, weight, absolute=absolute)

    @classmethod
    def _encoded(
        cls,
        true: tuple[Column, Any],
        pred: tuple[Column, Any],
        weight: Array | None,
        absolute: bool,
    ) -> Self:
        """Labels from two columns and their values."""
        classes, (true_codes, pred_codes) = encode_columns(true, pred)
        is_ordered = true[0].ordered or pred[0].ordered
        ordered = is_ordered and order_of(classes, [true[0].order, pred[0].order])
        return cls(kind_of(classes), classes, true_codes, pred_codes, weight, ordered, absolute)

    @property
    def is_multilabel(self) -> bool:
        return self.kind == MULTILABEL

    @property
    def n_rows(self) -> int:
        columns = self.cache.get("columns")
        return int(self.true.shape[0]) if columns is None else len(columns[0])

    @property
    def total_weight(self) -> Any:
        """Weight of all rows."""
        return self.n_rows if self.weight is None else self.weight.sum()

    def unweighted(self) -> Labels:
        """The rows with non-zero weight, as unweighted rows."""
        seen = slice(None) if self.weight is None else self.weight > 0
        return Labels(self.kind, self.classes, self.true[seen], self.pred[seen], None, self.ordered)

    def sharing_classes(self, listed: Any = None) -> Self:
        """These labels of a whole question; see `check_shared_classes`."""
        table = self.cache.get("confusion") if self.weight is None else None
        if self.is_multilabel:
            return self
        if not (self.true == self.pred if table is None else table.diagonal()).any():
            true, pred = (self.classes[np.unique(codes)] for codes in (self.true, self.pred))
            check_shared_classes(true, pred, self.n_rows, listed)
        return self

    def positions(self, labels: Any, *, once: bool = False) -> Array:
        """Index in ``classes`` of each of ``labels``, -1 if it does not occur.

        ``once`` refuses repeated classes, whose rows would count twice.
        """
        if labels is None:
            return np.arange(len(self.classes))
        wanted = read_labels(labels, once=once)
        if self.is_multilabel:
            return _output_numbers(wanted, len(self.classes))
        return positions_of_labels(wanted, self.classes)

    def restrict(self, labels: Any) -> Labels:
        """The rows whose true and predicted class are both in ``labels``; classes in its order."""
        if labels is None:
            return self
        wanted = read_labels(labels, once=True)
        positions_of_labels(wanted, self.classes)
        place = find_labels(self.classes, wanted)
        true, pred = place[self.true], place[self.pred]
        kept = (true >= 0) & (pred >= 0)
        weight = None if self.weight is None else self.weight[kept]
        return Labels(self.kind, wanted, true[kept], pred[kept], weight, ordered=True)

    def single_label(self, what: str) -> Labels:
        """These labels; multilabel data are refused."""
        if self.is_multilabel:
            raise InvalidParameterError(
                f"{self.kind} is not supported: {what} needs one label a row."
            )
        return self

    def outputs(self, positions: Array) -> Labels:
        """Multilabel data restricted to the outputs at these positions."""
        if not self.is_multilabel:
            raise InvalidParameterError(NO_SAMPLES)
        chosen = self.true[:, positions], self.pred[:, positions]
        return Labels(self.kind, self.classes[positions], *chosen, self.weight)

    def indicator_sums(self, axis: int) -> tuple[Array, Array, Array]:
        """Weight of common, true and predicted marks, summed over rows (0) or outputs (1)."""
        if hasattr(self.true, "indptr"):
            both, sums = self.true.multiply(self.pred), _sparse_sums
        else:
            both, sums = self.true & self.pred, _dense_sums
        return tuple(sums(part, axis, self.weight) for part in (both, self.true, self.pred))  # type: ignore[return-value]

    def row_hits(self) -> Array:
        """Whether each row is predicted correctly: all of its outputs, for multilabel data."""
        if not self.is_multilabel:
            return np.asarray(self.true == self.pred)
        if hasattr(self.true, "indptr"):
            both, true, pred = replace(self, weight=None).indicator_sums(axis=1)
            return np.asarray((both == true) & (both == pred))
        return np.asarray((self.true == self.pred).all(axis=1))


class CountedLabels(Labels):
    """Labels that were counted as they are: codes are made from the columns when they are read."""

    __slots__ = ()

    @classmethod
    def of(
        cls, true: Column, pred: Column, rows: Array, columns: Array, cells: Array, absolute: bool
    ) -> CountedLabels:
        """From the values of the rows and of the columns of a table, and its cells."""
        first, second = rows.astype(true.values.dtype), columns.astype(pred.values.dtype)
        labels = cls._encoded((true, first), (pred, second), None, absolute)
        table = np.zeros((len(labels.classes), len(labels.classes)), dtype=np.int64)
        np.add.at(table, np.ix_(labels.true, labels.pred), cells)
        labels.cache.update(columns=(true, pred), confusion=table)
        for name in ("true", "pred"):  # codes of the distinct values, not of rows
            object.__delattr__(labels, name)
        return labels

    def __getattr__(self, name: str) -> Any:
        """The codes, which are no attributes yet."""
        if name not in ("true", "pred"):
            raise AttributeError(name)
        true, pred = encode_columns(*((side, side.values) for side in self.cache["columns"]))[1]
        object.__setattr__(self, "true", true)
        object.__setattr__(self, "pred", pred)
        return getattr(self, name)


@dataclass(eq=False, slots=True)
class Target:
    """One column of true labels: its kind in scikit-learn's terms, and the codes of classes.

    ``ordered`` is the order of the classes that the column declared, as in `Labels`.
    """

    kind: str
    values: Any
    classes: Array
    codes: Array
    ordered: Order = False

    def in_order_of(self, labels: Any, response: str) -> Target:
        """The target with its classes in the order of ``labels``, sorted or not.

        It is the order of the response's columns; None leaves the target as it is.
        """
        if labels is None:
            return self
        classes = read_labels(labels)
        listed = classes.tolist()
        if listed == self.classes.tolist():
            return Target(self.kind, self.values, classes, self.codes, ordered=True)
        if len(set(listed)) != len(listed):
            raise InvalidParameterError(
                f"Parameter 'labels' must be unique, got {shown_labels(classes)}."
            )
        place = find_labels(self.classes, classes)
        missing = set(self.classes[place < 0].tolist())
        if missing:
            raise InvalidParameterError(
                f"y_true contains values {missing} not belonging to the passed labels "
                f"{listed}. ('y_true' contains labels not in parameter 'labels', so no "
                f"column of {response} is theirs.)"
            )
        return Target(self.kind, self.values, classes, place[self.codes], ordered=True)

    def two_classes(self, labels: Any, response: str) -> Target:
        """Like `in_order_of`, for the negative and the positive class."""
        target = self.in_order_of(labels, response)
        if labels is not None and len(target.classes) != 2:
            raise InvalidParameterError(
                f"labels must name the two classes of a binary problem, negative first, got "
                f"{shown_labels(target.classes)}."
            )
        return target


def read_target(column: Column) -> Target:
    """Kind of a column of labels, and codes where it holds classes."""
    if column.target is None:
        values, kind = values_of(column)
        classes, codes = np.empty(0), np.empty(0, dtype=np.int64)
        if not kind:
            classes, (codes,) = encode_columns((column, values))
        column.target = Target(kind or kind_of(classes), values, classes, codes, column.order)
    return column.target


def check_shared_classes(
    true: Array, pred: Array, n_rows: float, listed: Any = None, name: str = "y_pred"
) -> None:
    """Refuse predicted classes that are no true ones: other spellings, or many rows of others.

    ``listed`` are the classes that the user named, among which those of few rows may differ.
    """
    classes, found = true.tolist(), pred.tolist()
    if not set(classes).isdisjoint(found):
        return
    by_spelling = {_spelling(label): label for label in classes}
    pairs = [(label, by_spelling.get(_spelling(label))) for label in found]
    alike = next((pair for pair in pairs if pair[1] is not None), None)
    is_few = n_rows < _ROWS_OF_CLASS * (len(classes) + len(found))
    if alike is None and (is_few or listed is not None or min(len(classes), len(found)) < 2):
        return
    difference = "" if alike is None else f"; {alike[0]!r} and {alike[1]!r} {_difference(*alike)}"
    raise InvalidParameterError(
        f"No value of {name} is a true class: {shown_labels(pred)} are predicted, and "
        f"{shown_labels(true)} are true{difference}. Spell the classes alike in both columns."
    )


def _spelling(label: Any) -> Any:
    """A label without what spellings differ in: blanks, case, the form of a number."""
    text = " ".join(str(label).split()).casefold()
    try:
        return float(text)
    except ValueError:
        return text


def _difference(*labels: Any) -> str:
    """What two spellings of a class differ in."""
    texts = [" ".join(str(label).split()) for label in labels]
    if texts[0] == texts[1]:
        return "differ in blanks"
    same = texts[0].casefold() == texts[1].casefold()
    return "differ in case" if same else "differ in the form of a number, such as a decimal"


def _are_plain(y_true: Any, y_pred: Any) -> bool:
    """Whether both are arrays of one length that `kernels.encode` reads best: the common case."""
    return (
        type(y_true) is np.ndarray
        and type(y_pred) is np.ndarray
        and y_true.ndim == 1
        and y_true.shape == y_pred.shape
        and y_true.dtype.kind in "iu"
        and y_pred.dtype.kind in "iu"
        and y_true.size > 0
        and (y_true.size < _MANY_ROWS or y_true.dtype == y_pred.dtype == np.int64)
    )


def values_of(column: Column) -> tuple[Any, str]:
    """As `read_values`; integers and codes of categories are recognised fast."""
    values = column.values
    is_coded = type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "biu"
    return (values, "") if is_coded and values.size else read_values(column)


def read_labels(labels: Any, name: str = "labels", *, once: bool = False) -> Array:
    """The ``labels`` argument, in any container, as a 1-D array; ``once`` refuses repeats."""
    labels = to_host(labels, name)
    if type(labels) is np.ndarray and labels.dtype.kind in "biuU":
        values = labels
    elif isinstance(labels, str | bytes | Mapping) or not hasattr(labels, "__iter__"):
        raise InvalidParameterError(f"{name} must be a list of labels, got {labels!r:.60}.")
    elif hasattr(labels, "dtype") or hasattr(labels, "null_count"):  # arrays and columns
        column = read_column(labels, name)
        if column.is_sparse:
            raise InvalidParameterError(
                f"{name} must be a list of labels, got a sparse matrix of shape "
                f"{column.values.shape}: pass {name}.toarray().ravel()."
            )
        values = _listed(column.labels.tolist(), name)
    else:
        values = _listed(list(labels), name)
    if values.ndim != 1:
        raise InvalidParameterError(f"{name} must be 1-D, got an array of shape {values.shape}.")
    if len(values) == 0:
        raise InvalidParameterError(f"{name!r} should contain at least one label.")
    if once and len(set(values.tolist())) < len(values):
        raise InvalidParameterError(f"{name} names a class twice: {values.tolist()}.")
    return values


def _listed(items: list[Any], name: str) -> Array:
    """Labels as a NumPy array, of objects if text and numbers are mixed."""
    is_text = [isinstance(item, str) for item in items]
    try:
        values = np.array(items, dtype=object if any(is_text) and not all(is_text) else None)
    except ValueError:  # rows of unlike lengths
        values = np.array([items], dtype=object)
    for item in items if values.ndim == 1 else ():
        if not isinstance(item, _KINDS) or item != item:
            raise InvalidParameterError(
                f"{name} must hold integers, text or booleans, none of them missing, got "
                f"{item!r:.60} of type {type(item).__name__}."
            )
        if isinstance(item, int) and values.dtype.kind == "f" and abs(item) > EXACT:
            raise InvalidParameterError(
                f"{name} lists {item}, beyond 2**53, next to floats, which do not distinguish "
                "such integers: list integers only."
            )
    return values


def positions_of_labels(wanted: Array, classes: Array) -> Array:
    """Position of each label among the classes, -1 if absent; refuse labels of another type."""
    place = find_labels(wanted, classes)
    if len(classes) and len(place) and place.max() < 0 and _is_text(wanted) != _is_text(classes):
        kinds = ("text", "numbers") if _is_text(wanted) else ("numbers", "text")
        raise InvalidParameterError(
            f"labels holds {kinds[0]}, {wanted.tolist()[:10]}, and the classes are {kinds[1]}, "
            f"{classes.tolist()[:10]}: name them by the same type."
        )
    return place


def _is_text(values: Array) -> bool:
    return values.dtype.kind in "UOT" and all(isinstance(value, str) for value in values.tolist())


def _output_numbers(wanted: Array, n_outputs: int) -> Array:
    if wanted.dtype.kind not in "iu":
        raise InvalidParameterError(f"labels must be numbers of outputs, got {wanted.tolist()}.")
    largest, smallest = wanted.max(), wanted.min()
    if largest >= n_outputs or smallest < 0:
        found = f"{largest} > {n_outputs - 1}" if largest >= n_outputs else f"{smallest} < 0"
        raise InvalidParameterError(
            f"All labels must be in [0, n labels) for multilabel targets. Got {found}"
        )
    return wanted.astype(np.int64)


def _alike(true: Any, pred: Any) -> tuple[Any, Any]:
    """Both sets of marks as dense arrays, or as CSR matrices if one is sparse."""
    if isinstance(true, np.ndarray) and isinstance(pred, np.ndarray):
        return true, pred
    from scipy.sparse import csr_array

    sparse = [
        csr_array(marks) if isinstance(marks, np.ndarray) else marks for marks in (true, pred)
    ]
    return sparse[0], sparse[1]


def _dense_sums(marks: Array, axis: int, weight: Array | None) -> Array:
    """Weight of the marks of each column (axis 0) or row (axis 1)."""
    if weight is None:
        return np.asarray(marks.sum(axis=axis, dtype=np.int64))
    return marks.sum(axis=1) * weight if axis == 1 else marks.astype(weight.dtype).T @ weight


def _sparse_sums(marks: Any, axis: int, weight: Array | None) -> Array:
    """Like `_dense_sums`, from the indices of a CSR matrix of ones."""
    sizes = np.diff(marks.indptr).astype(np.int64)
    if axis == 1:
        return sizes if weight is None else sizes * weight
    weights = None if weight is None else np.repeat(weight, sizes)
    return kernels.bin_sums(marks.indices, marks.shape[1], weights)


def distinct_labels(y_true: Any, name: str = "y_true") -> Array | None:
    """The classes that occur; None for multilabel data."""
    (column,), _ = read_rows(None, False, **{name: y_true})
    target = read_target(column)
    return target.classes if target.kind in ("binary", "multiclass") else None


# --------------------------------------------------------------------------- checked data


def checked_before(
    kind: type[Any],
    y_true: Any,
    other: Any,
    labels: Any,
    sample_weight: Any,
    absolute: bool = False,
    *,
    converter: str | None = None,
) -> Any:
    """Checked data passed as both arguments, or None for raw ones.

    ``converter`` names a method of checked data of another kind that returns this kind.
    """
    if type(y_true) is np.ndarray:  # the usual case
        return None
    if isinstance(y_true, kind):
        checked = y_true
    elif converter is not None and hasattr(y_true, converter):
        checked = getattr(y_true, converter)()
    else:
        return None
    if other is not y_true or labels is not None or sample_weight is not None:
        raise InvalidParameterError(
            "Checked data hold y_true, the predictions, labels and sample_weight: pass them in the "
            "place of both arrays, without labels and sample_weight."
        )
    if absolute and not checked.absolute and checked.weight is not None:
        raise InvalidParameterError(
            "These data were checked for ratios, and their weights may have been rescaled: results "
            "in units of the weights (normalize=False) need the raw arrays."
        )
    checked.cache.setdefault("shared", True)  # tallies are worth keeping
    return checked


def response_name(checked: Any) -> str:
    """Name of the response in checked data, next to the true labels."""
    return next(name for name in ("pred", "score", "proba") if hasattr(checked, name))


def subset(checked: Any, rows: Array | slice) -> Any:
    """Some rows of checked data; labels keep only the classes that occur in them."""
    weight = None if checked.weight is None else checked.weight[rows]
    true, name = checked.true[rows], response_name(checked)
    other, classes, kind = getattr(checked, name)[rows], checked.classes, {}
    if name == "pred" and not checked.is_multilabel:
        used, (true, other) = kernels.encode(true, other)
        classes, kind = classes[used], {"kind": kind_of(used)}
    cache = {key: checked.cache[key] for key in ("ordered",) if key in checked.cache}
    fields = {"true": true, name: other, "weight": weight, "classes": classes, "cache": cache}
    return replace(checked, **fields, **kind)


def with_weight(checked: Any) -> Any:
    """The rows of checked data with non-zero weight."""
    if checked.weight is None or checked.weight.all():
        return checked
    return subset(checked, np.flatnonzero(checked.weight))


def same_positive(checked: Any, pos_label: Any) -> Any:
    """Checked data, unless ``pos_label`` is another class than the last of their two."""
    if pos_label is None or len(checked.classes) != 2 or pos_label == checked.classes[-1]:
        return checked
    raise InvalidParameterError(
        f"These data were checked with {checked.classes.tolist()[-1]!r} as the positive class, got "
        f"pos_label={pos_label!r}."
    )
