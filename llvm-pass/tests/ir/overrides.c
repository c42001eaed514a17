// In the trace version what a node takes is what the runtime answers: in the operand, and in every use of the value that
// comes after. In the others nothing is asked.
// RUN: %clang -O1 -g -mllvm -suspect-modes=trace,plain -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
// RUN: %clang -O1 -g -mllvm -suspect-modes=plain,edges,values -S -emit-llvm %s -o - | %FileCheck --check-prefix=OTHERS %s
// OTHERS-NOT: @__suspect_node
// OTHERS-NOT: @__suspect_pointer
// OTHERS-NOT: @__suspect_text
// OTHERS-NOT: @__suspect_object
// OTHERS-NOT: @__suspect_tick
#include <stdbool.h>
int get(void);
void give(int, int);
struct fields { unsigned low : 3; int high : 5; };
struct fields fields;
extern _Atomic int atomic;

// An assignment in a condition: the operation is asked about first, then the node.
// CHECK-LABEL: define internal {{.*}}@assigned.suspect.trace(
// CHECK: [[GOT:%.*]] = {{.*}}call i32 {{@get|%[0-9]+}}()
// CHECK: [[WIDE:%.*]] = zext i32 [[GOT]] to i64
// CHECK: [[ASKED:%.*]] = call i64 @__suspect_operation({{.*}}, i64 {{%.*}}, i64 [[WIDE]], i64 [[WIDE]])
// CHECK: [[VALUE:%.*]] = trunc i64 [[ASKED]] to i32
// CHECK: [[WIDE:%.*]] = zext i32 [[VALUE]] to i64
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node({{.*}}, i64 [[WIDE]])
// CHECK: [[NEW:%.*]] = trunc i64 [[ANSWER]] to i32
// CHECK: store i32 [[NEW]], ptr %
// CHECK: [[CONDITION:%.*]] = icmp ne i32 [[NEW]], -1
// CHECK: [[ASKED:%.*]] = call i64 @__suspect_operation(
// CHECK: [[RESULT:%.*]] = trunc i64 [[ASKED]] to i1
// CHECK: [[WIDE:%.*]] = zext i1 [[RESULT]] to i64
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node({{.*}}, i64 [[WIDE]])
// CHECK: [[BIT:%.*]] = trunc i64 [[ANSWER]] to i1
// CHECK: br i1 [[BIT]]
int assigned(void) {
  int c;
  if ((c = get()) != -1)
    return get();
  return 4;
}

// A value that is stored and passed in another block; what came before the store keeps the old one.
// CHECK-LABEL: define internal {{.*}}@across.suspect.trace(
// CHECK: [[GOT:%.*]] = {{.*}}call i32 {{@get|%[0-9]+}}()
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[NEW:%.*]] = trunc i64 [[ANSWER]] to i32
// CHECK: store i32 [[NEW]], ptr %
// CHECK: [[WIDE:%.*]] = zext i32 [[NEW]] to i64
// CHECK: [[ASKED:%.*]] = call i64 @__suspect_operation({{.*}}, i64 [[WIDE]], i64 0, i64 [[WIDE]])
// CHECK: [[PASSED:%.*]] = trunc i64 [[ASKED]] to i32
// CHECK: call void {{@give|%[0-9]+}}(i32 {{.*}}[[PASSED]], i32 {{.*}})
void across(int a, int b) {
  int x;
  give(x = get(), a && b);
}

// CHECK-LABEL: define internal {{.*}}@truth.suspect.trace(
// CHECK: call i32 {{@get|%[0-9]+}}()
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[NEW:%.*]] = trunc i64 [[ANSWER]] to i8
// CHECK: [[BIT:%.*]] = trunc i8 [[NEW]] to i1
// CHECK: store i8 [[NEW]], ptr %
// CHECK: zext i1 [[BIT]] to i64
int truth(void) {
  bool is;
  if ((is = get()))
    return 3;
  return 4;
}

// A bit-field: its neighbours stay, and its value after the store is the answer's.
// CHECK-LABEL: define internal {{.*}}@field.suspect.trace(
// CHECK: [[OLD:%.*]] = or i8 {{%.*}}, {{%.*}}
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[NARROW:%.*]] = trunc i64 [[ANSWER]] to i8
// CHECK: [[NEW:%.*]] = and i8 [[NARROW]], 31
// CHECK: [[REST:%.*]] = and i8 [[OLD]], 7
// CHECK: [[PLACED:%.*]] = shl {{.*}}i8 [[NEW]], 3
// CHECK: [[WORD:%.*]] = or i8 [[REST]], [[PLACED]]
// CHECK: store i8 [[WORD]], ptr @fields
// CHECK: shl {{.*}}i8 [[NEW]], 3
// CHECK: ret i32
int field(int x) { return fields.high = x; }

// CHECK-LABEL: define internal {{.*}}@updated.suspect.trace(
// CHECK: [[OLD:%.*]] = atomicrmw add ptr @atomic, i32 2 seq_cst
// CHECK: [[LEFT:%.*]] = add i32 [[OLD]], 2
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[NEW:%.*]] = trunc i64 [[ANSWER]] to i32
// CHECK: cmpxchg ptr @atomic, i32 [[LEFT]], i32 [[NEW]] seq_cst seq_cst
// CHECK: zext i32 [[NEW]] to i64
// CHECK: ret i32
int updated(void) { return atomic += 2; }

// The operands of && and ||, and of ?: without branches.
// CHECK-LABEL: define internal {{.*}}@logic.suspect.trace(
// CHECK: icmp sgt i32 %{{.*}}, 4
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[BIT:%.*]] = trunc i64 [[ANSWER]] to i1
// CHECK: phi i1 [ [[BIT]], %{{.*}} ], [ true, %{{.*}} ], [ false, %{{.*}} ]
// CHECK: icmp ne i32 %{{.*}}, 0
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[BIT:%.*]] = trunc i64 [[ANSWER]] to i1
// CHECK: select i1 [[BIT]], i32 5, i32 6
int logic(int a, int b) {
  give(a < 3 && b > 4, 0);
  return a ? 5 : 6;
}

// CHECK-LABEL: define internal {{.*}}@switched.suspect.trace(
// CHECK: load i32, ptr %
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[NEW:%.*]] = trunc i64 [[ANSWER]] to i32
// CHECK: switch i32 [[NEW]]
int switched(int x) {
  switch (x) {
  case 1: return 10;
  case 2: return 30;
  default: return 50;
  }
}

// Floating point by its bits.
// CHECK-LABEL: define internal {{.*}}@number.suspect.trace(
// CHECK: [[BITS:%.*]] = bitcast float %0 to i32
// CHECK: zext i32 [[BITS]] to i64
// CHECK: [[ANSWER:%.*]] = call i64 @__suspect_node
// CHECK: [[LOW:%.*]] = trunc i64 [[ANSWER]] to i32
// CHECK: [[NEW:%.*]] = bitcast i32 [[LOW]] to float
// CHECK: store float [[NEW]], ptr %
// CHECK: fpext float
float number(float x) { return x * 2.5; }

// What is wider than a word is shown and kept.
// CHECK-LABEL: define internal {{.*}}@wide.suspect.trace(
// CHECK: store i128 [[KEPT:%.*]], ptr %
// CHECK: call i64 @__suspect_node
// CHECK-NOT: trunc i64 {{.*}} to i128
// CHECK-NOT: zext i64 {{.*}} to i128
// CHECK: ret
__int128 wide(__int128 x) { return x; }

// Addresses are asked for, too; those of characters by a hook of their own.
// CHECK-LABEL: define internal {{.*}}@addresses.suspect.trace(
// CHECK: [[ADDRESS:%.*]] = call ptr @__suspect_pointer({{.*}}, ptr %0)
// CHECK: store ptr [[ADDRESS]], ptr %
// CHECK: [[ADDRESS:%.*]] = call ptr @__suspect_pointer({{.*}}, ptr %1)
// CHECK: store ptr [[ADDRESS]], ptr %
// CHECK: [[ADDRESS:%.*]] = call ptr @__suspect_pointer({{.*}}, ptr %2)
// CHECK: store ptr [[ADDRESS]], ptr %
// CHECK: [[TEXT:%.*]] = call ptr @__suspect_text({{.*}}, ptr %3)
// CHECK: store ptr [[TEXT]], ptr %
// CHECK: [[TEXT:%.*]] = call ptr @__suspect_text
// CHECK: ret ptr [[TEXT]]
char *addresses(int *a, void *b, int (*c)(void), char *d) { return d + 1; }

// What was known of the program's own values is not known of others.
// CHECK-LABEL: define internal {{.*}}@known.suspect.trace(
// CHECK-NOT: !range
// CHECK-NOT: nsw
// CHECK-NOT: inbounds i
// CHECK: ret
bool known(bool *flags, int i) { return flags[i + 1]; }

// CHECK-LABEL: define internal {{.*}}@impossible.suspect.trace(
// CHECK: call void @llvm.trap()
// CHECK-NEXT: unreachable
int impossible(int x) {
  if (x > 0)
    return x;
  __builtin_unreachable();
}
