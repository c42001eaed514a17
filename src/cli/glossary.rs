//! `suspect glossary`: the words of the documentation, which are those of everything that is printed.

use std::io::Write;

use super::args::GlossaryArguments;
use super::exit::{Exit, Failure};

/// The page that the documentation has.
const PAGE: &str = include_str!("../../docs/glossary.md");

/// Prints all entries, or those in whose words `term` stands; where none has it, those that mention it.
pub fn glossary(arguments: &GlossaryArguments, out: &mut impl Write) -> Result<(), Failure> {
    let refused = Failure::of(Exit::File);
    let Some(term) = &arguments.term else {
        let plain = PAGE.replace("**", "").replace('`', "");
        return out.write_all(plain.as_bytes()).map_err(refused);
    };
    let found = entries_of(term);
    if found.is_empty() {
        let message = format!("the glossary has nothing about `{term}`; `suspect glossary` prints all of it");
        return Err(Failure::new(Exit::Usage, message));
    }
    let text: String = found.iter().map(|entry| format!("{}\n", entry.replace("**", "").replace('`', ""))).collect();
    out.write_all(text.as_bytes()).map_err(refused)
}

fn entries_of(term: &str) -> Vec<&'static str> {
    let wanted = term.to_lowercase();
    let entries = || PAGE.lines().filter_map(|line| line.strip_prefix("- "));
    // An entry's words are in bold type.
    let words = |entry: &str| entry.split("**").skip(1).step_by(2).collect::<Vec<_>>().join(" ").to_lowercase();
    let of_words: Vec<&str> = entries().filter(|entry| words(entry).contains(&wanted)).collect();
    if !of_words.is_empty() {
        return of_words;
    }
    entries().filter(|entry| entry.to_lowercase().contains(&wanted)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_entry_is_found_by_its_words_before_what_mentions_them() {
        let flips = entries_of("Flip");
        assert!(matches!(flips[..], [only] if only.starts_with("**Flip**")), "{flips:?}");
        assert!(entries_of("there")[0].starts_with("**Here, there**"), "the second word of an entry");
        assert!(entries_of("ochiai")[0].starts_with("**Measure**"), "it is mentioned there alone");
        assert_eq!(entries_of("no such word"), [""; 0]);
    }
}
