//! Where somebody would see a fault that was mended: the faulty lines of docs/eval.md, out of the reversal of the mending.

use std::ops::RangeInclusive;

use crate::source::Text;

/// Lines that use a wrong macro, at most.
const MOST_USES: usize = 100;

/// The faulty lines, as `FILE:LINE` of the faulty version.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FaultyLines {
    /// Lines that say something else.
    pub changed: Vec<String>,
    /// Lines beside code that is missing.
    pub omitted: Vec<String>,
    /// Lines that use a wrong macro.
    pub used: Vec<String>,
}

impl FaultyLines {
    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        [&self.changed, &self.omitted, &self.used].iter().all(|lines| lines.is_empty())
    }

    /// What kind of mistake it is.
    pub fn class(&self) -> &'static str {
        match [&self.changed, &self.omitted, &self.used].map(|lines| lines.is_empty()) {
            [true, false, true] => "omitted",
            [false, true, true] => "changed",
            [true, true, false] => "macro",
            _ => "several",
        }
    }
}

/// A place where the faulty version differs: lines that it has (none if `from` is 0 lines long, which then follow line `from`), and if code of the correct
/// version is missing there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Hunk {
    first: u32,
    length: u32,
    misses_code: bool,
}

/// The faulty lines that `reversal` makes, a unified diff without context from the correct version. `text` gives a file of the faulty version,
/// `files` are the names of all its C files.
pub fn faulty_lines(reversal: &str, files: &[String], text: impl Fn(&str) -> Option<String>) -> FaultyLines {
    let mut found = FaultyLines::default();
    for (file, hunks) in hunks(reversal) {
        let Some(source) = text(&file) else { continue };
        let code = Code::of(&source);
        for hunk in hunks {
            let lines = hunk.first..=(hunk.first + hunk.length).saturating_sub(1);
            let own: Vec<u32> = lines.filter(|line| hunk.length > 0 && code.holds_code(*line)).collect();
            let at = if hunk.length == 0 { hunk.first.max(1) } else { hunk.first };
            match code.macro_at(at) {
                Some(name) if !own.is_empty() || hunk.misses_code => found.used.extend(uses(&name, files, &text)),
                _ if !own.is_empty() => found.changed.extend(own.iter().map(|line| format!("{file}:{line}"))),
                _ if hunk.misses_code => {
                    let last = if hunk.length == 0 { hunk.first } else { hunk.first.saturating_sub(1) };
                    let around = code.around(last, hunk.first + hunk.length.max(1));
                    found.omitted.extend(around.into_iter().map(|line| format!("{file}:{line}")));
                }
                _ => {}
            }
        }
    }
    for lines in [&mut found.changed, &mut found.omitted, &mut found.used] {
        let mut known = std::collections::HashSet::new();
        lines.retain(|line| known.insert(line.clone()));
    }
    found
}

/// The files of a diff with their hunks, seen from the side of the faulty version.
fn hunks(diff: &str) -> Vec<(String, Vec<Hunk>)> {
    let mut files: Vec<(String, Vec<Hunk>)> = Vec::new();
    for line in diff.lines() {
        if let Some(name) = line.strip_prefix("+++ b/") {
            files.push((name.trim_end_matches('\t').to_owned(), Vec::new()));
        } else if let (Some(rest), Some((_, hunks))) = (line.strip_prefix("@@ -"), files.last_mut()) {
            let place = rest.split_once('+').and_then(|(_, after)| after.split(' ').next()).unwrap_or_default();
            let (first, length) = place.split_once(',').unwrap_or((place, "1"));
            if let (Ok(first), Ok(length)) = (first.parse(), length.parse()) {
                hunks.push(Hunk { first, length, misses_code: false });
            }
        } else if let (Some(gone), Some(hunk)) =
            (line.strip_prefix('-'), files.last_mut().and_then(|(_, hunks)| hunks.last_mut()))
        {
            hunk.misses_code |= !line.starts_with("--- ") && is_code(gone);
        }
    }
    files
}

/// Whether a line by itself looks like code.
fn is_code(line: &str) -> bool {
    let line = line.trim();
    let is_comment = ["//", "/*", "*/", "* ", "#include"].iter().any(|begin| line.starts_with(begin)) || line == "*";
    !is_comment && line.contains(|letter: char| letter.is_ascii_alphanumeric())
}

/// The lines of a file.
struct Code<'t> {
    lines: Vec<&'t str>,
    functions: Vec<(u32, u32)>,
}

impl<'t> Code<'t> {
    fn of(text: &'t str) -> Code<'t> {
        Code { lines: text.lines().collect(), functions: Text::parse(text.as_bytes()).functions() }
    }

    fn line(&self, number: u32) -> Option<&'t str> {
        self.lines.get((number as usize).checked_sub(1)?).copied()
    }

    fn holds_code(&self, number: u32) -> bool {
        self.line(number).is_some_and(is_code)
    }

    /// The macro whose definition a line belongs to.
    fn macro_at(&self, number: u32) -> Option<String> {
        let continues = |line: u32| self.line(line).is_some_and(|text| text.trim_end().ends_with('\\'));
        let mut first = number;
        while first > 1 && continues(first - 1) {
            first -= 1;
        }
        let directive = self.line(first)?.trim_start().strip_prefix('#')?.trim_start().strip_prefix("define")?;
        let name: String =
            directive.trim_start().chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect();
        (!name.is_empty()).then_some(name)
    }

    /// The lines with code before and after what is missing behind `last`, within their function; none outside of functions.
    fn around(&self, last: u32, next: u32) -> Vec<u32> {
        let inside = |range: &RangeInclusive<u32>| *range.start() <= last && last < *range.end();
        let mut functions = self.functions.iter().map(|(first, last)| *first..=*last);
        let Some(function) = functions.find(inside) else { return Vec::new() };
        let before = (*function.start()..=last).rev().find(|line| self.holds_code(*line));
        let after = (next.max(last + 1)..=*function.end()).find(|line| self.holds_code(*line));
        before.into_iter().chain(after).collect()
    }
}

/// The lines that use a macro, other than definitions.
fn uses(name: &str, files: &[String], text: &impl Fn(&str) -> Option<String>) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || letter == '_';
    let uses = |line: &str| {
        let mut places = line.match_indices(name);
        !line.trim_start().starts_with('#')
            && places.any(|(at, _)| !line[..at].ends_with(is_part) && !line[at + name.len()..].starts_with(is_part))
    };
    let mut found = Vec::new();
    for file in files {
        let Some(text) = text(file) else { continue };
        found.extend((1..).zip(text.lines()).filter(|(_, line)| uses(line)).map(|(line, _)| format!("{file}:{line}")));
        if found.len() >= MOST_USES {
            break;
        }
    }
    found.truncate(MOST_USES);
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    const SOURCE: &str = "\
#define LIMIT 9
#define MORE(x) \\
    (x + 1)
int f(int a)
{
    int b = a;

    /* a comment */
    if (b > LIMIT)
        b = MORE(b);
    return b;
}
";

    fn of(reversal: &str) -> FaultyLines {
        let text = |name: &str| (name == "a.c").then(|| SOURCE.to_owned());
        faulty_lines(&format!("--- a/a.c\n+++ b/a.c\n{reversal}"), &["a.c".into()], text)
    }

    fn lines(numbers: &[u32]) -> Vec<String> {
        numbers.iter().map(|number| format!("a.c:{number}")).collect()
    }

    #[test]
    fn changed_lines_are_those_with_code() {
        let found = of(
            "@@ -8,2 +8,2 @@\n-    /* the comment */\n-    if (b >= LIMIT)\n+    /* a comment */\n+    if (b > LIMIT)\n",
        );
        assert_eq!((found.changed.clone(), found.class()), (lines(&[9]), "changed"));
    }

    #[test]
    fn what_is_missing_shows_before_and_after_it() {
        let found = of("@@ -7,2 +6,0 @@\n-    if (b < 0)\n-        b = 0;\n");
        assert_eq!((found.omitted.clone(), found.class()), (lines(&[6, 9]), "omitted"));
        assert!(of("@@ -7 +6,0 @@\n-    // a remark\n").is_empty());
        assert!(of("@@ -14 +12,0 @@\n-int g(void);\n").is_empty(), "outside of functions");
    }

    #[test]
    fn a_wrong_macro_shows_where_it_is_used() {
        let found = of("@@ -1 +1 @@\n-#define LIMIT 10\n+#define LIMIT 9\n");
        assert_eq!((found.used.clone(), found.class()), (lines(&[9]), "macro"));
        assert_eq!(of("@@ -3 +3 @@\n-    (x + 2)\n+    (x + 1)\n").used, lines(&[10]));
    }

    #[test]
    fn several_hunks_are_one_fault() {
        let found = of("@@ -6 +6 @@\n-    int b = -a;\n+    int b = a;\n@@ -12 +11,0 @@\n-    b = 0;\n");
        assert_eq!(
            (found.changed.clone(), found.omitted.clone(), found.class()),
            (lines(&[6]), lines(&[11, 0])[..1].to_vec(), "several")
        );
    }
}
