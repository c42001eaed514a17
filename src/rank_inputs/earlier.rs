//! The origin of a recorded run's trials, kept with them, and trials of earlier runs that may hold still.

use std::collections::{BTreeMap, HashMap};
use std::fs;

use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

use crate::build::BuildReport;
use crate::campaign::run_identity;
use crate::mutation::{CodeState, build_identity, load_code, mix, test_code, text};
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::search::{EarlierRun, Facts, SearchTest, Unchanged};
use crate::store::{EvidenceStore, Run, Store};
use crate::suite_run::Session;
use crate::trial::Garbage;

/// Version of the file.
const VERSION: u32 = 2;
/// Earlier runs that are looked at: each has what it took over from those before.
const MOST_RUNS: usize = 5;

/// Everything that the trials of a run depend on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    version: u32,
    /// When the run began, seconds since 1970.
    began: u64,
    /// A hash of all bytes of the programs and libraries that the build made; `None` where not all of them are known.
    bytes: Option<u64>,
    /// The tests in the manifest's order: name, and a hash of the test, of its own code and of how it ended.
    tests: Vec<(String, u64)>,
    /// Functions whose name no other has: a hash of the code, and of the interfaces of what it calls.
    functions: BTreeMap<String, u64>,
}

impl Origin {
    fn of(run: &Run, tests: &[SearchTest], bytes: Option<u64>) -> Result<Origin, Obstacle> {
        let state = CodeState::of(&run.program, &load_code(run)?);
        let executed: HashMap<u32, &SearchTest> = tests.iter().map(|test| (test.test, test)).collect();
        let test = |(number, test): (u32, &crate::store::TestRecord)| {
            let own = executed
                .get(&number)
                .map_or(0, |executed| test_code(&run.program, |piece| executed.pieces.binary_search(&piece).is_ok()));
            let ended = text(mix(HASH_START, own), &test.verdict);
            // Of a test that counts for nothing, or of which nothing is known, no trial holds still.
            let is_known = test.passed.is_some() && test.state != 0;
            (test.name.clone(), if is_known { mix(ended, test.state) } else { 0 })
        };
        let functions = unique(&run.program).into_iter();
        Ok(Origin {
            version: VERSION,
            began: run.manifest.began,
            bytes,
            tests: (0..).zip(&run.manifest.tests).map(test).collect(),
            functions: functions.map(|(name, number)| (name.to_string(), state.of_functions(&[number]))).collect(),
        })
    }
}

/// A hash of this version of suspect and of the modules of the last build, byte by byte; `None` if one is missing or the run has a unit that is in none of them.
fn bytes_of_build(session: &Session) -> Result<Option<u64>, Obstacle> {
    let Session { store, run, .. } = session;
    let Some(build) = store.load_build::<BuildReport>()? else { return Ok(None) };
    let is_built = |unit: &crate::program::Unit| build.modules.iter().any(|module| module.units.contains(&unit.hash));
    if !run.program.units.iter().all(is_built) {
        return Ok(None);
    }
    let mut hash = text(build_identity(&run.program), env!("CARGO_PKG_VERSION"));
    for module in &build.modules {
        let Ok(bytes) = fs::read(store.root().join(&module.path)) else { return Ok(None) };
        hash = hash_bytes(text(hash, &module.path), &bytes);
    }
    Ok(Some(hash))
}

/// True if two runs are of the same program, byte by byte, as far as both have had changes tried.
pub fn is_same_program(store: &Store, runs: [&Run; 2]) -> bool {
    let bytes = runs.map(|run| {
        let origin = store.evidence(run_identity(run)).load_origin::<Origin>().ok().flatten();
        origin.filter(|origin| origin.version == VERSION).and_then(|origin| origin.bytes)
    });
    bytes[0].is_some() && bytes[0] == bytes[1]
}

/// Functions whose names no other has: candidates name functions, not files.
fn unique(program: &Program) -> BTreeMap<&str, u32> {
    let mut numbers: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    for (number, function) in (0..).zip(&program.functions) {
        numbers.entry(&function.name).or_default().push(number);
    }
    numbers
        .into_iter()
        .filter_map(|(name, numbers)| Some((name, *numbers.first().filter(|_| numbers.len() == 1)?)))
        .collect()
}

/// Trials of earlier runs that may hold still, the latest run first. Keeps the origin of this run's trials.
pub fn earlier(session: &Session, tests: &[SearchTest], evidence: &EvidenceStore) -> Result<Vec<EarlierRun>, Obstacle> {
    let Session { store, run, .. } = session;
    let bytes = bytes_of_build(session)?;
    let origin = match evidence.load_origin::<Origin>() {
        // What was tried on one build and on another is of neither.
        Ok(Some(origin)) if origin.version == VERSION => {
            Origin { bytes: origin.bytes.filter(|_| origin.bytes == bytes), ..origin }
        }
        _ => Origin::of(run, tests, bytes)?,
    };
    let mut found = Vec::new();
    for key in store.evidence_keys()?.into_iter().filter(|key| *key != run_identity(run)) {
        let other = store.evidence(key);
        // What cannot be read is tried again.
        if let Ok(Some(before)) = other.load_origin::<Origin>()
            && before.version == VERSION
        {
            found.push((before, other));
        }
    }
    // A later run than this one is not what it came from.
    found.retain(|(before, _)| before.began <= origin.began);
    found.sort_by_key(|(before, _)| std::cmp::Reverse(before.began));
    found.truncate(MOST_RUNS);
    let mut runs = Vec::new();
    for (before, other) in found {
        runs.push(holding(&run.program, &origin, &before, &other)?);
    }
    evidence.save_origin(&origin)?;
    Ok(runs)
}

/// The records of an earlier run whose tests are the same, and which functions are; of the same program everything that it knew.
fn holding(program: &Program, now: &Origin, before: &Origin, store: &EvidenceStore) -> Result<EarlierRun, Obstacle> {
    let by_name: HashMap<&str, (u32, u64)> =
        (0..).zip(&now.tests).map(|(number, (name, state))| (name.as_str(), (number, *state))).collect();
    let test_now: HashMap<u32, u32> = (0..)
        .zip(&before.tests)
        .filter_map(|(old, (name, state))| {
            let (new, now) = by_name.get(name.as_str())?;
            (*now == *state && *state != 0).then_some((old, *new))
        })
        .collect();
    let (records, _) = store.load()?;
    let ages = store.load_ages()?;
    let held = records.into_iter().filter_map(|((candidate, test), mut record)| {
        let age = ages.get(&(candidate, test)).copied().unwrap_or(before.began);
        record.test = *test_now.get(&test)?;
        Some(((candidate, record.test), (record, age)))
    });
    let is_unchanged = now.bytes.is_some() && now.bytes == before.bytes;
    let is_same = |function: &crate::program::Function| {
        let state = now.functions.get(&function.name);
        is_unchanged || state.is_some() && state == before.functions.get(&function.name)
    };
    let same = program.functions.iter().map(is_same).collect();
    let number = |test| test_now.get(&test).copied();
    let unchanged = match is_unchanged {
        true => Some(Unchanged {
            facts: store.load_facts::<Facts>().and_then(|facts| facts.renumbered(number)),
            garbage: {
                let garbage: BTreeMap<u32, Garbage> = store.load_garbage()?.unwrap_or_default();
                garbage.into_iter().filter_map(|(test, garbage)| Some((number(test)?, garbage))).collect()
            },
        }),
        false => None,
    };
    Ok(EarlierRun { began: before.began, records: held.collect(), same, unchanged })
}
