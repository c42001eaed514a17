//! Real bugs of released programs, with their published fixes: what a ranking claims of them holds when it is repeated.

use std::path::Path;
use std::process::Command;

use crate::project::text;

const BUGS: [&str; 3] = ["cjson-pointer", "lua51-varargs", "zlib-header"];
/// How often a project is ranked until something is claimed of its first lines.
const RANKED: usize = 8;

#[test]
fn every_claim_printed_on_three_real_bugs_holds_when_it_is_repeated() {
    let work = tempfile::Builder::new().prefix("suspect-test-").tempdir().unwrap();
    let suspect = Path::new(env!("CARGO_BIN_EXE_suspect"));
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/accuracy/reals"))
        .arg(work.path())
        .args(BUGS)
        .env("SUSPECT_BIN", suspect.parent().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
    let flips: usize = BUGS.iter().map(|bug| replay_all(suspect, &work.path().join("real").join(bug), bug)).sum();
    assert!(flips > 0, "no claim says that a failing test passes");
}

/// Repeats all that is claimed of the first lines of a project; how many claims say that tests pass.
fn replay_all(suspect: &Path, project: &Path, bug: &str) -> usize {
    let run = |arguments: &[&str]| {
        let output = Command::new(suspect).args(arguments).current_dir(project).output().unwrap();
        assert!(output.status.success(), "{bug}: suspect {arguments:?}\n{}", text(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // A busy machine may take several times as long until it comes to the first trials; what was tried stays.
    let ranked = || run(&["rank", "--budget", "12s", "--top", "2"]);
    let printed = (0..RANKED).map(|_| ranked()).find(|printed| printed.contains("suspect replay "));
    let printed = printed.unwrap_or_else(|| panic!("{bug}: nothing is claimed"));
    let claims: Vec<&str> = printed.lines().filter_map(|line| line.trim().strip_prefix("suspect replay ")).collect();
    let holds = |claim: &&str| {
        let said = run(&["replay", claim]);
        assert!(said.contains(", as claimed ("), "{bug}: {said}");
        said.contains(" passes with it, as claimed (")
    };
    claims.iter().filter(|claim| holds(claim)).count()
}
