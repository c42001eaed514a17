//! The edit of each mutant, and of each claim, compiled as anybody would (`clang -O2`), does to all tests what the mutant did in its trials.
//!
//! The programs hold what makes edits hard: old definitions, macros, other spellings, long expressions and so on. Each test prints one
//! bit of a checksum of all that a file does, so edited programs that fail the same tests as their mutants print the same, too. Where
//! verdicts differ, the edited program runs again under sanitizers: what they object to has no meaning in C, and is counted apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;
use suspect::source::{Edit, apply};

use crate::project::Project;

const CLASSES: &str = "AOR,ROR,LCR,BOR,SOR,CRP,UOI,VRR,SDL,ASR,BOD,STI,UOD,IWR";
/// The files as they lie beside each other.
const PLAIN: [&str; 10] =
    ["casts", "digraphs", "elvis", "flow", "kandr", "logic", "macros", "names", "places", "values"];
/// Those that are made of others: with Latin-1 in comments, with lines as Windows ends them, and one of 600 terms.
const MADE: [&str; 3] = ["latin", "lines", "terms"];
/// Bits of each checksum that are tests.
const BITS: u64 = 8;
/// As people build. Where this differs from the trials, what follows is asked.
const BUILT: [&str; 3] = ["-std=gnu17", "-O2", "-w"];
const SANITIZED: [&[&str]; 2] = [
    &["-std=gnu17", "-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    &["-std=gnu17", "-O1", "-w", "-fsanitize=memory"],
];
/// The exit status with which a sanitizer objects.
const OBJECTION: i32 = 99;
/// Seconds that an edited program may run; the original takes milliseconds.
const PATIENCE: &str = "5";

/// The program, built and recorded.
struct Subject {
    project: Project,
    /// What each file's checksum is.
    sums: BTreeMap<&'static str, u64>,
}

/// What comparing a mutant with its edit showed.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Shown {
    Same,
    /// A trial was ended before the test could be.
    Cut,
    /// The edited program has no meaning in C.
    Meaningless,
    Wrong(String),
}

impl Subject {
    fn new() -> Subject {
        let project = Project::new();
        let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/edits");
        let read = |name: &str| fs::read(programs.join(name).with_extension("c")).unwrap();
        let write = |name: &str, text: &[u8]| fs::write(project.path().join(name).with_extension("c"), text).unwrap();
        write("main", &read("main"));
        PLAIN.iter().for_each(|name| write(name, &read(name)));
        write("latin", &latin(&String::from_utf8(read("flow")).unwrap()));
        write("lines", renamed(&read("places"), "places", "lines").replace('\n', "\r\n").as_bytes());
        write("terms", terms().as_bytes());
        let names = || PLAIN.into_iter().chain(MADE);
        let sources = names().map(|name| format!("{name}.c")).collect::<Vec<_>>().join(" ");
        fs::create_dir(project.path().join("objects")).unwrap();
        for name in names().chain(["main"]) {
            let object = project.path().join("objects").join(name).with_extension("o");
            assert!(compiled(&BUILT, &project.path().join(name).with_extension("c"), &object), "{name}");
        }
        let mut subject = Subject { project, sums: BTreeMap::new() };
        let program = subject.linked(&BUILT, None, subject.project.path());
        let sum = |name| (name, subject.run(&program, name).expect("the original ends well"));
        subject.sums = names().map(sum).collect();
        let mut tests = String::new();
        for (number, (name, bit)) in names().flat_map(|name| (0..BITS).map(move |bit| (name, bit))).enumerate() {
            tests += &format!("{name} {bit}\n");
            let expected = format!("{}\n", subject.sums[name] >> bit & 1);
            subject.project.write(&format!("expected/{}", number + 1), &expected);
        }
        subject.project.write("tests.list", &tests).write(
            "suspect.toml",
            &format!(
                "[build]\ncommand = \"cc {} -o prog main.c {sources}\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\n\
                 run = \"./prog {{line}}\"\nexpect = \"expected/{{n}}\"\n",
                BUILT.join(" ")
            ),
        );
        subject.project.succeed(&["build"]);
        subject.project.succeed(&["test"]);
        subject
    }

    /// The program with one of its files in another form, built in `directory`.
    fn linked(&self, flags: &[&str], replaced: Option<(&str, &Path)>, directory: &Path) -> PathBuf {
        let object = |name: &str| match replaced {
            Some((file, object)) if file == name => object.to_owned(),
            _ => self.project.path().join("objects").join(name).with_extension("o"),
        };
        let program = directory.join("edited");
        let mut command = Command::new("clang-19");
        command.args(flags).args(PLAIN.iter().chain(&MADE).chain(&["main"]).map(|name| object(name)));
        assert!(command.arg("-o").arg(&program).status().unwrap().success());
        program
    }

    /// The checksum that a program prints of a file; nothing if it does not end well.
    fn run(&self, program: &Path, name: &str) -> Result<u64, Option<i32>> {
        let mut command = Command::new("timeout");
        for tool in ["ASAN", "UBSAN", "MSAN"] {
            let options = format!("exitcode={OBJECTION}:detect_leaks=0:allocator_may_return_null=1:handle_abort=0");
            command.env(format!("{tool}_OPTIONS"), options);
        }
        let output = command.arg(PATIENCE).arg(program).arg(name).output().unwrap();
        let sum = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
        sum.filter(|_| output.status.success()).ok_or(output.status.code())
    }

    /// The tests of a file that fail where it comes to this.
    fn failing(&self, name: &str, ran: Result<u64, Option<i32>>) -> BTreeSet<u64> {
        let differs = |bit: &u64| ran.is_ok_and(|sum| (sum ^ self.sums[name]) >> bit & 1 == 1);
        (0..BITS).filter(|bit| ran.is_err() || differs(bit)).collect()
    }

    /// Compares what an edit does with the bits that fail in trials.
    fn compare(&self, edit: &Edit, killed: &BTreeSet<u64>) -> Shown {
        let name = edit.file.strip_suffix(".c").unwrap();
        let directory = tempfile::tempdir().unwrap();
        let (source, object) = (directory.path().join("edited.c"), directory.path().join("edited.o"));
        let text = fs::read(self.project.path().join(&edit.file)).unwrap();
        let Some(text) = apply(&text, [edit]) else { return Shown::Wrong(format!("does not fit: {edit:?}")) };
        fs::write(&source, text).unwrap();
        let ran = |flags: &[&str]| {
            compiled(flags, &source, &object)
                .then(|| self.run(&self.linked(flags, Some((name, &object)), directory.path()), name))
        };
        let Some(plain) = ran(&BUILT) else { return Shown::Wrong(format!("does not compile: {edit:?}")) };
        let failing = self.failing(name, plain);
        if failing == *killed {
            return Shown::Same;
        }
        match SANITIZED.iter().any(|flags| ran(flags) == Some(Err(Some(OBJECTION)))) {
            true => Shown::Meaningless,
            false => Shown::Wrong(format!("trials fail in {killed:?}, the edited program in {failing:?}: {edit:?}")),
        }
    }

    /// Compares all mutants, or so many.
    fn mutants(&self, sample: Option<usize>) -> Vec<Shown> {
        let mut arguments = vec!["mutants", "--format", "json", "--operators", CLASSES];
        let files: Vec<String> = PLAIN.iter().chain(&MADE).map(|name| format!("{name}.c")).collect();
        files.iter().for_each(|file| arguments.extend(["--files", file]));
        let number = sample.map(|number| number.to_string());
        number.iter().for_each(|number| arguments.extend(["--sample", number]));
        let report: Value = serde_json::from_str(&self.project.succeed(&arguments)).unwrap();
        let mutants = report["mutants"].as_array().unwrap();
        let mut classes: BTreeMap<&str, usize> = BTreeMap::new();
        mutants.iter().for_each(|one| *classes.entry(one["class"].as_str().unwrap()).or_default() += 1);
        eprintln!("{classes:?}");
        assert_eq!(classes.len(), CLASSES.split(',').count(), "{classes:?}");
        each(mutants, |mutant| {
            let [edit] = &serde_json::from_value::<Vec<Edit>>(mutant["edits"].clone()).unwrap()[..] else {
                panic!("an edit: {mutant:#}")
            };
            let is_known = ["too_long_in", "unknown_in"].iter().all(|list| mutant[list].as_array().unwrap().is_empty());
            let number =
                |test: &Value| report["tests"][test.as_u64().unwrap() as usize]["name"].as_str().unwrap().parse();
            let killed = mutant["killed_by"].as_array().unwrap().iter().map(|test| number(test).unwrap());
            let killed: BTreeSet<u64> = killed.map(|number: u64| (number - 1) % BITS).collect();
            match is_known {
                true => self.compare(edit, &killed),
                false => Shown::Cut,
            }
        })
    }
}

/// The text with Latin-1 in comments between its tokens.
fn latin(flow: &str) -> Vec<u8> {
    let text = renamed(flow.as_bytes(), "flow", "latin").replace(" - ", " /* \u{e4}\u{f6} */ - ");
    text.replace("(n", "(/* \u{df} */ n").chars().map(|one| u8::try_from(u32::from(one)).unwrap()).collect()
}

fn renamed(text: &[u8], from: &str, to: &str) -> String {
    String::from_utf8(text.to_vec()).unwrap().replace(&format!("{from}_run"), &format!("{to}_run"))
}

/// A file with one expression of 600 terms.
fn terms() -> String {
    let compared = (0..300).map(|number| format!("(a - {number} < b)"));
    let terms: Vec<String> = compared.chain((0..300).map(|number| format!("a * {number}"))).collect();
    format!(
        "void note(long value);\nstatic long long_sum(int a, int b)\n{{\n    return {};\n}}\nvoid terms_run(void)\n{{\n    \
         for (int a = -2; a < 3; a++)\n        note(long_sum(a, a * 3 + 1));\n}}\n",
        terms.join(" + ")
    )
}

fn compiled(flags: &[&str], source: &Path, object: &Path) -> bool {
    let mut command = Command::new("clang-19");
    command.args(flags).arg("-c").arg(source).arg("-o").arg(object).output().unwrap().status.success()
}

/// What `work` makes of each item, on all processors.
fn each<T: Sync>(items: &[T], work: impl Fn(&T) -> Shown + Sync) -> Vec<Shown> {
    let (next, found) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let one = work(item);
                    found.lock().unwrap().push(one);
                }
            });
        }
    });
    found.into_inner().unwrap()
}

/// Fails where an edit is not its mutant; how many are the same.
fn judge(shown: &[Shown]) -> usize {
    let count = |wanted: &Shown| shown.iter().filter(|one| *one == wanted).count();
    let wrong: Vec<&str> =
        shown.iter().filter_map(|one| if let Shown::Wrong(why) = one { Some(&**why) } else { None }).collect();
    let (same, cut, meaningless) = (count(&Shown::Same), count(&Shown::Cut), count(&Shown::Meaningless));
    eprintln!("{} edits: {same} the same, {cut} cut, {meaningless} without meaning in C", shown.len());
    assert!(wrong.is_empty(), "{} wrong:\n{}", wrong.len(), wrong.join("\n"));
    assert!(meaningless * 10 <= shown.len() && cut * 8 <= shown.len(), "too many say nothing");
    same
}

#[test]
fn edits_do_what_their_mutants_do() {
    assert!(judge(&Subject::new().mutants(Some(300))) > 200);
}

#[test]
#[ignore = "takes half an hour"]
fn all_edits_do_what_their_mutants_do() {
    assert!(judge(&Subject::new().mutants(None)) >= 5000);
}
