/* Does as it is told by a number: what it does by default is harmless. */
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static int act(int what, const char *path) {
    int fd, answer = 0;
    switch (what) {
    case 0: return 0;
    case 1: return unlink(path);
    case 2: return rename(path, "taken.txt");
    case 3: return truncate(path, 0);
    case 4: return chmod(path, 0);
    case 5: return kill(-1, SIGKILL);
    case 6: return kill(getppid(), SIGKILL);
    case 7:
        for (;;) fork();
    case 8:
        fd = open(path, O_WRONLY | O_TRUNC);
        if (fd < 0) return -2;
        answer = (int)write(fd, "gone", 4);
        close(fd);
        return answer;
    case 9: return system("rm -rf precious; echo gone > precious.txt");
    case 10: return rmdir("precious");
    case 11: return symlink("/etc/passwd", "link");
    case 12: return close(1);
    case 13: return close(0) + close(2);
    case 14: return dup2(2, 1);
    case 15: raise(SIGTERM); return 15;
    case 16: abort();
    case 17: return raise(SIGUSR1);
    case 18: return mkdir("new", 0755);
    case 19: return setsid() < 0;
    case 20: return alarm(1);
    case 21: return ftruncate(1, 0);
    case 22: rewind(stdout); return 22;
    case 23: return (int)lseek(1, 0, SEEK_SET);
    case 24: return fork() == 0 ? 24 : (wait(&answer), 25);
    case 25: return execl("/bin/echo", "echo", "gone", (char *)0);
    case 26: return chdir("/") + unlink(path);
    case 27: return kill(0, SIGKILL);
    case 28: return kill(getpid(), SIGTERM);
    case 29: return fcntl(1, F_SETFL, O_APPEND);
    case 30: for (fd = 0; fd < 2000; fd++) close(fd); return 30;
    case 31: return nice(1);
    case 32: return (int)pwrite(1, "over", 4, 0);
    case 33: signal(SIGSYS, SIG_IGN); return unlink(path) + 33;
    case 34: { sigset_t all; sigfillset(&all); sigprocmask(SIG_BLOCK, &all, 0); return unlink(path) + 34; }
    case 35: _exit(35);
    case 36: exit(36);
    default: return what;
    }
}

/* The file is closed where no change comes again: what is in freed memory is another thing in each process. */
static int length(const char *path) {
    char line[64] = "";
    int total = 0;
    FILE *file = fopen(path, "r");
    if (!file) return 0;
    while (fgets(line, sizeof line, file)) total += (int)strlen(line);
    fclose(file);
    return total;
}

int main(int argc, char **argv) {
    const char *path = "precious.txt";
    char line[64] = "";
    int orders[4] = {0, 40, 0, 50};
    int total = 0;
    signal(SIGUSR1, SIG_IGN);
    printf("begin\n");
    fflush(stdout);
    if (fgets(line, sizeof line, stdin)) total += (int)strlen(line);
    for (int i = 0; i < 4; i++) {
        int what = orders[i];
        int answer = act(what, path);
        total += answer;
        printf("%d %d\n", i, answer);
    }
    if (fgets(line, sizeof line, stdin)) total += (int)strlen(line);
    total += length(path);
    printf("%d\n", total);
    return 0;
}
