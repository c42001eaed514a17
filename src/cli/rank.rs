//! `suspect rank`: scores from a recorded run, put in order and shown with their evidence.

use std::collections::HashSet;
use std::fs;
use std::io::{self, Write};
use std::path::Path;

use super::args::{By, ParentsArgument, RankArguments, RankFormat, Ties};
use super::causes::CdflChoice;
use super::entries::entries;
use super::evidence::Seen;
use super::exit::{Exit, Failure};
use super::observed::observe;
use super::spectra::rank_spectra;
use crate::program::Program;
use crate::rank::{Granularity, Need, RankedUnit, TieBreak, Units, find_method};
use crate::report::{RankingReport, SCHEMA_VERSION, TestCounts, write_ranking};
use crate::store::{Run, Store};

/// The method that takes all evidence together.
pub const ALL: &str = "all";

/// Places shown as text unless asked otherwise.
const DEFAULT_TOP: usize = 5;

/// Ranks and writes to `out`.
pub fn rank(root: &Path, arguments: &RankArguments, out: &mut impl Write) -> Result<(), Failure> {
    if let Some(directory) = &arguments.spectra {
        return rank_spectra(directory, arguments, out);
    }
    let method = find_method(&arguments.method).map_err(Failure::of(Exit::Usage))?;
    let store = Store::new(root);
    let run = store.latest_run()?;
    let counts = count_tests(&run);
    let on_mutants = method.needs.contains(&Need::Observations);
    if method.id != "cdfl" {
        check_options(arguments)?;
    }
    check_contrast(&run, counts, on_mutants)?;
    let all = Units::new(&run.program, granularity(arguments.by));
    let innocent = innocents(&store, &run.program, &all, arguments)?;
    let foreign = foreign(&run.program, &all);
    let units = all.without(&[innocent.as_slice(), &foreign].concat());
    let mut trust = trust(&run, counts);
    let mut seen = Seen::read(&run, &units, method.needs, &run.counted_tests())?;
    if on_mutants {
        let is_paper = method.id == "cdfl_paper" || arguments.parents == Some(ParentsArgument::Paper);
        let observed = observe(&store, &run, is_paper)?;
        observed.check_failing()?;
        trust.extend(observed.trust());
        seen = seen.with_mutants(observed, CdflChoice::new(&run, arguments.parents, arguments.unidentified)?);
    }
    let ranked = seen.rank(method)?;
    let ties = tie_break(arguments.ties);
    trust.extend(ranked.notes.iter().map(|note| note.to_string()));
    if !innocent.is_empty() {
        trust.push(format!("{} ranked units count as innocent and are left out (--forget-innocent)", innocent.len()));
    }
    let report = RankingReport {
        schema_version: SCHEMA_VERSION,
        method: method.id.to_string(),
        by: units.granularity().name().to_string(),
        tie_breaker: ties.name().to_string(),
        tests: counts,
        ranking: entries(&run.program, &units, &ranked.ranking, ties, &seen),
        trust,
        trials: None,
        confidence: None,
        not_tried: Vec::new(),
    };
    write_report(root, report, arguments, out)
}

/// Writes a report as the arguments ask, with sources below `root`.
pub fn write_report(
    root: &Path,
    report: RankingReport,
    arguments: &RankArguments,
    out: &mut impl Write,
) -> Result<(), Failure> {
    let written = match arguments.format {
        RankFormat::Text => write_text(root, &report, arguments, out),
        RankFormat::Json => write_json(report, arguments, out),
    };
    written.map_err(Failure::of(Exit::File))
}

fn write_text(root: &Path, report: &RankingReport, arguments: &RankArguments, out: &mut impl Write) -> io::Result<()> {
    let source = |file: &str| fs::read(root.join(file)).ok().map(|text| String::from_utf8_lossy(&text).into_owned());
    write_ranking(report, arguments.top.unwrap_or(DEFAULT_TOP), source, out)
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

/// The tests of a run by what they count as.
pub fn count_tests(run: &Run) -> TestCounts {
    let of = |wanted: Option<bool>| run.manifest.tests.iter().filter(|test| test.passed == wanted).count() as u32;
    TestCounts { failing: of(Some(false)), passing: of(Some(true)), excluded: of(None) }
}

/// Options of methods on mutants mean nothing to others.
fn check_options(arguments: &RankArguments) -> Result<(), Failure> {
    match (arguments.parents, arguments.unidentified) {
        (None, None) => Ok(()),
        _ => Err(Failure::new(Exit::Usage, "--parents and --unidentified are for --method cdfl")),
    }
}

/// A ranking contrasts failing with passing tests; without both there is nothing to say, unless mutants of the failing ones do.
fn check_contrast(run: &Run, counts: TestCounts, on_mutants: bool) -> Result<(), Failure> {
    let excluded = match counts.excluded {
        0 => String::new(),
        n => format!(" ({n} more do not count: flaky, skipped or without a trace)"),
    };
    let failure = |message: String| Err(Failure::new(Exit::Baseline, message));
    match (counts.failing, counts.passing) {
        (0, 0) => {
            failure(format!("none of the {} tests counts{excluded}; see `suspect test`", run.manifest.tests.len()))
        }
        (0, n) => {
            failure(format!("all {n} tests pass{excluded}: there is no failure to explain; add a test that fails"))
        }
        (_, 0) if on_mutants => Ok(()),
        (n, 0) => failure(format!(
            "all {n} tests fail{excluded}: without a passing test nothing tells faulty code from the rest; \
             check the build, or add a test that passes"
        )),
        _ => Ok(()),
    }
}

/// Positions of the ranked units that the user found innocent, now or earlier.
fn innocents(store: &Store, program: &Program, units: &Units, arguments: &RankArguments) -> Result<Vec<u32>, Failure> {
    let mut names = if arguments.forget_innocent { Vec::new() } else { store.load_cleared()? };
    let mut positions = Vec::new();
    for name in &arguments.innocent {
        if resolve(program, units, name).is_empty() {
            let message =
                format!("--innocent {name}: no code here; give FILE:LINE or FUNCTION() as a ranking shows them");
            return Err(Failure::new(Exit::Usage, message));
        }
        if !names.contains(name) {
            names.push(name.clone());
        }
    }
    if !arguments.innocent.is_empty() || arguments.forget_innocent {
        let _lock = store.lock()?;
        store.save_cleared(&names)?;
    }
    for name in &names {
        positions.extend(resolve(program, units, name));
    }
    positions.sort_unstable();
    positions.dedup();
    Ok(positions)
}

/// Positions of ranked units in the system's headers: code that the user did not write and cannot mend.
pub fn foreign(program: &Program, units: &Units) -> Vec<u32> {
    let is_foreign = |unit: RankedUnit| {
        let file = program.files.get(unit.place(program).file as usize);
        file.is_some_and(|file| {
            ["/usr/include/", "/usr/lib/", "/usr/local/include/"].iter().any(|place| file.starts_with(place))
        })
    };
    (0..).zip(units.iter()).filter(|(_, unit)| is_foreign(*unit)).map(|(position, _)| position).collect()
}

/// Positions of the ranked units that `FILE:LINE` or `FUNCTION()` names.
pub fn resolve(program: &Program, units: &Units, name: &str) -> Vec<u32> {
    let positions = |wanted: &dyn Fn(RankedUnit) -> bool| {
        (0..).zip(units.iter()).filter(|(_, unit)| wanted(*unit)).map(|(position, _)| position).collect()
    };
    if let Some(function) = name.strip_suffix("()") {
        let named = |id: u32| program.functions[id as usize].name == function;
        let blocks = program.blocks.iter().filter(|block| named(block.function));
        let lines: HashSet<u32> = blocks.flat_map(|block| block.lines.iter().copied()).collect();
        return positions(&|unit| match unit {
            RankedUnit::Line(line) => lines.contains(&line),
            unit => unit.function(program).is_some_and(named),
        });
    }
    let Some((file, line)) = name.rsplit_once(':') else { return Vec::new() };
    positions(&|unit| {
        let place = unit.place(program);
        program.files.get(place.file as usize).is_some_and(|path| path == file) && line.parse() == Ok(place.line)
    })
}

/// What the user must know before believing the ranking.
fn trust(run: &Run, counts: TestCounts) -> Vec<String> {
    let mut trust = vec![match counts.failing {
        1 => format!(
            "one failing test against {} passing: a second failing test would tell far more lines apart",
            counts.passing
        ),
        n => format!("{n} failing tests against {} passing", counts.passing),
    }];
    if counts.excluded > 0 {
        trust.push(format!(
            "{} tests do not count: flaky, skipped or without a trace (`suspect test` names them)",
            counts.excluded
        ));
    }
    if !run.manifest.unstable_nodes.is_empty() {
        let n = run.manifest.unstable_nodes.len();
        trust.push(format!("{n} of {} nodes differ between runs of the same test", run.program.nodes.len()));
    }
    if !run.program.escapes.is_empty() {
        trust.push(format!(
            "{} functions are not instrumented (`suspect doctor` names them)",
            run.program.escapes.len()
        ));
    }
    trust.extend(run.manifest.warnings.iter().cloned());
    trust
}
