"""
The threshold that meets a precision target
===========================================

Nine of ten alarms have to be right. Which threshold gives that, and how many cases are found then?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
X, malignant = X[:, [1, 4, 8]], 1 - y  # features that do not tell the classes apart well
X_train, X_test, y_train, y_test = train_test_split(
    X, malignant, stratify=malignant, random_state=0
)
model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced"))
scores = cross_val_predict(model, X_train, y_train, method="predict_proba")[:, 1]

# %%
# The search looks at every distinct score of the out-of-fold predictions, not at a grid.

best = sx.optimal_threshold(
    y_train, scores, criterion="recall", constraint=("precision", ">=", 0.9)
)
print(f"threshold {best.threshold:.3f}, recall {best.value:.3f}")

display = sx.ThresholdDisplay.from_predictions(y_train, scores, metrics=["precision", "recall"])
display.ax_.axvline(best.threshold, color="0.3", linestyle=":")
display.ax_.axhline(0.9, color="0.8", zorder=0)
plt.show()

# %%
# A target that was met on the rows that chose the threshold need not be met on others. The test
# rows show it, with intervals.

test_scores = model.fit(X_train, y_train).predict_proba(X_test)[:, 1]
predicted = (test_scores >= best.threshold).astype(int)
for name in ("precision", "recall"):
    print(name, sx.confidence_interval(name, y_test, predicted))

# %%
# :class:`~skmetrics_ext.ThresholdOptimizerCV` does the same as an estimator: it keeps the constraint
# by the mean over folds.

tuned = sx.ThresholdOptimizerCV(model, criterion="recall", constraint=("precision", ">=", 0.9))
tuned.fit(X_train, y_train)
print(f"threshold {tuned.best_threshold_:.3f}")
