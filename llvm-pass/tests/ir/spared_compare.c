// A comparison is made again where it decides, to save a register, but not in the values version, whose code is left as it is.
// RUN: for when in before after; do %clang -O2 -S %s -o /dev/null -mllvm -print-$when=codegenprepare > %t.$when 2>&1; done
// RUN: for mode in plain edges values mutants; do for when in before after; do sed -n "/^define.*pick.suspect.$mode(/,/^}/p" %t.$when > %t.$mode.$when; test -s %t.$mode.$when; done; done
// RUN: for mode in plain edges mutants; do ! cmp -s %t.$mode.before %t.$mode.after || exit 1; done
// RUN: cmp %t.values.before %t.values.after
int get(void);
int pick(int a, int b, int way) {
  int less = a < b;
  if (way)
    get();
  return less ? get() : 3;
}
