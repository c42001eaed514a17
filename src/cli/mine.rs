//! `suspect mine`: mended faults of a git history, a benchmark for `suspect eval`.

use std::io::Write;
use std::path::Path;

use super::args::MineArguments;
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::eval::{MINED_FILE, MineRequest, MineWatch, Mined, mine as find};
use crate::exec::interrupt;

/// Finds mended faults in a history, and says what came of its commits.
pub fn mine(start: &Path, arguments: &MineArguments, out: &mut impl Write) -> Result<(), Failure> {
    let end = arguments.until.as_deref().unwrap_or("HEAD");
    let request = MineRequest {
        repository: start.join(&arguments.repository),
        directory: start.join(&arguments.output),
        build: arguments.build.clone(),
        tests: arguments.test.clone(),
        config: arguments.config.as_ref().map(|path| start.join(path)),
        range: arguments.since.as_ref().map_or_else(|| end.to_owned(), |since| format!("{since}..{end}")),
        count: arguments.count,
        most_lines: arguments.lines,
        budget: arguments.budget,
    };
    interrupt::catch().map_err(Failure::of(Exit::Internal))?;
    let progress = StatusLine::new();
    let mined = find(&request, MineWatch { progress: &progress, line: &mut |line| writeln!(out, "{line}") })?;
    say(&mined, arguments, out).map_err(Failure::of(Exit::File))?;
    match interrupt::happened() {
        true => Err(Failure::new(Exit::Interrupted, "interrupted; the same command goes on from here")),
        false if mined.kept == 0 => {
            let journal = arguments.output.join(MINED_FILE);
            let why = format!(
                "no commit that was tried mends a fault that its tests notice{}; {} says why of each",
                counts(&mined.refused),
                journal.display()
            );
            Err(Failure::new(Exit::Baseline, why))
        }
        false => Ok(()),
    }
}

fn say(mined: &Mined, arguments: &MineArguments, out: &mut impl Write) -> std::io::Result<()> {
    let Mined { kept, tried, left, refused } = mined;
    let of = if *kept == 1 { "fault" } else { "faults" };
    writeln!(out, "{kept} {of} of {tried} commits{}; {left} commits left", counts(refused))?;
    if *kept == 0 {
        return Ok(());
    }
    let shown = arguments.output.display();
    writeln!(out, "{shown} can be evaluated: suspect eval {shown} --methods all_evidence,ochiai --search-budget 60s")
}

/// How many commits are no faults, by reason, behind what is said before.
fn counts(refused: &[(&'static str, usize)]) -> String {
    let refused: Vec<String> = refused.iter().map(|(reason, number)| format!("{number} {reason}")).collect();
    if refused.is_empty() { String::new() } else { format!("; {}", refused.join(", ")) }
}
