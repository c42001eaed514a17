//! Spectra of other tools ranked by our methods, and ours written for other tools: GZoltar's text files.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use super::line_owners;
use crate::obstacle::Obstacle;
use crate::program::Program;
use crate::rank::{Granularity, Method, Observed, RankedUnit, Standing, TieBreak, Units, apply};
use crate::rank_inputs::coverage;
use crate::report::{Entry, Evidence, RankingReport, SCHEMA_VERSION, Score, TestCounts};
use crate::spectra::Spectrum;
use crate::spectra::gzoltar::{Component, Gzoltar, GzoltarTest, Text};
use crate::store::Run;

const MATRIX: &str = "matrix.txt";
const SPECTRA: &str = "spectra.csv";
const TESTS: &str = "tests.csv";

/// Ranks the components of GZoltar's files in `directory` by a method that needs coverage alone.
///
/// # Errors
/// When a file cannot be read, or the method needs more.
pub fn rank_spectra(directory: &Path, method: &Method, ties: TieBreak) -> Result<RankingReport, Obstacle> {
    let spectra = read(directory)?;
    let ranked = apply(method, &Observed::coverage(&spectra.matrix))
        .map_err(|error| Obstacle::Request(format!("{error}; spectra in files hold coverage alone")))?;
    let counts = spectra.matrix.spectra();
    let entry = |standing: Standing| entry(&spectra, &counts, &standing, standing.position(ties));
    let failing = spectra.matrix.n_failing();
    Ok(RankingReport {
        schema_version: SCHEMA_VERSION,
        method: method.id.to_string(),
        by: "line".to_string(),
        tie_breaker: ties.name().to_string(),
        tests: TestCounts {
            failing: failing as u32,
            passing: (spectra.matrix.n_tests() - failing) as u32,
            excluded: 0,
        },
        ranking: ranked.ranking.iter().map(entry).collect(),
        trust: ranked.notes.iter().map(|note| note.to_string()).collect(),
        trials: None,
        confidence: None,
        groups: Vec::new(),
        not_tried: Vec::new(),
    })
}

fn entry(spectra: &Gzoltar, counts: &[Spectrum], standing: &Standing, rank: f64) -> Entry {
    let name = &spectra.components[standing.unit as usize];
    let component = Component::parse(name);
    let file = match component.package {
        "" => component.class.to_string(),
        package => format!("{package}/{}", component.class),
    };
    let Spectrum { ef, nf, ep, np } = counts[standing.unit as usize];
    Entry {
        rank,
        rank_best: standing.best,
        rank_worst: standing.worst,
        score: Score(standing.score),
        file,
        line: component.line,
        last_line: component.line,
        function: component.method.to_string(),
        unit: name.clone(),
        evidence: Evidence {
            failing_executed: ef,
            failing_total: ef + nf,
            passing_executed: ep,
            passing_total: ep + np,
            failing_mean: None,
            passing_mean: None,
        },
        probability: None,
        reasons: Vec::new(),
    }
}

fn read(directory: &Path) -> Result<Gzoltar, Obstacle> {
    let text = |name: &str| -> Result<(String, String), Obstacle> {
        let path = directory.join(name);
        let text = fs::read_to_string(&path).map_err(|error| {
            let message =
                format!("cannot read {}: {error}; expected GZoltar's {MATRIX}, {SPECTRA} and {TESTS}", path.display());
            Obstacle::File(message)
        })?;
        Ok((path.display().to_string(), text))
    };
    let (matrix, spectra) = (text(MATRIX)?, text(SPECTRA)?);
    let tests = if directory.join(TESTS).exists() { Some(text(TESTS)?) } else { None };
    fn view((name, text): &(String, String)) -> Text<'_> {
        Text { name, text }
    }
    Gzoltar::parse(view(&matrix), view(&spectra), tests.as_ref().map(view)).map_err(Obstacle::of(Obstacle::File))
}

/// Numbers of the tests and lines that were written.
pub struct Written {
    /// Tests.
    pub n_tests: usize,
    /// Lines.
    pub n_lines: usize,
}

/// Writes a run as GZoltar's files in `directory`.
///
/// # Errors
/// When the run cannot be read, or a file cannot be written.
pub fn write_spectra(run: &Run, directory: &Path) -> Result<Written, Obstacle> {
    let units = Units::new(&run.program, Granularity::Line);
    let spectra = Gzoltar {
        matrix: coverage(run, &run.recorded()?, &units, &run.counted_tests())?,
        components: components(&run.program, &units),
        tests: tests(run),
    };
    let files = [(MATRIX, spectra.matrix_text()), (SPECTRA, spectra.spectra_text()), (TESTS, spectra.tests_text())];
    write_files(directory, &files)?;
    Ok(Written { n_tests: spectra.tests.len(), n_lines: spectra.components.len() })
}

fn write_files(directory: &Path, files: &[(&str, String)]) -> Result<(), Obstacle> {
    let failed =
        |path: PathBuf| move |error: io::Error| Obstacle::File(format!("cannot write {}: {error}", path.display()));
    fs::create_dir_all(directory).map_err(failed(directory.to_path_buf()))?;
    for (name, text) in files {
        let path = directory.join(name);
        fs::write(&path, text).map_err(failed(path.clone()))?;
    }
    Ok(())
}

/// Names of the lines as GZoltar gives them: `directory$file#function:line`.
fn components(program: &Program, units: &Units) -> Vec<String> {
    let owners = line_owners(program);
    let name = |unit: RankedUnit| {
        let place = unit.place(program);
        let file = program.files.get(place.file as usize).map_or("", String::as_str);
        let (package, class) = file.rsplit_once('/').unwrap_or(("", file));
        let function = match unit {
            RankedUnit::Line(line) => owners.get(&line).copied(),
            unit => unit.function(program),
        };
        let function = function.map_or("", |function| &program.functions[function as usize].name);
        format!("{package}${class}#{function}:{}", place.line)
    };
    units.iter().map(name).collect()
}

fn tests(run: &Run) -> Vec<GzoltarTest> {
    let test = |index: u32| {
        let record = &run.manifest.tests[index as usize];
        let stack_trace = if record.passed == Some(false) { record.verdict.clone() } else { String::new() };
        GzoltarTest { name: record.name.clone(), runtime: record.milliseconds * 1_000_000, stack_trace }
    };
    run.counted_tests().into_iter().map(test).collect()
}
