/* Reads x, y and z; y alone decides the output, but changing y alone sends the program another way. */
#include <stdio.h>

int main(void)
{
    int x, y, z;

    if (scanf("%d", &x) != 1) return 9; /* L1 */
    if (scanf("%d", &y) != 1) return 9; /* L2 */
    if (scanf("%d", &z) != 1) return 9; /* L3 */
    if (y > z) /* L4 */
        y = 0; /* L5 */
    else
        y = y + 1; /* L6 */
    printf("%d\n", y); /* L7 */
    return 0;
}
