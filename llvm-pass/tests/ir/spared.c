// Versions with hooks are spared passes that find little in them: the loop that is unrolled in the plain version, and in that of edges, stays
// one where each round has a hook for its value.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=PLAIN %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=EDGES %s
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck --check-prefix=VALUES %s
// PLAIN-LABEL: define {{.*}}@sum.suspect.plain(
// PLAIN-NOT: phi
// PLAIN: ret i32
// EDGES-LABEL: define {{.*}}@sum.suspect.edges(
// EDGES-NOT: phi
// EDGES: ret i32
// VALUES-LABEL: define {{.*}}@sum.suspect.values(
// VALUES: phi i
// VALUES: ret i32
int sum(const int *numbers) {
  int total = 0;
  for (int i = 0; i < 4; i++)
    total += numbers[i];
  return total;
}
