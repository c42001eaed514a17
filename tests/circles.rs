//! Holds modules to few companions: files that need each other, directly or round a corner, can only be read together.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use petgraph::algo::tarjan_scc;
use petgraph::graph::DiGraph;

/// Files of the largest circle: the runtime's executor of plans is one thing in ten files.
const MOST: usize = 10;

/// Folders of crates that are looked at.
const CRATES: [&str; 4] = ["runtime/src", "llvm-pass/src", "core/src", "src"];

/// A crate's files by the paths of their modules; the root's path is empty.
fn modules(folder: &Path) -> BTreeMap<Vec<String>, PathBuf> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
                continue;
            }
            let inside = path.strip_prefix(folder).unwrap().with_extension("");
            let mut name: Vec<String> =
                inside.components().map(|part| part.as_os_str().to_string_lossy().into_owned()).collect();
            let is_source = path.extension().is_some_and(|extension| extension == "rs");
            let is_of_tests = name.iter().any(|part| part.ends_with("tests"));
            if !is_source || is_of_tests {
                continue;
            }
            if name.last().is_some_and(|last| ["lib", "main", "mod"].contains(&last.as_str())) {
                name.pop();
            }
            found.insert(name, path);
        }
    }
    found
}

/// Text without comments, up to a file's tests.
fn code(text: &str) -> String {
    let lines = text.lines().take_while(|line| !line.starts_with("mod tests {"));
    lines.map(|line| line.split_once("//").map_or(line, |(code, _)| code)).collect::<Vec<_>>().join("\n")
}

/// Paths that begin at `text`, their groups in braces spelled out.
fn paths(text: &str) -> Vec<Vec<String>> {
    fn tree<'a>(mut rest: &'a str, prefix: &[String], found: &mut Vec<Vec<String>>) -> &'a str {
        let mut path = prefix.to_vec();
        loop {
            rest = rest.trim_start();
            if let Some(mut group) = rest.strip_prefix('{') {
                loop {
                    group = tree(group, &path, found).trim_start();
                    match group.strip_prefix(',') {
                        Some(next) => group = next,
                        None => return group.strip_prefix('}').unwrap_or(group),
                    }
                }
            }
            let end = rest.find(|c: char| c != '_' && !c.is_alphanumeric()).unwrap_or(rest.len());
            if end > 0 && &rest[..end] != "self" {
                path.push(rest[..end].to_string());
            }
            match rest[end..].strip_prefix("::") {
                Some(next) => rest = next,
                None => break,
            }
        }
        found.push(path);
        // The name that something gets here.
        rest.trim_start_matches(|c: char| c == '_' || c == '*' || c == ' ' || c.is_alphanumeric())
    }
    let mut found = Vec::new();
    tree(text, &[], &mut found);
    found
}

/// Modules that the code of module `here` names.
fn named(here: &[String], text: &str, modules: &BTreeMap<Vec<String>, PathBuf>) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    let is_start = |at: usize| !text[..at].ends_with(|c: char| c == '_' || c == ':' || c.is_alphanumeric());
    for (base, word) in [(0, "crate::"), (here.len().saturating_sub(1), "super::")] {
        for (at, _) in text.match_indices(word).filter(|(at, _)| is_start(*at)) {
            for path in paths(&text[at + word.len()..]) {
                let up = path.iter().take_while(|part| *part == "super").count();
                let full = [&here[..base.saturating_sub(up)], &path[up..]].concat();
                found.extend((1..=full.len()).rev().map(|n| full[..n].to_vec()).find(|n| modules.contains_key(n)));
            }
        }
    }
    found
}

/// Circles of a crate's files, the largest first.
fn circles(modules: &BTreeMap<Vec<String>, PathBuf>) -> Vec<Vec<String>> {
    let mut graph = DiGraph::new();
    let nodes: BTreeMap<_, _> = modules.keys().map(|name| (name, graph.add_node(name))).collect();
    for (name, path) in modules {
        for target in named(name, &code(&fs::read_to_string(path).unwrap()), modules) {
            graph.update_edge(nodes[name], nodes[&target], ());
        }
    }
    let mut circles: Vec<Vec<String>> = tarjan_scc(&graph)
        .into_iter()
        .filter(|circle| circle.len() > 1)
        .map(|circle| circle.into_iter().map(|node| graph[node].join("/")).collect())
        .collect();
    circles.sort_by_key(|circle| std::cmp::Reverse(circle.len()));
    circles
}

#[test]
fn no_circle_of_files_is_large() {
    let mut wrong = Vec::new();
    for folder in CRATES {
        let modules = modules(&Path::new(env!("CARGO_MANIFEST_DIR")).join(folder));
        assert!(modules.len() > 20, "{folder} has {} files", modules.len());
        for circle in circles(&modules) {
            println!("{folder}: {} files: {circle:?}", circle.len());
            wrong.extend((circle.len() > MOST).then(|| format!("{folder}: {} files: {circle:?}", circle.len())));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn paths_are_spelled_out() {
    let spelled = |text| paths(text).into_iter().map(|path| path.join("::")).collect::<Vec<_>>();
    assert_eq!(spelled("a::{self, b, c::{D, e as f}, g::*}; h"), ["a", "a::b", "a::c::D", "a::c::e", "a::g"]);
    assert_eq!(spelled("a::b(c::d)"), ["a::b"]);
}
