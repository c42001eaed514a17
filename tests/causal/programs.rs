//! Made-up programs that are really run: straight code, guards and loops over integers, whose direct dependences are known, and
//! campaigns of value mutants of them.

use std::collections::BTreeSet;

use rayon::prelude::*;
use suspect::causal::{Observations, TestObservations};

/// A repeatable stream of numbers (xorshift64*).
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Self {
        Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    pub fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub fn below(&mut self, n: usize) -> usize {
        ((u128::from(self.next()) * n as u128) >> 64) as usize
    }

    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

#[derive(Clone, Copy, Debug)]
enum Rule {
    /// Read from the test.
    Input,
    Add,
    Subtract,
    Scale(i64),
    Remainder(i64),
    Least,
    Greatest,
    /// A predicate: whether the first source is less than the second, or than a constant.
    Less(i64),
    /// A loop's predicate: whether the iteration is below the first source's value modulo 5, plus 2.
    Again,
}

#[derive(Clone, Debug)]
struct Node {
    rule: Rule,
    sources: Vec<usize>,
    /// The predicate that has to be true.
    guard: Option<usize>,
    /// One past its last node, for a loop's predicate; the body begins after it.
    ends: usize,
    function: usize,
}

/// A program: functions called one after another, or left out by a test.
#[derive(Clone, Debug)]
pub struct Program {
    nodes: Vec<Node>,
    outputs: Vec<usize>,
}

/// Iterations after which a mutant's loop is cut.
const CUT: i64 = 40;

/// Percentage of nodes in loops that may read what comes later in the body.
const CARRIED: usize = 90;

impl Program {
    /// A program of `n_nodes` nodes, of which about `loops` percent are in loops.
    pub fn new(seed: u64, n_nodes: usize, loops: usize) -> Program {
        let mut random = Random::new(seed);
        let mut nodes: Vec<Node> = Vec::new();
        let (mut function, mut first) = (0, 0);
        while nodes.len() < n_nodes {
            if nodes.len() - first > 12 + random.below(16) {
                (function, first) = (function + 1, nodes.len());
            }
            let left = n_nodes - nodes.len();
            // A loop of seven nodes in the mean counts seven times.
            if left > 4 && nodes.len() > first + 2 && random.below(100 * 7) < loops * 2 {
                let body = 3 + random.below(6).min(left - 4);
                Program::push_loop(&mut nodes, body, function, first, &mut random);
            } else {
                Program::push_plain(&mut nodes, function, first, &mut random);
            }
        }
        let outputs = (0..nodes.len()).rev().step_by(nodes.len().div_ceil(8)).collect();
        Program { nodes, outputs }
    }

    fn push_plain(nodes: &mut Vec<Node>, function: usize, first: usize, random: &mut Random) {
        let at = nodes.len();
        let guard = (first..at).rev().take(5).find(|node| matches!(nodes[*node].rule, Rule::Less(_)));
        let guard = guard.filter(|_| random.chance(60));
        let rule = if at < first + 2 && random.chance(40) { Rule::Input } else { arithmetic(random) };
        let sources = sources(random, at, first, rule, at);
        nodes.push(Node { rule, sources, guard, ends: 0, function });
    }

    /// A loop's predicate and its body, whose nodes may read what comes later in the body.
    fn push_loop(nodes: &mut Vec<Node>, body: usize, function: usize, first: usize, random: &mut Random) {
        let head = nodes.len();
        let sources_of_head = sources(random, head, first, Rule::Again, head);
        nodes.push(Node { rule: Rule::Again, sources: sources_of_head, guard: None, ends: head + 1 + body, function });
        for at in head + 1..head + 1 + body {
            let inner = (head + 1..at).rev().take(2).find(|node| matches!(nodes[*node].rule, Rule::Less(_)));
            let guard = inner.filter(|_| random.chance(50)).or(Some(head));
            let rule = arithmetic(random);
            let until = if random.chance(CARRIED) { head + 1 + body } else { at };
            let sources = sources(random, at, head.saturating_sub(2).max(first), rule, until);
            nodes.push(Node { rule, sources, guard, ends: 0, function });
        }
    }

    /// Number of nodes.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// The direct dependences, as pairs of cause and effect; the output is effect number [`Program::len`].
    pub fn dependences(&self) -> BTreeSet<(u32, u32)> {
        let data = (0..).zip(&self.nodes).flat_map(|(effect, node)| {
            node.sources.iter().chain(&node.guard).map(move |&cause| (cause as u32, effect))
        });
        let output = self.outputs.iter().map(|&cause| (cause as u32, self.len() as u32));
        data.chain(output).filter(|(cause, effect)| cause != effect).collect()
    }

    /// Whether a node is in a loop's body or its predicate.
    pub fn in_loop(&self, node: u32) -> bool {
        let node = node as usize;
        (0..self.len()).any(|head| (head..self.nodes[head].ends).contains(&node))
    }

    /// A campaign of `n_rows` mutants or a few more, with the order of execution.
    pub fn campaign(&self, n_rows: usize, n_values: usize, seed: u64) -> (Observations, Vec<u32>) {
        let is_predicate = |node: &Node| matches!(node.rule, Rule::Less(_) | Rule::Again);
        let samples: Vec<u32> =
            self.nodes.iter().map(|node| if is_predicate(node) { 1 } else { n_values as u32 }).collect();
        let mut tests: Vec<(TestObservations, usize)> = Vec::new();
        let done = |tests: &[(TestObservations, usize)]| tests.iter().map(|(_, rows)| rows).sum::<usize>();
        while done(&tests) < n_rows || tests.len() < 2 {
            let next = tests.len()..tests.len() + 4;
            let observe = |number: usize| {
                let test = Test::new(self, seed ^ (number as u64) << 20);
                test.observe(self, &samples, seed, number.is_multiple_of(5))
            };
            tests.extend(next.into_par_iter().map(observe).collect::<Vec<_>>());
        }
        let tests = tests.into_iter().map(|(test, _)| test).collect();
        let order = (0..self.len() as u32).collect();
        (Observations::new(samples, tests).expect("made-up observations fit"), order)
    }

    /// Runs a test, one node's value changed; trajectory hashes by node, then that of the output.
    fn run(&self, test: &Test, mutant: Option<(usize, i64)>) -> Run {
        let mut run = Run { values: vec![0; self.len()], hashes: vec![0; self.len() + 1], seen: vec![0.0; self.len()] };
        let mut at = 0;
        while at < self.len() {
            let node = &self.nodes[at];
            if !test.runs[node.function] {
                at += 1;
            } else if node.ends > 0 {
                for iteration in 0..CUT {
                    self.step(test, at, iteration, mutant, &mut run);
                    if run.values[at] == 0 {
                        break;
                    }
                    (at + 1..node.ends).for_each(|inner| self.step(test, inner, iteration, mutant, &mut run));
                }
                at = node.ends;
            } else {
                self.step(test, at, 0, mutant, &mut run);
                at += 1;
            }
        }
        let output = self.outputs.iter().fold(0u64, |hash, node| mix(hash, run.values[*node]));
        run.hashes[self.len()] = output;
        run
    }

    fn step(&self, test: &Test, at: usize, iteration: i64, mutant: Option<(usize, i64)>, run: &mut Run) {
        let node = &self.nodes[at];
        if node.guard.is_some_and(|guard| run.values[guard] == 0) {
            return;
        }
        let source = |position: usize| node.sources.get(position).map_or(0, |source| run.values[*source]);
        let mut value = match node.rule {
            Rule::Input => test.inputs[at],
            Rule::Add => source(0).wrapping_add(source(1)).wrapping_add(source(2)).wrapping_add(1),
            Rule::Subtract => source(0).wrapping_sub(source(1)).wrapping_add(source(2)),
            Rule::Scale(by) => source(0).wrapping_mul(by).wrapping_add(source(1)),
            Rule::Remainder(by) => source(0).wrapping_add(source(1)).rem_euclid(by),
            Rule::Least => source(0).min(source(1)).min(50),
            Rule::Greatest => source(0).max(source(1)).max(-50),
            Rule::Less(than) => i64::from(source(0) < if node.sources.len() > 1 { source(1) } else { than }),
            Rule::Again => i64::from(iteration < source(0).rem_euclid(5) + 2),
        } % 100_000;
        if let Some((mutated, to)) = mutant.filter(|(mutated, _)| *mutated == at) {
            value = if matches!(self.nodes[mutated].rule, Rule::Less(_) | Rule::Again) { 1 - value } else { to };
        }
        run.values[at] = value;
        run.hashes[at] = mix(run.hashes[at], value);
        run.seen[at] = value as f64;
    }
}

struct Run {
    values: Vec<i64>,
    hashes: Vec<u64>,
    seen: Vec<f64>,
}

fn mix(hash: u64, value: i64) -> u64 {
    (hash ^ value as u64 ^ 0x9e37_79b9).wrapping_mul(0xd6e8_feb8_6659_fd93).rotate_left(27).wrapping_add(1)
}

fn arithmetic(random: &mut Random) -> Rule {
    match random.below(10) {
        0 | 1 => Rule::Add,
        2 => Rule::Subtract,
        3 => Rule::Scale(2 + random.below(3) as i64),
        4 | 5 => Rule::Remainder(3 + random.below(20) as i64),
        6 => Rule::Least,
        7 => Rule::Greatest,
        _ => Rule::Less(random.below(20) as i64),
    }
}

/// One to three nodes to read: mostly near ones from `first` on, up to `until`, now and then anything earlier.
fn sources(random: &mut Random, at: usize, first: usize, rule: Rule, until: usize) -> Vec<usize> {
    let n = match rule {
        Rule::Input => 0,
        Rule::Again => 1,
        _ => 1 + random.below(3),
    };
    let source = |_| match random.chance(85) {
        true if until > first => Some(until.saturating_sub(1 + random.below(7)).max(first)),
        _ if at > 0 => Some(at - 1 - random.below(at.min(150))),
        _ => None,
    };
    (0..n).filter_map(source).collect()
}

struct Test {
    runs: Vec<bool>,
    inputs: Vec<i64>,
}

impl Test {
    fn new(program: &Program, seed: u64) -> Test {
        let mut random = Random::new(seed);
        let n_functions = program.nodes.last().map_or(0, |node| node.function + 1);
        let runs = (0..n_functions).map(|function| function == 0 || random.chance(60)).collect();
        let inputs = program.nodes.iter().map(|_| random.below(40) as i64 - 5).collect();
        Test { runs, inputs }
    }

    fn observe(&self, program: &Program, samples: &[u32], seed: u64, failed: bool) -> (TestObservations, usize) {
        let mut done = 0;
        let oracle = program.run(self, None);
        let covered: Vec<u32> = (0..program.len() as u32).filter(|node| oracle.hashes[*node as usize] != 0).collect();
        let mut rows = TestObservations::new(covered.clone(), failed);
        let mut words = vec![0u64; covered.len().div_ceil(64)];
        for &mutated in &covered {
            // The same values in every test.
            let mut random = Random::new(seed ^ u64::from(mutated) << 32);
            for _ in 0..samples[mutated as usize] {
                let spread = oracle.seen[mutated as usize].abs().max(4.0);
                let value = (random.below(2001) as f64 / 1000.0 - 1.0) * 2.0 * spread;
                let run = program.run(self, Some((mutated as usize, value.round() as i64)));
                let changed = |node: u32| run.hashes[node as usize] != oracle.hashes[node as usize];
                if !changed(mutated) {
                    continue;
                }
                words.fill(0);
                for (at, &node) in covered.iter().enumerate() {
                    words[at / 64] |= u64::from(changed(node)) << (at % 64);
                }
                rows.push(mutated, &words, changed(program.len() as u32));
                done += 1;
            }
        }
        (rows, done)
    }
}
