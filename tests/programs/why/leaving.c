/* Goes round a loop unequally often that could be left by a return: what comes after it is common to both runs. */
#include <stdio.h>

int main(void)
{
    int n, y, x, r;

    if (scanf("%d %d", &n, &y) != 2) return 9;
    for (int round = 0; round < n; round++) { /* L1 */
        if (round == 100) /* L2 */
            return 8;
    }
    x = 2 * y; /* L3 */
    r = x + 1; /* L4 */
    printf("%d\n", r); /* L5 */
    return 0;
}
