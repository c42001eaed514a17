/* Takes as much memory, output and time as its numbers say. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned turn(unsigned n) {
    unsigned i = 0;
    while (i != n) i++;
    return i;
}

int main(int argc, char **argv) {
    long size = 1000;
    int lines = 3, width = 10;
    unsigned turns = 50;
    char *memory = malloc((size_t)size);
    if (!memory) {
        puts("no memory");
        return 4;
    }
    memset(memory, 'm', (size_t)(size < 100000000 ? size : 100000000));
    for (int line = 0; line < lines; line++) {
        for (int column = 0; column < width; column++) putchar('a' + column % 26);
        putchar('\n');
    }
    unsigned turned = turn(turns);
    int stay = argc > 5;
    while (stay) {
    }
    for (;;) {
        lines--;
        if (lines == 0) break;
    }
    free(memory);
    printf("%u %d\n", turned, lines);
    fprintf(stderr, "%ld\n", size);
    return 0;
}
