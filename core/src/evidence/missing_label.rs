//! A label that a switch lacks: what goes to `default`, or past the switch, goes where another label is.

use std::collections::BTreeSet;

use super::make::{identity, label_edit, label_text};
use super::{Candidate, Kind, Taken};
use crate::mutant::{Class, Form};
use crate::program::{Label, Program};
use crate::trial::{Change, Override, Site};

/// Values that labels are missing for, at most: each is a trial for each label of the switch.
const MOST_MISSING: usize = 3;

/// The candidates that put another label before one whose switch has this node. They are for values that failing tests bring there and no label has,
/// those first that no passing test brings.
pub fn missing_label_candidates(program: &Program, label: &Label, node: u32, taken: &Taken) -> Vec<Candidate> {
    let found = &program.nodes[node as usize];
    let (Some(line), Some(failing)) = (program.label_line(label), taken.failing.and_then(|all| all.few(usize::MAX)))
    else {
        return Vec::new();
    };
    let form = Form::of(found);
    let mask = u64::MAX >> (64 - found.width.clamp(1, 64));
    let cases = program.switches.iter().find(|switch| switch.node == node).into_iter().flat_map(|switch| &switch.cases);
    let known: BTreeSet<u64> = cases.map(|case| *case as u64 & mask).collect();
    let passing = taken.passing.and_then(|all| all.few(usize::MAX));
    let is_passing = |value: &&u64| passing.is_some_and(|passing| passing.contains(value));
    let mut missing: Vec<&u64> = failing.iter().filter(|value| !known.contains(value)).collect();
    missing.sort_by_key(is_passing);
    let candidate = |value: &u64| {
        let change = Change::Instead(*value, label.value as u64 & mask);
        let overriding = |node: &u32| Override { site: Site::Node(*node), instance: 0, change: change.clone() };
        let own = &label.text;
        let new = label_text(label, form, *value)?;
        Some(Candidate {
            id: identity(program, node, &[], &change),
            kind: Kind::Operation(Class::Sin),
            line,
            node: Some(node),
            instances: Box::default(),
            mutant: crate::trial::Mutant { overrides: label.nodes.iter().map(overriding).collect() },
            original: format!("case {own}"),
            replacement: format!("case {new}: case {own}"),
            edit: Some(label_edit(program, label, node).with(&format!("{new}: case {own}"))),
        })
    };
    missing.into_iter().take(MOST_MISSING).filter_map(candidate).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::evidence::make::tests::{domain, program};
    use crate::mutant::Domain;
    use crate::program::{NodeKind, Switch, ValueClass};

    #[test]
    fn values_of_failing_tests_that_no_label_has_get_one_before_another() {
        let mut program = program(ValueClass::Char, NodeKind::Switch);
        program.switches.push(Switch { node: 0, cases: vec![97, 112] });
        let label = Label { nodes: vec![0], line: 3, column: 10, text: "'p'".into(), value: 112, character: true };
        program.set_labels(vec![label]);
        let form = Form::Integer { width: 32, signed: true, named: false };
        let said = |failing: &[u64], passing: Option<&Domain>| {
            let failing = domain(form, failing);
            let taken = Taken { failing: Some(&failing), passing };
            let found = missing_label_candidates(&program, &program.labels[0], 0, &taken);
            found.into_iter().map(|one| one.replacement).collect::<Vec<_>>()
        };
        assert_eq!(said(&[110, 97, 112], None), ["case 'n': case 'p'"]);
        let passing = domain(form, &[98, 99]);
        assert_eq!(
            said(&[98, 99, 100, 101], Some(&passing)),
            ["case 'd'", "case 'e'", "case 'b'"].map(|new| format!("{new}: case 'p'"))
        );
        let failing = domain(form, &[110]);
        let taken = Taken { failing: Some(&failing), passing: None };
        let found = missing_label_candidates(&program, &program.labels[0], 0, &taken);
        assert_eq!(found[0].mutant.overrides[0].change, Change::Instead(110, 112));
        let edit = found[0].edit.as_ref().unwrap();
        assert_eq!((edit.column, edit.end_column, edit.replacement.as_str()), (10, 13, "'n': case 'p'"));
    }
}
