//! Causal chains that `suspect explain` proved, as evidence about lines.

use std::collections::{BTreeMap, HashMap};

use crate::campaign::run_identity;
use crate::obstacle::Obstacle;
use crate::report::{self, Explanation, Place};
use crate::suite_run::Session;

/// Lines on proved chains of a run's failing tests.
#[derive(Debug, Default)]
pub struct Chains {
    /// For each of [`crate::program::Program::lines`] that is on one: what repeats the first.
    commands: BTreeMap<u32, String>,
}

impl Chains {
    /// The chains that the store has of this run.
    pub fn load(session: &Session) -> Result<Chains, Obstacle> {
        let Session { store, run, .. } = session;
        let explanations: Vec<Explanation> = store.load_explanations(run_identity(run))?.unwrap_or_default();
        let fails = |name: &str| run.manifest.tests.iter().any(|test| test.name == name && test.passed == Some(false));
        let program = &run.program;
        let file = |line: &crate::program::Line| program.files.get(line.file as usize).map_or("", String::as_str);
        let numbers: HashMap<(&str, u32), u32> =
            (0..).zip(&program.lines).map(|(number, line)| ((file(line), line.line), number)).collect();
        let mut commands = BTreeMap::new();
        for one in explanations.into_iter().filter(|one| one.verified && fails(&one.test)) {
            for Place { file, line } in one.chain_lines() {
                if let Some(number) = numbers.get(&(file.as_str(), line)) {
                    commands.entry(*number).or_insert_with(|| one.command.clone());
                }
            }
        }
        Ok(Chains { commands })
    }

    /// The lines.
    pub fn lines(&self) -> Vec<u32> {
        self.commands.keys().copied().collect()
    }

    /// A reason that says that a line is on a chain.
    pub fn reason(&self, line: u32) -> Option<report::Reason> {
        let command = self.commands.get(&line)?;
        Some(report::Reason { text: format!("it is on the causal chain proved by `{command}`"), claim: None })
    }
}
