//! What the program calls objects of the heap: after the first pointer with a type that it keeps their address in. Several may be called alike, as the
//! nodes of a list are.

use std::collections::{HashMap, HashSet};

use super::body::{Code, Variable};
use super::objects::Kind;
use super::runs::Runs;
use super::types::{Part, Pointee};
use crate::comparison::{Place, Value};

/// Names of objects of the heap, and of what is in them.
#[derive(Debug, Default)]
pub struct Pointees {
    named: HashMap<u32, Named>,
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

impl Pointees {
    /// Those of runs, whose variables `variable` finds by function and offset.
    pub fn of<'a>(code: &Code, runs: &Runs, variable: impl Fn(u32, u32) -> Option<&'a Variable>) -> Self {
        let kind = |object: u32| runs.naming.kinds.get(object as usize);
        let is_heap = |object: u32| matches!(kind(object), Some(Kind::Heap { .. }));
        // Where addresses of whole objects were kept, each pair once, in the order of the runs.
        let mut kept: Vec<(Place, u32)> = Vec::new();
        let mut seen = HashSet::new();
        for run in runs.runs.iter().rev() {
            for write in 0..run.writes() {
                if let Value::Address(Place { object, offset: 0 }) = run.value(write)
                    && is_heap(object)
                {
                    let location = run.location(write);
                    if seen.insert((location, object)) {
                        kept.push((runs.naming.names.place(location), object));
                    }
                }
            }
        }
        let mut pointees = Pointees::default();
        for _ in 0..DEEPEST {
            let known = pointees.named.len();
            for (at, object) in &kept {
                let part = match kind(at.object) {
                    Some(Kind::Frame { function, .. }) => variable(*function, at.offset).and_then(|variable| {
                        let part = code.types.part(&variable.type_name, u64::from(at.offset - variable.offset))?;
                        Some((variable.name.clone(), part))
                    }),
                    Some(Kind::Symbol(symbol)) => {
                        let name = &code.symbols[*symbol as usize].name;
                        code.types.global(name, u64::from(at.offset)).map(|part| (name.clone(), part))
                    }
                    Some(Kind::Heap { .. }) if at.object != *object => pointees.part(code, at.object, at.offset),
                    _ => None,
                };
                let Some((name, Part { path, pointee: Some(of), .. })) = part else { continue };
                let pointer = format!("{name}{path}");
                // `void` has no parts.
                if code.types.pointed(of, 0).is_none() {
                    continue;
                }
                let is_better = |old: &Named| code.types.is_record(of) && !code.types.is_record(old.of);
                if pointees.named.get(object).is_none_or(is_better) {
                    pointees.named.insert(*object, Named { pointer, of });
                }
            }
            if pointees.named.len() == known {
                break;
            }
        }
        pointees
    }

    /// The part at an offset of an object: the expression for it up to the part's own path, and the part.
    fn part(&self, code: &Code, object: u32, offset: u32) -> Option<(String, Part)> {
        let Named { pointer, of } = self.named.get(&object)?;
        let (number, part) = code.types.pointed(*of, u64::from(offset))?;
        let is_member = part.path.starts_with('.');
        Some(match number {
            0 if is_member => (format!("{pointer}->"), Part { path: part.path[1..].to_owned(), ..part }),
            _ => (format!("{pointer}[{number}]"), part),
        })
    }

    /// What the program calls the byte at an offset of an object, and the constants that it may have.
    pub fn called(&self, code: &Code, object: u32, offset: u32) -> Option<Part> {
        let (before, part) = self.part(code, object, offset)?;
        Some(Part { path: format!("{before}{}", part.path), ..part })
    }
}
