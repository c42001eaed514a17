//! Running code mutants on the tests of a recorded run: what `suspect mutants`, `suspect hom` and `suspect seed` share.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use super::code::load_code;
use super::code_state::{CodeState, build_identity, mix, test_code, text};
use super::endless::Endless;
use super::watch::Shown;
use super::work::Work;
use super::{say_uncontained, workbench};
use crate::campaign::{CodeBench, CodeCampaign, CodeSettings, CodeSummary, CodeTest, CoveredMutant, Verdict, verdicts};
use crate::hom::{KillMatrix, KillVector, Kills};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::report::TestNotUsed;
use crate::store::{Run, Shard};
use crate::suite::find_test;
use crate::suite_run::Session;
use crate::trial::{Executors, Mutant, Watched};
use suspect_format::trace::HASH_START;

/// A mutant to run.
#[derive(Clone, Debug)]
pub struct Subject {
    /// Its identity.
    pub id: u64,
    /// The functions that it changes.
    pub functions: Vec<u32>,
    /// The pieces that it changes: tests that execute none of them are not run.
    pub pieces: Vec<u32>,
    /// Its overrides.
    pub mutant: Mutant,
}

/// By which tests' kills all is known that is asked of a mutant.
#[derive(Clone, Copy, Debug)]
pub enum Decisive<'s> {
    /// None: each mutant runs on all its tests.
    None,
    /// Any test's.
    All,
    /// Of each mutant, one of higher order, those that do not kill all of its members: it is not strongly subsuming then.
    NotOfAll(&'s [MemberKills]),
}

/// The tests that kill the members of a mutant of higher order.
#[derive(Clone, Debug)]
pub struct MemberKills {
    /// The tests that kill each member.
    pub all: KillVector,
    /// The tests that kill some member.
    pub any: KillVector,
}

impl Decisive<'_> {
    /// The rank of a test among those of a mutant, the smaller the sooner, if the test's kill is decisive.
    fn rank(self, mutant: usize, test: u32) -> Option<u32> {
        match self {
            Decisive::None => None,
            Decisive::All => Some(0),
            // What kills a member mostly kills the mutant.
            Decisive::NotOfAll(members) => {
                let MemberKills { all, any } = &members[mutant];
                (!all.has(test)).then(|| u32::from(!any.has(test)))
            }
        }
    }
}

/// A request to run code mutants.
#[derive(Clone, Debug)]
pub struct KillRequest {
    /// The tests: `all`, or names with * and ?.
    pub tests: Vec<String>,
    /// Time after which no trial is begun.
    pub budget: Option<Duration>,
    /// Trials at the same time; one for each processor, unless said otherwise.
    pub jobs: Option<usize>,
    /// The executor of trials.
    pub executors: Executors,
    /// True if earlier results are forgotten.
    pub fresh: bool,
    /// True if mutants run even where they cannot be contained.
    pub allow_unsafe: bool,
}

/// Runs mutants on tests that pass.
pub struct Killer<'a> {
    session: &'a Session,
    request: KillRequest,
    progress: &'a dyn Progress,
    /// The tests, in the suite's order.
    tests: Vec<CodeTest>,
    /// For each of them, one bit for each of the program's pieces.
    covered: Vec<Vec<u64>>,
    /// Positions of the tests, the cheapest first.
    by_cost: Vec<u32>,
    /// Tests that are left out, and why.
    pub not_used: Vec<TestNotUsed>,
    state: CodeState,
    build: u64,
    /// No trial is begun after this time, in whichever call.
    deadline: Option<Instant>,
}

/// The result of running mutants.
#[derive(Debug)]
pub struct Killed {
    /// The verdict on each mutant.
    pub verdicts: Vec<Verdict>,
    /// The numbers of trials.
    pub summary: CodeSummary,
    /// Time that it took.
    pub seconds: f64,
}

impl<'a> Killer<'a> {
    /// For the tests that the arguments choose of a run that is fit for mutants.
    ///
    /// # Errors
    /// When one of them fails without any mutant, or there is none.
    pub fn new(session: &'a Session, request: KillRequest, progress: &'a dyn Progress) -> Result<Killer<'a>, Obstacle> {
        session.check_ready()?;
        let (run, suite) = (&session.run, session.suite()?);
        let chosen = chosen_tests(run, &request.tests)?;
        check_passing(run, &chosen)?;
        let recorded = run.recorded()?;
        let (mut tests, mut covered, mut not_used) = (Vec::new(), Vec::new(), Vec::new());
        for test in chosen {
            let known = &run.manifest.tests[test as usize];
            if known.passed.is_none() {
                not_used.push(TestNotUsed { name: known.name.clone(), why: known.verdict.clone() });
                continue;
            }
            let mut pieces = vec![0u64; run.program.pieces.len().div_ceil(64)];
            for piece in recorded.pieces(test)? {
                if let Some(word) = pieces.get_mut(piece as usize / 64) {
                    *word |= 1 << (piece % 64);
                }
            }
            let own = test_code(&run.program, |piece| has(&pieces, piece));
            let state = mix(suite.tests()[test as usize].print(), own);
            // Not time, which differs from run to run and would change the order of work.
            let cost: u64 = recorded.edges(test)?.iter().map(|(_, count)| *count).fold(0, u64::saturating_add);
            tests.push(CodeTest { test, id: text(HASH_START, &known.name), state, cost });
            covered.push(pieces);
        }
        let mut by_cost: Vec<u32> = (0..tests.len() as u32).collect();
        by_cost.sort_by_key(|test| tests[*test as usize].cost);
        let state = CodeState::of(&run.program, &load_code(run)?);
        let build = build_identity(&run.program);
        let deadline = request.budget.map(|budget| Instant::now() + budget);
        Ok(Killer { session, request, progress, tests, covered, by_cost, not_used, state, build, deadline })
    }

    /// Names of the tests, by their positions in verdicts.
    pub fn test_names(&self) -> Vec<String> {
        self.tests.iter().map(|test| self.session.run.manifest.tests[test.test as usize].name.clone()).collect()
    }

    /// The tests that execute some of these pieces, the cheapest first.
    fn covering(&self, pieces: &[u32]) -> Vec<u32> {
        let executes = |test: &u32| pieces.iter().any(|piece| has(&self.covered[*test as usize], *piece));
        self.by_cost.iter().copied().filter(executes).collect()
    }

    fn known(&self, subjects: &[Subject], decisive: Decisive) -> Vec<CoveredMutant> {
        let known = |(at, subject): (usize, &Subject)| {
            let mut tests = self.covering(&subject.pieces);
            let rank = |test: &u32| decisive.rank(at, *test);
            tests.sort_by_key(|test| rank(test).unwrap_or(u32::MAX));
            let decisive = tests.iter().filter(|test| rank(test).is_some()).count();
            CoveredMutant { id: subject.id, state: self.state.of_functions(&subject.functions), tests, decisive }
        };
        subjects.iter().enumerate().map(known).collect()
    }

    /// Forgets all results if that was asked for.
    pub fn begin(&self) -> Result<(), Obstacle> {
        if self.request.fresh {
            self.session.store.kills().clear()?;
        }
        Ok(())
    }

    /// Runs what has not been run of all mutants, or of a part of them, as far as the budget goes, and tells what is known then.
    pub fn run(&self, subjects: &[Subject], part: Option<(u32, u32)>, decisive: Decisive) -> Result<Killed, Obstacle> {
        let began = Instant::now();
        let kills = self.session.store.kills();
        let shard = part.map_or(Shard::WHOLE, |(number, of)| Shard { number, of });
        let _running = kills.lock_shard(shard)?;
        let mutants = self.known(subjects, decisive);
        let work = self.work(&mutants);
        if part.is_some() {
            kills.shards().begin(shard, work.id)?;
        }
        let KillRequest { jobs, executors, allow_unsafe, .. } = self.request;
        let budget = self.deadline.map(|deadline| deadline.saturating_duration_since(Instant::now()));
        let jobs = jobs.unwrap_or_else(|| std::thread::available_parallelism().map_or(1, usize::from)).max(1);
        let settings = CodeSettings { shard, jobs, budget, build: self.build };
        let lab = CodeBench {
            bench: workbench(self.session, executors, Watched::Output, allow_unsafe, &Endless::of(&self.session.run)?)?,
            mutants: subjects.iter().map(|subject| subject.mutant.clone()).collect(),
        };
        let shown = Shown(self.progress);
        let campaign = CodeCampaign {
            mutants: &mutants,
            tests: &self.tests,
            lab: &lab,
            store: &kills,
            settings: &settings,
            watch: &shown,
        };
        let done = campaign.run();
        self.progress.clear();
        let summary = done?;
        say_uncontained(&lab.bench, self.progress);
        if part.is_some() {
            kills.shards().end(&work.ended(shard, summary.not_run))?;
        }
        let verdicts = verdicts(&mutants, &self.tests, &kills.load()?, self.build, &summary.refused);
        Ok(Killed { verdicts, summary, seconds: began.elapsed().as_secs_f64() })
    }

    /// The verdicts on mutants that have been run.
    ///
    /// # Errors
    /// When some of them have not.
    pub fn known_of(&self, subjects: &[Subject]) -> Result<Killed, Obstacle> {
        let mutants = self.known(subjects, Decisive::None);
        let verdicts =
            verdicts(&mutants, &self.tests, &self.session.store.kills().load()?, self.build, &BTreeMap::new());
        let left: usize = verdicts.iter().map(|verdict| verdict.not_run_in.len()).sum();
        match left {
            0 => Ok(Killed { verdicts, summary: CodeSummary::default(), seconds: 0.0 }),
            left => Err(Obstacle::new(
                Obstacle::Tests,
                format!(
                    "a part of higher-order mutants needs all of first order, of which {left} trials have not been run: \
                     `suspect mutants --shard K/N` for each part, then `suspect merge`"
                ),
            )),
        }
    }

    /// The identity of the whole work, whichever part of it is run.
    fn work(&self, mutants: &[CoveredMutant]) -> Work {
        let one = |id: u64, mutant: &CoveredMutant| mix(mix(mix(id, mutant.id), mutant.state), mutant.decisive as u64);
        let mut id = mutants.iter().fold(self.build, one);
        id = self.tests.iter().fold(id, |id, test| mix(mix(id, test.id), test.state));
        let what = format!("{} mutants on {} tests of build {:016x}", mutants.len(), self.tests.len(), self.build);
        Work::new(id, what)
    }

    /// Tests left out of this session: those that were never used, and those that turned out not to be usable.
    pub fn left_out(&self, refused: &BTreeMap<u32, String>) -> Vec<TestNotUsed> {
        let name = |test: &u32| self.session.run.manifest.tests[self.tests[*test as usize].test as usize].name.clone();
        let refused = refused.iter().map(|(test, why)| TestNotUsed { name: name(test), why: why.clone() });
        self.not_used.iter().cloned().chain(refused).collect()
    }

    /// Verdicts as a matrix of kills.
    pub fn matrix<'v>(&self, verdicts: impl IntoIterator<Item = &'v Verdict>) -> KillMatrix {
        let n_tests = self.tests.len() as u32;
        let mut matrix = KillMatrix::new(n_tests);
        for verdict in verdicts {
            let unknown = verdict.unknown_in.iter().chain(&verdict.not_run_in).copied();
            matrix.push(Kills {
                killed: KillVector::of(n_tests, verdict.killed_by.iter().copied()),
                unknown: KillVector::of(n_tests, unknown),
            });
        }
        matrix
    }
}

fn has(bits: &[u64], piece: u32) -> bool {
    bits.get(piece as usize / 64).is_some_and(|word| word >> (piece % 64) & 1 == 1)
}

/// The tests whose names are asked for, by index in the run's manifest.
fn chosen_tests(run: &Run, asked: &[String]) -> Result<Vec<u32>, Obstacle> {
    let tests = &run.manifest.tests;
    let mut chosen = vec![false; tests.len()];
    for word in asked {
        let wrong = |why: &str| Obstacle::new(Obstacle::Request, format!("--tests {word}: {why}"));
        let pattern = glob::Pattern::new(if word == "all" { "*" } else { word }).map_err(|error| wrong(error.msg))?;
        if word != "all" && !word.contains(['*', '?', '[']) {
            let found = find_test(tests.iter().map(|test| test.name.as_str()), word);
            chosen[found.map_err(|no| wrong(&no.to_string()))?] = true;
            continue;
        }
        let mut found = false;
        for (chosen, test) in chosen.iter_mut().zip(tests).filter(|(_, test)| pattern.matches(&test.name)) {
            (*chosen, found) = (true, found | !test.name.is_empty());
        }
        if !found {
            return Err(wrong("no recorded test is called so; give `all`, or names with * and ?, separated by commas"));
        }
    }
    Ok((0..).zip(chosen).filter(|(_, chosen)| *chosen).map(|(test, _)| test).collect())
}

/// A test that fails without any mutant says nothing about mutants.
fn check_passing(run: &Run, chosen: &[u32]) -> Result<(), Obstacle> {
    let test = |test: &u32| &run.manifest.tests[*test as usize];
    let failing: Vec<&str> =
        chosen.iter().map(test).filter(|test| test.passed == Some(false)).map(|test| test.name.as_str()).collect();
    if !failing.is_empty() {
        let message = format!(
            "{} of {} tests fail without any mutant: {}; mend them, or leave them out by naming others with --tests",
            failing.len(),
            chosen.len(),
            failing.join(", ")
        );
        return Err(Obstacle::new(Obstacle::Tests, message));
    }
    match chosen.iter().map(test).any(|test| test.passed == Some(true)) {
        true => Ok(()),
        false => Err(Obstacle::new(
            Obstacle::Tests,
            "none of the tests counts (flaky, skipped or without a trace): see `suspect test`",
        )),
    }
}
