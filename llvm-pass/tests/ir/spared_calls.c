// What calls by address may call is not written down, for no later pass reads it; the values version inlines only what is small.
// RUN: %plain -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=PLAIN %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=CALLEES %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=EDGES %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=VALUES %s
// PLAIN: !callees
// CALLEES-NOT: !callees
// EDGES-LABEL: define {{.*}}@both.suspect.edges(
// EDGES-NOT: call
// EDGES: ret i32
// VALUES-LABEL: define {{.*}}@both.suspect.values(
// VALUES-NOT: @small
// VALUES: call {{.*}}@middle.suspect.values(
// VALUES-NOT: @small
// VALUES: ret i32
static int small(int x) { return x + 1; }

static int middle(const int *at, int x) {
  int sum = at[x] * 3 + at[x ^ 1] * 5 - at[x ^ 2] * 7;
  int product = at[x ^ 3] * at[x ^ 4] * at[x ^ 5];
  return sum ^ product;
}

int both(const int *at, int x) { return middle(at, small(x)) + middle(at, x); }

static int up(int x) { return x + 1; }
static int down(int x) { return x - 1; }
static int (*way)(int);
void choose(int which) { way = which ? up : down; }
int go(int x) { return way ? way(x) : x; }
