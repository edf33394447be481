"""Import the package in an interpreter with a GIL of its own: refused, not run unsafely."""

import sys

CODE = """
try:
    import fragjson
except ImportError as error:
    print("ok:", error)
else:
    raise SystemExit("the import was let through, and nobody has tried that")
"""


def main() -> None:
    if sys.version_info >= (3, 13):
        import _interpreters as interpreters  # type: ignore[import-not-found]  # noqa: PLC0415

        name = interpreters.create("isolated")
        failure = interpreters.exec(name, f"import sys; sys.path[:] = {sys.path!r}\n{CODE}")
        assert failure is None, failure
    else:
        import _xxsubinterpreters as interpreters  # noqa: PLC0415

        name = interpreters.create(isolated=True)
        interpreters.run_string(name, f"import sys; sys.path[:] = {sys.path!r}\n{CODE}")
    interpreters.destroy(name)


if __name__ == "__main__":
    main()
