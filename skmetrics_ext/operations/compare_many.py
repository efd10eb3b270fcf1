"""compare_many, which tables of estimates replace; until version 0.4."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from numpy.typing import ArrayLike

from skmetrics_ext.inference.confidence_interval import confidence_interval
from skmetrics_ext.inference.estimates import Estimates
from skmetrics_ext.validation import InvalidParameterError, check_option

ADJUSTMENTS: dict[str, tuple[Any, ...]] = {
    "max_t": ("simultaneous",),
    "holm": ("bonferroni", "holm"),
}


def compare_many(
    metric: Any,
    y_true: ArrayLike,
    predictions: Mapping[Any, Any],
    *,
    control: Any = None,
    adjust: Literal["max_t", "holm"] = "max_t",
    **options: Any,
) -> Estimates:
    """Simultaneous comparison of a metric between many models on the same rows.

    Parameters
    ----------
    metric : str or callable
        As in `confidence_interval`.
    y_true : array-like of shape (n_samples,) or (n_samples, n_outputs)
        True labels.
    predictions : mapping
        Predictions of two or more models by name, in the form that the metric takes.
    control : object, default=None
        Name of the model that all others are compared with. By default all pairs are compared.
    adjust : {"max_t", "holm"}, default="max_t"
        "max_t" is ``adjust("simultaneous")`` of the table; "holm" is ``adjust("bonferroni")`` for
        the bounds and ``adjust("holm")`` for the p-values.
    **options : object
        Other arguments of `confidence_interval`, and parameters of the metric.

    Returns
    -------
    Estimates
        A row for each pair.

    Raises
    ------
    ValueError
        If there are fewer than two models, or the metric of these data has no derivative by its
        rows, which "max_t" needs.
    """
    check_option("adjust", adjust, list(ADJUSTMENTS))
    if not isinstance(predictions, Mapping) or len(predictions) < 2:
        raise InvalidParameterError(
            "predictions has to be a mapping of two models or more, such as {'a': pred_a, 'b': "
            f"pred_b}}, got {predictions!r:.60}."
        )
    if control is not None:
        check_option("control", control, list(predictions))
    models = confidence_interval(metric, y_true, predictions, **options)
    found = models.against(model="each" if control is None else control)
    for how in ADJUSTMENTS[adjust]:
        found = found.adjust(how)
    values = {row["model"]: row["value"] for row in models}
    vars(found).update(values=values, metric=models[0]["metric"], control=control)
    return found
