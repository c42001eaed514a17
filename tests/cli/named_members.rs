//! Faults that name the wrong member of a structure: others of the same type are named.

use crate::all_evidence::ranked;
use crate::project::Project;

/// Counts words of two kinds, and takes the wrong one for the widest.
const COUNTS: &str = "#include <stdio.h>
#include <string.h>
struct counts { int short_ones, long_ones; const char *first, *last; int widest; unsigned all; };
static void count(struct counts *c, const char *word)
{
    int length = (int)strlen(word);
    if (length < 4)
        c->short_ones++;
    else
        c->long_ones += 1;
    if (length > c->widest)
        c->long_ones = length;
    if (!c->first)
        c->first = word;
    c->last = word;
    c->all++;
}
int main(int argc, char **argv)
{
    struct counts c = { 0 };
    c.widest = 5;
    for (int i = 1; i < argc; i++)
        count(&c, argv[i]);
    printf(\"%d %d %d %u %s %s\\n\", c.short_ones, c.long_ones, c.widest, c.all, c.first, c.last);
    return 0;
}
";

#[test]
fn another_member_is_named_where_it_belongs() {
    let project = Project::new();
    let all = [
        ("a bc", "2 0 5 2 a bc"),
        ("abcd", "0 1 5 1 abcd abcd"),
        ("x abcd efgh", "1 2 5 3 x efgh"),
        ("a abcdef", "1 1 6 2 a abcdef"),
        ("abcd abcdefgh", "0 2 8 2 abcd abcdefgh"),
    ];
    project.write_lines("counts", COUNTS, "./counts {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = COUNTS.lines().position(|line| line.contains("c->long_ones = length")).unwrap() + 1;
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("with `widest` instead of `long_ones`"), "{shown}");
    assert!(shown.contains("\n      +        c->widest = length;\n"), "{shown}");
    let listed = project.succeed(&["mutants", "--list", "--operators", "MRR"]);
    assert!(listed.contains("`first` becomes `last`") && listed.contains("`short_ones` becomes `widest`"), "{listed}");
    // Those of other types.
    for missing in ["`all`", "`widest` becomes `first`"] {
        assert!(!listed.contains(missing), "{missing} in {listed}");
    }
    // Only those who ask for such mutants get them.
    assert!(!project.succeed(&["mutants", "--list"]).contains("  MRR  "));
}
