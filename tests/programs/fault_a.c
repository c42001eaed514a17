/* Worked example of causal fault localisation: one failing test; the fault is in the statement nearest to the output. */
#include <stdio.h>

static int compute(void) {
  int a = 3;
  int b = 4;
  int c = a % 3 + 1; /* fault: should be b % 3 + 1 */
  (void)b;
  return c;
}

int main(void) {
  printf("%d\n", compute());
}
