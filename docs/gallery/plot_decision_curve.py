"""
Is acting on the model worth it?
================================

From which probability on does someone act, and is the model then better than treating all, or none?

Net benefit is the gain from true positives less the cost of false positives. The threshold says what a false
positive costs: who acts from 0.2 on accepts four false positives for a true one.
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
# To lay curves over each other, pass the axes of one display to the next.

ax = None
for name, score in scores.items():
    ax = sx.DecisionCurveDisplay.from_predictions(malignant, score, name=name, ax=ax).ax_
plt.show()

# %%
# At the threshold 0.2: the net benefit of each model with an interval, and what the size of a tumour adds.

for name, score in scores.items():
    print(name, sx.confidence_interval("net_benefit", malignant, score, threshold=0.2))
texture, _, size = scores.values()
print(sx.compare("net_benefit", malignant, size, texture, threshold=0.2))
