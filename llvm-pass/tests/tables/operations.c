// One line for each thing that a code mutant can or must not change; the table beside it says what was found.
#include <stdbool.h>
#include <stdlib.h>

typedef unsigned int number;
struct fields { unsigned low : 3; int high : 5; unsigned wide : 20; int plain; struct fields *next; };
int global, other;
unsigned counter;
double real;
int call(int, const char *);
void give(int, double);

int arithmetic(int a, int b, unsigned u, long l, char c, short s) {
  int x = a + b * 2;
  x = a - 1;
  x = a / b;
  x = (int)(u / 3u);
  x = a % b;
  u = u % 7;
  x = a & b;
  u = u | 1;
  x = a ^ b;
  x = a << 3;
  x = a >> 1;
  u = u >> 1;
  l = l * a;
  u = u + a;
  x = c + s;
  x = -a + ~b;
  x += 2;
  u -= 3;
  x <<= 1;
  c += 4;
  c++;
  --x;
  real = real * 2.5;
  return x + (int)u - (int)l + c;
}

int compared(int a, unsigned u, int *p, int *q, double d, number n) {
  if (a)
    give(a > 1, d + 1);
  if (!a || p)
    give(u > 2, 1.5);
  if (p == q && p != NULL)
    give(p < q, -d);
  if (d != 0.0)
    give(d <= 3, d / 2);
  if (n == 4)
    return a != 0;
  while (u--)
    give((a < 3) == (u > 2), 0);
  return (int)(p - q);
}

int stepped(int *p, int n, const char *text) {
  int sum = 0;
  sum += *(p + n);
  sum += *(p - 2);
  sum += p[n];
  sum += p[1];
  p++;
  p -= n;
  sum += *p--;
  while (*text)
    sum += *text++;
  return sum + *(p - n);
}

void fields(struct fields *f, int x) {
  f->low = 3;
  f->low = x;
  f->high = x + 1;
  f->wide &= 7;
  x = f->low + f->wide;
  f->plain = f->high & 3;
  f->next->plain |= 2;
}

void statements(int x, int *p, bool b) {
  int y = 3;
  int z = y;
  x = y = 5;
  *p++ = x;
  give(x, 1);
  give(z = 2, real);
  x = call(7, "text");
  (void)call(x, "more");
  x++;
  b = !b;
  x = b ? 1 : 2;
  if ((x = call(1, "c")) > 2)
    exit(3);
  for (int i = 0; i < 3; i++)
    p[i] = 0;
  x = 1, y = 2;
  global = 4;
}

int whole(void) {
  int x = 1;
  global = -1;
  real = 2.5;
  char c = 'a';
  if (other)
    return 0;
  return x + c;
}

enum color { RED, GREEN } shade;
static const char *text;
volatile int shared;
_Thread_local int own;

// Names that are hidden, declared later, of another type, or may change meanwhile are not read in another one's place.
int scopes(int a, unsigned u, char *p, const char *q, enum color c) {
  int x = a;
  {
    double x = u;
    real = x;
    global = a;
  }
  number n = u;
  volatile int v = a;
  static int kept;
  if (n && p && q)
    text = p;
  shade = c;
  x += kept + shared + own;
  struct fields f = {0}, *g = &f;
  for (int i = 0; i < a; i++)
    x += g->plain;
  int later = v;
  return x + later;
}

int junctions(int a, int b, int c) {
  if (a && b || c)
    give(1, 1);
  while (a && (b || !c))
    a--;
  do
    b++;
  while (b < 3 && c);
  int x = a || b && c;
  for (int i = 0; i < 3 && c; i++)
    x = (a || b) && c;
  if (!a && !b)
    return a ? b && c : c;
  return x;
}

int repeats(int a, int b) {
  int x;
  if (x = a ? call(1, "a") : call(2, "b"), x > 2)
    b++;
  if ((x = a ? 1 : b) > 2)
    b++;
  if (a || (x = b ? 1 : 2) > 1)
    b--;
  if (a)
    b--;
  else
    b++;
  while (a--)
    if (b > x)
      break;
  if (b < x)
    return a;
  return b;
}

int entered(int a) {
  if (a < 3)
    goto in;
  if (a > 5) {
  in:
    a--;
  }
  return a;
}
