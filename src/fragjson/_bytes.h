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

#include <float.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* For what pays only where its constant arguments are known. */
#if defined(__GNUC__)
#define ALWAYS_INLINE static inline __attribute__((always_inline))
#elif defined(_MSC_VER)
#define ALWAYS_INLINE static __forceinline
#else
#define ALWAYS_INLINE static inline
#endif

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

/* What a character means after a backslash, or 0; the u is not among them. */
static const unsigned char simple_escape[128] = {
    ['"'] = '"',  ['/'] = '/',  ['\\'] = '\\', ['b'] = '\b',
    ['f'] = '\f', ['n'] = '\n', ['r'] = '\r',  ['t'] = '\t',
};

/* The value of a hex digit, or -1. */
static const signed char hex_value[128] = {
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
     0,  1,  2,  3,  4,  5,  6,  7,  8,  9, -1, -1, -1, -1, -1, -1,
    -1, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, 10, 11, 12, 13, 14, 15, -1, -1, -1, -1, -1, -1, -1, -1, -1,
    -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1,
};

/* The scanners: index of the first unit that needs a decision, or end. *bits becomes the OR of the
 * units passed over; since each storage class of str holds exactly the values below a power of two,
 * the OR lies in the same class as the largest of them. */

/* Whether no unit in a word ends a run. Each lane holds a unit of one byte, or of two, of which
 * surrogates end one as well. Exact, since no sum leaves its lane: for x below top, x + (top - n) has
 * the top bit if x >= n, and so x + (top - 1) if x is not zero. */
ALWAYS_INLINE int plain_word(uint64_t word, int lane)
{
    const uint64_t ones = lane == 1 ? 0x0101010101010101u : 0x0001000100010001u;
    const uint64_t top = lane == 1 ? 0x80 : 0x8000, below = ones * (top - 1);
    uint64_t low = word & below;
    uint64_t plain = (low + ones * (top - 0x20)) & ((low ^ ones * '"') + below) &
                     ((low ^ ones * '\\') + below);
    plain |= word; /* what has its top bit is none of these */
    if (lane == 2) {
        uint64_t apart = (word ^ ones * 0xd800) & ones * 0xf800; /* from the surrogates */
        plain &= ((apart & below) + below) | apart;
    }
    return (~plain & ones * top) == 0;
}

/* Copy a short run if no unit of it ends it; else 0, and nothing is copied. What comes a few
 * characters at a time is looked at and copied at once here, by its two ends, which may overlap: a
 * third of the cost of one after the other. */
#define SHORT_COPY 16 /* bytes */

ALWAYS_INLINE int copy_plain(char *to, const char *from, size_t size, int lane)
{
    if (size >= 8) {
        uint64_t first, last;
        memcpy(&first, from, 8);
        memcpy(&last, from + size - 8, 8);
        if (!plain_word(first, lane) || !plain_word(last, lane))
            return 0;
        memcpy(to, &first, 8);
        memcpy(to + size - 8, &last, 8);
    } else if (size >= 4) {
        uint32_t first, last;
        memcpy(&first, from, 4);
        memcpy(&last, from + size - 4, 4);
        if (!plain_word((uint64_t)last << 32 | first, lane))
            return 0;
        memcpy(to, &first, 4);
        memcpy(to + size - 4, &last, 4);
    } else if (size >= 2) {
        uint16_t first, last;
        memcpy(&first, from, 2);
        memcpy(&last, from + size - 2, 2);
        if (!plain_word(((uint64_t)last << 16 | first) * 0x100000001u, lane))
            return 0;
        memcpy(to, &first, 2);
        memcpy(to + size - 2, &last, 2);
    } else if (size) {
        if (ends_run[(unsigned char)*from])
            return 0;
        *to = *from;
    }
    return 1;
}

/* One-byte units are looked at in blocks, 16 at a time with SSE2, which every x86-64 has, else 8 in a
 * word. Model output comes a few characters at a time and never gets here; whole strings do, and
 * take a fifth of the time.
 *
 * plain_prefix gives the number of units of a block before the first that ends a run, or BLOCK; and
 * in *high, whether some unit among those is >= 0x80. With ascii_only such a unit ends the run. */

#if !defined(FRAGJSON_PORTABLE_SCAN) && \
    (defined(__SSE2__) || defined(_M_X64) || (defined(_M_IX86_FP) && _M_IX86_FP >= 2))

#include <emmintrin.h>
#ifdef _MSC_VER
#include <intrin.h>
#endif

#define BLOCK 16

static inline int lowest_bit(uint32_t mask)
{
#ifdef _MSC_VER
    unsigned long index;
    _BitScanForward(&index, mask);
    return (int)index;
#else
    return __builtin_ctz(mask);
#endif
}

static inline int plain_prefix(const unsigned char *text, int ascii_only, uint32_t *high)
{
    __m128i block = _mm_loadu_si128((const __m128i *)text);
    __m128i ends = _mm_or_si128(
        _mm_or_si128(_mm_cmpeq_epi8(block, _mm_set1_epi8('"')),
                     _mm_cmpeq_epi8(block, _mm_set1_epi8('\\'))),
        _mm_cmpeq_epi8(_mm_min_epu8(block, _mm_set1_epi8(0x1f)), block)); /* block <= 0x1f */
    uint32_t stops = (uint32_t)_mm_movemask_epi8(ends);
    uint32_t above = (uint32_t)_mm_movemask_epi8(block);
    if (ascii_only)
        stops |= above;
    if (stops == 0) {
        *high = above;
        return BLOCK;
    }
    int plain = lowest_bit(stops);
    *high = above & ((1u << plain) - 1);
    return plain;
}

#else

#define BLOCK 8

static inline int plain_prefix(const unsigned char *text, int ascii_only, uint32_t *high)
{
    uint64_t block;
    int plain = 0;
    memcpy(&block, text, 8);
    *high = (block & 0x8080808080808080u) != 0;
    if (plain_word(block, 1) && !(ascii_only && *high))
        return BLOCK;
    *high = 0;
    while (plain < BLOCK && !ends_run[text[plain]] && !(ascii_only && text[plain] >= 0x80))
        *high |= text[plain++] & 0x80;
    return plain;
}

#endif

static inline ptrdiff_t scan_utf8(const utf8_unit *text, ptrdiff_t at, ptrdiff_t end, uint32_t *bits)
{
    uint32_t high;
    *bits = 0x7f;
    while (end - at >= BLOCK) {
        int plain = plain_prefix(text + at, 1, &high);
        at += plain;
        if (plain < BLOCK)
            return at;
    }
    while (at < end && text[at] < 0x80 && !ends_run[text[at]])
        at++;
    return at;
}

static inline ptrdiff_t scan_latin1(const latin1_unit *text, ptrdiff_t at, ptrdiff_t end,
                                    uint32_t *bits)
{
    uint32_t seen = 0, high;
    while (end - at >= BLOCK) {
        int plain = plain_prefix(text + at, 0, &high);
        seen |= high ? 0x80 : 0;
        at += plain;
        if (plain < BLOCK) {
            *bits = seen;
            return at;
        }
    }
    while (at < end && !ends_run[text[at]])
        seen |= text[at++];
    *bits = seen;
    return at;
}

/* Copy what the inside of a string says while it is plain units and escapes of two units, such as
 * `\n`; with ascii_only, plain ones below 0x80. Returns the index of the first unit that is neither.
 * *written becomes the number of units copied, to where there is room for end - at of them; *bits, a
 * value in the class of the largest.
 *
 * Code and prose have an escape in every line: step by step they took four times as long. */
ALWAYS_INLINE ptrdiff_t copy_unescaped(const unsigned char *text, ptrdiff_t at, ptrdiff_t end,
                                       int ascii_only, unsigned char *to, ptrdiff_t *written,
                                       uint32_t *bits)
{
    unsigned char *next = to;
    uint32_t seen = 0x7f, high;
    for (;;) {
        while (end - at >= BLOCK) {
            int plain = plain_prefix(text + at, ascii_only, &high);
            memcpy(next, text + at, BLOCK); /* no more of it counts than is plain */
            at += plain;
            next += plain;
            if (high)
                seen = 0xff;
            if (plain < BLOCK)
                break;
        }
        unsigned char unit = 0;
        while (at < end && !ends_run[unit = text[at]] && !(ascii_only && unit >= 0x80)) {
            seen |= unit;
            *next++ = unit;
            at++;
        }
        if (unit != '\\' || end - at < 2 || text[at + 1] >= 0x80)
            break;
        unit = simple_escape[text[at + 1]];
        if (unit == 0)
            break;
        at += 2;
        *next++ = unit;
    }
    *written = next - to;
    *bits = seen;
    return at;
}

/* UCS-2 and UCS-4 stop at surrogates too, UCS-4 also at what is no code point (the caller's mark
 * for a byte sequence that is not UTF-8). */

static inline ptrdiff_t scan_ucs2(const ucs2_unit *text, ptrdiff_t at, ptrdiff_t end,
                                  uint32_t *bits)
{
    uint32_t seen;
    uint64_t word, words = 0;
    while (end - at >= 4) {
        memcpy(&word, text + at, 8);
        if (!plain_word(word, 2))
            break;
        words |= word;
        at += 4;
    }
    words |= words >> 32;
    seen = (uint32_t)(words | words >> 16) & 0xffff;
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

/* ---- Numbers ------------------------------------------------------------------------------------
 * What JSON lets follow what, as a table: next_number_part[part][number_class[c]] is the part a
 * number is in after the character c, 0 if c cannot continue it (or, for part 0, begin one). The parts are _machine.pxd's
 * NumberPart. */

enum { OTHER_CHAR, DIGIT_0, DIGIT_1_TO_9, POINT_CHAR, E_CHAR, PLUS_CHAR, MINUS_CHAR };

static const unsigned char number_class[128] = {
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 5, 0, 6, 3, 0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
};

static const unsigned char next_number_part[9][8] = {
    /*             other  0  1-9  .  e  +  - */
    /* none yet */ {0,    2, 3,   0, 0, 0, 1},
    /* minus    */ {0,    2, 3,   0, 0, 0, 0},
    /* zero     */ {0,    0, 0,   4, 6, 0, 0},
    /* integer  */ {0,    3, 3,   4, 6, 0, 0},
    /* point    */ {0,    5, 5,   0, 0, 0, 0},
    /* fraction */ {0,    5, 5,   0, 6, 0, 0},
    /* e        */ {0,    8, 8,   0, 0, 7, 7},
    /* sign     */ {0,    8, 8,   0, 0, 0, 0},
    /* exponent */ {0,    8, 8,   0, 0, 0, 0},
};

/* digits * 10**scale, if that is certain to be the double nearest to it; otherwise 0 is returned and
 * the caller takes the long way. An integer up to 2**53 and a power of ten up to 10**22 are doubles
 * themselves, and IEEE 754 rounds one product or quotient of two doubles correctly. That needs
 * arithmetic in doubles proper, which FLT_EVAL_METHOD tells. */
static inline int scaled_double(uint64_t digits, int scale, double *value)
{
#if FLT_EVAL_METHOD == 0
    static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                    1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                    1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
    if (digits > (uint64_t)1 << 53 || scale < -22 || scale > 22)
        return 0;
    *value = scale < 0 ? (double)digits / powers[-scale] : (double)digits * powers[scale];
    return 1;
#else
    (void)digits, (void)scale, (void)value;
    return 0;
#endif
}

#endif
