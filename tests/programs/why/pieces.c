#include <stdio.h>
#include <string.h>

#define MAX 16

static char room[MAX + 64];

/* Takes a piece behind those that are there, as far as there is room. */
static void take(const char *piece, int have)
{
    int n = strlen(piece);
    memcpy(room + have, piece, have + n > MAX ? MAX - have : n);
}

int main(int argc, char **argv)
{
    int have = 0;
    memset(room, '.', sizeof room - 1);
    for (int i = 1; i < argc; i++) {
        take(argv[i], have);
        have += strlen(argv[i]);
    }
    printf("%d\n%s\n", have, room);
    return 0;
}
