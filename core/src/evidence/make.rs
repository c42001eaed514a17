//! Which candidates there are: changes of values, of conditions, of the code.

use std::collections::{HashMap, HashSet};

use suspect_format::site::NodeKind;
use suspect_format::trace::{HASH_START, hash_bytes};

use super::constant::Constants;
use super::{Candidate, Kind, Strings};
use crate::mutant::{Class, CodeMutant, Domain, Form, Status, identity_hash, mutants};
use crate::program::{Identity, Label, Node, Place, Program, ValueClass};
use crate::source::{Edit, Literal, Number, constant_text};
use crate::trial::{Change, Mutant, Override, Site};

/// Values of one node that are tried, at most: two or three suffice for ranking, values seen in passing tests repair.
const MOST_VALUES: usize = 10;
/// Of these, values that the node takes in passing tests.
const MOST_SEEN: usize = 4;
/// Of these, other strings of the program.
const MOST_STRINGS: usize = 4;
/// Values that a label becomes, at most.
const MOST_LABELS: usize = 8;
/// Values that are drawn at random.
const SAMPLES: usize = 2;

/// The values that a node takes.
#[derive(Clone, Debug, Default)]
pub struct Taken<'a> {
    /// In failing tests.
    pub failing: Option<&'a Domain>,
    /// In passing tests.
    pub passing: Option<&'a Domain>,
}

/// The program's nodes in groups, each in the order of nodes: source that is compiled several times has a node for each time.
pub fn nodes_of_source(program: &Program) -> Vec<Vec<u32>> {
    let mut groups: Vec<Vec<u32>> = Vec::new();
    let mut known: HashMap<(Place, Identity, Form), usize> = HashMap::new();
    for (number, node) in (0..).zip(&program.nodes) {
        let group = *known.entry((node.place, node.identity(program), Form::of(node))).or_insert(groups.len());
        match groups.get_mut(group) {
            Some(nodes) => nodes.push(number),
            None => groups.push(vec![number]),
        }
    }
    groups
}

/// The candidates of the value that `nodes` are, a group of [`nodes_of_source`]: conditions are negated, or always true or false if they are both;
/// numbers become what they are in passing tests, their neighbours, 0 and random ones; strings become others of the program and random ones;
/// addresses become null.
pub fn node_candidates(
    program: &Program,
    nodes: &[u32],
    taken: &Taken,
    strings: &Strings,
    seed: u64,
) -> Vec<Candidate> {
    let Some(&node) = nodes.first() else { return Vec::new() };
    let found = &program.nodes[node as usize];
    let Some(line) = found.line else { return Vec::new() };
    let form = Form::of(found);
    let own = taken.failing.and_then(Domain::constant);
    let original = own.map_or_else(|| found.expression.clone(), |bits| value_text(found, form, bits));
    let changes = changes(found, form, taken, strings, (&found.identity(program), seed));
    let candidate = |change: Change| {
        let overriding = |node: &u32| Override { site: Site::Node(*node), instance: 0, change: change.clone() };
        Candidate {
            id: identity(program, node, &[], &change),
            kind: kind_of(found, form),
            line,
            node: Some(node),
            instances: Box::default(),
            mutant: Mutant { overrides: nodes.iter().map(overriding).collect() },
            original: original.clone(),
            replacement: change_text(found, form, &change),
            edit: None,
        }
    };
    changes.into_iter().map(candidate).collect()
}

/// A condition that goes the other way at these executions alone, counted from 1; `None` if there are no nodes, or they are no condition or have no
/// line. `nodes` are a group of [`nodes_of_source`].
pub fn switch_candidate(program: &Program, nodes: &[u32], instances: &[u64]) -> Option<Candidate> {
    let &node = nodes.first()?;
    let found = &program.nodes[node as usize];
    if Form::of(found) != Form::Truth {
        return None;
    }
    let at = |node: u32, instance: u64| Override { site: Site::Node(node), instance, change: Change::Flip };
    let flips = nodes.iter().flat_map(|node| instances.iter().map(move |instance| at(*node, *instance)));
    Some(Candidate {
        id: identity(program, node, instances, &Change::Flip),
        kind: Kind::Switch,
        line: found.line?,
        node: Some(node),
        instances: instances.into(),
        mutant: Mutant { overrides: flips.collect() },
        original: found.expression.clone(),
        replacement: change_text(found, Form::Truth, &Change::Flip),
        edit: None,
    })
}

/// The candidates of a label whose switch has this node: it becomes one of the values that failing tests bring there, or passing ones, or one
/// beside it, as long as no other label of the switch has that. What comes with the label's own value goes where that one went before.
pub fn label_candidates(program: &Program, label: &Label, node: u32, taken: &Taken) -> Vec<Candidate> {
    let found = &program.nodes[node as usize];
    let Some(line) = program.label_line(label) else { return Vec::new() };
    let form = Form::of(found);
    let mask = u64::MAX >> (64 - found.width.clamp(1, 64));
    let own = label.value as u64 & mask;
    let cases = program.switches.iter().find(|switch| switch.node == node).into_iter().flat_map(|switch| &switch.cases);
    let mut known: HashSet<u64> = cases.map(|case| *case as u64 & mask).collect();
    let seen =
        [taken.failing, taken.passing].into_iter().flatten().filter_map(|domain| domain.few(usize::MAX)).flatten();
    let beside = [own.wrapping_add(1) & mask, own.wrapping_sub(1) & mask];
    let values = seen.chain(&beside).copied().filter(|value| known.insert(*value)).take(MOST_LABELS);
    let candidate = |value: u64| {
        let change = Change::Exchange(own, value);
        let overriding = |node: &u32| Override { site: Site::Node(*node), instance: 0, change: change.clone() };
        let replacement = label_text(label, form, value)?;
        let edit = label_edit(program, label, node);
        Some(Candidate {
            id: identity(program, node, &[], &change),
            kind: Kind::Operation(Class::Crp),
            line,
            node: Some(node),
            instances: Box::default(),
            mutant: Mutant { overrides: label.nodes.iter().map(overriding).collect() },
            original: format!("case {}", label.text),
            replacement: format!("case {replacement}"),
            edit: Some(edit.with(&replacement)),
        })
    };
    values.filter_map(candidate).collect()
}

/// The edit that leaves out a label's constant, of a switch of this node.
pub(super) fn label_edit(program: &Program, label: &Label, node: u32) -> Edit {
    let file = program.nodes[node as usize].place.file;
    Edit {
        file: program.files.get(file as usize).cloned().unwrap_or_default(),
        line: label.line,
        column: label.column,
        end_line: label.line,
        end_column: label.column + label.text.len() as u32,
        original: label.text.clone(),
        replacement: String::new(),
    }
}

/// A value as a label would have it.
pub(super) fn label_text(label: &Label, form: Form, bits: u64) -> Option<String> {
    let Form::Integer { width, signed, .. } = form else { return None };
    let letter = Literal::of_text("'a'").filter(|_| label.character);
    let replaced = letter.or_else(|| Literal::of_text(&label.text));
    let text = constant_text(Number::Integer { bits, width, signed }, replaced)?;
    // Nothing binds to a label.
    Some(
        text.strip_prefix("(-").and_then(|text| text.strip_suffix(')')).map_or(text.clone(), |text| format!("-{text}")),
    )
}

/// The candidates that code mutants are, all that are worth a trial, stand on a line that is known and in a piece that is `executed`; behind them
/// those that put other constants of the file in a constant's place.
pub fn code_candidates(program: &Program, mutants: &[CodeMutant], executed: impl Fn(u32) -> bool) -> Vec<Candidate> {
    let is_executed = |candidate: &Candidate| pieces_of(program, candidate).into_iter().any(&executed);
    let made = |mutant: &CodeMutant| code_candidate(program, mutant).filter(is_executed);
    let constants = Constants::of(program, mutants);
    let mut exchanged = Vec::new();
    let mut candidates = Vec::new();
    for mutant in mutants.iter().filter(|mutant| !matches!(mutant.status, Status::Junk(_))) {
        if let Some(candidate) = made(mutant) {
            exchanged.extend(constants.instead(mutant, &candidate));
            // What a comparison lacks is known from the values that tests bring.
            let is_normal = mutant.is_normal() && mutant.class != Class::Dji;
            candidates.extend(is_normal.then_some(candidate));
        }
    }
    candidates.extend(exchanged);
    candidates
}

pub(super) fn code_candidate(program: &Program, mutant: &CodeMutant) -> Option<Candidate> {
    let of_node = |node: &u32| program.nodes[*node as usize].line;
    let line = line_at(program, mutant.place).or_else(|| mutant.node.as_ref().and_then(of_node))?;
    let calls = mutant.class == Class::Sdl && mutant.edit.as_ref().is_some_and(|edit| is_call(&edit.original));
    Some(Candidate {
        id: mutant.id,
        kind: if calls { Kind::Call } else { Kind::Operation(mutant.class) },
        line,
        node: mutant.node,
        instances: Box::default(),
        mutant: Mutant { overrides: mutant.overrides.clone().into() },
        original: mutant.original.clone(),
        replacement: mutant.replacement.clone(),
        edit: mutant.edit.clone(),
    })
}

/// Whether a statement's text is a call whose result is not kept.
fn is_call(text: &str) -> bool {
    let text = text.trim_start();
    let name = text.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    name > 0 && text[name..].trim_start().starts_with('(')
}

/// The line of this place, an index into [`Program::lines`].
pub fn line_at(program: &Program, place: Place) -> Option<u32> {
    let wanted = (place.file, place.line);
    program.lines.binary_search_by_key(&wanted, |line| (line.file, line.line)).ok().map(|line| line as u32)
}

/// The pieces that a candidate changes something in, ascending: several where the same source is compiled several times.
pub fn pieces_of(program: &Program, candidate: &Candidate) -> Vec<u32> {
    let piece = |one: &Override| match one.site {
        Site::Node(node) => program.nodes.get(node as usize).map(|node| node.piece),
        Site::Operation(operation) => program.operations.get(operation as usize).map(|operation| operation.piece),
    };
    let mut pieces: Vec<u32> = candidate.mutant.overrides.iter().filter_map(piece).collect();
    pieces.sort_unstable();
    pieces.dedup();
    pieces
}

fn kind_of(node: &Node, form: Form) -> Kind {
    match form {
        Form::Truth if node.kind == NodeKind::Predicate => Kind::Predicate,
        Form::Observed => Kind::Pointer,
        _ => Kind::Value,
    }
}

/// The changes of a node's value, those first that are tried first; none twice, none that leaves a constant value as it is.
fn changes(
    node: &Node,
    form: Form,
    taken: &Taken,
    strings: &Strings,
    (identity, seed): (&Identity, u64),
) -> Vec<Change> {
    let empty = Domain::default();
    let (failing, passing) = (taken.failing.unwrap_or(&empty), taken.passing.unwrap_or(&empty));
    let own = failing.constant();
    let sampled = || {
        let mut domain = failing.clone();
        domain.merge(passing);
        mutants(form, &domain, identity, seed, SAMPLES).into_iter().map(|mutant| mutant.change)
    };
    let mut changes = Vec::new();
    match form {
        Form::Truth => {
            changes.push(Change::Flip);
            if failing.few(2).is_some_and(|few| few.len() == 2) {
                changes.extend([Change::Set(1), Change::Set(0)]);
            }
        }
        Form::Observed if matches!(node.class, ValueClass::Pointer | ValueClass::FunctionPointer) => {
            changes.push(Change::Set(0));
        }
        Form::Observed => {}
        Form::Text => {
            let written = strings.nearest(node.place, (failing, passing), MOST_STRINGS);
            changes.extend(written.into_iter().map(Change::Text));
            changes.extend(sampled());
        }
        _ => {
            let seen: Vec<Change> = seen_values(form, failing, passing).into_iter().map(Change::Set).collect();
            let zero = form.bits(0.0).map(Change::Set);
            let (samples, neighbours): (Vec<Change>, Vec<Change>) =
                sampled().partition(|change| matches!(change, Change::Set(_)));
            let near = seen.len().min(MOST_SEEN / 2);
            changes.extend_from_slice(&seen[..near]);
            changes.extend(neighbours);
            changes.extend(samples.first().cloned());
            changes.extend(zero);
            changes.extend_from_slice(&seen[near..]);
            changes.extend(samples.into_iter().skip(1));
        }
    }
    let mut known = HashSet::new();
    changes.retain(|change| own.is_none_or(|own| *change != Change::Set(own)) && known.insert(change.clone()));
    changes.truncate(MOST_VALUES);
    changes
}

/// Values that a node takes in passing tests and never in failing ones, or, if there are none, others than its constant: those nearest to
/// what it is in failing tests first, with the least and the greatest.
fn seen_values(form: Form, failing: &Domain, passing: &Domain) -> Vec<u64> {
    let Some(few) = passing.few(usize::MAX) else { return Vec::new() };
    let own = failing.few(usize::MAX);
    let mean = failing.mean();
    let mut values: Vec<(f64, u64)> = few
        .iter()
        .filter(|value| own.is_none_or(|own| !own.contains(value)))
        .filter_map(|value| Some(((form.number(*value)? - mean).abs(), *value)))
        .collect();
    values.sort_by(|one, other| one.0.total_cmp(&other.0).then(one.1.cmp(&other.1)));
    if values.len() > MOST_SEEN {
        values.drain(MOST_SEEN - 1..values.len() - 1);
    }
    values.into_iter().map(|(_, value)| value).collect()
}

pub(super) fn identity(program: &Program, node: u32, instances: &[u64], change: &Change) -> u64 {
    let found = &program.nodes[node as usize];
    let mut hash = identity_hash(&found.identity(program));
    let file = program.files.get(found.place.file as usize).map_or("", String::as_str);
    hash = hash_bytes(hash, file.as_bytes());
    hash = hash_bytes(hash, format!("{change:?}").as_bytes());
    instances
        .iter()
        .fold(hash_bytes(hash, &HASH_START.to_le_bytes()), |hash, instance| hash_bytes(hash, &instance.to_le_bytes()))
}

/// How a change reads behind "becomes": a value, or what is done to the value.
fn change_text(node: &Node, form: Form, change: &Change) -> String {
    match change {
        Change::Set(bits) => value_text(node, form, *bits),
        Change::Add(bits) => match added(form, *bits) {
            Some(number) if number < 0.0 => format!("{} less", -number),
            Some(number) => format!("{number} more"),
            None => "another number".into(),
        },
        Change::Negate => "its negative".into(),
        Change::Flip => "the opposite".into(),
        Change::Text(text) => format!("{:?}", String::from_utf8_lossy(text)),
        Change::Complement => "its complement".into(),
        Change::Operator(_)
        | Change::Left(_)
        | Change::Right(_)
        | Change::Choose(_)
        | Change::Exchange(..)
        | Change::Instead(..)
        | Change::StepBefore(_)
        | Change::StepAfter(_) => String::new(),
    }
}

/// The number that is added: of an unsigned one, less than half of all is more and the rest is less.
fn added(form: Form, bits: u64) -> Option<f64> {
    match form {
        Form::Integer { width, named, .. } => Form::Integer { width, signed: true, named }.number(bits),
        form => form.number(bits),
    }
}

/// A value as C would write it.
fn value_text(node: &Node, form: Form, bits: u64) -> String {
    let character = u8::try_from(bits).ok().filter(|byte| byte.is_ascii_graphic() || *byte == b' ');
    match (form, character, form.number(bits)) {
        (Form::Truth, ..) => if bits == 0 { "false" } else { "true" }.into(),
        (Form::Observed, ..) if bits == 0 => "NULL".into(),
        (Form::Text | Form::Observed, ..) => node.expression.clone(),
        (_, Some(byte), _) if node.class == ValueClass::Char => format!("'{}'", char::from(byte)),
        (_, _, Some(number)) => format!("{number}"),
        _ => format!("{bits:#x}"),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    pub fn program(class: ValueClass, kind: NodeKind) -> Program {
        let function = crate::program::Function {
            name: "f".into(),
            unit: 0,
            place: Place::default(),
            last_line: 9,
            external: true,
            content_hash: 0,
            blocks: 0..0,
            pieces: 0..0,
            edges: 0..0,
            nodes: 0..1,
            compounds: 0..0,
            operations: 0..0,
            variables: Vec::new(),
        };
        let node = Node {
            function: 0,
            piece: 0,
            kind,
            class,
            width: 32,
            place: Place { file: 0, line: 3, column: 5 },
            line: Some(0),
            variable: "x".into(),
            type_name: "int".into(),
            expression: "x".into(),
            ordinal: 0,
            value: 0,
            true_edge: None,
            false_edge: None,
            true_counter: None,
        };
        Program {
            files: vec!["a.c".into()],
            functions: vec![function],
            nodes: vec![node],
            lines: vec![crate::program::Line { file: 0, line: 3 }],
            ..Program::default()
        }
    }

    pub fn domain(form: Form, values: &[u64]) -> Domain {
        let mut domain = Domain::default();
        values.iter().for_each(|value| domain.add(form, *value));
        domain
    }

    const INT: Form = Form::Integer { width: 32, signed: true, named: false };

    #[test]
    fn a_number_becomes_what_it_is_in_passing_tests_first() {
        let program = program(ValueClass::Signed, NodeKind::Assignment);
        let (failing, passing) = (domain(INT, &[1, 1, 1]), domain(INT, &[1, 2, 3, 900, 17, 30]));
        let taken = Taken { failing: Some(&failing), passing: Some(&passing) };
        let found = node_candidates(&program, &[0], &taken, &Strings::default(), 1);
        let texts: Vec<&str> = found.iter().map(|one| one.replacement.as_str()).collect();
        assert_eq!((&texts[..2], found[0].original.as_str()), (&["2", "3"][..], "1"));
        assert!(texts.contains(&"0") && texts.contains(&"900") && texts.contains(&"1 less"), "{texts:?}");
        assert!(found.len() <= MOST_VALUES && found.iter().all(|one| one.kind == Kind::Value));
        let ids: HashSet<u64> = found.iter().map(|one| one.id).collect();
        assert_eq!(ids.len(), found.len());
        assert_eq!(found, node_candidates(&program, &[0], &taken, &Strings::default(), 1), "the same seed");
    }

    #[test]
    fn one_less_of_an_unsigned_number_reads_so() {
        let program = program(ValueClass::Unsigned, NodeKind::Assignment);
        let failing = domain(Form::Integer { width: 32, signed: false, named: false }, &[7, 9, 30, 50]);
        let taken = Taken { failing: Some(&failing), passing: None };
        let texts: Vec<String> = node_candidates(&program, &[0], &taken, &Strings::default(), 1)
            .into_iter()
            .map(|one| one.replacement)
            .collect();
        assert!(texts.contains(&"1 less".to_string()) && texts.contains(&"1 more".to_string()), "{texts:?}");
    }

    #[test]
    fn a_condition_is_negated_and_fixed_where_it_varies() {
        let program = program(ValueClass::Signed, NodeKind::Predicate);
        let changes = |values: &[u64]| {
            let failing = domain(Form::Truth, values);
            let taken = Taken { failing: Some(&failing), passing: None };
            let found = node_candidates(&program, &[0], &taken, &Strings::default(), 1);
            found.into_iter().map(|one| one.mutant.overrides[0].change.clone()).collect::<Vec<_>>()
        };
        assert_eq!(changes(&[1, 1]), [Change::Flip]);
        assert_eq!(changes(&[1, 0, 1]), [Change::Flip, Change::Set(1), Change::Set(0)]);
    }

    #[test]
    fn what_is_compiled_several_times_is_changed_in_all_copies() {
        let mut program = program(ValueClass::Signed, NodeKind::Predicate);
        let mut copy = program.nodes[0].clone();
        (copy.function, copy.piece) = (1, 7);
        let mut other = copy.clone();
        other.place.column = 9;
        program.functions.push(program.functions[0].clone());
        program.nodes.extend([copy, other]);
        assert_eq!(nodes_of_source(&program), [vec![0, 1], vec![2]]);
        let found = node_candidates(&program, &[0, 1], &Taken::default(), &Strings::default(), 1);
        let sites = |one: &Candidate| one.mutant.overrides.iter().filter_map(Override::node).collect::<Vec<_>>();
        assert!(!found.is_empty() && found.iter().all(|one| sites(one) == [0, 1]));
        assert_eq!(pieces_of(&program, &found[0]), [0, 7]);
        let switched = switch_candidate(&program, &[0, 1], &[3]).unwrap();
        assert_eq!((sites(&switched), switched.mutant.overrides[1].instance), (vec![0, 1], 3));
    }

    #[test]
    fn a_switch_names_its_executions() {
        let program = program(ValueClass::Signed, NodeKind::Predicate);
        let one = switch_candidate(&program, &[0], &[3]).unwrap();
        let two = switch_candidate(&program, &[0], &[3, 7]).unwrap();
        assert_ne!(one.id, two.id);
        assert_eq!(two.mutant.overrides.iter().map(|one| one.instance).collect::<Vec<_>>(), [3, 7]);
        assert!(switch_candidate(&self::program(ValueClass::Signed, NodeKind::Assignment), &[0], &[1]).is_none());
    }

    #[test]
    fn a_label_becomes_what_comes_to_its_switch_and_no_other_label_has() {
        let mut program = program(ValueClass::Char, NodeKind::Switch);
        program.switches.push(crate::program::Switch { node: 0, cases: vec![97, 112, -1] });
        let label = |text: &str, value| Label {
            nodes: vec![0],
            line: 3,
            column: 10,
            text: text.into(),
            value,
            character: text.starts_with('\''),
        };
        program.set_labels(vec![label("'p'", 112)]);
        let own = Form::Integer { width: 32, signed: true, named: false };
        let (failing, passing) = (domain(own, &[110, 97, 39]), domain(own, &[112, 10]));
        let taken = Taken { failing: Some(&failing), passing: Some(&passing) };
        let found = label_candidates(&program, &program.labels[0], 0, &taken);
        let said: Vec<&str> = found.iter().map(|one| one.replacement.as_str()).collect();
        assert_eq!(said, ["case '\\''", "case 'n'", "case 10", "case 'q'", "case 'o'"]);
        let (one, change) = (&found[1], Change::Exchange(112, 110));
        assert_eq!((one.mutant.overrides[0].change.clone(), one.original.as_str()), (change, "case 'p'"));
        let edit = one.edit.as_ref().unwrap();
        assert_eq!((edit.line, edit.column, edit.end_column, edit.replacement.as_str()), (3, 10, 13, "'n'"));
        // Numbers stay numbers, without parentheses.
        let texts: Vec<String> = label_candidates(&program, &label("0x70", 112), 0, &Taken::default())
            .into_iter()
            .map(|one| one.edit.unwrap().replacement)
            .collect();
        assert_eq!(texts, ["0x71", "0x6f"]);
        program.switches[0].cases = vec![0];
        let texts: Vec<String> = label_candidates(&program, &label("0", 0), 0, &Taken::default())
            .into_iter()
            .map(|one| one.edit.unwrap().replacement)
            .collect();
        assert_eq!(texts, ["1", "-1"]);
    }

    #[test]
    fn calls_are_told_from_other_statements() {
        assert!(
            is_call("f(x)") && is_call(" puts (s)") && !is_call("x = f(x)") && !is_call("(*f)(x)") && !is_call("x++")
        );
    }
}
