/* A program with the hooks of the `record` version by hand, which does what its first argument says. */
#define _GNU_SOURCE
#include "unit.h"
#include <errno.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define HIDDEN __attribute__((visibility("hidden")))
HIDDEN uint32_t __suspect_enter(uint32_t id, void *frame, void *function, const void *addresses);
HIDDEN void __suspect_step(uint32_t number);
HIDDEN void __suspect_loaded(uint32_t slot, uint64_t bits);
HIDDEN uint64_t __suspect_branch(uint64_t outcome, uint32_t ways);
HIDDEN void __suspect_call(uint32_t external, void *callee, uint64_t *arguments, uint32_t count);
HIDDEN void __suspect_called(uint64_t *arguments, uint64_t result);
HIDDEN void __suspect_setjmp(void *frame, uint64_t result);

UNIT(0x4444444444444444, 1, 1);
enum { RECORD = 5, STATE_OUTSIDE = 3 };
static uint32_t step;
#define POINT() __suspect_step(step)
#define OUTSIDE() (__suspect_state[STATE_OUTSIDE] = 1)

/* A function is entered whose parameters are words: they are told if the hook asks for them. */
#define ENTER(id, frame, function, ...)                                                                               \
    do {                                                                                                              \
        if (__suspect_enter(id, frame, (void *)(function), 0)) {                                                      \
            uint64_t parameters[] = {__VA_ARGS__};                                                                    \
            for (unsigned i = 0; i < sizeof parameters / 8; i++)                                                      \
                __suspect_loaded(100 + i, parameters[i]);                                                             \
        }                                                                                                             \
    } while (0)
/* A call of something that may have no `record` version: `expression` with the hooks around it. */
#define CALL(external, function, expression, ...)                                                                     \
    do {                                                                                                              \
        uint64_t words[] = {__VA_ARGS__};                                                                             \
        POINT();                                                                                                      \
        __suspect_call(external, (void *)(function), words, sizeof words / 8);                                        \
        uint64_t result = (uint64_t)(expression);                                                                     \
        __suspect_called(words, result);                                                                              \
    } while (0)
#define W(x) ((uint64_t)(uintptr_t)(x))

enum { MAIN = 0x44444444, COMPARE, HELPER, HANDLER, ROUTINE, JUMPER, RECURSIVE };

static long frames[64];

static int compare_record(const int *a, const int *b)
{
    ENTER(COMPARE, frames + 8, compare_record, W(a), W(b));
    __suspect_loaded(1, (uint64_t)*a);
    return *a - *b;
}

int compare(const void *a, const void *b)
{
    if (__suspect_mode == RECORD)
        OUTSIDE();
    return compare_record(a, b);
}

/* Stands for a function of another unit. */
static int helper(int x)
{
    OUTSIDE();
    ENTER(HELPER, frames + 16, helper, x);
    return (int)__suspect_branch(x > 3, 2);
}

/* Not recorded: writes behind its argument, and sets errno. */
static __attribute__((noinline)) long unknown(char *text, long *number)
{
    memcpy(text + 2, "xy", 2);
    *number += 5;
    errno = ENOTTY;
    return -1;
}

static __attribute__((noinline)) void unknown_frees(void *object)
{
    free(object);
}

static int plain(void)
{
    char text[32] = "abcdefgh", copy[32] = "";
    long number = 7;
    int numbers[4] = {4, 2, 3, 1};
    CALL(STRCPY, strcpy, strcpy(copy, text), W(copy), W(text));
    CALL(MEMCPY, memcpy, memcpy(copy, text, 4), W(copy), W(text), 4);
    errno = 0;
    CALL(UNKNOWN, unknown, unknown(text, &number), W(text), W(&number));
    int kept = errno == ENOTTY;
    CALL(INDIRECT, unknown_frees, (unknown_frees(malloc(100)), 0), W(malloc(16)));
    for (int i = 0; i < 10; i++)
        __suspect_branch(i % 3 == 0, 2);
    __suspect_branch(700, 1000);
    __suspect_branch(0, 1);
    CALL(UNKNOWN, helper, helper(5), 5);
    CALL(UNKNOWN, helper, helper(2), 2);
    CALL(QSORT, qsort, (qsort(numbers, 4, sizeof *numbers, compare), 0), W(numbers), 4, 4, W(compare));
    CALL(SSCANF, sscanf, sscanf("12 word", "%ld %s %d", &number, copy, numbers), W("12 word"), W("%ld %s %d"), W(&number), W(copy), W(numbers));
    CALL(STAT, unlink, -1, W("/nowhere"), W(copy));
    return !kept;
}

static jmp_buf jump;

static void jumper(int depth)
{
    ENTER(JUMPER, frames + 20, jumper, 0);
    if (depth)
        CALL(INDIRECT, jumper, (jumper(depth - 1), 0), depth);
    CALL(LONGJMP, longjmp, (longjmp(jump, 3), 0), W(jump), 3);
}

static int jumps(void)
{
    volatile int again = 0;
    int value = setjmp(jump);
    __suspect_setjmp(frames, value);
    if (!again++) {
        OUTSIDE();
        CALL(UNKNOWN, jumper, (jumper(2), 0), 1);
    }
    CALL(UNKNOWN, helper, helper(value), value);
    return value - 3;
}

static volatile sig_atomic_t caught;

static void handler(int number)
{
    OUTSIDE();
    ENTER(HANDLER, frames + 24, handler, number);
    caught = 1;
    __suspect_branch(1, 2);
}

static int handles(long count)
{
    struct sigaction action = {.sa_handler = handler};
    CALL(SIGACTION, sigaction, sigaction(SIGUSR1, &action, 0), SIGUSR1, W(&action), 0);
    for (int i = 0; i < 3; i++)
        __suspect_branch(0, 2);
    do
        kill(getpid(), SIGUSR1);
    while (--count > 0);
    __suspect_branch(0, 2);
    __suspect_loaded(5, 55);
    return !caught;
}

static int forks(int is_vfork)
{
    __suspect_branch(1, 2);
    uint64_t words[1];
    __suspect_call(is_vfork ? VFORK : FORK, (void *)(is_vfork ? vfork : fork), words, 0);
    pid_t child = is_vfork ? vfork() : fork();
    __suspect_called(words, child);
    __suspect_branch(child == 0, 2);
    if (child == 0) {
        __suspect_loaded(6, 66);
        __suspect_branch(1, 2);
        _exit(7);
    }
    int status;
    waitpid(child, &status, 0);
    __suspect_loaded(6, 67);
    __suspect_branch(0, 2);
    return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}

static void *routine(void *argument)
{
    OUTSIDE();
    ENTER(ROUTINE, frames + 28, routine, W(argument));
    for (int i = 0; i < 1000; i++)
        __suspect_branch(1, 2);
    return 0;
}

static int threads(int is_told)
{
    pthread_t thread;
    __suspect_branch(1, 2);
    if (is_told)
        CALL(PTHREAD_CREATE, pthread_create, pthread_create(&thread, 0, routine, 0), W(&thread), 0, W(routine), 0);
    else
        pthread_create(&thread, 0, routine, 0);
    pthread_join(thread, 0);
    __suspect_branch(1, 2);
    return 0;
}

/* Fills the stream with numbers that cannot be predicted. */
static int fills(long count)
{
    uint64_t number = 1;
    for (long i = 0; i < count; i++) {
        number = number * 0x5851f42d4c957f2dull + 1;
        __suspect_loaded(i, number);
        __suspect_branch(number >> 63, 2);
    }
    return 0;
}

/* Figure 1 of the paper: `y` and `z` decide whether `x` is halved, which is printed. Points: 0 y, 1 z, 2 branch | 0 x, 1 call. */
volatile long x, y, z;

static int figure(long first, long second, long third)
{
    char text[32];
    step = 10;
    POINT();
    x = first;
    POINT();
    y = second;
    step = 12;
    POINT();
    z = third;
    POINT();
    if (__suspect_branch(y > z, 2)) {
        step = 14;
        POINT();
        x = 0;
    }
    POINT();
    while (y == 1000) {
    }
    step = 15;
    POINT();
    if (y == 2000)
        abort();
    POINT();
    long way = __suspect_branch(y % 5, 5);
    step = 16;
    POINT();
    y += 100 * way;
    CALL(UNKNOWN, sprintf, sprintf(text, "%ld %ld", x, y), W(text), W("%ld %ld"), x, y);
    POINT();
    return y % 100;
}

/* Two decisions for each number below `count`: whether it is even, each with a step of its own. How many came out true, the second ones ten times. */
static int evens(long count)
{
    int found = 0;
    for (long i = 0; i < count; i++) {
        step = 20;
        POINT();
        found += !__suspect_branch(i % 2, 2);
        step = 21;
        POINT();
        found += 10 * !__suspect_branch(i % 2, 2);
    }
    return found;
}

static int main_record(int argc, char **argv)
{
    ENTER(MAIN, __builtin_frame_address(0), main_record, argc, W(argv));
    const char *what = argv[1];
    long count = argc > 2 ? atol(argv[2]) : 0;
    if (!strcmp(what, "plain"))
        return plain();
    if (!strcmp(what, "jumps"))
        return jumps();
    if (!strcmp(what, "handles"))
        return handles(count);
    if (!strcmp(what, "forks"))
        return forks(0);
    if (!strcmp(what, "vforks"))
        return forks(1);
    if (!strcmp(what, "threads"))
        return threads(0);
    if (!strcmp(what, "told"))
        return threads(1);
    if (!strcmp(what, "figure"))
        return figure(count, atol(argv[3]), atol(argv[4]));
    if (!strcmp(what, "evens"))
        return evens(count);
    if (!strcmp(what, "forks to figure")) {
        pid_t child = fork();
        if (child == 0)
            return figure(count, atol(argv[3]), atol(argv[4]));
        int status;
        waitpid(child, &status, 0);
        return WEXITSTATUS(status);
    }
    if (!strcmp(what, "fills"))
        return fills(count);
    if (!strcmp(what, "exec")) {
        __suspect_branch(1, 2);
        execl(argv[0], argv[0], "fills", "3", (char *)0);
    }
    if (!strcmp(what, "segv")) {
        __suspect_branch(1, 2);
        step = 42;
        POINT();
        *(volatile int *)8 = 1;
    }
    if (!strcmp(what, "kill")) {
        fills(count);
        kill(getpid(), SIGKILL);
    }
    return 9;
}

int main(int argc, char **argv)
{
    if (__suspect_mode == RECORD)
        OUTSIDE();
    else
        return 77;
    return main_record(argc, argv);
}
