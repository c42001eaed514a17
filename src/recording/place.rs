//! Where things of recorded runs are in a process that runs again: addresses of locations, values as bytes, points as positions.

use std::collections::BTreeMap;

use suspect_format::plan::{Point, TEXTS_ADDRESS};

use super::body::{Code, Site};
use super::objects::Kind;
use super::runs::Runs;
use crate::comparison::{Place, Run, Side, Stop, Value};

/// The memory of one run's process at one of its points.
pub struct Addresses<'a> {
    runs: &'a Runs,
    side: Side,
    /// Objects of the frames that are open, with their addresses.
    frames: Vec<(u32, u64)>,
    /// Objects by address: number and size.
    objects: BTreeMap<u64, (u32, u64)>,
}

impl<'a> Addresses<'a> {
    /// The memory of run `side` at `point`.
    pub fn at(runs: &'a Runs, side: Side, point: u32) -> Self {
        let details = &runs.details[side.index()];
        let mut frames = Vec::new();
        let mut number = details.frame_of(point).unwrap_or(0);
        while let Some(frame) = details.frames.get(number as usize) {
            frames.push((frame.object, frame.address));
            if frame.caller == number {
                break;
            }
            number = frame.caller;
        }
        let mut objects = BTreeMap::new();
        let module = |object: &u32| matches!(runs.naming.kinds[*object as usize], Kind::Symbol(_));
        let others = runs.details.iter().flat_map(|details| &details.held).filter(|(object, _)| module(object));
        for (object, held) in others.chain(&details.held) {
            if !matches!(runs.naming.kinds[*object as usize], Kind::Arguments { .. } | Kind::Region(_)) {
                objects.insert(held.address, (*object, held.size));
            }
        }
        let lent = lent(runs, side).map(|(object, address, text)| (address, (object, text.len() as u64)));
        objects.extend(lent);
        for (object, address) in &frames {
            objects.insert(*address, (*object, runs.naming.sizes[*object as usize]));
        }
        Self { runs, side, frames, objects }
    }

    /// The address of a place.
    ///
    /// # Errors
    /// If the object does not exist in this run, or is no memory.
    pub fn of(&self, place: Place) -> Result<u64, Stop> {
        let base = match self.runs.naming.kinds.get(place.object as usize) {
            Some(Kind::Frame { .. }) => {
                self.frames.iter().find(|(object, _)| *object == place.object).map(|(_, address)| *address)
            }
            Some(Kind::Arguments { .. }) | None => None,
            // What a module has is there, whether this run came to use it or not.
            Some(kind @ (Kind::Symbol(_) | Kind::Library(_))) => {
                self.held(self.side, place).or_else(|| self.runs.modules.get(self.side.index())?.address(*kind))
            }
            // What is behind its end belongs to the next one.
            Some(Kind::Argument(_)) if self.is_behind(place) => return Err(Stop::Unknown),
            Some(Kind::Argument(_)) => self.held(self.side, place).or_else(|| self.lent(place)),
            Some(_) => self.held(self.side, place),
        };
        base.map(|base| base + u64::from(place.offset)).ok_or(Stop::MissingObject)
    }

    fn held(&self, side: Side, place: Place) -> Option<u64> {
        Some(self.runs.details.get(side.index())?.held.get(&place.object)?.address)
    }

    fn is_behind(&self, place: Place) -> bool {
        let held = self.runs.details.get(self.side.index()).and_then(|details| details.held.get(&place.object));
        held.is_some_and(|held| u64::from(place.offset) >= held.size)
    }

    fn lent(&self, place: Place) -> Option<u64> {
        let (_, address, _) = lent(self.runs, self.side).find(|(object, ..)| *object == place.object)?;
        Some(address)
    }

    /// A value as this run's process has it.
    ///
    /// # Errors
    /// If it is not known, or an address of an object that does not exist in this run.
    pub fn bits(&self, value: Value) -> Result<u64, Stop> {
        match value {
            Value::Number(bits) => Ok(bits),
            Value::Address(place) => self.of(place),
            Value::Undefined => Err(Stop::Unknown),
        }
    }

    /// What `bits` of this run's process are in a cell that holds addresses (`pointer`) or numbers.
    pub fn value(&self, bits: u64, pointer: bool) -> Value {
        let named = |address: u64| {
            let (start, (object, size)) = self.objects.range(..=address).next_back()?;
            let offset = address - start;
            (offset < *size).then_some((*object, offset))
        };
        let found = if pointer {
            named(bits).or_else(|| named(bits.wrapping_sub(1)).map(|(object, offset)| (object, offset + 1)))
        } else {
            None
        };
        match found {
            Some((object, offset)) => Value::Address(Place { object, offset: offset as u32 }),
            None => Value::Number(bits),
        }
    }

    /// How many bytes the cell at a place has, and whether it holds addresses.
    pub fn cell(&self, place: Place) -> (u32, bool) {
        let cell = self.runs.layout(place.object).and_then(|layout| layout.cells(place.offset, 8).next());
        cell.map_or((8, false), |cell| (cell.length, cell.can_point()))
    }
}

/// Arguments of the program that run `side` lacks and the other one has: number of the object, address in processes of that side, and text.
fn lent(runs: &Runs, side: Side) -> impl Iterator<Item = (u32, u64, &[u8])> {
    let here = runs.details.get(side.index()).map(|details| &details.held);
    let there = runs.details.get(side.other().index()).map(|details| &details.arguments);
    let lacks = move |object: &u32| here.is_none_or(|here| !here.contains_key(object));
    let all = there.into_iter().flatten().filter(move |(object, _)| lacks(object));
    all.scan(TEXTS_ADDRESS as u64, |next, (object, text)| {
        let address = *next;
        *next += text.len() as u64;
        Some((*object, address, text.as_slice()))
    })
}

/// The texts that processes of run `side` lack, as [`Addresses`] expects them at [`TEXTS_ADDRESS`].
pub fn lent_texts(runs: &Runs, side: Side) -> Vec<u8> {
    lent(runs, side).flat_map(|(_, _, text)| text).copied().collect()
}

/// Corresponding points as a position: decisions made, and steps begun since the last of them.
pub fn position(code: &Code, runs: &Runs, points: [u32; 2]) -> Point {
    let of = |side: Side| own_position(code, &runs.runs[side.index()], points[side.index()]);
    let [first, second] = Side::BOTH.map(of);
    Point { decisions: [first.0, second.0], steps: [first.1, second.1] }
}

/// A point of one run: decisions made, and steps begun since the last of them.
pub fn own_position(code: &Code, run: &Run, point: u32) -> (u64, u64) {
    let skipped = run.skipped();
    let (mut decisions, mut steps) = (skipped.decisions, skipped.steps);
    for point in skipped.points + 1..point {
        let site = run.site(point);
        if code.decides(site) {
            (decisions, steps) = (decisions + 1, 0);
        } else if matches!(code.what(site), Site::Step(_)) {
            steps += 1;
        }
    }
    (decisions, steps)
}
