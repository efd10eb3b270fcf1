"""compute_metrics: each function's own answer, from one check, one count and one sort."""

import numpy as np
import pytest

import skmetrics_ext
from scoring.models import bayes, iris
from skmetrics_ext import compute_metrics, confidence_interval, kernels

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 200)
P = np.clip(0.3 + 0.3 * Y + RNG.normal(0, 0.2, 200), 0.01, 0.99)
W = RNG.integers(0, 4, 200)
PRED = (P > 0.5).astype(int)
RANKED = ["roc_auc", "gini", "ks_statistic", "average_precision", "pr_auc", "h_measure", "auprg"]
LOSSES = ["neg_log_loss", "brier_score", "brier_skill", "expected_calibration_error"]


def alone(name, y, given, **options):
    metric = skmetrics_ext.registry.find(name)
    return metric.function(y, given, **metric.params, **options)


@pytest.mark.parametrize("weight", [None, W])
def test_each_has_its_own_answer(weight):
    names = [*RANKED, *LOSSES, "f1", "accuracy", "matthews_corrcoef"]
    got = compute_metrics(names, Y, PRED, y_score=P, y_proba=P, sample_weight=weight)
    assert list(got) == names
    for name in names:
        given = PRED if name in ("f1", "accuracy", "matthews_corrcoef") else P
        expected = alone(name, Y, given, sample_weight=weight)
        assert got[name] == pytest.approx(expected, rel=1e-13), name


@pytest.mark.parametrize("weight", [W, W / 4])
def test_weights_that_are_counts_keep_their_unit(weight):
    names = ["accuracy", "krippendorff_alpha", "f1"]
    got = compute_metrics(names, Y, PRED, sample_weight=weight)
    for name in names:
        assert got[name] == pytest.approx(alone(name, Y, PRED, sample_weight=weight), rel=1e-13)


def test_a_scorer_keeps_the_unit_of_weights_that_are_counts():
    X, y = iris()
    model, weight = bayes().fit(X, y), RNG.integers(1, 4, len(y)) / 4
    got = skmetrics_ext.get_scorer("krippendorff_alpha")(model, X, y, sample_weight=weight)
    expected = skmetrics_ext.krippendorff_alpha_score(y, model.predict(X), sample_weight=weight)
    assert got == pytest.approx(expected, rel=1e-13)


@pytest.mark.parametrize("order", [1, -1])
def test_a_panel_keeps_the_unit_of_weights_that_are_counts(order):
    """Beside metrics of shares, whose weights may be rescaled."""
    X, y = iris()
    model, weight = bayes().fit(X, y), RNG.integers(1, 4, len(y)) * 2.0**210
    names = ["accuracy", "krippendorff_alpha", "f1_macro"][::order]
    got = skmetrics_ext.ScorerPanel(names)(model, X, y, sample_weight=weight)
    options = {"sample_weight": weight}
    expected = skmetrics_ext.krippendorff_alpha_score(y, model.predict(X), **options)
    assert got["krippendorff_alpha"] == pytest.approx(expected, rel=1e-15)
    scaled = skmetrics_ext.accuracy_score(y, model.predict(X), sample_weight=weight / 2.0**210)
    assert got["accuracy"] == pytest.approx(scaled, rel=1e-13)


def test_scores_are_sorted_once(monkeypatch):
    calls = []
    real = kernels.rank_table
    monkeypatch.setattr(kernels, "rank_table", lambda *given: calls.append(1) or real(*given))
    compute_metrics([*RANKED, *LOSSES, "net_benefit_at_20"], Y, y_proba=P)
    assert len(calls) == 1


def test_the_positive_class_is_asked_for_where_nothing_says_it():
    y = Y + 1  # 1 and 2: neither is positive by itself
    either = ["roc_auc", "gini", "ks_statistic", "brier_score"]
    for name in either:
        with pytest.raises(ValueError, match="needs a positive class: pass pos_label=2 or pos_l"):
            compute_metrics([name], y, y_proba=P)
    got = compute_metrics(either, y, y_proba=np.column_stack([1 - P, P]))
    assert got == pytest.approx(compute_metrics(either, Y, y_proba=P), rel=1e-13)
    for name in ("average_precision", "lift_at_10", "h_measure", "partial_roc_auc"):
        with pytest.raises(ValueError, match="needs a positive class: pass pos_label=2 or pos_l"):
            compute_metrics([name], y, y_score=P)
        got = compute_metrics([name], y, y_score=P, pos_label=2)
        assert got == pytest.approx(compute_metrics([name], Y, y_score=P), rel=1e-13)
    with pytest.raises(ValueError, match="needs a positive class: pass pos_label=2 or pos_l"):
        compute_metrics(["f1"], y, PRED + 1)
    got = compute_metrics(["f1"], y, PRED + 1, pos_label=2)
    assert got == pytest.approx(compute_metrics(["f1"], Y, PRED), rel=1e-13)
    assert compute_metrics(["f1_macro"], y, PRED + 1)["f1_macro"] > 0


def test_two_columns_do_not_say_which_class_is_positive():
    """Both classes have a column, and the metrics of one class have to know which."""
    y, both = np.where(Y == 1, "b", "a"), np.column_stack([1 - P, P])
    for name in ("average_precision", "lift_at_10", "h_measure", "pr_auc"):
        with pytest.raises(ValueError, match="needs a positive class: pass pos_label='b' or pos_l"):
            compute_metrics([name], y, y_score=both)
        got = compute_metrics([name], y, y_score=both, pos_label="a")
        assert got[name] == pytest.approx(alone(name, y == "a", 1 - P), rel=1e-13)
    got = compute_metrics(["roc_auc", "gini"], y, y_score=both)
    assert got == pytest.approx(compute_metrics(["roc_auc", "gini"], Y, y_score=P), rel=1e-13)


def test_several_classes():
    y, proba = RNG.integers(0, 3, 90), RNG.dirichlet(np.ones(3), 90)
    names = ["roc_auc_ovr", "roc_auc_ovo", "average_precision", "neg_log_loss", "top_k_accuracy"]
    got = compute_metrics(names, y, y_proba=proba)
    for name in names:
        assert got[name] == pytest.approx(alone(name, y, proba), rel=1e-13), name


def test_what_is_missing_is_named():
    with pytest.raises(ValueError, match="'roc_auc' is a metric of scores: pass y_score"):
        compute_metrics(["roc_auc"], Y, PRED)
    with pytest.raises(ValueError, match="'neg_log_loss' is a metric of probabilities: pass y_pro"):
        compute_metrics(["neg_log_loss"], Y, PRED)
    assert compute_metrics(["neg_log_loss"], Y, y_score=P) == compute_metrics(
        ["neg_log_loss"], Y, y_proba=P
    )
    with pytest.raises(ValueError, match="'f1' is a metric of labels: pass y_pred"):
        compute_metrics(["f1"], Y, y_score=P)
    for table in ({}, {"intervals": True}, {"by": {"group": Y}}):  # probabilities have no sign
        with pytest.raises(ValueError, match="'hinge_loss' is a metric of scores: pass y_score"):
            compute_metrics(["hinge_loss"], Y, y_proba=P, **table)
    with pytest.raises(ValueError, match=r"No metric of .* takes \['colour'\]"):
        compute_metrics(["f1"], Y, PRED, colour=3)


@pytest.mark.parametrize("groups", [None, np.arange(200) // 2])
def test_one_table_has_the_interval_of_each_metric(groups):
    """Labels and probabilities of text classes in one call, as `confidence_interval` has each."""
    y = np.where(Y == 1, "churned", "stayed")
    pred = np.where(PRED == 1, "churned", "stayed")
    responses = {"roc_auc": P, "f1": pred, "brier_score": P, "ks_statistic": P, "accuracy": pred}
    about = {"pos_label": "churned", "groups": groups}
    options = {"y_proba": P, "intervals": True, "confidence_level": 0.9}
    table = compute_metrics(list(responses), y, pred, **options, **about)
    assert [row["metric"] for row in table.rows] == list(responses)
    for row in table.rows:
        if row["metric"] == "ks_statistic":  # resampled with another seed
            assert row["low"] < row["value"] < row["high"]
            continue
        given = about if row["metric"] != "accuracy" else {"groups": groups}
        found = confidence_interval(
            row["metric"], y, responses[row["metric"]], confidence_level=0.9, **given
        )
        assert (row["value"], row["low"], row["high"]) == pytest.approx(tuple(found), rel=1e-12)
        assert row["method"] == found.method


def test_options_of_groups_are_refused_where_there_is_no_table():
    with pytest.raises(ValueError, match="groups changes intervals only: pass intervals=True"):
        compute_metrics(["f1"], Y, PRED, groups=np.arange(200))
    with pytest.raises(ValueError, match="margins applies to groups: pass by="):
        compute_metrics(["f1"], Y, PRED, margins=True, intervals=True)


def test_several_metrics_of_one_interval_are_the_rows_of_the_table():
    rng = np.random.default_rng(0)
    y, group = rng.integers(0, 2, 90), np.arange(90) // 3
    score = np.clip(rng.random(90) * 0.7 + 0.3 * y, 0, 1)
    weight, pred = rng.integers(1, 4, 90), (score > 0.5).astype(int)
    about = {"sample_weight": weight, "groups": group, "confidence_level": 0.9}
    for names, given in ((["accuracy", "recall"], pred), (["roc_auc", "brier_score"], score)):
        table = confidence_interval(names, y, given, **about)
        assert [row.metric for row in table] == names
        for row in table:
            single = confidence_interval(row.metric, y, given, **about)
            assert (row.value, row.low, row.high) == tuple(single)
    text = np.where(y, "b", "a")
    named = confidence_interval(["roc_auc"], text, score, pos_label="b")
    assert named.value("roc_auc") == confidence_interval("roc_auc", y, score).value


def test_what_several_intervals_do_not_take_is_refused():
    y, score = [0, 1, 0, 1], [0.1, 0.9, 0.2, 0.4]
    with pytest.raises(ValueError, match=r"labels and scores.*y_proba=..., intervals=True"):
        confidence_interval(["accuracy", "roc_auc"], y, score)
    with pytest.raises(ValueError, match="goal is not available for a list"):
        confidence_interval(["accuracy", "recall"], y, y, goal=0.5)
    with pytest.raises(ValueError, match="strata is not available for a list"):
        confidence_interval(["accuracy", "recall"], y, y, strata=[0, 0, 1, 1])
    with pytest.raises(ValueError, match="metrics is empty"):
        confidence_interval([], y, y)


@pytest.mark.parametrize("by", [None, {"site": np.arange(60) % 2}])
def test_the_table_names_the_positive_class_where_labels_leave_it_open(by):
    rng = np.random.default_rng(0)
    ill = rng.random(60) < 0.5
    score = rng.random(60) + ill
    text, pred = np.where(ill, "ill", "well"), np.where(score > 1, "ill", "well")
    about = {"intervals": True, "by": by}

    def last(names, true, pred=None, **more):
        return str(compute_metrics(names, true, pred, **about, **more)).splitlines()[-1]

    named = {"y_score": score, "pos_label": "ill"}
    assert last(["accuracy", "recall"], text, pred, pos_label="ill") == "positive class: ill"
    assert last(["roc_auc"], text, **named) == "positive class: ill"
    assert "positive class" not in last(["accuracy"], text, pred, pos_label="ill")
    assert "positive class" not in last(["roc_auc"], ill, y_score=score)
    assert "positive class" not in last(["recall"], ill.astype(int), (score > 1).astype(int))


@pytest.mark.parametrize(
    ("option", "value"),
    [("margins", True), ("bins", {"age": [30]}), ("bins", {}), ("min_rows", 5), ("min_rows", 0)],
)
def test_an_option_of_groups_needs_them(option, value):
    for intervals in (False, True):
        with pytest.raises(ValueError, match=f"^{option} applies to groups: pass by= as well"):
            compute_metrics(["f1"], Y, PRED, intervals=intervals, **{option: value})
    rows = compute_metrics(["f1"], Y, PRED, by={"age": np.arange(200) % 50}, min_rows=1).rows
    assert len(rows) == 50


@pytest.mark.parametrize("level", [0, 1, -0.5, 95, "high", True])
def test_a_level_is_checked_where_there_are_intervals(level):
    with pytest.raises(ValueError, match="confidence_level has to be a number in"):
        compute_metrics(["f1"], Y, PRED, intervals=True, confidence_level=level)


def test_a_parameter_reaches_the_metrics_that_leave_it_open():
    names = ["f1", "f1_macro", "accuracy", "recall_weighted"]
    pred = np.zeros(200, int)
    got = compute_metrics(names, Y, pred, zero_division=1, average="micro")
    assert got["f1"] == skmetrics_ext.f1_score(Y, pred, average="micro")
    macro = {"average": "macro", "zero_division": 1}
    assert got["f1_macro"] == skmetrics_ext.f1_score(Y, pred, **macro)
    weighted = {"average": "weighted", "zero_division": 1}
    assert got["recall_weighted"] == skmetrics_ext.recall_score(Y, pred, **weighted)
    with pytest.raises(ValueError, match=r"No metric of \['f1', 'f1_macro', .* takes \['beta'"):
        compute_metrics(names, Y, pred, beta=2, k=3, zero_division=1)
    with pytest.raises(ValueError, match=r"No metric of \['f1'\] takes \['colour'\]"):
        compute_metrics(["f1"], Y, pred, by={"a": Y}, colour=3)


def test_listed_labels_are_the_order_of_columns_and_the_classes_to_average():
    y = np.array(["a", "b", "c", "b", "c"])
    proba = np.array([[5, 3, 2], [2, 7, 1], [1, 3, 6], [4, 4, 2], [2, 1, 7]]) / 10
    pred = np.array(["a", "b", "b", "a", "c"])
    order = [2, 0, 1]
    names = ["neg_log_loss", "roc_auc_ovr", "f1_macro", "accuracy"]
    own = compute_metrics(names, y, pred, y_proba=proba)
    labels = np.array(["a", "b", "c"])[order]
    turned = compute_metrics(names, y, pred, y_proba=proba[:, order], labels=labels)
    assert turned == pytest.approx(own, rel=1e-14)
    two = compute_metrics(["f1_macro", "accuracy"], y, pred, labels=("b", "c"))
    assert two["f1_macro"] == skmetrics_ext.f1_score(y, pred, labels=["b", "c"], average="macro")
    assert two["accuracy"] == 3 / 5
    each = compute_metrics(["f1"], Y, PRED, labels=[0, 1], average=None)["f1"]
    assert each.tolist() == skmetrics_ext.f1_score(Y, PRED, average=None).tolist()


@pytest.mark.parametrize("weight", [None, W])
def test_the_second_of_two_listed_labels_is_positive(weight):
    y = np.where(Y == 1, "a", "b")
    names = ["roc_auc", "average_precision", "brier_score", "neg_log_loss"]
    own = compute_metrics(names, Y, y_proba=P, sample_weight=weight)
    got = compute_metrics(names, y, y_proba=P, labels=["b", "a"], sample_weight=weight)
    assert got == pytest.approx(own, rel=1e-13)
    both = np.column_stack([1 - P, P])
    got = compute_metrics(names, y, y_proba=both, labels=["b", "a"], sample_weight=weight)
    assert got == pytest.approx(own, rel=1e-13)


def test_several_outputs():
    rng = np.random.default_rng(4)
    marks, score = rng.integers(0, 2, (30, 3)), rng.random((30, 3))
    pred = (score > 0.5).astype(int)
    names = ["f1_macro", "accuracy", "roc_auc", "average_precision"]
    got = compute_metrics(names, marks, pred, y_score=score)
    for name in names:
        given = pred if name in ("f1_macro", "accuracy") else score
        assert got[name] == pytest.approx(alone(name, marks, given), rel=1e-13), name


@pytest.mark.parametrize("weight", [None, W[:30] + 1])
def test_metrics_of_grades_stand_beside_those_of_marks(weight):
    rng = np.random.default_rng(5)
    marks, score = rng.integers(0, 2, (30, 4)), rng.random((30, 4))
    names = ["ndcg", "dcg", "neg_label_ranking_loss", "roc_auc"]
    got = compute_metrics(names, marks, y_score=score, sample_weight=weight, k=2)
    for name in names:
        more = {"k": 2} if name.endswith("dcg") else {}
        expected = alone(name, marks, score, sample_weight=weight, **more)
        assert got[name] == pytest.approx(expected, rel=1e-13), name


def test_a_published_table_takes_the_place_of_both_arrays():
    table = skmetrics_ext.tallies.ConfusionTally.from_predictions(Y, PRED)
    names = ["f1", "accuracy", "matthews_corrcoef"]
    own = compute_metrics(names, Y, PRED)
    assert compute_metrics(names, table) == pytest.approx(own, rel=1e-14)
    assert compute_metrics(names, table, table) == pytest.approx(own, rel=1e-14)


@pytest.mark.parametrize("argument", ["y_score", "y_proba"])
def test_a_table_reads_scores_from_either_argument(argument):
    names = ["roc_auc", "f1"]
    table = compute_metrics(names, Y, PRED, intervals=True, **{argument: P})
    own = compute_metrics(names, Y, PRED, y_score=P)
    assert {row.metric: row.value for row in table.rows} == pytest.approx(own, rel=1e-13)
    for needs, given in (("y_pred", {argument: P}), ("y_score", {"y_pred": PRED})):
        with pytest.raises(ValueError, match=f"pass {needs}=") as told:
            compute_metrics(names, Y, intervals=True, **given)
        assert ("'f1'" if needs == "y_pred" else "'roc_auc'") in str(told.value)


def test_a_table_reads_what_its_metrics_need():
    """An array that no metric reads is not looked at."""
    assert compute_metrics(["roc_auc"], Y, ["?"], y_score=P, intervals=True).rows[0].value > 0
    assert compute_metrics(["f1"], Y, PRED, y_score=["?"], intervals=True).rows[0].value > 0


BOTH = ["log_loss", "f1", "roc_auc", "hinge_loss", "brier_score", "average_precision"]
MARGIN = RNG.normal(2 * Y - 1, 1.5)  # ranks the rows in another order than P
SITE = np.array(["a", "b", "c"])[RNG.integers(0, 3, 200)]


def read_by(name):
    if name == "f1":
        return PRED
    return P if name in ("log_loss", "brier_score") else MARGIN


@pytest.mark.parametrize("weight", [None, W])
def test_a_table_reads_scores_and_probabilities_together(weight):
    """Each metric reads the array that it reads alone, with the interval that it has alone."""
    given = {"y_pred": PRED, "y_score": MARGIN, "y_proba": P, "sample_weight": weight}
    table = compute_metrics(BOTH, Y, intervals=True, **given)
    assert [row.metric for row in table] == BOTH
    assert {row.metric: row.value for row in table} == pytest.approx(
        compute_metrics(BOTH, Y, **given), rel=1e-13
    )
    for row in table:
        expected = confidence_interval(row.metric, Y, read_by(row.metric), sample_weight=weight)
        assert (row.low, row.high) == pytest.approx((expected.low, expected.high), rel=1e-9)


def test_groups_are_compared_by_scores_and_by_probabilities():
    given = {"y_pred": PRED, "y_score": MARGIN, "y_proba": P}
    whole = compute_metrics(BOTH, Y, by={"site": SITE}, margins=True, intervals=True, **given)
    assert [(row.group, row.metric) for row in whole][:7] == [
        *(("a", name) for name in BOTH),
        ("b", BOTH[0]),
    ]
    for name in BOTH:
        read = next(key for key, values in given.items() if values is read_by(name))
        argument = {read: given[read]}
        alone = compute_metrics(
            [name], Y, by={"site": SITE}, margins=True, intervals=True, **argument
        )
        assert str(whole.gaps(name)) == str(alone.gaps(name)), name
        found = (each.where(metric=name).surely_worst() for each in (whole, alone))
        assert len(set(map(str, found))) == 1, name
        assert str(whole.spread(name)) == str(alone.spread(name)), name
        rows = [dict(row) for row in whole if row.metric == name]
        assert str(rows) == str([dict(row) for row in alone])


@pytest.mark.parametrize("name", ["aurc", "e_aurc", "augrc"])
def test_tables_of_metrics_that_read_a_confidence(name):
    rng = np.random.default_rng(0)
    true, pred, site = rng.integers(0, 2, 80), rng.integers(0, 2, 80), np.arange(80) % 2
    confidence = rng.random(80)
    options = {"confidence": confidence, "intervals": True}
    for row in compute_metrics([name, "accuracy"], true, pred, by=site, **options):
        rows, own = site == row.group, {"confidence": confidence[site == row.group]}
        own = own if row.metric == name else {}
        alone = confidence_interval(row.metric, true[rows], pred[rows], **own)
        assert (row.value, row.low, row.high) == (alone.value, alone.low, alone.high)
    frame = {"y": true, "p": pred}
    with pytest.raises(ValueError, match=rf"confidence_interval\('{name}'"):
        skmetrics_ext.evaluate(frame, true="y", pred="p", metrics=[name])
