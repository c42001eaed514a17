/* Reads t, x, y and z. y matters on the way, but z alone is the cause. */
#include <stdio.h>

int main(void)
{
    int t, x, y, z;

    if (scanf("%d", &t) != 1) return 9; /* L1 */
    if (scanf("%d", &x) != 1) return 9; /* L2 */
    if (scanf("%d", &y) != 1) return 9; /* L3 */
    if (scanf("%d", &z) != 1) return 9; /* L4 */
    if (x < y + z) /* L5 */
        z = 2; /* L6 */
    if (x > y + z) /* L7 */
        z = 4; /* L8 */
    if (z > 0 && y > z) /* L9 */
        t = 0; /* L10 */
    else
        printf("%d\n", z); /* L11 */
    return t < 0;
}
