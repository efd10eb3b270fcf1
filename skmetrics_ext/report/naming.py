"""Names of models that were given without: their classes, and else what differs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skmetrics_ext.scoring.panel import unique
from skmetrics_ext.scoring.responses import estimator_name

_MOST, _LONGEST = 3, 60  # parameters and characters that still read as a name


def names_of(models: Sequence[Any]) -> list[str]:
    """A name for each: its class, of a pipeline that of its last step; if it is not alone in that,
    with the steps and parameters that the others have not, or else a number.
    """
    names = [estimator_name(model) for model in models]
    for name in set(names):
        places = [place for place, own in enumerate(names) if own == name]
        if len(places) > 1:
            own = [models[place] for place in places]
            for place, told in zip(places, _differences(own), strict=True):
                longer = f"{name} ({told})"
                names[place] = longer if told and len(longer) <= _LONGEST else name
    return unique(names)


def _differences(models: Sequence[Any]) -> list[str]:
    """Of each model what not all of them have: steps before the last, then parameters."""
    steps = [_steps(model) for model in models]
    every_step = [step for step in steps[0] if all(step in own for own in steps)]
    params = [_params(model) for model in models]
    shared = [key for key in params[0] if all(key in own for own in params)]
    differing = [key for key in shared if len({own[key] for own in params}) > 1]
    told = []
    for own_steps, own_params in zip(steps, params, strict=True):
        parts = [step for step in own_steps if step not in every_step]
        if len(differing) <= _MOST:
            parts += [f"{key.rpartition('__')[2]}={own_params[key]}" for key in differing]
        told.append(", ".join(parts))
    return told


def _steps(model: Any) -> list[str]:
    """Classes of the steps of a pipeline before its last."""
    return [
        step if isinstance(step, str) else type(step).__name__
        for _, step in list(getattr(model, "steps", None) or [])[:-1]
    ]


def _params(model: Any) -> dict[str, str]:
    """Parameters that are no models themselves, as text."""
    if not hasattr(model, "get_params") or isinstance(model, type):
        return {}
    return {
        key: repr(value)
        for key, value in model.get_params(deep=True).items()
        if isinstance(value, bool | int | float | str | None)
    }
