//! From the counters of a test's processes to what the test did.
//!
//! Counting is linear, so the counters of all processes are added up and solved once. Hashes of trajectories are mixed
//! and then added, because processes have no order.

use std::collections::{BTreeSet, HashMap};

use suspect_format::abi::Mode;
use suspect_format::site::SequenceCount;

use super::solve::{self, Plan, Unsolvable, Version};
use super::{Execution, OUTSIDE, PieceEnd, Program};
use crate::trace::{self, Ending, Process};

/// Why a process's counters mean nothing here.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CountError {
    /// The trace names a unit that the program does not have.
    #[error(
        "the trace {trace} is of another build: module {module} has a unit {unit:016x} that the program lacks; \
             build it and record the test again"
    )]
    OtherBuild {
        /// The trace file.
        trace: String,
        /// The module's file.
        module: String,
        /// The unit's hash.
        unit: u64,
    },
    /// A unit has other numbers of counters or values than its site table says.
    #[error(
        "the trace {trace} is damaged: unit {unit:016x} of module {module} has the wrong number of words; \
             record the test again"
    )]
    WrongSize {
        /// The trace file.
        trace: String,
        /// The module's file.
        module: String,
        /// The unit's hash.
        unit: u64,
    },
}

/// What one test did, and how far to trust it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counts {
    /// What it did.
    pub execution: Execution,
    /// Edge counts are exact. They are not if only `edges` were recorded and a process did not leave every function in
    /// the usual way: recording the test in `values` mode makes them so.
    pub exact: bool,
    /// What did not add up, as sentences.
    pub warnings: Vec<String>,
}

/// Makes [`Execution`]s of one program from what its processes recorded.
#[derive(Debug)]
pub struct Recorder<'a> {
    program: &'a Program,
    units: HashMap<u64, u32>,
    edges: Plan,
    values: Plan,
}

impl<'a> Recorder<'a> {
    /// Prepares for `program`: time and space are linear in its size.
    pub fn new(program: &'a Program) -> Result<Self, Unsolvable> {
        let units = program.units.iter().zip(0..).map(|(unit, index)| (unit.hash, index)).collect();
        let has = |unit: u32, modes: &[Mode]| {
            modes.iter().any(|mode| program.units[unit as usize].modes & (1 << *mode as u32) != 0)
        };
        Ok(Recorder {
            program,
            units,
            edges: Plan::new(program, Version::Edges, |unit| has(unit, &[Mode::Edges]))?,
            values: Plan::new(program, Version::Values, |unit| has(unit, &[Mode::Values, Mode::Trace]))?,
        })
    }

    /// Whether the program has any of the module's units.
    pub fn knows(&self, module: &trace::Module) -> bool {
        module.units.iter().any(|unit| self.units.contains_key(&unit.hash))
    }

    /// What a test did whose processes were `processes`.
    pub fn counts(&self, processes: &[Process]) -> Result<Counts, CountError> {
        let mut sums = Sums::new(self.program);
        let mut exact = true;
        for process in processes {
            let by_edges = self.add(process, &mut sums)?;
            let stopped_somewhere = process.modules.iter().all(|module| self.last_pieces(module).count() < 2);
            exact &= stopped_somewhere && (!by_edges || is_exact(process));
        }
        Ok(self.finish(sums, exact))
    }

    /// Adds a process; whether any of its units counted edges only.
    fn add(&self, process: &Process, sums: &mut Sums) -> Result<bool, CountError> {
        let mut by_edges = false;
        let stop = self.stop(process);
        for module in &process.modules {
            for unit in &module.units {
                let index = self.unit(process, module, unit)?;
                if let Some(version) = version(self.program.units[index as usize].modes, process.mode) {
                    sums.add_unit(self.program, index, unit, version, stop);
                    by_edges |= version == Version::Edges;
                }
            }
        }
        if let Some(piece) = stop {
            sums.stopped_in.insert(piece);
            match self.program.pieces[piece as usize].end {
                PieceEnd::Call => {}
                PieceEnd::Stop => sums.died.push(piece),
                PieceEnd::Branch | PieceEnd::Return => sums.values.lost[piece as usize] += 1,
            }
        }
        Ok(by_edges)
    }

    /// The program's number of `unit`.
    fn unit(&self, process: &Process, module: &trace::Module, unit: &trace::Unit) -> Result<u32, CountError> {
        let names = || (process.trace.display().to_string(), module.path.to_owned());
        let Some(index) = self.units.get(&unit.hash) else {
            let (trace, module) = names();
            return Err(CountError::OtherBuild { trace, module, unit: unit.hash });
        };
        let known = &self.program.units[*index as usize];
        let sizes = (known.n_counters as usize, known.n_values as usize);
        if sizes != (unit.counters.len(), unit.values.len()) {
            let (trace, module) = names();
            return Err(CountError::WrongSize { trace, module, unit: unit.hash });
        }
        Ok(*index)
    }

    /// The piece in which the process was stopped, if it was.
    ///
    /// Control leaves a module through a call or a return, so of several modules the one whose last piece ends otherwise
    /// was the last to run; then one that was returning. Where nobody saw how the process ended, a last piece that ends
    /// in a branch was not left; any other may have ended it in order: by `exit`, by `exec`, or by returning to code that
    /// is not instrumented.
    fn stop(&self, process: &Process) -> Option<u32> {
        let end = |piece: &u32| self.program.pieces[*piece as usize].end;
        let rank = |piece: &u32| match end(piece) {
            PieceEnd::Branch => 3,
            PieceEnd::Stop => 2,
            PieceEnd::Return => 1,
            PieceEnd::Call => 0,
        };
        let last = process.modules.iter().filter_map(|module| self.last_pieces(module).next()).max_by_key(rank)?;
        let stopped = match process.ending {
            Ending::Exited => false,
            Ending::Signalled => true,
            Ending::Unknown => !process.is_clean() && end(&last) == PieceEnd::Branch,
        };
        stopped.then_some(last)
    }

    /// The pieces that a module may have entered last: more than one where two units share an id.
    fn last_pieces(&self, module: &trace::Module) -> impl Iterator<Item = u32> {
        module.last_pieces().filter_map(|(position, number)| {
            let unit = self.units.get(&module.units[position].hash)?;
            let functions = &self.program.units[*unit as usize].functions;
            let functions = self.program.functions.get(functions.start as usize..functions.end as usize)?;
            let (first, last) = (functions.first()?, functions.last()?);
            first.pieces.start.checked_add(number).filter(|piece| *piece < last.pieces.end)
        })
    }

    fn finish(&self, mut sums: Sums, exact: bool) -> Counts {
        let program = self.program;
        let mut negative = 0;
        for (plan, sums) in [(&self.edges, &mut sums.edges), (&self.values, &mut sums.values)] {
            if sums.used {
                negative += plan.solve(program, &mut sums.edges, &sums.lost);
            }
        }
        let mut execution = Execution { trues: sums.trues, ..Execution::default() };
        execution.edges = added(&sums.edges.edges, &sums.values.edges);
        self.take_back(&sums.died, &mut execution.edges);
        execution.pieces = entries(program, &execution.edges);
        execution.nodes = node_counts(program, &execution.pieces, &sums.not_reached);
        execution.trajectories = trajectories(program, &sums.values, &sums.not_reached, &sums.hashes);
        for (node, trues) in program.nodes.iter().zip(&mut execution.trues) {
            *trues += node.true_edge.map_or(0, |edge| execution.edges[edge as usize]);
        }
        execution.sequences = sequences(program, &execution.edges, &sums.counters);
        execution.stopped_in = sums.stopped_in.into_iter().collect();
        Counts { execution, exact: exact && negative == 0, warnings: warnings(negative) }
    }

    /// A signal in a piece that ends the process (as `abort` does) keeps it from leaving by its edge, which was counted
    /// before or followed from what entered the piece.
    fn take_back(&self, died: &[u32], edges: &mut [u64]) {
        for &piece in died {
            let block = self.program.pieces[piece as usize].block;
            let function = &self.program.functions[self.program.blocks[block as usize].function as usize];
            let leaves = |edge: &u32| self.program.edges[*edge as usize].from == piece;
            if let Some(edge) = function.edges.clone().find(leaves) {
                edges[edge as usize] = edges[edge as usize].saturating_sub(1);
            }
        }
    }
}

fn warnings(negative: u64) -> Vec<String> {
    match negative {
        0 => Vec::new(),
        _ => vec![format!(
            "{negative} edge counts came out negative and were taken as 0: a process left functions in an unusual way, \
             or several threads ran"
        )],
    }
}

/// The process left every function in the usual way, and was in none before it began to count.
fn is_exact(process: &Process) -> bool {
    process.is_clean() && !process.is_nonlocal() && !process.forked && process.lost_children() == 0
}

/// The counters that a unit with versions for `modes` uses in a process of `mode`: where the mode has no version the
/// first one runs.
fn version(modes: u32, mode: Mode) -> Option<Version> {
    let first = || Mode::ALL.into_iter().find(|mode| modes & (1 << *mode as u32) != 0);
    let mode = if modes & (1 << mode as u32) != 0 { mode } else { first()? };
    match mode {
        Mode::Plain | Mode::Mutants | Mode::Record => None,
        Mode::Edges => Some(Version::Edges),
        Mode::Values | Mode::Trace => Some(Version::Values),
    }
}

/// Sums over processes, for one kind of counters.
struct EdgeSums {
    used: bool,
    /// Of edges that have a counter.
    edges: Vec<u64>,
    /// For each piece, how often a process was stopped in it.
    lost: Vec<u64>,
}

impl EdgeSums {
    fn new(program: &Program) -> EdgeSums {
        EdgeSums { used: false, edges: vec![0; program.edges.len()], lost: vec![0; program.pieces.len()] }
    }
}

/// Sums over processes.
struct Sums {
    edges: EdgeSums,
    values: EdgeSums,
    /// For each node, the count of its own counter of how often it was true.
    trues: Vec<u64>,
    /// For each node, in how many processes it was not reached although its piece was the last.
    not_reached: Vec<u64>,
    /// For each node, the sum of the processes' mixed hashes.
    hashes: Vec<u64>,
    /// For each compound condition and sequence, the count of its own counter.
    counters: Vec<Vec<u64>>,
    stopped_in: BTreeSet<u32>,
    /// For each process that a signal ended in a piece that ends processes, that piece.
    died: Vec<u32>,
}

impl Sums {
    fn new(program: &Program) -> Sums {
        Sums {
            edges: EdgeSums::new(program),
            values: EdgeSums::new(program),
            trues: vec![0; program.nodes.len()],
            not_reached: vec![0; program.nodes.len()],
            hashes: vec![0; program.nodes.len()],
            counters: program.compounds.iter().map(|compound| vec![0; compound.sequences.len()]).collect(),
            stopped_in: BTreeSet::new(),
            died: Vec::new(),
        }
    }

    fn add_unit(&mut self, program: &Program, index: u32, unit: &trace::Unit, version: Version, stop: Option<u32>) {
        let sums = if version == Version::Edges { &mut self.edges } else { &mut self.values };
        sums.used = true;
        let functions = &program.units[index as usize].functions;
        for function in &program.functions[functions.start as usize..functions.end as usize] {
            for edge in function.edges.clone() {
                if let Some(counter) = solve::counter(program, edge, version) {
                    add(&mut sums.edges[edge as usize], unit.counters[counter as usize]);
                }
            }
            for node in function.nodes.clone().map(|node| node as usize) {
                let word = unit.values[program.nodes[node].value as usize];
                if let Some(counter) = program.nodes[node].true_counter {
                    add(&mut self.trues[node], unit.counters[counter as usize]);
                }
                if version == Version::Values {
                    add(&mut self.hashes[node], mixed(word));
                    self.not_reached[node] += u64::from(word == 0 && stop == Some(program.nodes[node].piece));
                }
            }
            for compound in function.compounds.clone().map(|compound| compound as usize) {
                for (sum, sequence) in self.counters[compound].iter_mut().zip(&program.compounds[compound].sequences) {
                    if let SequenceCount::Counter(counter) = sequence.count {
                        add(sum, unit.counters[counter as usize]);
                    }
                }
            }
        }
    }
}

fn add(sum: &mut u64, count: u64) {
    *sum = sum.wrapping_add(count);
}

fn added(left: &[u64], right: &[u64]) -> Vec<u64> {
    left.iter().zip(right).map(|(left, right)| left.wrapping_add(*right)).collect()
}

/// How often each piece was entered.
fn entries(program: &Program, edges: &[u64]) -> Vec<u64> {
    let mut pieces = vec![0; program.pieces.len()];
    for (edge, count) in program.edges.iter().zip(edges).filter(|(edge, _)| edge.to != OUTSIDE) {
        add(&mut pieces[edge.to as usize], *count);
    }
    pieces
}

fn node_counts(program: &Program, pieces: &[u64], not_reached: &[u64]) -> Vec<u64> {
    let counts = program.nodes.iter().zip(not_reached);
    counts.map(|(node, not_reached)| pieces[node.piece as usize].saturating_sub(*not_reached)).collect()
}

/// Final hashes of the nodes: of the processes that recorded values alone. The count tells apart what the sum of hashes
/// does not, as a first value of -1, whose hash is 0.
fn trajectories(program: &Program, values: &EdgeSums, not_reached: &[u64], hashes: &[u64]) -> Vec<u64> {
    if !values.used {
        return vec![0; program.nodes.len()];
    }
    let counts = node_counts(program, &entries(program, &values.edges), not_reached);
    let hash = |(count, sum): (u64, &u64)| if count == 0 { 0 } else { mixed(mixed(count).wrapping_add(*sum)).max(1) };
    counts.into_iter().zip(hashes).map(hash).collect()
}

fn sequences(program: &Program, edges: &[u64], counters: &[Vec<u64>]) -> Vec<Vec<u64>> {
    let count = |(sequence, counted): (&super::Sequence, &u64)| match sequence.count {
        SequenceCount::Edge(edge) => edges[edge as usize],
        SequenceCount::Counter(_) => *counted,
    };
    let of_compound = |(compound, counted): (&super::Compound, &Vec<u64>)| {
        compound.sequences.iter().zip(counted).map(count).collect()
    };
    program.compounds.iter().zip(counters).map(of_compound).collect()
}

/// A hash whose sums do not cancel; 0 stays 0. Finaliser of the 64-bit MurmurHash3.
fn mixed(mut word: u64) -> u64 {
    word ^= word >> 33;
    word = word.wrapping_mul(0xff51_afd7_ed55_8ccd);
    word ^= word >> 33;
    word = word.wrapping_mul(0xc4ce_b9fe_1a85_ec53);
    word ^ (word >> 33)
}
