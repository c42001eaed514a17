// A function that may be a case of a test program asks first, in processes that have cases, and is called by its own name in each version.
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
// One version has no dispatcher, and asks nothing.
// RUN: %clang -O0 -mllvm -suspect-modes=edges -S -emit-llvm %s -o - | %FileCheck --check-prefix=ONE %s
// ONE-NOT: __suspect_case
// CHECK-DAG: @__suspect_cases = weak hidden global i32 0
// CHECK-DAG: @__suspect_case_name.test_sum = internal constant [9 x i8] c"test_sum\00"
static int sum;
static int test_sum(void) { return sum == 3; }
int latest(void) { return sum; }
int all(void) { return test_sum() + latest(); }
// CHECK-LABEL: define {{.*}}@latest(
// CHECK-NOT: @__suspect_case(
// CHECK-LABEL: define internal {{.*}}@test_sum(
// CHECK: load i32, ptr @__suspect_cases
// CHECK: load i32, ptr @__suspect_mode
// CHECK: call i32 @__suspect_case(ptr @__suspect_case_name.test_sum,
// CHECK: call i64 @__suspect_case_result()
// CHECK: call i32 @test_sum()
// CHECK: call void @__suspect_case_left(i32 {{.*}}, i32 1, i64
// CHECK-LABEL: define internal {{.*}}@all.suspect.trace(
// CHECK: call {{.*}}i32 @test_sum()
