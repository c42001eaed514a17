// Locals of the trace version start as zero, but for those whose first use is to be stored to as a whole. Other versions
// are as they were, and so are functions that a sanitizer watches.
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck --check-prefix=OTHERS %s
// RUN: %clang -O0 -fsanitize=memory -S -emit-llvm %s -o - | %FileCheck --check-prefix=WATCHED %s
struct pair { int one; char rest[30]; };
void fill(int *, struct pair *, double *, int *, int *);

// OTHERS-LABEL: define internal {{.*}}@f.suspect.values(
// OTHERS-NOT: llvm.memset
// OTHERS-NOT: store i32 0,
// OTHERS: ret void
// WATCHED-LABEL: define internal {{.*}}@f.suspect.trace(
// WATCHED-NOT: store double 0
// WATCHED: ret void
// CHECK-LABEL: define internal {{.*}}@f.suspect.trace(
// CHECK: [[PARAMETER:%.*]] = alloca i32
// CHECK: [[ALONE:%.*]] = alloca i32
// CHECK: [[PAIR:%.*]] = alloca %struct.pair
// CHECK: [[NUMBER:%.*]] = alloca double
// CHECK: [[ARRAY:%.*]] = alloca [20 x i32]
// CHECK: [[GIVEN:%.*]] = alloca i32
// CHECK-NOT: store i32 0, ptr [[PARAMETER]]
// CHECK: store i32 0, ptr [[ALONE]]
// CHECK: call void @llvm.memset{{.*}}(ptr align 4 [[PAIR]], i8 0, i64 36
// CHECK: store double 0.0{{.*}}, ptr [[NUMBER]]
// CHECK: call void @llvm.memset{{.*}}(ptr align 16 [[ARRAY]], i8 0, i64 80
// CHECK-NOT: store i32 0, ptr [[GIVEN]]
// CHECK: store i32 {{%.*}}, ptr [[PARAMETER]]
// CHECK: [[VARIABLE:%.*]] = alloca i32, i64 [[COUNT:%.*]], align
// CHECK: [[BYTES:%.*]] = mul i64 [[COUNT]], 4
// CHECK: call void @llvm.memset{{.*}}(ptr align 16 [[VARIABLE]], i8 0, i64 [[BYTES]]
// CHECK: ret void
void f(int n) {
  int alone;
  struct pair pair;
  double number;
  int array[20];
  int given = n;
  int variable[n];
  fill(&alone, &pair, &number, array, variable);
}
