"""The one extension module, and an sdist that is the same wherever and whenever it is made.

Everything else about the package is in pyproject.toml.
"""

import gzip
import os
import sys
import tarfile
from typing import Any

from setuptools import Extension, setup
from setuptools.command.sdist import sdist

# MSVC optimises by itself (/O2); gcc and clang take CPython's own -O level unless told.
# Never -march=native: a wheel must run on every machine of its platform.
flags = [] if sys.platform == "win32" else ["-O3", "-fvisibility=hidden"]

# Set to 1 in the environment, these build the twins that the fast ways are tested against:
# FRAGJSON_PLAIN_APPEND   without strings grown in place, as free-threaded interpreters always are
# FRAGJSON_PORTABLE_SCAN  without SSE2, as other processors always are
switches = ("FRAGJSON_PLAIN_APPEND", "FRAGJSON_PORTABLE_SCAN")
macros = [(name, "1") for name in switches if os.environ.get(name, "0") not in ("", "0")]

# For testing the engine itself (tests/isolated/builds.py runs the suite on each of them):
# FRAGJSON_SANITIZE  with AddressSanitizer and UndefinedBehaviorSanitizer, to be preloaded
# FRAGJSON_DEBUG     with the assertions of CPython's own macros, and those of the generated code
links = []
if os.environ.get("FRAGJSON_SANITIZE", "0") not in ("", "0"):
    links = ["-fsanitize=address,undefined", "-fno-sanitize-recover=undefined"]
    flags = [*links, "-O1", "-g", "-fno-omit-frame-pointer"]
if os.environ.get("FRAGJSON_DEBUG", "0") not in ("", "0"):
    flags = [*flags, "-O1", "-g", "-UNDEBUG"]

headers = ["_bytes.h", "_text.h", "_bytes.pxd", "_text.pxd", "_machine.pxd"]

NINETEEN_EIGHTY = 315_532_800  # the first year that every archive format can say


class ReproducibleSdist(sdist):
    """Files in order of their names, with no user, one time (SOURCE_DATE_EPOCH) and plain modes."""

    def make_archive(self, base_name: str, *_: Any, base_dir: str, **__: Any) -> str:
        time = int(os.environ.get("SOURCE_DATE_EPOCH", NINETEEN_EIGHTY))

        def plain(member: tarfile.TarInfo) -> tarfile.TarInfo:
            member.mtime, member.uid, member.gid, member.uname, member.gname = time, 0, 0, "", ""
            member.mode = 0o755 if member.isdir() or member.mode & 0o100 else 0o644
            return member

        name = f"{base_name}.tar.gz"
        with (
            open(name, "wb") as raw,
            gzip.GzipFile("", "wb", mtime=time, fileobj=raw) as zipped,
            tarfile.open(fileobj=zipped, mode="w") as archive,
        ):
            archive.add(base_dir, filter=plain)
        return name


setup(
    cmdclass={"sdist": ReproducibleSdist},
    ext_modules=[
        Extension(
            "fragjson._engine",
            sources=["src/fragjson/_engine.pyx"],
            depends=[f"src/fragjson/{name}" for name in headers],
            include_dirs=["src/fragjson"],
            define_macros=macros,
            extra_compile_args=flags,
            extra_link_args=links,
        )
    ],
)
