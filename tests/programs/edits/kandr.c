/* Definitions as they were before there was a standard. */
extern void note();

static int hidden;

static int add(a, b)
int a, b;
{
    return a + b;
}

static int copy(to, from, n)
register char *to;
char *from;
unsigned n;
{
    register int i;
    i = 0;
    while (n-- > 0 && (*to++ = *from++) != 0)
        i++;
    return i;
}

static long narrow(c, s, f)
char c;
short s;
float f;
{
    long x;

    x = c * 2 - s;
    if (f > 1.5 && c != s)
        x += f * 2;
    c += s;
    s -= c;
    return x + c + s;
}

static int loud(p)
int *p;
{
    hidden += *p;
    return ++*p;
}

static int find(text, one)
char *text;
int one;
{
    char *at;

    for (at = text; *at; at++)
        if (*at == one)
            return at - text;
    return -1;
}

void kandr_run()
{
    char to[16];
    int i, j, k;

    for (i = -3; i < 6; i++) {
        for (j = 0; j < 5; j++) {
            note((long)add(i, j));
            note((long)narrow(i, j, i * .75));
        }
        k = i;
        note((long)loud(&k) + k);
        note((long)find("some text", 'a' + i + 3));
        for (j = 0; j < 16; j++)
            to[j] = 0;
        note((long)copy(to, "eleven", i < 0 ? 0 : i * 2));
        for (j = 0; j < 16; j++)
            note((long)to[j]);
    }
    note((long)hidden);
}
