"""
What the best of a search is worth
==================================

The best of forty candidates was right in 77 % of the rows. How much of that is luck of the choice?

The highest of many means is high partly by chance. A search report corrects it, without another search.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
rows = np.random.default_rng(1).permutation(len(y))[:100]
X, y = X[rows][:, [1, 4, 8, 9]], y[rows]  # features that tell little

model = make_pipeline(StandardScaler(), KNeighborsClassifier())
grid = {
    "kneighborsclassifier__n_neighbors": list(range(1, 31, 3)),
    "kneighborsclassifier__weights": ["uniform", "distance"],
    "kneighborsclassifier__p": [1, 2],
}
search = GridSearchCV(model, grid, scoring="accuracy", cv=StratifiedKFold(5))
report = sx.search_report(search, X, y, random_state=0)

# %%
# The mean that the search reports, and what is left of it after the choice is taken into account.

print(f"reported: {report.naive:.4f}")
print("corrected:", report.best)

# %%
# Many candidates cannot be told from the best. A simpler one of them may be taken.

report.plot(parameter="kneighborsclassifier__n_neighbors")
plt.show()
