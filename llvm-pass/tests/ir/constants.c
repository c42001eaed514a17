// Conditions, switches and returned values that are constants.
// RUN: %clang -g -O0 -S -emit-llvm %s -o - | %FileCheck %s
// CHECK: define internal {{.*}}@f.suspect.values
int f(int x) {
  const int on = 1;
  while (1) { if (0 && x) x++; if (1 || x) break; }
  switch (3) { case 3: x++; break; default: x--; }
  for (;;) { if (x && 1) return on ? 2 : 3; if (0) return 4; x = 1 && x++; }
}
