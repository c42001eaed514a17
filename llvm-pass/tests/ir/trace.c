// The trace version is not optimised and hands each value to the runtime, which need not be there.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK: define internal {{.*}}@f.suspect.trace({{.*}} #[[TRACE:[0-9]+]]
// CHECK: call void @__suspect_node(ptr {{.*}}suspect.words{{.*}}, i64
// CHECK: declare extern_weak hidden void @__suspect_node(ptr, i64)
// CHECK: attributes #[[TRACE]] = {{.*}}noinline{{.*}}optnone
int f(int x) { return x * 3; }
