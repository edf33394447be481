"""The tests of the kit, too, use what the folder above has for all."""

import sys
from pathlib import Path

sys.path.append(str(Path(__file__).parents[1]))
