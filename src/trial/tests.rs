//! The trial file: what the tool puts into it is what processes find there.

use std::collections::BTreeMap;

use proptest::prelude::*;
use suspect_format::abi::Mode;
use suspect_format::trial as layout;

use super::encode::{Encoded, Sites};
use super::file::{BATCH, MOST_OVERRIDES, TrialFile, batch_len};
use super::oracle::{ModuleWords, Streams};
use super::{Change, Mutant, Oracle, Override, Site};
use crate::program::{
    Function, Node, NodeKind, Operation, OperationKind, Operator, Place, Program, Signedness, Unit, ValueClass,
};

/// Two units of two functions, each of which has a number, a string, an addition and a choice.
fn program() -> Program {
    let mut program = Program::default();
    for function in 0..4u32 {
        for class in [ValueClass::Signed, ValueClass::String] {
            program.nodes.push(node(function, class));
        }
        let add = OperationKind::Binary {
            operator: Operator::Add,
            width: 32,
            signedness: Signedness::Signed,
            left: None,
            right: None,
        };
        for kind in [add, OperationKind::Logical { and: true }] {
            program.operations.push(Operation {
                function,
                piece: 0,
                place: Place::default(),
                node: None,
                kind,
                others: Vec::new(),
            });
        }
        let two = 2 * function..2 * function + 2;
        program.functions.push(Function {
            name: format!("f{function}"),
            unit: function / 2,
            place: Place::default(),
            last_line: 0,
            external: true,
            content_hash: 0,
            blocks: 0..0,
            pieces: 0..0,
            edges: 0..0,
            nodes: two.clone(),
            compounds: 0..0,
            operations: two,
            variables: Vec::new(),
        });
    }
    for unit in 0..2u32 {
        program.units.push(Unit {
            hash: u64::from(unit) + 1,
            file: 0,
            files: Vec::new(),
            modes: 1 << Mode::Trace as u32 | 1 << Mode::Mutants as u32,
            n_counters: 0,
            n_values: 4,
            functions: 2 * unit..2 * unit + 2,
            operations: 4 * unit..4 * unit + 4,
        });
    }
    program
}

fn node(function: u32, class: ValueClass) -> Node {
    Node {
        function,
        piece: 0,
        kind: NodeKind::Assignment,
        class,
        width: 32,
        place: Place::default(),
        line: None,
        variable: String::new(),
        type_name: String::new(),
        expression: String::new(),
        ordinal: 0,
        value: 0,
        true_edge: None,
        false_edge: None,
        true_counter: None,
    }
}

/// A test of modules that have these units.
fn oracle(modules: &[&[u32]], compared: bool) -> Oracle {
    let module =
        |units: &&[u32]| ModuleWords { identity: units.len() as u64, words: vec![0; 16], units: units.to_vec() };
    Oracle {
        nodes: (0..8).collect(),
        compared,
        modules: modules.iter().map(module).collect(),
        processes: vec![Streams::empty(if compared { 8 } else { 0 })],
        ..Oracle::default()
    }
}

fn change() -> impl Strategy<Value = Change> {
    prop_oneof![
        any::<u64>().prop_map(Change::Set),
        Just(Change::Set(0)),
        Just(Change::Complement),
        Just(Change::Operator(Operator::Sub)),
        any::<u64>().prop_map(Change::Left),
        (0..3u32).prop_map(Change::Choose),
        any::<u64>().prop_map(Change::StepBefore),
        any::<(u64, u64)>().prop_map(|(bits, other)| Change::Exchange(bits, other)),
        any::<(u64, u64)>().prop_map(|(bits, other)| Change::Instead(bits, other)),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(|text| Change::Text(text.into())),
    ]
}

fn mutant() -> impl Strategy<Value = Mutant> {
    let site = prop_oneof![(0..9u32).prop_map(Site::Node), (0..9u32).prop_map(Site::Operation)];
    let one = (site, 0..3u64, change()).prop_map(|(site, instance, change)| Override { site, instance, change });
    proptest::collection::vec(one, 0..5).prop_map(|overrides| Mutant { overrides: overrides.into() })
}

/// What a mutant's overrides are as the file should have them: site, gate, change.
fn expected(mutant: &Mutant, modules: &[&[u32]]) -> Vec<(u32, u32, u32)> {
    let units: Vec<u32> = modules.iter().flat_map(|units| units.iter().copied()).collect();
    let mut all = Vec::new();
    for one in &mutant.overrides {
        let (function, place) = match one.site {
            Site::Node(at) | Site::Operation(at) if at < 8 => (at / 2, at),
            _ => continue,
        };
        let even = place % 2 == 0;
        let number = match (one.site, &one.change) {
            (Site::Node(_), Change::Set(_)) if even => layout::Change::Set,
            (Site::Node(_), Change::Set(0)) => layout::Change::Set,
            (Site::Node(_), Change::Complement) if even => layout::Change::Complement,
            (Site::Node(_), Change::Exchange(..)) if even => layout::Change::Exchange,
            (_, Change::Instead(..)) if even => layout::Change::Instead,
            (Site::Node(_), Change::Text(_)) if !even => layout::Change::Text,
            (Site::Operation(_), Change::Set(_)) if even => layout::Change::Set,
            (Site::Operation(_), Change::Complement) if even => layout::Change::Complement,
            (Site::Operation(_), Change::Operator(_)) if even => layout::Change::Operator,
            (Site::Operation(_), Change::Left(_)) if even => layout::Change::Left,
            (Site::Operation(_), Change::Choose(_)) if !even => layout::Change::Choose,
            _ => continue,
        };
        let mut first = true;
        for (position, _) in units.iter().enumerate().filter(|(_, unit)| **unit == function / 2) {
            let gate = position as u32 * 2 + function % 2;
            match one.site {
                Site::Node(node) => all.push((node, gate, if first { number as u32 } else { 0 })),
                Site::Operation(at) => all.push((8 + position as u32 * 4 + at % 4, gate, number as u32)),
            }
            first = false;
        }
    }
    all
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, failure_persistence: None, ..ProptestConfig::default() })]
    #[test]
    fn the_file_holds_what_was_put_into_it(
        mutants in proptest::collection::vec(mutant(), 0..40),
        compared: bool,
        twice: bool,
    ) {
        let modules: &[&[u32]] = if twice { &[&[1], &[0, 1]] } else { &[&[0, 1]] };
        let (program, oracle) = (program(), oracle(modules, compared));
        let sites = Sites::of(&oracle, &program);
        prop_assert_eq!(sites.mode(), if compared { Mode::Trace } else { Mode::Mutants });
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("trial");
        let mut file = TrialFile::create(&path, &oracle, &sites, super::file::Expected { bytes: b"to be written", on: 1 }).unwrap();
        let encoded: Vec<Option<Encoded>> = mutants.iter().map(|one| Encoded::of(one, &oracle, &sites)).collect();
        let wanted: Vec<_> = mutants.iter().map(|one| expected(one, modules)).collect();
        for (one, wanted) in encoded.iter().zip(&wanted) {
            prop_assert_eq!(one.is_none(), wanted.is_empty());
        }
        let due: Vec<&Encoded> = encoded.iter().flatten().collect();
        prop_assert_eq!(batch_len(&due), due.len());
        file.set_mutants(&due);
        file.select_all();
        // Another process sees the same.
        let other = TrialFile::open(&path).unwrap();
        prop_assert_eq!((other.expected().bytes, other.expected().on), (&b"to be written"[..], 1));
        let (members, of_site) = other.mutants();
        let wanted: Vec<_> = wanted.into_iter().filter(|wanted| !wanted.is_empty()).collect();
        prop_assert_eq!(members.len(), wanted.len());
        for (number, (members, mut wanted)) in members.iter().zip(wanted).enumerate() {
            let mut found: Vec<_> = members.iter().map(|one| (one.site, one.gate, one.change)).collect();
            prop_assert!(members.iter().all(|one| one.mutant as usize == number));
            found.sort_unstable();
            wanted.sort_unstable();
            prop_assert_eq!(found, wanted);
        }
        let mut by_site: BTreeMap<u32, usize> = BTreeMap::new();
        members.iter().flatten().for_each(|one| *by_site.entry(one.site).or_default() += 1);
        for (site, overrides) in of_site.iter().enumerate() {
            prop_assert_eq!(overrides.len(), by_site.get(&(site as u32)).copied().unwrap_or(0));
            prop_assert!(overrides.iter().all(|one| one.site as usize == site));
            prop_assert!(overrides.is_sorted_by_key(|one| one.mutant));
        }
    }
}

#[test]
fn a_batch_ends_where_the_file_is_full() {
    let (program, oracle) = (program(), oracle(&[&[0, 1]], false));
    let sites = Sites::of(&oracle, &program);
    let add = |at| Override { site: Site::Operation(at), instance: 0, change: Change::Left(1) };
    let encode =
        |overrides: Vec<Override>| Encoded::of(&Mutant { overrides: overrides.into() }, &oracle, &sites).unwrap();
    let (one, many) = (encode(vec![add(0)]), encode(vec![add(2); MOST_OVERRIDES / 3]));
    assert_eq!(batch_len(&vec![&one; 2 * BATCH]), BATCH);
    assert_eq!(batch_len(&[&many, &many, &many, &many]), 3);
    assert_eq!(batch_len(&[&one, &many, &many, &many]), 4);
    let too_many = Mutant { overrides: vec![add(0); MOST_OVERRIDES + 1].into() };
    assert!(Encoded::of(&too_many, &oracle, &sites).is_none());
}
