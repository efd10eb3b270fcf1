"""
Where is the model weak?
========================

Where is the model worse than elsewhere? One number for a whole test set does not say.
``weak_slices`` tests every value of every column, and every pair of values, and adjusts for their
number.
"""

import matplotlib.pyplot as plt
import numpy as np
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import skmetrics_ext as sx

X, y = load_digits(return_X_y=True)
model = make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000))
pred = cross_val_predict(model, X, y)

# %%
# The columns need not be features of the model. Here: the digit itself, how much ink it takes, how
# far right the ink is, and which fifth of the data set it is from. Numbers with many values are cut
# into bins of about equal numbers of rows.

ink = X.sum(axis=1)
right = (X.reshape(-1, 8, 8).sum(axis=1) * np.arange(8)).sum(axis=1) / ink
part = np.arange(len(y)) * 5 // len(y)
data = {"digit": y, "guess": pred, "ink": ink, "right": right, "part": part}
columns = ["digit", "ink", "right", "part"]
found = sx.weak_slices(data, true="digit", pred="guess", metric="accuracy", columns=columns)
print(found)

# %%
# The slice in the first line is worse than all other rows together. Those that are worse only for
# the rows that they share with it are folded into it.

print(found.folded)

# %%
# Intervals of the difference hold all at once.

found.plot()
plt.show()
