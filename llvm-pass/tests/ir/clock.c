// The record version asks the runtime for the time, others the C library; a function of another type that has such a name is none of the library's.
// RUN: %clang -O1 -g -fno-builtin -mllvm -suspect-modes=plain,record -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %FileCheck --check-prefix=PLAIN %s < %t.ll
extern long time(long *);
extern int clock(int);

// PLAIN-LABEL: define internal {{.*}}@f.suspect.plain(
// PLAIN: call i64 @time(
// PLAIN: call i32 @clock(
// PLAIN: ret

// CHECK-LABEL: define internal {{.*}}@f.suspect.record(
// CHECK: call void @__suspect_call(i32 {{[0-9]+}}, ptr {{.*}}@time, ptr
// CHECK: call i64 @__suspect_time(
// CHECK: call i32 @clock(
long f(long *at) { return time(at) + clock(3); }
