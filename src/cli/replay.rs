//! `suspect replay`: one claim of a ranking repeated, each test as one run by the reference executor.

use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use super::args::{OutputFormat, ReplayArguments};
use super::exit::{Exit, Failure};
use super::files::write_json;
use super::progress::StatusLine;
use crate::campaign::Prepare;
use crate::exec::interrupt;
use crate::mutation::{Endless, say_uncontained, workbench};
use crate::ranking::{Claims, KeptClaim, Repeated, repeat};
use crate::report::{Claim, Effect, change_of};
use crate::suite::find_test;
use crate::suite_run::Session;
use crate::trial::{Executors, Watched, Written};

/// Repeats a claim, or prints it as a patch.
pub fn replay(root: &Path, arguments: &ReplayArguments, out: &mut impl Write) -> Result<(), Failure> {
    let session = Session::latest(root)?;
    let Session { store, run, .. } = &session;
    let claims = Claims::load(&session)?;
    let claim = claims.find(&arguments.id)?;
    let shown = &claim.shown;
    if arguments.patch {
        return out.write_all(patch(shown)?.as_bytes()).map_err(Failure::of(Exit::File));
    }
    let tests = chosen(claim, arguments)?;
    let mutant = claim.mutant().ok_or_else(|| {
        Failure::new(
            Exit::Store,
            format!("{} changes what this version of suspect does not know: rank again", shown.id),
        )
    })?;
    session.suite()?;
    let _reading = store.lock_shared()?;
    session.check_ready()?;
    let bench = workbench(&session, Executors::Exec, Watched::Output, arguments.allow_unsafe, &Endless::of(run)?)?;
    let mut worker = bench.worker()?;
    say_uncontained(&bench, &StatusLine::new());
    let is_text = arguments.format == OutputFormat::Text;
    if is_text {
        writeln!(out, "{}:{}: {} [{}]", shown.file, shown.line, change_of(shown), shown.id)
            .map_err(Failure::of(Exit::File))?;
    }
    // All first runs come before all second ones, which may have to wait for another second of the clock: so it is waited for once.
    let progress = StatusLine::new();
    interrupt::catch().map_err(Failure::of(Exit::Internal))?;
    let (n, mut begun) = (tests.len(), Vec::new());
    for at in tests.into_iter().take_while(|_| !interrupt::happened()) {
        progress.show(false, |_| format!("running tests without the change: {} of {n}", begun.len() + 1));
        begun.push((at, bench.begin(&mut worker, claim.tests[at])?));
    }
    let mut all = Vec::new();
    for (at, begun) in begun.into_iter().take_while(|_| !interrupt::happened()) {
        progress.show(false, |_| format!("running tests with the change: {} of {n}", all.len() + 1));
        let (repeated, written) = repeat(&bench, &mut worker, run, (claim, &mutant, at), begun)?;
        progress.clear();
        if is_text {
            say(&repeated, arguments.keep_output.then_some(&written), out).map_err(Failure::of(Exit::File))?;
        }
        all.push(repeated);
    }
    if !is_text {
        write_json(&AllRepeated { claim: shown, tests: &all }, out).map_err(Failure::of(Exit::File))?;
    }
    if all.len() < n {
        return Err(Failure::new(Exit::Interrupted, format!("interrupted: {} of {n} tests were repeated", all.len())));
    }
    let failed: Vec<&str> = all.iter().filter(|repeated| !repeated.holds).map(|repeated| &*repeated.test).collect();
    match failed.is_empty() {
        true => Ok(()),
        false => Err(Failure::new(Exit::Finding, format!("the claim does not hold any more: {}", failed.join(", ")))),
    }
}

fn patch(claim: &Claim) -> Result<&str, Failure> {
    claim.patch.as_deref().ok_or_else(|| {
        let message = match &claim.edit {
            Some(edit) => format!("{}: {} is not what it was when it was ranked: rank again", claim.id, edit.file),
            None => format!(
                "{}: this claim is no edit of the source: it overrides what the program computes while it runs",
                claim.id
            ),
        };
        Failure::new(Exit::Usage, message)
    })
}

/// Positions of the outcomes that are to be repeated: those of `--test`, or all.
fn chosen(claim: &KeptClaim, arguments: &ReplayArguments) -> Result<Vec<usize>, Failure> {
    let outcomes = &claim.shown.outcomes;
    if arguments.tests.is_empty() {
        return Ok((0..outcomes.len()).collect());
    }
    let position = |name: &String| {
        find_test(outcomes.iter().map(|outcome| outcome.test.as_str()), name).map_err(|no| {
            let names: Vec<&str> = outcomes.iter().map(|outcome| outcome.test.as_str()).collect();
            let message = format!("--test {name}: {no}; {} claims something of {}", claim.shown.id, names.join(", "));
            Failure::new(Exit::Usage, message)
        })
    };
    arguments.tests.iter().map(position).collect()
}

/// A claim that was repeated, for programs.
#[derive(Serialize)]
struct AllRepeated<'r> {
    claim: &'r Claim,
    tests: &'r [Repeated],
}

/// Says what came of one test, with what it wrote if that is asked for.
fn say(repeated: &Repeated, written: Option<&[Written; 2]>, out: &mut dyn Write) -> io::Result<()> {
    let words = |effect: Effect| effect.words(repeated.passed_before);
    let verdict = match (repeated.effect == repeated.claimed, repeated.claimed) {
        (true, _) => ", as claimed".to_string(),
        (false, Effect::Unknown) => "; nothing was claimed".to_string(),
        (false, claimed) => format!("; the claim was that it {}", words(claimed)),
    };
    let (test, effect) = (&repeated.test, words(repeated.effect));
    writeln!(out, "{test} {effect}{verdict} ({}; without it: {})", repeated.end, repeated.without)?;
    written.map_or(Ok(()), |written| write_output(test, written, out))
}

fn write_output(test: &str, written: &[Written; 2], out: &mut dyn Write) -> io::Result<()> {
    for (stream, written) in ["standard output", "standard error"].into_iter().zip(written) {
        if written.length == 0 {
            continue;
        }
        writeln!(out, "--- {test}: {stream}, {} bytes", written.length)?;
        out.write_all(&written.bytes)?;
        if !written.bytes.ends_with(b"\n") {
            writeln!(out)?;
        }
        if (written.bytes.len() as u64) < written.length {
            writeln!(out, "--- {} more bytes are not kept", written.length - written.bytes.len() as u64)?;
        }
    }
    Ok(())
}
