"""Public names (top level, results, classical tests, tallies) and deprecated ones."""

from importlib import import_module

import skmetrics_ext as sx
from skmetrics_ext._deprecated import REPLACED

TALLIES = ("ConfusionTally", "Counts", "MomentTally", "RankTally", "ScoreSketch")
PUBLIC = {
    **{name: getattr(sx, name) for name in sx.__all__},
    **{name: getattr(sx.results, name) for name in sx.results.__all__},
    **{name: getattr(sx.significance, name) for name in sx.significance.__all__},
    **{name: getattr(sx.tallies, name) for name in TALLIES},
}
# Those that another call replaces answer until 0.4, and keep the laws until then.
DEPRECATED = {
    name: getattr(import_module(place.rpartition(".")[0]), place.rpartition(".")[2])
    for name, (place, _) in REPLACED.items()
}
CALLED = PUBLIC | DEPRECATED
