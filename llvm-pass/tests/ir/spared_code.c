// The plain version's instructions alone are put into another order for the processor.
// RUN: for when in before after; do %clang -O2 -S %s -o /dev/null -mllvm -print-$when=machine-scheduler 2>&1 | grep -v 'IR Dump' > %t.$when; done
// RUN: for mode in plain edges values mutants; do for when in before after; do sed -n "/^# Machine code for function sum.suspect.$mode:/,/^# End/p" %t.$when > %t.$mode.$when; test -s %t.$mode.$when; done; done
// RUN: ! cmp -s %t.plain.before %t.plain.after
// RUN: for mode in edges values mutants; do cmp %t.$mode.before %t.$mode.after; done
long sum(const long *a, const long *b, long *c, long x) {
  long all[16], total = 0;
  for (int i = 0; i < 16; i++)
    all[i] = a[i] * x + b[i];
  for (int i = 0; i < 16; i++)
    total ^= all[i] * all[i * 7 & 15];
  return c[0] = total;
}
