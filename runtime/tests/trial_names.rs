//! What nodes that are addresses take: names of objects that are the same in each run, and strings, read and replaced.

#[allow(dead_code, reason = "each test needs a part of it")]
mod trial;

use suspect_format::site::NodeKind::{Assignment, Parameter};
use suspect_format::trial::{Change, TEXT_UNREADABLE};
use trial::Subject;

const OBJECTS: &str = r#"
#define _GNU_SOURCE
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct item { struct item *next; int value; };
int before, global;
void *last;
static struct item *push(struct item *list, int value)
{
    struct item *item = malloc(sizeof *item);
    item->next = list;
    item->value = value;
    return item;
}
int main(int argc, char **argv)
{
    int local = 0;
    int *where;
    struct item *list = 0, *one;
    void *grown, *aligned = 0;
    before = argc > 1 ? atoi(argv[1]) : 40;
    last = malloc(before);
    for (int i = 0; i < 5; i++)
        list = push(list, i);
    for (one = list; one; one = one->next)
        global += one->value;
    grown = malloc(20);
    for (int i = 1; i < 8; i++)
        grown = realloc(grown, (size_t)i << (2 * i));
    if (posix_memalign(&aligned, 256, before) == 0)
        last = (char *)aligned + 3;
    where = &local;
    *where = before > 50;
    where = &global;
    where = (int *)stdout;
    where = (int *)-1L;
    where = 0;
    where = (int *)((char *)last + 1);
    where = calloc(3, before);
    char *copy = strdup("copy");
    last = copy;
    printf("%d\n", global);
    free(copy);
    return 0;
}
"#;

#[test]
fn names_of_objects_do_not_depend_on_where_they_are() {
    let subject = Subject::new(OBJECTS);
    let short = subject.oracle(&["40"], "");
    let argument = subject.nodes(Assignment, "before")[0];
    for length in [1, 41, 500, 100_000, 1_000_000] {
        // Every object after the first moves.
        let outcome = short.change(argument, Change::Set, length).run();
        let seen = if length > 50 { vec![argument, subject.node(Assignment, "*where")] } else { vec![argument] };
        assert_eq!((outcome.stdout.as_str(), outcome.changed()), ("10\n", seen), "{length}");
    }
    let next = subject.node(Assignment, "item->next");
    let values = short.values(next);
    assert_eq!((values.len(), values[0]), (5, 0));
    assert!(values[1..].iter().all(|value| *value != 0 && values.iter().filter(|one| *one == value).count() == 1));
    // As the list is walked, its items have the names that they had when they were linked.
    let walked = short.values(*subject.nodes(Assignment, "one").last().unwrap());
    assert_eq!(walked[..4], [values[4], values[3], values[2], values[1]]);
}

#[test]
fn addresses_of_every_kind_have_names() {
    let subject = Subject::new(OBJECTS);
    let oracle = subject.oracle(&["40"], "");
    let of = |index: usize| oracle.values(subject.nodes(Assignment, "where")[index])[0];
    let all: Vec<u64> = (0..subject.nodes(Assignment, "where").len()).map(of).collect();
    let [stack, global, library, odd, null, inside, heap] = all[..] else { panic!("{all:?}") };
    assert_eq!((odd, null), (u64::MAX, 0));
    let mut names = vec![stack, global, library, inside, heap];
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), 5, "{all:?}");
    let again = subject.oracle(&["40"], "");
    assert_eq!(oracle.streams, again.streams);
}

#[test]
fn names_do_not_depend_on_where_things_are_loaded() {
    let subject = Subject::new(OBJECTS);
    let oracle = subject.oracle(&["40"], "");
    for _ in 0..3 {
        let elsewhere = subject.oracle_elsewhere(&["40"], "");
        assert_eq!(oracle.streams, elsewhere.streams);
    }
}

const STRINGS: &str = r#"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static void upper(char *shout)
{
    for (int i = 0; shout[i]; i++)
        if (shout[i] >= 'a' && shout[i] <= 'z')
            shout[i] -= 32;
}
int main(int argc, char **argv)
{
    char *name, *p, *edge;
    char buffer[600];
    name = "literal";
    printf("%s\n", name);
    name = strdup("heap");
    upper(name);
    strcat(name, "");
    printf("%s\n", name);
    free(name);
    strcpy(buffer, "stack");
    p = buffer;
    printf("%s\n", p);
    memset(buffer, 'x', 599);
    buffer[599] = 0;
    p = buffer + 200;
    p = 0;
    edge = (char *)mmap(0, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    munmap(edge + 4096, 4096);
    memset(edge, 'y', 4096);
    p = edge + 4000;
    edge[4095] = 0;
    p = edge + 4000;
    p = (char *)8;
    p = (char *)5;
    p = (char *)4095;
    p = (char *)0x123456789abcL;
    p = (char *)0xffff800000000000UL;
    p = (char *)-1L;
    p = (char *)0x7ffffffff000UL;
    return 0;
}
"#;

#[test]
fn strings_are_seen_by_their_characters_and_garbage_is_survived() {
    let subject = Subject::new(STRINGS);
    let oracle = subject.oracle(&[], "");
    assert_eq!(oracle.output.status.code(), Some(0));
    let values: Vec<u64> = subject.nodes(Assignment, "p").iter().map(|node| oracle.values(*node)[0]).collect();
    let lengths: Vec<u64> = values.iter().map(|value| value >> 48).collect();
    assert_eq!(lengths[..2], [5, 256]);
    assert_eq!((values[2], values[3], lengths[4]), (0, TEXT_UNREADABLE, 95));
    assert!(values[5..].iter().all(|value| *value == TEXT_UNREADABLE), "{values:x?}");
    assert!(oracle.trial().run().changed().is_empty());
}

#[test]
fn strings_are_the_same_wherever_they_lie() {
    let source = r#"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
char *p;
int main(void)
{
    char *area = mmap(0, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int length = 0; length < 300; length += 7)
        for (int offset = 0; offset < 17; offset++) {
            memset(area, 1, 3 * 4096);
            char *text = area + 8192 - 150 - offset;
            for (int i = 0; i < length; i++)
                text[i] = 'a' + i % 26;
            text[length] = 0;
            p = text;
        }
    return 0;
}
"#;
    let subject = Subject::new(source);
    let oracle = subject.oracle(&[], "");
    let values = oracle.values(subject.node(Assignment, "p"));
    assert_eq!(values.len(), 43 * 17);
    let mut distinct: Vec<u64> = values.chunks(17).map(|chunk| chunk[0]).collect();
    assert!(values.chunks(17).all(|chunk| chunk.iter().all(|value| *value == chunk[0])));
    distinct.dedup();
    // Beyond 256 characters nothing is seen.
    assert_eq!(distinct.len(), 38);
}

#[test]
fn strings_are_overridden_by_fresh_ones() {
    let subject = Subject::new(STRINGS);
    let oracle = subject.oracle(&[], "");
    let names = subject.nodes(Assignment, "name");
    let literal = oracle.text(names[0], "other").run();
    assert_eq!((literal.stdout.as_str(), literal.applied()), ("other\nHEAP\nstack\n", true));
    assert_eq!(literal.changed(), [names[0]]);
    assert!(!oracle.text(names[0], "literal").run().applied());
    assert!(oracle.text(names[0], "litera").run().applied() && oracle.text(names[0], "").run().applied());
    // Changed in place, and freed.
    let heap = oracle.text(names[1], "much longer than it was").run();
    assert_eq!((heap.stdout.as_str(), heap.how()), ("literal\nMUCH LONGER THAN IT WAS\nstack\n", (Some(0), None)));
    let parameter = oracle.text(subject.node(Parameter, "shout"), "nobody sees this").run();
    assert_eq!((parameter.stdout.as_str(), parameter.how()), ("literal\nheap\nstack\n", (Some(0), None)));
    // A number is no string, null is.
    assert!(!oracle.change(names[0], Change::Add, 1).run().applied());
    let null = oracle.change(names[0], Change::Set, 0).run();
    assert_eq!((null.stdout.as_str(), null.applied(), null.changed()), ("(null)\nHEAP\nstack\n", true, vec![names[0]]));
    for node in subject.nodes(Assignment, "p") {
        assert_eq!(oracle.text(node, "abc").run().how(), (Some(0), None));
    }
}

#[test]
fn a_string_that_is_overridden_for_ever_does_not_use_up_the_memory() {
    let source = r#"
#include <stdio.h>
int main(void)
{
    int n = 0;
    for (char *at = "abc"; *at; at++)
        n++;
    printf("%d\n", n);
    return 0;
}
"#;
    let subject = Subject::new(source);
    let oracle = subject.oracle(&[], "");
    let step = *subject.nodes(Assignment, "at").last().unwrap();
    let outcome = oracle.text(step, "again and again").budget(400_000).run();
    assert!(outcome.cut() && outcome.applied());
    assert_eq!(outcome.how(), (Some(125), None));
}

#[test]
fn a_program_with_its_own_heap_is_left_alone() {
    let source = r#"
#include <stddef.h>
#include <stdio.h>
#include <string.h>
static char heap[1 << 20];
static size_t used;
char *last;
void *malloc(size_t size)
{
    last = heap + used + 16;
    used += (size + 31) & ~(size_t)15;
    return last;
}
void free(void *gone) { last = gone; }
void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
void *realloc(void *old, size_t size) { void *new = malloc(size); return old ? memcpy(new, old, size) : new; }
char *name;
int main(void)
{
    name = malloc(10);
    strcpy(name, "mine");
    name = name;
    fprintf(stderr, "%s\n", name);
    return 0;
}
"#;
    let subject = Subject::with_flags(source, &["-fno-builtin"]);
    let oracle = subject.oracle(&[], "");
    assert_eq!((oracle.output.status.code(), oracle.output.stderr.as_slice()), (Some(0), &b"mine\n"[..]));
    assert!(oracle.trial().run().changed().is_empty());
    for expression in ["name", "last"] {
        for node in subject.nodes(Assignment, expression) {
            let outcome = oracle.text(node, "other").run();
            assert_eq!(outcome.status.code(), Some(0), "{expression} {node}");
        }
    }
}

#[test]
fn objects_of_another_heap_have_names_too() {
    let library = r#"
#include <stddef.h>
#include <string.h>
static char heap[1 << 20];
static size_t used;
void *malloc(size_t size)
{
    used += (size + 31) & ~(size_t)15;
    return memset(heap + used, 0xff, 16);
}
void free(void *gone) { (void)gone; }
void *calloc(size_t n, size_t size) { return memset(malloc(n * size), 0, n * size); }
void *realloc(void *old, size_t size) { void *new = malloc(size); return old ? memcpy(new, old, size) : new; }
"#;
    let source = r#"
#include <stdlib.h>
int *first, *second;
int main(void)
{
    first = malloc(24);
    second = malloc(100);
    free(first);
    return second == first;
}
"#;
    let subject = Subject::with_library(source, library);
    let oracle = subject.oracle(&[], "");
    assert_eq!(oracle.output.status.code(), Some(0));
    let of = |name| oracle.values(subject.node(Assignment, name))[0];
    assert_ne!(of("first"), of("second"));
}

#[test]
fn every_way_to_build_gives_the_same_names_and_strings() {
    let normal = Subject::new(OBJECTS);
    let expected = normal.oracle(&["40"], "").streams;
    for flags in [&["-static"][..], &["-no-pie", "-fno-pie"], &["-O0"], &["-O3"], &["-fsanitize=address"]] {
        let subject = Subject::with_flags(OBJECTS, flags);
        let oracle = subject.oracle(&["40"], "");
        assert!(oracle.trial().run().changed().is_empty(), "{flags:?}");
        let shape = |streams: &[Vec<u64>]| streams.iter().map(Vec::len).collect::<Vec<_>>();
        if !flags[0].starts_with("-O") {
            assert_eq!(shape(&oracle.streams[0]), shape(&expected[0]), "{flags:?}");
        }
        let names = oracle.values(subject.node(Assignment, "item->next"));
        assert!(names[1..].windows(2).all(|two| two[0] != two[1]), "{flags:?}: {names:x?}");
        let argument = subject.nodes(Assignment, "before")[0];
        assert_eq!(oracle.change(argument, Change::Set, 41).run().changed(), [argument], "{flags:?}");
        let subject = Subject::with_flags(STRINGS, flags);
        let oracle = subject.oracle(&[], "");
        let outcome = oracle.text(subject.nodes(Assignment, "name")[1], "fresh").run();
        assert_eq!(outcome.stdout, "literal\nFRESH\nstack\n", "{flags:?}");
    }
}
