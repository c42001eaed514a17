// Nothing stands between a call that must be a tail call and its return.
// RUN: %clang -g -O0 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK: define internal {{.*}}@loop.suspect.values(
// CHECK: musttail call {{.*}}@loop.suspect.values(
// CHECK-NEXT: ret
int loop(int n) { if (n == 0) return 0; __attribute__((musttail)) return loop(n - 1); }
