"""
What a search should have said
==============================

Is the best score of a search true?

``best_score_`` is the largest of many noisy means. Here a search of 20 trees is given 100 rows,
and all other rows are the judge. ``search_report`` subtracts what the choice gains from noise, and
says which candidates are as good as the best.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import GridSearchCV, StratifiedKFold, train_test_split
from sklearn.tree import DecisionTreeClassifier

import skmetrics_ext as sx

X, y = load_breast_cancer(return_X_y=True)
grid = {"max_depth": [1, 2, 3, 4, 6], "min_samples_leaf": [1, 2, 4, 8]}
tree = DecisionTreeClassifier(random_state=0)


def ask(seed, **options):
    """A search on 100 rows, and what its choice is worth on all others."""
    own, rest, y_own, y_rest = train_test_split(X, y, train_size=100, stratify=y, random_state=seed)
    folds = StratifiedKFold(5, shuffle=True, random_state=0)
    search = GridSearchCV(tree, grid, scoring=sx.get_scorer("roc_auc"), cv=folds)
    report = sx.search_report(search, own, y_own, random_state=0, **options)
    judge = sx.get_scorer("roc_auc")(report.best_estimator_, rest, y_rest)
    return report, judge


# %%
# One search, with nested cross-validation beside it: three values and the judge.

report, judge = ask(5, outer=StratifiedKFold(5, shuffle=True, random_state=1))
print("\n".join(str(report).splitlines()[:8]))
print(f"the other {len(y) - 100} rows: {judge:.4f}")

# %%
# And four more, beside the judge.

found = [ask(seed) for seed in range(4)]
fig, (left, right) = plt.subplots(1, 2, figsize=(9, 3.8), layout="constrained")
ends = [
    ("naive", report.naive, None),
    ("corrected", report.best.value, report.best),
    ("nested", report.nested.value, report.nested),
]
for place, (_, value, estimate) in enumerate(ends):
    if estimate is not None:
        left.plot([place, place], [estimate.low, estimate.high], color="#0072B2", linewidth=2)
    left.plot([place], [value], "o", color="#0072B2")
left.axhline(judge, color="#D55E00", linestyle="--", label="469 other rows")
left.set_xticks(range(3), [name for name, _, _ in ends])
left.set(ylabel="area under the ROC curve", title="one search")
left.legend()

judged = np.array([judge for _, judge in found])
naive = np.array([report.naive for report, _ in found])
corrected = np.array([report.best.value for report, _ in found])
right.plot(judged, naive, "o", color="#6B6B6B", label=f"naive, {np.mean(naive - judged):+.3f}")
right.plot(
    judged, corrected, "o", color="#0072B2", label=f"corrected, {np.mean(corrected - judged):+.3f}"
)
low, high = min(judged.min(), corrected.min()), naive.max()
right.axline((low, low), (high, high), color="#D55E00", linestyle="--")
right.set(xlabel="on the other rows", ylabel="what the search says", title="four searches")
right.legend(title="mean error")
plt.show()

# %%
# Most candidates cannot be distinguished from the best (blue). The simplest of them may be taken.

report.plot(parameter="max_depth")
plt.show()

simplest = GridSearchCV(
    tree, grid, scoring=sx.get_scorer("roc_auc"), refit=sx.simplest_within("max_depth")
).fit(X, y)
print(simplest.best_params_)
