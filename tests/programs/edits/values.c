// Kinds of values: bit-fields, floating-point numbers, narrow and wide numbers, enumerations, truth values, unions.
#include <stdbool.h>
#include <stdint.h>

void note(long value);

struct bits { unsigned low : 3; int high : 5; unsigned long wide : 40; unsigned flag : 1; int rest; };
enum color { RED, GREEN = 4, BLUE };
union both { uint32_t whole; uint8_t part[4]; };

static long fields(int a, int b)
{
    struct bits x = { a & 3, b, 7 };
    x.low = a;
    x.high += b;
    x.wide = x.low + (unsigned long)a * 3;
    x.flag = a > b;
    x.low++;
    x.rest = x.high - x.low;
    if (x.flag && x.high < 3)
        x.high = -x.high;
    return x.low + x.high * 8 + x.wide + x.flag + x.rest;
}

static long real(int a, int b)
{
    double d = a * .5, e = b;
    float f = a - .25f;
    d += e * 2;
    f = f * f - 1;
    if (d > f || e != 2.0)
        d = -d;
    d = d < 0 ? d - 1.5 : d + 1;
    return (long)(d * 16) + (long)(f * 4);
}

static long widths(int a, int b)
{
    uint8_t u = a;
    int8_t s = b;
    uint16_t w = a * b;
    int64_t l = a;
    uint64_t g = b;
    u += 200;
    s -= 3;
    w = w + u;
    l = l * 1000000007L + s;
    g = g - 1 + u;
    g >>= 2;
    l ^= w << 3;
    u = u >> 1 | 1;
    return l + (long)(g % 1000) + u + w;
}

static long truths(int a, int b)
{
    bool t = a, u = a > b;
    t = !u || t;
    u = t & u;
    _Bool w = a & 4;
    return t + u * 2 + w * 4 + (t != u) + (a == b) * 16 + !a;
}

static int colors(enum color c, int a)
{
    enum color d = c == RED ? GREEN : RED;
    if (a > GREEN)
        d = BLUE;
    switch (d) {
    case RED: return 1;
    case GREEN: return a;
    default: return c + 1;
    }
}

static long parts(unsigned a)
{
    union both x;
    x.whole = a * 259u;
    x.part[1] += 1;
    x.part[2] = x.part[0] - 1;
    return x.whole;
}

void values_run(void)
{
    for (int a = -4; a < 6; a++) {
        note(parts(a + 4));
        for (int b = -3; b < 5; b++) {
            note(fields(a, b));
            note(real(a, b));
            note(widths(a, b));
            note(truths(a, b));
            note(colors(a & 1 ? RED : BLUE, b + 3));
        }
    }
}
