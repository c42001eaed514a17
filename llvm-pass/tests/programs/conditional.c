/* A conditional operator inside of a compound condition, all in one macro: its parts have one location. */
#include <stdio.h>
#include <string.h>

#define IS_SMALL(x) (!((x) & 1) || ((x) & 6) == 2)
#define IS_OTHER(x, kind) (((x) & 12) == 4 * (kind))
#define IS(x, kind) ((kind) == 0 ? IS_SMALL(x) : IS_OTHER(x, kind))
#define HOLDS(x) (!IS(x, 1) && (!IS(x, 2) || ((x) & 16)))

static int dirt(int seed)
{
    char much[512];
    memset(much, seed, sizeof much);
    return much[seed & 255];
}

static int count(int x)
{
    int n = 0;
    if (HOLDS(x))
        n += 1;
    if (!HOLDS(x + 1))
        n += 2;
    return n;
}

/* Its frame is where the array was. */
static int deeper(int x)
{
    volatile char pad[128];
    pad[x] = x;
    return count(pad[x]);
}

int main(void)
{
    int sum = 0;
    for (int x = 0; x < 32; x++) {
        sum += dirt(x * 17 + 90) & 1;
        printf("%d", deeper(x));
    }
    printf("\n%d\n", sum);
    return 0;
}
