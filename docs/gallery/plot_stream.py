"""
A metric of a stream
====================

The rows come in batches and are gone. What was the area under the ROC curve of all of them?

The mean of the areas of the batches is another number. An accumulator gives the exact one.
"""

import matplotlib.pyplot as plt
import numpy as np

import skmetrics_ext as sx

rng = np.random.default_rng(0)
stream = sx.Accumulator(["roc_auc", "average_precision", "log_loss"])
seen, whole, alone, all_rows = [], [], [], []
for batch in range(40):
    hour = 0.4 * np.sin(batch / 6)  # scores drift through the day
    true = (rng.random(50) < 0.15).astype(int)
    true[:2] = 0, 1
    score = 1 / (1 + np.exp(-(rng.normal(1.5 * true - 1.5, 1) + hour)))
    stream.update(true, score)
    all_rows.append((true, score))
    seen.append(50 * (batch + 1))
    whole.append(stream.compute()["roc_auc"])
    alone.append(sx.roc_auc_score(true, score))

# %%
# The same value, to the last bit, as from all rows at once; and the mean of the areas of the batches.

true, score = (np.concatenate(column) for column in zip(*all_rows, strict=True))
print(
    whole[-1] == sx.roc_auc_score(true, score),
    round(whole[-1], 4),
    round(float(np.mean(alone)), 4),
)

fig, ax = plt.subplots(figsize=(6.6, 3.8), layout="constrained")
ax.plot(seen, alone, ".", color="0.6", label="each batch alone")
ax.plot(seen, whole, color="C0", linewidth=2, label="all rows so far")
ax.set(xlabel="rows", ylabel="area under the ROC curve")
ax.legend()
plt.show()

# %%
# Accumulators of several workers can be merged. The table has intervals where sums allow them.

print(stream.evaluation(intervals=True))
