"""Draw the pictures of the guide: ``python docs/draw_pictures.py`` (needs the ``plot`` extra).

Iris (two noisy features) for several classes, breast cancer (two features) for two; every score
is an out-of-fold prediction of a logistic regression.
"""

from __future__ import annotations

from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

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


def main() -> None:
    mpl.use("agg")
    PICTURES.mkdir(exist_ok=True)
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


if __name__ == "__main__":
    main()
