# cython: language_level=3
"""The state machine: which characters may come, and what each run of them is.

What it is
    `advance()` reads one run of units and stops at each thing the engine must act on: a *step*.
    It can be left at the end of any run and resumed with the next, of another unit type too.
    Everything that decides what may come next lives in this file, and it knows no Python objects:
    it can neither raise nor allocate, and all of it is `noexcept nogil`.

States, and the characters that move them (white space passes between tokens)
    VALUE        a value is due: at the root, or after a colon
    FIRST_ITEM   after `[`: a value or `]`           NEXT_ITEM   after `,` in an array: a value
    FIRST_KEY    after `{`: a key or `}`             NEXT_KEY    after `,` in an object: a key
    COLON        after a key: `:`
    AFTER        after a value in a container: `,` or its closer
    END          after the root: nothing
    IN_STRING, IN_NUMBER, IN_LITERAL   inside a token (IN_STRING with in_key: inside a key)

Carried between runs
    in a string  how far an escape has come (escape, hex_value); a high surrogate that may yet join
                 a low one (held)
    in a number  which part of it has been reached (number), and the value of its digits so far
    in a literal how many of its letters have come (matched)
    always       positions: base, and those that an error would have to point back to
A UTF-8 sequence cut between fragments is the engine's to carry: the machine is run on the whole
character, as one UCS-4 unit.

Not its business: building values, nesting beyond a depth count (the engine tells it after CLOSE
whether it is in an object again), and the text of messages.
"""

from libc.stdint cimport uint32_t, uint64_t
from libc.string cimport memcpy

from fragjson._bytes cimport (
    copy_unescaped,
    decode_utf8,
    hex_value,
    latin1_unit,
    next_number_part,
    number_class,
    scan_latin1,
    scan_ucs2,
    scan_ucs4,
    scan_utf8,
    simple_escape,
    ucs2_unit,
    ucs4_unit,
    utf8_unit,
)

ctypedef fused unit:
    utf8_unit
    latin1_unit
    ucs2_unit
    ucs4_unit

cdef enum State:
    VALUE
    FIRST_ITEM
    NEXT_ITEM
    FIRST_KEY
    NEXT_KEY
    COLON
    AFTER
    END
    IN_STRING
    IN_NUMBER
    IN_LITERAL

cdef enum Step:
    MORE           # the run is used up
    CUT            # the rest of the run begins a UTF-8 sequence that it does not finish
    OPEN           # a container opened; in_object says which
    CLOSE          # the innermost container closed; in_object says which
    KEY            # a whole key without escapes: units start to stop, OR-ed into bits
    STRING         # a whole string value, likewise
    BEGIN          # a key or string value began that is not whole and plain
    TEXT           # part of it: units start to stop, OR-ed into bits
    CHARS          # part of it: char_count units of char_width bytes in chars, OR-ed into bits
    KEY_END        # the key is finished
    STRING_END     # the string value is finished
    NUMBER_PART    # part of a number: units start to stop
    NUMBER         # the same, and the number is finished; digits and so on say its value
    LITERAL_END    # a literal is finished; literal says which
    NEXT_DOCUMENT  # the rest follows the root, and one_document is not set
    FAULT          # fault says what; nothing more can be read

cdef enum Fault:
    NO_FAULT
    BAD_BOM
    BAD_VALUE
    BAD_KEY
    BAD_COLON
    BAD_COMMA
    BAD_TRAILING_COMMA_ARRAY
    BAD_TRAILING_COMMA_OBJECT
    BAD_CONTROL
    BAD_ESCAPE
    BAD_HEX
    BAD_UTF8
    EXTRA_DATA
    UNTERMINATED
    TOO_DEEP
    TOO_LONG

cdef enum Literal:
    NULL_WORD
    TRUE_WORD
    FALSE_WORD
    NAN_WORD
    INFINITY_WORD
    MINUS_INFINITY_WORD

# How far a number has come; it is whole in ZERO, INTEGER, FRACTION and EXPONENT. The order is that
# of the rows of next_number_part, whose entries say NO_PART of what cannot follow.
cdef enum NumberPart:
    NO_PART
    MINUS
    ZERO
    INTEGER
    POINT
    FRACTION
    E
    SIGN
    EXPONENT

# How far an escape has come: after the backslash, or after `\u` and 0 to 3 hex digits.
cdef enum EscapePart:
    NO_ESCAPE
    BACKSLASH
    HEX_0
    HEX_1
    HEX_2
    HEX_3

cdef enum:
    CHAR_ROOM = 1024
    SHORT_RUN = 96         # plain runs between escapes up to this long go along in chars
    SHORT_FRAGMENT = 8     # units; in what is no longer, hardly a number is whole
    LONGEST_ESCAPE = 6     # units of \uXXXX
    NOT_UTF8 = 0xffffffff  # a "character" the engine feeds for bytes that are not UTF-8

cdef struct Place:
    Py_ssize_t pos         # code points before it
    Py_ssize_t line        # line feeds before it
    Py_ssize_t line_start  # pos of the first code point of its line

cdef struct Machine:
    # What to read next
    State state
    bint in_object         # the innermost open container is an object
    bint in_key            # IN_STRING: the string is a key
    Py_ssize_t depth       # containers open
    # Settings
    Py_ssize_t max_depth
    Py_ssize_t max_string
    bint strict            # control characters in strings are faults ...
    bint lenient           # ... and if not: one has come
    bint one_document      # what follows the root is a fault
    bint joins             # this run is str input: raw surrogate halves join
    # Inside a token
    EscapePart escape
    uint32_t hex_value
    uint32_t held          # a high surrogate waiting for a low one, or 0
    bint held_raw          # it came as a character, not as an escape
    NumberPart number
    bint negative          # it has a minus
    uint64_t digits        # all of them but the exponent's; good if there are no more than 19
    Py_ssize_t digit_count
    Py_ssize_t fraction_count  # how many of them are behind the point
    int exponent           # clipped to what is out of any range
    bint shrinks           # the exponent has a minus
    Literal literal
    Py_ssize_t matched
    Py_ssize_t room        # code points the token may still take
    # Where we are
    Py_ssize_t at          # index of the next unit of the run
    Py_ssize_t base        # pos of unit i is base + i
    Py_ssize_t line
    Py_ssize_t line_start
    Place token            # where the string, number or literal began
    Place comma            # the last comma
    Py_ssize_t mark        # pos of an escape's backslash or u, or -1
    # What the last step found
    Py_ssize_t start
    Py_ssize_t stop
    uint32_t bits
    uint32_t* chars        # room for CHAR_ROOM characters, lent by the engine
    Py_ssize_t char_count
    int char_width         # bytes each of them takes: 1, or 4 as soon as one does not fit
    Fault fault
    Place fault_place      # where json would point
    Py_ssize_t stopped_at


cdef inline Place place_at(Machine* m, Py_ssize_t pos) noexcept nogil:
    """A place on the line being read."""
    cdef Place place
    place.pos = pos
    place.line = m.line
    place.line_start = m.line_start
    return place


cdef inline Step fail(Machine* m, Py_ssize_t i, Fault fault, Place place) noexcept nogil:
    m.at = i
    m.stopped_at = m.base + i
    m.fault = fault
    m.fault_place = place
    return FAULT


cdef inline Step fail_here(Machine* m, Py_ssize_t i, Fault fault) noexcept nogil:
    return fail(m, i, fault, place_at(m, m.base + i))


cdef inline Step unexpected(Machine* m, Py_ssize_t i, uint32_t c) noexcept nogil:
    """Unit i cannot come in this state, which lies between tokens."""
    if m.state == AFTER:
        return fail_here(m, i, BAD_COMMA)
    if m.state == COLON:
        return fail_here(m, i, BAD_COLON)
    if m.state == END:
        return fail_here(m, i, EXTRA_DATA)
    if m.state == NEXT_KEY and c == c"}":
        return fail(m, i, BAD_TRAILING_COMMA_OBJECT, m.comma)
    if m.state == NEXT_ITEM and c == c"]":
        return fail(m, i, BAD_TRAILING_COMMA_ARRAY, m.comma)
    if m.state == FIRST_KEY or m.state == NEXT_KEY:
        return fail_here(m, i, BAD_KEY)
    return fail_here(m, i, BAD_VALUE)


cdef inline void finish_value(Machine* m) noexcept nogil:
    m.state = AFTER if m.depth else END


# ---- Strings -------------------------------------------------------------------------------------

cdef inline Py_ssize_t scan(
    const unit* text, Py_ssize_t i, Py_ssize_t end, uint32_t* bits
) noexcept nogil:
    if unit is utf8_unit:
        return scan_utf8(text, i, end, bits)
    elif unit is latin1_unit:
        return scan_latin1(text, i, end, bits)
    elif unit is ucs2_unit:
        return scan_ucs2(text, i, end, bits)
    else:
        return scan_ucs4(text, i, end, bits)


cdef inline Step begin_string(
    Machine* m, const unit* text, Py_ssize_t i, Py_ssize_t end
) noexcept nogil:
    """At the opening quote, unit i: the whole string at once where it is all there and plain."""
    cdef Py_ssize_t stop = scan[unit](text, i + 1, end, &m.bits)
    m.token = place_at(m, m.base + i)
    if stop < end and text[stop] == c'"' and stop - i - 1 <= m.max_string:
        m.start = i + 1
        m.stop = stop
        m.at = stop + 1
        if m.in_key:
            m.state = COLON
            return KEY
        finish_value(m)
        return STRING
    m.at = i + 1
    m.room = m.max_string
    m.escape = NO_ESCAPE
    m.held = 0
    m.mark = -1
    m.state = IN_STRING
    return BEGIN


cdef inline void widen(Machine* m) noexcept nogil:
    """Let each of the characters gathered take four bytes: from the last on, where it stands."""
    cdef const unsigned char* narrow = <const unsigned char*>m.chars
    cdef Py_ssize_t i
    m.char_width = 4
    for i in range(m.char_count - 1, -1, -1):
        m.chars[i] = narrow[i]


cdef inline bint put(Machine* m, uint32_t c) noexcept nogil:
    """Add a character to chars; False if the string may not get longer."""
    if m.room == 0:
        return False
    m.room -= 1
    if m.char_width == 1:
        if c > 0xff:
            widen(m)
        else:
            (<unsigned char*>m.chars)[m.char_count] = <unsigned char>c
    if m.char_width == 4:
        m.chars[m.char_count] = c
    m.char_count += 1
    m.bits |= c
    return True


cdef inline void put_run(
    Machine* m, const unit* run, Py_ssize_t count, uint32_t bits
) noexcept nogil:
    """The same for a run that is known to fit."""
    cdef uint32_t* chars
    cdef Py_ssize_t i
    if m.char_width == 1 and bits > 0xff:
        widen(m)
    if m.char_width == 1:
        if sizeof(unit) == 1:
            memcpy(<unsigned char*>m.chars + m.char_count, run, count)
        else:
            for i in range(count):
                (<unsigned char*>m.chars)[m.char_count + i] = <unsigned char>run[i]
    else:
        chars = m.chars + m.char_count
        for i in range(count):
            chars[i] = run[i]
    m.room -= count
    m.char_count += count
    m.bits |= bits


cdef inline uint32_t unescaped(uint32_t c) noexcept nogil:
    """The character `\\c` stands for, or 0."""
    return simple_escape[c] if c < 128 else 0


cdef inline int hex_digit(uint32_t c) noexcept nogil:
    """Its value, or -1."""
    return hex_value[c] if c < 128 else -1


cdef inline bint is_high(uint32_t c) noexcept nogil:
    return 0xd800 <= c <= 0xdbff


cdef inline bint is_low(uint32_t c) noexcept nogil:
    return 0xdc00 <= c <= 0xdfff


cdef inline uint32_t joined(uint32_t high, uint32_t low) noexcept nogil:
    return 0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)


cdef inline bint release(Machine* m) noexcept nogil:
    """What came does not continue a held half: it stands alone. False if it is too long."""
    if m.held == 0:
        return True
    if not put(m, m.held):
        return False
    m.held = 0
    return True


cdef inline Step stop_string(Machine* m, Py_ssize_t i, Step step) noexcept nogil:
    """Leave the string at unit i: first with the characters gathered, if there are any.

    `step` then comes up again by itself, since unit i has not been passed.
    """
    m.at = i
    if m.char_count:
        return CHARS
    return step


cdef inline Step fail_string(Machine* m, Py_ssize_t i, Fault fault, Py_ssize_t pos) noexcept nogil:
    """Unit i is impossible here. Characters gathered before it are handed over first."""
    if m.char_count:
        m.at = i
        return CHARS
    return fail(m, i, fault, place_at(m, pos))


cdef inline Py_ssize_t put_unescaped(
    Machine* m, const utf8_unit* text, Py_ssize_t i, Py_ssize_t end, bint ascii_only
) noexcept nogil:
    """Add to chars what is plain or escaped in two units, from the escape at unit i on.

    Returns the index of the first unit that has to be looked at more closely: i itself, if that.
    """
    cdef Py_ssize_t room = min(m.room, CHAR_ROOM - 1 - m.char_count)
    cdef Py_ssize_t written
    cdef uint32_t bits
    if m.char_width > 1:
        return i
    i = copy_unescaped(
        text, i, min(end, i + room), ascii_only,
        <unsigned char*>m.chars + m.char_count, &written, &bits,
    )
    m.char_count += written
    m.room -= written
    m.bits |= bits
    return i


cdef inline int whole_escape(const unit* text, int* size) noexcept nogil:
    """The character that an escape stands for, and its length; -1 if it is not so simple.

    text points to the backslash and LONGEST_ESCAPE units are there.
    """
    cdef int code, first, second, third, fourth
    size[0] = 2
    code = unescaped(text[1])
    if code:
        return code
    if text[1] != c"u":
        return -1
    size[0] = LONGEST_ESCAPE
    first, second, third, fourth = (
        hex_digit(text[2]), hex_digit(text[3]), hex_digit(text[4]), hex_digit(text[5])
    )
    if (first | second | third | fourth) < 0:
        return -1
    code = first << 12 | second << 8 | third << 4 | fourth
    return code if code < 0xd800 or code > 0xdfff else -1


cdef inline Step in_escape(
    Machine* m, const unit* text, Py_ssize_t i, Py_ssize_t end
) noexcept nogil:
    """Go on with an escape from unit i. MORE means that it is finished or the run is, m.at says."""
    cdef uint32_t c, meaning
    cdef int digit
    if m.escape == BACKSLASH:
        c = text[i]
        if c == c"u":
            m.escape = HEX_0
            m.hex_value = 0
            m.mark = m.base + i
            i += 1
        else:
            meaning = unescaped(c)
            if not release(m):
                return fail_string(m, i, TOO_LONG, m.base + i)
            if meaning == 0:
                return fail_string(m, i, BAD_ESCAPE, m.mark)
            if not put(m, meaning):
                return fail_string(m, i, TOO_LONG, m.base + i)
            m.escape = NO_ESCAPE
            m.mark = -1
            m.at = i + 1
            return MORE
    while i < end:
        digit = hex_digit(text[i])
        if digit < 0:
            if not release(m):
                return fail_string(m, i, TOO_LONG, m.base + i)
            return fail_string(m, i, BAD_HEX, m.mark)
        c = m.hex_value << 4 | <uint32_t>digit
        if m.escape != HEX_3:
            m.hex_value = c
            m.escape = <EscapePart>(m.escape + 1)
            i += 1
            continue
        if m.held and is_low(c):
            c = joined(m.held, c)
            m.held = 0
            # The half was never counted, so the pair counts as the one character it is.
        elif not release(m):
            return fail_string(m, i, TOO_LONG, m.base + i)
        if is_high(c):
            m.held = c
            m.held_raw = False
        elif not put(m, c):
            return fail_string(m, i, TOO_LONG, m.base + i)
        m.escape = NO_ESCAPE
        i += 1
        break
    m.at = i
    return MORE


cdef inline Py_ssize_t put_more(
    Machine* m, const utf8_unit* text, Py_ssize_t i, Py_ssize_t end
) noexcept nogil:
    """Add characters of more than one byte while they come: they seldom come alone.

    Returns the index of the first unit that has to be looked at more closely.
    """
    cdef uint32_t c
    cdef int size
    while i < end and m.char_count < CHAR_ROOM - 1:
        c = text[i]
        if c < 0x80:
            break
        size = decode_utf8(text + i, end - i, &c)
        if size <= 0 or not put(m, c):
            break
        i += size
        m.base -= size - 1
    return i


cdef inline Step in_string(Machine* m, const unit* text, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t i = m.at
    cdef Py_ssize_t stop
    cdef uint32_t c, bits
    cdef int size, code
    cdef bint alone
    cdef Step step
    m.char_count = 0
    m.char_width = 1
    m.bits = 0
    # Each turn takes at most two characters into chars, a released half and one more.
    while i < end and m.char_count < CHAR_ROOM - 1:
        if m.escape:
            step = in_escape[unit](m, text, i, end)
            if step != MORE:
                return step
            i = m.at
            continue
        size = 1
        c = text[i]
        if unit is utf8_unit:
            if c >= 0x80:
                size = decode_utf8(text + i, end - i, &c)
                if size == 0:
                    return stop_string(m, i, CUT)
                if size < 0:
                    c = NOT_UTF8
        if m.held:
            if m.held_raw:
                if m.joins and is_low(c):
                    c = joined(m.held, c)
                    m.held = 0
            if m.held and (m.held_raw or c != c"\\"):
                if not release(m):
                    return fail_string(m, i, TOO_LONG, m.base + i)
        if c == c'"':
            if m.char_count:
                return stop_string(m, i, CHARS)
            m.at = i + 1
            if m.in_key:
                m.state = COLON
                return KEY_END
            finish_value(m)
            return STRING_END
        if c == c"\\":
            if unit is utf8_unit or unit is latin1_unit:
                if m.held == 0:
                    stop = put_unescaped(m, <const utf8_unit*>text, i, end, unit is utf8_unit)
                    if stop > i:
                        m.mark = -1
                        i = stop
                        continue
            if m.held == 0 and end - i >= LONGEST_ESCAPE:
                code = whole_escape[unit](text + i, &size)
                if code >= 0 and put(m, code):
                    m.mark = m.base + i + 1 if size == LONGEST_ESCAPE else -1
                    i += size
                    continue
            m.escape = BACKSLASH
            m.mark = m.base + i
            i += 1
        elif c < 0x20:
            if m.strict:
                return fail_string(m, i, BAD_CONTROL, m.base + i)
            m.lenient = True
            if not put(m, c):
                return fail_string(m, i, TOO_LONG, m.base + i)
            if c == c"\n":
                m.line += 1
                m.line_start = m.base + i + 1
            i += 1
        elif c == NOT_UTF8:
            return fail_string(m, i, BAD_UTF8, m.base + i)
        else:
            # Is it a character that the scanner would stop at? Then it is taken by itself.
            alone = size > 1
            if unit is ucs2_unit or unit is ucs4_unit:
                if m.joins and is_high(c):
                    m.held = c
                    m.held_raw = True
                    i += 1
                    continue
                alone = is_high(c) or is_low(c) or c != text[i]  # a pair just joined is not text[i]
            if alone:
                if not put(m, c):
                    return fail_string(m, i, TOO_LONG, m.base + i)
                i += size
                m.base -= size - 1
                if unit is utf8_unit:
                    i = put_more(m, text, i, end)
                continue
            stop = scan[unit](text, i, end, &bits)
            if (
                stop - i <= SHORT_RUN
                and stop - i <= m.room
                and stop - i < CHAR_ROOM - 1 - m.char_count
                and (m.char_count or (stop < end and text[stop] == c"\\"))
            ):
                # A step for each escape and each run between two would cost more than the text.
                put_run[unit](m, text + i, stop - i, bits)
                i = stop
                continue
            if m.char_count:
                return stop_string(m, i, CHARS)
            if stop - i > m.room:
                if m.room == 0:
                    return fail_here(m, i, TOO_LONG)
                stop = i + m.room
                # bits may now name a larger class than the part needs: take the part's own.
                scan[unit](text, i, stop, &bits)
            m.room -= stop - i
            m.bits = bits
            m.start = i
            m.stop = stop
            m.at = stop
            return TEXT
    return stop_string(m, i, MORE)


# ---- Numbers and literals ------------------------------------------------------------------------

cdef inline NumberPart number_part(NumberPart part, uint32_t c) noexcept nogil:
    """The part a number is in after c, or NO_PART."""
    return <NumberPart>next_number_part[<int>part][number_class[c]] if c < 128 else NO_PART


cdef inline bint number_is_whole(NumberPart part) noexcept nogil:
    return part == ZERO or part == INTEGER or part == FRACTION or part == EXPONENT


cdef inline bint number_is_float(NumberPart part) noexcept nogil:
    """Of a whole number."""
    return part > INTEGER


cdef inline Fault number_fault(Machine* m, Place* place) noexcept nogil:
    """What json says of a number that stops before unit m.at, where it may not.

    It sees a shorter number, and then junk: the point or the e that led nowhere.
    """
    if m.number == MINUS:
        place[0] = m.token
        return BAD_VALUE
    place[0] = place_at(m, m.base + m.at - (2 if m.number == SIGN else 1))
    return BAD_COMMA if m.depth else EXTRA_DATA


cdef inline int scale_of(Machine* m) noexcept nogil:
    """The power of ten that a number of at most 19 digits is to be multiplied by."""
    return (-m.exponent if m.shrinks else m.exponent) - <int>m.fraction_count


cdef inline void begin_number(Machine* m, uint32_t c) noexcept nogil:
    m.room = m.max_string
    m.number = INTEGER if c"1" <= c <= c"9" else NO_PART  # c is still to come
    m.negative = m.shrinks = False
    m.digits = 0
    m.digit_count = m.fraction_count = 0
    m.exponent = 0


cdef inline Py_ssize_t pass_digits(
    const unit* text, Py_ssize_t i, Py_ssize_t stop, uint64_t* digits
) noexcept nogil:
    cdef uint64_t value = digits[0]
    cdef uint32_t digit
    while i < stop:
        digit = <uint32_t>text[i] - c"0"
        if digit > 9:
            break
        value = value * 10 + digit
        i += 1
    digits[0] = value
    return i


cdef inline Step in_number(Machine* m, const unit* text, Py_ssize_t end) noexcept nogil:
    cdef Py_ssize_t i = m.at
    cdef Py_ssize_t stop = end
    cdef Py_ssize_t first
    cdef NumberPart part = m.number
    cdef NumberPart following = NO_PART
    cdef uint64_t digits = m.digits
    cdef Place place
    cdef Fault fault
    if end - i > m.room:
        stop = i + m.room
    m.state = IN_NUMBER
    m.start = i
    while True:
        # Digits, and the point between them, take no look at the table.
        if part == INTEGER:
            first = i
            i = pass_digits[unit](text, i, stop, &digits)
            m.digit_count += i - first
            if i < stop and text[i] == c".":
                part = POINT
                i += 1
        if part == POINT and i < stop and <uint32_t>text[i] - c"0" <= 9:
            part = FRACTION
        if part == FRACTION:
            first = i
            i = pass_digits[unit](text, i, stop, &digits)
            m.digit_count += i - first
            m.fraction_count += i - first
        if i == end:
            break
        following = number_part(part, text[i])
        if i == stop or following == NO_PART:
            break
        part = following
        if part == INTEGER or part == FRACTION:
            continue  # this is their first digit
        if part == EXPONENT:
            if m.exponent < 10_000:
                m.exponent = m.exponent * 10 + <int>(text[i] - c"0")
        elif part == ZERO:
            m.digit_count = 1
        elif text[i] == c"-":
            if part == MINUS:
                m.negative = True
            else:
                m.shrinks = True
        i += 1
    m.number = part
    m.digits = digits
    m.room -= i - m.start
    m.stop = i
    m.at = i
    if i == end:
        return NUMBER_PART if i > m.start else MORE
    if following != NO_PART:
        return NUMBER_PART if i > m.start else fail_here(m, i, TOO_LONG)
    if number_is_whole(part):
        finish_value(m)
        return NUMBER
    if part == MINUS and text[i] == c"I":
        m.literal = MINUS_INFINITY_WORD
        m.matched = 1
        return in_literal[unit](m, text, end)
    fault = number_fault(m, &place)
    return fail(m, i, fault, place)


cdef inline bint whole_number(
    Machine* m, const unit* text, Py_ssize_t i, Py_ssize_t end
) noexcept nogil:
    """Read the number at unit i if it is all there, short, and has no exponent, as most are: in two
    thirds of the instructions of in_number. False if it is another, for begin_number to begin anew."""
    cdef Py_ssize_t first, count
    cdef uint64_t digits = 0
    m.start = i
    m.negative = text[i] == c"-"
    i += m.negative
    first = i
    i = pass_digits[unit](text, i, end, &digits)
    count = i - first
    m.number = INTEGER
    m.fraction_count = 0
    if count == 0 or (text[first] == c"0" and count > 1) or i == end:
        return False
    if text[i] == c".":
        first = i + 1
        i = pass_digits[unit](text, first, end, &digits)
        m.number = FRACTION
        m.fraction_count = i - first
        count += m.fraction_count
        if i == first or i == end:
            return False
    if count > 18 or i - m.start > m.max_string or text[i] == c"e" or text[i] == c"E":
        return False
    m.digits = digits
    m.digit_count = count
    m.exponent = 0
    m.shrinks = False
    m.stop = i
    m.at = i
    finish_value(m)
    return True


cdef inline const char* letters(Literal literal) noexcept nogil:
    if literal == TRUE_WORD:
        return "true"
    if literal == FALSE_WORD:
        return "false"
    if literal == NULL_WORD:
        return "null"
    if literal == NAN_WORD:
        return "NaN"
    if literal == INFINITY_WORD:
        return "Infinity"
    return "-Infinity"


cdef inline Step in_literal(Machine* m, const unit* text, Py_ssize_t end) noexcept nogil:
    cdef const char* word = letters(m.literal)
    cdef Py_ssize_t i = m.at
    m.state = IN_LITERAL
    while i < end:
        if text[i] != <unsigned char>word[m.matched]:
            return fail(m, i, BAD_VALUE, m.token)
        i += 1
        m.matched += 1
        if word[m.matched] == 0:
            m.at = i
            finish_value(m)
            return LITERAL_END
    m.at = i
    return MORE


# ---- Between tokens ------------------------------------------------------------------------------

cdef inline Step begin_value(
    Machine* m, const unit* text, Py_ssize_t i, Py_ssize_t end
) noexcept nogil:
    """A value is due at unit i (or, after an opening bracket, its closer)."""
    cdef uint32_t c = text[i]
    if c == c'"':
        m.in_key = False
        return begin_string[unit](m, text, i, end)
    if c == c"{" or c == c"[":
        if m.depth >= m.max_depth:
            return fail_here(m, i, TOO_DEEP)
        m.depth += 1
        m.in_object = c == c"{"
        m.state = FIRST_KEY if m.in_object else FIRST_ITEM
        m.at = i + 1
        return OPEN
    m.token = place_at(m, m.base + i)
    if c == c"-" or c"0" <= c <= c"9":
        if end - i > SHORT_FRAGMENT and whole_number[unit](m, text, i, end):
            return NUMBER
        begin_number(m, c)
        m.at = i
        return in_number[unit](m, text, end)
    if c == c"t":
        m.literal = TRUE_WORD
    elif c == c"f":
        m.literal = FALSE_WORD
    elif c == c"n":
        m.literal = NULL_WORD
    elif c == c"N":
        m.literal = NAN_WORD
    elif c == c"I":
        m.literal = INFINITY_WORD
    elif c == c"]" and m.state == FIRST_ITEM:
        return close_container(m, i)
    else:
        return unexpected(m, i, c)
    m.at = i
    m.matched = 0
    return in_literal[unit](m, text, end)


cdef inline Step close_container(Machine* m, Py_ssize_t i) noexcept nogil:
    m.depth -= 1
    m.at = i + 1
    finish_value(m)
    return CLOSE


cdef inline Py_ssize_t past_space(const unit* text, Py_ssize_t i, Py_ssize_t end) noexcept nogil:
    """Past the one space that most writers put behind a comma or colon."""
    return i + 1 if i < end and text[i] == c" " else i


cdef inline Step advance(Machine* m, const unit* text, Py_ssize_t end) noexcept nogil:
    """Read the run from unit m.at on, to the next step."""
    cdef Py_ssize_t i = m.at
    cdef uint32_t c
    if i == end:
        return MORE
    if m.state == IN_STRING:
        return in_string[unit](m, text, end)
    if m.state == IN_NUMBER:
        return in_number[unit](m, text, end)
    if m.state == IN_LITERAL:
        return in_literal[unit](m, text, end)
    if m.state == END and not m.one_document:
        return NEXT_DOCUMENT  # white space too: it is the next one's wherever the input is cut
    while i < end:
        c = text[i]
        if c <= c" ":
            if c == c"\n":
                m.line += 1
                m.line_start = m.base + i + 1
            elif c != c" " and c != c"\r" and c != c"\t":
                return unexpected(m, i, c)
            i += 1
            continue
        if m.state == AFTER:
            if c == c",":
                m.comma = place_at(m, m.base + i)
                m.state = NEXT_KEY if m.in_object else NEXT_ITEM
                i = past_space[unit](text, i + 1, end)
                continue
            if c == c"}" if m.in_object else c == c"]":
                return close_container(m, i)
            return unexpected(m, i, c)
        if m.state == COLON:
            if c == c":":
                m.state = VALUE
                i = past_space[unit](text, i + 1, end)
                continue
            return unexpected(m, i, c)
        if m.state == FIRST_KEY or m.state == NEXT_KEY:
            if c == c'"':
                m.in_key = True
                return begin_string[unit](m, text, i, end)
            if c == c"}" and m.state == FIRST_KEY:
                return close_container(m, i)
            return unexpected(m, i, c)
        if m.state == END:
            return unexpected(m, i, c)
        return begin_value[unit](m, text, i, end)
    m.at = i
    return MORE


# ---- The end of the input ------------------------------------------------------------------------

cdef inline Fault end_fault(Machine* m, bint last_escape_counts, Place* place) noexcept nogil:
    """Why json would refuse the input if it ended now, or NO_FAULT; m.at must be 0.

    Some versions of json ask for one more character after the four digits before they believe an
    escape: then the last one does not count.
    """
    place[0] = place_at(m, m.base)
    if m.state == END:
        return NO_FAULT
    if m.state == AFTER:
        return BAD_COMMA
    if m.state == COLON:
        return BAD_COLON
    if m.state == FIRST_KEY or m.state == NEXT_KEY:
        return BAD_KEY
    if m.state == IN_STRING:
        if m.escape >= HEX_0 or (
            not last_escape_counts
            and m.escape == NO_ESCAPE and m.mark >= 0 and m.mark + 5 == m.base
        ):
            place[0] = place_at(m, m.mark)
            return BAD_HEX
        place[0] = m.token
        return UNTERMINATED
    if m.state == IN_LITERAL:
        place[0] = m.token
        return BAD_VALUE
    if m.state == IN_NUMBER:
        if not number_is_whole(m.number):
            return number_fault(m, place)
        return BAD_COMMA if m.depth else NO_FAULT
    return BAD_VALUE
