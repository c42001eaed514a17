//! `suspect rank`: scores from a recorded run, put in order and shown with their evidence.

use std::io::{self, Write};
use std::path::Path;

use super::answer::{brief, detail, fitted, write_answer, write_long};
use super::args::{By, RankArguments, RankFormat, SearchArguments, Ties};
use super::exit::{Exit, Failure};
use super::progress::StatusLine;
use crate::exec::interrupt;
use crate::rank::{Granularity, Method, Need, TieBreak, find_method};
use crate::ranking::{ALL, RankRequest, rank as ranked, rank_spectra};
use crate::report::{RankingReport, WhyReport, write_why};
use crate::source::SourceTree;
use crate::store::Run;
use crate::suite_run::Session;

/// Places unless asked otherwise: for programs in short, as JSON.
const TOP: (usize, usize) = (5, 20);

/// Bytes of the answer for programs, which often have to pay for what they read.
const MOST_BYTES: usize = 2000;

/// Ranks and writes to `out`.
pub fn rank(root: &Path, arguments: &RankArguments, out: &mut impl Write) -> Result<(), Failure> {
    if let Some(directory) = &arguments.spectra {
        return rank_files(directory, arguments, out);
    }
    let request = RankRequest::try_from(arguments)?;
    check_options(request.method, arguments)?;
    let session = Session::latest(root)?;
    let mut answer = ranked(&session, &request, &StatusLine::new())?;
    let sources = SourceTree::of(root, &session.run.program);
    answer.keep_ranking(&session)?;
    match &answer.why {
        Some(why) => write_look(&sources, why, arguments, out)?,
        None => write_report(&sources, Some(&session.run), answer.report.clone(), arguments, out)?,
    }
    answer.keep_claims(&session)?;
    match request.method.needs.contains(&Need::Trials) && interrupt::happened() {
        false => Ok(()),
        true => {
            out.flush().map_err(Failure::of(Exit::File))?;
            let message = "interrupted: this is what was known by then; the same command goes on from here";
            Err(Failure::new(Exit::Interrupted, message))
        }
    }
}

/// Ranks what another tool's files say. Files hold nothing that changes could be tried on.
fn rank_files(directory: &Path, arguments: &RankArguments, out: &mut impl Write) -> Result<(), Failure> {
    let name = if arguments.method == ALL { "ochiai" } else { &arguments.method };
    let method = find_method(name).map_err(Failure::of(Exit::Usage))?;
    let report = rank_spectra(directory, method, tie_break(arguments.ties))?;
    write_report(&SourceTree::plain(directory), None, report, arguments, out)
}

/// Writes everything about one line.
fn write_look(
    sources: &SourceTree,
    why: &WhyReport,
    arguments: &RankArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let line = sources.line(&why.entry.file, why.entry.line);
    let written = match arguments.format {
        RankFormat::Text => {
            let mut text = Vec::new();
            write_why(why, line.as_deref(), detail(arguments.verbose), &mut text)
                .and_then(|()| out.write_all(fitted(&String::from_utf8_lossy(&text)).as_bytes()))
        }
        RankFormat::Json => {
            serde_json::to_writer_pretty(&mut *out, why).map_err(io::Error::from).and_then(|()| writeln!(out))
        }
    };
    written.map_err(Failure::of(Exit::File))
}

/// Writes a report as the arguments ask, with sources below `root`.
fn write_report(
    sources: &SourceTree,
    run: Option<&Run>,
    report: RankingReport,
    arguments: &RankArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let top = |usual: usize| arguments.top.unwrap_or(usual);
    let written = match (arguments.format, arguments.brief, arguments.verbose) {
        (_, true, _) => {
            let mut brief = brief(&report, run, sources, top(TOP.0));
            brief.keep_within(MOST_BYTES);
            serde_json::to_writer(&mut *out, &brief).map_err(io::Error::from).and_then(|()| writeln!(out))
        }
        (RankFormat::Text, false, true) => write_long(&report, arguments.top, sources, out),
        (RankFormat::Text, false, false) => write_answer(&report, run, sources, arguments.top, out),
        (RankFormat::Json, false, _) => write_json(report, top(TOP.1), out),
    };
    written.map_err(Failure::of(Exit::File))
}

fn write_json(mut report: RankingReport, top: usize, out: &mut impl Write) -> io::Result<()> {
    report.ranking.truncate(top);
    serde_json::to_writer_pretty(&mut *out, &report)?;
    writeln!(out)
}

/// What is ranked.
pub fn granularity(by: By) -> Granularity {
    match by {
        By::Line => Granularity::Line,
        By::Block => Granularity::Block,
        By::Function => Granularity::Function,
        By::Node => Granularity::Node,
        By::Predicate => Granularity::Predicate,
    }
}

/// How ties are broken.
pub fn tie_break(ties: Ties) -> TieBreak {
    match ties {
        Ties::Line => TieBreak::LineOrder,
        Ties::Average => TieBreak::Average,
        Ties::Best => TieBreak::Best,
        Ties::Worst => TieBreak::Worst,
    }
}

/// Options of some methods mean nothing to others.
fn check_options(method: &Method, arguments: &RankArguments) -> Result<(), Failure> {
    let wrong = |message: &str| Err(Failure::new(Exit::Usage, message));
    let SearchArguments { budget, jobs, no_trials, allow_unsafe } = &arguments.search;
    let of_trials = budget.is_some() || jobs.is_some() || *no_trials || *allow_unsafe;
    if method.id != "cdfl" && (arguments.parents.is_some() || arguments.unidentified.is_some()) {
        return wrong("--parents and --unidentified are for --method cdfl");
    }
    if !method.needs.contains(&Need::Trials) && of_trials {
        return wrong(
            "--budget, --jobs, --no-trials and --unsafe are for methods that try changes of the program: the default, and those \
             that `suspect methods` lists as such",
        );
    }
    Ok(())
}
