"""Groq: OpenAI's chat chunks, with what Groq adds to them.

Calls come whole, one chunk each, with ``null`` for no arguments; all of that is left to
``openai_chat``, which misses only the tools that Groq runs itself. So are errors in the stream:
where a call fails its validation (``tool_use_failed``) there is no call in the stream, and what the
model had written is in the ``failed_generation`` of the error's payload.
"""

from typing import TYPE_CHECKING, Any

from fragjson.vendors import openai_chat
from fragjson.vendors._reading import as_index, as_list, as_text, read
from fragjson.vendors.openai_chat import WORDS, tool_result

if TYPE_CHECKING:
    from fragjson.toolcalls.turn import Turn

__all__ = ["WORDS", "Adapter", "tool_result"]


class Adapter:
    def __init__(self, turn: "Turn") -> None:
        self._turn = turn
        self._executed = turn.lane("executed")  # indexes of their own
        self._chat = openai_chat.Adapter(turn)

    @staticmethod
    def recognises(chunk: Any) -> bool:
        # Only the first chunk and the last have it; all others could be OpenAI's.
        return read(chunk, "x_groq") is not None

    def feed(self, chunk: Any) -> None:
        for choice in as_list(read(chunk, "choices")):
            for tool in as_list(read(read(choice, "delta"), "executed_tools")):
                self._show(tool)
        self._chat.feed(chunk)

    def _show(self, tool: Any) -> None:
        # Compound models run tools on their side, and tell of each twice: as it begins, and again
        # with its output.
        place = as_index(read(tool, "index"))
        name = as_text(read(tool, "type")) or None
        call = self._turn.call(self._executed, place, None, name, server_side=True)
        self._turn.snapshot(call, as_text(read(tool, "arguments")))
        if read(tool, "output") is not None:
            self._turn.close(call, "executed")
