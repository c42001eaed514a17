/* What the output depends on is marked `in`, what it does not `out`; flows go through values, locals, memory, calls by name
 * and by pointer, tables and control.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct pair {
    int used, unused;
};

static int table_one(int x) { return x + 1; }   /* in */
static int table_two(int x) { return x * 2; }   /* in */
static int (*const table[])(int) = {table_one, table_two};

static int never_shown(int x)
{
    return x * 31;                               /* out */
}

static void fill(int *place, int value)
{
    *place = value;                              /* in */
}

static int counter;

static void count(void)
{
    counter++;                                   /* out */
}

int main(int argc, char **argv)
{
    int choice = argc > 1 ? atoi(argv[1]) : 0;   /* in */
    int hidden = 5;                              /* out */
    int sum = 0;                                 /* in */
    int overwritten = 1;                         /* out */
    char text[16];
    int *heap = malloc(sizeof *heap);            /* in */
    int *other = malloc(sizeof *other);          /* out */
    overwritten = 2;                             /* in */
    hidden = never_shown(hidden);                /* out */
    fill(heap, choice * 3);                      /* in */
    *other = 17;                                 /* out */
    for (int i = 0; i < choice; i++) {           /* in */
        sum += table[i & 1](i);                  /* in */
        count();                                 /* out */
    }
    if (choice > 3)                              /* in */
        strcpy(text, "large");                   /* in */
    else
        strcpy(text, "small");                   /* in */
    if (hidden > 3)                              /* out */
        hidden = 0;                              /* out */
    printf("%d %d %d %s\n", sum, *heap, overwritten, text); /* in */
    free(heap);
    free(other);                                 /* out */
    return 0;
}
