/* Reads x and y. x differs, but not in what it decides. */
#include <stdio.h>

int main(void)
{
    int x, y, r = 0;

    if (scanf("%d", &x) != 1) return 9; /* L1 */
    if (scanf("%d", &y) != 1) return 9; /* L2 */
    if (x > 0) /* L3 */
        r = y; /* L4 */
    printf("%d\n", r); /* L5 */
    return 0;
}
