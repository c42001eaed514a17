//! The simulated lab: a program, its tests, and what each change of it shows.

use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use suspect_format::site::{NodeKind, ValueClass};

use crate::campaign::{AtOnce, CampaignError, Lab, OracleFacts, Prepare, Refusal};
use crate::evidence::{Effect, Strings, Trials};
use crate::program::{Function, Line, Node, Place, Program};
use crate::search::*;
use crate::store::Store;
use crate::trial::{Change, End, Executor, Garbage, Mutant, Observation, Site};

pub(super) const N_NODES: u32 = 24;
/// The node that is to blame; the condition that only helps at its fifth execution; the test that only node 3 can turn.
pub(super) const FAULT: u32 = 7;
pub(super) const LOOP: u32 = 11;
/// The condition that helps at its second and fourth execution together.
pub(super) const TWICE: u32 = 13;
/// The condition that helps from its third execution on.
pub(super) const FROM: u32 = 16;
pub(super) const OTHER: (u32, u32) = (3, 1);

pub(super) fn program() -> Program {
    let function = Function {
        name: "f".into(),
        unit: 0,
        place: Place::default(),
        last_line: 99,
        external: true,
        content_hash: 0,
        blocks: 0..0,
        pieces: 0..N_NODES,
        edges: 0..0,
        nodes: 0..N_NODES,
        compounds: 0..0,
        operations: 0..0,
        variables: Vec::new(),
    };
    let node = |number: u32| Node {
        function: 0,
        piece: number,
        kind: if [LOOP, TWICE, FROM].contains(&number) { NodeKind::Predicate } else { NodeKind::Assignment },
        class: ValueClass::Signed,
        width: 32,
        place: Place { file: 0, line: number + 1, column: 1 },
        line: Some(number),
        variable: format!("v{number}"),
        type_name: "int".into(),
        expression: format!("v{number}"),
        ordinal: 0,
        value: number,
        true_edge: None,
        false_edge: None,
        true_counter: None,
    };
    Program {
        files: vec!["a.c".into()],
        functions: vec![function],
        nodes: (0..N_NODES).map(node).collect(),
        lines: (0..N_NODES).map(|number| Line { file: 0, line: number + 1 }).collect(),
        ..Program::default()
    }
}

/// Tests 0 to 2 fail; test 2 cannot be used; 3 to 8 pass.
pub(super) fn tests() -> Vec<SearchTest> {
    let pieces = |test: u32| (0..N_NODES).filter(|piece| test != 1 || *piece != FAULT).collect();
    let wall = Duration::ZERO;
    (0..9)
        .map(|test| SearchTest { test, failed: test < 3, pieces: pieces(test), cost: u64::from(test), wall })
        .collect()
}

pub(super) struct Ready {
    pub(super) test: u32,
    pub(super) garbage: Option<Garbage>,
    pub(super) nodes: Vec<u32>,
}

impl OracleFacts for Ready {
    fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    fn order(&self) -> &[u32] {
        &self.nodes
    }

    fn unstable(&self) -> &[u32] {
        &[]
    }

    fn values(&self, position: usize) -> impl Iterator<Item = u64> {
        (0..8)
            .map(move |at| u64::from(self.test) + u64::from(![LOOP, TWICE, FROM].contains(&self.nodes[position])) * at)
    }

    fn longest(&self) -> u64 {
        100
    }

    fn patience(&self) -> u64 {
        32_000_000
    }

    fn matched(&self) -> Option<u64> {
        Some(5)
    }

    fn garbage(&self) -> Option<Garbage> {
        self.garbage
    }

    fn unforkable(&self) -> Option<String> {
        None
    }
}

/// What a trial shows is a function of what it is.
#[derive(Default)]
pub(super) struct Simulation {
    pub(super) ran: Mutex<Vec<(u32, Mutant)>>,
    /// Trials after which it breaks down.
    pub(super) lasts: Option<usize>,
    pub(super) n_ran: AtomicUsize,
    pub(super) slow: Duration,
    /// Whether the test that opens a socket may.
    pub(super) opens: bool,
    /// What locals begin as in failing tests.
    pub(super) garbage: Option<Garbage>,
    /// How long what makes a failing test pass runs.
    pub(super) takes: u64,
    /// Trials with a larger budget than the first.
    pub(super) n_long: AtomicUsize,
    /// Whether the time of test 3 is over before it is ready.
    pub(super) is_late: bool,
}

impl Prepare for Simulation {
    type Worker = ();
    type Begun = AtOnce;
    type Ready = Ready;

    fn worker(&self) -> Result<(), CampaignError> {
        Ok(())
    }

    fn begin(&self, (): &mut (), test: u32) -> Result<Result<AtOnce, Refusal>, CampaignError> {
        Ok(Ok(AtOnce(test)))
    }

    fn ready(&self, (): &mut (), AtOnce(test): AtOnce) -> Result<Result<Ready, Refusal>, CampaignError> {
        let garbage = self.garbage.filter(|_| test < 3);
        if self.is_late && test == 3 {
            return Ok(Err(Refusal { is_late: true, ..Refusal::from("the time was over") }));
        }
        Ok(if test == 2 && !self.opens {
            Err("it opens a socket".into())
        } else {
            Ok(Ready { test, garbage, nodes: (0..N_NODES).collect() })
        })
    }
}

impl Lab for Simulation {
    fn run(
        &self,
        (): &mut (),
        ready: &Ready,
        mutants: &[Mutant],
        budget: u64,
        observed: &mut dyn FnMut(usize, Observation) -> ControlFlow<()>,
    ) -> Result<(), CampaignError> {
        for (index, mutant) in mutants.iter().enumerate().rev() {
            if self.lasts.is_some_and(|lasts| self.n_ran.fetch_add(1, Ordering::SeqCst) >= lasts) {
                let problem = "the simulation ends here".into();
                return Err(CampaignError::Trial(crate::trial::TrialError::Worker { problem }));
            }
            std::thread::sleep(self.slow);
            self.ran.lock().unwrap().push((ready.test, mutant.clone()));
            if budget > crate::trial::budget(ready.longest(), ready.test < 3) {
                self.n_long.fetch_add(1, Ordering::Relaxed);
            }
            let mut seen = show(ready.test, mutant);
            if ready.test < 3 && self.takes > budget && seen.passes == Some(true) {
                seen = Observation { end: End::Cut, passes: Some(false), ..seen };
            }
            if observed(index, seen).is_break() {
                break;
            }
        }
        Ok(())
    }
}

/// Node 7 is to blame for test 0: values below 5 repair it, and 0 breaks test 5 as well. The loop's condition helps at its fifth execution.
pub(super) fn show(test: u32, mutant: &Mutant) -> Observation {
    let one = &mutant.overrides[0];
    let Site::Node(node) = one.site else { panic!("nodes alone have candidates here") };
    let small = matches!(one.change, Change::Set(value) if value < 5);
    let at = |instance: u64| mutant.overrides.iter().any(|one| one.instance == instance);
    let turned = match test {
        0 => {
            (node == FAULT && small)
                || (node == LOOP && at(5))
                || (node == TWICE && at(2) && at(4))
                || (node == FROM && (3..9).all(at))
        }
        1 => (node, test) == OTHER && small,
        _ => node == FAULT && one.change == Change::Set(0) && test == 5,
    };
    let further = node == TWICE && at(2);
    let changed = turned || further || node % 3 == 0;
    Observation {
        executor: Executor::Fork,
        end: End::Exited(0),
        applied: node % 5 != 4,
        changed: Box::default(),
        output_changed: changed,
        passes: Some((test > 2) != turned),
        silenced: false,
        reached: None,
        matched: Some(if further { 9 } else { 5 }),
        used: 1,
    }
}

#[derive(Default)]
pub(super) struct Watching {
    pub(super) ranked: AtomicUsize,
}

impl SearchWatch for Watching {
    fn tried(&self, _: usize) {}

    fn ranked(&self, _: &Trials, probabilities: &[f64]) {
        assert_eq!(probabilities.len(), N_NODES as usize);
        self.ranked.fetch_add(1, Ordering::Relaxed);
    }
}

pub(super) fn posterior(trials: &Trials) -> Vec<f64> {
    let mut scores = vec![1.0; N_NODES as usize];
    for (position, candidate) in (0..).zip(trials.candidates()) {
        let turned = trials.failing(position).filter(|(_, outcome)| outcome.effect == Effect::Turned).count();
        scores[candidate.line as usize] += turned as f64;
    }
    let sum: f64 = scores.iter().sum();
    scores.into_iter().map(|score| score / sum).collect()
}

pub(super) fn settings() -> SearchSettings {
    SearchSettings {
        settled_at: None,
        jobs: 1,
        budget: None,
        most_failing: 4,
        most_passing: 6,
        most_further: (0, 0),
        most_trials: 100_000,
        everything: false,
        seed: 1,
    }
}

pub(super) fn search(lab: &Simulation, store: &Store, settings: &SearchSettings) -> Result<Searched, CampaignError> {
    search_on(&tests(), lab, store, settings)
}

pub(super) fn search_on(
    tests: &[SearchTest],
    lab: &Simulation,
    store: &Store,
    settings: &SearchSettings,
) -> Result<Searched, CampaignError> {
    search_after(&[], tests, lab, store, settings)
}

pub(super) fn search_after(
    earlier: &[EarlierRun],
    tests: &[SearchTest],
    lab: &Simulation,
    store: &Store,
    settings: &SearchSettings,
) -> Result<Searched, CampaignError> {
    search_by(&posterior, earlier, tests, lab, store, settings)
}

pub(super) fn search_by(
    posterior: &(dyn Fn(&Trials) -> Vec<f64> + Sync),
    earlier: &[EarlierRun],
    tests: &[SearchTest],
    lab: &Simulation,
    store: &Store,
    settings: &SearchSettings,
) -> Result<Searched, CampaignError> {
    let program = program();
    let search = Search {
        program: &program,
        tests,
        mutants: &[],
        left_out: &BTreeSet::new(),
        strings: &Strings::default(),
        lab,
        values: lab,
        store: &store.evidence(1),
        earlier,
        settings,
        posterior,
        stop: &AtomicBool::new(false),
        watch: &Watching::default(),
    };
    search.run()
}
