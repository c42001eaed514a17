/* Inflates one gzip member piecemeal and prints its header as inflateGetHeader reports it, and its text.
 *
 *   header EXTRA MAX CHUNK [NAME [COMMENT]]
 *
 * EXTRA: bytes of the header's extra field (-1: none).  MAX: bytes of the caller's buffer for it (0: none; -1: the
 * caller does not ask for the header).  CHUNK: bytes handed to inflate at a time.  NAME: - for none.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zlib.h"

#define ROOM 65536
#define GUARD 16

static unsigned char stream[ROOM];
static unsigned long length;

static void put(const void *bytes, unsigned long count)
{
    memcpy(stream + length, bytes, count);
    length += count;
}

static void put_number(unsigned long number, int bytes)
{
    while (bytes-- > 0) {
        stream[length++] = number & 0xff;
        number >>= 8;
    }
}

static void put_header(int extra, const char *name, const char *comment)
{
    int flags = (extra >= 0 ? 4 : 0) | (name ? 8 : 0) | (comment ? 16 : 0);
    put("\x1f\x8b\x08", 3);
    put_number(flags, 1);
    put_number(1234567890, 4);
    put("\0\3", 2);
    if (extra >= 0) {
        put_number(extra, 2);
        for (int i = 0; i < extra; i++)
            put_number('a' + i % 26, 1);
    }
    if (name)
        put(name, strlen(name) + 1);
    if (comment)
        put(comment, strlen(comment) + 1);
}

static void put_body(const char *text)
{
    z_stream z = {0};
    if (deflateInit2(&z, 9, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        exit(3);
    z.next_in = (Bytef *)text;
    z.avail_in = strlen(text);
    z.next_out = stream + length;
    z.avail_out = ROOM - length;
    if (deflate(&z, Z_FINISH) != Z_STREAM_END)
        exit(3);
    length += z.total_out;
    deflateEnd(&z);
    put_number(crc32(0, (const Bytef *)text, strlen(text)), 4);
    put_number(strlen(text), 4);
}

/* A buffer, and the bytes behind its end, which are dots as long as nobody writes there. */
static void print_extra(const unsigned char *buffer, unsigned have, unsigned max)
{
    printf("extra field, %u bytes: %.*s\n", have, (int)(have < max ? have : max), buffer);
    printf("behind its buffer: %.*s\n", GUARD, buffer + max);
}

int main(int argc, char **argv)
{
    static const char text[] = "how much wood would a woodchuck chuck if a woodchuck could chuck wood";
    static unsigned char extra_field[ROOM + GUARD], name_field[256], comment_field[256], output[1024];
    if (argc < 4)
        return 2;
    int extra = atoi(argv[1]), max = atoi(argv[2]), chunk = atoi(argv[3]);
    const char *name = argc > 4 && strcmp(argv[4], "-") != 0 ? argv[4] : NULL;
    const char *comment = argc > 5 ? argv[5] : NULL;
    put_header(extra, name, comment);
    put_body(text);

    memset(extra_field, '.', sizeof extra_field);
    gz_header head = {0};
    head.extra = max > 0 ? extra_field : Z_NULL;
    head.extra_max = max > 0 ? max : 0;
    head.name = name_field;
    head.name_max = sizeof name_field;
    head.comment = comment_field;
    head.comm_max = sizeof comment_field;

    z_stream z = {0};
    if (inflateInit2(&z, 15 + 16) != Z_OK || (max >= 0 && inflateGetHeader(&z, &head) != Z_OK))
        return 3;
    z.next_out = output;
    z.avail_out = sizeof output;
    int result = Z_OK;
    for (unsigned long given = 0; given < length && result == Z_OK; given += chunk) {
        static unsigned char buffer[ROOM];
        z.avail_in = length - given < (unsigned long)chunk ? length - given : (unsigned long)chunk;
        z.next_in = memset(buffer, '#', sizeof buffer);
        memcpy(buffer, stream + given, z.avail_in);
        result = inflate(&z, Z_NO_FLUSH);
    }
    printf("%s: %.*s\n", result == Z_STREAM_END ? "text" : "broken text", (int)z.total_out, output);
    inflateEnd(&z);
    if (max >= 0)
        printf("header %s, name %s, comment %s\n", head.done == 1 ? "whole" : "missing", name_field, comment_field);
    if (head.extra)
        print_extra(head.extra, head.extra_len, head.extra_max);
    return 0;
}
