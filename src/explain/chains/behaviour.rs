//! Behaviour of a test in a recorded run, function by function, so that two builds can be compared.

use std::collections::{BTreeMap, BTreeSet};

use suspect_format::abi::Mode;
use suspect_format::site::ValueClass;
use suspect_format::trace::HASH_START;

use crate::mutation::{mix, text};
use crate::obstacle::Obstacle;
use crate::program::{Function, Program};
use crate::store::{Recorded, Run};

/// A function by its file and its name.
pub type Named<'a> = (&'a str, &'a str);

/// A node by its function, and its number there, which is the same in another build of the same code.
pub type NamedNode<'a> = (Named<'a>, u32);

/// The behaviour of a test.
#[derive(Debug)]
pub struct Behaviour<'a> {
    /// A hash of the test itself and of how it ended.
    test: u64,
    functions: BTreeMap<Named<'a>, Doing>,
}

/// The behaviour in one function, or in all functions of one file that have the same name.
#[derive(Debug, PartialEq, Eq)]
struct Doing {
    /// A hash of the function's code.
    code: u64,
    is_executed: bool,
    /// A hash of how often it took which way, and of the values, but for addresses, which are others in another build. Nothing where nodes are unsteady: what
    /// such a function does differs although nothing changed.
    did: u64,
}

impl<'a> Behaviour<'a> {
    /// Of the test called `name`. `None` where not all of that was recorded.
    pub fn of(
        run: &'a Run,
        recorded: &Recorded,
        name: &str,
        unsteady: &BTreeSet<NamedNode>,
    ) -> Result<Option<Behaviour<'a>>, Obstacle> {
        let mut tests = (0..).zip(&run.manifest.tests);
        let Some((number, test)) =
            tests.find(|(_, test)| test.name == name && test.passed.is_some() && test.state != 0)
        else {
            return Ok(None);
        };
        if run.manifest.mode != Mode::Values.name() {
            return Ok(None);
        }
        let execution = recorded.execution(number)?;
        let program = &run.program;
        let mut functions: BTreeMap<Named, Doing> = BTreeMap::new();
        for function in &program.functions {
            let named = named(program, function);
            let nothing = Doing { code: HASH_START, is_executed: false, did: HASH_START };
            let doing = functions.entry(named).or_insert(nothing);
            doing.code = mix(doing.code, function.content_hash);
            if !function.pieces.clone().any(|piece| execution.pieces[piece as usize] > 0) {
                continue;
            }
            doing.is_executed = true;
            if (0..function.nodes.len() as u32).any(|node| unsteady.contains(&(named, node))) {
                continue;
            }
            let counts =
                |of: &[u64], hash, at: std::ops::Range<u32>| at.fold(hash, |hash, at| mix(hash, of[at as usize]));
            let hash = counts(&execution.pieces, doing.did, function.pieces.clone());
            let hash = counts(&execution.edges, hash, function.edges.clone());
            doing.did = function.nodes.clone().map(|node| node as usize).fold(hash, |hash, node| {
                let hash = mix(hash, execution.nodes[node]);
                match program.nodes[node].class {
                    ValueClass::Pointer | ValueClass::String | ValueClass::FunctionPointer => hash,
                    _ => mix(hash, execution.trajectories[node]),
                }
            });
        }
        Ok(Some(Behaviour { test: text(mix(HASH_START, test.state), &test.verdict), functions }))
    }

    /// True if the test is the one that it was, and ended so.
    pub fn is_of_the_test_of(&self, then: &Behaviour) -> bool {
        self.test == then.test
    }

    /// The functions that it executes, or did, and that have other code now, or did something else.
    pub fn others_than(&self, then: &Behaviour<'a>) -> BTreeSet<Named<'a>> {
        let all = self.functions.keys().chain(then.functions.keys());
        let is_executed = |doing: Option<&Doing>| doing.is_some_and(|doing| doing.is_executed);
        let is_other = |named: &&Named| {
            let (then, now) = (then.functions.get(*named), self.functions.get(*named));
            (is_executed(then) || is_executed(now)) && then != now
        };
        all.filter(is_other).copied().collect()
    }
}

/// The nodes whose values differed between runs of one night, a clock's say, and what depends on them.
pub fn unsteady(run: &Run) -> BTreeSet<NamedNode<'_>> {
    let program = &run.program;
    let of = |node: &u32| {
        let function = &program.functions[program.nodes[*node as usize].function as usize];
        Some((named(program, function), node.checked_sub(function.nodes.start)?))
    };
    run.manifest.unstable_nodes.iter().filter_map(of).collect()
}

/// The name of a function.
pub fn named<'a>(program: &'a Program, function: &'a Function) -> Named<'a> {
    (program.files.get(function.place.file as usize).map_or("", String::as_str), &function.name)
}
