//! `suspect hom`: higher-order mutants, chosen by the causal effect of the places that they change.

mod report;

use std::collections::HashMap;
use std::io::Write;
use std::path::Path;

use super::args::{HeuristicArgument, HomArguments, StudyArgument};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::causal::{EffectOptions, Structure, StructureOptions};
use crate::cli::streams::say;
use crate::hom::studies::{DecileOptions, DecileStudy, HeuristicOptions, HeuristicStudy};
use crate::hom::{
    EffectMatrix, FirstOrder, Heuristic, Hom, KillMatrix, KillVector, Location, PlanError, PlanOptions, Pool, judge,
    plan,
};
use crate::mutant::{CodeMutant, edits};
use crate::mutation::{Catalogue, CatalogueRequest, Decisive, KillRequest, Killer, MemberKills, Subject, subject};
use crate::rank_inputs::observe;
use crate::store::{Run, Store};
use crate::suite_run::Session;
use crate::trial::Site;
use report::HomReport;

impl From<PlanError> for Failure {
    fn from(error: PlanError) -> Failure {
        let message = match error {
            PlanError::NoEffect(_) => format!("{error}; `suspect mutate --tests all --samples 20` looks for more"),
            _ => error.to_string(),
        };
        Failure::new(Exit::Baseline, message)
    }
}

/// First-order mutants, and what tests do to them.
struct Ground<'a> {
    store: &'a Store,
    run: &'a Run,
    killer: Killer<'a>,
    /// The mutants that are combined.
    mutants: Vec<&'a CodeMutant>,
    pool: Pool,
    effects: EffectMatrix,
    kills: KillMatrix,
    /// The part of the work that is to be done; all without it.
    part: Option<(u32, u32)>,
}

/// Makes and runs higher-order mutants, or a study of them, and says what came out.
pub fn hom(root: &Path, start: &Path, arguments: &HomArguments, out: &mut impl Write) -> Result<(), Failure> {
    let session = Session::latest(root)?;
    let Session { store, run, .. } = &session;
    let observed = observe(&session, false, None).map_err(|obstacle| {
        let hint = "higher-order mutants are chosen by causal effect (`suspect mutate --tests all`)";
        obstacle.reworded(|message| format!("{message}; {hint}"))
    })?;
    let catalogue = Catalogue::of(&session, &CatalogueRequest::from(&arguments.catalogue), None)?;
    session.suite()?;
    let _reading = store.lock_shared()?;
    let progress = StatusLine::new();
    let killer = Killer::new(&session, KillRequest::from(&arguments.kill), &progress)?;
    killer.begin()?;
    let mutants: Vec<&CodeMutant> = catalogue.chosen().collect();
    let subjects: Vec<Subject> = mutants.iter().map(|mutant| subject(&run.program, &[*mutant])).collect();
    let first = match arguments.shard {
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
    let ground = Ground { store, run, killer, mutants, pool, effects, kills, part: arguments.shard };
    match (arguments.heuristic, arguments.study) {
        (Some(heuristic), _) => ground.heuristic(heuristic, arguments, out),
        (None, Some(study)) => {
            let plot = arguments.plot.as_ref().map(|path| start.join(path));
            ground.study(study, plot.as_deref(), arguments, out)
        }
        (None, None) => Err(Failure::new(Exit::Usage, "give --heuristic or --study")),
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

/// Says that a part is done: what it found out says nothing without the others.
fn part_done(number: u32, of: u32, out: &mut impl Write) -> Result<(), Failure> {
    writeln!(out, "part {number}/{of} is done; when all are: `suspect merge`, then the same command without --shard")
        .map_err(Failure::of(Exit::File))
}

impl Ground<'_> {
    /// Runs mutants, each once, and tells what is known of them, in their order. Unless their kill vectors are asked for they run until
    /// it is known whether they are strongly subsuming and whether they survive.
    fn outcomes(&self, homs: &[Hom], vectors: bool) -> Result<KillMatrix, Failure> {
        let mut positions: HashMap<&Hom, usize> = HashMap::new();
        let (mut subjects, mut members): (Vec<Subject>, Vec<MemberKills>) = Default::default();
        for hom in homs {
            positions.entry(hom).or_insert_with(|| {
                let members_of: Vec<&CodeMutant> =
                    hom.members.iter().map(|member| self.mutants[*member as usize]).collect();
                subjects.push(subject(&self.run.program, &members_of));
                members.push(self.member_kills(hom));
                subjects.len() - 1
            });
        }
        let decisive = if vectors { Decisive::None } else { Decisive::NotOfAll(&members) };
        let killed = self.killer.run(&subjects, self.part, decisive)?;
        if killed.summary.not_run > 0 {
            say!(
                "suspect: {} of {} trials were not run for want of time: the same command goes on from here",
                killed.summary.not_run,
                killed.summary.planned
            );
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

    fn heuristic(
        &self,
        heuristic: HeuristicArgument,
        arguments: &HomArguments,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let heuristic = match heuristic {
            HeuristicArgument::Random => Heuristic::Random,
            HeuristicArgument::Prop => Heuristic::Prop,
            HeuristicArgument::Dsort => Heuristic::Dsort,
            HeuristicArgument::Mwm => Heuristic::Mwm,
        };
        let (order, n) = (arguments.order as usize, arguments.n as usize);
        let options = PlanOptions { heuristic, order, n, seed: arguments.catalogue.seed };
        let planned = plan(&self.pool, &self.effects, options)?;
        let outcomes = self.outcomes(&planned.homs, true)?;
        if let Some((number, of)) = self.part {
            return part_done(number, of, out);
        }
        let judgements = judge(&planned.homs, &self.kills, &outcomes);
        let report = HomReport::new(self, heuristic, order, &planned, &outcomes, &judgements);
        report.write(arguments.is_json(), arguments.top, out).map_err(Failure::of(Exit::File))
    }

    fn study(
        &self,
        study: StudyArgument,
        plot: Option<&Path>,
        arguments: &HomArguments,
        out: &mut impl Write,
    ) -> Result<(), Failure> {
        let seed = arguments.catalogue.seed;
        let repeats = |default: usize| arguments.repeats.map_or(default, |repeats| repeats as usize);
        let defaults = HeuristicOptions::default();
        let options = HeuristicOptions {
            order: arguments.order as usize,
            n: arguments.n as usize,
            repeats: repeats(defaults.repeats),
            seed,
            vectors: !arguments.quick,
        };
        let title = self.store.root().file_name().map_or_else(String::new, |name| name.to_string_lossy().into_owned());
        let (text, json, svg) = match study {
            StudyArgument::Deciles => {
                let defaults = DecileOptions::default();
                let options = DecileOptions { repeats: repeats(defaults.repeats), seed, ..defaults };
                let study = DecileStudy::plan(&self.pool, &self.effects, options)?;
                let outcomes = self.outcomes(study.homs(), false)?;
                let table = study.table(&self.kills, &outcomes);
                (table.to_string(), serde_json::to_value(&table), table.svg(&title))
            }
            StudyArgument::Heuristics => {
                let study = HeuristicStudy::plan(&self.pool, &self.effects, options)?;
                let outcomes = self.outcomes(study.homs(), options.vectors)?;
                let table = study.table(&self.kills, &outcomes);
                (table.to_string(), serde_json::to_value(&table), table.svg(&title))
            }
            StudyArgument::Survival => {
                let study = HeuristicStudy::plan(&self.pool, &self.effects, options)?;
                let outcomes = self.outcomes(study.homs(), false)?;
                let table = study.survival(&self.pool, &self.kills, &outcomes);
                (table.to_string(), serde_json::to_value(&table), table.svg(&title))
            }
        };
        if let Some((number, of)) = self.part {
            return part_done(number, of, out);
        }
        if let Some(path) = plot {
            std::fs::write(path, svg)
                .map_err(|error| Failure::new(Exit::File, format!("cannot write {}: {error}", path.display())))?;
        }
        let written = match arguments.is_json() {
            true => writeln!(out, "{:#}", json.map_err(Failure::of(Exit::Internal))?),
            false => write!(out, "{text}"),
        };
        written.map_err(Failure::of(Exit::File))
    }
}
