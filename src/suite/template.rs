//! Commands and paths with `{placeholders}`.

use std::ffi::{OsStr, OsString};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// How a placeholder's value is written into the text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Quoting {
    /// As it is.
    Raw,
    /// As one word of the shell, outside quotes.
    Word,
    /// Inside single quotes.
    Single,
    /// Inside double quotes.
    Double,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Hole { name: String, quoting: Quoting },
}

/// A text with placeholders.
///
/// In a shell command a value arrives as part of one word whatever it contains, wherever the placeholder stands: outside
/// quotes, in single or double quotes, in `$(...)`. `{line}` alone is put in as it is, since it is a piece of a command.
/// Braces around anything else, and after `$`, are the shell's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    pieces: Vec<Piece>,
}

/// The placeholder that is a piece of a command.
const LINE: &str = "line";

impl Template {
    /// A shell command in which `known` placeholders may occur.
    ///
    /// # Errors
    /// When there is a placeholder that looks like a misspelt known one.
    pub(super) fn shell(text: &str, known: &[&str]) -> Result<Template, String> {
        let mut state = ShellState::default();
        Template::parse(
            text,
            known,
            |text| state.advance(text),
            |name, state| match name {
                LINE => Quoting::Raw,
                _ => state,
            },
        )
    }

    /// A shell command of our own, with one placeholder.
    pub(super) fn known(text: &str, name: &str) -> Template {
        // Nothing to misspell: an unknown name stays text.
        Template::shell(text, &[name]).unwrap_or_else(|_| Template { pieces: vec![Piece::Text(text.to_owned())] })
    }

    /// A path in which `known` placeholders may occur.
    ///
    /// # Errors
    /// As [`Template::shell`].
    pub(super) fn path(text: &str, known: &[&str]) -> Result<Template, String> {
        Template::parse(text, known, |_| Quoting::Raw, |_, _| Quoting::Raw)
    }

    fn parse(
        text: &str,
        known: &[&str],
        mut advance: impl FnMut(&str) -> Quoting,
        quoting: impl Fn(&str, Quoting) -> Quoting,
    ) -> Result<Template, String> {
        let mut pieces = Vec::new();
        let (mut done, mut from) = (0, 0);
        while let Some(open) = text[from..].find('{').map(|at| from + at) {
            from = open + 1;
            let Some(close) = text[from..].find('}').map(|at| from + at) else { break };
            let name = &text[from..close];
            if text[..open].ends_with('$') || !known.contains(&name) {
                misspelt(name, known)?;
                continue;
            }
            let state = advance(&text[done..open]);
            pieces.push(Piece::Text(text[done..open].to_owned()));
            pieces.push(Piece::Hole { name: name.to_owned(), quoting: quoting(name, state) });
            from = close + 1;
            done = from;
        }
        pieces.push(Piece::Text(text[done..].to_owned()));
        Ok(Template { pieces })
    }

    /// Whether the placeholder occurs.
    pub(super) fn uses(&self, wanted: &str) -> bool {
        self.pieces.iter().any(|piece| matches!(piece, Piece::Hole { name, .. } if name == wanted))
    }

    /// The text, if no placeholder occurs.
    pub(super) fn plain(&self) -> Option<&str> {
        match self.pieces.as_slice() {
            [Piece::Text(text)] => Some(text),
            _ => None,
        }
    }

    /// The text with the placeholders' values; a placeholder without a value is empty.
    pub(super) fn fill(&self, values: &[(&str, &OsStr)]) -> OsString {
        let mut out = Vec::new();
        for piece in &self.pieces {
            match piece {
                Piece::Text(text) => out.extend_from_slice(text.as_bytes()),
                Piece::Hole { name, quoting } => {
                    let value = values.iter().find(|(known, _)| known == name).map_or(&b""[..], |(_, v)| v.as_bytes());
                    write(value, *quoting, &mut out);
                }
            }
        }
        OsString::from_vec(out)
    }
}

fn write(value: &[u8], quoting: Quoting, out: &mut Vec<u8>) {
    let plain = |byte: &u8| byte.is_ascii_alphanumeric() || b"_-+./,:@%=".contains(byte);
    match quoting {
        Quoting::Raw => out.extend_from_slice(value),
        Quoting::Word if !value.is_empty() && value.iter().all(plain) => out.extend_from_slice(value),
        Quoting::Word => {
            out.push(b'\'');
            write(value, Quoting::Single, out);
            out.push(b'\'');
        }
        Quoting::Single => {
            for &byte in value {
                match byte {
                    b'\'' => out.extend_from_slice(b"'\\''"),
                    _ => out.push(byte),
                }
            }
        }
        Quoting::Double => {
            for &byte in value {
                if b"\\\"$`".contains(&byte) {
                    out.push(b'\\');
                }
                out.push(byte);
            }
        }
    }
}

/// Follows the shell's quotes through a command.
#[derive(Debug, Default)]
struct ShellState {
    /// What is open around the current place: quotes, and parentheses inside which quoting starts afresh.
    open: Vec<u8>,
    escaped: bool,
    dollar: bool,
}

impl ShellState {
    fn advance(&mut self, text: &str) -> Quoting {
        for byte in text.bytes() {
            self.step(byte);
        }
        // A value is not a place for an escape or the name after a dollar.
        self.dollar = false;
        match self.open.last() {
            Some(b'\'') => Quoting::Single,
            Some(b'"') => Quoting::Double,
            _ => Quoting::Word,
        }
    }

    fn step(&mut self, byte: u8) {
        let dollar = std::mem::replace(&mut self.dollar, false);
        if std::mem::replace(&mut self.escaped, false) {
            return;
        }
        let inside = self.open.last().copied();
        match (inside, byte) {
            (Some(b'\''), b'\'') | (Some(b'"'), b'"') | (Some(b'('), b')') => {
                self.open.pop();
            }
            (Some(b'\''), _) => {}
            (_, b'\\') => self.escaped = true,
            (Some(b'"'), b'(') if dollar => self.open.push(b'('),
            (Some(b'"'), _) => self.dollar = byte == b'$',
            (_, b'\'' | b'"' | b'(') => self.open.push(byte),
            _ => self.dollar = byte == b'$',
        }
    }
}

/// An error when `name` is nearly one of the `known` placeholders.
fn misspelt(name: &str, known: &[&str]) -> Result<(), String> {
    if known.contains(&name) || name.is_empty() || !name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_') {
        return Ok(());
    }
    match nearest(name, known.iter().copied()) {
        Some(near) => Err(format!("unknown placeholder `{{{name}}}`: did you mean `{{{near}}}`?")),
        None => Ok(()),
    }
}

/// The known name that was probably meant by `name`: at most a third of its letters differ.
pub(super) fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let distances = known.into_iter().map(|candidate| (strsim::osa_distance(name, candidate), candidate));
    distances.min().filter(|(distance, candidate)| *distance <= candidate.len().div_ceil(3)).map(|(_, near)| near)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fill(text: &str, value: &str) -> String {
        let template = Template::shell(text, &["input", "line"]).unwrap();
        template.fill(&[("input", value.as_ref()), ("line", value.as_ref())]).into_string().unwrap()
    }

    #[test]
    fn value_is_one_word_in_every_place() {
        assert_eq!(fill("cat {input}", "a.in"), "cat a.in");
        assert_eq!(fill("cat {input}", "a b"), "cat 'a b'");
        assert_eq!(fill("cat '{input}'", "it's"), "cat 'it'\\''s'");
        assert_eq!(fill("cat \"{input}\"", "a $b"), "cat \"a \\$b\"");
        assert_eq!(fill("x \"$(cat {input})\" \"{input}\"", "a b"), "x \"$(cat 'a b')\" \"a b\"");
        assert_eq!(fill("echo \\\"{input}", "a b"), "echo \\\"'a b'");
    }

    #[test]
    fn line_is_put_in_as_written() {
        assert_eq!(fill("./p {line}", "-x < 'a b' | sort"), "./p -x < 'a b' | sort");
    }

    #[test]
    fn braces_of_the_shell_stay() {
        for text in ["echo {a,b} ${input} {", "awk '{print}'", "{ true; }", "{}"] {
            assert_eq!(fill(text, "X"), text);
        }
    }

    #[test]
    fn misspelt_placeholder_is_named() {
        let error = Template::shell("cat {inputs}", &["input"]).unwrap_err();
        assert_eq!(error, "unknown placeholder `{inputs}`: did you mean `{input}`?");
    }

    #[test]
    fn swapped_letters_are_near() {
        assert_eq!(nearest("kidn", ["kind", "dir", "list"]), Some("kind"));
        assert_eq!(nearest("colour", ["kind", "dir", "list"]), None);
    }
}
