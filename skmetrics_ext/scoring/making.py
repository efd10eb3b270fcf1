"""Scorers of registered metrics by name, and of any function."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from skmetrics_ext.numeric import PosLabel
from skmetrics_ext.registry import find, scorer_names, scorers, spec_of
from skmetrics_ext.scoring.scorer import Missing, Scorer
from skmetrics_ext.scoring.worst_group import WorstGroupScorer
from skmetrics_ext.validation import InvalidParameterError, check_option
from skmetrics_ext.validation.parameters import check_integer

RESPONSES: Mapping[str, str | tuple[str, ...]] = {
    "labels": "predict",
    "scores": ("decision_function", "predict_proba"),
    "probabilities": "predict_proba",
}


def get_scorer_names() -> list[str]:
    """Names of the scorers of `get_scorer`.

    Returns
    -------
    list of str
        In alphabetical order. Losses begin with ``neg_``, as in scikit-learn. Statistics of
        `confusion_statistic` are not listed; those that judge have scorers of their names, too.

    Examples
    --------
    >>> from skmetrics_ext import get_scorer_names
    >>> [name for name in get_scorer_names() if name.startswith("gini")]
    ['gini', 'gini_ovo', 'gini_ovo_weighted', 'gini_ovr', 'gini_ovr_weighted']
    """
    return scorer_names()


def get_scorer(
    scoring: str | Callable[..., Any],
    *,
    missing: Missing = "align",
    pos_label: PosLabel = None,
    worst_of: str | None = None,
    min_rows: int = 1,
    worst_of_bound: bool = False,
    **params: Any,
) -> Scorer:
    """Scorer of a registered metric, for ``scoring=`` anywhere in scikit-learn.

    Parameters
    ----------
    scoring : str or callable
        A name of `get_scorer_names`, or a metric of this package.
    missing : {"align", "nan", "raise"}, default="align"
        What to do if the classes of the model and of the rows to score differ, for metrics of
        scores and probabilities. "align" gives a class that the model never saw probability 0
        (areas are nan, as the class has no score; among the top k it comes last), and leaves
        classes without rows out of macro averages. "nan" returns nan with a warning; "raise" raises
        a ValueError. Metrics of labels count rows of a class that the model never saw as errors.
    pos_label : int, float, bool or str, default=None
        The positive class, for metrics of one class of two. By default 1 of {0, 1} or {-1, 1},
        or True; it is needed for any other labels. Metrics that are the same for both classes
        (area under the ROC curve, log loss) need none.
    worst_of : str, default=None
        Name of the metadata that holds the group of each row: the score is that of the worst
        group. Pass it as ``scorer(estimator, X, y, region=...)``; searches and ``cross_validate``
        pass it by metadata routing, which the scorer requests. Groups in which the metric is
        undefined are left out, with a warning.
    min_rows : int, default=1
        With ``worst_of``: groups of fewer rows are ignored.
    worst_of_bound : bool, default=False
        With ``worst_of``: whether groups are compared by their optimistic bounds, simultaneous over
        the groups at 95 % (as in ``Evaluation.worst``); the worst bound is returned. A small group
        is then no worse than its rows can show.
    **params : dict
        Further parameters of the metric.

    Returns
    -------
    Scorer
        Callable ``scorer(estimator, X, y_true, sample_weight=None)``; greater is better. The call
        raises a ValueError if a metric of one class needs ``pos_label``.

    Raises
    ------
    ValueError
        If the name is unknown; the message lists similar names.

    Examples
    --------
    >>> from sklearn.datasets import load_breast_cancer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.model_selection import cross_val_score
    >>> from skmetrics_ext import get_scorer
    >>> X, y = load_breast_cancer(return_X_y=True)
    >>> model = LogisticRegression(max_iter=5000)
    >>> cross_val_score(model, X[:, :4], y, scoring=get_scorer("gini")).round(2).tolist()
    [0.91, 0.95, 0.97, 0.93, 0.97]

    The recall of the worst of two groups:

    >>> worst = get_scorer("recall", worst_of="region")
    >>> round(worst(model.fit(X[:, :4], y), X[:, :4], y, region=X[:, 4] > 0.1), 3)
    0.935
    """
    check_option("worst_of_bound", worst_of_bound, (False, True))
    if worst_of is not None:
        scorer = get_scorer(scoring, missing=missing, pos_label=pos_label, **params)
        return _worst_group_scorer(scorer, worst_of, min_rows, worst_of_bound)
    if not isinstance(min_rows, int) or min_rows != 1 or worst_of_bound:
        argument = "worst_of_bound" if worst_of_bound else "min_rows"
        raise InvalidParameterError(f"{argument} applies to groups: pass worst_of= as well.")
    if pos_label is not None:
        params["pos_label"] = pos_label
    if isinstance(scoring, Scorer):
        if not params and missing == scoring._missing:
            return scoring
        if isinstance(scoring, WorstGroupScorer):
            raise InvalidParameterError(
                f"{scoring!r} cannot be changed: pass the metric's name with worst_of= and all its "
                "parameters."
            )
        return scoring._replace(kwargs={**scoring._kwargs, **params}, missing=missing)
    name = scoring if isinstance(scoring, str) else None
    if name is None:
        spec = spec_of(scoring) if callable(scoring) else None
        if spec is None or spec.greater_is_better is None:
            raise InvalidParameterError(
                f"scoring={scoring!r} is not a registered metric: pass your own function to "
                "make_scorer."
            )
    elif name not in scorers() and f"neg_{name}" in scorers():
        raise InvalidParameterError(
            f"{name!r} is a loss, and scorers are better when greater: its scorer is 'neg_{name}'."
        )
    metric = find(scoring, params, scorer=True)
    return Scorer(
        metric.function,
        1 if metric.spec.greater_is_better else -1,
        metric.params,
        RESPONSES[metric.spec.response],
        missing=missing,
        name=name,
        metric=metric,
    )


def _worst_group_scorer(scorer: Scorer, column: Any, min_rows: Any, of_bound: Any) -> Scorer:
    if not isinstance(column, str) or not column.isidentifier() or column == "sample_weight":
        raise InvalidParameterError(
            f"worst_of must be a name that can be a keyword argument ('region'), got {column!r}."
        )
    if scorer._metric is None:
        raise InvalidParameterError(
            f"worst_of needs a scorer of one registered metric, got {scorer!r}."
        )
    if scorer._metric.params.get("normalize") is False:
        raise InvalidParameterError(
            "worst_of compares groups of different sizes, so sums cannot be used: leave out "
            "normalize=False."
        )
    return WorstGroupScorer(scorer, column, check_integer("min_rows", min_rows, 1), of_bound)


def make_scorer(
    score_func: str | Callable[..., Any],
    *,
    response_method: str | tuple[str, ...] | None = None,
    greater_is_better: bool = True,
    **kwargs: Any,
) -> Scorer:
    """Scorer of any function of true labels and predictions.

    Parameters
    ----------
    score_func : callable or str
        ``score_func(y_true, y_pred, **kwargs)`` that returns a number, or the name of a metric,
        with ``greater_is_better=False`` for a loss.
    response_method : str or tuple of str, default=None
        "predict", "predict_proba", "decision_function", or several to try in order. A binary
        estimator's scores are passed as those of the positive class. By default what a metric of
        this package reads, and "predict" for any other function.
    greater_is_better : bool, default=True
        False for a loss, whose negative the scorer returns.
    **kwargs : dict
        Further arguments of ``score_func``.

    Returns
    -------
    Scorer
        Callable ``scorer(estimator, X, y_true, sample_weight=None)``; greater is better.

    Examples
    --------
    >>> from skmetrics_ext import fbeta_score, make_scorer
    >>> make_scorer(fbeta_score, beta=2)
    make_scorer(fbeta_score, greater_is_better=True, beta=2)
    """
    check_option("greater_is_better", greater_is_better, (True, False))
    if isinstance(score_func, str):
        try:
            scorer = get_scorer(score_func if greater_is_better else f"neg_{score_func}", **kwargs)
        except InvalidParameterError as error:
            raise InvalidParameterError(f"score_func: {error}") from error
        methods = scorer._methods if response_method is None else response_method
        return scorer._replace(response_method=methods)
    if response_method is None:
        spec = spec_of(score_func)
        response_method = RESPONSES[spec.response] if spec is not None else "predict"
    return Scorer(score_func, 1 if greater_is_better else -1, kwargs, response_method)
