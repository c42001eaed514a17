/* Signals, jumps out of nested calls, a table of functions, input that is read in parts. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static jmp_buf back;
static volatile sig_atomic_t caught;

static void handler(int number) {
    caught = number;
    signal(number, handler);
}

static int divide(int a, int b) {
    if (b == 0) longjmp(back, 3);
    return a / b;
}

static int twice(int x) { return 2 * x; }
static int square(int x) { return x * x; }
static int (*const table[])(int) = {twice, square, abs};

int main(void) {
    int value, total = 0;
    char name[32];
    signal(SIGTERM, handler);
    while (scanf("%31s %d", name, &value) == 2) {
        int choice = (int)strlen(name) % 3;
        int result = table[choice](value);
        int jumped = setjmp(back);
        if (jumped == 0) total += divide(result, value);
        else total -= jumped;
        if (value == 7) raise(SIGTERM);
        printf("%s %d %d %d\n", name, result, total, (int)caught);
    }
    return total & 0x7f;
}
