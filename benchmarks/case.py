"""What a row of the comparison is, and our two implementations that take part in it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import peers
from data import Inputs, Maker
from peers import Call, Peer
from timing import Entrant

OURS = "skmetrics_ext"


@dataclass(frozen=True)
class Case:
    """One row.

    Parameters
    ----------
    name : str
        Shown in tables, matched by ``--only``.
    function : str or callable
        Public name in skmetrics_ext, or a function of several of its calls; called with
        ``first``, the inputs and ``options``.
    data : callable
        Number of rows to inputs.
    peers : tuple of Peer
    read : callable
        What of our answer is compared with the peers' answers.
    units : int
        Replicates of our call, where it resamples.
    history : bool
        Whether the asv suite follows it.
    min_n, max_n : int
        Sizes at which the comparison means something and ends within seconds.
    """

    name: str
    function: str | Callable[..., Any]
    data: Maker
    peers: tuple[Peer, ...]
    options: dict[str, Any] = field(default_factory=dict)
    first: tuple[Any, ...] = ()
    read: Callable[[Any], Any] = lambda answer: answer
    units: int = 1
    history: bool = False
    min_n: int = 0
    max_n: int = 10**9

    def find(self) -> Callable[..., Any] | None:
        """Our function, None where the package does not have it."""
        import skmetrics_ext

        if callable(self.function):
            return self.function
        return getattr(skmetrics_ext, self.function, None)

    def prepare(self, inputs: Inputs) -> Call:
        """Our call on these inputs."""
        function, (args, weights) = self.find(), inputs
        if function is None:
            raise LookupError(f"skmetrics_ext has no {self.function}")
        return lambda: function(*self.first, *args, **weights, **self.options)

    def ours(self, inputs: Inputs) -> dict[str, Entrant]:
        """Our call on these inputs with each implementation of the kernels, by its name."""
        from skmetrics_ext import kernels

        call = self.prepare(inputs)
        return {
            name: Entrant(call, partial(kernels.use, name), self.units)
            for name in reversed(kernels.available())
        }


def same(name: str, function: str, data: Maker, *others: Peer, **more: Any) -> Case:
    """A row whose first peer is scikit-learn's function of the same name and options."""
    first = peers.sklearn(function, **more.get("options", {}))
    return Case(name, function, data, (first, *others), **more)
