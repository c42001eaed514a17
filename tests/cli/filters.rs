//! Suites whose outputs go through a filter before they are compared: trials are judged as the tests are.

use suspect::report::RankingReport;

use crate::all_evidence::ranked;
use crate::project::Project;

/// Fares of a bus: children pay half. With `STAMPED` each run also says when it was made.
const FARE: &str = r#"#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static int fare(int age, int zones)
{
    int full = 2 + 3 * zones;
    if (age <= 12)
        return full / 2;
    return full;
}

int main(int argc, char **argv)
{
    if (argc != 3)
        return 1;
#ifdef STAMPED
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("made at %ld\n", now.tv_sec * 1000000000L + now.tv_nsec);
#endif
    printf("fare %d\n", fare(atoi(argv[1]), atoi(argv[2])));
    return 0;
}
"#;

/// What is expected has its own stamps: who is twelve pays the full fare.
const EXPECTED: [(&str, &str); 4] = [("12 2", "8"), ("11 2", "4"), ("40 1", "5"), ("13 4", "14")];

fn project() -> Project {
    let project = Project::new();
    let lines: String = EXPECTED.iter().map(|(line, _)| format!("{line}\n")).collect();
    project.write("fare.c", FARE).write("tests.txt", &lines);
    for (number, (_, fare)) in (1..).zip(EXPECTED) {
        project.write(&format!("plain/{number}"), &format!("fare {fare}\n"));
        project.write(&format!("stamped/{number}"), &format!("made at 0\nfare {fare}\n"));
    }
    configure(&project, "plain", "");
    project.succeed(&["build"]);
    project
}

fn configure(project: &Project, program: &str, filter: &str) {
    project.write(
        "suspect.toml",
        &format!(
            "[build]\ncommand = \"cc -O1 -o plain.run fare.c && cc -O1 -DSTAMPED -o stamped.run fare.c\"\n\n[[suite]]\nkind = \"lines\"\n\
             file = \"tests.txt\"\nrun = \"./{program}.run {{line}}\"\nexpect = \"{program}/{{n}}\"\n{filter}"
        ),
    );
}

fn ranking(project: &Project, program: &str, filter: &str) -> RankingReport {
    configure(project, program, filter);
    project.succeed(&["test"]);
    let report = ranked(project, &["--budget", "2min"]);
    assert!(report.trials.unwrap().finished, "{:?}", report.trials);
    report
}

#[test]
fn trials_are_judged_behind_the_filter_of_the_suite() {
    let project = project();
    let exact = ranking(&project, "plain", "");
    let counts = exact.trials.unwrap();
    assert!(counts.flips > 0 && counts.repairs > 0, "{counts:?}");
    // What changes nothing changes nothing.
    let through = ranking(&project, "plain", "filter = \"cat\"\n");
    assert_eq!(through.trials, exact.trials);
    assert_eq!(through.ranking, exact.ranking);
    let advice = |report: &RankingReport| report.confidence.as_ref().unwrap().next.join("; ");
    assert_eq!(advice(&through), advice(&exact));
    assert!(!advice(&through).contains("only how the program ends"), "{}", advice(&through));
    // What the filter takes away is other each time, and no difference.
    let stamped = ranking(&project, "stamped", "filter = \"grep -v '^made at '\"\n");
    let counts = stamped.trials.unwrap();
    assert!(counts.flips > 0 && counts.repairs > 0, "{counts:?} {:?}", stamped.not_tried);
    let fault = 1 + FARE.lines().position(|line| line.contains("age <= 12")).unwrap();
    let entry = stamped.ranking.iter().find(|entry| entry.line as usize == fault).unwrap();
    assert!(
        entry.reasons[0].text.contains("makes test 1 pass") || entry.reasons[0].text.contains("test 1 passes"),
        "{entry:?}"
    );
}
