/* Ends as its argument says. `=N` on a line: how often it is executed, whatever the end; `W=N`: by the end called W. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static jmp_buf start;
static int sum;

static int fibonacci(int n)
{
    if (n < 2) /* =1973 */
        return n; /* =987 */
    return fibonacci(n - 1) + fibonacci(n - 2); /* =986 */
}

static void dive(int depth)
{
    if (depth == 0) /* =6 */
        longjmp(start, 1); /* =1 */
    dive(depth - 1); /* =5 */
    sum = 0; /* =0 */
}

static void add(int x)
{
    sum += x; /* =10 */
}

static void each(int n, void (*call)(int))
{
    for (int i = 0; i < n; i++)
        call(i); /* =10 */
}

static int fetch(int *p)
{
    return *p; /* segv=1 return=0 */
}

static void spin(void)
{
    for (volatile int i = 0;; i++)
        if (i == 1000) /* kill=1001 */
            kill(getpid(), SIGKILL); /* kill=1 return=0 */
}

static int divide(int by)
{
    int quotient = 0; /* fpe=1 */
    if (by < 5)
        quotient = 100 / by; /* fpe=1 */
    sum += quotient; /* fpe=0 */
    return quotient;
}

static int finish(char how)
{
    volatile int zero = 0;
    switch (how) {
    case 'a':
        abort(); /* abort=1 return=0 */
    case 's':
        return fetch((int *)8);
    case 'k':
        spin();
        break;
    case 'd':
        return divide(zero);
    case 'e':
        exit(0); /* exit=1 return=0 */
    case 'f':
        if (fork() == 0) { /* fork=2 */
            each(zero, add);
            exit(0); /* fork=1 */
        }
        wait(0); /* fork=1 */
        break;
    case 'x':
        execl("/bin/true", "true", (char *)0); /* xec=1 */
        return 2; /* xec=0 */
    }
    return 0; /* return=1 fork=1 abort=0 */
}

int main(int argc, char **argv)
{
    printf("%d\n", fibonacci(15)); /* =1 */
    if (!setjmp(start)) /* =2 */
        dive(5);
    else
        sum = 5; /* =1 */
    each(10, add);
    fflush(stdout);
    return finish(argc > 1 ? argv[1][0] : 0);
}
