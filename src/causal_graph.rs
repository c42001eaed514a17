//! The graph of causal dependences that value mutants showed: of all tests, of some, or of two groups compared.

use std::collections::BTreeSet;

use crate::campaign::select_nodes;
use crate::causal::{
    Bands, CdflOptions, Cpdm, EffectOptions, Independence, Missing, Observations, Structure, StructureOptions, Towards,
};
use crate::obstacle::Obstacle;
use crate::rank_inputs::{CdflChoice, Observed, ParentChoice, Wanted, observe};
use crate::report::GraphReport;
use crate::store::Run;
use crate::suite_run::Session;

/// Which graph is asked for.
#[derive(Clone, Debug)]
pub struct GraphRequest {
    /// Names of strengths.
    pub bands: Bands,
    /// How parents are found, if not as usual.
    pub parents: Option<ParentChoice>,
    /// The value of effects that cannot be told, if not as usual.
    pub unidentified: Option<Missing>,
    /// Places whose causes are shown: FILE:LINE, FILE:LINE:COLUMN, FUNCTION() or output.
    pub causes: Vec<String>,
    /// Places whose effects are shown.
    pub effects: Vec<String>,
    /// Steps from these places.
    pub depth: Option<usize>,
    /// The tests: `failing`, `passing`, or patterns of names, separated by commas; all without it.
    pub tests: Option<String>,
    /// Tests whose graph is taken off.
    pub minus: Option<String>,
    /// Weakest direct dependence, or weakest change of one, that is shown.
    pub threshold: f64,
    /// Direct dependence, or change of one, from which edges are no longer shown; all are without it.
    pub below: Option<f64>,
    /// How it is decided if a cause matters beside the others.
    pub independence: Independence,
    /// True if dependence clusters are looked for among the edges that are shown.
    pub clusters: bool,
    /// Most edges.
    pub most: usize,
}

impl GraphRequest {
    /// True of an edge that depends, or changes, so much.
    fn shows(&self, strength: f64) -> bool {
        strength.abs() >= self.threshold && self.below.is_none_or(|below| strength.abs() < below)
    }
}

/// The graph, or the difference of two.
///
/// # Errors
/// When nothing was observed, or a place or test is not there.
pub fn causal_graph(session: &Session, request: &GraphRequest) -> Result<GraphReport, Obstacle> {
    let run = &session.run;
    let observed =
        observe(session, Wanted { sampled_alone: request.parents == Some(ParentChoice::Paper), ..Wanted::default() })?;
    let focus = Focus::of(run, request)?;
    let modeller = Modeller {
        independence: request.independence,
        ..Modeller::new(CdflChoice::new(run, request.parents, request.unidentified)?, &observed.order)
    };
    let group = Group::of(run, &observed, request.tests.as_deref())?;
    let keep = |model: Cpdm| focus.of_model(model);
    let model = keep(modeller.model(&group.observations));
    let mut report = match &request.minus {
        None => {
            let model = model.filtered(|_, _, edge| request.shows(edge.direct.value));
            let report = GraphReport::new(&run.program, &model, &request.bands, request.most, group.words);
            if request.clusters { report.with_clusters(&run.program, &model) } else { report }
        }
        Some(minus) => {
            let minus = Group::of(run, &observed, Some(minus))?;
            let before = keep(modeller.model(&minus.observations));
            let mut changes = before.changes(&model);
            changes.retain(|change| request.shows(change.rise()));
            let words = [minus.words, group.words];
            GraphReport::of_changes(&run.program, &changes, &request.bands, request.most, words)
        }
    };
    report.trust.splice(0..0, observed.trust());
    Ok(report)
}

/// Weakest direct dependence of edges in a model that is part of a report; most edges, and most of these that are there because they
/// lead to the output in so many steps.
const REPORTED: (f64, usize) = (0.05, 400);
const REACHING: (usize, usize) = (250, 6);

/// The model of what a campaign of this run observed, for a report.
pub fn reported_model(run: &Run, observed: &Observed) -> Result<GraphReport, Obstacle> {
    let modeller = Modeller::new(CdflChoice::new(run, None, None)?, &observed.order);
    let group = Group::of(run, observed, None)?;
    let model = modeller.model(&group.observations).filtered(|_, _, edge| edge.direct.value.abs() >= REPORTED.0);
    let output = run.program.nodes.len() as u32;
    let reaching = model.around(output, Towards::Causes, REACHING.1).edges();
    let (reaching, all) = (reaching.into_iter().take(REACHING.0), model.edges());
    let n_all = all.len();
    let mut kept = BTreeSet::new();
    for (cause, effect, _) in reaching.chain(all) {
        if kept.len() < REPORTED.1 {
            kept.insert((cause, effect));
        }
    }
    let model = model.filtered(|cause, effect, _| kept.contains(&(cause, effect)));
    let mut report = GraphReport::new(&run.program, &model, &Bands::default(), REPORTED.1, group.words);
    report.left_out = (n_all - kept.len()) as u32;
    report.trust.splice(0..0, observed.trust());
    Ok(report)
}

/// Makes models.
struct Modeller<'a> {
    choice: CdflChoice,
    independence: Independence,
    order: &'a [u32],
}

impl<'a> Modeller<'a> {
    fn new(choice: CdflChoice, order: &'a [u32]) -> Modeller<'a> {
        Modeller { choice, independence: Independence::Exact, order }
    }

    fn model(&self, observations: &Observations) -> Cpdm {
        let options = StructureOptions { independence: self.independence, ..self.choice.structure() };
        let structure = Structure::learn(observations, self.order, options);
        let effects = match self.choice.is_paper() {
            true => CdflOptions::paper().effects,
            false => EffectOptions::default(),
        };
        Cpdm::new(observations, &structure, self.choice.effects(effects))
    }
}

/// Tests that a model is made from.
struct Group {
    observations: Observations,
    words: String,
}

impl Group {
    /// The tests that `names` names: all without it; `failing`, `passing`, and patterns of names, separated by commas.
    fn of(run: &Run, observed: &Observed, names: Option<&str>) -> Result<Group, Obstacle> {
        let name = |position: usize| run.manifest.tests[observed.tests[position] as usize].name.as_str();
        let wanted: Box<dyn Fn(usize) -> bool> = match names {
            None => Box::new(|_| true),
            Some(names) => {
                let patterns = names.split(',').map(|word| Pattern::of(word.trim())).collect::<Result<Vec<_>, _>>()?;
                let failed = |position: usize| observed.observations.tests()[position].failed();
                Box::new(move |position| patterns.iter().any(|pattern| pattern.holds(name(position), failed(position))))
            }
        };
        let positions: Vec<usize> = (0..observed.tests.len()).filter(|position| wanted(*position)).collect();
        match positions.len() {
            0 => Err(Obstacle::Request(format!(
                "no test that mutants ran on is called `{}`: give failing, passing, or names with * and ?, separated by commas",
                names.unwrap_or("*")
            ))),
            n => {
                let tests = if n == 1 { "1 test".to_string() } else { format!("{n} tests") };
                let words = names.map_or(tests.clone(), |names| format!("{tests} ({names})"));
                Ok(Group { observations: observed.observations.of_tests(&positions), words })
            }
        }
    }
}

/// A word that names tests.
enum Pattern {
    Failing,
    Passing,
    Named(glob::Pattern),
}

impl Pattern {
    fn of(word: &str) -> Result<Pattern, Obstacle> {
        match word {
            "failing" => Ok(Pattern::Failing),
            "passing" => Ok(Pattern::Passing),
            word => glob::Pattern::new(word)
                .map(Pattern::Named)
                .map_err(|error| Obstacle::Request(format!("`{word}` is no pattern of names: {}", error.msg))),
        }
    }

    fn holds(&self, name: &str, failed: bool) -> bool {
        match self {
            Pattern::Failing => failed,
            Pattern::Passing => !failed,
            Pattern::Named(pattern) => pattern.matches(name),
        }
    }
}

/// What part of a model is shown.
struct Focus {
    /// Nodes, and which way from them.
    around: Vec<(u32, Towards)>,
    depth: usize,
}

impl Focus {
    fn of(run: &Run, request: &GraphRequest) -> Result<Focus, Obstacle> {
        let named = |text: &str| {
            if text == "output" {
                return Ok(vec![run.program.nodes.len() as u32]);
            }
            select_nodes(&run.program, &[text.to_string()]).map_err(|text| {
                let message = format!("{text}: no node there; give FILE:LINE, FILE:LINE:COLUMN, FUNCTION() or output");
                Obstacle::Request(message)
            })
        };
        let mut around = Vec::new();
        for (texts, towards) in [(&request.causes, Towards::Causes), (&request.effects, Towards::Effects)] {
            for text in texts {
                around.extend(named(text)?.into_iter().map(|node| (node, towards)));
            }
        }
        Ok(Focus { around, depth: request.depth.unwrap_or(usize::MAX) })
    }

    fn of_model(&self, model: Cpdm) -> Cpdm {
        if self.around.is_empty() {
            return model;
        }
        let parts: Vec<Cpdm> =
            self.around.iter().map(|(node, towards)| model.around(*node, *towards, self.depth)).collect();
        model.filtered(|cause, effect, _| parts.iter().any(|part| part.edge(cause, effect).is_some()))
    }
}
