//! Words of command lines that the user is told to type.

/// `text` as one word of a shell's command line.
pub fn shell_word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./:,+=@%".contains(c);
    match !text.is_empty() && text.chars().all(plain) {
        true => text.to_string(),
        false => format!("'{}'", text.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_quoted_where_a_shell_would_see_more_than_a_word() {
        assert_eq!(shell_word("src/a.c:41"), "src/a.c:41");
        assert_eq!(shell_word("a b.c:1"), "'a b.c:1'");
        assert_eq!(shell_word("it's;rm.c:1"), r"'it'\''s;rm.c:1'");
        assert_eq!(shell_word(""), "''");
    }
}
