"""
How sure is a threshold?
========================

The best threshold of 400 patients was 0.35. Would others have chosen another one?

A threshold found by a search is an estimate like any other, and its criterion on the same rows is too good.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
malignant = 1 - y
scores = cross_val_predict(
    LogisticRegression(), X[:, [1, 4, 9]], malignant, method="predict_proba"
)[:, 1]

# %%
# The search is repeated on bootstrap samples; the criterion is that of rows which did not choose the threshold.

rng = np.random.default_rng(0)
found = {}
for n in (100, 200, 400):
    rows = rng.permutation(len(y))[:n]
    about = {"criterion": "youden", "n_resamples": 299, "random_state": 0}
    found[n] = sx.optimal_threshold(malignant[rows], scores[rows], **about, interval=True)
    print(n, "rows:", found[n])

# %%
# The criterion is flat near its best, so that the threshold is less certain than the value that it reaches.

display = sx.ThresholdDisplay.from_predictions(
    malignant, scores, metrics="youden_j", criterion="youden"
)
for height, (n, one) in enumerate(found.items()):
    place, ends = 0.05 + 0.06 * height, [one.threshold.low, one.threshold.high]
    display.ax_.plot(ends, [place, place], linewidth=4, color="C1", alpha=0.4 + 0.2 * height)
    display.ax_.text(ends[1] + 0.01, place, f"{n} rows", va="center", fontsize="small")
plt.show()
