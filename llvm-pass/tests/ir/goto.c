// Each version of a function with a table of labels has a table of its own.
// RUN: %clang -O0 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK-DAG: @run.table = internal {{.*}}blockaddress(@run.suspect.plain,
// CHECK-DAG: @run.table.suspect.edges = internal {{.*}}blockaddress(@run.suspect.edges,
// CHECK-DAG: @run.table.suspect.trace = internal {{.*}}blockaddress(@run.suspect.trace,
// CHECK: define internal {{.*}}@run.suspect.edges
// CHECK: getelementptr {{.*}}@run.table.suspect.edges
int run(const char *p) {
  static void *table[] = {&&more, &&end};
  int n = 0;
  goto *table[(int)*p];
more: n++; p++; goto *table[(int)*p];
end: return n;
}
