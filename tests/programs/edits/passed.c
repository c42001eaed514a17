// Numbers that calls pass: narrow and wide ones, converted ones, results of other calls, structures in pieces before them, variable arguments.
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

void note(long value);

struct pair { int x, y; };
struct large { long x, y; int z; };
struct mixed { double d; int i; };
enum color { RED, GREEN = 4, BLUE };

static int sum(int a, int b) { return a * 31 + b; }
static long wide(long a, size_t b) { return a * 17 + (long)(b % 1009); }
static long narrow(short a, unsigned char b, int c) { return a * 7 + b * 3 + c; }
static long pieces(struct pair p, int n, struct mixed m, int k) { return p.x + 5 * p.y + 11 * n + m.i + (long)m.d + 13 * k; }
static long copied(struct large l, int n) { return l.x + 3 * l.y + l.z + 7 * n; }
static struct large made(int n, unsigned k) { struct large l = { n, k % 100, n + 2 }; return l; }
static long truth(bool t, int n) { return t ? n : -n; }
static long real(double d, int n) { return (long)(d * 8) + n; }
static unsigned bits(unsigned n) { return n >> 3; }

static long many(int n, ...)
{
    va_list rest;
    long total = 0;
    va_start(rest, n);
    for (int i = 0; i < (n & 3); i++)
        total = total * 3 + va_arg(rest, int);
    va_end(rest);
    return total;
}

static long old(a, n)
    int a;
    long n;
{
    return a * 5 + n;
}

static long integers(int a, int b)
{
    unsigned char c = a;
    short s = b;
    unsigned u = a;
    long l = b;
    size_t z = a & 15;
    long total = sum(a, b) + wide(a, z) + wide(l, u) + wide(c, (unsigned char)b);
    total += narrow(l, a, c) + narrow(s, c, s);
    total += sum(sum(a, 3), sum(b, a) % 7) + bits(u) + bits(a);
    total += sum(a > b ? a : b, (a, b)) + sum(a + b, a * b % 9) + sum(-a, ~b);
    return total + wide(l - 1, z + 1) + sum(c, s);
}

static long kinds(int a, int b)
{
    struct pair p = { a, b };
    struct mixed m = { b / 2., a };
    struct large l = { b, a, 3 };
    enum color color = a & 1 ? GREEN : BLUE;
    double d = a / 4.;
    long total = pieces(p, a, m, b) + copied(l, a) + copied(made(a, b & 31), p.y);
    total += truth(a > b, b) + truth(a & 4, a) + real(a, b) + real(d, d) + sum(d, color);
    total += many(a, b, a, b) + many(a & 1, b) + old(a, (long)b);
    int (*call)(int, int) = a & 2 ? sum : (int (*)(int, int))sum;
    return total + call(b, a) + sum(p.x, l.y);
}

static long memory(int a)
{
    char text[64] = "abcdefghijklmnopqrstuvwxyz", to[64] = "";
    size_t n = a & 15;
    memcpy(to, text + 1, n + 2);
    memset(to + 20, 'x', n);
    long total = memcmp(to, text + 1, n) * 3 + (long)strlen(to);
    for (unsigned i = 0; i < 40; i++)
        total = total * 5 + to[i];
    return total + strncmp(text, "abcdefgxy", a & 7);
}

void passed_run(void)
{
    for (int a = -3; a < 12; a += 2)
        for (int b = -2; b < 9; b += 3) {
            note(integers(a, b));
            note(kinds(a, b));
        }
    for (int a = 0; a < 14; a += 3)
        note(memory(a));
}
