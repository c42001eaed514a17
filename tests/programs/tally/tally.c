#include <stdio.h>
#include <stdlib.h>
#include "tally.h"

int main(int argc, char **argv)
{
    struct tally tally = { 0, 0 };
    int at, sum = 0;
    for (at = 1; at < argc; at++) {
        int value = atoi(argv[at]);
        if (value > 100 && value % 2 == 0)
            continue;
        if (value < 0)
            tally.below++;
        else
            tally.above += 2;
        sum += weighted(value, at);
    }
    printf("%d %d %d\n", sum, tally.below, tally.above);
    return 0;
}
