//! Overrides as the store keeps them.

use serde::{Deserialize, Serialize};

use crate::program::Operator;
use crate::trial::{Change, Override, Site};

/// One override.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptOverride {
    site: KeptSite,
    instance: u64,
    change: KeptChange,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum KeptSite {
    Node(u32),
    Operation(u32),
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum KeptChange {
    Set(u64),
    Add(u64),
    Negate,
    Flip,
    Text(Box<[u8]>),
    Complement,
    /// The operator's number.
    Operator(u8),
    Left(u64),
    Right(u64),
    Choose(u32),
    StepBefore(u64),
    StepAfter(u64),
    Exchange(u64, u64),
    Instead(u64, u64),
}

impl KeptOverride {
    /// To be kept.
    pub fn of(one: &Override) -> KeptOverride {
        let site = match one.site {
            Site::Node(node) => KeptSite::Node(node),
            Site::Operation(operation) => KeptSite::Operation(operation),
        };
        let change = match &one.change {
            Change::Set(bits) => KeptChange::Set(*bits),
            Change::Add(bits) => KeptChange::Add(*bits),
            Change::Negate => KeptChange::Negate,
            Change::Flip => KeptChange::Flip,
            Change::Text(text) => KeptChange::Text(text.clone()),
            Change::Complement => KeptChange::Complement,
            Change::Operator(operator) => KeptChange::Operator(*operator as u8),
            Change::Left(bits) => KeptChange::Left(*bits),
            Change::Right(bits) => KeptChange::Right(*bits),
            Change::Choose(number) => KeptChange::Choose(*number),
            Change::StepBefore(bits) => KeptChange::StepBefore(*bits),
            Change::StepAfter(bits) => KeptChange::StepAfter(*bits),
            Change::Exchange(bits, other) => KeptChange::Exchange(*bits, *other),
            Change::Instead(bits, other) => KeptChange::Instead(*bits, *other),
        };
        KeptOverride { site, instance: one.instance, change }
    }

    /// The override that was kept; `None` for an unknown operator.
    pub fn get(&self) -> Option<Override> {
        let site = match self.site {
            KeptSite::Node(node) => Site::Node(node),
            KeptSite::Operation(operation) => Site::Operation(operation),
        };
        let change = match &self.change {
            KeptChange::Set(bits) => Change::Set(*bits),
            KeptChange::Add(bits) => Change::Add(*bits),
            KeptChange::Negate => Change::Negate,
            KeptChange::Flip => Change::Flip,
            KeptChange::Text(text) => Change::Text(text.clone()),
            KeptChange::Complement => Change::Complement,
            KeptChange::Operator(number) => Change::Operator(Operator::from_number(*number)?),
            KeptChange::Left(bits) => Change::Left(*bits),
            KeptChange::Right(bits) => Change::Right(*bits),
            KeptChange::Choose(number) => Change::Choose(*number),
            KeptChange::StepBefore(bits) => Change::StepBefore(*bits),
            KeptChange::StepAfter(bits) => Change::StepAfter(*bits),
            KeptChange::Exchange(bits, other) => Change::Exchange(*bits, *other),
            KeptChange::Instead(bits, other) => Change::Instead(*bits, *other),
        };
        Some(Override { site, instance: self.instance, change })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_what_it_was() {
        let mut changes = vec![
            Change::Set(u64::MAX),
            Change::Add(1),
            Change::Negate,
            Change::Flip,
            Change::Text(Box::from(&b"a\0\xff"[..])),
            Change::Complement,
            Change::Left(2),
            Change::Right(3),
            Change::Choose(4),
            Change::StepBefore(u64::MAX),
            Change::StepAfter(5),
            Change::Exchange(5, 6),
            Change::Instead(7, 8),
        ];
        changes.extend(Operator::ALL.map(Change::Operator));
        for (number, change) in (0..).zip(changes) {
            let site = if number % 2 == 0 { Site::Node(number) } else { Site::Operation(number) };
            let one = Override { site, instance: u64::from(number), change };
            let text = serde_json::to_string(&KeptOverride::of(&one)).unwrap();
            assert_eq!(serde_json::from_str::<KeptOverride>(&text).unwrap().get(), Some(one), "{text}");
        }
        let unknown = KeptOverride { site: KeptSite::Node(0), instance: 0, change: KeptChange::Operator(200) };
        assert_eq!(unknown.get(), None);
    }
}
