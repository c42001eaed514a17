// In the trace version the runtime is asked what each operation comes to; without that version there are neither questions nor bytes.
// RUN: %clang -O1 -g -w -mllvm -suspect-modes=trace,plain -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %clang -O1 -g -w -mllvm -suspect-modes=plain,edges,values -S -emit-llvm %s -o - | %FileCheck --check-prefix=OTHERS %s
// OTHERS-NOT: @__suspect_operation
// OTHERS-NOT: @__suspect_variable
// OTHERS-NOT: @__suspect_choice
// OTHERS-NOT: section "suspect_operations"
// OTHERS-NOT: section "suspect_gates"
// CHECK: @suspect.operation.bytes = internal global [{{.*}} x i8] zeroinitializer, section "suspect_operations", no_sanitize_address
#include <stdarg.h>
int get(void);
void give(int, double);
struct fields { unsigned low : 3; int high : 5; };
int other;

// CHECK-LABEL: define internal {{.*}}@sum.suspect.trace(
// CHECK: [[SUM:%.*]] = sub i32 [[A:%.*]], [[B:%.*]]
// CHECK-DAG: [[LEFT:%.*]] = zext i32 [[A]] to i64
// CHECK-DAG: [[RIGHT:%.*]] = zext i32 [[B]] to i64
// CHECK-DAG: [[RESULT:%.*]] = zext i32 [[SUM]] to i64
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_operation(ptr {{.*}}@suspect.operation.bytes{{.*}}, i64 [[LEFT]], i64 [[RIGHT]], i64 [[RESULT]])
// CHECK: [[NEW:%.*]] = trunc i64 [[ANSWER]] to i32
// CHECK: zext i32 [[NEW]] to i64
int sum(int a, int b) { return a - b; }

// What is divided by is harmless only while the operation's byte is not 0; the runtime sees what was written.
// CHECK-LABEL: define internal {{.*}}@quotient.suspect.trace(
// CHECK: [[BYTE:%.*]] = load i8, ptr {{.*}}@suspect.operation.bytes
// CHECK: [[IDLE:%.*]] = icmp eq i8 [[BYTE]], 0
// CHECK: [[SAFE:%.*]] = select i1 [[IDLE]], i32 [[B:%.*]], i32 1
// CHECK: sdiv i32 {{%.*}}, [[SAFE]]
// CHECK: [[RIGHT:%.*]] = zext i32 [[B]] to i64
// CHECK: call i64 @__suspect_operation({{.*}}, i64 {{%.*}}, i64 [[RIGHT]], i64 {{%.*}})
int quotient(int a, int b) { return a / b; }

// CHECK-LABEL: define internal {{.*}}@third.suspect.trace(
// CHECK-NOT: select
// CHECK: sdiv i32 {{%.*}}, 3
// CHECK: call i64 @__suspect_operation({{.*}}, i64 {{%.*}}, i64 3, i64 {{%.*}})
int third(int a) { return a / 3; }

// CHECK-LABEL: define internal {{.*}}@ratio.suspect.trace(
// CHECK: [[RATIO:%.*]] = fdiv float {{%.*}}, 3.000000e+00
// CHECK: [[BITS:%.*]] = bitcast float [[RATIO]] to i32
// CHECK: [[RESULT:%.*]] = zext i32 [[BITS]] to i64
// CHECK: call i64 @__suspect_operation({{.*}}, i64 1077936128, i64 [[RESULT]])
// CHECK: bitcast i32 {{%.*}} to float
float ratio(float a) { return a / 3; }

// CHECK-LABEL: define internal {{.*}}@stepped.suspect.trace(
// CHECK: [[BACK:%.*]] = sub {{.*}}i64 0, {{%.*}}
// CHECK: [[INDEX:%.*]] = call i64 @__suspect_operation({{.*}}, i64 [[BACK]], i64 0, i64 [[BACK]])
// CHECK: getelementptr {{.*}}i32, ptr {{%.*}}, i64 [[INDEX]]
int *stepped(int *p, int n) { return p - n; }

// A statement that can be left out, with the questions about what it would do.
// CHECK-LABEL: define internal {{.*}}@called.suspect.trace(
// CHECK: [[CHOICE:%.*]] = call i64 @__suspect_choice(
// CHECK: [[WAY:%.*]] = and i64 [[CHOICE]], 255
// CHECK: switch i64 [[WAY]], label
// CHECK-NEXT: i64 1, label %[[AFTER:.*]]
// CHECK-NEXT: i64 4, label
// CHECK-NEXT: ]
// CHECK: call i64 @__suspect_operation({{.*}}, i64 7, i64 0, i64 7)
// CHECK: call i64 @__suspect_operation({{.*}}, i64 4602678819172646912, i64 0, i64 4602678819172646912)
// CHECK: call void @give(
// CHECK: br label %[[AFTER]]
// CHECK: [[AFTER]]:
void called(void) { give(7, 0.5); }

// Statements run beside others out of a function of their own, which has the variables' addresses from a table.
// CHECK-LABEL: define internal {{.*}}@beside.suspect.trace(
// CHECK: [[TABLE:%.*]] = alloca [1 x ptr]
// CHECK: [[P:%.*]] = alloca ptr
// CHECK: store ptr [[P]], ptr
// CHECK: [[NUMBER:%.*]] = lshr i64 {{%.*}}, 8
// CHECK-NEXT: call void @beside.suspect.trace.copies(i64 [[NUMBER]], ptr [[TABLE]])
void beside(int *p) { *p = 1; give(7, 0.5); }

// What could be read instead is in a table: of the activation, or a constant if no local is among it.
// CHECK-LABEL: define internal {{.*}}@read.suspect.trace(
// CHECK: [[TABLE:%.*]] = alloca [3 x ptr]
// CHECK: [[A:%.*]] = alloca i32
// CHECK: [[B:%.*]] = alloca i32
// CHECK: [[FIRST:%.*]] = getelementptr {{.*}}[3 x ptr], ptr [[TABLE]], i64 0, i64 1
// CHECK: store ptr [[B]], ptr [[FIRST]]
// CHECK: [[SECOND:%.*]] = getelementptr {{.*}}[3 x ptr], ptr [[TABLE]], i64 0, i64 2
// CHECK: store ptr @other, ptr [[SECOND]]
// CHECK: [[FROM:%.*]] = call ptr @__suspect_variable({{.*}}, ptr [[A]], ptr [[TABLE]])
// CHECK: load i32, ptr [[FROM]]
int read(int a, int b) { return a; }

// CHECK-LABEL: define internal {{.*}}@only.suspect.trace(
// CHECK: call ptr @__suspect_variable({{.*}}, ptr {{%.*}}, ptr @suspect.variables{{.*}})
int only(int a) { return a; }

// CHECK-LABEL: define internal {{.*}}@either.suspect.trace(
// CHECK: br i1
// CHECK: call i64 @__suspect_choice(
// CHECK: br i1
// CHECK: call i64 @__suspect_choice(
// CHECK: br i1
// CHECK: call void @__suspect_tick()
// CHECK-NEXT: br label
int either(double a, float b) {
  if (a && b)
    return get();
  return 3;
}

// What the compiler made up is not asked about, nor what the runtime could not compute. No guard returns a `double`.
// CHECK-LABEL: define internal {{.*}}@made_up.suspect.trace(
// CHECK-NOT: call {{.*}}@__suspect_operation
// CHECK-NOT: call {{.*}}@__suspect_variable
// CHECK: ret
double made_up(double a, int *const *p, char *const *q, struct fields *f, const long n, ...) {
  int vla[n];
  va_list list;
  va_start(list, n);
  va_arg(list, int);
  va_end(list);
  if (a)
    return *p ? 1 : 2;
  f->high = f->low;
  _Bool is = !a;
  return (int)(*p - *p) ? *vla : *vla;
}

// What is written is: `!` where its value is a number, `-` and `~`.
// CHECK-LABEL: define internal {{.*}}@signs.suspect.trace(
// CHECK: sub i32 0,
// CHECK: call i64 @__suspect_operation(
// CHECK: xor i32 {{.*}}, -1
// CHECK: call i64 @__suspect_operation(
// CHECK: zext i1 {{.*}} to i32
// CHECK: call i64 @__suspect_operation(
// CHECK: ret
int signs(int a, int b, int c) {
  int minus = -a;
  int not = ~b;
  get();
  return !c;
}

// CHECK-LABEL: define internal {{.*}}@wide.suspect.trace(
// CHECK-NOT: call {{.*}}@__suspect_operation
// CHECK: ret
int wide(void) {
  typedef int four __attribute__((vector_size(16)));
  four a = {1, 2, 3, 4};
  a = a + a;
  __int128 w = 4;
  w = w * w;
  long double l = w;
  l = l * l;
  l = -l;
  volatile int v = 3;
  return a[0];
}

// An initial value is not left out, nor what is used afterwards or never returns.
// CHECK-LABEL: define internal {{.*}}@kept.suspect.trace(
// CHECK-NOT: call {{.*}}@__suspect_choice
// CHECK: ret
int kept(void) {
  int x = get();
  if ((x = get()))
    __builtin_trap();
  return get();
}
