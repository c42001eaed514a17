// setjmp and longjmp across frames and versions, computed goto with static and local tables, labels in structures.
#include <setjmp.h>
#include <stdio.h>
static jmp_buf env; static int depth;
static void dive(int n) { depth = n; if (n == 0) longjmp(env, 7); dive(n - 1); }
static int twice(void) { volatile int tries = 0; int r = setjmp(env); tries++; if (tries < 4) { if (r == 0 || tries & 1) dive(tries * 3); else longjmp(env, tries); } return tries * 100 + r; }
int interpret(const unsigned char *p) {
  static const void *const table[] = {&&op_add, &&op_dec, &&op_jump, &&op_end}; int a = 0, steps = 0;
  goto *table[*p];
op_add: a += 3; steps++; p++; goto *table[*p];
op_dec: a--; steps++; p++; if (a & 1) goto op_add; goto *table[*p];
op_jump: steps++; p = a > 40 ? p + 1 : p - 2; goto *table[*p];
op_end: return a * 1000 + steps;
}
static void *resume; static int coroutine(void) {
  static int i; if (resume) goto *resume;
  for (i = 0; i < 5; i++) { resume = &&again; return i * i; again:; }
  resume = 0; return -1;
}
int local(int k) { void *t[3] = {&&a, &&b, &&c}; int r = 0; goto *t[k % 3]; a: r++; b: r += 2; if (r > 20) return r; k++; goto *t[k % 3]; c: r += 4; k += 2; goto *t[k % 3]; }
int (*volatile call)(int) = local;
int main(void) {
  static const unsigned char code[] = {0, 1, 0, 2, 3}; int v, n = 0;
  printf("%d %d\n", twice(), depth); printf("%d\n", interpret(code));
  while ((v = coroutine()) >= 0 && n++ < 9) printf("%d ", v);
  printf("%d %d %d\n", call(0), local(1), local(2));
  return 0;
}
