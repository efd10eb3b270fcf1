"""What a report gives back, and where parameters and the positive class go."""

import json
from dataclasses import replace

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GroupKFold, KFold
from sklearn.naive_bayes import GaussianNB

from skmetrics_ext import ScorerPanel, cross_validation_report, get_scorer
from tests.report.test_findings import Given

# Metrics that a report has by default.
BINARY = ("roc_auc", "f1", "balanced_accuracy", "accuracy", "neg_log_loss")
MULTICLASS = ("roc_auc_ovr", "f1_macro", "balanced_accuracy", "accuracy", "neg_log_loss")

NAN = float("nan")
RNG = np.random.default_rng(0)
N = 60
X, Y = RNG.random((N, 3)), np.arange(N) % 2
WEIGHT = np.arange(N) % 3 + 0.5


def report_of(models=None, y=Y, **options):
    options = {"cv": KFold(3), "scoring": ["roc_auc", "recall"]} | options
    return cross_validation_report(models or {"m": Given(0), "n": Given(1)}, X, y, **options)


def with_values(report, metric, values):
    """The report with other values of a metric, a list for each model."""
    lists = {model: list(own) for model, own in values.items()}
    results = tuple(
        replace(r, values={**r.values, metric: lists[r.model][r.fold]}) if r.model in lists else r
        for r in report.results
    )
    return replace(report, results=results)


def test_the_first_of_equally_good_models_is_the_best():
    report = with_values(report_of(), "recall", {"m": [0.75] * 3, "n": [0.75] * 3})
    assert report.best("recall") == "m"
    other = with_values(report, "recall", {"m": [NAN, NAN, 0.5], "n": [NAN, 1, 0.5]})
    assert other.best("recall") == "n"
    none = {model: [NAN] * 3 for model in report.models}
    with pytest.raises(ValueError, match="recall is undefined on every fold of every model"):
        with_values(report, "recall", none).best("recall")
    assert with_values(report, "recall", none).best() == report.best("roc_auc")


def test_a_report_as_plain_values():
    report = report_of(groups=np.arange(N) // 2, cv=GroupKFold(3), confidence_level=0.9)
    told = report.to_dict()
    assert [told[key] for key in ("n_groups", "n_folds", "n_samples", "confidence_level")] == [
        30, 3, N, 0.9,
    ]  # fmt: skip
    assert (told["baseline"], told["positive_class"]) == ("baseline (prior)", 1)
    plain = report_of().to_dict()
    assert plain["n_groups"] is None
    assert plain["splitter"] == "KFold(n_splits=3, random_state=None, shuffle=False)"
    odd = replace(report, positive_class=np.int64(1)).to_dict()["positive_class"]
    assert type(odd) is int
    assert json.loads(report.to_json())["summary"][0]["metric"] == "roc_auc"


def test_requirements_read_the_mean_where_an_interval_has_no_value():
    report = with_values(report_of(), "recall", {"m": [0.5, NAN, 0.75], "n": [0.5, NAN, NAN]})
    rows = report.require("recall.value>=0.5", interval="corrected").rows
    assert [(row.model, row.value) for row in rows] == [("m", 0.625), ("n", 0.5)]
    assert [row.verdict for row in rows] == ["pass", "pass"]
    pooled = report.require("recall.value>=0.5", interval="pooled").rows
    assert pooled[0].value == report.pooled()[1].value != 0.625


def test_another_interval_leaves_the_report_as_it_is():
    report = report_of()
    assert report._with_interval(None) is report
    assert report._with_interval("pooled").interval == "pooled"
    assert report.interval == "auto"
    with pytest.raises(ValueError, match="interval has to be one of"):
        report.to_html(interval="wide")
    assert report.has_train is False
    assert repr(report) == "<CrossValidationReport: 3 models, 2 metrics, 3 folds of 60 rows>"


def test_groups_of_the_first_model_are_those_by_default():
    report = report_of(by={"half": np.arange(N) % 4 // 2}, scoring="recall")
    assert report.by_group().rows == report.by_group("m").rows != report.by_group("n").rows
    with pytest.raises(ValueError, match="model has to be one of"):
        report.by_group("o")
    verdicts = report.require(["n/worst:recall>=0.01"])
    assert verdicts.rows[0].value == report.by_group("n").together()[0].value


def test_names_in_brackets_are_reports_of_their_own():
    report = report_of()
    both = report[["n", report.baseline]]
    assert (both.models, both.baseline) == (("n", report.baseline), report.baseline)
    assert [r.model for r in both.results] == ["n"] * 3 + [report.baseline] * 3
    for wrong in ((), ("m", "o")):
        with pytest.raises(KeyError, match="models are"):
            _ = report[wrong]


# --------------------------------------------------------------------------- the positive class


def test_the_positive_class_is_that_of_labels_or_scorers():
    names = np.array(["no", "yes"])[Y]
    asked = {
        None: ["roc_auc"],
        "yes": get_scorer("recall", pos_label="yes"),
        "no": ScorerPanel({"a": "accuracy", "r": get_scorer("recall", pos_label="no")}),
    }
    for positive, scoring in asked.items():
        report = report_of({"b": GaussianNB()}, names, scoring=scoring)
        assert report.positive_class == positive
    assert report_of(scoring=["accuracy"]).positive_class == 1
    assert report_of(scoring=get_scorer("recall", pos_label=0)).positive_class == 0
    assert report_of(scoring=get_scorer("accuracy")).positive_class == 1
    several = report_of({"b": GaussianNB()}, np.arange(N) % 3, scoring="accuracy", pos_label=2)
    assert several.positive_class is None


def test_functions_of_the_user_need_no_positive_class():
    def half(model, X, y):
        return 0.5

    for y in (np.array(["a", "b"])[Y], np.array([*"abc"])[np.arange(N) % 3]):
        report = report_of({"b": GaussianNB()}, y, scoring={"half": half, "acc": "accuracy"})
        assert report.positive_class is None
        assert report.summary("corrected")[0].mean == 0.5


def test_default_metrics_are_those_of_the_task():
    report = report_of(scoring=None)
    assert (report.metrics, report.left_out) == (BINARY, ())
    several = report_of({"b": GaussianNB()}, np.arange(N) % 3, scoring=None)
    assert (several.metrics, several.left_out) == (MULTICLASS, ())


# --------------------------------------------------------------------------- routing


class Weighed(GaussianNB):
    """Keeps what its fits were given."""

    seen: list = []  # noqa: RUF012

    def fit(self, X, y, sample_weight=None):
        type(self).seen.append(sample_weight)
        return super().fit(X, y, sample_weight)


@pytest.mark.parametrize("asks", [True, False])
def test_a_panel_decides_for_its_metrics_and_a_fit_for_itself(asks):
    def plain(model, X, y):
        return 0.5

    with sklearn.config_context(enable_metadata_routing=True):
        model = Weighed().set_fit_request(sample_weight=not asks)
        panel = ScorerPanel({"recall": "recall", "own": plain})
        panel = panel.set_score_request(sample_weight=asks)
        Weighed.seen.clear()
        report = report_of({"w": model}, scoring=panel, sample_weight=WEIGHT, baseline=None)
    assert [weight is None for weight in Weighed.seen] == [asks] * 3
    for result in report.results:
        test = result.rows
        right = result.responses["predict"] == 1
        weight = WEIGHT[test] if asks else np.ones(len(test))
        share = weight[right & (Y[test] == 1)].sum() / weight[Y[test] == 1].sum()
        assert result.values["recall"] == pytest.approx(share)
        assert result.values["own"] == 0.5
    kept = report.data.params
    assert ("sample_weight" in kept["recall"]) is asks
    assert "sample_weight" not in kept["own"]


def test_the_baseline_asks_for_weights_where_there_are_any():
    with sklearn.config_context(enable_metadata_routing=True):
        model = GaussianNB().set_fit_request(sample_weight=True)
        for weight in (WEIGHT + 5 * Y, None):
            report = report_of({"b": model}, scoring="neg_brier_score", sample_weight=weight)
            own = np.ones(N) if weight is None else weight
            for result in report.results_of(report.baseline):
                rest = np.setdiff1d(np.arange(N), result.rows)
                share = np.average(Y[rest], weights=own[rest])
                assert result.responses["predict_proba"][0, 1] == pytest.approx(share)


def test_a_splitter_is_given_the_groups_that_it_asks_for():
    groups = np.arange(N) % 4
    with sklearn.config_context(enable_metadata_routing=True):
        report = report_of(cv=GroupKFold(4), groups=groups)
        assert {tuple(set(groups[r.rows])) for r in report.results} == {(k,) for k in range(4)}
        with pytest.raises(TypeError, match="groups"):
            report_of(cv=KFold(2), groups=groups)
