//! Chains of causes for the failing tests of a night, each looked for by a process of its own, so that one that takes too long or too much
//! costs nothing but itself.

use std::ffi::OsString;
use std::io::Write;
use std::time::Duration;

use crate::cli::exit::{Exit, Failure};
use crate::cli::streams::say;
use crate::exec::interrupt;
use crate::exec::{Command, Outcome, Status};
use crate::explain::chains;
use crate::report::{Explanation, RankingReport, shell_word, write_explanation};
use crate::source::SourceTree;
use crate::store::{Store, TestRecord};
use crate::suite_run::Session;

/// Time for one where a night has no budget, and the least that is worth a start.
const TIME: (Duration, Duration) = (Duration::from_secs(60), Duration::from_secs(1));

/// Explains one failing test of each group, within this time if there is a limit, and writes the chains; tells what was not explained, and why.
pub fn explain(
    session: &Session,
    ranking: &RankingReport,
    within: Option<Duration>,
    out: &mut dyn Write,
) -> Result<Vec<String>, Failure> {
    let chains = chains(session, ranking)?;
    let sources = SourceTree::of(session.store.root(), &session.run.program);
    for explanation in &chains.taken_over {
        tell(&sources, explanation, out)?;
    }
    let mut missing = Vec::new();
    if chains.n_left > 0 {
        missing.push(format!("why tests of {} groups of failing tests fail", chains.n_left));
    }
    let began = std::time::Instant::now();
    for (at, test) in chains.due.iter().enumerate() {
        let left = within.map(|within| within.saturating_sub(began.elapsed()) / (chains.due.len() - at) as u32);
        let limit = left.unwrap_or(TIME.0).min(TIME.0);
        let why = match limit >= TIME.1 && !interrupt::happened() {
            true => one(&session.store, test, limit, out)?,
            false => Some("there was no time".to_string()),
        };
        let command = format!("suspect explain {}", shell_word(&test.name));
        missing.extend(why.map(|why| format!("why {} fails: {why}: `{command}`", test.name)));
    }
    Ok(missing)
}

/// Writes an explanation that was taken over.
fn tell(sources: &SourceTree, explanation: &Explanation, mut out: &mut dyn Write) -> Result<(), Failure> {
    let line = |file: &str, line: u32| sources.line(file, line);
    let written = writeln!(out).and_then(|()| write_explanation(explanation, line, &mut out));
    written.map_err(Failure::of(Exit::File))
}

/// Explains a test; why it could not, if it could not.
fn one(store: &Store, test: &TestRecord, limit: Duration, out: &mut dyn Write) -> Result<Option<String>, Failure> {
    say!("suspect: looking for the causes of {}, for {} s at most", test.name, limit.as_secs());
    let program = std::env::current_exe().map_err(Failure::of(Exit::Internal))?;
    let mut words: Vec<OsString> = vec![program.into(), "-C".into(), store.root().into(), "explain".into()];
    // Looking for a change of the failing run must leave time to explain it.
    words.extend(["--budget".into(), format!("{}s", (limit / 3).as_secs().max(1)).into()]);
    words.extend(["--".into(), test.name.as_str().into()]);
    let mut command = Command::new(words, store.root());
    command.limits.wall = limit;
    let outcome = match command.run() {
        Ok(outcome) => outcome,
        Err(error) => return Ok(Some(error.to_string())),
    };
    let (done, finding) = (i32::from(Exit::Success as u8), i32::from(Exit::Finding as u8));
    match outcome.status {
        Status::Exited(status) if status == done || status == finding => {
            let written = writeln!(out).and_then(|()| out.write_all(&outcome.stdout.bytes));
            written.map_err(Failure::of(Exit::File))?;
            Ok(None)
        }
        Status::TimedOut => Ok(Some(format!("not found within {} s", limit.as_secs()))),
        status => Ok(Some(last_words(&outcome).unwrap_or_else(|| status.to_string()))),
    }
}

/// The last line that a command wrote as an error.
fn last_words(outcome: &Outcome) -> Option<String> {
    let text = String::from_utf8_lossy(&outcome.stderr.bytes);
    let line = text.lines().rfind(|line| !line.trim().is_empty())?;
    Some(line.trim_start_matches("suspect: ").to_string())
}
