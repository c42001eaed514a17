//! Parts of a sharded campaign joined to one whole.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::Serialize;

use crate::campaign::{CampaignManifest, run_identity};
use crate::obstacle::Obstacle;
use crate::store::{ShardEnd, Store};

/// Joins the parts that ended in some stores; without any, those in `into` itself. `partial`: also where some are missing or were not finished.
///
/// # Errors
/// When there is no part, or parts are not of one piece of work.
pub fn join_parts(into: &Store, from: &[Store], partial: bool) -> Result<Vec<Joined>, Obstacle> {
    let is_here = from.is_empty();
    let from = if is_here { std::slice::from_ref(into) } else { from };
    let _lock = into.lock()?;
    let mut joined = campaigns(into, from, is_here, partial)?;
    joined.extend(kills(into, from, is_here, partial)?);
    if joined.is_empty() {
        let places: Vec<String> = from.iter().map(|store| store.directory().display().to_string()).collect();
        let message = format!("there is nothing to join: no part (--shard K/N) has ended in {}", places.join(", "));
        return Err(Obstacle::Store(message));
    }
    Ok(joined)
}

/// A piece of work that was joined.
#[derive(Serialize)]
pub struct Joined {
    /// What its parts are of.
    what: String,
    /// Parts that were joined, of how many.
    parts: usize,
    of: u32,
    /// What is missing or was not finished; only with --partial.
    lacks: Vec<String>,
}

impl fmt::Display for Joined {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {} parts: {}", self.parts, self.of, self.what)?;
        match self.lacks.is_empty() {
            true => Ok(()),
            false => write!(f, "; {}", self.lacks.join("; ")),
        }
    }
}

/// Joins the campaigns of value mutants of which parts have ended.
fn campaigns(into: &Store, from: &[Store], is_here: bool, partial: bool) -> Result<Vec<Joined>, Obstacle> {
    let mut keys = BTreeSet::new();
    for store in from {
        for campaign in store.campaigns()? {
            if !campaign.shards().all()?.is_empty() {
                keys.extend(campaign.key());
            }
        }
    }
    if keys.len() > 1 && !is_here {
        return Err(mixed("they belong to different campaigns (another recorded run, seed or choice of tests)"));
    }
    let mut joined = Vec::new();
    for key in &keys {
        let campaigns: Vec<_> = from.iter().map(|store| store.campaign(*key)).collect();
        let mut ends = Vec::new();
        for campaign in &campaigns {
            ends.extend(campaign.shards().all()?);
        }
        joined.push(check(&ends, partial)?);
        let target = into.campaign(*key);
        if !is_here {
            has_run(into, &from[0], &campaigns[0].load_manifest()?)?;
            let plans: BTreeSet<Vec<u8>> = campaigns.iter().map(|campaign| campaign.plan_bytes()).collect();
            if plans.len() > 1 {
                return Err(mixed(
                    "tests did not behave alike where they were run (their plans differ): run the parts again",
                ));
            }
            campaigns.iter().try_for_each(|campaign| target.take(campaign))?;
        }
        target.join()?;
        target.shards().clear()?;
    }
    Ok(joined)
}

/// Joins results of code mutants, if parts have ended.
fn kills(into: &Store, from: &[Store], is_here: bool, partial: bool) -> Result<Option<Joined>, Obstacle> {
    let mut ends = Vec::new();
    for store in from {
        ends.extend(store.kills().shards().all()?);
    }
    if ends.is_empty() {
        return Ok(None);
    }
    let joined = check(&ends, partial)?;
    let target = into.kills();
    if !is_here {
        from.iter().try_for_each(|store| target.take(&store.kills()))?;
    }
    target.join()?;
    target.shards().clear()?;
    Ok(Some(joined))
}

fn mixed(why: &str) -> Obstacle {
    Obstacle::Store(format!("these parts cannot be joined: {why}"))
}

/// Checks that parts are of one piece of work and that none is missing; says what they are.
fn check(ends: &[ShardEnd], partial: bool) -> Result<Joined, Obstacle> {
    let works: BTreeMap<(u64, u32), &ShardEnd> = ends.iter().map(|end| ((end.work, end.of), end)).collect();
    let Some(end) = works.values().next().filter(|_| works.len() == 1) else {
        let words: Vec<String> = works.values().map(|end| format!("{}/{}: {}", end.number, end.of, end.what)).collect();
        return Err(mixed(&format!("they are of different work: {}", words.join("; "))));
    };
    let name = |number: u32| format!("{number}/{}", end.of);
    let there: BTreeSet<u32> = ends.iter().map(|end| end.number).collect();
    let missing: Vec<String> = (1..=end.of).filter(|number| !there.contains(number)).map(name).collect();
    let unfinished: Vec<String> = ends
        .iter()
        .filter(|end| end.left > 0)
        .map(|end| format!("{} has {} trials left", name(end.number), end.left))
        .collect();
    let mut lacks = unfinished;
    if !missing.is_empty() {
        lacks.insert(0, format!("missing: {}", missing.join(", ")));
    }
    let joined = Joined { what: end.what.clone(), parts: there.len(), of: end.of, lacks };
    match joined.lacks.is_empty() || partial {
        true => Ok(joined),
        false => {
            let message = format!("{joined}; run them again, or join what there is with --partial");
            Err(Obstacle::Store(message))
        }
    }
}

/// The recorded run that trials are of must be the latest here; where there is none, it is taken from the other store.
fn has_run(into: &Store, from: &Store, manifest: &Option<CampaignManifest>) -> Result<(), Obstacle> {
    if into.runs()?.is_empty() {
        into.take_run(from)?;
    }
    let here = run_identity(&into.latest_run()?);
    match manifest.as_ref().is_none_or(|manifest| manifest.run == here) {
        true => Ok(()),
        false => Err(mixed(
            "they are of another recorded run than the latest one here: run `suspect test` once, and all parts with its .suspect",
        )),
    }
}
