//! Holds the prose to the code: what ARCHITECTURE.md and the README say of modules, exit codes and rules is true.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: impl AsRef<Path>) -> String {
    let path = root().join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

fn rust_files(directory: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(directory).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(rust_files(&path));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Folders of the crates whose modules ARCHITECTURE.md lists.
const CRATES: [&str; 2] = ["core/src", "src"];

/// First cells of the rows of ARCHITECTURE.md's table of a crate's modules, in order.
fn modules_in_prose(sources: &str) -> Vec<String> {
    let text = read("ARCHITECTURE.md");
    let folder = sources.strip_suffix("/src").unwrap_or(sources);
    let table = text.split(&format!("| module of `{folder}/` | owns |")).nth(1).expect("the module table");
    table
        .lines()
        .skip(2)
        .take_while(|line| line.starts_with('|'))
        .map(|line| line.split('`').nth(1).expect("a module's name in backticks").to_string())
        .collect()
}

fn modules_in_code(sources: &str) -> Vec<String> {
    let text = read(format!("{sources}/lib.rs"));
    text.lines().filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';')).map(str::to_string).collect()
}

/// A module's files, those of its tests left out.
fn sources_of(sources: &str, module: &str) -> Vec<PathBuf> {
    let directory = root().join(sources).join(module);
    let files = if directory.is_dir() { rust_files(&directory) } else { vec![directory.with_extension("rs")] };
    files.into_iter().filter(|path| !path.ends_with("tests.rs")).collect()
}

#[test]
fn module_table_lists_the_modules_in_their_order() {
    for sources in CRATES {
        assert_eq!(modules_in_prose(sources), modules_in_code(sources), "{sources}");
    }
}

#[test]
fn a_module_uses_only_modules_above_it() {
    let mut wrong = Vec::new();
    for sources in CRATES {
        let modules = modules_in_code(sources);
        for (position, module) in modules.iter().enumerate() {
            for path in sources_of(sources, module) {
                let text = fs::read_to_string(&path).unwrap();
                for below in &modules[position + 1..] {
                    if code_lines(&text).any(|line| line.contains(&format!("crate::{below}::"))) {
                        wrong.push(format!("{} uses {below}", path.display()));
                    }
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn core_depends_on_nothing_that_does_io() {
    let forbidden = ["anstream", "clap", "libc", "memmap2", "nix", "parquet", "tempfile"];
    let manifest: toml::Table = read("core/Cargo.toml").parse().unwrap();
    let dependencies = manifest["dependencies"].as_table().unwrap();
    let wrong: Vec<_> = dependencies.keys().filter(|name| forbidden.contains(&name.as_str())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn core_does_no_io() {
    let forbidden = [
        "std::fs",
        "std::io",
        "std::process",
        "std::time",
        "std::env",
        "std::net",
        "std::{",
        "print!",
        "println!",
        "Instant::",
        "SystemTime",
        "glob::glob",
    ];
    let is_of_tests = |path: &Path| path.to_string_lossy().ends_with("_tests.rs");
    let mut wrong = Vec::new();
    for module in modules_in_code("core/src") {
        for path in sources_of("core/src", &module).into_iter().filter(|path| !is_of_tests(path)) {
            let text = fs::read_to_string(&path).unwrap();
            let uses = forbidden.iter().filter(|word| code_lines(&text).any(|line| line.contains(**word)));
            wrong.extend(uses.map(|word| format!("{} uses {word}", path.display())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_store_names_the_store() {
    let mut wrong = Vec::new();
    for module in modules_in_code("src").iter().filter(|module| *module != "store") {
        for path in sources_of("src", module) {
            let text = fs::read_to_string(&path).unwrap();
            if code_lines(&text).any(|line| line.contains("\".suspect\"") && !line.contains("SECTION")) {
                wrong.push(path);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn only_exec_build_and_trial_start_processes() {
    let mut wrong = Vec::new();
    for module in modules_in_code("src").iter().filter(|module| !["exec", "build", "trial"].contains(&module.as_str()))
    {
        for path in sources_of("src", module) {
            let text = fs::read_to_string(&path).unwrap();
            if code_lines(&text).any(|line| line.contains("process::Command")) {
                wrong.push(path);
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn every_file_says_what_it_owns() {
    let mut files = rust_files(&root().join("src"));
    for directory in ["core", "runtime", "llvm-pass", "tests", "benches"] {
        files.extend(rust_files(&root().join(directory)));
    }
    let silent = |path: &PathBuf| !fs::read_to_string(path).unwrap().starts_with("//!");
    let wrong: Vec<_> = files
        .into_iter()
        .filter(|path| !path.components().any(|part| part.as_os_str() == "target"))
        .filter(silent)
        .collect();
    assert!(wrong.is_empty(), "no //! on the first line of {wrong:#?}");
}

#[test]
fn readme_gives_every_exit_code() {
    let text = read("README.md");
    let table: BTreeMap<u8, String> = text
        .lines()
        .filter_map(|line| {
            let mut cells = line.split('|').map(str::trim).skip(1);
            Some((cells.next()?.parse().ok()?, cells.next()?.to_string()))
        })
        .collect();
    let code: BTreeMap<u8, String> =
        suspect::cli::Exit::ALL.iter().map(|(exit, meaning)| (*exit as u8, meaning.to_string())).collect();
    assert_eq!(table, code);
}

/// Lines of code outside comments and outside the file's tests: the item behind each `#[cfg(test)]` is left out, what follows it is not.
fn code_lines(text: &str) -> impl Iterator<Item = &str> {
    let mut lines = text.lines().filter(|line| !line.trim_start().starts_with("//"));
    std::iter::from_fn(move || {
        let mut line = lines.next()?;
        while line.trim_start().starts_with("#[cfg(test)]") {
            skip_item(&mut lines);
            line = lines.next()?;
        }
        Some(line)
    })
}

/// Passes over the lines of an item: up to a semicolon, or to the brace that closes it, at the item's own indentation.
fn skip_item<'a>(lines: &mut impl Iterator<Item = &'a str>) {
    let Some(first) = lines.find(|line| !line.trim_start().starts_with("#[")) else { return };
    let indentation = &first[..first.len() - first.trim_start().len()];
    if first.trim_end().ends_with([';', '}']) {
        return;
    }
    let closes = |line: &str| line.strip_prefix(indentation).is_some_and(|rest| rest.starts_with(['}', ')']));
    let _ = lines.find(|line| closes(line));
}

#[test]
fn code_behind_tests_is_seen() {
    let text = "a\n#[cfg(test)]\nmod tests;\nb\n    #[cfg(test)]\n    #[allow(x)]\n    fn f() {\n        c\n    }\n    d\n// e\n";
    assert_eq!(code_lines(text).map(str::trim).collect::<Vec<_>>(), ["a", "b", "d"]);
}
