// FLAGS: -Wno-implicit-int -Wno-deprecated-non-prototype
// Varargs, K&R definitions and calls, structures by value in every class, aliases, weak, constructors, noreturn,
// function pointers that are compared, recursion, tail calls, main without a prototype.
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
struct small { char c; short s; }; struct two { double d; long l; }; struct big { int a[20]; }; struct hfa { float x, y, z; };
static int sum(int n, ...) { va_list ap, aq; va_start(ap, n); va_copy(aq, ap); int s = 0; for (int i = 0; i < n; i++) s += va_arg(ap, int); va_end(ap); s += va_arg(aq, int); va_end(aq); return s; }
double mixed(const char *f, ...) { va_list ap; va_start(ap, f); double r = 0; for (; *f; f++) switch (*f) { case 'i': r += va_arg(ap, int); break; case 'd': r += va_arg(ap, double); break; case 'l': r += va_arg(ap, long); break; case 'b': r += va_arg(ap, struct big).a[3]; break; case 't': r += va_arg(ap, struct two).d; break; } va_end(ap); return r; }
int old(a, b, c) char a; float b; short c; { return a + (int)b + c; }
struct small s1(struct small p) { p.c++; p.s *= 2; return p; }
struct two s2(struct two p) { p.d /= 2; p.l += 9; return p; }
struct big s3(struct big p) { p.a[3] += 5; p.a[19] = p.a[3]; return p; }
struct hfa s4(struct hfa p) { float t = p.x; p.x = p.y; p.y = p.z; p.z = t; return p; }
_Bool flag(int x) { return x & 4; }
static int aliased(int x) { return x * 7; } int other(int) __attribute__((alias("aliased"))); extern int weak_other(int) __attribute__((weak, alias("aliased")));
__attribute__((weak)) int maybe(int x) { return x + 100; } __attribute__((weak)) extern int missing(void);
static int order[4], n_order;
__attribute__((constructor)) static void first(void) { order[n_order++] = 1; } __attribute__((destructor)) static void last(void) { printf("bye %d\n", n_order); }
__attribute__((noreturn)) static void die(int code) { printf("dying %d\n", code); exit(code); }
static unsigned ack(unsigned m, unsigned n) { return m == 0 ? n + 1 : n == 0 ? ack(m - 1, 1) : ack(m - 1, ack(m, n - 1)); }
static long tail(long n, long acc) { if (n == 0) return acc; __attribute__((musttail)) return tail(n - 1, acc + n); }
static inline __attribute__((always_inline)) int inner(int x) { return x > 3 ? x - 1 : x + 1; } static inline __attribute__((always_inline)) int outer(int x) { return inner(x) * inner(x + 2); }
inline int c99(int x) { return x ^ 5; } extern inline int c99(int x);
__attribute__((pure)) int pure(const int *p) { return p[0] + p[1]; } __attribute__((const)) int konst(int x) { return x * x; }
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
main() {
  struct big b = {{0}}; b.a[3] = 4; int v[] = {5, 3, 9, 1}; struct two t = {3.5, 4};
  printf("%d %.2f %d\n", sum(3, 1, 2, 3, 4), mixed("idlbt", 1, 2.5, 3L, b, t), old('a', 2.5f, 7));
  printf("%d %d %.2f %ld %d %.1f\n", s1((struct small){'x', 4}).c, s1((struct small){'x', 4}).s, s2(t).d, s2(t).l, s3(b).a[19], s4((struct hfa){1, 2, 3}).z);
  printf("%d %d %d %d %d %d %d\n", flag(4), flag(8), aliased(2), other(3), weak_other(4), maybe(1), missing ? 1 : 0);
  int (*f)(int) = aliased, (*g)(int) = other; printf("%d %d\n", f == g, f == maybe);
  printf("%u %ld %d %d %d %d\n", ack(2, 3), tail(100000, 0), outer(3), c99(7), pure(v) + pure(v), konst(5));
  qsort(v, 4, sizeof *v, compare); printf("%d %d %d %d %d\n", v[0], v[1], v[2], v[3], order[0]);
  die(v[1]);
}
