// A function that takes the record of a test alone may be a case, and gets it again when it calls itself. What takes other addresses may help, and is named so.
// RUN: %clang -O0 -g -S -emit-llvm %s -o - | %FileCheck %s
// CHECK-DAG: @__suspect_case_name.test_sum = internal constant
// CHECK-DAG: @"__suspect_case_name.*test_line" = internal constant
// CHECK-NOT: @__suspect_case_name.test_line
// CHECK-NOT: case_name.{{[*]?}}test_number
// CHECK-NOT: @__suspect_case_name.UnitTestDelete
typedef struct UnitTest { int failed; } UnitTest;
void test_sum(UnitTest *tc) { tc->failed = 1; }
void test_line(const char *line) { (void)line; }
void test_number(const char *line, int number) { (void)line, (void)number; }
void UnitTestDelete(UnitTest *tc) { tc->failed = 0; }
// CHECK-LABEL: define {{.*}}@test_sum(
// CHECK: call i32 @__suspect_case(ptr @__suspect_case_name.test_sum,
// CHECK: call void @test_sum(ptr {{.*}}%0)
// CHECK: call void @__suspect_case_left(i32 {{.*}}, i32 0, i64 0)
