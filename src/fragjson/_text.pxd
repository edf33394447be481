"""Declarations for _text.h: building str objects, scratch text, growing text, the key cache."""

from cpython.object cimport PyObject
from libc.stdint cimport uint32_t, uint64_t

cdef extern from "_text.h":
    ctypedef struct Scratch:
        void* data
        Py_ssize_t length
        Py_ssize_t capacity
        uint32_t bits
        int width

    object new_text(const void* units, int width, Py_ssize_t count, uint32_t bits)

    void scratch_clear(Scratch* scratch) noexcept
    void scratch_free(Scratch* scratch) noexcept
    int scratch_add(Scratch* scratch, const void* units, int width, Py_ssize_t count,
                    uint32_t bits) except -1
    const char* scratch_string(Scratch* scratch) except NULL
    object scratch_text(const Scratch* scratch)

    ctypedef struct OpenText:
        PyObject* text
        Py_ssize_t capacity
        Py_ssize_t length
        uint32_t largest

    bint PLAIN_APPEND
    Py_ssize_t LONG_TEXT
    bint grows_in_place(const OpenText* open, Py_ssize_t holders) noexcept
    Py_ssize_t spare_room(Py_ssize_t length) noexcept
    int open_text_make(OpenText* open, const void* units, int width, Py_ssize_t count,
                       uint32_t bits, Py_ssize_t spare) except -1
    bint open_text_resize(OpenText* open, Py_ssize_t capacity) noexcept
    bint open_text_fits(const OpenText* open, Py_ssize_t count, uint32_t bits) noexcept
    void open_text_write(OpenText* open, const void* units, int width, Py_ssize_t count) noexcept
    bint open_text_take(OpenText* open, PyObject* text, bint* escaped) noexcept
    int open_text_replace(OpenText* open, const void* units, int width, Py_ssize_t count,
                          uint32_t bits) except -1

    ctypedef uint64_t DictPlace
    DictPlace NOWHERE
    DictPlace last_place(PyObject* dict) noexcept
    bint still_holds(PyObject* dict, DictPlace place, PyObject* value) noexcept

    ctypedef struct KeyCache:
        pass

    KeyCache* keys_take() except NULL
    void keys_leave(KeyCache* keys) noexcept
    object cached_key(KeyCache* keys, const void* units, int width, Py_ssize_t count,
                      uint32_t bits)
