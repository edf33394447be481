/* Building str objects: from a run of units, in a scratch buffer, or growing in place; and the cache
 * of object keys.
 *
 * No JSON in here. Functions that return int return -1 with a Python exception set, functions that
 * return an object return a new reference or NULL with an exception set.
 *
 * "bits" is the OR of a text's code points, which tells the storage class it needs (see _bytes.h).
 */
#ifndef FRAGJSON_TEXT_H
#define FRAGJSON_TEXT_H

#include <Python.h>

#include <stdint.h>
#include <string.h>

#include "_bytes.h"

/* ---- Units ------------------------------------------------------------------------------------ */

static inline Py_UCS4 largest_of_class(Py_UCS4 bits)
{
    return bits < 0x80 ? 0x7f : bits < 0x100 ? 0xff : bits < 0x10000 ? 0xffff : 0x10ffff;
}

static inline int width_of_class(Py_UCS4 bits)
{
    return bits < 0x100 ? 1 : bits < 0x10000 ? 2 : 4;
}

#define CONVERT_UNITS(to_type, from_type)                                                           \
    do {                                                                                            \
        to_type *target = (to_type *)to + at;                                                       \
        const from_type *source = (const from_type *)from;                                          \
        for (Py_ssize_t i = 0; i < count; i++)                                                      \
            target[i] = (to_type)source[i];                                                         \
    } while (0)

/* memcpy for what is mostly a few bytes: two moves that may overlap, and no call. */
static inline void copy_bytes(char *to, const char *from, size_t size)
{
    if (size > 16)
        memcpy(to, from, size);
    else if (size >= 8)
        memcpy(to + size - 8, from + size - 8, 8), memcpy(to, from, 8);
    else if (size >= 4)
        memcpy(to + size - 4, from + size - 4, 4), memcpy(to, from, 4);
    else if (size >= 2)
        memcpy(to + size - 2, from + size - 2, 2), memcpy(to, from, 2);
    else if (size)
        *to = *from;
}

/* Copy count units to to[at...]. The caller knows that every value fits the target's width and that
 * the target has room. */
static inline void copy_units(void *to, int to_width, Py_ssize_t at, const void *from,
                              int from_width, Py_ssize_t count)
{
    if (to_width == from_width) {
        copy_bytes((char *)to + at * to_width, (const char *)from, (size_t)(count * to_width));
        return;
    }
    switch (to_width * 8 + from_width) {
    case 1 * 8 + 2: CONVERT_UNITS(Py_UCS1, Py_UCS2); break;
    case 1 * 8 + 4: CONVERT_UNITS(Py_UCS1, Py_UCS4); break;
    case 2 * 8 + 1: CONVERT_UNITS(Py_UCS2, Py_UCS1); break;
    case 2 * 8 + 4: CONVERT_UNITS(Py_UCS2, Py_UCS4); break;
    case 4 * 8 + 1: CONVERT_UNITS(Py_UCS4, Py_UCS1); break;
    case 4 * 8 + 2: CONVERT_UNITS(Py_UCS4, Py_UCS2); break;
    }
}

static inline PyObject *new_text(const void *units, int width, Py_ssize_t count, Py_UCS4 bits)
{
    if (count == 1 && width == 1) /* the interpreter keeps one str for each of these */
        return PyUnicode_FromOrdinal(*(const Py_UCS1 *)units);
    PyObject *text = PyUnicode_New(count, largest_of_class(bits));
    if (text != NULL && count > 0)
        copy_units(PyUnicode_DATA(text), (int)PyUnicode_KIND(text), 0, units, width, count);
    return text;
}

/* ---- Scratch: text that no one sees yet --------------------------------------------------------
 * A key, a number, a string that has not outlived its fragment. All zero is a valid empty one. */

typedef struct {
    void *data;
    Py_ssize_t length;   /* units in use */
    Py_ssize_t capacity; /* bytes allocated */
    Py_UCS4 bits;        /* OR of all units */
    int width;           /* bytes a unit: 1, 2 or 4; 0 while data is NULL */
} Scratch;

static inline void scratch_clear(Scratch *scratch)
{
    scratch->length = 0;
    scratch->bits = 0;
    scratch->width = 1;
}

static inline void scratch_free(Scratch *scratch)
{
    PyMem_Free(scratch->data);
    memset(scratch, 0, sizeof *scratch);
}

static int scratch_reserve(Scratch *scratch, Py_ssize_t extra, int width)
{
    if (extra > PY_SSIZE_T_MAX / 16 - scratch->length) {
        PyErr_NoMemory();
        return -1;
    }
    Py_ssize_t needed = (scratch->length + extra) * width;
    if (needed <= scratch->capacity && (width == scratch->width || scratch->length == 0)) {
        scratch->width = width;
        return 0;
    }
    Py_ssize_t capacity = needed <= scratch->capacity ? scratch->capacity : needed + needed / 2 + 64;
    void *data = PyMem_Malloc((size_t)capacity);
    if (data == NULL) {
        PyErr_NoMemory();
        return -1;
    }
    if (scratch->length > 0)
        copy_units(data, width, 0, scratch->data, scratch->width, scratch->length);
    PyMem_Free(scratch->data);
    scratch->data = data;
    scratch->capacity = capacity;
    scratch->width = width;
    return 0;
}

static int scratch_add_any(Scratch *scratch, const void *units, int width, Py_ssize_t count,
                           Py_UCS4 bits)
{
    int needed = width_of_class(bits | scratch->bits);
    if (needed < scratch->width && scratch->length > 0)
        needed = scratch->width;
    if (scratch_reserve(scratch, count, needed) < 0)
        return -1;
    copy_units(scratch->data, needed, scratch->length, units, width, count);
    scratch->length += count;
    scratch->bits |= bits;
    return 0;
}

static inline int scratch_add(Scratch *scratch, const void *units, int width, Py_ssize_t count,
                              Py_UCS4 bits)
{
    if (bits >= 0x100 || scratch->width != 1 || scratch->length + count > scratch->capacity)
        return scratch_add_any(scratch, units, width, count, bits);
    copy_units(scratch->data, 1, scratch->length, units, width, count);
    scratch->length += count;
    scratch->bits |= bits;
    return 0;
}

/* One-byte units as a C string, good until the next change; NULL with an exception set. */
static inline const char *scratch_string(Scratch *scratch)
{
    if (scratch_reserve(scratch, 1, 1) < 0)
        return NULL;
    ((char *)scratch->data)[scratch->length] = 0;
    return (const char *)scratch->data;
}

static inline PyObject *scratch_text(const Scratch *scratch)
{
    return new_text(scratch->data, scratch->width, scratch->length, scratch->bits);
}

/* ---- Growing text: a str that shows while it grows ----------------------------------------------
 * The str lies in the user's live value and in OpenText at once, with spare room behind its
 * characters. Writing into that room changes an object that Python holds to be immutable; it is
 * sound because grows_in_place() has proved, at the start of the feed and under the GIL, that the
 * only references to it are ours and the one in the live container, so nobody else can have seen
 * it, stored it or computed anything from it:
 *   - the reference count is exactly ours plus the container's (the caller has checked that the
 *     container holds it). References borrowed by an interpreter's stack are backed by a counted
 *     one, so they would show;
 *   - no hash is cached and it is not interned: it is no dict key and in no table;
 *   - no UTF-8 form is cached, so no pointer into one can be outstanding.
 * Between that check and the last write of the feed no Python code runs. Where a check fails, the
 * text is copied and the old object stays as it was: whoever kept it keeps what they saw.
 * A str whose block is larger than its length is nothing special to CPython: it frees blocks without
 * their size, and resizes through realloc.
 *
 * Free-threaded builds cannot prove any of this from a reference count: there, and in builds with
 * FRAGJSON_PLAIN_APPEND, the caller takes the str out of its container and lets PyUnicode_Append
 * decide. */

typedef struct {
    PyObject *text;      /* strong, or NULL when no text is open */
    Py_ssize_t capacity; /* characters that fit into the block of text */
    /* What the object says of itself, kept at hand: reading it out each time costs a fifth of a
     * feed. Not looked after in plain builds. */
    Py_ssize_t length;
    void *data;
    int width;
    Py_UCS4 largest; /* largest character it can hold */
} OpenText;

#if defined(Py_GIL_DISABLED) || defined(FRAGJSON_PLAIN_APPEND)
#define PLAIN_APPEND 1
#else
#define PLAIN_APPEND 0
#endif

static inline int grows_in_place(const OpenText *open, Py_ssize_t holders)
{
    PyASCIIObject *ascii = (PyASCIIObject *)open->text;
    if (PLAIN_APPEND || Py_REFCNT(open->text) != holders || ascii->hash != -1 ||
        PyUnicode_CHECK_INTERNED(open->text))
        return 0;
#if PY_VERSION_HEX < 0x030c0000
    if (ascii->wstr != NULL && (void *)ascii->wstr != open->data)
        return 0;
#endif
    return open->largest < 0x80 || ((PyCompactUnicodeObject *)open->text)->utf8 == NULL;
}

/* The characters are in place: tell the object, and end them with the NUL it needs. */
static inline void set_open_length(OpenText *open, Py_ssize_t length)
{
    open->length = length;
    ((PyASCIIObject *)open->text)->length = length;
#if PY_VERSION_HEX < 0x030c0000
    if (open->largest >= 0x80 && ((PyASCIIObject *)open->text)->wstr != NULL)
        ((PyCompactUnicodeObject *)open->text)->wstr_length = length;
#endif
    if (open->width == 1)
        ((Py_UCS1 *)open->data)[length] = 0;
    else if (open->width == 2)
        ((Py_UCS2 *)open->data)[length] = 0;
    else
        ((Py_UCS4 *)open->data)[length] = 0;
}

/* Make open->text a new str with the characters of units and room for spare more. The old one is the
 * caller's. On failure nothing is changed. */
static int open_text_make(OpenText *open, const void *units, int width, Py_ssize_t count,
                          Py_UCS4 bits, Py_ssize_t spare)
{
    if (PLAIN_APPEND)
        spare = 0;
    PyObject *text = PyUnicode_New(count + spare, largest_of_class(bits));
    if (text == NULL)
        return -1;
    open->text = text;
    open->capacity = count + spare;
    open->length = count;
    open->data = PyUnicode_DATA(text);
    open->width = (int)PyUnicode_KIND(text);
    open->largest = largest_of_class(bits);
    if (count > 0)
        copy_units(open->data, open->width, 0, units, width, count);
    if (spare > 0)
        set_open_length(open, count);
    return 0;
}

/* What a text of this length may need next: half as much again, so that copying stays linear in the
 * end, and a little for short ones, most of which then never move. */
static inline Py_ssize_t spare_room(Py_ssize_t length)
{
    return length / 2 + 24;
}

/* From this length on a text is worth the trouble of moving its block rather than copying it. */
#define LONG_TEXT (1 << 16)

static inline int open_text_fits(const OpenText *open, Py_ssize_t count, Py_UCS4 bits)
{
    return open->length + count <= open->capacity && bits <= open->largest;
}

/* Write behind the text, in place. The caller has proved grows_in_place() and open_text_fits(). */
static inline void open_text_write(OpenText *open, const void *units, int width, Py_ssize_t count)
{
    copy_units(open->data, open->width, open->length, units, width, count);
    set_open_length(open, open->length + count);
}

/* Append a short ASCII text in place, if it is plain or escaped in two units; otherwise 0, and nothing
 * is done. *escaped says whether a backslash has come before it, and then, whether one is its last
 * unit. */
static int open_text_unescape(OpenText *open, const unsigned char *text, Py_ssize_t count,
                              int *escaped)
{
    unsigned char plain[SHORT_COPY];
    ptrdiff_t at = 0, first = 0, more;
    uint32_t bits;
    if (*escaped && count) {
        plain[first++] = simple_escape[text[at++]];
        if (plain[0] == 0)
            return 0;
    }
    at = copy_unescaped(text, at, count, 1, plain + first, &more, &bits);
    if (at < count - 1 || (at < count && text[at] != '\\'))
        return 0;
    if (count)
        *escaped = at < count;
    open_text_write(open, plain, 1, first + more);
    return 1;
}

/* Append a short text in place, if none of it but escapes of two units needs a decision; otherwise 0,
 * and nothing is done. *escaped: as above. The caller has proved that the container holds
 * open->text. */
static inline int open_text_take(OpenText *open, PyObject *text, int *escaped)
{
    Py_ssize_t count = PyUnicode_GET_LENGTH(text);
    char *end = (char *)open->data + open->length * open->width;
    if (open->length + count > open->capacity || count * open->width > SHORT_COPY ||
        !grows_in_place(open, 2))
        return 0;
    if (PyUnicode_IS_COMPACT_ASCII(text)) {
        const char *units = (const char *)((PyASCIIObject *)text + 1);
        if (*escaped || open->width > 1 || !copy_plain(end, units, (size_t)count, 1))
            return open_text_unescape(open, (const unsigned char *)units, count, escaped);
    } else if (*escaped || open->width != 2 || PyUnicode_KIND(text) != 2 ||
               !copy_plain(end, PyUnicode_DATA(text), (size_t)count * 2, 2))
        return 0;
    set_open_length(open, open->length + count);
    return 1;
}

/* Change the block of open->text to one for so many characters, which need not be fewer or more than
 * there are. The caller has proved grows_in_place() with itself as the one holder: the object may
 * move. 0 if there is no memory for it; nothing has changed then. Long blocks are seldom copied by
 * this, and never held twice. */
static int open_text_resize(OpenText *open, Py_ssize_t capacity)
{
    Py_ssize_t length = open->length;
    /* A str of the length asked for is left alone. This one has room for what it says, and no more
     * than that is read of it. */
    set_open_length(open, open->capacity);
    int failed = PyUnicode_Resize(&open->text, capacity) < 0;
    if (failed)
        PyErr_Clear();
    else
        open->capacity = capacity;
    open->data = PyUnicode_DATA(open->text);
    set_open_length(open, length);
    return !failed;
}

/* Append by making a new object (or, in plain builds, however PyUnicode_Append likes). The caller
 * must show open->text again. On failure the old text stays, in plain builds it is dropped. */
static int open_text_replace(OpenText *open, const void *units, int width, Py_ssize_t count,
                             Py_UCS4 bits)
{
#if PLAIN_APPEND
    PyObject *piece = new_text(units, width, count, bits);
    if (piece == NULL)
        return -1;
    PyUnicode_Append(&open->text, piece);
    Py_DECREF(piece);
    return open->text == NULL ? -1 : 0;
#else
    OpenText old = *open;
    if (old.length > PY_SSIZE_T_MAX / 16 - count) {
        PyErr_NoMemory();
        return -1;
    }
    if (open_text_make(open, old.data, old.width, old.length, bits | old.largest,
                       count + spare_room(old.length + count)) < 0)
        return -1;
    Py_DECREF(old.text);
    open_text_write(open, units, width, count);
    return 0;
#endif
}

/* ---- Where it shows -----------------------------------------------------------------------------
 * Whether a dict still holds the value that was put into it last, told without looking it up: before
 * 3.14 a dict has a stamp, which is another after whatever change to whatever dict; later, the place
 * of the entry is looked at. Free-threaded builds never ask. */

#if PY_VERSION_HEX < 0x030e0000

typedef uint64_t DictPlace;

#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations" /* for the good of who must not rely on it */
#endif
static inline DictPlace last_place(PyObject *dict)
{
    return ((PyDictObject *)dict)->ma_version_tag;
}
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif

static inline int still_holds(PyObject *dict, DictPlace place, PyObject *Py_UNUSED(value))
{
    return last_place(dict) == place;
}

#else

typedef Py_ssize_t DictPlace;

static inline DictPlace last_place(PyObject *dict)
{
    return PyDict_Size(dict) - 1;
}

static inline int still_holds(PyObject *dict, DictPlace place, PyObject *value)
{
    PyObject *key, *found;
    return PyDict_Next(dict, &place, &key, &found) && found == value;
}

#endif

#define NOWHERE ((DictPlace)-1) /* no dict's stamp, and no place in one */

/* ---- Keys --------------------------------------------------------------------------------------
 * The same few keys come again with every row, and with every call. A direct-mapped cache gives the
 * same str back, its hash already computed, without building it. Strong references; a slot holds the
 * last key that fell into it, so its size is bounded whatever is fed.
 *
 * A cache has one owner at a time, and goes to the next with what it knows: for the keys of a small
 * document that is half of their cost. The one that waits is guarded by the GIL. */

#define KEY_SLOTS 64     /* a power of two */
#define KEY_LONGEST 64   /* characters; longer ones are not worth keeping */

typedef struct {
    PyObject *slots[KEY_SLOTS];
} KeyCache;

static KeyCache *idle_keys; /* NULL while it is in use */

/* A cache to own, or NULL with an exception set. */
static inline KeyCache *keys_take(void)
{
    KeyCache *keys = idle_keys;
    idle_keys = NULL;
    if (keys == NULL && (keys = PyMem_Calloc(1, sizeof *keys)) == NULL)
        PyErr_NoMemory();
    return keys;
}

/* Give it up; NULL is fine. Dropping an exact str runs no Python code. */
static inline void keys_leave(KeyCache *keys)
{
    if (keys == NULL)
        return;
    if (idle_keys == NULL) {
        idle_keys = keys;
        return;
    }
    for (int i = 0; i < KEY_SLOTS; i++)
        Py_XDECREF(keys->slots[i]);
    PyMem_Free(keys);
}

#define HASH_UNITS(type)                                                                            \
    for (Py_ssize_t i = 0; i < count; i++)                                                          \
        hash = (hash ^ ((const type *)units)[i]) * 0x01000193u;

static inline uint32_t hash_units(const void *units, int width, Py_ssize_t count)
{
    uint32_t hash = 0x811c9dc5u;
    switch (width) {
    case 1: HASH_UNITS(Py_UCS1); break;
    case 2: HASH_UNITS(Py_UCS2); break;
    default: HASH_UNITS(Py_UCS4); break;
    }
    return hash ^ hash >> 15;
}

static inline int text_equals_units(PyObject *text, const void *units, int width, Py_ssize_t count)
{
    if (PyUnicode_GET_LENGTH(text) != count)
        return 0;
    if (count == 0) /* then units may be NULL */
        return 1;
    int kind = (int)PyUnicode_KIND(text);
    const void *data = PyUnicode_DATA(text);
    if (kind == width)
        return memcmp(data, units, (size_t)(count * width)) == 0;
    for (Py_ssize_t i = 0; i < count; i++) {
        Py_UCS4 unit = width == 1   ? ((const Py_UCS1 *)units)[i]
                       : width == 2 ? ((const Py_UCS2 *)units)[i]
                                    : ((const Py_UCS4 *)units)[i];
        if (PyUnicode_READ(kind, data, i) != unit)
            return 0;
    }
    return 1;
}

/* The str for a key: a new reference, from the cache if it was met lately. */
static inline PyObject *cached_key(KeyCache *keys, const void *units, int width, Py_ssize_t count,
                                   Py_UCS4 bits)
{
    if (count > KEY_LONGEST)
        return new_text(units, width, count, bits);
    PyObject **slot = &keys->slots[hash_units(units, width, count) & (KEY_SLOTS - 1)];
    if (*slot == NULL || !text_equals_units(*slot, units, width, count)) {
        PyObject *text = new_text(units, width, count, bits);
        if (text == NULL)
            return NULL;
        /* Dropping an exact str runs no Python code. */
        Py_XSETREF(*slot, text);
    }
    return Py_NewRef(*slot);
}

#endif
