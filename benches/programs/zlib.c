/* Compresses and expands text; argument: megabytes, or kilobytes with a k behind. */
#include <stdio.h>
#include "zlib.h"
#include "text.h"

int main(int argc, char **argv)
{
    unsigned long n = text_size(argc > 1 ? argv[1] : "4"), m = compressBound(n), back = n;
    char *in = malloc(n), *packed = malloc(m), *out = malloc(n);
    text_fill(in, n);
    if (compress2((Bytef *)packed, &m, (Bytef *)in, n, 6) || uncompress((Bytef *)out, &back, (Bytef *)packed, m))
        return 1;
    printf("%lu %lu %d\n", n, m, memcmp(in, out, n));
    return 0;
}
