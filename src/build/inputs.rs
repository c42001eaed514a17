//! The files that programs were compiled from, as they were then: sources, the headers that they include, and the plugin.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};
use suspect_format::trace::{HASH_START, hash_bytes};

use super::BuildReport;
use super::elf;
use super::event::{self, Event, EventStep};
use super::recipe::Recipe;
use super::run::log_in;
use super::stamp::{Input, Stamps, below, changed, nanoseconds};
use super::toolchain::Toolchain;

/// Directory beside the build log: one file for each compilation since the inputs were last gathered.
const COMPILED: &str = "compiled";
/// File beside the build log: what was gathered.
const INPUTS: &str = "inputs.json";
/// How far the times of a file system may lag behind the clock.
const LAG: Duration = Duration::from_millis(20);

/// What a build's programs were made from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Inputs {
    /// A hash of what the toolchain puts into programs, and what its files looked like when it was taken.
    tools: Tools,
    /// Whether the build with these tools went well.
    is_whole: bool,
    compilations: Vec<Compilation>,
    /// What else the build depended on.
    #[serde(default)]
    recipe: Recipe,
}

/// What puts the versions into programs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Tools {
    /// Paths, sizes and times of change.
    look: String,
    /// Hash of what is in the files.
    hash: u64,
}

/// One call of the compiler, or a program of which no call is known.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Compilation {
    /// Objects and programs, relative to the project's root where they lie below it.
    outputs: Vec<PathBuf>,
    inputs: Vec<Input>,
}

/// Why programs are not what a build would make now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outdated {
    /// A file of the project is another one than was compiled.
    File {
        /// As seen from the project's root.
        file: PathBuf,
        /// What was made from it.
        output: PathBuf,
    },
    /// A file that says how to build is another one.
    Recipe(PathBuf),
    /// A source lies beside those that were compiled, and did not then.
    New(PathBuf),
    /// Another release put the versions into the programs.
    Tools,
    /// The last build failed or was interrupted.
    Unfinished,
}

impl fmt::Display for Outdated {
    fn fmt(&self, out: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Outdated::File { file, output } => {
                write!(out, "{} is newer than {}", file.display(), output.display())
            }
            Outdated::Recipe(file) => write!(out, "{} was changed", file.display()),
            Outdated::New(file) => write!(out, "{} is new", file.display()),
            Outdated::Tools => write!(out, "the programs were built by another release of suspect"),
            Outdated::Unfinished => write!(out, "the last build did not succeed"),
        }
    }
}

/// Where clang is to write the headers of a compilation with these events, for the log at `log`; `None` when nothing is instrumented.
pub fn begin(log: &Path, events: &[Event]) -> io::Result<Option<PathBuf>> {
    let is_ours = |event: &&Event| event.step == EventStep::Compile && event.left.is_none();
    if !events.iter().any(|event| is_ours(&event)) {
        return Ok(None);
    }
    let directory = log.with_file_name(COMPILED);
    fs::create_dir_all(&directory)?;
    let mut text = format!("{}\n", nanoseconds(SystemTime::now()));
    let mut key = HASH_START;
    for event in events {
        let sources = if is_ours(&event) { event.inputs.as_slice() } else { &[] };
        for source in sources {
            text += &format!("= {}\n", Path::new(&event.directory).join(source).display());
        }
        if !event.output.is_empty() {
            text += &format!("> {}\n", event.path().display());
        }
        key = hash_bytes(key, event.directory.as_bytes());
        key = hash_bytes(key, event.output.as_bytes());
        key = hash_bytes(key, sources.join("\0").as_bytes());
    }
    text += &format!("@ {}\n", events[0].directory);
    let path = directory.join(format!("{key:016x}"));
    fs::write(&path, text)?;
    Ok(Some(path))
}

/// Takes in what was compiled by a build of the project at `root` that `started` then and went well.
pub fn gather(root: &Path, state: &Path, report: &BuildReport, started: SystemTime) -> io::Result<()> {
    let root = root.canonicalize()?;
    let before = Inputs::load(state).unwrap_or_default();
    let mut stamps = Stamps::after(&root, before.compilations.iter().flat_map(|known| &known.inputs));
    let mut by_output: BTreeMap<Vec<PathBuf>, Compilation> =
        before.compilations.into_iter().map(|known| (known.outputs.clone(), known)).collect();
    let directory = state.join(COMPILED);
    let mut compiled: BTreeSet<Vec<PathBuf>> = BTreeSet::new();
    for entry in fs::read_dir(&directory).into_iter().flatten().flatten() {
        let Some(begun) = Begun::read(&entry.path()) else { continue };
        let outputs: Vec<PathBuf> = begun.outputs.iter().map(|path| below(&root, path)).collect();
        let is_made = |path: &PathBuf| changed(&root.join(path)).is_some_and(|time| time + LAG.as_nanos() >= begun.at);
        if outputs.iter().any(is_made) {
            let inputs = begun.inputs.iter().filter_map(|path| stamps.input(path, begun.at)).collect();
            compiled.insert(outputs.clone());
            by_output.insert(outputs.clone(), Compilation { outputs, inputs });
        }
    }
    by_output.values_mut().filter(|known| !compiled.contains(&known.outputs)).for_each(|known| {
        known.take_from_cache(&root, started, &mut stamps);
    });
    by_output.retain(|outputs, _| outputs.iter().any(|path| root.join(path).exists()));
    let known: BTreeSet<PathBuf> =
        by_output.values().flat_map(|known| known.inputs.iter().map(|input| input.path.clone())).collect();
    for alone in programs_alone(&root, report, &known, &mut stamps) {
        by_output.insert(alone.outputs.clone(), alone);
    }
    let files: BTreeSet<&Path> =
        by_output.values().flat_map(|known| known.inputs.iter().map(|input| input.path.as_path())).collect();
    let recipe = Recipe::of(&root, &files, started);
    let compilations = by_output.into_values().collect();
    save(state, &Inputs { tools: tools(&report.toolchain), is_whole: true, compilations, recipe })?;
    match fs::remove_dir_all(&directory) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

fn save(state: &Path, inputs: &Inputs) -> io::Result<()> {
    let fresh = state.join(INPUTS).with_extension("new");
    fs::write(&fresh, serde_json::to_vec(inputs)?)?;
    fs::rename(fresh, state.join(INPUTS))
}

/// Programs with the sources that only their site tables name: a cache of compilers made their objects.
fn programs_alone(
    root: &Path,
    report: &BuildReport,
    known: &BTreeSet<PathBuf>,
    stamps: &mut Stamps,
) -> Vec<Compilation> {
    let mut alone = Vec::new();
    for module in &report.modules {
        let Some(made) = changed(&root.join(&module.path)) else { continue };
        let units = report.units.iter().filter(|unit| module.units.contains(&unit.hash));
        let sources = units.map(|unit| Path::new(&unit.directory).join(&unit.source));
        let unknown: Vec<Input> = sources
            .filter(|path| !known.contains(&below(root, path)))
            .filter_map(|path| stamps.input(&path, made))
            .collect();
        if !unknown.is_empty() {
            alone.push(Compilation { outputs: vec![PathBuf::from(&module.path)], inputs: unknown });
        }
    }
    alone
}

/// Why the programs that were built for the project at `root` are not what a build would make now, by `toolchain` where there is one.
pub fn outdated(root: &Path, state: &Path, toolchain: Option<&Toolchain>) -> Option<Outdated> {
    let Some(inputs) = Inputs::load(state) else { return Some(Outdated::Tools) };
    if toolchain.is_some_and(|toolchain| !inputs.tools.are(toolchain)) {
        return Some(Outdated::Tools);
    }
    if inputs.is_whole { inputs.first_changed(root) } else { Some(Outdated::Unfinished) }
}

/// Removes objects and programs that the project's own build would take for current, and that are not: all that another release made,
/// and those with a file that was changed.
pub fn remove_outdated(root: &Path, state: &Path, toolchain: &Toolchain) -> io::Result<()> {
    let inputs = Inputs::load(state);
    let outputs: BTreeSet<PathBuf> = match &inputs {
        Some(inputs) if inputs.tools.are(toolchain) => {
            let mut stamps = Stamps::new(root);
            let is_old = |known: &&Compilation| known.inputs.iter().any(|input| stamps.is_edited(input));
            let old: Vec<&Compilation> = inputs.compilations.iter().filter(is_old).collect();
            old.into_iter().flat_map(|known| known.outputs.iter().map(|path| root.join(path))).collect()
        }
        // Nothing says that an unknown tree was built by another release, unless a build was recorded.
        _ => event::read(&log_in(state))?
            .iter()
            .filter(|event| event.left.is_none() && !event.output.is_empty())
            .map(Event::path)
            .collect(),
    };
    for path in outputs.iter().filter(|path| has_sites(path)) {
        fs::remove_file(path)?;
        if let Some(libtool) = libtool_object(path).filter(|path| path.is_file()) {
            fs::remove_file(libtool)?;
        }
    }
    // Should this build fail, the next one need not begin again, and no program counts as current until then.
    let inputs = match inputs {
        Some(inputs) if inputs.tools.are(toolchain) => Inputs { is_whole: false, ..inputs },
        _ => Inputs { tools: tools(toolchain), ..Inputs::default() },
    };
    save(state, &inputs)
}

/// An object or program that we made: it has a site table, of whichever format.
fn has_sites(path: &Path) -> bool {
    matches!(elf::read(path), Ok(Some(binary)) if binary.units.as_ref().map_or(true, |units| !units.is_empty()))
}

/// The file that libtool keeps for an object, and whose time counts for make.
fn libtool_object(path: &Path) -> Option<PathBuf> {
    let directory = path.parent()?;
    let directory = if directory.ends_with(".libs") { directory.parent()? } else { directory };
    (path.extension()? == "o").then(|| directory.join(path.file_name().unwrap_or_default()).with_extension("lo"))
}

impl Compilation {
    /// If its outputs were made anew since a build `started`, without a call of ours, a cache of compilers made them: of the same files, as they are now.
    fn take_from_cache(&mut self, root: &Path, started: SystemTime, stamps: &mut Stamps) {
        let made = self.outputs.iter().filter_map(|path| changed(&root.join(path))).max();
        let Some(made) = made.filter(|made| made + LAG.as_nanos() >= nanoseconds(started)) else { return };
        self.inputs = self.inputs.iter().filter_map(|input| stamps.input(&root.join(&input.path), made)).collect();
    }
}

impl Inputs {
    /// The inputs of the last build whose state is in `state`.
    pub fn load(state: &Path) -> Option<Inputs> {
        serde_json::from_slice(&fs::read(state.join(INPUTS)).ok()?).ok()
    }

    /// Sources of programs of whose build nothing is known, as they are now: paths as seen from the project's root.
    pub fn of_files<'f>(root: &Path, files: impl Iterator<Item = &'f str>) -> Inputs {
        let mut stamps = Stamps::new(root);
        let now = nanoseconds(SystemTime::now());
        let inputs = files.filter_map(|file| stamps.input(&root.join(file), now)).collect();
        Inputs { compilations: vec![Compilation { outputs: Vec::new(), inputs }], ..Inputs::default() }
    }

    /// The files of the last build and one `more`, as they are now.
    pub fn watched(root: &Path, state: &Path, more: &str) -> Inputs {
        let Inputs { compilations, recipe, .. } = Inputs::load(state).unwrap_or_default();
        let compiled = compilations.into_iter().flat_map(|one| one.inputs);
        let files: BTreeSet<PathBuf> = compiled.chain(recipe.scripts).map(|input| input.path).collect();
        let files = files.iter().filter_map(|path| path.to_str()).chain([more]);
        Inputs::of_files(root, files)
    }

    /// The first file that is another one than was compiled.
    pub fn first_changed(&self, root: &Path) -> Option<Outdated> {
        let mut stamps = Stamps::new(root);
        for known in &self.compilations {
            let output = known.outputs.iter().find(|path| root.join(path).exists());
            if output.is_none() && !known.outputs.is_empty() {
                continue;
            }
            if let Some(input) = known.inputs.iter().find(|input| stamps.differs(input)) {
                return Some(Outdated::File { file: input.path.clone(), output: output.cloned().unwrap_or_default() });
            }
        }
        self.recipe.first_changed(root)
    }

    /// Whether a file, as seen from the project's root, is another one than was compiled; `None` if no compilation is known to have read it.
    pub fn is_changed(&self, root: &Path, file: &Path) -> Option<bool> {
        let mut stamps = Stamps::new(root);
        let inputs = self.compilations.iter().flat_map(|known| &known.inputs);
        let of_file: Vec<&Input> = inputs.filter(|input| input.path == file).collect();
        (!of_file.is_empty()).then(|| of_file.into_iter().any(|input| stamps.differs(input)))
    }
}

impl Tools {
    fn are(&self, toolchain: &Toolchain) -> bool {
        self.look == look(toolchain) || self.hash == tools(toolchain).hash
    }
}

fn parts(toolchain: &Toolchain) -> [&Path; 3] {
    [&toolchain.plugin, &toolchain.start, &toolchain.end]
}

fn look(toolchain: &Toolchain) -> String {
    let look = |path: &Path| {
        let size = path.metadata().map_or(0, |data| data.len());
        format!("{}:{size}:{}", path.display(), changed(path).unwrap_or_default())
    };
    format!("{} {}", toolchain.version, parts(toolchain).map(look).join(" "))
}

fn tools(toolchain: &Toolchain) -> Tools {
    let files = parts(toolchain).into_iter();
    let hash = files.fold(hash_bytes(HASH_START, toolchain.version.as_bytes()), |hash, path| {
        hash_bytes(hash, &fs::read(path).unwrap_or_default())
    });
    Tools { look: look(toolchain), hash }
}

/// What the driver wrote of a compilation, and clang behind it.
struct Begun {
    /// Nanoseconds since 1970.
    at: u128,
    outputs: Vec<PathBuf>,
    inputs: BTreeSet<PathBuf>,
}

impl Begun {
    fn read(path: &Path) -> Option<Begun> {
        let bytes = fs::read(path).ok()?;
        let text = String::from_utf8_lossy(&bytes);
        let mut lines = text.lines();
        let mut begun = Begun { at: lines.next()?.parse().ok()?, outputs: Vec::new(), inputs: BTreeSet::new() };
        let mut directory = PathBuf::new();
        for line in lines {
            match line.split_at_checked(2) {
                Some(("@ ", path)) => directory = PathBuf::from(path),
                Some(("= ", path)) => drop(begun.inputs.insert(PathBuf::from(path))),
                Some(("> ", path)) => begun.outputs.push(PathBuf::from(path)),
                _ => drop(begun.inputs.insert(directory.join(line))),
            }
        }
        Some(begun)
    }
}
