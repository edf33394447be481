"""Who else parses JSON, and how does one ask them for the same thing?

One small class per peer. ``whole`` parses a document; ``cost`` is what it takes to have a value
after every fragment of a stream. Each peer is asked in the way its own documentation shows and
with its defaults, except where a class says otherwise. Importing this module imports no peer:
``present`` makes those that are installed and names those that are not.
"""

import asyncio
import json
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Sequence
from importlib import import_module, metadata
from itertools import accumulate
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from measure import Cost, cost_of_reparsing, cost_of_stream

P = TypeVar("P", bound="Peer")

LIMIT = 1.0
"""Seconds that one peer may spend on one stream before its cost is sampled or bounded."""


class Peer:
    """One other parser.

    Attributes:
        name: as the tables call it.
        module: what is imported.
        distributions: what pip calls it; the first must be there.
        bytes_only: ``whole`` takes no ``str``; tables encode for it inside the measured time.
    """

    name: ClassVar[str]
    module: ClassVar[str]
    distributions: ClassVar[tuple[str, ...]]
    bytes_only: ClassVar[bool] = False

    def __init__(self) -> None:
        self.api = import_module(self.module)

    def version(self) -> str:
        return ", ".join(f"{name} {version_of(name)}" for name in self.distributions)


class WholePeer(Peer):
    """Parses whole documents."""

    whole: Callable[[Any], object]

    def whole_text(self, text: str) -> object:
        return self.whole(text.encode()) if self.bytes_only else self.whole(text)


class StreamPeer(Peer):
    """Can show something after every fragment of a stream."""

    shows: ClassVar[Literal["value", "events"]] = "value"
    note: ClassVar[str] = ""

    def cost(self, text: str, pieces: Sequence[str]) -> Cost:
        raise NotImplementedError


class PythonStreamPeer(StreamPeer):
    """Does so in this process."""

    def stream(self, pieces: Iterable[str]) -> object:
        """Take all fragments, reading what is shown after each, and return the last of it."""
        raise NotImplementedError


class ReparsingPeer(PythonStreamPeer):
    """Parses everything received so far again on each fragment."""

    def partial(self, text: str) -> object:
        raise NotImplementedError

    def cost(self, text: str, pieces: Sequence[str]) -> Cost:
        cost = cost_of_stream(self.stream, pieces, LIMIT)
        if cost.how == "at least":
            ends = list(accumulate(len(piece) for piece in pieces))
            return cost_of_reparsing(self.partial, text, ends, LIMIT)
        return cost

    def stream(self, pieces: Iterable[str]) -> object:
        text = ""
        value = None
        for piece in pieces:
            text += piece
            value = self.partial(text)
        return value


class IncrementalPeer(PythonStreamPeer):
    """Keeps its state between fragments."""

    def cost(self, text: str, pieces: Sequence[str]) -> Cost:
        return cost_of_stream(self.stream, pieces, LIMIT * 2)


class Json(WholePeer):
    name = "json"
    module = "json"
    distributions = ()

    def __init__(self) -> None:
        super().__init__()
        self.whole = json.loads

    def version(self) -> str:
        return "json of the running interpreter"


class Orjson(WholePeer):
    name = "orjson"
    module = "orjson"
    distributions = ("orjson",)

    def __init__(self) -> None:
        super().__init__()
        self.whole = self.api.loads


class Msgspec(WholePeer):
    name = "msgspec"
    module = "msgspec.json"
    distributions = ("msgspec",)

    def __init__(self) -> None:
        super().__init__()
        self.whole = self.api.Decoder().decode


class Jiter(ReparsingPeer, WholePeer):
    """What the openai and anthropic SDKs parse the growing buffer with."""

    name = "jiter"
    module = "jiter"
    distributions = ("jiter",)
    bytes_only = True

    def __init__(self) -> None:
        super().__init__()
        self.whole = self.api.from_json

    def partial(self, text: str) -> object:
        return self.parse(text.encode())

    def parse(self, data: bytes) -> object:
        try:
            return self.api.from_json(data, partial_mode="trailing-strings")
        except ValueError:  # nothing to show yet
            return None

    def stream(self, pieces: Iterable[str]) -> object:
        data = b""
        value = None
        for piece in pieces:
            data += piece.encode()
            value = self.parse(data)
        return value


class PartialJsonParser(ReparsingPeer, WholePeer):
    name = "partial-json-parser"
    module = "partial_json_parser"
    distributions = ("partial-json-parser",)

    def __init__(self) -> None:
        super().__init__()
        self.whole = self.api.loads

    def partial(self, text: str) -> object:
        try:
            return self.api.loads(text)
        except ValueError:  # nothing to show yet
            return None


class JsonRepair(ReparsingPeer, WholePeer):
    name = "json-repair"
    module = "json_repair"
    distributions = ("json-repair",)

    def __init__(self) -> None:
        super().__init__()
        self.whole = self.api.loads

    def partial(self, text: str) -> object:
        return self.api.loads(text, stream_stable=True)


class StreamingJsonParser(IncrementalPeer, WholePeer):
    name = "streaming-json-parser"
    module = "streaming_json_parser"
    distributions = ("streaming-json-parser", "streaming-json-parser-native")
    note = (
        "with its native wheel an open string stays at its first fragment until an escape or the "
        "closing quote arrives, so most values it shows are stale"
    )

    def __init__(self) -> None:
        super().__init__()
        self.whole = self.api.decode_complete_json

    def stream(self, pieces: Iterable[str]) -> object:
        parser = self.api.StreamingJsonParser()
        value = None
        for piece in pieces:
            value = parser.feed(piece).value
        return value


class Ijson(IncrementalPeer, WholePeer):
    name = "ijson"
    module = "ijson"
    distributions = ("ijson",)
    bytes_only = True
    shows = "events"
    note = "gives events of whole tokens and no value; floats are Decimal unless asked otherwise"

    def version(self) -> str:
        return f"{super().version()} (backend {self.api.backend})"

    def whole(self, data: bytes) -> object:
        (value,) = self.api.items(data, "", use_float=True)
        return value

    def stream(self, pieces: Iterable[str]) -> object:
        events = self.api.sendable_list()
        push = self.api.parse_coro(events, use_float=True)
        count = 0
        for piece in pieces:
            push.send(piece.encode())
            count += len(events)
            events.clear()
        push.close()
        return count


class Jsonriver(IncrementalPeer):
    name = "jsonriver"
    module = "jsonriver"
    distributions = ("jsonriver",)
    note = "pure Python, asynchronous; every number is a float"

    def stream(self, pieces: Iterable[str]) -> object:
        async def source() -> AsyncIterator[str]:
            for piece in pieces:
                yield piece

        async def run() -> object:
            value = None
            async for shown in self.api.parse(source()):
                value = shown
            return value

        return asyncio.run(run())


NODE_SCRIPT = Path(__file__).with_name("node_peers.mjs")


class NodePeer(StreamPeer):
    """A package of npm, run under Node in a process of its own that times itself."""

    package: ClassVar[str]
    distributions = ()

    def __init__(self) -> None:
        if shutil.which("node") is None:
            raise ImportError("node is not installed")
        try:
            self.found = self.ask(command="version")
        except subprocess.CalledProcessError as error:
            raise ImportError(f"npm package {self.package} is not on NODE_PATH") from error

    def version(self) -> str:
        return f"npm {self.package} {self.found['version']} (Node {self.found['node']})"

    def cost(self, text: str, pieces: Sequence[str]) -> Cost:
        answer = self.ask(command="stream", pieces=pieces, limit=LIMIT)
        return Cost(answer["seconds"], answer["how"])

    def ask(self, **question: object) -> Any:
        done = subprocess.run(
            ["node", str(NODE_SCRIPT)],
            input=json.dumps({"package": self.package, **question}),
            capture_output=True,
            check=True,
            text=True,
            env=os.environ,
        )
        return json.loads(done.stdout)


class PartialJsonNode(NodePeer):
    name = "partial-json (Node)"
    package = "partial-json"


class JsonriverNode(NodePeer):
    name = "jsonriver (Node)"
    package = "jsonriver"


class SdkStream(Peer):
    """A vendor's own class that gathers a stream of its SDK's objects.

    Attributes:
        vendor: our name of the wire format.
    """

    vendor: ClassVar[str]

    def objects(self, chunks: Iterable[dict[str, Any]]) -> list[Any]:
        """Make the SDK's objects of decoded chunks, as its client does."""
        raise NotImplementedError

    def run(self, objects: Iterable[Any]) -> object:
        """Gather them, with the value after each, and return the final arguments."""
        raise NotImplementedError

    def cost(self, objects: Sequence[Any]) -> Cost:
        return cost_of_stream(self.run, objects, LIMIT * 4)


class OpenaiStream(SdkStream):
    name = "openai ChatCompletionStreamState"
    module = "openai.lib.streaming.chat"
    distributions = ("openai", "jiter")
    vendor = "openai_chat"

    def __init__(self) -> None:
        super().__init__()
        self.chunk = import_module("openai.types.chat").ChatCompletionChunk

    def objects(self, chunks: Iterable[dict[str, Any]]) -> list[Any]:
        return [self.chunk.construct(**chunk) for chunk in chunks]

    def run(self, objects: Iterable[Any]) -> object:
        # A strict tool is what makes it parse the arguments while they come.
        tool = {"type": "function", "function": {"name": "tool", "strict": True, "parameters": {}}}
        state = self.api.ChatCompletionStreamState(input_tools=[tool])
        for each in objects:
            for _event in state.handle_chunk(each):
                pass
        (call,) = state.get_final_completion().choices[0].message.tool_calls
        return call.function.parsed_arguments


class AnthropicStream(SdkStream):
    name = "anthropic MessageStream"
    module = "anthropic.lib.streaming"
    distributions = ("anthropic", "jiter")
    vendor = "anthropic"

    def objects(self, chunks: Iterable[dict[str, Any]]) -> list[Any]:
        construct = import_module("anthropic._models").construct_type
        event = import_module("anthropic.types").RawMessageStreamEvent
        return [construct(type_=event, value=chunk) for chunk in chunks]

    def run(self, objects: Iterable[Any]) -> object:
        class Source:
            def __iter__(self) -> Iterator[Any]:
                return iter(objects)

        stream = self.api.MessageStream(Source(), output_format=NotImplemented)
        for _event in stream:
            pass
        (block,) = stream.current_message_snapshot.content
        return block.input


WHOLE: tuple[type[WholePeer], ...] = (
    Json,
    Orjson,
    Msgspec,
    Jiter,
    StreamingJsonParser,
    Ijson,
    PartialJsonParser,
    JsonRepair,
)

SDK_STREAMS: tuple[type[SdkStream], ...] = (OpenaiStream, AnthropicStream)

STREAM: tuple[type[StreamPeer], ...] = (
    Jiter,
    PartialJsonParser,
    JsonRepair,
    StreamingJsonParser,
    Ijson,
    Jsonriver,
    PartialJsonNode,
    JsonriverNode,
)


def present(classes: Sequence[type[P]]) -> tuple[list[P], list[str]]:
    """Return the peers that are installed, and a line for each one that is not."""
    found: list[P] = []
    absent: list[str] = []
    for peer in classes:
        try:
            found.append(peer())
        except ImportError as error:
            absent.append(f"SKIPPED {peer.name}: {error}")
    return found, absent


def version_of(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "not installed"
