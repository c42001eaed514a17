//! What a build made, what escaped and why.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use serde::{Deserialize, Serialize};

use super::elf::{BinaryKind, LeftFunction};
use super::toolchain::Toolchain;

/// The result of `suspect build`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct BuildReport {
    /// The build command.
    pub command: Vec<String>,
    /// Where it ran, as seen from the project's root.
    pub directory: String,
    /// Its exit status; 128 and the signal's number when a signal ended it.
    pub status: i32,
    /// What it was built with.
    pub toolchain: Toolchain,
    /// Names of the modes, joined by commas.
    pub modes: String,
    /// Translation units with sites, each once.
    pub units: Vec<UnitReport>,
    /// Sources of units that an earlier build made for other modes.
    pub other_modes: Vec<String>,
    /// Functions of these units that were left as they were.
    pub left_alone: Vec<LeftFunction>,
    /// Programs and shared libraries that can record.
    pub modules: Vec<ModuleReport>,
    /// What has no sites, or cannot record.
    pub escapes: Vec<EscapeReport>,
    /// Lines to type.
    pub advice: Vec<String>,
}

/// A translation unit.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct UnitReport {
    /// Its identity.
    pub hash: u64,
    /// Source file as given to the compiler.
    pub source: String,
    /// Directory the compiler ran in.
    pub directory: String,
    /// Bit `1 << mode` for each mode.
    pub modes: u32,
    /// Functions with hooks.
    pub functions: u32,
    /// Nodes of these.
    pub nodes: u32,
}

/// A program or shared library that can record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModuleReport {
    /// Path, relative to the project's root where it lies below it.
    pub path: String,
    /// What it is.
    pub kind: BinaryKind,
    /// The linker's build id in hexadecimal.
    pub build_id: Option<String>,
    /// The units in it, by their hashes.
    pub units: Vec<u64>,
}

/// Something that was not instrumented.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct EscapeReport {
    /// Path, relative to the project's root where it lies below it.
    pub path: String,
    /// Why.
    pub reason: EscapeReason,
}

/// Why something was not instrumented.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum EscapeReason {
    /// It is not C: another language, or freestanding code; nothing is wrong.
    Left(String),
    /// A compiler that we do not stand in for made it.
    OtherCompiler {
        /// As it calls itself.
        producer: String,
    },
    /// It was there before the build, which did not make it again.
    Stale,
    /// It has sites but was linked without the runtime.
    NoRuntime,
    /// It was linked from objects without sites.
    NoSites,
    /// Its site table cannot be read: another version of suspect made it.
    OtherFormat,
}

impl EscapeReason {
    /// Whether the user can do something about it.
    pub fn is_fault(&self) -> bool {
        !matches!(self, EscapeReason::Left(_))
    }
}

impl fmt::Display for EscapeReason {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            EscapeReason::Left(reason) => out.write_str(reason),
            EscapeReason::OtherCompiler { producer } => {
                write!(out, "made by {producer}, not through suspect's compiler")
            }
            EscapeReason::Stale => out.write_str("made without suspect, before this build"),
            EscapeReason::NoRuntime => out.write_str("linked without suspect's runtime, so it cannot record"),
            EscapeReason::NoSites => out.write_str("none of its objects has sites"),
            EscapeReason::OtherFormat => out.write_str("made by another version of suspect"),
        }
    }
}

/// Names given for one reason before "and N more".
const SHOWN: usize = 5;

impl fmt::Display for BuildReport {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        if self.units.is_empty() && self.modules.is_empty() && self.escapes.is_empty() {
            return writeln!(out, "suspect: nothing was compiled");
        }
        self.made(out)?;
        if !self.other_modes.is_empty() {
            let names = listed(self.other_modes.clone());
            writeln!(out, "suspect: made for other modes than {} by an earlier build: {names}", self.modes)?;
        }
        for (reason, functions) in grouped(self.left_alone.iter().map(|left| (&left.reason, left))) {
            let names = functions.iter().map(|left| format!("{} ({}:{})", left.name, left.file, left.line));
            writeln!(out, "suspect: left alone: {reason}: {}", listed(names.collect()))?;
        }
        for (reason, escapes) in grouped(self.escapes.iter().map(|escape| (&escape.reason, escape))) {
            let names = escapes.iter().map(|escape| escape.path.clone()).collect();
            writeln!(out, "suspect: not instrumented: {}: {reason}", listed(names))?;
        }
        self.advice.iter().try_for_each(|line| writeln!(out, "suspect: type: {line}"))
    }
}

impl BuildReport {
    /// Programs and shared libraries of this kind.
    pub fn modules_of(&self, kind: BinaryKind) -> impl Iterator<Item = &ModuleReport> {
        self.modules.iter().filter(move |module| module.kind == kind)
    }

    fn made(&self, out: &mut fmt::Formatter) -> fmt::Result {
        let functions: u64 = self.units.iter().map(|unit| unit.functions as u64).sum();
        let nodes: u64 = self.units.iter().map(|unit| unit.nodes as u64).sum();
        let mut parts = vec![
            format!("{} instrumented", count(self.units.len() as u64, "unit", "units")),
            count(functions, "function", "functions"),
            count(nodes, "node", "nodes"),
        ];
        let programs = self.modules_of(BinaryKind::Executable).count() as u64;
        let libraries = self.modules_of(BinaryKind::SharedLibrary).count() as u64;
        parts.push(count(programs, "program", "programs"));
        if libraries > 0 {
            parts.push(count(libraries, "shared library", "shared libraries"));
        }
        writeln!(out, "suspect: {}", parts.join(", "))
    }
}

/// A number of things: `1 unit`, `2 units`.
pub(super) fn count(number: u64, one: &str, many: &str) -> String {
    format!("{number} {}", if number == 1 { one } else { many })
}

/// Pairs put together by their keys, in the order of these.
pub(super) fn grouped<'a, K: Ord, V>(pairs: impl Iterator<Item = (&'a K, &'a V)>) -> BTreeMap<&'a K, Vec<&'a V>> {
    let mut groups: BTreeMap<&K, Vec<&V>> = BTreeMap::new();
    for (key, value) in pairs {
        groups.entry(key).or_default().push(value);
    }
    groups
}

/// The first few of `names`, sorted, and how many more there are.
pub(super) fn listed(names: Vec<String>) -> String {
    let names: Vec<_> = names.into_iter().collect::<BTreeSet<_>>().into_iter().collect();
    match names.len().checked_sub(SHOWN) {
        Some(more) if more > 0 => format!("{} and {more} more", names[..SHOWN].join(", ")),
        _ => names.join(", "),
    }
}
