/* Counts characters, lines and words of its input: twenty nodes, numbered as in the word count study of causal program
   dependence (Lee, Binkley, Feldt, Gold, Yoo). */
#include <stdbool.h>
#include <stdio.h>

static int c = 0;

static bool read_character(void) {
  c = fgetc(stdin);              /* 15 */
  return c != EOF;               /* 16 */
}

static bool is_letter(int character /* 17 */) {
  if ((unsigned)(character | 32) - 'a' < 26u) /* 18 */
    return true;                 /* 19 */
  return false;                  /* 20 */
}

int main(void) {
  int characters = 0;            /* 1 */
  int lines = 0;                 /* 2 */
  int words = 0;                 /* 3 */
  bool in_word = false;          /* 4 */
  c = ' ';                       /* 6 */
  while (read_character()) {     /* 5 */
    characters = characters + 1; /* 7 */
    if (c == '\n')               /* 8 */
      lines = lines + 1;         /* 9 */
    if (is_letter(c)) {          /* 10 */
      if (!in_word)              /* 11 */
        words = words + 1;       /* 12 */
      in_word = true;            /* 13 */
    } else
      in_word = false;           /* 14 */
  }
  printf("%d %d %d\n", characters, lines, words);
}
