"""
Is acting on the model worth it?
================================

At which probability does someone act, and is the model then better than treating all, or none?

Net benefit counts what is gained by true positives less what false positives cost, at the exchange rate that
the threshold itself states.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
malignant = 1 - y
models = {"texture": [1], "texture and symmetry": [1, 8], "texture and size": [0, 1]}
scores = {
    name: cross_val_predict(
        LogisticRegression(), X[:, columns], malignant, method="predict_proba"
    )[:, 1]
    for name, columns in models.items()
}

# %%
# The curves are laid over each other by passing the axes on.

ax = None
for name, score in scores.items():
    ax = sx.DecisionCurveDisplay.from_predictions(malignant, score, name=name, ax=ax).ax_
plt.show()

# %%
# Where one in five is reason enough to act: each with an interval, and what the size of a tumour adds.

for name, score in scores.items():
    print(name, sx.confidence_interval("net_benefit", malignant, score, threshold=0.2))
texture, _, size = scores.values()
print(sx.compare("net_benefit", malignant, size, texture, threshold=0.2))
