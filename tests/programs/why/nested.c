#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>

static const char *at;
static int words;

static void refuse(const char *why)
{
    fprintf(stderr, "%s at \"%s\"\n", why, at);
    exit(1);
}

static void word(void)
{
    if (!isalpha((unsigned char)*at))
        refuse("no word"); /* L1 */
    while (isalpha((unsigned char)*at))
        at++;
    words++;
}

/* A word, or one in brackets; brackets in brackets are refused, which is wrong. */
static void item(void)
{
    if (*at != '(') {
        word();
        return;
    }
    at++;
    if (*at != ')') /* L2 */
        word(); /* L3 */
    if (*at != ')')
        refuse("no bracket");
    at++;
}

int main(int argc, char **argv)
{
    at = argc > 1 ? argv[1] : "";
    while (*at != '\0')
        item();
    printf("%d words\n", words);
    return 0;
}
