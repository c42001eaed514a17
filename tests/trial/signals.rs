//! Signals that a trial sends itself: they are handled where those of any process are, in whichever way the trial is run.

use suspect::trial::{Change, End, Executor, Executors, Mutant, Override, Site};

use crate::support::{Project, run_all, undisturbed, worker};

/// Does the deed that a mutant chooses, and ends with what it came to.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <poll.h>
#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/select.h>
#include <sys/syscall.h>
#include <ucontext.h>
#include <unistd.h>

static char *frame;
static volatile unsigned order;
static volatile long depth;
static volatile int zero;
static sigjmp_buf back;

// On the stack of the code that the signal came to.
static int is_near(char *here)
{
    depth = frame - here;
    return depth > 0 && depth < 1 << 20;
}

static void note(int signal)
{
    char here;
    order = order * 16 + (is_near(&here) ? signal : 15);
}

static void jump(int signal)
{
    note(signal);
    siglongjmp(back, 1);
}

static void skip(int signal)
{
    note(signal);
    longjmp(back, 1);
}

__attribute__((noinline)) static void greedy(int signal)
{
    volatile char room[300000];
    for (size_t i = 0; i < sizeof room; i += 64)
        room[i] = (char)signal;
    note(room[0]);
}

static void nested(int signal)
{
    order = order * 16 + 1;
    raise(SIGUSR2);
    note(signal);
}

static void blocked(int signal, siginfo_t *info, void *context)
{
    ucontext_t *at = context;
    order = sigismember(&at->uc_sigmask, SIGUSR2) * 4 + sigismember(&at->uc_sigmask, SIGUSR1) * 2 + (info->si_pid == getpid());
    (void)signal;
}

static void on(int signal, void (*what)(int), int flags, int also)
{
    struct sigaction action = {.sa_handler = what, .sa_flags = flags};
    if (also)
        sigaddset(&action.sa_mask, also);
    sigaction(signal, &action, NULL);
}

static sigset_t set_of(int first, int second)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, first);
    if (second)
        sigaddset(&set, second);
    return set;
}

static int is_blocked(int signal)
{
    sigset_t set;
    sigprocmask(SIG_SETMASK, NULL, &set);
    return sigismember(&set, signal);
}

static int is_pending(int signal)
{
    sigset_t set;
    sigpending(&set);
    return sigismember(&set, signal);
}

static int deed(int number)
{
    struct sigaction action = {.sa_sigaction = blocked, .sa_flags = SA_SIGINFO};
    struct timespec now = {0, 0};
    sigset_t set, old;
    switch (number) {
    case 1: on(SIGUSR1, note, 0, 0); raise(SIGUSR1); return order;
    case 2: on(SIGUSR1, note, 0, 0); kill(getpid(), SIGUSR1); return order;
    case 3: on(SIGUSR1, greedy, 0, 0); raise(SIGUSR1); return order;
    case 4: on(SIGUSR2, note, 0, 0); on(SIGUSR1, nested, 0, 0); raise(SIGUSR1); return order & 0xff;
    case 5: on(SIGUSR2, note, 0, 0); on(SIGUSR1, nested, 0, 0); raise(SIGUSR1); return order >> 4;
    case 6: on(SIGABRT, jump, 0, 0); if (!sigsetjmp(back, 1)) abort(); return order * 2 + is_blocked(SIGABRT);
    case 7: on(SIGUSR1, skip, 0, 0); if (!setjmp(back)) raise(SIGUSR1); return order * 2 + is_blocked(SIGUSR1);
    case 8: on(SIGABRT, note, 0, 0); abort();
    case 9: sigaction(SIGUSR1, &action, NULL); raise(SIGUSR1); return order;
    case 10:
        set = set_of(SIGUSR2, 0);
        sigaction(SIGUSR1, &action, NULL);
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGUSR1);
        return order;
    case 13: signal(SIGUSR1, SIG_IGN); raise(SIGUSR1); return 40 + is_pending(SIGUSR1);
    case 14:
        set = set_of(SIGUSR1, 0);
        errno = 0;
        return (syscall(SYS_rt_sigprocmask, 7, NULL, NULL, 8) == 0)
            + 2 * (syscall(SYS_rt_sigprocmask, 7, &set, NULL, 8) == -1 && errno == EINVAL)
            + 4 * (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, NULL, 4) == -1 && errno == EINVAL)
            + 8 * (syscall(SYS_rt_sigprocmask, SIG_BLOCK, &set, (void *)8, 8) == -1 && errno == EFAULT)
            + 16 * is_blocked(SIGUSR1)
            + 32 * (syscall(SYS_rt_sigpending, (void *)8, 8) == -1 && errno == EFAULT);
    case 15: raise(SIGTERM); return 1;
    // From here on the handler is one that the plan needs, or a signal waits.
    case 18: on(SIGFPE, jump, 0, 0); if (!sigsetjmp(back, 1)) return 7 / zero; return order;
    case 19: on(SIGSEGV, jump, 0, 0); if (!sigsetjmp(back, 1)) raise(SIGSEGV); return order;
    case 20:
        set = set_of(SIGUSR1, 0);
        on(SIGUSR1, note, 0, 0);
        sigprocmask(SIG_BLOCK, &set, &old);
        raise(SIGUSR1);
        number = order * 4 + is_pending(SIGUSR1) * 2 + is_pending(SIGUSR2);
        sigprocmask(SIG_SETMASK, &old, NULL);
        return number * 16 + order;
    case 21:
        set = set_of(SIGUSR1, SIGUSR2);
        on(SIGUSR1, note, 0, SIGUSR2);
        on(SIGUSR2, note, 0, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGUSR2);
        raise(SIGUSR1);
        sigprocmask(SIG_UNBLOCK, &set, NULL);
        return order;
    case 22: on(SIGUSR2, note, 0, 0); on(SIGUSR1, nested, 0, SIGUSR2); raise(SIGUSR1); return order & 0xff;
    case 23:
        set = set_of(SIGUSR1, 0);
        signal(SIGUSR1, SIG_IGN);
        sigprocmask(SIG_BLOCK, &set, NULL);
        raise(SIGUSR1);
        return 50 + is_pending(SIGUSR1);
    // From here on it is waited for.
    case 30:
    case 31:
        set = set_of(SIGUSR1, 0);
        on(SIGUSR1, note, 0, 0);
        sigprocmask(SIG_BLOCK, &set, &old);
        raise(SIGUSR1);
        errno = 0;
        number = number == 30 ? ppoll(NULL, 0, &now, &old) : pselect(0, NULL, NULL, NULL, &now, &old);
        return order * 8 + (number == -1 && errno == EINTR) * 2 + is_blocked(SIGUSR1);
    }
    return 0;
}

// Shows a number in what is counted of a trial.
static void show(unsigned long number)
{
    for (volatile unsigned long i = 0; i < number % 1009; i++)
        ;
}

int main(void)
{
    char here;
    frame = &here;
    int which = zero;
    int result = deed(which);
    show((unsigned long)depth);
    return result & 0xff;
}
"#;

const USR1: u64 = 10;
const USR2: u64 = 12;

#[test]
fn what_a_trial_sends_itself_is_handled_on_the_stack_of_the_program() {
    let _undisturbed = undisturbed();
    let mut worker = worker();
    let exited = |status: u64| End::Exited((status & 0xff) as i32);
    let in_place = [
        (1, exited(USR1)),
        (2, exited(USR1)),
        (3, exited(USR1)),
        (4, exited(USR2 << 4 | USR1)),
        (5, exited(1 << 4 | USR2)),
        (6, exited(6 * 2)),
        (7, exited(USR1 * 2 + 1)),
        (8, End::Signalled(6)),
        (9, exited(1)),
        (10, exited(5)),
        (13, exited(40)),
        (14, exited(63)),
        (15, End::Signalled(15)),
    ];
    let lent = [
        (18, exited(8)),
        (19, exited(11)),
        (20, exited(2 << 4 | USR1)),
        (21, exited(USR1 << 4 | USR2)),
        (22, exited(USR1 << 4 | USR2)),
        (23, exited(51)),
    ];
    let forked = [(30, exited(USR1 * 8 + 3)), (31, exited(USR1 * 8 + 3))];
    for modes in ["trace", "trace,mutants"] {
        let project = Project::with_modes(modes, PROGRAM, &["./prog"], &[]);
        let trials = match modes {
            "trace" => project.prepare(&mut worker, 0).unwrap(),
            _ => project.prepare_output(&mut worker, 0).unwrap(),
        };
        let node = project.program.nodes.iter().position(|one| one.variable == "which").unwrap() as u32;
        let of = |deed: u64| Mutant::from(Override { site: Site::Node(node), instance: 0, change: Change::Set(deed) });
        let budget = 100_000;
        for (deeds, executor) in
            [(&in_place[..], Executor::InPlace), (&lent, Executor::Lent), (&forked, Executor::Fork)]
        {
            let mutants: Vec<Mutant> = deeds.iter().map(|(deed, _)| of(*deed)).collect();
            let trees = run_all(&trials, &mut worker, &mutants, Executors::Exec, budget);
            let children = run_all(&trials, &mut worker, &mutants, Executors::Fork, budget);
            for (((deed, end), tree), mut child) in deeds.iter().zip(trees).zip(children) {
                assert_eq!((tree.end, child.executor), (*end, executor), "{modes}: deed {deed}");
                child.executor = tree.executor;
                assert_eq!(child, tree, "{modes}: deed {deed}");
            }
        }
    }
}
