//! What a compiler's command line asks for.
//!
//! Only as much as is needed to tell a compilation from a link and C from everything else. Arguments are bytes; nothing
//! here touches the file system except through the reader of response files that [`Arguments::parse`] is given.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// How far a compiler is to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// It only answers a question, such as `--version`.
    Query,
    /// It preprocesses, checks or lists dependences, and makes no code.
    Check,
    /// It makes an object or assembly (`-c`, `-S`).
    Compile,
    /// It makes a program or library.
    Link,
}

/// What an input file is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// C source, preprocessed or not.
    C,
    /// C++ source.
    Cxx,
    /// Assembler source.
    Assembler,
    /// A header to precompile.
    Header,
    /// Source of another language, or LLVM IR.
    Other,
    /// Something for the linker.
    Linker,
}

impl Language {
    /// The language of a file, by the end of its name, as clang decides it.
    pub fn of_file(path: &OsStr) -> Language {
        let bytes = path.as_bytes();
        let name = bytes.rsplit(|byte| *byte == b'/').next().unwrap_or(bytes);
        let Some(dot) = name.iter().rposition(|byte| *byte == b'.') else { return Language::Linker };
        match &name[dot + 1..] {
            b"c" | b"i" => Language::C,
            b"cc" | b"cp" | b"cxx" | b"cpp" | b"CPP" | b"c++" | b"C" | b"CC" | b"CXX" | b"C++" | b"ii" => Language::Cxx,
            b"s" | b"S" | b"sx" | b"asm" => Language::Assembler,
            b"h" | b"H" | b"hh" | b"hpp" | b"hxx" | b"hp" | b"h++" | b"gch" | b"pch" => Language::Header,
            b"m" | b"M" | b"mi" | b"mm" | b"mii" | b"ll" | b"bc" | b"cu" | b"hip" | b"cl" | b"f" | b"F" | b"f90"
            | b"F90" | b"f95" | b"for" | b"d" | b"go" | b"ada" | b"adb" | b"rs" => Language::Other,
            _ => Language::Linker,
        }
    }

    fn of_option(value: &[u8]) -> Option<Language> {
        match value {
            b"none" => None,
            b"c" | b"cpp-output" => Some(Language::C),
            b"c++" | b"c++-cpp-output" => Some(Language::Cxx),
            b"assembler" | b"assembler-with-cpp" => Some(Language::Assembler),
            _ if value.ends_with(b"-header") => Some(Language::Header),
            _ => Some(Language::Other),
        }
    }
}

/// One input of a command line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// As written.
    pub path: OsString,
    /// What it is taken for.
    pub language: Language,
}

/// A command line, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Arguments {
    /// How far to go.
    pub step: Step,
    /// Files, in order.
    pub inputs: Vec<Input>,
    /// The value of `-o`.
    pub output: Option<OsString>,
    /// A shared library is linked.
    pub shared: bool,
    /// Objects are joined into an object (`-r`).
    pub relocatable: bool,
    /// No start files (`-nostartfiles`, `-nostdlib`).
    pub no_start_files: bool,
    /// No libc, unless one is named.
    pub no_libc: bool,
    /// There may be no libc (`-ffreestanding`).
    pub freestanding: bool,
    /// Lines, types and names are in the debug information.
    pub full_debug: bool,
    /// The version of DWARF was chosen (`-gdwarf-5`).
    pub dwarf_version: bool,
    /// The code is for another machine, or for this one's 32-bit mode.
    pub other_machine: bool,
    /// lld links, with its own idea of where sections go.
    pub lld: bool,
    /// Intermediate files are kept (`-save-temps`).
    pub save_temps: bool,
    /// The project decided about the linker's build id, other than not to have one.
    pub build_id: bool,
    /// A standard was chosen (`-std=`, `-ansi`).
    pub standard: bool,
    /// The options, with their values, that decide what a C source means: definitions, directories of headers, the language.
    pub meaning: Vec<OsString>,
}

/// Options whose value is the next argument.
const TAKE_VALUE: &str = "\
    -D -U -I -L -F -B -T -u -z -e -G -A -J -b -MF -MT -MQ -MJ -include -imacros -isystem -idirafter -iquote -iprefix \
    -iwithprefix -iwithprefixbefore -isysroot -iframework -imultilib -ivfsoverlay -include-pch -cxx-isystem \
    -isystem-after -target -arch -Xclang -Xlinker -Xassembler -Xpreprocessor -Xanalyzer -mllvm -mmlir -framework \
    -rpath -aux-info -dumpdir -dumpbase -dumpbase-ext -wrapper -working-directory -current_version \
    -compatibility_version -install_name -serialize-diagnostics --serialize-diagnostics --param --sysroot --target \
    --include --define-macro --undefine-macro --include-directory --library-directory --prefix --config --for-linker \
    --for-assembler -Tbss -Tdata -Ttext -h -soname";

/// Those of them that decide what a source means.
const MEANING_WITH_VALUE: &str = "\
    -D -U -I -include -imacros -isystem -idirafter -iquote -iprefix -iwithprefix -iwithprefixbefore -isysroot \
    -ivfsoverlay -isystem-after -working-directory --sysroot --include --define-macro --undefine-macro \
    --include-directory";

/// Beginnings of other options that do, and of some that begin like them and do something else.
const MEANING: &[&str] = &[
    "-D",
    "-U",
    "-I",
    "-i",
    "-std=",
    "--std=",
    "-ansi",
    "--sysroot=",
    "-O",
    "-f",
    "-m",
    "-nostdinc",
    "-pthread",
    "-trigraphs",
    "-undef",
    "-Wp,-D",
    "-Wp,-I",
    "-Wp,-U",
];
const NO_MEANING: &[&str] = &[
    "-fplugin",
    "-fpass-plugin",
    "-fprofile",
    "-fsyntax-only",
    "-fdiagnostics",
    "-fno-diagnostics",
    "-fcolor-diagnostics",
    "-fno-color-diagnostics",
    "-ferror-limit",
    "-fmessage-length",
    "-ftime-",
    "-fsave-optimization-record",
    "-fuse-ld=",
    "-ftest-coverage",
    "-fcoverage",
    "-fproc-stat-report",
    "-fcrash-diagnostics",
    "-flto",
    "-fthinlto",
    "-frecord-",
];

/// Options after which a compiler answers and does nothing else, and prefixes of such options.
const QUERIES: &[&str] =
    &["--version", "-dumpmachine", "-dumpversion", "-dumpfullversion", "-dumpspecs", "-###", "--target-help", "-V"];
const QUERY_PREFIXES: &[&str] = &["-print-", "--print-", "--help", "-help", "--autocomplete="];

impl Arguments {
    /// Understands `arguments`; `read` gives the bytes of a response file.
    pub fn parse(arguments: &[OsString], read: &dyn Fn(&OsStr) -> Option<Vec<u8>>) -> Arguments {
        let mut parser = Parser::default();
        let mut flat = Vec::new();
        expand(arguments, read, 0, &mut flat);
        let mut rest = flat.into_iter();
        while let Some(argument) = rest.next() {
            parser.argument(argument, &mut rest);
        }
        parser.finish()
    }

    /// Inputs in C.
    pub fn c_sources(&self) -> impl Iterator<Item = &Input> {
        self.of(Language::C)
    }

    /// Inputs in `language`.
    pub fn of(&self, language: Language) -> impl Iterator<Item = &Input> {
        self.inputs.iter().filter(move |input| input.language == language)
    }
}

struct Parser {
    query: bool,
    step: Step,
    language: Option<Language>,
    libraries: bool,
    libc: bool,
    no_default_libraries: bool,
    found: Arguments,
}

impl Default for Parser {
    fn default() -> Self {
        let found = Arguments {
            step: Step::Link,
            inputs: Vec::new(),
            output: None,
            shared: false,
            relocatable: false,
            no_start_files: false,
            no_libc: false,
            freestanding: false,
            full_debug: false,
            dwarf_version: false,
            other_machine: false,
            lld: false,
            save_temps: false,
            build_id: false,
            standard: false,
            meaning: Vec::new(),
        };
        Parser {
            query: false,
            step: Step::Link,
            language: None,
            libraries: false,
            libc: false,
            no_default_libraries: false,
            found,
        }
    }
}

impl Parser {
    fn argument(&mut self, argument: OsString, rest: &mut dyn Iterator<Item = OsString>) {
        let bytes = argument.as_bytes();
        if bytes == b"-" || !bytes.starts_with(b"-") {
            let language = self.language.unwrap_or_else(|| Language::of_file(&argument));
            self.found.inputs.push(Input { path: argument, language });
            return;
        }
        let Some(text) = argument.to_str() else { return };
        match text {
            "-o" | "--output" => self.found.output = rest.next(),
            "-x" | "--language" => {
                self.language = rest.next().and_then(|value| Language::of_option(value.as_bytes()));
            }
            "-target" | "--target" => self.target(rest.next().unwrap_or_default().as_bytes()),
            "-l" => self.library(rest.next().unwrap_or_default().as_bytes()),
            "-Xlinker" => {
                let value = rest.next().unwrap_or_default();
                self.linker_option(value.as_bytes());
            }
            _ if TAKE_VALUE.split_whitespace().any(|option| option == text) => {
                let value = rest.next();
                if MEANING_WITH_VALUE.split_whitespace().any(|option| option == text) {
                    self.found.meaning.extend([argument.clone()].into_iter().chain(value));
                }
            }
            _ => {
                let begins = |all: &[&str]| all.iter().any(|beginning| text.starts_with(beginning));
                if begins(MEANING) && !begins(NO_MEANING) {
                    self.found.meaning.push(argument.clone());
                }
                self.flag(text);
            }
        }
    }

    fn flag(&mut self, text: &str) {
        match text {
            "-c" | "-S" | "--compile" | "--assemble" => self.go_to(Step::Compile),
            "-E" | "-M" | "-MM" | "-fsyntax-only" | "--analyze" | "--preprocess" | "--precompile" | "-emit-ast" => {
                self.go_to(Step::Check);
            }
            "-shared" | "--shared" => self.found.shared = true,
            "-r" => self.found.relocatable = true,
            "-nostdlib" | "--no-standard-libraries" => {
                self.found.no_start_files = true;
                self.no_default_libraries = true;
            }
            "-nostartfiles" => self.found.no_start_files = true,
            "-nodefaultlibs" | "-nolibc" => self.no_default_libraries = true,
            "-ffreestanding" | "-fno-hosted" => self.found.freestanding = true,
            "-fhosted" | "-fno-freestanding" => self.found.freestanding = false,
            "-m32" | "-mx32" | "-m16" => self.found.other_machine = true,
            "-m64" => self.found.other_machine = false,
            "-ansi" => self.found.standard = true,
            _ => self.prefixed_flag(text),
        }
    }

    fn prefixed_flag(&mut self, text: &str) {
        if QUERIES.contains(&text) || QUERY_PREFIXES.iter().any(|prefix| text.starts_with(prefix)) {
            self.query = true;
        } else if let Some(value) = text.strip_prefix("-o") {
            self.found.output = Some(value.into());
        } else if let Some(value) = text.strip_prefix("-x") {
            self.language = Language::of_option(value.as_bytes());
        } else if let Some(name) = text.strip_prefix("-l") {
            self.library(name.as_bytes());
        } else if let Some(options) = text.strip_prefix("-Wl,") {
            options.split(',').for_each(|option| self.linker_option(option.as_bytes()));
        } else if text.starts_with("-std=") || text.starts_with("--std=") {
            self.found.standard = true;
        } else if let Some(linker) = text.strip_prefix("-fuse-ld=").or_else(|| text.strip_prefix("--ld-path=")) {
            self.found.lld = linker.contains("lld");
        } else if let Some(triple) = text.strip_prefix("--target=") {
            self.target(triple.as_bytes());
        } else if text.starts_with("-save-temps") || text.starts_with("--save-temps") {
            self.found.save_temps = true;
        } else if let Some(full) = debug_level(text) {
            self.found.full_debug = full;
            self.found.dwarf_version |= text.starts_with("-gdwarf-");
        }
    }

    /// `-E` may stand beside `-c`; the step that stops first counts.
    fn go_to(&mut self, step: Step) {
        if self.step == Step::Link || step == Step::Check {
            self.step = step;
        }
    }

    fn target(&mut self, triple: &[u8]) {
        let part = |wanted: &str| triple.split(|byte| *byte == b'-').any(|part| part == wanted.as_bytes());
        self.found.other_machine = !(part(std::env::consts::ARCH) && part("linux"));
    }

    fn library(&mut self, name: &[u8]) {
        self.libraries = true;
        self.libc |= name == b"c";
    }

    fn linker_option(&mut self, option: &[u8]) {
        match option {
            b"-r" | b"--relocatable" | b"-i" => self.found.relocatable = true,
            b"-shared" | b"--shared" | b"-Bshareable" => self.found.shared = true,
            b"--build-id=none" => self.found.build_id = false,
            _ if option.starts_with(b"--build-id") => self.found.build_id = true,
            _ if option.starts_with(b"-l") => self.library(&option[2..]),
            _ if option.ends_with(b".a") || option.ends_with(b".o") => self.libraries = true,
            _ => {}
        }
    }

    fn finish(self) -> Arguments {
        let mut found = self.found;
        found.no_libc = self.no_default_libraries && !self.libc;
        let nothing = found.inputs.is_empty() && !(self.libraries && self.step == Step::Link);
        found.step = if self.query || nothing { Step::Query } else { self.step };
        if found.step == Step::Link && found.inputs.iter().any(|input| input.language == Language::Header) {
            found.step = Step::Check;
        }
        found
    }
}

/// Whether a `-g` option asks for lines, types and names; `None` for any other option.
fn debug_level(text: &str) -> Option<bool> {
    let level = text.strip_prefix("-g")?;
    let level = ["gdb", "lldb", "sce", "dbx"].iter().find_map(|tuning| level.strip_prefix(tuning)).unwrap_or(level);
    match level {
        "" | "2" | "3" | "full" | "used" | "dwarf" | "dwarf-2" | "dwarf-3" | "dwarf-4" | "dwarf-5" => Some(true),
        "0" | "1" | "mlt" | "line-tables-only" | "line-directives-only" => Some(false),
        _ => None,
    }
}

/// How deep response files may name response files.
const DEEPEST_RESPONSE: u32 = 8;

fn expand(arguments: &[OsString], read: &dyn Fn(&OsStr) -> Option<Vec<u8>>, depth: u32, flat: &mut Vec<OsString>) {
    for argument in arguments {
        let file = argument.as_bytes().strip_prefix(b"@").filter(|_| depth < DEEPEST_RESPONSE);
        match file.and_then(|name| read(OsStr::from_bytes(name))) {
            Some(text) => expand(&split_response(&text), read, depth + 1, flat),
            None => flat.push(argument.clone()),
        }
    }
}

/// Cuts a response file into arguments: blanks separate, quotes join, a backslash takes the next byte as it is.
pub fn split_response(text: &[u8]) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word: Option<Vec<u8>> = None;
    let mut quote = None;
    let mut bytes = text.iter().copied();
    while let Some(byte) = bytes.next() {
        match (byte, quote) {
            (b'\\', _) => word.get_or_insert_default().extend(bytes.next()),
            (b'"' | b'\'', None) => {
                quote = Some(byte);
                word.get_or_insert_default();
            }
            (_, Some(open)) if byte == open => quote = None,
            (_, None) if byte.is_ascii_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(byte),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from_vec).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Arguments {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        Arguments::parse(&words, &|_| None)
    }

    #[test]
    fn step_is_the_first_that_stops() {
        assert_eq!(parse("a.c -o a").step, Step::Link);
        assert_eq!(parse("-c a.c").step, Step::Compile);
        assert_eq!(parse("-E -c a.c").step, Step::Check);
        assert_eq!(parse("-c -E a.c").step, Step::Check);
        assert_eq!(parse("-MD -MF a.d -c a.c").step, Step::Compile);
        assert_eq!(parse("-M a.c").step, Step::Check);
        assert_eq!(parse("-v").step, Step::Query);
        assert_eq!(parse("--version").step, Step::Query);
        assert_eq!(parse("-print-prog-name=ld").step, Step::Query);
        assert_eq!(parse("-Wl,--version").step, Step::Query);
        assert_eq!(parse("a.h").step, Step::Check);
        assert_eq!(parse("-shared -Wl,--whole-archive,libx.a -o x.so").step, Step::Link);
    }

    #[test]
    fn values_of_options_are_not_inputs() {
        let found = parse("-I dir.c -include x.c -MF a.d -Xlinker y.o -o out.c -D Z a.c");
        assert_eq!(found.inputs, [Input { path: "a.c".into(), language: Language::C }]);
        assert_eq!(found.output, Some("out.c".into()));
    }

    #[test]
    fn what_a_source_means_is_told_from_what_is_made_of_it() {
        let kept = |line: &str| {
            parse(line).meaning.iter().map(|option| option.to_string_lossy().into_owned()).collect::<Vec<_>>()
        };
        let all = "-DA=1 -D B -Iinc -I inc2 -isystem s -include f.h -std=gnu99 -O2 -funsigned-char -march=native -Wp,-DC=2 -pthread";
        assert_eq!(kept(all), all.split(' ').collect::<Vec<_>>());
        assert_eq!(
            kept(
                "-c a.c -o a.o -MD -MF a.d -Wall -Werror -g -Wp,-MD,a.d -fplugin=p.so -fprofile-generate -lm -L lib -x c -w"
            ),
            [""; 0]
        );
    }

    #[test]
    fn language_follows_the_option_in_force() {
        let found = parse("-x c - x.txt -x none b.o c.cpp d.S");
        let languages: Vec<_> = found.inputs.iter().map(|input| input.language).collect();
        use Language::*;
        assert_eq!(languages, [C, C, Linker, Cxx, Assembler]);
    }

    #[test]
    fn last_debug_option_wins() {
        assert!(parse("-g a.c").full_debug);
        assert!(parse("-ggdb3 a.c").full_debug);
        assert!(parse("-gdwarf-4 a.c").full_debug);
        assert!(!parse("-g -g0 a.c").full_debug);
        assert!(!parse("-g -ggdb0 a.c").full_debug);
        assert!(!parse("-gline-tables-only a.c").full_debug);
        assert!(parse("-g -gno-column-info a.c").full_debug);
        assert!(!parse("-gsplit-dwarf a.c").full_debug);
        assert!(parse("-gdwarf-5 -g a.c").dwarf_version && !parse("-g3 a.c").dwarf_version);
    }

    #[test]
    fn other_machines_are_told_apart() {
        for line in ["-m32 a.c", "--target=aarch64-linux-gnu a.c", "-target x86_64-w64-mingw32 a.c"] {
            assert!(parse(line).other_machine, "{line}");
        }
        let own = format!("--target={}-pc-linux-gnu a.c", std::env::consts::ARCH);
        assert!(!parse(&own).other_machine && !parse("-m64 a.c").other_machine);
    }

    #[test]
    fn libc_named_again_counts() {
        assert!(parse("-nostdlib a.o").no_libc);
        assert!(!parse("-nostdlib a.o -lc").no_libc);
        assert!(!parse("-nostdlib a.o -Wl,-lc").no_libc);
        assert!(parse("-nostdlib a.o -lc").no_start_files);
    }

    #[test]
    fn response_files_are_read_through() {
        let read = |name: &OsStr| match name.to_str() {
            Some("a.rsp") => Some(br#"-c 'with space.c' "q\"uote.c" back\ slash.c @b.rsp"#.to_vec()),
            Some("b.rsp") => Some(b"\n-o\tx.o\n".to_vec()),
            _ => None,
        };
        let found = Arguments::parse(&["@a.rsp".into(), "@missing".into()], &read);
        assert_eq!(found.step, Step::Compile);
        assert_eq!(found.output, Some("x.o".into()));
        let paths: Vec<_> = found.inputs.iter().map(|input| input.path.to_str().unwrap()).collect();
        assert_eq!(paths, ["with space.c", "q\"uote.c", "back slash.c", "@missing"]);
    }

    #[test]
    fn response_file_naming_itself_ends() {
        let found = Arguments::parse(&["@loop".into()], &|_| Some(b"@loop a.c".to_vec()));
        assert!(found.c_sources().count() > 0);
    }

    #[test]
    fn bytes_that_are_not_text_are_inputs() {
        let path = OsString::from_vec(b"\xff\xfe.c".to_vec());
        let found = Arguments::parse(&["-c".into(), path.clone()], &|_| None);
        assert_eq!(found.inputs, [Input { path, language: Language::C }]);
    }
}
