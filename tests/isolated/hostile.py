"""Hostile sizes: memory and time stay within what the input pays for, or a limit says so in time.

    python tests/isolated/hostile.py NAME SCALE      SCALE 1.0 is the full size, which takes minutes

Each function prints its figures and asserts its bounds: seconds, and how far the peak of resident
memory rises. The full sizes: ten million brackets, 1 GB of small documents, 100,000 keys that
collide in the key cache, a 100 MB string, ten million empty fragments, thousands of paths, 100,000
calls at once.
"""

# ruff: noqa: PT017 - not run by pytest

import json
import random
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice, product
from pathlib import Path
from typing import Any

from fragjson import Accumulator, LimitExceededError, MalformedJSONError, Parser, iterparse, loads

SIZES: dict[str, Callable[[float], None]] = {}
MB = 1 << 20
SLOW = 4
"""A busy machine, or a build with checks, may take so many times as long."""


def size(function: Callable[[float], None]) -> Callable[[float], None]:
    SIZES[function.__name__] = function
    return function


def peak() -> int:
    """The most bytes of memory this process has had; getrusage would count its parent's, too."""
    try:
        status = Path("/proc/self/status").read_text("ascii")
    except OSError:
        return 0  # not Linux: only the times are checked
    return int(status.partition("VmHWM:")[2].split()[0]) * 1024


def measured(act: Callable[[], Any]) -> tuple[float, int]:
    """Seconds, and by how many bytes the peak of memory rises."""
    before, begun = peak(), time.perf_counter()
    act()
    return time.perf_counter() - begun, peak() - before


def scaled(count: int, scale: float) -> int:
    return max(int(count * scale), 1000)


def check_linear(act: Callable[[int], Any], count: int) -> None:
    """Four times as much takes about four times as long: quadratic would be sixteen."""
    act(count // 4)
    small, _ = measured(lambda: act(count // 4))
    large, grown = measured(lambda: act(count))
    print(f"  {count}: {large:.2f} s, +{grown / MB:.1f} MB; a quarter of it {small:.2f} s")
    assert large < 9 * small + 0.2, "not linear"


@size
def brackets_beyond_the_limit(scale: float) -> None:
    """By default the 1001st bracket is an error, whatever follows."""
    text = "[" * scaled(10_000_000, scale)
    for act in (
        lambda: Parser().feed(text),
        lambda: loads(text),
        lambda: Parser().feed(text.encode()),
    ):
        begun = time.perf_counter()
        try:
            act()
        except LimitExceededError as error:
            assert isinstance(error, RecursionError)
            assert error.pos == error.stopped_at == 1000
        else:
            raise AssertionError("no limit")
        assert time.perf_counter() - begun < 0.5 * SLOW


@size
def brackets_without_a_limit(scale: float) -> None:
    """A caller who lifts the limit gets what they asked for, and can drop it again."""
    count = scaled(10_000_000, scale)

    def act(count: int) -> None:
        parser = Parser(max_depth=count)
        for _ in range(count // 1000):
            parser.feed("[" * 500 + "[" * 500)
        inner = parser.snapshot()
        del inner
        for _ in range(count // 1000):
            parser.feed("]" * 1000)
        assert parser.status == "complete"

    check_linear(act, count)
    print(f"  {peak() / count:.0f} bytes of the peak for each level")
    assert peak() < 80 * MB + 700 * count


@size
def small_documents(scale: float) -> None:
    """1 GB through iterparse, generated as it is read; the memory is that of one document."""
    document = json.dumps({"id": 17, "name": "Jos\u00e9", "tags": ["a", "b"], "x": None}) + "\n"
    chunk = document * 1000
    count = scaled(1_000_000_000, scale) // len(chunk)

    def act(make: Callable[[], Iterator[Any]], **options: Any) -> None:
        found = 0
        for value in iterparse(make(), multiple_values=True, **options):
            found += value["id"] == 17
        assert found == count * 1000

    for name, make, options in (
        ("str", lambda: (chunk for _ in range(count)), {}),
        ("bytes", lambda: (chunk.encode() for _ in range(count // 1)), {"max_bytes": 10_000}),
    ):
        seconds, grown = measured(lambda: act(make, **options))  # noqa: B023
        print(
            f"  {count * len(chunk) / 1e6:.0f} MB of {name}: {seconds:.1f} s, +{grown / MB:.1f} MB"
        )
        assert grown < 8 * MB


@size
def documents_in_one_chunk(scale: float) -> None:
    """Many documents in one chunk, with every option that looks at the chunk."""
    options: list[dict[str, Any]] = [
        {}, {"max_bytes": 1 << 30}, {"max_string": 100}, {"keep_text": True},
    ]  # fmt: skip
    for each in options:
        for convert in (str, str.encode, lambda text: memoryview(text.encode())):

            def act(count: int, each: Any = each, convert: Any = convert) -> None:
                text = convert('{"a":1} ' * count)
                assert sum(1 for _ in iterparse([text], multiple_values=True, **each)) == count

            check_linear(act, scaled(200_000, scale))


@size
def colliding_keys(scale: float) -> None:
    """Keys that all fall into one slot of the key cache only make it useless."""
    count = scaled(100_000, scale)
    keys = list(islice(same_slot(), count))

    def act(count: int, keys: list[str] = keys) -> None:
        text = "{" + ",".join(f'"{key}":1' for key in keys[:count]) + "}"
        assert len(loads(text)) == count
        parser = Parser(events={"end"})
        assert len(parser.feed(text)) == count + 1

    check_linear(act, count)
    spread = [f"{number:08x}" for number in random.Random(1).sample(range(1 << 32), count)]
    one, _ = measured(lambda: act(count))
    other, _ = measured(lambda: act(count, spread))
    print(f"  colliding {one:.2f} s, random {other:.2f} s")
    assert one < 3 * other + 0.1


def same_slot() -> Iterator[str]:
    """Keys whose hash in _text.h (FNV-1a, its high half folded in) ends in the same six bits."""
    for letters in product("abcdefghijklmnop", repeat=8):
        value = 0x811C9DC5
        for letter in letters:
            value = (value ^ ord(letter)) * 0x01000193 & 0xFFFFFFFF
        if (value ^ value >> 15) & 63 == 0:
            yield "".join(letters)


@size
def long_strings(scale: float) -> None:
    """A string of 100 MB, whole and in fragments, looked at after each."""
    count = scaled(100_000_000, scale)
    for letter, bytes_each in (("x", 1), ("é", 1), ("水", 2), ("😀", 4)):
        fragment = letter * 1000
        act_grown = 0

        def act(count: int, fragment: str = fragment) -> None:
            parser = Parser()
            parser.feed('["')
            for _ in range(count // 1000):
                parser.feed(fragment)
                assert parser.value[0]
            parser.feed('"]')
            assert len(parser.value[0]) == count // 1000 * 1000

        _, act_grown = measured(lambda: act(count))
        print(f"  {letter!r}: +{act_grown / MB:.1f} MB for {count * bytes_each / MB:.1f} MB")
        assert act_grown < 3 * count * bytes_each + 4 * MB
        check_linear(act, count)


@size
def long_numbers(scale: float) -> None:
    """A number as long as a book is refused by the interpreter's limit, or is a float."""
    count = scaled(1_000_000, scale)
    for text in ("1" * count, "-" + "9" * count + " "):
        parser = Parser()
        try:
            parser.feed(text)
            parser.close()
        except LimitExceededError as error:
            assert "4300" in error.msg
        else:
            raise AssertionError("no limit")

    def act(count: int) -> None:
        assert loads("0." + "1" * count) == 1 / 9
        assert loads("1" * count + "e5") == float("inf")

    check_linear(act, count)


@size
def empty_fragments(scale: float) -> None:
    count = scaled(10_000_000, scale)
    for kind in ("", b""):
        for text in ('{"a":"b', "[1", '["\\ud83d', ""):
            parser = Parser(events={"delta"})
            parser.feed(text)
            value = parser.snapshot()

            def act(parser: Parser = parser, kind: Any = kind) -> None:
                feed = parser.feed
                for _ in range(count // 8):
                    feed(kind)

            seconds, grown = measured(act)
            assert seconds < count / 8 * 2e-6 * SLOW
            assert grown < MB
            assert parser.snapshot() == value
    kept = Parser(keep_text=True)
    for _ in range(count // 8):
        kept.feed("")
    assert kept.text == ""


@size
def many_small_fragments(scale: float) -> None:
    """The text is kept, a character at a time: it takes the room of the text, or a little more."""
    count = scaled(10_000_000, scale)

    def act() -> None:
        parser = Parser(keep_text=True)
        parser.feed('["')
        for _ in range(count):
            parser.feed("x")
        assert len(parser.text) == count + 2

    seconds, grown = measured(act)
    print(f"  {count} fragments kept: {seconds:.1f} s, +{grown / MB:.1f} MB")
    assert grown < 6 * count + 4 * MB


@size
def thousands_of_paths(scale: float) -> None:
    count = scaled(20_000, scale)

    def act(count: int) -> None:
        paths = [f"$.rows[*].f{number}" for number in range(count // 2)]
        paths += [f"$.rows[{number}].x" for number in range(count // 2)]
        row = '{"x":1,' + ",".join(f'"f{number}":1' for number in range(0, count // 2, 50)) + "}"
        rows = min(count, 500)
        parser = Parser(events={"end"}, paths=paths)
        found = parser.feed('{"rows":[' + ",".join([row] * rows) + "]}")
        assert len(found) >= rows

    seconds, grown = measured(lambda: act(count))
    print(f"  {count} paths: {seconds:.1f} s, +{grown / MB:.1f} MB")
    assert seconds < 20 * SLOW * max(scale, 0.05)


@size
def deep_paths(scale: float) -> None:
    """Events at every level of a deep document."""
    depth = scaled(10_000, scale)

    def act(depth: int) -> None:
        parser = Parser(max_depth=depth, events={"start"}, paths="$" + "[*]" * (depth - 1))
        parser.feed("[" * depth)
        assert len(parser.path) == depth - 1

    check_linear(act, depth)


@size
def storm_of_calls(scale: float) -> None:
    """Calls at 100,000 indexes at once, their fragments interleaved."""
    count = scaled(100_000, scale)

    def act(count: int) -> None:
        accumulator = Accumulator("openai_chat")
        for text in ('{"n":', '"x', '"}'):
            for index in range(count):
                function = (
                    {"name": "f", "arguments": text} if text[0] == "{" else {"arguments": text}
                )
                entry = {"index": index, "function": function}
                if text[0] == "{":
                    entry["id"] = f"c{index}"
                choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": None}
                accumulator.feed({"choices": [choice]})
        accumulator.feed({"choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]})
        assert len(accumulator.ready()) == count

    check_linear(act, count)
    print(f"  {peak() / count:.0f} bytes of the peak for each call")
    assert peak() < 80 * MB + 8000 * count


@size
def calls_that_are_only_mentioned(scale: float) -> None:
    """An index or an id, and nothing more, 100,000 times; then the end."""

    def act(count: int) -> None:
        accumulator = Accumulator("openai_chat")
        for index in range(count):
            entry = {"index": index, "function": {}}
            accumulator.feed({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]})
        accumulator.feed("[DONE]")
        assert accumulator.close() == []
        assert accumulator.calls == []

    check_linear(act, scaled(100_000, scale))


@size
def finishes_again_and_again(scale: float) -> None:
    """As many finish reasons as calls: the calls that are over cost no more."""

    def act(count: int) -> None:
        accumulator = Accumulator("openai_chat")
        for index in range(count):
            entry = {
                "index": index,
                "id": f"c{index}",
                "function": {"name": "f", "arguments": "{}"},
            }
            choice = {"index": 0, "delta": {"tool_calls": [entry]}, "finish_reason": "tool_calls"}
            accumulator.feed({"choices": [choice]})
        assert len(accumulator.ready()) == count

    check_linear(act, scaled(20_000, scale))


@size
def white_space_without_end(scale: float) -> None:
    """Arguments that are only white space, in fragments that each have an id of their own."""

    def act(count: int) -> None:
        accumulator = Accumulator("openai_chat")
        for number in range(count):
            function = {"name": "f", "arguments": ""} if number == 0 else {"arguments": " " * 20}
            entry = {"index": 0, "id": f"c{number}", "function": function}
            accumulator.feed({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]})
        assert len(accumulator.calls) == 1

    check_linear(act, scaled(50_000, scale))


@size
def repeated_wholes(scale: float) -> None:
    """The same whole call sent again 100,000 times, as text after the whole."""

    def act(count: int) -> None:
        accumulator = Accumulator("openai_chat")
        for number in range(count):
            function = {"arguments": '{"a": [1, 2]}', **({"name": "f"} if number == 0 else {})}
            entry = {"index": 0, "id": "c", "function": function}
            accumulator.feed({"choices": [{"index": 0, "delta": {"tool_calls": [entry]}}]})
        assert accumulator.calls[0].duplicates == count - 1

    check_linear(act, scaled(50_000, scale))


@size
def errors_in_long_lines(scale: float) -> None:
    """An error at the end of much text costs the fragment, not the text."""
    count = scaled(10_000_000, scale)

    def act(count: int) -> None:
        parser = Parser()
        parser.feed("[" + "1," * (count // 2) + "\n" * 1000)
        for _ in range(1000):
            parser.feed('"\\n",')
        for _ in range(300):
            try:
                parser.feed("}")
            except MalformedJSONError as error:
                assert error.lineno == 1001

    check_linear(act, count)


def main() -> None:
    name, scale = sys.argv[1], float(sys.argv[2])
    print(name)
    SIZES[name](scale)
    print(f"  peak {peak() / MB:.0f} MB")


if __name__ == "__main__":
    main()
