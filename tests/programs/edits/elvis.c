// What GNU C adds to expressions: `a ?: b`, statement expressions, ranges of labels, `typeof`, elements named out of order.
void note(long value);

static int calls;

static int next(int a)
{
    calls++;
    return a - 2;
}

static int given(int a, int b)
{
    int x = a ?: b;
    x += a > 1 ? : b;
    if (a + b ?: a - b)
        x++;
    if (!(a ?: b) || (b ?: a) > 2)
        x += 3;
    return (next(a) ?: next(b) ?: 7) + x;
}

static int block(int a, int b)
{
    int x = ({ int t = a; if (t < b) t = b; t + 1; });
    x += ({ int u = 0; for (int i = 0; i < b; i++) u += i; u; }) * 2;
    return ({ x > 3 ? x : -x; }) - ({ a; });
}

static int ranged(int a)
{
    switch (a) {
    case -5 ... -1:
        return 1;
    case 0:
    case 1 ... 3:
        a += 4;
        break;
    case 4:
        a = a * 2;
    default:
        a--;
    }
    return a + 1;
}

static int same(int a, int b)
{
    __typeof__(a + b) x = a * 3;
    __auto_type y = b - 1;
    x = y > x ? x : y;
    return __extension__ (x + 2);
}

static int named(int a)
{
    int t[8] = { [2] = 5, [4 ... 6] = 7, [1] = a };
    struct { int x, y, v[3]; } s = { .y = a + 1, .v = { [1] = a - 1 } };
    return t[a & 7] + s.y * s.v[1] + s.x;
}

static int nested(int a, int b)
{
    int x = a > 0 ? b > 0 ? 1 : 2 : b > 0 ? 3 : 4;
    x += (a ? b : a) + (a < b ?: x);
    return x;
}

void elvis_run(void)
{
    for (int a = -6; a < 7; a++) {
        note(ranged(a));
        note(named(a));
        for (int b = -2; b < 4; b++) {
            note(given(a, b));
            note(block(a, b));
            note(same(a, b));
            note(nested(a, b));
        }
    }
    note(calls);
}
