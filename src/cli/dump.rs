//! `suspect dump`: any file that suspect wrote, for people.

use std::io::Write;
use std::path::Path;

use super::args::DumpArguments;
use super::exit::{Exit, Failure};
use crate::store::{TrialEnd, TrialRecord, scan_trials};

/// Writes each file's content as text.
pub fn dump(start: &Path, arguments: &DumpArguments, out: &mut impl Write) -> Result<(), Failure> {
    for file in &arguments.files {
        let path = start.join(file);
        if path.extension().is_some_and(|extension| extension == "trials") {
            dump_trials(&path, out)?;
        } else {
            crate::trace::dump(&path, out).map_err(Failure::of(Exit::File))?;
        }
    }
    Ok(())
}

/// One line for each trial, in the order in which they ended.
fn dump_trials(path: &Path, out: &mut impl Write) -> Result<(), Failure> {
    let unreadable = |error| Failure::new(Exit::File, format!("cannot read {}: {error}", path.display()));
    let bytes = std::fs::read(path).map_err(unreadable)?;
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
    let end = match record.end {
        TrialEnd::Exited(status) => format!("exited {status}"),
        TrialEnd::Signalled(signal) => format!("signal {signal}"),
        TrialEnd::Cut => "cut".to_string(),
        TrialEnd::Unknown => "unknown".to_string(),
    };
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
