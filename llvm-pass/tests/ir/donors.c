// Statements of other functions run beside a function's own, with its variables, out of the function that its own ones run out of.
// RUN: %clang -O1 -g -w -mllvm -suspect-modes=trace,plain -S -emit-llvm %s -o %t.ll
// RUN: %FileCheck %s < %t.ll
struct list { int n, sum, open; };
void note(struct list *list);

// Its own, then those of the other one, the likeliest to be missing first. It has no `n`.
// CHECK-LABEL: define internal {{.*}}@first.suspect.trace.copies(
// CHECK-NEXT: switch i64 %0, label
// CHECK-NEXT: i64 0, label
// CHECK-NEXT: i64 1, label
// CHECK-NEXT: i64 2, label
// CHECK-NEXT: i64 3, label
// CHECK-NEXT: ]
// CHECK-NOT: i32 0, i32 2
// CHECK: [[SLOT:%.*]] = getelementptr inbounds ptr, ptr %1, i64 0
// CHECK: store i32 1, ptr
// CHECK: store i32 2, ptr
// CHECK: [[FRAME:%.*]] = load ptr, ptr {{.*}}, !nosanitize
// CHECK-NEXT: [[LIST:%.*]] = load ptr, ptr [[FRAME]]
// CHECK-NEXT: call void @note(ptr noundef [[LIST]])
// CHECK: store i32 3, ptr
void first(struct list *list) { list->sum = 1; }

// CHECK-LABEL: define internal {{.*}}@other.suspect.trace.copies(
// CHECK: i64 4, label %[[FIRST:.*]]
// CHECK-NEXT: ]
// CHECK: [[FIRST]]:
// CHECK: store i32 1, ptr
// A number has the same name here; an address may have another one.
void other(struct list *there, int n)
{
    there->sum = 2;
    there->open = n;
    note(there);
    there->n = 3;
}
