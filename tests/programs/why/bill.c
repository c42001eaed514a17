/* Reads prices and writes what they come to. No condition can be sent another way so that the sum is right. */
#include <stdio.h>

static int flat = 4; /* L0 */

static int sum(int n)
{
    int total = 0, price, i;

    for (i = 0; i < n; i++) {
        if (scanf("%d", &price) != 1)
            return -1;
        total = total + price; /* L1 */
    }
    return total;
}

int main(void)
{
    int n, base, all;

    if (scanf("%d", &n) != 1)
        return 9;
    base = 7; /* L2 should be 8 */
    base = base * 10; /* L3 */
    all = sum(n) + base + flat; /* L4 */
    printf("%d\n", all); /* L5 */
    return 0;
}
