//! What changes of a version did to its tests: tried once, kept, and read by every ranking after that.

use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use serde::{Deserialize, Serialize};

use super::version::Place;
use crate::eval::{self, EvalVersion};
use crate::evidence::{Candidate, Effect, Kind, Outcome, Posterior, Trials, TriedTest};
use crate::mutant::Class;
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank_inputs::{Coverage, SearchOptions, search};
use crate::search::SearchWatch;
use crate::suite_run::Session;
use crate::trial::{End, Mutant};

/// The outcomes of a version's trials, with as much of the candidates as rankings read.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Kept {
    /// What they were made from.
    key: String,
    /// Why nothing could be tried, if so.
    pub refused: Option<String>,
    /// Trials that were run.
    pub n_run: usize,
    /// Seconds that took.
    pub seconds: f64,
    /// True if nothing was left that was worth a trial.
    pub finished: bool,
    /// Tests: index in the manifest, whether it fails, what matches without any change, whether it is a further one.
    tests: Vec<(u32, bool, Option<u64>, bool)>,
    candidates: Vec<KeptCandidate>,
    /// See [`Trials::readers`].
    #[serde(default)]
    readers: (BTreeSet<u32>, f64),
    /// Positions of tests, see [`Trials::unusable`].
    #[serde(default)]
    unusable: BTreeSet<u32>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct KeptCandidate {
    id: u64,
    kind: u8,
    line: u32,
    node: Option<u32>,
    instances: Box<[u64]>,
    /// Test, effect, bytes that match.
    outcomes: Vec<(u32, u8, Option<u64>)>,
}

const KINDS: [Kind; 5] = [Kind::Value, Kind::Pointer, Kind::Predicate, Kind::Switch, Kind::Call];

fn kinds() -> impl Iterator<Item = Kind> {
    KINDS.into_iter().chain(Class::ALL.into_iter().map(Kind::Operation)).chain([Kind::Constant])
}

impl Kept {
    fn new(key: String, trials: &Trials) -> Kept {
        let number = |kind: Kind| kinds().position(|known| known == kind).unwrap_or(0) as u8;
        let keep = |(at, candidate): (u32, &Candidate)| KeptCandidate {
            id: candidate.id,
            kind: number(candidate.kind),
            line: candidate.line,
            node: candidate.node,
            instances: candidate.instances.clone(),
            outcomes: trials.outcomes(at).iter().map(|(test, o)| (*test, o.effect.number(), o.matched)).collect(),
        };
        Kept {
            key,
            tests: trials.tests().iter().map(|test| (test.test, test.failed, test.matched, test.further)).collect(),
            candidates: (0..).zip(trials.candidates()).map(keep).collect(),
            readers: (trials.readers().0.clone(), trials.readers().1),
            unusable: trials.unusable().clone(),
            ..Kept::default()
        }
    }

    /// The trials on some of the tests, named by their indices in the manifest.
    pub fn trials(&self, tests: &[u32]) -> Trials {
        let wanted = |test: &&(u32, bool, Option<u64>, bool)| tests.contains(&test.0);
        let tried = |&(test, failed, matched, further): &(u32, bool, Option<u64>, bool)| TriedTest {
            test,
            failed,
            matched,
            further,
        };
        let mut trials = Trials::new(self.tests.iter().filter(wanted).map(tried).collect());
        trials.set_readers(self.readers.0.clone(), self.readers.1);
        let mut position = 0;
        let positions: Vec<Option<u32>> = self
            .tests
            .iter()
            .map(|test| {
                wanted(&test).then(|| {
                    position += 1;
                    position - 1
                })
            })
            .collect();
        let unusable = self.unusable.iter().filter_map(|test| *positions.get(*test as usize)?);
        trials.set_unusable(unusable.collect());
        for kept in &self.candidates {
            let at = trials.add(Candidate {
                id: kept.id,
                kind: kinds().nth(kept.kind as usize).unwrap_or(Kind::Value),
                line: kept.line,
                node: kept.node,
                instances: kept.instances.clone(),
                mutant: Mutant { overrides: Box::default() },
                original: String::new(),
                replacement: String::new(),
                edit: None,
            });
            for &(test, effect, matched) in &kept.outcomes {
                let effect = Effect::of_number(effect);
                if let Some(Some(test)) = positions.get(test as usize) {
                    trials.set(at, *test, Outcome { effect, end: End::Unknown, matched });
                }
            }
        }
        trials
    }
}

/// What is said of one of several versions: no state that changes.
pub struct Muted<'a>(pub &'a dyn Progress);

impl Progress for Muted<'_> {
    fn show(&self, _: bool, _: &dyn Fn(Duration) -> String) {}

    fn begin(&self, _: &str) {}

    fn clear(&self) {}

    fn say(&self, line: &str) {
        self.0.say(&format!("suspect: {line}"));
    }
}

/// Nobody looks on: several versions are searched at once.
struct Unwatched;

impl SearchWatch for Unwatched {
    fn tried(&self, _: usize) {}

    fn ranked(&self, _: &Trials, _: &[f64]) {}
}

impl Place<'_> {
    fn trials_path(&self, version: &EvalVersion) -> std::path::PathBuf {
        self.work(&format!("{}.trials.json", version.name))
    }

    /// What was tried with the same budget, if it was; a fresh evaluation has recorded the version anew before it asks.
    pub fn kept_trials(&self, version: &EvalVersion, recording_key: &str) -> Result<Option<Kept>, Obstacle> {
        Ok(eval::read(&self.trials_path(version), &self.trials_key(recording_key))?)
    }

    fn trials_key(&self, recording_key: &str) -> String {
        let most = self.options.most_trials.map(|most| format!(" {most}")).unwrap_or_default();
        let everything = if self.options.everything { " everything" } else { "" };
        format!("{recording_key} {:?}{most}{everything}", self.options.search)
    }

    /// Tries changes of a version that has just been built and recorded, and keeps what they did.
    pub fn try_changes(&self, version: &EvalVersion, recording_key: &str, session: &Session) -> Result<(), Obstacle> {
        let key = self.trials_key(recording_key);
        let began = Instant::now();
        let kept = match self.search(session) {
            Ok((trials, n_run, finished)) => Kept { n_run, finished, ..Kept::new(key, &trials) },
            Err(failure) => Kept { refused: Some(failure.into_message()), ..Kept::new(key, &Trials::default()) },
        };
        let kept = Kept { seconds: began.elapsed().as_secs_f64(), ..kept };
        if let Some(why) = &kept.refused {
            self.options.progress.say(&format!("{}: nothing was tried: {why}", self.name_of(version)));
        }
        let text = serde_json::to_vec(&kept).map_err(Obstacle::of(Obstacle::Internal))?;
        Ok(eval::write(&self.trials_path(version), &text)?)
    }

    /// Trials, how many were run now, and whether nothing was left.
    fn search(&self, session: &Session) -> Result<(Trials, usize, bool), Obstacle> {
        let run = &session.run;
        let counted = run.counted_tests();
        let failed = |test: &u32| run.manifest.tests[*test as usize].passed == Some(false);
        if !counted.iter().any(failed) {
            return Ok((Trials::default(), 0, true));
        }
        let coverage = Coverage::read(run, &counted)?;
        let facts = coverage.line_facts(session)?;
        let posterior = |trials: &Trials| Posterior::new(&facts, trials).lines;
        let options = SearchOptions {
            jobs: self.options.jobs,
            budget: self.options.search,
            most_trials: self.options.most_trials,
            everything: self.options.everything,
            settled_at: None,
            allow_unsafe: false,
        };
        let (searched, _) =
            search(session, options, &posterior, &AtomicBool::new(false), &Unwatched, &Muted(self.options.progress))?;
        // Some tests cannot be run with changes; where none can, the reason of one is as good as any.
        match searched.refused.into_values().next() {
            Some(why) if searched.trials.is_empty() => Err(Obstacle::new(Obstacle::Tests, why)),
            _ => Ok((searched.trials, searched.n_run, searched.is_finished)),
        }
    }

    /// Where the features of a version's lines are kept.
    pub fn features_path(&self, version: &EvalVersion) -> std::path::PathBuf {
        self.directory.join(format!("{}.features.jsonl", version.name))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_rankings_read() {
        let test = |test, failed| TriedTest { test, failed, matched: failed.then_some(7), further: false };
        let mut trials = Trials::new(vec![test(3, true), test(5, false), test(9, false)]);
        for (n, kind) in kinds().enumerate() {
            let mutant = Mutant { overrides: Box::default() };
            let (original, replacement) = (String::new(), String::new());
            let (line, instances) = (n as u32 % 4, vec![n as u64].into());
            let id = n as u64 + 1;
            let at = trials.add(Candidate {
                id,
                kind,
                line,
                node: None,
                instances,
                mutant,
                original,
                replacement,
                edit: None,
            });
            let outcome = |effect| Outcome { effect, end: End::Unknown, matched: Some(n as u64) };
            trials.set(at, n as u32 % 3, outcome(Effect::ALL[n % 5]));
            trials.set(at, 2, outcome(Effect::Turned));
        }
        trials.set_readers([1, 3].into(), 0.5);
        trials.set_unusable([2].into());
        let text = serde_json::to_vec(&Kept::new("key".into(), &trials)).unwrap();
        let kept: Kept = serde_json::from_slice(&text).unwrap();
        let same = kept.trials(&[3, 5, 9]);
        assert_eq!((same.tests(), same.candidates()), (trials.tests(), trials.candidates()));
        assert_eq!(same.readers(), trials.readers());
        assert_eq!(same.unusable(), trials.unusable());
        assert!((0..trials.candidates().len() as u32).all(|at| same.outcomes(at) == trials.outcomes(at)));
        // Of some tests alone.
        let some = kept.trials(&[9, 3]);
        assert_eq!(some.tests().iter().map(|test| test.test).collect::<Vec<_>>(), [3, 9]);
        assert_eq!(some.outcome(0, 1), trials.outcome(0, 2));
        assert_eq!((some.outcome(1, 0), some.outcome(0, 0)), (None, trials.outcome(0, 0)));
    }
}
