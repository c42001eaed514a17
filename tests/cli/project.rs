//! What the integration tests share: a project in a temporary directory, and the binary driven in it.

use std::fmt::Display;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::LazyLock;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How long a test's own project lives before all tests are ended: so that a test that hangs is named. None takes a fifth of it on a busy machine.
const HANGS: Duration = Duration::from_secs(50 * 60);

/// A project of a test's own.
pub struct Project {
    directory: tempfile::TempDir,
    /// Its end tells the watch that the test has ended.
    _alive: Option<Sender<()>>,
}

/// Ends all tests, and says which one hangs, unless what is returned is dropped in time.
fn watch() -> Sender<()> {
    let (alive, ended) = channel();
    let name = std::thread::current().name().unwrap_or("a test").to_owned();
    std::thread::spawn(move || {
        if ended.recv_timeout(HANGS) == Err(RecvTimeoutError::Timeout) {
            eprintln!("{name} has not ended after {} minutes", HANGS.as_secs() / 60);
            std::process::abort();
        }
    });
    alive
}

impl Project {
    /// An empty project.
    pub fn new() -> Project {
        Project { _alive: Some(watch()), ..Project::shared() }
    }

    /// An empty project that several tests share: it lives until the last of them has ended, however long that takes.
    pub fn shared() -> Project {
        Project { directory: tempfile::Builder::new().prefix("suspect-test-").tempdir().unwrap(), _alive: None }
    }

    /// One of these sources, built by this command and tested by one suite.
    pub fn tested(sources: &[(&str, &str)], build: &str, suite: &str) -> Project {
        let project = Project::new();
        for (name, source) in sources {
            project.write(name, source);
        }
        project.write("suspect.toml", &format!("[build]\ncommand = \"{build}\"\n\n[[suite]]\n{suite}\n"));
        project.succeed(&["build"]);
        project.suspect(&["test"]);
        project
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        self.directory.path()
    }

    /// Writes a file.
    pub fn write(&self, name: &str, text: &str) -> &Project {
        let path = self.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
        self
    }

    /// Writes a program `NAME.c`, its build, and a suite of a test for each line of arguments with what the program is to write; `run` is what runs it.
    pub fn write_lines<R: Display>(&self, name: &str, source: &str, run: &str, tests: &[(&str, R)]) -> &Project {
        let lines: String = tests.iter().map(|(line, _)| format!("{line}\n")).collect();
        self.write(&format!("{name}.c"), source).write("tests.list", &lines);
        for (number, (_, right)) in (1..).zip(tests) {
            self.write(&format!("expected/{number}"), &format!("{right}\n"));
        }
        let suite = format!(
            "[[suite]]\nkind = \"lines\"\nfile = \"tests.list\"\nrun = \"{run}\"\nexpect = \"expected/{{n}}\"\n"
        );
        self.write("suspect.toml", &format!("[build]\ncommand = \"cc -O1 -o {name} {name}.c\"\n\n{suite}"))
    }

    /// Copies a program from tests/programs.
    pub fn copy_program(&self, name: &str) -> &Project {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(name);
        self.write(name, &fs::read_to_string(source).unwrap())
    }

    /// `suspect` with these arguments in the project.
    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(tool());
        command.args(arguments).current_dir(self.path());
        for (name, _) in std::env::vars_os().filter(|(name, _)| name.to_string_lossy().starts_with("SUSPECT_")) {
            if name != "SUSPECT_LIB" && name != "SUSPECT_CLANG" {
                command.env_remove(name);
            }
        }
        command
    }

    /// Runs `suspect` with these arguments in the project.
    pub fn suspect(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().unwrap()
    }

    /// Runs `suspect`, which must succeed; its standard output.
    #[track_caller]
    pub fn succeed(&self, arguments: &[&str]) -> String {
        let output = self.suspect(arguments);
        assert!(output.status.success(), "suspect {arguments:?}: {}\n{}", output.status, text(&output));
        String::from_utf8_lossy(&output.stdout).into_owned()
    }

    /// Runs `suspect`, which must end with `code`; what it wrote to standard error.
    #[track_caller]
    pub fn fail(&self, arguments: &[&str], code: i32) -> String {
        let output = self.suspect(arguments);
        assert_eq!(output.status.code(), Some(code), "suspect {arguments:?}\n{}", text(&output));
        String::from_utf8_lossy(&output.stderr).into_owned()
    }

    /// The JSON ranking of a method at a granularity.
    #[track_caller]
    pub fn ranking(&self, arguments: &[&str]) -> serde_json::Value {
        let mut all = vec!["rank", "--format", "json"];
        if !arguments.contains(&"--top") {
            all.extend(ALL);
        }
        all.extend(arguments);
        serde_json::from_str(&self.succeed(&all)).unwrap()
    }
}

/// What `suspect explain` says of a project.
#[track_caller]
pub fn told(project: &Project) -> serde_json::Value {
    let output = project.suspect(&["explain", "--format", "json"]);
    serde_json::from_slice(&output.stdout).unwrap_or_else(|_| panic!("{}", text(&output)))
}

/// Arguments of `suspect rank` that leave no place out.
pub const ALL: [&str; 2] = ["--top", "1000000"];

/// Everything a run printed.
pub fn text(output: &Output) -> String {
    format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr))
}

/// The line on which `needle` stands in a program of tests/programs.
pub fn line_of(program: &str, needle: &str) -> u64 {
    let path: PathBuf = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/programs").join(program);
    let text = fs::read_to_string(path).unwrap();
    1 + text.lines().position(|line| line.contains(needle)).expect("the marked line") as u64
}

/// Says why a test cannot be made here; where `SUSPECT_NO_SKIP` is set, as CI has it, that is a failure.
pub fn skip(why: &str) {
    assert!(std::env::var_os("SUSPECT_NO_SKIP").is_none(), "skipped: {why}");
    eprintln!("skipped: {why}");
}

/// The tool that is tested: the one that `make` has just built, where it says so by `SUSPECT_TOOL`, or that of these tests' own build.
pub fn tool() -> &'static Path {
    static TOOL: LazyLock<PathBuf> = LazyLock::new(|| {
        std::env::var_os("SUSPECT_TOOL").map_or_else(|| env!("CARGO_BIN_EXE_suspect").into(), PathBuf::from)
    });
    &TOOL
}
