"""
Whom to call first
==================

There is money for calls to a tenth of the list. How many of the buyers are on it?

A gain curve answers for every share of the list. A lift curve says how many times better that is than chance.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import make_classification
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import KNeighborsClassifier

import skmetrics_ext as sx

X, buys = make_classification(
    2000, 8, n_informative=4, weights=[0.9], class_sep=0.7, random_state=0
)
models = {
    "logistic": LogisticRegression(),
    "nearest neighbours": KNeighborsClassifier(25),
}
scores = {
    name: cross_val_predict(model, X, buys, cv=3, method="predict_proba")[:, 1]
    for name, model in models.items()
}
fig, (left, right) = plt.subplots(1, 2, figsize=(11, 4.6), layout="constrained")
for name, score in scores.items():
    sx.GainDisplay.from_predictions(buys, score, name=name, ax=left)
    sx.LiftDisplay.from_predictions(buys, score, name=name, ax=right)
left.axvline(0.1, color="0.7", zorder=0)
right.axvline(0.1, color="0.7", zorder=0)
plt.show()

# %%
# With an interval, and the difference of the two models on the same list.

for name, score in scores.items():
    print(
        name, sx.confidence_interval("lift_at_10", buys, score, n_resamples=299, random_state=0)
    )
a, b = scores.values()
print(sx.compare("gain_capture", buys, b, a))
