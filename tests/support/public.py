"""All public names: those of the top level, the classes of results, and the tallies."""

import skmetrics_ext as sx

TALLIES = ("ConfusionTally", "Counts", "MomentTally", "RankTally", "ScoreSketch")
PUBLIC = {
    **{name: getattr(sx, name) for name in sx.__all__},
    **{name: getattr(sx.results, name) for name in sx.results.__all__},
    **{name: getattr(sx.tallies, name) for name in TALLIES},
}
