//! Real bugs of released programs, with their published fixes: what a ranking claims of them holds when it is repeated, and explanations of them
//! name the fault.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::project::{text, tool};

const BUGS: [&str; 3] = ["cjson-pointer", "lua51-varargs", "zlib-header"];
const EXPLAINED: [&str; 6] =
    ["tar-backup", "cjson-number", "cjson-pointer", "zlib-header", "patch-output", "patch-rename"];
/// How often a project is ranked until something is claimed of its first lines.
const RANKED: usize = 8;

/// Makes projects of real bugs in `work`.
fn make(work: &Path, bugs: &[&str]) {
    let output = Command::new(concat!(env!("CARGO_MANIFEST_DIR"), "/benches/accuracy/reals"))
        .arg(work)
        .args(bugs)
        .env("SUSPECT_BIN", tool().parent().unwrap())
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", text(&output));
}

#[test]
fn every_claim_printed_on_three_real_bugs_holds_when_it_is_repeated() {
    let work = tempfile::Builder::new().prefix("suspect-test-").tempdir().unwrap();
    let suspect = tool();
    make(work.path(), &BUGS);
    let flips: usize = BUGS.iter().map(|bug| replay_all(suspect, &work.path().join("real").join(bug), bug)).sum();
    assert!(flips > 0, "no claim says that a failing test passes");
}

/// The project of a bug.
struct Bug {
    path: PathBuf,
}

impl Bug {
    /// The numbers of the lines of `file` that hold `text`.
    fn lines(&self, file: &str, text: &str) -> Vec<u64> {
        let source = std::fs::read(self.path.join(file)).unwrap();
        let source = String::from_utf8_lossy(&source).into_owned();
        (1..).zip(source.lines()).filter(|(_, line)| line.contains(text)).map(|(number, _)| number).collect()
    }

    /// The number of the only line of `file` that holds `text`.
    fn line(&self, file: &str, text: &str) -> u64 {
        let found = self.lines(file, text);
        assert_eq!(found.len(), 1, "{file}: {text}");
        found[0]
    }

    /// Explains one test of the list by another one; the whole answer.
    fn explain(&self, failing: &str, passing: &str, options: &[&str]) -> Value {
        let tests = std::fs::read_to_string(self.path.join("tests.list")).unwrap();
        let [failing, passing] = [failing, passing].map(|test| {
            (1 + tests.lines().position(|line| line == test).unwrap_or_else(|| panic!("{test}"))).to_string()
        });
        let output = Command::new(tool())
            .args(["explain", &failing, "--against", &passing, "--format", "json"])
            .args(options)
            .current_dir(&self.path)
            .output()
            .unwrap();
        assert!(matches!(output.status.code(), Some(0 | 2)), "{}", text(&output));
        serde_json::from_slice(&output.stdout).unwrap()
    }
}

/// Lines that an explanation names.
fn lines(answer: &Value) -> Vec<(String, u64)> {
    let steps = answer["steps"].as_array().unwrap();
    let slices = steps.iter().flat_map(|step| step["slice"].as_array().unwrap());
    let points = steps.iter().map(|step| &step["cause_point"]);
    let all = slices.chain(points).chain(answer["origins"].as_array().unwrap().iter().map(|origin| &origin["point"]));
    all.map(|place| (place["file"].as_str().unwrap().to_owned(), place["line"].as_u64().unwrap())).collect()
}

#[test]
fn explanations_of_six_real_bugs_name_the_fault() {
    let work = tempfile::Builder::new().prefix("suspect-test-").tempdir().unwrap();
    make(work.path(), &EXPLAINED);
    let bug = |name: &str| Bug { path: work.path().join("real").join(name) };

    // A number of many characters is cut off where the buffer ends.
    let number = bug("cjson-number");
    let answer = number.explain("print texts/digits90", "print texts/digits40", &[]);
    let fault = number.line("cJSON.c", "(i < (sizeof(number_c_string) - 1)) && can_access_at_index");
    assert!(lines(&answer).contains(&("cJSON.c".to_owned(), fault)), "{answer:#}");

    // What stands behind a digit is taken for one, whatever it is.
    let pointer = bug("cjson-pointer");
    let answer = pointer.explain("get texts/many /1:", "get texts/many /12", &[]);
    let taken = pointer.line("cJSON_Utils.c", "parsed_index = (10 * parsed_index)");
    assert!(lines(&answer).contains(&("cJSON_Utils.c".to_owned(), taken)), "{answer:#}");
    assert_eq!(answer["verified"], true, "{answer:#}");

    // The room that is left is computed from the beginning of the field, which comes in pieces.
    let header = bug("zlib-header");
    let answer = header.explain("100 64 20", "64 64 16", &[]);
    let fault = header.line("inflate.c", "state->head->extra_max - len : copy);");
    let near = |line: u64| line.abs_diff(fault) <= 2;
    assert!(lines(&answer).iter().any(|(file, line)| file == "inflate.c" && near(*line)), "{answer:#}");

    // An `else` is missing behind the condition, so output goes on after a line without an end.
    let output = bug("patch-output");
    let answer = output.explain("seasons-song -p1 -o all", "seasons-song -p1", &[]);
    let fault = output.lines("src/patch.c", "if (! skip_rest_of_patch && ! outfile)");
    assert!(fault.iter().any(|line| lines(&answer).contains(&("src/patch.c".to_owned(), *line))), "{answer:#}");
    assert_eq!(answer["verified"], true, "{answer:#}");

    // A name that is not there is compared with another.
    let rename = bug("patch-rename");
    let answer = rename.explain("mangled-over -p1", "mangled-new -p1", &[]);
    let fault = rename.lines("src/pch.c", "name_is_valid (p_name[! reverse])))");
    let named = |line: u64| (line - 1..=line).any(|line| lines(&answer).contains(&("src/pch.c".to_owned(), line)));
    assert!(fault.iter().any(|line| named(*line)), "{answer:#}");

    // A directory that is there already is no error, but what is done then takes back a backup that is another file's.
    let tar = bug("tar-backup");
    let answer = tar.explain("dir1/file1 dir2/", "dir1/file1", &[]);
    let origin = &answer["origins"][0]["point"];
    let made = tar.lines("src/extract.c", "status = mkdirat (chdir_fd, file_name, mode)");
    assert_eq!(origin["function"], "extract_dir", "{answer:#}");
    assert!(made.contains(&origin["line"].as_u64().unwrap()), "{answer:#}");
    assert_eq!(answer["verified"], true, "{answer:#}");
    let asked = tar.line("src/misc.c", "undo_last_backup (void)") + 2;
    let effect = format!("src/misc.c:{asked}:after_backup_name");
    let answer = tar.explain("dir1/file1 dir2/", "dir2/", &["--effect", &effect]);
    let kept = tar.line("src/misc.c", "after_backup_name = find_backup_file_name");
    assert!(lines(&answer).contains(&("src/misc.c".to_owned(), kept)), "{answer:#}");
}

/// Repeats all that is claimed of the first lines of a project; how many claims say that tests pass.
fn replay_all(suspect: &Path, project: &Path, bug: &str) -> usize {
    let run = |arguments: &[&str]| {
        let output = Command::new(suspect).args(arguments).current_dir(project).output().unwrap();
        assert!(output.status.success(), "{bug}: suspect {arguments:?}\n{}", text(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    };
    // A busy machine may take several times as long until it comes to the first trials; what was tried stays.
    let ranked = || run(&["rank", "-v", "--budget", "12s", "--top", "2"]);
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
