/* Counts lines, words and characters of a file: open files, stdio buffers, a heap, strings. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct entry {
    char *word;
    int times;
    struct entry *next;
};

/* Sixteen are used: a mutant that reads on behind them finds nothing, not what the runtime keeps there, which executors do not share. */
static struct entry *table[320];

static unsigned hash(const char *word) {
    unsigned h = 5381;
    while (*word) h = h * 33 + (unsigned char)*word++;
    return h % 16;
}

static int add(const char *word) {
    unsigned slot = hash(word);
    for (struct entry *e = table[slot]; e; e = e->next)
        if (strcmp(e->word, word) == 0) return ++e->times;
    struct entry *fresh = malloc(sizeof *fresh);
    if (!fresh) return -1;
    fresh->word = malloc(strlen(word) + 1);
    if (!fresh->word) return -1;
    strcpy(fresh->word, word);
    fresh->times = 1;
    fresh->next = table[slot];
    table[slot] = fresh;
    return 1;
}

int main(int argc, char **argv) {
    char *name = argc > 1 ? argv[1] : "words.txt";
    FILE *file = fopen(name, "r");
    if (!file) {
        fprintf(stderr, "cannot open %s\n", name);
        return 2;
    }
    int c, length = 0, lines = 0, words = 0;
    // Static: a mutant that reads on behind a word finds the same in every version, which frames do not promise.
    static char word[32];
    while ((c = getc(file)) != EOF) {
        if (c == '\n') lines++;
        if (isalpha(c) && length < 31) {
            word[length++] = (char)tolower(c);
        } else if (length) {
            word[length] = 0;
            words++;
            if (add(word) == 1) printf("new %s\n", word);
            length = 0;
        }
    }
    long at = ftell(file);
    fclose(file);
    for (int slot = 0; slot < 16; slot++)
        for (struct entry *e = table[slot]; e; e = e->next)
            if (e->times > 1) printf("%s %d\n", e->word, e->times);
    printf("%d %d %ld\n", lines, words, at);
    return words > 1000;
}
