//! Higher-order mutants of a recorded program, chosen by the causal effect of the places that they change: made, run, judged, studied.

mod report;

use std::cell::Cell;
use std::collections::HashMap;

use crate::causal::{EffectOptions, Structure, StructureOptions};
use crate::hom::studies::{Buckets, DecileOptions, DecileStudy, HeuristicOptions, HeuristicStudy};
use crate::hom::{
    EffectMatrix, FirstOrder, Heuristic, Hom, KillMatrix, KillVector, Location, NodeSet, PlanError, PlanOptions, Pool,
    draw_sets, judge, plan,
};
use crate::mutant::{CodeMutant, edits};
use crate::mutation::{Catalogue, CatalogueRequest, Decisive, KillRequest, Killer, MemberKills, Subject, subject};
use crate::obstacle::Obstacle;
use crate::progress::Progress;
use crate::rank_inputs::{Wanted, observe};
use crate::store::Run;
use crate::suite_run::Session;
use crate::trial::Site;
pub use report::HomReport;

impl From<PlanError> for Obstacle {
    fn from(error: PlanError) -> Obstacle {
        Obstacle::Tests(match error {
            PlanError::NoEffect(_) => format!("{error}; `suspect mutate --tests all --samples 20` looks for more"),
            _ => error.to_string(),
        })
    }
}

/// A study of higher-order mutants.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Study {
    /// Mutants of places by deciles of their effect.
    Deciles,
    /// Heuristics compared.
    Heuristics,
    /// How many mutants of each heuristic survive.
    Survival,
}

/// Which mutants are made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Made {
    /// By this heuristic.
    By(Heuristic),
    /// For a study.
    For(Study),
}

/// What is to be made and run.
#[derive(Debug)]
pub struct HomRequest {
    /// Which mutants.
    pub made: Made,
    /// How many code mutants are active together.
    pub order: usize,
    /// How many mutants of a heuristic.
    pub n: usize,
    /// How often a study is repeated, if not as usual.
    pub repeats: Option<usize>,
    /// Whether mutants run until their kill vectors are known, in the study of heuristics.
    pub vectors: bool,
    /// How the study of deciles divides pairs of places.
    pub buckets: Buckets,
    /// Seed of what is drawn.
    pub seed: u64,
    /// The part of the work that is to be done; all without it.
    pub part: Option<(u32, u32)>,
    /// Which first-order mutants are combined.
    pub catalogue: CatalogueRequest,
    /// How mutants run.
    pub kill: KillRequest,
}

/// What came out.
pub enum HomAnswer {
    /// The part of the work is done: what it found out says nothing without the others.
    Part(u32, u32),
    /// Of mutants of one heuristic.
    Report {
        /// What came of them.
        report: Box<HomReport>,
        /// The chosen places over the causal structure, as SVG.
        svg: String,
    },
    /// Of a study.
    Study {
        /// Its table, for people.
        text: String,
        /// The same, for programs.
        json: serde_json::Value,
        /// Its plot, as SVG.
        svg: String,
        /// Trials that there was no time for, of so many: what they would have shown is missing in the table.
        not_run: [usize; 2],
    },
}

/// First-order mutants, and what tests do to them.
struct Ground<'a> {
    session: &'a Session,
    request: &'a HomRequest,
    killer: Killer<'a>,
    /// The mutants that are combined.
    mutants: Vec<&'a CodeMutant>,
    pool: Pool,
    structure: Structure,
    effects: EffectMatrix,
    kills: KillMatrix,
    /// Trials that there was no time for, of so many.
    not_run: Cell<[usize; 2]>,
    say: &'a (dyn Fn(String) + 'a),
}

/// Makes and runs higher-order mutants, or a study of them.
///
/// # Errors
/// When no effects are known, or mutants cannot be run.
pub fn higher_order(
    session: &Session,
    request: &HomRequest,
    progress: &dyn Progress,
    say: &dyn Fn(String),
) -> Result<HomAnswer, Obstacle> {
    let Session { store, run, .. } = session;
    let observed = observe(session, Wanted::default()).map_err(|obstacle| {
        let hint = "higher-order mutants are chosen by causal effect (`suspect mutate --tests all`)";
        obstacle.reworded(|message| format!("{message}; {hint}"))
    })?;
    let catalogue = Catalogue::of(session, &request.catalogue, None)?;
    session.suite()?;
    let _reading = store.lock_shared()?;
    let killer = Killer::new(session, request.kill.clone(), progress)?;
    killer.begin()?;
    let mutants: Vec<&CodeMutant> = catalogue.chosen().collect();
    let subjects: Vec<Subject> = mutants.iter().map(|mutant| subject(&run.program, &[*mutant])).collect();
    let first = match request.part {
        None => killer.run(&subjects, None, Decisive::None)?,
        // Each part of the work needs all of these, so none may run them for itself.
        Some(_) => killer.known_of(&subjects)?,
    };
    // A mutant that no test executes says nothing of its place.
    let member = |(mutant, verdict): (&&CodeMutant, &crate::campaign::Verdict)| FirstOrder {
        node: mutant.node.filter(|_| !verdict.covered_by.is_empty()),
        operation: operation(run, mutant),
    };
    let members: Vec<FirstOrder> = mutants.iter().zip(&first.verdicts).map(member).collect();
    let locations = (0..).zip(&run.program.nodes).map(|(at, node)| {
        let location = Location { function: node.function, line: node.place.line };
        (at, location)
    });
    let pool = Pool::new(&members).with_conflicts(conflicts(run, &catalogue, &mutants)).with_locations(locations);
    let structure = Structure::learn(&observed.observations, &observed.order, StructureOptions::default());
    let effects = EffectMatrix::new(&observed.observations, &structure, EffectOptions::default(), &pool.nodes());
    let kills = killer.matrix(&first.verdicts);
    let not_run = Cell::new([first.summary.not_run, first.summary.planned]);
    let ground = Ground { session, request, killer, mutants, pool, structure, effects, kills, not_run, say };
    match request.made {
        Made::By(heuristic) => ground.heuristic(heuristic),
        Made::For(study) => ground.study(study),
    }
}

/// What a mutant changes, as a number.
fn operation(run: &Run, mutant: &CodeMutant) -> u32 {
    match mutant.overrides.first().map(|one| one.site) {
        Some(Site::Operation(operation)) => operation,
        Some(Site::Node(node)) => run.program.operations.len() as u32 + node,
        None => u32::MAX,
    }
}

/// Line and column.
type Place = (u32, u32);

/// Pairs of mutants whose edits of the source cannot be made together.
fn conflicts(run: &Run, catalogue: &Catalogue, mutants: &[&CodeMutant]) -> Vec<(u32, u32)> {
    // File, start, end, and which mutant.
    let mut spans: Vec<(u32, Place, Place, u32)> = (0..)
        .zip(mutants)
        .filter_map(|(position, mutant)| {
            let edit = mutant.edit.as_ref()?;
            Some((mutant.place.file, (edit.line, edit.column), (edit.end_line, edit.end_column), position))
        })
        .collect();
    spans.sort_unstable();
    let mut conflicts = Vec::new();
    for (at, (file, _, end, one)) in spans.iter().enumerate() {
        let near = spans[at + 1..].iter().take_while(|(other_file, start, ..)| other_file == file && start < end);
        for (.., other) in near {
            let both = [mutants[*one as usize], mutants[*other as usize]];
            if edits(&run.program, &catalogue.texts, both).is_err() {
                conflicts.push((*one, *other));
            }
        }
    }
    conflicts
}

impl Ground<'_> {
    /// Runs mutants, each once, and tells what is known of them, in their order. Unless their kill vectors are asked for they run until
    /// it is known whether they are strongly subsuming and whether they survive.
    fn outcomes(&self, homs: &[Hom], vectors: bool) -> Result<KillMatrix, Obstacle> {
        let mut positions: HashMap<&Hom, usize> = HashMap::new();
        let (mut subjects, mut members): (Vec<Subject>, Vec<MemberKills>) = Default::default();
        for hom in homs {
            positions.entry(hom).or_insert_with(|| {
                let members_of: Vec<&CodeMutant> =
                    hom.members.iter().map(|member| self.mutants[*member as usize]).collect();
                subjects.push(subject(&self.session.run.program, &members_of));
                members.push(self.member_kills(hom));
                subjects.len() - 1
            });
        }
        let decisive = if vectors { Decisive::None } else { Decisive::NotOfAll(&members) };
        let killed = self.killer.run(&subjects, self.request.part, decisive)?;
        let [not_run, planned] = self.not_run.get();
        self.not_run.set([not_run + killed.summary.not_run, planned + killed.summary.planned]);
        if killed.summary.not_run > 0 {
            (self.say)(format!(
                "{} of {} trials were not run for want of time: the same command goes on from here",
                killed.summary.not_run, killed.summary.planned
            ));
        }
        Ok(self.killer.matrix(homs.iter().map(|hom| &killed.verdicts[positions[hom]])))
    }

    /// The tests that kill the members of a mutant; of all of them where that is unknown.
    fn member_kills(&self, hom: &Hom) -> MemberKills {
        let members = || hom.members.iter().map(|member| &self.kills.rows()[*member as usize]);
        let n_tests = self.kills.n_tests();
        let mut of = MemberKills { all: KillVector::of(n_tests, 0..n_tests), any: KillVector::new(n_tests) };
        members().for_each(|kills| {
            of.all.intersect(&kills.possible());
            of.any.unite(&kills.killed);
        });
        of
    }

    fn heuristic(&self, heuristic: Heuristic) -> Result<HomAnswer, Obstacle> {
        let HomRequest { order, n, seed, part, .. } = *self.request;
        let planned = plan(&self.pool, &self.effects, PlanOptions { heuristic, order, n, seed })?;
        let outcomes = self.outcomes(&planned.homs, true)?;
        if let Some((number, of)) = part {
            return Ok(HomAnswer::Part(number, of));
        }
        let judgements = judge(&planned.homs, &self.kills, &outcomes);
        let report = HomReport::new(self, heuristic, order, &planned, &outcomes, &judgements);
        Ok(HomAnswer::Report { report: Box::new(report), svg: self.drawing(heuristic, &planned.sets) })
    }

    /// The chosen places over the causal structure.
    fn drawing(&self, heuristic: Heuristic, sets: &[NodeSet]) -> String {
        let nodes = self.pool.nodes();
        let causes = |node: &u32| {
            self.structure.all_parents(*node).into_iter().map(move |cause| (cause, *node)).collect::<Vec<_>>()
        };
        let edges: Vec<(u32, u32)> = nodes.iter().flat_map(causes).collect();
        let program = &self.session.run.program;
        let name = |node: u32| {
            let node = &program.nodes[node as usize];
            let what = if node.expression.is_empty() { &node.variable } else { &node.expression };
            format!("{} {what}", node.place.line)
        };
        let title = format!("{} sets of places by {} over the causal structure", sets.len(), heuristic.name());
        draw_sets(&title, &nodes, &edges, sets, name)
    }

    fn study(&self, study: Study) -> Result<HomAnswer, Obstacle> {
        let HomRequest { order, n, repeats, vectors, buckets, seed, part, .. } = *self.request;
        let defaults = HeuristicOptions::default();
        let options = HeuristicOptions { order, n, repeats: repeats.unwrap_or(defaults.repeats), seed, vectors };
        let root = self.session.store.root();
        let title = root.file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (text, json, svg) = match study {
            Study::Deciles => {
                let defaults = DecileOptions::default();
                let options = DecileOptions { buckets, repeats: repeats.unwrap_or(defaults.repeats), seed, ..defaults };
                let study = DecileStudy::plan(&self.pool, &self.effects, options)?;
                let outcomes = self.outcomes(study.homs(), false)?;
                let table = study.table(&self.kills, &outcomes);
                (table.to_string(), serde_json::to_value(&table), table.svg(&title))
            }
            Study::Heuristics => {
                let study = HeuristicStudy::plan(&self.pool, &self.effects, options)?;
                let outcomes = self.outcomes(study.homs(), options.vectors)?;
                let table = study.table(&self.kills, &outcomes);
                (table.to_string(), serde_json::to_value(&table), table.svg(&title))
            }
            Study::Survival => {
                let study = HeuristicStudy::plan(&self.pool, &self.effects, options)?;
                let outcomes = self.outcomes(study.homs(), false)?;
                let table = study.survival(&self.pool, &self.kills, &outcomes);
                (table.to_string(), serde_json::to_value(&table), table.svg(&title))
            }
        };
        if let Some((number, of)) = part {
            return Ok(HomAnswer::Part(number, of));
        }
        let (json, not_run) = (json.map_err(Obstacle::of(Obstacle::Internal))?, self.not_run.get());
        Ok(HomAnswer::Study { text, json, svg, not_run })
    }
}
