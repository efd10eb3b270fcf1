"""Generated keyword arguments, by function."""

import numpy as np
from hypothesis import strategies as st
from support.label_inputs import label_choices, sample_weights, some_zeros
from support.samples import weights as eighths

ANY_ZERO_DIVISION = ("warn", 0, 1, 0.0, 1.0, np.nan)


def n_rows(y):
    return y.shape[0]


def is_multilabel(y):
    return getattr(y, "ndim", 1) == 2


def weights(draw, y, names):
    if is_multilabel(y):
        # Not 0: scikit-learn warns that rows without weight have undefined averages.
        return {"sample_weight": draw(st.none() | eighths(n_rows(y)))}
    return {"sample_weight": draw(sample_weights(n_rows(y)))}


def normalized(draw, y, names):
    return {"normalize": draw(st.booleans()), **weights(draw, y, names)}


def averaged(draw, y, names, zero_division=ANY_ZERO_DIVISION):
    options = {**weights(draw, y, names), "zero_division": draw(st.sampled_from(zero_division))}
    averages = ["micro", "macro", "weighted", None]
    if is_multilabel(y):
        averages.append("samples")
    elif len(names) == 2:
        averages.append("binary")
    options["average"] = draw(st.sampled_from(averages))
    if options["average"] == "binary":
        options["pos_label"] = draw(st.sampled_from(names.tolist()))
    else:
        options["labels"] = draw(label_choices(names, absent=not is_multilabel(y)))
    return options


def averaged_without_nan(draw, y, names):
    return averaged(draw, y, names, zero_division=("warn", 0, 1))


def averaged_beta(draw, y, names):
    beta = draw(st.sampled_from([0, 0.5, 1, 2, 3.7, np.inf]))
    options = {**averaged(draw, y, names), "beta": beta}
    if beta in (0, np.inf) and options["zero_division"] == "warn":
        # scikit-learn takes precision or recall as it stands and forgets the warning.
        options["zero_division"] = 0
    return options


def summary(draw, y, names):
    options = averaged_beta(draw, y, names)
    options["warn_for"] = draw(st.sampled_from([("precision",), ("recall", "f-score"), ()]))
    return options


def table(draw, y, names):
    normalize = draw(st.sampled_from([None, "true", "pred", "all"]))
    labels = draw(label_choices(names))
    return {**weights(draw, y, names), "labels": labels, "normalize": normalize}


def tables(draw, y, names):
    labels = draw(label_choices(names, absent=not is_multilabel(y)))
    samplewise = is_multilabel(y) and draw(st.booleans())
    return {**weights(draw, y, names), "labels": labels, "samplewise": samplewise}


def adjusted(draw, y, names):
    # Of one class alone nothing is left of chance: 0/0, of which scikit-learn makes -inf or nan.
    several = len(np.unique(y)) > 1
    options = weights(draw, y, names)
    if options["sample_weight"] is not None:
        options["sample_weight"] = options["sample_weight"] + 1
    return {**options, "adjusted": several and draw(st.booleans())}


def kappa(draw, y, names):
    labels = draw(label_choices(names))
    if labels is not None and y[0] not in labels:
        labels.append(y[0])  # one label at least has to occur in the first column
    # Text has no order of grades, unless labels declare one.
    graded = labels is not None or np.asarray(y).dtype.kind in "biuf"
    return {
        **weights(draw, y, names),
        "labels": labels,
        "weights": draw(st.sampled_from([None, "linear", "quadratic"])) if graded else None,
        "replace_undefined_by": draw(st.sampled_from([np.nan, 0.0, -1.0])),
    }


def likelihood(draw, y, names):
    options = weights(draw, y, names)
    replacements = [np.nan, 1.0, {"LR+": 2.0, "LR-": 0.5}]
    weight = options["sample_weight"]
    if not (
        (y == names[-1]) & (np.ones(len(y)) if weight is None else weight > 0).astype(bool)
    ).any():
        # Without positive rows both ratios are nan; scikit-learn replaces one of them if tn = 0.
        del replacements[1:]
    return {**options, "replace_undefined_by": draw(st.sampled_from(replacements))}


def report(draw, y, names):
    # Sums of multiples of 1/8 are exact, and are printed alike.
    choices = st.none() | eighths(n_rows(y))
    if not is_multilabel(y):
        choices |= some_zeros(n_rows(y))
    return {
        "sample_weight": draw(choices),
        "labels": draw(label_choices(names, absent=not is_multilabel(y))),
        "zero_division": draw(st.sampled_from(ANY_ZERO_DIVISION)),
        "output_dict": draw(st.booleans()),
        "digits": draw(st.integers(1, 5)),
    }
