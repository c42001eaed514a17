//! Edits of a source file as a patch, and where the lines are afterwards.

use crate::source::{Edit, apply};

/// Unchanged lines around changed ones.
const CONTEXT: usize = 3;

/// A file before and after edits.
#[derive(Debug)]
pub struct Patched<'e> {
    old: Vec<u8>,
    new: Vec<u8>,
    /// In the order of the text.
    edits: Vec<&'e Edit>,
}

impl<'e> Patched<'e> {
    /// A file's text with these edits, which must be of this file; `None` if they do not fit it, or overlap.
    pub fn new(text: &[u8], edits: impl IntoIterator<Item = &'e Edit>) -> Option<Patched<'e>> {
        let mut edits: Vec<&Edit> = edits.into_iter().collect();
        edits.sort_by_key(|edit| (edit.line, edit.column));
        let new = apply(text, edits.iter().copied())?;
        Some(Patched { old: text.to_vec(), new, edits })
    }

    /// The line that an old one has become; within an edit, the nearest of those that took its place.
    pub fn line(&self, old: u32) -> u32 {
        let mut shift = 0i64;
        for edit in &self.edits {
            let (before, after) = (i64::from(edit.end_line - edit.line), newlines(&edit.replacement));
            if edit.end_line < old || (edit.end_line == old && edit.line < old) {
                shift += after - before;
            } else if (edit.line..=edit.end_line).contains(&old) {
                let within = i64::from(old - edit.line).min(after);
                return (i64::from(edit.line) + shift + within) as u32;
            }
        }
        (i64::from(old) + shift) as u32
    }

    /// The patch that makes the new file of the old one, for `patch -p1`; `name` is the file's path in the tree.
    pub fn unified(&self, name: &str) -> Vec<u8> {
        let (old, new) = (lines(&self.old), lines(&self.new));
        // A name with blanks ends at a tab.
        let end = if name.contains(' ') { "\t" } else { "" };
        let mut patch = format!("--- a/{name}{end}\n+++ b/{name}{end}\n").into_bytes();
        let mut shift = 0i64;
        for (first, last, more) in self.regions() {
            let (from, to) = ((first as i64 + shift) as usize, (last as i64 + shift + more) as usize);
            let (head, tail) = alike(&old[first..last], &new[from..to]);
            let (first, last, from, to) = (first + head, last - tail, from + head, to - tail);
            let before = first.saturating_sub(CONTEXT)..first;
            let after = last..(last + CONTEXT).min(old.len());
            let n_context = before.len() + after.len();
            let counts = (last - first + n_context, to - from + n_context);
            let starts = (before.start + 1, (before.start as i64 + shift + 1) as usize);
            patch.extend(format!("@@ -{},{} +{},{} @@\n", starts.0, counts.0, starts.1, counts.1).bytes());
            put(&mut patch, b' ', &old[before]);
            put(&mut patch, b'-', &old[first..last]);
            put(&mut patch, b'+', &new[from..to]);
            put(&mut patch, b' ', &old[after]);
            shift += more;
        }
        patch
    }

    /// Stretches of old lines (from 0, the end excluded) that change, too far apart to share context, and by how many lines each grows.
    fn regions(&self) -> Vec<(usize, usize, i64)> {
        let mut regions: Vec<(usize, usize, i64)> = Vec::new();
        let n_lines = lines(&self.old).len();
        for edit in &self.edits {
            let (first, last) = (edit.line as usize - 1, (edit.end_line as usize).min(n_lines));
            let more = newlines(&edit.replacement) - i64::from(edit.end_line - edit.line);
            match regions.last_mut().filter(|(_, end, _)| first < *end + 2 * CONTEXT) {
                Some(region) => *region = (region.0, region.1.max(last), region.2 + more),
                None => regions.push((first, last, more)),
            }
        }
        regions
    }
}

/// How many lines are the same at the beginning, and how many of the others at the end.
fn alike(old: &[&[u8]], new: &[&[u8]]) -> (usize, usize) {
    let head = old.iter().zip(new).take_while(|(one, other)| one == other).count();
    let rest = old[head..].iter().rev().zip(new[head..].iter().rev());
    (head, rest.take_while(|(one, other)| one == other).count())
}

fn newlines(text: &str) -> i64 {
    text.bytes().filter(|byte| *byte == b'\n').count() as i64
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

fn put(patch: &mut Vec<u8>, mark: u8, lines: &[&[u8]]) {
    for line in lines {
        patch.push(mark);
        patch.extend_from_slice(line);
        if !line.ends_with(b"\n") {
            patch.extend_from_slice(b"\n\\ No newline at end of file\n");
        }
    }
}

#[cfg(test)]
mod tests {
    use std::process::{Command, Stdio};

    use super::*;

    fn edit(line: u32, column: u32, original: &str, replacement: &str) -> Edit {
        let down = newlines(original) as u32;
        let last = original.rsplit('\n').next().unwrap().len() as u32;
        Edit {
            file: "a.c".into(),
            line,
            column,
            end_line: line + down,
            end_column: if down == 0 { column + last } else { last + 1 },
            original: original.into(),
            replacement: replacement.into(),
        }
    }

    /// What `patch` makes of `text`.
    fn patched(text: &str, patch: &[u8]) -> String {
        let directory = tempfile::tempdir().unwrap();
        std::fs::write(directory.path().join("a.c"), text).unwrap();
        std::fs::write(directory.path().join("p"), patch).unwrap();
        let mut command = Command::new("patch");
        let done =
            command.args(["-p1", "-i", "p"]).current_dir(directory.path()).stdout(Stdio::null()).status().unwrap();
        assert!(done.success(), "{}", String::from_utf8_lossy(patch));
        std::fs::read_to_string(directory.path().join("a.c")).unwrap()
    }

    #[test]
    fn patches_make_what_the_edits_make() {
        let text: String = (1..=40).map(|line| format!("line {line};\n")).collect();
        let cases = [
            vec![edit(1, 1, "line", "LINE")],
            vec![edit(40, 6, "40", "41")],
            vec![edit(3, 1, "line 3;\nline 4;", ";"), edit(6, 6, "6", "x\ny")],
            vec![
                edit(10, 1, "line", "a\nb\nc"),
                edit(30, 1, "line 30;\nline 31;\nline 32;", ";"),
                edit(35, 6, "35", "1"),
            ],
        ];
        for edits in &cases {
            let file = Patched::new(text.as_bytes(), edits).unwrap();
            let expected = String::from_utf8(file.new.clone()).unwrap();
            assert_ne!(expected, text);
            assert_eq!(patched(&text, &file.unified("a.c")), expected);
            // Every old line outside the edits is where it is said to be.
            let now: Vec<&str> = expected.lines().collect();
            for (number, line) in (1..).zip(text.lines()) {
                if !edits.iter().any(|edit| (edit.line..=edit.end_line).contains(&number)) {
                    assert_eq!(now[file.line(number) as usize - 1], line);
                }
            }
        }
    }

    #[test]
    fn a_last_line_without_end_is_kept_so() {
        let file = [edit(2, 1, "b", "c")];
        let file = Patched::new(b"a\nb", &file).unwrap();
        assert_eq!(patched("a\nb", &file.unified("a.c")), "a\nc");
        assert!(
            String::from_utf8(Patched::new(b"a\nb", [&edit(1, 1, "a", "c")]).unwrap().unified("x y.c"))
                .unwrap()
                .contains("+++ b/x y.c\t\n")
        );
    }

    #[test]
    fn edits_that_do_not_fit_are_refused() {
        assert!(Patched::new(b"a\n", [&edit(1, 1, "b", "c")]).is_none());
        assert!(Patched::new(b"abc\n", [&edit(1, 1, "ab", "x"), &edit(1, 2, "bc", "y")]).is_none());
    }

    #[test]
    fn lines_within_an_edit_are_where_it_is() {
        let edits = [edit(2, 1, "line 2;\nline 3;\nline 4;", ";"), edit(6, 1, "line", "x\nline")];
        let text: String = (1..=8).map(|line| format!("line {line};\n")).collect();
        let file = Patched::new(text.as_bytes(), &edits).unwrap();
        assert_eq!((1..=8).map(|line| file.line(line)).collect::<Vec<_>>(), [1, 2, 2, 2, 3, 4, 6, 7]);
    }
}
