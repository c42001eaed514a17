//! `suspect mutants`: the code mutants of a program, and which tests kill them.

use std::io::{self, Write};
use std::path::Path;
use std::time::{SystemTime, UNIX_EPOCH};

use super::args::{MutantsArguments, MutantsFormat};
use super::exit::{Exit, Failure};
use super::files::write_whole;
use super::progress::StatusLine;
use crate::campaign::Verdict;
use crate::cli::streams::say;
use crate::mutant::{Class, CodeMutant};
use crate::mutation::{Catalogue, CatalogueRequest, Decisive, KillRequest, Killed, Killer, Subject, entry, subject};
use crate::program::Program;
use crate::report::{MutantEntry, MutantStatus, MutantsReport, sarif, stryker, write_mutants};
use crate::source::SourceTree;
use crate::store::Run;
use crate::suite_run::Session;

/// Lists the mutants that the arguments ask for, or runs them and reports.
pub fn mutants(root: &Path, start: &Path, arguments: &MutantsArguments, out: &mut impl Write) -> Result<(), Failure> {
    let session = Session::latest(root)?;
    let Session { store, run, .. } = &session;
    let catalogue = Catalogue::of(&session, &CatalogueRequest::from(&arguments.catalogue), None)?;
    if arguments.list || arguments.junk {
        return list(run, &catalogue, start, arguments, out);
    }
    session.suite()?;
    let _reading = store.lock_shared()?;
    let progress = StatusLine::new();
    let killer = Killer::new(&session, KillRequest::from(&arguments.kill), &progress)?;
    killer.begin()?;
    let subjects: Vec<Subject> = catalogue.chosen().map(|mutant| subject(&run.program, &[mutant])).collect();
    let decisive = if arguments.first_kill { Decisive::All } else { Decisive::None };
    let killed = killer.run(&subjects, arguments.shard, decisive)?;
    say(&killed);
    let report = report(run, &catalogue, &killer, &killed, arguments);
    write_report(&SourceTree::of(root, &run.program), start, &report, arguments, out)
}

/// Tells on standard error what was done.
fn say(killed: &Killed) {
    let summary = &killed.summary;
    let before = match summary.done_before {
        0 => String::new(),
        n => format!(" ({n} of {} were known or not needed)", summary.planned),
    };
    say!(
        "suspect: {} trials in {:.1} s, {:.0} a second{before}",
        summary.counts.trials,
        killed.seconds,
        summary.counts.trials as f64 / killed.seconds.max(1e-9)
    );
}

fn report(
    run: &Run,
    catalogue: &Catalogue,
    killer: &Killer,
    killed: &Killed,
    arguments: &MutantsArguments,
) -> MutantsReport {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_secs());
    let entries = catalogue.chosen().zip(&killed.verdicts);
    let entries: Vec<MutantEntry> =
        entries.map(|(mutant, verdict)| judged(&run.program, mutant, verdict, now)).collect();
    let title = |name: &str| Class::named(name).map_or_else(String::new, |class| class.meaning().to_string());
    let mut report = MutantsReport::new(killer.test_names(), entries, title);
    report.tests_not_used = killer.left_out(&killed.summary.refused);
    report.not_looked_at = catalogue.left_out.clone();
    let unchosen = run.manifest.tests.len() - killer.test_names().len() - killer.not_used.len();
    if unchosen > 0 {
        report.not_looked_at.push(format!("{unchosen} tests (--tests)"));
    }
    if killed.summary.not_run > 0 {
        report.not_looked_at.push(format!(
            "{} of {} trials, for want of time: the same command goes on from here",
            killed.summary.not_run, killed.summary.planned
        ));
    }
    if let Some((number, of)) = arguments.shard {
        report.not_looked_at.push(format!("mutants of other parts than {number}/{of} that have not been run"));
    }
    report
}

/// A mutant with what is known of it.
pub(super) fn judged(program: &Program, mutant: &CodeMutant, verdict: &Verdict, now: u64) -> MutantEntry {
    MutantEntry {
        status: status(verdict),
        covered_by: verdict.covered_by.clone(),
        killed_by: verdict.killed_by.clone(),
        too_long_in: verdict.too_long_in.clone(),
        same_in: verdict.same_in.clone(),
        unknown_in: verdict.unknown_in.clone(),
        not_run_in: verdict.not_run_in.clone(),
        carried_over: verdict.carried_over.map(|at| now.saturating_sub(at)),
        ..entry(program, mutant)
    }
}

fn status(verdict: &Verdict) -> MutantStatus {
    let n_covering = verdict.covered_by.len();
    match verdict {
        _ if !verdict.killed_by.is_empty() => MutantStatus::Killed,
        _ if n_covering == 0 => MutantStatus::NotCovered,
        _ if !verdict.not_run_in.is_empty() => MutantStatus::NotRun,
        _ if !verdict.unknown_in.is_empty() => MutantStatus::Unknown,
        _ if verdict.same_in.len() == n_covering => MutantStatus::Same,
        _ => MutantStatus::Survived,
    }
}

fn write_report(
    sources: &SourceTree,
    start: &Path,
    report: &MutantsReport,
    arguments: &MutantsArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let source = |name: &str| sources.text(name);
    let mut bytes = Vec::new();
    let written = match arguments.format {
        MutantsFormat::Text => write_mutants(report, arguments.top, source, &mut bytes),
        MutantsFormat::Json => json(report, &mut bytes),
        MutantsFormat::Stryker => json(&stryker(report, source), &mut bytes),
        MutantsFormat::Sarif => json(&sarif(report, source), &mut bytes),
    };
    written.map_err(Failure::of(Exit::File))?;
    publish(start, arguments, &bytes, out)
}

fn json(value: &impl serde::Serialize, out: &mut Vec<u8>) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, value)?;
    out.push(b'\n');
    Ok(())
}

/// Writes to the file that was asked for, whole or not at all, or to `out`.
fn publish(start: &Path, arguments: &MutantsArguments, bytes: &[u8], out: &mut impl Write) -> Result<(), Failure> {
    let Some(path) = &arguments.output else { return out.write_all(bytes).map_err(Failure::of(Exit::File)) };
    write_whole(&start.join(path), bytes)
}

/// The mutants before any is run, or those that are left out.
fn list(
    run: &Run,
    catalogue: &Catalogue,
    start: &Path,
    arguments: &MutantsArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let program = &run.program;
    if arguments.format == MutantsFormat::Json && !arguments.junk {
        let entries: Vec<MutantEntry> = catalogue.chosen().map(|mutant| entry(program, mutant)).collect();
        let mut bytes = Vec::new();
        json(&entries, &mut bytes).map_err(Failure::of(Exit::File))?;
        return publish(start, arguments, &bytes, out);
    }
    let mut text = String::new();
    if arguments.junk {
        for (mutant, why) in catalogue.junk() {
            let place = mutant.place;
            let file = program.files.get(place.file as usize).map_or("?", String::as_str);
            let (line, column, class) = (place.line, place.column, mutant.class.name());
            text +=
                &format!("{file}:{line}:{column}  {class}  `{}` -> `{}`: {why}\n", mutant.original, mutant.replacement);
        }
    } else {
        for mutant in catalogue.chosen() {
            let entry = entry(program, mutant);
            text += &format!(
                "{}  {}  {}() {}  [{}]\n",
                entry.place(),
                entry.class,
                entry.function,
                entry.change(),
                entry.id
            );
        }
    }
    publish(start, arguments, text.as_bytes(), out)
}
