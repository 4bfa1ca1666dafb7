// utf8.h: one character of UTF-8 (RFC 3629) at a time.
#pragma once

#include <stddef.h>
#include <stdint.h>

// Length of the character at text, 1 to 4 bytes, or 0 when the bytes are not UTF-8: stray or
// missing continuation bytes, overlong forms, surrogates, beyond U+10FFFF.
static inline int wri_utf8_decode(const char *text, size_t size, uint32_t *code)
{
    const unsigned char *s = (const unsigned char *)text;
    if (size == 0) {
        return 0;
    }
    if (s[0] < 0x80) {
        *code = s[0];
        return 1;
    }
    int length = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    if (s[0] < 0xc2 || s[0] > 0xf4 || (size_t)length > size) {
        return 0;
    }
    uint32_t value = s[0] & (0x7fu >> length);
    for (int i = 1; i < length; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
        value = value << 6 | (s[i] & 0x3fu);
    }
    if (value < least[length] || value > 0x10ffff || (value >= 0xd800 && value <= 0xdfff)) {
        return 0;
    }
    *code = value;
    return length;
}

// Number of bytes written, 1 to 4. The code must be a character, not a surrogate.
static inline int wri_utf8_encode(uint32_t code, char out[4])
{
    if (code < 0x80) {
        out[0] = (char)code;
        return 1;
    }
    int length = code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
    static const unsigned char lead[5] = {0, 0, 0xc0, 0xe0, 0xf0};
    for (int i = length - 1; i > 0; i--) {
        out[i] = (char)(0x80 | (code & 0x3f));
        code >>= 6;
    }
    out[0] = (char)(lead[length] | code);
    return length;
}
