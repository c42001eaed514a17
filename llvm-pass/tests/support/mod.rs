//! What the plugin's tests share: the tools of the LLVM that the plugin is for, compiling, running.

pub mod decode;

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The LLVM that these tests and the plugin are built for.
pub const LLVM: &str = if cfg!(feature = "llvm16") { "16" } else { "19" };

/// The plugin, which cargo puts beside the test.
pub fn plugin() -> PathBuf {
    let deps = std::env::current_exe().unwrap().parent().unwrap().to_owned();
    let found =
        [deps.join("libsuspect_pass.so"), deps.join("../libsuspect_pass.so")].into_iter().find(|path| path.exists());
    found.unwrap_or_else(|| panic!("no libsuspect_pass.so beside {}", deps.display()))
}

/// This crate's `tests` directory.
pub fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests")
}

/// A directory of this test's own, empty.
pub fn scratch(name: &str) -> PathBuf {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("{name}-{LLVM}"));
    let _ = std::fs::remove_dir_all(&path);
    std::fs::create_dir_all(&path).unwrap();
    path
}

/// The compiler, without the plugin.
pub fn clang() -> Command {
    let mut command = Command::new(format!("clang-{LLVM}"));
    command.env("SUSPECT_VERIFY", "1");
    command
}

/// The flags that load the plugin and choose versions (empty: all).
pub fn plugin_flags(modes: &str) -> Vec<String> {
    let plugin = plugin().display().to_string();
    let mut flags = vec![format!("-fplugin={plugin}"), format!("-fpass-plugin={plugin}")];
    if !modes.is_empty() {
        flags.extend(["-mllvm".to_owned(), format!("-suspect-modes={modes}")]);
    }
    flags
}

/// Runs `command`, which must succeed.
#[track_caller]
pub fn must(command: &mut Command) -> Output {
    let output = command.output().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    assert!(output.status.success(), "{command:?}: {}\n{}", output.status, String::from_utf8_lossy(&output.stderr));
    output
}

/// The files of a directory of tests with one of these extensions, sorted.
pub fn files(directory: &str, extensions: &[&str]) -> Vec<PathBuf> {
    let matches = |path: &PathBuf| path.extension().is_some_and(|end| extensions.iter().any(|one| end == *one));
    let mut files: Vec<PathBuf> = std::fs::read_dir(tests().join(directory))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(matches)
        .collect();
    files.sort();
    assert!(!files.is_empty());
    files
}

/// Runs `check` on each item, on all processors; panics with every failure.
pub fn each<T: Sync>(items: &[T], check: impl Fn(&T) -> Result<(), String> + Sync) {
    let next = std::sync::atomic::AtomicUsize::new(0);
    let failures = std::sync::Mutex::new(Vec::new());
    let threads = std::thread::available_parallelism().map_or(2, |count| count.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some(item) = items.get(next.fetch_add(1, std::sync::atomic::Ordering::Relaxed)) {
                    if let Err(failure) = check(item) {
                        failures.lock().unwrap().push(failure);
                    }
                }
            });
        }
    });
    let failures = failures.into_inner().unwrap();
    assert!(failures.is_empty(), "{} failures:\n{}", failures.len(), failures.join("\n"));
}

/// How often the runtime is called, or fuel counted down, in a run of `program`; in the mode of mutants with all gates open or shut.
pub fn ticks(program: &Path, mode: u32, open: bool) -> u64 {
    let out = program.with_extension(format!("ticks{mode}{open}"));
    let mut command = Command::new(program);
    command.env("TEST_MODE", mode.to_string()).env("TEST_OUT", &out).env_remove("TEST_GATES");
    if open {
        command.env("TEST_GATES", "1");
    }
    command.output().unwrap();
    let text = std::fs::read_to_string(&out).unwrap();
    let _ = std::fs::remove_file(&out);
    text.lines().next().unwrap().split(' ').nth(4).unwrap().parse().unwrap()
}
