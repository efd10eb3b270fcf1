"""
Is B better than A?
===================

Two models were scored on the same rows. Is the difference more than chance?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression())
score_a, score_b = (
    cross_val_predict(model, X[:, columns], y, method="predict_proba")[:, 1]
    for columns in ([0, 4], [0, 1, 4])  # B has the texture in addition
)

# %%
# Each area with its interval. They overlap, but that says little: the models mostly err on the same
# rows, so their errors are correlated.

for name, score in (("A", score_a), ("B", score_b)):
    print(name, sx.confidence_interval("roc_auc", y, score))

# %%
# The interval of the difference on the same rows (DeLong's method) is narrower.

print(sx.compare("roc_auc", y, score_b, score_a))

# %%
# The same for any other metric. The method follows from the metric: McNemar's test for accuracy,
# the delta method for F1 and Matthews' correlation.

labels_a, labels_b = (score_a >= 0.5).astype(int), (score_b >= 0.5).astype(int)
differences = {
    "roc_auc": sx.compare("roc_auc", y, score_b, score_a),
    "accuracy": sx.compare("accuracy", y, labels_b, labels_a),
    "f1": sx.compare("f1", y, labels_b, labels_a),
    "matthews_corrcoef": sx.compare("matthews_corrcoef", y, labels_b, labels_a),
}
fig, ax = plt.subplots(figsize=(6.5, 3), layout="constrained")
for row, (name, found) in enumerate(differences.items()):
    ax.plot([found.low, found.high], [row, row], color="C0")
    ax.plot(found.difference, row, "o", color="C0")
    ax.annotate(f"p = {found.p_value:.3f}", (found.high, row), xytext=(6, -3),
                textcoords="offset points")  # fmt: skip
ax.axvline(0, color="0.6", linestyle="--")
ax.set_yticks(range(len(differences)), [f"{k} ({v.method})" for k, v in differences.items()])
ax.invert_yaxis()
ax.margins(x=0.25)
ax.set_xlabel("B - A, with 95 % interval")
plt.show()

# %%
# Four tests of one question are four chances to be wrong. Decide which metric counts before
# looking, or adjust.

print(sx.holm_adjust([found.p_value for found in differences.values()]).round(3))
