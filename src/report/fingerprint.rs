//! What names a suspicious line from one night to the next, though lines move.

use suspect_format::trace::{HASH_START, hash_bytes};

use super::{Entry, Report};

/// A name for the line of an entry, 16 hexadecimal digits: of its function, its text without white space, and which of the function's lines
/// with this text it is. Where the report does not have the text, of its place.
pub fn fingerprint(report: &Report, entry: &Entry) -> String {
    let text = report.line_text(&entry.file, entry.line).map(without_space);
    let (text, ordinal) = match text {
        Some(text) => {
            let ordinal = ordinal(report, entry, &text);
            (text, ordinal)
        }
        None => (String::new(), entry.line),
    };
    let hash = [entry.file.as_bytes(), entry.function.as_bytes(), text.as_bytes(), &ordinal.to_le_bytes()]
        .into_iter()
        .fold(HASH_START, |hash, part| hash_bytes(hash_bytes(hash, &(part.len() as u64).to_le_bytes()), part));
    format!("{hash:016x}")
}

/// How many lines of the function before this one have the same text.
fn ordinal(report: &Report, entry: &Entry, text: &str) -> u32 {
    let file = report.files.iter().find(|file| file.path == entry.file);
    let begins = |file: &super::SourceFile| {
        let functions = file.functions.iter().filter(|function| function.name == entry.function);
        functions.map(|function| function.line).filter(|line| *line <= entry.line).max()
    };
    let first = file.and_then(begins).unwrap_or(1).max(1) as usize;
    let Some(source) = report.source(&entry.file) else { return 0 };
    let before = source.lines().take(entry.line as usize - 1).skip(first - 1);
    before.filter(|line| without_space(line) == text).count() as u32
}

fn without_space(line: &str) -> String {
    line.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document_tests::sample;

    /// The fingerprint of the first entry after an edit of the source.
    fn after(edit: impl Fn(&mut Report)) -> String {
        let mut report = sample();
        edit(&mut report);
        let entry = report.top(1)[0].clone();
        fingerprint(&report, &entry)
    }

    fn set_text(report: &mut Report, text: String) {
        report.files[0].text = Some(text);
    }

    #[test]
    fn a_line_keeps_its_name_when_it_moves_and_when_it_is_indented_otherwise() {
        let before = after(|_| ());
        let moved = after(|report| {
            let text = format!("\n// new\n{}", report.files[0].text.clone().unwrap());
            set_text(report, text.replace("        return a - b;", "\treturn a-b;"));
            report.ranking.as_mut().unwrap().ranking[0].line += 2;
            report.files[0].functions[0].line += 2;
        });
        assert_eq!(before, moved);
    }

    #[test]
    fn another_text_function_or_repetition_is_another_line() {
        let others = [
            after(|report| {
                let text = report.files[0].text.clone().unwrap().replace("a - b", "b - a");
                set_text(report, text);
            }),
            after(|report| report.ranking.as_mut().unwrap().ranking[0].function = "other".into()),
            after(|report| {
                let text = report.files[0].text.clone().unwrap().replace("    if (a > 10)", "        return a - b;");
                set_text(report, text);
            }),
            after(|report| report.files[0].text = None),
        ];
        assert!(others.iter().all(|other| *other != after(|_| ())), "{others:?}");
    }
}
