//! The edit of each mutant, and of each claim, compiled as anybody would (`clang -O2`), does to all tests what the mutant did in its trials.
//!
//! The programs hold what makes edits hard: old definitions, macros, other spellings, long expressions and so on. Each test prints one
//! bit of a checksum of all that a file does, so edited programs that fail the same tests as their mutants print the same, too. Where
//! verdicts differ, the edited program runs again under sanitizers: what they object to has no meaning in C, and is counted apart.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{LazyLock, Mutex, MutexGuard, PoisonError};

use serde_json::Value;
use suspect::source::{Edit, apply};

use crate::project::Project;

/// Classes of which there are so few that all are compared, and the others.
const FEW: &str = "LCR,BOR,SOR,UOD,IWR";
const MANY: &str = "AOR,ROR,CRP,UOI,VRR,SDL,BOD,STI,SIN";
/// Mutants of statements put beside others that are compared each time.
const ADDED: usize = 150;
/// The same of assignments; beside operators nearly all of them are left out, because they compute the same.
const ASSIGNED: usize = 60;
/// The files as they lie beside each other.
const PLAIN: [&str; 18] = [
    "callees", "casts", "digraphs", "elvis", "exits", "flow", "kandr", "logic", "macros", "members", "names",
    "numbers", "passed", "places", "pointers", "seconds", "siblings", "values",
];
/// Those that are made of others: with Latin-1 in comments, with lines as Windows ends them, and one of 600 terms.
const MADE: [&str; 3] = ["latin", "lines", "terms"];
/// Bits of each checksum that are tests.
const BITS: u64 = 8;
/// As people build. Where this differs from the trials, what follows is asked.
const BUILT: [&str; 3] = ["-std=gnu17", "-O2", "-w"];
const SANITIZED: [&[&str]; 2] = [
    &["-std=gnu17", "-O1", "-w", "-fsanitize=address,undefined", "-fno-sanitize-recover=all"],
    &["-std=gnu17", "-O0", "-w", "-fsanitize=memory"],
];
/// The exit status with which a sanitizer objects.
const OBJECTION: i32 = 99;
/// Edited files that are linked into one program: linking takes as long as compiling one.
const BATCH: usize = 32;
/// Seconds that an edited program may run; the original takes milliseconds.
const PATIENCE: &str = "5";

/// The checksum that an edited program prints of a file, or how it ends where it does not end well.
type Ran = Result<u64, Option<i32>>;
/// A mutant's edit, and the bits of its file's checksum that its trials fail in.
type Killed = (Edit, BTreeSet<u64>);
/// A claim's edit, and whether each test that it was tried on passes.
type Claim = (Edit, Vec<(u64, bool)>);

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

/// Built once for the tests that change nothing of it; one at a time tries mutants.
static SHARED: LazyLock<Mutex<Subject>> = LazyLock::new(|| Mutex::new(Subject::of(Project::shared())));

impl Subject {
    /// One whose tests may be changed.
    fn new() -> Subject {
        Subject::of(Project::new())
    }

    /// The one that several tests share.
    fn shared() -> MutexGuard<'static, Subject> {
        SHARED.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn of(project: Project) -> Subject {
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
        let program = project.path().join("original");
        let mut command = Command::new("clang-19");
        command.args(BUILT).arg("main.c").args(sources.split(' ')).arg("-o").arg(&program).current_dir(project.path());
        assert!(command.status().unwrap().success());
        let mut subject = Subject { project, sums: BTreeMap::new() };
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

    /// The checksum that a program prints when it is told this; nothing if it does not end well.
    fn run(&self, program: &Path, what: &str) -> Ran {
        let mut command = Command::new("timeout");
        for tool in ["ASAN", "UBSAN", "MSAN"] {
            let options = format!("exitcode={OBJECTION}:detect_leaks=0:allocator_may_return_null=1:handle_abort=0");
            command.env(format!("{tool}_OPTIONS"), options);
        }
        let output = command.arg(PATIENCE).arg(program).arg(what).output().unwrap();
        let sum = String::from_utf8_lossy(&output.stdout).trim().parse().ok();
        sum.filter(|_| output.status.success()).ok_or(output.status.code())
    }

    /// The tests of a file that fail where it comes to this.
    fn failing(&self, name: &str, ran: Ran) -> BTreeSet<u64> {
        let differs = |bit: &u64| ran.is_ok_and(|sum| (sum ^ self.sums[name]) >> bit & 1 == 1);
        (0..BITS).filter(|bit| ran.is_err() || differs(bit)).collect()
    }

    /// What edited files come to, each by itself, though all are linked into one program.
    fn edited(&self, flags: &[&str], edits: &[&Edit]) -> Vec<Option<Ran>> {
        let directory = tempfile::tempdir().unwrap();
        let path = |number: usize, kind: &str| directory.path().join(format!("edited{number}.{kind}"));
        let compile = |number: usize, edit: &Edit| {
            let text = apply(&fs::read(self.project.path().join(&edit.file)).unwrap(), [edit])?;
            fs::write(path(number, "c"), text).unwrap();
            let name = edit.file.strip_suffix(".c").unwrap();
            let renamed = format!("-D{name}_run=run{number}");
            compiled(&[flags, &[&renamed]].concat(), &path(number, "c"), &path(number, "o")).then_some(())
        };
        let made: Vec<bool> = (0..).zip(edits).map(|(number, edit)| compile(number, edit).is_some()).collect();
        let numbers = || (0..).zip(&made).filter(|(_, made)| **made).map(|(number, _)| number);
        let declared = numbers().map(|number: usize| format!("void run{number}(void);\n")).collect::<String>();
        let cases = numbers().map(|number| format!("case {number}: run{number}(); break;\n")).collect::<String>();
        let main = fs::read_to_string(self.project.path().join("main.c")).unwrap();
        let main = main.replace("FILES(DECLARE)", &declared);
        let main = main.replace("FILES(RUN)", &format!("switch (atoi(argv[1])) {{\n{cases}}}"));
        fs::write(path(edits.len(), "c"), main).unwrap();
        let program = directory.path().join("edited");
        let mut command = Command::new("clang-19");
        command.args(flags).arg(path(edits.len(), "c")).args(numbers().map(|number| path(number, "o")));
        assert!(command.arg("-o").arg(&program).status().unwrap().success());
        let ran = |(number, made): (usize, &bool)| made.then(|| self.run(&program, &number.to_string()));
        (0..).zip(&made).map(ran).collect()
    }

    /// Compares what edits do with the bits that fail in trials.
    fn compare(&self, some: &[Killed]) -> Vec<Shown> {
        let edits: Vec<&Edit> = some.iter().map(|(edit, _)| edit).collect();
        let judged = |(plain, (edit, killed)): (Option<Ran>, &Killed)| {
            let Some(plain) = plain else { return Shown::Wrong(format!("does not compile: {edit:?}")) };
            let failing = self.failing(edit.file.strip_suffix(".c").unwrap(), plain);
            let objects = |flags: &&[&str]| self.edited(flags, &[edit])[0] == Some(Err(Some(OBJECTION)));
            match failing == *killed {
                true => Shown::Same,
                false if SANITIZED.iter().any(objects) => Shown::Meaningless,
                false => {
                    Shown::Wrong(format!("trials fail in {killed:?}, the edited program in {failing:?}: {edit:?}"))
                }
            }
        };
        self.edited(&BUILT, &edits).into_iter().zip(some).map(judged).collect()
    }

    /// Compares all mutants of some classes, or so many.
    fn mutants(&self, classes: &str, sample: Option<usize>) -> Vec<Shown> {
        let files: Vec<String> = PLAIN.iter().chain(&MADE).map(|name| format!("{name}.c")).collect();
        let places: Vec<&str> = files.iter().flat_map(|file| ["--files", file]).collect();
        self.mutants_in(&places, classes, sample)
    }

    /// The same of the mutants that these arguments leave.
    fn mutants_in(&self, places: &[&str], classes: &str, sample: Option<usize>) -> Vec<Shown> {
        let mut arguments = vec!["mutants", "--format", "json", "--operators", classes];
        arguments.extend(places);
        let number = sample.map(|number| number.to_string());
        number.iter().for_each(|number| arguments.extend(["--sample", number]));
        let report: Value = serde_json::from_str(&self.project.succeed(&arguments)).unwrap();
        let mutants = report["mutants"].as_array().unwrap();
        let mut found: BTreeMap<&str, usize> = BTreeMap::new();
        mutants.iter().for_each(|one| *found.entry(one["class"].as_str().unwrap()).or_default() += 1);
        eprintln!("{found:?}");
        // A small sample need not have rare classes; larger ones in the second tier do.
        let classes = classes.split(',').count();
        let is_small = sample.is_some_and(|sample| sample < 20 * classes);
        assert!(found.len() == classes || is_small && found.len() > classes / 2, "{found:?}");
        let is_known =
            |one: &&Value| ["too_long_in", "unknown_in"].iter().all(|list| one[list].as_array().unwrap().is_empty());
        let known: Vec<Killed> = mutants.iter().filter(is_known).map(|one| killed(&report, one)).collect();
        let batches: Vec<&[Killed]> = known.chunks(BATCH).collect();
        let mut shown: Vec<Shown> = each(&batches, |some| self.compare(some)).concat();
        shown.resize(mutants.len(), Shown::Cut);
        shown
    }

    /// Has tests of some files fail, ranks, and compares what is claimed of each edit with what it does.
    fn claims(&self, files: &[&str]) -> Vec<Shown> {
        let wrong = |number: &usize| files.iter().any(|file| self.place_of(file) == number / BITS as usize);
        let tests = (PLAIN.len() + MADE.len()) * BITS as usize;
        for number in (0..tests).filter(wrong).filter(|number| (number % BITS as usize).is_multiple_of(2)) {
            let right = self.expected(number);
            self.project.write(&format!("expected/{}", number + 1), &format!("{}\n", 1 - right));
        }
        self.project.suspect(&["test"]);
        let mut claims = BTreeMap::new();
        found_claims(&self.project.ranking(&["--budget", "20s", "--top", "500"]), &mut claims);
        eprintln!("{} claims with edits", claims.len());
        // The program's main part is no edited file.
        claims.retain(|_, (edit, _)| edit.file != "main.c");
        let claims: Vec<Claim> = claims.into_values().collect();
        let batches: Vec<&[Claim]> = claims.chunks(BATCH).collect();
        each(&batches, |some| {
            let edits: Vec<&Edit> = some.iter().map(|(edit, _)| edit).collect();
            let judged = |(plain, (edit, said)): (Option<Ran>, &Claim)| {
                let Some(plain) = plain else { return Shown::Wrong(format!("does not compile: {edit:?}")) };
                let name = edit.file.strip_suffix(".c").unwrap();
                let failing = self.failing(name, plain);
                let passes = |test: u64| {
                    let (number, bit) = ((test - 1) as usize, (test - 1) % BITS);
                    let is_own = number / BITS as usize == self.place_of(name);
                    let flipped = u64::from(wrong(&number) && bit % 2 == 0);
                    (u64::from(is_own && failing.contains(&bit)) ^ flipped == 0) && !(is_own && plain.is_err())
                };
                let objects = |flags: &&[&str]| self.edited(flags, &[edit])[0] == Some(Err(Some(OBJECTION)));
                match said.iter().all(|(test, passed)| passes(*test) == *passed) {
                    true => Shown::Same,
                    false if SANITIZED.iter().any(objects) => Shown::Meaningless,
                    false => {
                        Shown::Wrong(format!("claimed {said:?}, the edited program fails in {failing:?}: {edit:?}"))
                    }
                }
            };
            self.edited(&BUILT, &edits).into_iter().zip(*some).map(judged).collect::<Vec<_>>()
        })
        .concat()
    }

    /// Which of the files one is.
    fn place_of(&self, file: &str) -> usize {
        PLAIN.iter().chain(&MADE).position(|name| *name == file).unwrap()
    }

    /// What test `number` prints.
    fn expected(&self, number: usize) -> u64 {
        let name = PLAIN.into_iter().chain(MADE).nth(number / BITS as usize).unwrap();
        self.sums[name] >> (number as u64 % BITS) & 1
    }
}

/// The claims in a report that have edits: by their names, the edit, and whether each test that it was tried on passes.
fn found_claims(report: &Value, claims: &mut BTreeMap<String, Claim>) {
    match report {
        Value::Array(parts) => parts.iter().for_each(|part| found_claims(part, claims)),
        Value::Object(parts) => {
            if let (Some(edit), Some(outcomes)) =
                (parts.get("edit").filter(|edit| !edit.is_null()), parts.get("outcomes"))
            {
                let turned = |outcome: &Value| {
                    let test = outcome["test"].as_str()?.parse().ok()?;
                    let passes = match outcome["effect"].as_str()? {
                        "passes" => true,
                        "fails" => false,
                        // The verdict is what it was.
                        "same" | "unchanged" | "changed" => outcome["passed_before"].as_bool()?,
                        _ => return None,
                    };
                    Some((test, passes))
                };
                let said = outcomes.as_array().unwrap().iter().filter_map(turned).collect();
                let edit = serde_json::from_value(edit.clone()).unwrap();
                claims.insert(parts["id"].as_str().unwrap().to_owned(), (edit, said));
            }
            parts.values().for_each(|part| found_claims(part, claims));
        }
        _ => {}
    }
}

/// A mutant's edit, and the bits of its file's checksum that its trials fail in.
fn killed(report: &Value, mutant: &Value) -> Killed {
    let edits: Vec<Edit> = serde_json::from_value(mutant["edits"].clone()).unwrap();
    let [edit] = &edits[..] else { panic!("an edit: {mutant:#}") };
    let name = |test: &Value| report["tests"][test.as_u64().unwrap() as usize]["name"].as_str().unwrap();
    let bit = |test: &Value| (name(test).parse::<u64>().unwrap() - 1) % BITS;
    (edit.clone(), mutant["killed_by"].as_array().unwrap().iter().map(bit).collect())
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
fn each<T: Sync, U: Send>(items: &[T], work: impl Fn(&T) -> U + Sync) -> Vec<U> {
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
    assert!(meaningless * 10 <= shown.len() && cut * 4 <= shown.len(), "too many say nothing");
    same
}

/// Compares a sample of the classes that have many; how many are the same.
pub fn compared(sample: usize) -> usize {
    judge(&Subject::shared().mutants(MANY, Some(sample)))
}

/// Classes of mutants in the arguments of macros.
const ARGUED: &str = "AOR,ROR,LCR,BOR,CRP,VRR,STI";

#[test]
fn edits_in_arguments_of_macros_do_what_their_mutants_do() {
    let text = include_str!("../programs/edits/macros.c");
    let line = |needle: &str| 1 + text.lines().position(|line| line.contains(needle)).unwrap();
    let lines = format!("macros.c:{}-{}", line("static int arguments"), line("TOTAL(n / 2)"));
    assert!(judge(&Subject::shared().mutants_in(&["--lines", &lines], ARGUED, None)) > 60);
}

#[test]
fn edits_of_numbers_that_are_passed_do_what_their_mutants_do() {
    assert!(judge(&Subject::shared().mutants_in(&["--files", "passed.c"], "STI", None)) > 100);
}

#[test]
fn calls_of_other_functions_do_what_their_mutants_do() {
    assert!(judge(&Subject::shared().mutants_in(&["--files", "callees.c"], "CFR", None)) > 65);
}

#[test]
fn other_members_are_what_their_mutants_take() {
    assert!(judge(&Subject::shared().mutants_in(&["--files", "members.c"], "MRR", None)) > 70);
}

#[test]
fn guards_of_numbers_do_what_their_mutants_do() {
    let subject = Subject::shared();
    assert!(judge(&subject.mutants_in(&["--files", "numbers.c"], "VGI", None)) > 30);
    assert!(judge(&subject.mutants_in(&["--files", "numbers.c"], "RCI", None)) > 8);
}

#[test]
fn guards_that_do_what_others_do_are_what_their_mutants_are() {
    let subject = Subject::shared();
    assert!(judge(&subject.mutants_in(&["--files", "exits.c"], "VGI", None)) > 90);
    assert!(judge(&subject.mutants_in(&["--files", "exits.c"], "NGI", None)) > 15);
}

#[test]
fn second_values_of_comparisons_do_what_their_mutants_do() {
    assert!(judge(&Subject::shared().mutants_in(&["--files", "seconds.c"], "DJI", None)) > 15);
}

#[test]
fn statements_of_siblings_do_what_their_mutants_do() {
    let shown = Subject::shared().mutants_in(&["--files", "siblings.c"], "SIN", None);
    assert!(judge(&shown) > 150);
}

#[test]
fn edits_do_what_their_mutants_do() {
    let subject = Subject::new();
    assert!(judge(&subject.mutants(FEW, None)) > 80);
    assert!(judge(&subject.mutants(MANY, Some(50))) > 40);
    assert!(judge(&subject.mutants("SIN", Some(ADDED))) > 3 * ADDED / 4);
    assert!(judge(&subject.mutants("ASR", Some(ASSIGNED))) > 3 * ASSIGNED / 4);
    assert!(judge(&subject.mutants_in(&["--files", "pointers.c"], "NGI", None)) > 20);
    assert!(judge(&subject.claims(&["elvis", "logic"])) > 0);
}

/// Mutants drawn of the classes that have many, in the long comparison.
const THOUSANDS: usize = 6000;

#[test]
#[ignore = "takes ten minutes"]
fn thousands_of_edits_do_what_their_mutants_do() {
    let subject = Subject::new();
    let shown = [subject.mutants(FEW, None), subject.mutants(MANY, Some(THOUSANDS))].concat();
    assert!(judge(&shown) >= 5000);
}

/// Sums elements of a table; what is asked for is one element further on.
const TABLE: &str = "#include <stdio.h>
#include <stdlib.h>
static int table[4];
static int at(const int *from, int i)
{
    int found = from[i];
    return found * 2;
}
int main(int argc, char **argv)
{
    table[0] = atoi(argv[1]);
    if (argc > 3)
        return table[0];
    for (int k = 1; k < 4; k++)
        table[k] = table[k - 1] + k;
    printf(\"%d\\n\", at(table, argc > 2));
    return 0;
}
";

#[test]
fn subscripts_are_changed_and_first_elements_are_nodes() {
    let project = Project::new();
    // Right are the elements that come after those that the program takes.
    project
        .write("table.c", TABLE)
        .write("tests.list", "1\n5 x\n0 x x\n")
        .write("expected/1", "4\n")
        .write("expected/2", "16\n")
        .write("expected/3", "");
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o prog table.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\nrun = \"./prog {line}\"\n\
         expect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let list = project.succeed(&["mutants", "--list", "--lines", "table.c:6"]);
    for becomes in ["`i` becomes `i + 1`", "`i` becomes `i - 1`"] {
        assert!(list.contains(becomes), "{list}");
    }
    assert!(
        !project.succeed(&["mutants", "--list", "--lines", "table.c:15"]).contains("`k - 1` becomes `k - 1 + 1`"),
        "constants do that"
    );
    let ranking = project.succeed(&["rank", "-v", "--budget", "20s"]);
    assert!(ranking.contains("+    int found = from[i + 1];"), "{ranking}");
    let nodes = project.succeed(&["rank", "-v", "--method", "ochiai", "--by", "node", "--top", "99"]);
    assert!(nodes.contains("table[0]"), "{nodes}");
}

/// Puts a sum where the difference is asked for, by a macro, beside macros that take their argument otherwise.
const MACROS: &str = "#include <stdio.h>
#include <stdlib.h>
struct value { int i; };
#define SET(to, x) do { (to)->i = (x); } while (0)
#define TWICE(to, x) do { (to)->i += (x) * (x); } while (0)
#define SAY(x) printf(#x \"=%d\\n\", (x))
#define NEST(to, x) SET(to, x)
static void apply(struct value *to, int x, int y)
{
    SET(to, x + y);
    TWICE(to, x ^ 7);
    SAY(x | y);
    NEST(to, to->i << 1);
}
int main(int argc, char **argv)
{
    struct value v = { 0 };
    if (argc == 3)
        apply(&v, atoi(argv[1]), atoi(argv[2]));
    printf(\"%d\\n\", v.i);
    return 0;
}
";

#[test]
fn what_stands_in_the_argument_of_a_macro_is_changed_where_it_is_taken_once() {
    let project = Project::new();
    let all = [(5, 3), (7, 0), (2, 0), (9, 4)];
    let lines: String = all.iter().map(|(x, y)| format!("{x} {y}\n")).collect();
    project.write("m.c", MACROS).write("tests.list", &lines);
    for (n, (x, y)) in (1..).zip(all) {
        let right: i32 = ((x - y) + (x ^ 7) * (x ^ 7)) << 1;
        project.write(&format!("expected/{n}"), &format!("x | y={}\n{right}\n", x | y));
    }
    project.write(
        "suspect.toml",
        "[build]\ncommand = \"cc -O1 -o prog m.c\"\n\n[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\nrun = \"./prog {line}\"\n\
         expect = \"expected/{n}\"\n",
    );
    project.succeed(&["build"]);
    project.suspect(&["test"]);
    let listed = |line: u32| project.succeed(&["mutants", "--list", "--lines", &format!("m.c:{line}")]);
    let taken = listed(10);
    for becomes in ["`x + y` becomes `x - y`", "`x` becomes `y`"] {
        assert!(taken.contains(becomes), "{taken}");
    }
    for (line, operator) in [(11, "x ^ 7"), (12, "x | y"), (13, "to->i << 1")] {
        let others = listed(line);
        assert!(!others.contains(&format!("`{operator}` becomes")), "{others}");
    }
    let ranking = project.succeed(&["rank", "-v", "--budget", "20s"]);
    assert!(ranking.contains("+    SET(to, x - y);"), "{ranking}");
}
