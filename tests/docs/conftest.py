import sys
from pathlib import Path

# What makes the API pages, docs/_ext, is imported by its name.
sys.path.append(str(Path(__file__).parents[2] / "docs" / "_ext"))
