"""A file of predictions: its columns, classes and models, and the metrics that apply to each."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from skmetrics_ext.backends.engines import open_engine
from skmetrics_ext.backends.evaluation import read_bytes
from skmetrics_ext.backends.files import Files, columns_of, open_files
from skmetrics_ext.cli.messages import log, names_in
from skmetrics_ext.cli.options import form_of
from skmetrics_ext.datasets.files import target_of, values_of
from skmetrics_ext.merged.columns import ColumnNames, read_part
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.registry.defaults import HEADINGS, OF_FILES
from skmetrics_ext.registry.find import reads, single_valued
from skmetrics_ext.requirements import Requirement
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.validation.positive import natural_positive

ALL = "all"  # group of all rows
LARGE = 1 << 30  # bytes beyond which files are not read into memory
_SUM = 1e-6  # tolerance of sums of probabilities
_NEEDS = {"labels": "predicted labels: --pred", "scores": "scores: --score"}


@dataclass(frozen=True, slots=True)
class PredictedModel:
    """Columns that one model has predicted.

    Parameters
    ----------
    name : str
        The columns, as they are shown.
    columns : tuple of str
        One, or of scores of more than two classes one for each, in their order.
    holds : {"labels", "probabilities", "values"}
        "values" are scores that are no probabilities.
    """

    name: str
    columns: tuple[str, ...]
    holds: str

    def fits(self, name: str) -> bool:
        """Whether a metric can be computed from these columns."""
        return reads(find_metric(name).spec, self.holds)


@dataclass(frozen=True, eq=False, slots=True)
class Predictions:
    """A file of predictions.

    Parameters
    ----------
    files : Files
        Its rows, in memory unless they are many.
    names : ColumnNames
        Its columns.
    classes : list
        Labels that occur, true or predicted.
    positive : object
        The positive class of two; None where it is not known.
    models : tuple of PredictedModel
    """

    files: Files
    names: ColumnNames
    classes: list[Any]
    positive: Any
    models: tuple[PredictedModel, ...]

    def column(self, name: str | None) -> Any:
        """Values of a column as an array; None for no column."""
        if name is None:
            return None
        return values_of(self.files.reader((name,)).read_all()[name])

    @property
    def note(self) -> str:
        """A line about metrics that are left out for want of a positive class."""
        return note_no_positive_class(self.classes, self.positive, bool(self.names.score))


def read_predictions(
    options: argparse.Namespace, others: Sequence[str] = (), listed: Sequence[str] = ()
) -> Predictions:
    """Open the file that the options name, and tell on stderr what was assumed.

    ``others`` are columns to read with the others, ``listed`` all classes that may occur, in order.
    """
    scores, preds = (tuple(dict.fromkeys(names)) for names in (options.score, options.pred))
    if not scores and not preds:
        raise ValueError("nothing to score: pass --score or --pred.")
    more = GroupColumns((*preds[1:], *(others or options.by)), crossed=True)
    form = form_of(options)
    target = target_of(options.target, columns_of(options.file, form))
    columns = preds[0] if preds else None, options.weight, more, options.groups
    names = ColumnNames(target, scores, *columns)
    files = open_files(options.file, names, form)
    if not options.stream and sum(Path(file).stat().st_size for file in files.files) <= LARGE:
        files = files.hold(names.all)
    log(*files.form.notes)
    if options.drop_missing:
        before, files = files.n_rows, files.without_missing(names.all)
        counted = "" if before is None else f"{before - (files.n_rows or 0):,} of {before:,} "
        log(f"{counted}rows left out for a missing value")
    else:
        roles = (names.true, *scores, *preds, options.weight, options.groups, *others)
        files = files.name_missing([name for name in options.by if name not in roles])
    most_bytes = read_bytes(options.memory)
    classes = _classes(files, names, preds, most_bytes)
    if listed:
        classes = _listed_classes(listed, classes)
    positive = chosen_positive(classes, options.positive)
    models: list[PredictedModel] = []
    if scores and len(classes) == 2:
        models = [PredictedModel(name, (name,), _held_by(files, names, (name,))) for name in scores]
    elif scores:
        ordered = tuple(columns_of_classes(scores, classes))
        models = [PredictedModel(", ".join(scores), ordered, _held_by(files, names, ordered))]
    models += [PredictedModel(name, (name,), "labels") for name in preds]
    return Predictions(files, names, classes, positive, tuple(models))


def _listed_classes(texts: Sequence[str], occurring: Sequence[Any]) -> list[Any]:
    """Classes given as text, in the type of those that occur in the file."""
    known = {str(label): label for label in occurring}
    kind = type(occurring[0])
    both = {"False": False, "True": True} if kind is bool else {}
    try:
        listed = [{**both, **known}.get(text, kind(text)) for text in texts]
    except ValueError:
        listed = []
    if {str(label) for label in listed} != set(texts) or not known.keys() <= set(texts):
        raise ValueError(
            f"--classes has to list all classes, and those of the file are {list(occurring)}; "
            f"got {list(texts)}"
        )
    return listed


def _classes(files: Files, names: ColumnNames, preds: Sequence[str], most_bytes: int) -> list[Any]:
    """Labels that occur, true or predicted, in rows with weight."""
    tables: list[Any] = []
    for place in range(max(len(preds), 1)):
        pred = preds[place] if preds else None
        labels = ColumnNames(names.true, (), pred, names.weight)
        engine = open_engine(files, labels, "auto", most_bytes)
        try:
            tables += engine.survey(False).sums.tables.values()
        finally:
            engine.close()
    classes = np.unique(np.concatenate([table.classes for table in tables] or [np.zeros(0)]))
    if not len(classes):
        raise ValueError(f"{files.path!r} has no rows with weight.")
    return list(classes.tolist())


def _held_by(files: Files, names: ColumnNames, columns: tuple[str, ...]) -> str:
    """Whether columns of scores are probabilities; one row decides that they are not."""
    wanted = ColumnNames(names.true, columns)
    for batch, place in files.rows(wanted.all):
        values = read_part(batch, wanted, place).score if batch.num_rows else None
        if values is None:
            continue
        sums = values.sum(axis=1) if len(columns) > 1 else np.ones(len(values))
        if values.min() < 0 or values.max() > 1 or np.abs(sums - 1).max() > _SUM:
            return "values"
    return "probabilities"


def chosen_positive(classes: Sequence[Any], text: str | None) -> Any:
    """The positive class of two; None if it is not known. Text is matched with labels as text."""
    if len(classes) != 2:
        return None
    if text is None:
        return natural_positive(classes)
    for label in classes:
        if str(label) == text:
            return label
    raise ValueError(f"--positive has to be one of {list(classes)}, got {text!r}")


def note_no_positive_class(classes: Sequence[Any], positive: Any, scores: bool = False) -> str:
    """A line that says how to choose between two classes; "" where nothing is open."""
    if len(classes) != 2 or positive is not None:
        return ""
    first, last = classes
    taken = f" Scores are read as those of {last!r}." if scores else ""
    return (
        f"no positive class: metrics of one class are left out.{taken} "
        f"Pass --positive {last} or --positive {first}."
    )


def columns_of_classes(columns: Sequence[str], classes: Sequence[Any]) -> list[str]:
    """The column of each class: named by the class, or ending in ``_class``."""
    order = []
    for label in classes:
        fits = [c for c in columns if c == str(label) or c.endswith(f"_{label}")]
        if len(fits) != 1:
            which = f"are {fits}" if fits else "is none"
            raise ValueError(
                f"{len(classes)} classes need a column of scores each, named by the class or "
                f"ending in _class; for {label!r} there {which} among {list(columns)}."
            )
        order.append(fits[0])
    return order


# --------------------------------------------------------------------------- metrics


def asked_metrics(options: argparse.Namespace) -> list[str] | None:
    """Names that were asked for, checked before any data are read; None for the default."""
    if options.all and options.metrics:
        raise ValueError("--all and --metrics both choose the metrics: pass one of them.")
    required = required_metrics(options)
    names = names_in(options.metrics) if options.metrics else []
    for name in (*names, *required):
        find_metric(name)
    return list(dict.fromkeys([*names, *required])) if names else None


def required_metrics(options: argparse.Namespace) -> list[str]:
    """Metrics of the requirements, which are computed whatever else is."""
    return [Requirement.parse(text).metric for text in options.require]


def find_metric(name: str) -> Metric:
    """A metric by its name or that of a scorer; losses are not negated."""
    metric = find(name.removeprefix("neg_"))
    if metric.spec.is_table or metric.spec.ranks_labels:
        raise ValueError(f"{name!r} has no single value for rows with one class each.")
    return metric


def check_fit(names: Sequence[str] | None, models: Sequence[PredictedModel]) -> None:
    """Refuse a metric that no column fits."""
    for name in names or ():
        if not any(model.fits(name) for model in models):
            response = find_metric(name).spec.response
            needs = _NEEDS.get(response, "probabilities, and no column of scores holds them")
            raise ValueError(f"{name} needs {needs}.")


def applicable_metrics(
    options: argparse.Namespace, data: Predictions, model: PredictedModel, *, every: bool = False
) -> dict[str, Metric]:
    """Metrics of a model in the order of their headings: the named ones, a few, or all.

    Metrics of one class are among the defaults only if the positive class is known; named ones
    raise an error that asks for it.
    """
    classes, positive = data.classes, data.positive
    names, required = asked_metrics(options), required_metrics(options)
    if names is not None:
        metrics = {name: find_metric(name) for name in names if model.fits(name)}
    else:
        metrics = {
            name: metric
            for name, metric in single_valued(model.holds, classes).items()
            if (every or name in OF_FILES or name in required)
            and (len(classes) > 2 or metric.sides != "one" or positive is not None)
        }
    order = list(HEADINGS)
    by_kind = sorted(metrics, key=lambda name: order.index(metrics[name].spec.response))
    return {name: metrics[name].settled(classes, positive) for name in by_kind}
