/* Reads a and b, whose sum chooses one of three ways. Half a change chooses the one that neither run takes. */
#include <stdio.h>

int main(void)
{
    int a, b, r = 0;

    if (scanf("%d", &a) != 1) return 9; /* L1 */
    if (scanf("%d", &b) != 1) return 9; /* L2 */
    switch (a + b) { /* L3 */
    case 1: r = 100; break; /* L4 */
    case 5: r = 200; break; /* L5 */
    case 3: r = 200; break; /* L6 */
    }
    printf("%d\n", r); /* L7 */
    return 0;
}
