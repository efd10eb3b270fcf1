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
# Six groups of about equal numbers of rows, and all rows, in one call. A group without a row of a class would
# have a reason in the place of a value.

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
# Accuracy is lower for large tumours. How much of that could be chance is told by the gaps from all other rows,
# of which there are six: their p-values are adjusted for it.

print(found.gaps("accuracy"))

# %%
# The group that is bad for sure has bounds that hold for all groups together. The largest gap is put beside
# that of equal groups of the same sizes, which have one as well.

print(found.worst("accuracy"))
print(found.spread("accuracy"))
found.plot("accuracy")
plt.show()

# %%
# None of this says why, nor which gap would be fair. The area under the ROC curve has no gap that is sure: within
# a size both kinds are ranked about as well, so that it may be the threshold that does not suit large tumours.
# Intervals are wide where a group has few rows of a class, and the notes say so.

print(found.gaps("roc_auc"))
