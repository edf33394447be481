/* Code units: scanning text for what needs a decision, and decoding UTF-8.
 *
 * C only: no Python.h, no JSON grammar, no state. Every function looks at units[at..end) and never
 * past end; nothing is assumed to follow the caller's memory.
 *
 * The four unit types name what a fragment is made of: UTF-8 bytes, or a str of 1, 2 or 4 bytes a
 * character. utf8_unit and latin1_unit are the same C type under two names, so that one function
 * written over "unit" can be instantiated for both.
 */
#ifndef FRAGJSON_BYTES_H
#define FRAGJSON_BYTES_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef unsigned char utf8_unit;
typedef unsigned char latin1_unit;
typedef uint16_t ucs2_unit;
typedef uint32_t ucs4_unit;

/* 1 for what ends a plain run inside a string: the quote, the backslash, control characters. */
static const unsigned char ends_run[256] = {
    1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1,
    0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0,
};

/* The scanners: index of the first unit that needs a decision, or end. *bits becomes the OR of the
 * units passed over; since each storage class of str holds exactly the values below a power of two,
 * the OR lies in the same class as the largest of them. */

static inline ptrdiff_t scan_utf8(const utf8_unit *text, ptrdiff_t at, ptrdiff_t end, uint32_t *bits)
{
    while (at < end && text[at] < 0x80 && !ends_run[text[at]])
        at++;
    *bits = 0x7f;
    return at;
}

static inline ptrdiff_t scan_latin1(const latin1_unit *text, ptrdiff_t at, ptrdiff_t end,
                                    uint32_t *bits)
{
    uint32_t seen = 0;
    while (at < end && !ends_run[text[at]])
        seen |= text[at++];
    *bits = seen;
    return at;
}

/* UCS-2 and UCS-4 stop at surrogates too, UCS-4 also at what is no code point (the caller's mark
 * for a byte sequence that is not UTF-8). */

static inline ptrdiff_t scan_ucs2(const ucs2_unit *text, ptrdiff_t at, ptrdiff_t end,
                                  uint32_t *bits)
{
    uint32_t seen = 0;
    while (at < end && !(text[at] < 0x80 && ends_run[text[at]]) && (text[at] & 0xf800) != 0xd800)
        seen |= text[at++];
    *bits = seen;
    return at;
}

static inline ptrdiff_t scan_ucs4(const ucs4_unit *text, ptrdiff_t at, ptrdiff_t end,
                                  uint32_t *bits)
{
    uint32_t seen = 0;
    while (at < end && !(text[at] < 0x80 && ends_run[text[at]]) &&
           (text[at] & 0xfffff800) != 0xd800 && text[at] <= 0x10ffff)
        seen |= text[at++];
    *bits = seen;
    return at;
}

/* Decode one character of two to four bytes (bytes[0] >= 0x80). Returns its length, 0 if the size
 * bytes are a proper beginning of one, -1 if they are not UTF-8. Surrogates are let through, as
 * Python's "surrogatepass" does; overlong forms and values past U+10FFFF are not. */
static inline int decode_utf8(const utf8_unit *bytes, ptrdiff_t size, uint32_t *code)
{
    uint32_t lead = bytes[0];
    int length;
    uint32_t lowest, value;
    if (lead < 0xc2)
        return -1;
    if (lead < 0xe0)
        length = 2, lowest = 0x80, value = lead & 0x1f;
    else if (lead < 0xf0)
        length = 3, lowest = 0x800, value = lead & 0x0f;
    else if (lead < 0xf5)
        length = 4, lowest = 0x10000, value = lead & 0x07;
    else
        return -1;
    for (int i = 1; i < length; i++) {
        if (i == size)
            return 0;
        if ((bytes[i] & 0xc0) != 0x80)
            return -1;
        value = value << 6 | (bytes[i] & 0x3f);
        /* The second byte decides range: what is too small or too large shows here at once. */
        if (i == 1) {
            uint32_t unknown = 6 * (uint32_t)(length - 2);
            if (((value + 1) << unknown) <= lowest || (value << unknown) > 0x10ffff)
                return -1;
        }
    }
    *code = value;
    return length;
}

#endif
