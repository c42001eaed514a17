//! Mended faults of a project's own history as a benchmark: commits that change few lines, and whose tests fail without these changes.

mod history;
mod journal;
mod lines;
mod project;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::bench::{Bench, Change, Trial};
use super::seed::tree::project_files;
use super::{SeededBenchmark, SeededProgram, SeededVersion};
use crate::exec::{ScratchRoot, interrupt};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use history::{Commit, History};
pub use journal::FILE as MINED_FILE;
use journal::{Fate, Journal};
use lines::{FaultyLines, faulty_lines};
use project::Project;

/// Which mended faults are looked for.
#[derive(Clone, Debug)]
pub struct MineRequest {
    /// The git repository.
    pub repository: PathBuf,
    /// The benchmark's directory: new, or one that an earlier call made and goes on.
    pub directory: PathBuf,
    /// Shell line that builds a tree; what suspect.toml says without it.
    pub build: Option<String>,
    /// Shell lines, each a test; the suites of suspect.toml without any.
    pub tests: Vec<String>,
    /// The suspect.toml of all commits; without it each has its own, or gets the one that `suspect init` would write.
    pub config: Option<PathBuf>,
    /// The commits, as git names a range of them.
    pub range: String,
    /// Faults to find.
    pub count: usize,
    /// Lines of source that a mending changes, at most.
    pub most_lines: u32,
    /// Begin no further commit after this time.
    pub budget: Option<Duration>,
}

/// Somebody who is told how mining goes.
pub struct MineWatch<'a> {
    /// Progress.
    pub progress: &'a dyn Progress,
    /// Takes a line for each fault that was found.
    pub line: &'a mut dyn FnMut(&str) -> std::io::Result<()>,
}

/// What came of mining.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mined {
    /// Faults that the benchmark has.
    pub kept: usize,
    /// Commits that were tried, in this call and before.
    pub tried: usize,
    /// Commits that are left.
    pub left: usize,
    /// Why others are not faults: reason and number, most frequent first.
    pub refused: Vec<(&'static str, usize)>,
}

/// Bytes of a tree, at most: each fault has its own.
const MOST_BYTES: u64 = 256 << 20;
/// Passing tests in the small suite.
const FEW: usize = 5;
/// Digits of a commit's hash in a program's name.
const DIGITS: usize = 10;

/// Finds mended faults in a history and writes each as a program of a benchmark.
///
/// # Errors
/// When the repository or the request cannot be read, or the disk refuses. A commit that cannot be used is none.
pub fn mine(request: &MineRequest, watch: MineWatch) -> Result<Mined, Obstacle> {
    let history = History::open(&request.repository)?;
    let (commits, n_partial) = history.commits(&request.range, request.most_lines, &project::test_code(request)?)?;
    let mut journal = Journal::open(&request.directory)?;
    let began = Instant::now();
    let is_over = || interrupt::happened() || request.budget.is_some_and(|budget| began.elapsed() >= budget);
    let open: Vec<&Commit> = commits.iter().filter(|commit| journal.fate(&commit.id).is_none()).collect();
    for (number, commit) in (1..).zip(&open) {
        if journal.n_kept() >= request.count || is_over() {
            break;
        }
        let kept = journal.n_kept();
        watch
            .progress
            .show(false, &|_| format!("commit {number} of {}, {kept} faults kept: {}", open.len(), commit.subject));
        let fate = try_commit(&history, commit, request)?;
        // What was broken off says nothing about the commit.
        if interrupt::happened() && !matches!(fate, Fate::Kept(_)) {
            break;
        }
        if let Fate::Kept(name) = &fate {
            watch.progress.clear();
            (watch.line)(&format!("{name}: {}", commit.subject)).map_err(Obstacle::of(Obstacle::File))?;
        }
        journal.note(&commit.id, &commit.subject, fate)?;
    }
    watch.progress.clear();
    let mut refused: BTreeMap<&'static str, usize> = BTreeMap::new();
    for reason in journal.fates().filter_map(reason) {
        *refused.entry(reason).or_default() += 1;
    }
    if n_partial > 0 {
        refused.insert("have files that this copy of the repository lacks", n_partial);
    }
    let mut refused: Vec<(&'static str, usize)> = refused.into_iter().collect();
    refused.sort_by_key(|(_, number)| std::cmp::Reverse(*number));
    let left = open.iter().filter(|commit| journal.fate(&commit.id).is_none()).count();
    Ok(Mined { kept: journal.n_kept(), tried: journal.fates().count(), left, refused })
}

/// Why a commit is no fault of the benchmark, as a clause; `None` if it is one.
fn reason(fate: &Fate) -> Option<&'static str> {
    match fate {
        Fate::Kept(_) => None,
        Fate::Unbuilt(_) => Some("do not build"),
        Fate::Unnoticed => Some("no test notices"),
        Fate::Useless(_) => Some("have no test that passes"),
        Fate::Broken => Some("fail all tests, or do not end"),
        Fate::Flaky => Some("have tests that fail now and then"),
        Fate::Lineless => Some("change no line that can be blamed"),
        Fate::Restructured => Some("add or remove files"),
        Fate::Large => Some("have too large a tree"),
    }
}

/// Builds and tests a commit with and without its changes, and keeps it if its tests tell these apart.
fn try_commit(history: &History, commit: &Commit, request: &MineRequest) -> Result<Fate, Obstacle> {
    let Some(changes) = history.changes(commit)? else { return Ok(Fate::Restructured) };
    let scratch = ScratchRoot::new().map_err(Obstacle::of(Obstacle::File))?;
    let tree = scratch.path().join("tree");
    fs::create_dir(&tree).map_err(Obstacle::of(Obstacle::File))?;
    match history.check_out(&commit.id, &tree, scratch.path()) {
        // A shallow copy lacks files.
        Err(Obstacle::Request(why)) => return Ok(Fate::Unbuilt(why)),
        done => done?,
    }
    let files = project_files(&tree, &tree.join(".git"))?;
    let size = |file: &PathBuf| fs::symlink_metadata(tree.join(file)).map_or(0, |data| data.len());
    if files.iter().map(size).sum::<u64>() > MOST_BYTES {
        return Ok(Fate::Large);
    }
    let reversal = history.reversal(commit, 0)?;
    let lines = lines_of(&reversal, &tree, &files, &changes);
    if lines.is_empty() {
        return Ok(Fate::Lineless);
    }
    let project = Project::of(&tree, request)?;
    let mut bench = match Bench::new(&tree, &files, (&project.build, project.config.clone()), &scratch, 0) {
        Ok(bench) => bench,
        Err(obstacle @ (Obstacle::File(_) | Obstacle::Internal(_))) => return Err(obstacle),
        Err(obstacle) => return Ok(Fate::Unbuilt(obstacle.into_message())),
    };
    let pool = bench.learn(&bench.tests(), &scratch)?;
    if pool.is_empty() {
        return Ok(Fate::Useless(format!("none of its {} tests passes twice", bench.tests().len())));
    }
    let failing = match bench.judge(&changes, &pool, &scratch)? {
        Trial::Unbuilt => return Ok(Fate::Unbuilt("it does not build without the changes".into())),
        Trial::Stuck => return Ok(Fate::Broken),
        Trial::Failing(failing) if failing.is_empty() => return Ok(Fate::Unnoticed),
        Trial::Failing(failing) if failing.len() == pool.len() => return Ok(Fate::Broken),
        Trial::Failing(failing) => failing,
    };
    if bench.judge(&changes, &pool, &scratch)? != Trial::Failing(failing.clone()) {
        return Ok(Fate::Flaky);
    }
    let name = format!("{}-{}", name_of(&request.repository), &commit.id[..DIGITS.min(commit.id.len())]);
    let version = SeededVersion {
        name: "fault".into(),
        patch: history.reversal(commit, 3)?,
        class: Some(lines.class().to_owned()),
        faults: 1,
        changed: lines.changed,
        omitted: lines.omitted,
        used: lines.used,
        notes: vec![
            format!("{}: {}", commit.id, commit.subject),
            format!("{} of {} tests fail", failing.len(), pool.len()),
        ],
    };
    let selections = selections(&pool, &failing);
    let program = SeededProgram { name: name.clone(), versions: vec![version], selections };
    let benchmark = SeededBenchmark {
        root: &tree,
        files: &files,
        build: &project.build,
        suites: &project.suites,
        rank: Some(&project.rank),
        programs: &[],
    };
    let directory = request.directory.join(&name);
    if directory.exists() {
        // An earlier call was killed before it noted that it had written this.
        fs::remove_dir_all(&directory).map_err(Obstacle::of(Obstacle::File))?;
    }
    benchmark.write_one(&program, &directory)?;
    Ok(Fate::Kept(name))
}

/// The faulty lines of the version that `changes` make of the tree.
fn lines_of(reversal: &[u8], tree: &Path, files: &[PathBuf], changes: &[Change]) -> FaultyLines {
    let is_c = |file: &&PathBuf| file.extension().is_some_and(|extension| extension == "c" || extension == "h");
    let names: Vec<String> = files.iter().filter(is_c).map(|file| file.to_string_lossy().into_owned()).collect();
    let text = |name: &str| {
        let bytes = match changes.iter().find(|change| change.file == name) {
            Some(change) => change.new.clone(),
            None => fs::read(tree.join(name)).ok()?,
        };
        Some(String::from_utf8_lossy(&bytes).into_owned())
    };
    faulty_lines(&String::from_utf8_lossy(reversal), &names, text)
}

/// Suites drawn from the pool: the first failing test with all passing ones, and with a few of them.
fn selections(pool: &[String], failing: &[String]) -> Vec<(&'static str, Vec<String>)> {
    let passing: Vec<String> = pool.iter().filter(|test| !failing.contains(test)).cloned().collect();
    let one = || failing.first().cloned().into_iter();
    let few = (0..FEW.min(passing.len())).map(|at| passing[at * passing.len() / FEW.min(passing.len())].clone());
    vec![("all", one().chain(passing.iter().cloned()).collect()), ("few", one().chain(few).collect())]
}

/// The repository's name, as a name of a directory.
fn name_of(repository: &Path) -> String {
    let absolute = fs::canonicalize(repository).unwrap_or_else(|_| repository.into());
    let plain = |letter: char| if letter.is_ascii_alphanumeric() || "._-".contains(letter) { letter } else { '-' };
    let name = absolute.file_name().map_or_else(|| "project".into(), |name| name.to_string_lossy().into_owned());
    name.trim_end_matches(".git").chars().map(plain).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn suites_have_one_failing_test_and_all_or_few_passing_ones() {
        let name = |number: usize| format!("t{number}");
        let pool: Vec<String> = (0..20).map(name).collect();
        let drawn = selections(&pool, &[name(3), name(4)]);
        let [(_, all), (_, few)] = &drawn[..] else { panic!("{drawn:?}") };
        assert_eq!((all.len(), few.len()), (19, 6));
        assert!(drawn.iter().all(|(_, tests)| tests[0] == "t3" && !tests.contains(&name(4))));
        let tiny = selections(&[name(1), name(2)], &[name(1)]);
        assert!(tiny.iter().all(|(_, tests)| *tests == [name(1), name(2)]));
    }
}
