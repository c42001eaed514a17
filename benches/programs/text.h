/* Text-like data, the same on every run: words of a small vocabulary, chosen with a skew. */
#ifndef TEXT_H
#define TEXT_H
#include <stdlib.h>
#include <string.h>

static unsigned long text_seed = 88172645463325252ul;

static unsigned text_random(void)
{
    text_seed ^= text_seed << 13;
    text_seed ^= text_seed >> 7;
    text_seed ^= text_seed << 17;
    return (unsigned)(text_seed >> 32);
}

/* Bytes: megabytes, or kilobytes with a k behind the number. */
static size_t text_size(const char *argument)
{
    return (size_t)atol(argument) << (strchr(argument, 'k') ? 10 : 20);
}

static void text_fill(char *out, size_t length)
{
    static char words[2000][12];
    for (int i = 0; i < 2000; i++) {
        int n = 2 + text_random() % 9;
        for (int j = 0; j < n; j++)
            words[i][j] = 'a' + text_random() % 26;
        words[i][n] = 0;
    }
    size_t at = 0;
    while (at < length) {
        unsigned r = text_random() % 2000;
        unsigned pick = (unsigned)((unsigned long)r * r / 2000);
        size_t n = strlen(words[pick]);
        for (size_t j = 0; j < n && at < length; j++)
            out[at++] = words[pick][j];
        if (at < length)
            out[at++] = text_random() % 12 ? ' ' : '\n';
    }
}
#endif
