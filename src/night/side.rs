//! One of the nights that are compared, from wherever it is known.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use suspect_format::trace::{HASH_START, hash_bytes};

use super::record::Night;
use crate::history::{Failed, FunctionKnown, Known, Version};
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::progress::Progress;
use crate::rank_inputs::count_tests;
use crate::ranking::known_ranking;
use crate::report::{Entry, NightName, Report, TestOutcome, read_report};
use crate::source::SourceTree;
use crate::store::{Recorded, Run, Store, TestRecord};
use crate::suite_run::Session;

/// A night.
pub struct Side {
    /// Its name.
    pub name: NightName,
    /// Its tests.
    pub tests: Vec<SideTest>,
    /// Its program.
    pub version: Version,
    /// Its ranking; `None` where nothing was ranked.
    pub entries: Option<Vec<Entry>>,
    /// Work for which there was no time.
    pub missing: Vec<String>,
}

/// A test in a night.
pub struct SideTest {
    /// Its name.
    pub name: String,
    /// Its verdict in words.
    pub verdict: String,
    /// Knowledge about its result.
    pub known: Known,
    /// Hashes of the test and of the code that it executes; `None` where they are not known.
    state: Option<(u64, u64)>,
}

impl SideTest {
    /// True if the test and the code that it executes are the same in another night.
    pub fn is_as(&self, other: &SideTest) -> bool {
        self.state.is_some() && self.state == other.state
    }
}

impl Side {
    /// The latest night of a store.
    pub fn latest(store: &Store, progress: &dyn Progress) -> Result<Side, Obstacle> {
        Side::of(&Session::latest(store.root())?, progress)
    }

    /// The night of a name: a night's number, another project's directory or store, or a report.
    pub fn find(store: &Store, start: &Path, name: &str, progress: &dyn Progress) -> Result<Side, Obstacle> {
        if let Ok(number) = name.parse::<u64>() {
            let known = store.runs()?;
            let unknown = || {
                let nights: Vec<String> = known.iter().map(u64::to_string).collect();
                let message = format!("there is no night {number} here; those kept are {}", nights.join(", "));
                Obstacle::new(Obstacle::Request, message)
            };
            let run = store.run(number)?.ok_or_else(unknown)?;
            return Side::of(&Session::of(store.clone(), run), progress);
        }
        let path = start.join(name);
        if path.is_dir() {
            let is_store = path.file_name().is_some_and(|name| name == crate::STORE_DIRECTORY);
            let root = if is_store { path.parent().unwrap_or(&path) } else { &path };
            return Side::latest(&Store::new(root), progress);
        }
        match path.is_file() {
            true => Ok(Side::of_report(read_report(&path)?)),
            false => Err(Obstacle::new(
                Obstacle::Request,
                format!("{name} is neither a night's number nor a directory nor a report (report.json)"),
            )),
        }
    }

    /// The night of a run, or the run itself where it is no night's.
    pub fn of(session: &Session, progress: &dyn Progress) -> Result<Side, Obstacle> {
        let Session { store, run, .. } = session;
        let night = Night::of(store, run.number)?;
        let is_latest = store.runs()?.last() == Some(&run.number);
        let entries = match night.as_ref().and_then(|night| night.ranking.clone()) {
            Some(ranking) => Some(ranking.ranking),
            // Where no test fails there is none.
            None if is_latest => known_ranking(session, progress).ok().map(|known| known.ranking.ranking),
            None => None,
        };
        let texts = match &night {
            Some(night) => night.texts(store)?,
            None if is_latest => texts_now(store.root(), &run.program),
            None => BTreeMap::new(),
        };
        let version = Version::of(&run.program, texts);
        let counts = count_tests(run);
        Ok(Side {
            name: NightName {
                id: run.number,
                began: run.manifest.began,
                revision: night.as_ref().and_then(|night| night.revision.clone()),
                failing: counts.failing,
                passing: counts.passing,
                excluded: counts.excluded,
            },
            tests: tests(run, &version)?,
            version,
            entries,
            missing: night.map_or_else(Vec::new, |night| night.missing),
        })
    }

    fn of_report(report: Report) -> Side {
        let count = |outcome| report.n_tests(outcome) as u32;
        let mut version = Version::default();
        for file in &report.files {
            let functions = file.functions.iter().map(|function| FunctionKnown {
                name: function.name.clone(),
                file: file.path.clone(),
                lines: (function.line, function.last_line),
                code: None,
            });
            version.functions.extend(functions);
            version.texts.extend(file.text.clone().map(|text| (file.path.clone(), text)));
        }
        let test = |test: &crate::report::TestResult| SideTest {
            name: test.name.clone(),
            verdict: test.verdict.clone(),
            known: match test.outcome {
                TestOutcome::Passed => Known::Passed,
                TestOutcome::Failed => failed(&test.verdict, String::new()),
                TestOutcome::Excluded => uncounted(&test.verdict),
            },
            state: None,
        };
        Side {
            name: NightName {
                id: 0,
                began: report.recorded.began,
                revision: None,
                failing: count(TestOutcome::Failed),
                passing: count(TestOutcome::Passed),
                excluded: count(TestOutcome::Excluded),
            },
            tests: report.tests.iter().map(test).collect(),
            version,
            entries: report.ranking.map(|ranking| ranking.ranking),
            missing: Vec::new(),
        }
    }
}

/// The project's sources as they are.
fn texts_now(root: &Path, program: &Program) -> BTreeMap<String, String> {
    let sources = SourceTree::of(root, program);
    let text = |file: &String| Some((file.clone(), sources.text(file)?));
    program.files.iter().filter(|file| !file.starts_with('/')).filter_map(text).collect()
}

fn failed(verdict: &str, stopped_at: String) -> Known {
    Known::Failed(Failed { verdict: verdict.to_string(), stopped_at })
}

fn uncounted(verdict: &str) -> Known {
    if verdict.starts_with("flaky") { Known::Flaky } else { Known::Uncounted }
}

fn tests(run: &Run, version: &Version) -> Result<Vec<SideTest>, Obstacle> {
    let recorded = run.recorded()?;
    let mut tests = Vec::new();
    for (number, test) in (0..).zip(&run.manifest.tests) {
        let known = match test.passed {
            Some(true) => Known::Passed,
            Some(false) => failed(&test.verdict, stopped_at(run, &recorded, version, number, test)?),
            None => uncounted(&test.verdict),
        };
        let state = match test.passed {
            Some(_) => Some((test.state, executed(&run.program, &recorded.pieces(number)?))),
            None => None,
        };
        tests.push(SideTest { name: test.name.clone(), verdict: test.verdict.clone(), known, state });
    }
    Ok(tests)
}

/// A hash of the names and the code of the functions that these pieces are in.
fn executed(program: &Program, pieces: &[u32]) -> u64 {
    let function = |piece: &u32| {
        let block = program.pieces.get(*piece as usize)?.block;
        let function = &program.functions[program.blocks.get(block as usize)?.function as usize];
        Some((function.name.as_str(), function.content_hash))
    };
    let functions: BTreeSet<(&str, u64)> = pieces.iter().filter_map(function).collect();
    functions
        .into_iter()
        .fold(HASH_START, |hash, (name, code)| hash_bytes(hash_bytes(hash, name.as_bytes()), &code.to_le_bytes()))
}

/// Function and text of the line in which a signal stopped the test; empty where none did.
fn stopped_at(
    run: &Run,
    recorded: &Recorded,
    version: &Version,
    number: u32,
    test: &TestRecord,
) -> Result<String, Obstacle> {
    if !test.verdict.contains("killed by") {
        return Ok(String::new());
    }
    let program = &run.program;
    let stopped = recorded.execution(number)?.stopped_in;
    let place = stopped.first().and_then(|piece| {
        let piece = program.pieces.get(*piece as usize)?;
        let function = &program.functions[program.blocks[piece.block as usize].function as usize];
        let line = program.lines[*piece.lines.first()? as usize];
        let file = program.files.get(line.file as usize)?;
        Some(format!("{}: {}", function.name, version.line(file, line.line)))
    });
    Ok(place.unwrap_or_default())
}
