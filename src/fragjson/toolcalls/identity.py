"""Which call a fragment belongs to: the one place where that is decided.

A lane is a sequence of calls in which ids and indexes mean something: one choice, one response.
Servers leave out, repeat, invent and reuse both, so neither alone tells calls apart. In order:

1. A known id is that call, whatever the index says: but for another name on another index, when
   that call is finished. Then the server has given one id to two calls.
2. A new id with a name is a new call, also on an index that is taken (servers that give every
   call index 0). But a call that still lacks its id, or its name, takes the ones that come late.
3. A new id without a name goes on with the call of its index while that is unfinished (servers
   that give every delta a fresh id); else it is a new call.
4. Without an id, the index's latest owner; without an index, the latest call. A new index without
   a name goes on with the latest unfinished call that came without one, unless both have ids.
5. But a name where that call is whole already begins a new one, unless it only repeats the name.
"""

from typing import TYPE_CHECKING

from fragjson.toolcalls.verdict import State

if TYPE_CHECKING:
    from fragjson.toolcalls.turn import LiveCall

__all__ = ["Index", "Lane"]

_WHOLE = State.WHOLE  # bound once: reading it from its class costs more than a call (in 3.11)

Index = int | str | None


class Lane:
    """The calls of one choice or one response."""

    __slots__ = ("_by_id", "_unplaced", "key", "latest", "number", "owners", "response")

    def __init__(self, number: int, key: int | str | None, response: str | None) -> None:
        self.number = number
        """Its place among the lanes of the turn."""
        self.key = key
        self.response = response
        self.latest: LiveCall | None = None
        """The call last written to."""
        self.owners: dict[Index, LiveCall] = {}
        """The latest call of each index."""
        self._by_id: dict[str, LiveCall] = {}
        self._unplaced: LiveCall | None = None
        """The latest call that came without an index."""

    def find(
        self,
        index: Index,
        id: str | None,  # noqa: A002
        name: str | None,
        *,
        blank: bool,
        trust_index: bool,
    ) -> "LiveCall | None":
        """Return the call that is meant, or ``None``: it is a new one.

        Args:
            index: the vendor's index, or ``None``.
            id: the vendor's id; ``None`` for what is no id.
            name: the tool's name, or a piece of it.
            blank: no argument text comes with it.
            trust_index: this index cannot have been used for another call.
        """
        if id is not None and id in self._by_id:
            call = self._by_id[id]
            other = index not in (None, call.index) and name not in (None, call.name)
            return None if other and _finished(call) else call
        owner = self.latest if index is None else self.owners.get(index)
        if owner is None and name is None:
            unplaced = self._unplaced
            if unplaced is None or _finished(unplaced) or None not in (id, unplaced.id):
                return None
            return unplaced
        if owner is None or (trust_index and index is not None):
            return owner
        awaited = name is not None and owner.name is None and not owner.over
        if awaited and (id is None or owner.id is None):
            return owner
        finished = _finished(owner)
        if id is not None and name is not None:
            late = owner.id is None and owner.name == name and not owner.content.begun
            return owner if late and not finished else None
        if id is not None:
            return None if finished else owner
        if name is not None:
            repeats = name == owner.name and blank
            return owner if repeats or not finished else None
        return owner

    def known(self, id: str | None) -> "LiveCall | None":  # noqa: A002
        """Return the call that has been addressed by this id."""
        return self._by_id.get(id) if id is not None else None

    def own(self, call: "LiveCall", index: Index, id: str | None) -> None:  # noqa: A002
        """Take note that the call was addressed so."""
        self.latest = call
        if index is not None:
            self.owners[index] = call
        elif call.index is None:
            self._unplaced = call
        if id is not None:
            self._by_id[id] = call


def _finished(call: "LiveCall") -> bool:
    return call.over or call.content.state() is _WHOLE
