# cython: language_level=3
# cython: boundscheck=False, wraparound=False, initializedcheck=False, cdivision=True
# cython: binding=False, embedsignature=True, embedsignature.format=clinic
"""The engine: builds values and events from the steps of the state machine.

What is in here
    Event         what a fragment caused (and CallDelta, the commonest event of tool calls)
    Parser        fragments in; the live value, and events, out
    loads         the same machine run once over a whole buffer

How a value becomes visible
    Containers are attached to their parent when they open and grow in place. Whole strings,
    numbers and literals are attached when they close. A string that is still open at the end of a
    fragment is published then, and grows with each feed (see _text.h). `Parser.value` is a member
    slot of the type, so reading it is one load and no call.

Who owns what
    spine         a Python list, so that the collector sees it: strong references to the open
                  containers, outermost first. Frame.container borrows from it.
    Frame         one for each open container; owns its key (an exact str, which cannot be part of
                  a cycle).
    open_text     a strong reference to the string that is open and published; str again.
    keys          a cache of strong references to keys met lately (see _text.h).

When code of others can run
    In hooks; wherever an object of theirs is dropped or one of their keys is compared; on 3.11 also
    wherever a container is made, since the collector runs there. While the guard is BUSY such code
    can look at the parser but not feed, close or reset it. What looks (path, snapshot, is_complete)
    may itself run such code with the guard READY, so it first takes all it needs, with references.

Directives
    boundscheck, wraparound and initializedcheck are off: there is no indexing of Python sequences
    or memoryviews below, and raw pointers are never checked. binding is off because a plain method
    descriptor is called fastest; always_allow_keywords is off for feed (below) for the same reason.

Docstrings of types
    Their first line, up to the two dashes, is what inspect.signature and help() show.

No list comprehensions in here
    Where appending fails for want of memory, Cython (3.3.1) releases a fresh item twice.
"""

cimport cython
from cpython.bytes cimport PyBytes_AS_STRING, PyBytes_CheckExact, PyBytes_GET_SIZE
from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from cpython.mem cimport PyMem_Free, PyMem_Malloc, PyMem_Realloc
from cpython.object cimport PyObject
from cpython.ref cimport Py_INCREF, Py_XDECREF, Py_XINCREF
from cpython.tuple cimport PyTuple_New, PyTuple_SET_ITEM
from cpython.unicode cimport PyUnicode_Check, PyUnicode_CheckExact
from libc.stdint cimport uint32_t
from libc.string cimport memcpy, memset

from fragjson._bytes cimport (
    decode_utf8,
    latin1_unit,
    scan_latin1,
    scaled_double,
    scan_ucs2,
    ucs2_unit,
    ucs4_unit,
    utf8_unit,
)
from fragjson._machine cimport (
    BACKSLASH,
    BAD_BOM,
    BAD_COLON,
    BAD_COMMA,
    BAD_CONTROL,
    BAD_ESCAPE,
    BAD_HEX,
    BAD_KEY,
    BAD_TRAILING_COMMA_ARRAY,
    BAD_TRAILING_COMMA_OBJECT,
    BAD_UTF8,
    BAD_VALUE,
    BEGIN,
    CHARS,
    CHAR_ROOM,
    CLOSE,
    CUT,
    END,
    EXTRA_DATA,
    FALSE_WORD,
    FAULT,
    Fault,
    INFINITY_WORD,
    INTEGER,
    IN_LITERAL,
    IN_NUMBER,
    IN_STRING,
    KEY,
    KEY_END,
    LITERAL_END,
    MINUS_INFINITY_WORD,
    MORE,
    Machine,
    NAN_WORD,
    NEXT_DOCUMENT,
    NOT_UTF8,
    NO_ESCAPE,
    NO_FAULT,
    NULL_WORD,
    NUMBER,
    NUMBER_PART,
    OPEN,
    Place,
    STRING,
    STRING_END,
    Step,
    TEXT,
    TOO_DEEP,
    TOO_LONG,
    TRUE_WORD,
    UNTERMINATED,
    VALUE,
    advance,
    end_fault,
    letters,
    number_is_float,
    number_is_whole,
    place_at,
    scale_of,
    unit,
)
from fragjson._text cimport (
    DictPlace,
    KeyCache,
    LONG_TEXT,
    NOWHERE,
    OpenText,
    PLAIN_APPEND,
    Scratch,
    cached_key,
    grows_in_place,
    keys_leave,
    keys_take,
    last_place,
    new_text,
    open_text_fits,
    open_text_make,
    open_text_replace,
    open_text_resize,
    open_text_take,
    open_text_write,
    scratch_add,
    scratch_clear,
    scratch_free,
    scratch_string,
    scratch_text,
    spare_room,
    still_holds,
)

import itertools
import json

from fragjson._errors import (
    DepthLimitError,
    IncompleteJSONError,
    JSONDecodeError,
    LimitExceededError,
    MalformedJSONError,
)
from fragjson._showing import visible
from fragjson._types import Allow, Status
from fragjson.paths import compile_paths, path_text

cdef extern from "Python.h":
    int PY_VERSION_HEX
    Py_ssize_t PY_SSIZE_T_MAX
    int PyUnicode_KIND(object text)
    int PyUnicode_KIND_of "PyUnicode_KIND"(PyObject* text)
    Py_ssize_t PyUnicode_GET_LENGTH(PyObject* text)
    void* PyUnicode_DATA(PyObject* text)
    uint32_t PyUnicode_MAX_CHAR_VALUE(PyObject* text)
    uint32_t PyUnicode_READ_CHAR(object text, Py_ssize_t i)
    object PyUnicode_Substring(object text, Py_ssize_t start, Py_ssize_t end)
    object PyUnicode_FromStringAndSize(const char* text, Py_ssize_t size)
    double PyOS_string_to_double(const char* text, char** end, PyObject* overflow) except? -1.0
    long long PyLong_AsLongLongAndOverflow(object number, int* overflow) except? -1
    object PyLong_FromString(const char* text, char** end, int base)
    ctypedef int (*inquiry)(PyObject*) noexcept
    ctypedef struct PyTypeObject:
        inquiry tp_clear
    # With pointers, so that borrowed ones go in without being counted up and down.
    int PyDict_SetItem(PyObject* mapping, PyObject* key, PyObject* value) except -1
    PyObject* PyDict_GetItemWithError(PyObject* mapping, PyObject* key) except? NULL
    Py_ssize_t PyList_GET_SIZE(PyObject* items)
    PyObject* PyList_GET_ITEM(PyObject* items, Py_ssize_t i)
    int PyList_SetItem(PyObject* items, Py_ssize_t i, PyObject* value) except -1
    int PyList_Append(PyObject* items, PyObject* value) except -1
    PyObject* Py_XNewRef(PyObject* item)
    void PyErr_Fetch(PyObject** kind, PyObject** value, PyObject** traceback)
    void PyErr_Clear()
    void PyErr_Restore(PyObject* kind, PyObject* value, PyObject* traceback)


# ---- Events --------------------------------------------------------------------------------------

cdef enum:
    LOOSE_TEXTS = 256

cdef enum:
    START = 1
    DELTA = 2
    ENDS = 4


@cython.final
@cython.freelist(64)  # an Event is made and dropped for every field: a third of its cost
cdef class Event:
    """Event(kind, path, json_type, value)\n--\n\n\
    Something a fragment caused: a value started, grew or ended.

    Args:
        kind: ``"start"``, ``"delta"`` or ``"end"``.
        path: where the value stands, names and indexes from the root, whose path is ``()``.
        json_type: ``object``, ``array``, ``string``, ``number``, ``boolean`` or ``null``.
        value: of an end, the whole value, which will not change any more; of a delta, the new text
            of a string; of a start, ``""`` or the live container, which goes on growing.

    Events match by position:

    >>> for event in Parser(events={"end"}).feed('{"query": "rain", "limit": 10}'):
    ...     match event:
    ...         case Event("end", ("query",), "string", text):
    ...             print("search for", text)
    search for rain
    """

    cdef readonly object kind
    cdef readonly object path
    cdef readonly object json_type
    cdef readonly object value

    __match_args__ = ("kind", "path", "json_type", "value")

    def __init__(self, kind, path, json_type, value):
        self.kind = kind
        self.path = path
        self.json_type = json_type
        self.value = value

    def __eq__(self, other, /):
        if not isinstance(other, Event):
            return NotImplemented
        cdef Event theirs = <Event>other
        return (
            self.kind == theirs.kind
            and self.path == theirs.path
            and self.json_type == theirs.json_type
            and self.value == theirs.value
        )

    def __repr__(self):
        return f"Event({self.kind!r}, {self.path!r}, {self.json_type!r}, {self.value!r})"

    def __reduce__(self):
        return Event, (self.kind, self.path, self.json_type, self.value)


@cython.final
@cython.freelist(64)
cdef class CallDelta:
    """CallDelta(call, text)\n--\n\n\
    More argument text. All of a call's deltas joined are its ``text``.

    For vendors that send objects, it is the JSON text of what came. A ``fragjson.toolcalls`` event
    like its fellows, made here since there is one for every fragment, and Python would take half of
    the fragment's time to make it.

    Args:
        call: the ``ToolCall`` it belongs to.
        text: the new text.
    """

    cdef object call
    cdef object text

    type = "tool_call_delta"
    __match_args__ = ("call", "text")

    def __init__(self, call, text):
        self.call = call
        self.text = text

    def __eq__(self, other, /):
        if not isinstance(other, CallDelta):
            return NotImplemented
        return self.call == (<CallDelta>other).call and self.text == (<CallDelta>other).text

    def __repr__(self):
        return f"CallDelta(call={self.call!r}, text={self.text!r})"

    def __reduce__(self):
        return CallDelta, (self.call, self.text)


@cython.freelist(64)
cdef class FieldEvent:
    """FieldEvent(call, path, value)\n--\n\n\
    Something that happened to a field of a call: a value inside its arguments.

    Args:
        call: the ``ToolCall`` it belongs to.
        path: where the value stands in the arguments.
        value: as told by each kind of event.
    """

    cdef readonly object call
    cdef readonly object path
    cdef readonly object value

    __match_args__ = ("call", "path", "value")

    def __init__(self, call, path, value):
        self.call = call
        self.path = path
        self.value = value

    def __eq__(self, other, /):
        if type(self) is not type(other):
            return NotImplemented
        cdef FieldEvent theirs = <FieldEvent>other
        return (
            self.call == theirs.call and self.path == theirs.path and self.value == theirs.value
        )

    def __repr__(self):
        name = type(self).__name__
        return f"{name}(call={self.call!r}, path={self.path!r}, value={self.value!r})"

    def __reduce__(self):
        return type(self), (self.call, self.path, self.value)


@cython.final
cdef class FieldStarted(FieldEvent):
    """A string, object or array inside the arguments has begun; ``value`` is it, still empty.

    An object or array is the live one: it goes on growing and is not to be changed.
    """

    type = "field_started"


@cython.final
cdef class FieldDelta(FieldEvent):
    """A string inside the arguments has grown by ``value``."""

    type = "field_delta"


@cython.final
cdef class FieldClosed(FieldEvent):
    """A value inside the arguments is finished and cannot change any more.

    The call as a whole is not: nothing may be run on the strength of this event alone.
    """

    type = "field_closed"


# ---- The parser's own data -----------------------------------------------------------------------

# Reading a member from its class takes longer than all else that the status does.
cdef object EMPTY = Status.EMPTY
cdef object PARTIAL = Status.PARTIAL
cdef object COMPLETE = Status.COMPLETE
cdef object INVALID = Status.INVALID

cdef struct Frame:
    PyObject* container    # borrowed from spine
    PyObject* key          # strong or NULL: name of the member being read or last read
    PyObject* events_node  # borrowed from the tree of self.events_root; NULL: no path leads here
    PyObject* atomic_node  # borrowed from the tree of self.atomic_root, likewise
    Py_ssize_t index       # values finished in this container
    bint is_object
    bint shows             # it is attached to its parent (or is the shown root)

cdef enum Guard:
    UNBORN    # __init__ has not run
    READY
    BUSY      # a feed, close or reset is going on: a second one is refused
    STOPPED   # by an error
    CLOSED    # by close()

# What shows while it is unfinished: Allow's values.
cdef enum:
    SHOW_STR = 1
    SHOW_NUM = 2
    SHOW_ARR = 4
    SHOW_OBJ = 8
    SHOW_NULL = 16
    SHOW_BOOL = 32
    SHOW_NAN = 64
    SHOW_INFINITY = 128
    SHOW_MINUS_INFINITY = 256
    SHOW_ALL = 511

# Cython's own way for the collector to clear an object would empty the spine that frames borrow
# from; clear_parser, below, takes its place.
@cython.no_gc_clear
cdef class Parser:
    """Parser(*, allow_partial=True, atomic=(), events=(), paths=None, strict=True, max_depth=1000, \
max_bytes=None, max_string=None, keep_text=False, object_hook=None, parse_float=None, \
parse_int=None, parse_constant=None, object_pairs_hook=None, array_hook=None)\n--\n\n\
    Parse one JSON document while it arrives.

    Feed fragments as they come, cut anywhere; ``value`` is the best value that is certain. It is
    always a prefix of the final one: strings only grow, arrays only append, members only appear.
    Numbers, ``true``, ``false`` and ``null`` show once they can no longer change.

    Args:
        allow_partial: what may show while it is unfinished: True for strings, arrays and objects,
            False for nothing, or ``Allow.STR``, ``Allow.ARR`` and ``Allow.OBJ`` joined by ``|``.
            The other kinds show when they close.
        atomic: paths of strings that show only when closed (``"$.mode"``).
        events: which of ``"start"``, ``"delta"`` and ``"end"`` the feeds return.
        paths: limits ``events`` to values at these paths (a JSONPath subset, see
            ``fragjson.paths``). Without ``events`` there is nothing to limit.
        strict: as in ``json.loads``: False lets control characters stand in strings.
        max_depth: containers that may be open at once.
        max_bytes: UTF-8 bytes that may be fed; None for no limit.
        max_string: code points of a string, key or number; None for no limit.
        keep_text: keep what is fed, readable as ``text``.
        object_hook, parse_float, parse_int, parse_constant, object_pairs_hook, array_hook: as in
            ``json.loads`` (which has the last from Python 3.15). An open container is a plain dict
            or list; its hook runs when it closes.

    Raises:
        ValueError, TypeError: an option's value or type is wrong; the message names the option.

    One thread at a time may use a parser; a second one gets a RuntimeError. Different parsers are
    independent.

    >>> parser = Parser()
    >>> for fragment in ['{"query": "Jos', '\\\\u00e9", "limit": 1', '0}']:
    ...     _ = parser.feed(fragment)
    ...     print(parser.value)
    {'query': 'Jos'}
    {'query': 'José'}
    {'query': 'José', 'limit': 10}
    >>> parser.status
    <Status.COMPLETE: 'complete'>
    """

    cdef object __weakref__
    # Everything up to `value` that a feed touches lies together.
    cdef Guard guard
    cdef bint lengthens            # a plain fragment may do no more than that; see all_grows
    cdef int wanted                # events subscribed to: START, DELTA, ENDS
    cdef int shown_kinds           # SHOW_STR and others
    cdef bint has_value            # the root shows
    cdef bint root_closed
    cdef bint exact                # one feed only: publish without spare room
    cdef object value              # the member slot; None until has_value
    cdef list spine
    cdef Frame* frames
    cdef Py_ssize_t level          # frames in use
    cdef Py_ssize_t frame_room
    cdef list pending              # events of this feed, or None
    # The string or number being read
    cdef Scratch scratch
    cdef OpenText open_text
    cdef bint hidden               # this string shows only when closed
    cdef bint filled               # its place in the container is taken (by this or an older str)
    cdef bint published            # ... by open_text.text
    cdef DictPlace place           # ... and this is where, in a dict
    cdef bint growing              # this feed has appended to it
    cdef bint in_place             # ... and may go on doing so in place
    cdef Py_ssize_t told           # its characters that deltas have told
    cdef object string_path        # its path, if events have asked for it
    # Input
    cdef bint started              # something was fed
    cdef Py_ssize_t document_start # code points before this document; see _next_document
    cdef bint plain_sailing        # str may go straight to the machine; see read_carefully
    cdef Py_ssize_t carry_size     # of a UTF-8 sequence (or BOM) cut by the last fragment
    cdef utf8_unit[4] carry
    cdef Py_ssize_t bytes_left     # of max_bytes; PY_SSIZE_T_MAX without limit
    cdef PyObject* fragment        # what is being fed; borrowed from feed's caller, or NULL
    cdef Py_ssize_t fragment_start # index in it of the first unit that is this document's
    cdef Py_ssize_t fragment_pos   # code points before that one, and before what is carried to it
    cdef bytes carried             # that, for an error to show
    cdef Py_ssize_t bom_end        # index in it behind a BOM, which is no part of the text
    cdef Py_ssize_t run_start      # index in it of the machine's unit 0
    cdef list texts                # everything fed, with keep_text
    cdef Py_ssize_t texts_kept     # how many there were before any were joined
    # Settings
    cdef Py_ssize_t max_bytes
    cdef object events_root        # Node of paths, or None: everything matches
    cdef object atomic_root        # Node of atomic, or None: nothing matches
    cdef bint has_hooks            # any of these three
    cdef object object_hook
    cdef object object_pairs_hook
    cdef object array_hook
    cdef object parse_float
    cdef object parse_int
    cdef object parse_constant
    # With has_hooks, for each open container: the pairs of an object, and the shape of what was
    # read, for is_complete: dicts and lists down to None for scalars, which no hook has touched.
    cdef list pairs
    cdef list shapes
    cdef object root_shape
    # After an error
    cdef tuple failure             # what make_error needs
    cdef object unused
    # Last, so that what a feed touches is not spread by it
    cdef Machine m
    cdef KeyCache* keys

    def __init__(
        self,
        *,
        allow_partial=True,
        atomic=(),
        events=(),
        paths=None,
        bint strict=True,
        max_depth=1000,
        max_bytes=None,
        max_string=None,
        bint keep_text=False,
        object_hook=None,
        parse_float=None,
        parse_int=None,
        parse_constant=None,
        object_pairs_hook=None,
        array_hook=None,
    ):
        if self.guard != UNBORN:
            raise RuntimeError("Parser.__init__() was called twice; reset() starts again")
        if allow_partial is True:
            self.shown_kinds = SHOW_ALL
        elif allow_partial is not False:
            self.shown_kinds = parser_kinds(allow_partial)
        if events:
            self.wanted = wanted_events(events)
        if paths is not None:
            self.events_root = compiled("paths", paths)
        if atomic or isinstance(atomic, str):
            self.atomic_root = compiled("atomic", atomic)
        self.m.strict = strict
        self.m.max_depth = limit("max_depth", max_depth)
        self.max_bytes = PY_SSIZE_T_MAX if max_bytes is None else limit("max_bytes", max_bytes)
        if max_string is None:
            self.m.max_string = PY_SSIZE_T_MAX
        else:
            self.m.max_string = limit("max_string", max_string)
        set_hooks(
            self,
            object_hook,
            parse_float,
            parse_int,
            parse_constant,
            object_pairs_hook,
            array_hook,
        )
        self.m.one_document = True
        if keep_text:
            self.texts = []
        start_over(self)
        self.guard = READY

    def __dealloc__(self):
        drop_frames(self)
        PyMem_Free(self.frames)
        scratch_free(&self.scratch)
        Py_XDECREF(self.open_text.text)
        keys_leave(self.keys)

    # always_allow_keywords off: one positional argument is then passed without a tuple or vector.
    @cython.always_allow_keywords(False)
    def feed(self, data, /):
        """Parse the next fragment.

        Args:
            data: text, or UTF-8 bytes, cut anywhere; both may be mixed. Empty ones are fine.

        Returns:
            The events subscribed to that this fragment caused, in order.

        Raises:
            MalformedJSONError: no continuation can make this JSON, or it is not UTF-8.
            LimitExceededError: a limit was reached; nothing beyond it was read.
            TypeError: data is of another type.
            ValueError: the parser was closed.
            RuntimeError: called from inside a hook or from a second thread.

        What was certain before an error stays in ``value``, and the error carries this feed's
        events; each later call raises an equal error, without events. An exception of a hook passes
        through and stops the parser too. The cost is that of the fragment, however much came before, unless a
        string that is still open has been kept by reference: that is copied first.

        >>> parser = Parser(events={"delta"})
        >>> parser.feed('["Hel')
        [Event('delta', (0,), 'string', 'Hel')]
        >>> parser.feed(b'lo"')
        [Event('delta', (0,), 'string', 'lo')]
        >>> parser.feed(" ")
        ()
        """
        return fed(self, data)

    def close(self):
        """End the input and return the final value.

        Raises:
            IncompleteJSONError: the text ended too early. ``status`` and ``value`` stay as they
                are; ``msg`` and ``pos`` are those of ``json.loads`` on the text so far.
            MalformedJSONError, LimitExceededError: the error that had stopped the parser, again.

        Calling it again gives the same result.

        >>> parser = Parser()
        >>> parser.feed("[1, 2")
        ()
        >>> parser.close()
        Traceback (most recent call last):
            ...
        fragjson.IncompleteJSONError: Expecting ',' delimiter: line 1 column 6 (char 5)
        >>> parser.value
        [1]
        """
        if self.guard == CLOSED:
            if self.failure is not None:
                raise make_error(self)
            return self.value
        if self.guard != READY:
            refuse(self)
        self.guard = BUSY
        self.fragment = NULL
        if (<unchecked_step>end_input)(self) < 0:
            give_up(self)
        self.guard = CLOSED
        if self.failure is not None:
            raise make_error(self)
        return self.value

    def snapshot(self):
        """Return the value as it is now, never to change.

        Only the containers that are still open are copied; closed parts are shared with ``value``,
        so they must not be changed either. Costs the number of entries of the open containers.
        A snapshot that holds a string which is still open makes the next feed copy that string.

        >>> parser = Parser()
        >>> _ = parser.feed('{"rows": [[1], [2')
        >>> before = parser.snapshot()
        >>> _ = parser.feed(', 3]]}')
        >>> before, parser.value
        ({'rows': [[1], []]}, {'rows': [[1], [2, 3]]})
        """
        cdef Py_ssize_t i, size
        cdef Frame* frames
        if self.guard == UNBORN:
            refuse(self)
        if self.level == 0 or not self.has_value:
            return self.value
        # Copying can run code that feeds: the frames are taken as they are now, with references.
        size = self.level
        frames = <Frame*>PyMem_Malloc(size * sizeof(Frame))
        if frames == NULL:
            raise MemoryError()
        memcpy(frames, self.frames, size * sizeof(Frame))
        for i in range(size):
            Py_XINCREF(frames[i].container)
            Py_XINCREF(frames[i].key)
        try:
            return copied(frames, size)
        finally:
            for i in range(size):
                Py_XDECREF(frames[i].container)
                Py_XDECREF(frames[i].key)
            PyMem_Free(frames)

    def is_complete(self, path=()):
        """Is there a value at this path, and is it finished?

        Costs the length of the path. Follows the JSON, also where hooks have replaced values. The
        value being read now, and every open container, is not finished; a finished value can still
        be replaced by a duplicate key.

        >>> parser = Parser()
        >>> _ = parser.feed('{"query": "rain", "limit": 1')
        >>> parser.is_complete(("query",)), parser.is_complete(("limit",)), parser.is_complete()
        (True, False, False)
        """
        cdef Py_ssize_t i = 0
        if not isinstance(path, (tuple, list)):
            raise TypeError(f"path is a tuple of names and indexes, not {type(path).__name__}")
        cdef list keys = []
        for key in path:
            keys.append(plain_key(key))
        cdef Py_ssize_t size = len(keys)
        cdef Py_ssize_t finished = PY_SSIZE_T_MAX
        if self.root_closed:
            value = self.root_shape if self.has_hooks else self.value
        else:
            # Along the open containers as far as the path goes with them. Nothing in this loop
            # runs code of others, so the frames stay.
            while True:
                if i == size or i == self.level:
                    return False
                frame = &self.frames[i]
                if not same_key(frame, keys[i]):
                    break
                i += 1
                if i == self.level:
                    if reading(self):
                        return False
                    i -= 1  # the last member named is finished
                    break
            value = self.shapes[i] if self.has_hooks else <object>frame.container
            if not frame.is_object:
                finished = frame.index
        for key in keys[i:]:
            if type(key) is int and key >= finished:
                return False
            finished = PY_SSIZE_T_MAX
            value = child_of(value, key)
            if value is MISSING:
                return False
        return True

    def reset(self):
        """Make the parser ready for the next document; settings and the key cache are kept.

        Values handed out before stay what they are.

        >>> parser = Parser()
        >>> _ = parser.feed("[1]")
        >>> parser.reset()
        >>> parser.status
        <Status.EMPTY: 'empty'>
        """
        if self.guard == BUSY or self.guard == UNBORN:
            refuse(self)
        self.guard = BUSY  # dropping the old values can run their code
        if (<unchecked_step>start_over)(self) < 0:
            give_up(self)
        self.guard = READY

    @property
    def status(self):
        """How far the parser is: ``Status.EMPTY``, ``PARTIAL``, ``COMPLETE`` or ``INVALID``."""
        if self.guard == STOPPED:
            return INVALID
        if self.root_closed:
            return COMPLETE
        return PARTIAL if self.has_value else EMPTY

    @property
    def path(self):
        """The path of the value being read or, between values, of the innermost open container.

        >>> parser = Parser()
        >>> _ = parser.feed('{"rows": [{"name": "A')
        >>> parser.path
        ('rows', 0, 'name')
        """
        cdef Py_ssize_t size
        cdef tuple path
        while True:
            size = path_size(self)
            path = PyTuple_New(size)
            # On 3.11 the collector may have run there, and with it code that feeds.
            if size == path_size(self):
                fill_path(self, path, size)
                return path

    @property
    def json_type(self):
        """The JSON type of the value being read, or None: nothing has begun, or all has ended.

        What ``path`` leads to, from its first character on: of numbers, ``true``, ``false`` and
        ``null`` that is earlier than any event or value.

        >>> parser = Parser()
        >>> _ = parser.feed('{"limit": -')
        >>> parser.path, parser.json_type
        (('limit',), 'number')
        """
        if reading(self):
            return "string" if self.m.state == IN_STRING else token_type(&self.m)
        if self.level == 0:
            return None
        return "object" if self.frames[self.level - 1].is_object else "array"

    @property
    def pos(self):
        """Code points consumed."""
        return position(self)

    @property
    def text(self):
        """All the code points consumed.

        Raises:
            ValueError: the parser was made without ``keep_text=True``.
        """
        if self.texts is None:
            raise ValueError("the text is kept only with keep_text=True")
        return decoded(self.texts)[:position(self) - self.document_start]

    @property
    def unused_data(self):
        """What followed the root value in the fragment that ended with "Extra data", or ``""``.

        In the type it came: ``str``, ``bytes``, ``bytearray`` or ``memoryview`` (of a copy).
        """
        return self.unused

    @property
    def error(self):
        """The error that stopped the parser, made afresh, with that feed's events; or None."""
        if self.guard != STOPPED:
            return None
        return make_error(self)

    def __repr__(self):
        """For a debugger: status, place and size. Names of members, but never a value.

        >>> parser = Parser()
        >>> _ = parser.feed('{"rows": [1, {"name": "A')
        >>> parser
        <Parser PARTIAL at rows[1].name, 24 chars>
        """
        place = visible(path_text(self.path)[1:].removeprefix("."))
        at = f" at {place}" if place else ""
        return f"<{type(self).__name__} {self.status.name}{at}, {self.pos:,} chars>"

    def __reduce__(self):
        """Neither a copy nor a pickle of a parser could share its live value, so there is none."""
        raise TypeError(
            f"a {type(self).__name__} can be neither copied nor pickled: snapshot() is the value "
            "so far, and a new parser can be fed the same text"
        )

    def _feed_document(self, data, Py_ssize_t start):
        """Feed data from unit start on, at most to the end of the document.

        Returns the index of what follows the root, or ``len(data)``. For ``iterparse``; the
        parser must take no events.
        """
        if self.guard != READY:
            refuse(self)
        self.m.one_document = False
        return feed_one(self, data, start)

    def _next_document(self):
        """Reset, but let positions go on: they are those in the whole input. For ``iterparse``."""
        cdef Py_ssize_t base = self.m.base
        cdef Py_ssize_t line = self.m.line
        cdef Py_ssize_t line_start = self.m.line_start
        self.reset()
        self.m.base = self.document_start = base
        self.m.line = line
        self.m.line_start = line_start

    def _has_begun(self):
        """Has more come of a document than white space?"""
        return self.m.state != VALUE or self.level > 0 or self.carry_size > 0

    def _was_lenient(self):
        """Has a control character come that only ``strict=False`` lets stand in a string?"""
        return self.m.lenient

    def _alike(self):
        """Return a new parser with the same settings, which are not checked and compiled again."""
        cdef Parser other = Parser.__new__(Parser)
        other.shown_kinds = self.shown_kinds
        other.wanted = self.wanted
        other.events_root = self.events_root
        other.atomic_root = self.atomic_root
        other.m.strict = self.m.strict
        other.m.max_depth = self.m.max_depth
        other.m.max_string = self.m.max_string
        other.m.one_document = self.m.one_document
        other.max_bytes = self.max_bytes
        set_hooks(
            other,
            self.object_hook,
            self.parse_float,
            self.parse_int,
            self.parse_constant,
            self.object_pairs_hook,
            self.array_hook,
        )
        if self.texts is not None:
            other.texts = []
        start_over(other)
        other.guard = READY
        return other


cdef tuple NO_EVENTS = ()

cdef inline object fed(Parser self, data):
    """Feed a fragment and return its events."""
    if (
        self.lengthens
        and self.guard == READY
        and PyUnicode_CheckExact(data)
        and all_grows(self, data)
    ):
        return NO_EVENTS
    return feed_any(self, data)


cdef object feed_any(Parser self, data):
    """The same, not inline: so that what does without keeps its few registers."""
    if self.guard != READY:
        refuse(self)
    feed_one(self, data, 0)
    if self.pending is None:
        return NO_EVENTS
    events = self.pending
    self.pending = None
    return events


# Member descriptors on the slots themselves, as C types have them, which the interpreter reads
# inline. Cython's own readonly attributes are getters, and a getter is a call.
cdef extern from *:
    """
    #include <structmember.h>
    #define FRAGJSON_OFFSET(object, slot) ((char *)&(object)->slot - (char *)(object))
    #define FRAGJSON_VALUE_OFFSET(parser) FRAGJSON_OFFSET(parser, value)
    #define FRAGJSON_CALL_OFFSET(delta) FRAGJSON_OFFSET(delta, call)
    #define FRAGJSON_TEXT_OFFSET(delta) FRAGJSON_OFFSET(delta, text)
    static int fragjson_add_member(
        PyTypeObject *type, const char *name, Py_ssize_t offset, const char *doc)
    {
        PyMemberDef *member = PyMem_Calloc(1, sizeof(PyMemberDef));  /* as long as the type lives */
        if (member == NULL) {
            PyErr_NoMemory();
            return -1;
        }
        member->name = name;
        member->type = T_OBJECT_EX;
        member->offset = offset;
        member->flags = READONLY;
        member->doc = doc;
        PyObject *descriptor = PyDescr_NewMember(type, member);
        if (descriptor == NULL)
            return -1;
        int status = PyDict_SetItemString(type->tp_dict, name, descriptor);
        Py_DECREF(descriptor);
        PyType_Modified(type);
        return status;
    }
    """
    Py_ssize_t FRAGJSON_VALUE_OFFSET(Parser parser)
    Py_ssize_t FRAGJSON_CALL_OFFSET(CallDelta delta)
    Py_ssize_t FRAGJSON_TEXT_OFFSET(CallDelta delta)
    int fragjson_add_member(
        type type_, const char* name, Py_ssize_t offset, const char* doc
    ) except -1

fragjson_add_member(
    Parser,
    "value",
    FRAGJSON_VALUE_OFFSET(Parser.__new__(Parser)),
    "The live best-effort value; None while status is EMPTY.\n\n"
    "Certain only: whatever comes, it stays a prefix of the final value. The same containers\n"
    "grow in place, so keep snapshot() rather than this, and do not change it. Reading it\n"
    "costs nothing; keeping a string that is still open makes the next feed copy that string.",
)
cdef CallDelta SOME_DELTA = CallDelta.__new__(CallDelta)
fragjson_add_member(CallDelta, "call", FRAGJSON_CALL_OFFSET(SOME_DELTA), "The call.")
fragjson_add_member(CallDelta, "text", FRAGJSON_TEXT_OFFSET(SOME_DELTA), "The new text.")


cdef int clear_parser(PyObject* item) noexcept:
    """Break the cycles an unreachable parser is part of: what it may refer to besides itself.

    Dropping these can run code that still gets at the parser, so it is made unusable first; the
    containers of the spine are the collector's to clear.
    """
    self = <Parser>item
    self.guard = UNBORN
    self.level = 0
    self.has_value = False
    self.value = self.failure = self.pending = self.unused = self.root_shape = None
    self.object_hook = self.object_pairs_hook = self.array_hook = None
    self.parse_float = self.parse_int = self.parse_constant = None
    return 0

(<PyTypeObject*>Parser).tp_clear = clear_parser


# ---- Settings ------------------------------------------------------------------------------------

cdef int parser_kinds(allow) except -1:
    """Which kinds may show while unfinished, for a Parser."""
    if isinstance(allow, str):
        raise TypeError(
            f"allow_partial={allow!r}: words are for loads; a Parser takes a bool, or Allow.STR, "
            "ARR and OBJ"
        )
    if not isinstance(allow, int):
        raise TypeError(f"allow_partial is a bool or Allow, not {type(allow).__name__}")
    kinds = int(allow)
    if kinds & ~(SHOW_STR | SHOW_ARR | SHOW_OBJ):
        raise ValueError(
            f"allow_partial={allow!r}: a Parser takes Allow.STR, ARR and OBJ; other kinds shown "
            "unfinished would change later"
        )
    return kinds


cdef int wanted_events(events) except -1:
    cdef int wanted = 0
    try:
        kinds = (events,) if isinstance(events, str) else tuple(events)
    except TypeError:
        raise TypeError(
            f"events is a collection of event kinds, not {type(events).__name__}"
        ) from None
    for kind in kinds:
        if kind == "start":
            wanted |= START
        elif kind == "delta":
            wanted |= DELTA
        elif kind == "end":
            wanted |= ENDS
        else:
            raise ValueError(f"events: {kind!r} is not 'start', 'delta' or 'end'")
    return wanted


cdef object compiled(str option, paths):
    try:
        return compile_paths(paths)
    except (TypeError, ValueError) as error:
        raise type(error)(f"{option}: {error}") from None


cdef Py_ssize_t limit(str option, value) except -1:
    cdef int overflow = 0
    cdef long long number
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(f"{option} is an int, not {type(value).__name__}")
    number = PyLong_AsLongLongAndOverflow(value, &overflow)
    if number < 0 or overflow < 0:
        raise ValueError(f"{option}={value}: it cannot be negative")
    return PY_SSIZE_T_MAX if overflow or number > PY_SSIZE_T_MAX else number


cdef object hook(str option, value):
    if value is not None and not callable(value):
        raise TypeError(f"{option} is callable, not {type(value).__name__}")
    return value


cdef int set_hooks(
    Parser self,
    object_hook,
    parse_float,
    parse_int,
    parse_constant,
    object_pairs_hook,
    array_hook,
) except -1:
    # As in json, the plain types mean the default.
    if parse_float is not None and parse_float is not float:
        self.parse_float = hook("parse_float", parse_float)
    if parse_int is not None and parse_int is not int:
        self.parse_int = hook("parse_int", parse_int)
    if parse_constant is not None:
        self.parse_constant = hook("parse_constant", parse_constant)
    if object_pairs_hook is not None:
        self.object_pairs_hook = hook("object_pairs_hook", object_pairs_hook)
        self.has_hooks = True
    elif object_hook is not None:
        self.object_hook = hook("object_hook", object_hook)
        self.has_hooks = True
    if array_hook is not None:
        self.array_hook = hook("array_hook", array_hook)
        self.has_hooks = True
    if self.has_hooks:
        self.pairs = []
        self.shapes = []
    return 0


cdef int start_over(Parser self) except -1:
    """The state of a parser that has read nothing. Settings and keys stay."""
    cdef Machine* m = &self.m
    # Held to the end: dropping them can run code that looks at the parser: it must be whole then.
    cdef object value = self.value
    cdef object spine = self.spine
    cdef object pending = self.pending
    cdef object pairs = self.pairs
    cdef object shapes = self.shapes
    cdef object root_shape = self.root_shape
    self.fragment = NULL
    self.level = 0
    drop_frames(self)
    self.lengthens = False
    self.fragment_pos = 0
    self.carried = b""
    self.bom_end = 0
    drop_open_text(self)
    scratch_clear(&self.scratch)
    m.state = VALUE
    m.in_object = m.in_key = False
    m.depth = m.at = m.base = m.line = m.line_start = self.document_start = 0
    m.fault = NO_FAULT
    m.lenient = False
    self.has_value = self.root_closed = self.started = False
    self.carry_size = 0
    self.bytes_left = self.max_bytes
    self.value = None
    if spine is None or len(<list>spine):
        self.spine = []
    self.pending = None
    self.string_path = None
    self.plain_sailing = False
    self.failure = None
    self.unused = ""
    if self.texts is not None:
        self.texts = []
        self.texts_kept = 0
    if self.has_hooks:
        self.pairs = []
        self.shapes = []
        self.root_shape = None
    return 0


# ---- Errors --------------------------------------------------------------------------------------

cdef str message(Fault fault):
    """As the running interpreter's json words it."""
    if fault == BAD_VALUE:
        return "Expecting value"
    if fault == BAD_KEY:
        return "Expecting property name enclosed in double quotes"
    if fault == BAD_COLON:
        return "Expecting ':' delimiter"
    if fault == BAD_COMMA:
        return "Expecting ',' delimiter"
    if fault == BAD_TRAILING_COMMA_ARRAY:
        return "Illegal trailing comma before end of array"
    if fault == BAD_TRAILING_COMMA_OBJECT:
        return "Illegal trailing comma before end of object"
    if fault == BAD_CONTROL:
        return "Invalid control character at"
    if fault == BAD_ESCAPE:
        return "Invalid \\escape"
    if fault == BAD_HEX:
        return "Invalid \\uXXXX escape"
    if fault == BAD_UTF8:
        return "Invalid UTF-8"
    if fault == EXTRA_DATA:
        return "Extra data"
    if fault == UNTERMINATED:
        return "Unterminated string starting at"
    if fault == TOO_DEEP:
        return "Nesting deeper than max_depth"
    if fault == TOO_LONG:
        return "Longer than max_string"
    return "Unexpected UTF-8 BOM (decode using utf-8-sig)"


cdef bint last_escape_counts() except -1:
    """Does json take four digits at the very end for an escape? From 3.14 on it does."""
    try:
        json.loads(r'"\u0000')
    except json.JSONDecodeError as error:
        return error.pos == 0  # of the string then, and not of the escape

# Asked, since what mends json may reach an older version, too.
cdef bint LAST_ESCAPE_COUNTS = last_escape_counts()


cdef int note_failure(
    Parser self, kind, str msg, Place place, Py_ssize_t stopped_at, doc
) except -1:
    """Remember what make_error needs. Not the error itself: with its traceback it would hold on
    to the frames that hold the parser."""
    self.failure = (
        kind,
        msg,
        doc,
        self.fragment_pos,
        place.pos,
        place.line + 1,
        place.pos - place.line_start + 1,
        stopped_at,
        path_of(self, path_size(self)),
        () if self.pending is None else tuple(self.pending),
    )
    self.pending = None
    return 0


cdef object make_error(Parser self):
    if self.failure is None:  # not even noting the failure found memory
        return JSONDecodeError("Out of memory", "", 0, value=self.value)
    kind, msg, doc, doc_start, pos, lineno, colno, stopped_at, path, events = self.failure
    if self.texts is not None:
        doc = decoded(self.texts)
        doc_start = self.document_start
    return kind(
        msg, doc, pos, doc_start=doc_start, lineno=lineno, colno=colno, stopped_at=stopped_at,
        value=self.value, path=path, events=events,
    )


cdef int stop(Parser self, kind, str msg, Place place, Py_ssize_t stopped_at) except -1:
    """Raise a JSONDecodeError that ends this parser; give_up does the rest."""
    if self.m.state == IN_STRING and not self.m.in_key:
        publish_string(self)  # what was certain of an open string stays readable
    fragment = "" if self.fragment == NULL else (<object>self.fragment)[self.fragment_start:]
    if self.texts is not None and len(fragment):
        keep_fragment(self, fragment)
    self.fragment = NULL
    if isinstance(fragment, str):
        doc = fragment
    else:
        doc = decoded_bytes(self.carried + bytes(fragment)[self.bom_end:])
    note_failure(self, kind, msg, place, stopped_at, doc)
    raise make_error(self)


cdef int stop_at_fault(Parser self) except -1:
    """The machine has found something that cannot be."""
    cdef Fault fault = self.m.fault
    cdef Place place = self.m.fault_place
    if PY_VERSION_HEX < 0x030d0000 and (
        fault == BAD_TRAILING_COMMA_ARRAY or fault == BAD_TRAILING_COMMA_OBJECT
    ):
        # Before 3.13, json did not know a trailing comma from any other missing value or key.
        fault = BAD_VALUE if fault == BAD_TRAILING_COMMA_ARRAY else BAD_KEY
        place = place_at(&self.m, self.m.stopped_at)
    if self.root_closed:
        rest = (<object>self.fragment)[self.run_start + self.m.at:]
        self.unused = memoryview(bytes(rest)) if isinstance(rest, memoryview) else rest
    if fault == TOO_DEEP:
        kind = DepthLimitError
    elif fault == TOO_LONG:
        kind = LimitExceededError
    else:
        kind = MalformedJSONError
    return stop(self, kind, message(fault), place, self.m.stopped_at)


cdef int note_foreign(Parser self, PyObject* kind) except -1:
    """Note a failure that is not of our making."""
    msg = "Out of memory"
    if kind != <PyObject*>MemoryError:
        msg = f"A hook raised {(<object>kind).__name__}"
    place = place_at(&self.m, position(self))
    return note_failure(self, JSONDecodeError, msg, place, place.pos, "")

cdef int keep_rest(Parser self) except -1:
    """Keep the fragment at which reading stopped: it may have been read in part."""
    return keep_fragment(self, (<object>self.fragment)[self.fragment_start:])

ctypedef int (*unchecked_note)(Parser, PyObject*) noexcept
ctypedef int (*unchecked_step)(Parser) noexcept


cdef int give_up(Parser self) except -1:
    """An exception is on its way out of a feed, close or reset: the parser is stopped. Returns -1
    with the exception still on its way."""
    cdef PyObject* kind
    cdef PyObject* value
    cdef PyObject* traceback
    self.guard = STOPPED
    if self.failure is None:
        # Not ours: a MemoryError, or whatever a hook has raised.
        PyErr_Fetch(&kind, &value, &traceback)
        if self.filled and not self.published and self.open_text.text != NULL and (
            (<unchecked_step>show_again)(self) < 0
        ):
            PyErr_Clear()
        if self.texts is not None and self.fragment != NULL and (
            (<unchecked_step>keep_rest)(self) < 0
        ):
            PyErr_Clear()
        if (<unchecked_note>note_foreign)(self, kind) < 0:
            PyErr_Clear()  # no memory for that either: make_error knows what to say
        PyErr_Restore(kind, value, traceback)
    return -1


cdef int refuse(Parser self) except -1:
    """Raise what the guard forbids."""
    if self.guard == STOPPED:
        error = make_error(self)
        error.events = ()  # the feed that failed has told them
        raise error
    if self.guard == CLOSED:
        raise ValueError("feed() after close(); reset() starts the next document")
    if self.guard == BUSY:
        raise RuntimeError("the parser is busy: called from inside a hook, or from two threads")
    raise RuntimeError("Parser.__init__() was not called")


# ---- Places and paths ----------------------------------------------------------------------------

cdef inline Py_ssize_t position(Parser self):
    return self.m.base + self.m.at


cdef inline bint reading(Parser self):
    """Is a value being read that is no container?"""
    return (
        (self.m.state == IN_STRING and not self.m.in_key)
        or self.m.state == IN_NUMBER
        or self.m.state == IN_LITERAL
    )


cdef inline object key_of(Frame* frame):
    return <object>frame.key if frame.is_object else frame.index


cdef inline Py_ssize_t path_size(Parser self) noexcept:
    """Length of the path of what is being read."""
    return self.level if self.level == 0 or reading(self) else self.level - 1


cdef inline tuple path_of(Parser self, Py_ssize_t size):
    """The way along the open containers: the member that each of the outermost size has come to.

    The caller has seen to it that no feed can run meanwhile: making the tuple can run code.
    """
    cdef tuple path = PyTuple_New(size)
    fill_path(self, path, size)
    return path


cdef inline int fill_path(Parser self, tuple path, Py_ssize_t size) except -1:
    cdef Py_ssize_t i
    for i in range(size):
        key = key_of(&self.frames[i])
        Py_INCREF(key)  # PyTuple_SET_ITEM takes a reference
        PyTuple_SET_ITEM(path, i, key)
    return 0


cdef object plain_key(key):
    """A name as exact str, an index as exact int, anything else as None, which is no key.

    What is exact runs no code of others when it is compared with its like.
    """
    if isinstance(key, str):
        return key if type(key) is str else str.__str__(key)
    if isinstance(key, int) and not isinstance(key, bool):
        return key if type(key) is int else int.__index__(key)
    return None


cdef inline bint same_key(Frame* frame, key) except -1:
    """Is this plain key the member that an open container has come to?"""
    if frame.is_object:
        return frame.key != NULL and type(key) is str and key == <object>frame.key
    return type(key) is int and key == frame.index


cdef object child_of(value, key):
    """The child of a value under a plain key, or MISSING."""
    if isinstance(value, dict):
        if type(key) is str:
            return (<dict>value).get(key, MISSING)
    elif isinstance(value, list):
        if type(key) is int and 0 <= key < len(<list>value):
            return (<list>value)[key]
    return MISSING

cdef object MISSING = object()


cdef object copied(Frame* frames, Py_ssize_t size):
    """Copies of containers that are open, each within the copy of the one around it."""
    cdef Py_ssize_t i
    cdef object copy
    cdef object inner = None
    for i in range(size - 1, -1, -1):
        copy = (<object>frames[i].container).copy()
        if i + 1 < size and frames[i + 1].shows:
            if frames[i].is_object:
                copy[<object>frames[i].key] = inner
            elif frames[i].index < len(<list>copy):
                copy[frames[i].index] = inner
        inner = copy
    return inner


cdef PyObject* step_node(PyObject* node, key) except? NULL:
    """The node one step further; borrowed from its parent, which keeps it."""
    if node == NULL:
        return NULL
    here = <object>node
    spelled = key in here.known
    child = here.known[key] if spelled else here.other
    if child is None and (spelled or here.is_open):
        child = here.step(key)
    return NULL if child is None else <PyObject*>child


cdef PyObject* member_node(Parser self, object root, bint atomic) except? NULL:
    """The node of the value being read: root's own or that of a member of the open container."""
    cdef Frame* frame
    if self.level == 0:
        return <PyObject*>root
    frame = &self.frames[self.level - 1]
    return step_node(frame.atomic_node if atomic else frame.events_node, key_of(frame))


cdef inline bint selected(Parser self) except -1:
    """Do events of the value being read match paths?"""
    cdef PyObject* node
    if self.events_root is None:
        return True
    node = member_node(self, self.events_root, False)
    return node != NULL and (<object>node).matches


cdef int emit(Parser self, str kind, path, str json_type, value) except -1:
    cdef Event event = Event.__new__(Event)
    event.kind = kind
    event.path = path
    event.json_type = json_type
    event.value = value
    if self.pending is None:
        self.pending = [event]
    else:
        self.pending.append(event)
    return 0


# ---- Containers ----------------------------------------------------------------------------------

cdef int drop_frames(Parser self) noexcept:
    """Release the keys that the frames own, exact str: dropping them runs no Python code."""
    cdef Py_ssize_t i
    for i in range(self.frame_room):
        Py_XDECREF(self.frames[i].key)
        self.frames[i].key = NULL
    return 0


cdef int grow_frames(Parser self) except -1:
    cdef Py_ssize_t room = 8 if self.frame_room == 0 else self.frame_room * 2
    cdef void* frames = PyMem_Realloc(self.frames, room * sizeof(Frame))
    if frames == NULL:
        raise MemoryError()
    self.frames = <Frame*>frames
    memset(self.frames + self.frame_room, 0, (room - self.frame_room) * sizeof(Frame))
    self.frame_room = room
    return 0


cdef inline int attach(Parser self, object value, bint replaces) except -1:
    """Make value what stands in the place that is being read: the root, a member or an item.

    replaces: the place has been taken before, by an unfinished string or by an object that a hook
    now replaces. If the user has removed it meanwhile, it comes back: the parser goes on.
    (A string is looked for only when it grows: one that just closes may stay away.)
    """
    cdef Frame* frame
    if self.level == 0:
        self.value = value
        self.has_value = True
        return 0
    frame = &self.frames[self.level - 1]
    if frame.is_object:
        PyDict_SetItem(frame.container, frame.key, <PyObject*>value)
    elif replaces and frame.index < PyList_GET_SIZE(frame.container):
        Py_INCREF(value)  # PyList_SetItem takes a reference
        PyList_SetItem(frame.container, frame.index, <PyObject*>value)
    else:
        (<list>frame.container).append(value)
    return 0


cdef inline int finish(Parser self, object value, object shape) except -1:
    """The value being read is finished and attached: count it."""
    if self.level == 0:
        self.root_closed = True
        self.root_shape = shape
        return 0
    if self.has_hooks:
        note_shape(self, value, shape)
    self.frames[self.level - 1].index += 1
    return 0


cdef int note_shape(Parser self, object value, object shape) except -1:
    """Where hooks run, the JSON itself is noted beside what they make of it."""
    cdef Frame* frame = &self.frames[self.level - 1]
    inside = self.shapes[self.level - 1]
    if frame.is_object:
        inside[<object>frame.key] = shape
        if self.object_pairs_hook is not None:
            self.pairs[self.level - 1].append((<object>frame.key, value))
    else:
        inside.append(shape)
    return 0


cdef int open_container(Parser self) except -1:
    cdef bint is_object = self.m.in_object
    cdef object container = {} if is_object else []
    cdef bint shows = self.shown_kinds & (SHOW_OBJ if is_object else SHOW_ARR)
    cdef PyObject* events_node = NULL
    cdef PyObject* atomic_node = NULL
    cdef Frame* frame
    if self.events_root is not None:
        events_node = member_node(self, self.events_root, False)
    if self.atomic_root is not None:
        atomic_node = member_node(self, self.atomic_root, True)
    if self.level == self.frame_room:
        grow_frames(self)
    if self.has_hooks:
        self.shapes.append({} if is_object else [])
        self.pairs.append([])
    if shows:
        attach(self, container, False)
    self.spine.append(container)
    frame = &self.frames[self.level]
    # The frame's key was released when it was last left.
    frame.container = <PyObject*>container
    frame.events_node = events_node
    frame.atomic_node = atomic_node
    frame.index = 0
    frame.is_object = is_object
    frame.shows = shows
    self.level += 1
    if self.wanted & START and (self.events_root is None or (
        events_node != NULL and (<object>events_node).matches
    )):
        emit(
            self, "start", path_of(self, self.level - 1),
            "object" if is_object else "array", container,
        )
    return 0


cdef int close_container(Parser self) except -1:
    cdef Frame* frame = &self.frames[self.level - 1]
    cdef bint is_object = frame.is_object
    cdef bint shows = frame.shows
    cdef object path = None
    cdef object container = <object>frame.container
    cdef object value = container
    cdef object shape = None
    if self.wanted & ENDS and (self.events_root is None or (
        frame.events_node != NULL and (<object>frame.events_node).matches
    )):
        path = path_of(self, self.level - 1)
    if self.has_hooks:
        # From here on the container is its parent's business, but it stays on the spine while its
        # hook runs: the user may look at the parser from inside.
        if not is_object:
            if self.array_hook is not None:
                value = self.array_hook(container)
        elif self.object_pairs_hook is not None:
            value = self.object_pairs_hook(self.pairs[self.level - 1])
        elif self.object_hook is not None:
            value = self.object_hook(container)
        self.pairs.pop()
        shape = self.shapes.pop()
        frame = &self.frames[self.level - 1]
    Py_XDECREF(frame.key)
    frame.key = NULL
    self.level -= 1
    self.spine.pop()
    self.m.in_object = self.level > 0 and self.frames[self.level - 1].is_object
    if not shows or value is not container:
        attach(self, value, shows)
    if path is not None:
        emit(self, "end", path, "object" if is_object else "array", value)
    return finish(self, value, shape)


# ---- Keys and strings ----------------------------------------------------------------------------

cdef inline int set_key(
    Parser self, const void* units, int width, Py_ssize_t count, uint32_t bits
) except -1:
    cdef Frame* frame = &self.frames[self.level - 1]
    if self.keys == NULL:  # not before: a parser that others are made alike has no use for one
        self.keys = keys_take()
    cdef object key = cached_key(self.keys, units, width, count, bits)
    cdef PyObject* old = frame.key
    frame.key = Py_XNewRef(<PyObject*>key)
    Py_XDECREF(old)  # an exact str: this runs no code
    return 0


cdef int drop_open_text(Parser self) noexcept:
    cdef PyObject* text = self.open_text.text
    self.open_text.text = NULL
    self.open_text.capacity = 0
    self.hidden = self.filled = self.published = self.growing = self.in_place = False
    Py_XDECREF(text)
    return 0


cdef int begin_string(Parser self) except -1:
    """A string value begins that is not whole and plain in this fragment."""
    self.told = 0
    self.hidden = not self.shown_kinds & SHOW_STR
    if self.atomic_root is not None and is_atomic(self):
        self.hidden = True
    if self.wanted and selected(self):
        self.string_path = path_of(self, self.level)
        if self.wanted & START and not self.hidden:
            emit(self, "start", self.string_path, "string", "")
    return 0


cdef inline bint is_atomic(Parser self) except -1:
    cdef PyObject* node = member_node(self, self.atomic_root, True)
    return node != NULL and (<object>node).matches


cdef inline int add_text(
    Parser self, const void* units, int width, Py_ssize_t count, uint32_t bits
) except -1:
    """More of the string or key being read."""
    if self.open_text.text == NULL:
        if self.scratch.length < LONG_TEXT or self.m.in_key:
            return scratch_add(&self.scratch, units, width, count, bits)
        leave_scratch(self)
    if not self.growing:
        begin_growing(self)
    if self.in_place and (
        open_text_fits(&self.open_text, count, bits) or moves(self, count, bits)
    ):
        open_text_write(&self.open_text, units, width, count)
        return 0
    open_text_replace(&self.open_text, units, width, count, bits)
    self.published = False
    self.in_place = not PLAIN_APPEND  # the new object is nobody's but ours until published
    return 0


cdef int leave_scratch(Parser self) except -1:
    """A string gets long within one fragment: from here on it grows as the str that it will be, so
    that it is not held twice in the end."""
    cdef Scratch* scratch = &self.scratch
    open_text_make(
        &self.open_text, scratch.data, scratch.width, scratch.length, scratch.bits,
        spare_room(scratch.length),
    )
    scratch_free(scratch)
    self.growing = True
    self.in_place = not PLAIN_APPEND
    return 0


cdef bint moves(Parser self, Py_ssize_t count, uint32_t bits) except -1:
    """Make room for more behind a long text that grows in place, without a copy of it. False if
    that cannot be."""
    cdef Py_ssize_t length = self.open_text.length
    if length < LONG_TEXT or bits > self.open_text.largest or count > PY_SSIZE_T_MAX // 16:
        return False
    return resized(self, length + count + spare_room(length + count))


cdef bint resized(Parser self, Py_ssize_t capacity) except -1:
    """Change the room of the open text, which grows in place. False if that cannot be."""
    if self.published:
        # The block may move: nothing may refer to it meanwhile.
        attach(self, "", True)
        self.published = False
        if not grows_in_place(&self.open_text, 1):
            return False  # attaching has run code that took hold of it
    if open_text_resize(&self.open_text, capacity):
        return True
    if self.filled:
        show_again(self)
    return False


cdef int show_again(Parser self) except -1:
    """What was taken out of its place to be changed comes back."""
    attach(self, <object>self.open_text.text, True)
    self.published = True
    return 0


cdef int begin_growing(Parser self) except -1:
    """This feed's first addition to a published string: may it be made in place?"""
    self.growing = True
    if PLAIN_APPEND:
        attach(self, "", True)
    else:
        # Looked up first, counted then: the look-up can run code, if the user has put keys of
        # their own into the dict.
        self.in_place = is_held(self) and grows_in_place(&self.open_text, 2)
    return 0


cdef inline bint is_in_place(Parser self) noexcept:
    """Is the open text still where it was published: the one holder of it besides us? False also
    if that cannot be told at once, in a dict that others have changed."""
    cdef PyObject* text = self.open_text.text
    cdef Frame* frame
    if self.level == 0:
        return <PyObject*>self.value == text
    frame = &self.frames[self.level - 1]
    if frame.is_object:
        return still_holds(frame.container, self.place, text)
    return (
        frame.index < PyList_GET_SIZE(frame.container)
        and PyList_GET_ITEM(frame.container, frame.index) == text
    )


cdef inline bint is_held(Parser self) except -1:
    """The same, with a look-up where that is needed."""
    return is_in_place(self) or is_found(self)


cdef bint is_found(Parser self) except -1:
    """Look the open text up in its dict. Where it is found, is_in_place can tell from now on: no
    code of others has run since the look-up, as it may while something is put into a dict."""
    cdef Frame* frame
    self.place = NOWHERE
    if self.level == 0 or not self.frames[self.level - 1].is_object:
        return False
    frame = &self.frames[self.level - 1]
    if PyDict_GetItemWithError(frame.container, frame.key) != self.open_text.text:
        return False
    self.place = last_place(frame.container)
    return True


cdef int publish_string(Parser self) except -1:
    """At the end of a feed, with a string open: let it show, and tell what is new."""
    if self.hidden:
        return 0
    if self.open_text.text == NULL:
        open_text_make(
            &self.open_text,
            self.scratch.data, self.scratch.width, self.scratch.length, self.scratch.bits,
            # "" is the one that everybody shares: nothing can be written behind it.
            0 if self.exact or not self.scratch.length else spare_room(self.scratch.length),
        )
    if not self.published:
        attach(self, <object>self.open_text.text, self.filled)
        self.filled = self.published = True
        is_found(self)
    self.growing = self.in_place = False
    self.lengthens = (
        self.plain_sailing
        and self.m.escape <= BACKSLASH
        and not self.m.held
        and not self.wanted & DELTA
    )
    if self.string_path is not None and self.wanted & DELTA:
        tell(self, <object>self.open_text.text)
    return 0


cdef int tell(Parser self, text) except -1:
    """The delta event of what has not been told yet."""
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(<PyObject*>text)
    if length > self.told:
        emit(
            self, "delta", self.string_path, "string",
            PyUnicode_Substring(text, self.told, length),
        )
        self.told = length
    return 0


cdef int end_string(Parser self) except -1:
    """The closing quote of a string that was not whole and plain in one fragment."""
    cdef PyObject* text = self.open_text.text
    cdef object value
    if text == NULL:
        value = scratch_text(&self.scratch)
        attach(self, value, False)
    else:
        value = trimmed(self)
        if not self.published:
            attach(self, value, self.filled)
    if self.string_path is not None:
        if self.hidden:
            if self.wanted & START:
                emit(self, "start", self.string_path, "string", "")
        elif self.wanted & DELTA:
            tell(self, value)
        if self.wanted & ENDS:
            emit(self, "end", self.string_path, "string", value)
        self.string_path = None
    drop_open_text(self)
    scratch_clear(&self.scratch)
    return finish(self, value, None)


cdef object trimmed(Parser self):
    """The open text, without its spare room where that is worth something. It may have to be
    attached again."""
    cdef OpenText* text = &self.open_text
    cdef Py_ssize_t length = PyUnicode_GET_LENGTH(text.text)
    if (text.capacity - length) * PyUnicode_KIND_of(text.text) <= 32:
        return <object>text.text
    if length >= LONG_TEXT:
        if not self.growing:
            begin_growing(self)
        if self.in_place and resized(self, length):
            return <object>text.text
    self.published = False
    return new_text(
        PyUnicode_DATA(text.text), PyUnicode_KIND_of(text.text), length,
        PyUnicode_MAX_CHAR_VALUE(text.text),
    )


cdef inline int whole_string(
    Parser self, const void* units, int width, Py_ssize_t count, uint32_t bits
) except -1:
    """A string that is whole and plain in this fragment."""
    cdef object value = new_text(units, width, count, bits)
    attach(self, value, False)
    if self.wanted and selected(self):
        path = path_of(self, self.level)
        if self.wanted & START:
            emit(self, "start", path, "string", "")
        if self.wanted & DELTA and count and self.shown_kinds & SHOW_STR and not (
            self.atomic_root is not None and is_atomic(self)
        ):
            emit(self, "delta", path, "string", value)
        if self.wanted & ENDS:
            emit(self, "end", path, "string", value)
    return finish(self, value, None)


# ---- Numbers and literals ------------------------------------------------------------------------

cdef object number_of(Parser self, const char* digits, Py_ssize_t count):
    """The number that a NUL-terminated text says."""
    if number_is_float(self.m.number):
        if self.parse_float is not None:
            return self.parse_float(PyUnicode_FromStringAndSize(digits, count))
        return PyOS_string_to_double(digits, NULL, NULL)
    if self.parse_int is not None:
        return self.parse_int(PyUnicode_FromStringAndSize(digits, count))
    try:
        return PyLong_FromString(digits, NULL, 10)
    except ValueError as error:
        # The interpreter's limit on digits. The number is still what is being read.
        reason = str(error)
    self.m.state = IN_NUMBER
    stop(self, LimitExceededError, reason, self.m.token, position(self))


cdef inline object finished_number(
    Parser self, const void* units, int width, Py_ssize_t count
):
    """The number that has ended. Its last characters, or all, are units; others are in scratch."""
    cdef Machine* m = &self.m
    cdef double real
    cdef long long whole
    if number_is_float(m.number):
        if (
            self.parse_float is None
            and m.digit_count <= 19  # any 19 digits fit into 64 bits
            and scaled_double(m.digits, scale_of(m), &real)
        ):
            return -real if m.negative else real
    elif self.parse_int is None and m.digit_count <= 18:
        whole = <long long>m.digits
        return -whole if m.negative else whole
    if count:
        scratch_add(&self.scratch, units, width, count, 0x7f)
    return number_of(self, scratch_string(&self.scratch), self.scratch.length)


cdef int end_number(
    Parser self, const void* units, int width, Py_ssize_t count, bint tells
) except -1:
    cdef object value = finished_number(self, units, width, count)
    scratch_clear(&self.scratch)
    attach(self, value, False)
    if tells and self.wanted & ENDS:
        tell_end(self, "number", value)
    return finish(self, value, None)


cdef int tell_end(Parser self, str json_type, value) except -1:
    """The end event of a number, boolean or null."""
    if selected(self):
        emit(self, "end", path_of(self, self.level), json_type, value)
    return 0


cdef int end_root_number(Parser self) except -1:
    """The input has ended behind a number at the root. Its end event has no feed to be returned
    from: the result of close says it."""
    end_number(self, NULL, 0, 0, False)
    self.m.state = END
    return 0


cdef int end_input(Parser self) except -1:
    """No more comes: end a number at the root, or note why the input cannot end here."""
    cdef Place place
    cdef Fault fault = end_fault(&self.m, LAST_ESCAPE_COUNTS, &place)
    self.fragment_pos = position(self)  # no fragment has failed
    if fault != NO_FAULT:
        note_failure(self, IncompleteJSONError, message(fault), place, position(self), "")
    elif self.m.state == IN_NUMBER:
        end_root_number(self)
    return 0


cdef object literal_value(Parser self):
    if self.m.literal == TRUE_WORD:
        return True
    if self.m.literal == FALSE_WORD:
        return False
    if self.m.literal == NULL_WORD:
        return None
    if self.parse_constant is not None:
        return self.parse_constant(letters(self.m.literal).decode("ascii"))
    if self.m.literal == NAN_WORD:
        return NAN
    return INFINITY if self.m.literal == INFINITY_WORD else -INFINITY

cdef object NAN = float("nan")
cdef object INFINITY = float("inf")


cdef int end_literal(Parser self) except -1:
    cdef object value = literal_value(self)
    scratch_clear(&self.scratch)  # the minus of -Infinity
    attach(self, value, False)
    if self.wanted & ENDS:
        tell_end(self, token_type(&self.m), value)
    return finish(self, value, None)


cdef str token_type(Machine* m):
    """JSON Schema's word for a number or literal; NaN and the infinities are numbers."""
    if m.state != IN_NUMBER:
        if m.literal == NULL_WORD:
            return "null"
        if m.literal == TRUE_WORD or m.literal == FALSE_WORD:
            return "boolean"
    return "number"


# ---- Driving the machine -------------------------------------------------------------------------

cdef Step drive(Parser self, const unit* text, Py_ssize_t end) except FAULT:
    """Read one run of units. Returns MORE, CUT or NEXT_DOCUMENT; m.at is where it stopped."""
    cdef Machine* m = &self.m
    cdef uint32_t[CHAR_ROOM] chars
    cdef Step step
    m.chars = chars
    while True:
        step = advance[unit](m, text, end)
        if step == TEXT:
            add_text(self, text + m.start, sizeof(unit), m.stop - m.start, m.bits)
        elif step == STRING:
            whole_string(self, text + m.start, sizeof(unit), m.stop - m.start, m.bits)
        elif step == KEY:
            set_key(self, text + m.start, sizeof(unit), m.stop - m.start, m.bits)
        elif step == BEGIN:
            if not m.in_key:
                begin_string(self)
        elif step == CHARS:
            add_text(self, m.chars, m.char_width, m.char_count, m.bits)
        elif step == STRING_END:
            end_string(self)
        elif step == KEY_END:
            set_key(
                self, self.scratch.data, self.scratch.width, self.scratch.length,
                self.scratch.bits,
            )
            scratch_clear(&self.scratch)
        elif step == NUMBER:
            end_number(self, text + m.start, sizeof(unit), m.stop - m.start, True)
        elif step == NUMBER_PART:
            scratch_add(&self.scratch, text + m.start, sizeof(unit), m.stop - m.start, 0x7f)
        elif step == LITERAL_END:
            end_literal(self)
        elif step == OPEN:
            open_container(self)
        elif step == CLOSE:
            close_container(self)
        elif step == FAULT:
            stop_at_fault(self)
        else:
            return step


cdef inline Py_ssize_t end_run(Parser self) noexcept:
    """What was read of the run becomes the past: the next one starts at index 0."""
    cdef Py_ssize_t read = self.m.at
    self.m.base += read
    self.m.at = 0
    return read


cdef int run_character(Parser self, uint32_t code) except -1:
    """Read one character that came in more than one fragment of bytes."""
    drive[ucs4_unit](self, <const ucs4_unit*>&code, 1)
    end_run(self)
    return 0


cdef int stop_at_carry(Parser self) except -1:
    """What was carried of a UTF-8 sequence or BOM is not continued by what comes now."""
    self.carry_size = 0
    # In a string the machine says so itself; elsewhere only a BOM can have been carried.
    return run_character(self, NOT_UTF8)


cdef Py_ssize_t run_bytes(Parser self, const utf8_unit* data, Py_ssize_t size) except -1:
    """Read UTF-8; returns the bytes used, all of them but for NEXT_DOCUMENT."""
    cdef utf8_unit[3] bom = [0xef, 0xbb, 0xbf]
    cdef Py_ssize_t i = 0
    cdef Py_ssize_t base
    cdef uint32_t code
    cdef int length
    self.m.joins = False
    if not self.started:
        # A BOM may come, in pieces; it is no part of the text.
        while i < size and self.carry_size < 3 and data[i] == bom[self.carry_size]:
            self.carry[self.carry_size] = data[i]
            self.carry_size += 1
            i += 1
        if self.carry_size == 3:
            self.carry_size = 0
            self.carried = b""
            self.bom_end = i
        elif i == size:
            return i
        elif self.carry_size:
            stop_at_carry(self)
        self.started = True
    while self.carry_size:
        if i == size:
            return i
        self.carry[self.carry_size] = data[i]
        length = decode_utf8(self.carry, self.carry_size + 1, &code)
        if length < 0:
            stop_at_carry(self)
        self.carry_size += 1
        i += 1
        if length > 0:
            self.carry_size = 0
            run_character(self, code)
    self.run_start += i
    if drive[utf8_unit](self, data + i, size - i) == CUT:
        base = self.m.at
        self.carry_size = size - i - base
        for length in range(self.carry_size):
            self.carry[length] = data[i + base + length]
        end_run(self)
        return size
    return i + end_run(self)


cdef inline int run_units(
    Parser self, text, Py_ssize_t start, Py_ssize_t end
) except -1:
    """Read str units start to end."""
    cdef int width = PyUnicode_KIND(text)
    cdef void* data = PyUnicode_DATA(<PyObject*>text)
    self.run_start = start
    if width == 1:
        drive[latin1_unit](self, <const latin1_unit*>data + start, end - start)
    elif width == 2:
        drive[ucs2_unit](self, <const ucs2_unit*>data + start, end - start)
    else:
        drive[ucs4_unit](self, <const ucs4_unit*>data + start, end - start)
    return 0


cdef inline bint all_grows(Parser self, text) noexcept:
    """Take the commonest fragments by the shortest way: all of it lengthens a string that is open
    and shows, in place, and is plain or escaped in two units. False, with nothing done, if not.

    What add_text and publish_string do, less the steps between, in a fourth of the instructions.
    """
    cdef Machine* m = &self.m
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(<PyObject*>text)
    cdef Py_ssize_t length = self.open_text.length
    cdef bint escaped = m.escape == BACKSLASH
    if (
        PLAIN_APPEND
        or size > m.room
        or not is_in_place(self)
        or not open_text_take(&self.open_text, <PyObject*>text, &escaped)
    ):
        return False
    m.room -= self.open_text.length - length
    m.base += size
    if size:
        m.escape = BACKSLASH if escaped else NO_ESCAPE
        m.mark = m.base - 1 if escaped else -1
    return True


cdef Py_ssize_t run_text(
    Parser self, text, Py_ssize_t start, Py_ssize_t end, bint joins
) except -1:
    """Read str units start to end, whatever came before; returns the index where it stopped."""
    self.m.joins = joins
    self.run_start = start
    if not self.started:
        self.started = True
        if joins and start < end and PyUnicode_READ_CHAR(text, start) == 0xfeff:
            self.m.fault = BAD_BOM
            self.m.stopped_at = position(self)
            self.m.fault_place = place_at(&self.m, position(self))
            stop_at_fault(self)
    if self.carry_size:
        stop_at_carry(self)
    run_units(self, text, start, end)
    return start + end_run(self)


cdef Py_ssize_t utf8_size(text, Py_ssize_t start, Py_ssize_t end):
    """Bytes that str units start to end are in UTF-8; a surrogate half counts three."""
    cdef Py_ssize_t i
    cdef Py_ssize_t size = end - start
    cdef uint32_t code
    if PyUnicode_MAX_CHAR_VALUE(<PyObject*>text) < 0x80:
        return size
    for i in range(start, end):
        code = (<str>text)[i]
        size += (code >= 0x80) + (code >= 0x800) + (code >= 0x10000)
    return size


cdef Py_ssize_t run_limited_text(Parser self, text, Py_ssize_t start) except -1:
    """Read str from unit start on, as far as max_bytes lets.

    In stretches that are sure to fit, so that no unit is counted that is not read. Of a character
    that does not fit, the part that does may be enough to see that it cannot stand here at all, as
    the first of its bytes would show.
    """
    cdef Py_ssize_t size = PyUnicode_GET_LENGTH(<PyObject*>text)
    cdef Py_ssize_t end, stop
    cdef bint could_stand
    while start < size:
        end = start + max(self.bytes_left // 4, 1)
        if end > size:
            end = size
        if self.bytes_left < 4 and utf8_size(text, start, end) > self.bytes_left:
            could_stand = (
                self.m.state == IN_STRING and self.m.escape == NO_ESCAPE and self.carry_size == 0
            )
            if could_stand or self.bytes_left == 0:
                stop_at_max_bytes(self)
        stop = run_text(self, text, start, end, True)
        self.bytes_left -= utf8_size(text, start, stop)
        start = stop
        if stop < end:
            break  # at the next document
    return start


cdef Py_ssize_t run_buffer(
    Parser self, const utf8_unit* data, Py_ssize_t start, Py_ssize_t size
) except -1:
    """Read the bytes of a fragment from start on, as far as max_bytes lets."""
    cdef Py_ssize_t end = size
    cdef Py_ssize_t used
    if end - start > self.bytes_left:
        end = start + self.bytes_left
    self.run_start = start
    self.carried = (<const char*>self.carry)[:self.carry_size] if self.carry_size else b""
    self.bom_end = 0
    used = run_bytes(self, data + start, end - start)
    if self.max_bytes != PY_SSIZE_T_MAX:
        self.bytes_left -= used
    start += used
    if start == end < size:
        stop_at_max_bytes(self)
    return start


cdef int stop_at_max_bytes(Parser self) except -1:
    return stop(
        self, LimitExceededError, "More than max_bytes",
        place_at(&self.m, position(self)), position(self),
    )


cdef inline Py_ssize_t read_fragment(Parser self, data, Py_ssize_t start) except -1:
    """Read a fragment, and publish what it leaves open."""
    self.lengthens = False
    if self.plain_sailing and PyUnicode_CheckExact(data):
        self.m.joins = True
        run_units(self, data, start, PyUnicode_GET_LENGTH(<PyObject*>data))
        start += end_run(self)
    else:
        start = read_carefully(self, data, start)
    if self.m.state == IN_STRING and not self.m.in_key:
        publish_string(self)
    return start


cdef Py_ssize_t read_carefully(Parser self, data, Py_ssize_t start) except -1:
    """Read any fragment, and see whether the next may go straight to the machine."""
    cdef Py_ssize_t stopped = read_any(self, data, start)
    if self.texts is not None and start < stopped:
        keep_fragment(self, data[start:stopped])
    self.plain_sailing = (
        self.started
        and self.carry_size == 0
        and self.texts is None
        and self.max_bytes == PY_SSIZE_T_MAX
    )
    return stopped


cdef int keep_fragment(Parser self, data) except -1:
    """Keep what is fed. Every so many fragments become one, and every so many of those: an object
    for each few characters would take many times the room of the text."""
    cdef Py_ssize_t kept
    self.texts.append(str(data) if isinstance(data, str) else bytes(data))
    self.texts_kept += 1
    kept = self.texts_kept
    while kept % LOOSE_TEXTS == 0:
        self.texts[-LOOSE_TEXTS:] = runs_of(self.texts[-LOOSE_TEXTS:])
        kept //= LOOSE_TEXTS
    return 0


cdef list runs_of(list texts):
    """Texts and bytes in order, with neighbours of the same type joined."""
    cdef list found = []
    for kind, run in itertools.groupby(texts, type):
        found.append(kind().join(run))
    return found


cdef Py_ssize_t read_any(Parser self, data, Py_ssize_t start) except -1:
    cdef Py_buffer view
    cdef Py_ssize_t size
    if PyUnicode_Check(data):
        size = PyUnicode_GET_LENGTH(<PyObject*>data)
        if self.max_bytes != PY_SSIZE_T_MAX:
            return run_limited_text(self, data, start)
        return run_text(self, data, start, size, True) if start < size else start
    if PyBytes_CheckExact(data):
        return run_buffer(
            self, <const utf8_unit*>PyBytes_AS_STRING(data), start, PyBytes_GET_SIZE(data)
        )
    # The buffer is held, and so cannot move, for as long as we read it.
    PyObject_GetBuffer(data, &view, PyBUF_SIMPLE)
    try:
        return run_buffer(self, <const utf8_unit*>view.buf, start, view.len)
    finally:
        PyBuffer_Release(&view)


cdef inline Py_ssize_t feed_one(Parser self, data, Py_ssize_t start) except -1:
    """Read a fragment from unit start on; returns the index where reading stopped."""
    if not PyUnicode_CheckExact(data) and not PyBytes_CheckExact(data):
        data = plain_data(data)
    self.guard = BUSY
    self.fragment = <PyObject*>data
    self.fragment_start = start
    self.fragment_pos = self.m.base
    # Called as if it could not raise, so that the guard is looked after without a try statement,
    # which costs a tenth of a small feed.
    start = (<unchecked_reader>read_fragment)(self, data, start)
    if start < 0:
        give_up(self)
    self.guard = READY
    return start

ctypedef Py_ssize_t (*unchecked_reader)(Parser, object, Py_ssize_t) noexcept


cdef object plain_data(data):
    """Check the type of a fragment, and make it one whose slices are what they seem.

    A memoryview becomes one of plain bytes, side by side; what is of a subclass becomes exact.
    """
    if isinstance(data, memoryview):
        if data.contiguous:
            return data.cast("B") if data.format != "B" or data.ndim != 1 else data
        return data.tobytes()
    if type(data) is bytearray:
        return data
    if isinstance(data, str):
        return str.__str__(data)
    if isinstance(data, bytes):
        return memoryview(data).tobytes()
    if isinstance(data, bytearray):
        return bytearray(memoryview(data))
    raise TypeError(
        f"a fragment is str, bytes, bytearray or memoryview, not {type(data).__name__}"
    )


cdef str decoded(list texts):
    """Everything that was fed, as far as it is text. No fragment in it is empty."""
    cdef list parts = []
    for run in runs_of(texts):
        if isinstance(run, bytes):
            run = decoded_bytes(run if parts else run.removeprefix(b"\xef\xbb\xbf"))
        parts.append(run)
    return "".join(parts)


cdef str decoded_bytes(raw):
    """UTF-8 up to where it is cut or wrong, and then whatever can be read of it."""
    try:
        return raw.decode("utf-8", "surrogatepass")
    except UnicodeDecodeError as error:
        end = error.start
    return raw[:end].decode("utf-8", "surrogatepass") + raw[end:].decode("utf-8", "replace")


# ---- Arguments of tool calls ---------------------------------------------------------------------

@cython.final
cdef class Intake:
    """Takes in the arguments of a call while no fragment needs a second look, as nearly none does.

    To parse a fragment, to keep it and to tell of it is then all there is to do, and it is done
    here: in Python these steps take three times as long.

    Args:
        parser: what parses the fragments; None if they are not JSON.
        fragments: the list that keeps them; None: each one needs a second look.
    """

    cdef Parser parser
    cdef list fragments

    def __init__(self, Parser parser, list fragments):
        self.parser = parser
        self.fragments = fragments

    @cython.always_allow_keywords(False)
    def take(self, call, text, /):
        """Take in a fragment.

        Returns:
            The events of the call that it causes; None if it needs a second look, is empty, or is
            no text: nothing has been done then.

        Raises:
            JSONDecodeError: the parser has stopped; the fragment is neither kept nor told of.
        """
        cdef CallDelta delta
        if self.fragments is None or type(text) is not str:
            return None
        if PyUnicode_GET_LENGTH(<PyObject*>text) == 0:
            return None
        found = NO_EVENTS if self.parser is None else fed(self.parser, text)
        self.fragments.append(text)
        delta = CallDelta.__new__(CallDelta)
        delta.call = call
        delta.text = text
        events = [delta]
        if found is not NO_EVENTS:
            tell_fields(events, call, found)
        return events


def tell_call(list events not None, call, str text not None, found):
    """Append the events of a call that a piece of its arguments has caused.

    Args:
        events: the list to append them to.
        call: the call.
        text: the piece; ``""`` if only the fields are to be told of.
        found: the parser's events for it.
    """
    if text:
        events.append(CallDelta(call, text))
    tell_fields(events, call, found)


cdef int tell_fields(list events, call, found) except -1:
    cdef Event event
    cdef FieldEvent field
    for event in found:
        if len(<tuple?>event.path) == 0:  # the root: its end is the call's own affair
            continue
        if event.kind == "end":
            field = FieldClosed.__new__(FieldClosed)
        elif event.kind == "delta":
            field = FieldDelta.__new__(FieldDelta)
        else:
            field = FieldStarted.__new__(FieldStarted)
        field.call = call
        field.path = event.path
        field.value = event.value
        events.append(field)
    return 0


# ---- loads ---------------------------------------------------------------------------------------

cdef dict WORDS = {
    "off": 0,
    "on": SHOW_ARR | SHOW_OBJ | SHOW_NUM,
    "trailing-strings": SHOW_ARR | SHOW_OBJ | SHOW_NUM | SHOW_STR,
}


cdef int kinds_of(allow) except -1:
    """allow_partial of loads, as kinds that may show unfinished."""
    if allow is True:
        return SHOW_STR | SHOW_ARR | SHOW_OBJ
    if allow is False:
        return 0
    if isinstance(allow, str):
        if allow not in WORDS:
            raise ValueError(f"allow_partial={allow!r}: the words are {', '.join(WORDS)}")
        return WORDS[allow]
    if not isinstance(allow, int):
        raise TypeError(f"allow_partial is a bool, Allow or str, not {type(allow).__name__}")
    if not 0 <= allow <= SHOW_ALL:
        raise ValueError(f"allow_partial={allow!r}: not a set of Allow flags")
    return int(allow)


def loads(
    s,
    *,
    allow_partial=True,
    bint strict=True,
    cls=None,
    object_hook=None,
    parse_float=None,
    parse_int=None,
    parse_constant=None,
    object_pairs_hook=None,
    array_hook=None,
    max_depth=1000,
):
    """Parse a JSON text that may be cut; a drop-in for ``json.loads``.

    A whole document gives what ``json.loads`` gives; a cut one the best value that is certain.

    Args:
        s: text, or bytes in UTF-8, -16 or -32, as ``json.loads`` takes them.
        allow_partial: what may show while it is unfinished. True for strings, arrays and objects;
            False to take whole documents only; a set of ``Allow`` flags; or ``"off"``, ``"on"``
            (containers and numbers) and ``"trailing-strings"`` (strings too), as jiter and
            pydantic say it. A number or literal shown early may turn out to be another.
        cls: must be None; decoder classes are not supported.
        max_depth: containers that may be open at once.
        strict, object_hook, parse_float, parse_int, parse_constant, object_pairs_hook, array_hook:
            as in ``json.loads``, which has the last from Python 3.15.

    Raises:
        IncompleteJSONError: the text is cut and nothing of it can show, or ``allow_partial`` is
            False.
        MalformedJSONError: no continuation can make the text JSON.
        LimitExceededError: nested too deep, or an integer longer than the interpreter takes.
        UnicodeDecodeError: bytes that are not the text they claim to be; a cut tail is not wrong.
        ValueError, TypeError: an option's value or type is wrong.

    Costs one pass over ``s``; to parse a growing buffer again and again, use a ``Parser``.

    >>> loads('{"query": "rain in Jos')
    {'query': 'rain in Jos'}
    >>> loads('{"limit": 1')
    {}
    >>> loads('{"limit": 1', allow_partial="on")
    {'limit': 1}
    >>> loads('{"limit" 1}')
    Traceback (most recent call last):
        ...
    fragjson.MalformedJSONError: Expecting ':' delimiter: line 1 column 10 (char 9)
    """
    cdef Parser parser = reader()
    cdef int kinds = kinds_of(allow_partial)
    cdef Place place
    cdef Fault fault
    if cls is not None:
        raise TypeError("cls must be None: loads has no decoder classes; use its hooks")
    # With nothing allowed the value is still built: an error tells how far it came.
    parser.shown_kinds = kinds or SHOW_STR | SHOW_ARR | SHOW_OBJ
    parser.m.strict = strict
    parser.m.max_depth = limit("max_depth", max_depth)
    set_hooks(
        parser,
        object_hook,
        parse_float,
        parse_int,
        parse_constant,
        object_pairs_hook,
        array_hook,
    )
    encoding = None
    if not PyUnicode_CheckExact(s):
        if isinstance(s, (bytes, bytearray, memoryview)):
            s = memoryview(s).tobytes()  # bytes(s) would ask a subclass what it is
            encoding = "utf-8" if plainly_utf8(s) else json.detect_encoding(s)
        elif not isinstance(s, str):
            raise TypeError(
                "the JSON object must be str, bytes, bytearray or memoryview, "
                f"not {type(s).__name__}"
            )
    try:
        if encoding is None:
            parser.fragment = <PyObject*>s
            run_text(parser, s, 0, PyUnicode_GET_LENGTH(<PyObject*>s), True)
        elif encoding.startswith("utf-8"):
            parser.fragment = <PyObject*>s
            run_bytes(parser, <const utf8_unit*>PyBytes_AS_STRING(s), PyBytes_GET_SIZE(s))
        else:
            s = decoded_document(s, encoding)
            parser.fragment = <PyObject*>s
            run_text(parser, s, 0, PyUnicode_GET_LENGTH(<PyObject*>s), False)
    except JSONDecodeError:
        if parser.failure is None or isinstance(s, str):
            raise  # a hook's own, or complete as it is
        parser.texts = [decoded_document(s, encoding)]
        error = make_error(parser)
    else:
        fault = end_fault(&parser.m, LAST_ESCAPE_COUNTS, &place)
        if fault == NO_FAULT and parser.m.state == IN_NUMBER:
            end_root_number(parser)
        elif fault != NO_FAULT:
            show_unfinished(parser)
        if parser.has_value and (kinds or fault == NO_FAULT):
            return result(parser)
        note_failure(
            parser, IncompleteJSONError, message(fault), place, position(parser),
            s if isinstance(s, str) else decoded_document(s, encoding),
        )
        error = make_error(parser)
    raise error


cdef inline bint plainly_utf8(bytes s):
    """Does json.detect_encoding need not be asked? It is Python, and looks for BOMs and zeros."""
    cdef const unsigned char* data = <const unsigned char*>PyBytes_AS_STRING(s)
    return 0 < data[0] < 0x80 and (data[1] != 0 or PyBytes_GET_SIZE(s) == 1)


# The parser of the last call of loads, for the next: making one costs as much as reading a small
# document, and it knows the keys it has met. None while it is in use.
cdef Parser idle_reader = None


cdef Parser reader():
    """A parser for loads. Its guard is BUSY for ever: nobody but a hook can get at it."""
    global idle_reader
    cdef Parser parser = idle_reader
    idle_reader = None
    if parser is None:
        parser = Parser.__new__(Parser)
        parser.m.max_string = parser.max_bytes = PY_SSIZE_T_MAX
        parser.m.one_document = True
        parser.exact = True
        parser.guard = BUSY
        start_over(parser)
    return parser


cdef object result(Parser self):
    """What a reader has read; if no more than keys is left in it, it may read again."""
    global idle_reader
    cdef object value = self.value
    if (
        self.frame_room <= 64
        and self.scratch.capacity <= 65536
        and not self.has_hooks
        and self.parse_float is None
        and self.parse_int is None
        and self.parse_constant is None
    ):
        start_over(self)
        idle_reader = self
    return value


cdef int show_unfinished(Parser self) except -1:
    """The input of loads ended inside a token: show of it what allow_partial lets."""
    cdef int kind = 0
    if self.m.state == IN_STRING and not self.m.in_key:
        if self.open_text.text != NULL:
            trimmed(self)
        return publish_string(self)
    if self.m.state == IN_NUMBER and number_is_whole(self.m.number):
        if self.shown_kinds & SHOW_NUM:
            attach(self, finished_number(self, NULL, 0, 0), False)
    elif self.m.state == IN_LITERAL:
        if self.m.literal == NULL_WORD:
            kind = SHOW_NULL
        elif self.m.literal == NAN_WORD:
            kind = SHOW_NAN
        elif self.m.literal == INFINITY_WORD:
            kind = SHOW_INFINITY
        elif self.m.literal == MINUS_INFINITY_WORD:
            kind = SHOW_MINUS_INFINITY
        else:
            kind = SHOW_BOOL
        if self.shown_kinds & kind:
            attach(self, literal_value(self), False)
    return 0


cdef str decoded_document(bytes data, str encoding):
    """Decode as json does, but for a cut tail, which is left away."""
    import codecs

    decoder = codecs.getincrementaldecoder(encoding)("surrogatepass")
    return decoder.decode(data)
