//! What is instrumented in a project's tree, what is not, and the most probable reason.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use suspect_format::abi::Mode;

use super::arguments::Language;
use super::elf::{Binary, BinaryKind, LeftFunction, UnitSites};
use super::event::Event;
use super::names::{Family, Name};
use super::report::{BuildReport, EscapeReason, EscapeReport, ModuleReport, UnitReport};
use super::run::BuildOptions;
use super::stale::{BuildCommand, shell_word};
use super::toolchain::Toolchain;
use super::tree::{Found, Tree};

/// What was found in a tree.
#[derive(Clone, Debug, Default)]
pub struct Findings {
    /// Units with sites, each once.
    pub units: Vec<UnitReport>,
    /// Functions left as they were.
    pub left_alone: Vec<LeftFunction>,
    /// Programs and shared libraries that can record.
    pub modules: Vec<ModuleReport>,
    /// What has no sites, or cannot record.
    pub escapes: Vec<EscapeReport>,
}

/// What is known about a build that has ended.
#[derive(Clone, Debug)]
pub struct Ended<'a> {
    /// Its exit status.
    pub status: i32,
    /// When it began.
    pub started: SystemTime,
    /// What the log says about builds before it.
    pub before: &'a [Event],
    /// What the log says about it.
    pub events: &'a [Event],
}

/// Makes the report of a build.
pub fn inspect(options: &BuildOptions, toolchain: Toolchain, ended: &Ended) -> BuildReport {
    let status = ended.status;
    let (tree, findings) = look(&options.root, &options.state, Some(ended.started), ended.before, ended.events);
    let mixed = !other_modes(&findings.units, &options.modes).is_empty();
    let advice = if status == 0 { advice(options, &tree, &findings.escapes, mixed) } else { Vec::new() };
    BuildReport {
        command: options.command.iter().map(|word| word.to_string_lossy().into_owned()).collect(),
        directory: below(&options.root, &options.directory),
        status,
        toolchain,
        modes: options.modes.clone(),
        other_modes: other_modes(&findings.units, &options.modes),
        units: findings.units,
        left_alone: findings.left_alone,
        modules: findings.modules,
        escapes: findings.escapes,
        advice,
    }
}

/// A directory as seen from `root`, so that a project that is moved is built where it is.
fn below(root: &Path, directory: &Path) -> String {
    let below = directory.strip_prefix(root).unwrap_or(directory).to_string_lossy().into_owned();
    if below.is_empty() { ".".into() } else { below }
}

/// Brings `report` up to what is there now: `make check` builds programs that `make` does not. Answers whether anything has changed.
pub fn notice(report: &mut BuildReport, root: &Path, state: &Path) -> bool {
    let (_, found) = look(root, state, None, &[], &[]);
    let outside = report.modules.iter().filter(|module| Path::new(&module.path).is_absolute());
    let modules: Vec<ModuleReport> = found.modules.into_iter().chain(outside.cloned()).collect();
    let added = modules != report.modules;
    report.modules = modules;
    let known: BTreeSet<u64> = report.units.iter().map(|unit| unit.hash).collect();
    report.units.extend(found.units.into_iter().filter(|unit| !known.contains(&unit.hash)));
    added
}

/// Looks at everything below `root` and at what the log says was made elsewhere, by the build that began at `started`
/// (`events`) and by those `before` it. What lies beside our own `state` is ours, too.
pub fn look(
    root: &Path,
    state: &Path,
    started: Option<SystemTime>,
    before: &[Event],
    events: &[Event],
) -> (Tree, Findings) {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let events = by_path(before, events);
    let ours = state.canonicalize().ok().and_then(|state| state.parent().map(Path::to_owned)).unwrap_or_default();
    let mut tree = Tree::walk(&root, &ours);
    for path in events.keys().filter(|path| !path.starts_with(&root)) {
        tree.add(path.clone());
    }
    let mut findings = Findings::default();
    let mut known = BTreeSet::new();
    for found in &tree.binaries {
        let event = events.get(&found.path);
        let path = found.path.strip_prefix(&root).unwrap_or(&found.path).to_string_lossy().into_owned();
        let new = started.is_some_and(|started| found.modified >= started);
        if let Some(reason) = escape(&tree, found, event, new) {
            findings.escapes.push(EscapeReport { path: path.clone(), reason });
        } else if found.binary.kind != BinaryKind::Object && has_sites(&found.binary) {
            findings.modules.push(module(path, &found.binary));
        }
        for unit in found.binary.units.iter().flatten().filter(|unit| known.insert(unit.hash)) {
            findings.left_alone.extend(unit.left.iter().cloned());
            findings.units.push(unit_report(unit));
        }
    }
    findings.left_alone.sort_unstable();
    (tree, findings)
}

/// What the log says about a file that is there.
struct Origin {
    /// Why it was left alone, if it was.
    left: Option<String>,
    /// The build that is looked at made it.
    this_build: bool,
    /// A C++ compiler made it.
    cxx: bool,
}

/// The last event for each output that is there.
fn by_path(before: &[Event], events: &[Event]) -> BTreeMap<PathBuf, Origin> {
    let old = before.iter().map(|event| (event, false));
    let all = old.chain(events.iter().map(|event| (event, true)));
    all.filter(|(event, _)| !event.output.is_empty())
        .filter_map(|(event, this_build)| {
            let path = event.path().canonicalize().ok()?;
            let cxx = Name::of(event.compiler.as_ref()).is_some_and(|name| name.family == Family::Cxx);
            Some((path, Origin { left: event.left.clone(), this_build, cxx }))
        })
        .collect()
}

fn has_sites(binary: &Binary) -> bool {
    binary.units.as_ref().is_ok_and(|units| !units.is_empty())
}

/// Why `found` is not instrumented as it should be; `None` when it is, or when there is nothing to instrument.
fn escape(tree: &Tree, found: &Found, origin: Option<&Origin>, new: bool) -> Option<EscapeReason> {
    let binary = &found.binary;
    let object = binary.kind == BinaryKind::Object;
    let left = origin.and_then(|origin| origin.left.clone());
    match &binary.units {
        Err(_) => return Some(EscapeReason::OtherFormat),
        Ok(units) if !units.is_empty() => {
            let cannot = !object && !binary.runtime;
            return cannot.then(|| left.map_or(EscapeReason::NoRuntime, EscapeReason::Left));
        }
        Ok(_) => {}
    }
    if !binary.functions && object {
        return None;
    }
    if let Some(reason) = left {
        return Some(EscapeReason::Left(reason));
    }
    let language = language(&binary.sources);
    if language == Some(Language::Cxx) || (language.is_none() && origin.is_some_and(|origin| origin.cxx)) {
        return Some(EscapeReason::Left("C++".to_owned()));
    }
    match origin {
        // Made through us and without sites: a program that has none to offer, or an object of data alone.
        Some(Origin { this_build: true, .. }) if !object => Some(EscapeReason::NoSites),
        Some(Origin { .. }) if object && made_by_clang(binary) => None,
        _ if new && language == Some(Language::C) => Some(other_compiler(binary)),
        // Stripped; other languages' compilers leave their own names of files.
        _ if new && !object && binary.sources.is_empty() => Some(other_compiler(binary)),
        _ if tree.has_c_source(&binary.sources) => Some(EscapeReason::Stale),
        _ => None,
    }
}

/// Sources of the start files that are in every program.
const START_FILES: [&str; 2] = ["crtstuff.c", "abi-note.c"];

/// C as soon as one source is in C.
fn language(sources: &[String]) -> Option<Language> {
    let own = sources
        .iter()
        .filter(|name| !START_FILES.contains(&name.as_str()))
        .map(|name| Language::of_file(name.as_ref()));
    let languages: Vec<_> = own.collect();
    [Language::C, Language::Cxx].into_iter().find(|language| languages.contains(language))
}

fn made_by_clang(binary: &Binary) -> bool {
    binary.producers.iter().any(|producer| producer.contains("clang"))
}

fn other_compiler(binary: &Binary) -> EscapeReason {
    let producers: Vec<_> = binary.producers.iter().filter(|producer| !producer.starts_with("Linker:")).collect();
    let producer = producers.last().map_or_else(|| "an unknown compiler".to_owned(), |producer| (*producer).clone());
    EscapeReason::OtherCompiler { producer }
}

fn module(path: String, binary: &Binary) -> ModuleReport {
    let units = binary.units.iter().flatten().map(|unit| unit.hash).collect();
    ModuleReport { path, kind: binary.kind, build_id: binary.build_id.clone(), units }
}

fn unit_report(unit: &UnitSites) -> UnitReport {
    UnitReport {
        hash: unit.hash,
        source: unit.source.clone(),
        directory: unit.directory.clone(),
        modes: unit.modes,
        functions: unit.functions,
        nodes: unit.nodes,
    }
}

/// Sources of units that were built earlier, for other modes than `modes`.
fn other_modes(units: &[UnitReport], modes: &str) -> Vec<String> {
    let bit = |mode: Mode| 1 << mode as u32;
    let mut wanted = modes.split(',').filter_map(Mode::version_from_name).fold(0, |mask, mode| mask | bit(mode));
    // The plugin leaves edges out beside values where there is no plain version: values say all that edges do.
    if wanted & bit(Mode::Values) != 0 && wanted & bit(Mode::Plain) == 0 {
        wanted &= !bit(Mode::Edges);
    }
    units.iter().filter(|unit| unit.modes != wanted).map(|unit| unit.source.clone()).collect()
}

/// Whether a build that went well left nothing that can record although there is something that should.
pub fn nothing_records(report: &BuildReport) -> bool {
    report.modules.is_empty() && report.escapes.iter().any(|escape| escape.reason.is_fault())
}

/// Lines to type that would bring in what escaped.
fn advice(options: &BuildOptions, tree: &Tree, escapes: &[EscapeReport], mixed: bool) -> Vec<String> {
    let has = |wanted: fn(&EscapeReason) -> bool| escapes.iter().any(|escape| wanted(&escape.reason));
    let command: Vec<_> = options.command.iter().map(|word| shell_word(&word.to_string_lossy())).collect();
    let command = command.join(" ");
    let mut lines = Vec::new();
    if has(|reason| matches!(reason, EscapeReason::OtherCompiler { .. } | EscapeReason::NoRuntime)) {
        lines.push(match absolute(options, tree) {
            Some((place, Some(variable))) => {
                format!("{}suspect build -- {} {variable}=cc   # {place}", clean(options), without(options, &variable))
            }
            Some((place, None)) => {
                format!("{}suspect build -- {command}   # after changing {place} to cc", clean(options))
            }
            None => {
                format!("{}suspect build -- {command}   # with the compiler called as cc, gcc or clang", clean(options))
            }
        });
    } else if mixed || has(|reason| matches!(reason, EscapeReason::Stale | EscapeReason::OtherFormat)) {
        lines.push(format!("{}suspect build -- {command}", clean(options)));
    }
    lines
}

/// Where a compiler is named by its absolute path, and the variable it is in.
fn absolute(options: &BuildOptions, tree: &Tree) -> Option<(String, Option<String>)> {
    for word in &options.command {
        let word = word.to_string_lossy();
        if let Some(compiler) = super::tree::absolute_compiler_of(&word) {
            let variable = word.split_once('=').map(|(name, _)| name.to_owned());
            return Some((format!("the command names {compiler}"), variable));
        }
    }
    let found = tree.absolute_compiler()?;
    let root = options.root.canonicalize().unwrap_or_else(|_| options.root.clone());
    let file = found.file.strip_prefix(&root).unwrap_or(&found.file).display();
    Some((format!("{file}:{} names {}", found.line, found.compiler), found.variable))
}

/// The build command without its own setting of `variable`.
fn without(options: &BuildOptions, variable: &str) -> String {
    let words = options.command.iter().map(|word| word.to_string_lossy());
    let kept = words.filter(|word| word.split_once('=').is_none_or(|(name, _)| name != variable));
    kept.map(|word| shell_word(&word)).collect::<Vec<_>>().join(" ")
}

/// What makes a build tree fresh.
fn clean(options: &BuildOptions) -> String {
    let BuildCommand::Build(directory) = BuildCommand::of(&options.command, &options.directory) else {
        return String::new();
    };
    let relative = directory.strip_prefix(&options.directory).unwrap_or(&directory);
    let at = match relative.as_os_str().is_empty() {
        true => String::new(),
        false => format!(" -C {}", shell_word(&relative.to_string_lossy())),
    };
    let tool = if directory.join("build.ninja").is_file() { "ninja" } else { "make" };
    let target = if tool == "ninja" { "-t clean" } else { "clean" };
    format!("{tool}{at} {target} && ")
}
