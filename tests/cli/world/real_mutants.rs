//! Code mutants of released programs do what the same edits of their source do, compiled plainly.
//!
//! Where the two differ, the edited program is run again under sanitizers: what they object to has no meaning in C.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use serde_json::Value;
use suspect::source::{Edit, apply};

use crate::project::Project;
use crate::world::projects::fetch;

const CLASSES: [&str; 19] = [
    "AOR", "ROR", "LCR", "BOR", "SOR", "CRP", "UOI", "VRR", "SDL", "ASR", "BOD", "STI", "UOD", "IWR", "VGI", "RCI",
    "CFR", "MRR", "DJI",
];
/// As users compile. Overflow wraps round, and locals begin as zero, where mutants run.
const PLAIN: [&str; 5] = ["-O2", "-w", "-g", "-fwrapv", "-ftrivial-auto-var-init=zero"];
/// Lua takes the seed of its hashes from the clock and from addresses, so without this an edited program does now one thing, now another.
const SAME_HASHES: &str = "-Dluai_makeseed(L)=27";
/// Plain, and what finds code without meaning.
const FLAVOURS: [(&str, &[&str]); 3] = [
    ("plain", &[]),
    ("address", &["-fsanitize=address,undefined", "-fno-sanitize-recover=all"]),
    ("memory", &["-fsanitize=memory", "-ftrivial-auto-var-init=uninitialized"]),
];
/// The exit status with which a sanitizer objects.
const OBJECTION: i32 = 99;
/// How long an edited program may run.
const PATIENCE: Duration = Duration::from_secs(5);

/// A released program and tests for it.
struct Subject {
    project: Project,
    sources: Vec<String>,
    tests: Vec<String>,
    libraries: &'static [&'static str],
    /// For each flavour, its objects.
    objects: PathBuf,
}

impl Subject {
    /// The sources in `from` that `keep` says, and files of ours, built and recorded.
    fn new(
        from: &Path,
        keep: fn(&str) -> bool,
        ours: &[(&str, &str)],
        tests: &[&str],
        libraries: &'static [&str],
    ) -> Subject {
        let project = Project::new();
        let names = fs::read_dir(from).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        for name in names.filter(|name| name.ends_with(".h") || name.ends_with(".c") && keep(name)) {
            project.write(&name, &String::from_utf8_lossy(&fs::read(from.join(&name)).unwrap()));
        }
        ours.iter().for_each(|(name, text)| {
            project.write(name, text);
        });
        let entries =
            fs::read_dir(project.path()).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut sources: Vec<String> = entries.filter(|name| name.ends_with(".c")).collect();
        sources.sort();
        let objects = project.path().join(".objects");
        let tests = tests.iter().map(|test| (*test).to_owned()).collect();
        let subject = Subject { project, sources, tests, libraries, objects };
        subject.prepare();
        subject
    }

    fn prepare(&self) {
        for (flavour, _) in FLAVOURS {
            fs::create_dir_all(self.objects.join(flavour)).unwrap();
            each(&self.sources, |source| {
                let object = self.objects.join(flavour).join(source).with_extension("o");
                assert!(self.compile(flavour, &self.project.path().join(source), &object), "{source}");
            });
        }
        let program = self.objects.join("original");
        self.link("plain", None, &program);
        fs::create_dir(self.project.path().join("expected")).unwrap();
        for (number, test) in self.tests.iter().enumerate() {
            let ran = self.run(&program, test);
            fs::write(self.project.path().join(format!("expected/{}", number + 1)), ran.output).unwrap();
        }
        for (flavour, _) in &FLAVOURS[1..] {
            let program = self.objects.join(format!("original-{flavour}"));
            self.link(flavour, None, &program);
            for (number, test) in self.tests.iter().enumerate() {
                let expected = fs::read(self.project.path().join(format!("expected/{}", number + 1))).unwrap();
                assert_eq!(self.run(&program, test).output, expected, "{flavour}: the original has no meaning: {test}");
            }
        }
        let line =
            format!("cc -O1 -g -w '{SAME_HASHES}' -o prog {} {}", self.sources.join(" "), self.libraries.join(" "));
        self.project.write("tests.list", &(self.tests.join("\n") + "\n")).write(
            "suspect.toml",
            "[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\nrun = \"./prog {line}\"\nreference = \"cat expected/{n}\"\n",
        );
        self.project.succeed(&["build", "--", "sh", "-c", &line]);
        self.project.succeed(&["test"]);
    }

    fn compile(&self, flavour: &str, source: &Path, object: &Path) -> bool {
        let flags = FLAVOURS.iter().find(|(name, _)| *name == flavour).unwrap().1;
        let mut command = Command::new("clang-19");
        command
            .args(PLAIN)
            .arg(SAME_HASHES)
            .args(flags)
            .arg("-c")
            .arg("-I")
            .arg(self.project.path())
            .arg(source)
            .arg("-o")
            .arg(object);
        command.status().unwrap().success()
    }

    /// Links the objects of a flavour, `replaced` (a source's name and its object) in the place of its own.
    fn link(&self, flavour: &str, replaced: Option<(&str, &Path)>, program: &Path) {
        let flags = FLAVOURS.iter().find(|(name, _)| *name == flavour).unwrap().1;
        let object = |source: &String| match replaced {
            Some((name, object)) if name == source => object.to_owned(),
            _ => self.objects.join(flavour).join(source).with_extension("o"),
        };
        let mut command = Command::new("clang-19");
        command.args(flags).args(self.sources.iter().map(object)).arg("-o").arg(program).args(self.libraries);
        assert!(command.status().unwrap().success());
    }

    fn run(&self, program: &Path, test: &str) -> Ran {
        let mut command = Command::new("timeout");
        command.arg(PATIENCE.as_secs().to_string()).arg(program).args(test.split(' ')).current_dir(self.project.path());
        for tool in ["ASAN", "UBSAN", "MSAN"] {
            // What the mutant asks for may be more than there is, which is no fault of its meaning.
            let options = format!("exitcode={OBJECTION}:detect_leaks=0:allocator_may_return_null=1:handle_abort=0");
            command.env(format!("{tool}_OPTIONS"), options);
        }
        let output = command.output().unwrap();
        Ran { status: output.status.code(), output: output.stdout }
    }

    /// The program of a flavour with an edit, in `directory`; `None` if that does not compile.
    fn edited(&self, flavour: &str, edit: &Edit, directory: &Path) -> Option<PathBuf> {
        let source = fs::read(self.project.path().join(&edit.file)).unwrap();
        let path = directory.join(&edit.file);
        fs::write(&path, apply(&source, [edit]).unwrap()).unwrap();
        let (object, program) = (directory.join("edited.o"), directory.join(flavour));
        self.compile(flavour, &path, &object).then(|| {
            self.link(flavour, Some((&edit.file, &object)), &program);
            program
        })
    }

    /// Whether a sanitizer objects to what the edited program does in a test.
    fn is_meaningless(&self, edit: &Edit, test: &str, directory: &Path) -> bool {
        ["address", "memory"].into_iter().any(|flavour| {
            let program = self.edited(flavour, edit, directory).expect("what compiles plainly compiles so, too");
            self.run(&program, test).status == Some(OBJECTION)
        })
    }

    /// Compares what each test does to a mutant with what it does to the edited program: pairs compared, pairs that say nothing, and
    /// what is wrong.
    fn compare(&self, mutant: &Value, tests: &[Value]) -> (usize, usize, Option<String>) {
        let edits: Vec<Edit> = serde_json::from_value(mutant["edits"].clone()).unwrap();
        let [edit] = &edits[..] else { panic!("an edit: {mutant:#}") };
        let directory = tempfile::tempdir().unwrap();
        let Some(program) = self.edited("plain", edit, directory.path()) else {
            return (0, 0, Some(format!("does not compile: {edit:?}")));
        };
        let has = |list: &str, number: usize| {
            let name = |test: &Value| {
                tests[test.as_u64().unwrap() as usize]["name"].as_str() == Some(&(number + 1).to_string())
            };
            mutant[list].as_array().unwrap().iter().any(name)
        };
        let (mut compared, mut meaningless) = (0, 0);
        for (number, test) in self.tests.iter().enumerate() {
            let ran = self.run(&program, test);
            let expected = fs::read(self.project.path().join(format!("expected/{}", number + 1))).unwrap();
            let crashed = ran.status.is_none_or(|code| matches!(code, 124 | 129..=192));
            let fails = crashed || ran.output != expected;
            let killed = has("killed_by", number);
            // A trial is cut when it executes four times what the longest test does; an edited program is left to itself.
            // A trial that the clock stopped, as on a busy machine, claims nothing.
            if has("too_long_in", number) || has("unknown_in", number) {
                continue;
            }
            compared += 1;
            if fails != killed {
                if !self.is_meaningless(edit, test, directory.path()) {
                    let what = if killed { "killed, the edited program passes" } else { "the edited program fails" };
                    return (compared, meaningless, Some(format!("test {test}: {what}: {mutant:#}")));
                }
                meaningless += 1;
            }
        }
        (compared, meaningless, None)
    }

    /// Compares `sample` mutants of each class; the number compared, by class.
    fn compare_all(&self, sample: usize, files: &str) -> BTreeMap<String, usize> {
        let (mut counts, mut wrong) = (BTreeMap::new(), Vec::new());
        let (mut pairs, mut without_meaning) = (0, 0);
        for class in CLASSES {
            let arguments = [
                "mutants",
                "--format",
                "json",
                "--operators",
                class,
                "--files",
                files,
                "--sample",
                &sample.to_string(),
            ];
            let report: Value = serde_json::from_str(&self.project.succeed(&arguments)).unwrap();
            let tests = report["tests"].as_array().unwrap();
            let known = |mutant: &&Value| mutant["status"] != "unknown";
            let mutants: Vec<&Value> = report["mutants"].as_array().unwrap().iter().filter(known).collect();
            let found = Mutex::new(Vec::new());
            each(&mutants, |mutant| {
                let one = self.compare(mutant, tests);
                found.lock().unwrap().push(one);
            });
            counts.insert(class.to_owned(), mutants.len());
            for (compared, meaningless, problem) in found.into_inner().unwrap() {
                (pairs, without_meaning) = (pairs + compared, without_meaning + meaningless);
                wrong.extend(problem);
            }
        }
        eprintln!("{pairs} pairs of mutant and test, {without_meaning} without meaning in C; mutants: {counts:?}");
        assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
        assert!(without_meaning * 20 <= pairs, "{without_meaning} of {pairs} say nothing");
        counts
    }
}

/// What a run of a program was.
struct Ran {
    status: Option<i32>,
    output: Vec<u8>,
}

/// Does `work` for each item, on all processors.
fn each<T: Sync>(items: &[T], work: impl Fn(&T) + Sync) {
    let next = AtomicUsize::new(0);
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    work(item);
                }
            });
        }
    });
}

/// The files whose mutants are compared.
const ZLIB: &str = "*.c";
const LUA: &str = "l[c-z]*.c";

fn zlib() -> Subject {
    let text = "a rose is a rose is a rose, said the fox; and a fox is a fox. ".repeat(9);
    let mixed: String = (0..700u32).map(|k| char::from(32 + (k * k * 7 + k / 3) as u8 % 90)).collect();
    Subject::new(
        &fetch::registry("libz-sys").join("src/zlib"),
        |name| !name.starts_with("gz") && !name.starts_with("infback"),
        &[
            ("zlib_main.c", include_str!("../../../benches/accuracy/zlib/zlib_main.c")),
            ("text", &text),
            ("mixed", &mixed),
            ("empty", ""),
        ],
        &["6 15 8 0 text", "1 15 9 0 mixed", "9 -12 3 1 text", "0 15 1 0 mixed", "4 31 8 2 mixed", "6 15 8 4 empty"],
        &[],
    )
}

fn lua() -> Subject {
    let script =
        |number: usize| include_str!("../../../benches/accuracy/lua/scripts.list").lines().nth(number).unwrap();
    Subject::new(
        &fetch::registry("lua-src").join("lua-5.4.6"),
        |_| true,
        &[
            ("lua_main.c", include_str!("../../../benches/accuracy/lua/lua_main.c")),
            ("a.lua", script(6)),
            ("b.lua", script(10)),
            ("c.lua", script(19)),
            ("d.lua", script(21)),
            ("e.lua", script(38)),
        ],
        &["a.lua", "b.lua", "c.lua", "d.lua", "e.lua"],
        &["-lm"],
    )
}

/// Compares mutants of every class.
fn compare(subject: &Subject, sample: usize, files: &str, least: usize) {
    let counts = subject.compare_all(sample, files);
    assert!(counts.values().sum::<usize>() >= least && counts.values().all(|count| *count > 0), "{counts:?}");
}

#[test]
fn mutants_of_zlib_do_what_edits_of_its_source_do() {
    compare(&zlib(), 6, ZLIB, 50);
}

#[test]
fn mutants_of_lua_do_what_edits_of_its_source_do() {
    compare(&lua(), 6, LUA, 50);
}

#[test]
#[ignore = "takes minutes"]
fn many_mutants_of_released_programs_do_what_edits_of_their_source_do() {
    compare(&zlib(), 40, ZLIB, 320);
    compare(&lua(), 40, LUA, 320);
}
