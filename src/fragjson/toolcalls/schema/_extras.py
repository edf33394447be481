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
    except ImportError as error:
        name = module.partition(".")[0]
        raise ImportError(
            f"{name} is needed {why}: pip install 'fragjson[{extra}]'", name=name
        ) from error
