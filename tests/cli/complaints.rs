//! Tests that are judged by their exit status alone: a change that only silences what a failing test says mends nothing.

use crate::all_evidence::ranked;
use crate::project::{Project, line_of};

/// Scripts of `checks.c`; the last fails.
const SCRIPTS: [(&str, &str); 5] = [
    ("add", "assert 1 + 2 = 3\n"),
    ("sub", "assert 5 - 2 = 3\n"),
    ("mul", "assert 2 * 3 = 6\n"),
    ("div", "assert 7 / 2 = 3\nassert 7 / 0 = 0\n"),
    ("mod", "assert 7 % 2 = 1\n"),
];

#[test]
fn silencing_a_failed_check_is_no_repair() {
    let project = Project::new();
    project.copy_program("checks.c");
    for (name, text) in SCRIPTS {
        project.write(&format!("t/{name}.calc"), text);
    }
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O2 -g -o checks checks.c\"\n[[suite]]\nkind = \"command\"\nlist = \"ls t/*.calc\"\n\
         run = \"./checks {test}\"\n",
    );
    project.succeed(&["build"]);
    project.succeed(&["test"]);
    let report = ranked(&project, &[]);
    let probability = |needle: &str| {
        let line = line_of("checks.c", needle);
        let entry = report.ranking.iter().find(|entry| u64::from(entry.line) == line);
        entry.and_then(|entry| entry.probability).unwrap_or(0.0)
    };
    let fault = probability("the fault");
    assert_eq!(u64::from(report.ranking[0].line), line_of("checks.c", "the fault"), "{:?}", report.ranking);
    for silencing in ["the status", "fail(FAILED, line)"] {
        let of = probability(silencing);
        assert!(of < fault / 2.0, "{silencing}: {of} against {fault}");
    }
    // What silences it is said not to mend it.
    let shown = project.succeed(&["rank", "-v"]);
    assert!(!shown.contains("with `0`: t/mod.calc passes"), "{shown}");
}
