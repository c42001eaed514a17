/* Counts and pointers of several types, for variables that are counted up and down when they are read. */
#include <stdio.h>
#include <string.h>

struct pair {
    int left;
    char right;
};

/* Room on both sides, so that a pointer may leave what it walks over. */
static char texts[3][1024];
static struct pair pairs[192];
static int depth, calls;

static int down(int n)
{
    int rest = n;
    depth = depth + 1;
    if (n <= 0 || depth > 60)
        return depth;
    return rest + down(n - 1) + calls;
}

static int copied(char *out, const char *in)
{
    char *start = out;
    int length = 0;
    while (*in && *in != '.') {
        *out = *in;
        out++;
        in++;
        length = length + 1;
    }
    *out = 0;
    return 3 * length - (int)(out - start);
}

static unsigned char folded(const char *text)
{
    unsigned char sum = 250, factor = 3;
    const char *at = text;
    while (*at && at < text + 40) {
        sum = sum * factor + *at;
        factor = factor + 2;
        at++;
    }
    return sum;
}

static long of_pairs(const struct pair *first, const struct pair *end)
{
    const struct pair *at = first;
    short seen = 0, limit = 30;
    long sum = 0, sign = 1;
    /* These do not count. */
    const int none = 0, one = 1;
    _Bool even = 0, odd = 1;
    const void *low = first, *high = end;
    if (low >= high)
        return none;
    while (at < end && seen < limit) {
        sum = sum + at->left*-sign - at->right;
        sign = -sign;
        seen = seen + one;
        odd = even;
        even = !odd;
        at++;
    }
    return sum + seen + even;
}

int main(int argc, char **argv)
{
    char *in = texts[0] + 512, *out = texts[1] + 512;
    int i, n = argc > 1 ? (int)strlen(argv[1]) : 0;
    for (i = 0; i < n && i < 99; i++) {
        in[i] = argv[1][i];
        pairs[64 + i].left = in[i];
        pairs[64 + i].right = (char)(i * n);
    }
    printf("%d ", copied(out, in));
    printf("%s ", out);
    printf("%d ", folded(in));
    printf("%ld ", of_pairs(pairs + 64, pairs + 64 + n));
    printf("%d\n", down(n));
    return 0;
}
