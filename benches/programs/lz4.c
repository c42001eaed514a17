/* Compresses and expands text several times; argument: megabytes. */
#include <stdio.h>
#include "lz4.h"
#include "lz4hc.h"
#include "text.h"

int main(int argc, char **argv)
{
    int n = (argc > 1 ? atoi(argv[1]) : 16) << 20, bound = LZ4_compressBound(n), m = 0;
    char *in = malloc(n), *packed = malloc(bound), *out = malloc(n);
    text_fill(in, n);
    for (int round = 0; round < 4; round++) {
        m = LZ4_compress_default(in, packed, n, bound);
        if (LZ4_decompress_safe(packed, out, m, n) != n)
            return 1;
    }
    int small = n / 8, hc = LZ4_compress_HC(in, packed, small, bound, 6);
    printf("%d %d %d %d\n", n, m, hc, memcmp(in, out, n));
    return 0;
}
