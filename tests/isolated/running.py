"""Running the scripts of this folder in processes of their own.

What is tried in them could crash the interpreter or fill the memory; here that is a failed test and
not the end of the test run. A script prints what it found, and has failed if it does not exit with
0.
"""

import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
HARDER = int(os.environ.get("FRAGJSON_HARDER", "1"))
"""Above 1, the tests of this folder take the sizes that take minutes."""


def run(script: str, *arguments: object, timeout: float = 120, **environment: str) -> str:
    """Run a script and return what it printed; AssertionError, with all of that, if it failed."""
    done = subprocess.run(
        [sys.executable, "-X", "faulthandler", str(HERE / script), *map(str, arguments)],
        env={**os.environ, **environment},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=timeout,
        check=False,
        text=True,
    )
    assert done.returncode == 0, f"{script} {arguments}: {done.returncode}\n{done.stdout}"
    return done.stdout
