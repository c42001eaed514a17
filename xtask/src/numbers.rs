//! Lines of Rust by room, and how long functions are.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// Folders whose sub-folders are rooms of their own.
const SPLIT: [&str; 2] = ["core/src", "src"];
/// Folders that are one room each. Files of an inner one do not count for the outer.
const WHOLE: [&str; 7] = ["runtime/format", "runtime", "llvm-pass", "benches", "fuzz", "tests", "xtask"];

/// What is counted of a room.
#[derive(Default)]
struct Room {
    files: usize,
    lines: usize,
    /// Lines of product: outside of tests, neither blank nor comment.
    product: usize,
    /// Lines of the product's comments.
    comments: usize,
    /// Lines of tests, wherever they are.
    tests: usize,
    /// Lines of each function of the product.
    functions: Vec<usize>,
}

/// Prints the table.
///
/// # Errors
/// When the project's sources cannot be read.
pub fn print() -> Result<(), String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().ok_or("the project has no root")?;
    let mut rooms: BTreeMap<String, Room> = BTreeMap::new();
    for folder in SPLIT.iter().chain(&WHOLE) {
        for path in rust_files(&root.join(folder))? {
            let name = path.strip_prefix(root).map_err(|error| error.to_string())?.display().to_string();
            let text = fs::read_to_string(&path).map_err(|error| format!("cannot read {name}: {error}"))?;
            if let Some(room) = room_of(&name, folder) {
                rooms.entry(room).or_default().count(&name, &text);
            }
        }
    }
    let mut all = Room::default();
    println!("| room | files | lines | product | its comments | tests | functions: median | p90 | p99 | longest |");
    println!("|---|---|---|---|---|---|---|---|---|---|");
    for (name, room) in &mut rooms {
        println!("{}", room.row(name));
        all.add(room);
    }
    println!("{}", all.row("all"));
    Ok(())
}

/// The room that a file of `folder` belongs to; none if an inner folder has it.
fn room_of(name: &str, folder: &str) -> Option<String> {
    if SPLIT.contains(&folder) {
        let below = name.strip_prefix(folder)?.strip_prefix('/')?;
        let first = below.split('/').next()?;
        let room = if below.contains('/') { first } else { "(root)" };
        return Some(format!("{folder}/{room}"));
    }
    let is_inner = WHOLE.iter().any(|other| other.len() > folder.len() && name.starts_with(&format!("{other}/")));
    (!is_inner).then(|| folder.to_owned())
}

fn rust_files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("cannot read {}: {error}", folder.display()))?;
    for entry in entries {
        let path = entry.map_err(|error| error.to_string())?.path();
        if path.is_dir() && !path.ends_with("target") {
            found.extend(rust_files(&path)?);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

impl Room {
    fn count(&mut self, name: &str, text: &str) {
        let lines: Vec<&str> = text.lines().collect();
        self.files += 1;
        self.lines += lines.len();
        if is_test_file(name) {
            self.tests += lines.iter().filter(|line| !line.trim().is_empty()).count();
            return;
        }
        let is_test = in_test_modules(&lines);
        for (line, is_test) in lines.iter().zip(&is_test) {
            let line = line.trim();
            match (line.is_empty(), is_test, line.starts_with("//")) {
                (true, ..) => {}
                (_, true, _) => self.tests += 1,
                (_, _, true) => self.comments += 1,
                _ => self.product += 1,
            }
        }
        self.functions.extend(functions(&lines, &is_test));
    }

    fn add(&mut self, other: &Room) {
        self.files += other.files;
        self.lines += other.lines;
        self.product += other.product;
        self.comments += other.comments;
        self.tests += other.tests;
        self.functions.extend(&other.functions);
    }

    fn row(&mut self, name: &str) -> String {
        self.functions.sort_unstable();
        let last = self.functions.len().saturating_sub(1);
        let at = |percent: usize| self.functions.get(last * percent / 100).copied().unwrap_or(0);
        let sizes = [50, 90, 99, 100].map(|percent| at(percent).to_string()).join(" | ");
        let Room { files, lines, product, comments, tests, .. } = self;
        format!("| {name} | {files} | {lines} | {product} | {comments} | {tests} | {sizes} |")
    }
}

fn is_test_file(name: &str) -> bool {
    let is_part = |part: &str| matches!(part, "tests" | "benches" | "fuzz");
    let file = name.rsplit('/').next().unwrap_or(name);
    name.split('/').any(is_part) || file == "tests.rs" || file.ends_with("_tests.rs")
}

/// Whether each line is of a module or item behind `#[cfg(test)]`.
fn in_test_modules(lines: &[&str]) -> Vec<bool> {
    let mut is_test = vec![false; lines.len()];
    let mut at = 0;
    while at < lines.len() {
        if lines[at].trim() == "#[cfg(test)]" {
            let end = end_of_item(lines, at + 1);
            is_test[at..=end].fill(true);
            at = end;
        }
        at += 1;
    }
    is_test
}

/// The last line of the item that begins at line `at`, as rustfmt lays items out: the closing brace stands below the beginning.
fn end_of_item(lines: &[&str], at: usize) -> usize {
    let last = lines.len() - 1;
    let Some(first) = lines.get(at) else { return last };
    if first.trim_end().ends_with([';', '}']) {
        return at;
    }
    let indent = &first[..first.len() - first.trim_start().len()];
    let closes = |line: &&str| line.strip_prefix(indent).is_some_and(|rest| rest.starts_with('}'));
    lines[at + 1..].iter().position(closes).map_or(last, |distance| at + 1 + distance)
}

/// Lines of each function outside of tests.
fn functions(lines: &[&str], is_test: &[bool]) -> Vec<usize> {
    let begins = |line: &str| {
        let words = line.trim_start().split([' ', '(', '<']);
        let qualifiers = ["pub", "crate)", "super)", "const", "unsafe", "extern", "\"C\"", "in"];
        words.into_iter().find(|word| !word.is_empty() && !qualifiers.contains(word)) == Some("fn")
    };
    let all = lines.iter().enumerate().filter(|(at, line)| !is_test[*at] && begins(line));
    all.map(|(at, _)| end_of_item(lines, at) + 1 - at).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_and_functions_are_counted_outside_of_tests() {
        let text = "//! Words.\n\npub(crate) fn one() -> u32 {\n    1\n}\n\nfn two() {}\n\n#[cfg(test)]\nmod tests {\n    fn three() {\n    }\n}\nconst LAST: u32 = 1;\n";
        let mut room = Room::default();
        room.count("src/a/b.rs", text);
        assert_eq!((room.lines, room.product, room.comments, room.tests), (14, 5, 1, 5));
        assert_eq!(room.functions, [3, 1]);
        room.count("src/a/tests.rs", "fn four() {}\n");
        assert_eq!((room.files, room.tests, room.functions.len()), (2, 6, 2));
    }

    #[test]
    fn rooms_are_the_first_folders() {
        assert_eq!(room_of("src/cli/args.rs", "src").as_deref(), Some("src/cli"));
        assert_eq!(room_of("src/main.rs", "src").as_deref(), Some("src/(root)"));
        assert_eq!(room_of("runtime/format/src/abi.rs", "runtime"), None);
        assert_eq!(room_of("runtime/format/src/abi.rs", "runtime/format").as_deref(), Some("runtime/format"));
    }
}
