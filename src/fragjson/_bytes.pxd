"""Declarations for _bytes.h: code units, run scanners, the UTF-8 step."""

from libc.stdint cimport uint32_t, uint64_t

cdef extern from "_bytes.h" nogil:
    # In C both are unsigned char. Cython takes two names of one type for the same specialisation
    # of a fused function, so it is told otherwise; C's own declaration decides what happens.
    ctypedef signed char utf8_unit
    ctypedef unsigned char latin1_unit
    ctypedef unsigned short ucs2_unit
    ctypedef unsigned int ucs4_unit

    Py_ssize_t scan_utf8(const utf8_unit* text, Py_ssize_t at, Py_ssize_t end, uint32_t* bits)
    Py_ssize_t scan_latin1(const latin1_unit* text, Py_ssize_t at, Py_ssize_t end, uint32_t* bits)
    Py_ssize_t scan_ucs2(const ucs2_unit* text, Py_ssize_t at, Py_ssize_t end, uint32_t* bits)
    Py_ssize_t scan_ucs4(const ucs4_unit* text, Py_ssize_t at, Py_ssize_t end, uint32_t* bits)
    Py_ssize_t copy_unescaped(
        const utf8_unit* text, Py_ssize_t at, Py_ssize_t end, bint ascii_only,
        unsigned char* to, Py_ssize_t* written, uint32_t* bits,
    )
    int decode_utf8(const utf8_unit* bytes, Py_ssize_t size, uint32_t* code)

    const unsigned char simple_escape[128]
    const signed char hex_value[128]
    const unsigned char number_class[128]
    const unsigned char next_number_part[9][8]
    bint scaled_double(uint64_t digits, int scale, double* value)
