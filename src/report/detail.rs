//! How much of a view is written as text.

use super::brief_text::clipped;

/// How much of a view is written as text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Detail {
    /// What fits a screen, in lines of so many columns.
    Screen(usize),
    /// All of it.
    All,
}

impl Detail {
    /// `screen` of a list on a screen, `all` of it otherwise.
    pub(super) fn first(self, screen: usize, all: usize) -> usize {
        if self == Detail::All { all } else { screen }
    }

    /// Lines as they are written: on a screen broken between words, further lines deeper than the first.
    pub(super) fn wrapped(self, text: &str) -> String {
        let Detail::Screen(width) = self else { return text.to_owned() };
        let wrap = |line: &str| {
            let indent = line.len() - line.trim_start_matches([' ', '-']).len();
            let deeper = " ".repeat(if indent == 0 { 2 } else { indent });
            textwrap::fill(line, textwrap::Options::new(width).subsequent_indent(&deeper)) + "\n"
        };
        text.lines().map(wrap).collect()
    }

    /// A line as it is written: cut to the columns of a screen.
    pub(super) fn line(self, text: String) -> String {
        match self {
            Detail::Screen(width) => clipped(&text, width),
            Detail::All => text,
        }
    }
}
