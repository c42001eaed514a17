/* Reads a and b, and then c: processes that go beside each other would each take some of the input. */
#include <stdio.h>

int main(void)
{
    int a, b, c, r;

    if (scanf("%d %d", &a, &b) != 2) return 9; /* L1 */
    r = 0; /* L2 */
    if (scanf("%d", &c) != 1) return 9; /* L3 */
    r = a * 10 + b + c; /* L4 */
    printf("%d\n", r); /* L5 */
    return 0;
}
