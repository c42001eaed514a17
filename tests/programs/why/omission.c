/* Reads x and y. What the second run prints depends on what it leaves out. */
#include <stdio.h>

int main(void)
{
    int x, y;

    if (scanf("%d", &x) != 1) return 9; /* L1 */
    if (scanf("%d", &y) != 1) return 9; /* L2 */
    if (x > 2) /* L3 */
        y = y + 2; /* L4 */
    if (x < y) /* L5 */
        x = 10; /* L6 */
    printf("%d\n", x); /* L7 */
    return 0;
}
