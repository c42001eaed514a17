// The plain version alone is the program as it was, with a table that says so.
// RUN: %clang -O2 -mllvm -suspect-modes=plain -S -emit-llvm %s -o - | %FileCheck %s
// CHECK: module asm ".pushsection .suspect
// CHECK: define {{.*}}i32 @f(
// CHECK-NOT: suspect.words
// CHECK-NOT: __suspect
// CHECK: ret i32
int f(int x) { return x * 2; }
