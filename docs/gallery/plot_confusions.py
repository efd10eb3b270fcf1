"""
Which classes are confused?
===========================

The model reads four of five digits correctly. Which digits does it take for which?
"""

import matplotlib.pyplot as plt
from sklearn.datasets import load_digits
from sklearn.model_selection import cross_val_predict
from sklearn.naive_bayes import GaussianNB

import skmetrics_ext as sx

X, y = load_digits(return_X_y=True)
pred = cross_val_predict(GaussianNB(), X, y)

# %%
# Each row sums to 100 %: the diagonal is the recall of a digit.

sx.ConfusionMatrixDisplay.from_predictions(y, pred)
plt.show()

# %%
# In numbers, with intervals: the three digits with the lowest recall, which the mean over classes
# hides.

recalls = sx.confidence_interval("recall", y, pred, average=None)
for digit, recall in sorted(enumerate(recalls), key=lambda pair: pair[1].value)[:3]:
    print(digit, recall)
print("macro", sx.confidence_interval("recall_macro", y, pred))
