// `&&` and `||` within each other, in every place that a condition can have.
void note(long value);

static int plain(int a, int b, int c)
{
    return a && b || c;
}

static int grouped(int a, int b, int c)
{
    int x = (a || b) && c;
    x += !(a || b) && c;
    x = x * 2 + (!(a && b) || !c);
    return x;
}

static int longer(int a, int b, int c, int d)
{
    if ((a && b) && c || d)
        return 1;
    if ((a || b || c) && (d || a > b))
        return 2;
    return a > 0 && b > 0 || c > 0 && d > 0 ? 3 : 4;
}

static int loops(int a, int b, int c)
{
    int n = 0;
    while (n < 5 && a > n || n < 3 && b > n)
        n++;
    for (int i = 0; (i < c || i < a) && i < 6; i++)
        n += 2;
    do
        n++;
    while ((n < 9 || a > b) && n < 12);
    return n;
}

static int chosen(int a, int b, int c)
{
    int x = a && b || c ? 10 : 20;
    int y = (a || b) && c ? x + 1 : x - 1;
    int z = !((a || b) && !(c || a));
    return x + y * 3 + z;
}

static int effects(int a, int b)
{
    int n = 0;
    int x = (n++, a) && (n++, b) || (n++, a != b);
    int y = (a || (n += 10, b)) && (n += 100, a);
    return n * 4 + x * 2 + y;
}

static int repeated(int a, int b)
{
    int n = 0;
    if (a > 2 || b > 2 && n < 1) {
        a--;
        b--;
        n++;
    }
    if (a && b < 0 || n > 3)
        n = n + 4, a = 0, b = 0;
    return n + a * 8 + b;
}

void logic_run(void)
{
    for (int a = -1; a < 4; a++)
        for (int b = -1; b < 4; b++) {
            note(effects(a, b));
            note(repeated(a, b));
            for (int c = -1; c < 3; c++) {
                note(plain(a, b, c));
                note(grouped(a, b, c));
                note(loops(a, b, c));
                note(chosen(a, b, c));
                note(longer(a, b, c, a - c));
            }
        }
}
