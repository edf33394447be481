"""``_bytes.h`` by itself, through ctypes: each piece against what it claims to be.

The block scanners against their plain definition, the UTF-8 step against Python's decoder, the
short way to a double against ``float``, the table of numbers against ``json``.

The header is compiled twice, as this processor runs it and as others do.
"""

import ctypes
import json
import random
import shlex
import subprocess
import sys
import sysconfig
from pathlib import Path

import pytest

HEADERS = Path(__file__).parents[1] / "src" / "fragjson"

SOURCE = """
#include "_bytes.h"
#define SCANNER(name, unit) \\
    ptrdiff_t test_##name(const unit *text, ptrdiff_t at, ptrdiff_t end, uint32_t *bits) \\
    { return name(text, at, end, bits); }
SCANNER(scan_utf8, utf8_unit)
SCANNER(scan_latin1, latin1_unit)
SCANNER(scan_ucs2, ucs2_unit)
SCANNER(scan_ucs4, ucs4_unit)
int test_copy_plain(char *to, const char *from, size_t size, int lane)
{ return lane == 1 ? copy_plain(to, from, size, 1) : copy_plain(to, from, size, 2); }
ptrdiff_t test_copy_unescaped(const utf8_unit *text, ptrdiff_t at, ptrdiff_t end, int ascii_only,
                              utf8_unit *to, ptrdiff_t *written, uint32_t *bits)
{ return copy_unescaped(text, at, end, ascii_only, to, written, bits); }
int test_decode_utf8(const utf8_unit *bytes, ptrdiff_t size, uint32_t *code)
{ return decode_utf8(bytes, size, code); }
int test_scaled_double(uint64_t digits, int scale, double *value)
{ return scaled_double(digits, scale, value); }
int test_number_part(int part, int c)
{ return next_number_part[part][number_class[c]]; }
"""

CODECS = {"scan_utf8": 1, "scan_latin1": 1, "scan_ucs2": 2, "scan_ucs4": 4}


@pytest.fixture(scope="module", params=["as built here", "FRAGJSON_PORTABLE_SCAN"])
def header(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> ctypes.CDLL:
    if sys.platform == "win32":
        pytest.skip("compiled by hand with a Unix compiler only")
    folder = tmp_path_factory.mktemp("bytes")
    (folder / "bytes.c").write_text(SOURCE)
    compiler = shlex.split(sysconfig.get_config_var("CC") or "cc")
    switch = [] if request.param == "as built here" else [f"-D{request.param}"]
    flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC", f"-I{HEADERS}"]
    subprocess.run(
        [*compiler, *flags, *switch, "bytes.c", "-o", "bytes.so"], cwd=folder, check=True
    )
    return ctypes.CDLL(str(folder / "bytes.so"))


def scanned(header: ctypes.CDLL, name: str, units: list[int], at: int) -> tuple[int, int]:
    width = CODECS[name]
    memory = b"".join(unit.to_bytes(width, sys.byteorder) for unit in units)
    function = getattr(header, f"test_{name}")
    function.restype = ctypes.c_ssize_t
    bits = ctypes.c_uint32()
    stop = function(memory, ctypes.c_ssize_t(at), ctypes.c_ssize_t(len(units)), ctypes.byref(bits))
    return stop, bits.value


def ends_run(name: str, unit: int) -> bool:
    if unit in (0x22, 0x5C) or unit < 0x20:
        return True
    if name == "scan_utf8":
        return unit >= 0x80
    return name != "scan_latin1" and (0xD800 <= unit <= 0xDFFF or unit > 0x10FFFF)


def storage_class(bits: int) -> int:
    return 0 if bits < 0x80 else 1 if bits < 0x100 else 2 if bits < 0x10000 else 3


@pytest.mark.parametrize("name", CODECS)
def test_a_scanner_stops_at_the_first_unit_that_ends_a_run(header: ctypes.CDLL, name: str) -> None:
    rng = random.Random(20)
    borders = [0x1F, 0x20, 0x21, 0x22, 0x23, 0x5B, 0x5C, 0x5D, 0x7F, 0x80, 0xFF, 0x100, 0xD7FF]
    borders += [0xD800, 0xDC00, 0xDFFF, 0xE000, 0xFFFF, 0x10000, 0x10FFFF, 0x110000, 0xFFFFFFFF]
    borders = [unit for unit in borders if unit < 1 << 8 * CODECS[name]]
    for _ in range(20_000):
        ends = rng.random() < 0.9
        units = [rng.choice((0x41, 0x7A, 0x20)) for _ in range(rng.randint(0, 70))]
        for _ in range(rng.randint(0, 3) if ends and units else 0):
            units[rng.randrange(len(units))] = rng.choice(borders)
        at = rng.randint(0, len(units))
        right = next((i for i in range(at, len(units)) if ends_run(name, units[i])), len(units))
        stop, bits = scanned(header, name, units, at)
        assert stop == right, (units, at)
        assert storage_class(bits) == storage_class(max([0, *units[at:right]])), (units, at)


@pytest.mark.parametrize(("name", "lane"), [("scan_latin1", 1), ("scan_ucs2", 2)])
def test_a_short_run_is_copied_if_nothing_in_it_ends_it(
    header: ctypes.CDLL, name: str, lane: int
) -> None:
    largest = (1 << 8 * lane) - 1
    for size in range(16 // lane + 1):
        for at in range(max(size, 1)):
            for unit in range(0, largest + 1, 1 if lane == 1 or at == size // 2 else 41):
                units = [0x41] * size
                if size:
                    units[at] = unit
                run = b"".join(unit.to_bytes(lane, sys.byteorder) for unit in units)
                target = ctypes.create_string_buffer(b"?" * 20, 20)
                copied = header.test_copy_plain(target, run, ctypes.c_size_t(len(run)), lane)
                assert copied == (not any(ends_run(name, unit) for unit in units)), units
                expected = run if copied else b"?" * len(run)
                assert target.raw == expected + b"?" * (20 - len(run)), units


def unescaped(text: bytes, ascii_only: bool) -> tuple[int, bytes]:
    """What copy_unescaped is to do: how far, and what it says."""
    meanings = {b"n": b"\n", b"t": b"\t", b"r": b"\r", b"b": b"\b", b"f": b"\f"}
    said = b""
    at = 0
    while at < len(text):
        if text[at : at + 1] == b"\\":
            letter = text[at + 1 : at + 2]
            meaning = letter if letter in (b'"', b"/", b"\\") else meanings.get(letter)
            if meaning is None:
                break
            said += meaning
            at += 2
        elif ends_run("scan_latin1", text[at]) or (ascii_only and text[at] >= 0x80):
            break
        else:
            said += text[at : at + 1]
            at += 1
    return at, said


@pytest.mark.parametrize("ascii_only", [False, True])
def test_short_escapes_are_copied_as_what_they_stand_for(
    header: ctypes.CDLL, ascii_only: bool
) -> None:
    rng = random.Random(21)
    pieces = [b"a", b"plain and long", b"\\n", b"\\\\", b'\\"', b"\\/", b"\\t", b"\xe9"]
    ends = [b'"', b"\n", b"\\u0041", b"\\x", b"\\", b"\\\xe9", b""]
    function = header.test_copy_unescaped
    function.restype = ctypes.c_ssize_t
    for _ in range(20_000):
        text = b"".join(rng.choices(pieces, (6, 3, 4, 1, 1, 1, 1, 1), k=rng.randint(0, 12)))
        text += rng.choice(ends)
        target = ctypes.create_string_buffer(b"?" * (len(text) + 1), len(text) + 1)
        written, bits = ctypes.c_ssize_t(), ctypes.c_uint32()
        stop = function(
            text, ctypes.c_ssize_t(0), ctypes.c_ssize_t(len(text)), ascii_only,
            target, ctypes.byref(written), ctypes.byref(bits),
        )  # fmt: skip
        right, said = unescaped(text, ascii_only)
        assert (stop, target.raw[: written.value]) == (right, said), text
        assert target.raw[len(text) :] == b"?", text  # nothing behind the room is touched
        assert storage_class(bits.value) == storage_class(max([0, *said])), text


def test_the_utf8_step_agrees_with_pythons_decoder(header: ctypes.CDLL) -> None:
    rng = random.Random(21)
    followers = (0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0)
    code = ctypes.c_uint32()
    seen = set()
    for _ in range(100_000):
        lead = rng.randint(0x80, 0xFF)
        text = bytes([lead, *rng.choices(followers, k=3)])[: rng.randint(1, 4)]
        length = header.test_decode_utf8(text, ctypes.c_ssize_t(len(text)), ctypes.byref(code))
        try:
            whole = text.decode("utf-8", "surrogatepass")
            right = len(whole[0].encode("utf-8", "surrogatepass"))
        except UnicodeDecodeError as error:
            if error.start > 0:
                whole = text[: error.start].decode("utf-8", "surrogatepass")
                right = len(whole[0].encode("utf-8", "surrogatepass"))
            else:
                # Cut if some continuation makes it a character, else wrong.
                ends = [bytes([last] * (n + 1)) for last in (0x80, 0xBF) for n in range(3)]
                right = 0 if any(is_character(text + end) for end in ends) else -1
        seen.add(right)
        assert length == right, text.hex()
        if right > 0:
            assert code.value == ord(whole[0])
    assert seen == {-1, 0, 2, 3, 4}


def is_character(text: bytes) -> bool:
    try:
        return len(text.decode("utf-8", "surrogatepass")) == 1
    except UnicodeDecodeError:
        return False


def test_the_short_way_to_a_double_is_exact_or_not_taken(header: ctypes.CDLL) -> None:
    rng = random.Random(22)
    value = ctypes.c_double()
    taken = 0
    for _ in range(100_000):
        digits, scale = rng.randint(0, 10 ** rng.randint(1, 19)), rng.randint(-30, 30)
        if header.test_scaled_double(ctypes.c_uint64(digits), scale, ctypes.byref(value)):
            taken += 1
            assert value.value.hex() == float(f"{digits}e{scale}").hex(), (digits, scale)
    assert 30_000 < taken < 100_000


def test_the_table_of_numbers_is_the_grammar(header: ctypes.CDLL) -> None:
    rng = random.Random(23)
    for _ in range(20_000):
        text = "".join(rng.choices("0123456789..eE+--", k=rng.randint(1, 8)))
        part = header.test_number_part(0, ord(text[0]))
        for c in text[1:]:
            part = header.test_number_part(part, ord(c)) if part else 0
        try:
            json.loads(text)
            right = True
        except ValueError:
            right = False
        assert (part in (2, 3, 5, 8)) == right, text
