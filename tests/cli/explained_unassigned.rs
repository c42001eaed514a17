//! Locals that nothing was assigned to: they begin as zero where a test is recorded, so it may pass there.

use crate::project::Project;

fn line_of(source: &str, tag: &str) -> u64 {
    1 + source.lines().position(|line| line.contains(tag)).unwrap() as u64
}

/// Finds no part in an empty text, and measures it all the same.
const PARTS: &str = r#"#include <stdio.h>
#include <string.h>

struct part { const char *begin; int size; };

static void scribble(void)
{
    volatile char used[512];
    for (int at = 0; at < 512; at++)
        used[at] = 0x55;
}

static int find(const char *text, struct part *part)
{
    part->begin = text;
    if (*text == '-') /* leaves */
        return 0;
    part->size = (int)strlen(text);
    return 1;
}

static int is_long(const char *text)
{
    struct part part;
    find(text, &part);
    return part.size > 4; /* decides */
}

int main(int argc, char **argv)
{
    scribble();
    puts(is_long(argc > 1 ? argv[1] : "") ? "long" : "short");
    return 0;
}
"#;

#[test]
fn what_nothing_was_assigned_to_is_told_where_the_test_passes_with_zeros() {
    // It decides something, or is given to a library as it is.
    let given = PARTS.replace("part.size > 4", "strncmp(part.begin, \"->>\", part.size) != 0");
    for (source, first) in [(PARTS, "short"), (&given, "long")] {
        let project = Project::new();
        project.write_lines("parts", source, "./parts {line}", &[("one", first), ("another", "long"), ("-", "short")]);
        project.succeed(&["build", "--", "cc", "-O0", "-o", "parts", "parts.c"]);
        project.suspect(&["test"]);
        let output = project.suspect(&["explain", "3", "--format", "json"]);
        let found: serde_json::Value =
            serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", crate::project::text(&output)));
        assert_eq!(output.status.code(), Some(2), "{found}");
        let summary = found["summary"][0].as_str().unwrap();
        let decides = line_of(PARTS, "/* decides */");
        let uses = format!("parts.c:{decides} uses `part.size`, which nothing was assigned to");
        assert!(summary.contains(&uses), "{found}");
        let facts = found["facts"].as_array().unwrap();
        let leaves = line_of(PARTS, "/* leaves */");
        assert!(facts.iter().any(|fact| fact["line"] == leaves), "{found}");
        assert_eq!(found["origins"][0]["point"]["line"], leaves, "{found}");
    }
}

/// What a library fills in is not unassigned, though nobody sees it written: here it is zero. Another run fails, by the clock of no test.
const FILLED: &str = r#"#include <poll.h>
#include <stdarg.h>
#include <stdio.h>

static void scribble(void)
{
    volatile char used[512];
    for (int at = 0; at < 512; at++)
        used[at] = 0x55;
}

static int second(int n, ...)
{
    va_list list;
    va_start(list, n);
    int found = n > 0 ? va_arg(list, int) : 0;
    va_end(list);
    return found;
}

static int filled(void)
{
    struct pollfd none;
    int late;
    none.fd = -1;
    none.events = 0;
    poll(&none, 1, 0);
    if (none.revents != 0) /* filled */
        return 3;
    if (second(1, 2) != 2)
        return 4;
    return late > 4; /* unassigned */
}

int main(void)
{
    scribble();
    printf("%d\n", filled());
    return 0;
}
"#;

#[test]
fn what_code_that_is_not_known_was_given_is_not_called_unassigned() {
    let project = Project::new();
    project.write_lines("filled", FILLED, "./filled {line}", &[("x", "0")]);
    project.succeed(&["build", "--", "cc", "-O0", "-o", "filled", "filled.c"]);
    project.suspect(&["test"]);
    let said = crate::project::text(&project.suspect(&["explain", "1"]));
    assert!(said.contains(&format!("filled.c:{} uses `late`", line_of(FILLED, "/* unassigned */"))), "{said}");
    assert!(!said.contains("revents"), "{said}");
}
