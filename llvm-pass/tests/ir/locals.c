// Locals of the trace version start as a word says that the runtime sets (zero without it, and where the function's gate is 2), but for those
// whose first use is to be stored to as a whole. Other versions are as they were, and so are functions that a sanitizer watches.
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck --check-prefix=OTHERS %s
// RUN: %clang -O0 -fsanitize=memory -S -emit-llvm %s -o - | %FileCheck --check-prefix=WATCHED %s
struct pair { int one; char rest[30]; };
void fill(int *, struct pair *, double *, int *, int *, char **, _Bool *);

// CHECK: @__suspect_fill = weak hidden global i64 0
// OTHERS-LABEL: define internal {{.*}}@f.suspect.values(
// OTHERS-NOT: llvm.memset
// OTHERS-NOT: @__suspect_fill
// OTHERS: ret void
// WATCHED-LABEL: define internal {{.*}}@f.suspect.trace(
// WATCHED-NOT: @__suspect_fill
// WATCHED: ret void
// CHECK-LABEL: define internal {{.*}}@f.suspect.trace(
// CHECK: [[PARAMETER:%.*]] = alloca i32
// CHECK: [[ALONE:%.*]] = alloca i32
// CHECK: [[PAIR:%.*]] = alloca %struct.pair
// CHECK: [[NUMBER:%.*]] = alloca double
// CHECK: [[ARRAY:%.*]] = alloca [20 x i32]
// CHECK: [[ADDRESS:%.*]] = alloca ptr
// CHECK: [[TRUTH:%.*]] = alloca i8
// CHECK: [[GIVEN:%.*]] = alloca i32
// CHECK: [[WORD:%.*]] = load i64, ptr @__suspect_fill
// CHECK: [[GATE:%.*]] = load i8, ptr @suspect.gate.bytes
// CHECK: [[ZERO:%.*]] = icmp eq i8 [[GATE]], 2
// CHECK: [[FILL:%.*]] = select i1 [[ZERO]], i64 0, i64 [[WORD]]
// CHECK-NOT: ptr [[PARAMETER]]
// CHECK: [[INT:%.*]] = trunc i64 [[FILL]] to i32
// CHECK: store i32 [[INT]], ptr [[ALONE]]
// CHECK: [[BYTE:%.*]] = trunc i64 [[FILL]] to i8
// CHECK: call void @llvm.memset{{.*}}(ptr align 4 [[PAIR]], i8 [[BYTE]], i64 36
// CHECK: store i64 [[FILL]], ptr [[NUMBER]]
// CHECK: [[EACH:%.*]] = trunc i64 [[FILL]] to i8
// CHECK: call void @llvm.memset{{.*}}(ptr align 16 [[ARRAY]], i8 [[EACH]], i64 80
// CHECK: store i64 [[FILL]], ptr [[ADDRESS]]
// CHECK: store i8 {{%.*}}, ptr [[TRUTH]]
// CHECK-NOT: ptr [[GIVEN]]
// CHECK: store i32 {{%.*}}, ptr [[PARAMETER]]
// CHECK: [[VARIABLE:%.*]] = alloca i32, i64 [[COUNT:%.*]], align
// CHECK: load i64, ptr @__suspect_fill
// CHECK: [[AGAIN:%.*]] = select i1
// CHECK: [[BYTES:%.*]] = mul i64 [[COUNT]], 4
// CHECK: [[LAST:%.*]] = trunc i64 [[AGAIN]] to i8
// CHECK: call void @llvm.memset{{.*}}(ptr align 16 [[VARIABLE]], i8 [[LAST]], i64 [[BYTES]]
// CHECK: ret void
void f(int n) {
  int alone;
  struct pair pair;
  double number;
  int array[20];
  char *address;
  _Bool truth;
  int given = n;
  int variable[n];
  fill(&alone, &pair, &number, array, variable, &address, &truth);
}
