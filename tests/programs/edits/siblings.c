// Functions that do alike: what one of them does, another one leaves out.
void note(long value);

struct state { int open, depth, last; const char *name; struct state *outer; };

static int n_closed;

static void closed(struct state *s)
{
    n_closed += s->depth;
}

static int enter(struct state *s, int n)
{
    s->depth++;
    s->open = 1;
    s->last = n;
    return s->depth;
}

static int leave(struct state *s, int n)
{
    s->depth--;
    s->open = 0;
    s->last = -n;
    closed(s);
    return s->depth;
}

static int skip(struct state *top, int n)
{
    top->last = n + 1;
    if (n & 1)
        top->depth--;
    return top->depth;
}

static int reset(int n)
{
    struct state one = { 0 }, two = { 0 };
    struct state *first = &one, *second = &two;
    first->outer = second;
    second->depth = n;
    second->name = "outer";
    first->depth = 2;
    leave(first, n);
    enter(second, n);
    return skip(first, n) + second->last;
}

static int swapped(struct state *one, struct state *other)
{
    int open = other->open;
    one->open = other->open;
    one->outer = other;
    closed(other);
    return open - one->depth;
}

void siblings_run(void)
{
    struct state s = { 1, 2, 3, "s", 0 }, t = { 0, 1, 0, "t", &s };
    for (int n = 0; n < 6; n++) {
        note(enter(&s, n) * 10 + s.open);
        note(leave(&t, n) + t.last);
        note(skip(&s, n) + s.last);
        note(reset(n));
        note(swapped(&s, &t));
        note(n_closed + s.depth + t.open + (s.name[0] - t.name[0]) + (s.outer == &t));
    }
}
