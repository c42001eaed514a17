//! Which tests and nodes a campaign is about.

use crate::program::Program;

/// Passing tests that are chosen beside the failing ones, at most.
pub const MOST_PASSING: usize = 50;

/// Tests whose values mutants are fitted to, at most, unless mutants run on more.
pub const MOST_RECORDED: usize = 256;

/// Which tests mutants run on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TestGroup {
    /// Failing tests, and the passing ones most like them.
    FailingAndCovering,
    /// Failing tests.
    Failing,
    /// All tests that count.
    All,
}

/// The tests that were chosen, those first that are tried first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    /// Their indices in the run's manifest.
    pub tests: Vec<u32>,
    /// Passing tests that share lines with failing ones but were too many.
    pub n_left_out: usize,
    /// Passing tests that share no line with any failing one.
    pub n_unrelated: usize,
}

/// A test and what it covers.
#[derive(Clone, Debug)]
pub struct Coverage {
    /// Index in the run's manifest.
    pub test: u32,
    /// Whether it fails.
    pub failed: bool,
    /// Its lines, ascending.
    pub lines: Vec<u32>,
}

/// Chooses tests: failing ones in the suite's order; then, of the passing ones that share a line with one of them, the most
/// similar first (Jaccard's index with the nearest failing test, then the suite's order), at most [`MOST_PASSING`].
pub fn choose_tests(tests: &[Coverage], group: TestGroup) -> Chosen {
    let (failing, passing): (Vec<&Coverage>, Vec<&Coverage>) = tests.iter().partition(|test| test.failed);
    let mut chosen = Chosen { tests: failing.iter().map(|test| test.test).collect(), ..Chosen::default() };
    match group {
        TestGroup::Failing => {}
        TestGroup::All => chosen.tests.extend(passing.iter().map(|test| test.test)),
        TestGroup::FailingAndCovering => {
            let likeness = |test: &&Coverage| {
                let nearest = failing.iter().map(|failing| jaccard(&failing.lines, &test.lines)).fold(0.0, f64::max);
                (nearest, test.test)
            };
            let mut near: Vec<(f64, u32)> = passing.iter().map(likeness).collect();
            near.retain(|(likeness, _)| *likeness > 0.0);
            near.sort_by(|one, other| other.0.total_cmp(&one.0).then(one.1.cmp(&other.1)));
            chosen.n_unrelated = passing.len() - near.len();
            chosen.n_left_out = near.len().saturating_sub(MOST_PASSING);
            chosen.tests.extend(near.iter().take(MOST_PASSING).map(|(_, test)| *test));
        }
    }
    chosen
}

/// The tests that are recorded, so that mutants are fitted to the values that nodes take in them: all, or, where those are more than
/// [`MOST_RECORDED`], the chosen ones and others at even distances up to that number. Ascending, as `all` is.
pub fn recorded_tests(all: &[u32], chosen: &[u32]) -> Vec<u32> {
    if all.len() <= MOST_RECORDED {
        return all.to_vec();
    }
    let mut recorded: Vec<u32> = chosen.to_vec();
    recorded.sort_unstable();
    let others: Vec<u32> = all.iter().copied().filter(|test| recorded.binary_search(test).is_err()).collect();
    let wanted = MOST_RECORDED.saturating_sub(recorded.len()).min(others.len());
    recorded.extend((0..wanted).map(|at| others[at * others.len() / wanted]));
    recorded.sort_unstable();
    recorded
}

/// Common members over all members of two ascending lists.
fn jaccard(one: &[u32], other: &[u32]) -> f64 {
    let common = one.iter().filter(|line| other.binary_search(line).is_ok()).count();
    common as f64 / (one.len() + other.len() - common).max(1) as f64
}

/// Names nodes: `FILE`, `FILE:LINE`, `FILE:LINE:COLUMN`, or `FUNCTION()`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// All nodes of a function.
    Function(String),
    /// All nodes of a file, of one of its lines, or at one place of it.
    Place(String, Option<u32>, Option<u32>),
}

impl Selector {
    /// What a text names.
    pub fn parse(text: &str) -> Selector {
        if let Some(function) = text.strip_suffix("()") {
            return Selector::Function(function.to_string());
        }
        let number = |text: &str| text.parse::<u32>().ok();
        let Some((head, Some(last))) = text.rsplit_once(':').map(|(head, last)| (head, number(last))) else {
            return Selector::Place(text.to_string(), None, None);
        };
        match head.rsplit_once(':').map(|(file, line)| (file, number(line))) {
            Some((file, Some(line))) => Selector::Place(file.to_string(), Some(line), Some(last)),
            _ => Selector::Place(head.to_string(), Some(last), None),
        }
    }

    fn names(&self, program: &Program, node: u32) -> bool {
        let node = &program.nodes[node as usize];
        match self {
            Selector::Function(name) => program.functions[node.function as usize].name == *name,
            Selector::Place(file, line, column) => {
                let path = &program.files[node.place.file as usize];
                (path == file || path.strip_suffix(file.as_str()).is_some_and(|before| before.ends_with('/')))
                    && line.is_none_or(|line| line == node.place.line)
                    && column.is_none_or(|column| column == node.place.column)
            }
        }
    }
}

/// The nodes that selectors name, ascending; the text of one that names none otherwise.
pub fn select_nodes(program: &Program, selectors: &[String]) -> Result<Vec<u32>, String> {
    let mut nodes = Vec::new();
    for text in selectors {
        let selector = Selector::parse(text);
        let before = nodes.len();
        nodes.extend((0..program.nodes.len() as u32).filter(|node| selector.names(program, *node)));
        if nodes.len() == before {
            return Err(text.clone());
        }
    }
    nodes.sort_unstable();
    nodes.dedup();
    Ok(nodes)
}
