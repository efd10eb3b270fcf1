"""Shared paragraphs of docstrings, and results in the array library of the arguments.

``@document`` replaces ``{name}`` lines in the docstrings of a function, or of a class and its
methods, by descriptions, and lets functions take and return tensors.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from typing import TypeVar

from skmetrics_ext.validation.tensors import taking_tensors

Documented = TypeVar("Documented", bound=Callable[..., object])


class Paragraphs:
    """Descriptions that docstrings share: each follows its name in braces.

    {y_true_y_pred}
    y_true, y_pred : array-like of shape (n_samples,)
        True and predicted labels: integers, text, booleans, categoricals.

    {y_true_y_pred_multilabel}
    y_true, y_pred : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True and predicted labels, or multilabel indicators (dense or scipy sparse).

    {cost_matrix}
    cost_matrix : array-like of shape (n_classes, n_classes) or (n_samples, n_classes, n_classes)
        Cost of predicting the class of the column where that of the row is true, in the order
        of ``labels``: one matrix, or one for each sample. Negative costs are gains.

    {y_true}
    y_true : array-like of shape (n_samples,)
        True labels: integers, text, booleans, categoricals.

    {y_set}
    y_set : boolean array-like of shape (n_samples, n_classes), or list of lists of labels
        The classes in the set of each row: marks with a column for each class, or their labels. A
        set may be empty.

    {set_labels}
    labels : array-like of shape (n_classes,), default=None
        All classes; those of the columns of ``y_set``, in order. Those that occur, sorted, by
        default.

    {set_average}
    average : {"micro", "macro", "weighted"} or None, default="micro"
        "micro" is over all rows; "macro" is the mean over the true classes, and "weighted" weights
        it by their rows; None gives one value per true class.

    {ratings}
    y_true : array-like of shape (n_samples,) or (n_items, n_raters)
        Labels of the first rater; or, without ``y_pred``, a table of items x raters, with None or
        NaN where a rating is missing.
    y_pred : array-like of shape (n_samples,), default=None
        Labels of the second rater.

    {rater_weights}
    weights : {"linear", "quadratic", "ordinal"} or array-like of shape (n_classes, n_classes)
        How bad each disagreement is, as a share of the worst: distance of the classes, its square,
        or the number of pairs of classes in their range; or a matrix with 0 on its diagonal. All
        alike by default. Distances are those of numbers, else of steps in a declared order.

    {labels}
    labels : array-like, default=None
        The classes to use, in this order. All that occur, sorted, by default.

    {pos_label}
    pos_label : int, float, bool or str, default=None
        The positive class when ``average="binary"``. By default 1 of {0, 1} or {-1, 1}, or True;
        other labels need it.

    {pos_label_1}
    pos_label : int, float, bool or str, default=1
        The positive class when ``average="binary"``.

    {average}
    average : {"binary", "micro", "macro", "weighted", "samples"} or None, default="binary"
        "binary" reads the positive class alone; "micro" pools the counts of all classes; "macro"
        is the mean over classes; "weighted" weights that mean by the support of each class;
        "samples" is the mean over rows of multilabel data; None gives one value per class.

    {one_class_scores}
    y_true : array-like of shape (n_samples,)
        True labels. In {0, 1} or {-1, 1}, or with ``pos_label`` any.
    y_score : array-like of shape (n_samples,)
        Scores, higher for the positive class, or both columns of ``predict_proba``.
    pos_label : int, float, bool or str, default=None
        The positive class: 1 by default. With it, ``y_true`` may hold further classes, which are
        all negative.

    {sample_weight}
    sample_weight : array-like of shape (n_samples,), default=None
        Non-negative weight of each row.

    {labelling}
    proxy : array-like of shape (n_samples,) or (n_samples, n_classes), default=None
        A machine's label of every row, or its probability of the positive class (or of each class),
        where ``y_true`` has a person's label of some rows and is missing (None, nan, masked)
        elsewhere. It is used if that makes the interval narrower; ``note`` shows how many labels
        it is worth. The labelled rows must be a random sample, or ``sampling`` must say how they
        were drawn.
    sampling : array-like of shape (n_samples,) or LabelPlan, default=None
        The probability with which each labelled row was chosen to be labelled, or the plan that it
        was chosen by: rows are weighted by its inverse (Hajek's estimate).
    population : {"process", "pool"}, default="process"
        Whether all rows are a sample from the process that made them, or are themselves the
        population, of which only the labels were sampled.
    observed : array-like of bool of shape (n_samples,), default=None
        Which rows were verified, if that depends on the prediction or on ``X``; ``y_true`` of
        others is not read. With ``sampling``, the probabilities of being verified; without, they
        follow from the prediction and ``X``, by cells or by logistic regression, and ``note``
        shows how.
    X : array-like or data frame of shape (n_samples, n_features), default=None
        Covariates of all rows, for ``observed`` and ``target``.
    target : array-like or data frame of shape (n_target, n_features), default=None
        The same covariates in the population that is meant, for which rows are weighted. The
        labels given ``X`` must be distributed as here.
    target_weight : array-like of shape (n_samples,), default=None
        Your own weights for another population, in place of ``target``.
    prevalence : float, Estimate or dict, default=None
        The share of the positive class in the population that is meant, or of each class, known or
        estimated. Precision and negative predictive value take a number as their own parameter.

    {normalize}
    normalize : bool, default=True
        Whether to give the weighted mean over rows; the weighted sum otherwise.

    {y_true_y_score}
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels, or multilabel indicators.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Scores, higher for the class; any numbers that rank. For binary labels, those of the
        positive class, or both columns of ``predict_proba``.

    {y_true_y_score_binary}
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_score : array-like of shape (n_samples,) or (n_samples, 2)
        Scores, higher for the positive class, or both columns of ``predict_proba``.

    {marks_and_scores}
    y_true : array-like or scipy sparse matrix of shape (n_samples, n_labels)
        Multilabel indicators: which labels of a row are relevant.
    y_score : array-like of shape (n_samples, n_labels)
        Scores, higher for labels that are relevant; any numbers that rank.

    {relevance_and_scores}
    y_true : array-like or scipy sparse matrix of shape (n_samples, n_labels)
        How relevant each label of a row is, from multilabel indicators to any numbers; two labels
        or more.
    y_score : array-like of shape (n_samples, n_labels)
        Scores, higher for labels that are more relevant; any numbers that rank.

    {relevance_and_scores_not_negative}
    y_true : array-like or scipy sparse matrix of shape (n_samples, n_labels)
        How relevant each label of a row is: 0 or more, also multilabel indicators; two labels or
        more.
    y_score : array-like of shape (n_samples, n_labels)
        Scores, higher for labels that are more relevant; any numbers that rank.

    {gain_k}
    k : int, default=None
        How many places count; all by default.

    {ignore_ties}
    ignore_ties : bool, default=False
        Whether labels of equal scores are put in the order of the sort, whatever it is, in the
        place of sharing their places. Faster, and the same where no scores of a row are equal.

    {y_true_y_proba_positive}
    y_true : array-like of shape (n_samples,)
        True labels.
    y_score : array-like of shape (n_samples,) or (n_samples, n_classes)
        Probability of the positive class, or of every class.

    {rank_average}
    average : {"macro", "weighted", "micro"} or None, default="macro"
        For several classes (each against the rest) or outputs: their mean; "weighted" weights by
        support; "micro" pools all columns into one binary problem; None gives a value per class.
        Binary labels have one value.

    {score_labels}
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_score``, in this order, sorted or not. For binary labels:
        negative, positive. The sorted classes of ``y_true`` by default.

    {score_pos_label}
    pos_label : int, float, bool or str, default=None
        The positive class of binary labels. By default the second of ``labels``, else 1 of {0, 1}
        or {-1, 1}, or True; other labels need it.

    {either_pos_label}
    pos_label : int, float, bool or str, default=None
        The positive class of binary labels, that of one column of scores. By default the second of
        ``labels``, else 1 of {0, 1} or {-1, 1}, or True, else the greater of the two.

    {y_true_y_proba}
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probability of each class, rows summing to 1; for two classes, the column of the positive
        class is enough.

    {y_true_y_proba_binary}
    y_true : array-like of shape (n_samples,)
        True labels of two classes.
    y_proba : array-like of shape (n_samples,) or (n_samples, 2)
        Probability of the positive class, or both columns of ``predict_proba``.

    {proba_labels}
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_proba``, in this order, sorted or not; of two classes
        negative, positive. The sorted classes of ``y_true`` by default.

    {proba_pos_label}
    pos_label : int, float, bool or str, default=None
        The positive class of two, whose probability a single column is. By default the second of
        ``labels``, else 1 of {0, 1} or {-1, 1}, True of {False, True}, else the later class: the
        number is the same from either side.

    {proba_pos_label_one}
    pos_label : int, float, bool or str, default=None
        The positive class of two. By default the second of ``labels``, else 1 of {0, 1} or {-1, 1},
        True of {False, True}; of other labels one has to be named.

    {brier_pos_label}
    pos_label : int, float, bool or str, default=None
        The class whose probability a single column is. By default the second of ``labels``, else 1
        of {0, 1} or {-1, 1}, else the greater of two numbers; text needs it.

    {y_true_y_proba_by_labels}
    y_true : array-like of shape (n_samples,)
        True labels.
    y_proba : array-like of shape (n_samples, n_classes) or (n_samples,)
        Probability of each class in the order of ``labels``; one column is the probability of the
        second class.

    {soft_labels}
    Fractions as true labels (``y_true`` of floats that are no integers) are probabilities: of each
    class, (n_samples, n_classes) with rows that sum to 1, or of the positive one. Integers are
    labels.

    {labels_and_y_pred}
    labels : array-like of shape (n_classes,), default=None
        The class of each column of ``y_proba``, in this order, sorted or not. The sorted classes of
        ``y_true`` by default.
    y_pred : array-like
        Former name of ``y_proba``; deprecated as in scikit-learn.

    {skill}
    float
        At most 1; higher is better, 0 is the forecast of the class frequencies. nan, with a
        warning, for fewer than two rows or a single class.

    {n_bins}
    n_bins : int or array-like of float, default=10
        Number of bins of the probabilities; with many ties "quantile" and "equal_mass"
        make fewer. An array gives the edges themselves, from the lowest to the highest;
        ``strategy`` is then ignored.

    {bin_strategy}
    strategy : {"uniform", "quantile", "equal_mass"}, default="uniform"
        Bins of equal width over [0, 1], between quantiles, or of equal weight. Every bin is open
        below and closed above, (a, b], but the first, which holds its lower edge too. So of 10
        equal widths 0 and 0.1 lie in the first and 1 in the last. Equal probabilities share one
        bin, and edges that coincide are one. "quantile" are the bins of scikit-learn's
        ``calibration_curve``: the edges are interpolated (type 7 of Hyndman & Fan 1996, the default
        of NumPy and R; no rounding moves a row that lies on one), and weights, whole numbers,
        repeat rows. The upper edge of "equal_mass" bin
        k is the smallest probability that at least k/n_bins of the weight does not exceed, which
        neither the scale of the weights nor repeating every row moves.

    {raises}
    ValueError
        If an argument is not one of those accepted; the message names it.
    """


def paragraphs_of(holder: type) -> dict[str, str]:
    """Paragraphs of a docstring by name; none under python -OO, which drops docstrings."""
    parts = re.split(r"^\{(\w+)\}\n", inspect.getdoc(holder) or "", flags=re.MULTILINE)
    return {name: text.strip("\n") for name, text in zip(parts[1::2], parts[2::2], strict=True)}


PARAMETERS = paragraphs_of(Paragraphs)


def document(documented: Documented, blocks: Mapping[str, str] = PARAMETERS) -> Documented:
    """Fill the ``{name}`` lines of the docstring of a function, or of a class and its methods.

    Functions return arrays by scikit-learn's array API convention.
    """
    members = vars(documented).values() if inspect.isclass(documented) else ()
    functions = [getattr(member, "__func__", member) for member in members]  # of class methods
    for part in (documented, *filter(inspect.isfunction, functions)):
        if part.__doc__:  # absent under python -OO
            part.__doc__ = fill(part.__doc__, blocks)
    return taking_tensors(documented) if inspect.isfunction(documented) else documented


def fill(doc: str, blocks: Mapping[str, str] = PARAMETERS) -> str:
    """Replace each line that is only ``{name}`` by that paragraph, with the same indent."""

    def text(match: re.Match[str]) -> str:
        indent, name = match.groups()
        lines = blocks[name].strip("\n").splitlines()
        return "\n".join(indent + line if line else line for line in lines)

    return re.sub(r"^( *)\{(\w+)\}$", text, inspect.cleandoc(doc), flags=re.MULTILINE)
