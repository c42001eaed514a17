// `main` says before it returns or calls `exit` that it ends in order, and not before `abort`; a call of `longjmp` says
// in every recorded mode that frames are left behind.
// RUN: %clang -O1 -mllvm -suspect-modes=edges -S -emit-llvm %s -o - | %FileCheck %s
#include <setjmp.h>
#include <stdlib.h>
jmp_buf env;
// CHECK-LABEL: @jump(
// CHECK: store i64 1, ptr getelementptr{{.*}}@__suspect_state, i64 {{(0, i64 2|16)}})
// CHECK: call void @longjmp
void jump(void) { longjmp(env, 1); }
// CHECK-LABEL: @stop(
// CHECK-NOT: @__suspect_state
// CHECK: ret void
void stop(int x) { if (x) exit(1); }
// CHECK-LABEL: @main(
// CHECK-NOT: @__suspect_state
// CHECK: call void @abort
// CHECK: store i64 1, ptr getelementptr{{.*}}@__suspect_state, i64 {{(0, i64 1|8)}})
int main(int argc, char **argv) { if (argc == 2) abort(); return 0; }
