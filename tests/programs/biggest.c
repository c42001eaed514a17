#include <stdio.h>
#include <stdlib.h>

#define SQUARE(x) ((x) * (x))

static int biggest(const int *numbers, int count) {
    int best = numbers[0];
    for (int i = 1; i < count; i++) {
        if (numbers[i] > best) {
            best = numbers[i];
        }
    }
    return best;
}

static int unused(int a) {
    return a * 3 - 1;
}

/* Zeros are on both sides of the numbers: an index that a change made too small or too great still names one of them. */
static int room[48];
static int *const numbers = room + 16;

int main(int argc, char **argv) {
    int count = 0;
    int sum = 0;
    for (int i = 1; i < argc && count < 16; i++) {
        numbers[count++] = atoi(argv[i]);
    }
    if (count == 0) {
        printf("none\n");
        return 0;
    }
    for (int i = 0; i < count; i++) {
        sum += numbers[i];
    }
    if (argc > 20 && sum > 1000) {
        sum = unused(sum);
    }
    printf("%d %d %d\n", biggest(numbers, count), sum, SQUARE(count));
    return 0;
}
