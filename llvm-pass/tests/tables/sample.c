#include <stdbool.h>
#include <stddef.h>

struct item { int first; struct item *next; unsigned flags : 3, kind : 5; char name[8]; union { long l; double d; } u; };
enum colour { red, green };
typedef unsigned long size;

static int helper(int x) { return x * 2; }
static int table[4][5];

int sample(int a, const char *s, struct item *p, double d, enum colour c, bool b) {
  int i, sum = 0;
  for (i = 0; i < a; i++) {
    if (a > 3 && s[i] != 'x')
      sum += helper(i);
    table[i % 4][2] = sum;
  }
  p->next->first = sum;
  p->flags = a;
  p->kind += 2;
  p->name[1] = *s;
  p->u.d = d / 2;
  int (*f)(int) = helper;
  size n = sizeof *p;
  switch (c) {
  case red: return 3;
  case green: sum--;
  }
  bool v = (b && p != NULL) || f(a) > 7;
  while (v || n > 100 && d < 0.5) {
    v = false;
    n /= 2;
  }
  return sum ? (int)n : -1;
}

int main(void) {
  struct item one = {1}, two;
  one.next = &two;
  int total = 0;
  for (int k = 0; k < 10; k++)
    total += sample(k, "abxdefghijkl", &one, k * 0.1, k & 1, k > 4);
  return total & 1 ? 1 : 0;
}
