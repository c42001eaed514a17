//! Trials as processes: budgets, forks, modules, threads, and files that are none.

#[allow(dead_code, reason = "each test needs a part of it")]
mod trial;

use suspect_format::site::NodeKind::{Assignment, Parameter, Predicate, Return};
use suspect_format::trial::{Change, PROCESS_APPLIED, PROCESS_CUT, PROCESS_STARTED};
use trial::Subject;

const LOOPS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
static void empty(void) {}
static void deep(int n) { volatile char room[16]; room[0] = n; if (n) deep(n); }
int main(int argc, char **argv)
{
    volatile int go = 0;
    int kind = argc > 1 ? atoi(argv[1]) : 0;
    printf("before\n");
    fflush(stdout);
    if (go && kind == 1)
        for (;;)
            ;
    if (go && kind == 2)
        for (int i = 0;; i++)
            go = i;
    if (go && kind == 3)
        for (;;)
            empty();
    if (go && kind == 4)
    again:
        goto again;
    if (go && kind == 5)
        deep(1);
    printf("after\n");
    return 0;
}
"#;

#[test]
fn a_budget_ends_every_loop_at_the_same_place() {
    let subject = Subject::new(LOOPS);
    let go = subject.node(Assignment, "go");
    for kind in ["1", "2", "3", "4"] {
        let oracle = subject.oracle(&[kind], "");
        let run = || oracle.change(go, Change::Set, 1).budget(50_000).run();
        let (one, other) = (run(), run());
        assert_eq!((one.how(), one.stdout.as_str()), ((Some(125), None), "before\n"), "{kind}");
        assert_eq!(one.processes[0].flags, PROCESS_STARTED | PROCESS_APPLIED | PROCESS_CUT);
        assert_eq!(one.processes[0].used, 50_000);
        assert_eq!(one.processes, other.processes);
    }
    let oracle = subject.oracle(&["5"], "");
    let deep = oracle.change(go, Change::Set, 1).budget(1 << 40).run();
    assert_eq!((deep.how(), deep.cut()), ((None, Some(11)), false));
}

#[test]
fn the_budget_is_exact() {
    let subject = Subject::new(LOOPS);
    let oracle = subject.oracle(&["0"], "");
    let used = oracle.trial().run().processes[0].used;
    assert!(!oracle.trial().budget(used).run().cut());
    let less = oracle.trial().budget(used - 1).run();
    assert_eq!((less.cut(), less.processes[0].used, less.how()), (true, used - 1, (Some(125), None)));
}

const FORKS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>
int leave(int code) { return code; }
int main(int argc, char **argv)
{
    int children = atoi(argv[1]), sum = 0, status;
    for (int i = 0; i < children; i++) {
        pid_t child = fork();
        if (child == 0)
            exit(leave(i + 1));
        waitpid(child, &status, 0);
        sum += WIFEXITED(status) ? WEXITSTATUS(status) : 100;
    }
    printf("%d\n", sum);
    return 0;
}
"#;

#[test]
fn forked_children_are_processes_of_the_trial() {
    let subject = Subject::new(FORKS);
    let oracle = subject.oracle(&["3"], "");
    assert_eq!((oracle.output.stdout.as_slice(), oracle.streams.len()), (&b"6\n"[..], 4));
    let same = oracle.trial().run();
    assert_eq!(same.next_process, 4);
    let pid = subject.node(Assignment, "child");
    for (index, process) in same.processes[..4].iter().enumerate() {
        assert_eq!(process.flags, PROCESS_STARTED, "{index}");
        let changed = |node: &u32| process.changed[*node as usize];
        // What it is called in one run is nothing that another run can repeat.
        let differ: Vec<u32> = (0..subject.model.nodes.len() as u32).filter(changed).collect();
        assert!(differ.iter().all(|node| *node == pid), "{index}: {differ:?}");
    }
    assert_eq!(same.processes[4].flags, 0);
    let code = subject.node(Parameter, "code");
    let override_all = oracle.change(code, Change::Set, 7).run();
    assert_eq!(override_all.stdout, "21\n");
    let applied: Vec<bool> = override_all.processes.iter().map(|one| one.flags & PROCESS_APPLIED != 0).collect();
    assert_eq!(applied, [false, true, true, true, false]);
    // An instance is counted in each process.
    assert_eq!(oracle.change(code, Change::Set, 7).instance(1).run().stdout, "21\n");
    assert_eq!(oracle.change(code, Change::Set, 7).instance(2).run().stdout, "6\n");
    // A budget is each process's own.
    let most = same.processes.iter().map(|process| process.used).max().unwrap();
    assert!(!oracle.trial().budget(most).run().cut());
}

#[test]
fn children_that_the_oracle_did_not_have_share_the_last_place() {
    let subject = Subject::new(FORKS);
    let oracle = subject.oracle(&["1"], "");
    let children = subject.node(Assignment, "children");
    let more = oracle.change(children, Change::Set, 3).run();
    assert_eq!((more.stdout.as_str(), more.next_process), ("6\n", 4));
    let last = &more.processes[2];
    let code = subject.node(Parameter, "code") as usize;
    assert_eq!((last.flags, last.changed[code], last.counts[code]), (PROCESS_STARTED, true, 2));
    let fewer = oracle.change(children, Change::Set, 0).run();
    assert_eq!((fewer.stdout.as_str(), fewer.next_process, fewer.processes[1].flags), ("0\n", 1, 0));
    assert!(fewer.processes[1].changed[code]);
}

#[test]
fn fork_bombs_end() {
    let source = r#"
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv)
{
    int go = 0;
    while (go)
        fork();
    return 0;
}
"#;
    let subject = Subject::new(source);
    let oracle = subject.oracle(&[], "");
    let go = subject.node(Assignment, "go");
    let bomb = oracle.change(go, Change::Set, 1).budget(2000).max_processes(8).run();
    assert!(bomb.cut() && bomb.next_process > 8, "{bomb:?}");
    assert_eq!(bomb.how(), (Some(125), None));
    // With no process left to it, not even the first one runs.
    let none = oracle.trial().max_processes(0).run();
    assert_eq!((none.how(), none.next_process), ((None, Some(9)), 1));
}

const LIBRARY: &str = r#"
int calls;
int thrice(int number) { calls++; return number * 3; }
int *counter(void) { return &calls; }
"#;
const USER: &str = r#"
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int thrice(int);
int *counter(void);
int *seen;
int main(int argc, char **argv)
{
    int value = thrice(argc);
    seen = counter();
    pid_t child = fork();
    if (child == 0)
        _exit(thrice(2));
    int status;
    waitpid(child, &status, 0);
    printf("%d %d %d\n", value, *seen, WEXITSTATUS(status));
    return 0;
}
"#;

#[test]
fn modules_of_a_process_share_the_trial() {
    let subject = Subject::with_library(USER, LIBRARY);
    let oracle = subject.oracle(&[], "");
    assert_eq!((oracle.output.stdout.as_slice(), oracle.streams.len()), (&b"3 1 6\n"[..], 2));
    let same = oracle.trial().run();
    let names = |process: usize| {
        let changed = &same.processes[process].changed;
        let nodes = subject.model.nodes.iter().zip(changed).filter(|(_, changed)| **changed);
        nodes.map(|(node, _)| node.expression.as_str()).collect::<Vec<_>>()
    };
    assert_eq!((same.next_process, names(0), names(1)), (2, vec!["child"], vec![]));
    // The address of the library's variable is the same for both.
    let seen = oracle.values(subject.node(Assignment, "seen"))[0];
    let given = oracle.values(subject.node(Return, "&calls"))[0];
    assert_eq!(seen, given);
    let number = subject.node(Parameter, "number");
    assert_eq!(oracle.change(number, Change::Add, 1).run().stdout, "6 1 9\n");
    assert_eq!(oracle.change(subject.node(Assignment, "value"), Change::Set, 9).run().stdout, "9 1 6\n");
}

#[test]
fn threads_share_the_trial_without_harm() {
    let source = r#"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static _Atomic long total;
static void *work(void *data)
{
    long sum = 0;
    for (int i = 0; i < 20000; i++) {
        char *text = strdup(i % 2 ? "odd" : "even");
        int *number = malloc(sizeof *number * (1 + i % 50));
        *number = i;
        sum += *number + strlen(text);
        free(number);
        free(text);
    }
    total += sum;
    return data;
}
int main(void)
{
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], 0, work, 0);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], 0);
    printf("%ld\n", (long)total);
    return 0;
}
"#;
    let subject = Subject::new(source);
    let oracle = subject.oracle(&[], "");
    assert_eq!(oracle.output.stdout, b"800240000\n".as_slice());
    for _ in 0..5 {
        let outcome = oracle.trial().budget(1 << 40).run();
        assert_eq!((outcome.stdout.as_str(), outcome.how()), ("800240000\n", (Some(0), None)));
    }
    let texts = subject.node(Assignment, "text");
    let outcome = oracle.text(texts, "four").budget(1 << 40).run();
    assert_eq!((outcome.stdout.as_str(), outcome.how()), ("800280000\n", (Some(0), None)));
}

#[test]
fn locals_start_as_zero() {
    let source = r#"
#include <stdio.h>
#include <string.h>
struct pair { int one; char rest[30]; };
static __attribute__((noinline)) void dirty(void)
{
    volatile char room[2000];
    memset((void *)room, 0x5a, sizeof room);
}
static __attribute__((noinline)) int sum(int n)
{
    int alone, array[20], variable[n];
    double number;
    struct pair pair;
    long total = alone + (number != 0) + pair.one + pair.rest[29];
    for (int i = 0; i < n; i++)
        total += array[i] + variable[i];
    return total;
}
int main(void)
{
    dirty();
    printf("%d\n", sum(20));
    return 0;
}
"#;
    let subject = Subject::with_flags(source, &["-O0"]);
    assert_ne!(subject.plain(&[], "").stdout, b"0\n");
    assert_eq!(subject.oracle(&[], "").output.stdout, b"0\n");
}

#[test]
fn what_cannot_happen_ends_the_process() {
    let source = r#"
#include <stdio.h>
#include <stdlib.h>
int pick(int which)
{
    switch (which) {
    case 0: return 1;
    case 1: return 2;
    }
    __builtin_unreachable();
}
int next(void) { puts("never"); return 3; }
int main(int argc, char **argv) { printf("%d\n", pick(argc)); return 0; }
"#;
    let subject = Subject::new(source);
    let oracle = subject.oracle(&[], "");
    let outcome = oracle.change(subject.node(Parameter, "which"), Change::Set, 2).run();
    assert_eq!((outcome.how(), outcome.stdout.as_str()), ((None, Some(4)), ""));
    let shown = subject.nodes(Predicate, "which");
    assert!(shown.is_empty());
}

#[test]
fn a_file_that_is_no_trial_leaves_the_program_alone() {
    let subject = Subject::new(LOOPS);
    for content in [&b""[..], b"no trial", &[0; 8192], b"SUSTRIAL"] {
        let output = subject.with_trial_file(content);
        assert_eq!((output.status.code(), output.stdout.as_slice()), (Some(0), &b"before\nafter\n"[..]));
    }
    let oracle = subject.oracle(&["0"], "");
    let good = oracle.trial().bytes();
    let output = subject.with_trial_file(&good[..good.len() - 1]);
    assert_eq!(output.status.code(), Some(0));
    for offset in (8..112).step_by(4) {
        let mut bad = good.clone();
        bad[offset..offset + 4].fill(0xff);
        let output = subject.with_trial_file(&bad);
        assert!(output.status.code().is_some(), "{offset}: {output:?}");
    }
}
