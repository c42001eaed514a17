//! The log that `SUSPECT_LOG` asks for.

use crate::all_evidence::{AMONG_OTHERS, parcel, parcel_run};
use crate::project::text;

#[test]
fn the_log_says_what_was_decided_and_why() {
    let project = parcel_run(AMONG_OTHERS);
    let logged =
        |log: &str, arguments: &[&str]| text(&project.command(arguments).env("SUSPECT_LOG", log).output().unwrap());
    let said = logged("suspect::campaign=debug", &["mutate", "--nodes", "surcharge()", "--samples", "1"]);
    assert!(
        said.contains("a test is ready for trials") && said.contains("the test runs it among other processes"),
        "{said}"
    );
    assert!(!said.contains("a mutant is left out"), "{said}");
    let said = logged("suspect::search=debug", &["rank", "--budget", "10s"]);
    assert!(said.contains("a round of the search trials="), "{said}");
    let said = logged("suspect::mutation=trace", &["mutants", "--list", "--lines", "parcel.c:1"]);
    assert!(said.contains("a mutant is left out file=") && said.contains("not asked for"), "{said}");
    let plain = text(&project.suspect(&["mutants", "--list", "--lines", "parcel.c:1"]));
    assert!(!plain.contains("a mutant is left out"), "{plain}");
}

#[test]
fn a_log_that_cannot_be_understood_is_refused() {
    let project = parcel();
    let output = project.command(&["doctor"]).env("SUSPECT_LOG", "search=loud").output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = text(&output);
    assert!(said.contains("SUSPECT_LOG is search=loud; expected error, warn, info, debug or trace"), "{said}");
}
