"""Run the command line: ``python -m fragjson``."""

import sys

from fragjson._cli import main

sys.exit(main())
