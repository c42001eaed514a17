//! What a compiler finds odd about a source.

use serde::{Deserialize, Serialize};

/// One warning.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Warning {
    /// The file, as the compiler names it.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The option that asks for such warnings, as `-Wuninitialized`.
    pub option: String,
    /// What it says; no full stop.
    pub message: String,
}

impl Warning {
    /// Reads `FILE:LINE:COLUMN: warning: MESSAGE [OPTION]`.
    fn parse(line: &str) -> Option<Warning> {
        let (place, said) = line.split_once(": warning: ")?;
        let (message, options) = said.strip_suffix(']')?.rsplit_once(" [")?;
        let (rest, column) = place.rsplit_once(':')?;
        let (file, line) = rest.rsplit_once(':')?;
        column.parse::<u32>().ok()?;
        let option = options.split(',').find(|option| option.starts_with("-W") && *option != "-Werror")?;
        let (file, option, message) = (file.to_owned(), option.to_owned(), message.to_owned());
        Some(Warning { file, line: line.parse().ok().filter(|line| *line > 0)?, option, message })
    }
}

/// The warnings among what clang says, each once, in the order of places.
pub fn warnings(messages: &str) -> Vec<Warning> {
    let mut found: Vec<Warning> = messages.lines().filter_map(Warning::parse).collect();
    found.sort_unstable();
    found.dedup();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn warnings_are_read_and_nothing_else() {
        let messages = "\
            /w/a b.c:7:12: warning: variable 'n' is used [here] uninitialized [-Wsometimes-uninitialized]\n\
            /w/a b.c:9:12: note: uninitialized use occurs here\n\
            C:/x:1:2: warning: odd [-Werror,-Wodd]\n\
            a.c:3:1: warning: no option\n\
            clang: warning: argument unused [-Wunused-command-line-argument]\n\
            a.c:0:1: warning: nowhere [-Wodd]\n\
            a.c:9:1: error: bad [-Wbad]\n\
            3 warnings generated.\n";
        let warning = |file: &str, line, option: &str, message: &str| Warning {
            file: file.into(),
            line,
            option: option.into(),
            message: message.into(),
        };
        let expected = [
            warning("/w/a b.c", 7, "-Wsometimes-uninitialized", "variable 'n' is used [here] uninitialized"),
            warning("C:/x", 1, "-Wodd", "odd"),
        ];
        assert_eq!(warnings(&[messages, messages].concat()), expected);
    }

    proptest::proptest! {
        #[test]
        fn any_text_is_read(text in "(a|:|1| warning: |\\[|\\]|-W|,|\\n|é){0,40}") {
            for warning in warnings(&text) {
                proptest::prop_assert!(warning.line > 0 && warning.option.starts_with("-W"));
            }
        }
    }
}
