"""What ``replay`` draws in a terminal: frames that fit, values that are true, a screen restored."""

import io
import json
import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from recordings import OWN, RECORDINGS, Recording
from rich.console import Console
from strategies import examples
from terminals import STREAMS, run_in_terminal

from fragjson._cli.fitting import head, tail
from fragjson._cli.live import LiveView
from fragjson._cli.views import COLUMNS
from fragjson._cli.wording import json_text, path_text
from fragjson._showing import cells, visible
from fragjson.paths import parse_path
from fragjson.testing import WRITERS
from fragjson.toolcalls import Accumulator, StreamEvent

on_posix = pytest.mark.skipif(sys.platform == "win32", reason="no pseudo-terminals on Windows")
OWN_SCREEN, BACK = "\x1b[?1049h", "\x1b[?1049l"
HIDDEN, SHOWN = "\x1b[?25l", "\x1b[?25h"
NO_WRAP, WRAP = "\x1b[?7l", "\x1b[?7h"
TEXT = st.text() | st.text(alphabet="ab潮汐e\u0301\u200d👨👩🏽❤\ufe0f\x1b\x9b\u202e\n\"'\\")


class Screen:
    """A view, and the console it is drawn on."""

    def __init__(self, *, width: int = 80, height: int = 24, **options: Any) -> None:
        self.accumulator = Accumulator(events=LiveView.events, **options)
        self._file = io.StringIO()
        self.console = Console(file=self._file, width=width, height=height, highlight=False)
        self.view = LiveView(self.accumulator, self.console)

    def feed(self, lines: Sequence[str]) -> "Screen":
        for line in lines:
            self.view.take(self.accumulator.feed, line)
            self.view.chunks += 1
        return self

    def close(self) -> "Screen":
        self.view.take(self.accumulator.close)
        return self

    def frame(self) -> list[str]:
        """The lines as they are drawn now."""
        self._file.truncate(self._file.seek(0))
        self.console.print(self.view)
        return [line.rstrip() for line in self._file.getvalue().split("\n")[:-1]]

    def end(self) -> str:
        """What is printed to stay."""
        self._file.truncate(self._file.seek(0))
        self.view.finish()
        return self._file.getvalue()


def written(*calls: tuple[str, Any], size: int = 4) -> list[str]:
    def cut(text: str) -> list[str]:
        return [text[at : at + size] for at in range(0, len(text), size)]

    return WRITERS["openai_chat"].write(*calls, cut=cut)


def after(text: str, lines: list[str]) -> list[str]:
    """The lines up to the one that completes a text of the arguments."""
    joined = ""
    for place, line in enumerate(lines):
        for call in json.loads(line)["choices"][0]["delta"].get("tool_calls", ()):
            joined += call["function"].get("arguments", "")
        if joined.endswith(text):
            return lines[: place + 1]
    raise AssertionError(f"{text!r} is not at the end of a line")


def test_fields_are_open_and_then_closed() -> None:
    lines = written(("find", {"query": "tides", "limit": 3, "tags": ["a"]}), size=1)
    screen = Screen().feed(after('"query": "ti', lines))
    top, title, *rows = screen.frame()
    assert top.startswith("14 chunks, 1 call, the first after 0.")
    assert title.startswith("#1 find (call_0)  streaming, 13 fragments, ")
    assert [row.split() for row in rows] == [["open", "$.query", '"ti']]
    screen.feed(after('["a', lines)[14:])
    assert [row.split() for row in screen.frame()[2:]] == [
        ["closed", "$.query", '"tides"'], ["closed", "$.limit", "3"],
        ["open", "$.tags", "[…"], ["open", "$.tags[0]", '"a'],
    ]  # fmt: skip
    screen.feed(lines[len(after('["a', lines)) :])
    assert [row.split() for row in screen.frame()[2:]] == [
        ["closed", "$.query", '"tides"'], ["closed", "$.limit", "3"], ["closed", "$.tags", '["a"]'],
    ]  # fmt: skip


def test_an_open_string_shows_its_end_and_its_length() -> None:
    lines = written(("write", {"text": "x" * 1500 + "the end"}), size=1)
    so_far = after("the end", lines)
    row = Screen().feed(so_far).frame()[2]
    assert row.startswith("   open    $.text  …xxx")
    assert row.endswith("the end  (1,507 characters so far)")
    row = Screen().feed(lines).frame()[2]
    assert row.startswith('   closed  $.text  "xxx')
    assert row.endswith("xxx…  (1,507 characters)")


def test_a_container_takes_the_place_of_its_members() -> None:
    rows = [{"id": number, "name": "é" * 40} for number in range(300)]
    lines = written(("write", {"rows": rows, "done": True}), size=50)
    screen = Screen(height=10).feed(lines[: len(lines) // 2])
    frame = screen.frame()
    assert len(frame) == 10
    assert frame[2].startswith("   … after ")
    assert all("$.rows[" in row for row in frame[3:])
    assert [row.split()[:2] for row in screen.feed(lines[len(lines) // 2 :]).frame()[2:]] == [
        ["closed", "$.rows"], ["closed", "$.done"],
    ]  # fmt: skip
    assert "…  (300 items)" in screen.end()


def test_what_does_not_fit_is_counted() -> None:
    calls = [(f"tool_{place}", {"a": place, "b": "c"}) for place in range(40)]
    for height in (1, 2, 5, 24, 41, 42, 200):
        screen = Screen(height=height)
        for line in written(*calls, size=20):
            frame = screen.feed([line]).frame()
            assert len(frame) <= max(height, 3)
        titles = sum(row.startswith("#") for row in frame)
        hidden = [int(row.split()[2]) for row in frame if "more call" in row]
        if height > 3:
            assert titles + sum(hidden) == 40
        assert "#40 tool_39" in " ".join(frame) or height < 3


def test_text_that_is_not_json() -> None:
    item = {"type": "custom_tool_call", "id": "i", "call_id": "c", "name": "run", "input": ""}
    delta = {"type": "response.custom_tool_call_input.delta", "item_id": "i", "output_index": 0}
    screen = Screen(vendor="openai_responses").feed(
        [
            json.dumps({"type": "response.output_item.added", "output_index": 0, "item": item}),
            json.dumps({**delta, "delta": "print(1)\n"}),
            json.dumps({**delta, "delta": "print(2)"}),
        ]
    )
    assert [row.split(maxsplit=2) for row in screen.frame()[2:]] == [
        ["open", "$", '"print(1)\\nprint(2)']
    ]
    done = {**item, "input": "print(1)\nprint(2)"}
    screen.feed(
        [
            json.dumps({"type": "response.output_item.done", "output_index": 0, "item": done}),
            json.dumps({"type": "response.completed", "response": {"status": "completed"}}),
        ]
    ).close()
    assert '   closed  $  "print(1)\\nprint(2)"\n' in screen.end()


def test_what_went_wrong_is_there() -> None:
    tools = {"find": {"properties": {"limit": {"maximum": 1}}}}
    screen = Screen(tools=tools).feed(written(("find", {"limit": 3}), ("eat", {})))
    printed = screen.close().end()
    assert "   wrong   $.limit: 3 is greater than" in printed
    assert "#2 eat (call_1)  invalid" in printed
    assert "   why  " not in printed
    assert "2 calls (2 invalid), " in printed
    screen = Screen().feed(written(("find", {"query": "tides"}))[:-3])
    screen.view.take(screen.accumulator.abort, "the user has left")
    printed = screen.end()
    assert "   why     the user has left\n" in printed
    assert "   cut     $.query  " in printed
    screen = Screen().feed(
        [*written(("find", {}))[:-1], '{"error": {"message": "Over\\u001bload"}}']
    )
    assert screen.frame()[-1] == "the stream failed: Over\\u001bload"
    assert "the stream failed: Over\\u001bload\n" in screen.close().end()


def test_a_long_name_leaves_the_figures_alone() -> None:
    printed = (
        Screen(clock=lambda: 0.0).feed(written(("n" * 90, {"a": 1}))).close().end().splitlines()
    )
    title, header, row = printed[0], *printed[-2:]
    assert title.endswith("…  complete, 2 fragments, 0.000 s")
    assert header.split() == ["#", "name", "status", "fragments", "bytes", "time", "duplicates"]
    assert row.split()[2:] == ["complete", "2", "8", "0.000", "s", "0"]


@pytest.mark.parametrize("width", [20, 30, 40, 52, 60, 80])
def test_where_there_is_little_room_the_last_columns_go_and_the_names_stay(width: int) -> None:
    screen = Screen(width=width, clock=lambda: 0.0)
    printed = screen.feed(written(("get_tides", {"a": 1}))).close().end().splitlines()
    header, row = printed[-2:]
    assert max(map(len, (header, row))) <= width
    assert " ".join(COLUMNS).startswith(" ".join(header.split()))
    assert row.split()[:3] == ["1", "get_tides", "complete"] or width == 20
    assert ("duplicates" in header) == (width > 60)


@pytest.mark.parametrize("width", [30, 40, 60, 80, 140])
@pytest.mark.parametrize("length", [1, 9, 15, 31, 64, 90])
def test_the_figures_of_a_title_make_room_for_the_name(length: int, width: int) -> None:
    name = "".join(chr(ord("a") + place % 26) for place in range(length))
    screen = Screen(width=width, clock=lambda: 0.0).feed(written((name, {"a": 1}))).close()
    title, *_ = screen.end().splitlines()
    assert "  complete" in title
    assert cells(title) <= width
    is_whole = len(f"#1 {name}  complete") <= width
    assert title.startswith(f"#1 {name} ") == is_whole
    assert ("…  complete" in title) == (not is_whole)
    for figures in ("", ", 2 fragments", ", 2 fragments, 0.000 s"):
        if len(f"#1 {name}  complete{figures}") <= width:
            assert f"  complete{figures}" in title


def test_no_frame_is_drawn_while_a_chunk_is_taken() -> None:
    """Frames come from a thread of rich's, and show the calls themselves."""
    first, *rest = written(("find", {"a": 1}))
    screen = Screen().feed([first])
    frames: list[list[str]] = []
    drawing = threading.Thread(target=lambda: frames.append(screen.frame()))

    def slowly(lines: list[str]) -> Iterator[StreamEvent]:
        drawing.start()
        drawing.join(0.1)  # time enough for a frame, were it not held up
        for line in lines:
            yield from screen.accumulator.feed(line)

    screen.view.take(lambda lines: list(slowly(lines)), rest)
    drawing.join()
    ((_, title, *_),) = frames
    assert "  complete, " in title


def test_a_long_call_is_cut_when_it_is_printed() -> None:
    screen = Screen().feed(written(("find", {f"m{place}": place for place in range(50)}))).close()
    printed = screen.end()
    assert printed.count("   closed  ") == 20
    assert "   … and 30 more fields\n" in printed


@pytest.mark.parametrize("recording", [*OWN, *RECORDINGS], ids=lambda each: each.name)
def test_every_recorded_stream_is_drawn(recording: Recording) -> None:
    screen = Screen(vendor=recording.vendor)
    for at in range(0, len(recording.lines), 20):
        frame = screen.feed(recording.lines[at : at + 20]).frame()
        assert len(frame) <= 24
        assert max(map(cells, frame)) <= 80
    printed = screen.close().end().splitlines()
    titles = [line.split()[1] for line in printed if line[:1] == "#" and line[1:2].isdigit()]
    assert titles == [str(call.name) for call in screen.accumulator.calls]


@examples(60)
@given(
    name=TEXT.filter(bool),
    arguments=st.dictionaries(TEXT, st.recursive(TEXT | st.integers(), st.lists, max_leaves=5)),
    width=st.integers(20, 100),
    height=st.integers(3, 30),
)
def test_no_frame_is_larger_than_the_screen_or_moves_the_cursor(
    name: str, arguments: dict[str, Any], width: int, height: int
) -> None:
    screen = Screen(width=width, height=height)
    for line in written((name, arguments), size=9):
        frame = screen.feed([line]).frame()
        assert len(frame) <= height
        assert max(map(cells, frame)) <= width
        assert visible("".join(frame)) == "".join(frame)
    printed = screen.close().end().replace("\n", "")
    assert visible(printed) == printed


@examples(200)
@given(text=TEXT, width=st.integers(0, 40))
def test_what_is_cut_fits_and_says_so(text: str, width: int) -> None:
    shown = json_text(text)
    for cut, rest in ((head, str.startswith), (tail, str.endswith)):
        kept = cut(shown, width)
        assert cells(kept) <= width
        if kept != shown:
            assert "…" in kept or width == 0
            assert rest(shown, kept.strip("…") if "…" not in text else "")
            assert cells(shown) > width


@pytest.mark.parametrize(
    ("text", "width", "beginning", "end"),
    [
        ("plain", 5, "plain", "plain"),
        ("plain", 4, "pla…", "…ain"),
        ("潮汐表", 5, "潮汐…", "…汐表"),
        ("潮汐表", 4, "潮…", "…表"),
        ("e\u0301e\u0301e\u0301", 2, "e\u0301…", "…e\u0301"),
        ("a\\nb", 3, "a…", "…b"),
        ("\\u001b\\u001b", 7, "\\u001b…", "…\\u001b"),
        ("\\u001b\\u001b", 6, "…", "…"),
        ("👍🏽👍🏽", 5, "👍🏽…", "…👍🏽"),
        ("👨\u200d👩\u200d👧x", 6, "…", "…x"),
        ("", 0, "", ""),
        ("a", 0, "", ""),
    ],
)
def test_cutting(text: str, width: int, beginning: str, end: str) -> None:
    assert (head(text, width), tail(text, width)) == (beginning, end)


@examples(100)
@given(st.lists(TEXT | st.integers(0, 99)))
def test_a_path_reads_back(path: list[str | int]) -> None:
    text = path_text(tuple(path))
    assert visible(text) == text
    assert parse_path(text) == tuple(path)


@on_posix
def test_in_a_terminal() -> None:
    done = run_in_terminal("replay", str(STREAMS / "anthropic.jsonl"), "--speed", "60")
    assert done.status == 0
    drawn, printed = done.output.split(BACK)
    assert drawn.index(OWN_SCREEN) < drawn.index("get_tides") < drawn.index("write_note")
    assert (drawn.count(HIDDEN), drawn.count(NO_WRAP), printed.count(WRAP)) == (1, 1, 1)
    assert (drawn + printed).rindex(SHOWN) > (drawn + printed).rindex(HIDDEN)
    assert "streaming" in drawn
    assert "streaming" not in printed
    assert "(2 complete)" in printed


@on_posix
@pytest.mark.parametrize(
    ("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 128 + signal.SIGTERM)]
)
def test_a_terminal_is_restored_when_it_is_stopped(number: int, status: int) -> None:
    done = run_in_terminal(
        "replay", str(STREAMS / "anthropic.jsonl"), "--speed", "10",
        interrupt_at="streaming", signal=number,
    )  # fmt: skip
    assert done.status == status
    drawn, printed = done.output.split(BACK)
    assert OWN_SCREEN in drawn
    assert WRAP in printed
    assert done.output.rindex(SHOWN) > done.output.rindex(HIDDEN)
    assert ("1 call (1 aborted)" in printed) == (number == signal.SIGINT)
    assert "Traceback" not in done.output


@on_posix
@pytest.mark.parametrize(
    "environment", [{"TERM": "dumb"}, {"PYTHONUTF8": "0", "PYTHONIOENCODING": "latin-1"}], ids=str
)
def test_a_terminal_that_cannot_be_drawn_on(environment: dict[str, str]) -> None:
    done = run_in_terminal(
        "replay", str(STREAMS / "anthropic.jsonl"), environment=environment
    )  # fmt: skip
    assert done.status == 0
    assert "\x1b" not in done.output
    assert "#1 get_tides (toolu_T1)" in done.output


@on_posix
def test_a_terminal_without_colour() -> None:
    done = run_in_terminal(
        "replay", str(STREAMS / "anthropic.jsonl"), environment={"NO_COLOR": "1"}
    )  # fmt: skip
    assert OWN_SCREEN in done.output
    assert not [colour for colour in range(30, 38) if f"\x1b[{colour}m" in done.output]


@on_posix
def test_without_rich(tmp_path: Any) -> None:
    (tmp_path / "sitecustomize.py").write_text("import sys\nsys.modules['rich'] = None\n")
    paths = [str(tmp_path), *filter(None, [os.environ.get("PYTHONPATH")])]
    done = run_in_terminal(
        "replay", str(STREAMS / "anthropic.jsonl"),
        environment={"PYTHONPATH": os.pathsep.join(paths)},
    )  # fmt: skip
    assert done.status == 0
    assert "\x1b" not in done.output
