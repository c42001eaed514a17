/* Reads a letter and k, and does one of several things that are hard to explain. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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
    unsigned long x = k; /* L14 */
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

static long last;

/* Takes times, which make recordings longer or shorter, and does nothing with them. */
static int timed(int k)
{
    struct timespec now;
    int i;

    for (i = 0; i < 200; i++) {
        clock_gettime(CLOCK_MONOTONIC, &now);
        last = now.tv_nsec;
    }
    return k + 1; /* L13 */
}

/* Ends in a function of the C library that does not come back. */
static int claimed(int k)
{
    assert(k < 5); /* L15 */
    return k;
}

/* The same in one that is given what it cannot read. */
static int measured(int k)
{
    const char *text = k > 5 ? 0 : "some"; /* L16 */
    return strlen(text) + k; /* L17 */
}

static int low = 1, high = 2;

static char letter(int k)
{
    return 'a' + k % 3;
}

static int *chosen(int k)
{
    return k > 5 ? &high : &low; /* L18 */
}

/* What one block is given is an address, what another is given a letter. */
static int given(int k)
{
    int n = 0, *p = 0;

    if (k > 1) n = letter(k);
    if (k > 2) p = chosen(k); /* L19 */
    return *p + n; /* L20 */
}

int main(void)
{
    char what;
    int k;
    struct timespec now;

    if (scanf(" %c %d", &what, &k) != 2) return 9;
    switch (what) {
    case 'a':
        printf("%d\n", claimed(k));
        break;
    case 'c':
        printf("%d\n", late(k));
        break;
    case 'g':
        printf("%d\n", given(k));
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
    case 'l':
        printf("%d\n", timed(k));
        break;
    case 's':
        printf("%d\n", measured(k));
        break;
    case 't':
        clock_gettime(CLOCK_MONOTONIC, &now);
        printf("%ld\n", (now.tv_nsec & ~7l) + k);
        break;
    }
    return 0;
}
