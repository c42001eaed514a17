/* Fills its input to lines of at most WIDTH columns, cuts words longer than LONGEST, keeps paragraphs, and says how
   many words and lines there were. */
#include <ctype.h>
#include <stdio.h>
#include "wrap.h"

static char word[LONGEST + 1];
static int column;
static int n_lines;
static int n_words;
static int longest;

static void end_line(void)
{
    putchar('\n');
    column = 0;
    n_lines++;
}

static void end_paragraph(void)
{
    if (column > 0)
        end_line();
    if (n_words > 0)
        putchar('\n');
}

/* Reads blanks up to the next word; says whether a blank line was among them. */
static int skip_blanks(int *next)
{
    int n_newlines = 0;

    while (isspace(*next)) {
        if (*next == '\n')
            n_newlines++;
        *next = getchar();
    }
    return n_newlines >= 2;
}

/* Reads a word, or as much as fits; gives its length. */
static int read_word(int *next)
{
    int length = 0;

    while (*next != EOF && !isspace(*next) && length < LONGEST) {
        word[length++] = (char)*next;
        *next = getchar();
    }
    word[length] = '\0';
    return length;
}

static void put_word(int length)
{
    if (column > 0 && column + 1 + length > WIDTH)
        end_line();
    if (column > 0) {
        putchar(' ');
        column++;
    }
    fputs(word, stdout);
    column += length;
    n_words++;
    if (length < longest)
        longest = length;
}

int main(void)
{
    int next = getchar();

    for (;;) {
        int blank_line = skip_blanks(&next);

        if (next == EOF)
            break;
        if (blank_line)
            end_paragraph();
        put_word(read_word(&next));
    }
    if (column > 0)
        end_line();
    printf("%d words, %d lines, longest %d\n", n_words, n_lines, longest);
    return 0;
}
