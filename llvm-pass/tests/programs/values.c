// Values of every type: volatile, _Bool, __int128, long double, complex, atomics, unions, enums, VLAs, compound
// literals, statement expressions, ranges in switches, static locals, chained assignments.
#include <complex.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
enum colour { red, green = 5, blue }; union any { int i; float f; char c[4]; unsigned u; }; struct node { struct node *next; int v; union any u; long m[2][3]; };
volatile int sink; _Atomic int counter; atomic_long big; atomic_flag lock = ATOMIC_FLAG_INIT;
static int vla(int n) { int a[n][n + 1], s = 0; for (int i = 0; i < n; i++) for (int j = 0; j <= n; j++) a[i][j] = i * j; for (int i = 0; i < n; i++) { char t[i + 1]; memset(t, i, i + 1); s += a[i][n - i] + t[i]; } return s + (int)sizeof a; }
static const char *name(enum colour c) { switch (c) { case red: return "red"; case green: return "green"; case blue: return "blue"; default: return "?"; } }
static int range(unsigned x) { switch (x) { case 0 ... 9: return 1; case 10 ... 5000: x++; case 6000: return x; case 0xffffffffu: return -3; default: return 2; } }
static int ticks(void) { static int n = 41; return ++n; }
static void swap(int *restrict a, int *restrict b) { int t = *a; *a = *b; *b = t; }
int main(void) {
  int x, y, z; x = y = z = 3; unsigned char uc = 250; signed char sc = -3; unsigned short us = 65535; _Bool t = 5; long double ld = 1.5L; float f = 0.1f; double d = -0.0;
  __int128 w = (__int128)1 << 100; double complex c = 1 + 2 * I; struct node n1 = {0, 1, {.f = 2.5f}, {{1, 2, 3}, {4}}}, n2, *p = &n1; n2 = n1; n2.next = &n1; p = n2.next; n1.next = &n2;
  for (int i = 0; i < 300; i++) { uc += i; sc *= 3; us -= i; t ^= i & 1; ld = ld * 1.01L + i; f += i; d = -d; w = w * 3 + i; c *= I; p->next->m[i & 1][i % 3] += i; p->u.i = i; p = p->next; x ^= y += z -= i; sink = x; }
  counter = 5; counter++; ++counter; counter += 3; counter |= 64; atomic_fetch_sub(&counter, 2); int e = 72; if (atomic_compare_exchange_strong(&counter, &e, 1000)) counter--; else counter = e; big = 1L << 40; big ^= 3; while (atomic_flag_test_and_set(&lock)) ;
  int q = ({ int k = x & 15; k * k; }); int *r = (int[]){1, 2, 3}; r[1] += q; int g = _Generic(f, float: 1, double: 2); swap(&x, &y);
  int both = (x > 0 && y < 5) || (z && !q), cond = x ? y : z; cond += t ? 2 : 3; do { both += cond > 3; } while (cond-- > 0 && both < 100); int post = x++ + ++y, *pp = &x; (*pp)--; pp[0] += 2;
  printf("%d %d %d %u %d %u %d %.3Lf %.3f %g %llu %llu\n", x, y, z, uc, sc, us, t, ld, f, d, (unsigned long long)(w >> 64), (unsigned long long)w);
  printf("%.1f %.1f %ld %ld %d %d\n", creal(c), cimag(c), n1.m[0][2], n2.m[1][1], n1.u.i, n2.u.i);
  printf("%d %ld %d %d %d %d %d %d\n", counter, big, q, r[1], g, both, cond, post);
  printf("%d %s %s %d %d %d %d %d %d\n", vla(5), name(green), name(9), range(3), range(50), range(6000), range(-1), range(9999), ticks() + ticks());
  return 0;
}
