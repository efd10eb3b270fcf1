"""Classical tests from the literature, each imported on first use."""

from functools import partial

from skmetrics_ext._lazy import lazy_names, places_in_stub

__getattr__, __dir__ = lazy_names(__name__, partial(places_in_stub, __name__))
