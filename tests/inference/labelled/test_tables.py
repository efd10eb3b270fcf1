"""The same question about partly labelled rows through every public function."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

import skmetrics_ext as sx
from tests.inference.labelled.cases import population

ROWS = population()
SITE = np.where(np.arange(2000) % 3 == 0, "north", "south")
METRICS = {"f1": "pred", "matthews_corrcoef": "pred", "roc_auc": "score", "brier_score": "score"}
CHANCE = np.full(2000, 0.15)


def frame():
    columns = {name: ROWS[name] for name in ("human", "pred", "score", "judge")}
    return pd.DataFrame(columns | {"site": SITE, "chance": CHANCE, "patient": np.arange(2000) // 2})


def numbers(result):
    return result.value, result.low, result.high


@pytest.mark.parametrize(
    "known",
    [
        {"proxy": "judge"},
        {"sampling": "chance"},
        {"sampling": "chance", "population": "pool"},
        {"proxy": "judge", "groups": "patient"},
    ],
    ids=lambda known: "-".join(known),
)
def test_one_interval_per_question(known, tmp_path):
    data = frame()
    arrays = {key: data[name].to_numpy() if name in data else name for key, name in known.items()}
    table = sx.compute_metrics(
        list(METRICS),
        data["human"],
        data["pred"],
        y_proba=data["score"],
        intervals=True,
        **arrays,
    )
    data.to_csv(tmp_path / "rows.csv", index=False)
    sources = data, pa.Table.from_pandas(data), tmp_path / "rows.csv"
    tables = [
        sx.evaluate(
            source,
            true="human",
            pred="pred",
            score="score",
            metrics=list(METRICS),
            intervals=True,
            **known,
        )
        for source in sources
    ]
    for metric, response in METRICS.items():
        alone = sx.confidence_interval(metric, data["human"], data[response], **arrays)
        for each in (table, *tables):
            row = each.row(metric)
            assert numbers(row) == pytest.approx(numbers(alone), rel=1e-12)
            assert row.note == alone.note


def test_groups_are_rows_of_their_own():
    table = sx.compute_metrics(
        ["f1"], ROWS["human"], ROWS["pred"], proxy=ROWS["judge"], by={"site": SITE}, intervals=True
    )
    for site in ("north", "south"):
        kept = site == SITE
        alone = sx.confidence_interval(
            "f1", ROWS["human"][kept], ROWS["pred"][kept], proxy=ROWS["judge"][kept]
        )
        assert numbers(table.row("f1", site)) == pytest.approx(numbers(alone), rel=1e-12)
    gaps = table.gaps("f1")
    values = [table.value("f1", site) for site in ("north", "south")]
    assert gaps[0].value == pytest.approx(values[0] - values[1])
    assert table.worst("f1")[0].group == "south"


def test_a_group_of_few_disagreements_falls_back_alone():
    site = np.where(np.arange(2000) < 100, "small", "large")
    table = sx.compute_metrics(
        ["f1"],
        ROWS["human"],
        ROWS["pred"],
        proxy=ROWS["judge"],
        by={"site": site},
        margins=True,
        intervals=True,
    )
    assert "proxy not used" in table.row("f1", "small").note
    assert "worth" in table.row("f1", "large").note
    assert "worth" in table.row("f1").note


def test_values_without_intervals():
    found = sx.compute_metrics(["f1"], ROWS["human"], ROWS["pred"], proxy=ROWS["judge"])
    alone = sx.confidence_interval("f1", ROWS["human"], ROWS["pred"], proxy=ROWS["judge"])
    assert found == {"f1": alone.value}
    several = sx.confidence_interval(
        ["f1", "accuracy"], ROWS["human"], ROWS["pred"], proxy=ROWS["judge"]
    )
    assert several.value("f1") == alone.value


def test_doors_name_what_to_pass():
    message = r"proxy=.*sampling=.*observed="
    with pytest.raises(ValueError, match=message):
        sx.compute_metrics(["f1"], ROWS["human"], ROWS["pred"], intervals=True)
    with pytest.raises(ValueError, match=message):
        sx.evaluate(frame(), true="human", pred="pred", metrics=["f1"])
    with pytest.raises(ValueError, match=message):
        sx.sample_size("f1", ROWS["human"], ROWS["pred"], width=0.1)
    holes = frame()
    holes["judge"] = holes["judge"].where(holes.index != 7)
    with pytest.raises(ValueError, match="Column 'judge'"):
        sx.evaluate(holes, true="human", pred="pred", metrics=["f1"], proxy="judge")


def test_metrics_without_influence_say_why():
    table = sx.compute_metrics(
        ["ks_statistic"], ROWS["human"], y_score=ROWS["score"], proxy=ROWS["judge"], intervals=True
    )
    assert "influence" in table.row("ks_statistic").note
    assert np.isnan(table.value("ks_statistic"))


def test_labels_to_collect():
    """n = V_res / (V_goal - lambda^2 Var(c) / N), with the parts of a mean by hand."""
    right = (ROWS["true"] == ROWS["pred"]).astype(float)
    judged = (ROWS["judge"] == ROWS["pred"]).astype(float)
    found = sx.sample_size(
        "accuracy",
        ROWS["human"],
        ROWS["pred"],
        y_pred_b=1 - ROWS["pred"],
        proxy=ROWS["judge"],
        width=0.1,
    )
    kept = ROWS["labelled"]
    a, c = 2 * (right[kept] - right[kept].mean()), 2 * (judged - judged.mean())
    moved = c[kept] - c[kept].mean()
    weight = (a * moved).sum() / (moved**2).sum()
    leverage = np.minimum(moved**2 / (moved**2).sum(), 0.9)
    parts = weight * c / 2000
    parts[kept] += (a - weight * moved) / (300 * (1 - leverage))
    fixed = weight**2 * (c**2).sum() / 2000**2
    left = ((parts**2).sum() - fixed) * 300
    goal = (0.1 / (2 * 1.959963984540054)) ** 2
    assert found.n == int(np.ceil(left / (goal - fixed)))
    alone = sx.sample_size("f1", ROWS["true"][kept], ROWS["pred"][kept], width=0.08)
    fewer = sx.sample_size("f1", ROWS["human"], ROWS["pred"], proxy=ROWS["judge"], width=0.08)
    assert fewer.n < alone.n
    with pytest.raises(ValueError, match="more rows, labelled by the machine or not"):
        sx.sample_size("f1", ROWS["human"], ROWS["pred"], proxy=ROWS["judge"], width=0.01)


def test_labels_at_a_threshold():
    known = {"proxy": ROWS["judge"], "threshold": 0.45}
    expected = sx.confidence_interval("f1", ROWS["human"], ROWS["pred"], proxy=ROWS["judge"])
    found = sx.confidence_interval("f1", ROWS["human"], ROWS["score"], **known)
    assert [*found] == pytest.approx([*expected], rel=1e-12)
    table = sx.compute_metrics(
        ["f1"], ROWS["human"], y_score=ROWS["score"], intervals=True, **known
    )
    assert numbers(table.row("f1")) == pytest.approx(numbers(expected), rel=1e-12)


def test_pooled_predictions_of_a_report():
    from sklearn.linear_model import LogisticRegression

    rng = np.random.default_rng(0)
    X = rng.normal(size=(900, 2))
    true = (X[:, 0] + rng.normal(size=900) > 0).astype(int)
    judge = np.where(rng.random(900) < 0.1, 1 - true, true)
    human = np.where(rng.permutation(900) < 200, true, np.nan)
    report = sx.cross_validation_report(
        LogisticRegression(), X, judge, cv=3, scoring=["f1", "neg_brier_score", "roc_auc"]
    )
    rows = {row.metric: row for row in report.pooled(y_true=human) if "Logistic" in row.model}
    part = report.predictions["LogisticRegression"]
    for metric, method, sign in (("f1", "predict", 1), ("neg_brier_score", "predict_proba", -1)):
        alone = sx.confidence_interval(
            metric, human[part.rows], part.responses[method], proxy=judge[part.rows]
        )
        row = rows[metric]
        assert row.value == pytest.approx(sign * alone.value, rel=1e-12)
        ends = sorted([sign * alone.low, sign * alone.high])
        assert [row.low, row.high] == pytest.approx(ends, rel=1e-12)
        assert "worth" in row.note
    assert np.isnan(rows["roc_auc"].value)  # no common scale
    own = sx.confidence_interval("f1", judge[part.rows], part.responses["predict"])
    (plain,) = (r for r in report.pooled() if r.metric == "f1" and "Logistic" in r.model)
    assert plain.value == pytest.approx(own.value)
    with pytest.raises(ValueError, match="proxy= goes with y_true="):
        report.pooled(proxy=judge)
