/* A program whose versions differ: how is its first argument, the rest depends on that. */
#define _GNU_SOURCE
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* Sums that a vectoriser adds in another order. */
static __attribute__((noinline)) double squares(const double *values, int count)
{
    double sum = 0;
    for (int i = 0; i < count; i++)
        sum += values[i] * values[i];
    return sum;
}

static int digits(int seed)
{
    double values[96];
    for (int i = 0; i < 96; i++)
        values[i] = (seed + 0.1) / (i + 3);
    return printf("%.17g\n", squares(values, 96)) < 0;
}

static jmp_buf back;

static void refuse(int value)
{
    if (value > 10)
        longjmp(back, 1);
}

/* What `kept` is after the jump C leaves open. */
static int jump(int value)
{
    int kept = 1;
    if (setjmp(back) == 0) {
        kept = value + 1;
        refuse(value);
    }
    return printf("%d\n", kept) < 0;
}

struct walker {
    int (*left)(struct walker *, int), (*right)(struct walker *, int);
    int steps;
};

static int go_left(struct walker *walker, int depth)
{
    walker->steps++;
    return depth ? 1 + walker->right(walker, depth - 1) : 0;
}

static int go_right(struct walker *walker, int depth)
{
    walker->steps += 2;
    return depth ? 1 + walker->left(walker, depth - 1) : 0;
}

static int deep(int depth)
{
    struct walker walker = { go_left, go_right, 0 };
    return printf("%d\n", walker.left(&walker, depth)) < 0;
}

/* From now on this call ends the process. */
static void forbid(int call)
{
    struct sock_filter filter[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, call, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    struct sock_fprog program = { sizeof filter / sizeof *filter, filter };
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) || prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        exit(9);
}

/* Called by children alone. */
static __attribute__((noinline)) int worked(int value)
{
    return value > 5 ? value * 2 : value;
}

static int confined(int call, int value)
{
    int status;
    forbid(call);
    if (fork() == 0) {
        char text[16];
        _exit(write(1, text, snprintf(text, sizeof text, "%d\n", worked(value))) < 0);
    }
    return wait(&status) < 0 || status != 0;
}

/* Another user in another root directory works. */
static int elsewhere(const char *root, int value)
{
    int status;
    if ((root && (chroot(root) || chdir("/"))) || setgid(65534) || setuid(65534))
        return 8;
    if (fork() == 0) {
        printf("%d\n", worked(value));
        exit(0);
    }
    return wait(&status) < 0 || status != 0;
}

int main(int argc, char **argv)
{
    const char *how = argv[1];
    int value = argc > 2 ? atoi(argv[2]) : 0;
    if (strcmp(how, "digits") == 0)
        return digits(value);
    if (strcmp(how, "jump") == 0)
        return jump(value);
    if (strcmp(how, "deep") == 0)
        return deep(value);
    if (strcmp(how, "getpid") == 0)
        return confined(SYS_getpid, value);
    if (strcmp(how, "openat") == 0)
        return confined(SYS_openat, value);
    if (strcmp(how, "close") == 0)
        return confined(SYS_close, value);
    if (strcmp(how, "mmap") == 0)
        return confined(SYS_mmap, value);
    if (strcmp(how, "user") == 0)
        return elsewhere(NULL, value);
    if (strcmp(how, "jail") == 0)
        return elsewhere(".", value);
    return 9;
}
