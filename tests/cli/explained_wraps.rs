//! Unsigned arithmetic that wraps around is told as the origin of what depends on it.

use crate::project::{Project, text};

/// A project of one program, which is run with each of these lines, and what that has to print.
fn tested(source: &str, lines: &[(&str, &str)]) -> Project {
    let project = Project::new();
    project.write_lines("main", source, "./main {line}", lines);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    project
}

const ENTRIES: &str = r#"#include <stdio.h>
#include <stdlib.h>

struct entry { size_t offset, length; };

static void measure(struct entry *entry, size_t end)
{
    entry->length = end - entry->offset; /* the fault: no offset is beyond the end */
}

int main(int argc, char **argv)
{
    struct entry *entry = malloc(sizeof *entry);
    entry->offset = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    measure(entry, 100);
    if (entry->length > 4096)
        puts("full");
    else
        puts("fits");
    free(entry);
    return 0;
}
"#;

#[test]
fn a_length_below_zero_is_where_the_failure_comes_from() {
    let project = tested(ENTRIES, &[("20", "fits"), ("120", "broken")]);
    let said = text(&project.suspect(&["explain", "2"]));
    let told = "main.c:8: the difference is less than 0, and wraps around to 18446744073709551596: `end` is 100, `entry->offset` is 120";
    assert!(said.contains(told), "{said}");
    assert!(said.contains("`entry->length > 4096` is true: `entry->length` is 18446744073709551596"), "{said}");
    assert!(said.contains("main.c:14: before that, `entry->offset` becomes 120"), "{said}");
}

const BOUND: &str = r#"#include <stdio.h>
#include <stdlib.h>

static size_t within(size_t offset, size_t size, size_t end)
{
    if (offset + size > end) /* the fault */
        size = end - offset;
    return size;
}

int main(int argc, char **argv)
{
    size_t size = argc > 1 ? strtoul(argv[1], NULL, 10) : 0;
    printf("%zu\n", within(4, size, 20));
    return 0;
}
"#;

#[test]
fn a_bound_that_a_sum_passes_by_wrapping_around_is_where_the_failure_comes_from() {
    let project = tested(BOUND, &[("10", "10"), ("18446744073709551615", "16")]);
    let said = text(&project.suspect(&["explain", "2"]));
    assert!(said.contains("main.c:6: the sum is more than its type holds, and wraps around to 3"), "{said}");
    assert!(said.contains("it stays so, for `offset + size > end` is false here"), "{said}");
}

const SIGNED: &str = r#"#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
    size_t offset = argc > 1 ? strtoul(argv[1], NULL, 10) : 0, end = 100;
    if ((long)end - (long)offset > 10)
        puts("fits");
    else
        puts("full"); /* the fault */
    return 0;
}
"#;

#[test]
fn a_difference_that_may_be_below_zero_is_none() {
    let project = tested(SIGNED, &[("20", "fits"), ("120", "broken")]);
    let said = text(&project.suspect(&["explain", "2"]));
    assert!(!said.contains("wraps around"), "{said}");
}

const CUT: &str = r#"#include <stdio.h>
#include <stdlib.h>

/* What is left is in the low byte; what an entry has above it is never looked at. */
static unsigned left_by(unsigned left, unsigned entry)
{
    left -= entry;
    return left;
}

int main(int argc, char **argv)
{
    unsigned entry = argc > 1 ? strtoul(argv[1], NULL, 0) : 0;
    unsigned left = left_by(57, entry);
    if ((unsigned char)left < 3)
        puts("empty");
    else
        puts("more");
    return 0;
}
"#;

#[test]
fn a_difference_of_which_the_low_byte_alone_is_read_is_none() {
    let project = tested(CUT, &[("5", "more"), ("0x120114", "broken")]);
    let said = text(&project.suspect(&["explain", "2"]));
    assert!(!said.contains("wraps around"), "{said}");
    let masked = CUT.replace("(unsigned char)left < 3", "(left & 0xff) < 3");
    let project = tested(&masked, &[("5", "more"), ("0x120114", "broken")]);
    let said = text(&project.suspect(&["explain", "2"]));
    assert!(!said.contains("wraps around"), "{said}");
}
