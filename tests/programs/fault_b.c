/* Worked example of causal fault localisation: a string is to lose the spaces at its end, and loses those at its start too. What
   looks at characters is in fault_b_text.c, which is not instrumented. */
#include <stdbool.h>
#include <stdio.h>

bool ends_in_space(const char *text);
char *strip(const char *text);
char *copy(const char *text);

int main(int argc, char **argv) {
  if (argc != 2)
    return 2;
  char *s = copy(argv[1]);
  bool pred = ends_in_space(s);
  char *p = s;
  if (pred)
    p = strip(s); /* fault: should strip the end only */
  puts(p);
}
