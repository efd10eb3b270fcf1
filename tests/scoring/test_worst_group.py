"""The worst group as a score: values by hand, in scikit-learn's searches, and what is refused."""

import pickle

import numpy as np
import pandas as pd
import pytest
import sklearn
from scipy import stats
from sklearn.base import clone
from sklearn.exceptions import UndefinedMetricWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    TunedThresholdClassifierCV,
    cross_val_score,
    cross_validate,
)
from support.stored import Stored

from skmetrics_ext import (
    METRICS,
    ScorerPanel,
    cross_validation_report,
    evaluate,
    get_scorer,
    make_scorer,
)

Y = np.array([1, 1, 1, 1, 0, 0, 1, 1, 0, 0])
PRED = np.array([1, 1, 1, 0, 0, 1, 1, 0, 0, 1])
REGION = np.array(["north"] * 6 + ["south"] * 4)  # recall 3/4 and 1/2, specificity 1/2 and 1/2
MODEL = Stored(np.array([0, 1]), {"predict": PRED})


def score(name, y=Y, model=MODEL, region=REGION, **options):
    return get_scorer(name, worst_of="region", **options)(model, None, y, region=region)


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


# --------------------------------------------------------------------------- values


def test_by_hand():
    assert score("recall") == 1 / 2
    assert score("accuracy") == 1 / 2  # 4 of 6 and 2 of 4
    assert score("neg_error_rate") == -1 / 2
    assert score("recall", pos_label=0) == 1 / 2


def test_weights_count():
    weight = np.array([1, 1, 1, 6, 1, 1, 1, 1, 1, 1])
    scorer = get_scorer("recall", worst_of="region")
    assert scorer(MODEL, None, Y, weight, region=REGION) == 3 / 9
    weight[[3, 7]] = 0  # of weight 0 is no error
    assert scorer(MODEL, None, Y, weight, region=REGION) == 1


def test_ranks_within_groups():
    # north: 5 of 6 pairs in order; south: 3 of 4.
    proba = np.array([0.9, 0.8, 0.3, 0.2, 0.25, 0.1, 0.9, 0.4, 0.3, 0.6])
    y = np.array([1, 1, 1, 0, 0, 0, 1, 1, 0, 0])
    y[4], y[3] = 0, 0
    model = Stored(np.array([0, 1]), {"predict_proba": np.column_stack([1 - proba, proba])})
    assert score("roc_auc", y, model) == 3 / 4
    loss = -np.log(np.where(y == 1, proba, 1 - proba))
    worst = max(loss[:6].mean(), loss[6:].mean())
    np.testing.assert_allclose(score("neg_log_loss", y, model), -worst, rtol=1e-14)


def test_groups_of_single_rows_and_of_rows_of_weight_0():
    """A group of weight 0 has no score, a group of one row has its own."""
    of_1 = np.array([0.9, 0.8, 0.4, 0.7, 0.6, 0.1, 0.2])
    region = np.array(["a", "a", "b", "c", "c", "d", "e"])
    weight = np.array([0, 0, 1, 2, 1, 0, 3])
    y = np.array([0, 0, 1, 1, 1, 1, 0])
    model = Stored(np.arange(2), {"predict_proba": np.column_stack([1 - of_1, of_1])})
    loss = {"b": -np.log(0.4), "c": -(2 * np.log(0.7) + np.log(0.6)) / 3, "e": -np.log(0.8)}
    for min_rows, worst in ((1, loss["b"]), (2, loss["c"])):
        scorer = get_scorer("neg_log_loss", worst_of="region", min_rows=min_rows)
        got = scorer(model, None, y, weight, region=region)
        assert got == pytest.approx(-worst, rel=1e-14)
    whole = get_scorer("neg_log_loss", worst_of="region")(model, None, y, region=region)
    assert whole == pytest.approx(np.log(0.1), rel=1e-14)
    alone = get_scorer("neg_log_loss", worst_of="region")
    only = np.where(region == "e", weight, 0)
    assert alone(model, None, y, only, region=region) == pytest.approx(-loss["e"], rel=1e-14)


@pytest.mark.parametrize(
    ("min_rows", "told"), [(1, "group has"), (2, "group of 2 rows or more has")]
)
def test_no_group_with_a_value(min_rows, told):
    with pytest.warns(UndefinedMetricWarning, match=f"recall_worst_region is undefined: no {told}"):
        assert np.isnan(score("recall", np.zeros(10, int), min_rows=min_rows))


def test_the_one_group_that_there_is_is_the_worst():
    """As in a fold that has rows of one region alone."""
    assert score("recall", region=np.array(["north"] * 10)) == 4 / 6
    assert score("accuracy", region=np.zeros(10)) == 6 / 10


def test_what_no_group_can_have_is_told_once():
    """Of a class that the model never saw; or by the policy."""
    model = Stored(np.arange(2), {"predict_proba": np.column_stack([1 - PRED, PRED])})
    y = np.where(np.arange(10) == 3, 2, Y)
    with pytest.warns(UndefinedMetricWarning, match=r"never saw the classes \[2\]") as told:
        assert np.isnan(score("roc_auc", y, model))
    assert len(told) == 1
    with pytest.warns(UndefinedMetricWarning, match=r"seen in training: \[2\]"):
        assert np.isnan(score("neg_log_loss", y, model, missing="nan"))


def test_several_outputs():
    """Of labels and of scores; an output without a mark in a group leaves its average."""
    marks = np.array([[1, 0], [0, 1], [1, 1], [1, 0], [0, 1], [1, 1]])
    pred = np.array([[1, 0], [0, 1], [1, 0], [1, 1], [0, 0], [1, 0]])
    region = np.array(["n", "n", "n", "s", "s", "s"])
    proba = np.array([[0.9, 0.2], [0.1, 0.7], [0.6, 0.1], [0.8, 0.9], [0.5, 0.3], [0.7, 0.2]])
    model = Stored([np.arange(2)] * 2, {"predict": pred, "predict_proba": proba})
    for name in ("f1_macro", "accuracy", "recall_micro", "roc_auc"):
        scorer = get_scorer(name)
        expected = []
        for one in ("n", "s"):
            rows = region == one
            own = {"predict": pred[rows], "predict_proba": proba[rows]}
            expected.append(scorer(Stored([np.arange(2)] * 2, own), None, marks[rows]))
        assert score(name, marks, model, region) == pytest.approx(min(expected), rel=1e-14)
    for name in ("f1_macro", "roc_auc"):
        with pytest.raises(ValueError, match="needs a metric of one number: choose an average"):
            score(name.removesuffix("_macro"), marks, model, region, average=None)


def test_small_groups_do_not_decide():
    region = np.array(["north"] * 6 + ["south"] * 3 + ["islet"])  # the last row is an error
    assert score("accuracy", region=region) == 0
    assert score("accuracy", region=region, min_rows=2) == 2 / 3
    with pytest.warns(UndefinedMetricWarning, match="no group of 7 rows or more has a value"):
        assert np.isnan(score("accuracy", region=region, min_rows=7))


def test_a_group_without_positives_does_not_decide():
    region = np.array(["north"] * 8 + ["south"] * 2)
    with pytest.warns(UndefinedMetricWarning, match="leaves out 1 of 2 groups"):
        assert score("recall", region=region) == 4 / 6
    proba = np.column_stack([1 - PRED, PRED])
    model = Stored(np.array([0, 1]), {"predict_proba": proba})
    with pytest.warns(UndefinedMetricWarning, match="leaves out 1 of 2 groups"):
        assert score("average_precision", Y, model, region) > 0


def test_the_bound_of_a_noisy_group_does_not_decide():
    rng = np.random.default_rng(0)
    size = np.array([400, 400, 5])
    region = np.repeat(["a", "b", "tiny"], size)
    wrong = np.concatenate([rng.random(400) < 0.1, rng.random(400) < 0.3, [1, 1, 0, 0, 0]])
    y = np.arange(size.sum()) % 2
    model = Stored(np.array([0, 1]), {"predict": np.where(wrong, 1 - y, y)})
    assert score("accuracy", y, model, region) == 3 / 5
    bound = score("accuracy", y, model, region, worst_of_bound=True)
    # Clopper and Pearson's upper bound of b at 1 - 0.05 / 3, which R's binom.test gives.
    right = 400 - wrong[400:800].sum()
    from scipy.stats import beta

    np.testing.assert_allclose(bound, beta.ppf(1 - 0.05 / 6, right + 1, 400 - right), rtol=1e-9)


@pytest.mark.parametrize(
    "name", ["recall", "f1_macro", "roc_auc", "neg_log_loss", "neg_brier_score"]
)
@pytest.mark.parametrize("bound", [False, True])
def test_evaluate_says_the_same(name, bound):
    rng = np.random.default_rng(1)
    y, region = rng.integers(0, 2, 600), rng.integers(0, 5, 600)
    proba = np.clip(0.6 * rng.random(600) + 0.3 * y, 0.01, 0.99)
    pred = (proba > 0.5).astype(int)
    methods = {"predict": pred, "predict_proba": np.column_stack([1 - proba, proba])}
    got = score(name, y, Stored(np.array([0, 1]), methods), region, worst_of_bound=bound)
    data = pd.DataFrame({"y": y, "score": proba, "pred": pred, "region": region})
    columns = {"true": "y", "score": "score", "pred": "pred", "by": "region"}
    table = evaluate(data, **columns, metrics=[name.removeprefix("neg_")], intervals=True)
    (worst,) = table.surely_worst()
    values = [row.value for row in table.rows]
    if name.startswith("neg_"):  # which the table shows as a loss
        expected = -(worst.low if bound else max(values))
    else:
        expected = worst.high if bound else min(values)
    np.testing.assert_allclose(got, expected, rtol=1e-12)


def test_every_metric_of_one_number_has_a_worst_group():
    rng = np.random.default_rng(2)
    y = rng.integers(0, 3, 300)
    proba = rng.dirichlet(np.ones(3), 300) + np.eye(3)[y]
    proba /= proba.sum(axis=1, keepdims=True)
    region = np.arange(300) // 75

    def model(rows):
        methods = {"predict": proba[rows].argmax(axis=1), "predict_proba": proba[rows]}
        return Stored(np.arange(3), methods)

    checked = 0
    for name in sorted({scorer for spec in METRICS.values() for scorer in spec.scorers}):
        whole = np.arange(300)
        try:
            get_scorer(name)(model(whole), None, y)
        except ValueError:  # needs two classes, or marks
            continue
        groups = [np.flatnonzero(region == number) for number in range(4)]
        expected = min(get_scorer(name)(model(rows), None, y[rows]) for rows in groups)
        got = score(name, y, model(whole), region)
        np.testing.assert_allclose(got, expected, rtol=1e-11, atol=1e-13, err_msg=name)
        checked += 1
    assert checked > 50


# --------------------------------------------------------------------------- in scikit-learn


def rows_of_regions(n_rows=400):
    rng = np.random.default_rng(0)
    X, region = rng.normal(size=(n_rows, 3)), rng.integers(0, 3, n_rows)
    slope = np.where(region == 2, -0.2, 1.5)
    y = (X[:, 0] * slope + rng.normal(size=n_rows) > 0).astype(int)
    return X, y, np.array(["a", "b", "c"])[region]


def by_hand(model, X, y, region):
    right = model.predict(X) == y
    return min(right[(region == one) & (y == 1)].mean() for one in np.unique(region))


def test_cross_validate_routes_the_column(routing):
    X, y, region = rows_of_regions()
    scorer = get_scorer("recall", worst_of="region")
    scoring = {"worst": scorer, "all": get_scorer("recall")}
    found = cross_validate(
        LogisticRegression(),
        X,
        y,
        scoring=scoring,
        cv=3,
        params={"region": region},
        return_estimator=True,
        return_indices=True,
    )
    expected = [
        by_hand(model, X[rows], y[rows], region[rows])
        for model, rows in zip(found["estimator"], found["indices"]["test"], strict=True)
    ]
    np.testing.assert_allclose(found["test_worst"], expected, rtol=1e-15)
    assert (found["test_worst"] < found["test_all"]).all()
    single = cross_val_score(
        LogisticRegression(), X, y, scoring=scorer, cv=3, params={"region": region}
    )
    np.testing.assert_array_equal(single, found["test_worst"])


def test_a_search_prefers_what_is_best_where_it_is_worst(routing):
    X, y, region = rows_of_regions()
    X = np.column_stack([X, region == "c", X[:, 0] * (region == "c")])
    grid = {"C": [1e-4, 1.0]}
    scorer = get_scorer("accuracy", worst_of="region")
    search = GridSearchCV(LogisticRegression(), grid, scoring=scorer, cv=3)
    search.fit(X, y, region=region)
    best = search.cv_results_["mean_test_score"]
    assert search.best_params_ == {"C": 1.0}
    assert best[1] > best[0]


def test_panels_give_the_worst_group_with_the_rest(routing):
    X, y, region = rows_of_regions()
    model = LogisticRegression().fit(X, y)
    panel = ScorerPanel(["recall", get_scorer("recall", worst_of="region"), "roc_auc"])
    values = panel(model, X, y, region=region)
    assert list(values) == ["recall", "recall_worst_region", "roc_auc"]
    assert values["recall_worst_region"] == by_hand(model, X, y, region)
    assert values["recall"] == get_scorer("recall")(model, X, y)
    found = cross_validate(model, X, y, scoring=panel, cv=3, params={"region": region})
    assert (found["test_recall_worst_region"] < found["test_recall"]).all()
    search = GridSearchCV(
        LogisticRegression(), {"C": [0.1, 1.0]}, scoring=panel, refit="recall_worst_region", cv=3
    )
    assert search.fit(X, y, region=region).best_score_ > 0


def test_panels_keep_groups_of_intervals_and_of_scorers_apart():
    X, y, region = rows_of_regions()
    model = LogisticRegression().fit(X, y)
    scoring = ["recall", get_scorer("recall", worst_of="groups")]
    values = ScorerPanel(scoring, intervals=True)(model, X, y, groups=region)
    assert values["recall_worst_groups"] == by_hand(model, X, y, region)
    assert values["recall_low"] < values["recall"] < values["recall_high"]
    assert np.isnan(values["recall_worst_groups_low"])


def test_a_report_shows_it(routing):
    X, y, region = rows_of_regions()
    scoring = ["recall", get_scorer("recall", worst_of="region")]
    report = cross_validation_report(
        LogisticRegression(), X, y, scoring=scoring, cv=3, params={"region": region}
    )
    names = {row.metric for row in report.summary(interval="cv")}
    assert names == {"recall", "recall_worst_region"}


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({}, ""),
        ({"min_rows": 1}, ""),
        ({"min_rows": 2}, ", min_rows=2"),
        ({"min_rows": 3, "worst_of_bound": True}, ", min_rows=3, worst_of_bound=True"),
    ],
)
def test_what_differs_from_the_defaults_is_told(options, told):
    scorer = get_scorer("recall", worst_of="region", **options)
    assert repr(scorer) == f"get_scorer('recall', worst_of='region'{told})"
    assert scorer.__name__ == "recall_worst_region"


def test_copies_keep_the_column(routing):
    scorer = get_scorer("recall", worst_of="region", min_rows=5)
    for copy in (clone(scorer), pickle.loads(pickle.dumps(scorer))):
        assert copy.get_metadata_routing().score.requests["region"] is True
        assert repr(copy) == "get_scorer('recall', worst_of='region', min_rows=5)"
    weighted = scorer.set_score_request(sample_weight=True)
    assert weighted.get_metadata_routing().score.requests == {"sample_weight": True, "region": True}


# --------------------------------------------------------------------------- refused


def test_what_is_wrong_is_refused_by_name():
    with pytest.raises(ValueError, match=r"recall_worst_region needs the group of each row: pass"):
        get_scorer("recall", worst_of="region")(MODEL, None, Y)
    with pytest.raises(ValueError, match="region must hold one group for each"):
        score("recall", region=REGION[:-1])
    with pytest.raises(ValueError, match="recall_worst_region: region has no value in row 0"):
        score("recall", region=[None, *REGION[1:]])
    y = pd.Series(Y, index=range(10))
    other = pd.Series(REGION, index=range(9, -1, -1))
    told = r"y_true and region have the same index .* Pass region\.loc\[y_true\.index\]"
    with pytest.raises(ValueError, match=told):
        score("recall", y, region=other)
    with pytest.raises(ValueError, match="worst_of must be a name"):
        get_scorer("recall", worst_of=["region"])
    with pytest.raises(ValueError, match="min_rows applies to groups: pass worst_of="):
        get_scorer("recall", min_rows=5)
    with pytest.raises(ValueError, match="worst_of_bound applies to groups"):
        get_scorer("recall", worst_of_bound=True)
    with pytest.raises(ValueError, match="min_rows"):
        get_scorer("recall", worst_of="region", min_rows=0)
    with pytest.raises(ValueError, match="worst_of_bound"):
        get_scorer("recall", worst_of="region", worst_of_bound="yes")
    with pytest.raises(ValueError, match="one registered metric"):
        get_scorer(make_scorer(lambda y, pred: 0.5), worst_of="region")
    with pytest.raises(ValueError, match="choose an average"):
        score("recall", average=None)
    with pytest.raises(ValueError, match="sums cannot be used"):
        score("accuracy", normalize=False)
    with pytest.raises(ValueError, match=r"pass the metric's name"):
        get_scorer(get_scorer("recall", worst_of="region"), pos_label=0)


def test_no_threshold_is_tuned_on_all_rows_for_the_worst_group():
    X, y, _ = rows_of_regions()
    tuned = TunedThresholdClassifierCV(
        LogisticRegression(), scoring=get_scorer("recall", worst_of="region")
    )
    with pytest.raises(AttributeError, match="worst group needs the groups"):
        tuned.fit(X, y)


def test_a_group_whose_rows_have_weight_0_has_no_score():
    """Recall leaves out rows of weight 0, so that the group of the worst is empty."""
    region = np.array(["east"] * 2 + ["north"] * 4 + ["south"] * 4)
    proba = np.array([0.1, 0.2, 0.9, 0.4, 0.3, 0.6, 0.8, 0.7, 0.2, 0.1])
    y = np.array([1, 0, 1, 1, 0, 0, 1, 1, 0, 0])
    model = Stored(np.array([0, 1]), {"predict_proba": np.column_stack([1 - proba, proba])})
    scorer = get_scorer("roc_auc", worst_of="region")
    assert scorer(model, None, y, region=region) == 0
    weight = np.array([0, 0] + [1] * 8)
    assert scorer(model, None, y, weight, region=region) == 3 / 4  # of the north


@pytest.mark.parametrize("metric", ["accuracy", "f1_macro", "roc_auc", "average_precision"])
def test_fewest_rows_are_rows_with_weight(metric):
    """Group b has four rows, two of them with weight 0."""
    group = np.array(["a"] * 6 + ["b"] * 4)
    y = np.array([0, 1, 0, 1, 0, 1, 0, 1, 0, 1])
    X = np.array([[0.0, 1, 0, 1, 1, 1, 1, 0, 1, 0]]).T
    weight = np.array([1.0] * 8 + [0, 0])
    model = LogisticRegression().fit(X[:6], y[:6])
    whole, of_a = (
        get_scorer(metric, worst_of="site", min_rows=n)(
            model, X, y, site=group, sample_weight=weight
        )
        for n in (2, 3)
    )
    only_a = get_scorer(metric)(model, X[:6], y[:6])
    assert of_a == pytest.approx(only_a)
    assert whole < of_a


@pytest.mark.parametrize("name", ["accuracy", "neg_error_rate"])
def test_the_bound_of_the_worst_group_is_that_of_its_share_at_the_level_of_all(name):
    """Clopper and Pearson at 1 - 0.05 / 3: 17 of 20, 15 of 20 and 30 of 30 are right."""
    y, groups = np.arange(70) % 2, np.repeat(["a", "b", "c"], [20, 20, 30])
    pred = np.where(np.isin(np.arange(70), [1, 2, 3, 21, 22, 23, 24, 25]), 1 - y, y)
    X = 20.0 * pred[:, None] - 10
    model = LogisticRegression().fit(X, pred)  # predicts the sign
    scorer = get_scorer(name, worst_of="group", worst_of_bound=True)
    high = stats.beta.ppf(1 - 0.05 / 3 / 2, 15 + 1, 5)
    expected = high if name == "accuracy" else high - 1
    assert scorer(model, X, y, group=groups) == pytest.approx(expected, rel=1e-12)
