//! `suspect rank`: scores from a recorded run, put in order and shown with their evidence.

mod explain;
mod innocents;
mod known;
mod tried;
mod watch;
mod why;

use std::collections::BTreeSet;
use std::io::{self, Write};
use std::path::Path;

use super::args::{By, ParentsArgument, RankArguments, RankFormat, SearchArguments, Ties};
use super::exit::{Exit, Failure};
use super::interrupt;
use super::spectra::rank_spectra;
use crate::evidence::LineFacts;
use crate::rank::{Algorithm, Granularity, Method, Need, TieBreak, Units, find_method};
use crate::rank_inputs::{CdflChoice, Chains, Coverage, MethodInput, count_tests, left_out, observe};
use crate::ranking::entries;
use crate::ranking::keep;
use crate::report::{RankingReport, SCHEMA_VERSION, TestCounts, write_ranking};
use crate::source::SourceTree;
use crate::store::{Run, Store};
use explain::{Explainer, lines_left_out};
use innocents::innocents;
pub use known::known_ranking;
use tried::{Tried, try_changes};

/// The method that takes all evidence together.
pub const ALL: &str = "all";

/// Places shown as text unless asked otherwise.
const DEFAULT_TOP: usize = 5;
/// From so many processes on a test is said to be many tests in one.
const MANY_PROCESSES: u32 = 20;

/// Ranks and writes to `out`.
pub fn rank(root: &Path, arguments: &RankArguments, out: &mut impl Write) -> Result<(), Failure> {
    if let Some(directory) = &arguments.spectra {
        return rank_spectra(directory, arguments, out);
    }
    let method = find_method(&arguments.method).map_err(Failure::of(Exit::Usage))?;
    check_options(method, arguments)?;
    let store = Store::new(root);
    let run = store.latest_run()?;
    let sources = SourceTree::of(root, &run.program);
    let needs = |need: Need| method.needs.contains(&need);
    check_contrast(&run, count_tests(&run), needs(Need::Observations) || needs(Need::Trials))?;
    let asked = why::asked(&run.program, method, arguments)?;
    let ranked = Ranked::new(&store, &run, arguments)?;
    if !needs(Need::Trials) {
        return write_report(&sources, report(&store, &run, method, arguments, &ranked, None)?, arguments, out);
    }
    let coverage = Coverage::read(&run, &run.counted_tests())?;
    let chains = Chains::load(&store, &run)?;
    let facts = coverage.line_facts(&store, &run)?.with_chains(&chains.lines());
    let tried = try_changes(&store, &run, &facts, &arguments.search, asked.is_some())?;
    let mut report = report(&store, &run, method, arguments, &ranked, Some((&facts, &tried)))?;
    if let Algorithm::AllEvidence = method.algorithm {
        let mut explainer = Explainer::new((&store, &run), (&facts, &chains), &tried.trials, &ranked.left_out);
        explainer.explain(&mut report);
        match asked {
            Some(asked) => {
                why::why((&store, &run), asked, (&facts, &tried), &report, &mut explainer, arguments.format, out)?;
            }
            None => {
                if arguments.by == By::Line && arguments.ties == Ties::Line {
                    keep(&store, &run, &report)?;
                }
                write_report(&sources, report, arguments, out)?;
            }
        }
        explainer.keep()?;
    } else {
        write_report(&sources, report, arguments, out)?;
    }
    match interrupt::happened() {
        false => Ok(()),
        true => {
            out.flush().map_err(Failure::of(Exit::File))?;
            let message = "interrupted: this is what was known by then; the same command goes on from here";
            Err(Failure::new(Exit::Interrupted, message))
        }
    }
}

/// A ranking by all evidence, for who shows it elsewhere.
pub struct AllEvidence {
    /// The ranking.
    pub report: RankingReport,
    /// Whether everything that was planned has been tried.
    pub is_finished: bool,
}

/// Ranks lines by all evidence of tests and trials, within a budget; what is claimed is kept for `suspect replay`. Proved chains do not
/// count: a night that was killed after it had made some comes to the same.
pub fn by_all_evidence(store: &Store, run: &Run, search: SearchArguments) -> Result<AllEvidence, Failure> {
    let arguments = RankArguments::of_all_evidence(search);
    let method = find_method(ALL).map_err(Failure::of(Exit::Internal))?;
    check_contrast(run, count_tests(run), true)?;
    let ranked = Ranked::new(store, run, &arguments)?;
    let coverage = Coverage::read(run, &run.counted_tests())?;
    let (facts, chains) = (coverage.line_facts(store, run)?, Chains::default());
    let tried = try_changes(store, run, &facts, &arguments.search, false)?;
    let mut report = report(store, run, method, &arguments, &ranked, Some((&facts, &tried)))?;
    let mut explainer = Explainer::new((store, run), (&facts, &chains), &tried.trials, &ranked.left_out);
    explainer.explain(&mut report);
    explainer.keep()?;
    keep(store, run, &report)?;
    Ok(AllEvidence { report, is_finished: tried.is_finished })
}

/// What is ranked.
struct Ranked {
    units: Units,
    /// How many others count as innocent.
    n_innocent: usize,
    /// The program's lines that are not ranked, where lines are.
    left_out: BTreeSet<u32>,
}

impl Ranked {
    fn new(store: &Store, run: &Run, arguments: &RankArguments) -> Result<Ranked, Failure> {
        let all = Units::new(&run.program, granularity(arguments.by));
        let innocent = innocents(store, &run.program, &all, arguments)?;
        let not_ranked = [innocent.as_slice(), &left_out(run, &all)?].concat();
        let left_out = lines_left_out(&all, &not_ranked);
        Ok(Ranked { units: all.without(&not_ranked), n_innocent: innocent.len(), left_out })
    }
}

/// The ranking by a method, with what was tried if the method needs it.
fn report(
    store: &Store,
    run: &Run,
    method: &Method,
    arguments: &RankArguments,
    Ranked { units, n_innocent, .. }: &Ranked,
    tried: Option<(&LineFacts, &Tried)>,
) -> Result<RankingReport, Failure> {
    let counts = count_tests(run);
    let mut trust = trust(run, counts)?;
    let mut seen = MethodInput::read(run, units, method.needs, &run.counted_tests())?;
    if method.needs.contains(&Need::Observations) {
        let is_paper = method.id == "cdfl_paper" || arguments.parents == Some(ParentsArgument::Paper);
        let observed = observe(store, run, is_paper, None)?;
        observed.check_failing()?;
        trust.extend(observed.trust());
        seen = seen.with_mutants(
            observed,
            CdflChoice::new(run, arguments.parents.map(Into::into), arguments.unidentified.map(Into::into))?,
        );
    }
    if let Some((facts, tried)) = tried {
        trust.extend(tried.trust.iter().cloned());
        seen = seen.with_trials(facts, &tried.trials);
    }
    let ranked = seen.rank(method)?;
    let ties = tie_break(arguments.ties);
    trust.extend(ranked.notes.iter().map(|note| note.to_string()));
    if *n_innocent > 0 {
        trust.push(format!("{n_innocent} ranked units count as innocent and are left out (--forget-innocent)"));
    }
    Ok(RankingReport {
        schema_version: SCHEMA_VERSION,
        method: method.id.to_string(),
        by: units.granularity().name().to_string(),
        tie_breaker: ties.name().to_string(),
        tests: counts,
        ranking: entries(&run.program, units, &ranked.ranking, ties, &seen),
        trust,
        trials: tried.filter(|(_, tried)| !tried.trials.is_empty()).map(|(facts, tried)| tried.counts(facts)),
        confidence: None,
        groups: Vec::new(),
        not_tried: tried.map_or_else(Vec::new, |(_, tried)| tried.not_tried.clone()),
    })
}

/// Writes a report as the arguments ask, with sources below `root`.
pub fn write_report(
    sources: &SourceTree,
    report: RankingReport,
    arguments: &RankArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let written = match arguments.format {
        RankFormat::Text => write_text(sources, &report, arguments, out),
        RankFormat::Json => write_json(report, arguments, out),
    };
    written.map_err(Failure::of(Exit::File))
}

fn write_text(
    sources: &SourceTree,
    report: &RankingReport,
    arguments: &RankArguments,
    out: &mut impl Write,
) -> io::Result<()> {
    write_ranking(report, arguments.top.unwrap_or(DEFAULT_TOP), |file| sources.text(file), out)
}

fn write_json(mut report: RankingReport, arguments: &RankArguments, out: &mut impl Write) -> io::Result<()> {
    report.ranking.truncate(arguments.top.unwrap_or(usize::MAX));
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

/// A ranking contrasts failing with passing tests; without both there is nothing to say, unless mutants of the failing ones do.
fn check_contrast(run: &Run, counts: TestCounts, on_mutants: bool) -> Result<(), Failure> {
    let excluded = match counts.excluded {
        0 => String::new(),
        1 => " (1 more does not count: flaky, skipped or without a trace)".into(),
        n => format!(" ({n} more do not count: flaky, skipped or without a trace)"),
    };
    let failure = |message: String| Err(Failure::new(Exit::Baseline, message));
    match (counts.failing, counts.passing) {
        (0, 0) => {
            failure(format!("none of the {} tests counts{excluded}; see `suspect test`", run.manifest.tests.len()))
        }
        (0, n) => failure(format!(
            "{}{excluded}: there is no failure to explain; add a test that fails",
            all(n, "passes", "pass")
        )),
        (_, 0) if on_mutants => Ok(()),
        (n, 0) => failure(format!(
            "{}{excluded}: without a passing test nothing tells faulty code from the rest; \
             check the build (`suspect test` says how), or add a test that passes",
            all(n, "fails", "fail")
        )),
        _ => Ok(()),
    }
}

/// `the one test passes`, `all 3 tests pass`.
fn all(n: u32, one: &str, many: &str) -> String {
    match n {
        1 => format!("the one test {one}"),
        n => format!("all {n} tests {many}"),
    }
}

/// What the user must know before believing the ranking.
fn trust(run: &Run, counts: TestCounts) -> Result<Vec<String>, Failure> {
    let mut trust = vec![match counts.failing {
        1 => format!(
            "one failing test against {} passing: a second failing test would tell far more lines apart",
            counts.passing
        ),
        n => format!("{n} failing tests against {} passing", counts.passing),
    }];
    if counts.excluded > 0 {
        trust.push(match counts.excluded {
            1 => "one test does not count: flaky, skipped or without a trace (`suspect test` names it)".into(),
            n => format!("{n} tests do not count: flaky, skipped or without a trace (`suspect test` names them)"),
        });
    }
    if !run.manifest.unstable_nodes.is_empty() {
        let n = run.manifest.unstable_nodes.len();
        trust.push(format!("{n} of {} nodes differ between runs of the same test", run.program.nodes.len()));
    }
    trust.extend(match run.program.escapes.len() {
        0 => None,
        1 => Some("one function is not instrumented (`suspect doctor` names it)".into()),
        n => Some(format!("{n} functions are not instrumented (`suspect doctor` names them)")),
    });
    trust.extend(of_long_tests(run));
    trust.extend(of_test_code(run)?);
    trust.extend(run.manifest.warnings.iter().cloned());
    Ok(trust)
}

/// That failing tests are many tests in one each.
fn of_long_tests(run: &Run) -> Option<String> {
    let records = run.counted_tests().into_iter().map(|test| &run.manifest.tests[test as usize]);
    let shortest = records.filter(|record| record.passed == Some(false)).min_by_key(|record| record.processes)?;
    (shortest.processes >= MANY_PROCESSES).then(|| {
        format!(
            "each failing test starts many programs, {} {} of them: as tests of their own (in suspect.toml a [[suite]] of kind \"command\" \
             with `list`, or \"cases\") they would tell far more lines apart",
            shortest.name, shortest.processes
        )
    })
}

/// That code of the tests themselves is not ranked, or why it is.
fn of_test_code(run: &Run) -> Result<Option<String>, Failure> {
    let Some(first) = run.manifest.test_code.first() else { return Ok(None) };
    let others = match run.manifest.test_code.len() {
        1 => String::new(),
        2 => " and one more file".to_owned(),
        n => format!(" and {} more files", n - 1),
    };
    Ok(Some(match run.trusted_files()?.is_empty() {
        true => format!("a failing test executes no code but the tests' own ({first}{others}), so that is ranked too"),
        false => format!(
            "the tests' own code is trusted and not ranked: {first}{others} (`[rank] test_code` in suspect.toml says which it is)"
        ),
    }))
}
