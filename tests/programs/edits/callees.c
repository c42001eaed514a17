// Functions called in the place of others: kept in the file or not, declared before they are defined, of the C library, calling each other, with structures,
// numbers of all widths, qualified pointers; and names that mean something else where they would be called.
#include <ctype.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

void note(long value);

struct pair { int x, y; };
struct large { long x, y; int z; };
typedef struct { const char *at; int depth; } reader;
typedef int whole;

static int term(reader *in);
static long later(int n);
static long behind(int n);

static int sum(int a, int b) { return a * 31 + b; }
static int difference(int a, int b) { return a * 17 - b; }
static int product(whole a, whole b) { return a * b + 1; }
static bool odd(int n) { return n & 1; }
static bool large(int n) { return n > 4; }
static unsigned char low(unsigned char n) { return n + 9; }
static unsigned char high(unsigned char n) { return n * 5; }
static short narrow(short n) { return n - 40; }
static short wide(short n) { return n * 300; }
static double half(double d) { return d / 2; }
static double third(double d) { return d / 3; }
static float quarter(float f) { return f / 4; }
static float fifth(float f) { return f / 5; }
static struct pair turned(struct pair p) { return (struct pair){ p.y, p.x }; }
static struct pair doubled(struct pair p) { return (struct pair){ 2 * p.x, 2 * p.y }; }
static struct large first(struct large l, int n) { l.x += n; return l; }
static struct large second(struct large l, int n) { l.y -= n; l.z ^= n; return l; }
static const char *from(const char *s, int n) { return n < 2 ? s : s + 1; }
static const char *past(const char *s, int n) { return n < 3 ? s + 1 : s; }
static char *own(char *s, int n) { return s + (n & 1); }
static int tally;
static void more(void) { tally += 3; }
static void less(void) { tally -= 2; }
static __attribute__((pure)) int known(const int *p) { return *p + tally; }
static __attribute__((pure)) int unknown(const int *p) { return *p * 2; }
static int counted(const int *p) { tally++; return *p - 1; }

static int digits(reader *in)
{
    int n = 0;
    while (isdigit((unsigned char)*in->at))
        n = n * 10 + (*in->at++ - '0');
    return n;
}

static int factor(reader *in)
{
    if (*in->at == '(' && in->depth++ < 5) {
        in->at++;
        int n = term(in);
        if (*in->at == ')')
            in->at++;
        return n;
    }
    return digits(in);
}

static int term(reader *in)
{
    if (in->depth++ > 40)
        return -1;
    int n = factor(in);
    while (*in->at == '*' || *in->at == '+') {
        bool adds = *in->at++ == '+';
        int other = adds ? term(in) : factor(in);
        n = adds ? n + other : n * other;
    }
    return n;
}

static long later(int n) { return n * 3L - 7; }

static long shadowed(int n)
{
    int behind = n + 2;
    long total = later(behind);
    {
        long (*later)(int) = labs(n) > 2 ? (long (*)(int))0 : 0;
        total += later == 0;
    }
    return total + later(n);
}

static long behind(int n) { return n * 5L + 11; }

static long numbers(int a, int b)
{
    long total = sum(a, b) + difference(b, a) * 3 + product(a, sum(b, 2));
    total += odd(a) ? 100 : odd(b) + 7;
    total += low(a) * 3 + high(b + 250) + narrow(a * 200) + wide((short)b);
    total += (long)(half(a) * 16) + (long)(quarter(b) * 16) + (long)fifth(third(a * 9.));
    if (large(a + b) && !odd(a))
        total ^= 1 << 9;
    return total + toupper(97 + (b & 7)) + tolower(65 + (a & 7)) + abs(a);
}

static long structures(int a, int b)
{
    struct pair p = turned((struct pair){ a, b });
    struct large l = first((struct large){ a, b, a ^ b }, 3);
    p = doubled(p);
    l = second(l, p.x);
    return p.x * 7 + p.y + l.x * 3 + l.y * 5 + l.z;
}

static long texts(int n)
{
    char text[] = "bcdefgh";
    const char *s = from(text, n);
    char *t = own(text, n);
    long total = *past(s, n) * 3 + *t;
    total += strcmp(s, "cd") < 0 ? 5 : strcoll(t, "bc") == 0;
    total += (long)strlen(s) + (strchr(text, 'd') ? 1 : 2) + (strrchr(s, 'z') == NULL);
    return total + atoi("12") + (int)atol("7");
}

static long effects(int n)
{
    more();
    int before = known(&n);
    less();
    if (n > 1)
        more();
    return before * 5 + unknown(&n) + counted(&n) + tally;
}

static long parsed(const char *text)
{
    reader in = { text, 0 };
    long n = term(&in);
    return n * 100 + (in.at - text);
}

void callees_run(void)
{
    for (int a = -2; a < 4; a++)
        for (int b = 0; b < 3; b++) {
            note(numbers(a, b));
            note(structures(a, b));
        }
    for (int n = 0; n < 5; n++) {
        note(shadowed(n) + behind(n));
        note(texts(n));
        note(effects(n));
    }
    note(parsed("12+3*4"));
    note(parsed("(2+3)*4"));
    note(parsed("((1))+2"));
    note(parsed("7*(8+(9*2)"));
}
