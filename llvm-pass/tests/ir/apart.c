// The optimizer does not come to see the versions that it is not to change, and what it sees in the meantime is as open to others as it has to
// be; in the end all is as it was. A sanitizer has to see them.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O2 -fsanitize=address -S -emit-llvm -mllvm -print-before=globalopt -mllvm -print-module-scope -mllvm -filter-print-funcs=* %s -o /dev/null 2>&1 | %FileCheck --check-prefix=ASAN %s
// RUN: %clang -O2 -S -emit-llvm -mllvm -print-before=globalopt -mllvm -print-module-scope -mllvm -filter-print-funcs=* %s -o /dev/null 2>&1 | %FileCheck --check-prefix=SEEN %s
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck --check-prefix=CODE %s
#include <stdio.h>

// SEEN-DAG: @counter = dso_local {{.*}}global i32 0
// SEEN-DAG: declare dso_local i32 @next.suspect.trace(
// SEEN-DAG: declare dso_local i32 @next.suspect.record(
// SEEN-NOT: define {{.*}}.suspect.trace(
// SEEN-NOT: define {{.*}}.suspect.record(
// CHECK-DAG: @counter = internal {{.*}}global i32 0
// CHECK-DAG: = private {{.*}}constant {{.*}}c"counts{{.*}}\00"
// CHECK-NOT: @suspect.unnamed
static int counter;

// CHECK-LABEL: define internal {{.*}}@next.suspect.trace(
// CHECK: call void @llvm.trap()
// CHECK-NOT: unreachable
// CHECK: store i32 {{.*}}, ptr @counter
// CHECK: ret i32
// ASAN-LABEL: define internal {{.*}}@next.suspect.trace(
// CODE-LABEL: define internal {{.*}}@next.suspect.trace(
int next(int x) {
  if (x > 3) {
    __builtin_trap();
    counter = 7;
  }
  printf("counts: %d\n", counter);
  return counter += x;
}

// CHECK-NOT: declare {{.*}}.suspect.{{trace|record}}(
