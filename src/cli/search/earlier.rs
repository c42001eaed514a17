//! What the trials of a recorded run depend on, kept with them, and what earlier runs found out that may hold still.

use std::collections::{BTreeMap, HashMap};

use serde::{Deserialize, Serialize};
use suspect_format::trace::HASH_START;

use crate::campaign::run_identity;
use crate::cli::evidence::load_code;
use crate::cli::exit::Failure;
use crate::cli::kills::{CodeState, mix, test_code, text};
use crate::program::Program;
use crate::search::{EarlierRun, SearchTest};
use crate::store::{EvidenceStore, Run, Store, TriedRecords};

/// Version of the file.
const VERSION: u32 = 1;
/// Earlier runs that are looked at: each has what it took over from those before.
const MOST_RUNS: usize = 5;

/// What the trials of a run depend on.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Origin {
    version: u32,
    /// When the run began, seconds since 1970.
    began: u64,
    /// The tests in the manifest's order: name, and a hash of the test, of its own code and of how it ended.
    tests: Vec<(String, u64)>,
    /// Functions whose name no other has: a hash of the code, and of the interfaces of what it calls.
    functions: BTreeMap<String, u64>,
}

impl Origin {
    fn of(run: &Run, tests: &[SearchTest]) -> Result<Origin, Failure> {
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
            tests: (0..).zip(&run.manifest.tests).map(test).collect(),
            functions: functions.map(|(name, number)| (name.to_string(), state.of_functions(&[number]))).collect(),
        })
    }
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

/// What earlier runs found out that may hold still, the latest first; and keeps what this one's trials depend on.
pub fn earlier(
    store: &Store,
    run: &Run,
    tests: &[SearchTest],
    evidence: &EvidenceStore,
) -> Result<Vec<EarlierRun>, Failure> {
    let origin = match evidence.load_origin::<Origin>() {
        Ok(Some(origin)) if origin.version == VERSION => origin,
        _ => Origin::of(run, tests)?,
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
        let (records, _) = other.load()?;
        runs.push(holding(&run.program, &origin, &before, records, &other.load_ages()?));
    }
    evidence.save_origin(&origin)?;
    Ok(runs)
}

/// The records of an earlier run whose tests are the same, and which functions are.
fn holding(
    program: &Program,
    now: &Origin,
    before: &Origin,
    records: TriedRecords,
    ages: &HashMap<(u64, u32), u64>,
) -> EarlierRun {
    let by_name: HashMap<&str, (u32, u64)> =
        (0..).zip(&now.tests).map(|(number, (name, state))| (name.as_str(), (number, *state))).collect();
    let test_now: HashMap<u32, u32> = (0..)
        .zip(&before.tests)
        .filter_map(|(old, (name, state))| {
            let (new, now) = by_name.get(name.as_str())?;
            (*now == *state && *state != 0).then_some((old, *new))
        })
        .collect();
    let held = records.into_iter().filter_map(|((candidate, test), mut record)| {
        let age = ages.get(&(candidate, test)).copied().unwrap_or(before.began);
        record.test = *test_now.get(&test)?;
        Some(((candidate, record.test), (record, age)))
    });
    let is_same = |function: &crate::program::Function| {
        let state = now.functions.get(&function.name);
        state.is_some() && state == before.functions.get(&function.name)
    };
    EarlierRun { records: held.collect(), same: program.functions.iter().map(is_same).collect() }
}
