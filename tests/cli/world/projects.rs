//! Real projects, fetched when the tests run: built by their own build systems plain and instrumented, their own tests say the same,
//! also while suspect records.

pub mod fetch;
mod results;

use std::fs;
use std::path::Path;
use std::process::Command;

use crate::project::{Project, text};
use results::{Results, automake, ctest, recorded};
use suspect::build::BuildReport;

/// The same sources twice: for the plain compiler and for suspect.
struct Pair {
    plain: Project,
    suspect: Project,
}

impl Pair {
    /// Copies of `sources`, with the times of its files: autotools look at them.
    fn of(sources: &Path) -> Pair {
        let copy = || {
            let project = Project::new();
            shell(&project, &format!("cp -a '{}/.' .", sources.display()));
            project
        };
        Pair { plain: copy(), suspect: copy() }
    }

    fn both(&self) -> [&Project; 2] {
        [&self.plain, &self.suspect]
    }

    fn write(&self, name: &str, text: &str) -> &Pair {
        for project in self.both() {
            project.write(name, text);
        }
        self
    }

    /// Builds both by one line of the shell.
    fn build(&self, line: &str) -> BuildReport {
        shell(&self.plain, line);
        self.suspect.succeed(&["build", "--", "sh", "-c", line]);
        self.report()
    }

    /// What came of the instrumented build, in which nothing may have escaped.
    fn report(&self) -> BuildReport {
        let path = self.suspect.path().join(".suspect/build.json");
        let report: BuildReport = serde_json::from_slice(&fs::read(path).unwrap()).unwrap();
        let faults: Vec<_> = report.escapes.iter().filter(|escape| escape.reason.is_fault()).collect();
        assert!(faults.is_empty(), "{faults:?}");
        assert!(
            report.left_alone.is_empty() && report.other_modes.is_empty() && report.advice.is_empty(),
            "{report:?}"
        );
        report
    }

    /// What one line of the shell prints, which must be the same of both.
    fn same_output(&self, line: &str) -> String {
        let [plain, suspect] = self.both().map(|project| shell(project, line));
        assert_eq!(plain, suspect, "{line}");
        plain
    }

    /// Runs the tests through suspect, which must give the results that running them by hand gave.
    fn record(&self, expected: &Results) {
        // One at a time, as by hand: zlib's two programs write files of the same name.
        self.suspect.succeed(&["test", "--jobs", "1"]);
        assert_eq!(&recorded(&self.suspect), expected);
    }
}

/// Runs a line of the shell with the plain compiler, which must succeed; what it prints.
#[track_caller]
fn shell(project: &Project, line: &str) -> String {
    let clang = std::env::var("SUSPECT_CLANG").unwrap_or("clang-19".to_string());
    let mut command = Command::new("sh");
    command.args(["-c", line]).current_dir(project.path()).env("CC", clang).env("FORCE_UNSAFE_CONFIGURE", "1");
    // What the make above us wants printed is not part of the output.
    ["MAKEFLAGS", "MFLAGS", "MAKELEVEL"].into_iter().for_each(|name| {
        command.env_remove(name);
    });
    let output = command.output().unwrap();
    assert!(output.status.success(), "{line}: {}\n{}", output.status, text(&output));
    String::from_utf8_lossy(&output.stdout).into_owned()
}

#[test]
fn lua_by_make() {
    let pair = Pair::of(&fetch::registry("lua-src").join("lua-5.4.6"));
    let ours = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs/lua");
    for project in pair.both() {
        shell(project, &format!("cp -r '{}/.' .", ours.display()));
    }
    pair.write("suspect.toml", "[[suite]]\nkind = \"command\"\nlist = \"ls scripts/*.lua\"\nrun = \"./lua {test}\"\n");
    let report = pair.build("make -j2 CC=${CC:-cc}");
    assert!(report.units.len() > 30 && report.modules.len() == 1, "{report:?}");
    let each = "for script in scripts/*.lua; do ./lua $script 2>&1; printf '\\n== %s %s\\n' $script $?; done";
    let results: Results = pair.same_output(each).lines().filter_map(results::ended).collect();
    let failing: Vec<&str> =
        results.iter().filter(|(_, result)| *result == "fail").map(|(name, _)| name.as_str()).collect();
    let expected = ["assertion", "status", "syntax", "uncaught"].map(|name| format!("scripts/fails_{name}.lua"));
    assert_eq!(failing, expected);
    assert!(results.len() >= 30);
    pair.record(&results);
    grade_lua(&pair.suspect);
}

/// Code mutants of the interpreter's loop, on some of the scripts that end well.
fn grade_lua(project: &Project) {
    assert!(project.fail(&["mutants"], 4).contains("scripts/fails_assertion.lua"));
    let arguments = ["mutants", "--format", "json", "--tests", "scripts/c*", "--files", "lvm.c", "--sample", "60"];
    let report: serde_json::Value = serde_json::from_str(&project.succeed(&arguments)).unwrap();
    let total = |name: &str| report["total"][name].as_u64().unwrap();
    assert_eq!((total("mutants"), total("unknown"), total("not_run")), (60, 0, 0), "{}", report["total"]);
    assert!(total("killed") > 10 && total("not_covered") > 0, "{}", report["total"]);
    assert_eq!(report["tests_not_used"].as_array().unwrap().len(), 0, "{}", report["tests_not_used"]);
}

/// The inflate tests of zlib cover what its `make check` does not.
const ZLIB_TESTS: &str = "[[suite]]\nkind = \"command\"\nscratch = \"copy\"\n\
     list = \"printf '%s\\\\n' teststatic testshared cover\"\nrun = \"sh run-test {test}\"\n";
const ZLIB_RUN: &str = "case $1 in\ncover) ./infcover ;;\n*) make -s $1 && ! make -s $1 | grep FAILED ;;\nesac\n";

#[test]
fn zlib_by_configure() {
    let pair = Pair::of(&fetch::registry("libz-sys").join("src/zlib"));
    pair.write("suspect.toml", ZLIB_TESTS).write("run-test", ZLIB_RUN);
    // Its objects of data alone need no sites; test/infcover.c stands for the rest.
    let report = pair.build("sh ./configure && make -j2 all infcover");
    let names: Vec<&str> = report.modules.iter().map(|module| module.path.as_str()).collect();
    for name in ["example", "examplesh", "minigzip", "minigzipsh", "infcover"] {
        assert!(names.contains(&name), "{names:?}");
    }
    assert!(names.iter().any(|name| name.starts_with("libz.so")), "{names:?}");
    let checked = pair.same_output("make check");
    assert!(checked.contains("*** zlib test OK ***") && checked.contains("*** zlib shared test OK ***"), "{checked}");
    pair.same_output("./infcover 2>&1");
    let results = ["teststatic", "testshared", "cover"].map(|name| (name.to_string(), "pass".to_string()));
    pair.record(&results.into());
}

#[test]
fn zlib_by_cmake() {
    let pair = Pair::of(&fetch::registry("libz-sys").join("src/zlib"));
    shell(&pair.plain, "cmake -S . -B build && cmake --build build -j");
    // As a new user does it: what is there is found.
    pair.suspect.succeed(&["init"]);
    pair.suspect.succeed(&["build"]);
    let report = pair.report();
    assert!(report.modules.iter().any(|module| module.path.starts_with("build/libz.so")), "{report:?}");
    let [plain, suspect] = pair.both().map(|project| ctest(&shell(project, "ctest --test-dir build")));
    assert_eq!(plain, suspect);
    assert_eq!(plain.into_keys().collect::<Vec<_>>(), ["example", "example64"]);
    pair.record(&suspect);
}

#[test]
fn gnu_hello_by_autotools() {
    let Some(sources) = fetch::debian("hello") else { return };
    let pair = Pair::of(&sources.path);
    shell(&pair.plain, "./configure && make -j2");
    pair.suspect.succeed(&["init"]);
    pair.suspect.succeed(&["build"]);
    let report = pair.report();
    assert!(report.modules.iter().any(|module| module.path == "hello"), "{report:?}");
    let [plain, suspect] = pair.both().map(|project| {
        shell(project, "make check || :");
        automake(project.path())
    });
    assert_eq!(plain, suspect);
    assert!(plain.len() >= 5 && plain.values().any(|result| result == "pass"), "{plain:?}");
    pair.record(&suspect);
}
