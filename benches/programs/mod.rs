//! Real programs for benchmarks: released C libraries with drivers, fetched from the package registry.

use std::collections::BTreeMap;
use std::fs;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};

const MANIFEST: &str = r#"[package]
name = "programs"
version = "0.0.0"
edition = "2021"
[lib]
path = "lib.rs"
[dependencies]
bzip2-sys = "=0.1.13"
libz-sys = "=1.1.6"
lz4-sys = "=1.11.1"
lua-src = "=546.0.2"
libsqlite3-sys = "=0.30.1"
"#;

/// A program.
pub struct Subject {
    /// What it is called, and its driver.
    pub name: &'static str,
    package: &'static str,
    directory: &'static str,
    /// Sources, by name or by what their names must not be.
    sources: Sources,
    /// What the compiler is told.
    pub flags: &'static [&'static str],
    /// What it is linked with.
    pub libraries: &'static [&'static str],
    /// What the driver is given.
    pub argument: &'static str,
}

enum Sources {
    Only(&'static [&'static str]),
    AllBut(&'static [&'static str]),
}

/// All of them.
pub const SUBJECTS: [Subject; 5] = [
    Subject {
        name: "bzip2",
        package: "bzip2-sys",
        directory: "bzip2-1.0.8",
        sources: Sources::Only(&[
            "blocksort.c",
            "huffman.c",
            "crctable.c",
            "randtable.c",
            "compress.c",
            "decompress.c",
            "bzlib.c",
        ]),
        flags: &["-DBZ_NO_STDIO"],
        libraries: &[],
        argument: "4",
    },
    Subject {
        name: "zlib",
        package: "libz-sys",
        directory: "src/zlib",
        sources: Sources::Only(&[
            "adler32.c",
            "compress.c",
            "crc32.c",
            "deflate.c",
            "inffast.c",
            "inflate.c",
            "inftrees.c",
            "trees.c",
            "uncompr.c",
            "zutil.c",
        ]),
        flags: &[],
        libraries: &[],
        argument: "8",
    },
    Subject {
        name: "lz4",
        package: "lz4-sys",
        directory: "liblz4/lib",
        sources: Sources::Only(&["lz4.c", "lz4hc.c"]),
        flags: &[],
        libraries: &[],
        argument: "16",
    },
    Subject {
        name: "lua",
        package: "lua-src",
        directory: "lua-5.4.6",
        sources: Sources::AllBut(&["lua.c", "luac.c"]),
        flags: &["-DLUA_USE_LINUX"],
        libraries: &["-lm", "-ldl"],
        argument: "30",
    },
    Subject {
        name: "sqlite",
        package: "libsqlite3-sys",
        directory: "sqlite3",
        sources: Sources::Only(&["sqlite3.c"]),
        flags: &["-DSQLITE_THREADSAFE=0", "-DSQLITE_OMIT_LOAD_EXTENSION"],
        libraries: &["-lm"],
        argument: "200",
    },
];

impl Subject {
    /// The directory of its sources among those of `packages`, and the files that are compiled: the driver first.
    pub fn sources(&self, packages: &BTreeMap<String, PathBuf>) -> (PathBuf, Vec<PathBuf>) {
        let directory = packages[self.package].join(self.directory);
        let drivers = Path::new(env!("CARGO_MANIFEST_DIR")).join("benches/programs");
        let mut files = vec![drivers.join(format!("{}.c", self.name))];
        files.extend(c_files(&directory, &self.sources));
        (directory, files)
    }
}

/// How often is measured, and the programs that are asked for, of `[--rounds N] [program...]`; all if there are none.
pub fn asked(arguments: impl Iterator<Item = String>) -> (u32, Vec<String>) {
    let (mut rounds, mut wanted) = (5, Vec::new());
    let mut rest = arguments.filter(|argument| argument != "--bench");
    while let Some(argument) = rest.next() {
        match argument.as_str() {
            "--rounds" => rounds = rest.next().and_then(|number| number.parse().ok()).expect("--rounds N"),
            name => wanted.push(name.to_string()),
        }
    }
    (rounds, wanted)
}

/// Where the benchmark of this name works, where each package is, and the driver.
pub fn workplace(name: &str) -> (PathBuf, BTreeMap<String, PathBuf>, PathBuf) {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let suspect_cc = root.join("target/suspect/bin/suspect-cc");
    assert!(suspect_cc.exists(), "{} is missing: run `make build` first", suspect_cc.display());
    let work = root.join("target").join(name);
    fs::create_dir_all(&work).unwrap();
    let packages = fetch(&work.join("fetch"));
    (work, packages, suspect_cc)
}

/// Directories of the packages in [`MANIFEST`], fetched by cargo.
fn fetch(directory: &Path) -> BTreeMap<String, PathBuf> {
    fs::create_dir_all(directory).unwrap();
    fs::write(directory.join("Cargo.toml"), format!("{MANIFEST}[workspace]\n")).unwrap();
    fs::write(directory.join("lib.rs"), "").unwrap();
    let cargo = |arguments: &[&str]| {
        let mut command = Command::new("cargo");
        command.args(arguments).current_dir(directory).stderr(Stdio::inherit());
        let output = command.output().expect("cargo runs");
        assert!(output.status.success(), "cargo {arguments:?} fails");
        output.stdout
    };
    cargo(&["fetch", "--quiet"]);
    let metadata: serde_json::Value =
        serde_json::from_slice(&cargo(&["metadata", "--format-version", "1", "--offline"])).unwrap();
    let package = |package: &serde_json::Value| {
        let manifest = PathBuf::from(package["manifest_path"].as_str()?);
        Some((package["name"].as_str()?.to_string(), manifest.parent()?.to_path_buf()))
    };
    metadata["packages"].as_array().unwrap().iter().filter_map(package).collect()
}

fn c_files(directory: &Path, sources: &Sources) -> Vec<PathBuf> {
    let but = match sources {
        Sources::Only(names) => return names.iter().map(|name| directory.join(name)).collect(),
        Sources::AllBut(names) => names,
    };
    let mut files: Vec<PathBuf> = fs::read_dir(directory).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.retain(|path| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.ends_with(".c") && !but.contains(&name.as_ref())
    });
    files.sort();
    files
}

/// Runs a command to its end; its status and the CPU seconds it and its children used.
pub fn timed(mut command: Command) -> (ExitStatus, f64) {
    #[expect(clippy::zombie_processes, reason = "wait4 reaps it and says what it used, which `wait` does not")]
    let child = command.spawn().unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let mut status = 0;
    // SAFETY: rusage is plain data that wait4 fills in; the pid is our own child's.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::wait4(child.id() as i32, &mut status, 0, &mut usage), child.id() as i32);
        usage
    };
    let seconds = |time: libc::timeval| time.tv_sec as f64 + time.tv_usec as f64 / 1e6;
    (ExitStatus::from_raw(status), seconds(usage.ru_utime) + seconds(usage.ru_stime))
}
