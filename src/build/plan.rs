//! What the driver does with a compiler's command line: the arguments for the real compiler and the lines for the log.
//!
//! [`plan`] is a pure function of the command line and the set-up.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use super::arguments::{Arguments, Language, Step};
use super::event::{Event, EventStep};
use super::gcc;
use super::names::Family;
use suspect_format::abi::WRAPPED;

/// What is put into programs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equipment {
    /// The clang plugin.
    pub plugin: PathBuf,
    /// The runtime's object, which comes first in a link.
    pub start: PathBuf,
    /// The object that comes last in a link.
    pub end: PathBuf,
    /// The linker script that lld needs.
    pub script: PathBuf,
}

/// One call of the driver.
#[derive(Clone, Debug)]
pub struct Call<'a> {
    /// What the caller expects.
    pub family: Family,
    /// The arguments after the program's name.
    pub arguments: &'a [OsString],
    /// The same, understood.
    pub parsed: &'a Arguments,
    /// Where the compiler runs.
    pub directory: &'a Path,
    /// The real compiler, for the log.
    pub compiler: &'a OsStr,
    /// Names of the modes to emit, joined by commas.
    pub modes: &'a str,
}

/// What to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Plan {
    /// Arguments for the real compiler.
    pub arguments: Vec<OsString>,
    /// Lines for the log.
    pub events: Vec<Event>,
}

/// Whether the call needs nothing of ours: it asks a question, makes no code, or probes the compiler.
pub fn is_untouched(parsed: &Arguments, directory: &Path) -> bool {
    matches!(parsed.step, Step::Query | Step::Check) || is_probe(parsed, directory)
}

/// Arguments for a call that [`is_untouched`]: the caller's own, except that under a name of gcc's a program that gcc
/// accepts is accepted.
pub fn untouched(family: Family, arguments: &[OsString], parsed: &Arguments, directory: &Path) -> Vec<OsString> {
    let mut all = Vec::new();
    let sources = parsed.inputs.iter().any(|input| input.language != Language::Linker);
    if parsed.step != Step::Query && sources && matches!(family, Family::Gcc | Family::Standard(_)) {
        all.extend(standard(family, parsed));
        let probe = is_probe(parsed, directory);
        all.extend(arguments.iter().filter(|argument| probe || !gcc::is_left_out(argument.as_bytes())).cloned());
        all.extend(gcc::LENIENT.iter().map(OsString::from));
        return all;
    }
    all.extend_from_slice(arguments);
    all
}

/// Plans a compilation or link.
pub fn plan(call: &Call, equipment: &Equipment) -> Plan {
    let compile_left = compile_left(call);
    let link = call.parsed.step == Step::Link && !call.parsed.relocatable;
    let link_left = link.then(|| link_left(call.parsed)).flatten();
    let instrument = call.parsed.c_sources().next().is_some() && compile_left.is_none();
    let equip = link && link_left.is_none();

    let mut arguments = Vec::with_capacity(call.arguments.len() + 16);
    arguments.extend(standard(call.family, call.parsed));
    if equip {
        arguments.push(equipment.start.clone().into());
        arguments.extend(WRAPPED.map(|function| format!("-Wl,--wrap={function}").into()));
    }
    arguments.extend(theirs(call));
    if instrument {
        arguments.extend(compile_options(call, equipment));
    }
    if equip {
        if !call.parsed.build_id {
            arguments.push("-Wl,--build-id".into());
        }
        if call.parsed.lld {
            arguments.extend(["-Xlinker".into(), "-T".into(), "-Xlinker".into(), equipment.script.clone().into()]);
        }
        arguments.extend(["-x".into(), "none".into(), equipment.end.clone().into()]);
    }
    if call.family != Family::Cxx {
        arguments.push("-Qunused-arguments".into());
    }

    let mut events = compile_events(call, compile_left);
    if link {
        events.push(link_event(call, link_left));
    }
    Plan { arguments, events }
}

/// Lines for the log about a call that the plain compiler gets as it is, for `reason`.
pub fn left(call: &Call, reason: &str) -> Vec<Event> {
    let mut events = compile_events(call, Some(reason));
    if call.parsed.step == Step::Link && !call.parsed.relocatable {
        events.push(link_event(call, Some(reason)));
    }
    events
}

/// The caller's arguments, without what clang would refuse.
fn theirs<'a>(call: &'a Call) -> impl Iterator<Item = OsString> + 'a {
    let filter = matches!(call.family, Family::Gcc | Family::Standard(_));
    call.arguments.iter().filter(move |argument| !filter || !gcc::is_left_out(argument.as_bytes())).cloned()
}

/// The standard that the driver's name stands for.
fn standard(family: Family, parsed: &Arguments) -> Option<OsString> {
    match family {
        Family::Standard(option) if !parsed.standard => Some(option.into()),
        _ => None,
    }
}

/// Options that make clang load the plugin. `-fplugin` loads it early enough to know its options, and ccache hashes its
/// contents; what the plugin is to do stands on the command line, because caches do not look at the environment.
fn compile_options(call: &Call, equipment: &Equipment) -> Vec<OsString> {
    let mut options = Vec::new();
    // Valgrind 3.19, which tests may run programs in, gives up on DWARF 5 as clang writes it for shared libraries; clang 19 itself warns about
    // it when it assembles a file that -save-temps kept.
    match (call.parsed.full_debug, call.parsed.dwarf_version) {
        (_, false) => options.push("-gdwarf-4".into()),
        (false, true) => options.push("-g".into()),
        (true, true) => {}
    }
    if matches!(call.family, Family::Gcc | Family::Standard(_)) {
        options.extend(gcc::NO_NEW_ERRORS.iter().chain(gcc::LENIENT).map(OsString::from));
    }
    // What is made says how, also when a cache made it: see [`super::check`].
    options.push("-frecord-command-line".into());
    options.extend(plugin_options(&equipment.plugin, call.modes));
    options
}

/// What has clang load `plugin` and emit the versions for `modes`.
pub fn plugin_options(plugin: &Path, modes: &str) -> Vec<OsString> {
    let load = |option: &str| {
        let mut option = OsString::from(option);
        option.push(plugin);
        option
    };
    // Through -Xclang, because the link of `-flto` would hand a plain -mllvm to the linker, which does not know it.
    let modes = format!("-suspect-modes={modes}");
    let modes = ["-Xclang".into(), "-mllvm".into(), "-Xclang".into(), modes.into()];
    [load("-fplugin="), load("-fpass-plugin=")].into_iter().chain(modes).collect()
}

const OTHER_MACHINE: &str = "code for another machine (-m32 or --target)";

fn compile_left(call: &Call) -> Option<&'static str> {
    let cxx = call.parsed.of(Language::Cxx).next().is_some();
    if call.family == Family::Cxx {
        Some("C++")
    } else if cxx {
        Some("C and C++ sources in one command")
    } else if call.parsed.other_machine {
        Some(OTHER_MACHINE)
    } else if call.parsed.freestanding {
        Some("freestanding code (-ffreestanding)")
    } else {
        None
    }
}

fn link_left(parsed: &Arguments) -> Option<&'static str> {
    if parsed.other_machine {
        Some(OTHER_MACHINE)
    } else if parsed.freestanding {
        Some("freestanding program (-ffreestanding)")
    } else if parsed.no_libc {
        Some("linked without libc (-nostdlib or -nodefaultlibs)")
    } else if parsed.no_start_files && !parsed.shared {
        Some("linked without start files (-nostartfiles or -nostdlib)")
    } else {
        None
    }
}

fn compile_events(call: &Call, left: Option<&str>) -> Vec<Event> {
    let sources: Vec<_> = call.parsed.inputs.iter().filter(|input| input.language != Language::Linker).collect();
    let one = sources.len() == 1;
    sources
        .iter()
        .map(|source| {
            let left = match source.language {
                Language::C => left.map(str::to_owned),
                Language::Cxx => Some("C++".to_owned()),
                Language::Assembler => Some("assembler source".to_owned()),
                _ => Some("not C source".to_owned()),
            };
            let output = match (&call.parsed.output, call.parsed.step) {
                (_, Step::Link) => String::new(),
                (Some(output), _) if one => lossy(output),
                _ => object_name(&source.path),
            };
            event(call, EventStep::Compile, vec![lossy(&source.path)], output, left)
        })
        .collect()
}

fn link_event(call: &Call, left: Option<&str>) -> Event {
    let inputs = call.parsed.of(Language::Linker).map(|input| lossy(&input.path)).collect();
    let output = call.parsed.output.as_deref().map_or_else(|| "a.out".to_owned(), lossy);
    event(call, EventStep::Link, inputs, output, left.map(str::to_owned))
}

fn event(call: &Call, step: EventStep, inputs: Vec<String>, output: String, left: Option<String>) -> Event {
    Event { step, inputs, output, directory: lossy(call.directory.as_os_str()), compiler: lossy(call.compiler), left }
}

fn lossy(text: &OsStr) -> String {
    text.to_string_lossy().into_owned()
}

/// Where the object of `source` goes without `-o`.
fn object_name(source: &OsStr) -> String {
    let stem = Path::new(source).file_stem().unwrap_or(source);
    format!("{}.o", stem.to_string_lossy())
}

/// Whether a configure script, CMake or Meson tries the compiler out: such programs only have to compile and answer.
fn is_probe(parsed: &Arguments, directory: &Path) -> bool {
    let to_nowhere = parsed.output.as_deref() == Some(OsStr::new("/dev/null"));
    let from_nowhere = |path: &OsStr| path == "-" || path == "/dev/null";
    if to_nowhere && parsed.inputs.iter().all(|input| from_nowhere(&input.path)) {
        return true;
    }
    let paths = parsed.inputs.iter().map(|input| Path::new(&input.path));
    is_probe_path(directory) || paths.chain(parsed.output.as_deref().map(Path::new)).any(is_probe_path)
}

/// Whether `path` is where a configuration tool keeps the programs it tries compilers with.
pub fn is_probe_path(path: &Path) -> bool {
    let of_cmake = |component: std::path::Component| component.as_os_str() == "CMakeFiles";
    if path.extension() == Some(OsStr::new("bin")) && path.components().any(of_cmake) {
        return true;
    }
    path.components().any(|component| {
        let name = component.as_os_str().as_bytes();
        matches!(name, b"CMakeScratch" | b"CMakeTmp" | b"CompilerIdC" | b"CompilerIdCXX" | b"meson-private")
            || name.starts_with(b"cmTC_")
            || name.starts_with(b"conftest")
            || name.starts_with(b"CMakeDetermineCompilerABI_")
            || name.starts_with(b"_CMakeLTOTest")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn equipment() -> Equipment {
        Equipment {
            plugin: "/l/p.so".into(),
            start: "/l/rt.o".into(),
            end: "/l/end.o".into(),
            script: "/l/s.ld".into(),
        }
    }

    fn planned(family: Family, words: &[&str]) -> (Vec<String>, Vec<Event>) {
        let arguments: Vec<OsString> = words.iter().map(OsString::from).collect();
        let parsed = Arguments::parse(&arguments, &|_| None);
        let call = Call {
            family,
            arguments: &arguments,
            parsed: &parsed,
            directory: Path::new("/w"),
            compiler: OsStr::new("/usr/bin/clang"),
            modes: "edges,values",
        };
        let plan = plan(&call, &equipment());
        (plan.arguments.iter().map(|word| lossy(word)).collect(), plan.events)
    }

    const PLUGIN: [&str; 7] = [
        "-frecord-command-line",
        "-fplugin=/l/p.so",
        "-fpass-plugin=/l/p.so",
        "-Xclang",
        "-mllvm",
        "-Xclang",
        "-suspect-modes=edges,values",
    ];

    #[test]
    fn compiling_loads_the_plugin_and_adds_lines() {
        let (arguments, events) = planned(Family::Clang, &["-O2", "-c", "a b.c"]);
        assert_eq!(arguments, [&["-O2", "-c", "a b.c", "-gdwarf-4"], &PLUGIN[..], &["-Qunused-arguments"]].concat());
        assert_eq!(events.len(), 1);
        assert_eq!((events[0].output.as_str(), &events[0].left), ("a b.o", &None));
    }

    #[test]
    fn debug_information_of_the_project_is_kept() {
        let added = |line: &[&str]| {
            let (arguments, _) = planned(Family::Clang, line);
            arguments[line.len()..].iter().take_while(|word| word.starts_with("-g")).cloned().collect::<Vec<_>>()
        };
        assert_eq!(added(&["-ggdb3", "-c", "a.c"]), ["-gdwarf-4"]);
        assert_eq!(added(&["-gdwarf-5", "-c", "a.c"]), [""; 0]);
        assert_eq!(added(&["-g", "-g0", "-c", "a.c"]), ["-gdwarf-4"]);
        assert_eq!(added(&["-gdwarf-5", "-g0", "-c", "a.c"]), ["-g"]);
    }

    #[test]
    fn linking_puts_the_runtime_around_everything() {
        let (arguments, events) = planned(Family::Clang, &["a.o", "-x", "c", "b.c", "-o", "p", "-lm"]);
        assert_eq!(arguments[0], "/l/rt.o");
        let tail = &arguments[arguments.len() - 5..];
        assert_eq!(tail, ["-Wl,--build-id", "-x", "none", "/l/end.o", "-Qunused-arguments"]);
        let steps: Vec<_> = events.iter().map(|event| (event.step, event.output.as_str())).collect();
        assert_eq!(steps, [(EventStep::Compile, ""), (EventStep::Link, "p")]);
        assert_eq!(events[1].inputs, ["a.o"]);
    }

    #[test]
    fn lld_is_told_where_the_words_go() {
        let (arguments, _) = planned(Family::Clang, &["-fuse-ld=lld-19", "a.o"]);
        assert!(arguments.windows(2).any(|pair| pair == ["-Xlinker", "/l/s.ld"]));
    }

    #[test]
    fn relocatable_links_get_nothing() {
        for words in [["-r", "a.o"], ["-Wl,-r", "a.o"]] {
            let (arguments, events) = planned(Family::Clang, &words);
            assert_eq!(arguments, [words[0], words[1], "-Qunused-arguments"]);
            assert!(events.is_empty());
        }
    }

    #[test]
    fn programs_without_libc_are_noted() {
        for words in [["-nostdlib", "a.o"], ["-nostartfiles", "a.o"], ["-ffreestanding", "a.o"]] {
            let (arguments, events) = planned(Family::Clang, &words);
            assert!(!arguments.contains(&"/l/rt.o".to_owned()), "{words:?}");
            assert!(events[0].left.is_some(), "{words:?}");
        }
        let (arguments, _) = planned(Family::Clang, &["-shared", "-nostdlib", "a.o", "-lc"]);
        assert_eq!(arguments[0], "/l/rt.o");
    }

    #[test]
    fn other_languages_pass() {
        let (arguments, events) = planned(Family::Clang, &["-c", "a.S"]);
        assert_eq!(arguments, ["-c", "a.S", "-Qunused-arguments"]);
        assert_eq!(events[0].left.as_deref(), Some("assembler source"));
        let (arguments, events) = planned(Family::Cxx, &["-c", "a.cpp"]);
        assert_eq!(arguments, ["-c", "a.cpp"]);
        assert_eq!(events[0].left.as_deref(), Some("C++"));
        let (arguments, _) = planned(Family::Cxx, &["a.o", "b.o", "-o", "p"]);
        assert_eq!(arguments[0], "/l/rt.o");
    }

    #[test]
    fn names_of_gcc_are_lenient() {
        let (arguments, _) = planned(Family::Gcc, &["-fno-tree-vrp", "-Werror", "-c", "a.c"]);
        assert!(!arguments.contains(&"-fno-tree-vrp".to_owned()));
        assert!(arguments.contains(&"-Wno-error".to_owned()));
        let (arguments, _) = planned(Family::Standard("-std=c99"), &["-c", "a.c"]);
        assert_eq!(arguments[0], "-std=c99");
        let (arguments, _) = planned(Family::Standard("-std=c99"), &["-std=c11", "-c", "a.c"]);
        assert_eq!(arguments[0], "-std=c11");
    }

    #[test]
    fn probes_of_configuration_tools_are_known() {
        let untouched = |words: &[&str], directory: &str| {
            let words: Vec<OsString> = words.iter().map(OsString::from).collect();
            is_untouched(&Arguments::parse(&words, &|_| None), Path::new(directory))
        };
        assert!(untouched(&["-c", "conftest.c"], "/w"));
        assert!(untouched(&["-o", "conftest", "conftest.c", "-lm"], "/w"));
        assert!(untouched(&["-o", "CMakeFiles/cmTC_1234.dir/t.c.o", "-c", "/usr/share/t.c"], "/w"));
        assert!(untouched(&["-o", "x.o", "-c", "x.c"], "/w/CMakeFiles/CMakeScratch/TryCompile-1"));
        assert!(untouched(&["CMakeCCompilerId.c"], "/w/CMakeFiles/3.25.1/CompilerIdC"));
        assert!(untouched(&["/w/meson-private/tmp1/testfile.c", "-c", "-o", "o.obj"], "/w"));
        assert!(untouched(&["-x", "c", "-c", "-", "-o", "/dev/null"], "/w"));
        assert!(is_probe_path(Path::new("out/CMakeFiles/CheckTypeSize/OFF64_T.bin")));
        assert!(untouched(&["-v"], "/w"));
        assert!(!untouched(&["-x", "c", "-c", "-", "-o", "a.o"], "/w"));
        assert!(!untouched(&["-v", "-c", "a.c"], "/w"));
    }

    #[test]
    fn untouched_calls_keep_their_arguments() {
        let words: Vec<OsString> = ["-c", "-fno-tree-vrp", "conftest.c"].iter().map(OsString::from).collect();
        let parsed = Arguments::parse(&words, &|_| None);
        assert_eq!(untouched(Family::Clang, &words, &parsed, Path::new("/w")), words);
        let lenient = untouched(Family::Gcc, &words, &parsed, Path::new("/w"));
        assert_eq!(lenient[..3], words);
        assert_eq!(lenient.len(), 3 + gcc::LENIENT.len());
    }
}
