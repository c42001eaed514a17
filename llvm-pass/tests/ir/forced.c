// A function that is to be inlined in any case is called where its hooks would multiply. The plain version and that of trials keep to the user's wish.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=TRIALS %s
static inline __attribute__((always_inline)) int forced(int x) {
  int sum = 0;
  for (int i = 0; i < x; i++)
    sum += i % 3 ? sum * i : x;
  return sum;
}

// CHECK-LABEL: define internal {{.*}}@calls.suspect.values(
// CHECK: call {{.*}}@forced.suspect.values(
// CHECK: ret i32
// TRIALS-LABEL: define internal {{.*}}@calls.suspect.mutants(
// TRIALS-NOT: @forced.suspect.mutants(
// TRIALS: ret i32
int calls(int x) { return forced(x) + forced(x + 1); }
