"""What is asked for: metrics, and what each of them has to be read from."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from skmetrics_ext.inference.draws.readers import Metric
from skmetrics_ext.metrics.rankings.roc_areas import pairwise_roc_auc
from skmetrics_ext.registry import METRICS, MetricSpec
from skmetrics_ext.validation import InvalidParameterError

PAIRWISE = "pairwise_roc_auc"
_ECE = "expected_calibration_error"


@dataclass(frozen=True, slots=True)
class Asked:
    """A metric by its name, in plain values that travel to other machines.

    Parameters
    ----------
    name : str
        What the user called it.
    function : str
        Name of the public function.
    params : dict
        Its parameters beside the data.
    """

    name: str
    function: str
    params: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def find(cls, metric: Any) -> Asked:
        """By a name of `get_scorer_names`, a metric of this package, or a partial of one."""
        if isinstance(metric, Asked):
            return metric
        if metric is pairwise_roc_auc or metric == PAIRWISE:
            return cls(PAIRWISE, PAIRWISE)
        found = Metric.find(metric, {})
        spec = found.spec
        if spec is None or METRICS.get(spec.name) is not spec:
            raise InvalidParameterError(
                f"{found.name} is no metric of this package that is read from sums: any function "
                "of rows needs them all at once."
            )
        name = metric if isinstance(metric, str) else found.name
        if spec.ranks_labels:
            raise InvalidParameterError(
                f"{name} ranks several labels of each row, and a column of true labels holds one: "
                f"pass {spec.name} both matrices in memory."
            )
        for reserved in ("labels", "pos_label"):
            if reserved in found.params:
                raise InvalidParameterError(
                    f"{reserved} is the same for all metrics: pass it beside them, not to {name}."
                )
        return cls(name.removeprefix("neg_"), spec.name, dict(found.params))

    @property
    def spec(self) -> MetricSpec:
        """The row of the registry."""
        return METRICS["roc_auc_score" if self.function == PAIRWISE else self.function]

    @property
    def options(self) -> dict[str, Any]:
        """Its parameters with the defaults of those that were not given."""
        own = inspect.signature(self.spec.function).parameters
        defaults = {
            name: parameter.default
            for name, parameter in list(own.items())[2:]
            if parameter.default is not inspect.Parameter.empty
        }
        return {**defaults, **self.params}

    @property
    def kind(self) -> str:
        """What it is read from: "tables", "moments", "bins" or "ranks"."""
        spec = self.spec
        if spec.response == "labels":
            return "tables"
        if spec.row_values is not None:
            return "moments"
        if self.function == _ECE and self.options["strategy"] == "uniform":
            return "bins"
        if spec.tally == "ranks":
            return "ranks"
        raise InvalidParameterError(f"{self.name} cannot be read from sums.")

    @property
    def target(self) -> str:
        """The event of a calibration error."""
        return str(self.options.get("target", "binary"))

    @property
    def of_probabilities(self) -> bool:
        return self.spec.response == "probabilities"


def find_all(metrics: Any) -> tuple[Asked, ...]:
    """Several metrics; a mapping gives them names of its own."""
    if isinstance(metrics, str) or callable(metrics):
        metrics = [metrics]
    if isinstance(metrics, Mapping):
        named = {str(name): Asked.find(metric) for name, metric in metrics.items()}
        found = [Asked(name, one.function, one.params) for name, one in named.items()]
    else:
        found = [Asked.find(metric) for metric in metrics]
    if not found:
        raise InvalidParameterError("metrics is empty.")
    names = [one.name for one in found]
    twice = sorted({name for name in names if names.count(name) > 1})
    if twice:
        raise InvalidParameterError(
            f"{', '.join(twice)} is asked for twice; a dict gives metrics names of their own."
        )
    return tuple(found)


def parameter(function: Callable[..., Any], name: str, params: Mapping[str, Any]) -> Any:
    """A parameter as given, or its default."""
    return params.get(name, inspect.signature(function).parameters[name].default)
