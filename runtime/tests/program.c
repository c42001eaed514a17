/* A program with hand-made hooks that does what its first argument says. */
#define _GNU_SOURCE
#include "unit.h"
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/wait.h>
#include <unistd.h>

UNIT(0x1111111111111111, 16, 8);

enum { START, LOOP, CHILD, PARENT, THREAD_0, AFTER = THREAD_0 + 4, EARLY };

static int errno_at_start = -1;

__attribute__((constructor(101))) static void early(void)
{
    errno_at_start = errno;
    COUNT(EARLY);
}

static void *count_in_thread(void *counter)
{
    for (int i = 0; i < 100000; i++)
        COUNT((intptr_t)counter);
    return 0;
}

static void *log_in_thread(void *slot)
{
    for (uint64_t i = 0; i < 1000; i++)
        __suspect_node((uint64_t *)&unit_words[16 + (intptr_t)slot], i);
    return 0;
}

static void in_threads(void *(*function)(void *), intptr_t first)
{
    pthread_t threads[4];
    for (intptr_t i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, function, (void *)(first + i));
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
}

static int forked(int n_children)
{
    int bad = 0;
    for (int i = 0; i < n_children; i++) {
        errno = 77;
        pid_t child = fork();
        if (child == 0) {
            int kept = errno == 77;
            COUNT(CHILD);
            _exit(kept ? 0 : 1);
        }
        bad |= errno != 77;
        COUNT(PARENT);
        int status;
        waitpid(child, &status, 0);
        bad |= status;
    }
    return bad != 0;
}

static int library(const char *path, int close_it)
{
    void *handle = dlopen(path, RTLD_NOW);
    if (!handle) {
        fprintf(stderr, "%s\n", dlerror());
        return 1;
    }
    int (*function)(int) = (int (*)(int))dlsym(handle, "twice");
    int bad = function(21) != 42;
    if (close_it)
        dlclose(handle);
    return bad | forked(1);
}

int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "return";
    COUNT(START);
    for (int i = 0; i < 1000; i++)
        COUNT(LOOP);
    if (!strcmp(what, "_exit"))
        _exit(0);
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "segv"))
        *(volatile int *)8 = 1;
    if (!strcmp(what, "kill"))
        kill(getpid(), SIGKILL);
    if (!strcmp(what, "spin"))
        for (;;)
            COUNT(LOOP);
    if (!strcmp(what, "exec"))
        execl("/proc/self/exe", argv[0], "return", (char *)0);
    if (!strcmp(what, "fork"))
        return forked(1);
    if (!strcmp(what, "storm"))
        return forked(200);
    if (!strcmp(what, "threads"))
        in_threads(count_in_thread, THREAD_0);
    if (!strcmp(what, "log"))
        in_threads(log_in_thread, 0);
    if (!strcmp(what, "vfork")) {
        pid_t child = vfork();
        if (child == 0)
            _exit(0);
        waitpid(child, 0, 0);
    }
    if (!strcmp(what, "closed")) {
        for (int fd = 0; fd < 1024; fd++)
            close(fd);
        COUNT(AFTER);
        return forked(1);
    }
    if (!strcmp(what, "lowest")) /* No descriptor is kept. */
        return open("/dev/null", O_RDONLY) != 3;
    if (!strcmp(what, "chroot"))
        return chroot(argv[2]) != 0 || chdir("/") != 0 || forked(1);
    if (!strcmp(what, "errno"))
        return errno_at_start != 0;
    if (!strcmp(what, "secure"))
        return getauxval(AT_SECURE) ? 0 : 9;
    if (!strcmp(what, "mode"))
        return (int)__suspect_mode;
    if (!strcmp(what, "dlopen"))
        return library(argv[2], 0);
    if (!strcmp(what, "dlclose"))
        return library(argv[2], 1);
    if (!strcmp(what, "nonlocal")) {
        static jmp_buf buffer;
        if (!setjmp(buffer)) {
            if (__suspect_mode)
                __suspect_state[STATE_NONLOCAL] = 1;
            longjmp(buffer, 1);
        }
    }
    CLEAN();
    return 0;
}
