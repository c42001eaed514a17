//! Edits: a stretch of a file's text and what stands there instead.

use serde::{Deserialize, Serialize};

use super::text::{Span, Text};

/// A replacement of text. Lines and columns are from 1, columns in bytes; the end is the place behind the last byte.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Edit {
    /// File, relative to the project's root where it lies below it.
    pub file: String,
    /// Line of the first byte.
    pub line: u32,
    /// Column of the first byte.
    pub column: u32,
    /// Line of the place behind the last byte.
    pub end_line: u32,
    /// Column of the place behind the last byte.
    pub end_column: u32,
    /// What stands there.
    pub original: String,
    /// What is to stand there.
    pub replacement: String,
}

impl Edit {
    /// The edit that puts `replacement` in place of `span` of `text`; `None` if what stands there is no UTF-8.
    pub(super) fn new(text: &Text, file: &str, span: Span, replacement: String) -> Option<Edit> {
        let (line, column) = text.place(span.start);
        let (end_line, end_column) = text.place(span.end);
        let original = text.slice(span)?.to_owned();
        Some(Edit { file: file.to_owned(), line, column, end_line, end_column, original, replacement })
    }
}

impl Edit {
    /// The edit that puts `replacement` there instead. A blank keeps it apart from what stands before it where the old text needed none: a sign,
    /// or a character that nothing is known of yet.
    pub fn with(self, replacement: &str) -> Edit {
        let is_word = replacement.starts_with(|one: char| one.is_alphanumeric() || one == '_');
        let is_character = self.replacement.is_empty() && self.original.starts_with('\'');
        let touches = self.replacement.starts_with(' ') || self.original.starts_with(['-', '+']) || is_character;
        let blank = if is_word && touches { " " } else { "" };
        Edit { replacement: format!("{blank}{replacement}"), ..self }
    }
}

impl Edit {
    /// What stands there and what is to, as a reader names it: for a token the smallest expression around it, of `longest` bytes at most.
    pub fn in_context(&self, text: &Text, longest: u32) -> (String, String) {
        let around = || {
            let start = text.offset(self.line, self.column)?;
            let own = Span { start, end: start + self.original.len() as u32 };
            let holds = |span: &Span| span.holds(own) && *span != own && span.end - span.start <= longest;
            let span = text.expressions_around(start).find(holds)?;
            let (before, after) = (Span { end: own.start, ..span }, Span { start: own.end, ..span });
            let replaced = format!("{}{}{}", text.slice(before)?, self.replacement, text.slice(after)?);
            Some((text.slice(span)?.to_owned(), replaced))
        };
        let is_token =
            !self.original.trim().contains(|letter: char| letter.is_whitespace() || "()[]{};".contains(letter));
        let whole = || (self.original.clone(), self.replacement.clone());
        if is_token { around().unwrap_or_else(whole) } else { whole() }
    }
}

/// `source` with all `edits` made, whatever file they name; `None` if one does not fit (its original text does not
/// stand there) or two overlap.
pub fn apply<'a>(source: &[u8], edits: impl IntoIterator<Item = &'a Edit>) -> Option<Vec<u8>> {
    let mut edits: Vec<&Edit> = edits.into_iter().collect();
    edits.sort_by_key(|edit| (edit.line, edit.column));
    let newlines = source.iter().enumerate().filter(|(_, byte)| **byte == b'\n');
    let lines: Vec<usize> = std::iter::once(0).chain(newlines.map(|(at, _)| at + 1)).collect();
    let (mut done, mut result) = (0, Vec::with_capacity(source.len() + 64));
    for edit in edits {
        let start =
            lines.get((edit.line as usize).checked_sub(1)?)?.checked_add((edit.column as usize).checked_sub(1)?)?;
        let end = start.checked_add(edit.original.len())?;
        if source.get(start..end)? != edit.original.as_bytes() {
            return None;
        }
        result.extend_from_slice(source.get(done..start)?);
        result.extend_from_slice(edit.replacement.as_bytes());
        done = end;
    }
    result.extend_from_slice(source.get(done..)?);
    Some(result)
}
