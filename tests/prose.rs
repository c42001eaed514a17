//! Holds the prose of the documents to docs/style.md: short sentences, subjects that are nouns, sizes, links, and the book's table of contents.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Words of a document's sentences on average, at most; labels of one or two words do not count. Longer ones have to be read twice.
const MEAN_WORDS: f64 = 14.0;
/// Words of a single sentence, at most: the third rule of docs/style.md.
const MOST_WORDS: usize = 25;
/// Lines of README.md, at most: three screens.
const README_LINES: usize = 150;
/// Bytes of ARCHITECTURE.md, at most: a quarter of an hour's reading.
const ARCHITECTURE_BYTES: usize = 16 * 1024;
/// First words of a sentence or heading whose subject is a clause.
const CLAUSES: [&str; 6] = ["What", "Whether", "That", "Who", "Which", "How"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Markdown files of the book, in `docs` and below.
fn book() -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut open = vec![root().join("docs")];
    while let Some(directory) = open.pop() {
        for entry in fs::read_dir(directory).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                open.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// All documents whose prose is held.
fn documents() -> Vec<PathBuf> {
    let named = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "benches/README.md"];
    named.iter().map(|name| root().join(name)).chain(book()).collect()
}

/// Lines outside fenced blocks.
fn unfenced(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let fence = line.trim_start().starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    })
}

/// Paragraphs and list items, each on one line; headings, tables, blocks and numbers of list items are left out.
fn paragraphs(text: &str) -> Vec<String> {
    let mut found = vec![String::new()];
    for line in unfenced(text).map(str::trim) {
        let numbered = line.split_once(". ").filter(|(number, _)| number.parse::<u8>().is_ok());
        let item = line.strip_prefix("- ").or(numbered.map(|(_, rest)| rest));
        if line.is_empty() || line.starts_with(['|', '#']) {
            found.push(String::new());
        } else if let Some(item) = item {
            found.push(item.to_string());
        } else if let Some(last) = found.last_mut() {
            last.push(' ');
            last.push_str(line);
        }
    }
    found.retain(|paragraph| !paragraph.trim().is_empty());
    found
}

/// Sentences, with each piece of code in backticks as one word.
fn sentences(paragraph: &str) -> Vec<String> {
    let pieces = paragraph.split('`').enumerate();
    let text: String =
        pieces.map(|(at, piece)| if at % 2 == 0 { piece.to_string() } else { "`code`".into() }).collect();
    let mut found = vec![String::new()];
    for word in text.split_whitespace() {
        let last = found.last_mut().expect("never empty");
        last.push_str(word);
        last.push(' ');
        let bare = word.trim_end_matches(['*', ')', '"', '_']);
        if bare.ends_with(['.', '?', '!', ':']) && !["e.g.", "i.e.", "vs."].contains(&bare) {
            found.push(String::new());
        }
    }
    found.retain(|sentence| !sentence.trim().is_empty());
    found
}

fn words(sentence: &str) -> usize {
    sentence.split_whitespace().filter(|word| word.contains(char::is_alphanumeric)).count()
}

/// A document's sentences.
fn all_sentences(text: &str) -> Vec<String> {
    paragraphs(text).iter().flat_map(|paragraph| sentences(paragraph)).collect()
}

fn is_clause(sentence: &str) -> bool {
    let bare = sentence.trim().trim_start_matches(['*', '_', '(', '"']);
    let first = bare.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default();
    CLAUSES.contains(&first) && !bare.ends_with(['?', ':'])
}

#[test]
fn sentences_are_short() {
    let mut wrong = Vec::new();
    for path in documents() {
        let sentences = all_sentences(&read(&path));
        let lengths: Vec<usize> = sentences.iter().map(|sentence| words(sentence)).collect();
        let (sum, number) =
            lengths.iter().filter(|length| **length > 2).fold((0, 0), |(sum, n), length| (sum + length, n + 1));
        let mean = f64::from(u32::try_from(sum).unwrap()) / f64::from(number.max(1));
        if mean > MEAN_WORDS {
            wrong.push(format!("{}: {mean:.1} words a sentence", path.display()));
        }
        let long = sentences.iter().zip(lengths).filter(|(_, length)| *length > MOST_WORDS);
        wrong.extend(long.map(|(sentence, length)| format!("{}: {length} words: {sentence}", path.display())));
    }
    assert!(wrong.is_empty(), "at most {MEAN_WORDS} words on average and {MOST_WORDS} in one: {wrong:#?}");
}

#[test]
fn subjects_are_no_clauses() {
    let mut wrong = Vec::new();
    for path in documents() {
        let text = read(&path);
        let headings =
            unfenced(&text).filter(|line| line.starts_with('#')).map(|line| line.trim_start_matches('#').into());
        let found = headings.chain(all_sentences(&text)).filter(|sentence: &String| is_clause(sentence));
        wrong.extend(found.map(|sentence| format!("{}: {sentence}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn sizes_are_those_of_a_first_reading() {
    let readme = read(&root().join("README.md")).lines().count();
    assert!(readme <= README_LINES, "README.md has {readme} lines, more than {README_LINES}");
    let architecture = read(&root().join("ARCHITECTURE.md")).len();
    assert!(
        architecture <= ARCHITECTURE_BYTES,
        "ARCHITECTURE.md has {architecture} bytes, more than {ARCHITECTURE_BYTES}"
    );
}

/// Targets of links to files of the project.
fn links(text: &str) -> Vec<&str> {
    let targets = text.split("](").skip(1).filter_map(|rest| rest.split(')').next());
    let local = targets.filter(|target| !target.contains("://") && !target.starts_with('#'));
    local.map(|target| target.split('#').next().unwrap_or(target)).collect()
}

#[test]
fn links_lead_somewhere() {
    let mut wrong = Vec::new();
    for path in documents() {
        let text: String = unfenced(&read(&path)).flat_map(|line| [line, "\n"]).collect();
        let directory = path.parent().unwrap();
        let broken = links(&text).into_iter().filter(|target| !directory.join(target).exists()).map(str::to_string);
        wrong.extend(broken.map(|target| format!("{}: {target}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Directories of the project whose paths documents name.
const PLACES: [&str; 9] =
    ["src/", "core/", "runtime/", "llvm-pass/", "tests/", "benches/", "fuzz/", "docs/", "contrib/"];

#[test]
fn paths_that_are_named_exist() {
    let mut wrong = Vec::new();
    for path in documents() {
        let text = unfenced(&read(&path)).collect::<Vec<_>>().join("\n");
        let pieces =
            text.split('`').skip(1).step_by(2).filter(|piece| PLACES.iter().any(|place| piece.starts_with(place)));
        let paths = pieces.filter_map(|piece| piece.split(' ').next());
        let missing = paths.filter(|path| !root().join(path).exists());
        wrong.extend(missing.map(|piece| format!("{}: {piece}", path.display())));
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Tests that a document names, as a path of a Rust file and a function's name in one piece of code.
fn named_tests(text: &str) -> Vec<(String, String)> {
    let text = unfenced(text).collect::<Vec<_>>().join("\n");
    let pieces = text.split('`').skip(1).step_by(2).filter_map(|piece| piece.split_once(' '));
    let is_name =
        |name: &str| name.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    let tests = pieces.filter(|(path, name)| path.ends_with(".rs") && is_name(name));
    tests.map(|(path, name)| (path.to_string(), name.to_string())).collect()
}

/// Whether `name` is a test of a file: a function with the attribute right before it.
fn is_test(source: &str, name: &str) -> bool {
    let Some((before, _)) = source.split_once(&format!("fn {name}(")) else { return false };
    let attributes = before.trim_end().lines().rev().map(str::trim).take_while(|line| line.starts_with("#["));
    attributes.collect::<Vec<_>>().contains(&"#[test]")
}

#[test]
fn tests_that_are_named_exist() {
    let mut wrong = Vec::new();
    for path in documents() {
        for (file, name) in named_tests(&read(&path)) {
            if !fs::read_to_string(root().join(&file)).is_ok_and(|source| is_test(&source, &name)) {
                wrong.push(format!("{}: {file} has no test {name}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    // Of the papers each slip names one.
    let papers = read(&root().join("docs/papers.md"));
    let (_, slips) = papers.split_once("## Slips in the papers").expect("there is such a part");
    let rows: Vec<&str> = slips.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| paper")).collect();
    let bare: Vec<_> = rows.iter().filter(|row| named_tests(row).is_empty()).collect();
    assert!(rows.len() > 5 && bare.is_empty(), "{bare:#?}");
}

#[test]
fn the_book_lists_all_of_its_chapters() {
    let docs = root().join("docs");
    let summary = read(&docs.join("SUMMARY.md"));
    let listed: BTreeSet<PathBuf> = links(&summary).into_iter().map(|target| docs.join(target)).collect();
    let there: BTreeSet<PathBuf> = book().into_iter().filter(|path| !path.ends_with("SUMMARY.md")).collect();
    assert_eq!(listed, there);
    assert!(read(&docs.join("book.toml")).contains("src = \".\""));
}

#[test]
fn the_measure_is_right() {
    let text = "# What a heading is\nOne two `three four` five. Six:\n- seven\n- eight nine? Ten\n\n```\nWhat code\n```\n| a | b |\n1. eleven\n";
    let found = all_sentences(text);
    let shown: Vec<&str> = found.iter().map(|sentence| sentence.trim()).collect();
    assert_eq!(shown, ["One two `code` five.", "Six:", "seven", "eight nine?", "Ten", "eleven"]);
    assert_eq!(words(&found[0]), 4);
    assert!(is_clause(" What a heading is") && is_clause("Whether it rains is open.") && !is_clause("What is it?"));
    assert_eq!(links("[a](b.md#c) [d](https://e) [f](#g)"), ["b.md"]);
}
