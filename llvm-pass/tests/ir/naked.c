// Naked functions and those that define a label in assembly stay as they are, and the table says why.
// RUN: %clang -O2 -S -emit-llvm %s -o - | %FileCheck %s
// RUN: %clang -O2 -c %s -o %t.o; %readelf -p .suspect %t.o | %FileCheck --check-prefix=TABLE %s
// TABLE: it is naked
// TABLE: its inline assembly defines a label that cannot be there twice
// CHECK-NOT: @bare.suspect
// CHECK-NOT: @labelled.suspect
// CHECK: @numbered.suspect.edges
__attribute__((naked)) int bare(void) { __asm__("ret"); }
int labelled(int x) { __asm__ volatile("here:\n\tincl %0" : "+r"(x)); return x; }
int numbered(int x) { __asm__ volatile("1:\n\tincl %0\n\tjz 1b" : "+r"(x)); return x; }
