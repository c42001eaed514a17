//! Faults that are missing checks of one number by another: of a number of an element, of a length, of a difference.

use crate::all_evidence::ranked;
use crate::project::Project;

/// Marks of a class by their places. What lies behind the last one is left from before.
const MARKS: &str = "#include <stdio.h>
#include <stdlib.h>
struct marks {
    int size;
    int values[8];
};
static struct marks marks = {8, {9, 8, 7, 6, 5, 4, 3, 2}};
static int find(const struct marks *of, int value)
{
    for (int i = 0; i < of->size; i++)
        if (of->values[i] == value)
            return i;
    return -1;
}
static int mark(const struct marks *of, int place)
{
    if (place < 0)
        return -1;
    return of->values[place];
}
int main(int argc, char **argv)
{
    marks.size = atoi(argv[1]);
    printf(\"%d %d\\n\", mark(&marks, atoi(argv[2])), find(&marks, atoi(argv[2])));
    return 0;
}
";

#[test]
fn the_number_of_an_element_is_compared_with_how_many_there_are() {
    let project = Project::new();
    let all = [("3 0", "9 -1"), ("3 2", "7 -1"), ("3 4", "-1 -1"), ("4 3", "6 -1"), ("4 -1", "-1 -1"), ("5 6", "-1 3")];
    project.write_lines("marks", MARKS, "./marks {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = 1 + MARKS.lines().position(|line| line.contains("values[place]")).unwrap();
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("\n      +    if (place >= of->size) return -1;\n"), "{shown}");
    // The array has 8 elements, whatever is in them. A loop asks each time round, and only those who ask for such mutants get them.
    let listed = project.succeed(&["mutants", "--list", "--operators", "VGI"]);
    assert!(listed.contains("if (place >= 8) return -1;"), "{listed}");
    assert!(!project.succeed(&["mutants", "--list"]).contains("  VGI  "));
}

/// The end of a text, from a place that may lie behind it.
const ENDS: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static long rest(const char *text, unsigned long from)
{
    unsigned long length = strlen(text);
    if (length > 9)
        return -1;
    return (long)((length - from) % 100);
}
int main(int argc, char **argv)
{
    printf(\"%ld\\n\", rest(argv[1], strtoul(argv[2], 0, 10)));
    return 0;
}
";

#[test]
fn what_is_subtracted_is_compared_with_what_there_is() {
    let project = Project::new();
    let all = [("abc 1", "2"), ("abc 3", "0"), ("abc 4", "-1"), ("abcdefghij 1", "-1"), ("ab 9", "-1")];
    project.write_lines("ends", ENDS, "./ends {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = 1 + ENDS.lines().position(|line| line.contains("length - from")).unwrap();
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("\n      +    if (length < from) return -1;\n"), "{shown}");
}

/// An address that is passed beside a length.
const FILLS: &str = "#include <stdio.h>
#include <string.h>
static int fill(void *to, int length, int most)
{
    memset(to, 0, length);
    return most;
}
int main(int argc, char **argv)
{
    char all[9] = {0};
    printf(\"%d\\n\", fill(all, argc, 9));
    return 0;
}
";

#[test]
fn no_number_is_compared_with_an_address() {
    let project = Project::new();
    project.write_lines("fills", FILLS, "./fills {line}", &[("1", "9")]);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let listed = project.succeed(&["mutants", "--list", "--operators", "VGI"]);
    assert!(listed.contains("`if (length > most) return"), "{listed}");
    assert!(!listed.contains("> to)"), "{listed}");
}

/// Addresses that are computed of structures which are not there. A length of nothing goes with one of them.
const NOWHERE: &str = "#include <stdio.h>
#include <stdlib.h>
#include <string.h>
struct names {
    int values[8];
    int size;
    char text[16];
};
static int fits(struct names *of, int at)
{
    return of && at < of->size;
}
static long where(struct names *of, int at)
{
    return (long)&of->values[at];
}
static int copy(struct names *of, const char *from, int length)
{
    memcpy(of->text, from, length);
    return 0;
}
int main(int argc, char **argv)
{
    printf(\"%ld %d %d\\n\", where(0, atoi(argv[1])), fits(0, 3), copy(0, argv[1], argc - 2));
    return 0;
}
";

#[test]
fn no_guard_reads_a_structure_that_the_program_does_not() {
    let project = Project::new();
    project.write_lines("nowhere", NOWHERE, "./nowhere {line}", &[("1", "4 0 0"), ("2", "8 0 0")]);
    project.succeed(&["build"]);
    let said = project.suspect(&["test"]);
    let said = String::from_utf8_lossy(&said.stderr).into_owned();
    assert!(!said.contains("something else in version"), "{said}");
    let listed = project.succeed(&["mutants", "--list", "--operators", "VGI"]);
    assert!(listed.contains("`if (length > 16) return"), "{listed}");
    assert!(!listed.contains("of->size) return"), "{listed}");
}
