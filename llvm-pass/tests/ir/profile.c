// A recorded run counts nothing for clang's own coverage, whose counters ask for conditions where the recording does not.
// RUN: %clang -O2 -fprofile-instr-generate -fcoverage-mapping -S -emit-llvm %s -o - | %FileCheck %s
// CHECK-LABEL: define internal {{.*}}@choose.suspect.record(
// CHECK-NOT: __profc
// CHECK: ret i32
// CHECK-LABEL: define internal {{.*}}@choose.suspect.plain(
// CHECK: __profc
int choose(_Bool condition, int x) {
  x += condition ? 2 : 3;
  return x;
}
