"""The recipes of docs/other_tools.md with the tools themselves.

They run in an environment that has the tools (`bash .ci/hosts` makes one), and only when asked
for: ``-m hosts``. test_doubles.py has what needs no tool.
"""

import importlib

import numpy as np
import pytest
from sklearn.model_selection import cross_val_score
from support.markdown import ROOT, blocks

import skmetrics_ext as sx

pytestmark = [
    pytest.mark.hosts,
    pytest.mark.filterwarnings("default"),  # those of the tools are theirs
]
PAGE = ROOT / "docs" / "other_tools.md"
BLOCKS = [block for block in blocks(PAGE) if block.before.startswith("<!-- not run: ")]


@pytest.fixture
def run(tmp_path, monkeypatch):
    """What the blocks leave that need these tools, after the start.

    They are a module of their own, since some tools read the source of what they are given.
    """
    monkeypatch.syspath_prepend(tmp_path)

    def leave(*needed, before=""):
        needs = ("the start of the blocks below", *(f"needs {tool}" for tool in needed))
        marks = [f"<!-- not run: {need} -->" for need in needs]
        texts = [block.text for mark in marks for block in BLOCKS if block.before == mark]
        assert len(texts) >= len(marks)
        name = f"recipe_{abs(hash(needs))}"
        (tmp_path / f"{name}.py").write_text("\n".join([before, *texts]), encoding="utf-8")
        return importlib.import_module(name)

    return leave


def cv_gini(found):
    model = found.search.best_estimator_
    return cross_val_score(model, found.X, found.y, scoring="roc_auc", cv=3).mean() * 2 - 1


def held_out(found, model):
    return 2 * sx.roc_auc_score(found.y_test, model.predict_proba(found.X_test)[:, 1]) - 1


def test_optuna(run):
    import optuna

    optuna.logging.set_verbosity(optuna.logging.ERROR)
    found = run("Optuna")
    model = found.LogisticRegression(**found.study.best_params)
    area = cross_val_score(model, found.X, found.y, scoring="roc_auc", cv=3).mean()
    assert found.study.best_value == pytest.approx(2 * area - 1)
    assert 0.9 < found.search.best_score_ <= 1


@pytest.mark.parametrize("tool", ["dask-ml", "imbalanced-learn"])
def test_grids(tool, run):
    found = run(tool)
    table, best = found.search.cv_results_, found.search.best_index_
    # The folds: means of dask-ml weigh them by their rows.
    mean = np.mean([table[f"split{fold}_test_gini"][best] for fold in range(3)])
    assert mean == pytest.approx(cv_gini(found), abs=1e-9)
    assert {"mean_test_gini", "mean_test_f1", "mean_test_specificity"} <= set(
        found.search.cv_results_
    )


def test_scikit_optimize(run):
    found = run("scikit-optimize")
    assert found.search.best_score_ == max(found.search.cv_results_["mean_test_gini"])
    assert found.search.best_score_ > 0.9


def test_imbalanced_learn_corrects_a_metric_of_ours():
    from imblearn.metrics import make_index_balanced_accuracy

    y, pred = [0, 1] * 20 + [1] * 10, [0, 1] * 15 + [1] * 20
    corrected = make_index_balanced_accuracy(alpha=0.1, squared=True)(sx.geometric_mean_score)
    assert corrected(y, pred, average="binary", pos_label=1) == pytest.approx(
        sx.index_balanced_accuracy_score(y, pred, alpha=0.1)
    )


def test_xgboost(run):
    found = run("XGBoost")
    history = found.boosted.evals_result()["validation_0"]["gini_score"]
    assert found.boosted.best_iteration == history.index(max(history))
    assert held_out(found, found.boosted) == pytest.approx(max(history), abs=1e-5)
    assert len(history) < 50


def test_xgboost_of_three_classes(run):
    from xgboost import XGBClassifier

    start = run()
    grades = start.y + (start.X[:, 0] > 0)
    model = XGBClassifier(n_estimators=10, eval_metric=sx.log_loss, early_stopping_rounds=3)
    model.fit(start.X, grades, eval_set=[(start.X, grades)], verbose=False)
    last = model.evals_result()["validation_0"]["log_loss"][model.best_iteration]
    assert sx.log_loss(grades, model.predict_proba(start.X)) == pytest.approx(last, abs=1e-5)


def test_lightgbm(run):
    found = run("LightGBM")
    best = found.light.best_score_["valid_0"]["gini"]
    assert held_out(found, found.light) == pytest.approx(best)
    assert found.light.best_iteration_ < 50


def test_catboost(run):
    found = run("CatBoost")
    best = found.cat.get_best_score()["validation"]["Gini"]
    assert held_out(found, found.cat) == pytest.approx(best)
    assert found.cat.tree_count_ < 50


def test_boosted_trees_in_a_report(run):
    tools = ("XGBoost", "LightGBM", "CatBoost")
    report = run(*tools, "XGBoost, LightGBM and CatBoost").report
    rows = [row for row in report.summary() if row.model != "baseline (prior)"]
    assert len(rows) == 6
    assert all(row.low < row.value < row.high for row in rows)


@pytest.mark.parametrize("tool", ["lightgbm", "catboost"])
def test_classes_with_names(tool, run):
    start = run()
    if tool == "lightgbm":
        from lightgbm import LGBMClassifier

        model = LGBMClassifier(n_estimators=5, verbose=-1)
    else:
        from catboost import CatBoostClassifier

        model = CatBoostClassifier(5, verbose=0, allow_writing_files=False)
    named = [("no", "yes")[code] for code in start.y]
    panel = sx.ScorerPanel(["gini", "f1"], pos_label="yes")
    found = panel(model.fit(start.X, named), start.X, named)
    by_hand = model.predict_proba(start.X)[:, list(model.classes_).index("yes")]
    assert found["gini"] == pytest.approx(2 * sx.roc_auc_score(start.y, by_hand) - 1)


def test_skore(run):
    found = run("skore")
    own = cross_val_score(found.LogisticRegression(), found.X, found.y, scoring=found.gini, cv=3)
    means = found.table.filter(like="mean").iloc[:, 0]
    assert {"gini", "f1", "specificity"} <= set(means.index.get_level_values(0))
    np.testing.assert_allclose(means.loc["gini"], own.mean(), rtol=1e-12)


def test_fairlearn(run):
    found = run("fairlearn")
    for big in (False, True):
        rows = found.big == big
        area = sx.roc_auc_score(found.y_test[rows], found.risk[rows])
        assert found.frame.by_group.loc[big, "auc"] == area
    assert found.frame.overall["brier"] == sx.brier_score_loss(found.y_test, found.risk)


def of_the_doctest():
    """What the example above the recipes of trackers makes."""
    (told,) = (block.text for block in blocks(PAGE) if block.text.startswith(">>> import math"))
    return "\n".join(line[4:] for line in told.splitlines() if line.startswith((">>> ", "... ")))


def test_mlflow(tmp_path, run):
    import mlflow

    mlflow.set_tracking_uri(f"sqlite:///{tmp_path / 'runs.db'}")
    found = run("MLflow", before=of_the_doctest())
    runs = {run.info.run_name: run.data.metrics for run in mlflow.search_runs(output_format="list")}
    assert set(runs) == {"GaussianNB", "baseline (prior)"}
    assert runs["GaussianNB"] == found.floats(found.by_model["GaussianNB"])
    assert len(runs["GaussianNB"]) == 6


def test_weights_and_biases(tmp_path, monkeypatch, run):
    import wandb

    for name, value in {"MODE": "offline", "DIR": str(tmp_path), "SILENT": "true"}.items():
        monkeypatch.setenv(f"WANDB_{name}", value)
    logged, log = [], wandb.Run.log
    monkeypatch.setattr(wandb.Run, "log", lambda own, data: (logged.append(data), log(own, data)))
    found = run("Weights & Biases", before=of_the_doctest())
    assert logged[0] == found.panel(found.model, found.X_test, found.y_test)
    assert logged[1]["report"].columns[0] == "model"
    (kept,) = tmp_path.rglob("*.wandb")
    assert b"specificity" in kept.read_bytes()
