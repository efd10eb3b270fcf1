"""
Gaps between groups
===================

Is the model worse for some patients, and is that noise?

A linear model tells malignant tumours from benign ones by their texture and smoothness. Each row is predicted by
a model that was not fitted on it, and the predictions are read by the size of the tumour.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True, as_frame=True)
malignant = (y == 0).astype(int)
model = make_pipeline(StandardScaler(), LogisticRegression())
read = X[["mean texture", "mean smoothness", "mean compactness"]]
proba = cross_val_predict(model, read, malignant, method="predict_proba")[:, 1]

# %%
# Six groups with about equal numbers of rows, and all rows, in one call.

found = sx.compute_metrics(
    ["accuracy", "roc_auc"],
    malignant,
    (proba > 0.5).astype(int),
    y_score=proba,
    by={"area": X["mean area"]},
    bins={"area": 6},
    margins=True,
    intervals=True,
)
print(found)

# %%
# Accuracy is lower for large tumours. Could that be chance? Each gap compares a group with all other rows; the
# p-values are adjusted for there being six of them.

print(found.gaps("accuracy"))

# %%
# The worst group, by bounds that hold for all groups together; and the largest difference between two groups,
# beside what chance alone gives to groups of these sizes.

print(found.where(metric="accuracy").surely_worst())
print(found.spread("accuracy"))
found.plot("accuracy")
plt.show()

# %%
# None of this says why, or which gap would be fair. The area under the ROC curve shows no significant gap: within
# each size the model ranks about equally well, so it may be the threshold that does not suit large tumours. The
# intervals are wide where a group has few rows of a class, and the notes say so.

print(found.gaps("roc_auc"))
