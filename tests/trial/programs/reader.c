/* Reads wherever its indices say, above and below its frames, and what was never written. */
#include <stdio.h>
#include <stdlib.h>

static int sum(const int *values, int from, int count) {
    int total = 0;
    for (int i = from; i < from + count; i++) total += values[i];
    return total;
}

static int leave(int n) {
    volatile int local[32];
    for (int i = 0; i < 32; i++) local[i] = n + i;
    return local[n & 31];
}

static int find(int n) {
    int local[32];
    if (n > 0) local[0] = n;
    if (n > 1) local[n & 31] = 2 * n;
    return local[0] ^ local[n & 31];
}

int main(void) {
    int local[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int *heap = malloc(8 * sizeof *heap);
    if (!heap) return 9;
    for (int i = 0; i < 8; i++) heap[i] = i * i;
    int first = 0, many = 8;
    int left = leave(3);
    int found = find(5);
    printf("%d %d %d %d\n", sum(local, first, many), sum(heap, first, many), left, found);
    free(heap);
    return 0;
}
