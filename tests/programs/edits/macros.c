// Expressions in and around macros.
#define SQUARE(x) ((x) * (x))
#define OPEN(x) x + 1
#define HALF 2 + 2
#define FIVE 5
#define MINUS(a, b) (a) - (b)
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define CHECK(c) do { if (c) count++; else count--; } while (0)
#define FIELD(p) ((p)->value)
#define TABLE table
#define STRING(x) #x
#define JOIN(a, b) a##b
#define SIGN -
#define PUT(to, x) do { (to)->value = (x); } while (0)
#define EITHER(a, b) (truth(a) || truth(b))
#define SHOWN(x) ((x) + (int)sizeof #x)
#define TOTAL(x) ((x) + SQUARE(2))
#define GROW(x) ((x) += 2)

void note(long value);

static int count;
static int table[6] = { 4, 1, 3, 5, 2, 0 };
struct cell { int value; struct cell *next; };

static int used(int a, int b)
{
    int x = SQUARE(a + 1) - b;
    x += OPEN(a) * 2;
    x -= HALF * b;
    x = x + FIVE - MINUS(a, b);
    return SQUARE(x) + FIVE * x;
}

static int cells(int n)
{
    struct cell list[4] = { { n, &list[1] }, { n + 2, &list[2] }, { -n, 0 } };
    int sum = 0;
    for (struct cell *at = list; at; at = at->next)
        sum += FIELD(at) * 2;
    FIELD(list) = sum;
    FIELD(list) += FIVE;
    return FIELD(list) - list[1].value;
}

static int rows(int n)
{
    int sum = 0;
    EACH(i, n + 1)
        sum += TABLE[i] * i;
    CHECK(sum > n);
    CHECK(n == 2 || sum == FIVE);
    return sum + TABLE[n] - (TABLE)[n / 2];
}

static int odd(int a)
{
    int JOIN(left, right) = a * 3;
    leftright -= SIGN a;
    leftright = SIGN leftright + sizeof STRING(a + b);
#ifdef FIVE
    leftright += a
#if FIVE > 4
        * 2
#else
        * 3
#endif
        ;
#endif
    return leftright \
        + 1;
}

static int truth(int a)
{
    count += a;
    return a > 1;
}

static int arguments(int n, int m, int last)
{
    struct cell one = { 0, 0 };
    PUT(&one, n - last);
    PUT(&one, one.value * 2 + (m < n && n != last));
    GROW(last);
    if (EITHER(n - 2 > m, last == m))
        one.value += SHOWN(m * n);
    PUT(&one, one.value ^ m);
    return one.value + TOTAL(n / 2) + TOTAL(last % 3);
}

void macros_run(void)
{
    for (int a = 0; a < 6; a++) {
        note(cells(a));
        note(rows(a < 5 ? a : 4));
        note(odd(a - 2));
        for (int b = -2; b < 3; b++)
            note(used(a, b) + arguments(a, b, 3));
    }
    note(count);
}
