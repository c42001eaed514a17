/* What fault_b.c does with characters; built without instrumentation, as a library would be. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

bool ends_in_space(const char *text) {
  size_t length = strlen(text);
  return length > 0 && text[length - 1] == ' ';
}

char *copy(const char *text) {
  return strcpy(malloc(strlen(text) + 1), text);
}

char *strip(const char *text) {
  text += strspn(text, " ");
  char *copied = copy(text);
  size_t length = strlen(copied);
  while (length > 0 && copied[length - 1] == ' ')
    copied[--length] = 0;
  return copied;
}
