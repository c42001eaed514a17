// FLAGS: -g0 -fPIC -ffunction-sections -fdata-sections -Wl,--gc-sections -fno-strict-aliasing
// Without debug information there are still hooks; sections that nobody needs may go.
#include <stdio.h>
int unused(int x) { return x ? x * unused(x - 1) : 1; }
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
int main(int argc, char **argv) { int s = 0; for (int i = 0; i < 15; i++) s += (i & 1) || argc > 3 ? fib(i) : -i; printf("%d %d\n", s, argv[argc] == 0); return s & 127; }
