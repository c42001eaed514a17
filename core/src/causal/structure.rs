//! Causal structure: which node's mutants change which node, and which of those are its direct causes.

use rayon::prelude::*;

use super::gtest::parents_by_g_test;
use super::markov::{Mutated, markovian_parents};
use super::observations::Observations;
use super::safe::SafeRelation;
use super::table::{ColumnSet, Scratch, Table};

/// Which intervention parents may be parents.
#[derive(Clone, Copy, Debug, Default)]
pub enum Candidates<'a> {
    /// All of them.
    #[default]
    All,
    /// Those that the code can make a direct cause; the output may have any.
    Safe(&'a SafeRelation),
}

/// How it is decided whether a candidate matters beside the others.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Independence {
    /// By whether any two probabilities differ at all, as the paper has it: exact fractions.
    #[default]
    Exact,
    /// By a G-test over all strata at this level of significance. An observation counts as its weight, so each pair of node and test
    /// counts as one. Takes time with the square of the number of candidates, and starts again after each one that it drops, as
    /// what it finds of a candidate may change then.
    GTest {
        /// The chance of keeping a candidate that does not matter.
        alpha: f64,
    },
}

/// What happens where nodes influence each other, in loops.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Cycles {
    /// Algorithm 1 over all candidates; then a parent that the node itself influences is dropped. Loses both directions.
    Paper,
    /// The order of first execution tells causes within an iteration from those carried to the next. Of nodes that influence each
    /// other only the earlier one is a candidate of the later. What the parents so found leave unexplained is then
    /// looked for among later ones, on the observations of mutants of those alone, where nothing else can have come first.
    #[default]
    Carried,
}

/// Which candidates become parents.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Parents {
    /// Those without which probabilities differ (Algorithm 1).
    #[default]
    Markovian,
    /// All that the node itself does not influence.
    Acyclic,
}

/// How structure is found.
#[derive(Clone, Copy, Debug, Default)]
pub struct StructureOptions<'a> {
    /// Which nodes may be parents.
    pub candidates: Candidates<'a>,
    /// Which of them are.
    pub parents: Parents,
    /// How Algorithm 1 compares.
    pub independence: Independence,
    /// What happens in loops.
    pub cycles: Cycles,
}

impl StructureOptions<'_> {
    /// As the paper: Algorithm 1 over all intervention parents, without both directions of a cycle.
    pub fn paper() -> Self {
        StructureOptions { cycles: Cycles::Paper, ..StructureOptions::default() }
    }
}

/// Causes of nodes; the output counts as a node and has the number of nodes as its own.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Structure {
    influences: Vec<Vec<u32>>,
    parents: Vec<Vec<u32>>,
    carried: Vec<Vec<u32>>,
}

impl Structure {
    /// Finds the structure of a program's nodes. `order` has for each node the position of its first execution among those of all
    /// nodes (any number for one that is never executed).
    pub fn learn(observations: &Observations, order: &[u32], options: StructureOptions) -> Structure {
        let table = Table::new(observations, order);
        let learner = Learner { influenced: influencing(&table), table: &table, options };
        let found: Vec<(Vec<u32>, Vec<u32>)> = (0..table.n_columns() as u32)
            .into_par_iter()
            .map_init(Scratch::default, |scratch, column| learner.parents(column, scratch))
            .collect();
        let n_nodes = observations.n_nodes() + 1;
        let named = |columns: &mut dyn Iterator<Item = u32>| -> Vec<u32> {
            let mut nodes: Vec<u32> = columns.map(|column| table.nodes[column as usize]).collect();
            nodes.sort_unstable();
            nodes
        };
        let empty = vec![Vec::new(); n_nodes];
        let mut structure = Structure { influences: empty.clone(), parents: empty.clone(), carried: empty };
        for (column, (parents, carried)) in (0..).zip(found) {
            let node = table.nodes[column as usize] as usize;
            structure.influences[node] = named(&mut table.changes(column).iter().filter(|changed| *changed != column));
            structure.parents[node] = named(&mut parents.into_iter());
            structure.carried[node] = named(&mut carried.into_iter());
        }
        structure
    }

    /// Number of nodes, the output included.
    pub fn len(&self) -> usize {
        self.parents.len()
    }

    /// Whether there is no node.
    pub fn is_empty(&self) -> bool {
        self.parents.is_empty()
    }

    /// The nodes that some mutant of `node` changes, ascending: those that it is an intervention parent of.
    pub fn influences(&self, node: u32) -> &[u32] {
        &self.influences[node as usize]
    }

    /// Whether some mutant of `cause` changes `effect`.
    pub fn is_influenced(&self, effect: u32, cause: u32) -> bool {
        self.influences(cause).binary_search(&effect).is_ok()
    }

    /// Parents of a node within its own iteration, ascending. They form no cycle.
    pub fn parents(&self, node: u32) -> &[u32] {
        &self.parents[node as usize]
    }

    /// Parents that a loop carries to the node from an earlier iteration, ascending.
    pub fn carried(&self, node: u32) -> &[u32] {
        &self.carried[node as usize]
    }

    /// Parents of a node of both kinds, ascending.
    pub fn all_parents(&self, node: u32) -> Vec<u32> {
        let mut all = [self.parents(node), self.carried(node)].concat();
        all.sort_unstable();
        all
    }
}

/// For each column, those whose mutants change it, without itself.
fn influencing(table: &Table) -> Vec<ColumnSet> {
    let mut influenced = vec![ColumnSet::new(table.n_columns()); table.n_columns()];
    for cause in 0..table.n_columns() as u32 {
        for effect in table.changes(cause).iter().filter(|effect| *effect != cause) {
            influenced[effect as usize].insert(cause);
        }
    }
    influenced
}

struct Learner<'a> {
    table: &'a Table,
    options: StructureOptions<'a>,
    /// Intervention parents of each column.
    influenced: Vec<ColumnSet>,
}

impl Learner<'_> {
    /// The parents of a column, and those carried around a loop.
    fn parents(&self, effect: u32, scratch: &mut Scratch) -> (Vec<u32>, Vec<u32>) {
        let candidates = self.candidates(effect);
        let mutual = |cause: &u32| self.table.changes(effect).has(*cause);
        let others = |mutated: u32| mutated != effect;
        if self.options.parents == Parents::Acyclic {
            return (candidates.iter().filter(|cause| !mutual(cause)).collect(), Vec::new());
        }
        if self.options.cycles == Cycles::Paper {
            let parents = self.markovian(effect, &[], &candidates, &others, scratch);
            return (parents.into_iter().filter(|cause| !mutual(cause)).collect(), Vec::new());
        }
        let later = |cause: &u32| mutual(cause) && *cause < effect;
        let forward = self.set(candidates.iter().filter(|cause| !later(cause)));
        let parents = self.markovian(effect, &[], &forward, &others, scratch);
        let back = self.set(candidates.iter().filter(later));
        if back.0.iter().all(|word| *word == 0) {
            return (parents, Vec::new());
        }
        let carried = self.markovian(effect, &parents, &back, &|mutated| back.has(mutated), scratch);
        (parents, carried)
    }

    fn candidates(&self, effect: u32) -> ColumnSet {
        let all = &self.influenced[effect as usize];
        let node = self.table.nodes[effect as usize];
        match self.options.candidates {
            Candidates::Safe(relation) if effect > 0 => {
                let is_safe = |cause: &u32| relation.is_safe(node, self.table.nodes[*cause as usize]);
                self.set(all.iter().filter(is_safe))
            }
            _ => all.clone(),
        }
    }

    fn set(&self, columns: impl Iterator<Item = u32>) -> ColumnSet {
        let mut set = ColumnSet::new(self.table.n_columns());
        columns.for_each(|column| set.insert(column));
        set
    }

    fn markovian(
        &self,
        effect: u32,
        known: &[u32],
        candidates: &ColumnSet,
        mutated: &Mutated,
        scratch: &mut Scratch,
    ) -> Vec<u32> {
        match self.options.independence {
            Independence::Exact => markovian_parents(self.table, effect, known, candidates, mutated, scratch),
            Independence::GTest { alpha } => {
                parents_by_g_test(self.table, effect, known, candidates, mutated, alpha, scratch)
            }
        }
    }
}

/// The order in which nodes are first executed, from that of several tests: for each node of a program its position. Nodes that
/// only later tests execute come after the node that they follow there; those that no test executes come last.
pub fn execution_order(n_nodes: usize, tests: &[Vec<u32>]) -> Vec<u32> {
    const END: u32 = u32::MAX;
    // A list: what comes after each node, and first of all.
    let mut next = vec![END; n_nodes + 1];
    let mut placed = vec![false; n_nodes];
    for test in tests {
        let mut before = n_nodes;
        for &node in test {
            if !placed[node as usize] {
                placed[node as usize] = true;
                next[node as usize] = next[before];
                next[before] = node;
            }
            before = node as usize;
        }
    }
    let mut order = vec![END; n_nodes];
    let mut at = next[n_nodes];
    for position in 0.. {
        if at == END {
            break;
        }
        order[at as usize] = position;
        at = next[at as usize];
    }
    order
}
