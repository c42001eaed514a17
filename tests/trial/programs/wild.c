/* Writes wherever its indices say: heap, globals, its own frames, its own return addresses. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int global[16];
static char text[64] = "a text in the data";

static int smash(int length, int value) {
    char local[16];
    memset(local, 0, sizeof local);
    memset(local, value, (size_t)length);
    return local[length > 0 && length <= 16 ? length - 1 : 0];
}

static void scatter(int *array, int from, int step, int count) {
    for (int i = 0; i < count; i++) {
        int at = from + i * step;
        array[at] = i;
    }
}

int main(void) {
    int size = 16;
    int *heap = calloc((size_t)size, sizeof *heap);
    int local[16] = {0};
    if (!heap) return 9;
    scatter(heap, 0, 1, 16);
    scatter(global, 15, -1, 16);
    scatter(local, 0, 2, 8);
    int sum = 0;
    for (int i = 0; i < 16; i++) sum += heap[i] * global[i] + local[i];
    int smashed = smash(12, 'x');
    char *end = strchr(text, 'd');
    int offset = end ? (int)(end - text) : -1;
    text[offset] = 'D';
    printf("%d %d %s %d\n", sum, smashed, text, offset);
    int *more = realloc(heap, (size_t)size * 2 * sizeof *heap);
    if (!more) return 8;
    more[20] = sum;
    sum += more[20];
    free(more);
    printf("%d\n", sum);
    return 0;
}
