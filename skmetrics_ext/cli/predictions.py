"""Read a file of predictions: columns, classes and models, and the metrics that apply to each."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from skmetrics_ext.backends.engines import open_engine
from skmetrics_ext.backends.evaluation import read_bytes
from skmetrics_ext.backends.files import Files, columns_of, kind_of, open_files
from skmetrics_ext.cli.inputs import open_joined
from skmetrics_ext.cli.marks import (
    RIGHT,
    mark_columns,
    question_columns,
    tries_of,
    with_labels_at,
    with_marks,
)
from skmetrics_ext.cli.messages import log, names_in
from skmetrics_ext.cli.options import form_of
from skmetrics_ext.datasets.files import target_of, values_of
from skmetrics_ext.limits import BETWEEN
from skmetrics_ext.merged.columns import ColumnNames, read_part
from skmetrics_ext.registry import Metric, find
from skmetrics_ext.registry.defaults import FILE_METRICS, HEADINGS, OF_MARKS
from skmetrics_ext.registry.find import reads, registered_name, scorers, single_valued
from skmetrics_ext.requirements import Requirement
from skmetrics_ext.slices.group_columns import GroupColumns
from skmetrics_ext.tallies import ConfusionTally
from skmetrics_ext.validation.column_names import check_names, note_on_name
from skmetrics_ext.validation.positive import natural_positive, notes_on_confidence

ALL = "all"  # group of all rows
LARGE = 1 << 30  # bytes beyond which files are not read into memory
_SUM = 1e-6  # tolerance of sums of probabilities
_PAIR_SUM = 0.011  # of two columns that were rounded
_NEEDS = {"labels": "predicted labels: --pred", "scores": "scores: --score"}


@dataclass(frozen=True, slots=True)
class PredictedModel:
    """Predictions of one model.

    Parameters
    ----------
    name : str
        Names of the columns, as they are shown.
    columns : tuple of str
        One column; for scores of more than two classes one for each class, in their order.
    kind : {"labels", "probabilities", "values"}
        "values" are scores that are not probabilities.
    """

    name: str
    columns: tuple[str, ...]
    kind: str

    def fits(self, name: str) -> bool:
        """Whether a metric can be computed from these predictions."""
        return reads(find_metric(name).spec, self.kind)


@dataclass(frozen=True, eq=False, slots=True)
class Predictions:
    """A file of predictions, and the options of the command that reads it.

    Parameters
    ----------
    options : argparse.Namespace
    files : Files
        The rows, in memory unless they are many.
    requested : list of str or None
        Names of metrics in the options; None for the default.
    names : ColumnNames
        The columns that are read.
    classes : list
        Labels that occur, true or predicted.
    positive : object
        The positive class of two; None if it is not known.
    models : tuple of PredictedModel
    arrays : dict of str to ndarray
        Columns that were converted to arrays.
    applying : dict of str to dict
        Metrics that apply to each kind of predictions.
    """

    options: argparse.Namespace
    files: Files
    requested: list[str] | None
    names: ColumnNames
    classes: list[Any]
    positive: Any
    models: tuple[PredictedModel, ...]
    arrays: dict[str, Any] = field(default_factory=dict)
    applying: dict[str, dict[str, Metric]] = field(default_factory=dict)

    @classmethod
    def read(cls, options: argparse.Namespace, others: Sequence[str] | None = ()) -> Self:
        """Open the file of the options, and log how it was read.

        ``others`` are more columns; None stands for all of the file.
        """
        requested = requested_metrics(options)
        scores, preds = (tuple(dict.fromkeys(names)) for names in (options.score, options.pred))
        options.by, options.tries = list(dict.fromkeys(options.by)), ""
        if options.right and (scores or preds or options.target):
            raise ValueError("--right stands for target and predictions: leave out the others.")
        if not (scores or preds or options.right):
            raise ValueError("nothing to score: pass --score or --pred. (score takes --right too)")
        form = form_of(options)
        join, paths = options.join, options.paths
        if len(paths) == 1 and kind_of(paths[0]) == "csv" and Path(paths[0]).is_file():
            form = replace(form, separator=form.separator_of(paths[0]))  # found once
        columns = columns_of(paths if join is None else paths[0], form)
        for path in () if join is None else paths[1:]:
            columns += [name for name in columns_of(path, form) if name not in columns]
        scores = tuple(part for name in scores for part in parts_of(name, columns))
        if len(options.model) == 1:
            options.names[", ".join(scores)] = options.model[0][0]
        marks = mark_columns(options.right, columns)
        questions = question_columns(columns) if marks and not options.groups else []
        if marks and requested not in (None, [OF_MARKS]):
            raise ValueError(f"--right gives {OF_MARKS} alone: leave out other metrics.")
        requested = [OF_MARKS] if marks else requested
        preds = preds or tuple(dict.fromkeys(column for column, _ in marks.values()))
        target = preds[0] if marks else target_of(options.target, columns)
        roles = {target, *scores, *preds, options.weight, options.groups}
        others = [name for name in columns if name not in roles] if others is None else others
        pred, *more_preds = preds or (None,)
        known = [name for name in (options.proxy, options.sampling) if name]
        shown = (*known, *questions, *(others or options.by))
        further = GroupColumns((*more_preds, *shown), crossed=True)
        names = ColumnNames(target, scores, pred, options.weight, further, options.groups)
        if join is None:
            files = open_files(paths, names, form)
        else:
            files = open_joined(paths, names, join, form, drop=options.drop_missing)
        options.memory = options.memory or min(max(files.n_bytes, 1 << 26), LARGE)
        if (
            marks
            or known
            or options.threshold is not None
            or (not options.stream and files.n_bytes <= LARGE)
        ):
            files = files.hold(names.all)
        log(*files.form.notes)
        if options.drop_missing:
            kept = [*questions, target] if known else questions
            needed = [name for name in names.all if name not in kept]
            n_before, files = files.n_rows, files.without_missing(needed, kept)
            n_left = f"{n_before - (files.n_rows or 0):,} of {n_before:,} " if n_before else ""
            log(f"{n_left}rows left out for a missing value")
        if marks:
            files, preds = with_marks(files, marks), tuple(marks)
            options.groups, options.tries = tries_of(files, questions, options.groups)
            further = GroupColumns((*preds[1:], *shown), crossed=True)
            names = ColumnNames(RIGHT, (), preds[0], options.weight, further, options.groups)
        every = files
        if known:  # classes are those of the rows with a label
            if options.html:
                raise ValueError("--html draws rows with labels: leave it out, or --proxy.")
            others = [name for name in names.all if name != target]
            files = files.without_missing([target], others)
        listed = options.classes or None
        classes = _classes_of(files, names, preds, listed, read_bytes(options.memory))
        if options.classes:
            classes = _parse_classes(options.classes, classes)
        if scores and len(classes) == 1:
            raise ValueError(f"metrics of scores need two classes, and the file has {classes}.")
        positive = parse_positive(classes, options.positive)
        if scores and positive is not None:
            names = replace(names, score=_of_positive(files, names, classes, positive))
        by_model: dict[str, tuple[str, ...]] = {name: (name,) for name in names.score}
        if scores and len(classes) != 2:
            by_model = {", ".join(scores): tuple(columns_of_classes(scores, classes))}
        models = [
            PredictedModel(name, of_model, _kind_of_scores(files, names, of_model))
            for name, of_model in by_model.items()
        ]
        files = every
        if options.threshold is not None:
            cut = options.threshold, names.score, classes, positive
            files, columns_at = with_labels_at(files, *cut)
            models += [PredictedModel(name, (at,), "labels") for name, at in columns_at.items()]
        models += [PredictedModel(name, (name,), "labels") for name in preds]
        models = [replace(each, name=options.names.get(each.name, each.name)) for each in models]
        data = cls(options, files, requested, names, classes, positive, tuple(models))
        log(*data.doubts)
        return data

    @property
    def doubts(self) -> list[str]:
        """Notes on scores that may be those of the other class, or of the predicted one."""
        import pyarrow.compute as pc

        if len(self.classes) != 2 or self.positive is None:
            return []
        scored = [model for model in self.models if model.kind != "labels"]
        notes = [note_on_name(model.columns[0], self.classes, self.positive) for model in scored]
        if self.in_memory:
            predicted = [len(pc.unique(self._stored(name))) for name in self.options.pred]
            for model in scored:
                lowest = pc.min(self._stored(model.columns[0])).as_py()
                notes += notes_on_confidence(lowest, max(predicted, default=0), repr(model.name))
        return notes

    @property
    def note(self) -> str:
        """Says why metrics are left out: no positive class, or no probabilities; "" if none is."""
        responses = {find_metric(name).spec.response for name in self.requested or ()}
        values = [model.name for model in self.models if model.kind == "values"]
        note = note_no_positive_class(self.classes, self.positive)
        if values and (self.requested is None or "probabilities" in responses):
            note += (
                f"the scores in {', '.join(values)} are no probabilities, which lie between 0 and "
                "1, in total 1: metrics of probabilities are left out."
            )
        return note

    @property
    def in_memory(self) -> bool:
        """Whether the rows are in memory."""
        return self.files.held is not None

    @property
    def positive_last(self) -> list[Any]:
        """The classes in order, but the positive one last."""
        return sorted(self.classes, key=lambda label: bool(label == self.positive))

    @property
    def true(self) -> Any:
        """The true classes as an array."""
        return self.column(self.names.true)

    @property
    def weight(self) -> Any:
        """The weights as an array; None without weights."""
        return self.column(self.names.weight)

    @property
    def groups(self) -> Any:
        """The groups of rows as an array; None without groups."""
        return self.column(self.options.groups)

    def column(self, name: str | None) -> Any:
        """Values of a column as an array; None for no column."""
        if name is None:
            return None
        if name not in self.arrays:
            self.arrays[name] = values_of(self._stored(name))
        return self.arrays[name]

    def _stored(self, name: str) -> Any:
        """A column of Arrow."""
        return self.files.reader((name,)).read_all()[name]

    def columns_of(self, model: PredictedModel) -> dict[str, Any]:
        """Columns of a model as arguments of `evaluate`: pred, score, or score by class."""
        if model.kind == "labels":
            return {"pred": model.columns[0]}
        if len(self.classes) == 2:
            return {"score": model.columns[0]}
        return {"score": dict(zip(self.classes, model.columns, strict=True))}

    def response(self, model: PredictedModel) -> Any:
        """Predictions of a model: one array, or a matrix with a column for each class."""
        columns = [self.column(name) for name in model.columns]
        return columns[0] if len(columns) == 1 else np.column_stack(columns)

    # ----------------------------------------------------------------------- metrics

    def check_fit(
        self, models: Sequence[PredictedModel], names: Sequence[str] | None = None
    ) -> None:
        """Reject metrics without predictions, by default those of the options, and scores of an
        unknown class; log why other metrics are left out.
        """
        for name in (self.requested or ()) if names is None else names:
            if not any(model.fits(name) for model in models):
                response = find_metric(name).spec.response
                needs = _NEEDS.get(response, "probabilities, and the scores are not")
                raise ValueError(f"{name} needs {needs}.")
            self.class_arguments(find_metric(name))  # may need a positive class
        if self.names.score and len(self.classes) == 2 and self.positive is None:
            column, choices = self.names.score[0], _choices(self.classes)
            raise ValueError(f"no positive class: {choices}, whose scores {column!r} holds.")
        log(self.note)

    def metrics_of(self, model: PredictedModel, *, every: bool = False) -> dict[str, Metric]:
        """Metrics of a model in the order of their headings: those of the options, a few, or all.

        Without a positive class the defaults leave out metrics of one class; metrics of the
        options raise an error that asks for it.
        """
        if self.requested is not None:
            metrics = {name: find_metric(name) for name in self.requested if model.fits(name)}
        else:
            required = required_metrics(self.options)
            is_open = len(self.classes) == 2 and self.positive is None
            if model.kind not in self.applying:
                self.applying[model.kind] = single_valued(model.kind, self.classes)
            metrics = {
                name: metric
                for name, metric in self.applying[model.kind].items()
                if (every or name in FILE_METRICS or name in required)
                and not (is_open and metric.sides == "one")
            }
        if self.options.threshold is not None:
            at = {"threshold": self.options.threshold}
            for name, metric in metrics.items():
                if metric.takes("threshold") and metric.name == metric.spec.name:
                    metrics[name] = metric.with_params(**at)
        order = list(HEADINGS)
        by_kind = sorted(metrics, key=lambda name: order.index(metrics[name].spec.response))
        return {name: self._settled(metrics[name]) for name in by_kind}

    def _settled(self, metric: Metric) -> Metric:
        """A metric of the positive class, if it has one."""
        return metric.settled(self.classes, self.positive)

    def class_arguments(self, metric: Metric) -> dict[str, Any]:
        """The positive class of two, or the order of both, whichever a metric takes."""
        if len(self.classes) != 2:
            return {}
        positive = self._settled(metric).params.get("pos_label")
        if positive is not None:
            return {"pos_label": positive}
        if metric.spec.response == "probabilities":
            return {"labels": self.positive_last}
        return {}


def _parse_classes(texts: Sequence[str], occurring: Sequence[Any]) -> list[Any]:
    """Convert the text of all classes to the type of those in the file."""
    by_text = {str(label): label for label in occurring}
    kind = type(occurring[0])
    booleans = {"False": False, "True": True} if kind is bool else {}
    try:
        classes = [{**booleans, **by_text}.get(text, kind(text)) for text in texts]
    except ValueError:
        classes = []
    if {str(label) for label in classes} != set(texts) or not by_text.keys() <= set(texts):
        raise ValueError(
            f"--classes must list all classes; the file has {list(occurring)}, got {list(texts)}"
        )
    return classes


def _classes_of(
    files: Files, names: ColumnNames, preds: Sequence[str], listed: Any, most_bytes: int
) -> list[Any]:
    """Labels that occur, true or predicted, in rows whose weight is not 0."""
    tables: list[Any] = []
    for pred in preds or (None,):
        labels = ColumnNames(names.true, (), pred, names.weight)
        engine = open_engine(files, labels, "auto", most_bytes)
        try:
            of_pred = list(engine.survey(False).sums.tables.values())
        finally:
            engine.close()
        if pred is not None and of_pred:
            ConfusionTally.combine(of_pred).check_shared_classes(listed, f"--pred {pred}")
        tables += of_pred
    classes = np.unique(np.concatenate([table.classes for table in tables] or [np.zeros(0)]))
    if not len(classes):
        raise ValueError(f"{files.path!r} has no rows with a weight above 0.")
    return list(classes.tolist())


def _of_positive(files: Files, names: ColumnNames, classes: list[Any], positive: Any) -> Any:
    """Columns with scores of the positive class of two, which chooses from a pair of both."""
    columns = names.score
    with suppress(ValueError):  # names that are not those of the classes
        pair = tuple(columns_of_classes(columns, classes))
        if len(columns) == 2 and _kind_of_scores(files, names, pair, _PAIR_SUM) != "values":
            columns = (pair[classes.index(positive)],)
            log(f"{' and '.join(pair)} are probabilities of both classes: {columns[0]} is read")
    for name in columns:
        check_names([name], [positive], "--score", classes, "name its class with --positive")
    return columns


def _kind_of_scores(
    files: Files, names: ColumnNames, columns: tuple[str, ...], tolerance: float = _SUM
) -> str:
    """Whether scores are "probabilities", or "values" because a row cannot be probabilities."""
    needed = ColumnNames(names.true, columns)
    for batch, location in files.rows(needed.all):
        values = read_part(batch, needed, location).score if batch.num_rows else None
        if values is None:
            continue
        sums = values.sum(axis=1) if len(columns) > 1 else np.ones(len(values))
        if values.min() < 0 or values.max() > 1 or np.abs(sums - 1).max() > tolerance:
            return "values"
    return "probabilities"


def parts_of(name: str, columns: Sequence[str]) -> list[str]:
    """The columns of a list of scores, which are ``name_0``, ``name_1``, ...; else the name."""
    parts = [each for each in columns if each.rpartition("_")[0] == name]
    numbered = [each for each in parts if each.rpartition("_")[2].isdecimal()]
    return numbered if name not in columns and numbered else [name]


def parse_positive(classes: Sequence[Any], text: str | None) -> Any:
    """The positive class of two, by its text or by the common rule; None if it is not known."""
    if len(classes) != 2:
        return None
    if text is None:
        return natural_positive(classes)
    for label in classes:
        whole = f"{label:g}" if isinstance(label, float) else ""  # a column with gaps holds floats
        if text.strip() in (str(label).strip(), whole):
            return label
    raise ValueError(f"--positive has to be one of {list(classes)}, got {text!r}")


def note_no_positive_class(classes: Sequence[Any], positive: Any) -> str:
    """Says how to choose the positive class; "" if it is known or there are not two classes."""
    if len(classes) != 2 or positive is not None:
        return ""
    text = _choices(classes)
    return f"no positive class: metrics of one class are left out. {text[0].upper()}{text[1:]}."


def _choices(classes: Sequence[Any]) -> str:
    return f"pass --positive {classes[1]} or --positive {classes[0]}"


def columns_of_classes(columns: Sequence[str], classes: Sequence[Any]) -> list[str]:
    """The column of each class: named by the class, or ending in ``_class``."""
    ordered = []
    for label in classes:
        matches = [c for c in columns if c == str(label) or c.endswith(f"_{label}")]
        if len(matches) != 1:
            problem = f"are {matches}" if matches else "is none"
            raise ValueError(
                f"{len(classes)} classes need a column of scores each, named by the class or "
                f"ending in _class; for {label!r} there {problem} among {list(columns)}."
            )
        ordered.append(matches[0])
    return ordered


# --------------------------------------------------------------------------- metrics


def requested_metrics(options: argparse.Namespace) -> list[str] | None:
    """Names of metrics in the options, checked before any data are read; None for the default."""
    if options.all and options.metrics:
        raise ValueError("--all and --metrics both choose the metrics: pass one of them.")
    required = required_metrics(options)
    names = list(dict.fromkeys(map(_own_name, names_in(options.metrics))))
    for name in (*names, *required):
        find_metric(name)
    return list(dict.fromkeys([*names, *required])) if names else None


def required_metrics(options: argparse.Namespace) -> list[str]:
    """Metrics of the requirements, which are always computed."""
    metrics: list[str] = []
    for text in options.require:
        last_words = (part.split()[-1:] for part in BETWEEN.split(text.replace("/", " ")))
        words = [_own_name(word) for part in last_words for word in part]
        named = [n for n in words if {n, f"neg_{n}"} & scorers().keys()]
        metrics += named if len(named) > 1 else [_own_name(Requirement.parse(text).metric)]
    return metrics


def _own_name(name: str) -> str:
    """The name of a metric, from a synonym or a scorer; losses are not negated."""
    return registered_name(name).removeprefix("neg_")


def find_metric(name: str) -> Metric:
    """A metric by its own or a scorer's name; losses are not negated."""
    metric = find(name.removeprefix("neg_"))
    if metric.spec.is_table or metric.spec.ranks_labels:
        raise ValueError(f"{name!r} has no single value for rows with one class each.")
    return metric
