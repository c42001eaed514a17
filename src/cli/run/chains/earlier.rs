//! Explanations of earlier nights that hold still, because both runs that they compare did the same in this night, or would: in the same program.

use std::collections::BTreeSet;

use suspect_format::abi::Mode;
use suspect_format::site::ValueClass;
use suspect_format::trace::HASH_START;

use crate::campaign::run_identity;
use crate::cli::exit::Failure;
use crate::cli::kills::{mix, text};
use crate::cli::search::is_same_program;
use crate::program::{Function, Program};
use crate::report::{Explanation, age};
use crate::store::{Recorded, Run, Store, TestRecord};

use super::has;

/// Earlier runs that are looked at: each has what it took over from those before.
const MOST_RUNS: usize = 3;
/// How the statement begins that says so.
const FOUND: &str = "found out ";

/// For each of these groups of tests an explanation of one of them that an earlier run has and that holds still, if there is one; keeps them as
/// this run's, too.
pub fn holding(store: &Store, run: &Run, groups: &[Vec<&TestRecord>]) -> Result<Vec<Explanation>, Failure> {
    let mut found: Vec<Explanation> = Vec::new();
    if groups.is_empty() {
        return Ok(found);
    }
    let mut earlier: Vec<u64> = store.runs()?.into_iter().filter(|number| *number < run.number).collect();
    earlier.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
    let recorded = run.recorded()?;
    for number in earlier.into_iter().take(MOST_RUNS) {
        // What cannot be read is explained again.
        let Some(before) = store.run(number).ok().flatten() else { continue };
        let Ok(Some(chains)) = store.load_explanations::<Vec<Explanation>>(run_identity(&before)) else { continue };
        let Ok(recorded_before) = before.recorded() else { continue };
        let is_same = is_same_program(store, [&before, run]);
        let unsteady = &unsteady(&before.program, &before.manifest.unstable_nodes)
            | &self::unsteady(&run.program, &run.manifest.unstable_nodes);
        for mut chain in chains {
            let group = groups.iter().find(|tests| has(tests, &chain.test));
            let is_due = group.is_some_and(|tests| found.iter().all(|other| !has(tests, &other.test)));
            let did_the_same = |name: &&String| {
                let of = |run, recorded| deed(run, recorded, name, &unsteady);
                let deeds = (of(&before, &recorded_before), of(run, &recorded));
                matches!(deeds, (Ok(Some(then)), Ok(Some(now))) if then == now)
            };
            let is_fit = is_due && (is_of_two_tests(&chain) || is_same);
            let tests = [Some(&chain.test), chain.made.is_none().then_some(&chain.against)];
            if is_fit && tests.iter().flatten().all(did_the_same) {
                let at = *chain.found.get_or_insert(before.manifest.began);
                let ago = age(run.manifest.began.saturating_sub(at));
                chain.trust.retain(|statement| !statement.starts_with(FOUND));
                chain.trust.push(format!(
                    "{FOUND}{ago} before this run, in which the tests, the code that they execute, its paths and its values are as they \
                     were then"
                ));
                found.push(chain);
            }
        }
    }
    if !found.is_empty() {
        let identity = run_identity(run);
        let mut all: Vec<Explanation> = store.load_explanations(identity)?.unwrap_or_default();
        all.extend(found.iter().cloned());
        store.save_explanations(identity, &all)?;
    }
    Ok(found)
}

/// Whether nothing but what two tests do is in it: a run that went another way may have executed what is changed by now.
fn is_of_two_tests(chain: &Explanation) -> bool {
    chain.made.is_none() && chain.steps.iter().all(|step| step.model != "unguided")
}

/// A node by the file and the name of its function, and its number there, which is the same in another build of the same code.
type Named<'a> = (&'a str, &'a str, u32);

/// The nodes whose values differ between runs of one night, a clock's say, and what depends on them.
fn unsteady<'a>(program: &'a Program, nodes: &[u32]) -> BTreeSet<Named<'a>> {
    nodes
        .iter()
        .filter_map(|node| named(program, &program.functions[program.nodes[*node as usize].function as usize], *node))
        .collect()
}

fn named<'a>(program: &'a Program, function: &'a Function, node: u32) -> Option<Named<'a>> {
    let file = program.files.get(function.place.file as usize).map_or("", String::as_str);
    Some((file, &function.name, node.checked_sub(function.nodes.start)?))
}

/// A hash of everything that is known of a test: itself, how it ended, the functions that it executes with their places, how often it took
/// which way, and the values, but for addresses, which are others in another build. Left out is what functions that have
/// nodes that are `unsteady` did: it differs although nothing changed. `None` where not all of that was recorded.
fn deed(run: &Run, recorded: &Recorded, name: &str, unsteady: &BTreeSet<Named>) -> Result<Option<u64>, Failure> {
    let mut tests = (0..).zip(&run.manifest.tests);
    let Some((number, test)) = tests.find(|(_, test)| test.name == name && test.passed.is_some() && test.state != 0)
    else {
        return Ok(None);
    };
    if run.manifest.mode != Mode::Values.name() {
        return Ok(None);
    }
    let Program { files, functions, nodes, .. } = &run.program;
    let execution = recorded.execution(number)?;
    let mut executed: Vec<_> = functions
        .iter()
        .filter(|function| function.pieces.clone().any(|piece| execution.pieces[piece as usize] > 0))
        .map(|function| (files.get(function.place.file as usize), function.place.line, &function.name, function))
        .collect();
    executed.sort_by_key(|(file, line, name, _)| (*file, *line, *name));
    let mut hash = text(mix(HASH_START, test.state), &test.verdict);
    for (file, _, name, function) in executed {
        hash = text(text(hash, file.map_or("", String::as_str)), name);
        let place = [function.place.line, function.place.column, function.last_line].map(u64::from);
        hash = place.into_iter().chain([function.content_hash]).fold(hash, mix);
        let is_unsteady = |node: u32| named(&run.program, function, node).is_some_and(|node| unsteady.contains(&node));
        if function.nodes.clone().any(is_unsteady) {
            continue;
        }
        hash = function.pieces.clone().fold(hash, |hash, piece| mix(hash, execution.pieces[piece as usize]));
        hash = function.edges.clone().fold(hash, |hash, edge| mix(hash, execution.edges[edge as usize]));
        for node in function.nodes.clone().map(|node| node as usize) {
            hash = mix(hash, execution.nodes[node]);
            if !matches!(nodes[node].class, ValueClass::Pointer | ValueClass::String | ValueClass::FunctionPointer) {
                hash = mix(hash, execution.trajectories[node]);
            }
        }
    }
    Ok(Some(hash))
}
