//! Sources that are not ours: from the package registries that the machine already uses, through their own clients.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::{Mutex, OnceLock, PoisonError};

const MANIFEST: &str = "[package]\nname = \"fetch\"\nversion = \"0.0.0\"\nedition = \"2021\"\n[lib]\npath = \"lib.rs\"\n\
     [dependencies]\nlua-src = \"=546.0.2\"\nlibz-sys = \"=1.1.6\"\n[workspace]\n";

/// Where cargo unpacked a crate.
pub fn registry(package: &str) -> PathBuf {
    static PACKAGES: OnceLock<BTreeMap<String, PathBuf>> = OnceLock::new();
    PACKAGES.get_or_init(packages)[package].clone()
}

fn packages() -> BTreeMap<String, PathBuf> {
    let directory = tempfile::tempdir().unwrap();
    fs::write(directory.path().join("Cargo.toml"), MANIFEST).unwrap();
    fs::write(directory.path().join("lib.rs"), "").unwrap();
    let cargo = std::env::var_os("CARGO").unwrap_or("cargo".into());
    run(Command::new(&cargo).args(["fetch", "--quiet"]).current_dir(directory.path()));
    let arguments = ["metadata", "--format-version", "1", "--offline", "--quiet"];
    let metadata = run(Command::new(&cargo).args(arguments).current_dir(directory.path()));
    let metadata: serde_json::Value = serde_json::from_slice(&metadata).unwrap();
    let package = |package: &serde_json::Value| {
        let manifest = Path::new(package["manifest_path"].as_str()?);
        Some((package["name"].as_str()?.to_string(), manifest.parent()?.to_path_buf()))
    };
    metadata["packages"].as_array().unwrap().iter().filter_map(package).collect()
}

/// Unpacked sources, removed when dropped.
pub struct Sources {
    _directory: tempfile::TempDir,
    /// Where they are.
    pub path: PathBuf,
}

/// Sources of a Debian package, patched and unpacked. Nothing where there is no apt, which is said.
///
/// apt gets a list of sources and directories of its own; the machine's stay as they are.
pub fn debian(package: &str) -> Option<Sources> {
    let there = |program: &str| Command::new(program).arg("--version").stdout(Stdio::null()).status().is_ok();
    if !there("apt-get") || !there("dpkg-source") {
        let why = format!("skipped: no apt-get and dpkg-source here to fetch the sources of {package} with");
        assert!(std::env::var_os("SUSPECT_NO_SKIP").is_none(), "{why}");
        eprintln!("{why}");
        return None;
    }
    static APT: Mutex<()> = Mutex::new(());
    let lock = APT.lock().unwrap_or_else(PoisonError::into_inner);
    let place = Path::new(env!("CARGO_TARGET_TMPDIR")).join("apt");
    for below in ["lists/partial", "cache/archives/partial", "sources"] {
        fs::create_dir_all(place.join(below)).unwrap();
    }
    fs::write(place.join("sources.list"), source_list()).unwrap();
    apt(&place, &["update", "-qq"]);
    apt(&place, &["source", "-qq", "--download-only", package]);
    drop(lock);
    let unpacked = tempfile::tempdir().unwrap();
    let prefix = format!("{package}_");
    let names = fs::read_dir(place.join("sources")).unwrap().map(|entry| entry.unwrap().path());
    let is_description = |path: &PathBuf| {
        let name = path.file_name().unwrap().to_string_lossy();
        name.starts_with(&prefix) && name.ends_with(".dsc")
    };
    // Of several versions, the one that was fetched last.
    let description = names.filter(is_description).max_by_key(|path| path.metadata().unwrap().modified().unwrap());
    let target = unpacked.path().join("sources");
    run(Command::new("dpkg-source").args(["--no-check", "-x"]).arg(description.unwrap()).arg(&target));
    Some(Sources { _directory: unpacked, path: target })
}

/// The sources that belong to the packages this machine installs.
fn source_list() -> String {
    let format = "deb-src $(SITE) $(CODENAME) $(COMPONENT)";
    let output = run(Command::new("apt-get").args([
        "indextargets",
        "--format",
        format,
        "Created-By: Packages",
        "Label: Debian",
    ]));
    String::from_utf8(output).unwrap()
}

fn apt(place: &Path, arguments: &[&str]) {
    let mut command = Command::new("apt-get");
    command.current_dir(place.join("sources"));
    let own = |name: &str, file: &str| format!("{name}={}", place.join(file).display());
    for option in [
        own("Dir::Etc::SourceList", "sources.list"),
        "Dir::Etc::SourceParts=-".to_string(),
        own("Dir::State::Lists", "lists"),
        own("Dir::Cache", "cache"),
        "APT::Sandbox::User=root".to_string(),
    ] {
        command.args(["-o", &option]);
    }
    run(command.args(arguments));
}

/// Runs a command, which must succeed; its standard output.
#[track_caller]
fn run(command: &mut Command) -> Vec<u8> {
    let output = command.stderr(Stdio::piped()).output().unwrap();
    assert!(output.status.success(), "{command:?}: {}", String::from_utf8_lossy(&output.stderr));
    output.stdout
}
