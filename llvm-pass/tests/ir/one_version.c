// With one version there is nothing to choose: the function itself has the hooks, keeps its debug information, and
// `edges` beside `values` is not emitted.
// RUN: %clang -g -O0 -mllvm -suspect-modes=edges,values -S -emit-llvm %s -o - | %FileCheck %s
// CHECK-NOT: @__suspect_mode
// CHECK-NOT: suspect.edges
// CHECK: define {{.*}}i32 @seen({{.*}} !dbg
// CHECK: @suspect.words
// CHECK-NOT: define {{.*}}suspect
int seen(int x) { return x + 1; }
