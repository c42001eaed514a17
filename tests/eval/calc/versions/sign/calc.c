/* Evaluates an expression of integers: + - * / %, parentheses, a minus sign before a factor. */
#include <stdio.h>
#include "number.h"

static const char *at;
static int failed;

static long expression(void);

static void skip_blanks(void)
{
    while (*at == ' ')
        at++;
}

static long number(void)
{
    long value = 0;

    if (!DIGIT(*at))
        failed = 1;
    while (DIGIT(*at)) {
        value = value * BASE + (*at - '0');
        at++;
    }
    return value;
}

static long group(void)
{
    long value = expression();

    if (*at == ')')
        at++;
    else
        failed = 1;
    return value;
}

static long factor(void)
{
    skip_blanks();
    if (*at == '-') {
        at++;
        return factor();
    }
    if (*at == '(') {
        at++;
        return group();
    }
    return number();
}

static long divide(long dividend, long divisor)
{
    if (divisor == 0) {
        failed = 1;
        return 0;
    }
    return dividend / divisor;
}

static long term(void)
{
    long value = factor();

    for (;;) {
        skip_blanks();
        if (*at == '*') {
            at++;
            value = value * factor();
        } else if (*at == '/') {
            at++;
            value = divide(value, factor());
        } else if (*at == '%') {
            long divisor;

            at++;
            divisor = factor();
            value = value - divide(value, divisor) * divisor;
        } else {
            return value;
        }
    }
}

static long expression(void)
{
    long value = term();

    while (*at == '+' || *at == '-') {
        char sign = *at;

        at++;
        if (sign == '+')
            value = value + term();
        else
            value = value - term();
    }
    return value;
}

int main(int argc, char **argv)
{
    long value;

    if (argc != 2) {
        fputs("usage: calc EXPRESSION\n", stderr);
        return 2;
    }
    at = argv[1];
    value = expression();
    if (failed || *at != '\0') {
        puts("error");
        return 1;
    }
    printf("%ld\n", value);
    return 0;
}
