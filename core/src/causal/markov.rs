//! Markovian parents by Algorithm 1 of Lee et al., with exact comparison of probabilities.
//!
//! The algorithm takes the farthest candidate d that is left and keeps it iff P(S_j | S_d = 0, s) differs from P(S_j | S_d = 1, s) for
//! some values s of all other candidates that occur with both; else d is no candidate any more, and it starts again. Two facts make it
//! fast. A candidate once kept is kept for good: what is dropped changes no probability wherever it was compared, so the
//! values s under which d was seen to matter still show it. And candidates next to each other in the order are dropped one after the
//! other iff merging all patterns that agree on the rest joins equal probabilities only. So the next candidate kept is the farthest
//! column at which two neighbours differ first, in the lexicographic order of patterns from the nearest candidate to the
//! farthest, whose probabilities differ. Keeping it is a stable partition of the order by its bit. A group of patterns that all
//! have one value of S_j needs no order within.

use std::collections::HashMap;

use num_rational::BigRational;
use num_traits::Zero;

use super::intern::Interner;
use super::table::{ColumnSet, Scratch, Table, Weighed};

/// Neighbours that are not told apart: same probability whatever is kept.
const SAME: i32 = i32::MAX;
/// Neighbours that differ in what is kept.
const APART: i32 = -1;

/// A pattern, or all patterns that agree on the candidates, in the lexicographic order.
#[derive(Clone, Copy, Debug)]
struct Element {
    pattern: u32,
    /// Weight of the observations in which the effect changes. Only the ratio to `zero` matters.
    one: u64,
    /// Weight of those in which it does not.
    zero: u64,
    /// The first column that tells it from the element before, or [`SAME`] or [`APART`].
    split: i32,
}

impl Element {
    fn differs(&self, other: &Element) -> bool {
        u128::from(self.one) * u128::from(other.zero) != u128::from(other.one) * u128::from(self.zero)
    }
}

/// Which observations count, by the mutated column.
pub(super) type Mutated<'a> = dyn Fn(u32) -> bool + Sync + 'a;

/// The Markovian parents of column `effect` among `candidates`, farthest first. Observations count if the test covers the effect and
/// nothing was mutated, or a column that `mutated` accepts.
///
/// The columns `known` are parents already: they are conditioned on and not tested.
pub(super) fn markovian_parents(
    table: &Table,
    effect: u32,
    known: &[u32],
    candidates: &ColumnSet,
    mutated: &Mutated,
    scratch: &mut Scratch,
) -> Vec<u32> {
    let mut active = candidates.clone();
    known.iter().for_each(|&column| active.insert(column));
    let mut sorter = Sorter::new(table, effect, &active, mutated, scratch);
    sorter.sort();
    let Sorter { mut elements, active, .. } = sorter;
    elements = compact(table, elements, &active, table.n_columns() as u32);
    for &column in known {
        elements = partition(table, &elements, column, SAME - 1);
    }
    let mut kept = Vec::new();
    let mut compacted = table.n_columns() as u32;
    while let Some(column) = farthest_difference(&elements) {
        kept.push(column);
        elements = partition(table, &elements, column, column as i32);
        // Known parents may lie beyond the columns that are compared still.
        if column < compacted / 2 && elements.len() > FEW {
            compacted = column;
            elements = compact(table, elements, &active, column);
        }
    }
    kept
}

/// So few elements are not worth reducing.
const FEW: usize = 256;

/// Leaves out all but the first of elements that nothing can tell apart any more: neighbours of the same probability that agree on
/// the active columns below `limit`, which are all that may be kept yet.
fn compact(table: &Table, elements: Vec<Element>, active: &[(usize, u64)], limit: u32) -> Vec<Element> {
    let last = limit as usize / 64;
    let words: Vec<(&[u64], u64)> = active
        .iter()
        .filter(|(word, _)| *word <= last)
        .map(|&(word, mask)| (table.words(word), if word == last { mask & !(u64::MAX >> (limit % 64)) } else { mask }))
        .collect();
    let mut rows = Interner::new(words.len() + 1);
    let mut run = 0;
    let mut kept = Vec::new();
    for element in elements {
        run += u64::from(element.split != SAME);
        let before = rows.len();
        let row = rows.intern(|row| {
            row[0] = run;
            let bits = words.iter().map(|(words, mask)| words[element.pattern as usize] & mask);
            row[1..].iter_mut().zip(bits).for_each(|(to, from)| *to = from);
        });
        if row as usize == before {
            kept.push(element);
        }
    }
    kept
}

/// The farthest column that is the first to tell neighbours of different probability apart.
fn farthest_difference(elements: &[Element]) -> Option<u32> {
    let mut farthest = APART;
    for pair in elements.windows(2) {
        if pair[1].split != SAME && pair[1].split > farthest && pair[0].differs(&pair[1]) {
            farthest = pair[1].split;
        }
    }
    u32::try_from(farthest).ok()
}

/// Keeps `column`: its bit becomes the first to be compared. Columns beyond `limit` are dropped.
fn partition(table: &Table, elements: &[Element], column: u32, limit: i32) -> Vec<Element> {
    let mut halves = [Vec::with_capacity(elements.len()), Vec::new()];
    // The least split since the last element of each half: where its next element first differs from that one.
    let mut least = [APART, APART];
    for element in elements {
        let split = if element.split > limit { SAME } else { element.split };
        least = least.map(|least| least.min(split));
        let half = usize::from(table.has(element.pattern, column));
        halves[half].push(Element { split: least[half], ..*element });
        least[half] = SAME;
    }
    let [mut first, second] = halves;
    first.extend(second);
    first
}

/// Sorts patterns by the active columns, as far as needed to tell apart what has different probabilities.
struct Sorter<'a> {
    table: &'a Table,
    effect: u32,
    mutated: &'a Mutated<'a>,
    /// Words that hold active columns, with those.
    active: Vec<(usize, u64)>,
    elements: Vec<Element>,
    /// Scratch: an element and its active columns in one word.
    keyed: Vec<(u64, Element)>,
    /// Names of ratios that do not fit the elements' weights.
    ratios: HashMap<BigRational, u64>,
}

impl<'a> Sorter<'a> {
    fn new(table: &'a Table, effect: u32, active: &ColumnSet, mutated: &'a Mutated<'a>, scratch: &mut Scratch) -> Self {
        let element = |weighed: Weighed| {
            let Weighed { pattern, weight } = weighed;
            let (one, zero) = if table.has(pattern, effect) { (weight, 0) } else { (0, weight) };
            Element { pattern, one, zero, split: SAME }
        };
        Sorter {
            table,
            effect,
            mutated,
            active: active.0.iter().copied().enumerate().filter(|(_, mask)| *mask != 0).collect(),
            elements: table.weigh(effect, active, mutated, scratch).into_iter().map(element).collect(),
            keyed: Vec::new(),
            ratios: HashMap::new(),
        }
    }

    fn sort(&mut self) {
        let mut pending = vec![(0, self.elements.len(), 0)];
        if let Some(first) = self.elements.first_mut() {
            first.split = APART;
        }
        let mut merged = false;
        while let Some((start, end, from)) = pending.pop() {
            if self.is_pure(start, end) {
                continue;
            }
            match (from..self.active.len()).find(|&at| self.sort_by_word(start, end, at)) {
                Some(at) => self.push_runs(start, end, at, &mut pending),
                None => {
                    self.merge(start, end);
                    merged = true;
                }
            }
        }
        if merged {
            self.elements.retain(|element| element.one > 0 || element.zero > 0);
        }
    }

    /// Whether the effect changes in all these elements or in none.
    fn is_pure(&self, start: usize, end: usize) -> bool {
        let elements = &self.elements[start..end];
        elements.iter().all(|element| element.one == 0) || elements.iter().all(|element| element.zero == 0)
    }

    /// Sorts these elements by the active columns of a word and marks where they differ; false if they all agree.
    fn sort_by_word(&mut self, start: usize, end: usize, at: usize) -> bool {
        let (word, mask) = self.active[at];
        let words = self.table.words(word);
        let key = |element: &Element| words[element.pattern as usize] & mask;
        let elements = &mut self.elements[start..end];
        let first = key(&elements[0]);
        if elements.iter().all(|element| key(element) == first) {
            return false;
        }
        let before = elements[0].split;
        self.keyed.clear();
        self.keyed.extend(elements.iter().map(|element| (key(element), *element)));
        self.keyed.sort_by_key(|(key, _)| *key);
        let mut last = None;
        for (element, (key, sorted)) in elements.iter_mut().zip(&self.keyed) {
            let split = last.map_or(before, |last: u64| match last ^ key {
                0 => SAME,
                apart => (word as u32 * 64 + apart.leading_zeros()) as i32,
            });
            *element = Element { split, ..*sorted };
            last = Some(*key);
        }
        true
    }

    fn push_runs(&self, start: usize, end: usize, at: usize, pending: &mut Vec<(usize, usize, usize)>) {
        let mut first = start;
        for next in start + 1..=end {
            if next == end || self.elements[next].split != SAME {
                pending.push((first, next, at + 1));
                first = next;
            }
        }
    }

    /// Makes elements that agree on all active columns one; the others are left without weight.
    fn merge(&mut self, start: usize, end: usize) {
        let sum = |of: fn(&Element) -> u64| self.elements[start..end].iter().map(of).sum();
        let (mut one, mut zero) = (sum(|element| element.one), sum(|element| element.zero));
        if !self.table.has_units() {
            (one, zero) = (self.name_ratio(start, end), 1);
        }
        for element in &mut self.elements[start..end] {
            (element.one, element.zero) = (0, 0);
        }
        (self.elements[start].one, self.elements[start].zero) = (one, zero);
    }

    /// A number that stands for the exact ratio of the weights of these elements.
    fn name_ratio(&mut self, start: usize, end: usize) -> u64 {
        let (mut one, mut zero) = (BigRational::zero(), BigRational::zero());
        for element in &self.elements[start..end] {
            let weight = self.table.exact_weight(self.effect, element.pattern, self.mutated);
            if element.one > 0 {
                one += weight;
            } else {
                zero += weight;
            }
        }
        let next = self.ratios.len() as u64 + 1;
        *self.ratios.entry(one / zero).or_insert(next)
    }
}
