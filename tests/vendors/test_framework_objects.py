"""The frameworks' own objects, made by them from what was recorded, where they are installed.

They are large, so only some installations have them: what is missing is skipped, and says so.
"""

from collections.abc import Iterator
from typing import Any

import pytest
from driving import drive
from pydantic import TypeAdapter
from recordings import ABSENT, OWN, RECORDINGS, Recording, check

from fragjson import vendors
from fragjson.testing import WRITERS
from fragjson.testing.provider import MockProvider
from fragjson.toolcalls import Accumulator

WITHOUT_A_WORD = "openai-compat/openrouter-kimi-k2-id-name-repeated"
FAILED = "openai-compat/groq-gptoss-error-mid-stream"
N2 = "openai-chat/n2-parallel-choices-gpt35"


def recorded(*names: str, but: tuple[str, ...] = ()) -> Any:
    found = [r for r in OWN + RECORDINGS if r.vendor in names and r.name not in but]
    return pytest.mark.parametrize("recording", found, ids=lambda recording: recording.name)


def one(name: str) -> Recording:
    found = [recording for recording in RECORDINGS if recording.name == name]
    return found[0] if found else pytest.skip(ABSENT)


both_ways = pytest.mark.parametrize("how", ["named", "auto"])


# AG-UI


@recorded("ag_ui")
@both_ways
def test_ag_ui(recording: Recording, how: str) -> None:
    core = pytest.importorskip("ag_ui.core")
    events = map(TypeAdapter(core.Event).validate_python, recording.chunks)
    check(drive("ag_ui" if how == "named" else "auto", events), recording)


def test_ag_ui_takes_the_result() -> None:
    core = pytest.importorskip("ag_ui.core")
    (call,) = drive("ag_ui", WRITERS["ag_ui"].write(("find", {}))).calls
    message = core.ToolMessage(**vendors.ag_ui.tool_result(call, "gone", is_error=True))
    assert (message.tool_call_id, message.content, message.error) == (call.id, "gone", "gone")


# LangChain: what its model classes make of the vendors' streams


@pytest.fixture
def chat_openai(provider: MockProvider) -> Any:
    module = pytest.importorskip("langchain_openai")

    def stream(recording: Recording) -> Any:
        responses = recording.vendor == "openai_responses"
        provider.play(recording.playback)
        model = module.ChatOpenAI(
            model="m", base_url=provider.base_url, api_key="none", max_retries=0,
            use_responses_api=responses,
        )  # fmt: skip
        return model.stream("hello")

    return stream


BUILT_IN_TOOLS = tuple(
    f"openai-responses/{name}"
    for name in (
        "code-interpreter-gpt5nano", "local-shell", "mcp-gpt5mini-call", "shell-container",
        "web-search-gpt52", "xai-web-search",
    )
)  # fmt: skip
"""Their calls are content to LangChain, and no tool calls."""


@recorded(
    "openai_chat", "openai_responses",
    # It drops which choice a chunk is of; raises; and passes on no [DONE].
    but=(N2, FAILED, WITHOUT_A_WORD, *BUILT_IN_TOOLS),
)  # fmt: skip
@both_ways
def test_langchain(recording: Recording, how: str, chat_openai: Any) -> None:
    accumulator = Accumulator("langchain" if how == "named" else "auto")
    with accumulator.stream(chat_openai(recording)) as events:
        list(events)
    check(accumulator, recording)


def test_langchain_without_a_word_of_the_vendor(chat_openai: Any) -> None:
    accumulator = drive("langchain", chat_openai(one(WITHOUT_A_WORD)))
    assert [call.status for call in accumulator.calls] == ["unconfirmed"]


@recorded("langchain")
@both_ways
def test_langchain_messages(recording: Recording, how: str) -> None:
    messages = pytest.importorskip("langchain_core.messages")
    chunks = [messages.AIMessageChunk(**chunk) for chunk in recording.chunks]
    vendor = "langchain" if how == "named" else "auto"
    check(drive(vendor, chunks), recording)
    check(drive(vendor, [(chunk, {"langgraph_node": "agent"}) for chunk in chunks]), recording)
    check(drive(vendor, [chunk.model_dump(mode="json") for chunk in chunks]), recording)


def test_langchain_takes_the_result() -> None:
    messages = pytest.importorskip("langchain_core.messages")
    (call,) = drive("langchain", WRITERS["langchain"].write(("find", {}))).calls
    answer = vendors.langchain.tool_result(call, "gone", is_error=True)
    (message,) = messages.convert_to_messages([answer])
    assert (message.tool_call_id, message.content) == (call.id, "gone")
    assert (message.name, message.status) == ("find", "error")
    accumulator = Accumulator("langchain")
    for line in WRITERS["langchain"].write(("find", {})):
        accumulator.feed(line)
    accumulator.feed(message)
    assert accumulator.ready() == []


# LiteLLM


def test_a_tool_of_langchain_is_known_with_its_schema() -> None:
    tools = pytest.importorskip("langchain_core.tools")

    def tides(port: str) -> str:
        """Say when high water is."""
        return port

    accumulator = Accumulator("langchain", tools=[tools.tool(tides)])
    start = {"index": 0, "id": "c", "name": "tides", "args": '{"port": 5}'}
    chunk = {"type": "AIMessageChunk", "content": "", "tool_call_chunks": [start]}
    found = [event.type for event in accumulator.feed(chunk)]
    assert "schema_violation" in found


@pytest.fixture(scope="module")
def litellm() -> Iterator[Any]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("LITELLM_LOCAL_MODEL_COST_MAP", "True")  # or it asks the network for prices
        yield pytest.importorskip("litellm")


its_own_warnings = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::DeprecationWarning")
"""Caused by the types of LiteLLM itself, when it is imported or when they are first used."""


def completion(litellm: Any, provider: MockProvider, recording: Recording) -> Any:
    provider.play(recording.playback)
    return litellm.completion(
        model="openai/m", api_base=provider.base_url, api_key="none", num_retries=0, stream=True,
        messages=[{"role": "user", "content": "hello"}],
    )  # fmt: skip


@recorded("openai_chat", but=(N2, FAILED, WITHOUT_A_WORD))
@both_ways
@its_own_warnings
def test_litellm(recording: Recording, how: str, litellm: Any, provider: MockProvider) -> None:
    accumulator = Accumulator("litellm" if how == "named" else "auto")
    with accumulator.stream(completion(litellm, provider, recording)) as events:
        list(events)
    check(accumulator, recording)


@its_own_warnings
def test_litellm_passes_on_one_finish_reason(litellm: Any, provider: MockProvider) -> None:
    accumulator = drive("litellm", completion(litellm, provider, one(N2)))
    assert [call.status for call in accumulator.calls] == ["complete", "unconfirmed"]


@its_own_warnings
@pytest.mark.parametrize("name", [FAILED, WITHOUT_A_WORD])
def test_litellm_raises(name: str, litellm: Any, provider: MockProvider) -> None:
    accumulator = Accumulator("litellm")
    with (
        pytest.raises(litellm.exceptions.MidStreamFallbackError),
        accumulator.stream(completion(litellm, provider, one(name))) as events,
    ):
        list(events)
    assert accumulator.outcome.state == "aborted"
    assert accumulator.ready() == []
