"""What a mock provider answers with: a stream, sent in any way or broken off, or an HTTP error."""

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Any, Literal, NamedTuple

from fragjson import vendors
from fragjson.testing.wires import Wire, vendor_of, wire_at

__all__ = ["Playback", "Refusal", "Step", "playback_of"]


class Step(NamedTuple):
    """What is sent next: after so many seconds this piece; so many lines are whole with it."""

    pause: float
    piece: bytes
    lines: int


@dataclass(frozen=True)
class Playback:
    r"""A stream, and how it is sent.

    Attributes:
        stream: its lines, as ``read_stream`` or a writer of ``WRITERS`` gives them.
        vendor: whose it is; ``auto``: the stream tells, or else the path of the request.
        cut: cuts the body, anywhere, into pieces that are sent one by one. Each is an HTTP chunk
            and a write to the network of its own, so that the client's decoder gets them one by
            one, whatever the network joins. Without it each line is a piece.
        pause: seconds of silence before each line: one number, or one for each line.
        stall: after so many lines nothing more comes, until the client leaves.
        break_at: after so many bytes of the body the connection breaks, as ``how`` says.
        how: ``close`` closes it, without the end that HTTP asks for; ``reset`` resets it; ``end``
            ends the body as if it were whole, as a proxy does that has lost the vendor.

    Raises:
        TypeError, ValueError: one of them cannot be; the message names it.

    >>> from functools import partial
    >>> from fragjson.testing import fragments
    >>> stream = ['{"choices": [{"delta": {"content": "Tromsø"}}]}', "[DONE]"]
    >>> playback = Playback(stream, cut=partial(fragments, seed=18, longest=20), break_at=60)
    >>> for step in playback.steps("/v1/chat/completions"):
    ...     print(step.piece, step.lines)
    b'data: {"choices' 0
    b'": [{"d' 0
    b'elta": {"content' 0
    b'": "Troms\xc3' 0
    b'\xb8"}}]}\n\nd' 1
    b'ata' 1
    """

    stream: Sequence[str]
    _: KW_ONLY
    vendor: str = "auto"
    cut: Callable[[bytes], Iterable[bytes]] | None = None
    pause: float | Sequence[float] = 0.0
    stall: int | None = None
    break_at: int | None = None
    how: Literal["close", "reset", "end"] = "close"

    def __post_init__(self) -> None:
        if isinstance(self.stream, str) or not isinstance(self.stream, Sequence):
            raise TypeError(f"stream: a list of lines, not {type(self.stream).__name__}")
        if self.vendor != "auto":
            vendors.adapter(self.vendor)
        if self.stall is not None and self.break_at is not None:
            raise ValueError("stall and break_at: it can only end in one way")
        for name in ("stall", "break_at"):
            if (getattr(self, name) or 0) < 0:
                raise ValueError(f"{name}: {getattr(self, name)} is less than nothing")
        if self.how not in ("close", "reset", "end"):
            raise ValueError(f"how: {self.how!r} is none of close, reset, end")
        if not isinstance(self.pause, int | float) and len(self.pause) != len(self.stream):
            raise ValueError(f"pause: {len(self.pause)} for {len(self.stream)} lines")
        self.wire("").body(self.stream)

    def wire(self, path: str) -> Wire:
        """Return how it travels to who asks for this path."""
        return wire_at(path, self._vendor)

    def refusal(self, status: int, message: str) -> "Refusal":
        """Return an error as the vendor of the stream would say it."""
        return Refusal(status, message, vendor=self._vendor or "auto")

    def steps(self, path: str) -> Iterator[Step]:
        """Yield what is sent to who asks for this path, up to where it stalls or breaks."""
        frames = self.wire(path).body(self.stream)
        ends = list(accumulate(map(len, frames)))
        body = b"".join(frames[: self.stall])[: self.break_at]
        waits = dict(zip([0, *ends], self._pauses(), strict=False))
        edges = {*waits, len(body)} if self.cut else {0, *ends, len(body)}
        if self.cut is not None:
            edges.update(accumulate(map(len, self.cut(body))))
        places = sorted(place for place in edges if place <= len(body))
        for start, end in pairwise(places):
            yield Step(waits.get(start, 0.0), body[start:end], bisect_right(ends, end))

    @cached_property
    def _vendor(self) -> str | None:
        return vendor_of(self.stream) if self.vendor == "auto" else self.vendor

    def _pauses(self) -> Sequence[float]:
        if isinstance(self.pause, int | float):
            return [float(self.pause)] * len(self.stream) if self.pause else [0.0]
        return self.pause


@dataclass(frozen=True)
class Refusal:
    """An HTTP error in place of a stream, with the body that the vendor who is asked would give it.

    Attributes:
        status: 429, 500, 529, ...
        message: what the body says.
        headers: further ones, such as ``{"retry-after": "1"}``.
        vendor: who says it; ``auto``: the path of the request tells. Where vendors share one, such
            as ``/v1/chat/completions``, that is OpenAI, so the others have to be named.

    Raises:
        ValueError: there is no such vendor.

    >>> Refusal(429, "not now", vendor="mistral").body("/v1/chat/completions")["type"]
    'rate_limited'
    """

    status: int
    message: str = "refused by the mock provider"
    headers: dict[str, str] = field(default_factory=dict)
    vendor: str = "auto"

    def __post_init__(self) -> None:
        if self.vendor != "auto":
            vendors.adapter(self.vendor)

    def body(self, path: str) -> Any:
        """Return what is said to who asks for this path."""
        wire = wire_at(path, None if self.vendor == "auto" else self.vendor)
        return wire.error(self.status, self.message)


def playback_of(answer: Any) -> Playback | Refusal:
    """Return an answer as it is meant: a stream alone is played as it is."""
    return answer if isinstance(answer, Playback | Refusal) else Playback(answer)
