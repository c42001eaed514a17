/* The sum of the numbers on its input. The one fault acts at each negative number. */
#include <stdio.h>

static int taken(int value)
{
    if (value < 0) /* L1 */
        return 0;
    return value;
}

int main(void)
{
    int value, sum = 0;
    while (scanf("%d", &value) == 1)
        sum += taken(value);
    printf("%d\n", sum);
    return 0;
}
