//! Random programs and random walks through them: what the counters of a forest's complement say is what happened.

mod counts;

use std::path::Path;

use proptest::prelude::*;
use suspect_format::abi::{Mode, STATE_CLEAN, STATE_LAST, STATE_NONLOCAL, STATE_WORDS, piece_id};
use suspect_format::site::{self, EdgeKind, Header, NodeKind, Origin, PieceEnd, Sink, ValueClass};

use super::{CountError, Execution, Label, LoadError, ModuleImage, OUTSIDE, Program, Recorder};
use crate::trace::{Ending, Module, Process, Unit};

struct Bytes(Vec<u8>);

impl Sink for Bytes {
    fn put(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }
}

/// A function to be encoded; pieces and edges by their positions in it.
#[derive(Clone, Debug, Default)]
struct TestFunction {
    pieces: Vec<PieceEnd>,
    edges: Vec<site::Edge>,
}

const ALL_MODES: u32 = 0b1111;

/// A site table: each function on lines of its own, a node in each piece.
fn table(functions: &[TestFunction], n_counters: u32, modes: u32) -> Vec<u8> {
    let n_values = functions.iter().map(|function| function.pieces.len() as u32).sum();
    let mut body = Bytes(Vec::new());
    let unit = site::Unit {
        source: "../src/a.c",
        directory: "/project/build",
        producer: "a compiler",
        modes,
        n_counters,
        n_values,
        n_files: 2,
        n_functions: functions.len() as u32,
        n_escapes: 1,
    };
    unit.encode(&mut body);
    for name in ["../src/a.c", "/usr/include/a.h"] {
        site::File { name, origin: Origin::Read }.encode(&mut body);
    }
    let mut value = 0;
    for (number, function) in functions.iter().enumerate() {
        encode_function(&mut body, number as u32, function, &mut value);
    }
    let place = site::Place { file: 1, line: 9, column: 1 };
    site::Escape { name: "main", place, reason: "it is naked" }.encode(&mut body);
    let mut bytes = Bytes(Vec::new());
    Header::of(&body.0).encode(&mut bytes);
    bytes.put(&body.0);
    bytes.0
}

fn encode_function(body: &mut Bytes, number: u32, function: &TestFunction, value: &mut u32) {
    let first_line = 1 + 100 * number;
    let place = |line| site::Place { file: 0, line, column: 0 };
    let record = site::Function {
        name: &format!("function_{number}"),
        place: place(first_line),
        last_line: first_line + 99,
        external: true,
        content_hash: 1,
        n_pieces: function.pieces.len() as u32,
        n_edges: function.edges.len() as u32,
        n_nodes: function.pieces.len() as u32,
        n_compounds: 0,
        n_variables: 0,
        n_operations: 1,
    };
    record.encode(body);
    let mut block = 0;
    for (index, end) in function.pieces.iter().enumerate() {
        site::Piece { block, end: *end, n_lines: 1 }.encode(body);
        place(first_line + index as u32 / 2).encode(body);
        block += u32::from(*end != PieceEnd::Call);
    }
    function.edges.iter().for_each(|edge| edge.encode(body));
    for piece in 0..function.pieces.len() as u32 {
        let node = site::Node {
            piece,
            kind: NodeKind::Assignment,
            class: ValueClass::Signed,
            width: 32,
            place: place(first_line + piece / 2),
            variable: "x",
            type_name: "int",
            expression: "x",
            ordinal: piece,
            value: *value,
            true_edge: None,
            false_edge: None,
            true_counter: None,
            n_cases: 0,
        };
        node.encode(body);
        *value += 1;
    }
    let kind = site::OperationKind::Statement { copy: None };
    site::Operation { piece: 0, place: place(first_line), node: None, kind }.encode(body);
}

fn edge(from: u32, to: u32, kind: EdgeKind) -> site::Edge {
    site::Edge { from, to, kind, edges_counter: None, values_counter: None }
}

/// Edges of a function whose pieces end like this and branch to these.
fn function(ends: Vec<(u8, Vec<prop::sample::Index>)>) -> TestFunction {
    let n_pieces = ends.len() as u32;
    let mut made = TestFunction { pieces: Vec::new(), edges: vec![edge(OUTSIDE, 0, EdgeKind::Entry)] };
    for (here, (end, targets)) in (0..).zip(ends) {
        match end {
            0..5 => {
                made.pieces.push(PieceEnd::Branch);
                let to = |target: &prop::sample::Index| target.index(n_pieces as usize) as u32;
                made.edges.extend(targets.iter().map(|target| edge(here, to(target), EdgeKind::Always)));
            }
            5..7 if here + 1 < n_pieces => {
                made.pieces.push(PieceEnd::Call);
                made.edges.push(edge(here, here + 1, EdgeKind::Continue));
            }
            7 => {
                made.pieces.push(PieceEnd::Stop);
                made.edges.push(edge(here, OUTSIDE, EdgeKind::Stop));
            }
            _ => {
                made.pieces.push(PieceEnd::Return);
                made.edges.push(edge(here, OUTSIDE, EdgeKind::Return));
            }
        }
    }
    made
}

/// Gives counters to the edges outside of a forest that takes edges in the order of `weights`.
fn measure(function: &mut TestFunction, weights: &[u32], version: Mode, n_counters: &mut u32) {
    let n_pieces = function.pieces.len();
    let grounded = |piece: u32| match function.pieces.get(piece as usize) {
        None => n_pieces,
        Some(PieceEnd::Call) if version == Mode::Values => n_pieces,
        Some(_) => piece as usize,
    };
    let mut tree: Vec<usize> = (0..=n_pieces).collect();
    let mut order: Vec<usize> = (0..function.edges.len()).collect();
    // As the pass has it, returns come first: whether a process was stopped before one is not known by its count.
    let weight = |index: usize| weights[index % weights.len()].rotate_left(index as u32);
    order.sort_by_key(|index| (function.edges[*index].kind != EdgeKind::Return, weight(*index)));
    for index in order {
        let (from, to) = (function.edges[index].from, function.edges[index].to);
        let (from, to) = (tree[grounded(from)], tree[grounded(to)]);
        if from != to {
            tree.iter_mut().filter(|root| **root == from).for_each(|root| *root = to);
            continue;
        }
        let counter = Some(*n_counters);
        *n_counters += 1;
        match version {
            Mode::Edges => function.edges[index].edges_counter = counter,
            _ => function.edges[index].values_counter = counter,
        }
    }
}

#[derive(Clone, Debug)]
struct Case {
    n_counters: u32,
    program: Program,
    section: Vec<u8>,
}

fn cases() -> impl Strategy<Value = Case> {
    let piece = (0u8..9, proptest::collection::vec(any::<prop::sample::Index>(), 1..4));
    let one = proptest::collection::vec(piece, 1..9);
    let all = proptest::collection::vec(one, 1..4);
    (all, proptest::collection::vec(any::<u32>(), 1..20)).prop_map(|(all, weights)| {
        let mut functions: Vec<TestFunction> = all.into_iter().map(function).collect();
        let mut n_counters = 0;
        for function in &mut functions {
            measure(function, &weights, Mode::Edges, &mut n_counters);
            measure(function, &weights, Mode::Values, &mut n_counters);
        }
        let section = table(&functions, n_counters, ALL_MODES);
        let program = Program::from_sections([("a.o", &section[..])], "/project").unwrap();
        Case { n_counters, program, section }
    })
}

/// How a walk through a function went on.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Went {
    Returned,
    /// Control goes back to the function at this depth.
    Jumped(usize),
    /// The process ended cleanly.
    Exited,
    /// A signal ended the process in this piece of the program.
    Killed(u32),
}

/// One process: walks through the program, and what truly happened.
struct Walk<'a> {
    program: &'a Program,
    choices: std::iter::Cycle<std::slice::Iter<'a, u8>>,
    budget: u32,
    tame: bool,
    edges: Vec<u64>,
    pieces: Vec<u64>,
    last: u32,
    jumped: bool,
}

impl Walk<'_> {
    fn choose(&mut self, n: usize) -> usize {
        // Not periodic, although the choices are.
        self.budget = self.budget.saturating_sub(1);
        (usize::from(*self.choices.next().unwrap()) + (self.budget / 7) as usize) % n
    }

    fn take(&mut self, edge: u32) -> u32 {
        self.edges[edge as usize] += 1;
        self.program.edges[edge as usize].to
    }

    fn function(&mut self, number: usize, depth: usize) -> Went {
        let program = self.program;
        let function = &program.functions[number];
        let mut piece = self.take(function.edges.start);
        loop {
            self.pieces[piece as usize] += 1;
            self.last = piece;
            let out: Vec<u32> =
                function.edges.clone().filter(|edge| program.edges[*edge as usize].from == piece).collect();
            if !self.tame && (self.budget == 0 || self.choose(40) == 0) {
                if program.pieces[piece as usize].end == PieceEnd::Stop {
                    self.take(out[0]);
                }
                return Went::Killed(piece);
            }
            piece = match program.pieces[piece as usize].end {
                PieceEnd::Call => match self.call(depth) {
                    Went::Returned => self.take(out[0]),
                    Went::Jumped(to) if to == depth => self.take(out[0]),
                    went => return went,
                },
                PieceEnd::Stop => {
                    self.take(out[0]);
                    return Went::Exited;
                }
                PieceEnd::Return => {
                    self.take(out[0]);
                    return Went::Returned;
                }
                PieceEnd::Branch if self.tame && self.budget == 0 => {
                    // A tame walk out of its budget leaves by the nearest way, if there is any.
                    match self.way_out(piece) {
                        Some(edge) => self.take(edge),
                        None => return Went::Killed(piece),
                    }
                }
                PieceEnd::Branch => {
                    let chosen = self.choose(out.len());
                    self.take(out[chosen])
                }
            };
        }
    }

    fn call(&mut self, depth: usize) -> Went {
        match self.choose(8) {
            0 if !self.tame => Went::Exited,
            1 if !self.tame => {
                self.jumped = true;
                Went::Jumped(self.choose(depth + 1))
            }
            choice if choice > 4 && depth < 5 && self.budget > 0 => {
                let number = self.choose(self.program.functions.len());
                self.function(number, depth + 1)
            }
            _ => Went::Returned,
        }
    }

    /// The first edge of a shortest way from `piece` out of its function.
    fn way_out(&self, piece: u32) -> Option<u32> {
        let edges = || (0..).zip(&self.program.edges);
        let mut near = vec![OUTSIDE];
        let mut next = 0;
        while let Some(target) = near.get(next).copied() {
            next += 1;
            for (index, edge) in edges().filter(|(_, edge)| edge.to == target && edge.from != OUTSIDE) {
                if edge.from == piece {
                    return Some(index);
                }
                if !near.contains(&edge.from) {
                    near.push(edge.from);
                }
            }
        }
        None
    }
}

const ADDRESS: u64 = 0x7000_0000;

/// What a process recorded.
#[derive(Clone, Debug)]
struct Recorded {
    mode: Mode,
    ending: Ending,
    state: [u64; STATE_WORDS],
    counters: Vec<u64>,
    values: Vec<u64>,
}

impl Recorded {
    fn process<'a>(&'a self, hash: u64) -> Process<'a> {
        let unit = Unit { hash, address: ADDRESS, counters: &self.counters, values: &self.values };
        let module = Module { path: "/bin/a", state: self.state, units: vec![unit] };
        let trace = Path::new("/out/1.trace");
        Process { trace, mode: self.mode, forked: false, ending: self.ending, modules: vec![module] }
    }
}

/// Runs one process; what it recorded in `mode`, and what it truly did.
fn run(case: &Case, choices: &[u8], mode: Mode, tame: bool, seen: bool) -> (Recorded, Execution, Went) {
    let program = &case.program;
    let mut walk = Walk {
        program,
        choices: choices.iter().cycle(),
        budget: 300,
        tame,
        edges: vec![0; program.edges.len()],
        pieces: vec![0; program.pieces.len()],
        last: 0,
        jumped: false,
    };
    let went = walk.function(0, 0);
    let mut counters = vec![0; case.n_counters as usize];
    for (edge, count) in program.edges.iter().zip(&walk.edges) {
        let counter = if mode == Mode::Edges { edge.edges_counter } else { edge.values_counter };
        if let Some(counter) = counter {
            counters[counter as usize] = *count;
        }
    }
    let mut state = [0; STATE_WORDS];
    let killed = matches!(went, Went::Killed(_));
    state[STATE_CLEAN] = u64::from(!killed);
    state[STATE_NONLOCAL] = u64::from(walk.jumped);
    state[STATE_LAST] = if mode == Mode::Edges { 0 } else { u64::from(piece_id(program.units[0].hash, walk.last)) };
    let hash = |count: &u64| if mode == Mode::Edges { 0 } else { count * 0x1_0001 };
    let ending = match (seen, killed) {
        (false, _) => Ending::Unknown,
        (true, false) => Ending::Exited,
        (true, true) => Ending::Signalled,
    };
    let values = walk.pieces.iter().map(hash).collect();
    let truth = Execution { edges: walk.edges, pieces: walk.pieces, ..Execution::default() };
    (Recorded { mode, ending, state, counters, values }, truth, went)
}

proptest! {
    #[test]
    fn values_mode_is_exact_whatever_happens(
        case in cases(),
        runs in proptest::collection::vec((proptest::collection::vec(any::<u8>(), 5..60), any::<bool>()), 1..4),
    ) {
        let recorder = Recorder::new(&case.program).unwrap();
        let hash = case.program.units[0].hash;
        let mut truth = Execution::default();
        truth.edges.resize(case.program.edges.len(), 0);
        truth.pieces.resize(case.program.pieces.len(), 0);
        let mut recorded = Vec::new();
        for (choices, seen) in &runs {
            let (process, did, went) = run(&case, choices, Mode::Values, false, *seen);
            truth.edges.iter_mut().zip(&did.edges).for_each(|(sum, count)| *sum += count);
            truth.pieces.iter_mut().zip(&did.pieces).for_each(|(sum, count)| *sum += count);
            if let Went::Killed(piece) = went {
                let end = case.program.pieces[piece as usize].end;
                if *seen || end == PieceEnd::Branch {
                    truth.stopped_in.push(piece);
                }
                // Nobody knows that it did not return, or stop by itself.
                let out = case.program.edges.iter().position(|edge| edge.from == piece).unwrap();
                if end == PieceEnd::Return && !seen {
                    truth.edges[out] += 1;
                }
                // The walk has taken this one, because its counter comes before the end of its piece.
                if end == PieceEnd::Stop && *seen {
                    truth.edges[out] -= 1;
                }
            }
            recorded.push(process);
        }
        truth.stopped_in.sort_unstable();
        truth.stopped_in.dedup();
        let processes: Vec<Process> = recorded.iter().map(|recorded| recorded.process(hash)).collect();
        let counts = recorder.counts(&processes).unwrap();
        prop_assert_eq!(&counts.execution.edges, &truth.edges);
        prop_assert_eq!(&counts.execution.pieces, &truth.pieces);
        prop_assert_eq!(&counts.execution.nodes, &truth.pieces);
        prop_assert_eq!(&counts.execution.stopped_in, &truth.stopped_in);
        prop_assert!(counts.exact && counts.warnings.is_empty());
        let never = |(trajectory, count): (&u64, &u64)| (*trajectory == 0) == (*count == 0);
        prop_assert!(counts.execution.trajectories.iter().zip(&truth.pieces).all(never));
        // Processes have no order.
        let reversed: Vec<Process> = processes.iter().rev().cloned().collect();
        prop_assert_eq!(recorder.counts(&reversed).unwrap(), counts);
    }

    #[test]
    fn edges_mode_is_exact_when_every_call_returns(case in cases(), choices in proptest::collection::vec(any::<u8>(), 5..60)) {
        let (recorded, truth, went) = run(&case, &choices, Mode::Edges, true, false);
        // A call of `exit` leaves its callers' calls unfinished.
        prop_assume!(went == Went::Returned);
        let counts = Recorder::new(&case.program).unwrap().counts(&[recorded.process(case.program.units[0].hash)]).unwrap();
        prop_assert_eq!(counts.execution.edges, truth.edges);
        prop_assert_eq!(counts.execution.pieces, truth.pieces);
        prop_assert!(counts.exact && counts.warnings.is_empty());
    }

    #[test]
    fn edges_mode_says_when_it_may_be_wrong(case in cases(), choices in proptest::collection::vec(any::<u8>(), 5..60)) {
        let (recorded, _, went) = run(&case, &choices, Mode::Edges, false, false);
        let counts = Recorder::new(&case.program).unwrap().counts(&[recorded.process(case.program.units[0].hash)]).unwrap();
        if matches!(went, Went::Killed(_)) || recorded.state[STATE_NONLOCAL] != 0 {
            prop_assert!(!counts.exact);
        }
        prop_assert!(counts.execution.edges.iter().all(|count| *count < 1 << 40));
    }

    #[test]
    fn no_site_table_makes_the_loader_panic(case in cases(), at in any::<prop::sample::Index>(), change in 1u8.., fix in any::<bool>()) {
        let mut section = case.section.clone();
        let place = at.index(section.len());
        section[place] ^= change;
        if fix && place >= site::HEADER_LEN {
            let mut header = Bytes(Vec::new());
            Header::of(&section[site::HEADER_LEN..]).encode(&mut header);
            section[..site::HEADER_LEN].copy_from_slice(&header.0);
        }
        match Program::from_sections([("a.o", &section[..])], "/project") {
            Ok(program) => drop(Recorder::new(&program)),
            Err(error) => prop_assert!(error.to_string().contains("a.o")),
        }
    }
}

/// Entry, a loop around a call, return.
fn small() -> (Vec<TestFunction>, u32) {
    let mut only = TestFunction {
        pieces: vec![PieceEnd::Call, PieceEnd::Branch, PieceEnd::Return],
        edges: vec![
            edge(OUTSIDE, 0, EdgeKind::Entry),
            edge(0, 1, EdgeKind::Continue),
            edge(1, 0, EdgeKind::True),
            edge(1, 2, EdgeKind::False),
            edge(2, OUTSIDE, EdgeKind::Return),
        ],
    };
    let mut n_counters = 0;
    measure(&mut only, &[1], Mode::Edges, &mut n_counters);
    measure(&mut only, &[1], Mode::Values, &mut n_counters);
    (vec![only], n_counters)
}

#[test]
fn files_lines_and_blocks_are_numbered() {
    let (functions, n_counters) = small();
    let section = table(&functions, n_counters, ALL_MODES);
    let program = Program::from_sections([("a.o", &section[..])], "/project").unwrap();
    assert_eq!(program.files, ["/usr/include/a.h", "src/a.c"]);
    assert_eq!((program.units[0].file, &program.units[0].files), (1, &vec![1, 0]));
    assert_eq!((program.functions[0].place.file, program.operations[0].place.file), (1, 1));
    assert_eq!((program.escapes[0].place.file, program.escapes[0].name.as_str()), (0, "main"));
    let lines: Vec<(u32, u32)> = program.lines.iter().map(|line| (line.file, line.line)).collect();
    assert_eq!(lines, [(1, 1), (1, 2)]);
    assert_eq!((program.blocks.len(), &program.blocks[0].pieces, &program.blocks[0].lines), (2, &(0..2), &vec![0]));
    assert_eq!((&program.blocks[1].lines, program.nodes[2].line), (&vec![1], Some(1)));
}

#[test]
fn a_unit_in_two_modules_is_there_once() {
    let (functions, n_counters) = small();
    let section = table(&functions, n_counters, ALL_MODES);
    let padded = [&section[..], &[0; 7], &section[..]].concat();
    let program = Program::from_sections([("a", &padded[..]), ("b", &section[..])], "/project").unwrap();
    assert_eq!((program.units.len(), program.functions.len()), (1, 1));
}

#[test]
fn modules_that_are_none_are_refused_by_name() {
    let load = |bytes: &[u8]| Program::load(&[ModuleImage { name: "bin/x", bytes }], "/").unwrap_err();
    let error = load(b"#!/bin/sh");
    assert!(matches!(error, LoadError::NotElf { .. }) && error.to_string().contains("bin/x"), "{error}");
    let own = std::fs::read(std::env::current_exe().unwrap()).unwrap();
    assert!(matches!(load(&own), LoadError::NotInstrumented { .. }));
    let (functions, n_counters) = small();
    let mut section = table(&functions, n_counters, ALL_MODES);
    section[8] = 99;
    let error = Program::from_sections([("old.o", &section[..])], "/").unwrap_err();
    assert!(error.to_string().contains("old.o has site tables of format version 99"), "{error}");
}

#[test]
fn a_trace_of_another_build_is_refused() {
    let (functions, n_counters) = small();
    let section = table(&functions, n_counters, ALL_MODES);
    let program = Program::from_sections([("a.o", &section[..])], "/project").unwrap();
    let recorder = Recorder::new(&program).unwrap();
    let words = |n_counters: u32| Recorded {
        mode: Mode::Values,
        ending: Ending::Exited,
        state: [0; STATE_WORDS],
        counters: vec![0; n_counters as usize],
        values: vec![0; 3],
    };
    let error = recorder.counts(&[words(n_counters).process(1)]).unwrap_err();
    assert!(matches!(error, CountError::OtherBuild { .. }));
    let text = error.to_string();
    assert!(text.contains("/out/1.trace") && text.contains("/bin/a") && text.contains("another build"), "{text}");
    let error = recorder.counts(&[words(n_counters + 1).process(program.units[0].hash)]).unwrap_err();
    assert!(matches!(error, CountError::WrongSize { .. }));
}

#[test]
fn a_table_with_too_few_counters_is_refused() {
    let (mut functions, n_counters) = small();
    functions[0].edges[2].values_counter = None;
    functions[0].edges[1].values_counter = None;
    let section = table(&functions, n_counters, ALL_MODES);
    let program = Program::from_sections([("a.o", &section[..])], "/project").unwrap();
    let error = Recorder::new(&program).unwrap_err();
    assert_eq!((error.function.as_str(), error.file.as_str()), ("function_0", "src/a.c"));
}

#[test]
fn a_unit_without_a_version_for_the_mode_runs_its_first() {
    let (functions, n_counters) = small();
    let counted = |modes: u32, mode: Mode| {
        let section = table(&functions, n_counters, modes);
        let program = Program::from_sections([("a.o", &section[..])], "/project").unwrap();
        let case = Case { n_counters, program, section };
        let (mut recorded, truth, _) = run(&case, &[5], Mode::Values, true, false);
        recorded.mode = mode;
        let hash = case.program.units[0].hash;
        let counts = Recorder::new(&case.program).unwrap().counts(&[recorded.process(hash)]).unwrap();
        (counts.execution.pieces == truth.pieces, counts.execution.pieces.iter().sum::<u64>())
    };
    let values_only = 1 << Mode::Values as u32;
    assert!(counted(values_only, Mode::Edges).0);
    assert!(counted(values_only, Mode::Trace).0);
    assert_eq!(counted(1 << Mode::Plain as u32, Mode::Values).1, 0);
}

#[test]
fn labels_are_on_lines_of_the_block_of_their_switch() {
    let (functions, n_counters) = small();
    let section = table(&functions, n_counters, ALL_MODES);
    let mut program = Program::from_sections([("a.o", &section[..])], "/project").unwrap();
    let label = |nodes: &[u32], line| {
        let text = "'a'".to_string();
        Label { nodes: nodes.into(), line, column: 10, text, value: 97, character: true }
    };
    let places = |program: &Program, lines: &[u32]| -> Vec<u32> {
        lines.iter().map(|line| program.lines[*line as usize].line).collect()
    };
    let before: Vec<Vec<u32>> = program.pieces.iter().map(|piece| places(&program, &piece.lines)).collect();
    let node = program.nodes.len() as u32 - 1;
    let piece = program.nodes[node as usize].piece;
    // Line 0 is before all others, line 2 has code, 9999 is behind, the last is of no node.
    program.set_labels(vec![label(&[node], 0), label(&[node], 2), label(&[node], 9999), label(&[9999], 7)]);
    assert_eq!(program.lines.iter().map(|line| line.line).collect::<Vec<_>>(), [0, 1, 2, 9999]);
    assert_eq!([0, 1, 2, 3, 4].map(|line| program.is_label_line(line)), [true, false, false, true, false]);
    for (number, before) in before.iter().enumerate() {
        let mut expected = before.clone();
        if number as u32 == piece {
            expected.extend([0, 9999]);
            expected.sort_unstable();
        }
        assert_eq!(places(&program, &program.pieces[number].lines), expected);
    }
    let block = &program.blocks[program.pieces[piece as usize].block as usize];
    assert_eq!(places(&program, &block.lines), [0, 2, 9999]);
    assert_eq!(program.compiled_lines(program.pieces[piece as usize].block).collect::<Vec<_>>(), [2]);
    for node in &program.nodes {
        assert_eq!(program.lines[node.line.unwrap() as usize].line, node.place.line);
    }
    let lines: Vec<Option<u32>> = program.labels.iter().map(|label| program.label_line(label)).collect();
    assert_eq!(lines, [Some(0), Some(2), Some(3)]);
}
