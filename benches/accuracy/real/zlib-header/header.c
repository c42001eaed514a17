/* Inflates one gzip member piecemeal and checks its header as inflateGetHeader reports it.
 *
 *   header EXTRA MAX CHUNK [NAME [COMMENT]]
 *
 * EXTRA: bytes of the header's extra field (-1: none).  MAX: bytes of the caller's buffer for it (0: none; -1: the
 * caller does not ask for the header).
 * CHUNK: bytes handed to inflate at a time.  Exit status 0 when everything comes back as it went in.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "zlib.h"

#define ROOM 65536
#define GUARD 64

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

static unsigned char extra_byte(int at)
{
    return (unsigned char)(at * 7 + 3);
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
            put_number(extra_byte(i), 1);
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

static int wrong(const char *what)
{
    printf("wrong %s\n", what);
    return 1;
}

static int check(gz_header *head, int extra, int max, const char *name, const char *comment)
{
    if (head->done != 1)
        return wrong("state");
    if (extra >= 0 && head->extra_len != (unsigned)extra)
        return wrong("length of the extra field");
    for (int i = 0; i < extra && i < max; i++)
        if (head->extra[i] != extra_byte(i))
            return wrong("extra field");
    for (int i = max; head->extra && i < max + GUARD; i++)
        if (head->extra[i] != 0xee)
            return wrong("byte behind the buffer of the extra field");
    if (name && strcmp((char *)head->name, name) != 0)
        return wrong("name");
    if (comment && strcmp((char *)head->comment, comment) != 0)
        return wrong("comment");
    return 0;
}

int main(int argc, char **argv)
{
    static const char text[] = "how much wood would a woodchuck chuck if a woodchuck could chuck wood";
    static unsigned char extra_field[ROOM + GUARD], name_field[256], comment_field[256], output[1024];
    if (argc < 4)
        return 2;
    int extra = atoi(argv[1]), max = atoi(argv[2]), chunk = atoi(argv[3]);
    const char *name = argc > 4 && *argv[4] ? argv[4] : NULL;
    const char *comment = argc > 5 ? argv[5] : NULL;
    put_header(extra, name, comment);
    put_body(text);

    memset(extra_field, 0xee, sizeof extra_field);
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
    z.next_in = stream;
    z.next_out = output;
    z.avail_out = sizeof output;
    int result = Z_OK;
    for (unsigned long given = 0; given < length && result == Z_OK; given += chunk) {
        z.avail_in = length - given < (unsigned long)chunk ? length - given : (unsigned long)chunk;
        result = inflate(&z, Z_NO_FLUSH);
    }
    if (result != Z_STREAM_END || z.total_out != strlen(text) || memcmp(output, text, strlen(text)) != 0)
        return wrong("text");
    inflateEnd(&z);
    return max < 0 ? 0 : check(&head, extra, max, name, comment);
}
