"""Kinds of curves: how each is read from rows, and which of its columns are drawn."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, ClassVar, Self

import numpy as np

from skmetrics_ext.curve_tables.lines import (
    MEAN,
    BandSpec,
    Kind,
    Line,
    LineTable,
    MetricRows,
    binary_problems,
    without_undefined_warnings,
)
from skmetrics_ext.curve_tables.parts import AskedParts, Part, joined
from skmetrics_ext.curves import Curves, precision_recall_curves, roc_curves
from skmetrics_ext.inference.bands import BANDS
from skmetrics_ext.inference.calibration_intervals import (
    calibration_curve_binned,
    calibration_slope_intercept,
    consistency_band,
)
from skmetrics_ext.metrics.calibration.binning import STRATEGIES, CalibrationCurve
from skmetrics_ext.metrics.calibration.calibration_error import expected_calibration_error
from skmetrics_ext.metrics.calibration.decomposition import corp_decomposition, isotonic
from skmetrics_ext.metrics.probabilities.losses import brier_score_loss
from skmetrics_ext.metrics.rankings import gains, risk_coverage
from skmetrics_ext.metrics.rankings.net_benefit import net_benefit, net_benefit_curve
from skmetrics_ext.metrics.rankings.operating_points import (
    precision_at_recall,
    sensitivity_at_specificity,
)
from skmetrics_ext.metrics.rankings.precision_recall import average_precision_score
from skmetrics_ext.metrics.rankings.roc_auc import roc_auc_score
from skmetrics_ext.numeric import Array
from skmetrics_ext.registry import find
from skmetrics_ext.registry.defaults import RATES
from skmetrics_ext.tallies import RankTally
from skmetrics_ext.thresholds.at_thresholds import LabelledRows, Objective
from skmetrics_ext.thresholds.search import best_over_folds
from skmetrics_ext.validation import InvalidParameterError, Scores, check_option

STANDARDIZED = "Standardized net benefit"
TOP = "top label"
_ISOTONIC = "isotonic"
_N_BARS = 20
_AREA = partial(roc_auc_score, multi_class="ovr")
_ROC_BAND = BandSpec(
    partial(sensitivity_at_specificity, method="interpolated"), x=lambda at: 1 - at
)
_PR_BAND = BandSpec(partial(precision_at_recall, method="interpolated"))


def _lines(curves: Curves, metric: Any, band: BandSpec) -> list[Line]:
    return [
        Line(name, curve.columns(), curve.area, metric=metric, band=band)
        for name, curve in curves.named().items()
    ]


class Roc(Kind):
    """True over false positive rate."""

    x, y, averaged = "fpr", "tpr", ("tpr",)
    x_label, y_label = "False positive rate (1 − specificity)", "True positive rate (recall)"
    value_name = "AUC"
    side = "either"
    grid = np.append(0.0, np.linspace(0, 1, 101))  # twice 0, for the rise from the corner
    reading: ClassVar = {"drop_intermediate": True}

    @classmethod
    def read(cls, rows: Any, **options: Any) -> list[Line]:
        """The curves of all classes and their averages."""
        return _lines(roc_curves(rows, rows, **options), _AREA, _ROC_BAND)

    @classmethod
    def at(cls, line: Line, column: str, grid: Array) -> Array:
        """Interpolate a column; at the first of two equal abscissas the curve is in its corner."""
        values = super().at(line, column, grid)
        if grid[0] == grid[1]:
            values[0] = 0.0
        return values


class PrecisionRecall(Kind):
    """Precision over recall."""

    has_steps = True
    x, y, averaged = "recall", "precision", ("precision",)
    x_label, y_label = "Recall", "Precision"
    value_name = "AP"
    reading: ClassVar = {"drop_intermediate": False}

    @classmethod
    def read(cls, rows: Any, **options: Any) -> list[Line]:
        """The curves of all classes and their averages."""
        curves = precision_recall_curves(rows, rows, **options)
        return _lines(curves, average_precision_score, _PR_BAND)

    @classmethod
    def at(cls, line: Line, column: str, grid: Array) -> Array:
        """The value at the highest threshold that reaches each recall."""
        return line.columns[column][np.searchsorted(line.columns["recall"], grid)]

    @classmethod
    def chance(cls, lines: Iterable[Line]) -> float:
        """The precision if every row is predicted positive, averaged over folds.

        Their mean curve stops before, at the highest threshold of recall 1.
        """
        return float(
            np.mean([line.columns["precision"][-1] for line in lines if line.fold != MEAN])
        )


class Gain(Kind):
    """Share of the positives among the best-scored share of the rows."""

    x, y, averaged = "rate", "gain", ("gain", "perfect")
    x_label = "Share of the rows predicted positive"
    y_label = "Share of the positives found (recall)"
    value_name = "gain capture"

    @classmethod
    def line(cls, label: Any, problem: Any) -> Line:
        """The gain of a class."""
        curve = gains.gain_curve(problem, problem)
        columns = {"threshold": curve.thresholds, **curve.columns(), "perfect": perfect_gain(curve)}
        band = BandSpec(gains.lift_score, y=lambda rate, lift: rate * lift)
        capture = float(gains.gain_capture_score(problem, problem))
        return Line(label, columns, capture, metric=gains.gain_capture_score, band=band)


def perfect_gain(curve: gains.GainCurve) -> Array:
    """Gain of a ranking with all positives first."""
    return np.minimum(curve.rate / max(curve.prevalence, 1e-300), 1.0)


class Lift(Kind):
    """Prevalence among the best-scored share of the rows, relative to all rows."""

    x, y, averaged = "rate", "lift", ("lift", "perfect")
    x_label, y_label = "Share of the rows predicted positive", "Lift"
    bounds = (0.0, np.inf)
    grid = np.linspace(0.01, 1, 100)  # undefined where no row is predicted positive
    reading: ClassVar = {"at": 0.1}

    @classmethod
    def line(cls, label: Any, problem: Any, *, at: float) -> Line:
        """The lift of a class."""
        curve = gains.lift_curve(problem, problem)
        prevalence = float(np.average(problem.true, weights=problem.weight))
        perfect = 1 / np.maximum(curve.rate, prevalence)
        columns = {"threshold": curve.thresholds, **curve.columns(), "perfect": perfect}
        metric = partial(gains.lift_score, fraction=at)
        value = float(metric(problem, problem))
        return Line(label, columns, value, metric=metric, band=BandSpec(gains.lift_score))

    @classmethod
    def name_of_value(cls, line: Line) -> str:
        """The lift and the share of the rows at which it is read."""
        return "" if line.metric is None else f"lift at {line.metric.keywords['fraction']:.4g}:"


class RiskCoverage(Kind):
    """Error rate of the answered rows over the share that a model answers."""

    x, y, averaged = "coverage", "risk", ("risk",)
    x_label, y_label = "Coverage (share of the rows answered)", "Risk (share of errors)"
    value_name = "AURC"

    @classmethod
    def line(cls, label: Any, problem: Any) -> Line:
        """The risk of the rows with the highest confidence."""
        columns = risk_coverage.curve_of(problem).columns()
        return Line(label, columns, risk_coverage.aurc(problem, problem))


class Decision(Kind):
    """Net benefit over the threshold probability."""

    methods = ("predict_proba",)
    x, y, averaged = "threshold", "net_benefit", ("net_benefit", "treat_all")
    x_label, y_label = "Threshold probability", "Net benefit"
    bounds = (-np.inf, 1.0)
    reading: ClassVar = {"thresholds": None, "prevalence": None, "standardized": False, "at": None}
    of_rows: ClassVar = {**Kind.of_rows, "difference": False}

    @classmethod
    def line(
        cls, label: Any, problem: Any, *, thresholds: Any, at: float | None, **options: Any
    ) -> Line:
        """The net benefit of a class, next to treating all."""
        curve = net_benefit_curve(problem, problem, thresholds=thresholds, **options)
        metric = partial(net_benefit, **options)
        line = Line(label, curve.columns(), band=BandSpec(metric, at=curve.thresholds))
        if at is None:
            return line
        metric = partial(metric, threshold=at)
        return replace(line, metric=metric, value=float(metric(problem, problem)))

    @classmethod
    def table(cls, asked: AskedParts, **options: Any) -> LineTable:
        """Lines of rows or of folds, with the name of the ordinate."""
        table = super().table(asked, **options)
        table.y_label = STANDARDIZED if options.get("standardized") else cls.y_label
        if options.get("difference"):
            table.y_label = f"Difference in {table.y_label.lower()}"
        return table

    @classmethod
    def table_of_rows(  # type: ignore[override]
        cls,
        scored: Mapping[Any, list[Part]],
        *,
        at: float | None,
        difference: bool,
        **options: Any,
    ) -> LineTable:
        """Lines of all rows, or the difference of two models."""
        rows = [joined(parts).scores for parts in scored.values()]
        first, band = rows[0], options["band"]
        if at is None and first.kind == "binary":
            share = options["prevalence"]
            share = np.average(first.true, weights=first.weight) if share is None else share
            at = float(np.clip(np.round(share, 2), 0.01, 0.99))
        options["at"] = at
        if not difference:
            return super().table_of_rows(scored, **options)
        if len(rows) != 2 or first.kind != "binary" or band == BANDS[1]:
            raise InvalidParameterError(
                "difference=True draws two models of two classes with a pointwise band, got "
                f"{len(rows)} of {len(first.classes)}: pass them as a mapping of names to "
                "probabilities."
            )
        table = super().table_of_rows(scored, **{**options, "band": None})
        design = {key: options[key] for key in ("confidence_level", "groups")}
        return cls._difference(table, rows, None if band is None else design)

    @classmethod
    def _difference(
        cls, table: LineTable, rows: list[Any], design: Mapping[str, Any] | None
    ) -> LineTable:
        """Replace the lines of two models by their difference.

        Its band holds the intervals of `compare` with the options ``design``, if they are given.
        """
        first, second = table.lines
        columns = {cls.x: first.columns[cls.x]}
        columns[cls.y] = first.columns[cls.y] - second.columns[cls.y]
        if design is not None:
            one, other = (MetricRows.of(first, part, design) for part in rows)
            bounds = []
            for threshold in columns[cls.x].tolist():
                metric = partial(first.band.metric, threshold=threshold)
                _, low, high = one._replace(metric=metric).compared_with(other)
                bounds.append((low, high))
            columns["low"], columns["high"] = np.transpose(bounds)
        models = f"{first.model} − {second.model}"
        table.lines = (Line(first.curve, columns, model=models, metric=first.metric),)
        return table

    @classmethod
    def name_of_value(cls, line: Line) -> str:
        """The net benefit and the threshold at which it is read."""
        if line.metric is None:
            return ""
        return f"net benefit at {line.metric.keywords['threshold']:.4g}:"

    @classmethod
    def grid_of(cls, lines: list[Line]) -> Array:
        """The thresholds, which all folds share."""
        return lines[0].columns["threshold"]


class Threshold(Kind):
    """Metrics of labels over the threshold at and above which a row is predicted positive."""

    has_steps = True
    x, y, averaged = "threshold", "value", ("value",)
    x_label, y_label = "Threshold (scores at or above it are predicted positive)", "Value"
    bounds = (-np.inf, np.inf)
    reading: ClassVar = {"metrics": None, "criterion": None}

    @classmethod
    def table(cls, asked: AskedParts, *, criterion: Any = None, **options: Any) -> LineTable:
        """Lines of rows or of folds, with the threshold that is best on average over folds."""
        table = super().table(asked, **options)
        if criterion is None:
            return table
        objective = Objective.make(criterion, None, None, None)
        table.criterion = objective.criterion.name
        for name, parts in asked.models.items():
            folds = [part.read(asked.request) for part in parts]
            drawn = [f for f in folds if not {f.fold, (name, f.fold)} & table.undefined.keys()]
            tallies = [RankTally.of_class(f.scores) for f in drawn if f.scores is not None]
            table.best[name] = best_over_folds(tallies, objective).threshold
        return table

    @classmethod
    def read(cls, rows: Scores, *, metrics: Any, criterion: Any = None) -> list[Line]:
        """A line for each metric, by rising thresholds as on the abscissa of the picture."""
        if rows.kind != "binary":
            raise InvalidParameterError(
                f"ThresholdDisplay needs binary labels, y_true is {rows.kind}: pass one class "
                "against the rest, y_true == k and column k of y_score."
            )
        labels = rows.classes if len(rows.classes) == 2 else np.array([0, 1])
        labelled, lines = LabelledRows.of(labels, rows), []
        if metrics is None:
            metrics = RATES
        elif isinstance(metrics, str) or not isinstance(metrics, Sequence):
            metrics = [metrics]
        if not len(metrics):
            raise InvalidParameterError("metrics is empty: name a metric of labels, such as 'f1'.")
        for function in metrics:
            metric = find(function)
            if metric.spec.response not in ("labels", ""):
                raise InvalidParameterError(
                    f"{metric.name!r} is a metric of {metric.spec.response}, which a threshold "
                    "does not change; pass metrics of labels."
                )
            values = labelled.values(metric)[::-1]
            columns = {"threshold": labelled.thresholds[::-1], "value": values}
            band = BandSpec(function) if metric.spec.is_known else None
            lines.append(Line(metric.name, columns, band=band))
        return lines

    @classmethod
    def is_undefined(cls, line: Line, rows: Scores) -> bool:
        """Whether the rows lack a class."""
        return not rows.true.any() or bool(rows.true.all())

    @classmethod
    def at(cls, line: Line, column: str, grid: Array) -> Array:
        """The value at the next higher score: the predictions of a fold there."""
        thresholds, values = line.columns["threshold"], line.columns[column]
        return np.append(values, np.nan)[np.searchsorted(thresholds, grid)]

    @classmethod
    def grid_of(cls, lines: list[Line]) -> Array:
        """200 steps over all scores, or from 0 to 1 if they lie there."""
        ends = [line.columns["threshold"][[0, -1]] for line in lines]
        low, high = np.min(ends), np.max(ends)
        if low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        return np.linspace(low, high, 201)


# --------------------------------------------------------------------------- reliability


@dataclass(frozen=True, eq=False, slots=True)
class ReliabilityLine(Line):
    """The reliability curve of one event.

    Parameters
    ----------
    bins : CalibrationCurve or None
        Bins with their observed rates and intervals; None for the isotonic line.
    error : float
        Expected calibration error over these bins; miscalibration of the isotonic line.
    histogram : CalibrationCurve
        Twenty bins of equal width, for the distribution of the probabilities.
    slope, intercept : float
        Logistic recalibration, as in `calibration_slope_intercept`; nan if it is undefined.
    """

    bins: Any = None
    error: float = float("nan")
    histogram: Any = None
    slope: float = float("nan")
    intercept: float = float("nan")

    @classmethod
    def of_curve(cls, curve: CalibrationCurve, label: Any = None, **parts: Any) -> Self:
        """A line through the bins of a calibration curve."""
        return cls(label, curve.columns(), bins=curve, **{"histogram": curve, **parts})


class Reliability(Kind):
    """Observed rate over predicted probability."""

    methods, pools = ("predict_proba",), True
    x, y, averaged = "mean_predicted", "observed_rate", ()
    x_label, y_label = "Predicted probability", "Observed rate"
    value_name = "Brier score"
    reading: ClassVar = {"n_bins": 10, "strategy": "uniform"}
    of_rows: ClassVar = {key: value for key, value in Kind.of_rows.items() if key != "interval"}

    @classmethod
    def table_of_rows(  # type: ignore[override]
        cls, scored: Mapping[Any, list[Part]], *, strategy: str, band: Any, **options: Any
    ) -> LineTable:
        """Lines of all rows, with the intervals of their bins or a consistency band."""
        check_option("strategy", strategy, (*STRATEGIES, _ISOTONIC))
        check_option("band", band, ("auto", "pointwise", None))
        in_folds = any(part.fold is not None for parts in scored.values() for part in parts)
        if in_folds and options["groups"] is not None:
            raise InvalidParameterError(
                "groups describes one set of rows, and the rows of folds come in another order: "
                "pass groups to cross_validation_report, and draw its report."
            )
        # Rows of different folds were predicted by different models: their report has intervals.
        options["interval"] = None if in_folds else "auto"
        options["band"] = band if strategy == _ISOTONIC else "pointwise"
        table = super().table_of_rows(scored, strategy=strategy, **options)
        level = options["confidence_level"]
        table.band = f"{100 * level:g} % consistency band (if calibrated)"
        return table

    @classmethod
    def problems(cls, rows: Scores) -> dict[Any, Scores]:
        """Each class against the rest; with several classes also the top label."""
        problems = dict(binary_problems(rows))
        if rows.kind == "multiclass":
            top = rows.score.argmax(axis=1)
            is_true = (top == rows.true).astype(np.int64)
            highest = rows.score.max(axis=1)
            problems[TOP] = Scores("binary", np.array([0, 1]), is_true, highest, rows.weight)
        return problems

    @classmethod
    def default(cls, curves: Iterable[Any]) -> Any:
        """Every class."""
        return [label for label in curves if label != TOP]

    @classmethod
    def is_undefined(cls, line: Line, rows: Scores) -> bool:
        """Never: a rate of one class is a rate."""
        return False

    @classmethod
    def line(cls, label: Any, problem: Any, *, n_bins: Any, strategy: str) -> Line:
        """The reliability of the probabilities of a class."""
        true, score = problem.true, problem.score
        rows: dict[str, Any] = {"labels": [0, 1], "sample_weight": problem.weight}
        histogram = calibration_curve_binned(true, score, n_bins=_N_BARS, **rows)
        if strategy == _ISOTONIC:
            proba, _, rates = isotonic(score, true, problem.weight)
            columns = {cls.x: proba, cls.y: rates}
            error = corp_decomposition(true, score, **rows).miscalibration
            line = ReliabilityLine(label, columns, error=error, band=BandSpec(None))
        else:
            bins = {"n_bins": n_bins, "strategy": strategy, **rows}
            error = expected_calibration_error(true, score, **bins)
            curve = calibration_curve_binned(true, score, **bins)
            line = ReliabilityLine.of_curve(curve, label, error=error)
        value, slope, intercept = brier_score_loss(true, score, **rows), np.nan, np.nan
        if score.min() > 0 and score.max() < 1:  # log odds are finite
            with without_undefined_warnings():
                slope, intercept = map(float, calibration_slope_intercept(true, score, **rows))
        drawn: Any = {"histogram": histogram, "slope": slope, "intercept": intercept}
        return replace(line, metric=brier_score_loss, value=value, **drawn)

    @classmethod
    def with_band(cls, line: Any, rows: Any, kind: Any, design: Any) -> Line:
        """Add the intervals of the bins, or the consistency band of the isotonic line."""
        if line.bins is None:
            level, groups = design["confidence_level"], design["groups"]
            band = consistency_band(rows.score, rows.true, rows.weight, groups, level)
            low, high = (np.interp(line.columns[cls.x], band[0], bound) for bound in band[1:])
            return replace(line, columns={**line.columns, "low": low, "high": high})
        options = {"labels": [0, 1], "sample_weight": rows.weight, "n_bins": line.bins.edges}
        bins = calibration_curve_binned(rows.true, rows.score, **options, **design)
        return replace(line, bins=bins, columns=bins.columns())


KINDS: Mapping[str, type[Kind]] = {
    "roc": Roc,
    "precision_recall": PrecisionRecall,
    "calibration": Reliability,
    "gain": Gain,
    "lift": Lift,
    "decision": Decision,
    "threshold": Threshold,
}
