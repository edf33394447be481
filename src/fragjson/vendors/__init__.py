"""The wire formats: one adapter per vendor, loaded when it is first used.

An adapter is a class made with a ``Turn``, whose ``feed(chunk)`` translates one chunk into the
turn's steps, and whose ``recognises(chunk)`` tells whether a chunk can only be its own (see
``register``, for one of your own). Each vendor's module also has ``tool_result``, which shapes the
answer to a call for that vendor:

>>> from fragjson import vendors
>>> vendors.names()  # doctest: +NORMALIZE_WHITESPACE
('ag_ui', 'anthropic', 'bedrock', 'cohere', 'gemini', 'gemini_interactions', 'gemini_live', 'groq',
 'langchain', 'litellm', 'mistral', 'ollama', 'openai_chat', 'openai_realtime', 'openai_responses',
 'vercel_ui')
>>> vendors.openai_chat.WORDS["length"]
<Word.CUT: 2>
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from fragjson.toolcalls.turn import Turn
    from fragjson.vendors import (
        ag_ui,
        anthropic,
        bedrock,
        cohere,
        gemini,
        gemini_interactions,
        gemini_live,
        groq,
        langchain,
        mistral,
        ollama,
        openai_chat,
        openai_realtime,
        openai_responses,
        vercel_ui,
    )
    from fragjson.vendors import openai_chat as litellm
    from fragjson.vendors._reading import read

__all__ = [
    "Adapter", "adapter", "ag_ui", "anthropic", "bedrock", "cohere", "detect", "gemini",
    "gemini_interactions", "gemini_live", "groq", "langchain", "litellm", "mistral", "names",
    "ollama", "openai_chat", "openai_realtime", "openai_responses", "read", "register", "vercel_ui",
]  # fmt: skip

_BUILT_IN = (
    "ag_ui", "anthropic", "bedrock", "cohere", "gemini", "gemini_interactions", "gemini_live",
    "groq", "langchain", "mistral", "ollama", "openai_chat", "openai_realtime",
    "openai_responses", "vercel_ui",
)  # fmt: skip
_HERE = f"{__name__}."
_SAME_AS = {"litellm": "openai_chat"}
"""Names for streams that another adapter reads as they are."""
_CHAT = frozenset({"openai_chat", "groq", "mistral"})
"""Those whose streams can be one another's, word for word."""


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
        """Whether the chunk belongs to this vendor and can belong to no other; never an error."""
        ...


_known: dict[str, type[Adapter]] = {}
"""The registered ones, and the built-in ones that have been loaded."""


def register(name: str, adapter: type[Adapter]) -> None:
    """Register an adapter under a name, or replace the one of that name.

    ``Accumulator(name)`` then uses it, and ``"auto"`` asks it, too; accumulators made before keep
    the old one. An adapter translates the chunks of its vendor into four steps of the turn::

        call = turn.call(lane, index, id, name)      # the call that is meant; begun if it is new
        turn.append(call, text)                      # a fragment of its arguments
        turn.close(call, reason)                     # the vendor's close of this very call
        turn.finish(lane, reason, Word.SUCCESS)      # its finish reason: SUCCESS, CUT or REFUSED

    ``index``, ``id`` and ``name`` are ``None`` where a chunk does not have them; what belongs
    together then is decided for all vendors alike (see ``toolcalls.identity``). A vendor without
    closes leaves ``close`` out, and the others of ``Turn`` are for those that have more to say:
    ``whole`` for arguments sent as an object, ``fail`` for an error in the stream, ``retract``.
    ``vendors.read(chunk, name)`` reads dicts and SDK objects alike, ``None`` for what is not there.
    ``fragjson.testing.CHECKS`` are what every adapter has to pass.

    Raises:
        ValueError: the name is ``"auto"`` or empty.
        TypeError: it is no adapter, the message says what it lacks; or the name is no text.

    >>> from fragjson.toolcalls import Accumulator, Word
    >>> from fragjson.vendors import read
    >>> class Shouting:
    ...     def __init__(self, turn):
    ...         self._turn, self._lane = turn, turn.lane(None)
    ...     def feed(self, chunk):
    ...         if name := read(chunk, "shout"):
    ...             self._turn.call(self._lane, chunk["number"], chunk["id"], name)
    ...         elif text := read(chunk, "go_on"):
    ...             call = self._turn.call(self._lane, chunk["number"], None, None)
    ...             self._turn.append(call, text)
    ...         elif reason := read(chunk, "silence"):
    ...             word = Word.SUCCESS if reason == "DONE" else Word.CUT
    ...             self._turn.finish(self._lane, reason, word)
    ...     @staticmethod
    ...     def recognises(chunk):
    ...         return read(chunk, "shout") is not None
    >>> register("shouting", Shouting)
    >>> accumulator = Accumulator("auto")
    >>> for chunk in (
    ...     {"shout": "find", "number": 0, "id": "call_0"},
    ...     {"go_on": '{"city": "Os', "number": 0},
    ...     {"go_on": 'lo"}', "number": 0},
    ...     {"silence": "DONE"},
    ... ):
    ...     _ = accumulator.feed(chunk)
    >>> accumulator.ready()[0].arguments
    {'city': 'Oslo'}
    """
    if not isinstance(name, str):
        raise TypeError(f"name is a str, not {type(name).__name__}")
    if name in ("", "auto"):
        raise ValueError(f"name: {name!r} cannot be the name of a vendor")
    for what in ("feed", "recognises"):
        if not callable(getattr(adapter, what, None)):
            raise TypeError(f"adapter: {adapter!r} has no {what}()")
    _known[name] = adapter


def names() -> tuple[str, ...]:
    """Return the names of all adapters, sorted."""
    return tuple(sorted({*_BUILT_IN, *_SAME_AS, *_known}))


def adapter(name: str) -> type[Adapter]:
    """Return the adapter of a vendor.

    Raises:
        ValueError: there is none of that name.
        TypeError: the name is no text.
    """
    if not isinstance(name, str):
        raise TypeError(f"vendor is a str, not {type(name).__name__}")
    if name not in _known:
        name = _SAME_AS.get(name, name)
    if name not in _known:
        if name not in _BUILT_IN:
            raise ValueError(f"vendor: {name!r} is none of {', '.join(names())}{_meant(name)}")
        _known[name] = import_module(f"{__name__}.{name}").Adapter
    return _known[name]


def detect(chunk: Any) -> str | None:
    """Return the vendor a chunk can only be from, or ``None`` if it does not tell.

    Loads all adapters. Where several recognise a chunk, it does not tell.

    >>> detect({"type": "message_start", "message": {}})
    'anthropic'
    >>> detect({"type": "ping"}) is None
    True
    """
    found = [name for name in {*_BUILT_IN, *_known} if _recognises(name, chunk)]
    return found[0] if len(found) == 1 else None


def whose(chunk: Any, name: str) -> str | None:
    """Return whose stream a chunk shows it to be: the named vendor's, if it can be that.

    ``None`` if it does not tell. Loads all adapters if the named one does not recognise the chunk.
    """
    if adapter(name).recognises(chunk):
        return name
    found = detect(chunk)
    return name if {found, _SAME_AS.get(name, name)} <= _CHAT else found


def _recognises(name: str, chunk: Any) -> bool:
    try:
        return adapter(name).recognises(chunk)
    except Exception as error:
        error.add_note(f"raised by recognises() of the adapter {name!r}, which never may")
        raise


def is_built_in(adapter: type[Adapter]) -> bool:
    """Whether an adapter is one of the package: what others read is not known."""
    return adapter.__module__.startswith(_HERE)


def _meant(name: str) -> str:
    difflib = import_module("difflib")  # for this alone
    close = difflib.get_close_matches(name.lower(), names(), 1)
    return f"; is it {close[0]!r}?" if close else ""


def __getattr__(name: str) -> Any:
    if name == "read":  # not imported above: its module needs what needs this one
        return import_module(f"{__name__}._reading").read
    name = _SAME_AS.get(name, name)
    if name in _BUILT_IN:
        return import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
