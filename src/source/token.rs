//! Where one token would run into the next.

/// Pairs of operators' characters that begin another operator, or a comment.
const PAIRS: [&[u8; 2]; 26] = [
    b"++", b"--", b"&&", b"||", b"<<", b">>", b"==", b"<=", b">=", b"!=", b"+=", b"-=", b"*=", b"/=", b"%=", b"&=",
    b"|=", b"^=", b"->", b"//", b"/*", b"##", b"<:", b"<%", b"%:", b"%>",
];

/// Whether the last token of `before` and the first one of `after` would be read as others if nothing stood between them.
pub(super) fn joins(before: &[u8], after: &[u8]) -> bool {
    let (Some(last), Some(first)) = (before.last().copied(), after.first().copied()) else { return false };
    let both_words = is_word(last) && is_word(first);
    let fraction = last == b'.' && first.is_ascii_digit() || last.is_ascii_digit() && first == b'.';
    let exponent = matches!(first, b'+' | b'-') && ends_as_exponent(before);
    both_words || fraction || exponent || PAIRS.contains(&&[last, first])
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

/// Whether a text ends in a number that a sign would go on with: `0xE` before `+`.
fn ends_as_exponent(text: &[u8]) -> bool {
    let start = text.iter().rposition(|byte| !is_word(*byte) && *byte != b'.').map_or(0, |at| at + 1);
    let number = &text[start..];
    number.first().is_some_and(u8::is_ascii_digit) && matches!(number.last(), Some(b'e' | b'E' | b'p' | b'P'))
}
