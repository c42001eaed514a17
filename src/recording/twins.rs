//! Two builds of one program whose sources differ in an edit: which functions, steps and symbols of the one are those of the other.
//!
//! Units without a difference are the same in both. In others functions correspond by file and name, and their steps by order: those that do the same,
//! and between these as many of a kind as stand in both builds. Other steps are of the edit.

use std::collections::HashMap;
use std::ops::Range;

use suspect_format::body::{Action, Callee, Symbol, Token};

use super::body::{Code, Function, Site};
use crate::comparison::NONE;
use crate::program::Program;

/// Steps of two functions that are compared pair by pair, at most: of longer functions only beginnings and ends correspond.
const MOST_PAIRS: usize = 1 << 24;

/// What corresponds in the second of two builds to what is in the first. All is its own counterpart where there is one build.
#[derive(Debug, Default)]
pub struct Twins {
    /// By step of the first build.
    steps: HashMap<u32, u32>,
    /// By step of the second build.
    natives: HashMap<u32, u32>,
    /// By function of the first build; with whether their frames are alike.
    functions: HashMap<u32, (u32, bool)>,
    /// By symbol of the first build.
    symbols: HashMap<u32, u32>,
}

impl Twins {
    /// Those of the functions of `code`, in which the code of the first build comes before that of the second. Files are below the build's root.
    pub fn of(program: &Program, code: &Code, roots: [&str; 2]) -> Twins {
        let mut known: HashMap<(&str, &str), Vec<u32>> = HashMap::new();
        for (number, function) in (0..).zip(&code.functions) {
            let own = &program.functions[function.program as usize];
            let file = program.files[program.units[own.unit as usize].file as usize].as_str();
            let below = |root: &&str| file.strip_prefix(*root).map(|rest| rest.trim_start_matches('/'));
            let file = roots.iter().find_map(below).unwrap_or(file);
            known.entry((file, &own.name)).or_default().push(number);
        }
        let mut twins = Twins::default();
        let mut pairs: Vec<[u32; 2]> = known.into_values().filter_map(|both| both.try_into().ok()).collect();
        pairs.sort_unstable();
        for [first, second] in pairs {
            twins.add(program, code, [first, second]);
        }
        twins
    }

    fn add(&mut self, program: &Program, code: &Code, pair: [u32; 2]) {
        let functions = pair.map(|number| &code.functions[number as usize]);
        let [first, second] = functions;
        let frames = functions.map(|function| (function.frame_size, &function.variables));
        self.functions.insert(pair[0], (pair[1], frames[0] == frames[1]));
        for symbol in &first.symbols {
            let own = &code.symbols[*symbol as usize];
            let is_same = |other: &&u32| {
                let other = &code.symbols[**other as usize];
                (&other.name, other.size) == (&own.name, own.size)
            };
            if own.flags & Symbol::LOCAL != 0
                && let Some(other) = second.symbols.iter().find(is_same)
            {
                self.symbols.insert(*symbol, *other);
            }
        }
        let doing = functions.map(|function| (function.steps.clone()).map(|step| doing(program, code, function, step)));
        let doing = doing.map(|all| all.collect::<Vec<String>>());
        let kind = |side: usize, at: usize| {
            std::mem::discriminant(&code.steps[(functions[side].steps.start as usize) + at].action)
        };
        for [one, other] in correspondence([&doing[0], &doing[1]], kind) {
            let (one, other) = (first.steps.start + one as u32, second.steps.start + other as u32);
            self.steps.insert(one, other);
            self.natives.insert(other, one);
        }
    }

    /// The step of the second build that a step is.
    pub fn step(&self, step: u32) -> u32 {
        self.steps.get(&step).copied().unwrap_or(step)
    }

    /// The step of the first build that a step is.
    pub fn native(&self, step: u32) -> u32 {
        self.natives.get(&step).copied().unwrap_or(step)
    }

    /// The function of the second build that a function is.
    pub fn function(&self, function: u32) -> u32 {
        self.functions.get(&function).map_or(function, |(twin, _)| *twin)
    }

    /// The function of the second build in whose frame everything lies as in that of a function, or itself.
    pub fn frame(&self, function: u32) -> u32 {
        self.functions.get(&function).filter(|(_, alike)| *alike).map_or(function, |(twin, _)| *twin)
    }

    /// The symbol of the second build that a symbol is.
    pub fn symbol(&self, symbol: u32) -> u32 {
        self.symbols.get(&symbol).copied().unwrap_or(symbol)
    }

    /// For each step its place in the order of the second build, and [`NONE`] for those of the edit; nothing where there is one build.
    pub fn order(&self, code: &Code) -> Option<Vec<u32>> {
        if self.functions.is_empty() {
            return None;
        }
        let mut order: Vec<u32> = (0..code.steps.len() as u32).collect();
        for (first, (second, _)) in &self.functions {
            let steps = |function: &u32| code.functions[*function as usize].steps.clone();
            steps(first).for_each(|step| order[step as usize] = NONE);
            for step in steps(second).filter(|step| !self.natives.contains_key(step)) {
                order[step as usize] = NONE;
            }
        }
        Some(order)
    }
}

impl Code {
    /// The number of a site by which it is known in both of two builds.
    pub fn common_site(&self, site: Site) -> u32 {
        self.site(match site {
            Site::Start => Site::Start,
            Site::Step(step) => Site::Step(self.twins.step(step)),
            Site::Returned(step) => Site::Returned(self.twins.step(step)),
            Site::Called(function) => Site::Called(self.twins.function(function)),
        })
    }

    /// The order of sites by that of steps: a call before its return.
    pub(super) fn site_order(&self, order: &[u32]) -> Vec<u32> {
        let of = |site: u32| match self.what(site) {
            Site::Start | Site::Called(_) => 0,
            Site::Step(step) | Site::Returned(step) if order[step as usize] == NONE => NONE,
            Site::Step(step) => 2 * order[step as usize],
            Site::Returned(step) => 2 * order[step as usize] + 1,
        };
        (0..1 + 2 * self.steps.len() as u32).map(of).collect()
    }
}

/// What a step does, in words that are the same in any build: without the numbers of what it names.
fn doing(program: &Program, code: &Code, function: &Function, step: u32) -> String {
    let own = &code.steps[step as usize];
    let name = |function: u32| &program.functions[code.functions[function as usize].program as usize].name;
    let symbol = |number: u32| &code.symbols[number as usize].name;
    let variable = |offset: i64| {
        let starts = |one: &&super::body::Variable| i64::from(one.offset) == offset;
        function.variables.iter().find(starts).map_or_else(|| offset.to_string(), |one| one.name.clone())
    };
    let mut text = match own.action {
        Action::Store(of) => format!("store {of:?}"),
        Action::Call { callee, n_arguments, result, stops } => {
            let callee = match callee {
                Callee::Version(function) => name(function),
                Callee::Symbol(number) | Callee::Setjmp(number) => symbol(number),
                Callee::Indirect => "*",
                Callee::Assembly => "asm",
            };
            let result = result.map(|(datum, offset)| (datum, variable(offset as i64)));
            format!("call {callee} {n_arguments} {result:?} {stops}")
        }
        Action::Branch { .. } => "branch".to_owned(),
        Action::Switch { of, .. } => {
            let values: Vec<u64> = code.cases_of(own).iter().map(|case| case.value).collect();
            format!("switch {of:?} {values:?}")
        }
        Action::Jump(_) => "jump".to_owned(),
        Action::Dynamic { offset, .. } => format!("dynamic {}", variable(offset as i64)),
        other => format!("{other:?}"),
    };
    let end = code.steps.get(step as usize + 1).map_or(code.nodes.len(), |next| next.tokens as usize);
    for node in &code.nodes[own.tokens as usize..end] {
        text += &match node.token {
            Token::Symbol(number, distance) => format!(" {}+{distance}", symbol(number)),
            Token::Frame(offset) => format!(" &{}", variable(offset)),
            Token::Load(of, _) => format!(" load {of:?}"),
            Token::Opaque { of, n_operands, .. } => format!(" opaque {of:?} {n_operands}"),
            Token::Address { offset, n_terms } => {
                let factors = &code.factors[node.factors as usize..][..n_terms as usize];
                format!(" +{offset}{factors:?}")
            }
            other => format!(" {other:?}"),
        };
    }
    text
}

/// Pairs of places in two lists, in order: a longest common subsequence, and in each gap what is of the same `kind` where all of it is.
fn correspondence<K: PartialEq>(lists: [&[String]; 2], kind: impl Fn(usize, usize) -> K) -> Vec<[usize; 2]> {
    let [one, other] = lists;
    let common = one.iter().zip(other).take_while(|(one, other)| one == other).count();
    let (rest, others) = (&one[common..], &other[common..]);
    let tail = rest.iter().rev().zip(others.iter().rev()).take_while(|(one, other)| one == other).count();
    let middles = [&rest[..rest.len() - tail], &others[..others.len() - tail]];
    let mut pairs: Vec<[usize; 2]> = (0..common).map(|at| [at, at]).collect();
    pairs.extend(longest_common(middles).into_iter().map(|pair| pair.map(|at| at + common)));
    pairs.extend((1..=tail).rev().map(|back| [one.len() - back, other.len() - back]));
    let ends = pairs.iter().copied().chain([[one.len(), other.len()]]).collect::<Vec<_>>();
    let mut start = [0, 0];
    for end in ends {
        let gap: [Range<usize>; 2] = [start[0]..end[0], start[1]..end[1]];
        let is_alike = |(one, other): (usize, usize)| kind(0, one) == kind(1, other);
        if gap[0].len() == gap[1].len() && gap[0].clone().zip(gap[1].clone()).all(is_alike) {
            pairs.extend(gap[0].clone().zip(gap[1].clone()).map(|(one, other)| [one, other]));
        }
        start = end.map(|at| at + 1);
    }
    pairs.sort_unstable();
    pairs
}

fn longest_common(lists: [&[String]; 2]) -> Vec<[usize; 2]> {
    let [one, other] = lists;
    if one.len() * other.len() > MOST_PAIRS {
        return Vec::new();
    }
    let width = other.len() + 1;
    let mut lengths = vec![0u32; (one.len() + 1) * width];
    for i in (0..one.len()).rev() {
        for j in (0..other.len()).rev() {
            lengths[i * width + j] = match one[i] == other[j] {
                true => lengths[(i + 1) * width + j + 1] + 1,
                false => lengths[(i + 1) * width + j].max(lengths[i * width + j + 1]),
            };
        }
    }
    let (mut i, mut j, mut pairs) = (0, 0, Vec::new());
    while i < one.len() && j < other.len() {
        if one[i] == other[j] {
            pairs.push([i, j]);
            (i, j) = (i + 1, j + 1);
        } else if lengths[(i + 1) * width + j] >= lengths[i * width + j + 1] {
            i += 1;
        } else {
            j += 1;
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What corresponds of two texts, whose letters are steps; capital letters are of one kind, others of another.
    fn pairs(one: &str, other: &str) -> Vec<[usize; 2]> {
        let lists = [one, other].map(|text| text.chars().map(String::from).collect::<Vec<_>>());
        correspondence([&lists[0], &lists[1]], |side, at| lists[side][at].chars().all(char::is_uppercase))
    }

    #[test]
    fn what_is_the_same_corresponds_in_order() {
        assert_eq!(pairs("abc", "abc"), [[0, 0], [1, 1], [2, 2]]);
        assert_eq!(pairs("abxc", "abc"), [[0, 0], [1, 1], [3, 2]]);
        assert_eq!(pairs("abc", "axybc"), [[0, 0], [1, 3], [2, 4]]);
        assert_eq!(pairs("", "ab"), [[0; 2]; 0]);
    }

    #[test]
    fn what_takes_the_place_of_something_of_its_kind_corresponds() {
        assert_eq!(pairs("abc", "axc"), [[0, 0], [1, 1], [2, 2]]);
        assert_eq!(pairs("abc", "aXc"), [[0, 0], [2, 2]]);
        assert_eq!(pairs("abcd", "axd"), [[0, 0], [3, 2]]);
    }
}
