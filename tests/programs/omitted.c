/* Counts, with one branch that does not reset what its siblings reset. */
#include <stdio.h>

struct count {
    int sum, open, depth;
};

static void enter(struct count *c)
{
    c->depth++;
    c->open = 1;
}

static int step(struct count *c, char what)
{
    switch (what) {
    case 'a':
        c->sum = c->sum + 1;
        c->open = 0;
        break;
    case 'b':
        c->sum = c->sum + 2;
        c->open = 0;
        break;
    case 'c':
        c->sum = c->sum * 2; /* the fault: nothing resets `open` */
        break;
    case '(':
        enter(c);
        break;
    case 'x':
        c->sum = 0;
        break;
    default:
        return -1;
    }
    return c->open;
}

int main(int argc, char **argv)
{
    struct count c = { 0, 0, 0 };
    int result = 0;
    for (const char *s = argc > 1 ? argv[1] : ""; *s; s++)
        result += step(&c, *s);
    printf("%d %d %d %d\n", result, c.sum, c.open, c.depth);
    return 0;
}
