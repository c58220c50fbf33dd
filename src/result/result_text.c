#include "base/text.h"
#include "result/result_priv.h"

#include <string.h>

/* Length of the UTF-8 character at s (1 to 4), 0 when there is none: overlong forms, surrogates
 * and numbers above U+10FFFF are none, or a JSON reader would refuse the whole document. */
static size_t utf8_char(const unsigned char *s)
{
    static const uint32_t least[5] = {0, 0, 0x80, 0x800, 0x10000};
    size_t len = s[0] < 0x80       ? 1
                 : s[0] >> 5 == 6  ? 2
                 : s[0] >> 4 == 14 ? 3
                 : s[0] >> 3 == 30 ? 4
                                   : 0;
    uint32_t code = len > 1 ? s[0] & (0x7fu >> len) : s[0];
    for (size_t i = 1; i < len; i++) {
        if (s[i] >> 6 != 2) /* also the closing NUL: nothing is read behind it */
            return 0;
        code = code << 6 | (s[i] & 0x3fu);
    }
    bool surrogate = code >= 0xd800 && code <= 0xdfff;
    return code < least[len] || code > 0x10ffff || surrogate ? 0 : len;
}

char *result_utf8(const char *bytes, size_t max)
{
    static const char hex[] = "0123456789abcdef";
    struct text t;
    text_init(&t);
    for (const char *s = bytes; *s != '\0';) {
        unsigned char c = (unsigned char)*s;
        char escaped[4] = {'\\', 'x', hex[c >> 4], hex[c & 15]};
        size_t len = utf8_char((const unsigned char *)s);
        size_t adds = len > 0 ? len : sizeof escaped;
        if (adds > max - t.len)
            break;
        text_add_bytes(&t, len > 0 ? s : escaped, adds);
        s += len > 0 ? len : 1;
    }
    char *out = text_take(&t);
    text_fini(&t);
    return out;
}
