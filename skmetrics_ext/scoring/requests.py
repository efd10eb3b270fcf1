"""What scikit-learn's metadata routing asks of a scorer."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable
from typing import Any, Self, TypeVar

CallT = TypeVar("CallT", bound=Callable[..., Any])


def read_as_scorer(call: CallT) -> CallT:
    """A ``__call__`` whose signature ends at ``sample_weight``.

    Metadata is passed by routing, which asks for it by ``get_metadata_routing``. Whoever reads the
    signature takes ``**metadata`` for one more argument, and for one without a default.
    """
    told = inspect.signature(call)
    shown = [own for own in told.parameters.values() if own.kind is not own.VAR_KEYWORD]
    call.__signature__ = told.replace(parameters=shown)  # type: ignore[attr-defined]
    return call


class TakesMetadata:
    """Requests of ``sample_weight``, by routing; copied with the scorer."""

    def _accept_sample_weight(self) -> bool:
        raise NotImplementedError

    def get_metadata_routing(self) -> Any:
        """Metadata that the scorer takes.

        Returns
        -------
        sklearn.utils.metadata_routing.MetadataRequest
        """
        from sklearn.utils.metadata_routing import MetadataRequest

        request = getattr(self, "_metadata_request", None)
        if request is None:
            request = MetadataRequest(owner=repr(self))
            if self._accept_sample_weight():
                request.score.add_request(param="sample_weight", alias=None)
        return request

    _get_metadata_request = get_metadata_routing  # scikit-learn 1.6's name

    def set_score_request(self, **requests: Any) -> Self:
        """Say which metadata the scorer takes, when metadata routing is enabled.

        Parameters
        ----------
        **requests : bool, None or str
            Name of the argument to True, False, None or an alias.

        Returns
        -------
        object
            This scorer.
        """
        from sklearn import get_config
        from sklearn.utils.metadata_routing import MetadataRequest

        if not get_config().get("enable_metadata_routing"):
            raise RuntimeError(
                "This method is only available when metadata routing is enabled: call "
                "sklearn.set_config(enable_metadata_routing=True) first."
            )
        self._metadata_request = MetadataRequest(owner=repr(self))
        for param, alias in requests.items():
            self._metadata_request.score.add_request(param=param, alias=alias)
        return self

    def __sklearn_clone__(self) -> Self:
        return copy.deepcopy(self)
