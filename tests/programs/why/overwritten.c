/* Reads y and z. An element is overwritten that only a patched run reads. */
#include <stdio.h>

int main(void)
{
    int x[3] = {1, 2, 3}; /* L1 */
    unsigned y, z;

    if (scanf("%u", &y) != 1 || y > 2) return 9; /* L2 */
    if (scanf("%u", &z) != 1 || z > 2) return 9; /* L3 */
    x[z] = 5; /* L4 */
    printf("%d\n", x[y]); /* L5 */
    return 0;
}
