// The version for mutants looks at its function's gate first and goes on in the trace version unless it is 0; it burns fuel where that
// version ticks. What either of them calls is a version for mutants.
// RUN: %clang -O1 -g -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %FileCheck --check-prefix=BURN %s < %t.ll
// RUN: %FileCheck --check-prefix=REFUEL %s < %t.ll
// RUN: %clang -O2 -g -S %s -o - | %FileCheck --check-prefix=MACHINE %s
// RUN: %clang -O1 -g -mllvm -suspect-modes=plain,trace -S -emit-llvm %s -o - | %FileCheck --check-prefix=WITHOUT %s
// RUN: %clang -O1 -g -c %s -o %t.o && %readelf -SW %t.o | %FileCheck --check-prefix=SECTIONS %s
// WITHOUT-NOT: .suspect.mutants
// WITHOUT-NOT: @__suspect_fuel
// WITHOUT-NOT: section "suspect_gates"
// SECTIONS-DAG: suspect_gates {{.*}} 000003 00 WA
// SECTIONS-DAG: suspect_operations {{.*}} WA
int get(void);
#include <stdarg.h>

// CHECK: @suspect.gate.bytes = internal global [3 x i8] zeroinitializer, section "suspect_gates", no_sanitize_address
// CHECK: @__suspect_fuel = weak hidden global i64 0
__attribute__((noinline)) static int inner(int x) { return x + get(); }

// CHECK-LABEL: define internal {{.*}}@loop.suspect.trace(
// CHECK: call void @__suspect_tick()
// CHECK: call ptr @__suspect_variable({{.*}}, ptr @inner.suspect.mutants, ptr
// CHECK: call void @__suspect_tick()
// CHECK-NOT: call void @__suspect_tick()
// CHECK-LABEL: define internal {{.*}}@loop.suspect.mutants(
// CHECK: [[GATE:%.*]] = load i8, ptr @suspect.gate.bytes
// CHECK: [[SHUT:%.*]] = icmp {{eq|ne}} i8 [[GATE]], 0
// CHECK: br i1 [[SHUT]], {{.*}} !prof
// CHECK-DAG: load i64, ptr @__suspect_fuel
// CHECK-DAG: call {{.*}}@inner.suspect.mutants(
// CHECK-DAG: tail call i32 @loop.suspect.trace(
// BURN-LABEL: define internal {{.*}}@loop.suspect.mutants(
// BURN-COUNT-2: call preserve_allcc void @suspect.refuel()
// BURN-NOT: call preserve_allcc void @suspect.refuel()
// BURN-LABEL: define internal {{.*}}@inner.suspect.edges(
// REFUEL: define internal preserve_allcc void @suspect.refuel()
// REFUEL: call void @__suspect_refuel()
// MACHINE-LABEL: loop.suspect.mutants:
// MACHINE: {{decq|subq|addq}} {{.*}}__suspect_fuel(%rip)
// MACHINE-NEXT: js
int loop(int n) {
  int sum = 0;
  for (int i = 0; i < n; i++)
    sum += inner(i);
  return sum;
}

// CHECK-LABEL: define internal {{.*}}@variadic.suspect.mutants(
// CHECK: musttail call i32 (i32, ...) @variadic.suspect.trace(
int variadic(int n, ...) {
  va_list list;
  va_start(list, n);
  n += va_arg(list, int);
  va_end(list);
  return n;
}
