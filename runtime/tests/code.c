/* A program with hand-made hooks for code mutants: it does what its arguments say, one after the other, and prints what comes out. */
#define _GNU_SOURCE
#include "unit.h"
#include <dlfcn.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { ADD, FLOAT, STEP, CHOICE, READ, DIVIDE, LESS, BYTE, N_OPERATIONS };
/* Each operation but the last two is in a function of its own. */
enum { N_GATES = 6, N_COUNTERS = 1 };
CODE_UNIT(0x4444444444444444, 1, 1, 6, 8);

static uint64_t node(uint64_t value)
{
    return __suspect_node((uint64_t *)&unit_words[N_COUNTERS], value);
}

#define HOOK(n, left, right, result) __suspect_operation(&unit_operations[n], left, right, result)
/* The version that has the hook and the one that has not, of a function of two numbers. */
#define FUNCTION(name, gate, traced, plain)                                                                           \
    static uint64_t name##_traced(uint64_t a, uint64_t b)                                                             \
    {                                                                                                                 \
        __suspect_tick();                                                                                             \
        return traced;                                                                                                \
    }                                                                                                                 \
    static __attribute__((noinline)) uint64_t name(uint64_t a, uint64_t b)                                            \
    {                                                                                                                 \
        if (unit_gates[gate])                                                                                         \
            return name##_traced(a, b);                                                                               \
        TICK();                                                                                                       \
        return plain;                                                                                                 \
    }

static uint64_t bits(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}
static double number(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint64_t byte(uint64_t value)
{
    return (uint8_t)HOOK(BYTE, value, 1, (uint8_t)value);
}

FUNCTION(add, ADD, (uint32_t)HOOK(ADD, a, b, (uint32_t)(a + b)), (uint32_t)(a + b))
FUNCTION(add_float, FLOAT, HOOK(FLOAT, bits(a), bits(b), bits((double)a + b)), bits((double)a + b))
FUNCTION(step, STEP, (b, a + HOOK(STEP, 2, 0, 2)), (b, a + 2))
FUNCTION(both, CHOICE, a ? (__suspect_choice(&unit_operations[CHOICE]) ? a || b : a && b) : 0, a && b)
FUNCTION(divide, DIVIDE,
         HOOK(LESS, a, 0, (int32_t)a < 0)
             ? 7
             : byte(HOOK(DIVIDE, a, b, (uint32_t)((int32_t)a / (unit_operations[DIVIDE] ? 1 : (int32_t)b)))),
         (int32_t)a < 0 ? 7 : (uint8_t)((int32_t)a / (int32_t)b))

static int global = 30;

static uint64_t read_traced(int first, int second)
{
    __suspect_tick();
    void *const others[] = {&first, &second, &global, 0};
    return *(int *)__suspect_variable(&unit_operations[READ], &first, others);
}
static __attribute__((noinline)) uint64_t read_one(int first, int second)
{
    if (unit_gates[READ])
        return read_traced(first, second);
    TICK();
    return first;
}

/* What is read, and what the variable is then. */
static uint64_t count_traced(int first)
{
    __suspect_tick();
    void *const others[] = {&first, 0, &global, 0};
    int read = *(int *)__suspect_variable(&unit_operations[READ], &first, others);
    return 1000 * read + first;
}
static __attribute__((noinline)) uint64_t count(int first)
{
    if (unit_gates[READ])
        return count_traced(first);
    TICK();
    return 1001 * first;
}

static void *counting(void *argument)
{
    uint64_t first = (uintptr_t)argument, wrong = 0, expected = count(first);
    for (int left = 200000; left; left--)
        wrong += count(first) != expected;
    return (void *)(uintptr_t)wrong;
}

static void *in_thread(void *argument)
{
    printf("thread %lu\n", add((uintptr_t)argument, 1));
    return 0;
}

static void divided(int signal, siginfo_t *info, void *context)
{
    (void)context;
    printf("signal %d %d\n", signal, info->si_code == FPE_INTDIV);
    fflush(stdout);
    _exit(9);
}

int main(int argc, char **argv)
{
    void *library = 0;
    uint64_t (*twice)(uint64_t) = 0;
    for (int i = 1; i < argc; i++) {
        const char *what = argv[i];
        TICK();
        if (!strcmp(what, "add"))
            printf("add %lu\n", add(i, 10));
        else if (!strcmp(what, "float"))
            printf("float %g\n", number(add_float(i, 10)));
        else if (!strcmp(what, "step"))
            printf("step %ld\n", (long)step(i, 0));
        else if (!strcmp(what, "both"))
            printf("both %lu%lu\n", both(i, 0), both(0, i));
        else if (!strcmp(what, "read"))
            printf("read %lu\n", read_one(i, 20));
        else if (!strcmp(what, "count"))
            printf("count %lu\n", count(i));
        else if (!strcmp(what, "threads")) {
            pthread_t threads[4];
            void *wrong[4];
            for (int n = 0; n < 4; n++)
                pthread_create(&threads[n], 0, counting, (void *)(uintptr_t)(n + 1));
            for (int n = 0; n < 4; n++)
                pthread_join(threads[n], &wrong[n]);
            printf("threads %lu %d\n", count(i), wrong[0] || wrong[1] || wrong[2] || wrong[3]);
        } else if (!strcmp(what, "divide"))
            printf("divide %lu %lu\n", divide(100 + i, 3), divide(-5, 1));
        else if (!strcmp(what, "node"))
            printf("node %lu\n", node(i));
        else if (!strcmp(what, "handle")) {
            struct sigaction action = {.sa_sigaction = divided, .sa_flags = SA_SIGINFO};
            sigaction(SIGFPE, &action, 0);
        } else if (!strcmp(what, "times")) {
            uint64_t sum = 0;
            for (int left = atoi(argv[++i]); left; left--) {
                TICK();
                sum = add(sum, 1);
            }
            printf("times %lu\n", sum);
        } else if (!strcmp(what, "fork")) {
            fflush(stdout);
            pid_t child = fork();
            if (!child) {
                printf("child %lu\n", add(i, 20));
                fflush(stdout);
                _exit(0);
            }
            int status;
            waitpid(child, &status, 0);
            printf("waited %d\n", WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
        } else if (!strcmp(what, "thread")) {
            pthread_t thread;
            pthread_create(&thread, 0, in_thread, (void *)(uintptr_t)i);
            pthread_join(thread, 0);
        } else if (!strcmp(what, "exec")) {
            fflush(stdout);
            argv[i] = argv[0];
            execv("/proc/self/exe", argv + i);
        } else if (!strcmp(what, "open")) {
            library = dlopen(argv[++i], RTLD_NOW);
            twice = library ? (uint64_t(*)(uint64_t))dlsym(library, "twice") : 0;
        } else if (!strcmp(what, "twice"))
            printf("twice %lu\n", twice(i));
        else if (!strcmp(what, "close"))
            dlclose(library);
        else if (!strcmp(what, "mode"))
            printf("mode %u\n", __suspect_mode);
        else if (!strcmp(what, "kill"))
            fflush(stdout), kill(getpid(), SIGKILL);
        else if (!strcmp(what, "forever"))
            for (;;)
                TICK();
        else if (!strcmp(what, "unless"))
            while (node(i) != (uint64_t)i)
                for (;;)
                    __asm__ volatile("");
    }
    return 0;
}
