//! `suspect dump`: any file that suspect wrote, for people.

use std::io::Write;
use std::path::Path;

use super::args::DumpArguments;
use super::exit::{Exit, Failure};
use crate::campaign::Plan;
use crate::search::{Facts, effect_of};
use crate::store::{
    Foreign, Frame, KillOutcome, KillRecord, TrialRecord, is_framed, json, list_frames, scan_kills, scan_outcomes,
    scan_trials,
};
use crate::suite::{KeptCases, KeptSuites};
use crate::trial::End;

/// Writes each file's content as text.
pub fn dump(start: &Path, arguments: &DumpArguments, out: &mut impl Write) -> Result<(), Failure> {
    arguments.files.iter().try_for_each(|file| dump_file(&start.join(file), out))
}

fn dump_file(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let directory = path.parent().and_then(Path::file_name).and_then(|name| name.to_str());
    match (path.extension().and_then(|extension| extension.to_str()), directory) {
        (Some("trials"), _) => return dump_trials(path, out),
        (Some("kills"), _) => return dump_kills(path, out),
        (Some("outcomes"), _) => return dump_outcomes(path, out),
        (Some("rec"), _) => return crate::recording::print(path, out).map_err(Failure::of(Exit::File)),
        (Some("trace"), _) => return crate::trace::dump(path, out).map_err(Failure::of(Exit::File)),
        (None, Some("sites")) => return crate::trace::dump_sites(path, out).map_err(Failure::of(Exit::File)),
        (None, Some("dependences")) => {
            return crate::trace::dump_dependences(path, out).map_err(Failure::of(Exit::File));
        }
        _ => {}
    }
    let bytes = read(path)?;
    if is_framed(&bytes) {
        let damaged = |reason| Failure::new(Exit::Store, format!("{} is damaged: {reason}", path.display()));
        let text = list_frames(&bytes, foreign).map_err(damaged)?;
        return out.write_all(text.as_bytes()).map_err(Failure::of(Exit::File));
    }
    match std::str::from_utf8(&bytes) {
        // Also an empty lock.
        Ok(text) if !text.contains('\0') => out.write_all(text.as_bytes()).map_err(Failure::of(Exit::File)),
        _ => crate::trace::dump(path, out).map_err(Failure::of(Exit::File)),
    }
}

/// Frames whose types the store does not know.
fn foreign(what: Foreign, frame: &Frame) -> Result<String, String> {
    match what {
        Foreign::Lists => json::<KeptSuites>(frame),
        Foreign::Cases => json::<KeptCases>(frame),
        Foreign::Plan => json::<Plan>(frame),
        Foreign::Facts => json::<Facts>(frame),
    }
}

/// One line for each outcome, in the order in which they were found out.
fn dump_outcomes(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let bytes = read(path)?;
    let (mut lines, mut n_outcomes) = (String::new(), 0);
    let damaged = scan_outcomes(&bytes, |record| {
        let matched = record.matched.map(|bytes| format!(", {bytes} bytes as expected")).unwrap_or_default();
        let (candidate, test, end) = (record.candidate, record.test, end_text(record.end));
        let effect = format!("{:?}", effect_of(&record)).to_lowercase();
        lines += &format!("candidate {candidate:016x} test {test}: {effect}, {end}{matched}\n");
        n_outcomes += 1;
    });
    writeln!(out, "{lines}{n_outcomes} outcomes; {damaged} parts could not be read").map_err(Failure::of(Exit::File))
}

fn read(path: &Path) -> Result<Vec<u8>, Failure> {
    std::fs::read(path).map_err(|error| Failure::new(Exit::File, format!("cannot read {}: {error}", path.display())))
}

/// One line for each result, in the order in which they were found out.
fn dump_kills(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let bytes = read(path)?;
    let mut lines = String::new();
    let mut n_results = 0;
    let damaged = scan_kills(&bytes, |record| {
        let KillRecord { key, outcome, end, build, at } = record;
        let outcome = match outcome {
            KillOutcome::Killed => "killed",
            KillOutcome::Passed => "passed",
            KillOutcome::Same => "same",
            KillOutcome::Unknown => "unknown",
        };
        let (mutant, test, state, end) = (key.mutant, key.test, key.state, end_text(end));
        lines += &format!(
            "mutant {mutant:016x} test {test:016x} state {state:016x}: {outcome}, {end}; build {build:016x} at {at}\n"
        );
        n_results += 1;
    });
    writeln!(out, "{lines}{n_results} results; {damaged} parts could not be read").map_err(Failure::of(Exit::File))
}

fn end_text(end: End) -> String {
    match end {
        End::Exited(status) => format!("exited {status}"),
        End::Signalled(signal) => format!("signal {signal}"),
        End::Cut => "cut".to_string(),
        End::Unknown => "unknown".to_string(),
    }
}

/// One line for each trial, in the order in which they ended.
fn dump_trials(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let bytes = read(path)?;
    let mut records = Vec::new();
    let damaged = scan_trials(&bytes, |found, record| records.push((found.n_nodes, record)));
    let write = |out: &mut dyn Write| -> std::io::Result<()> {
        for (n_nodes, record) in &records {
            writeln!(out, "{}", trial_line(*n_nodes, record))?;
        }
        writeln!(out, "{} trials; {damaged} parts could not be read", records.len())
    };
    write(out).map_err(Failure::of(Exit::File))
}

fn trial_line(n_nodes: u32, record: &TrialRecord) -> String {
    let key = &record.key;
    let end = end_text(record.end);
    let changed: u32 = record.changed.iter().map(|word| word.count_ones()).sum();
    let output = if record.output_changed { "other output" } else { "same output" };
    let passes = match record.passes {
        Some(true) => ", passes",
        Some(false) => ", fails",
        None => "",
    };
    let instance = if key.instance == 0 { String::new() } else { format!(" execution {}", key.instance) };
    let applied = if record.applied { "" } else { ", no value changed" };
    format!(
        "test {} node {} mutant {}{instance}: {end}, {changed} of {n_nodes} nodes changed, {output}{passes}{applied}, {} hooks",
        key.test, key.node, key.slot, record.used
    )
}
