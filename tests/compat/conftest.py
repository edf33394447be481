"""Let these tests use the helpers of the folders around, also when they are run alone."""

import sys
from pathlib import Path

TESTS = Path(__file__).parents[1]
sys.path += [str(TESTS), str(TESTS / "vendors")]
