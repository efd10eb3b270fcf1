"""Kinds of curves: how each is read from rows, and which of its columns are drawn."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import chain
from typing import Any, ClassVar

import numpy as np

from skmetrics_ext.curve_tables.lines import (
    MEAN,
    TOP,
    BandSpec,
    Kind,
    Limits,
    Line,
    LineTable,
    MetricRows,
    Reference,
    Write,
    without_undefined_warnings,
)
from skmetrics_ext.curve_tables.parts import AskedParts, Part, binary_problems, joined
from skmetrics_ext.curves import Curves, precision_recall_curves, roc_curves
from skmetrics_ext.inference.bands import BANDS
from skmetrics_ext.inference.calibration_intervals import (
    calibration_curve_binned,
    calibration_slope_intercept,
    consistency_band,
)
from skmetrics_ext.inference.estimate_rows import shown_metric
from skmetrics_ext.metrics.calibration.binning import STRATEGIES
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
_ISOTONIC = "isotonic"
_SHORT_NAMES = {"false_positive_rate": "fpr", "true_positive_rate": "tpr"}
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

    name, title, results, has_area = "roc", "ROC", ("RocCurve", "ThinnedCurve"), True
    size, legend_at = (5.2, 5.0), "lower right"
    reference = Reference("chance", [0, 1], [0, 1])
    x, y, averaged = "fpr", "tpr", ("tpr",)
    x_label, y_label = "False positive rate (1 − specificity)", "True positive rate (recall)"
    value_name = "AUC"
    side = "either"
    grid = np.append(0.0, np.linspace(0, 1, 101))  # twice 0, for the rise from the corner
    reading: ClassVar = {"drop_intermediate": True}

    def read(self, rows: Any, **options: Any) -> list[Line]:
        """The curves of all classes and their averages."""
        return _lines(roc_curves(rows, rows, **options), _AREA, _ROC_BAND)

    def of_result(self, result: Any, label: Any) -> Line:
        """The line of a curve; a thinned one names its rates in full."""
        line, short = super().of_result(result, label), _SHORT_NAMES
        columns = {short.get(name, name): values for name, values in line.columns.items()}
        return replace(line, columns=columns)


class PrecisionRecall(Kind):
    """Precision over recall."""

    name, title = "precision_recall", "Precision and recall"
    results, has_area = ("PrecisionRecallCurve",), True
    size, legend_at = (5.2, 5.0), "lower left"
    has_steps = True
    x, y, averaged = "recall", "precision", ("precision",)
    x_label, y_label = "Recall", "Precision"
    value_name = "AP"
    reading: ClassVar = {"drop_intermediate": False}

    def read(self, rows: Any, **options: Any) -> list[Line]:
        """The curves of all classes and their averages."""
        curves = precision_recall_curves(rows, rows, **options)
        return _lines(curves, average_precision_score, _PR_BAND)

    def references(self, table: LineTable) -> Iterator[Reference]:
        """The precision if every row is predicted positive, averaged over folds.

        Their mean curve stops before, at the highest threshold of recall 1.
        """
        ends = [line.columns["precision"][-1] for line in table.lines if line.fold != MEAN]
        if len(table.curves) == 1 and not table.lines[-1].is_average:
            chance = float(np.mean(ends))
            yield Reference(f"chance (prevalence {chance:.3f})", [0, 1], [chance, chance])


class PrecisionRecallGain(Kind):
    """Precision gain over recall gain."""

    results, has_area = ("PrecisionRecallGainCurve",), True
    legend_at = "lower left"
    x = "recall_gain"
    y = "precision_gain"
    x_label, y_label = "Recall gain", "Precision gain"
    value_name = "AUPRG"


class Gain(Kind):
    """Share of the positives among the best-scored share of the rows."""

    name, results = "gain", ("GainCurve",)
    size, legend_at = (5.2, 5.0), "lower right"
    reference, bound = Reference("chance", [0, 1], [0, 1]), ("perfect", "perfect")
    x, y, averaged = "rate", "gain", ("gain", "perfect")
    x_label = "Share of the rows predicted positive"
    y_label = "Share of the positives found (recall)"
    value_name = "gain capture"

    def line(self, label: Any, problem: Any) -> Line:
        """The gain of a class."""
        line = self.of_result(gains.gain_curve(problem, problem), label)
        band = BandSpec(gains.lift_score, y=lambda rate, lift: rate * lift)
        capture = float(gains.gain_capture_score(problem, problem))
        return replace(line, value=capture, metric=gains.gain_capture_score, band=band)

    def of_result(self, result: Any, label: Any) -> Line:
        """The gain, next to that of a ranking with all positives first."""
        perfect = np.minimum(result.rate / max(result.prevalence, 1e-300), 1.0)
        columns = {"threshold": result.thresholds, **result.columns(), "perfect": perfect}
        return Line(label, columns)


class Lift(Kind):
    """Prevalence among the best-scored share of the rows, relative to all rows."""

    name, results = "lift", ("LiftCurve",)
    reference, bound = Reference("chance", [0, 1], [1, 1]), ("perfect", "perfect")
    x, y, averaged = "rate", "lift", ("lift", "perfect")
    x_label, y_label = "Share of the rows predicted positive", "Lift"
    bounds = (0.0, np.inf)
    grid = np.linspace(0.01, 1, 100)  # undefined where no row is predicted positive
    reading: ClassVar = {"at": 0.1}

    def line(self, label: Any, problem: Any, *, at: float) -> Line:
        """The lift of a class."""
        curve = gains.lift_curve(problem, problem)
        prevalence = float(np.average(problem.true, weights=problem.weight))
        perfect = 1 / np.maximum(curve.rate, prevalence)
        columns = {"threshold": curve.thresholds, **curve.columns(), "perfect": perfect}
        metric = partial(gains.lift_score, fraction=at)
        band, name = BandSpec(gains.lift_score), f"lift at {at:.4g}:"
        value = float(metric(problem, problem))
        return Line(label, columns, value, metric=metric, band=band, value_name=name)

    def limits(self, table: LineTable, *drawn: Sequence[Any]) -> tuple[Limits, Limits]:
        """All shares, and lifts from 0."""
        return (0, 1), (0, None)


class RiskCoverage(Kind):
    """Error rate of the answered rows over the share that a model answers."""

    results = ("RiskCoverageCurve",)
    x, y, averaged = "coverage", "risk", ("risk",)
    x_label, y_label = "Coverage (share of the rows answered)", "Risk (share of errors)"
    value_name = "AURC"

    def line(self, label: Any, problem: Any) -> Line:
        """The risk of the rows with the highest confidence."""
        columns = risk_coverage.curve_of(problem).columns()
        return Line(label, columns, risk_coverage.aurc(problem, problem))


class Decision(Kind):
    """Net benefit over the threshold probability."""

    name, results = "decision", ("NetBenefitCurve",)
    bound = "treat_all", "treat all"
    methods = ("predict_proba",)
    x, y, averaged = "threshold", "net_benefit", ("net_benefit", "treat_all")
    x_label, y_label = "Threshold probability", "Net benefit"
    bounds = (-np.inf, 1.0)
    reading: ClassVar = {"thresholds": None, "prevalence": None, "standardized": False, "at": None}
    of_rows: ClassVar = {**Kind.of_rows, "difference": False}

    def line(
        self, label: Any, problem: Any, *, thresholds: Any, at: float | None, **options: Any
    ) -> Line:
        """The net benefit of a class, next to treating all."""
        curve = net_benefit_curve(problem, problem, thresholds=thresholds, **options)
        metric = partial(net_benefit, **options)
        line = Line(label, curve.columns(), band=BandSpec(metric, at=curve.thresholds))
        if at is None:
            return line
        metric, name = partial(metric, threshold=at), f"net benefit at {at:.4g}:"
        value = float(metric(problem, problem))
        return replace(line, metric=metric, value=value, value_name=name)

    def table(self, asked: AskedParts, **options: Any) -> LineTable:
        """Lines of rows or of folds, with the name of the ordinate."""
        table = super().table(asked, **options)
        table.y_label = STANDARDIZED if options.get("standardized") else self.y_label
        if options.get("difference"):
            table.y_label = f"Difference in {table.y_label.lower()}"
        return table

    def table_of_rows(  # type: ignore[override]
        self,
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
        return self._difference(table, rows, None if band is None else design)

    def _difference(
        self, table: LineTable, rows: list[Any], design: Mapping[str, Any] | None
    ) -> LineTable:
        """Replace the lines of two models by their difference.

        Its band holds the intervals of `compare` with the options ``design``, if they are given.
        """
        first, second = table.lines
        columns = {self.x: first.columns[self.x]}
        columns[self.y] = first.columns[self.y] - second.columns[self.y]
        if design is not None:
            one, other = (MetricRows.of(first, part, design) for part in rows)
            bounds = []
            for threshold in columns[self.x].tolist():
                metric = partial(first.band.metric, threshold=threshold)
                _, low, high = one._replace(metric=metric).compared_with(other)
                bounds.append((low, high))
            columns["low"], columns["high"] = np.transpose(bounds)
        models = f"{first.model} − {second.model}"
        table.lines = (Line(first.curve, columns, model=models, value_name=first.value_name),)
        return table

    def grid_of(self, lines: list[Line]) -> Array:
        """The thresholds, which all folds share."""
        return lines[0].columns["threshold"]

    def references(self, table: LineTable) -> Iterator[Reference]:
        """Treating all, and treating none."""
        yield from super().references(table)
        columns = table.lines[-1].columns
        ends = [columns["threshold"].min(), columns["threshold"].max()]
        yield Reference("treat none" if "treat_all" in columns else "no difference", ends, [0, 0])

    def limits(self, table: LineTable, *drawn: Sequence[Any]) -> tuple[Limits, Limits]:
        """All thresholds; treating all falls without limit, and useful models lie above none."""
        columns = table.lines[-1].columns
        thresholds = columns["threshold"]
        if "treat_all" in columns:
            top = max(float(np.nanmax(line.y, initial=0.01)) for line in chain(*drawn))
            heights = -0.12 * top, 1.08 * top
        else:  # at high thresholds few rows are treated, and a false positive counts much
            low, high = (columns.get(name, columns[self.y]) for name in ("low", "high"))
            low, high = np.nanquantile(low, 0.05), np.nanquantile(high, 0.95)
            heights = 1.2 * min(low, -0.01), 1.2 * max(high, 0.01)
        return (thresholds.min(), thresholds.max()), heights


class Threshold(Kind):
    """Metrics of labels over the threshold at and above which a row is predicted positive."""

    name, legend_at = "threshold", "outside"
    has_steps = True
    x, y, averaged = "threshold", "value", ("value",)
    x_label, y_label = "Threshold (scores at or above it are predicted positive)", "Value"
    bounds = (-np.inf, np.inf)
    reading: ClassVar = {"metrics": None, "criterion": None}

    def table(self, asked: AskedParts, *, criterion: Any = None, **options: Any) -> LineTable:
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

    def read(self, rows: Scores, *, metrics: Any, criterion: Any = None) -> list[Line]:
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

    def is_undefined(self, line: Line, rows: Scores) -> bool:
        """Whether the rows lack a class."""
        return not rows.true.any() or bool(rows.true.all())

    def grid_of(self, lines: list[Line]) -> Array:
        """200 steps over all scores, or from 0 to 1 if they lie there."""
        ends = [line.columns["threshold"][[0, -1]] for line in lines]
        low, high = np.min(ends), np.max(ends)
        if low >= 0 and high <= 1:
            low, high = 0.0, 1.0
        return np.linspace(low, high, 201)

    def name_of_curve(self, curve: Any) -> str:
        """Name of a metric."""
        return str(shown_metric(str(curve))[0]).replace("_", " ")

    def references(self, table: LineTable) -> Iterator[Reference]:
        """The best threshold of each model."""
        for name, best in table.best.items():
            if np.isfinite(best):
                of_model = f" of {name}" if len(table.best) > 1 else ""
                label = f"best {shown_metric(table.criterion)[0]}{of_model}: {best:.3g}"
                dashes = table.models.index(name) if of_model else None
                yield Reference(label, [best, best], [0, 1], is_mark=True, dashes=dashes)

    def limits(self, table: LineTable, *drawn: Sequence[Any]) -> tuple[Limits, Limits]:
        """From 0 to 1 if all values and their bands lie there."""
        parts = [part for line in drawn[0] for part in (line.y, line.low, line.high)]
        values = np.concatenate([[0.5], *(part for part in parts if part is not None)])
        is_within = np.nanmin(values) >= 0 and np.nanmax(values) <= 1
        return (None, None), (-0.01, 1.01) if is_within else (None, None)


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


class Reliability(Kind):
    """Observed rate over predicted probability."""

    name, title, results = "calibration", "Reliability", ("CalibrationCurve",)
    size = (5.2, 5.0)
    reference = Reference("perfect calibration", [0, 1], [0, 1])
    methods, pools = ("predict_proba",), True
    x, y, averaged = "mean_predicted", "observed_rate", ()
    x_label, y_label = "Predicted probability", "Observed rate"
    value_name = "Brier score"
    reading: ClassVar = {"n_bins": 10, "strategy": "uniform"}
    of_rows: ClassVar = {key: value for key, value in Kind.of_rows.items() if key != "interval"}

    def table_of_rows(  # type: ignore[override]
        self, scored: Mapping[Any, list[Part]], *, strategy: str, band: Any, **options: Any
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

    def problems(self, rows: Scores) -> dict[Any, Scores]:
        """Each class against the rest; with several classes also the top label."""
        problems = dict(binary_problems(rows))
        if rows.kind == "multiclass":
            top = rows.score.argmax(axis=1)
            is_true = (top == rows.true).astype(np.int64)
            highest = rows.score.max(axis=1)
            problems[TOP] = Scores("binary", np.array([0, 1]), is_true, highest, rows.weight)
        return problems

    def is_undefined(self, line: Line, rows: Scores) -> bool:
        """Never: a rate of one class is a rate."""
        return False

    def line(self, label: Any, problem: Any, *, n_bins: Any, strategy: str) -> Line:
        """The reliability of the probabilities of a class."""
        true, score = problem.true, problem.score
        rows: dict[str, Any] = {"labels": [0, 1], "sample_weight": problem.weight}
        histogram = calibration_curve_binned(true, score, n_bins=_N_BARS, **rows)
        if strategy == _ISOTONIC:
            proba, _, rates = isotonic(score, true, problem.weight)
            columns = {self.x: proba, self.y: rates}
            error = corp_decomposition(true, score, **rows).miscalibration
            line = ReliabilityLine(label, columns, error=error, band=BandSpec(None))
        else:
            bins = {"n_bins": n_bins, "strategy": strategy, **rows}
            error = expected_calibration_error(true, score, **bins)
            curve = calibration_curve_binned(true, score, **bins)
            line = replace(self.of_result(curve, label), error=error)
        value, slope, intercept = brier_score_loss(true, score, **rows), np.nan, np.nan
        if score.min() > 0 and score.max() < 1:  # log odds are finite
            with without_undefined_warnings():
                slope, intercept = map(float, calibration_slope_intercept(true, score, **rows))
        drawn: Any = {"histogram": histogram, "slope": slope, "intercept": intercept}
        return replace(line, metric=brier_score_loss, value=value, **drawn)

    def of_result(self, result: Any, label: Any) -> ReliabilityLine:
        """The line through the bins of a calibration curve."""
        return ReliabilityLine(label, result.columns(), bins=result, histogram=result)

    def numbers(self, line: Any, write: Write) -> list[str]:
        """Error, slope and intercept, and the Brier score if it has an interval."""
        error = "miscalibration" if line.bins is None else "ECE"
        numbers = [] if np.isnan(line.error) else [f"{error} {line.error:.3f}"]
        if not np.isnan(line.slope):
            numbers.append(f"slope {line.slope:z.2f}, intercept {line.intercept:z.2f}")
        return [*numbers, *([] if line.interval is None else super().numbers(line, write))]

    def with_band(self, line: Any, rows: Any, kind: Any, design: Any) -> Line:
        """Add the intervals of the bins, or the consistency band of the isotonic line."""
        if line.bins is None:
            level, groups = design["confidence_level"], design["groups"]
            band = consistency_band(rows.score, rows.true, rows.weight, groups, level)
            low, high = (np.interp(line.columns[self.x], band[0], bound) for bound in band[1:])
            return replace(line, columns={**line.columns, "low": low, "high": high})
        options = {"labels": [0, 1], "sample_weight": rows.weight, "n_bins": line.bins.edges}
        bins = calibration_curve_binned(rows.true, rows.score, **options, **design)
        return replace(line, bins=bins, columns=bins.columns())


ALL: tuple[Kind, ...] = (
    *(Roc(), PrecisionRecall(), Reliability(), Gain(), Lift(), Decision(), Threshold()),
    *(PrecisionRecallGain(), RiskCoverage()),
)
KINDS: Mapping[str, Kind] = {kind.name: kind for kind in ALL if kind.name}
OF_RESULTS: Mapping[str, Kind] = {name: kind for kind in ALL for name in kind.results}
