//! `suspect mutate`: value mutants of a recorded run's program, tried on its tests.

use std::collections::BTreeMap;
use std::io::Write;
use std::path::Path;
use std::time::Instant;

use serde::Serialize;

use super::args::{MutateArguments, OutputFormat};
use super::exit::{Exit, Failure};
use super::files::write_json;
use super::progress::StatusLine;
use crate::campaign::{Counts, Summary};
use crate::mutation::{ValuesRequest, mutate_values};
use crate::progress::Progress;
use crate::store::Run;
use crate::suite_run::Session;

/// Runs the trials that the arguments ask for and that have not been run.
pub fn mutate(root: &Path, arguments: &MutateArguments, out: &mut impl Write) -> Result<(), Failure> {
    let session = Session::latest(root)?;
    session.suite()?;
    let _reading = session.store.lock_shared()?;
    let progress = StatusLine::new();
    let began = Instant::now();
    let request = ValuesRequest::from(arguments);
    let done = mutate_values(&session, &request, &progress, &mut |said| progress.say(&said));
    progress.clear();
    let (summary, seconds) = (done?, began.elapsed().as_secs_f64());
    let written = match arguments.format {
        OutputFormat::Text => summarise(&session.run, &summary, seconds, out),
        OutputFormat::Json => write_json(&Tried::of(&session.run, &summary, seconds), out),
    };
    written.map_err(Failure::of(Exit::File))
}

/// What came of a campaign, for programs; tests by name.
#[derive(Serialize)]
struct Tried<'s> {
    seconds: f64,
    /// Nodes that were mutated.
    nodes: usize,
    /// Trials that there are for these tests and nodes.
    planned: usize,
    done_before: usize,
    #[serde(flatten)]
    counts: Counts,
    /// Trials that were not run, by test.
    not_run: BTreeMap<&'s str, usize>,
    /// Why tests had no trials.
    refused: BTreeMap<&'s str, &'s str>,
    /// Why each trial of a test needs a process tree of its own.
    unforkable: BTreeMap<&'s str, &'s str>,
}

impl<'s> Tried<'s> {
    fn of(run: &'s Run, summary: &'s Summary, seconds: f64) -> Tried<'s> {
        let reasons = |tests: &'s BTreeMap<u32, String>| {
            tests.iter().map(|(test, why)| (name(run, *test), why.as_str())).collect()
        };
        Tried {
            seconds,
            nodes: summary.n_nodes,
            planned: summary.planned,
            done_before: summary.done_before,
            counts: summary.counts,
            not_run: summary.not_run.iter().map(|(test, n)| (name(run, *test), *n)).collect(),
            refused: reasons(&summary.refused),
            unforkable: reasons(&summary.unforkable),
        }
    }
}

fn name(run: &Run, test: u32) -> &str {
    run.manifest.tests.get(test as usize).map_or("?", |test| test.name.as_str())
}

fn summarise(run: &Run, summary: &Summary, seconds: f64, out: &mut impl Write) -> std::io::Result<()> {
    let counts = &summary.counts;
    let before = match summary.done_before {
        0 => String::new(),
        n => format!(" ({n} had been run before)"),
    };
    writeln!(
        out,
        "{} trials of {} nodes in {seconds:.1} s, {:.0} a second{before}: {} forked, {} by a process each",
        counts.trials,
        summary.n_nodes,
        counts.trials as f64 / seconds.max(1e-9),
        counts.forked,
        counts.trials - counts.forked
    )?;
    writeln!(
        out,
        "{} changed what the test looks at; {} crashed, {} were cut for running too long, {} say nothing, {} changed no value",
        counts.output_changed, counts.crashed, counts.cut, counts.unknown, counts.unapplied
    )?;
    if summary.n_unstable > 0 {
        writeln!(
            out,
            "{} nodes are not observed in some test: their values differ between its runs",
            summary.n_unstable
        )?;
    }
    for (test, why) in &summary.refused {
        writeln!(out, "not used: {}: {why}", name(run, *test))?;
    }
    if !summary.refused.is_empty() {
        writeln!(out, "--fresh begins again, with those tests too if they can be used by then")?;
    }
    for (why, tests) in by_reason(&summary.unforkable) {
        let tests: Vec<&str> = tests.iter().map(|test| name(run, *test)).collect();
        writeln!(out, "a process for each trial of {}: {why}", listed(&tests))?;
    }
    if summary.unforkable.is_empty() && counts.forked > 0 && counts.forked < counts.trials {
        writeln!(out, "a process for each trial that did what a fork cannot keep apart from the test's own run")?;
    }
    let missing: usize = summary.not_run.values().sum();
    if missing > 0 {
        writeln!(
            out,
            "{missing} of {} trials were not run: each node has its first {} of up to {} mutants on every test; \
             the same command goes on from here",
            summary.planned, summary.whole_rounds, summary.n_rounds
        )?;
    }
    Ok(())
}

/// Tests by why they are so.
fn by_reason(tests: &BTreeMap<u32, String>) -> BTreeMap<&str, Vec<u32>> {
    let mut reasons: BTreeMap<&str, Vec<u32>> = BTreeMap::new();
    tests.iter().for_each(|(test, why)| reasons.entry(why).or_default().push(*test));
    reasons
}

/// Some names, and how many more there are.
fn listed(names: &[&str]) -> String {
    const NAMED: usize = 3;
    match names.len().saturating_sub(NAMED) {
        0 => names.join(", "),
        more => format!("{} and {more} more", names[..NAMED].join(", ")),
    }
}
