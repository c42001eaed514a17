// A program that ends by a signal ends by the same one.
#include <stdio.h>
#include <stdlib.h>
static int deref(int *p, int n) { return n ? deref(p, n - 1) + 1 : *p; }
int main(int argc, char **argv) { printf("before\n"); fflush(stdout); if (argc > 5) abort(); return deref((int *)(long)(argc - 1), 3); }
