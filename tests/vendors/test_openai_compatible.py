"""What servers do that copy OpenAI's chat format: every known deviation, with what comes of it.

``HANDLED`` come out as if nothing had been. ``SHOWN`` cannot: no adapter can know what was meant,
so the call says what is wrong with it and is not run; each has its reason. ``LEFT`` are not in the
stream that an adapter sees. All run through every name that reads the format.
"""

from dataclasses import dataclass
from typing import Any

import pytest
from driving import DONE, drive

from fragjson import vendors
from fragjson.toolcalls import Accumulator, ToolCall


def chunk(*entries: Any, finish: str | None = None, choice: int = 0, **delta: Any) -> Any:
    if entries:
        delta["tool_calls"] = list(entries)
    return {"id": "r1", "choices": [{"index": choice, "delta": delta, "finish_reason": finish}]}


def entry(text: Any, index: int | None = None, **members: Any) -> Any:
    """An entry of ``tool_calls``: ``name`` goes into its function, the rest stays."""
    function = {"arguments": text}
    if "name" in members:
        function["name"] = members.pop("name")
    return {**({} if index is None else {"index": index}), **members, "function": function}


def pieces(text: str, size: int = 1) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


A, B = {"city": "Oslo"}, {"city": "Rome"}
TEXT_A, TEXT_B = '{"city": "Oslo"}', '{"city": "Rome"}'
END = chunk(finish="tool_calls")


@dataclass(frozen=True)
class Deviation:
    server: str
    what: str
    chunks: list[Any]
    calls: tuple[Any, ...] = (A,)
    """The arguments of each call, or its status if it is not complete."""
    why: str = ""
    """Why it is not handled, but only shown."""


HANDLED = [
    Deviation("Azure", "a first chunk without choices, with filter results", [
        {"id": "", "choices": [], "prompt_filter_results": [{"prompt_index": 0}]},
        chunk(entry(TEXT_A, 0, id="c1", name="wx")), END,
    ]),
    Deviation("Azure", "filter chunks whose choice has no delta", [
        chunk(entry('{"city": ', 0, id="c1", name="wx")),
        {"choices": [{"index": 0, "content_filter_offsets": {"check_offset": 3}}]},
        chunk(entry('"Oslo"}', 0)), END,
        {"choices": [{"index": 0, "delta": None, "finish_reason": None}]},
    ]),
    Deviation("DeepSeek", "reasoning beside the deltas, an empty text with the finish reason", [
        chunk(reasoning_content="Hm", content=None),
        chunk(entry(TEXT_A, 0, id="c1", name="wx"), reasoning_content=None),
        chunk(content="", finish="tool_calls"),
    ]),
    Deviation("Qwen", "an empty id and a null name on continuations, a blank entry at the end", [
        chunk(entry("", 0, id="c1", name="wx")),
        *(chunk(entry(text, 0, id="", name=None)) for text in pieces(TEXT_A, 5)),
        chunk(entry("", 0, id="", name=None)), END,
    ]),
    Deviation("Qwen", "each delta has all of the arguments so far", [
        *(
            chunk(entry(TEXT_A[:length], 0, id="c1", name="wx"))
            for length in (1, 5, 9, 12, len(TEXT_A), len(TEXT_A))
        ), END,
    ]),
    Deviation("Gemini", "no index", [
        chunk(entry(TEXT_A, id="c1", name="wx")), chunk(entry(TEXT_B, id="c2", name="wx")),
        chunk(finish="stop"),
    ], (A, B)),
    Deviation("Gemini", "index 0 for all, whole calls, in one chunk or several, and 'stop'", [
        chunk(entry(TEXT_A, 0, id="c1", name="wx"), entry(TEXT_B, 0, id="c2", name="wx")),
        chunk(entry("{}", 0, id="c3", name="now")), chunk(finish="stop"),
    ], (A, B, {})),
    Deviation("Gemini", "a name in two pieces", [
        chunk(entry("", 0, id="c1", name="w")), chunk(entry(TEXT_A, 0, name="x")), END,
    ]),
    Deviation("xAI", "all in one chunk, the finish reason, too", [
        chunk(entry(TEXT_A, 0, id="c1", name="wx"), finish="tool_calls"),
    ]),
    Deviation("OpenRouter", "comments, and the finish chunk twice", [
        ": OPENROUTER PROCESSING", chunk(entry(TEXT_A, 0, id="c1", name="wx")),
        ": OPENROUTER PROCESSING", END, END,
    ]),
    Deviation("OpenRouter", "id and name in each chunk, id '0', no finish reason", [
        chunk(entry("", 0, id="0", name="wx")),
        *(chunk(entry(text, 0, id="0", name="wx")) for text in pieces(TEXT_A, 4)),
    ]),
    Deviation("vLLM", "no id on continuations, the name in each chunk", [
        chunk(entry("", 0, id="c1", name="wx")),
        *(chunk(entry(text, 0, name="wx")) for text in pieces(TEXT_A, 4)), END,
    ]),
    Deviation("vLLM", "null arguments, a null function, null calls", [
        chunk(entry(None, 0, id="c1", name="wx")), chunk({"index": 0, "function": None}),
        chunk(tool_calls=None), chunk(entry(TEXT_A, 0)), END,
    ]),
    Deviation("vLLM", "the last arguments in the chunk with the finish reason, which repeats all", [
        chunk(entry('{"city": ', 0, id="c1", type="function", name="wx")),
        chunk(entry('"Oslo"}', 0, id="c1", type="function", name="wx"), finish="tool_calls"),
    ]),
    Deviation("vLLM", "two entries for one index in a chunk", [
        chunk(entry('{"ci', 0, id="c1", name="wx"), entry('ty": ', 0)),
        chunk(entry('"Os', 0), entry('lo"}', 0)), END,
    ]),
    Deviation("SGLang", "a null id throughout, a null name on continuations", [
        chunk(entry("", 0, id=None, name="wx")), chunk(entry(TEXT_A, 0, id=None, name=None)), END,
    ]),
    Deviation("SGLang", "the arguments again in a last entry", [
        chunk(entry("", 0, id="c1", name="wx")), chunk(entry(TEXT_A, 0)),
        chunk(entry(TEXT_A, 0, name=None), finish="tool_calls"),
    ]),
    Deviation("SGLang", "no arguments as an empty text", [
        chunk(entry("", 0, id="c1", name="now")), END,
    ], ({},)),
    Deviation("llama.cpp", "the id within the function, once; the name in each chunk", [
        chunk({"index": 0, "function": {"id": "c1", "name": "wx", "arguments": ""}}),
        *(chunk(entry(text, 0, name="wx")) for text in pieces(TEXT_A, 4)), END,
    ]),
    Deviation("llama.cpp", "escapes cut anywhere", [
        chunk(entry("", 0, id="c1", name="wx")),
        *(chunk(entry(text, 0)) for text in pieces(r'{"city": "\u00d8\ud83d\ude00"}', 1)), END,
    ], ({"city": "Ø😀"},)),
    Deviation("LM Studio", "a fresh id for each nameless delta", [
        chunk(entry("", 0, id="c1", name="wx")),
        *(chunk(entry(text, 0, id=f"d{at}")) for at, text in enumerate(pieces(TEXT_A))), END,
    ]),
    Deviation("LM Studio", "an empty id throughout", [
        chunk(entry("", 0, id="", name="wx")), chunk(entry(TEXT_A, 0, id="")), END,
    ]),
    Deviation("LMDeploy", "an empty id on continuations, index 0 for the second call, too", [
        chunk(entry("", 0, id="c1", name="wx")), chunk(entry(TEXT_A, 0, id="")),
        chunk(entry("", 0, id="c2", name="wx")), chunk(entry(TEXT_B, 0, id="")), END,
    ], (A, B)),
    Deviation("Copilot", "one message split over several choices", [
        chunk(content="I will look", choice=0), chunk(entry("", 0, id="c1", name="wx"), choice=1),
        chunk(entry(TEXT_B, 0, id="c2", name="wx"), choice=2), chunk(finish="stop", choice=0),
        chunk(entry(TEXT_A, 0), choice=1, finish="tool_calls"),
    ], (A, B)),
    Deviation("Anthropic", "an index that counts blocks of text, too; an empty delta first", [
        chunk(content="I will look"), chunk(entry("", 1, id="c1", name="wx")),
        chunk(entry("", 1)), chunk(entry(TEXT_A, 1)), END,
    ]),
    Deviation("TGI", "an object for the list of calls, and for the arguments", [
        chunk(tool_calls=entry(A, 0, id="c1", name="wx")), END,
    ]),
    Deviation("Ollama", "whole calls, then the finish reason alone", [
        chunk(entry(TEXT_A, id="c1", name="wx")), chunk(finish="stop"),
    ]),
    Deviation("Groq", "null for no arguments", [
        chunk(entry("null", 0, id="c1", name="now")), END,
    ], ({},)),
    Deviation("Mistral", "'null' for no id, an empty name on continuations", [
        chunk(entry("", 0, id="c1", name="wx")), chunk(entry(TEXT_A, 0, id="null", name="")), END,
    ]),
    Deviation("LiteLLM", "an index that begins again in each chunk, the type in all of them", [
        chunk(entry("", 0, id="c1", name="wx", type="function")),
        chunk(entry(TEXT_A, 0, id=None, name=None, type="function")),
        chunk(entry(TEXT_B, 0, id="c2", name="wx", type="function")), END,
    ], (A, B)),
]  # fmt: skip

SHOWN = [
    Deviation("DeepSeek", "special tokens in the arguments", [
        chunk(entry(TEXT_A + "<\uff5ctool\u2581call\u2581end\uff5c>", 0, id="c1", name="wx")), END,
    ], ("invalid",), "cutting them off would be guessing what else was meant; see repair"),
    Deviation("DeepSeek", "'tool_calls' although the arguments are cut", [
        chunk(entry('{"city": "Os', 0, id="c1", name="wx")), END,
    ], ("incomplete",), "the rest never comes"),
    Deviation("vLLM", "the last delta cut, or never sent", [
        chunk(entry('{"city": "Oslo"', 0, id="c1", name="wx")), chunk(finish="stop"),
    ], ("incomplete",), "the rest never comes"),
    Deviation("LMDeploy", "a second call on index 0 with neither id nor name", [
        chunk(entry(TEXT_A, 0, id="c1", name="wx")), chunk(entry(TEXT_B, 0)), END,
    ], ("invalid",), "it could as well be a fault in the first one"),
    Deviation("Gemini", "neither index nor id, one call after the other without a name", [
        chunk(entry(TEXT_A, name="wx")), chunk(entry(TEXT_B)), END,
    ], ("invalid",), "it could as well be a fault in the first one"),
    Deviation("several", "arguments that are a JSON string that holds JSON", [
        chunk(entry(r'"{\"city\": \"Oslo\"}"', 0, id="c1", name="wx")), END,
    ], (TEXT_A,), "a string is a value like any other: the harness sees that it is one"),
    Deviation("several", "a code fence around the arguments", [
        chunk(entry(f"```json\n{TEXT_A}\n```", 0, id="c1", name="wx")), END,
    ], ("invalid",), "it is not JSON; see repair"),
    Deviation("several", "Python's literals and quotes", [
        chunk(entry("{'city': None}", 0, id="c1", name="wx")), END,
    ], ("invalid",), "it is not JSON; see repair"),
]  # fmt: skip

LEFT = {
    "SGLang": "the siblings of a call of an unknown tool are dropped by the server",
    "vLLM": "special tokens in names: the name is passed on as it is, see the test",
    "xAI": "xai_sdk shows messages as they grow, which are no chunks: use its REST API",
    "Copilot": "a fresh item_id for every event is of the Responses API, and handled there",
}
NAMES = ["auto", "litellm", "openai_chat"]


def run(deviation: Deviation, name: str) -> list[ToolCall]:
    return drive(name, [*deviation.chunks, DONE]).calls


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("deviation", HANDLED + SHOWN, ids=lambda d: f"{d.server}: {d.what}")
def test_deviation(deviation: Deviation, name: str) -> None:
    calls = run(deviation, name)
    found = tuple(
        call.arguments if call.status == "complete" else str(call.status) for call in calls
    )
    assert found == deviation.calls
    for call in calls:
        assert call.name in ("wx", "now")
        if call.status != "complete":
            assert call.correction()


def test_each_that_is_only_shown_has_its_reason() -> None:
    assert all(deviation.why for deviation in SHOWN)
    assert not any(deviation.why for deviation in HANDLED)


def test_every_server_is_there() -> None:
    assert {deviation.server for deviation in HANDLED} >= {
        "Azure", "DeepSeek", "Qwen", "Gemini", "xAI", "OpenRouter", "vLLM", "SGLang", "llama.cpp",
        "LM Studio", "LMDeploy", "Copilot", "Anthropic", "TGI", "Groq", "Ollama", *LEFT,
    }  # fmt: skip


def test_special_tokens_in_a_name_are_passed_on() -> None:
    """Which tool was meant is for the harness to say: it knows its tools."""
    name = "wx<|channel|>commentary"
    (call,) = drive("openai_chat", [chunk(entry(TEXT_A, 0, id="c1", name=name)), END]).calls
    assert (call.name, call.arguments) == (name, A)


@pytest.mark.parametrize(
    "error",
    [
        {
            "error": {"code": 502, "message": "Provider returned error"},
            "choices": [{"index": 0, "delta": {"content": ""}, "finish_reason": "error"}],
        },
        {"error": {"code": 500, "message": "Invalid diff: now finding less", "type": "x"}},
        {"error": {"message": "Failed to call a function", "code": "tool_use_failed"}},
    ],
    ids=["OpenRouter: beside choices", "llama.cpp: amid the arguments", "Groq: instead of a call"],
)
def test_errors_in_the_stream(error: Any) -> None:
    accumulator = Accumulator("openai_chat")
    accumulator.feed(chunk(entry('{"city": "Os', 0, id="c1", name="wx")))
    events = accumulator.feed(error)
    assert [event.type for event in events] == ["tool_call_closed", "stream_failed"]
    assert [call.status for call in accumulator.calls] == ["incomplete"]
    assert accumulator.error is not None
    assert accumulator.error.code == str(error["error"]["code"])


def test_ids_that_come_again_in_a_later_turn() -> None:
    """Kimi's and Cloudflare's, ``functions.wx:0``: a key tells the turns apart, an id does not."""
    seen: set[Any] = set()
    accumulator = Accumulator("openai_chat", seen=seen)
    for turn in ("r1", "r2"):
        whole = chunk(entry(TEXT_A, 0, id="functions.wx:0", name="wx"), finish="tool_calls")
        accumulator.feed({**whole, "id": turn})
        (call,) = accumulator.ready()
        seen.add(call.key)
        assert accumulator.ready() == []
        accumulator.reset()
    assert {key[0] for key in seen} == {"r1", "r2"}


def test_thought_signatures_in_litellms_chunks_are_kept() -> None:
    fields = {"thought_signature": "c2ln"}
    whole = entry(TEXT_A, 0, id="c1", name="wx", provider_specific_fields=fields)
    (call,) = drive("litellm", [chunk(whole), END]).calls
    assert call.extra["provider_specific_fields"] == fields


def test_the_names_read_the_same() -> None:
    adapters = {vendors.adapter(name) for name in NAMES if name != "auto"}
    assert adapters == {vendors.openai_chat.Adapter}


@pytest.mark.parametrize("spelled", [int, float, str])
def test_an_index_counts_however_it_is_spelled(spelled: Any) -> None:
    def chunk(index: int, finish: str | None = None, **function: str) -> Any:
        entry = {"index": spelled(index), "function": function}
        if "name" in function:
            entry["id"] = f"call_{index}"
        return {"choices": [{"delta": {"tool_calls": [entry]}, "finish_reason": finish}]}

    accumulator = Accumulator("openai_chat")
    for each in (
        chunk(0, name="list_files", arguments=""), chunk(1, name="delete", arguments=""),
        chunk(0, arguments='{"path":"/tmp"}'), chunk(1, "tool_calls", arguments='{"path":"x"}'),
    ):  # fmt: skip
        accumulator.feed(each)
    assert [(call.name, call.arguments) for call in accumulator.ready()] == [
        ("list_files", {"path": "/tmp"}),
        ("delete", {"path": "x"}),
    ]
