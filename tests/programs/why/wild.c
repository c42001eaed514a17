/* Reads a letter and k, and does something that leaves the plain way of calls. */
#include <dlfcn.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static int step;
static volatile sig_atomic_t level;

static void on_signal(int number)
{
    level = level + step + 0 * number; /* S1 */
}

static int signalled(int k)
{
    step = k; /* S2 */
    signal(SIGUSR1, on_signal);
    raise(SIGUSR1);
    raise(SIGUSR1);
    return level; /* S3 */
}

static sigjmp_buf out;

static void on_fault(int number)
{
    siglongjmp(out, number);
}

static int faulty(int k)
{
    int *p = k > 5 ? 0 : &k; /* F1 */

    signal(SIGSEGV, on_fault);
    if (sigsetjmp(out, 1)) /* F2 */
        return -1;
    return *p; /* F3 */
}

static int *page;

static void on_guard(int number)
{
    mprotect(page, 4096, PROT_READ | PROT_WRITE);
    *page = step + 0 * number; /* G1 */
}

static int guarded(int k)
{
    step = k; /* G2 */
    page = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, on_guard);
    return *page + k; /* G3 */
}

static int smaller; /* the least that was compared */

static int compare(const void *a, const void *b)
{
    int x = *(const int *)a; /* Q1 */
    int y = *(const int *)b;

    if (x < smaller)
        smaller = x; /* Q2 */
    return (x > y) - (x < y);
}

static int sorted(int k)
{
    int t[8] = {90, 30, 70, 50, 20, 80, 40, 60};

    t[6] = k; /* Q3 */
    smaller = 100;
    qsort(t, 8, sizeof *t, compare);
    return smaller; /* Q4 */
}

static double sum(int n, ...)
{
    va_list list;
    double s = 0;

    va_start(list, n);
    for (; n > 0; n--) {
        s = s + va_arg(list, int); /* V1 */
        s = s + va_arg(list, double); /* V2 */
    }
    va_end(list);
    return s;
}

static int variadic(int k)
{
    return sum(5, 10, 0.5, 20, 1.5, 30, 2.5, 40, 3.5, k, 4.5); /* V3 */
}

static int loaded(int k)
{
    void *module = dlopen("./plugged.so", RTLD_NOW);
    int (*twice)(int);

    if (!module)
        exit(8);
    twice = (int (*)(int))dlsym(module, "twice");
    return twice(k); /* D1 */
}

int main(void)
{
    char what;
    int k, r = 0;

    if (scanf(" %c %d", &what, &k) != 2)
        return 9;
    switch (what) {
    case 's': r = signalled(k); break;
    case 'f': r = faulty(k); break;
    case 'g': r = guarded(k); break;
    case 'q': r = sorted(k); break;
    case 'v': r = variadic(k); break;
    case 'd': r = loaded(k); break;
    }
    printf("%d\n", r); /* M1 */
    return 0;
}
