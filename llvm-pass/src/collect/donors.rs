//! Donors: statements of other functions, or of the same one with other variables, that could stand in a function as well. What is missing in it often stands
//! in a sibling.

use std::cmp::Reverse;
use std::collections::{HashMap, HashSet};

use inkwell::llvm_sys::core::LLVMIsABlockAddress;
use suspect_format::site::OperationKind;

use crate::collect::content::detail;
use crate::collect::nodes;
use crate::collect::sites::{Body, Donated, FunctionSites, OperationSite, OperationSpot, Place, Storage, VariableSite};
use crate::collect::statements::{self, Statement};
use crate::llvm::debug_info::{Info, PlainType};
use crate::llvm::ir::{LLVMOpcode, Type, Value, llvm};
use crate::table::Files;

/// Donors of a function, at most: each is in its code once more.
const MOST: usize = 12;
/// Places where the same statement stands that are looked at for one function, at most: the nearest on either side.
const MOST_SAMPLES: usize = 8;
/// Statements with one kind of first variable that are looked at for one function, at most: those that begin to stand in the nearest functions on either
/// side, and those that most functions have. So a unit's time grows as its size does.
const MOST_NEAR: usize = 64;
const MOST_COMMON: usize = 64;
/// Variables that take the place of one, at most.
const MOST_RENAMED: usize = 2;
/// Functions that have a statement count as so many at most.
const MOST_COUNTED: usize = 8;

/// A variable's type: what is assigned to one may be assigned to the other, with the same conversions.
type Kind = (PlainType, [bool; 3]);

/// A variable of a function whose name means nothing else there.
struct Variable {
    position: u32,
    name: String,
    kind: Kind,
    /// Whether it is an address or a structure, which mean the same by another name. Numbers of one type do not.
    is_renamed: bool,
}

/// What a statement assigns or calls, whatever the variables are.
#[derive(Clone, PartialEq, Eq, Hash)]
enum Root {
    Member(Type, Vec<Value>),
    Callee(Value),
}

/// What an instruction of a statement is made of.
#[derive(PartialEq, Eq, Hash)]
enum Part {
    Code(Option<u32>, Type, Option<Type>, u64),
    /// Another instruction of the statement.
    Inner(u32),
    /// A variable.
    Leaf(usize),
    Outside(Value),
}

/// What a variable of a statement must be elsewhere: numbers have the same name, too.
type Wanted = (Kind, Option<String>);

/// A statement without its variables.
type Shape = (Vec<Part>, Vec<Wanted>);

/// A statement in its function.
struct Sample {
    function: usize,
    spot: (u32, u32),
    place: Place,
    /// Its variables, by their numbers in that function.
    leaves: Vec<usize>,
    /// What the statements before and behind it assign or call.
    around: [Option<Root>; 2],
}

/// All statements of a unit with the same shape, in the order of its functions.
struct Group {
    wanted: Vec<Wanted>,
    samples: Vec<Sample>,
    n_functions: usize,
}

/// A statement with variables of another function.
struct Donor<'a> {
    sample: &'a Sample,
    group: usize,
    /// The positions of the variables that take the places of its own.
    leaves: Vec<u32>,
    /// The greatest is the likeliest to be missing: neighbours that the function has, the same names, how many functions have it, how near it is.
    score: (usize, bool, usize, Reverse<usize>),
}

/// The statements of a unit, and the variables of its functions.
#[derive(Default)]
struct Unit {
    variables: Vec<Vec<Variable>>,
    groups: Vec<Group>,
    /// What each function assigns and calls.
    roots: Vec<HashSet<Root>>,
    /// Its statements, each with the positions of its variables.
    own: Vec<HashSet<(usize, Vec<u32>)>>,
    /// Groups by what their first variable must be.
    by_first: HashMap<Wanted, Alike>,
}

/// Groups with one kind of first variable.
#[derive(Default)]
struct Alike {
    /// In the order of the functions in which they stand first.
    all: Vec<usize>,
    /// Those that most functions have.
    common: Vec<usize>,
}

/// Adds the donors of each function in the unit's source to its operations. Headers are in several units, which have other siblings.
pub fn add(files: &Files, functions: &[Value], sites: &mut [FunctionSites]) {
    let unit = Unit::of(files, functions, sites);
    let has_statement = |one: &OperationSite| matches!(one.kind, OperationKind::Statement { .. });
    for index in 0..sites.len() {
        if !files.is_source(sites[index].place.file) || !sites[index].operations.iter().any(has_statement) {
            continue;
        }
        let chosen = unit.donors(index);
        let contents: Vec<u64> = chosen.iter().map(|donor| sites[donor.sample.function].content_hash).collect();
        let is_copied = |one: &&OperationSite| matches!(one.kind, OperationKind::Statement { copy: Some(_) });
        let n_copies = sites[index].operations.iter().filter(is_copied).count() as u32;
        for ((copy, donor), content_hash) in (n_copies..).zip(chosen).zip(contents) {
            let operation = unit.operation(index, &donor, copy, content_hash, &mut sites[index].variables);
            sites[index].operations.push(operation);
        }
    }
}

impl Unit {
    fn of(files: &Files, functions: &[Value], sites: &[FunctionSites]) -> Unit {
        let mut unit = Unit::default();
        let mut known: HashMap<Shape, usize> = HashMap::new();
        for (index, (function, sites)) in functions.iter().zip(sites).enumerate() {
            let body = Body::of(*function);
            unit.variables.push(variables(&body));
            unit.roots.push(HashSet::new());
            unit.own.push(HashSet::new());
            if files.is_source(sites.place.file) {
                unit.function(index, &body, sites, &mut known);
            }
        }
        for (number, group) in unit.groups.iter_mut().enumerate() {
            group.samples.sort_by_key(|sample| (sample.function, sample.spot));
            let functions: HashSet<usize> = group.samples.iter().map(|sample| sample.function).collect();
            group.n_functions = functions.len();
            if let Some(first) = group.wanted.first() {
                unit.by_first.entry(first.clone()).or_default().all.push(number);
            }
        }
        for alike in unit.by_first.values_mut() {
            alike.all.sort_by_key(|group| unit.groups[*group].samples.first().map(|sample| sample.function));
            alike.common = alike.all.clone();
            alike.common.sort_by_key(|group| Reverse(unit.groups[*group].n_functions));
            alike.common.truncate(MOST_COMMON);
        }
        unit
    }

    fn function(&mut self, index: usize, body: &Body, sites: &FunctionSites, known: &mut HashMap<Shape, usize>) {
        let statements: Vec<(&OperationSite, Statement)> =
            sites.operations.iter().filter_map(|site| Some((site, statement(site)?))).collect();
        let roots: Vec<Option<Root>> = statements.iter().map(|(_, statement)| root(body, statement)).collect();
        self.roots[index] = roots.iter().flatten().cloned().collect();
        for (at, (site, statement)) in statements.iter().enumerate() {
            let Some((shape, leaves)) = shape(body, *statement, &self.variables[index]) else { continue };
            let positions = leaves.iter().map(|leaf| self.variables[index][*leaf].position).collect();
            let wanted = shape.1.clone();
            let group = *known.entry(shape).or_insert_with(|| {
                self.groups.push(Group { wanted, samples: Vec::new(), n_functions: 0 });
                self.groups.len() - 1
            });
            self.own[index].insert((group, positions));
            let around = [at.checked_sub(1), Some(at + 1)].map(|at| roots.get(at?)?.clone());
            let spot = (statement.first, statement.end);
            let sample = Sample { function: index, spot, place: site.place, leaves, around };
            if site.place.file == sites.place.file {
                self.groups[group].samples.push(sample);
            }
        }
    }

    /// The donors of a function, the likeliest first.
    fn donors(&self, index: usize) -> Vec<Donor<'_>> {
        let mut found: Vec<Donor> = Vec::new();
        let mut seen: HashSet<&Wanted> = HashSet::new();
        let wanted: Vec<Wanted> = self.variables[index].iter().map(wanted).collect();
        for first in wanted.iter().filter(|first| seen.insert(first)) {
            for group in self.near(index, first) {
                found.extend(self.best(index, group).into_iter().flat_map(|sample| self.fitted(index, group, sample)));
            }
        }
        let is_new = |donor: &Donor| !self.own[index].contains(&(donor.group, donor.leaves.clone()));
        found.retain(is_new);
        found.sort_by_key(|donor| (Reverse(donor.score), donor.sample.place.line, donor.sample.place.column));
        found.truncate(MOST);
        found
    }

    /// The groups with this kind of first variable that are looked at for a function, each once.
    fn near(&self, index: usize, first: &Wanted) -> Vec<usize> {
        let Some(Alike { all, common }) = self.by_first.get(first) else { return Vec::new() };
        let begins = |group: &usize| self.groups[*group].samples.first().is_some_and(|sample| sample.function < index);
        let at = all.partition_point(begins);
        let near = &all[at.saturating_sub(MOST_NEAR)..(at + MOST_NEAR).min(all.len())];
        let known: HashSet<&usize> = near.iter().collect();
        near.iter().chain(common.iter().filter(|group| !known.contains(group))).copied().collect()
    }

    /// The statement of a group that stands beside what the function has, or else in the nearest function.
    fn best(&self, index: usize, group: usize) -> Option<&Sample> {
        let samples = &self.groups[group].samples;
        let near = samples.partition_point(|sample| sample.function < index);
        let range = near.saturating_sub(MOST_SAMPLES)..(near + MOST_SAMPLES).min(samples.len());
        samples[range].iter().max_by_key(|sample| {
            (self.n_related(index, sample), Reverse(sample.function.abs_diff(index)), Reverse(sample.spot))
        })
    }

    /// How many of the statements around one have their like in a function.
    fn n_related(&self, index: usize, sample: &Sample) -> usize {
        sample.around.iter().flatten().filter(|root| self.roots[index].contains(root)).count()
    }

    /// A statement with a function's variables: those of the same names, or else each that fits.
    fn fitted<'u>(&'u self, index: usize, group: usize, sample: &'u Sample) -> Vec<Donor<'u>> {
        let (own, there) = (&self.variables[index], &self.variables[sample.function]);
        let is_here = sample.function == index;
        let mut chosen: Vec<Vec<u32>> = vec![Vec::new()];
        let mut has_names = true;
        let mut is_changed = false;
        for leaf in &sample.leaves {
            let leaf = &there[*leaf];
            let same = |one: &&Variable| one.kind == leaf.kind && one.name == leaf.name;
            let other = |one: &&Variable| one.kind == leaf.kind && one.name != leaf.name && leaf.is_renamed;
            let others = || own.iter().filter(other).take(MOST_RENAMED).map(|one| one.position).collect::<Vec<_>>();
            let named = own.iter().find(same).map(|one| vec![one.position]);
            // In its own function one variable is another one.
            let is_kept = named.is_some() && (!is_here || is_changed || !leaf.is_renamed);
            let choices = if is_kept { named.unwrap_or_default() } else { others() };
            has_names &= is_kept;
            is_changed |= !is_kept;
            let n_choices = if chosen.len() > 1 { 1 } else { choices.len() };
            let longer = |made: &Vec<u32>| {
                let with = |position: &u32| made.iter().copied().chain([*position]).collect::<Vec<u32>>();
                choices.iter().take(n_choices).map(with).collect::<Vec<_>>()
            };
            chosen = chosen.iter().flat_map(longer).collect();
        }
        let n_functions = self.groups[group].n_functions.min(MOST_COUNTED);
        let distance = Reverse(sample.function.abs_diff(index));
        let score = (self.n_related(index, sample), has_names, n_functions, distance);
        let is_plain = |leaves: &Vec<u32>| leaves.iter().collect::<HashSet<_>>().len() == leaves.len();
        let all = chosen.into_iter().filter(is_plain);
        all.map(|leaves| Donor { sample, group, leaves, score }).collect()
    }

    fn operation(
        &self,
        index: usize,
        donor: &Donor,
        copy: u32,
        content_hash: u64,
        named: &mut Vec<VariableSite>,
    ) -> OperationSite {
        let there = donor.sample.leaves.iter().map(|leaf| &self.variables[donor.sample.function][*leaf]);
        let leaves: Vec<(u32, u32)> = there.clone().map(|one| one.position).zip(donor.leaves.iter().copied()).collect();
        let own = |position: u32| self.variables[index].iter().find(|one| one.position == position);
        let names = there.zip(&donor.leaves).filter_map(|(there, here)| Some([&there.name, &own(*here)?.name]));
        let others: Vec<u32> = names.flatten().map(|name| number(named, name)).collect();
        let kind = OperationKind::Donor { copy, content_hash, n_others: others.len() as u32 };
        let donated =
            Donated { function: donor.sample.function, first: donor.sample.spot.0, end: donor.sample.spot.1, leaves };
        let spot = OperationSpot::Donor(Box::new(donated));
        OperationSite { piece: 0, place: donor.sample.place, node: None, kind, others, spot }
    }
}

/// The number of a name among what operations name.
fn number(named: &mut Vec<VariableSite>, name: &str) -> u32 {
    let is_it = |one: &VariableSite| one.name == name && one.type_name.is_empty() && one.storage == Storage::Inside;
    let number = named.iter().position(is_it).unwrap_or(named.len());
    if number == named.len() {
        named.push(VariableSite { name: name.to_owned(), type_name: String::new(), step: 0, storage: Storage::Inside });
    }
    number as u32
}

/// The variables of a function that have names of their own.
fn variables(body: &Body) -> Vec<Variable> {
    let mut found: Vec<Variable> = Vec::new();
    let mut times: HashMap<String, usize> = HashMap::new();
    for position in body.range(0) {
        let slot = body.at(position);
        let Some(info) = slot.is(LLVMOpcode::LLVMAlloca).then(|| Info::variable_of(slot)).flatten() else { continue };
        *times.entry(info.name()).or_default() += 1;
        let Some(kind) = info.base().filter(|_| !info.is_artificial() && !nodes::is_made_up(slot)) else { continue };
        let is_renamed = kind.is_pointer() || kind.is_structure() || kind.is_union();
        let kind = (kind.plain(), kind.qualifiers());
        found.push(Variable { position, name: info.name(), kind, is_renamed });
    }
    found.retain(|one| !one.name.is_empty() && times[&one.name] == 1);
    found
}

fn wanted(variable: &Variable) -> Wanted {
    (variable.kind.clone(), (!variable.is_renamed).then(|| variable.name.clone()))
}

/// The statement that an operation is, if it does the same elsewhere.
fn statement(site: &OperationSite) -> Option<Statement> {
    match (site.kind, &site.spot) {
        (OperationKind::Statement { copy: Some(_) }, OperationSpot::Around(first, end)) => {
            Some(Statement { first: *first, last: end - 1, end: *end })
        }
        _ => None,
    }
}

/// A statement's shape, and its variables in the order of their use; `None` where it uses something else of the frame, or no variable.
fn shape(body: &Body, statement: Statement, variables: &[Variable]) -> Option<(Shape, Vec<usize>)> {
    let positions = statement.first..statement.end;
    let inner: HashMap<Value, u32> = positions.clone().zip(0..).map(|(at, number)| (body.at(at), number)).collect();
    let numbers: HashMap<Value, usize> = variables.iter().map(|one| body.at(one.position)).zip(0..).collect();
    let (mut parts, mut leaves) = (Vec::new(), Vec::new());
    for value in positions.map(|position| body.at(position)) {
        let source = value.is(LLVMOpcode::LLVMGetElementPtr).then(|| value.element_source());
        parts.push(Part::Code(value.opcode().map(|opcode| opcode as u32), value.kind(), source, detail(value)));
        for operand in value.operands() {
            parts.push(match (inner.get(&operand), numbers.get(&operand)) {
                (Some(number), _) => Part::Inner(*number),
                (_, Some(variable)) => {
                    let known = leaves.iter().position(|leaf| leaf == variable);
                    let number = known.unwrap_or(leaves.len());
                    if number == leaves.len() {
                        leaves.push(*variable);
                    }
                    Part::Leaf(number)
                }
                _ if is_anywhere(operand) => Part::Outside(operand),
                _ => return None,
            });
        }
    }
    debug_assert!(statements::leaves(body, statement).is_some_and(|all| all.len() == leaves.len()));
    let wanted = leaves.iter().map(|leaf| wanted(&variables[*leaf])).collect();
    (!leaves.is_empty()).then_some(((parts, wanted), leaves))
}

/// Whether a value is a constant that means something in all functions: no label's address.
fn is_anywhere(value: Value) -> bool {
    value.is_constant() && llvm!(LLVMIsABlockAddress(value.0)).is_null()
}

/// What a statement assigns or calls.
fn root(body: &Body, statement: &Statement) -> Option<Root> {
    let acts = (statement.first..statement.end).rev().map(|position| body.at(position));
    let last = acts.into_iter().find(|value| value.is(LLVMOpcode::LLVMStore) || value.is(LLVMOpcode::LLVMCall))?;
    if last.is(LLVMOpcode::LLVMCall) {
        return last.called_function().filter(|callee| !callee.is_intrinsic()).map(Root::Callee);
    }
    let step = last.operand(1).filter(|target| target.is(LLVMOpcode::LLVMGetElementPtr))?;
    let path: Vec<Value> = step.operands().into_iter().skip(1).collect();
    path.iter().all(|index| index.is_constant()).then(|| Root::Member(step.element_source(), path))
}
