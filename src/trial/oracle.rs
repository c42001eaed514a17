//! The oracle: what each process of a test does without any mutant, value by value.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;
use std::path::Path;

use super::{TrialError, Watched};
use crate::program::Program;
use crate::trace::{Ending, ModulePart, TraceFile, can_ask_for_time, read_directory};

/// What a test does without any mutant: for each of its processes the values that each node takes, in order.
///
/// *Positions* number the nodes that are observed: those that the test covers and that behave alike whenever it runs.
#[derive(Clone, Debug, Default)]
pub struct Oracle {
    pub(super) nodes: Vec<u32>,
    /// Whether the values that nodes take are known and compared.
    pub(super) compared: bool,
    pub(super) order: Vec<u32>,
    pub(super) unstable: Vec<u32>,
    pub(super) modules: Vec<ModuleWords>,
    pub(super) processes: Vec<Streams>,
    pub(super) threads: u64,
    pub(super) warnings: Vec<String>,
}

/// Which node each word of a module is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ModuleWords {
    /// See [`suspect_format::trial::TrialModule::identity`].
    pub identity: u64,
    /// For each word its node's position plus 1; 0 for none.
    pub words: Vec<u32>,
    /// Its units, indices into [`Program::units`], in the order of their descriptors.
    pub units: Vec<u32>,
}

/// The values of one process, node after node.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Streams {
    values: Vec<u64>,
    /// Where each node's values end.
    ends: Vec<usize>,
}

impl Streams {
    pub(super) fn of(&self, position: usize) -> &[u64] {
        &self.values[self.range(position)]
    }

    /// Those of so many nodes that take no value.
    #[cfg(test)]
    pub(super) fn empty(n_nodes: usize) -> Streams {
        Streams { values: Vec::new(), ends: vec![0; n_nodes] }
    }

    fn range(&self, position: usize) -> Range<usize> {
        let start = position.checked_sub(1).map_or(0, |before| self.ends[before]);
        start..self.ends[position]
    }

    /// All values, and where each node's end.
    pub(super) fn parts(&self) -> (&[u64], &[usize]) {
        (&self.values, &self.ends)
    }
}

impl Oracle {
    /// The nodes that are observed, ids of the program, ascending. Bits of an [`super::Observation`] are in this order. If only the output is
    /// watched: all nodes of the modules that ran.
    pub fn nodes(&self) -> &[u32] {
        &self.nodes
    }

    /// The same nodes in the order in which they take their first values, process after process.
    pub fn order(&self) -> &[u32] {
        &self.order
    }

    /// The position of a node among [`Oracle::nodes`].
    pub fn position(&self, node: u32) -> Option<usize> {
        self.nodes.binary_search(&node).ok()
    }

    /// Processes that run instrumented code, in the order in which they start.
    pub fn n_processes(&self) -> usize {
        self.processes.len()
    }

    /// Most threads of one process.
    pub fn n_threads(&self) -> u64 {
        self.threads
    }

    /// The values that a process's node takes, canonical: see [`suspect_format::trial`]; none if only the output is watched. The node is
    /// given by position.
    pub fn values(&self, process: usize, position: usize) -> &[u64] {
        if self.compared { self.processes[process].of(position) } else { &[] }
    }

    /// Nodes that the test covers and that are not observed: they differ between two runs of the test.
    pub fn unstable(&self) -> &[u32] {
        &self.unstable
    }

    /// What the user should know about the recording, as sentences.
    pub fn warnings(&self) -> &[String] {
        &self.warnings
    }

    /// Nodes whose values are compared.
    pub(super) fn n_compared(&self) -> usize {
        if self.compared { self.nodes.len() } else { 0 }
    }

    /// What two recordings have in common.
    pub(super) fn of(first: Recording, second: &Recording) -> Oracle {
        let mut unstable = first.differing(second);
        unstable.extend(second.covered.difference(&first.covered));
        first.without(unstable)
    }

    /// Leaves out some more nodes.
    pub(super) fn leave_out(&mut self, unstable: &BTreeSet<u32>) {
        let kept: Vec<usize> = (0..self.nodes.len()).filter(|at| !unstable.contains(&self.nodes[*at])).collect();
        let mut renamed = vec![0; self.nodes.len() + 1];
        for (new, old) in (1..).zip(&kept) {
            renamed[old + 1] = new;
        }
        for word in self.modules.iter_mut().flat_map(|module| &mut module.words) {
            *word = renamed[*word as usize];
        }
        for streams in &mut self.processes {
            let mut left = Streams::default();
            for position in &kept {
                left.values.extend_from_slice(streams.of(*position));
                left.ends.push(left.values.len());
            }
            *streams = left;
        }
        self.nodes = kept.iter().map(|position| self.nodes[*position]).collect();
        self.order.retain(|node| !unstable.contains(node));
        self.unstable = self.unstable.iter().chain(unstable).copied().collect::<BTreeSet<u32>>().into_iter().collect();
    }
}

/// One recording of a test in `trace` mode.
#[derive(Debug)]
pub(super) struct Recording {
    modules: Vec<ModuleWords>,
    processes: Vec<Logged>,
    /// Nodes that took values; all that there are if values were not watched.
    covered: BTreeSet<u32>,
    watched: Watched,
    /// The covered ones in the order of their first values.
    order: Vec<u32>,
    threads: u64,
    warnings: Vec<String>,
    /// Whether one of its programs can ask for the time of day.
    pub reads_clock: bool,
    /// Most values taken by a process, and most that there was room for.
    pub taken: (u64, u64),
}

/// Whether a recorded program can ask for the time of day; one that cannot be looked into might.
fn reads_clock(file: &TraceFile) -> bool {
    let process = file.process(Ending::Unknown);
    process.modules.iter().any(|module| can_ask_for_time(Path::new(module.path)))
}

/// One process: the program's nodes it takes values of, ascending, with their values.
#[derive(Debug, PartialEq, Eq)]
struct Logged {
    nodes: Vec<u32>,
    streams: Streams,
}

impl Logged {
    fn values(&self, node: u32) -> &[u64] {
        self.nodes.binary_search(&node).map_or(&[], |position| self.streams.of(position))
    }
}

impl Recording {
    /// Reads the traces in `directory` of a run of `test`.
    pub(super) fn read(
        directory: &Path,
        program: &Program,
        test: &str,
        watched: Watched,
    ) -> Result<Recording, TrialError> {
        let traces = read_directory(directory)?;
        let mut reader = Reader::new(program, test);
        let mut recording = Recording {
            modules: Vec::new(),
            processes: Vec::new(),
            covered: BTreeSet::new(),
            watched,
            order: Vec::new(),
            threads: 0,
            warnings: traces.warnings,
            reads_clock: traces.files.iter().any(reads_clock),
            taken: (0, 0),
        };
        for file in &traces.files {
            if watched == Watched::Output {
                reader.modules(file)?;
                recording.processes.push(Logged { nodes: Vec::new(), streams: Streams::default() });
                continue;
            }
            let Some(log) = &file.layout().log else {
                let why = format!(
                    "{} has no log of values: build with `suspect build` and modes that include trace",
                    file.path().display()
                );
                return Err(TrialError::NoValues { test: test.into(), why });
            };
            if log.n_taken > recording.taken.0 {
                recording.taken = (log.n_taken, log.capacity);
            }
            recording.threads =
                recording.threads.max(1 + file.log().filter_map(|entry| entry.thread).max().map_or(0, u64::from));
            let (logged, order) = reader.process(file)?;
            recording.order.extend(order.iter().filter(|node| !recording.covered.contains(node)));
            recording.covered.extend(&logged.nodes);
            recording.processes.push(logged);
        }
        if recording.processes.is_empty() {
            let why = "no instrumented program ran where trials run; that is a copy of its directory, its directory with nothing to be \
                       written there, or a copy of the project in its place, where the system lets one be mounted and it is not too \
                       large; nothing else can be written but TMPDIR and a /tmp that is not crowded, and a program whose environment \
                       the test clears is not known there";
            return Err(TrialError::NoValues { test: test.into(), why: why.into() });
        }
        recording.modules = reader.modules;
        if watched == Watched::Output {
            let words = recording.modules.iter().flat_map(|module| &module.words);
            recording.covered = words.filter_map(|word| word.checked_sub(1)).collect();
        }
        Ok(recording)
    }

    /// Values that were taken.
    pub(super) fn n_values(&self) -> usize {
        self.processes.iter().map(|process| process.streams.values.len()).sum()
    }

    /// Processes that ran instrumented code.
    pub(super) fn n_processes(&self) -> usize {
        self.processes.len()
    }

    /// Nodes whose values differ from another recording's in some process.
    fn differing(&self, other: &Recording) -> BTreeSet<u32> {
        if self.processes.len() != other.processes.len() {
            // Which process is which cannot be told.
            return self.covered.clone();
        }
        let pairs = self.processes.iter().zip(&other.processes);
        let differs = |node: &&u32| pairs.clone().any(|(one, two)| one.values(**node) != two.values(**node));
        self.covered.iter().filter(differs).copied().collect()
    }

    fn without(self, unstable: BTreeSet<u32>) -> Oracle {
        let nodes: Vec<u32> = self.covered.difference(&unstable).copied().collect();
        let order = self.order.into_iter().filter(|node| !unstable.contains(node)).collect();
        let position: HashMap<u32, u32> = nodes.iter().copied().zip(1..).collect();
        let mut modules = self.modules;
        for word in modules.iter_mut().flat_map(|module| &mut module.words) {
            *word = word.checked_sub(1).and_then(|node| position.get(&node).copied()).unwrap_or(0);
        }
        let compared = self.watched == Watched::Nodes;
        let streams = |logged: Logged| {
            let mut streams = Streams::default();
            for node in nodes.iter().filter(|_| compared) {
                streams.values.extend_from_slice(logged.values(*node));
                streams.ends.push(streams.values.len());
            }
            streams
        };
        let processes = self.processes.into_iter().map(streams).collect();
        let unstable = unstable.into_iter().collect();
        Oracle { nodes, compared, order, unstable, modules, processes, threads: self.threads, warnings: self.warnings }
    }
}

/// Reads processes; remembers which node each word of a module is.
struct Reader<'a> {
    program: &'a Program,
    test: &'a str,
    units: HashMap<u64, usize>,
    /// The program's nodes plus 1, until it is known which are observed.
    modules: Vec<ModuleWords>,
    counts: Vec<usize>,
}

impl<'a> Reader<'a> {
    fn new(program: &'a Program, test: &'a str) -> Reader<'a> {
        let units = program.units.iter().zip(0..).map(|(unit, index)| (unit.hash, index)).collect();
        Reader { program, test, units, modules: Vec::new(), counts: vec![0; program.nodes.len()] }
    }

    /// Two passes over the log: how often each node took a value, then which. Also the nodes in the order of their first values.
    fn process(&mut self, file: &TraceFile) -> Result<(Logged, Vec<u32>), TrialError> {
        let modules = self.modules(file)?;
        let node_of = |modules_known: &[ModuleWords], module: usize, address: u64| {
            let part = &file.layout().modules[module];
            let word = (address.wrapping_sub(part.load_address) / 8) as usize;
            modules_known[modules[module]].words.get(word).and_then(|node| node.checked_sub(1))
        };
        let mut nodes = Vec::new();
        for entry in file.log() {
            if let Some(node) = node_of(&self.modules, entry.module, entry.address) {
                if self.counts[node as usize] == 0 {
                    nodes.push(node);
                }
                self.counts[node as usize] += 1;
            }
        }
        let order = nodes.clone();
        nodes.sort_unstable();
        let mut streams = Streams::default();
        let mut total = 0;
        for node in &nodes {
            // From now on where the node's next value goes.
            let count = std::mem::replace(&mut self.counts[*node as usize], total);
            total += count;
            streams.ends.push(total);
        }
        streams.values = vec![0; total];
        for entry in file.log() {
            if let Some(node) = node_of(&self.modules, entry.module, entry.address) {
                let at = &mut self.counts[node as usize];
                streams.values[*at] = entry.value;
                *at += 1;
            }
        }
        nodes.iter().for_each(|node| self.counts[*node as usize] = 0);
        Ok((Logged { nodes, streams }, order))
    }

    /// The numbers of a process's modules.
    fn modules(&mut self, file: &TraceFile) -> Result<Vec<usize>, TrialError> {
        file.layout().modules.iter().map(|part| self.module(part)).collect()
    }

    /// The number of a module among those seen, which it now is.
    fn module(&mut self, part: &ModulePart) -> Result<usize, TrialError> {
        if let Some(known) = self.modules.iter().position(|module| module.identity == part.identity) {
            return Ok(known);
        }
        let mut words = vec![0; part.data.len() / 8];
        for unit in &part.units {
            let Some(known) = self.units.get(&unit.hash) else {
                return Err(TrialError::OtherBuild { test: self.test.into(), unit: unit.hash });
            };
            let first = (unit.values.start - part.data.start) / 8;
            for function in self.program.units[*known].functions.clone() {
                for node in self.program.functions[function as usize].nodes.clone() {
                    words[first + self.program.nodes[node as usize].value as usize] = node + 1;
                }
            }
        }
        let units = part.described.iter().filter_map(|hash| self.units.get(hash)).map(|unit| *unit as u32).collect();
        self.modules.push(ModuleWords { identity: part.identity, words, units });
        Ok(self.modules.len() - 1)
    }
}
