// FLAGS: -fsanitize=address,undefined -fno-strict-aliasing
// Sanitizers see the program's own accesses and not the hooks'.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int main(void) { int *p = malloc(40), s = 0; memset(p, 1, 40); for (int i = 0; i < 10; i++) { if (p[i] > 5 && i % 2) s += i << 2; } free(p); char b[8]; snprintf(b, sizeof b, "%d", s); puts(b); return s % 7; }
