/* Reads two conditions. What one run overwrites survives in the other from an assignment that both have. */
#include <stdio.h>

int main(void)
{
    int c1, c2, d;

    if (scanf("%d", &c1) != 1) return 9; /* L1 */
    if (scanf("%d", &c2) != 1) return 9; /* L2 */
    d = 5; /* L3 */
    if (c1) /* L4 */
        d = 7; /* L10 */
    if (c2) /* L5 */
        d = 9; /* L6 */
    printf("%d\n", d); /* L7 */
    return 0;
}
