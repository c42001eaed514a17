// Comparisons of variables with literals, of all types and in all places where a second value can stand.
void note(long value);

enum colour { RED, GREEN, BLUE };

static int separates(int c)
{
    if (c == ' ')
        return 1;
    return c == ',' || c == '\n';
}

static int narrow(signed char c, unsigned char u, short s)
{
    int n = 0;
    if (c == -1 || c == 'x')
        n |= 1;
    if (u != 254)
        n |= 2;
    n += s == 0 ? 4 : 8;
    return n << (s != -2);
}

static long wide(long a, unsigned long b, unsigned c)
{
    long sum = a == -1L;
    sum = sum * 2 + (b == 0xfffffffffffffffful);
    sum = sum * 2 + (c != 7u && a != 3);
    while (a != 5 && a < 9)
        sum += a++;
    return sum;
}

static int named(enum colour colour, _Bool on)
{
    for (int i = 0; i != 3; i++)
        note(i == 1);
    if (!(colour == 1) && on == 1)
        return colour == 2;
    return colour != 0;
}

void seconds_run(void)
{
    for (int i = -3; i < 12; i++) {
        note(separates(i * 3 + 11));
        note(separates(i + 34) + separates(i + 40));
        note(narrow(i, i + 250, i - 1));
        note(narrow(i + 'w', i, -i));
        note(wide(i, i, i + 5));
        note(wide(i + 1, i - 1, i));
        note(named((enum colour)((unsigned)i % 3), i & 1));
    }
}
