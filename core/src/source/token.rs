//! Tokens as text: the blanks between them, and where one would run into the next.

/// Operators of several characters, and what begins a comment.
const OPERATORS: [&[u8]; 29] = [
    b"++", b"--", b"&&", b"||", b"<<", b">>", b"==", b"<=", b">=", b"!=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=",
    b"|=", b"^=", b"<<=", b">>=", b"->", b"//", b"/*", b"##", b"<:", b"<%", b"%:", b"%>", b":>",
];
/// What these are made of.
const CHARACTERS: &[u8] = b"+-&|<>=!*/%^#:";

/// Whether a token is a name or a keyword.
pub(super) fn is_name(token: &str) -> bool {
    token.starts_with(|first: char| first.is_alphabetic() || first == '_')
}

/// Text with all blanks alike, so that a change of layout is none.
pub fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether the last token of `before` and the first one of `after` would be read as others if nothing stood between them.
pub(super) fn joins(before: &[u8], after: &[u8]) -> bool {
    let (Some(last), Some(first)) = (before.last().copied(), after.first().copied()) else { return false };
    let both_words = is_word(last) && is_word(first);
    let fraction = last == b'.' && first.is_ascii_digit() || last.is_ascii_digit() && first == b'.';
    let exponent = matches!(first, b'+' | b'-') && ends_as_exponent(before);
    both_words || fraction || exponent || is_operator(&[last_operator(before), &[first]].concat())
}

/// Appends tokens to a text, apart from those before them.
pub(super) fn append(text: &mut String, more: &str) {
    if joins(text.as_bytes(), more.as_bytes()) {
        text.push(' ');
    }
    text.push_str(more);
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$') || byte >= 0x80
}

fn is_operator(text: &[u8]) -> bool {
    text.len() > 1 && OPERATORS.contains(&text)
}

/// The operator at the end of a text, which is read from its beginning: `-` in `a---`.
fn last_operator(text: &[u8]) -> &[u8] {
    let start = text.iter().rposition(|byte| !CHARACTERS.contains(byte)).map_or(0, |at| at + 1);
    let mut rest = &text[start..];
    loop {
        let length = (1..=rest.len().min(3)).rev().find(|length| *length == 1 || is_operator(&rest[..*length]));
        match length {
            Some(length) if length < rest.len() => rest = &rest[length..],
            _ => return rest,
        }
    }
}

/// Whether a text ends in a number that a sign would go on with: `0xE` before `+`.
fn ends_as_exponent(text: &[u8]) -> bool {
    let start = text.iter().rposition(|byte| !is_word(*byte) && *byte != b'.').map_or(0, |at| at + 1);
    let number = &text[start..];
    number.first().is_some_and(u8::is_ascii_digit) && matches!(number.last(), Some(b'e' | b'E' | b'p' | b'P'))
}

/// The tokens of a text without comments; `None` where there is a comment, a backslash between tokens, or a literal without an end.
pub(super) fn tokens(text: &str) -> Option<Vec<&str>> {
    let bytes = text.as_bytes();
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(&first) = bytes.get(at) {
        let start = at;
        let rest = &bytes[at..];
        let begins_number = first.is_ascii_digit() || first == b'.' && rest.get(1).is_some_and(u8::is_ascii_digit);
        at += match first {
            _ if first.is_ascii_whitespace() => {
                at += 1;
                continue;
            }
            b'\\' => return None,
            b'"' | b'\'' => literal_length(rest)?,
            _ if begins_number => {
                let goes_on = |(n, byte): &(usize, &u8)| {
                    let is_sign = matches!(byte, b'+' | b'-') && ends_as_exponent(&rest[..*n]);
                    is_word(**byte) || **byte == b'.' || is_sign
                };
                rest.iter().enumerate().take_while(goes_on).count()
            }
            _ if is_word(first) => rest.iter().take_while(|byte| is_word(**byte)).count(),
            _ if rest.starts_with(b"...") => 3,
            _ => (2..=rest.len().min(3)).rev().find(|length| is_operator(&rest[..*length])).unwrap_or(1),
        };
        let token = text.get(start..at)?;
        if matches!(token, "//" | "/*") {
            return None;
        }
        found.push(token);
    }
    Some(found)
}

/// Bytes of the string or character that a text begins with.
fn literal_length(text: &[u8]) -> Option<usize> {
    let mut at = 1;
    loop {
        match text.get(at)? {
            b'\\' => at += 2,
            b'\n' => return None,
            byte if *byte == text[0] => return Some(at + 1),
            _ => at += 1,
        }
    }
}
