// Inline assembly with outputs, memory, numbered labels, and a label of its own, which must not be copied.
#include <stdio.h>
static int add(int a, int b) { int r; __asm__ volatile("movl %1, %0\n\taddl %2, %0" : "=&r"(r) : "r"(a), "r"(b) : "cc"); return r; }
static int count(int n) { int r = 0; __asm__ volatile("1:\n\taddl $2, %0\n\tsubl $1, %1\n\tjnz 1b" : "+r"(r), "+r"(n) : : "cc"); return r; }
__attribute__((noinline)) int labelled(int x) { __asm__ volatile("only_once_label:\n\tincl %0" : "+r"(x)); return x > 3 ? x : -x; }
static int cpu(void) { unsigned a = 0, b, c, d; __asm__("cpuid" : "+a"(a), "=b"(b), "=c"(c), "=d"(d)); return a > 0 && b != 0; }
__attribute__((naked)) int bare(void) { __asm__("movl $42, %eax\n\tret"); }
int main(void) { int m[2] = {1, 2}; __asm__ volatile("movl $9, %0" : "=m"(m[1]) : : "memory"); printf("%d %d %d %d %d %d %d\n", add(3, 4), count(5), labelled(3), labelled(1), m[1], cpu(), bare()); return 0; }
