// Hooks are inline: a counter is one addition on a constant address, a value's hash a load, a multiplication, an addition and
// a store. Where a process may stop, the piece's id is stored first; where it cannot, nothing is. Sanitizers are told to leave them alone. Nothing is called.
// RUN: %clang -O1 -mllvm -suspect-modes=values -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O2 -mllvm -suspect-modes=edges -S %s -o - | %FileCheck --check-prefix=ASM %s
// CHECK-DAG: @__suspect_state = weak hidden global [8 x i64] zeroinitializer
// CHECK-DAG: @suspect.words = internal global [{{[0-9]+}} x i64] zeroinitializer, {{.*}}section "suspect_data"
// CHECK-DAG: @suspect.descriptor = internal constant {{.*}}section "suspect_units"
// CHECK-LABEL: define {{.*}}@f(
// CHECK: load i64, ptr @suspect.words{{.*}}!nosanitize
// CHECK: add i64 {{.*}}, 1
// CHECK-NOT: @__suspect_state
// CHECK: mul i64 {{.*}}, 1481765933
// CHECK: add i64
// CHECK: store i64
// CHECK-NOT: call
// CHECK: ret
// CHECK-LABEL: define {{.*}}@g(
// CHECK: store i32 {{-?[0-9]+}}, ptr @__suspect_state{{.*}}!nosanitize
// CHECK: load i32, ptr %
// CHECK: ret
// ASM-LABEL: f:
// ASM: incq {{.*}}suspect.words
// ASM: ret
int f(int x) { return x; }
int g(int *p) { return *p; }
