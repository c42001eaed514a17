/* Compresses and expands text; argument: megabytes, or kilobytes with a k behind. */
#include <stdio.h>
#include "bzlib.h"
#include "text.h"

/* bzip2 built with BZ_NO_STDIO asks for this. */
void bz_internal_error(int code)
{
    fprintf(stderr, "bzip2 error %d\n", code);
    exit(3);
}

int main(int argc, char **argv)
{
    unsigned n = text_size(argc > 1 ? argv[1] : "2"), m = n + n / 100 + 600, back = n;
    char *in = malloc(n), *packed = malloc(m), *out = malloc(n);
    text_fill(in, n);
    if (BZ2_bzBuffToBuffCompress(packed, &m, in, n, 9, 0, 30) || BZ2_bzBuffToBuffDecompress(out, &back, packed, m, 0, 0))
        return 1;
    printf("%u %u %d\n", n, m, memcmp(in, out, n));
    return 0;
}
