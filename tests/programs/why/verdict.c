#include <assert.h>
#include <stdio.h>
#include <string.h>

struct text {
    size_t length;
    char bytes[32];
};

static int same(const struct text *one, const char *other)
{
    return one->length == strlen(other) && memcmp(one->bytes, other, one->length) == 0; /* L1 */
}

static void put(struct text *to, const char *from, size_t length)
{
    memcpy(to->bytes, from, length);
    to->length = length;
}

/* The name of a host, without its port; one in brackets ends with them, which is forgotten. */
static void host(struct text *to, const char *from)
{
    const char *end = from;
    while (*end && *end != ':')
        end++;
    put(to, from, (size_t)(end - from));
}

int main(int argc, char **argv)
{
    struct text found;
    if (argc < 3)
        return 2;
    host(&found, argv[1]);
    assert(same(&found, argv[2]));
    puts("as expected");
    return 0;
}
