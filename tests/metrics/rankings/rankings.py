"""Rankings that several tests read."""

import numpy as np
from hypothesis import strategies as st
from support.samples import integers

# Twenty rows, best score first, ten of them positive; AUC 73/100.
TWENTY = [label == "P" for label in "PPPNPNPPPNNNPNPNNNPN"]
TWENTY_SCORES = list(range(20, 0, -1))


@st.composite
def rankings(draw, weighted=False, max_rows=14):
    """(y_true, y_score, weight): both classes occur, scores tie often."""
    n_rows = draw(st.integers(2, max_rows))
    true = draw(integers(0, 1, n_rows))
    true[:2] = 0, 1
    score = draw(integers(-4, 4, n_rows)) / 4
    weight = None
    if weighted:
        weight = draw(integers(1, 5, n_rows))
    return true, score, weight


def points(true, score, weight=None):
    """(threshold, tp, fp) of every decision "score >= threshold", one by one."""
    weight = np.ones(len(true), dtype=int) if weight is None else weight
    found = []
    for threshold in [np.inf, *sorted(set(score.tolist()), reverse=True)]:
        chosen = score >= threshold
        tp, fp = (int(weight[chosen & (true == k)].sum()) for k in (1, 0))
        found.append((threshold, tp, fp))
    return found
