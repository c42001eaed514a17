//! The candidates of a search: all changes of lines that its failing tests execute.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::SearchTest;
use super::facts::Facts;
use super::run::Search;
use crate::campaign::Lab;
use crate::evidence::{
    Candidate, Taken, Trials, TriedTest, code_candidates, label_candidates, lacking_value_candidates,
    missing_label_candidates, node_candidates, nodes_compared, nodes_of_source,
};
use crate::mutant::Domain;

impl<L: Lab> Search<'_, L> {
    /// All candidates of lines that some failing test executes of the first ones chosen.
    pub(super) fn candidates(&self, chosen: &[&SearchTest], n_first: usize, facts: &Facts) -> Trials {
        let tried = |(at, test): (usize, &&SearchTest)| {
            let matched = facts.matched.get(&test.test).copied();
            TriedTest { test: test.test, failed: test.failed, matched, further: at >= n_first }
        };
        let mut trials = Trials::new(chosen.iter().enumerate().map(tried).collect());
        let mut add = |candidates: Vec<Candidate>| {
            for candidate in candidates.into_iter().filter(|candidate| !self.left_out.contains(&candidate.line)) {
                trials.add(candidate);
            }
        };
        let executed = |piece: u32| chosen[..n_first].iter().any(|test| test.failed && test.executes(piece));
        let is_executed = |node: &u32| executed(self.program.nodes[*node as usize].piece);
        for nodes in nodes_of_source(self.program) {
            if nodes.iter().any(is_executed) {
                let (failing, passing) = taken(facts, &nodes);
                let taken = Taken { failing: failing.as_deref(), passing: passing.as_deref() };
                add(node_candidates(self.program, &nodes, &taken, self.strings, self.settings.seed));
            }
        }
        for label in &self.program.labels {
            let Some(&node) = label.nodes.iter().find(|node| is_executed(node)) else { continue };
            let (failing, passing) = taken(facts, &label.nodes);
            let taken = Taken { failing: failing.as_deref(), passing: passing.as_deref() };
            add(label_candidates(self.program, label, node, &taken));
            add(missing_label_candidates(self.program, label, node, &taken));
        }
        for mutant in self.mutants {
            let nodes = nodes_compared(self.program, mutant);
            if nodes.iter().any(is_executed) {
                let (failing, passing) = taken(facts, &nodes);
                let taken = Taken { failing: failing.as_deref(), passing: passing.as_deref() };
                let last = nodes.iter().filter_map(|node| facts.last.get(node)).flatten().copied().collect();
                add(lacking_value_candidates(self.program, mutant, &nodes, &taken, &last));
            }
        }
        add(code_candidates(self.program, self.mutants, executed));
        trials
    }
}

type Values<'f> = Option<Cow<'f, Domain>>;

/// The values that these nodes take together in failing and in passing tests.
fn taken<'f>(facts: &'f Facts, nodes: &[u32]) -> (Values<'f>, Values<'f>) {
    let together = |of: &'f BTreeMap<u32, Domain>| {
        nodes.iter().filter_map(|node| of.get(node).map(Cow::Borrowed)).reduce(|mut all, one| {
            all.to_mut().merge(&one);
            all
        })
    };
    (together(&facts.failing), together(&facts.passing))
}
