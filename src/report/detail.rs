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

    /// A line as it is written: cut to the columns of a screen.
    pub(super) fn line(self, text: String) -> String {
        match self {
            Detail::Screen(width) => clipped(&text, width),
            Detail::All => text,
        }
    }
}
