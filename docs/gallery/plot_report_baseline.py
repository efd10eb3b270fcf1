"""
A report against a baseline
===========================

Is my model better than a guess that ignores the features, and by how much?

All models run on the same folds, beside a baseline that knows only how common the classes are.
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_breast_cancer
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
models = {
    "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
    "bayes": GaussianNB(),
}
report = sx.cross_validation_report(
    models, X, y, scoring=["roc_auc", "f1", "matthews_corrcoef"], cv=10, random_state=0
)
print(report)

# %%
# The F1 of the baseline is 0.77, because it calls every row positive, and most are. Beside an F1 of
# 0.98 that is worth knowing. The areas and Matthews correlation of a baseline are 0.5 and 0.

report.plot()
plt.show()

# %%
# The out-of-fold curves of all models on one picture.

report.plot("precision_recall")
plt.show()
# sphinx_gallery_thumbnail_number = 2

# %%
# Each pair of models on the same folds, with an interval of the difference, and the probability
# that the models differ by less than 0.01 (the region of practical equivalence).

report_frame = report.frame("compare")
report_frame

# %%
# ``report.to_html("report.html")`` writes all of it as one page, ``report.predictions`` holds the
# out-of-fold predictions.
