"""
ROC of each class, with averages and bands
==========================================

Which classes does my model tell apart, and how much do the folds differ?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_validate

import skmetrics_ext as sx

iris = load_iris()
X, y = iris.data[:, :2], iris.target_names[iris.target]  # the sepals only: a hard problem

model = LogisticRegression()
scores = cross_val_predict(model, X, y, method="predict_proba")

# %%
# Each class against the rest. The micro-average pools all three problems into one; the
# macro-average is the mean of the true positive rates at each false positive rate.

display = sx.RocCurvesDisplay.from_predictions(y, scores)
display.ax_.set_title("Out-of-fold predictions")
plt.show()

# %%
# The numbers are those of the functions.

curves = sx.roc_curves(y, scores)
print({str(name): round(area, 4) for name, area in curves.areas.items()})
print(round(sx.roc_auc_score(y, scores, multi_class="ovr"), 4))

# %%
# Over the folds: the mean curve with a band of one standard deviation. The interval in the legend
# is that of the mean area, corrected for training sets that overlap.

results = cross_validate(model, X, y, return_estimator=True, return_indices=True)
fig, axes = plt.subplots(1, 3, figsize=(13, 4.4), layout="constrained")
for ax, species in zip(axes, iris.target_names, strict=True):
    sx.RocCurvesDisplay.from_cv_results(results, X, y, curves=[species], ax=ax)
    ax.set_title(f"{species} against the rest")
plt.show()
