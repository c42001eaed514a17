//! Faults that are values which a comparison lacks.

use crate::all_evidence::ranked;
use crate::project::Project;

/// Counts words. A semicolon should separate them, too.
const WORDS: &str = "#include <stdio.h>
static int separates(int c)
{
    if (c == ' ')
        return 1;
    return c == ',';
}
static int words(const char *s)
{
    int n = 0, inside = 0;
    for (; *s; s++) {
        if (separates(*s)) {
            inside = 0;
        } else if (!inside) {
            inside = 1;
            n++;
        }
    }
    return n;
}
int main(int argc, char **argv)
{
    printf(\"%d\\n\", words(argv[argc - 1]));
    return 0;
}
";

#[test]
fn a_value_that_only_failing_tests_bring_is_let_in() {
    let project = Project::new();
    let all = [("one", 1), ("a,b", 2), ("a b,c", 3), (",", 0), ("x, y", 2), ("a;b", 2), ("a;b;c", 3), ("ab,,c", 2)];
    project.write_lines("words", WORDS, "./words '{line}'", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = 1 + WORDS.lines().position(|line| line.contains("c == ','")).unwrap();
    let other = 1 + WORDS.lines().position(|line| line.contains("c == ' '")).unwrap();
    assert!([wrong, other].contains(&(report.ranking[0].line as usize)), "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v", "--top", "2"]);
    assert!(shown.contains("\n      +    return (c == ',' || c == ';');\n"), "{shown}");
    // Only those who ask for such mutants get them.
    let listed = project.succeed(&["mutants", "--list", "--operators", "DJI"]);
    assert!(listed.contains("`c == ' '` becomes `c == ' ' || c == '!'`"), "{listed}");
    assert!(!project.succeed(&["mutants", "--list"]).contains("  DJI  "));
}
