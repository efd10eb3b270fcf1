"""
Many metrics in one search, one of them for the refit
=====================================================

How do I look at several numbers while one of them chooses the model?

A :class:`~skmetrics_ext.ScorerPanel` predicts once and gives all of them. ``refit`` names the one that
decides.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import RandomForestClassifier
from sklearn.model_selection import GridSearchCV

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
malignant = 1 - y  # 1 is the class that must not be missed

panel = sx.ScorerPanel(["gini", "f1", "specificity", "neg_log_loss"])
grid = {"max_depth": [1, 2, 4, 8]}
forest = RandomForestClassifier(n_estimators=30, random_state=0)
search = GridSearchCV(forest, grid, scoring=panel, refit="neg_log_loss").fit(X, malignant)
print(search.best_params_)

# %%
# The search has the other metrics, too. They need not agree on the best setting (the grey line).

fig, axes = plt.subplots(2, 2, figsize=(7, 5), layout="constrained", sharex=True)
for ax, name in zip(axes.flat, panel.names, strict=True):
    ax.plot(grid["max_depth"], search.cv_results_[f"mean_test_{name}"], marker="o")
    ax.axvline(search.best_params_["max_depth"], color="0.7", zorder=0)
    ax.set(title=name, xlabel="max_depth")
plt.show()

# %%
# F1 and specificity are of one class: with labels 0 and 1 it is 1. For text labels name it:
# ``ScorerPanel([...], pos_label="malignant")``.
