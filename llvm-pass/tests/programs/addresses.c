/* Many locals of which one call takes the addresses, and an exchange of computed values: the order in which they get their places is to be the same
   each time. */
#include <stdio.h>

static int table[16];

static int exchange(int at, int one, int other)
{
    int expected = one * 3;
    int done = __atomic_compare_exchange_n(&table[at * 2 + 1], &expected, one + other, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
    return 10 * expected + done;
}

int main(void)
{
    int a, b, c, d, e, f, g, h;
    int n = sscanf("1 2 3 4 5 6 7 8", "%d %d %d %d %d %d %d %d", &a, &b, &c, &d, &e, &f, &g, &h);
    table[3] = 6;
    printf("%d %d %d\n", n, a + 2 * b + 3 * c + 4 * d + 5 * e + 6 * f + 7 * g + 8 * h, exchange(a, b, c));
    printf("%d %d\n", table[3], exchange(2, d, e));
    return 0;
}
