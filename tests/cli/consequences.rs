//! Faults that are missing guards which do more than return: what another guard of the function does is done where it is missing.

use crate::all_evidence::ranked;
use crate::project::Project;

/// Values by their places. A text that is refused is counted.
const VALUES: &str = "#include <stdio.h>
#include <stdlib.h>
static int values[8] = {5, 4, 3, 2, 1, 0, 7, 6};
static int failures;
static int value_of(const char *text, int size, int *error)
{
    int result = 0;
    if (text[0] == '-') {
        *error = 3;
        goto failed;
    }
    int place = atoi(text);
    result += values[place];
    if (result > 6)
        goto failed;
    return result;
failed:
    failures++;
    return -*error;
}
int main(int argc, char **argv)
{
    int error = 1;
    printf(\"%d\", value_of(argv[2], atoi(argv[1]), &error));
    printf(\" %d %d\\n\", error, failures);
    return 0;
}
";

#[test]
fn what_another_guard_does_is_done_where_it_is_missing() {
    let project = Project::new();
    let all = [
        ("8 2", "3 1 0"),
        ("8 -1", "-3 3 1"),
        ("8 6", "-1 1 1"),
        ("4 1", "4 1 0"),
        ("4 5", "-3 3 1"),
        ("4 7", "-3 3 1"),
        ("2 3", "-3 3 1"),
    ];
    project.write_lines("values", VALUES, "./values {line}", &all);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let report = ranked(&project, &[]);
    let wrong = 1 + VALUES.lines().position(|line| line.contains("values[place]")).unwrap();
    assert_eq!(report.ranking[0].line as usize, wrong, "{:?}", report.ranking);
    let shown = project.succeed(&["rank", "-v"]);
    assert!(shown.contains("\n      +    if (place >= size) { *error = 3; goto failed; }\n"), "{shown}");
    let listed = project.succeed(&["mutants", "--list", "--operators", "VGI,NGI"]);
    assert!(listed.contains("`if (place < 0) goto failed;` inserted before `result`"), "{listed}");
    // Behind its label it would go round.
    let label = 1 + VALUES.lines().position(|line| line == "failed:").unwrap();
    let goes_round = |line: &&str| {
        let place = line.split(':').nth(1).and_then(|place| place.parse::<usize>().ok());
        place.is_some_and(|place| place > label) && line.contains("goto failed")
    };
    assert_eq!(listed.lines().find(goes_round), None, "{listed}");
}

/// What a guard says lies in a variable of its own block, in a macro, or in another loop.
const OWN: &str = "#include <stdio.h>
#include <stdlib.h>
#define SAY(what) (said = (what))
static int said;
static int of(int n, int most)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        int own = i * 2;
        if (own > most) {
            sum += own;
            break;
        }
        sum += i;
    }
    if (sum > 100) {
        SAY(2);
        return sum;
    }
    if (sum > 90)
        return most + 1;
    return sum * most;
}
int main(int argc, char **argv)
{
    printf(\"%d %d\\n\", of(atoi(argv[1]), 3), said);
    return 0;
}
";

#[test]
fn what_means_something_else_elsewhere_is_done_nowhere_else() {
    let project = Project::new();
    project.write_lines("own", OWN, "./own {line}", &[("1", "0 0"), ("3", "15 0")]);
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let listed = project.succeed(&["mutants", "--list", "--operators", "VGI"]);
    assert!(listed.contains("`if (sum == 0) return most + 1;` inserted before `return`"), "{listed}");
    assert!(listed.contains("`if (i == 0) return most + 1;` inserted before `sum`"), "{listed}");
    for missing in ["SAY", "`if (sum == 0) { sum += own", "return sum; }"] {
        assert!(!listed.contains(missing), "{missing} in {listed}");
    }
}
