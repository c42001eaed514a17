//! Spellings that the grammar does not know: digraphs, and tokens that go on in the next line.

use super::misread::Substitute;
use super::text::Span;

/// Digraphs and what they stand for.
const DIGRAPHS: [(&[u8; 2], &str); 5] = [(b"<:", "["), (b":>", "]"), (b"<%", "{"), (b"%>", "}"), (b"%:", "#")];

/// What has to stand in their places for the text to be parsed. Looks at each byte once.
pub(super) fn respelled(source: &[u8]) -> Vec<Substitute> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(byte) = source.get(at) {
        let rest = &source[at..];
        if let Some(length) = passed_over(rest) {
            at += length;
            continue;
        }
        let length = match byte {
            b'\\' => splice(source, at).inspect(|length| found.push(substitute(at, *length, ""))).unwrap_or(1),
            b'<' | b':' | b'%' => match DIGRAPHS.iter().find(|(digraph, _)| rest.starts_with(*digraph)) {
                Some((_, by)) => {
                    found.push(substitute(at, 2, by));
                    2
                }
                None => 1,
            },
            _ => 1,
        };
        at += length;
    }
    found
}

/// The directives of a text, without the ends of their lines. Looks at each byte once.
pub(super) fn directives(source: &[u8]) -> Vec<Span> {
    let (mut found, mut at, mut begins) = (Vec::new(), 0, true);
    while let Some(byte) = source.get(at) {
        let rest = &source[at..];
        let is_mark = *byte == b'#' || rest.starts_with(b"%:");
        if let Some(length) = passed_over(rest) {
            at += length;
        } else if begins && is_mark {
            let end = at + directive(rest);
            found.push(Span { start: at as u32, end: end as u32 });
            at = end;
        } else {
            begins = *byte == b'\n' || begins && byte.is_ascii_whitespace();
            at += 1;
        }
    }
    found
}

/// A text as long as this one, with blanks where it has comments and directives, and where its strings hold something.
pub(super) fn code(source: &[u8], directives: &[Span]) -> Vec<u8> {
    let mut code = source.to_vec();
    for span in directives {
        code[span.start as usize..span.end as usize].fill(b' ');
    }
    let mut at = 0;
    while at < code.len() {
        let length = passed_over(&code[at..]).unwrap_or(0).min(code.len() - at);
        if length > 0 && code[at] != b'/' {
            code[at + 1..at + length].fill(b'"');
        } else {
            code[at..at + length].fill(b' ');
        }
        at += length.max(1);
    }
    code
}

/// A name without the ends of lines in it.
pub(super) fn joined(name: &str) -> String {
    name.replace("\\\r\n", "").replace("\\\n", "")
}

fn substitute(at: usize, length: usize, by: &'static str) -> Substitute {
    Substitute { span: Span { start: at as u32, end: (at + length) as u32 }, by }
}

/// Bytes of the comment, string or character that begins here.
fn passed_over(rest: &[u8]) -> Option<usize> {
    match rest.first()? {
        b'/' if rest.starts_with(b"/*") => Some(until(&rest[2..], b"*/") + 2),
        b'/' if rest.starts_with(b"//") => Some(line(rest)),
        b'"' | b'\'' => Some(quoted(rest)),
        _ => None,
    }
}

/// Bytes of a directive. It goes on behind the lines that a comment in it takes.
fn directive(rest: &[u8]) -> usize {
    let mut at = 0;
    while let Some(byte) = rest.get(at) {
        at += match byte {
            b'\n' if !rest[..at].ends_with(b"\\") && !rest[..at].ends_with(b"\\\r") => return at,
            b'/' if rest[at..].starts_with(b"/*") => until(&rest[at + 2..], b"*/") + 2,
            _ => 1,
        };
    }
    rest.len()
}

/// Bytes up to the end of `end`, or all.
fn until(text: &[u8], end: &[u8]) -> usize {
    text.windows(end.len()).position(|window| window == end).map_or(text.len(), |at| at + end.len())
}

/// Bytes of a line, those that it goes on in included.
fn line(text: &[u8]) -> usize {
    let ends = |at: &usize| text[*at] == b'\n' && !text[..*at].ends_with(b"\\") && !text[..*at].ends_with(b"\\\r");
    (0..text.len()).find(ends).unwrap_or(text.len())
}

/// Bytes of a string or character, to the end of the line at most.
fn quoted(text: &[u8]) -> usize {
    let mut at = 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'\n' => return at,
            byte if *byte == text[0] => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

/// Bytes of a line's end within a token.
fn splice(source: &[u8], at: usize) -> Option<usize> {
    let length = [&b"\\\n"[..], b"\\\r\n"].into_iter().find(|end| source[at..].starts_with(end))?.len();
    let is_blank = |byte: Option<&u8>| byte.is_none_or(u8::is_ascii_whitespace);
    let inside =
        !is_blank(at.checked_sub(1).and_then(|before| source.get(before))) && !is_blank(source.get(at + length));
    inside.then_some(length)
}
