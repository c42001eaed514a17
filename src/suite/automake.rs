//! `kind = "automake"`: the tests that `make check` would run, each run by ourselves with the project's own test driver.
//!
//! `TESTS_ENVIRONMENT` is put before the test driver by every Automake Makefile. Here it names a script that writes down what it was to run,
//! where, and in which environment, and runs nothing; the project's Makefile is not touched.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use super::SuiteError;
use super::automake_check::{self, LOCAL};
use super::load::{Found, Listed, Listing, script};
use super::oracle::{HARD_ERROR, Oracle, SKIPPED};
use super::test::Plan;
use crate::exec::{Command, Outcome, Status};

/// Writes down what it is called with, and the result that is expected, so that `make` goes on.
const RECORDER: &str = r#"
here=$(dirname "$0")
pwd > "$here/$$.cwd"
cat /proc/$$/environ > "$here/$$.env"
printf '%s\0' "$@" > "$here/$$.argv"
for fd in 3 4 5 6 7 8 9; do
  [ "$(readlink /proc/$$/fd/$fd)" = "$(readlink /proc/$$/fd/2)" ] && printf ' %s>&2' $fd
done > "$here/$$.fds"
log= trs= result=PASS
while [ $# -gt 0 ]; do
  case $1 in
    --log-file) log=$2; shift ;;
    --trs-file) trs=$2; shift ;;
    --expect-failure) [ "$2" = yes ] && result=XFAIL; shift ;;
    --) break ;;
  esac
  shift
done
[ -z "$log" ] || : > "$log"
[ -z "$trs" ] || printf ':test-result: %s\n:recheck: no\n:copy-in-global-log: no\n' $result > "$trs"
exit 0
"#;

/// What a test is started by that has standard error open under further numbers (`AM_TESTS_FD_REDIRECT`), before these.
const REDIRECT: &str = "exec \"$@\"";
/// Words that such a command has before its own.
const REDIRECT_WORDS: usize = 4;

/// Variables that make and the shell set for themselves.
const MAKES_OWN: [&str; 15] = [
    "MAKEFLAGS",
    "MFLAGS",
    "MAKELEVEL",
    "MAKEOVERRIDES",
    "MAKE_TERMOUT",
    "MAKE_TERMERR",
    "TEST_LOGS",
    "TESTS",
    "TESTS_ENVIRONMENT",
    "SHLVL",
    "_",
    "PWD",
    "OLDPWD",
    "SUSPECT_PAD",
    "MAKEFILES",
];

/// What the recorder wrote for one test.
struct Record {
    cwd: PathBuf,
    argv: Vec<OsString>,
    env: BTreeMap<OsString, OsString>,
}

/// The tests that `make check` runs in the suite's directory and, if its Makefile goes there, below.
pub(super) fn list(listing: &Listing) -> Result<Found, SuiteError> {
    let own = own_environment(listing, &listing.dir)?;
    let (command, outcome, mut records) = record(listing, &listing.dir, &own)?;
    let below: BTreeSet<PathBuf> = records.iter().map(|record| record.cwd.clone()).collect();
    for dir in below.iter().filter(|dir| **dir != listing.dir) {
        let its_own = own_environment(listing, dir)?;
        if its_own != own {
            let (.., mut again) = record(listing, dir, &its_own)?;
            again.retain(|record| record.cwd == *dir);
            records.retain(|record| record.cwd != *dir);
            records.append(&mut again);
        }
    }
    records.sort_by_key(|record| (record.cwd.clone(), record.name()));
    if records.is_empty() {
        return Err(match outcome.status {
            Status::Exited(0) => listing.no_tests(format!("`make check` in {} runs none", listing.dir.display())),
            _ => listing.tool_failed(&command, &outcome),
        });
    }
    let unexpected = unexpected_passes(&outcome);
    let mut notes = Vec::new();
    if !outcome.status.success() && unexpected.is_empty() {
        notes.push(listing.tool_failed(&command, &outcome).to_string());
    }
    let base = command.env.sealed();
    let tests = records.into_iter().map(|record| record.listed(listing, &base, &unexpected)).collect();
    Ok(Found { tests, notes, is_slow: true })
}

/// What the Makefile in `dir` itself has `make check` put before each test, unexpanded.
fn own_environment(listing: &Listing, dir: &Path) -> Result<Vec<u8>, SuiteError> {
    let ask = "suspect-ask: ; @: $(info $(value TESTS_ENVIRONMENT))";
    let mut command = listing.tool(["make", "-s", "--no-print-directory", "--eval", ask, "suspect-ask"]);
    command.cwd = dir.to_path_buf();
    Ok(listing.run_tool(&command)?.stdout.bytes.trim_ascii().to_vec())
}

/// Runs `make check` in `dir` with the recorder before each test, after `own`. A Makefile below that puts something else there has its tests
/// recorded without that: a variable of the command line replaces every Makefile's.
fn record(listing: &Listing, dir: &Path, own: &[u8]) -> Result<(Command, Outcome, Vec<Record>), SuiteError> {
    let recorder = script("record", RECORDER)?;
    let mut value = b"TESTS_ENVIRONMENT=".to_vec();
    value.extend_from_slice(own);
    value.extend_from_slice(if own.is_empty() { b"'" } else { b" '" });
    for byte in recorder.path().join("record").as_os_str().as_bytes() {
        // A dollar is make's, a quote the shell's.
        match byte {
            b'$' => value.extend_from_slice(b"$$"),
            b'\'' => value.extend_from_slice(b"'\\''"),
            byte => value.push(*byte),
        }
    }
    value.push(b'\'');
    // What is checked besides TESTS would run now.
    let has_local = automake_check::has_local(listing.root);
    let local = has_local.then(|| ["-o".into(), LOCAL.into(), format!("AM_MAKEFLAGS=-o {LOCAL}").into()]);
    let argv = ["make", "-k", "check"].map(OsString::from).into_iter().chain([OsString::from_vec(value)]);
    let argv = argv.chain(local.into_iter().flatten());
    let mut command = listing.tool(argv);
    command.cwd = dir.to_path_buf();
    let outcome = listing.try_tool(&command)?;
    let records = read_records(recorder.path())?;
    records.iter().for_each(remove_results);
    Ok((command, outcome, records))
}

fn read_records(dir: &Path) -> Result<Vec<Record>, SuiteError> {
    let read = |path: PathBuf| fs::read(&path).map_err(|source| SuiteError::Io { what: "read", path, source });
    let mut records = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.extension() != Some(OsStr::new("argv")) {
            continue;
        }
        let words = |bytes: &[u8]| -> Vec<OsString> {
            let words = bytes.split(|byte| *byte == 0).map(|word| OsString::from_vec(word.to_vec()));
            // The last word ends with a NUL too.
            words.collect::<Vec<_>>().split_last().map(|(_, words)| words.to_vec()).unwrap_or_default()
        };
        let cwd = read(path.with_extension("cwd"))?;
        let env = words(&read(path.with_extension("env"))?).into_iter().filter_map(|entry| {
            let at = entry.as_bytes().iter().position(|byte| *byte == b'=')?;
            let (name, value) = entry.as_bytes().split_at(at);
            Some((OsStr::from_bytes(name).to_owned(), OsStr::from_bytes(&value[1..]).to_owned()))
        });
        records.push(Record {
            cwd: OsStr::from_bytes(cwd.strip_suffix(b"\n").unwrap_or(&cwd)).into(),
            env: env.collect(),
            argv: redirected(&read(path.with_extension("fds"))?).chain(words(&read(path)?)).collect(),
        });
    }
    Ok(records)
}

/// The words before a command that has these redirections.
fn redirected(redirections: &[u8]) -> impl Iterator<Item = OsString> {
    let script = format!("{REDIRECT}{}", String::from_utf8_lossy(redirections));
    let words = ["/bin/sh".into(), "-c".into(), script.into(), "sh".into()];
    words.into_iter().filter(|_| !redirections.is_empty())
}

/// What one of Automake's own drivers runs, and how it judges that; `None` for drivers that are not known.
pub(super) fn driven(argv: &[OsString]) -> Option<(Vec<OsString>, Oracle)> {
    let end = argv.iter().position(|word| word == "--")?;
    let (driver, command) = (&argv[..end], argv.get(end + 1..).filter(|command| !command.is_empty())?);
    let is_redirected = argv.get(2).is_some_and(|word| word.as_bytes().starts_with(REDIRECT.as_bytes()));
    let before = if is_redirected { &argv[..REDIRECT_WORDS] } else { &[] };
    let says_yes = |option: &str| driver.windows(2).any(|pair| pair[0] == option && pair[1] == "yes");
    let should_fail = says_yes("--expect-failure");
    let words = driver.iter().take_while(|word| !word.as_bytes().starts_with(b"--"));
    let name = words.filter_map(|word| Path::new(word).file_name());
    let oracle = name.filter_map(|name| match name.to_str()? {
        "test-driver" => Some(Oracle::Exit {
            skip: Some(SKIPPED),
            error: says_yes("--enable-hard-errors").then_some(HARD_ERROR),
            should_fail,
        }),
        "tap-driver.sh" | "tap-driver.pl" => Some(Oracle::Tap { should_fail }),
        _ => None,
    });
    Some(([before, command].concat(), oracle.last()?))
}

impl Record {
    /// Position of the value of an option of the test driver.
    fn option(&self, name: &str) -> Option<usize> {
        let end = self.argv.iter().position(|word| word == "--").unwrap_or(0);
        self.argv[..end].iter().position(|word| word == name).map(|at| at + 1)
    }

    /// The test's name: what the driver is told, or (Automake's old serial driver) the program's.
    fn name(&self) -> String {
        let name = match self.option("--test-name") {
            Some(at) => self.argv[at].clone(),
            None => {
                let program = self.argv.last().map(PathBuf::from).unwrap_or_default();
                program.file_name().unwrap_or(program.as_os_str()).to_owned()
            }
        };
        name.to_string_lossy().into_owned()
    }

    fn listed(self, listing: &Listing, base: &BTreeMap<OsString, OsString>, xpass: &BTreeSet<String>) -> Listed {
        let name = self.name();
        let oracle = match (self.option("--log-file"), self.option("--trs-file")) {
            (Some(log), Some(trs)) => Oracle::Automake { log, trs },
            _ => {
                let should_fail = xpass.contains(&name);
                Oracle::Exit { skip: Some(SKIPPED), error: Some(HARD_ERROR), should_fail }
            }
        };
        let below = self.cwd.strip_prefix(&listing.dir).unwrap_or(Path::new(""));
        let name = below.join(name).to_string_lossy().into_owned();
        let ours = |name: &OsString| MAKES_OWN.iter().any(|own| name == own);
        let set = self.env.iter().filter(|(name, value)| !ours(name) && base.get(*name) != Some(value));
        let unset = base.keys().filter(|name| !ours(name) && !self.env.contains_key(*name));
        let env = set.map(|(name, value)| (name.clone(), Some(value.clone())));
        let env = env.chain(unset.map(|name| (name.clone(), None))).collect();
        let plan = Plan { argv: self.argv, env, oracle, ..Plan::default() };
        Listed { name, dir: self.cwd, plan }
    }
}

/// Removes the results that the recorder made up.
fn remove_results(record: &Record) {
    let named = ["--log-file", "--trs-file"].into_iter().filter_map(|name| record.option(name));
    let files = named.map(|at| record.cwd.join(&record.argv[at])).chain([record.cwd.join("test-suite.log")]);
    for file in files {
        // The next `make check` makes them anew.
        let _ = fs::remove_file(file);
    }
}

/// Tests that the old serial driver expects to fail: it wonders that the recorder succeeds.
fn unexpected_passes(outcome: &Outcome) -> BTreeSet<String> {
    let text = String::from_utf8_lossy(&outcome.stdout.bytes);
    text.lines().filter_map(|line| line.strip_prefix("XPASS: ")).map(|name| name.trim().to_owned()).collect()
}
