//! Faults that are missing code: statements of the same function are tried where it is missing.

use crate::all_evidence::ranked;
use crate::project::{Project, line_of};

/// What `omitted.c` is given, and what it should print.
const TESTS: [(&str, &str); 9] = [
    ("a", "0 1 0 0"),
    ("ab", "0 3 0 0"),
    ("(a", "1 1 0 1"),
    ("(b", "1 2 0 1"),
    ("a(b", "1 3 0 1"),
    ("(x", "2 0 1 1"),
    ("abc", "0 6 0 0"),
    ("(c", "1 0 0 1"),
    ("a(cc", "1 4 0 1"),
];

fn project() -> Project {
    let project = Project::new();
    project.copy_program("omitted.c");
    let lines: String = TESTS.iter().map(|(input, _)| format!("'{input}'\n")).collect();
    project.write("tests.list", &lines);
    for (number, (_, right)) in (1..).zip(TESTS) {
        project.write(&format!("expected/{number}"), &format!("{right}\n"));
    }
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o omitted omitted.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\n\
         run = \"./omitted {line}\"\nexpect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project
}

#[test]
fn a_statement_that_siblings_have_is_put_where_it_is_missing() {
    let project = project();
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    assert_eq!(u64::from(report.ranking[0].line), line_of("omitted.c", "the fault"), "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    // What repairs comes before what breaks a passing test.
    let mut reasons = shown.split("\n  - ").skip(1);
    let patch = reasons.next().unwrap();
    assert!(patch.starts_with("putting `c->open = 0;` b"), "{shown}");
    assert!(patch.contains("\n      +        c->open = 0;\n"), "{shown}");
    assert!(!patch.contains("\n      -        c->sum"), "{shown}");
}

#[test]
fn statements_are_put_only_where_they_mean_the_same() {
    let project = Project::new();
    let text = "#include <stdio.h>\n#include <stdlib.h>\nint twice(int n)\n{\n    int sum = 0, late;\n    sum = n;\n    if (n > 3) {\n        \
                int own = n;\n        own += 2;\n        sum += own;\n    }\n    late = 4;\n    sum += late;\n    if (sum < 0)\n        \
                return -1;\n    return sum;\n}\nint main(int argc, char **argv)\n{\n    printf(\"%d\\n\", twice(atoi(argv[1])));\n    \
                return 0;\n}\n";
    project.write("twice.c", text).write("tests.list", "1\n7\n").write("expected/1", "5\n").write("expected/2", "20\n");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -o prog twice.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\nrun = \"./prog {line}\"\n\
         expect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let listed = project.succeed(&["mutants", "--list", "--operators", "SIN"]);
    for there in [
        "`late = 4;` inserted after `sum = n;`",
        "`sum = n;` inserted after `own += 2;`",
        "`return -1;` inserted before `late = 4;`",
    ] {
        assert!(listed.contains(there), "{there} in {listed}");
    }
    // Out of scope, without a value, and a `return` that the function has not.
    for missing in [
        "`own += 2;` inserted after `sum = n;`",
        "`own += 2;` inserted after `late = 4;`",
        "`sum += late;` inserted after `sum = n;`",
        "`return 0;` inserted before `late = 4;`",
    ] {
        assert!(!listed.contains(missing), "{missing} in {listed}");
    }
    // Studies of mutation use other classes.
    assert!(!project.succeed(&["mutants", "--list"]).contains("  SIN  "));
}

/// One function that handles a table does not reset what its siblings do, and calls the table otherwise.
const TABLES: &str = "#include <stdio.h>
struct table { int used, sum, dirty; };
static void add(struct table *t, int n)
{
    t->used++;
    t->sum += n;
    t->dirty = 1;
}
static void drop(struct table *t, int n)
{
    t->used--;
    t->sum -= n;
    t->dirty = 1;
}
static void clear(struct table *whole)
{
    if (whole->used > 3)
        printf(\"full \");
    whole->used = 0;
    whole->sum = 0; // the fault: it is dirty now
}
static void show(struct table *t)
{
    if (t->dirty)
        printf(\"%d/%d \", t->sum, t->used);
    t->dirty = 0;
}
int main(int argc, char **argv)
{
    struct table t = { 0, 0, 0 };
    for (const char *s = argc > 1 ? argv[1] : \"\"; *s; s++) {
        switch (*s) {
        case 'a': add(&t, 3); break;
        case 'd': drop(&t, 2); break;
        case 'c': clear(&t); break;
        default: show(&t);
        }
    }
    printf(\"%d\\n\", t.sum);
    return 0;
}
";

/// What it is given, and what it should print.
const TABLE_TESTS: [(&str, &str); 10] = [
    ("as", "3/1 3"),
    ("aas", "6/2 6"),
    ("ads", "1/0 1"),
    ("aca", "3"),
    ("ascs", "3/1 0/0 0"),
    ("aaaac", "full 0"),
    ("sacas", "3/1 3"),
    ("asdscsa", "3/1 1/0 0/0 3"),
    ("ass", "3/1 3"),
    ("dsasas", "-2/-1 1/0 4/1 4"),
];

#[test]
fn a_statement_that_other_functions_have_is_put_where_it_is_missing() {
    let project = Project::new();
    let lines: String = TABLE_TESTS.iter().map(|(input, _)| format!("{input}\n")).collect();
    project.write("table.c", TABLES).write("tests.list", &lines);
    for (number, (_, right)) in (1..).zip(TABLE_TESTS) {
        project.write(&format!("expected/{number}"), &format!("{right}\n"));
    }
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o prog table.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\nrun = \"./prog {line}\"\n\
         expect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let listed = project.succeed(&["mutants", "--list", "--operators", "SIN"]);
    assert!(listed.contains("`whole->dirty = 1;` inserted after `whole->sum = 0;`"), "{listed}");
    // A parameter of the sibling's that this one has not.
    assert!(!listed.contains("`whole->sum += n;` inserted"), "{listed}");
    let report = ranked(&project, &[]);
    let fault = TABLES.lines().position(|line| line.contains("the fault")).unwrap() + 1;
    assert!(report.ranking[0].line.abs_diff(fault as u32) <= 1, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("\n      +    whole->dirty = 1;\n"), "{shown}");
}

/// What follows the one element of a list may be null; a sibling checks that.
const LISTS: &str = "#include <stdio.h>
#include <stdlib.h>
struct node { int value; struct node *next; };
static int sum(const struct node *list)
{
    int total = 0;
    while (list) {
        total += list->value;
        list = list->next;
    }
    return total;
}
static const struct node *second(const struct node *list)
{
    return list->next;
}
static int span(const struct node *list)
{
    const struct node *other = second(list);
    if (other->value > 100)
        return -1;
    return other->value - list->value;
}
int main(int argc, char **argv)
{
    struct node nodes[8];
    int n = argc - 1;
    for (int i = 0; i < n; i++) {
        nodes[i].value = atoi(argv[i + 1]);
        nodes[i].next = i + 1 < n ? &nodes[i + 1] : NULL;
    }
    printf(\"%d %d\\n\", sum(nodes), span(nodes));
    return 0;
}
";

#[test]
fn a_guard_against_null_is_put_where_it_is_missing() {
    let project = Project::new();
    let all = [("1 2", "3 1"), ("3 9", "12 6"), ("4 200", "204 -1"), ("7", "7 -1"), ("5 5 5", "15 0")];
    project.write_lines("lists", LISTS, "./lists {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = 1 + LISTS.lines().position(|line| line.contains("other->value > 100")).unwrap();
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("putting `if (!other) return -1;` here"), "{shown}");
    assert!(shown.contains("\n      +    if (!other) return -1;\n"), "{shown}");
    assert!(!shown.contains("\n      -    if (other"), "{shown}");
    // A loop asks each time round, and a guard before it does not; only those who ask for such mutants get them.
    let listed = project.succeed(&["mutants", "--list", "--operators", "NGI"]);
    assert!(
        listed.contains("`if (!list) return 0;` inserted before `total") && !listed.contains("before `while"),
        "{listed}"
    );
    assert!(!project.succeed(&["mutants", "--list"]).contains("  NGI  "));
}
