"""Let these tests use the helpers of the folder above, also when they are run alone."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
