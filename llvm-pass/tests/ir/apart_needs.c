// Code that passes are to make into other code does not wait: whose labels' addresses are taken, what calls a function that is to be inlined in any
// case, and, where clang counts, what counts. Beside it the rest waits.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O2 -S -emit-llvm -mllvm -print-before=globalopt -mllvm -print-module-scope -mllvm -filter-print-funcs=* %s -o /dev/null 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clang -O2 -fprofile-instr-generate -S -emit-llvm -mllvm -print-before=globalopt -mllvm -print-module-scope -mllvm -filter-print-funcs=* %s -o /dev/null 2>&1 | %FileCheck --check-prefix=COUNTED %s
static int counted;

static inline __attribute__((always_inline)) int always(int x) { return x ^ counted; }

// SEEN-DAG: define internal {{.*}}@calls.suspect.trace(
// CHECK-LABEL: define internal {{.*}}@calls.suspect.trace(
// CHECK-NOT: @always.suspect.mutants(
// CHECK: ret i32
int calls(int x) { return always(x) + 1; }

// SEEN-DAG: define internal {{.*}}@labels.suspect.trace(
// CHECK-LABEL: define internal {{.*}}@labels.suspect.trace(
int labels(int which) {
  static const void *const targets[] = {&&low, &&high};
  goto *targets[which & 1];
low:
  return 1 + counted++;
high:
  return 2 + counted++;
}

// SEEN-DAG: declare {{.*}}@waits.suspect.trace(
// COUNTED-DAG: define internal {{.*}}@waits.suspect.trace(
// COUNTED-DAG: declare {{.*}}@waits.suspect.record(
int waits(int x) { return x + counted; }
