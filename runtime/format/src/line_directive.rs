//! Line directives of C: `#line 5 "grammar.y"`, and `# 5 "grammar.y"` as preprocessors write it.
//!
//! A generator writes them into the code that it makes, so that a compiler speaks of the file that the code was made from. Pass and tool
//! read them from the text itself, since debug information keeps only what they claim (C17, 6.10.4).

/// A line directive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineDirective<'a> {
    /// The line that it stands on, from 1.
    pub at: u32,
    /// The number that the following line is said to have.
    pub line: u32,
    /// The file that the following lines are said to be of, as written between the quotes; `None` where the directive names none.
    pub file: Option<&'a [u8]>,
}

/// The line directives of a source, in order. Those in comments count too: no generator writes such.
pub fn line_directives(source: &[u8]) -> impl Iterator<Item = LineDirective<'_>> {
    let lines = source.split(|byte| *byte == b'\n');
    (1u32..).zip(lines).filter_map(|(at, line)| LineDirective::parse(at, line))
}

/// Whether all directives of a source that name the source itself say the number that the following line really has. Such directives end a
/// stretch of code that is of another file.
pub fn are_exact(source: &[u8], name: &[u8]) -> bool {
    line_directives(source)
        .filter(|directive| directive.file == Some(name))
        .all(|directive| directive.at.checked_add(1) == Some(directive.line))
}

impl<'a> LineDirective<'a> {
    fn parse(at: u32, line: &'a [u8]) -> Option<Self> {
        let rest = line.trim_ascii().strip_prefix(b"#")?.trim_ascii_start();
        let rest = match rest.strip_prefix(b"line") {
            Some(rest) if rest.starts_with(b" ") || rest.starts_with(b"\t") => rest.trim_ascii_start(),
            Some(_) => return None,
            None => rest,
        };
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (number, rest) = rest.split_at_checked(digits)?;
        let line = core::str::from_utf8(number).ok()?.parse().ok()?;
        match rest.trim_ascii_start() {
            [] => Some(LineDirective { at, line, file: None }),
            [b'"', rest @ ..] => {
                let file = rest.get(..end_of_string(rest)?)?;
                Some(LineDirective { at, line, file: Some(file) })
            }
            _ => None,
        }
    }
}

/// Where the quote is that ends a string.
fn end_of_string(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|byte| {
        let ends = *byte == b'"' && !escaped;
        escaped = *byte == b'\\' && !escaped;
        ends
    })
}

#[cfg(test)]
mod tests {
    extern crate std;
    use super::*;
    use std::vec::Vec;

    fn all(source: &str) -> Vec<(u32, u32, Option<&str>)> {
        let text = |file: &'static [u8]| core::str::from_utf8(file).ok();
        let source: &'static str = std::boxed::Box::leak(source.into());
        line_directives(source.as_bytes()).map(|one| (one.at, one.line, one.file.and_then(text))).collect()
    }

    #[test]
    fn directives_are_read_as_generators_and_preprocessors_write_them() {
        let source = "int a;\n#line 5 \"g.y\"\n  #  line\t7\n# 9 \"b \\\" .h\" 1 3\r\n#lines 3\n#line NUMBER\n#line 3 g.y\n#line 4 \"open\n#if 1";
        assert_eq!(all(source), [(2, 5, Some("g.y")), (3, 7, None), (4, 9, Some("b \\\" .h"))]);
        assert_eq!(all("#line 99999999999 \"x\""), []);
    }

    #[test]
    fn a_source_that_numbers_itself_is_exact_where_the_numbers_are_true() {
        let source = b"int a;\n#line 5 \"g.y\"\nint b;\n#line 5 \"g.c\"\nint c;\n";
        assert!(are_exact(source, b"g.c"));
        assert!(!are_exact(source, b"g.y"));
        assert!(are_exact(source, b"other.c"));
    }
}
