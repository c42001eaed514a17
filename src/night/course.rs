//! The course of the nights: what came of each, in a few numbers.

use serde::Deserialize;

use super::record::VERSION;
use crate::obstacle::Obstacle;
use crate::report::{Entry, NightPoint};
use crate::store::{Manifest, Store};

/// Nights that are told: a month of them.
const MOST_NIGHTS: usize = 31;

/// What the course needs of a night's record.
#[derive(Deserialize)]
struct Kept {
    version: u32,
    ranking: Option<KeptRanking>,
}

#[derive(Deserialize)]
struct KeptRanking {
    ranking: Vec<KeptEntry>,
}

#[derive(Deserialize)]
struct KeptEntry {
    file: String,
    function: String,
    rank_best: u32,
    probability: Option<f64>,
}

/// The last 31 nights up to a run, the oldest first; ranks are those of the function that `first` is in. Empty unless the run is a night's,
/// and there are others.
pub fn course(store: &Store, run: u64, first: Option<&Entry>) -> Result<Vec<NightPoint>, Obstacle> {
    let mut nights = Vec::new();
    for number in store.runs()?.into_iter().rev().filter(|number| *number <= run) {
        let kept: Option<Kept> = store.load_night(number)?;
        match kept {
            Some(kept) if kept.version == VERSION => nights.push(point(number, &store.manifest(number)?, kept, first)),
            _ if number == run => return Ok(Vec::new()),
            _ => {}
        }
        if nights.len() == MOST_NIGHTS {
            break;
        }
    }
    nights.reverse();
    Ok(if nights.len() > 1 { nights } else { Vec::new() })
}

fn point(id: u64, manifest: &Manifest, kept: Kept, first: Option<&Entry>) -> NightPoint {
    let count = |passed: Option<bool>| manifest.tests.iter().filter(|test| test.passed == passed).count() as u32;
    let entries = kept.ranking.map_or_else(Vec::new, |ranking| ranking.ranking);
    let is_there = |entry: &&KeptEntry| {
        first.is_some_and(|first| (&first.file, &first.function) == (&entry.file, &entry.function))
    };
    NightPoint {
        id,
        began: manifest.began,
        failing: count(Some(false)),
        passing: count(Some(true)),
        excluded: count(None),
        first: entries.first().and_then(|entry| entry.probability),
        rank: entries.iter().find(is_there).map(|entry| entry.rank_best),
    }
}
