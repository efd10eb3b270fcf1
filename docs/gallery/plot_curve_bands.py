"""
A band around a curve
=====================

How far could the whole ROC curve be from the one that was drawn?

A pointwise band holds each point of the curve with 95 %; a simultaneous one holds all of them together,
and is what a statement about the whole curve needs.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
malignant = 1 - y
scores = cross_val_predict(
    LogisticRegression(), X[:, [1, 9]], malignant, method="predict_proba"
)[:, 1]

fig, axes = plt.subplots(1, 2, figsize=(10, 4.8), layout="constrained")
for ax, band in zip(axes, ("pointwise", "simultaneous"), strict=True):
    sx.RocCurvesDisplay.from_predictions(malignant, scores, band=band, ax=ax)
plt.show()

# %%
# The same numbers as a table: the sensitivity at specificities that matter.

band = sx.curve_band("sensitivity_at_specificity", malignant, scores, at=[0.7, 0.8, 0.9, 0.95])
for at, value, low, high in zip(band.at, band.value, band.low, band.high, strict=True):
    print(f"specificity {at:.2f}: sensitivity {value:.3f} [{low:.3f}, {high:.3f}]")
