// A function seen outside gets a dispatcher under its own name that tail-calls the version of the process's mode; a
// static one whose address is not taken gets none.
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
// It compares modes one by one: a jump through a table costs more.
// RUN: %clang -O2 -S %s -o - | %FileCheck --check-prefix=JUMPS %s
// JUMPS-LABEL: {{^}}seen:
// JUMPS-NOT: *%r
// JUMPS: jmp {{.*}}seen.suspect.mutants
// JUMPS: .size seen,
// CHECK: @__suspect_mode = weak hidden global i32 0
// CHECK-NOT: @hidden.suspect.plain
static int hidden(int x) { return x + 1; }
int seen(int x) { return hidden(x); }
// CHECK: define {{.*}}i32 @seen(
// CHECK: load i32, ptr @__suspect_mode
// CHECK: br i1 {{.*}}, !prof
// CHECK: musttail call i32 @seen.suspect.plain(
// CHECK: switch i32
// CHECK: define internal {{.*}}@seen.suspect.edges(
// CHECK: call i32 @hidden.suspect.edges(
// CHECK: define internal {{.*}}@hidden.suspect.values(
// CHECK: define internal {{.*}}@seen.suspect.plain(
// CHECK: call i32 @hidden(
