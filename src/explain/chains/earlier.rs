//! Explanations of earlier nights that hold still: both runs that they compare did the same in this night, and the code that they lead through is the same.

use std::collections::{BTreeSet, HashSet};

use crate::campaign::run_identity;
use crate::obstacle::Obstacle;
use crate::program::{Function, Program};
use crate::rank_inputs::is_same_program;
use crate::ranking::Claims;
use crate::report::{Explanation, Made, Place, age};
use crate::store::{Recorded, Run, TestRecord};
use crate::suite_run::Session;

use super::behaviour::{Behaviour, Named, NamedNode, named, unsteady};
use super::has;

/// Earlier runs that are looked at: each has what it took over from those before.
const MOST_RUNS: usize = 3;
/// The beginning of the statement that an explanation was found earlier.
const FOUND: &str = "found out ";
/// Changes elsewhere that are told.
const MOST_TOLD: usize = 3;

/// For each of these groups of tests an explanation of one of them that an earlier run has and that holds still, if there is one; keeps them as
/// this run's, too.
pub fn holding(session: &Session, groups: &[Vec<&TestRecord>]) -> Result<Vec<Explanation>, Obstacle> {
    let Session { store, run, .. } = session;
    let mut found: Vec<Explanation> = Vec::new();
    if groups.is_empty() {
        return Ok(found);
    }
    let mut earlier: Vec<u64> = store.runs()?.into_iter().filter(|number| *number < run.number).collect();
    earlier.sort_unstable_by_key(|number| std::cmp::Reverse(*number));
    let recorded = run.recorded()?;
    let claims = Claims::load(session).ok();
    // What cannot be read is explained again.
    let earlier: Vec<Run> = earlier.into_iter().take(MOST_RUNS).filter_map(|number| store.run(number).ok()?).collect();
    let unsteady_before: BTreeSet<NamedNode> = earlier.iter().flat_map(unsteady).collect();
    for before in &earlier {
        let Ok(Some(chains)) = store.load_explanations::<Vec<Explanation>>(run_identity(before)) else { continue };
        let Ok(recorded_before) = before.recorded() else { continue };
        let is_same = is_same_program(store, [before, run]);
        // What is unsteady only now may be so by a change.
        let unsteady_now = is_same.then(|| unsteady(run)).into_iter().flatten();
        let nights = Nights {
            runs: [before, run],
            recorded: [&recorded_before, &recorded],
            unsteady: unsteady_before.iter().copied().chain(unsteady_now).collect(),
            is_same,
            claims: claims.as_ref(),
        };
        for chain in chains {
            let group = groups.iter().find(|tests| has(tests, &chain.test));
            if group.is_some_and(|tests| found.iter().all(|other| !has(tests, &other.test))) {
                found.extend(nights.take_over(chain));
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

/// An earlier run and the one of this night.
struct Nights<'a> {
    runs: [&'a Run; 2],
    recorded: [&'a Recorded<'a>; 2],
    /// Nodes whose values say nothing.
    unsteady: BTreeSet<NamedNode<'a>>,
    /// True if not a byte of the program is another one.
    is_same: bool,
    /// Claims about changes of this night's program.
    claims: Option<&'a Claims>,
}

impl Nights<'_> {
    /// An explanation of the earlier run as one of this night, if it holds still: its tests ended the same, and the code that it leads through is in the same lines, is
    /// the same and did the same.
    fn take_over(&self, mut chain: Explanation) -> Option<Explanation> {
        let [before, run] = self.runs;
        let turning = self.claims.map(|claims| claims.lines_that_turn(&chain.test)).unwrap_or_default();
        if !self.is_same && !is_seen_still(&chain, &turning) {
            return None;
        }
        let others = self.others(&chain, &self.unmoved(&chain)?)?;
        chain.changed = chain.changed.into_iter().chain(others).collect::<BTreeSet<_>>().into_iter().collect();
        let at = *chain.found.get_or_insert(before.manifest.began);
        if let Some(made) = chain.made.as_mut().filter(|_| !self.is_same) {
            // Code elsewhere makes other numbers of conditions and values.
            let alone = made.option.split('=').next().unwrap_or_default().to_owned();
            chain.command = chain.command.replace(&made.option, &alone);
            made.option = alone;
        }
        let ago = age(run.manifest.began.saturating_sub(at));
        chain.trust.retain(|statement| !statement.starts_with(FOUND));
        chain.trust.push(format!("{FOUND}{ago} before this run, in which {}", as_then(&chain.changed)));
        Some(chain)
    }

    /// The functions that it leads through: those of all places that it names; `None` if one of them is other code, or in other lines, which would be wrong in it.
    /// Outside of functions, say in a header of the system, that must hold for all functions of the file.
    fn unmoved(&self, chain: &Explanation) -> Option<BTreeSet<Named<'_>>> {
        let [then, now] = self.runs.map(|run| &run.program);
        let mut found = BTreeSet::new();
        for Place { file, line } in chain.places(&then.files) {
            // What ends a function, its last brace, is no line of code.
            let (above_then, above_now) = (functions(then, &file, line), functions(now, &file, line));
            let is_unmoved = match above_then.last() {
                Some(function) => above_now.last() == Some(function),
                None => functions(then, &file, u32::MAX) == functions(now, &file, u32::MAX),
            };
            is_unmoved.then_some(())?;
            found.extend(above_then.last().map(|(_, named, _)| *named));
        }
        Some(found)
    }

    /// In words, what its tests execute, or may, and what is or did not as it was; `None` if it leads `through` such a function, or a test ended otherwise.
    fn others(&self, chain: &Explanation, through: &BTreeSet<Named>) -> Option<BTreeSet<String>> {
        let [before, run] = self.runs;
        let mut others: BTreeSet<String> = BTreeSet::new();
        for name in [Some(&chain.test), chain.made.is_none().then_some(&chain.against)].into_iter().flatten() {
            let then = Behaviour::of(before, self.recorded[0], name, &self.unsteady).ok()??;
            let now = Behaviour::of(run, self.recorded[1], name, &self.unsteady).ok()??;
            let of_this = now.others_than(&then);
            (now.is_of_the_test_of(&then) && of_this.is_disjoint(through)).then_some(())?;
            others.extend(of_this.iter().map(|(file, name)| format!("`{name}` ({file})")));
        }
        if chain.made.is_some() && !self.is_same {
            others.insert("code that the test does not execute".to_owned());
        }
        Some(others)
    }
}

/// True if what it needs beyond what its tests do was seen in this program, too, where changes on these lines make its test pass. A run without guard rails, whose
/// condition was sent another way, may have executed what is changed by now. So may one that was made to pass, but what makes a test pass is tried in every program.
fn is_seen_still(chain: &Explanation, turning: &HashSet<(&str, u32)>) -> bool {
    let makes_pass = |made: &Made| turning.contains(&(made.point.file.as_str(), made.point.line));
    chain.made.as_ref().is_none_or(makes_pass) && chain.steps.iter().all(|step| step.model != "unguided")
}

/// A statement about code and tests of a night that takes an explanation over.
fn as_then(changed: &[String]) -> String {
    if changed.is_empty() {
        return "the tests, the code that they execute, its paths and its values are as they were then".to_owned();
    }
    let told = changed.iter().take(MOST_TOLD).map(String::as_str).collect::<Vec<_>>().join(", ");
    let more = match changed.len().saturating_sub(MOST_TOLD) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    format!(
        "the tests end as they did then, and the code that this leads through is and does the same; other code does not, or may not: {told}{more}"
    )
}

/// The functions of a file that begin until this line: first line and column, last line, name, code; in this order.
fn functions<'a>(program: &'a Program, file: &str, until: u32) -> BTreeSet<([u32; 3], Named<'a>, u64)> {
    let is_there = |function: &&Function| function.place.line <= until && named(program, function).0 == file;
    let of = |function: &'a Function| {
        let lines = [function.place.line, function.place.column, function.last_line];
        (lines, named(program, function), function.content_hash)
    };
    program.functions.iter().filter(is_there).map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Point, Step};

    #[test]
    fn a_run_that_was_made_counts_in_another_program_if_a_change_there_makes_it_pass() {
        let step = |model: &str| Step { model: model.into(), ..Step::default() };
        let chain = |model: &str| Explanation { steps: vec![step("exact"), step(model)], ..Explanation::default() };
        let (none, third) = (HashSet::new(), HashSet::from([("a.c", 3)]));
        assert!(is_seen_still(&chain("approximate"), &none) && !is_seen_still(&chain("unguided"), &third));
        let made = |line| {
            let point = Point { file: "a.c".into(), line, ..Point::default() };
            Explanation { made: Some(Made { point, ..Made::default() }), ..chain("exact") }
        };
        let seen = [(3, &third), (4, &third), (3, &none)].map(|(line, turning)| is_seen_still(&made(line), turning));
        assert_eq!(seen, [true, false, false]);
    }
}
