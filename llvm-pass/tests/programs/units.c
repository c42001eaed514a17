// What functions of a unit refer to in each way that a language has for it: their versions wait elsewhere while the unit is optimised.
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static int counted;
static const int fixed = 42;
static _Thread_local int own = 5;
_Thread_local int shared_own = 6;
static const char *const names[] = {"one", "two", "three"};
static char room[32];
static struct pair {
  int first;
  int *second;
} pairs[2] = {{1, &counted}, {2, &pairs[0].first}};

extern int absent(int) __attribute__((weak));
__attribute__((weak)) int replaceable(int x) { return x + 1; }
// The C library has it, too.
extern __inline__ __attribute__((gnu_inline)) int toascii(int x) { return x & 127; }
static inline __attribute__((always_inline)) int always(int x) { return x ^ 21; }
static __attribute__((noinline)) int only_once(int x) { return x - 4 + fixed; }
static __attribute__((noinline, const)) int constant(int x) { return x * 7; }
static int before(int x);
static int alias_of(int x) __attribute__((alias("replaceable")));
static int (*const table[])(int) = {before, only_once, constant};

static int before(int x) {
  counted += x;
  own -= x;
  return own + counted;
}

static __attribute__((noinline)) int many(int n, ...) {
  va_list list;
  int sum = 0;
  va_start(list, n);
  while (n-- > 0)
    sum += va_arg(list, int);
  va_end(list);
  return sum;
}

static __attribute__((noinline)) _Bool compare(const char *a, const char *b) { return strcmp(a, b) < 0; }

static __attribute__((noinline)) int *address(int which) {
  static int kept[3] = {10, 20, 30};
  return which < 0 ? &kept[-which] : pairs[which].second;
}

// A label of its own in the program: it cannot wait elsewhere.
static __attribute__((noinline)) int labels(int which) {
  static const void *const targets[] = {&&low, &&high};
  goto *targets[which & 1];
low:
  return 1 + counted;
high:
  return 2 + counted;
}

int main(int argc, char **argv) {
  (void)argv;
  int sum = argc - 1;
  for (int i = 0; i < 3; i++) {
    sum += table[i](i + 1);
    sum += always(i) + toascii(i + 120) + replaceable(sum) + alias_of(i);
    shared_own += sum & 3;
    printf("%s %d %d %d\n", names[i], sum, shared_own, compare(names[i], "three"));
    snprintf(room, sizeof room, "%s-%d", names[i], labels(i));
    puts(room);
  }
  if (absent)
    sum += absent(sum);
  *address(-2) += 3;
  *address(0) += 100;
  *address(1) += 1000;
  printf("%d %d %d %d %d\n", sum, counted, pairs[0].first, *address(-2), many(3, sum, own, counted));
  return sum & 7;
}
