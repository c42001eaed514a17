// Values of assignments that are used again: in conditions, arguments, other assignments, across blocks.
#define _GNU_SOURCE
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fields {
  unsigned low : 3;
  int middle : 5;
  unsigned long long wide : 40;
  bool flag : 1;
  signed all : 32;
};

static int next(void) {
  static int n = 250;
  return n++;
}

static int chained(void) {
  signed char c;
  unsigned char u;
  int i;
  long l;
  l = i = c = u = next();
  return (int)(l + i + c + u);
}

static int conditions(struct fields *fields, int x) {
  int count = 0;
  bool is;
  float f;
  char *p;
  count += (is = x & 8) ? 1 : 2;
  count += (f = x * 0.1) > 0.5 ? 4 : 8;
  count += (p = x > 3 ? "long" : "") && *p ? 16 : 32;
  if ((fields->low = x) == (x & 7))
    count += 64;
  if ((fields->middle = x) < 0)
    count += 128;
  if ((fields->flag = x) && (fields->wide = 1ull << 38) != 0)
    count += 256;
  count += (fields->low += 3) + (fields->middle -= 9) + (fields->all = -x);
  return count + (fields->wide++ > 100) + ++fields->low;
}

static int atomics(int x) {
  static _Atomic int counter;
  static _Atomic bool flag;
  static atomic_uint_fast64_t mask;
  _Atomic double number = 1.5;
  number += x;
  mask |= 1u << (x & 15);
  flag = x & 1;
  return (counter += x) + counter-- + (int)number + (int)(mask ^= 5) + flag + atomic_exchange(&counter, x);
}

static int made(int n) {
  int array[n], *grown = 0, sum = 0;
  char *line = 0, *text = 0, *copy;
  void *aligned = 0;
  for (int i = 0; i < n; i++) {
    grown = realloc(grown, sizeof *grown * (i + 1));
    grown[i] = array[i] = i * n;
  }
  if (posix_memalign(&aligned, 128, 100) == 0)
    memset(aligned, n, 100);
  sum += asprintf(&text, "%d items", n) + ((char *)aligned)[99];
  copy = strndup(text, 3);
  sum += copy[0] + grown[n - 1] + array[n / 2];
  free(copy);
  free(text);
  free(aligned);
  free(grown);
  free(line);
  return sum;
}

int main(void) {
  struct fields fields;
  memset(&fields, 0, sizeof fields);
  long double wide = 1.25L;
  __int128 huge = 1;
  for (int i = -20; i < 60; i++) {
    wide = wide * 1.5L + i;
    huge = huge * 7 + i;
    printf("%d %d %d", chained(), conditions(&fields, i), atomics(i));
    if (i > 0)
      printf(" %d", made(i));
    printf(" %Lg %lx\n", wide, (long)(huge >> 30));
  }
  return (fields.all & 1) ? 3 : 4;
}
