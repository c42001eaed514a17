// The record version: one frame, hooks before steps and around calls of what others define, none around those of the unit's own.
// RUN: %clang -O2 -g -mllvm -suspect-modes=plain,record -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %FileCheck --check-prefix=PLAIN %s < %t.ll
// RUN: %clang -O2 -g -mllvm -suspect-modes=plain -S -emit-llvm %s -o - | %FileCheck --check-prefix=WITHOUT %s
extern int other(int, const char *);
static int table[4];
static int own(int x) { return x + 1; }

// CHECK: @suspect.addresses{{.*}}section "suspect_addresses"{{.*}}!associated

// The dispatcher says that it was called from outside, and goes there in no other mode.
// CHECK-LABEL: define {{.*}}i32 @f(
// CHECK: {{icmp eq i32 %.*, 5|i32 5, label}}
// CHECK: store i64 1, ptr getelementptr inbounds ({{.*}}@__suspect_state
// CHECK-NEXT: musttail call i32 @f.suspect.record

// PLAIN-LABEL: define internal i32 @f.suspect.plain(
// PLAIN-NOT: @__suspect_
// PLAIN: ret i32

// CHECK-LABEL: define internal {{.*}}i32 @f.suspect.record(
// CHECK-NEXT: alloca [{{[0-9]+}} x i8]
// CHECK-NOT: alloca
// CHECK: call i32 @__suspect_enter(i32 {{.*}}, ptr @f, ptr @suspect.addresses
// CHECK: call i64 @__suspect_branch(i64 %{{.*}}, i32 2)
// CHECK: call i32 @own.suspect.record
// CHECK: call void @__suspect_call(i32 -1, ptr {{.*}}@other, ptr
// CHECK-NEXT: call i32 @other(
// CHECK: call void @__suspect_called(
// What nobody else can write is not told: `table`.
// CHECK: call void @__suspect_loaded(
// CHECK-NOT: call void @__suspect_loaded(
// CHECK: ret i32
// Parameters are, if the caller could not be recorded.
// CHECK-COUNT-2: call void @__suspect_loaded(
// CHECK: call i64 @__suspect_branch(i64 %{{.*}}, i32 3)

// WITHOUT-NOT: __suspect_enter
// WITHOUT-NOT: suspect_body
int f(int x, int *p) {
  if (x > 2)
    x = own(x) + other(x, "text");
  switch (x) {
  case 1: return *p;
  case 2: return 5;
  }
  table[x & 3] = x;
  return table[1];
}
