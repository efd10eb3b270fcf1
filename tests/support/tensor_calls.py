"""What takes rows: every public function that is no row of the registry, and every other door.

Each entry is a call of one argument, ``put``, which makes the container under test of an array.
"""

import dataclasses
from functools import partial

import numpy as np
from matplotlib.figure import Figure
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

import skmetrics_ext as sx
from skmetrics_ext import METRICS
from skmetrics_ext.inference.nested_cv import nested_cv_interval
from skmetrics_ext.inference.tests.rank_tests import average_ranks
from skmetrics_ext.inference.tests.roc_curves import mwu_auc_test
from skmetrics_ext.inference.two_proportions import proportion_difference_interval
from skmetrics_ext.tallies import ConfusionTally, Counts, MomentTally, RankTally, ScoreSketch
from skmetrics_ext.validation.tensors import to_host
from support.rows import call, probe, settings_of
from support.stored import Stored
from tests.support.many_models import all_differences

_rng = np.random.default_rng(5)
N = 60
Y = _rng.integers(0, 2, N)
P, P2 = (np.where(_rng.random(N) < 0.7, Y, 1 - Y) for _ in range(2))
# Quarters of 1/16 are exact in every float, bfloat16 too.
S, S2 = (np.clip(np.round((0.2 + 0.2 * Y + 0.5 * _rng.random(N)) * 16), 1, 15) / 16 for _ in "ab")
W = _rng.integers(1, 5, N) / 2.0
G = _rng.integers(0, 12, N)
Y3 = _rng.integers(0, 3, N)
P3 = np.where(_rng.random(N) < 0.7, Y3, (Y3 + 1) % 3)
S3 = np.array([[8, 4, 4], [4, 8, 4], [4, 4, 8], [2, 6, 8]])[(Y3 + (_rng.random(N) < 0.4)) % 4] / 16
FOLDS, FOLDS2 = _rng.random((2, 10)).round(3)
MANY = _rng.random((8, 3)).round(3)
X = np.column_stack([S, S2, _rng.random(N)])
SEEDED = {"n_resamples": 19, "random_state": 0}

FUNCTIONS = {
    "auc": lambda put: sx.auc(put(np.sort(S)), put(np.sort(S2))),
    "average_ranks": lambda put: average_ranks(put(MANY)),
    "bayesian_correlated_ttest": lambda put: sx.bayesian_correlated_ttest(
        put(FOLDS), put(FOLDS2), n_train=90, n_test=10
    ),
    "bowker_test": lambda put: sx.significance.bowker_test(put(Y3), put(P3)),
    "brier_decomposition": lambda put: sx.brier_decomposition(
        put(Y), put(S), n_bins=put(np.array([0, 0.5, 1])), sample_weight=put(W)
    ),
    "calibration_curve_binned": lambda put: sx.calibration_curve_binned(
        put(Y), put(S), sample_weight=put(W)
    ),
    "calibration_slope_intercept": lambda put: sx.calibration_slope_intercept(put(Y), put(S)),
    "class_likelihood_ratios": lambda put: sx.class_likelihood_ratios(
        put(Y), put(P), labels=put(np.array([0, 1])), sample_weight=put(W)
    ),
    "classification_report": lambda put: sx.classification_report(
        put(Y3), put(P3), labels=put(np.array([2, 0, 1])), sample_weight=put(W)
    ),
    "classifier_f_test": lambda put: sx.significance.classifier_f_test(put(Y), [put(P), put(P2)]),
    "cochran_q_test": lambda put: sx.significance.cochran_q_test(
        put(Y), put(np.column_stack([P, P2]).T)
    ),
    "compare": lambda put: sx.compare(
        "f1", put(Y), put(P), put(P2), groups=put(G), sample_weight=put(W), **SEEDED
    ),
    "compare_many": lambda put: all_differences(
        "f1", put(Y), {"a": put(P), "b": put(P2)}, groups=put(G), sample_weight=put(W), **SEEDED
    ),
    "compare_samples": lambda put: sx.compare_samples(
        "f1", put(Y), put(P), put(Y[:40]), put(P2[:40]), groups_a=put(G), groups_b=put(G[:40])
    ),
    "compute_metrics": lambda put: sx.compute_metrics(
        ["f1", "roc_auc", "log_loss"],
        put(Y),
        put(P),
        y_score=put(S),
        y_proba=put(S),
        sample_weight=put(W),
    ),
    "confidence_interval": lambda put: sx.confidence_interval(
        "roc_auc", put(Y), put(S), groups=put(G), sample_weight=put(W), method="bootstrap", **SEEDED
    ),
    "confusion_matrix_at_thresholds": lambda put: sx.confusion_matrix_at_thresholds(put(Y), put(S)),
    "confusion_statistic": lambda put: sx.confusion_statistic(put(Y3), put(P3), "yule_q"),
    "confusion_statistics": lambda put: sx.confusion_statistics(
        put(Y3), put(P3), labels=put(np.array([0, 1, 2])), sample_weight=put(W)
    ),
    "corp_decomposition": lambda put: sx.corp_decomposition(put(Y), put(S), sample_weight=put(W)),
    "corrected_resampled_interval": lambda put: sx.corrected_resampled_interval(
        put(FOLDS), n_train=90, n_test=10
    ),
    "corrected_resampled_ttest": lambda put: sx.corrected_resampled_ttest(
        put(FOLDS), put(FOLDS2), n_train=put(np.full(10, 90)), n_test=put(np.full(10, 10))
    ),
    "curve_band": lambda put: sx.curve_band(
        "recall", put(Y), put(S), at=put(np.array([0.25, 0.5])), sample_weight=put(W)
    ),
    "delong_test": lambda put: sx.delong_test(
        put(Y), put(S), put(S2), groups=put(G), sample_weight=put(W)
    ),
    "det_curve": lambda put: sx.det_curve(put(Y), put(S), sample_weight=put(W)),
    "estimate": lambda put: sx.estimate(0.5, put(S - S.mean()), groups=put(G)),
    "expected_cost": lambda put: sx.expected_cost(
        put(Y), put(P), cost_matrix=put(np.array([[0, 1], [5, 0]])), sample_weight=put(W)
    ),
    "prediction_set_coverage": lambda put: sx.prediction_set_coverage(
        put(Y3), put(S3 > 0.3), labels=put(np.array([0, 1, 2])), sample_weight=put(W)
    ),
    "prediction_set_size": lambda put: sx.prediction_set_size(put(Y3), put(S3 > 0.3)),
    "gains_table": lambda put: sx.gains_table(
        put(Y), put(S), sample_weight=put(W), groups=put(G), n_bins=3
    ),
    "savings_score": lambda put: sx.savings_score(
        put(Y), put(P), cost_matrix=put(np.array([[0, 1], [5, 0]])), sample_weight=put(W)
    ),
    "expected_cost_proba": lambda put: sx.expected_cost_proba(
        put(Y), put(S), cost_matrix=put(np.array([[0, 1], [5, 0]])), sample_weight=put(W)
    ),
    "five_by_two_cv_ftest": lambda put: sx.significance.five_by_two_cv_ftest(
        put(FOLDS.reshape(5, 2)), put(FOLDS2.reshape(5, 2))
    ),
    "five_by_two_cv_ttest": lambda put: sx.significance.five_by_two_cv_ttest(
        put(FOLDS.reshape(5, 2)), put(FOLDS2.reshape(5, 2))
    ),
    "friedman_test": lambda put: sx.significance.friedman_test(put(MANY)),
    "gain_curve": lambda put: sx.gain_curve(put(Y), put(S), sample_weight=put(W)),
    "holm_adjust": lambda put: sx.holm_adjust(put(FOLDS)),
    "hosmer_lemeshow_test": lambda put: sx.significance.hosmer_lemeshow_test(put(Y), put(S)),
    "influence_values": lambda put: sx.influence_values("f1", put(Y), put(P), sample_weight=put(W)),
    "lift_curve": lambda put: sx.lift_curve(put(Y), put(S), sample_weight=put(W)),
    "mean": lambda put: sx.mean(
        [
            sx.confidence_interval("f1", put(Y), put(P)),
            sx.confidence_interval("f1", put(Y), put(P2)),
        ]
    ),
    "pool": lambda put: sx.pool(
        [
            sx.confidence_interval("f1", put(Y[:40]), put(P[:40])),
            sx.confidence_interval("f1", put(Y[40:]), put(P[40:])),
        ],
        how="fixed",
    ),
    "mcnemar_test": lambda put: sx.mcnemar_test(put(Y), put(P), put(P2)),
    "metric_at_thresholds": lambda put: sx.metric_at_thresholds(
        put(Y), put(S), sx.f1_score, sample_weight=put(W)
    ),
    "multilabel_confusion_matrix": lambda put: sx.multilabel_confusion_matrix(
        put(Y3), put(P3), labels=put(np.array([0, 2])), sample_weight=put(W)
    ),
    "mwu_auc_test": lambda put: mwu_auc_test(put(Y), put(S)),
    "nemenyi_test": lambda put: sx.nemenyi_test(put(MANY)),
    "net_benefit_curve": lambda put: sx.net_benefit_curve(
        put(Y), put(S), thresholds=put(np.array([0.125, 0.25])), sample_weight=put(W)
    ),
    "no_information_test": lambda put: sx.significance.no_information_test(put(Y), put(P)),
    "optimal_threshold": lambda put: sx.optimal_threshold(put(Y), put(S), sample_weight=put(W)),
    **{
        name: partial(lambda name, put: getattr(sx, name)(put(Y), put(P), confidence=put(S)), name)
        for name in ("aurc", "augrc", "e_aurc", "risk_coverage_curve")
    },
    **{
        name: partial(
            lambda name, put: getattr(sx, name)(put(Y3), put(P3), hierarchy={0: 3, 1: 3, 2: 4}),
            name,
        )
        for name in ("hierarchical_f1", "hierarchical_precision", "hierarchical_recall")
    },
    "integrated_calibration_index": lambda put: sx.integrated_calibration_index(put(Y), put(S)),
    "label_plan": lambda put: sx.label_plan("accuracy", score=put(S), threshold=0.5, budget=9),
    "leaderboard": lambda put: sx.leaderboard("roc_auc", put(Y), {"a": put(S), "b": put(S2)}),
    "pass_at_k": lambda put: sx.pass_at_k(put(np.full(N, 5)), put(P), 2),
    "optimal_threshold_interval": lambda put: sx.optimal_threshold(
        put(Y), put(S), groups=put(G), sample_weight=put(W), **SEEDED, interval=True
    ),
    "pairwise_roc_auc": lambda put: sx.pairwise_roc_auc(
        put(Y3), put(S3), labels=put(np.array([0, 1, 2])), sample_weight=put(W)
    ),
    "precision_recall_curve": lambda put: sx.precision_recall_curve(put(Y), put(S)),
    "precision_recall_curves": lambda put: sx.precision_recall_curves(
        put(Y3), put(S3), grid=put(np.array([0, 0.5, 1])), sample_weight=put(W)
    ),
    "precision_recall_fscore_support": lambda put: sx.precision_recall_fscore_support(
        put(Y3), put(P3), sample_weight=put(W)
    ),
    "precision_recall_gain_curve": lambda put: sx.precision_recall_gain_curve(put(Y), put(S)),
    "proportion_difference_interval": lambda put: proportion_difference_interval(8, 10, 3, 10),
    "roc_curve": lambda put: sx.roc_curve(put(Y), put(S), sample_weight=put(W)),
    "roc_curves": lambda put: sx.roc_curves(
        put(Y3), put(S3), grid=put(np.array([0, 0.5, 1])), sample_weight=put(W)
    ),
    "sample_size": lambda put: sx.sample_size(
        "f1", put(Y), put(P), y_pred_b=put(P2), width=0.1, groups=put(G), sample_weight=put(W)
    ),
    "spiegelhalter_test": lambda put: sx.significance.spiegelhalter_test(
        put(Y), put(S), sample_weight=put(W)
    ),
    "stuart_maxwell_test": lambda put: sx.significance.stuart_maxwell_test(put(Y3), put(P3)),
    "venkatraman_test": lambda put: sx.significance.venkatraman_test(
        put(Y), put(S), put(S2), **SEEDED
    ),
    "wilcoxon_signed_rank_test": lambda put: sx.significance.wilcoxon_signed_rank_test(
        put(FOLDS), put(FOLDS2)
    ),
}
# Of numbers alone, of names, or of tables and files.
OF_NO_ROWS = {
    "evaluate",
    "get_scorer",
    "get_scorer_names",
    "make_scorer",
    "proportion_difference_interval",
    "proportion_interval",
    "ratio_interval",
    "roc_auc_power",
    "roc_auc_sample_size",
    "simplest_within",
    "weak_slices",
}


# --------------------------------------------------------------------------- other doors


class Tensors(ClassifierMixin, BaseEstimator):
    """A logistic regression that is given tensors and answers with tensors."""

    def __init__(self, put=np.asarray):
        self.put = put

    def fit(self, X, y, sample_weight=None):
        given = (to_host(part, "the rows") for part in (X, y, sample_weight))
        self.model_ = LogisticRegression().fit(*given)
        self.classes_ = self.put(self.model_.classes_)
        return self

    def predict(self, X):
        return self.put(self.model_.predict(to_host(X, "X")))

    def predict_proba(self, X):
        return self.put(self.model_.predict_proba(to_host(X, "X")))


def _squares(y_true, y_pred):
    return (to_host(y_true, "y_true") - to_host(y_pred, "y_pred")) ** 2


def _model(put):
    """A fitted model that answers with what is put, and knows its classes so."""
    proba = np.column_stack([1 - S, S])
    own = {"predict": P, "predict_proba": proba, "decision_function": 2 * S - 1}
    return Stored(put(np.array([0, 1])), {name: put(values) for name, values in own.items()})


def _computed(put):
    """Arithmetic on estimates, whose rows are read again."""
    found = []
    for metric, first, second in (("roc_auc", S, S2), ("f1_macro", P, P2), (_share, P, P2)):
        one, other = (
            sx.confidence_interval(metric, put(Y), put(values), groups=put(G), **SEEDED)
            for values in (first, second)
        )
        found += [one - other, one.at(0.8), sx.mean([one, other]).at(0.8)]
    return found


def _share(y_true, y_pred):
    return np.mean(to_host(y_true, "y_true") == to_host(y_pred, "y_pred"))


def _accumulated(put):
    stream = sx.Accumulator(["roc_auc", "log_loss", "f1"], labels=put(np.array([0, 1])))
    for rows in (slice(0, 10), slice(10, N)):
        stream.update(put(Y[rows]), put(S[rows]), put(W[rows]), y_pred=put(P[rows]))
    return stream.compute()


def _accumulated_columns(put):
    stream = sx.Accumulator(["log_loss", "roc_auc_ovo"], labels=put(np.array([0, 1, 2])))
    stream.update(put(Y3), put(S3))
    return stream.compute()


def _sketched(put):
    found = ScoreSketch.from_sample(put(S), 8).update(put(Y), put(S), sample_weight=put(W))
    return found.edges, ScoreSketch.from_edges(put(np.array([0.25, 0.5]))).edges


def _panel(put):
    panel = sx.ScorerPanel(["roc_auc", "neg_log_loss", "f1"], intervals=True)
    return panel.evaluate(_model(put), put(X), put(Y), sample_weight=put(W)).values


def _reported(put):
    report = sx.cross_validation_report(
        Tensors(put),
        put(X),
        put(Y),
        scoring=["roc_auc", "f1", "neg_log_loss"],
        cv=3,
        groups=put(G),
        params={"sample_weight": put(W)},
        random_state=0,
    )
    return [fold["value"] for fold in report.folds()]


def _searched(put):
    candidates = {"one": Tensors(put), "other": Tensors(put)}
    found = sx.search_report(
        candidates, put(X), put(Y), cv=3, scoring="roc_auc", groups=put(G), n_resamples=20,
        random_state=0,
    )  # fmt: skip
    return [row["mean"] for row in found.rows]


def _optimized(put):
    found = sx.ThresholdOptimizerCV(Tensors(put), cv=3).fit(put(X), put(Y), put(W))
    return found.best_threshold_, found.predict(put(X))


def _nested(put):
    return nested_cv_interval(Tensors(put), put(X), put(Y), n_folds=3, n_repeats=2, random_state=0)


def _drawn(display, *arguments, **options):
    return lambda put: (
        getattr(sx, display)
        .from_predictions(
            *(put(values) for values in arguments),
            **{name: put(values) for name, values in options.items()},
            ax=Figure().subplots(),
        )
        .columns()
    )


def _matrix(put):
    shown = sx.ConfusionMatrixDisplay.from_predictions(
        put(Y3), put(P3), sample_weight=put(W), ax=Figure().subplots()
    )
    return shown.confusion_matrix


def _of_estimator(put):
    shown = sx.RocCurvesDisplay.from_estimator(
        _model(put), put(X), put(Y), sample_weight=put(W), ax=Figure().subplots()
    )
    return shown.columns()


DOORS = {
    "Estimate": _computed,
    "Scorer of labels": lambda put: sx.get_scorer("f1")(_model(put), put(X), put(Y), put(W)),
    "Scorer of scores": lambda put: sx.get_scorer("roc_auc")(_model(put), put(X), put(Y), put(W)),
    "Scorer of probabilities": lambda put: sx.get_scorer("neg_log_loss")(
        _model(put), put(X), put(Y), put(W)
    ),
    "ScorerPanel": _panel,
    "cross_validation_report": _reported,
    "search_report": _searched,
    "ThresholdOptimizerCV": _optimized,
    "nested_cv_interval": _nested,
    "Accumulator": _accumulated,
    "Accumulator of columns": _accumulated_columns,
    "ScoreSketch": _sketched,
    "ConfusionTally": lambda put: (
        ConfusionTally.from_predictions(
            put(Y3), put(P3), labels=put(np.array([1, 0])), sample_weight=put(W), groups=put(G)
        ).table
    ),
    "ConfusionTally of a table": lambda put: ConfusionTally.from_table(
        put(np.array([[3, 1], [2, 4]])), put(np.array([0, 1]))
    ),
    "Counts": lambda put: Counts.from_predictions(put(Y), put(P), sample_weight=put(W)),
    "RankTally": lambda put: RankTally.from_predictions(put(Y), put(S), sample_weight=put(W)),
    "MomentTally": lambda put: MomentTally.from_values(put(S), sample_weight=put(W)),
    "MomentTally of a loss": lambda put: MomentTally.from_predictions(
        put(Y), put(S), loss=_squares, sample_weight=put(W)
    ),
    "ConfusionMatrixDisplay": _matrix,
    "RocCurvesDisplay": _drawn("RocCurvesDisplay", Y3, S3, sample_weight=W),
    "RocCurvesDisplay of a model": _of_estimator,
    "PrecisionRecallCurvesDisplay": _drawn("PrecisionRecallCurvesDisplay", Y3, S3),
    "CalibrationDisplay": _drawn("CalibrationDisplay", Y, S, sample_weight=W),
    "DecisionCurveDisplay": _drawn("DecisionCurveDisplay", Y, S),
    "GainDisplay": _drawn("GainDisplay", Y, S),
    "LiftDisplay": _drawn("LiftDisplay", Y, S),
    "RiskCoverageDisplay": _drawn("RiskCoverageDisplay", Y, S),
    "ThresholdDisplay": _drawn("ThresholdDisplay", Y, S, sample_weight=W),
}


def parts_of(result):
    """What an answer holds, as nested lists, dicts, arrays and plain values."""
    if dataclasses.is_dataclass(result):
        names = [field.name for field in dataclasses.fields(result) if field.compare]
        return {name: parts_of(getattr(result, name)) for name in names}
    if isinstance(result, dict):
        return {key: parts_of(value) for key, value in result.items()}
    if isinstance(result, list | tuple):
        return [parts_of(value) for value in result]
    return result


def called(name, put):
    """Answers of a metric of the registry, by every set of parameters and kind of rows."""
    spec, found = METRICS[name], []
    for params, kind in settings_of(name):
        sample = probe(spec.response, kind)
        weight = np.arange(1, len(sample) + 1) / 2
        contained = dataclasses.replace(
            sample, true=put(sample.true), response=put(sample.response), weight=put(weight)
        )
        found.append(call(spec, {**spec.params, **params}, contained))
    return found
