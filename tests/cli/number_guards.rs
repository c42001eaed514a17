//! Faults that are missing checks: of a number before it is used, and of what a call says.

use crate::all_evidence::ranked;
use crate::project::Project;

/// Shares a sum among some. Among none of them it should be 0.
const SHARES: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static int share(const char *sum, const char *parts)
{
    size_t length = strlen(sum);
    int n = atoi(parts);
    if (sum[0] == '-')
        return 0;
    if (length > 4)
        return -1;
    while (*sum == '0')
        sum++;
    int whole = atoi(sum);
    return whole * 10 / n;
}
int main(int argc, char **argv)
{
    printf(\"%d\\n\", share(argv[1], argv[2]));
    return 0;
}
";

#[test]
fn a_guard_of_a_number_is_put_where_it_is_missing() {
    let project = Project::new();
    let all =
        [("7 2", "35"), ("5 0", "0"), ("-3 2", "0"), ("0012 4", "30"), ("10000 2", "-1"), ("0 0", "0"), ("9 3", "30")];
    project.write_lines("shares", SHARES, "./shares {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = 1 + SHARES.lines().position(|line| line.contains("/ n;")).unwrap();
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("putting `if (n == 0) return 0;` here"), "{shown}");
    assert!(shown.contains("\n      +    if (n == 0) return 0;\n"), "{shown}");
    // What has no sign is never less than 0, a loop asks each time round, and only those who ask for such mutants get them.
    let listed = project.succeed(&["mutants", "--list", "--operators", "VGI"]);
    assert!(listed.contains("if (sum[0] == '\\0') return 0;") && listed.contains("if (n < 0)"), "{listed}");
    assert!(!listed.contains("length < 0") && !listed.contains("if (*sum"), "{listed}");
    assert!(!project.succeed(&["mutants", "--list"]).contains("  VGI  "));
}

/// Two sides of a rectangle; whether the second is a number is not asked.
const SIDES: &str = "#include <stdio.h>
#include <stdlib.h>
static int number(const char *text, int *value)
{
    if (*text < '0' || *text > '9')
        return -1;
    *value = atoi(text);
    return 0;
}
static int area(const char *a, const char *b)
{
    int width = 2, height = 3;
    if (number(a, &width) < 0)
        return -1;
    number(b, &height);
    return width * height;
}
int main(int argc, char **argv)
{
    printf(\"%d\\n\", area(argv[1], argv[2]));
    return 0;
}
";

#[test]
fn what_a_call_says_is_checked_where_that_is_missing() {
    let project = Project::new();
    let all = [("2 3", "6"), ("4 5", "20"), ("x 4", "-1"), ("1 y", "-1"), ("7 1", "7"), ("6 z", "-1"), ("3 0", "0")];
    project.write_lines("sides", SIDES, "./sides {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = 1 + SIDES.lines().position(|line| line.contains("number(b")).unwrap();
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("\n      +    if (number(b, &height) < 0) return -1;\n"), "{shown}");
    // What the C library's functions say is not asked.
    let listed = project.succeed(&["mutants", "--list", "--operators", "RCI"]);
    assert!(listed.contains("`number(b, &height);` becomes `if (number(b, &height)) return -1;`"), "{listed}");
    assert!(!listed.contains("printf"), "{listed}");
    assert!(!project.succeed(&["mutants", "--list"]).contains("  RCI  "));
}
