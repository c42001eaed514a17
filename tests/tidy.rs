//! Holds the prose to the code: modules in ARCHITECTURE.md, codes, keys, variables and messages in docs/ are those of the code.

use std::collections::{BTreeMap, BTreeSet};
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
fn only_the_command_line_prints() {
    let forbidden = ["print!(", "println!(", "stdout()", "stderr()", "say!("];
    let mut wrong = Vec::new();
    // The compiler driver, the worker for trials and what stands in for programs are programs of their own.
    let stand_in = root().join("src/exec/stand_in.rs");
    for module in modules_in_code("src").iter().filter(|module| !["build", "trial", "cli"].contains(&module.as_str())) {
        for path in sources_of("src", module).into_iter().filter(|path| *path != stand_in) {
            let text = fs::read_to_string(&path).unwrap();
            let uses = forbidden.iter().filter(|word| code_lines(&text).any(|line| line.contains(**word)));
            wrong.extend(uses.map(|word| format!("{} uses {word}", path.display())));
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
fn committed_files_are_text_or_kept_on_purpose() {
    let listed = std::process::Command::new("git").arg("-C").arg(root()).args(["ls-files", "-z"]).output();
    // A released archive has no repository.
    let Some(listed) = listed.ok().filter(|listed| listed.status.success()) else { return };
    let names = String::from_utf8(listed.stdout).unwrap();
    // Features of rankings for fitting, and files of the formats of every version.
    let is_kept = |name: &str| {
        name.starts_with("tests/golden/") || name.starts_with("benches/accuracy/") && name.ends_with(".features.xz")
    };
    let is_binary = |name: &str| fs::read(root().join(name)).is_ok_and(|bytes| bytes.contains(&0));
    let found: Vec<&str> = names.split_terminator('\0').filter(|name| !is_kept(name) && is_binary(name)).collect();
    assert!(found.is_empty(), "no text: {found:?}");
}

#[test]
fn the_reference_gives_every_exit_code() {
    let text = read("docs/reference.md");
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

/// First cells of the rows below a table's head, without their backticks.
fn first_cells(text: &str, head: &str) -> BTreeSet<String> {
    let table = text.split(head).nth(1).unwrap_or_else(|| panic!("no table {head}"));
    let rows = table.lines().skip(2).take_while(|line| line.starts_with('|'));
    rows.map(|line| line.split('`').nth(1).expect("a cell in backticks").to_string()).collect()
}

/// Lines of code of the product, without comments and tests.
fn product() -> String {
    let directories = ["src", "runtime/src", "runtime/format/src", "llvm-pass/src"];
    let extra = ["core/src"].into_iter().filter(|directory| root().join(directory).is_dir());
    let files = directories.into_iter().chain(extra).flat_map(|directory| rust_files(&root().join(directory)));
    let texts = files.filter(|path| !path.ends_with("tests.rs")).map(|path| fs::read_to_string(path).unwrap());
    texts.flat_map(|text| code_lines(&text).map(|line| format!("{line}\n")).collect::<Vec<_>>()).collect()
}

/// Variables that suspect sets for the programs that it starts, or asks of shards: none for users' shells.
const INTERNAL: [&str; 13] = [
    "SUSPECT_BUILD_LOG",
    "SUSPECT_FILL",
    "SUSPECT_FILL_FROM",
    "SUSPECT_FILL_TO",
    "SUSPECT_PAD",
    "SUSPECT_PAGES",
    "SUSPECT_PLAN",
    "SUSPECT_QUIET",
    "SUSPECT_SHARD",
    "SUSPECT_SHARDS",
    "SUSPECT_STAND_IN",
    "SUSPECT_STARTS",
    "SUSPECT_TRIAL",
];

#[test]
fn the_reference_gives_every_variable() {
    let variables: BTreeSet<String> = product()
        .split("SUSPECT_")
        .skip(1)
        .map(|rest| rest.split(|c: char| !c.is_ascii_uppercase() && c != '_').next().unwrap_or_default())
        .filter(|name| name.len() > 1)
        .map(|name| format!("SUSPECT_{}", name.trim_end_matches('_')))
        .filter(|name| !INTERNAL.contains(&name.as_str()))
        .collect();
    assert_eq!(first_cells(&read("docs/reference.md"), "| variable | who reads it | meaning |"), variables);
}

#[test]
fn the_reference_gives_every_key_of_suspect_toml() {
    let code = read("src/suite/config/check.rs");
    let text = read("docs/reference.md");
    let suspect_toml = text.split("## ").find(|section| section.starts_with("suspect.toml")).expect("the section");
    let mut keys = BTreeSet::new();
    for section in ["RawBuild", "RawStore", "RawRank", "RawSuite"] {
        let fields = code.split(&format!("struct {section} {{")).nth(1).expect(section).split("\n}").next().unwrap();
        let names = fields.lines().filter(|line| !line.contains("#[")).filter_map(|line| line.trim().split_once(':'));
        keys.extend(names.map(|(name, _)| name.to_string()));
    }
    assert!(keys.len() > 15, "{keys:?}");
    let missing =
        |key: &&String| !suspect_toml.contains(&format!("`{key}`")) && !suspect_toml.contains(&format!("] {key}`"));
    let missing: Vec<_> = keys.iter().filter(missing).collect();
    assert!(missing.is_empty(), "{missing:?} of suspect.toml are in no table of docs/reference.md");
}

#[test]
fn messages_that_are_explained_are_written() {
    let product = product();
    let messages = first_cells(&read("docs/troubleshooting.md"), "| message | cause | remedy |");
    let missing: Vec<_> = messages.iter().filter(|message| !product.contains(message.as_str())).collect();
    assert!(messages.len() > 5 && missing.is_empty(), "no source has {missing:?}");
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
