//! Trials in the memory of the plan, by its own process or by children: whatever they do to it, none of it is seen by the next, or by the plan.

use suspect::trial::{Change, End, Executor, Executors, Mutant, Override, Site, TestTrials, Worker, budget};

use crate::support::{Project, run_all, undisturbed, worker};

/// Does two of its deeds, which the mutants choose, and tells what it finds each time.
const PROGRAM: &str = r#"
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <fenv.h>
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

#define PAGE 4096
static int counter = 7;
static unsigned char table[5 * PAGE] = {1};
static unsigned char touched[3 * PAGE];
static unsigned char fresh[64 * PAGE];
static char *held[8];
static char *large;
static char *start;
static char *frame;
static volatile sig_atomic_t caught;
static volatile int zero;
static sigjmp_buf back;

static unsigned sum(const unsigned char *bytes, size_t length)
{
    unsigned all = 5381;
    for (size_t i = length % 512; i < length; i += 512)
        all = all * 33 + bytes[i];
    return all;
}

__attribute__((noinline)) static int deep(void)
{
    volatile char room[2 << 20];
    for (size_t i = 0; i < sizeof room; i += 256)
        room[i] = 0x5a;
    return room[sizeof room / 2];
}

__attribute__((noinline, no_sanitize("all"))) static int stale(void)
{
    volatile char room[(1 << 20) + (1 << 19)];
    int found = 0;
    for (size_t i = 0; i < 1 << 20; i += 512)
        found += room[i] != 0;
    return found;
}

static void handler(int signal)
{
    caught += signal;
}

static void near(int signal)
{
    char here;
    caught = &here < frame && frame - &here < 1 << 20 ? signal : -1;
}

static void jump(int signal)
{
    siglongjmp(back, signal);
}

static void on(int signal, void (*what)(int), int flags)
{
    struct sigaction action = {.sa_handler = what, .sa_flags = flags};
    sigaction(signal, &action, NULL);
}

static void *page(void)
{
    return mmap(NULL, 3 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static int endless(void)
{
    volatile unsigned rounds = 0;
    while (rounds + 1)
        rounds &= 1023;
    return (int)rounds;
}

__attribute__((noinline)) static int falls(int depth)
{
    volatile char room[1 << 16];
    room[0] = (char)depth;
    return falls(depth + 1) + room[0];
}

static int deed(int number)
{
    char text[64];
    unsigned char *bytes;
    sigset_t all;
    stack_t stack;
    switch (number) {
    case 1: counter = 99; table[4 * PAGE] = 3; touched[PAGE] = 4; return 0;
    case 2: held[3] = malloc(5000); memset(held[3], 9, 5000); return 0;
    case 3: bytes = malloc(1 << 18); memset(bytes, 8, 1 << 18); held[4] = (char *)bytes; return 0;
    case 4: free(large); large = NULL; return 0;
    case 5: return deep();
    case 6: return stale();
    case 7: bytes = sbrk(1 << 19); memset(bytes, 7, 1 << 19); return 0;
    case 8: bytes = sbrk(1 << 19); return (int)sum(bytes, 1 << 19);
    case 9: return sbrk(-3 * PAGE) != (void *)-1;
    case 10: for (int i = 0; i < 3; i++) { printf("line %d\n", i); fflush(stdout); } return 0;
    case 11: on(SIGUSR1, handler, 0); on(SIGUSR1, near, SA_NODEFER); raise(SIGUSR1); return caught;
    case 12: raise(SIGUSR1); return 1;
    case 13: return ((volatile int *)(long)zero)[2];
    case 14: abort();
    case 15: return endless();
    case 16: bytes = page(); bytes[1] = 2; mprotect(bytes, PAGE, PROT_READ); return bytes[1];
    case 17: bytes = page(); memset(bytes, 6, PAGE); return munmap(bytes, 3 * PAGE) + (int)((long)bytes / PAGE % PAGE);
    case 18: bytes = page(); number = (int)sum(bytes, 3 * PAGE); memset(bytes, 6, PAGE); return number + (int)((long)bytes / PAGE % PAGE);
    case 19: exit(3);
    case 20: return scanf("%60s", text) == 1 ? (int)strlen(text) : -1;
    case 21: fflush(stdout); close(1); return 0;
    case 22: setenv("SEEN", "yes", 1); errno = 33; srand(5); return rand();
    case 23: sigfillset(&all); sigprocmask(SIG_BLOCK, &all, NULL); puts("blocked"); return fflush(stdout);
    case 24: memset(fresh + 10 * PAGE, 1, 20 * PAGE); return 0;
    case 25: for (int i = 0; i < 200; i++) if (write(1, ".", 1) < 0) return 1; return 0;
    case 26: kill(getpid(), SIGTERM); return 1;
    case 27:
        stack.ss_sp = malloc(stack.ss_size = 1 << 16);
        stack.ss_flags = 0;
        sigaltstack(&stack, NULL);
        on(SIGSEGV, jump, SA_ONSTACK);
        if (sigsetjmp(back, 1))
            return 11;
        return ((volatile int *)(long)zero)[2];
    case 28: on(SIGSEGV, jump, 0); return sigsetjmp(back, 1) ? 11 : ((volatile int *)(long)zero)[2];
    case 29: large = realloc(large, 3 << 20); memset(large, 3, 3 << 20); return 0;
    case 30: return madvise(fresh, sizeof fresh, MADV_NORMAL);
    case 31: return open("/dev/null", O_WRONLY) < 0;
    case 32: return (int)syscall(186) == (int)getpid();
    case 33: alarm(100); return 0;
    case 34: return prctl(PR_SET_NAME, "another", 0, 0, 0);
    case 35: on(SIGUSR1, near, SA_ONSTACK); raise(SIGUSR1); return caught;
    case 36: return syscall(13, SIGUSR1, 0x7fffffffeff8, NULL, 8) == -1 && errno == EFAULT;
    case 37: return open("input.txt", O_RDONLY);
    case 38: for (int i = 0; i < 3; i++) number = open("input.txt", O_RDONLY); close(number - 1); return number + dup(0);
    case 39: fesetround(FE_UPWARD); return 0;
    case 40: sigemptyset(&all); sigaddset(&all, SIGUSR2); sigprocmask(SIG_BLOCK, &all, NULL); return 0;
    case 41: close(0); return open("input.txt", O_RDONLY);
    case 42: __builtin_trap();
    case 43: return falls(0);
    case 44: return close(77) + (read(0, text, 3) == 3 ? text[0] : -1) + (int)lseek(0, 0, SEEK_CUR);
    case 45: raise(SIGSTOP); return 0;
    case 46: __asm__ volatile("1: jmp 1b"); return 0;
    }
    return 0;
}

// Shows a number in what is counted of a trial, of whose output nothing is said but that it is another one.
static void show(unsigned number)
{
    static unsigned seen;
    seen = seen * 33 + number;
    for (volatile unsigned i = 0; i < seen % 1009; i++)
        ;
}

static void tell(void)
{
    show(counter + 3 * sum(table, sizeof table) + 5 * sum(touched, sizeof touched) + 7 * sum(fresh, sizeof fresh));
    sigset_t blocked;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    show((unsigned)fegetround() + 3 * (unsigned)sigismember(&blocked, SIGUSR2) + 5 * (unsigned)fcntl(0, F_GETFD));
    show((unsigned)((char *)sbrk(0) - start) + 3 * (unsigned)caught + 5 * (getenv("SEEN") != NULL) + 7 * (unsigned)errno);
    show(held[3] ? sum((unsigned char *)held[3], 5000) : 0);
    show(held[4] ? sum((unsigned char *)held[4], 1 << 18) : 0);
    show(large ? sum((unsigned char *)large, 1 << 18) : 0);
    printf("counter %d, errno %d\n", counter, errno);
    fflush(stdout);
}

// What a program may have set up before: handlers, perhaps on a stack of their own, a signal that is blocked and waits.
static int begin(int flags)
{
    static char room[1 << 16];
    stack_t stack = {.ss_sp = room, .ss_size = sizeof room};
    sigset_t waiting;
    sigemptyset(&waiting);
    sigaddset(&waiting, SIGUSR2);
    sigprocmask(SIG_BLOCK, &waiting, NULL);
    raise(SIGUSR2);
    if (flags)
        sigaltstack(&stack, NULL);
    on(SIGSEGV, jump, flags);
    on(SIGUSR1, near, flags);
    return 0;
}

int main(int argc, char **argv)
{
    char here;
    frame = &here;
    if (argc > 1 && (begin(strcmp(argv[1], "apart") ? 0 : SA_ONSTACK), sigsetjmp(back, 1))) {
        puts("caught");
        show(12);
        return 4;
    }
    start = sbrk(0);
    fesetround(FE_DOWNWARD);
    large = malloc(1 << 18);
    memset(large, 2, 1 << 18);
    memset(touched, 1, PAGE);
    for (int i = 0; i < 2; i++) {
        int which = zero;
        int result = deed(which);
        printf("%d: %d\n", i, result);
        show((unsigned)result);
        tell();
    }
    return 0;
}
"#;

/// The last of its deeds but those that go on until their time is up.
const LAST: u64 = 44;
const ENDLESS: [u64; 2] = [45, 46];
/// What only a fork can be given.
const FORKED: [u64; 11] = [4, 16, 23, 25, 27, 29, 30, 33, 34, 35, 36];
/// What no child of a plan may do.
const TREES: [u64; 1] = [31];
/// What needs a child, which may have its parent's memory.
const CHILDS: [u64; 3] = [28, 38, 41];

#[test]
fn what_a_trial_does_to_the_memory_of_its_plan_is_undone() {
    let _undisturbed = undisturbed();
    let mut worker = worker();
    for (modes, is_output) in [("trace", false), ("trace,mutants", true)] {
        let text = [("input.txt", "some words to read\n")];
        let project = Project::with_modes(modes, PROGRAM, &["./prog < input.txt"], &text);
        let trials = match is_output {
            true => project.prepare_output(&mut worker, 0).unwrap(),
            false => project.prepare(&mut worker, 0).unwrap(),
        };
        assert_eq!(trials.executor(), (Executor::Fork, None));
        let node = project.program.nodes.iter().position(|one| one.variable == "which").unwrap() as u32;
        let all = || (0..=LAST).flat_map(|first| (0..=LAST).map(move |second| [first, second]));
        let needs = |pair: &[u64; 2], what: &[u64]| pair.iter().any(|deed| what.contains(deed));
        let (forked, rest): (Vec<[u64; 2]>, Vec<[u64; 2]>) =
            all().skip(1).partition(|pair| needs(pair, &FORKED) || needs(pair, &TREES));
        let (child, mut in_place): (Vec<[u64; 2]>, Vec<[u64; 2]>) =
            rest.into_iter().partition(|pair| needs(pair, &CHILDS));
        // The others may end before what needs a child.
        let (lent, later): (Vec<[u64; 2]>, Vec<[u64; 2]>) =
            child.into_iter().partition(|pair| CHILDS.contains(&pair[0]));
        in_place.extend([[ENDLESS[1], 0], [0, 6], [ENDLESS[0], 0], [0, 6]]);
        // After a failure the next one is run another way, after two in a row the next three.
        let spaced = |pairs: Vec<[u64; 2]>| pairs.into_iter().flat_map(|pair| [pair, [1, 0], [1, 1]]).collect();
        for (pairs, executor, least) in [
            (in_place, Executor::InPlace, 0.9),
            (lent.clone(), Executor::Lent, 0.9),
            (later, Executor::Lent, 0.3),
            (spaced(lent), Executor::InPlace, 0.3),
            (spaced(forked), Executor::InPlace, 0.3),
        ] {
            let count = compare(&trials, &mut worker, node, &pairs, executor);
            eprintln!("{modes}: {count} of {} {executor:?}", pairs.len());
            assert!(count as f64 >= least * pairs.len() as f64, "{modes}: {count} of {} {executor:?}", pairs.len());
        }
    }
}

#[test]
fn what_the_program_has_set_up_before_is_found_by_each_trial() {
    let _undisturbed = undisturbed();
    let mut worker = worker();
    let text = [("input.txt", "some words to read\n")];
    let tests = ["./prog together < input.txt", "./prog apart < input.txt"];
    let project = Project::with_modes("trace,mutants", PROGRAM, &tests, &text);
    let node = project.program.nodes.iter().position(|one| one.variable == "which").unwrap() as u32;
    // Among them each that raises a signal, changes a handler, or asks what is blocked.
    let deeds = [1, 6, 11, 12, 13, 14, 19, 28, 35, 40, 42, 44];
    let pairs: Vec<[u64; 2]> = deeds.iter().flat_map(|first| deeds.map(|second| [*first, second])).collect();
    // A handler with a stack of its own is for a process of its own.
    for (test, executor) in [(0, Executor::InPlace), (1, Executor::Fork)] {
        let trials = project.prepare(&mut worker, test).unwrap();
        let count = compare(&trials, &mut worker, node, &pairs, executor);
        assert!(count > pairs.len() / 3, "{count} of {} {executor:?}", pairs.len());
    }
}

/// Has these pairs of deeds done by both executors, which must agree; how many of them one of the ways of a plan did.
fn compare(trials: &TestTrials, worker: &mut Worker, node: u32, pairs: &[[u64; 2]], counted: Executor) -> usize {
    let does = |(at, deed): (usize, &u64)| Override {
        site: Site::Node(node),
        instance: at as u64 + 1,
        change: Change::Set(*deed),
    };
    let mutant = |pair: &[u64; 2]| Mutant {
        overrides: pair.iter().enumerate().filter(|(_, deed)| **deed != 0).map(does).collect(),
    };
    let mutants: Vec<Mutant> = pairs.iter().map(mutant).collect();
    let budget = budget(trials.longest(), false);
    let trees = run_all(trials, worker, &mutants, Executors::Exec, budget);
    let children = run_all(trials, worker, &mutants, Executors::Fork, budget);
    let (mut count, mut wrong) = (0, Vec::new());
    for ((pair, tree), mut child) in pairs.iter().zip(&trees).zip(children) {
        let done = |what: &[u64]| what.contains(&pair[0]);
        let is_too_much = match child.executor {
            Executor::InPlace => done(&FORKED) || done(&CHILDS),
            Executor::Lent => done(&FORKED),
            _ => false,
        };
        let is_late = ENDLESS.contains(&pair[0]) && child.executor != Executor::InPlace;
        assert!(!is_late, "{pair:?} is ended where it runs, not by {:?}", child.executor);
        assert!(!is_too_much, "{pair:?} needs more than {:?}", child.executor);
        count += usize::from(child.executor == counted);
        child.executor = tree.executor;
        if child != *tree {
            wrong.push(format!("{pair:?}:\n{tree:?}\n{child:?}"));
        }
    }
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), pairs.len(), wrong.join("\n"));
    let unknown = trees.iter().filter(|one| one.end == End::Unknown).count();
    assert_eq!(unknown, pairs.iter().filter(|pair| ENDLESS.contains(&pair[0])).count());
    count
}
