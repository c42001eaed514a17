// A weak function may be replaced by another at link time, so calls of it go through its name.
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK: define internal {{.*}}@user.suspect.values(
// CHECK: call i32 @maybe(
// CHECK: call i32 @sure.suspect.values(
__attribute__((weak)) int maybe(int x) { return x; }
int sure(int x) { return x; }
int user(int x) { return maybe(x) + sure(x); }
