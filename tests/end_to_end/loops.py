"""The README's own loops, run in this process with the vendors' real clients.

Nothing in them is changed. They find a mock provider by the variables that it says are to be set.
What they print is kept, and the accumulators that they make. The clients are kept, too, to be used
again and closed at the end; the README leaves that to the end of the program.
"""

import asyncio
import contextlib
import io
import ssl
import sys
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cache
from types import CodeType, ModuleType
from typing import Any

import anthropic
import openai
import pytest
from google import genai
from readme import block

import fragjson
from fragjson.testing import WRITERS
from fragjson.testing.provider import MockProvider

VENDORS = ("openai_chat", "openai_responses", "anthropic", "gemini")
HOW = ("sync", "async")
TIDES = ("get_tides", {"port": 'Tromsø "😀"', "days": 2})
NOTE = ("write_note", {"path": "tides.txt", "lines": ["high", "wa\\ter"], "done": True})

_CLIENTS = (
    (openai, "OpenAI"), (openai, "AsyncOpenAI"),
    (anthropic, "Anthropic"), (anthropic, "AsyncAnthropic"), (genai, "Client"),
)  # fmt: skip


def written(vendor: str, *calls: tuple[str, Any], **options: Any) -> list[str]:
    """Write a stream in which arguments come in fragments; Gemini has a way for that."""
    return WRITERS["gemini_values" if vendor == "gemini" else vendor].write(*calls, **options)


@dataclass
class Turn:
    """What has come of running a loop once."""

    accumulators: list[fragjson.Accumulator] = field(default_factory=list)
    printed: str = ""
    error: Exception | None = None

    @property
    def accumulator(self) -> fragjson.Accumulator:
        (accumulator,) = self.accumulators
        return accumulator

    @property
    def runs(self) -> list[str]:
        """What the loop would have run."""
        return [line for line in self.printed.splitlines() if line.startswith("run ")]


class Loops:
    """Runs them, as often as you like, against one provider after the other."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self._patch = patch
        self._clients: dict[tuple[str, str], Any] = {}
        self._url = ""
        self._runner = asyncio.Runner()
        self.options: dict[str, Any] = {}
        """What the clients that are made from now on get besides."""
        act = ModuleType("act")
        exec(code("def act("), act.__dict__)
        patch.setitem(sys.modules, "act", act)
        patch.setitem(sys.modules, "early", ModuleType("early"))
        exec(code("def answer("), sys.modules["early"].__dict__)
        # Nothing here is encrypted, and to make this is most of the work of making a client.
        patch.setattr(ssl, "create_default_context", lambda *_, **__: _ssl_context())
        for client_class in (
            openai.AsyncOpenAI,
            anthropic.AsyncAnthropic,
            genai.client.AsyncClient,
        ):
            patch.setattr(client_class, "__aexit__", _stay_open)  # they are used again
        for module, name in _CLIENTS:
            patch.setattr(module, name, self._keeping(name, getattr(module, name)))

    def use(self, provider: MockProvider) -> None:
        """Let the clients find this provider."""
        self._url = provider.base_url
        for name, value in provider.environment.items():
            self._patch.setenv(name, value)

    def run(self, vendor: str, how: str) -> Turn:
        """Run the loop of a vendor until it ends, or raises."""
        turn = Turn()

        class Kept(fragjson.Accumulator):
            def __init__(self, *arguments: Any, **options: Any) -> None:
                super().__init__(*arguments, **options)
                turn.accumulators.append(self)

        printed = io.StringIO()
        with (
            pytest.MonkeyPatch.context() as patch,
            contextlib.redirect_stdout(printed),
            models_may_be_old(),
        ):
            patch.setattr(fragjson, "Accumulator", Kept)
            try:
                if how == "sync":
                    exec(code(f'Accumulator("{vendor}").stream'), {"__name__": "loop"})
                else:
                    self.run_async(self._follow(vendor))
            except Exception as error:
                turn.error = error
        turn.printed = printed.getvalue()
        return turn

    def ask(self, vendor: str) -> Any:
        """Ask a vendor's client for a stream, as the README does."""
        names: dict[str, Any] = {"__name__": "loop"}
        with models_may_be_old():
            exec(code(f'Accumulator("{vendor}").stream', up_to="with Accumulator"), names)
        return names["source"]

    async def ask_async(self, vendor: str) -> Any:
        """Ask a vendor's asynchronous client for a stream, as the README does."""
        names: dict[str, Any] = {"__name__": "loop"}
        exec(code("AsyncAnthropic", up_to="asyncio.run("), names)
        sources: list[Any] = []

        async def answer(vendor: str, source: Any) -> None:
            sources.append(source)

        names["answer"] = answer
        with models_may_be_old():
            await names[vendor]()
        (source,) = sources
        return source

    def run_async(self, main: Any) -> Any:
        """Run a coroutine, in the event loop that the clients belong to."""
        return self._runner.run(main)

    def close(self) -> None:
        self._runner.run(self._close_clients())
        self._runner.close()

    async def _follow(self, vendor: str) -> None:
        source = await self.ask_async(vendor)
        names = {"Accumulator": fragjson.Accumulator, "act": sys.modules["act"].act}
        exec(block("def follow(").replace('"openai_chat"', repr(vendor)), names)
        await names["follow"](source)

    def _keeping(self, name: str, client_class: Any) -> Any:
        def client() -> Any:
            key = (name, self._url)
            if key not in self._clients:
                self._clients[key] = client_class(**self.options)
            return self._clients[key]

        return client

    async def _close_clients(self) -> None:
        for (name, _), client in self._clients.items():
            if not name.startswith("Async"):
                client.close()
            if name == "Client":
                await client.aio.aclose()
            elif name.startswith("Async"):
                await client.close()


async def _stay_open(*_: object) -> None:
    """Stand in for a client's closing of itself."""


@contextlib.contextmanager
def running() -> Iterator[Loops]:
    with pytest.MonkeyPatch.context() as patch:
        loops = Loops(patch)
        yield loops
        loops.close()


@contextlib.contextmanager
def models_may_be_old() -> Iterator[None]:
    """Let the README name a model that its vendor is about to retire."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "The model .* is deprecated", DeprecationWarning)
        yield


_ssl_context = cache(ssl.create_default_context)


@cache
def code(*words: str, up_to: str = "") -> CodeType:
    text = block(*words)
    return compile(text.partition(up_to)[0] if up_to else text, "README.md", "exec")
