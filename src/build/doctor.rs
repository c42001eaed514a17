//! `suspect doctor`: whether everything that a build and a recording need is there and works.

use std::env;
use std::fmt;
use std::fs;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use suspect_format::{abi, trace};

use super::driver::{ALL_MODES, ENV_LOG, ENV_MODES, ENV_OFF};
use super::elf::BinaryKind;
use super::event;
use super::inspect::{self, Findings};
use super::report::{EscapeReason, count, grouped, listed};
use super::toolchain::{self, Library, Toolchain};
use super::tree::{Found, Tree};

/// What `suspect doctor` found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DoctorReport {
    /// What was looked at, in order.
    pub checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Check {
    /// What, and what was found.
    pub text: String,
    /// Whether it is as it should be.
    pub verdict: Verdict,
}

/// Whether something is as it should be.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It is.
    Good,
    /// It is not; the line to type, where there is one.
    Bad(Option<String>),
    /// Only to be known.
    Note,
}

impl DoctorReport {
    /// Nothing is wrong.
    pub fn healthy(&self) -> bool {
        !self.checks.iter().any(|check| matches!(check.verdict, Verdict::Bad(_)))
    }

    fn add(&mut self, verdict: Verdict, text: impl Into<String>) {
        self.checks.push(Check { text: text.into(), verdict });
    }
}

impl fmt::Display for DoctorReport {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        for check in &self.checks {
            let word = match check.verdict {
                Verdict::Good => "ok  ",
                Verdict::Bad(_) => "BAD ",
                Verdict::Note => "note",
            };
            writeln!(out, "{word} {}", check.text)?;
            if let Verdict::Bad(Some(line)) = &check.verdict {
                writeln!(out, "     type: {line}")?;
            }
        }
        Ok(())
    }
}

/// Looks at the installation and at the programs below `root`; `log` is the log of the last build, if there was one.
pub fn doctor(root: &Path, log: Option<&Path>) -> DoctorReport {
    let mut report = DoctorReport::default();
    if let Some(toolchain) = installation(&mut report) {
        match self_test(&toolchain) {
            Ok(()) => report.add(Verdict::Good, "a program compiled by suspect-cc runs as it should and records"),
            Err(why) => report.add(Verdict::Bad(None), format!("self-test: {why}")),
        }
    }
    let events = log.and_then(|log| event::read(log).ok()).unwrap_or_default();
    let state = log.and_then(Path::parent).unwrap_or(Path::new(""));
    let (tree, findings) = inspect::look(root, state, None, &events, &[]);
    programs(&mut report, root, &tree, &findings);
    report
}

fn installation(report: &mut DoctorReport) -> Option<Toolchain> {
    let library = match Library::find() {
        Ok(library) => library,
        Err(error) => {
            complain(report, &error.to_string());
            return None;
        }
    };
    for plugin in library.plugins.values() {
        report.add(Verdict::Good, format!("plugin for clang {}: {}", plugin.version, plugin.path.display()));
    }
    match toolchain::find(None) {
        Ok(toolchain) => {
            let text = format!("clang {}: {}", toolchain.version, toolchain.clang.display());
            report.add(Verdict::Good, text);
            report.add(Verdict::Good, format!("runtime: {}", toolchain.start.display()));
            match toolchain.try_out(ALL_MODES) {
                Ok(()) => Some(toolchain),
                Err(error) => {
                    complain(report, &error.to_string());
                    None
                }
            }
        }
        Err(error) => {
            complain(report, &error.to_string());
            None
        }
    }
}

/// Splits an error that ends in "; type: LINE".
fn complain(report: &mut DoctorReport, error: &str) {
    match error.split_once("; type: ") {
        Some((text, line)) => report.add(Verdict::Bad(Some(line.to_owned())), text),
        None => report.add(Verdict::Bad(None), error),
    }
}

/// A program whose answer depends on a loop, a call and a branch.
const SELF_TEST: &str = r#"#include <stdio.h>
static int digits(int number) {
  int count = 0;
  while (number > 0) {
    number /= 10;
    count++;
  }
  return count;
}
int main(int argc, char **argv) { return printf("%d\n", digits(argc * 1234)) == 2 && argv ? 0 : 1; }
"#;

/// Compiles, runs and records [`SELF_TEST`].
fn self_test(toolchain: &Toolchain) -> Result<(), String> {
    let directory = tempfile::tempdir().map_err(|error| format!("no temporary directory: {error}"))?;
    let (source, program) = (directory.path().join("self-test.c"), directory.path().join("self-test"));
    let traces = directory.path().join("traces");
    fs::write(&source, SELF_TEST).and_then(|()| fs::create_dir(&traces)).map_err(|error| error.to_string())?;
    let driver = env::current_exe().map_err(|error| error.to_string())?;
    let mut compile = Command::new(driver);
    compile.arg0("suspect-cc").args(["-O2".as_ref(), source.as_os_str(), "-o".as_ref(), program.as_os_str()]);
    compile.env(toolchain::ENV_CLANG, &toolchain.clang).env_remove(ENV_OFF).env_remove(ENV_LOG).env_remove(ENV_MODES);
    succeed("suspect-cc", &mut compile)?;
    let mut run = Command::new(&program);
    run.env(abi::ENV_OUT, &traces).env(abi::ENV_RECORD, abi::Mode::Values.name());
    let output = succeed("the compiled program", &mut run)?;
    if output.stdout != b"4\n" {
        return Err(format!("the compiled program printed {:?} instead of 4", String::from_utf8_lossy(&output.stdout)));
    }
    let is_trace = |path: PathBuf| fs::read(path).is_ok_and(|bytes| bytes.starts_with(&trace::MAGIC));
    let entries = fs::read_dir(&traces).map_err(|error| error.to_string())?;
    match entries.flatten().any(|entry| is_trace(entry.path())) {
        true => Ok(()),
        false => Err("the compiled program wrote no trace".to_owned()),
    }
}

fn succeed(what: &str, command: &mut Command) -> Result<Output, String> {
    let output = command.stdin(Stdio::null()).output().map_err(|error| format!("cannot run {what}: {error}"))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        return Err(format!("{what} failed ({}): {}", output.status, said.trim_end()));
    }
    Ok(output)
}

fn programs(report: &mut DoctorReport, root: &Path, tree: &Tree, findings: &Findings) {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    if findings.modules.is_empty() && findings.escapes.is_empty() {
        report.add(Verdict::Note, format!("{}: no programs here yet", root.display()));
    }
    for module in &findings.modules {
        let found = tree.binaries.iter().find(|found| found.path == root.join(&module.path));
        let kind = if module.kind == BinaryKind::Executable { "program" } else { "shared library" };
        match found.and_then(newer_source) {
            Some(source) => report.add(
                Verdict::Bad(Some("suspect build -- make".to_owned())),
                format!("{kind} {}: older than its source {}", module.path, source.display()),
            ),
            None => {
                let units = count(module.units.len() as u64, "unit", "units");
                let text = format!("{kind} {}: instrumented, {units}", module.path);
                report.add(Verdict::Good, text);
            }
        }
    }
    for (reason, escapes) in grouped(findings.escapes.iter().map(|escape| (&escape.reason, escape))) {
        let names = escapes.iter().map(|escape| escape.path.clone()).collect();
        let verdict = match reason {
            EscapeReason::Left(_) => Verdict::Note,
            EscapeReason::Stale if !findings.modules.is_empty() => Verdict::Note,
            _ => Verdict::Bad(Some("make clean && suspect build -- make".to_owned())),
        };
        report.add(verdict, format!("{}: not instrumented: {reason}", listed(names)));
    }
}

/// A source of `found` that was changed after it was built.
fn newer_source(found: &Found) -> Option<PathBuf> {
    let sources = found.binary.units.iter().flatten().map(|unit| Path::new(&unit.directory).join(&unit.source));
    let changed = |path: &PathBuf| modified(path).is_some_and(|time| time > found.modified);
    sources.into_iter().find(changed)
}

fn modified(path: &Path) -> Option<SystemTime> {
    path.metadata().and_then(|data| data.modified()).ok()
}
