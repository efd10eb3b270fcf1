"""
How many rows does a claim need?
================================

The pilot had 120 patients. How many must the study have?

What each row of the pilot contributes to a metric says how wide the interval of any other number of rows would be.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
pilot = np.random.default_rng(0).permutation(len(y))[:120]
X, malignant = X[pilot], 1 - y[pilot]
a, b = (
    cross_val_predict(LogisticRegression(), X[:, columns], malignant, method="predict_proba")[
        :, 1
    ]
    for columns in ([1, 9], [0, 1])
)

# %%
# Rows needed for an interval of some width, for three metrics.

widths = np.array([0.04, 0.06, 0.08, 0.1, 0.15])
given = {"roc_auc": a, "recall": (a > 0.5).astype(int), "f1": (a > 0.5).astype(int)}
fig, ax = plt.subplots(figsize=(6.4, 4), layout="constrained")
for metric, pred in given.items():
    rows = [sx.sample_size(metric, malignant, pred, width=width).n for width in widths]
    ax.plot(widths, rows, marker="o", label=metric)
ax.set(xlabel="width of the 95 % interval", ylabel="rows", yscale="log")
ax.legend()
plt.show()

# %%
# Rows to show a difference of 0.05 between two models on the same patients, in four of five studies.

print(sx.sample_size("roc_auc", malignant, a, y_pred_b=b, difference=0.05, power=0.8))
