//! What is known of a program's lines before anything is tried: who executes them, what stands on them, what stands beside them.

use std::collections::HashMap;

use super::TriedTest;
use crate::profile::blockrank::{Reading, block_rank};
use crate::profile::{EdgeProfile, FlowGraph};
use crate::program::{Function, NodeKind, PieceEnd, Program};
use crate::source::Warning;
use crate::spectra::doric::causal_likelihood;
use crate::spectra::{CoverageMatrix, Spectrum};

/// What stands on a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Holds {
    /// A node.
    pub node: bool,
    /// A condition.
    pub predicate: bool,
    /// A call.
    pub call: bool,
    /// A return from the function.
    pub end: bool,
}

/// The warning of the compiler that says most of a line.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Warned {
    /// Its position in [`LineFacts::warnings`].
    pub warning: u32,
    /// 0 if it is of this line; else 1 for the next lines of code, and so on; [`u32::MAX`] for anywhere in its function.
    pub distance: u32,
    /// One by the number of warnings that the same option asks for.
    pub rarity: f64,
}

/// Lines of code that a warning may be away.
const FARTHEST_WARNING: u32 = 4;

/// A program's lines as they are before trials; the lines are [`Program::lines`] and are named by their indices there.
#[derive(Clone, Debug)]
pub struct LineFacts<'a> {
    coverage: &'a CoverageMatrix,
    rows: HashMap<u32, usize>,
    spectra: Vec<Spectrum>,
    left_out: Vec<bool>,
    on_chain: Vec<bool>,
    causal_likelihood: Vec<f64>,
    holds: Vec<Holds>,
    function: Vec<Option<u32>>,
    before: Vec<Option<u32>>,
    after: Vec<Option<u32>>,
    blocks: Vec<Vec<u32>>,
    block_rank: Option<Vec<f64>>,
    executions: Option<Vec<(f64, f64)>>,
    warnings: Vec<Warning>,
    warned: Vec<Option<Warned>>,
    warned_functions: HashMap<u32, Warned>,
}

impl<'a> LineFacts<'a> {
    /// `coverage` has a column for each of the program's lines; `tests` names the test of each of its rows by its index in the manifest.
    pub fn new(program: &Program, coverage: &'a CoverageMatrix, tests: &[u32]) -> LineFacts<'a> {
        let n_lines = program.lines.len();
        let mut function = vec![None; n_lines];
        for block in &program.blocks {
            for &line in &block.lines {
                function[line as usize].get_or_insert(block.function);
            }
        }
        let (before, after) = neighbours(program, &function);
        let blocks = program.blocks.iter().map(|block| block.lines.clone()).filter(|lines| lines.len() > 1);
        LineFacts {
            coverage,
            rows: tests.iter().enumerate().map(|(row, &test)| (test, row)).collect(),
            spectra: coverage.spectra(),
            left_out: vec![false; n_lines],
            on_chain: vec![false; n_lines],
            causal_likelihood: causal_likelihood(coverage),
            holds: holds(program),
            function,
            before,
            after,
            blocks: blocks.collect(),
            block_rank: None,
            executions: None,
            warnings: Vec::new(),
            warned: vec![None; n_lines],
            warned_functions: HashMap::new(),
        }
    }

    /// Without these lines, which nobody would mend: they are never in question, nor do changes of them count.
    pub fn without<'l>(mut self, lines: impl IntoIterator<Item = &'l u32>) -> Self {
        for &line in lines {
            self.left_out[line as usize] = true;
            self.spectra[line as usize] = Spectrum::default();
        }
        self
    }

    /// Whether a line is never in question: what changes of it do says nothing about others.
    pub fn is_left_out(&self, line: u32) -> bool {
        self.left_out[line as usize]
    }

    /// With the lines of causal chains of failing tests that patched runs proved.
    pub fn with_chains(mut self, lines: &[u32]) -> Self {
        lines.iter().for_each(|line| self.on_chain[*line as usize] = true);
        self
    }

    /// Whether a line is on a proved causal chain.
    pub fn is_on_chain(&self, line: u32) -> bool {
        self.on_chain[line as usize]
    }

    /// Counts of each line over the tests (rows) with `kept`.
    pub fn spectra_of(&self, kept: &[bool]) -> Vec<Spectrum> {
        let mut spectra = self.coverage.spectra_of(kept);
        let out = spectra.iter_mut().zip(&self.left_out).filter(|(_, left_out)| **left_out);
        out.for_each(|(spectrum, _)| *spectrum = Spectrum::default());
        spectra
    }

    /// With how often runs executed each block.
    pub fn with_edges(mut self, program: &Program, graph: &FlowGraph, profile: &EdgeProfile) -> Self {
        let of_lines = |of_blocks: &[f64]| {
            let mut lines = vec![0.0f64; program.lines.len()];
            for (block, score) in program.blocks.iter().zip(of_blocks) {
                for &line in &block.lines {
                    lines[line as usize] = lines[line as usize].max(*score);
                }
            }
            lines
        };
        let entered = |of_edges: &[f64]| {
            let sum = |block| graph.into(block).iter().map(|edge| of_edges[*edge as usize]).sum();
            of_lines(&(0..graph.n_blocks).map(sum).collect::<Vec<f64>>())
        };
        self.executions = Some(entered(&profile.failed).into_iter().zip(entered(&profile.passed)).collect());
        self.block_rank = Some(of_lines(&block_rank(graph, profile, Reading::Literal).scores));
        self
    }

    /// With what the compiler warns of, in files named as the program names them. What it says of a parameter it says of the whole function, and nothing
    /// where somebody else chose the parameters: of `main`, and of functions of which `is_callback` says so by their names.
    pub fn with_warnings(
        mut self,
        program: &Program,
        warnings: Vec<Warning>,
        is_callback: impl Fn(&str) -> bool,
    ) -> Self {
        let is_of_parameter = |warning: &Warning| warning.option.ends_with("-parameter");
        let about = warnings.iter().filter_map(|warning| Some((warning, function_of(program, warning)?)));
        let is_chosen = |(warning, function): &(&Warning, u32)| {
            let name = program.functions[*function as usize].name.as_str();
            !is_of_parameter(warning) || name != "main" && !is_callback(name)
        };
        let about: Vec<(&Warning, u32)> = about.filter(is_chosen).collect();
        let mut of_option: HashMap<&str, u32> = HashMap::new();
        about.iter().for_each(|(warning, _)| *of_option.entry(&warning.option).or_default() += 1);
        for (number, (warning, function)) in (0..).zip(&about) {
            let rarity = 1.0 / f64::from(of_option[warning.option.as_str()]);
            let of_function = Warned { warning: number, distance: u32::MAX, rarity };
            let rarest = self.warned_functions.entry(*function).or_insert(of_function);
            if rarity > rarest.rarity {
                *rarest = of_function;
            }
            if is_of_parameter(warning) {
                continue;
            }
            for (line, distance) in around(program, &program.functions[*function as usize], warning.line) {
                let new = Warned { distance, ..of_function };
                let says = |warned: &Warned| warned.rarity / f64::from(warned.distance + 1);
                let known = &mut self.warned[line as usize];
                if known.as_ref().is_none_or(|known| says(&new) > says(known)) {
                    *known = Some(new);
                }
            }
        }
        self.warnings = about.into_iter().map(|(warning, _)| warning.clone()).collect();
        self
    }

    /// What the compiler warns of in functions of the program.
    pub fn warnings(&self) -> &[Warning] {
        &self.warnings
    }

    /// The warning that says most of a line.
    pub fn warned(&self, line: u32) -> Option<Warned> {
        self.warned[line as usize]
    }

    /// The rarest warning about a line's function.
    pub fn warned_function(&self, line: u32) -> Option<Warned> {
        self.function(line).and_then(|function| self.warned_functions.get(&function)).copied()
    }

    /// Number of lines.
    pub fn n_lines(&self) -> usize {
        self.holds.len()
    }

    /// Which test executed which line.
    pub fn coverage(&self) -> &'a CoverageMatrix {
        self.coverage
    }

    /// Counts of each line; 0 for those that are left out.
    pub fn spectra(&self) -> &[Spectrum] {
        &self.spectra
    }

    /// The logarithm of each line's causal likelihood.
    pub fn causal_likelihood(&self) -> &[f64] {
        &self.causal_likelihood
    }

    /// The row of a test in the coverage, if it has one.
    pub fn row(&self, test: &TriedTest) -> Option<usize> {
        self.rows.get(&test.test).copied()
    }

    /// Whether a test executes a line; a test without coverage may.
    pub fn executes(&self, test: &TriedTest, line: u32) -> bool {
        self.row(test).is_none_or(|row| self.coverage.covers(row, line as usize))
    }

    /// What stands on a line.
    pub fn holds(&self, line: u32) -> Holds {
        self.holds[line as usize]
    }

    /// The function a line is in; the first of several.
    pub fn function(&self, line: u32) -> Option<u32> {
        self.function[line as usize]
    }

    /// The lines of code before and after a line in its function.
    pub fn beside(&self, line: u32) -> [Option<u32>; 2] {
        [self.before[line as usize], self.after[line as usize]]
    }

    /// The lines of each block of several lines.
    pub fn blocks(&self) -> &[Vec<u32>] {
        &self.blocks
    }

    /// BlockRank of each line, if edges are known, to the letter: the weights of the evidence were fitted to that.
    pub fn block_rank(&self) -> Option<&[f64]> {
        self.block_rank.as_deref()
    }

    /// Mean executions of each line in failing and in passing tests, if edges are known.
    pub fn executions(&self) -> Option<&[(f64, f64)]> {
        self.executions.as_deref()
    }
}

/// The function that a warning is about. The brace that ends a function may hold no code.
fn function_of(program: &Program, warning: &Warning) -> Option<u32> {
    let file = program.files.iter().position(|file| *file == warning.file)? as u32;
    let of_file = (0..).zip(&program.functions).filter(|(_, function)| function.place.file == file);
    let begun = of_file.filter(|(_, function)| function.place.line <= warning.line);
    let (number, function) = begun.max_by_key(|(_, function)| function.place.line)?;
    (warning.line <= function.last_line + FARTHEST_WARNING).then_some(number)
}

/// The lines of code of a function that are not far from the line `at` of its file, and how far they are.
fn around(program: &Program, function: &Function, at: u32) -> Vec<(u32, u32)> {
    let lines = |from: u32, to: u32| {
        let file = function.place.file;
        let position = |line: u32| program.lines.partition_point(|one| (one.file, one.line) < (file, line)) as u32;
        position(from)..position(to)
    };
    let before = lines(function.place.line, at).rev().zip(1..=FARTHEST_WARNING);
    let own = lines(at, at + 1).map(|line| (line, 0));
    let after = lines(at + 1, function.last_line + 1).zip(1..=FARTHEST_WARNING);
    before.chain(own).chain(after).collect()
}

fn holds(program: &Program) -> Vec<Holds> {
    let mut holds = vec![Holds::default(); program.lines.len()];
    for node in &program.nodes {
        if let Some(line) = node.line {
            holds[line as usize].node = true;
            holds[line as usize].predicate |= node.kind == NodeKind::Predicate;
        }
    }
    for line in program.labels.iter().filter_map(|label| program.label_line(label)) {
        holds[line as usize].node = true;
    }
    for piece in &program.pieces {
        // A piece that a call ends may hold many lines; the call is on the last.
        if let (PieceEnd::Call, Some(&line)) = (piece.end, piece.lines.last()) {
            holds[line as usize].call = true;
        }
        if let (PieceEnd::Return, Some(&line)) = (piece.end, piece.lines.last()) {
            holds[line as usize].end = true;
        }
    }
    holds
}

/// For each line the one before and the one after it, of the lines of its function that carry code.
fn neighbours(program: &Program, function: &[Option<u32>]) -> (Vec<Option<u32>>, Vec<Option<u32>>) {
    let n_lines = program.lines.len();
    let (mut before, mut after) = (vec![None; n_lines], vec![None; n_lines]);
    for line in 1..n_lines {
        let is_beside = program.lines[line].file == program.lines[line - 1].file
            && function[line].is_some()
            && function[line] == function[line - 1];
        if is_beside {
            before[line] = Some(line as u32 - 1);
            after[line - 1] = Some(line as u32);
        }
    }
    (before, after)
}
