"""
The fold that lost a class
==========================

What happens when a fold does not hold every class?

With rare classes and ordinary folds this happens often, and nothing warns of it. Here a model was trained on two of
the three iris species, and tested on rows of one of them and of the third.
"""

import warnings

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_iris
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer as sklearn_scorer
from sklearn.model_selection import KFold, cross_validate

import skmetrics_ext as sx

X, y = load_iris(return_X_y=True)
train = np.r_[0:50, 50:100]  # classes 0 and 1
test = np.r_[25:50, 100:150]  # classes 0 and 2
model = LogisticRegression().fit(X[train], y[train])

# %%
# A third of the rows is predicted right. Both scorers are asked how good the probabilities are.

print("accuracy", round(sx.get_scorer("accuracy")(model, X[test], y[test]), 2))
for package, get_scorer in (("scikit-learn", sklearn_scorer), ("skmetrics_ext", sx.get_scorer)):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        print(package, round(float(get_scorer("neg_log_loss")(model, X[test], y[test])), 3))
print(caught[0].message)

# %%
# scikit-learn reads the second column of ``predict_proba``, that of class 1, as that of class 2, and
# reports an excellent log loss. Here the columns are matched with the classes by name: class 2 had
# no probability, and that is what the number and the warning say.
#
# In a cross-validation
# ---------------------
#
# Folds that are blocks of sorted labels are the extreme case: each fold tests on a class that no model of
# it has seen. Undefined values are nan, with the reason, in place of an error that ends the search.

panel = sx.ScorerPanel(["accuracy", "neg_log_loss", "roc_auc_ovr"])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    results = cross_validate(LogisticRegression(), X, y, cv=KFold(3), scoring=panel)
for name in panel.names:
    print(name, results[f"test_{name}"].round(3))
print(caught[0].message)

# %%
# A report counts them, and a mean over the folds that are left is marked as such.

with warnings.catch_warnings(action="ignore"):
    report = sx.cross_validation_report(
        LogisticRegression(), X, y, cv=KFold(3), scoring=["accuracy", "roc_auc_ovr"]
    )
print(report)

# %%
# The cure is to keep the classes in every fold: stratified folds, or more rows.

fig, axes = plt.subplots(1, 2, figsize=(9, 2.6), layout="constrained", sharey=True)
shuffled = np.random.default_rng(0).permutation(len(y))
for ax, (title, order) in zip(
    axes, {"sorted rows": np.arange(len(y)), "shuffled rows": shuffled}.items(), strict=True
):
    shares = [[np.mean(y[order][rows] == k) for k in range(3)] for _, rows in KFold(3).split(X)]
    left = np.zeros(3)
    for k, share in enumerate(np.transpose(shares)):
        ax.barh(range(3), share, left=left, label=f"class {k}")
        left += share
    ax.set(title=f"Classes in the folds of KFold(3), {title}", yticks=range(3), ylabel="fold")
axes[0].legend(loc="upper left", fontsize="small")
plt.show()
