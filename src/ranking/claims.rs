//! Claims: changes that were tried for a ranking, as reports show them and as the store keeps them for `suspect replay`.

mod kept;

use std::collections::{BTreeMap, HashMap, HashSet};

use serde::{Deserialize, Serialize};

use crate::campaign::run_identity;
use crate::evidence::{self, Candidate, Kind, Outcome, Trials};
use crate::obstacle::Obstacle;
use crate::report::{Claim, ClaimedOutcome, Effect, MutantEdit};
use crate::source::{Edit, Patched, read_source};
use crate::store::Run;
use crate::suite_run::Session;
use crate::trial::{Change, End, Mutant, Override};
use kept::KeptOverride;

/// Version of the file of claims.
const VERSION: u32 = 1;

/// The claims that the store has.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Claims {
    version: u32,
    /// The run that they are about: see [`run_identity`].
    run: u64,
    claims: BTreeMap<String, KeptClaim>,
}

/// A claim with what it takes to repeat it.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptClaim {
    /// As it was shown.
    pub shown: Claim,
    /// For each of its outcomes the test, by index in the run's manifest.
    pub tests: Vec<u32>,
    overrides: Vec<KeptOverride>,
}

impl KeptClaim {
    /// Its overrides; `None` if another version of suspect wrote them.
    pub fn mutant(&self) -> Option<Mutant> {
        let overrides: Option<Box<[_]>> = self.overrides.iter().map(KeptOverride::get).collect();
        Some(Mutant { overrides: overrides? })
    }

    /// What it makes of a value whenever it is computed, if that is all that it changes.
    pub fn value_change(&self) -> Option<Change> {
        let mutant = self.mutant()?;
        let (first, rest) = mutant.overrides.split_first()?;
        let is_alike = |one: &Override| one.node().is_some() && (one.instance, &one.change) == (0, &first.change);
        (is_alike(first) && rest.iter().all(is_alike)).then(|| first.change.clone())
    }
}

impl Claims {
    /// None yet about this run.
    pub fn new(run: &Run) -> Claims {
        Claims { version: VERSION, run: run_identity(run), claims: BTreeMap::new() }
    }

    /// The claims that the store has of this run.
    ///
    /// # Errors
    /// When there are none, or they are of another run or version.
    pub fn load(session: &Session) -> Result<Claims, Obstacle> {
        let Session { store, run, .. } = session;
        #[derive(Deserialize)]
        struct Head {
            version: u32,
            run: u64,
        }
        let path = store.claims_file();
        let failure =
            |kind: fn(String) -> Obstacle, what: &str| Obstacle::new(kind, format!("{} {what}", path.display()));
        let head: Head = store.load_claims()?.ok_or_else(|| {
            failure(Obstacle::Store, "is not there: nothing has been claimed yet; run `suspect rank` first")
        })?;
        if head.version != VERSION {
            return Err(failure(
                Obstacle::Store,
                "was written by another version of suspect: run `suspect rank` again",
            ));
        }
        if head.run != run_identity(run) {
            return Err(failure(
                Obstacle::OtherBuild,
                "is of another build or another run of the tests than the latest: run `suspect rank` again",
            ));
        }
        store.load_claims()?.ok_or_else(|| failure(Obstacle::Store, "went away while it was read"))
    }

    /// Adds one, or takes its place.
    pub fn add(&mut self, claim: KeptClaim) {
        self.claims.insert(claim.shown.id.clone(), claim);
    }

    /// Writes these, and those that the store has of the same run.
    pub fn save(mut self, session: &Session) -> Result<(), Obstacle> {
        if let Ok(earlier) = Claims::load(session) {
            for (id, claim) in earlier.claims {
                self.claims.entry(id).or_insert(claim);
            }
        }
        Ok(session.store.save_claims(&self)?)
    }

    /// Lines on which a change made the failing test called `test` pass.
    pub fn lines_that_turn(&self, test: &str) -> HashSet<(&str, u32)> {
        let turns = |claim: &&KeptClaim| {
            let mut outcomes = claim.shown.outcomes.iter();
            outcomes.any(|outcome| outcome.test == test && outcome.effect == Effect::Passes)
        };
        self.claims.values().filter(turns).map(|claim| (claim.shown.file.as_str(), claim.shown.line)).collect()
    }

    /// Changes of a node's value that made the failing test called `test` pass, with file and line.
    pub fn values_that_turn<'a>(&'a self, test: &'a str) -> impl Iterator<Item = (&'a str, u32, Change)> + 'a {
        let turns = move |claim: &&KeptClaim| {
            let mut outcomes = claim.shown.outcomes.iter();
            outcomes.any(|outcome| outcome.test == test && outcome.effect == Effect::Passes)
        };
        self.claims
            .values()
            .filter(turns)
            .filter_map(|claim| Some((claim.shown.file.as_str(), claim.shown.line, claim.value_change()?)))
    }

    /// Changes on these lines, given in order, with which the failing test called `test` passes and no passing one fails: line after line, on each of
    /// them first those that keep most passing tests.
    pub fn mends<'a>(&'a self, test: &str, lines: &[(String, u32)]) -> Vec<&'a KeptClaim> {
        let rank = |claim: &KeptClaim| {
            let Claim { file, line, .. } = &claim.shown;
            lines.iter().position(|(of, at)| of == file && at == line)
        };
        let mends = |claim: &&KeptClaim| {
            let outcomes = &claim.shown.outcomes;
            outcomes.iter().any(|outcome| outcome.test == test && outcome.effect == Effect::Passes)
                && outcomes.iter().all(|outcome| outcome.effect != Effect::Fails)
        };
        let kept = |claim: &KeptClaim| claim.shown.outcomes.iter().filter(|outcome| outcome.passed_before).count();
        let mut found: Vec<_> =
            self.claims.values().filter(mends).filter_map(|claim| Some((rank(claim)?, claim))).collect();
        found.sort_by_key(|(rank, claim)| (*rank, !claim.shown.instances.is_empty(), std::cmp::Reverse(kept(claim))));
        found.into_iter().map(|(_, claim)| claim).collect()
    }

    /// All of them, by id.
    pub fn all(&self) -> impl Iterator<Item = &Claim> {
        self.claims.values().map(|claim| &claim.shown)
    }

    /// The claim whose id begins so, if there is just one.
    pub fn find(&self, id: &str) -> Result<&KeptClaim, Obstacle> {
        let mut found = self.claims.range(id.to_string()..).take_while(|(name, _)| name.starts_with(id));
        match (found.next(), found.next()) {
            (Some((name, claim)), None) if !id.is_empty() && name.starts_with(id) => Ok(claim),
            (Some(_), Some(_)) => {
                Err(Obstacle::new(Obstacle::Request, format!("{id}: several claims begin so; give more of its digits")))
            }
            _ => Err(Obstacle::new(
                Obstacle::Request,
                format!(
                    "{id}: no ranking of the latest run has claimed that; `suspect rank` and `suspect rank --why FILE:LINE` \
                     show claims with their ids"
                ),
            )),
        }
    }
}

/// Makes claims of candidates.
pub struct Claimant<'a> {
    session: &'a Session,
    trials: &'a Trials,
    /// The sources that patches are of.
    sources: HashMap<String, Option<Vec<u8>>>,
}

impl<'a> Claimant<'a> {
    /// For the candidates of these trials.
    pub fn new(session: &'a Session, trials: &'a Trials) -> Claimant<'a> {
        Claimant { session, trials, sources: HashMap::new() }
    }

    /// A candidate with what is known of it.
    pub fn claim(&mut self, candidate: u32) -> KeptClaim {
        let of = &self.trials.candidates()[candidate as usize];
        let place = &self.session.run.program.lines[of.line as usize];
        let mut outcomes: Vec<(u32, ClaimedOutcome)> = self
            .trials
            .usable_outcomes(candidate)
            .map(|(test, outcome)| self.outcome(candidate, test, &outcome))
            .collect();
        outcomes.sort_by_key(|(test, outcome)| (outcome.passed_before, *test));
        let (tests, outcomes) = outcomes.into_iter().unzip();
        let shown = Claim {
            id: format!("{:016x}", of.id),
            kind: kind_name(of).to_string(),
            file: self.session.run.program.files.get(place.file as usize).cloned().unwrap_or_default(),
            line: place.line,
            original: of.original.clone(),
            replacement: of.replacement.clone(),
            instances: of.instances.to_vec(),
            outcomes,
            edit: of.edit.as_ref().map(shown_edit),
            patch: of.edit.as_ref().and_then(|edit| self.patch(edit)),
        };
        let overrides = of.mutant.overrides.iter().map(KeptOverride::of).collect();
        KeptClaim { shown, tests, overrides }
    }

    fn outcome(&self, candidate: u32, test: u32, outcome: &Outcome) -> (u32, ClaimedOutcome) {
        let tried = self.trials.tests()[test as usize];
        let name = self.session.run.manifest.tests.get(tried.test as usize).map_or("", |test| &test.name);
        let shown = ClaimedOutcome {
            test: name.to_string(),
            passed_before: !tried.failed,
            effect: effect(outcome.effect, tried.failed),
            end: end_words(outcome.end),
            matched: outcome.matched,
            carried_from: self.trials.age(candidate, test),
        };
        (tried.test, shown)
    }

    fn patch(&mut self, edit: &Edit) -> Option<String> {
        let path = self.session.store.root().join(&edit.file);
        let source = self.sources.entry(edit.file.clone()).or_insert_with(|| read_source(&path).ok()).as_ref()?;
        String::from_utf8(Patched::new(source, [edit])?.unified(&edit.file)).ok()
    }
}

/// The effect of a candidate for readers, on a test that fails or passes without it.
pub fn effect(effect: evidence::Effect, failed: bool) -> Effect {
    match effect {
        evidence::Effect::Same => Effect::Same,
        evidence::Effect::Unchanged => Effect::Unchanged,
        evidence::Effect::Changed
        | evidence::Effect::Earlier
        | evidence::Effect::Later
        | evidence::Effect::Silenced => Effect::Changed,
        evidence::Effect::Turned if failed => Effect::Passes,
        evidence::Effect::Turned => Effect::Fails,
        evidence::Effect::Unknown => Effect::Unknown,
    }
}

/// The end of a program, in words.
pub fn end_words(end: End) -> String {
    match end {
        End::Exited(status) => format!("exit status {status}"),
        End::Signalled(signal) => match nix::sys::signal::Signal::try_from(signal) {
            Ok(signal) => format!("killed by {signal}"),
            Err(_) => format!("killed by signal {signal}"),
        },
        End::Cut => "ran too long".to_string(),
        End::Unknown => "stopped by the clock".to_string(),
    }
}

fn kind_name(candidate: &Candidate) -> &'static str {
    match candidate.kind {
        Kind::Value => "value",
        Kind::Pointer => "pointer",
        Kind::Predicate => "predicate",
        Kind::Switch => "switch",
        Kind::Operation(class) => class.name(),
        Kind::Call => "call",
        Kind::Constant => "constant",
    }
}

fn shown_edit(edit: &Edit) -> MutantEdit {
    MutantEdit {
        file: edit.file.clone(),
        line: edit.line,
        column: edit.column,
        end_line: edit.end_line,
        end_column: edit.end_column,
        original: edit.original.clone(),
        replacement: edit.replacement.clone(),
    }
}
