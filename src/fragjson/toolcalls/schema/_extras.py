"""Libraries that only some users need: imported when they are, and named when they are missing."""

from importlib import import_module
from typing import Any

__all__ = ["needed"]


def needed(module: str, *, extra: str, why: str) -> Any:
    """Import a module of an optional dependency.

    Raises:
        ImportError: it is not installed; the message names the extra that brings it.
    """
    try:
        return import_module(module)
    except ModuleNotFoundError as error:
        name = module.partition(".")[0]
        if str(error.name).partition(".")[0] != name:
            raise
        raise ImportError(
            f"{name} is needed {why}: install it, or fragjson with the extra {extra!r}", name=name
        ) from None
