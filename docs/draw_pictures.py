"""Draw the pictures of the guide: ``python docs/draw_pictures.py`` (needs the ``plot`` extra).

Iris (two noisy features) for several classes, breast cancer (few features) for two; every score
is an out-of-fold prediction, of a logistic regression unless it is said.
"""

from __future__ import annotations

import csv
from itertools import takewhile
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer, load_iris, load_wine
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import (
    GridSearchCV,
    StratifiedKFold,
    cross_val_predict,
    train_test_split,
)
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import skmetrics_ext as sx

PICTURES = Path(__file__).parent / "pictures"


def predictions(load, columns):
    """True labels and out-of-fold probabilities."""
    X, y = load(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    return y, cross_val_predict(model, X[:, columns], y, cv=5, method="predict_proba")


def save(display, name: str, title: str) -> None:
    display.ax_.set_title(title)
    display.figure_.savefig(PICTURES / f"{name}.png", dpi=110, bbox_inches="tight")
    plt.close(display.figure_)


def store(figure, name: str) -> None:
    figure.savefig(PICTURES / f"{name}.png", dpi=110, bbox_inches="tight")
    plt.close(figure)


def draw_report() -> None:
    """Three models and a baseline on the same folds."""
    X, y = load_breast_cancer(return_X_y=True)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "forest": RandomForestClassifier(n_estimators=50, random_state=0),
        "naive Bayes": GaussianNB(),
    }
    report = sx.cross_validation_report(
        models, X[:, :10], y, scoring=["roc_auc", "f1", "neg_log_loss"], cv=10, random_state=0
    )
    store(report.plot().figure_, "report")


def draw_wine() -> None:
    """What ``python -m skmetrics_ext cv wine`` compares."""
    X, y = load_wine(return_X_y=True)
    models = {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
        "naive Bayes": GaussianNB(),
    }
    report = sx.cross_validation_report(
        models, X[:, :6], y, scoring=["roc_auc_ovr", "f1_macro", "accuracy"], random_state=0
    )
    store(report.plot().figure_, "wine")


def draw_intervals() -> None:
    """The same metrics on few rows and on many."""
    X, y = load_breast_cancer(return_X_y=True)
    model = make_pipeline(StandardScaler(), LogisticRegression())
    score = cross_val_predict(model, X[:, [1, 4, 8]], y, method="predict_proba")[:, 1]
    few = np.random.default_rng(0).permutation(len(y))[:57]
    names = ["accuracy", "recall", "specificity", "f1", "roc_auc", "brier_score"]
    figure, ax = plt.subplots(figsize=(7, 3.4))
    for shift, rows, color in ((-0.14, few, "C1"), (0.14, np.arange(len(y)), "C0")):
        given = {"roc_auc": score[rows], "brier_score": score[rows]}
        labels = (score[rows] >= 0.5).astype(int)
        for place, name in enumerate(names):
            found = sx.confidence_interval(name, y[rows], given.get(name, labels))
            where = place + shift
            ax.plot([found.low, found.high], [where, where], color=color, linewidth=2,
                    label=f"{len(rows)} rows" if not place else None)  # fmt: skip
            ax.plot(found.value, where, "o", color=color)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set(xlim=(0, 1), xlabel="value, with 95 % interval")
    ax.legend(loc="upper left")
    store(figure, "intervals")


def draw_difference() -> None:
    """Two models on the same rows."""
    X, y = load_breast_cancer(return_X_y=True)
    models = (make_pipeline(StandardScaler(), LogisticRegression()), GaussianNB())
    a, b = (cross_val_predict(m, X, y, method="predict_proba")[:, 1] for m in models)
    figure, ax = plt.subplots(figsize=(7, 2.8))
    names = ["roc_auc", "accuracy", "f1", "matthews_corrcoef"]
    for place, name in enumerate(names):
        given = (a, b) if name == "roc_auc" else ((a >= 0.5).astype(int), (b >= 0.5).astype(int))
        found = sx.compare(name, y, *given)
        ax.plot([found.low, found.high], [place, place], color="C0", linewidth=2)
        ax.plot(found.difference, place, "o", color="C0")
    ax.axvline(0, color="0.5", linestyle="--")
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_xlabel("logistic regression - naive Bayes, with 95 % interval")
    store(figure, "difference")


def draw_people_and_machines() -> None:
    """F1 from labels of a person, of a machine, and of both."""
    rng = np.random.default_rng(0)
    true = rng.integers(0, 2, 5000)
    pred, judge = (np.where(rng.random(5000) < wrong, 1 - true, true) for wrong in (0.2, 0.1))
    order = rng.permutation(5000)
    figure, ax = plt.subplots(figsize=(7, 2.8))
    for place, n in enumerate((100, 300, 1000)):
        human = np.where(order < n, true, np.nan)
        seen = order < n
        asked = {
            "person": sx.confidence_interval("f1", true[seen], pred[seen]),
            "person and machine": sx.confidence_interval("f1", human, pred, proxy=judge),
            "machine": sx.confidence_interval("f1", judge, pred),
        }
        for k, (name, found) in enumerate(asked.items()):
            y, label = place + 0.2 * (k - 1), name if place == 0 else None
            ax.plot([found.low, found.high], [y, y], color=f"C{k}", linewidth=2, label=label)
            ax.plot(found.value, y, "o", color=f"C{k}")
    ax.axvline(sx.f1_score(true, pred), color="0.5", linestyle="--")
    ax.set_yticks(range(3), ["100 labels", "300 labels", "1,000 labels"])
    ax.invert_yaxis()
    ax.set_xlabel("F1 of 5,000 rows, with 95 % interval")
    ax.legend(loc="center left", bbox_to_anchor=(1, 0.5))
    store(figure, "people_and_machines")


def draw_search() -> None:
    """Several metrics of one search, and the setting that one of them takes."""
    X, y = load_breast_cancer(return_X_y=True)
    panel = sx.ScorerPanel(["gini", "f1", "specificity", "neg_log_loss"])
    grid = {"max_depth": [1, 2, 3, 4, 6, 8]}
    tree = DecisionTreeClassifier(random_state=0, min_samples_leaf=5)
    search = GridSearchCV(tree, grid, scoring=panel, refit="gini").fit(X, y)
    figure, axes = plt.subplots(1, 4, figsize=(10, 2.4), layout="constrained")
    for ax, name in zip(axes, panel.names, strict=True):
        ax.plot(grid["max_depth"], search.cv_results_[f"mean_test_{name}"], marker="o")
        ax.axvline(search.best_params_["max_depth"], color="0.7", linestyle="--", zorder=0)
        ax.set(title=name, xlabel="max_depth")
    store(figure, "search")


def draw_groups() -> None:
    """Recall of sites of very unequal size, one of which is worse."""
    rng = np.random.default_rng(1)
    site = rng.choice(["north", "south", "west", "isle"], 3000, p=[0.4, 0.35, 0.24, 0.01])
    rng.choice(2, 3000)  # as on the page
    ill = rng.integers(0, 2, 3000)
    away = np.where(site == "south", 0.6, 1.2) * (2 * ill - 1)
    told = (rng.normal(size=3000) + away > 0).astype(int)
    found = sx.compute_metrics(["recall"], ill, told, by={"site": site})
    store(found.plot("recall").figure, "groups")


def draw_weak_slices() -> None:
    """Slices in which a tree on few features of breast cancer is wrong more often."""
    X, y = load_breast_cancer(return_X_y=True, as_frame=True)
    read = ["mean texture", "mean smoothness", "mean area"]
    model = DecisionTreeClassifier(max_depth=2, random_state=0)
    data = X[read].assign(true=y, pred=cross_val_predict(model, X[read], y, cv=5))
    found = sx.weak_slices(data, true="true", pred="pred", metric="accuracy")
    store(found.plot().figure, "weak_slices")


def draw_honest_search() -> None:
    """What a search of trees on 100 rows says, beside all other rows; and its candidates."""
    X, y = load_breast_cancer(return_X_y=True)
    own, rest, y_own, y_rest = train_test_split(X, y, train_size=100, stratify=y, random_state=5)
    grid = {"max_depth": [1, 2, 3, 4, 6], "min_samples_leaf": [1, 2, 4, 8]}
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    tree, area = DecisionTreeClassifier(random_state=0), sx.get_scorer("roc_auc")
    search = GridSearchCV(tree, grid, scoring=area, cv=folds)
    found = sx.search_report(search, own, y_own, outer=5, random_state=0)
    judge = area(found.best_estimator_, rest, y_rest)
    figure, (left, right) = plt.subplots(
        1, 2, figsize=(10, 4.2), layout="constrained", width_ratios=[1, 1.5]
    )
    told = {"naive": found.naive, "corrected": found.best.value, "nested": found.nested.value}
    for place, (name, value) in enumerate(told.items()):
        if name != "naive":
            estimate = found.best if name == "corrected" else found.nested
            left.plot([place] * 2, [estimate.low, estimate.high], color="#0072B2", linewidth=2)
        left.plot([place], [value], "o", color="#0072B2")
    left.axhline(judge, color="#D55E00", linestyle="--", label=f"{len(rest)} other rows")
    left.set_xticks(range(3), told)
    left.set(ylabel="area under the ROC curve", title="What the search says")
    left.legend()
    found.plot(right)
    store(figure, "honest_search")


def table_rows(page: str, heading: str) -> list[list[str]]:
    """Cells of the rows of the table on a page whose heading line begins so."""
    lines = (PICTURES.parent / page).read_text(encoding="utf-8").splitlines()
    start = next(k for k, line in enumerate(lines) if line.startswith(heading)) + 2
    rows = takewhile(lambda line: line.startswith("|"), lines[start:])
    return [[cell.strip(" *") for cell in row.strip("|").split("|")] for row in rows]


def draw_coverage() -> None:
    """Coverage of the default interval of every metric, by rows and by how rare a class is."""
    path = PICTURES.parents[1] / "benchmarks" / "results" / "coverage.csv"
    with path.open(encoding="utf-8", newline="") as stream:
        cases = [case for case in csv.DictReader(stream) if case["coverage"]]
    rng = np.random.default_rng(0)
    figure, ax = plt.subplots(figsize=(9, 3.6), layout="constrained")
    ax.axhspan(93, 97.5, color="0.92")
    ax.axhline(95, color="0.5", linewidth=1)
    settings = [(kind, size) for kind in ("balanced", "rare") for size in ("50", "200", "1000")]
    for noted, color in ((False, "#0072B2"), (True, "#E69F00")):
        chosen = [c for c in cases if (float(c["noted"]) >= 0.5) is noted and c["method"] != "upper"]
        place = [settings.index((c["prevalence"], c["size"])) for c in chosen]
        height = [100 * float(c["coverage"]) for c in chosen]
        label = "with a note" if noted else "without a note"
        x = np.array(place) + rng.uniform(-0.3, 0.3, len(place))
        ax.plot(x, height, ".", color=color, markersize=4, label=label)
    ax.set_xticks(range(6), [f"{kind}\nn = {size}" for kind, size in settings])
    ax.set(ylabel="coverage of the 95 % interval, %", ylim=(70, 100.5))
    ax.legend(loc="lower right")
    store(figure, "coverage")


def draw_coverage_studies() -> None:
    """What ignoring patients, and quoting the best score of a search, costs in coverage."""
    grouped = table_rows("coverage_studies.md", "| report of 60 patients |")
    searches = table_rows("coverage_studies.md", "|  | metric | rows | folds |")
    panels = {
        "Report of 60 patients": ([row[0].strip("`").replace("`", "") for row in grouped],
                                  [(float(row[1][:-2]), float(row[2][:-2])) for row in grouped],
                                  ("with groups=", "without")),
        "Best score of a search": ([f"{row[1]}, {row[2]} rows, {row[4]}" for row in searches],
                                   [(float(row[10]), float(row[9])) for row in searches],
                                   ("corrected", "best_score_")),
    }  # fmt: skip
    figure, axes = plt.subplots(1, 2, figsize=(10, 3.8), layout="constrained")
    for ax, (title, (names, pairs, labels)) in zip(axes, panels.items(), strict=True):
        ax.axvline(95, color="0.5", linewidth=1)
        places = range(len(names))
        for label, values, color in zip(
            labels, zip(*pairs, strict=True), ("#0072B2", "#D55E00"), strict=True
        ):
            ax.plot(values, places, "o", color=color, label=label)
        ax.set_yticks(places, names)
        ax.invert_yaxis()
        ax.set(title=title, xlabel="95 % intervals that hold the truth, %", xlim=(25, 101))
        ax.legend(loc="lower left")
    store(figure, "coverage_studies")


def draw_performance() -> None:
    """How many times faster the calls of the first table of the performance page are."""
    rows = table_rows("performance.md", "| call | n | against | at least |")
    largest = {row[0]: row for row in rows if row[2] == "scikit-learn"}  # the last is the longest
    names = [
        "roc_auc_score", "average_precision_score", "roc_curve", "roc_auc_score ovo K=10",
        "f1_score macro", "matthews_corrcoef", "confusion_matrix", "log_loss",
    ]  # fmt: skip
    figure, ax = plt.subplots(figsize=(8, 3.6), layout="constrained")
    for column, label, color in ((6, "NumPy", "#E69F00"), (4, "C++", "#0072B2")):
        times = [float(largest[name][column].strip("~x").replace(",", "")) for name in names]
        ax.plot(times, range(len(names)), "o", color=color, label=label)
    ax.axvline(1, color="0.5", linestyle="--")
    ax.set_xscale("log")
    ticks = [1, 2, 5, 10, 20, 50, 100]
    ax.set_xticks(ticks, [f"{tick}x" for tick in ticks])
    ax.minorticks_off()
    ax.set_yticks(range(len(names)), [f"{name}, {largest[name][1]} rows" for name in names])
    ax.invert_yaxis()
    ax.set_xlabel("times faster than scikit-learn")
    ax.legend(loc="upper left")
    store(figure, "performance")


def draw_out_of_fold() -> None:
    """Out-of-fold ROC curves of two models."""
    X, y = load_breast_cancer(return_X_y=True)
    logistic = make_pipeline(StandardScaler(), LogisticRegression())
    models = {"logistic": logistic, "naive Bayes": GaussianNB()}
    report = sx.cross_validation_report(models, X[:, [1, 4, 8]], y, scoring=["roc_auc"])
    store(report.plot("roc").figure_, "out_of_fold")


def screening(seed: int, size: int):
    """True classes, answers, and how sure the model is of them."""
    rng = np.random.default_rng(seed)
    ill = (rng.random(size) < 0.3).astype(int)
    risk = 1 / (1 + np.exp(-(3 * ill - 2 + rng.normal(size=size))))
    return ill, (risk > 0.5).astype(int), np.maximum(risk, 1 - risk), risk


def draw_abstention() -> None:
    """Risk over coverage, and the threshold that keeps a promise in the population."""
    ill, answer, confidence, _ = screening(0, 1500)
    right = (ill == answer).astype(int)
    promise = {"criterion": "recall", "constraint": ("precision", ">=", 0.97)}
    found = sx.optimal_threshold(right, confidence, **promise, confidence=0.95)
    display = sx.risk_coverage_curve(ill, answer, confidence=confidence).plot()
    coverage = float((confidence >= found.threshold).mean())
    look = {"color": "0.4", "linewidth": 1.1}
    display.ax_.set(ylim=(0, 0.1), aspect="auto", title="Errors among the answers of a screening model")
    display.ax_.axhline(0.03, linestyle=":", **look)
    display.ax_.axvline(coverage, linestyle="--", **look)
    text = f"answer if the confidence\nis at least {found.threshold:.2f}:\nat most 3 % errors, guaranteed"
    display.ax_.annotate(text, (coverage - 0.02, 0.075), ha="right", fontsize="small")
    store(display.figure_, "abstention")


def draw_groups_of_curves() -> None:
    """ROC and reliability of three sites in one picture."""
    ill, _, _, risk = screening(1, 900)
    site = np.random.default_rng(2).choice(["north", "south", "west"], 900, p=[0.5, 0.3, 0.2])
    risk = np.where(site == "west", risk**2, risk)
    store(sx.RocCurvesDisplay.from_predictions(ill, risk, by=site, band=None).figure_, "roc_by_site")
    reliability = sx.CalibrationDisplay.from_predictions(ill, risk, by=site, n_bins=5)
    store(reliability.figure_, "reliability_by_site")


def draw_leaderboard() -> None:
    """Five models by rank, with simultaneous intervals."""
    rng = np.random.default_rng(5)
    y = rng.integers(0, 2, 500)
    right = {"small": 0.72, "medium": 0.83, "large": 0.86, "large, tuned": 0.86, "old": 0.65}
    models = {name: np.where(rng.random(500) < share, y, 1 - y) for name, share in right.items()}
    store(sx.leaderboard("f1_macro", y, models).plot().figure, "leaderboard")


def draw_readers() -> None:
    """The difference of two models as fixed and as random readers see it."""
    rng = np.random.default_rng(2)
    reader, case = np.divmod(np.arange(400), 80)
    ill = (case % 2 == 0).astype(int)
    skill = rng.normal(0, 0.25, (2, 5))[:, reader]
    shared = rng.normal(0, 0.7, (2, 80))[:, case]
    old = ill * (1.0 + skill[0]) + shared[0] + rng.normal(0, 0.7, 400)
    new = ill * (1.5 + skill[1]) + shared[1] + rng.normal(0, 0.7, 400)
    rows = [
        (f"reader {k + 1}", sx.compare("roc_auc", *(part[reader == k] for part in (ill, new, old))))
        for k in range(5)
    ]
    in_general = sx.compare("roc_auc", ill, new, old, groups=case, readers=reader)
    rows.append(("readers in general", in_general))
    draw_dots(rows, "Difference in ROC AUC, 95 % intervals", 0, "readers")


def draw_raters() -> None:
    """Coefficients of agreement of five raters, with intervals."""
    rng = np.random.default_rng(0)
    severity = rng.choice([0, 1, 2, 3], 150, p=[0.5, 0.25, 0.15, 0.1])
    ratings = severity[:, None] + rng.choice([-1, 0, 0, 0, 0, 1], (150, 5))
    ratings = np.clip(ratings, 0, 3).astype(float)
    ratings[rng.random((150, 5)) < 0.3] = np.nan
    alpha = "krippendorff_alpha"
    rows = [
        ("alpha, ordinal", sx.confidence_interval(alpha, ratings, level="ordinal")),
        ("alpha, nominal", sx.confidence_interval(alpha, ratings)),
        ("AC1, quadratic", sx.confidence_interval("gwet_ac1", ratings, weights="quadratic")),
        ("Fleiss' kappa", sx.confidence_interval("fleiss_kappa", ratings)),
    ]
    draw_dots(rows, "Agreement of five raters, 95 % intervals", None, "raters")


def draw_small_groups() -> None:
    """Recall of twelve small groups, raw and pulled toward sites and ages."""
    rng = np.random.default_rng(1)
    site, age = rng.choice(["A", "B", "C", "D"], 900), rng.choice(["< 40", "40-64", ">= 65"], 900)
    y = (rng.random(900) < 0.35).astype(int)
    found = 0.85 - 0.12 * (site == "D") - 0.1 * (age == ">= 65")
    pred = (rng.random(900) < np.where(y == 1, found, 0.1)).astype(int)
    by = {"site": site, "age": age}
    shrunk = sx.compute_metrics(["recall"], y, pred, by=by, intervals=True).shrunk("recall")
    rows = shrunk.frame()
    figure, ax = plt.subplots(figsize=(6.4, 4.6), layout="constrained")
    for shift, keys, colour, label in (
        (-0.15, ("raw", "raw_low", "raw_high"), "0.6", "raw"),
        (0.15, ("value", "low", "high"), "#0072B2", "shrunk"),
    ):
        value, low, high = (rows[key].to_numpy() for key in keys)
        places = np.arange(len(rows)) + shift
        look = {"fmt": "o", "markersize": 4, "color": colour, "label": label}
        ax.errorbar(value, places, xerr=[value - low, high - value], **look)
    ax.set_yticks(range(len(rows)), [f"{a}, {b}" for a, b in zip(rows["site"], rows["age"])])
    ax.invert_yaxis()
    ax.set_xlabel("Recall, 95 % intervals")
    ax.legend(loc="upper left", frameon=False)
    store(figure, "small_groups")


def draw_dots(rows, label: str, line, name: str) -> None:
    """A dot with its interval for each estimate."""
    figure, ax = plt.subplots(figsize=(6.0, 0.4 * len(rows) + 1.1), layout="constrained")
    for place, (_, estimate) in enumerate(rows):
        value, low, high = estimate
        error = [[value - low], [high - value]]
        ax.errorbar(value, place, xerr=error, fmt="o", color="#0072B2", linewidth=1.8)
    if line is not None:
        ax.axvline(line, color="0.5", linestyle="--")
    ax.set_yticks(range(len(rows)), [told for told, _ in rows])
    ax.invert_yaxis()
    ax.spines[["top", "right"]].set_visible(False)
    ax.set_xlabel(label)
    store(figure, name)


def main() -> None:
    mpl.use("agg")
    PICTURES.mkdir(exist_ok=True)
    draw_report()
    draw_wine()
    draw_intervals()
    draw_difference()
    draw_people_and_machines()
    draw_search()
    draw_groups()
    draw_weak_slices()
    draw_honest_search()
    draw_coverage()
    draw_coverage_studies()
    draw_performance()
    draw_out_of_fold()
    draw_abstention()
    draw_groups_of_curves()
    draw_leaderboard()
    draw_readers()
    draw_raters()
    draw_small_groups()
    iris = predictions(load_iris, [0, 1])
    save(sx.RocCurvesDisplay.from_predictions(*iris),
         "roc_curves", "Iris, sepals only: ROC of each class")  # fmt: skip
    save(sx.PrecisionRecallCurvesDisplay.from_predictions(*iris),
         "precision_recall_curves", "Iris, sepals only: precision and recall")  # fmt: skip
    cancer = predictions(load_breast_cancer, [1, 9])
    save(sx.CalibrationDisplay.from_predictions(*cancer),
         "reliability", "Breast cancer, 2 features: reliability")  # fmt: skip
    save(sx.GainDisplay.from_predictions(*cancer),
         "gain", "Breast cancer, 2 features: cumulative gain")  # fmt: skip
    save(sx.DecisionCurveDisplay.from_predictions(*cancer),
         "net_benefit", "Breast cancer, 2 features: decision curve")  # fmt: skip
    save(sx.ThresholdDisplay.from_predictions(*predictions(load_breast_cancer, [1, 4, 8]),
                                              criterion="f1"),
         "threshold", "Breast cancer, 3 features: metrics over the threshold")  # fmt: skip
    species = load_iris().target_names
    save(sx.ConfusionMatrixDisplay.from_predictions(iris[0], iris[1].argmax(1),
                                                    display_labels=species),
         "confusion", "Iris, sepals only")  # fmt: skip


if __name__ == "__main__":
    main()
