#include <setjmp.h>
#include <stdio.h>
#include <string.h>

/* Each line of a script is `assert A op B = C`. */
enum status { DONE, FAILED, UNKNOWN };
static jmp_buf out;
static char message[200];

static void fail(enum status why, const char *line)
{
    snprintf(message, sizeof message, "failed: %s", line);
    longjmp(out, why);
}

static int compute(int a, char op, int b, const char *line)
{
    switch (op) {
    case '+': return a + b;
    case '-': return a - b;
    case '*': return a * b;
    case '/': return b ? a / b : 0;
    case '%': {
        int q = a / b;
        return a - q * q;    /* the fault: b, not q */
    }
    }
    fail(UNKNOWN, line);
    return 0;
}

static void run(FILE *script)
{
    char line[200];
    int a, b, c;
    char op;
    while (fgets(line, sizeof line, script)) {
        if (sscanf(line, "assert %d %c %d = %d", &a, &op, &b, &c) != 4)
            fail(UNKNOWN, line);
        if (compute(a, op, b, line) != c)
            fail(FAILED, line);
    }
}

static int handle(enum status how)
{
    switch (how) {
    case DONE:
        return 0;
    case FAILED:
        fputs(message, stderr);
        return 1;    /* the status */
    case UNKNOWN:
        fputs("unknown: ", stderr);
        fputs(message, stderr);
        return 2;
    }
    return 3;
}

int main(int argc, char **argv)
{
    FILE *script = argc == 2 ? fopen(argv[1], "r") : NULL;
    int how;
    if (!script)
        return 4;
    if ((how = setjmp(out)) == 0)
        run(script);
    return handle(how);
}
