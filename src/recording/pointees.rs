//! What the program calls objects of the heap, and memory of no known object: after the first pointer with a type that it keeps their address in.
//! Several may be called alike, as the nodes of a list are.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::body::{Code, Variable};
use super::objects::{Kind, REGION, is_address};
use super::runs::Runs;
use super::types::{Part, Pointee};
use crate::comparison::{Place, Value};

/// Names of objects of the heap, of memory of no known object, and of what is in them.
#[derive(Debug, Default)]
pub struct Pointees {
    named: HashMap<u32, Named>,
    /// Memory that no recorded code allocated, by the addresses that recorded code keeps of it.
    unknown: BTreeMap<u64, Named>,
}

#[derive(Clone, Debug)]
struct Named {
    /// The expression that is, or was, the object's address.
    pointer: String,
    /// What it points to.
    of: Pointee,
}

/// Objects within objects whose names are looked for, at most: `a->b->c->d`.
const DEEPEST: usize = 4;
/// Elements behind an address of no known object, at most, that are called after it: how long what it points to is nobody told.
const MOST_ELEMENTS: u64 = 256;

/// Places that keep an address of no known object, at most: numbers that only look like addresses are as many as a program computes.
const MOST_KEPT: usize = 1 << 18;

/// Where a pointer leads to.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Target {
    /// An object of the heap.
    Object(u32),
    /// An address in no known object.
    Unknown(u64),
}

impl Pointees {
    /// Those of runs, whose variables `variable` finds by function and offset.
    pub fn of<'a>(code: &Code, runs: &Runs, variable: impl Fn(u32, u32) -> Option<&'a Variable>) -> Self {
        let kind = |object: u32| runs.naming.kinds.get(object as usize);
        let is_heap = |object: u32| matches!(kind(object), Some(Kind::Heap { .. }));
        let is_lost = runs.naming.kinds.iter().any(|kind| matches!(kind, Kind::Region(_)));
        let target = |value: Value| match value {
            Value::Address(Place { object, offset: 0 }) if is_heap(object) => Some(Target::Object(object)),
            Value::Number(bits) if is_lost && bits >= REGION && is_address(bits) => Some(Target::Unknown(bits)),
            _ => None,
        };
        // Where addresses were kept, each pair once, in the order of the runs. What fits into half a word is a number more often than an address.
        let mut kept: Vec<(Place, Target)> = Vec::new();
        let mut seen = HashSet::new();
        for run in runs.runs.iter().rev() {
            for write in 0..run.writes() {
                let location = run.location(write);
                if let Some(target) = target(run.value(write))
                    && (kept.len() < MOST_KEPT || matches!(target, Target::Object(_)))
                    && seen.insert((location, target))
                {
                    kept.push((runs.naming.names.place(location), target));
                }
            }
        }
        let mut pointees = Pointees::default();
        for _ in 0..DEEPEST {
            let known = pointees.len();
            for (at, target) in &kept {
                let part = match kind(at.object) {
                    Some(Kind::Frame { function, .. }) => variable(*function, at.offset).and_then(|variable| {
                        let part = code.types.part(&variable.type_name, u64::from(at.offset - variable.offset))?;
                        Some((variable.name.clone(), part))
                    }),
                    Some(Kind::Symbol(symbol)) => {
                        let name = &code.symbols[*symbol as usize].name;
                        code.types.global(name, u64::from(at.offset)).map(|part| (name.clone(), part))
                    }
                    Some(Kind::Heap { .. }) if Target::Object(at.object) != *target => {
                        pointees.part(code, at.object, at.offset)
                    }
                    Some(Kind::Region(base)) => pointees.part_unknown(code, base + u64::from(at.offset)),
                    _ => None,
                };
                let Some((name, Part { path, pointee: Some(of), .. })) = part else { continue };
                let pointer = format!("{name}{path}");
                // `void` has no parts.
                if code.types.pointed(of, 0).is_none() {
                    continue;
                }
                pointees.name(*target, Named { pointer, of }, code);
            }
            if pointees.len() == known {
                break;
            }
        }
        pointees
    }

    fn len(&self) -> usize {
        self.named.len() + self.unknown.len()
    }

    /// Keeps a name, unless a better one is known: a structure says more than its bytes, and more than the structure that it begins with.
    fn name(&mut self, target: Target, named: Named, code: &Code) {
        let old = match target {
            Target::Object(object) => self.named.get(&object),
            Target::Unknown(address) => self.unknown.get(&address),
        };
        let is_better = |old: &Named| {
            code.types.is_record(named.of)
                && (!code.types.is_record(old.of) || code.types.begins_with(named.of, old.of))
        };
        if old.is_some_and(|old| !is_better(old)) {
            return;
        }
        match target {
            Target::Object(object) => self.named.insert(object, named),
            Target::Unknown(address) => self.unknown.insert(address, named),
        };
    }

    /// The part at an offset of an object: the expression for it up to the part's own path, and the part.
    fn part(&self, code: &Code, object: u32, offset: u32) -> Option<(String, Part)> {
        self.named.get(&object)?.part(code, u64::from(offset))
    }

    /// The same of memory of no known object: within the structure, or near the element, that a kept address points to.
    fn part_unknown(&self, code: &Code, address: u64) -> Option<(String, Part)> {
        let (start, named) = self.unknown.range(..=address).next_back()?;
        let (number, _) = code.types.pointed(named.of, address - start)?;
        let most = if code.types.is_record(named.of) { 1 } else { MOST_ELEMENTS };
        named.part(code, address - start).filter(|_| number < most)
    }

    /// What the program calls the byte at an offset of an object, and the constants that it may have.
    pub fn called(&self, code: &Code, object: u32, offset: u32) -> Option<Part> {
        self.part(code, object, offset).map(joined)
    }

    /// What the program calls the byte at an address of no known object.
    pub fn called_at(&self, code: &Code, address: u64) -> Option<Part> {
        self.part_unknown(code, address).map(joined)
    }
}

/// A part whose path begins with the expression before it.
fn joined((before, part): (String, Part)) -> Part {
    Part { path: format!("{before}{}", part.path), ..part }
}

impl Named {
    fn part(&self, code: &Code, offset: u64) -> Option<(String, Part)> {
        let Named { pointer, of } = self;
        let (number, part) = code.types.pointed(*of, offset)?;
        let is_member = part.path.starts_with('.');
        Some(match number {
            0 if is_member => (format!("{pointer}->"), Part { path: part.path[1..].to_owned(), ..part }),
            _ => (format!("{pointer}[{number}]"), part),
        })
    }
}
