//! Stores of a recorded run, and which values are tried in place of theirs. Value replacement: Jeffrey, Gupta & Gupta, "Fault Localization Using Value
//! Replacement" (ISSTA 2008).

use std::collections::{BTreeMap, BTreeSet};

use suspect_format::body::{Action, Type};
use suspect_format::site::ValueClass;

use super::arithmetic::{mask, signed};
use super::body::{Code, Site};
use super::objects::Kind;
use super::runs::Runs;
use crate::comparison::Value;

/// One execution of a store of a number, all of it one cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Store {
    /// The point that it is.
    pub point: u32,
    /// The step.
    pub step: u32,
    /// What is stored.
    pub of: Type,
    /// Where.
    pub location: u32,
    /// The value, extended by zeros.
    pub bits: u64,
}

/// The stores of a run, in order. The n-th is *store number* n; parameters that calls pass come behind all others.
#[derive(Debug)]
pub struct Stores {
    all: Vec<Store>,
    passed: Vec<Store>,
    /// What each step stored in this run, as signed numbers.
    profile: BTreeMap<u32, BTreeSet<i64>>,
}

impl Stores {
    /// Those of the first run. What the source has no line for is left out, and so are addresses.
    pub fn of(code: &Code, runs: &Runs) -> Stores {
        let passed = (1..runs.runs[0].points()).flat_map(|point| passed(code, runs, point)).collect();
        let mut stores = Stores { all: Vec::new(), passed, profile: BTreeMap::new() };
        let found = (1..runs.runs[0].points()).filter_map(|point| store(code, runs, point));
        for store in found {
            stores.all.push(store);
            let values = stores.profile.entry(store.step).or_default();
            values.insert(signed(store.of.bits(), store.bits));
        }
        stores
    }

    /// The store with a number.
    pub fn get(&self, number: u64) -> Option<&Store> {
        let number = usize::try_from(number).ok()?;
        self.all.get(number).or_else(|| self.passed.get(number - self.all.len()))
    }

    /// Numbers that calls of recorded functions pass: each is stored into a parameter at the call's point.
    pub fn passed(&self) -> &[Store] {
        &self.passed
    }

    /// All of them.
    pub fn all(&self) -> &[Store] {
        &self.all
    }

    /// The values that are tried in place of a store's, the likeliest first: its neighbours, what the same step stored at other times (the next smaller, the
    /// next greater, the least, the greatest), 0, 1 and the opposite.
    pub fn alternatives(&self, store: &Store) -> Vec<u64> {
        let candidates = match store.of {
            Type::Float | Type::Double => of_float(store),
            _ => self.of_integer(store),
        };
        let mut found = Vec::new();
        for bits in candidates.into_iter().map(|bits| bits & mask(store.of.bits())) {
            if bits != store.bits && !found.contains(&bits) {
                found.push(bits);
            }
        }
        found
    }

    fn of_integer(&self, store: &Store) -> Vec<u64> {
        let value = signed(store.of.bits(), store.bits);
        let mut found = vec![value.wrapping_add(1), value.wrapping_sub(1)];
        if let Some(others) = self.profile.get(&store.step) {
            let (mut smaller, greater) =
                (others.range(..value), others.range(value..).filter(|other| **other != value));
            let near = [smaller.next_back(), greater.into_iter().next(), others.first(), others.last()];
            found.extend(near.into_iter().flatten());
        }
        found.extend([0, 1, value.wrapping_neg()]);
        found.into_iter().map(|value| value as u64).collect()
    }
}

fn store(code: &Code, runs: &Runs, point: u32) -> Option<Store> {
    let run = &runs.runs[0];
    let Site::Step(step) = code.what(run.site(point)) else { return None };
    let code = &code.steps[step as usize];
    let Action::Store(of) = code.action else { return None };
    let mut written = run.written(point);
    let (Some(write), None) = (written.next(), written.next()) else { return None };
    let Value::Number(bits) = run.value(write) else { return None };
    let location = run.location(write);
    let place = runs.naming.names.place(location);
    let whole = runs.layout(place.object)?.cells(place.offset, 8).next()?.length == of.bytes();
    (code.place.line > 0 && of != Type::Pointer && whole).then_some(Store { point, step, of, location, bits })
}

/// The numbers that a call passes to parameters of a recorded function.
fn passed(code: &Code, runs: &Runs, point: u32) -> Vec<Store> {
    let run = &runs.runs[0];
    let Site::Step(step) = code.what(run.site(point)) else { return Vec::new() };
    if !matches!(code.steps[step as usize].action, Action::Call { .. }) || code.steps[step as usize].place.line == 0 {
        return Vec::new();
    }
    let parameter = |write: u32| {
        let (location, Value::Number(bits)) = (run.location(write), run.value(write)) else { return None };
        let place = runs.naming.names.place(location);
        let Some(Kind::Frame { function, .. }) = runs.naming.kinds.get(place.object as usize) else { return None };
        let variables = &code.functions[*function as usize].variables;
        let variable = variables.iter().find(|variable| variable.offset == place.offset)?;
        let length = runs.layout(place.object)?.cells(place.offset, 8).next()?.length;
        let of = match (variable.class, variable.size) {
            (ValueClass::Signed | ValueClass::Unsigned | ValueClass::Bool, 1..=8) => {
                Type::Integer(8 * variable.size as u8)
            }
            (ValueClass::Float, 4) => Type::Float,
            (ValueClass::Float, 8) => Type::Double,
            _ => return None,
        };
        (length == variable.size).then_some(Store { point, step, of, location, bits })
    };
    run.written(point).filter_map(parameter).collect()
}

fn of_float(store: &Store) -> Vec<u64> {
    let put = |value: f64| match store.of {
        Type::Float => u64::from((value as f32).to_bits()),
        _ => value.to_bits(),
    };
    let value = match store.of {
        Type::Float => f64::from(f32::from_bits(store.bits as u32)),
        _ => f64::from_bits(store.bits),
    };
    [value + 1.0, value - 1.0, 0.0, 1.0, -value].map(put).to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn store(of: Type, bits: u64) -> Store {
        Store { point: 1, step: 7, of, location: 0, bits }
    }

    #[test]
    fn other_values_are_near_ones_and_those_of_other_times() {
        let at_7 = [-20, 3, 8, 5, 90].into_iter().collect();
        let stores = Stores { all: Vec::new(), passed: Vec::new(), profile: [(7, at_7), (8, [1000].into())].into() };
        let tried = stores.alternatives(&store(Type::Integer(32), 5));
        let expected = [6, 4, 3, 8, -20, 90, 0, 1, -5].map(|value: i64| value as u64 & mask(32));
        assert_eq!(tried, expected);
        assert_eq!(stores.alternatives(&store(Type::Integer(8), 0)), [1, 255, 236, 3, 90]);
    }

    #[test]
    fn fractions_are_numbers_too() {
        let stores = Stores { all: Vec::new(), passed: Vec::new(), profile: BTreeMap::new() };
        let double = stores.alternatives(&store(Type::Double, 0.5f64.to_bits()));
        assert_eq!(double.into_iter().map(f64::from_bits).collect::<Vec<_>>(), [1.5, -0.5, 0.0, 1.0]);
        let float = stores.alternatives(&store(Type::Float, u64::from(1f32.to_bits())));
        assert_eq!(float.into_iter().map(|bits| f32::from_bits(bits as u32)).collect::<Vec<_>>(), [2.0, 0.0, -1.0]);
    }
}
