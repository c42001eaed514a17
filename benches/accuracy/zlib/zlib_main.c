/* Deflates a file in pieces, shows the result in hexadecimal, and inflates it again: LEVEL WINDOW MEMORY STRATEGY FILE. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zlib.h"

static unsigned char in[1 << 16], packed[1 << 17], out[1 << 17];

static void fail(const char *what, int code)
{
    printf("%s: %d\n", what, code);
    exit(1);
}

int main(int argc, char **argv)
{
    FILE *file = argc == 6 ? fopen(argv[5], "rb") : 0;
    z_stream s = {0};
    int code, window;
    size_t length, i;

    if (!file)
        fail("arguments", argc);
    length = fread(in, 1, sizeof in, file);
    window = atoi(argv[2]);
    code = deflateInit2(&s, atoi(argv[1]), Z_DEFLATED, window, atoi(argv[3]), atoi(argv[4]));
    if (code != Z_OK)
        fail("deflateInit", code);
    s.next_in = in;
    s.next_out = packed;
    do {
        size_t left = length - s.total_in, room = sizeof packed - s.total_out;
        s.avail_in = left < 700 ? left : 700;
        s.avail_out = room < 333 ? room : 333;
        code = deflate(&s, left <= 700 ? Z_FINISH : s.total_in % 3 ? Z_NO_FLUSH : Z_SYNC_FLUSH);
        if (code < 0 && code != Z_BUF_ERROR)
            fail("deflate", code);
    } while (code != Z_STREAM_END && s.total_out < sizeof packed);
    length = s.total_out;
    deflateEnd(&s);
    for (i = 0; i < length; i++)
        printf("%02x%s", packed[i], i % 32 == 31 ? "\n" : "");
    memset(&s, 0, sizeof s);
    code = inflateInit2(&s, window);
    if (code != Z_OK)
        fail("inflateInit", code);
    s.next_in = packed;
    s.avail_in = length;
    s.next_out = out;
    s.avail_out = sizeof out;
    code = inflate(&s, Z_FINISH);
    printf("\n%d %lu %08lx %s\n", code, s.total_out, crc32(0, out, s.total_out), memcmp(in, out, s.total_out) ? "differs" : "same");
    inflateEnd(&s);
    return 0;
}
