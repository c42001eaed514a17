// FLAGS: -flto=thin -fuse-ld=lld -gline-tables-only -fvisibility=hidden
// Thin link-time optimisation: hooks are lowered before it, tables survive it.
#include <stdio.h>
static int collatz(unsigned long n) { int s = 0; while (n != 1) { n = n % 2 ? 3 * n + 1 : n / 2; s++; } return s; }
int main(void) { int best = 0; for (int i = 1; i < 1000; i++) { int c = collatz(i); if (c > best) best = c; } printf("%d\n", best); return 0; }
