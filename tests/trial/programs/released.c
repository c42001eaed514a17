/* Goes on with pointers to texts whose memory the kernel has back: the end of the heap, a mapping, a page without rights. */
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

enum { PIECES = 40, LENGTH = 100000, PAGE = 4096 };

static const char *nearer(const char *one, const char *other, int number) {
    const char *kept = one;
    if (number % 2) kept = other;
    return kept;
}

static char *mapped(const char *text) {
    char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (page == MAP_FAILED) exit(9);
    strcpy(page, text);
    return page;
}

int main(void) {
    char *pieces[PIECES];
    int letters = 0;
    for (int i = 0; i < PIECES; i++) {
        char *piece = malloc(LENGTH);
        if (!piece) return 8;
        snprintf(piece, LENGTH, "piece %d", i);
        letters += (int)strlen(piece);
        pieces[i] = piece;
    }
    char *gone = mapped("unmapped"), *closed = mapped("closed");
    letters += (int)strlen(gone) + (int)strlen(closed);
    for (int i = PIECES - 1; i > 0; i--) free(pieces[i]);
    malloc_trim(0);
    munmap(gone, PAGE);
    mprotect(closed, PAGE, PROT_NONE);
    int same = 0;
    for (int i = 1; i < PIECES; i++) {
        const char *text = nearer(pieces[i], gone, i), *other = nearer(closed, pieces[PIECES - i], i);
        same += text == other;
    }
    const char *left = nearer(pieces[0], pieces[0], letters);
    printf("%d letters, %d same, %s\n", letters, same, left);
    return 0;
}
