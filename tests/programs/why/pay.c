#include <stdio.h>

static int paid(int total)
{
    int rate = 0;
    if (total > 10) /* L1 should be >= */
        rate = 2; /* L2 */
    return total - rate; /* L3 */
}

int main(void)
{
    int total;
    if (scanf("%d", &total) != 1)
        return 3;
    if (total < 0) {
        puts("nothing to pay");
        return 0;
    }
    printf("%d\n", paid(total)); /* L4 */
    if (total == 7) /* L5 should not be here */
        puts("lucky");
    return 0;
}
