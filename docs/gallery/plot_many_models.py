"""
Six models on the same rows
===========================

Six models make fifteen pairs. Which of them differ?

If each pair is tested alone, some pair soon differs by chance. Here all intervals hold together.
"""

import matplotlib.pyplot as plt
import pandas as pd
from sklearn.datasets import load_breast_cancer, make_classification
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict, cross_val_score
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
models = {
    "logistic regression": LogisticRegression(),
    "discriminant analysis": LinearDiscriminantAnalysis(),
    "naive Bayes": GaussianNB(),
    "nearest neighbours": KNeighborsClassifier(),
    "tree": DecisionTreeClassifier(max_depth=3, random_state=0),
    "strongly shrunk": LogisticRegression(C=1e-3),
}
predicted = {
    name: cross_val_predict(make_pipeline(StandardScaler(), model), X[:, :10], y)
    for name, model in models.items()
}

# %%
# Every pair of models, with simultaneous intervals; in grey those that are not shown to differ.

table = sx.confidence_interval("accuracy", y, predicted)
table.against("each").adjust("simultaneous").plot()
plt.show()

# %%
# Compared with one model there are only five questions, so the intervals are narrower.

against = table.against("logistic regression").adjust("simultaneous")
print(against)
against.plot()
plt.show()

# %%
# Over many data sets, models are compared by their mean ranks: the critical-difference diagram.

data_sets = [make_classification(200, 8, flip_y=0.1, random_state=seed) for seed in range(12)]
accuracy = pd.DataFrame(
    {name: cross_val_score(model, *data, cv=3).mean() for name, model in models.items()}
    for data in data_sets
)
sx.nemenyi_test(accuracy).plot()
plt.show()
