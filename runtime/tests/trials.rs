//! Trials of real programs: values are overridden and compared as the trial file says.

#[allow(dead_code, reason = "each test needs a part of it")]
mod trial;

use suspect_format::site::NodeKind::{Assignment, Parameter, Predicate, Return, Switch};
use suspect_format::trial::{Change, PROCESS_STARTED};
use trial::{Outcome, Subject};

const SUM: &str = r#"
#include <stdio.h>
int twice(int x) { return x + x; }
int main(int argc, char **argv)
{
    int c, sum = 0, lines = 0;
    while ((c = getchar()) != EOF) {
        sum += twice(c - '0');
        if (c == '\n')
            lines++;
    }
    printf("%d %d\n", sum, lines);
    return 0;
}
"#;

#[test]
fn a_trial_without_override_is_the_oracle() {
    let subject = Subject::new(SUM);
    let oracle = subject.oracle(&[], "123");
    assert_eq!(oracle.output.stdout, b"12 0\n");
    let outcome = oracle.trial().run();
    assert_eq!((outcome.stdout.as_str(), outcome.how()), ("12 0\n", (Some(0), None)));
    assert_eq!((outcome.changed(), outcome.applied(), outcome.next_process), (vec![], false, 1));
    assert_eq!(outcome.processes[0].flags, PROCESS_STARTED);
    assert!(outcome.processes[0].counts.iter().sum::<u64>() > 20);
}

#[test]
fn the_value_of_an_assignment_is_what_the_variable_then_holds() {
    let subject = Subject::new(SUM);
    let oracle = subject.oracle(&[], "123");
    let c = subject.node(Assignment, "c");
    assert_eq!(oracle.values(c), [49, 50, 51, 0xffff_ffff]);
    // The loop's condition sees the override, too.
    let outcome = oracle.change(c, Change::Set, 0xffff_ffff).instance(2).run();
    assert_eq!((outcome.stdout.as_str(), outcome.applied()), ("2 0\n", true));
    assert_eq!(outcome.processes[0].counts[c as usize], 2);
}

const KINDS: &str = r#"
#include <stdbool.h>
#include <stdio.h>
enum colour { RED, GREEN, BLUE };
struct fields { unsigned low : 3; int middle : 5; unsigned long long wide : 40; bool flag : 1; };
struct fields fields;
signed char i8; unsigned char u8; char letter; short i16; unsigned short u16; int i32; unsigned u32;
long i64; unsigned long u64; float f32; double f64; bool truth; enum colour colour; _Atomic int atomic;
long double wide; __int128 huge; volatile int shy; const char *text;
int main(void)
{
    i8 = -3; u8 = 200; letter = 'a'; i16 = -300; u16 = 60000; i32 = -5; u32 = 7u;
    i64 = -9000000000; u64 = 10; f32 = 1.5f; f64 = -2.25; truth = true; colour = GREEN;
    fields.low = 5; fields.middle = -7; fields.wide = 1ull << 39; fields.flag = 1;
    atomic = 4; atomic += 3; shy = 8; wide = 2.5L; huge = 3; text = "text";
    printf("i8 %d\nu8 %d\nletter %c\ni16 %d\nu16 %d\ni32 %d\nu32 %u\n", i8, u8, letter, i16, u16, i32, u32);
    printf("i64 %ld\nu64 %lu\nf32 %g\nf64 %g\ntruth %d\ncolour %d\n", i64, u64, f32, f64, truth, colour);
    printf("fields.low %d\nfields.middle %d\n", fields.low, fields.middle);
    printf("fields.wide %llu\nfields.flag %d\n", (unsigned long long)fields.wide, fields.flag);
    printf("atomic %d\nshy %d\nwide %Lg\nhuge %d\ntext %s\n", atomic, shy, wide, (int)huge, text);
    return 0;
}
"#;

#[test]
fn values_of_every_kind_and_width_are_overridden() {
    use Change::{Add, Flip, Negate, Set};
    let subject = Subject::new(KINDS);
    let oracle = subject.oracle(&[], "");
    let before = String::from_utf8(oracle.output.stdout.clone()).unwrap();
    let number = |bits: f64| bits.to_bits();
    let single = |bits: f32| u64::from(bits.to_bits());
    for (expression, change, operand, value) in [
        ("i8", Set, 0x7f, "127"),
        ("i8", Set, 0x1234, "52"),
        ("i8", Add, 100, "97"),
        ("i8", Negate, 0, "3"),
        ("u8", Add, 100, "44"),
        ("u8", Negate, 0, "56"),
        ("letter", Set, u64::from(b'z'), "z"),
        ("i16", Negate, 0, "300"),
        ("u16", Add, 10000, "4464"),
        ("i32", Set, 0x8000_0000, "-2147483648"),
        ("i32", Add, u64::MAX, "-6"),
        ("i32", Negate, 0, "5"),
        ("u32", Negate, 0, "4294967289"),
        ("i64", Add, 1, "-8999999999"),
        ("u64", Negate, 0, "18446744073709551606"),
        ("f32", Set, single(-0.5), "-0.5"),
        ("f32", Add, single(0.25), "1.75"),
        ("f32", Negate, 0, "-1.5"),
        ("f64", Set, number(1e300), "1e+300"),
        ("f64", Add, number(-1.0), "-3.25"),
        ("f64", Negate, 0, "2.25"),
        ("f64", Flip, 0, "0"),
        ("truth", Flip, 0, "0"),
        ("colour", Set, 2, "2"),
        ("fields.low", Set, 2, "2"),
        ("fields.low", Add, 4, "1"),
        ("fields.middle", Negate, 0, "7"),
        ("fields.middle", Set, 0x10, "-16"),
        ("fields.wide", Add, 5, "549755813893"),
        ("fields.flag", Flip, 0, "0"),
        ("atomic", Set, 1, "4"),
        ("shy", Add, 1, "9"),
    ] {
        let node = subject.node(Assignment, expression);
        let outcome = oracle.change(node, change, operand).run();
        let line = |text: &str| format!("{expression} {text}\n");
        let old = before.lines().find_map(|line| line.strip_prefix(&format!("{expression} "))).unwrap();
        assert_eq!(outcome.stdout, before.replace(&line(old), &line(value)), "{expression} {change:?} {operand:x}");
        assert!(outcome.applied() && outcome.changed().contains(&node), "{expression}");
    }
    let updated = subject.nodes(Assignment, "atomic")[1];
    let outcome = oracle.change(updated, Set, 20).run();
    assert_eq!((outcome.stdout.clone(), outcome.changed()), (before.replace("atomic 7", "atomic 20"), vec![updated]));
}

#[test]
fn what_is_wider_than_a_word_is_seen_and_kept() {
    let subject = Subject::new(KINDS);
    let oracle = subject.oracle(&[], "");
    for expression in ["wide", "huge"] {
        let node = subject.node(Assignment, expression);
        assert_eq!(oracle.values(node).len(), 1);
        let outcome = oracle.change(node, Change::Set, 77).run();
        assert_eq!(outcome.stdout.as_bytes(), oracle.output.stdout);
    }
}

#[test]
fn an_override_that_changes_nothing_is_not_applied() {
    let subject = Subject::new(KINDS);
    let oracle = subject.oracle(&[], "");
    for (expression, change, operand) in [
        ("i32", Change::Set, 0xffff_fffb),
        ("i8", Change::Add, 0x100),
        ("truth", Change::Set, 1),
        ("f64", Change::Set, (-2.25f64).to_bits()),
        ("i32", Change::Text, 0),
    ] {
        let outcome = oracle.change(subject.node(Assignment, expression), change, operand).run();
        assert!(!outcome.applied() && outcome.changed().is_empty(), "{expression} {change:?}");
    }
}

const ADDRESSES: &str = r#"
#include <stdio.h>
struct list { int value; struct list *next; };
static int sum(struct list *first)
{
    int sum = 0;
    for (struct list *at = first; at; at = at->next)
        sum += at->value;
    return sum;
}
static struct list *find(struct list *from, int value)
{
    while (from && from->value != value)
        from = from->next;
    return from;
}
static int twice(int x) { return 2 * x; }
int main(void)
{
    struct list c = {3, 0}, b = {2, &c}, a = {1, &b};
    int x = 5, *p, *q, (*function)(int);
    const char *name;
    p = &x;
    x = 6;
    q = p;
    function = twice;
    name = "name";
    printf("x %d p %d q %d\n", x, p ? *p : 0, q ? *q : 0);
    printf("sum %d\nfound %d\n", sum(&a), find(&a, 2) == &b);
    printf("function %d\nname %s\n", function ? function(4) : 0, name ? name : "none");
    return 0;
}
"#;

#[test]
fn addresses_can_become_null_and_nothing_else() {
    let subject = Subject::new(ADDRESSES);
    let oracle = subject.oracle(&[], "");
    let plain = "x 6 p 6 q 6\nsum 6\nfound 1\nfunction 8\nname name\n";
    assert_eq!(String::from_utf8_lossy(&oracle.output.stdout), plain);
    let steps = subject.nodes(Assignment, "at");
    for (node, instance, from, to) in [
        // Where `x` lies is not the assignment's alone.
        (subject.node(Assignment, "p"), 0, "p 6 q 6", "p 0 q 0"),
        (subject.node(Assignment, "q"), 0, "p 6 q 6", "p 6 q 0"),
        (subject.node(Assignment, "function"), 0, "function 8", "function 0"),
        (subject.node(Assignment, "name"), 0, "name name", "name none"),
        (subject.node(Parameter, "first"), 0, "sum 6", "sum 0"),
        (steps[0], 1, "sum 6", "sum 0"),
        (steps[1], 1, "sum 6", "sum 1"),
        (steps[1], 2, "sum 6", "sum 3"),
        (subject.node(Return, "from"), 0, "found 1", "found 0"),
    ] {
        let outcome = oracle.change(node, Change::Set, 0).instance(instance).run();
        assert_eq!(outcome.stdout, plain.replace(from, to), "{node} {instance}");
        assert!(outcome.applied() && outcome.changed().contains(&node), "{node} {instance}");
    }
    // The last one is null already.
    let outcome = oracle.change(steps[1], Change::Set, 0).instance(3).run();
    assert!(!outcome.applied() && outcome.changed().is_empty());
    let outcome = oracle.change(subject.node(Parameter, "from"), Change::Set, 0).run();
    assert_eq!((outcome.stdout, outcome.status.code()), (plain.replace("found 1", "found 0"), Some(0)));
}

const CONTROL: &str = r#"
#include <stdio.h>
#include <stdbool.h>
struct bits { unsigned kind : 4; int level : 3; } bits;
int plus(int a, int b) { return a + b; }
int pick(int which)
{
    switch (which) {
    case 1: return 10;
    case 2: return 20;
    default: return 30;
    }
}
double half(double x) { return x / 2; }
int show(int shown, bool also) { return shown + also; }
int same(int x) { return x; }
int main(int argc, char **argv)
{
    int a = argc, b, chosen;
    bool is, both;
    if (a == 1)
        puts("one");
    if (a == 1 && argv[0])
        puts("both");
    both = a == 2 || argc > 4;
    chosen = a > 5 ? 1 : 2;
    if ((is = a))
        puts("is");
    if ((bits.kind = a + 3) == 4)
        puts("kind");
    if ((bits.level = -a) < 0)
        puts("level");
    printf("%d %d %d %d\n", both, chosen, plus(a, 1), pick(2));
    printf("%g %d\n", half(3), show(b = same(4), a > 0 && argc < 9));
    printf("%d\n", b);
    return 0;
}
"#;

fn lines(outcome: &Outcome) -> Vec<&str> {
    outcome.stdout.lines().collect()
}

#[test]
fn control_follows_the_override() {
    let subject = Subject::new(CONTROL);
    let oracle = subject.oracle(&[], "");
    let expected = ["one", "both", "is", "kind", "level", "0 2 2 20", "1.5 5", "4"];
    assert_eq!(lines(&oracle.trial().run()), expected);
    let with = |kind, expression, change, operand| oracle.change(subject.node(kind, expression), change, operand).run();
    let without = |gone: &[&str]| -> Vec<&str> { expected.into_iter().filter(|line| !gone.contains(line)).collect() };
    assert_eq!(lines(&with(Predicate, "a == 1", Change::Flip, 0)), without(&["one"]));
    assert_eq!(lines(&with(Predicate, "argv[0] != NULL", Change::Flip, 0)), without(&["both"]));
    let phi = with(Predicate, "argc > 4", Change::Set, 1);
    assert!(lines(&phi).contains(&"1 2 2 20"), "{phi:?}");
    // One bit of a condition counts.
    assert!(!with(Predicate, "a > 5", Change::Set, 0xfffe).applied());
    assert!(lines(&with(Predicate, "a > 5", Change::Set, 0xffff)).contains(&"0 1 2 20"));
    assert_eq!(lines(&with(Assignment, "is", Change::Flip, 0)), without(&["is"]));
    assert_eq!(lines(&with(Assignment, "bits.kind", Change::Set, 5)), without(&["kind"]));
    assert_eq!(lines(&with(Assignment, "bits.level", Change::Set, 1)), without(&["level"]));
    assert!(lines(&with(Switch, "which", Change::Set, 1)).contains(&"0 2 2 10"));
    assert!(lines(&with(Parameter, "b", Change::Add, 7)).contains(&"0 2 9 20"));
    assert!(lines(&with(Return, "a + b", Change::Negate, 0)).contains(&"0 2 -2 20"));
    assert!(lines(&with(Return, "x / 2", Change::Negate, 0)).contains(&"-1.5 5"));
    assert!(lines(&with(Parameter, "also", Change::Flip, 0)).contains(&"1.5 4"));
}

#[test]
fn the_value_of_an_assignment_reaches_other_blocks() {
    let subject = Subject::new(CONTROL);
    let oracle = subject.oracle(&[], "");
    let outcome = oracle.change(subject.node(Assignment, "b"), Change::Set, 40).run();
    let lines = lines(&outcome);
    assert!(lines.contains(&"1.5 41") && lines.contains(&"40"), "{lines:?}");
}

#[test]
fn one_instance_is_overridden() {
    let subject = Subject::new(SUM);
    let oracle = subject.oracle(&[], "111");
    let twice = subject.node(Return, "x + x");
    let outputs = [(0, "300 0\n"), (1, "104 0\n"), (2, "104 0\n"), (3, "104 0\n"), (4, "6 0\n")];
    for (instance, output) in outputs {
        let outcome = oracle.change(twice, Change::Set, 100).instance(instance).run();
        assert_eq!((outcome.stdout.as_str(), outcome.applied()), (output, instance != 4), "{instance}");
    }
}

#[test]
fn longer_shorter_and_missing_trajectories_differ() {
    let subject = Subject::new(SUM);
    let oracle = subject.oracle(&[], "12\n4");
    let (c, lines, printed) =
        (subject.node(Assignment, "c"), subject.node(Assignment, "lines"), subject.node(Return, "0"));
    let (sum, twice) = (subject.nodes(Assignment, "sum")[1], subject.node(Parameter, "x"));
    // It stops early: shorter trajectories, equal as far as they go.
    let shorter = oracle.change(c, Change::Set, 0xffff_ffff).instance(3).run();
    assert!([c, sum, twice].iter().all(|node| shorter.changed().contains(node)));
    assert_eq!((shorter.processes[0].counts[twice as usize], oracle.values(twice).len()), (2, 4));
    // A line's end more, and none at all. The assignment in a declaration is a node of its own.
    let increment = *subject.nodes(Assignment, "lines").last().unwrap();
    assert_ne!(increment, lines);
    let longer = oracle.change(c, Change::Set, 10).instance(1).run();
    assert_eq!((longer.processes[0].counts[increment as usize], oracle.values(increment).len()), (2, 1));
    assert!(longer.changed().contains(&increment) && !longer.changed().contains(&printed));
    let never = oracle.change(c, Change::Set, 50).instance(3).run();
    assert_eq!(never.processes[0].counts[increment as usize], 0);
    assert!(never.changed().contains(&increment));
}
