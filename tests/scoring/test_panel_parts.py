"""What a panel does with each of its scorers: names, weights, metadata, errors, reasons."""

import re
import warnings
from functools import partial

import numpy as np
import pytest
import sklearn
import sklearn.metrics
from sklearn.exceptions import UndefinedMetricWarning
from support.stored import Stored

from skmetrics_ext import ScorerPanel, accuracy_score, get_scorer, make_scorer, roc_auc_score
from skmetrics_ext.questions import Rows
from skmetrics_ext.scoring.intervals import estimate_of, with_view
from skmetrics_ext.scoring.panel import unique

Y = np.array([0, 1, 1, 0, 1, 0])
PRED = np.array([0, 1, 0, 0, 1, 1])
OF_1 = np.array([0.2, 0.9, 0.4, 0.3, 0.7, 0.6])
MODEL = Stored(np.arange(2), {"predict": PRED, "predict_proba": np.column_stack([1 - OF_1, OF_1])})
WEIGHT = np.array([1, 2, 3, 4, 5, 6])


def half(estimator, X, y):
    return 0.5


class Own:
    """A scorer without a name."""

    def __call__(self, estimator, X, y, sample_weight=None):
        return 1.0 if sample_weight is None else float(np.sum(sample_weight))


# --------------------------------------------------------------------------- names


@pytest.mark.parametrize(
    ("scoring", "names"),
    [
        ("roc_auc", ["roc_auc"]),
        (half, ["half"]),
        (Own(), ["Own"]),
        (accuracy_score, ["accuracy_score"]),
        (("roc_auc", "f1"), ["roc_auc", "f1"]),
        (iter(["f1", "f1", "accuracy", "f1"]), ["f1", "f1_2", "accuracy", "f1_3"]),
        ({1: "roc_auc", "b": half}, ["1", "b"]),
        ([make_scorer(accuracy_score), get_scorer("f1")], ["accuracy_score", "f1"]),
        ([get_scorer(accuracy_score)], ["accuracy_score"]),
    ],
)
def test_names(scoring, names):
    panel = ScorerPanel(scoring)
    assert panel.names == tuple(names) == tuple(panel.scorers)
    assert repr(panel) == f"ScorerPanel({names!r})"
    assert list(panel(MODEL, None, Y)) == names


def test_scorers_of_scikit_learn_have_the_names_of_their_functions():
    assert ScorerPanel([sklearn.metrics.get_scorer("recall"), half]).names == (
        "recall_score",
        "half",
    )
    assert unique(["a", "a", "a_2", "a"]) == ["a", "a_2", "a_2_2", "a_3"]


def test_the_name_of_a_function_without_a_name_is_what_it_shows():
    own = partial(accuracy_score, normalize=True)
    assert make_scorer(own).__name__ == repr(own)


@pytest.mark.parametrize("scoring", [3, None, 0.5])
def test_what_is_no_scoring(scoring):
    with pytest.raises(ValueError, match=f"must be a name.*got {type(scoring).__name__}"):
        ScorerPanel(scoring)


@pytest.mark.parametrize("scoring", [[], {}, ()])
def test_an_empty_panel(scoring):
    with pytest.raises(ValueError, match="scoring is empty"):
        ScorerPanel(scoring)


def test_a_loss_goes_by_the_name_of_its_scorer():
    for make in (get_scorer, lambda name: ScorerPanel([name])):
        with pytest.raises(ValueError, match=r"'brier_score' is a loss.* is 'neg_brier_score'"):
            make("brier_score")
        with pytest.raises(ValueError, match="'brier' is a loss, and scorers are higher-is-better"):
            make("brier")


# --------------------------------------------------------------------------- weights and metadata


def test_weights_reach_what_takes_them():
    panel = ScorerPanel({"own": Own(), "accuracy": "accuracy", "function": accuracy_score})
    got = panel(MODEL, None, Y, sample_weight=WEIGHT)
    assert got["own"] == WEIGHT.sum()
    assert got["accuracy"] == got["function"] == WEIGHT[Y == PRED].sum() / WEIGHT.sum()
    assert panel(MODEL, None, Y)["own"] == 1


def test_what_takes_no_weights_is_computed_without():
    panel = ScorerPanel([half, "accuracy", make_scorer(lambda y, pred: np.mean(pred))])
    with pytest.warns(UserWarning, match="takes no sample_weight") as told:
        got = panel(MODEL, None, Y, sample_weight=WEIGHT)
    assert [str(one.message).split("'")[1] for one in told] == ["half", "<lambda>"]
    assert list(got.values()) == [0.5, WEIGHT[Y == PRED].sum() / WEIGHT.sum(), np.mean(PRED)]


@pytest.mark.parametrize(
    ("scoring", "takes"),
    [([half], False), ([half, "accuracy"], True), ([Own(), half], True), (["accuracy"], True)],
)
def test_a_panel_takes_weights_where_one_of_its_scorers_does(scoring, takes):
    routing = ScorerPanel(scoring).get_metadata_routing()
    assert ("sample_weight" in routing.score.requests) == takes


def test_columns_of_groups_reach_those_that_ask_for_them():
    seen = {}

    def mine(estimator, X, y, region=None):
        seen["mine"] = region
        return 1.0

    region = np.array(["n", "n", "n", "s", "s", "s"])
    worst = get_scorer("accuracy", worst_of="region")
    panel = ScorerPanel({"mine": mine, "half": half, "all": "accuracy", "worst": worst})
    got = panel(MODEL, None, Y, region=region)
    assert seen["mine"] is region
    assert got == {"mine": 1.0, "half": 0.5, "all": 4 / 6, "worst": 2 / 3}
    assert panel.get_metadata_routing().score.requests["region"] is True or not hasattr(
        panel, "_metadata_request"
    )


def test_requests_of_a_panel_keep_its_columns():
    worst = get_scorer("accuracy", worst_of="region")
    panel = ScorerPanel(["accuracy", worst])
    requests = {"region": True, "sample_weight": None}
    assert panel.get_metadata_routing().score.requests == requests
    with sklearn.config_context(enable_metadata_routing=True):
        panel.set_score_request(sample_weight="w")
    assert panel.get_metadata_routing().score.requests == {"region": True, "sample_weight": "w"}
    with pytest.raises(RuntimeError, match="only available when metadata routing is enabled"):
        panel.set_score_request(sample_weight=True)


# --------------------------------------------------------------------------- errors and reasons


def failing(estimator, X, y):
    raise KeyError("no such row")


@pytest.mark.parametrize("missing", ["align", "nan", "raise"])
@pytest.mark.parametrize("on_error", [None, "nan", "raise"])
def test_an_error_of_one_scorer(missing, on_error):
    panel = ScorerPanel({"bad": failing, "accuracy": "accuracy"}, missing=missing,
                        on_error=on_error)  # fmt: skip
    if on_error == "raise" or (on_error is None and missing == "raise"):
        with pytest.raises(KeyError, match="no such row"):
            panel(MODEL, None, Y)
        return
    with pytest.warns(UndefinedMetricWarning, match="gives nan for bad: KeyError: 'no such row'"):
        got = panel(MODEL, None, Y)
    assert np.isnan(got["bad"])
    assert got["accuracy"] == 4 / 6
    result = panel.evaluate(MODEL, None, Y)
    assert result.reasons == {"bad": "KeyError: 'no such row'"}
    assert result.notes == {}


@pytest.mark.parametrize("n_characters", [299, 300, 301, 500])
def test_a_reason_is_one_line_of_300_characters_at_most(n_characters):
    text = "x" * (n_characters - len("RuntimeError: a b "))

    def bad(estimator, X, y):
        raise RuntimeError(f"a\n  b\t{text}")

    reason = ScorerPanel([bad]).evaluate(MODEL, None, Y).reasons["bad"]
    whole = f"RuntimeError: a b {text}"
    assert reason == (whole if n_characters <= 300 else f"{whole[:300]} ...")


@pytest.mark.parametrize("value", [np.array([0.5, 0.25]), np.zeros((1, 1))])
def test_a_scorer_returns_one_number(value):
    found = ScorerPanel({"bad": lambda estimator, X, y: value}).evaluate(MODEL, None, Y)
    assert np.isnan(found.values["bad"])
    told = f"A scorer must return one number, got {value.size} values"
    assert (
        found.reasons["bad"] == f"InvalidParameterError: {told}: choose an average other than None."
    )


@pytest.mark.parametrize("value", [1, 0.25, np.float32(0.5), np.array(0.75), True])
def test_a_number_of_any_type_is_a_float(value):
    found = ScorerPanel({"it": lambda estimator, X, y: value}).evaluate(MODEL, None, Y)
    assert found.values == {"it": float(value)}
    assert type(found.values["it"]) is float
    assert not found.reasons
    assert not found.notes


def test_metrics_of_grades_and_of_marks_are_checked_apart():
    grades, score = np.array([[2, 0, 1], [0, 3, 1]]), np.array([[0.9, 0.1, 0.5], [0.2, 0.8, 0.1]])
    model = Stored([np.arange(4)] * 3, {"decision_function": score})
    for names in (["ndcg", "neg_coverage_error"], ["neg_coverage_error", "ndcg"]):
        found = ScorerPanel(names).evaluate(model, None, grades)
        assert found.values["ndcg"] == pytest.approx(sklearn.metrics.ndcg_score(grades, score))
        assert np.isnan(found.values["neg_coverage_error"])
        assert "multiclass-multioutput format" in found.reasons["neg_coverage_error"]


def test_why_a_value_is_nan():
    """By what the metric warns of, else by what its row says, else that it is so."""
    no_positive = Stored(np.arange(2), {"predict": np.zeros(2, int), "predict_proba": np.eye(2)})
    own = get_scorer("precision", zero_division=np.nan)
    panel = ScorerPanel({"own": own, "nan": lambda estimator, X, y: np.nan, "roc_auc": "roc_auc"})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = panel.evaluate(no_positive, None, np.array([1, 1]))
    assert found.reasons["nan"] == "the scorer returned nan"
    assert "nan" not in found.reasons["own"]
    assert found.reasons.keys() == {"own", "nan", "roc_auc"}
    assert not found.notes
    table = found.frame().set_index("metric")
    assert table.loc["nan", "reason"] == "the scorer returned nan"
    assert table["note"].isna().all()


def test_a_value_by_convention_has_a_note():
    never = Stored(np.arange(2), {"predict": np.zeros(3, int)})
    panel = ScorerPanel(["precision", "accuracy"])
    found = panel.evaluate(never, None, np.array([1, 0, 1]))
    assert found.values == {"precision": 0.0, "accuracy": 1 / 3}
    assert found.notes.keys() == {"precision"}
    assert "ill-defined" in found.notes["precision"]
    assert not found.reasons
    with pytest.warns(UndefinedMetricWarning, match="ScorerPanel gives by convention precision: "):
        panel(never, None, np.array([1, 0, 1]))
    both = ScorerPanel({"bad": failing, "precision": "precision"})
    with pytest.warns(UndefinedMetricWarning, match="nan for bad: .*And by convention precision"):
        both(never, None, np.array([1, 0, 1]))


def test_other_warnings_of_a_scorer_are_shown():
    def loud(estimator, X, y):
        warnings.warn("it is slow", RuntimeWarning, stacklevel=1)
        return 0.5

    with pytest.warns(RuntimeWarning, match="it is slow"):
        found = ScorerPanel([loud]).evaluate(MODEL, None, Y)
    assert found.values == {"loud": 0.5}
    assert not found.notes


def test_a_function_of_the_user_may_refuse_rows():
    """Rows that no metric of ours can read are an error of ours alone."""

    def strict(y_true, y_pred):
        raise ValueError("not these")

    y = np.array([0, 1, np.nan, 0, 1, 0])
    found = ScorerPanel({"strict": make_scorer(strict)}).evaluate(MODEL, None, y)
    assert found.reasons == {"strict": "ValueError: not these"}
    with pytest.raises(ValueError, match="NaN"):
        ScorerPanel(["accuracy"]).evaluate(MODEL, None, y)
    found = ScorerPanel({"f1": get_scorer("f1", average="samples")}).evaluate(MODEL, None, Y)
    assert "amplewise" in found.reasons["f1"]


# --------------------------------------------------------------------------- policies


def test_the_policy_of_a_panel_is_that_of_what_it_names():
    """Functions of ours have it too; scorers keep their own."""
    three = Stored(np.arange(3), {"predict_proba": np.eye(3)[[0, 1, 2, 0, 1, 2]]})
    y = np.array([0, 1, 1, 0, 1, 0])
    theirs = get_scorer("roc_auc_ovr")
    panel = ScorerPanel({"name": "roc_auc_ovr", "own": theirs}, missing="nan")
    with pytest.warns(UndefinedMetricWarning, match=r"nan for name: .*without rows: \[2\]"):
        got = panel(three, None, y)
    assert np.isnan(got["name"])
    assert got["own"] == theirs(three, None, y)
    with pytest.raises(ValueError, match=r"classes without rows: \[2\]"):
        ScorerPanel([roc_auc_score], missing="raise")(three, None, y)


@pytest.mark.parametrize("given", ["align", "nan", "raise"])
@pytest.mark.parametrize("asked", ["align", "nan", "raise"])
def test_a_scorer_asked_for_with_another_policy(given, asked):
    three = Stored(np.arange(3), {"predict_proba": np.eye(3)[[0, 1, 2, 0, 1, 2]]})
    scorer = get_scorer(get_scorer("neg_log_loss", missing=given), missing=asked)
    if asked == "raise":
        with pytest.raises(ValueError, match="without rows"):
            scorer(three, None, Y)
    elif asked == "nan":
        with pytest.warns(UndefinedMetricWarning, match="without rows"):
            assert np.isnan(scorer(three, None, Y))
    else:
        assert np.isfinite(scorer(three, None, Y))


def test_a_scorer_asked_for_again():
    scorer = get_scorer("recall", pos_label=0)
    assert get_scorer(scorer) is scorer
    other = get_scorer(scorer, pos_label=1)
    assert [one(MODEL, None, Y) for one in (scorer, other)] == [2 / 3, 2 / 3]
    assert repr(other) == "get_scorer('recall', pos_label=1)"
    assert repr(get_scorer(scorer, zero_division=0)) == (
        "get_scorer('recall', pos_label=0, zero_division=0)"
    )
    for wrong in (np.mean, 3, Own()):
        with pytest.raises(ValueError, match="is not a registered metric"):
            get_scorer(wrong)


# --------------------------------------------------------------------------- intervals


def test_no_interval_where_groups_or_sums_or_classes_leave_none():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 40)
    proba = rng.dirichlet(np.ones(3), 40)
    three = Stored(np.arange(3), {"predict_proba": proba, "predict": proba.argmax(axis=1)})
    scoring = {
        "mean": "neg_log_loss",
        "sum": get_scorer("neg_log_loss", normalize=False),
        "area": "roc_auc_ovr",  # of the classes that have rows
        "accuracy": "accuracy",
        "worst": get_scorer("accuracy", worst_of="region"),
    }
    panel = ScorerPanel(scoring, intervals=True)
    got = panel(three, None, y, region=y)
    for name, has in {"mean": True, "sum": False, "area": False, "worst": False}.items():
        assert np.isfinite(got[name]), name
        assert np.isfinite([got[f"{name}_low"], got[f"{name}_high"]]).all() == has, name
        assert np.isfinite([got[f"{name}_low"], got[f"{name}_high"]]).any() == has, name
    assert got["mean_low"] < got["mean"] < got["mean_high"] < 0
    assert got["accuracy_low"] < got["accuracy"] < got["accuracy_high"]
    alone = ScorerPanel(["accuracy", "roc_auc_ovr"], intervals=True)
    found = alone(three, None, y, groups=np.zeros(40))  # as a fold may have
    assert found["accuracy"] == got["accuracy"]
    assert found["accuracy_low"] < got["accuracy_low"] < got["accuracy_high"]
    with pytest.raises(ValueError, match="'accuracy_low' is not a metric of this panel: accuracy"):
        ScorerPanel(["accuracy"]).single("accuracy_low")
    assert repr(alone.single("accuracy_low")) == "ScorerPanel(['accuracy']).single('accuracy_low')"


SCORERS = {
    "mean": ("neg_log_loss", None),
    "its sum": (get_scorer("neg_log_loss", normalize=False), r"a sum \(normalize=False\) has no"),
    "worst group": (get_scorer("accuracy", worst_of="region"), "score of the worst group has no"),
    "own": (make_scorer(lambda y, pred: 0.5), "only metrics of this package have intervals"),
    "function": (half, "only metrics of this package have intervals"),
    "lacking": ("roc_auc_ovr", "an average over the classes that have rows has no interval"),
    "never seen": ("roc_auc_ovo", r"never saw the classes \[3\] of y_true"),
}


@pytest.mark.parametrize("what", SCORERS)
def test_why_there_is_no_interval(what):
    scoring, reason = SCORERS[what]
    scorer = ScorerPanel([scoring]).scorers.popitem()[1]
    y = np.array([0, 1, 1, 0, 1, 0]) if what != "never seen" else np.array([0, 1, 2, 3, 1, 2])
    proba = np.random.default_rng(0).dirichlet(np.ones(3), 6)
    responses = {"predict_proba": proba, "predict": proba.argmax(axis=1)}
    rows = Rows(y, responses, np.arange(3))
    asked = with_view(scorer, rows, {})
    if reason is None:
        assert asked.checked is not None
        value = scorer(Stored(np.arange(3), responses), None, y)
        found, told = estimate_of(scorer, rows, {}, {}, value)
        assert told is None
        assert found.low < found.value == value < found.high < 0
    else:
        assert re.search(reason, asked)
        assert estimate_of(scorer, rows, {}, {}, 0.5) == (None, asked)


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"zero_division": 7}, "zero_division has to be one of"),
        ({"average": "mean"}, "average has to be one of"),
        ({"pos_label": 7}, "pos_label=7 is not a valid label"),
    ],
)
def test_parameters_are_checked_though_the_value_does_not_depend_on_them(options, told):
    scorer = get_scorer("f1", **options)
    with pytest.raises(ValueError, match=told):
        scorer(MODEL, None, Y)
    with pytest.raises(ValueError, match=told):  # by metadata
        get_scorer("f1")(MODEL, None, Y, **options)
    found = ScorerPanel({"it": scorer, "f1": "f1"}).evaluate(MODEL, None, Y)
    assert told in found.reasons["it"]
    assert found.values["f1"] == 2 / 3
