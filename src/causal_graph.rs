//! `suspect graph`: what depends on what, as the value mutants of a campaign show it.

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use super::args::{GraphArguments, GraphFormat, ParentsArgument};
use super::exit::{Exit, Failure};
use crate::campaign::select_nodes;
use crate::causal::{Bands, CdflOptions, Cpdm, EffectOptions, Observations, Structure, Towards};
use crate::rank_inputs::{CdflChoice, Observed, observe};
use crate::report::{GraphReport, write_graph, write_graph_dot};
use crate::store::Run;
use crate::suite_run::Session;

/// Edges shown as text unless asked otherwise.
const DEFAULT_TOP: usize = 40;

/// Finds the model, or the difference of two, and writes it.
pub fn graph(root: &Path, arguments: &GraphArguments, out: &mut impl Write) -> Result<(), Failure> {
    let bands = match arguments.bands.is_empty() {
        true => Bands::default(),
        false => Bands::new(arguments.bands.clone()).map_err(Failure::of(Exit::Usage))?,
    };
    let session = Session::latest(root)?;
    let run = &session.run;
    let observed = observe(&session, arguments.paper || arguments.parents == Some(ParentsArgument::Paper), None)?;
    let focus = Focus::of(run, arguments)?;
    let parents = if arguments.paper { Some(ParentsArgument::Paper) } else { arguments.parents };
    let modeller = Modeller {
        choice: CdflChoice::new(run, parents.map(Into::into), arguments.unidentified.map(Into::into))?,
        order: &observed.order,
    };
    let most = arguments.top.unwrap_or(if arguments.format == GraphFormat::Text { DEFAULT_TOP } else { usize::MAX });
    let group = Group::of(run, &observed, arguments.tests.as_deref())?;
    let keep = |model: Cpdm| focus.of_model(model);
    let model = keep(modeller.model(&group.observations));
    let mut report = match &arguments.minus {
        None => {
            let model = model.filtered(|_, _, edge| edge.direct.value.abs() >= arguments.threshold);
            GraphReport::new(&run.program, &model, &bands, most, group.words)
        }
        Some(minus) => {
            let minus = Group::of(run, &observed, Some(minus))?;
            let before = keep(modeller.model(&minus.observations));
            let mut changes = before.changes(&model);
            changes.retain(|change| change.rise().abs() >= arguments.threshold);
            GraphReport::of_changes(&run.program, &changes, &bands, most, [minus.words, group.words])
        }
    };
    report.trust.splice(0..0, observed.trust());
    write(&report, arguments.format, out).map_err(Failure::of(Exit::File))
}

/// Weakest direct dependence of edges in a model that is part of a report; most edges, and most of these that are there because they
/// lead to the output in so many steps.
const REPORTED: (f64, usize) = (0.05, 400);
const REACHING: (usize, usize) = (250, 6);

/// The model of what a campaign of this run observed, for a report.
pub fn reported_model(run: &Run, observed: &Observed) -> Result<GraphReport, Failure> {
    let modeller = Modeller { choice: CdflChoice::new(run, None, None)?, order: &observed.order };
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

fn write(report: &GraphReport, format: GraphFormat, out: &mut impl Write) -> io::Result<()> {
    match format {
        GraphFormat::Text => write_graph(report, out),
        GraphFormat::Dot => write_graph_dot(report, out),
        GraphFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, report)?;
            writeln!(out)
        }
    }
}

/// Makes models.
struct Modeller<'a> {
    choice: CdflChoice,
    order: &'a [u32],
}

impl Modeller<'_> {
    fn model(&self, observations: &Observations) -> Cpdm {
        let structure = Structure::learn(observations, self.order, self.choice.structure());
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
    fn of(run: &Run, observed: &Observed, names: Option<&str>) -> Result<Group, Failure> {
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
            0 => Err(Failure::new(
                Exit::Usage,
                format!(
                    "no test that mutants ran on is called `{}`: give failing, passing, or names with * and ?, separated by commas",
                    names.unwrap_or("*")
                ),
            )),
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
    fn of(word: &str) -> Result<Pattern, Failure> {
        match word {
            "failing" => Ok(Pattern::Failing),
            "passing" => Ok(Pattern::Passing),
            word => glob::Pattern::new(word)
                .map(Pattern::Named)
                .map_err(|error| Failure::new(Exit::Usage, format!("`{word}` is no pattern of names: {}", error.msg))),
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
    fn of(run: &Run, arguments: &GraphArguments) -> Result<Focus, Failure> {
        let named = |text: &str| {
            if text == "output" {
                return Ok(vec![run.program.nodes.len() as u32]);
            }
            select_nodes(&run.program, &[text.to_string()]).map_err(|text| {
                let message = format!("{text}: no node there; give FILE:LINE, FILE:LINE:COLUMN, FUNCTION() or output");
                Failure::new(Exit::Usage, message)
            })
        };
        let mut around = Vec::new();
        for (texts, towards) in [(&arguments.causes, Towards::Causes), (&arguments.effects, Towards::Effects)] {
            for text in texts {
                around.extend(named(text)?.into_iter().map(|node| (node, towards)));
            }
        }
        Ok(Focus { around, depth: arguments.depth.unwrap_or(usize::MAX) })
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
