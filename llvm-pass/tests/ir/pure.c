// A pure function that counts writes memory: calls of it from the same version are no longer pure, or the optimizer
// would merge them. The plain version keeps what the source says.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK-LABEL: define internal {{.*}}@user.suspect.edges(
// CHECK: call {{.*}}@square.suspect.edges(
// CHECK: call {{.*}}@square.suspect.edges(
// CHECK: ret
// CHECK-LABEL: define internal {{.*}}@user.suspect.plain(
// CHECK: call {{.*}}@square.suspect.plain(
// CHECK-NOT: call {{.*}}@square
// CHECK: ret
__attribute__((const, noinline)) int square(int x) { return x * x; }
int user(int x) { return square(x) + square(x); }
