"""Running the command line as its users do: in a process of its own, also in a terminal."""

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

STREAMS = Path(__file__).parents[1] / "data" / "streams"
COMMAND = (sys.executable, "-m", "fragjson")


def run(*arguments: str, given: bytes = b"") -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*COMMAND, *arguments], input=given, capture_output=True, check=False)


@dataclass(frozen=True)
class Ended:
    status: int
    output: str


def run_in_terminal(
    *arguments: str, rows: int = 24, columns: int = 80, interrupt_at: str | None = None,
    signal: int = 0, environment: Mapping[str, str] = {},
) -> Ended:  # fmt: skip
    """Run in a pseudo-terminal; send the signal when a text has been drawn."""
    import fcntl  # noqa: PLC0415 - not on Windows, where there are no such terminals
    import struct  # noqa: PLC0415
    import termios  # noqa: PLC0415

    ours, theirs = os.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    clean = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(
        [*COMMAND, *arguments],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        env={**clean, "TERM": "xterm-256color", "PYTHONUTF8": "1", **environment},
    ) as process:
        os.close(theirs)
        output = b""
        while True:
            try:
                piece = os.read(ours, 65536)
            except OSError:  # that is how Linux says that the other side has closed
                break
            if not piece:
                break
            output += piece
            if interrupt_at is not None and interrupt_at.encode() in output:
                process.send_signal(signal)
                interrupt_at = None
    os.close(ours)
    return Ended(process.returncode, output.decode(errors="replace"))
