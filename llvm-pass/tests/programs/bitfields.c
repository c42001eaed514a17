// Bit-fields of all shapes: packed, signed, crossing units, full width, volatile, in unions.
#include <stdio.h>
#include <string.h>
struct A { unsigned a : 3; int b : 5; unsigned c : 24; int d : 1; unsigned long e : 40; unsigned f : 32; };
struct __attribute__((packed)) B { unsigned char x : 4; unsigned y : 13; unsigned long z : 47; };
union U { struct { unsigned lo : 16, hi : 16; } h; unsigned w; };
volatile struct { int v : 7; unsigned _ : 9; _Bool t : 1; } vol;
int main(void) {
  struct A a; struct B b; union U u; memset(&a, 0, sizeof a); memset(&b, 0, sizeof b); u.w = 0;
  for (int i = -20; i < 40; i++) {
    a.a = i; a.b += i; a.c ^= i * 77777; a.d = i; a.e = a.e * 3 + i; a.f -= i;
    b.x++; b.y |= i; b.z = b.z * 5 + b.y; u.h.hi = i; u.h.lo += u.h.hi; vol.v = i; vol.t = i > 3 && vol.v != 5; vol._ ^= i;
    printf("%u %d %u %d %lu %u|%u %u %lu|%x|%d %u %d\n", a.a, a.b, a.c, a.d, (unsigned long)a.e, a.f, b.x, b.y, (unsigned long)b.z, u.w, vol.v, vol._, vol.t);
  }
  return a.b;
}
