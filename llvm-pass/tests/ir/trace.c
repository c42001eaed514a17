// The trace version is not optimised; a node takes what the runtime, which need not be there, answers. What is known of
// the program's own values is not taken for granted.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=NOT %s
// CHECK: define internal {{.*}}@f.suspect.trace({{.*}} #[[TRACE:[0-9]+]]
// CHECK: call void @__suspect_tick()
// CHECK: [[WIDE:%.*]] = zext i32 %0 to i64
// CHECK: [[NEW:%.*]] = call i64 @__suspect_node(ptr {{.*}}suspect.words{{.*}}, i64 [[WIDE]]), !nosanitize
// CHECK: [[PARAMETER:%.*]] = trunc i64 [[NEW]] to i32
// CHECK: store i32 [[PARAMETER]], ptr %
// CHECK: mul i32
// CHECK: [[NEW:%.*]] = call i64 @__suspect_node
// CHECK: [[RESULT:%.*]] = trunc i64 [[NEW]] to i32
// CHECK: ret i32 [[RESULT]]
// CHECK-DAG: declare extern_weak hidden i64 @__suspect_node(ptr, i64)
// CHECK-DAG: declare extern_weak hidden void @__suspect_tick()
// CHECK: attributes #[[TRACE]] = {{.*}}noinline{{.*}}optnone
// NOT-NOT: suspect.log
// NOT-NOT: @__suspect_text
void g(void);
int f(int x) {
  g();
  return x * 3;
}
