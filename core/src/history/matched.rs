//! Which code of a program is which code of a later version of it.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::LineMap;
use super::version::{FunctionKnown, NodeKnown, Version};

/// A source file and a line in it.
pub type Spot = (String, u32);

/// How a line of the newer version differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
#[schemars(rename = "PlaceChange")]
pub enum Change {
    /// It is new, or reads otherwise.
    Line,
    /// Lines next to it are gone.
    BesideRemoved,
    /// It is as it was, in a function that changed.
    Function,
}

/// The code of two versions of a program, matched.
pub struct Matched<'a> {
    old: &'a Version,
    new: &'a Version,
    maps: BTreeMap<&'a str, LineMap>,
    /// For lines of the new version that no difference of texts matches, those that they are all the same.
    moved: HashMap<Spot, Spot>,
    /// The same, the other way round.
    moved_to: HashMap<Spot, Spot>,
    /// Functions of the new version whose code is that of an old function of the same name.
    same: BTreeSet<usize>,
}

impl<'a> Matched<'a> {
    /// Matches two versions.
    pub fn new(old: &'a Version, new: &'a Version) -> Matched<'a> {
        let common = new.texts.iter().filter_map(|(file, text)| Some((file, old.texts.get(file)?, text)));
        let maps: BTreeMap<&str, LineMap> =
            common.map(|(file, before, now)| (file.as_str(), LineMap::new(before, now))).collect();
        let mut matched =
            Matched { old, new, maps, moved: HashMap::new(), moved_to: HashMap::new(), same: BTreeSet::new() };
        matched.match_moved();
        let codes: BTreeSet<(&str, u64)> =
            old.functions.iter().filter_map(|function| Some((function.name.as_str(), function.code?))).collect();
        let is_same = |function: &FunctionKnown| match function.code.filter(|_| !codes.is_empty()) {
            Some(code) => codes.contains(&(function.name.as_str(), code)),
            None => matched.reads_alike(function),
        };
        let same = new.functions.iter().enumerate().filter(|(_, function)| is_same(function));
        matched.same = same.map(|(number, _)| number).collect();
        matched
    }

    /// Lines that are elsewhere: by function, text and occurrence, and then by the nodes that are on them.
    fn match_moved(&mut self) {
        let gone: HashMap<Occurrence, Spot> =
            occurrences(self.old).into_iter().filter(|(_, (file, line))| self.to_new(file, *line).is_none()).collect();
        let mut pairs: Vec<(Spot, Spot)> = Vec::new();
        for (key, place) in occurrences(self.new) {
            if self.to_old(&place.0, place.1).is_none()
                && let Some(before) = gone.get(&key)
            {
                pairs.push((place, before.clone()));
            }
        }
        for (place, before) in by_nodes(self.old, self.new, &self.maps) {
            if self.to_old(&place.0, place.1).is_none() && self.to_new(&before.0, before.1).is_none() {
                pairs.push((place, before));
            }
        }
        for (place, before) in pairs {
            if !self.moved.contains_key(&place) && !self.moved_to.contains_key(&before) {
                self.moved_to.insert(before.clone(), place.clone());
                self.moved.insert(place, before);
            }
        }
    }

    fn to_old(&self, file: &str, line: u32) -> Option<u32> {
        self.maps.get(file)?.to_old(line)
    }

    fn to_new(&self, file: &str, line: u32) -> Option<u32> {
        self.maps.get(file)?.to_new(line)
    }

    /// The line of the old version that a line of the new one is.
    pub fn before(&self, file: &str, line: u32) -> Option<Spot> {
        let by_text = self.to_old(file, line).map(|line| (file.to_string(), line));
        by_text.or_else(|| self.moved.get(&(file.to_string(), line)).cloned())
    }

    /// The line of the new version that a line of the old one is.
    pub fn after(&self, file: &str, line: u32) -> Option<Spot> {
        let by_text = self.to_new(file, line).map(|line| (file.to_string(), line));
        by_text.or_else(|| self.moved_to.get(&(file.to_string(), line)).cloned())
    }

    /// How a line of the new version differs; `None` where its code is the same.
    pub fn change(&self, file: &str, line: u32) -> Option<Change> {
        let mut functions = self.new.functions_at(file, line).peekable();
        if functions.peek().is_some() && functions.all(|(number, _)| self.same.contains(&number)) {
            return None;
        }
        let Some(before) = self.before(file, line) else { return Some(Change::Line) };
        if self.old.line(&before.0, before.1) != self.new.line(file, line) {
            return Some(Change::Line);
        }
        let is_beside = self.maps.get(file).is_some_and(|map| map.is_beside_removed(line));
        Some(if is_beside { Change::BesideRemoved } else { Change::Function })
    }

    /// Names of functions whose code changed or that are new, and of those that are gone; each sorted.
    pub fn functions(&self) -> (Vec<String>, Vec<String>) {
        let names = |version: &'a Version| version.functions.iter().map(|function| function.name.as_str());
        let changed = names(self.new).enumerate().filter(|(number, _)| !self.same.contains(number));
        let changed: BTreeSet<&str> = changed.map(|(_, name)| name).collect();
        let now: BTreeSet<&str> = names(self.new).collect();
        let gone: BTreeSet<&str> = names(self.old).filter(|name| !now.contains(name)).collect();
        let owned = |names: BTreeSet<&str>| names.into_iter().map(str::to_string).collect();
        (owned(changed), owned(gone))
    }

    /// Whether each line of a function stood in a function of its name, and none is missing between them.
    fn reads_alike(&self, function: &FunctionKnown) -> bool {
        let (first, last) = function.lines;
        let olds: Option<Vec<u32>> = (first..=last).map(|line| self.to_old(&function.file, line)).collect();
        let Some(olds) = olds else { return false };
        let is_whole = olds.windows(2).all(|pair| pair[1] == pair[0] + 1);
        is_whole
            && olds.first().is_some_and(|line| {
                self.old.functions_at(&function.file, *line).any(|(_, before)| before.name == function.name)
            })
    }
}

/// A line's function, text without the space around it, and how many lines of the function before it read alike.
type Occurrence = (String, String, u32);

fn occurrences(version: &Version) -> BTreeMap<Occurrence, Spot> {
    let mut found = BTreeMap::new();
    let mut seen: HashMap<(&str, String), u32> = HashMap::new();
    for function in &version.functions {
        let Some(text) = version.texts.get(&function.file) else { continue };
        let (first, last) = function.lines;
        let lines = text.lines().zip(1u32..).skip(first.saturating_sub(1) as usize);
        for (text, line) in lines.take_while(|(_, line)| *line <= last) {
            // Lines such as a lone brace are everywhere.
            let text = text.trim();
            if text.chars().any(char::is_alphanumeric) {
                let ordinal = seen.entry((&function.name, text.to_string())).or_default();
                let key = (function.name.clone(), text.to_string(), *ordinal);
                found.insert(key, (function.file.clone(), line));
                *ordinal += 1;
            }
        }
    }
    found
}

/// For each node of the new version, the node of the old one that it is: one that has function, kind, variable and expression in common
/// with it; of several, the one on the same line, and then the first that is left, in order.
pub fn match_nodes(old: &Version, new: &Version, maps: &BTreeMap<&str, LineMap>) -> Vec<Option<usize>> {
    fn groups(version: &Version) -> BTreeMap<&(String, u8, String, String), Vec<usize>> {
        let mut groups: BTreeMap<_, Vec<usize>> = BTreeMap::new();
        for (number, node) in version.nodes.iter().enumerate() {
            groups.entry(&node.key).or_default().push(number);
        }
        groups
    }
    let mut matched = vec![None; new.nodes.len()];
    let mut olds = groups(old);
    for (key, nodes) in groups(new) {
        let Some(left) = olds.get_mut(key) else { continue };
        for number in &nodes {
            let NodeKnown { file, line, .. } = &new.nodes[*number];
            let before = maps.get(file.as_str()).and_then(|map| map.to_old(*line));
            let is_there = |known: &NodeKnown| known.file == *file && Some(known.line) == before;
            let same = left.iter().position(|number| is_there(&old.nodes[*number]));
            matched[*number] = same.map(|at| left.remove(at));
        }
        let mut rest = left.drain(..);
        for number in nodes {
            if matched[number].is_none() {
                matched[number] = rest.next();
            }
        }
    }
    matched
}

/// For lines that hold nodes, the old line that most of them were on.
fn by_nodes(old: &Version, new: &Version, maps: &BTreeMap<&str, LineMap>) -> BTreeMap<Spot, Spot> {
    let spot = |node: &NodeKnown| (node.file.clone(), node.line);
    let mut votes: BTreeMap<Spot, BTreeMap<Spot, u32>> = BTreeMap::new();
    for (node, before) in new.nodes.iter().zip(match_nodes(old, new, maps)) {
        if let Some(before) = before {
            *votes.entry(spot(node)).or_default().entry(spot(&old.nodes[before])).or_default() += 1;
        }
    }
    let most = |votes: BTreeMap<Spot, u32>| votes.into_iter().max_by_key(|(_, n)| *n).map(|(place, _)| place);
    votes.into_iter().filter_map(|(line, votes)| Some((line, most(votes)?))).collect()
}
