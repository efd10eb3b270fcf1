"""
Calibration before and after
============================

When the model says 0.8, does it happen eight times of ten?

Naive Bayes takes correlated features for independent evidence, and so is overconfident.
"""

import matplotlib.pyplot as plt
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
X = X[:, :10]
models = {
    "before": GaussianNB(),
    "after": CalibratedClassifierCV(GaussianNB(), method="isotonic", cv=5),
}
scores = {
    name: cross_val_predict(model, X, y, method="predict_proba")[:, 1]
    for name, model in models.items()
}

# %%
# The reliability curve: how often it happened among rows of similar probability, with intervals.
# The histogram below shows where the probabilities are.

for name, score in scores.items():
    display = sx.CalibrationDisplay.from_predictions(y, score, name=name)
    display.ax_.set_title(f"Naive Bayes {name} calibration")
    plt.show()

# %%
# In numbers. A slope of 1 means the probabilities are neither too extreme nor too timid; below 1 they
# are too extreme. The ranking hardly changes, so the area under the ROC curve does not see the difference.

for name, score in scores.items():
    values = sx.compute_metrics(
        ["roc_auc", "brier_score", "log_loss", "expected_calibration_error"],
        y,
        y_proba=score,
        y_score=score,
    )
    line = sx.calibration_slope_intercept(y, score.clip(1e-6, 1 - 1e-6))
    print(name, {k: round(v, 3) for k, v in values.items()}, f"slope {line.slope:.2f}")

# %%
# How much of the Brier score is miscalibration, and how much discrimination? The CORP
# decomposition needs no bins.

for name, score in scores.items():
    parts = sx.corp_decomposition(y, score)
    print(
        f"{name}: {parts.score:.3f} = {parts.reliability:.3f} miscalibration"
        f" - {parts.resolution:.3f} discrimination + {parts.uncertainty:.3f} uncertainty"
    )
