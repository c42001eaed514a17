/* Structures that are passed on the stack, to functions that are called through pointers, beside every other place of arguments. */
#include <stdarg.h>
#include <stdio.h>

struct large { long a, b, c; };
struct small { int x; };
struct aligned { long double d; char e; };

struct large sum(struct large first, struct large second)
{
    struct large result = { first.a + second.a, first.b + second.b, first.c + second.c };
    first.a = -1;
    return result;
}

long mixed(int i, struct large l, double d, struct small s, long p, long q, long r, long t, struct aligned n)
{
    return i + l.a + l.b + l.c + (long)d + s.x + p + q + r + t + (long)n.d + n.e;
}

long variable(struct large l, int n, ...)
{
    va_list list;
    long total = l.c;
    va_start(list, n);
    while (n-- > 0)
        total += va_arg(list, long);
    va_end(list);
    return total;
}

int depth(struct large l, int n)
{
    int (*volatile self)(struct large, int) = depth;
    l.b++;
    return n == 0 ? (int)l.b : self(l, n - 1);
}

int main(void)
{
    struct large (*volatile add)(struct large, struct large) = sum;
    long (*volatile all)(int, struct large, double, struct small, long, long, long, long, struct aligned) = mixed;
    long (*volatile some)(struct large, int, ...) = variable;
    struct large one = { 1, 2, 3 }, two = { 10, 20, 30 }, three = add(one, two);
    printf("%ld %ld %ld %ld\n", three.a, three.b, three.c, one.a);
    printf("%ld\n", all(1, three, 2.5, (struct small){ 4 }, 5, 6, 7, 8, (struct aligned){ 9.0L, 10 }));
    printf("%ld %d\n", some(two, 3, 1L, 2L, 3L), depth(one, 1000));
    return 0;
}
