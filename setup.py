"""The one extension module, and an sdist that is the same wherever and whenever it is made.

Everything else about the package is in pyproject.toml.
"""

import gzip
import os
import sys
import sysconfig
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from setuptools import Extension, setup
from setuptools.command.build import build
from setuptools.command.build_ext import build_ext
from setuptools.command.sdist import sdist
from setuptools.errors import BaseError, CCompilerError, PlatformError

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

NO_COMPILER = """\
fragjson is partly written in C, and could not be compiled here: {why}.

There is no wheel for this Python (CPython {python}, {platform}), or it was not
asked for. Without one, installing it needs
  - a C compiler: gcc or clang (Debian, Ubuntu: apt install gcc; Fedora: dnf install gcc; Alpine:
    apk add gcc musl-dev; macOS: xcode-select --install), on Windows the Build Tools for Visual
    Studio, "Desktop development with C++"
  - the headers of Python, where they are a package of their own (Debian, Ubuntu: python3-dev;
    Fedora: python3-devel; Alpine: python3-dev)
If CC is set in the environment, it has to name a compiler that is there.
"""


class CleanBuild(build):
    """Compile first, so that a failure is not below a page of copying; and copy into clean folders.

    What an earlier build of ours has left there would be shipped: modules that are gone since. The
    folder may be others' as well, so only that of this package is swept.
    """

    sub_commands = sorted(build.sub_commands, key=lambda command: command[0] != "build_ext")

    def run(self) -> None:
        for left in Path(self.build_lib, "fragjson").rglob("*.py"):
            left.unlink()
        super().run()


class CompilerIsThere(build_ext):
    """Try the compiler on a line of C first, and say what is missing if it cannot do even that."""

    def build_extensions(self) -> None:
        with tempfile.TemporaryDirectory() as folder:
            source = Path(folder, "trial.c")
            source.write_text("#include <Python.h>\n")
            try:
                self.compiler.compile([str(source)], output_dir=folder)
            except (CCompilerError, PlatformError) as error:
                python, platform = sys.version.split()[0], sysconfig.get_platform()
                message = NO_COMPILER.format(why=error, python=python, platform=platform)
                raise BaseError(message) from None
        super().build_extensions()


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
    cmdclass={"build": CleanBuild, "build_ext": CompilerIsThere, "sdist": ReproducibleSdist},
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
