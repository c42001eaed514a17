// Numbers that may be 0 or negative, and calls that say so, in every place where a guard can stand.
void note(long value);

struct box {
    int size;
    long sum;
    const char *name;
    unsigned char kind;
};

static int calls;

static int spent(int n)
{
    calls += n;
    return n > 3 ? -1 : n - 1;
}

static long doubled(long n)
{
    calls++;
    return n * 2;
}

static unsigned bare(unsigned n)
{
    calls += 5;
    return n >> 1;
}

static int share(int total, int parts)
{
    if (total > 100)
        return 1;
    calls += parts;
    return parts ? total / parts : 7;
}

static int initial(const char *s)
{
    if (*s != 'x')
        calls++;
    if (s[0] == 'y')
        return -1;
    return s[1] ? s[1] : 0;
}

static void fill(struct box *b, int n)
{
    b->sum = n;
    if (b->size > 1)
        b->sum += b->size;
    else if (b->kind != 3)
        b->sum -= b->kind;
    spent(n);
    if (n > 1)
        (void)doubled(n);
    else
        bare(n);
    for (int i = n; i < 3; i++)
        note(i);
    switch (n) {
    case 0:
        spent(0);
        break;
    case 1: spent(2); break;
    default:
        doubled(b->sum);
    }
    b->sum += doubled(b->sum);
}

static long total(struct box *boxes, int n)
{
    long sum = 0;
    int values[3] = {n, 0, -n};
    for (int i = 0; i < n; i++) {
        fill(&boxes[i], i);
        sum += boxes[i].sum;
        if (values[i % 3] < n)
            sum++;
        note(boxes[i].kind);
    }
    note(sum);
    return sum ? sum : -1;
}

static unsigned char narrow(short n)
{
    note(n);
    unsigned char c = n & 15;
    if (c > 3)
        return 0;
    return c + 1;
}

void numbers_run(void)
{
    struct box boxes[4] = {{0, 0, "x", 0}, {1, 2, "\0", 3}, {2, -5, "ya", 1}, {-3, 4, "b", 0}};
    for (int i = 0; i < 4; i++)
        note(initial(boxes[i].name));
    for (int i = -1; i < 3; i++)
        note(share(9 * i, i) + narrow(i * 7));
    note(share(101, 0));
    note(total(boxes, 4));
    note(total(boxes, 0));
    note(narrow(-3));
    note(calls);
}
