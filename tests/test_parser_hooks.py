"""The hooks of ``json`` in ``Parser``: order, exceptions, and what they may not do."""

import threading
from typing import Any

import pytest
from comparison import HOOKS, error_of, exactly, fed, feed_all, json_loads
from fragmentation import fragmentations

from fragjson import JSONDecodeError, Parser, loads
from fragjson.testing import units


def test_hooks_take_and_give_as_in_json() -> None:
    text = '{"a":{"b":[1,2.5,NaN,-Infinity,[[]]]},"a":{"c":3e2},"d":[{"e":[]}]}'
    options: dict[str, Any] = {
        "object_pairs_hook": lambda pairs: ("pairs", pairs),
        "object_hook": lambda members: ("members", members),
        "array_hook": lambda items: ("items", items),
        "parse_int": lambda digits: ("int", digits),
        "parse_float": lambda digits: ("float", digits),
        "parse_constant": lambda word: ("constant", word),
    }
    for used in (*([name] for name in HOOKS), ["object_pairs_hook", "object_hook"],
                 ["object_hook", "array_hook"], list(HOOKS)):  # fmt: skip
        hooks = {name: options[name] for name in used}
        right = exactly(json_loads(text, **hooks))
        assert exactly(loads(text, **hooks)) == right
        for _, fragments in fragmentations(text):
            assert exactly(fed(*fragments, **hooks).close()) == right


def test_a_hook_runs_once_for_each_object_inner_ones_first() -> None:
    calls: list[Any] = []
    parser = Parser(object_hook=lambda members: calls.append(dict(members)) or len(calls))
    feed_all(parser, units('{"a":{"b":1},"c":{}}'))
    assert calls == [{"b": 1}, {}, {"a": 1, "c": 2}]
    assert parser.close() == 3


@pytest.mark.parametrize("name", HOOKS)
def test_an_exception_of_a_hook_passes_unchanged_and_stops_the_parser(name: str) -> None:
    class MineError(Exception):
        pass

    mine = MineError("x")

    def stop(_: Any) -> None:
        raise mine

    parser = Parser(**{name: stop})
    with pytest.raises(MineError) as caught:
        parser.feed('[1.0,"a",NaN ,{"b":"c"},3,[]')
    assert caught.value is mine
    assert parser.status == "invalid"
    assert type(parser.error) is JSONDecodeError
    assert parser.error.msg == "A hook raised MineError"
    assert isinstance(parser.value, list)
    for later in (lambda: parser.feed("5"), parser.close):
        error = error_of(later)
        assert type(error) is JSONDecodeError
        assert error == parser.error
    parser.reset()
    assert parser.feed('["x"') == ()
    assert parser.value == ["x"]


def test_where_a_hook_raises_is_the_same_for_every_fragmentation() -> None:
    text = '[{"a":1.5,"b":[2]},"x",{"c":NaN},-3 ,{}]'
    names = ("object_hook", "array_hook", "parse_float", "parse_int", "parse_constant")
    for stop_at in range(1, 10):
        outcomes = set()
        for name, fragments in fragmentations(text):
            calls: list[Any] = []

            def hook(argument: Any, calls: list[Any] = calls, stop_at: int = stop_at) -> Any:
                calls.append(argument)
                return argument if len(calls) < stop_at else 1 // 0

            parser = Parser(**dict.fromkeys(names, hook))
            with pytest.raises(ZeroDivisionError):
                feed_all(parser, fragments)
            error = parser.error
            assert error is not None, name
            outcomes.add((exactly(calls), exactly(parser.value), error.pos, error.stopped_at))
        assert len(outcomes) == 1


def test_a_hook_that_raises_at_the_close_of_a_root_number_stops_the_parser_too() -> None:
    def stop(_: str) -> None:
        raise KeyboardInterrupt

    parser = fed("12", parse_int=stop)
    with pytest.raises(KeyboardInterrupt):
        parser.close()
    assert parser.status == "invalid"
    assert parser.error.msg == "A hook raised KeyboardInterrupt"


@pytest.mark.parametrize("misuse", ["feed", "close", "reset"])
@pytest.mark.parametrize("name", ["object_hook", "array_hook", "parse_int"])
def test_the_parser_may_not_be_driven_from_inside_a_hook(misuse: str, name: str) -> None:
    raised: list[BaseException] = []

    def hook(argument: Any) -> Any:
        try:
            parser.feed("1") if misuse == "feed" else getattr(parser, misuse)()
        except RuntimeError as error:
            raised.append(error)
        return argument

    parser = Parser(**{name: hook})
    parser.feed('[{"a":1},2')
    parser.feed("]")
    assert parser.status == "complete"
    assert len(raised) == {"object_hook": 1, "array_hook": 1, "parse_int": 2}[name]


def test_a_hook_may_look_at_the_parser() -> None:
    seen: list[Any] = []

    def hook(members: Any) -> Any:
        seen.append((parser.status, parser.path, parser.is_complete(), exactly(parser.snapshot())))
        seen.append(exactly(parser.value))
        return members

    for name in ("object_hook", "array_hook"):
        seen.clear()
        parser = Parser(**{name: hook})
        parser.feed('[{"a":1}]')
        assert len(seen) == 2
        assert parser.close() == [{"a": 1}]


def test_one_thread_at_a_time_may_feed() -> None:
    entered, leave = threading.Event(), threading.Event()

    def hook(digits: str) -> int:
        entered.set()
        assert leave.wait(30)
        return int(digits)

    parser = Parser(parse_int=hook)
    thread = threading.Thread(target=parser.feed, args=("[1]",))
    thread.start()
    assert entered.wait(30)
    try:
        for use in (lambda: parser.feed("x"), parser.close, parser.reset):
            with pytest.raises(RuntimeError):
                use()
    finally:
        leave.set()
        thread.join()
    assert parser.close() == [1]
