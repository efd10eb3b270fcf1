"""
Choose a model by Gini
======================

Which strength of regularisation ranks best?

Credit risk reports Gini, which is 2 AUC - 1. Scorers of this package go wherever scikit-learn
takes ``scoring=``.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
X = X[:, :10]  # the means only: with all columns every model is near 1

model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
grid = {"logisticregression__C": [0.001, 0.01, 0.1, 1, 10, 100]}
search = GridSearchCV(model, grid, scoring=sx.get_scorer("gini")).fit(X, y)
print(search.best_params_, round(float(search.best_score_), 4))

# %%
# The best mean is not the whole answer. The folds spread so much that several settings are as
# good, and a simpler one may be taken.

results = search.cv_results_
fig, ax = plt.subplots(figsize=(6, 3.5), layout="constrained")
ax.errorbar(
    grid["logisticregression__C"],
    results["mean_test_score"],
    results["std_test_score"],
    marker="o",
    capsize=3,
)
ax.set(xscale="log", xlabel="C", ylabel="Gini", title="Mean and standard deviation of 5 folds")
plt.show()

# %%
# Is the best setting really better than the weakest? Both were scored on the same folds, so their
# differences are compared, with the correction for training sets that overlap.

folds = [results[f"split{i}_test_score"] for i in range(5)]
best, weakest = search.best_index_, 0
print(
    sx.corrected_resampled_ttest(
        [fold[best] for fold in folds],
        [fold[weakest] for fold in folds],
        n_train=len(y) * 4 / 5,
        n_test=len(y) / 5,
    )
)
