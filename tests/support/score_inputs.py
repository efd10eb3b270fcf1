"""Generated scores and probabilities: ties, signed zeros, denormals, huge ranges, float32."""

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra import numpy as nps

from support.label_inputs import names_of_classes
from support.samples import integers

GRID = [k / 4 for k in range(-4, 5)]
# Both zeros, neighbours of 1, the smallest and the largest numbers, and what scaling could lose.
HARD = [0.0, -0.0, 5e-324, -5e-324, 2.2e-308, 1.0, np.nextafter(1.0, 2), np.nextafter(1.0, 0)]
HARD += [2.0, -2.0, 1e300, -1e300, 1.7e308, 1e-300, 3.0, 1e16, 1e16 + 2]
SINGLES = [0.0, -0.0, 1e-45, 1.0, float(np.nextafter(np.float32(1), np.float32(2))), -3e38, 3e38]


@st.composite
def binary_scores(draw):
    """(y_true, y_score, names of the classes) in which both classes occur."""
    n_rows = draw(st.integers(2, 14))
    codes = draw(integers(0, 1, n_rows))
    codes[:2] = draw(st.sampled_from([[0, 1], [1, 0]]))
    names = draw(names_of_classes(2))
    kind = draw(st.sampled_from(["grid", "hard", "any", "float32", "integers"]))
    if kind == "integers":
        score = draw(integers(-(2**40), 2**40, n_rows) | integers(-1, 1, n_rows))
    elif kind == "float32":
        score = draw(arrays(st.sampled_from(SINGLES) | st.floats(-1, 1, width=32), n_rows))
        score = score.astype(np.float32)
    else:
        finite = st.floats(allow_nan=False, allow_infinity=False)
        elements = {"grid": st.sampled_from(GRID), "hard": st.sampled_from(HARD), "any": finite}
        score = draw(arrays(elements[kind], n_rows))
    return names[codes], score, names


def arrays(elements, shape):
    return nps.arrays(np.float64, shape, elements=elements)


@st.composite
def class_probabilities(draw, n_classes=None, every_class=True):
    """(y_true, probabilities of the classes, names); rows sum to 1."""
    n_classes = n_classes or draw(st.integers(3, 4))
    n_rows = n_classes + draw(st.integers(0, 10))
    codes = draw(integers(0, n_classes - 1, n_rows))
    if every_class:
        codes[:n_classes] = draw(st.permutations(range(n_classes)))
    names = draw(names_of_classes(n_classes))
    parts = draw(integers(0, 5, (n_rows, n_classes))) + np.eye(n_classes)[codes]
    proba = parts / parts.sum(axis=1, keepdims=True)
    if draw(st.booleans()):
        proba = proba.astype(np.float32)
    return names[codes], proba, names


@st.composite
def positive_probabilities(draw):
    """(y_true, probability of the positive class, names)."""
    y_true, proba, names = draw(class_probabilities(2))
    return y_true, proba[:, 1], names


@st.composite
def multilabel_scores(draw):
    """(indicators, scores, numbers of the outputs); every output has both marks."""
    shape = (draw(st.integers(2, 10)), draw(st.integers(2, 4)))
    true = draw(integers(0, 1, shape))
    true[0], true[1] = 0, 1
    return true, draw(integers(-4, 4, shape)) / 4, np.arange(shape[1])


@st.composite
def label_marks(draw, containers=(np.asarray,), least=2):
    """(indicators, scores, numbers of the labels); rows of any marks, and scores that tie."""
    shape = (draw(st.integers(1, 8)), draw(st.integers(least, 6)))
    form = draw(st.sampled_from(containers))
    return form(draw(integers(0, 1, shape))), draw(row_scores(shape)), np.arange(shape[1])


@st.composite
def graded_labels(draw, lowest=0):
    """(relevance of each label, scores, numbers of the labels); some rows without any."""
    shape = (draw(st.integers(1, 8)), draw(st.integers(2, 6)))
    grades = draw(integers(lowest, 4, shape)) * draw(integers(0, 1, (shape[0], 1)))
    grades = grades / draw(st.sampled_from([1, 4, 7]))
    return grades, draw(row_scores(shape)), np.arange(shape[1])


def row_scores(shape):
    """Scores of labels: many ties, numbers that are hard to tell apart, float32."""
    hard = arrays(st.sampled_from(HARD), shape)
    single = arrays(st.sampled_from(SINGLES), shape).map(np.float32)
    return integers(-3, 3, shape).map(lambda values: values / 4) | hard | single


@st.composite
def class_decisions(draw):
    """(y_true, decision values of three classes or more, names)."""
    y_true, proba, names = draw(class_probabilities())
    return y_true, draw(integers(-9, 9, proba.shape)) / 4, names


@st.composite
def binary_decisions(draw):
    """(y_true, decision values, positive for the second class, names)."""
    y_true, proba, names = draw(class_probabilities(2))
    return y_true, draw(integers(-9, 9, len(proba))) / 4, names
