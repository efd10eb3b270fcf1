"""Settings that every test shares."""

import os
import sys
from pathlib import Path

from hypothesis import HealthCheck, Phase, settings

# Tests are imported by their paths; what they share, tests/support, is imported by its name.
sys.path.append(str(Path(__file__).parent))

# Shrinking small arrays is slow enough on a busy machine to trip the deadline and the health
# check, which say nothing of the package.
COMMON = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}

settings.register_profile("dev", max_examples=20, **COMMON)
# The same examples in every run, so that a failure in CI is met again at home.
settings.register_profile("ci", max_examples=20, derandomize=True, **COMMON)
# Where it counts only whether something fails: no smaller example is looked for.
settings.register_profile(
    "unshrunk",
    max_examples=20,
    derandomize=True,
    phases=(Phase.explicit, Phase.generate),
    **COMMON,
)
settings.register_profile("thorough", max_examples=500, **COMMON)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
