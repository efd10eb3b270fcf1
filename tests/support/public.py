"""Public names (top level, results, classical tests, tallies) and deprecated ones."""

import warnings

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
with warnings.catch_warnings(action="ignore"):
    DEPRECATED = {name: getattr(sx, name) for name in REPLACED}
CALLED = PUBLIC | DEPRECATED
