/* Reads n and a: n rounds of a loop, one of which does more. */
#include <stdio.h>

int main(void)
{
    int n, a, s = 0, i;

    if (scanf("%d", &n) != 1) return 9; /* L1 */
    if (scanf("%d", &a) != 1) return 9; /* L2 */
    i = 0; /* L3 */
    while (i < n) { /* L4 */
        if (i == 3) /* L5 */
            s = s + 1; /* L6 */
        s = s + a; /* L7 */
        i = i + 1; /* L8 */
    }
    printf("%d\n", s); /* L9 */
    return 0;
}
