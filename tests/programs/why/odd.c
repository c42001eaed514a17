/* Reads a letter and k, and does one of several things that are hard to explain. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

struct node {
    int value;
};

static int late(int k)
{
    int *p = k > 5 ? 0 : &k; /* L1 */
    int v = *p; /* L2 */
    v = v + 1; /* L3 */
    return v;
}

static int heap(int k)
{
    struct node *p = malloc(sizeof *p);
    int r;

    if (!p) exit(8);
    p->value = 1;
    if (k > 5) {
        struct node *more = malloc(sizeof *more);
        if (!more) exit(8);
        more->value = 2;
        p = more;
    }
    r = 0; /* L4 */
    r = p->value; /* L5 */
    return r; /* L6 */
}

static int rounds(int k)
{
    int s = 0, i;

    i = 0; /* L7 */
    while (i < k) { /* L8 */
        s = s + (i & 3); /* L9 */
        i = i + 1; /* L10 */
    }
    return s; /* L11 */
}

static unsigned long *words;

/* Everything that it loads is written to a recording. */
static int much(int k)
{
    unsigned long x = k;
    int i;

    words = malloc(1024 * sizeof *words);
    if (!words) exit(8);
    for (i = 0; i < 1500000; i++) {
        x = x * 6364136223846793005ul + 1442695040888963407ul;
        words[i & 1023] = x;
        x ^= words[(i * 7) & 1023] >> 1;
    }
    return x & 0xff;
}

int main(void)
{
    char what;
    int k;
    struct timespec now;

    if (scanf(" %c %d", &what, &k) != 2) return 9;
    switch (what) {
    case 'c':
        printf("%d\n", late(k));
        break;
    case 'h':
        printf("%d\n", heap(k));
        break;
    case 'm':
        printf("%d\n", much(k));
        break;
    case 'r':
        printf("%d\n", rounds(k)); /* L12 */
        break;
    case 't':
        clock_gettime(CLOCK_MONOTONIC, &now);
        printf("%ld\n", (now.tv_nsec & ~7l) + k);
        break;
    }
    return 0;
}
