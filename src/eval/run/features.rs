//! Features of lines as JSON lines, and how probable they were taken to be.

use std::fs::File;
use std::io::{BufWriter, Read, Write};
use std::path::Path;

use serde::Serialize;

use super::trials::Kept;
use super::version::Place;
use crate::eval::{self, Assessed, EvalVersion, FaultKind};
use crate::evidence::{LineFacts, NAMES, Portrait, Posterior, Trials};
use crate::obstacle::Obstacle;
use crate::store::Run;

/// First line of a file: what the numbers are.
#[derive(Serialize)]
struct Header<'a> {
    features: &'a [&'a str],
}

/// A line of a program's version that a failing test executes.
#[derive(Serialize)]
struct Row<'a> {
    program: &'a str,
    version: &'a str,
    kinds: &'a [FaultKind],
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    suite: &'a str,
    line: String,
    is_faulty: bool,
    probability: f64,
    features: Vec<f64>,
}

/// A version: what stands in front of its rows.
#[derive(Serialize)]
struct Summary<'a> {
    program: &'a str,
    version: &'a str,
    kinds: Vec<FaultKind>,
    #[serde(skip_serializing_if = "Option::is_none")]
    class: Option<&'a str>,
    #[serde(skip_serializing_if = "str::is_empty")]
    suite: &'a str,
    n_lines: usize,
    n_faulty: usize,
    failing: usize,
    passing: usize,
    trials: usize,
    seconds: f64,
    finished: bool,
    refused: Option<&'a str>,
}

/// One suite of a version, and what is known with it.
pub struct Shown<'a> {
    pub suite: &'a str,
    pub run: &'a Run,
    pub facts: &'a LineFacts<'a>,
    pub trials: &'a Trials,
    pub kept: &'a Kept,
    /// The program's lines that are faulty.
    pub faulty: &'a [u32],
}

impl Place<'_> {
    /// Appends the features of all lines in question to `out`.
    pub fn write_features(&self, version: &EvalVersion, shown: &Shown, out: &mut Vec<u8>) -> Result<(), Obstacle> {
        let Shown { suite, run, facts, trials, kept, faulty } = *shown;
        let posterior = Posterior::new(facts, trials);
        let portrait = Portrait::new(facts, trials);
        let kinds = version.fault.kinds();
        let coverage = facts.coverage();
        let summary = Summary {
            program: &self.program.name,
            version: &version.name,
            kinds: kinds.clone(),
            class: version.class.as_deref(),
            suite,
            n_lines: portrait.lines.len(),
            n_faulty: faulty.len(),
            failing: coverage.n_failing(),
            passing: coverage.n_tests() - coverage.n_failing(),
            trials: kept.n_run,
            seconds: kept.seconds,
            finished: kept.finished,
            refused: kept.refused.as_deref(),
        };
        write_line(out, &summary)?;
        for (&line, features) in portrait.lines.iter().zip(&portrait.features) {
            let at = run.program.lines[line as usize];
            let file = run.program.files.get(at.file as usize).map_or("?", String::as_str);
            let row = Row {
                program: &self.program.name,
                version: &version.name,
                kinds: &kinds,
                class: version.class.as_deref(),
                suite,
                line: format!("{file}:{}", at.line),
                is_faulty: faulty.contains(&line),
                probability: rounded(posterior.lines[line as usize]),
                features: features.values().into_iter().map(rounded).collect(),
            };
            write_line(out, &row)?;
        }
        Ok(())
    }
}

/// Seven digits are more than enough to fit weights by.
fn rounded(value: f64) -> f64 {
    (value * 1e7).round() / 1e7
}

fn write_line(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), Obstacle> {
    serde_json::to_writer(&mut *out, value).map_err(Obstacle::of(Obstacle::Internal))?;
    out.push(b'\n');
    Ok(())
}

/// How probable the first lines were taken to be, and which of them are faulty.
pub fn assess(posterior: &Posterior, faulty: &[u32]) -> Assessed {
    let first = posterior.order.iter().take(Assessed::MOST);
    Assessed {
        first: first.map(|line| (posterior.lines[*line as usize], faulty.contains(line))).collect(),
        faulty: faulty.iter().map(|line| posterior.lines[*line as usize]).sum(),
    }
}

/// Writes the features of all versions, in their order, to one file.
pub fn gather<'a>(
    path: &Path,
    versions: impl Iterator<Item = (&'a Place<'a>, &'a EvalVersion)>,
) -> Result<(), Obstacle> {
    let failure =
        |error: std::io::Error| Obstacle::new(Obstacle::File, format!("cannot write {}: {error}", path.display()));
    let mut bytes = Vec::new();
    serde_json::to_writer(&mut bytes, &Header { features: &NAMES }).map_err(Obstacle::of(Obstacle::Internal))?;
    bytes.push(b'\n');
    let directory = path.parent().filter(|parent| !parent.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let file = tempfile::NamedTempFile::new_in(directory).map_err(failure)?;
    let mut out = BufWriter::new(file);
    out.write_all(&bytes).map_err(failure)?;
    for (place, version) in versions {
        let Ok(mut found) = File::open(place.features_path(version)) else { continue };
        bytes.clear();
        found.read_to_end(&mut bytes).map_err(failure)?;
        out.write_all(&bytes).map_err(failure)?;
    }
    let file = out.into_inner().map_err(|error| failure(error.into_error()))?;
    file.persist(path).map_err(|error| failure(error.error))?;
    Ok(())
}

/// Keeps the features of one version.
pub fn keep(path: &Path, rows: &[u8]) -> Result<(), Obstacle> {
    Ok(eval::write(path, rows)?)
}
