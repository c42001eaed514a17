//! Which code of a program is which code of a later build of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use super::LineMap;
use crate::program::{NodeKind, Program};

/// A program and the text of its files.
pub struct Sources<'a> {
    /// The program.
    pub program: &'a Program,
    /// Texts by file.
    pub texts: &'a BTreeMap<String, String>,
}

/// How a line of the new program differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Change {
    /// It is new, or reads otherwise.
    Line,
    /// Lines next to it are gone.
    BesideRemoved,
    /// It is as it was, in a function that changed.
    Function,
}

/// The lines of two builds of a program, matched.
pub struct Matched<'a> {
    old: &'a Sources<'a>,
    new: &'a Sources<'a>,
    maps: BTreeMap<&'a str, LineMap>,
    /// Old lines by function, text and occurrence.
    by_text: HashMap<(String, String, u32), (String, u32)>,
    /// The old line that most nodes of a new one were on.
    by_nodes: HashMap<(String, u32), (String, u32)>,
    /// Functions of the new program whose code is that of an old function of the same name.
    same: BTreeSet<u32>,
}

impl<'a> Matched<'a> {
    /// Matches two builds.
    pub fn new(old: &'a Sources<'a>, new: &'a Sources<'a>) -> Matched<'a> {
        let common = new.texts.iter().filter_map(|(file, text)| Some((file, old.texts.get(file)?, text)));
        let maps: BTreeMap<&str, LineMap> =
            common.map(|(file, before, now)| (file.as_str(), LineMap::new(before, now))).collect();
        let known: BTreeSet<(&str, u64)> = codes(old.program).collect();
        let same = (0..).zip(codes(new.program)).filter(|(_, code)| known.contains(code)).map(|(number, _)| number);
        let same = same.collect();
        let by_text = occurrences(old).into_iter().map(|(place, key)| (key, place)).collect();
        let by_nodes = by_nodes(old.program, new.program, &maps);
        Matched { old, new, maps, by_text, by_nodes, same }
    }

    /// The old place of a line of the new program, if it was there. `occurrences` are those of the new program.
    pub fn old_place(&self, file: &str, line: u32, occurrences: &Occurrences) -> Option<(String, u32)> {
        if let Some(before) = self.maps.get(file).and_then(|map| map.to_old(line)) {
            return Some((file.to_string(), before));
        }
        let place = (file.to_string(), line);
        let by_text = occurrences.get(&place).and_then(|key| self.by_text.get(key));
        by_text.or_else(|| self.by_nodes.get(&place)).cloned()
    }

    /// Whether an old line is still there.
    pub fn is_there(&self, file: &str, line: u32) -> bool {
        match self.maps.get(file) {
            Some(map) => map.to_new(line).is_some(),
            None => false,
        }
    }

    /// How a line of the new program differs from the old one; `None` where its code is the same.
    pub fn change(&self, file: &str, line: u32, occurrences: &Occurrences) -> Option<Change> {
        let functions = functions_at(self.new.program, file, line);
        if !functions.is_empty() && functions.iter().all(|function| self.same.contains(function)) {
            return None;
        }
        let map = self.maps.get(file);
        match map {
            Some(map) if map.to_old(line).is_some() && map.is_beside_removed(line) => Some(Change::BesideRemoved),
            Some(map) if map.to_old(line).is_some() => Some(Change::Function),
            _ if self.old_place(file, line, occurrences).is_some() => Some(Change::Function),
            _ => Some(Change::Line),
        }
    }

    /// Names of functions whose code changed or that are new, and of those that are gone; each sorted.
    pub fn functions(&self) -> (Vec<&'a str>, Vec<&'a str>) {
        let names = |program: &'a Program| program.functions.iter().map(|function| function.name.as_str());
        let (old, new): (BTreeSet<&str>, BTreeSet<&str>) =
            (names(self.old.program).collect(), names(self.new.program).collect());
        let changed = (0..).zip(names(self.new.program)).filter(|(number, _)| !self.same.contains(number));
        let changed: BTreeSet<&str> = changed.map(|(_, name)| name).collect();
        (changed.into_iter().collect(), old.difference(&new).copied().collect())
    }

    /// The lines of the new program by what tells them from others.
    pub fn occurrences(&self) -> Occurrences {
        occurrences(self.new)
    }
}

/// Lines by function, text without the space around it, and how many lines of the function before them read alike.
pub type Occurrences = HashMap<(String, u32), (String, String, u32)>;

fn occurrences(sources: &Sources) -> Occurrences {
    let mut seen: HashMap<(&str, &str), u32> = HashMap::new();
    let mut found = Occurrences::new();
    let lines: HashMap<&str, Vec<&str>> =
        sources.texts.iter().map(|(file, text)| (file.as_str(), text.lines().collect())).collect();
    for function in &sources.program.functions {
        let Some(file) = sources.program.files.get(function.place.file as usize) else { continue };
        let Some(lines) = lines.get(file.as_str()) else { continue };
        for line in function.place.line..=function.last_line {
            let Some(text) = lines.get((line as usize).wrapping_sub(1)).map(|text| text.trim()) else { continue };
            let ordinal = seen.entry((&function.name, text)).or_default();
            found.insert((file.clone(), line), (function.name.clone(), text.to_string(), *ordinal));
            *ordinal += 1;
        }
    }
    found
}

fn codes(program: &Program) -> impl Iterator<Item = (&str, u64)> {
    program.functions.iter().map(|function| (function.name.as_str(), function.content_hash))
}

/// The functions of a program whose text has this line.
fn functions_at(program: &Program, file: &str, line: u32) -> Vec<u32> {
    let is_here = |function: &crate::program::Function| {
        program.files.get(function.place.file as usize).is_some_and(|path| path == file)
            && (function.place.line..=function.last_line).contains(&line)
    };
    (0..).zip(&program.functions).filter(|(_, function)| is_here(function)).map(|(number, _)| number).collect()
}

/// For each node of the new program, the node of the old one that it is. Nodes are the same that have function, kind, variable and expression
/// in common; of several, those on lines that are the same, and then the first that are left, in order.
pub fn match_nodes(old: &Program, new: &Program, maps: &BTreeMap<&str, LineMap>) -> Vec<Option<u32>> {
    type Key<'k> = (&'k str, NodeKind, &'k str, &'k str);
    fn keyed(program: &Program) -> BTreeMap<Key<'_>, Vec<u32>> {
        let mut groups: BTreeMap<Key, Vec<u32>> = BTreeMap::new();
        for (number, node) in (0..).zip(&program.nodes) {
            let identity = node.identity(program);
            let key = (identity.function, identity.kind, identity.variable, identity.expression);
            groups.entry(key).or_default().push(number);
        }
        groups
    }
    let line = |program: &Program, node: u32| {
        let place = program.nodes[node as usize].place;
        (program.files.get(place.file as usize).cloned().unwrap_or_default(), place.line)
    };
    let mut matched = vec![None; new.nodes.len()];
    let mut groups = keyed(old);
    for (key, nodes) in keyed(new) {
        let Some(left) = groups.get_mut(&key) else { continue };
        for node in &nodes {
            let (file, now) = line(new, *node);
            let before = maps.get(file.as_str()).and_then(|map| map.to_old(now));
            let same = left.iter().position(|old_node| before == Some(line(old, *old_node).1));
            matched[*node as usize] = same.map(|at| left.remove(at));
        }
        let mut rest = left.drain(..);
        for node in nodes {
            if matched[node as usize].is_none() {
                matched[node as usize] = rest.next();
            }
        }
    }
    matched
}

/// For lines of the new program that hold nodes of the old one: the old line that most of them were on.
fn by_nodes(old: &Program, new: &Program, maps: &BTreeMap<&str, LineMap>) -> HashMap<(String, u32), (String, u32)> {
    let place = |program: &Program, node: usize| {
        let place = program.nodes[node].place;
        (program.files.get(place.file as usize).cloned().unwrap_or_default(), place.line)
    };
    let mut votes: BTreeMap<(String, u32), BTreeMap<(String, u32), u32>> = BTreeMap::new();
    for (node, before) in match_nodes(old, new, maps).into_iter().enumerate() {
        if let Some(before) = before {
            let vote = votes.entry(place(new, node)).or_default().entry(place(old, before as usize)).or_default();
            *vote += 1;
        }
    }
    let most = |votes: BTreeMap<(String, u32), u32>| votes.into_iter().max_by_key(|(_, n)| *n).map(|(place, _)| place);
    votes.into_iter().filter_map(|(line, votes)| Some((line, most(votes)?))).collect()
}
