"""The wire formats: one adapter per vendor, loaded when it is first used.

An adapter is a class made with a ``Turn``, whose ``feed(chunk)`` translates one chunk into the
turn's steps, and whose ``recognises(chunk)`` tells whether a chunk can only be its own. Each
vendor's module also has ``tool_result``, which shapes the answer to a call for that vendor:

>>> from fragjson import vendors
>>> vendors.names()  # doctest: +NORMALIZE_WHITESPACE
('anthropic', 'bedrock', 'cohere', 'gemini', 'gemini_interactions', 'gemini_live', 'groq',
 'mistral', 'ollama', 'openai_chat', 'openai_realtime', 'openai_responses')
>>> vendors.openai_chat.WORDS["length"]
<Word.CUT: 2>
"""

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from fragjson.toolcalls.turn import Turn

__all__ = ["Adapter", "adapter", "detect", "names", "register"]

_BUILT_IN = (
    "anthropic", "bedrock", "cohere", "gemini", "gemini_interactions", "gemini_live", "groq",
    "mistral", "ollama", "openai_chat", "openai_realtime", "openai_responses",
)  # fmt: skip


class Adapter(Protocol):
    """What an adapter has to be able to do.

    One whose chunks are fragments of text may also have a short cut, ``fragment(chunk)``, which is
    tried first with every ``dict``. It takes a chunk that is nothing but one more fragment of a
    known call, as nearly every one is, by the ``intake`` of the call, and returns the events. For
    any other chunk it returns ``None`` and has done nothing.
    """

    def __init__(self, turn: "Turn") -> None: ...
    def feed(self, chunk: Any) -> None:
        """Translate one chunk. Unknown chunks are skipped, never an error."""
        ...

    @staticmethod
    def recognises(chunk: Any) -> bool:
        """Whether the chunk belongs to this vendor and can belong to no other."""
        ...


_known: dict[str, type[Adapter]] = {}
"""The registered ones, and the built-in ones that have been loaded."""


def register(name: str, adapter: type[Adapter]) -> None:
    """Register an adapter under a name, or replace the one of that name.

    ``Accumulator(name)`` then uses it; accumulators made before keep the old one.
    """
    _known[name] = adapter


def names() -> tuple[str, ...]:
    """Return the names of all adapters, sorted."""
    return tuple(sorted({*_BUILT_IN, *_known}))


def adapter(name: str) -> type[Adapter]:
    """Return the adapter of a vendor.

    Raises:
        ValueError: there is none of that name.
    """
    if name not in _known:
        if name not in _BUILT_IN:
            raise ValueError(f"vendor: {name!r} is none of {', '.join(names())}")
        _known[name] = import_module(f"{__name__}.{name}").Adapter
    return _known[name]


def detect(chunk: Any) -> str | None:
    """Return the vendor a chunk can only be from, or ``None`` if it does not tell.

    >>> detect({"type": "message_start", "message": {}})
    'anthropic'
    >>> detect({"type": "ping"}) is None
    True
    """
    return next((name for name in names() if adapter(name).recognises(chunk)), None)


def __getattr__(name: str) -> ModuleType:
    if name in _BUILT_IN:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
