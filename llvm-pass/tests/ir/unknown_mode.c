// An unknown mode is an error of the compiler's that names it and the modes there are.
// RUN: ! %clang -O2 -mllvm -suspect-modes=plain,edgy -c %s -o %t.o 2> %t.err
// RUN: %FileCheck %s < %t.err
// CHECK: error: suspect: unknown mode `edgy` in -suspect-modes: expected one or more of plain, edges, values, trace
int f(int x) { return x; }
