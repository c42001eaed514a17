//! The lines on which somebody would see a fault.

use crate::program::Program;
use crate::source::Edit;

/// The lines with code of a function, ascending; those of labels alone are none.
pub fn lines_of(program: &Program, function: u32) -> Vec<u32> {
    let function = &program.functions[function as usize];
    let inside = function.place.line..=function.last_line;
    let compiled =
        (0..).zip(&program.lines).filter(|(number, _)| !program.is_label_line(*number)).map(|(_, line)| line);
    let of_file = compiled.filter(|line| line.file == function.place.file && inside.contains(&line.line));
    of_file.map(|line| line.line).collect()
}

/// Where something is missing that `edit` takes out: the lines with code before and after it, and its own if something else stands
/// there. Code that the edit leaves is what stands after it: a statement whose guard is gone. `code` are the lines with code of the
/// function, `text` is the line that the edit begins on; all as they are without it.
pub fn around(code: &[u32], edit: &Edit, text: Option<&str>) -> Vec<u32> {
    let before = code.iter().copied().filter(|line| *line < edit.line).max();
    if edit.replacement.contains(|one: char| one.is_ascii_alphanumeric()) {
        return before.into_iter().chain([edit.line]).collect();
    }
    let after = code.iter().copied().filter(|line| *line > edit.end_line).min();
    let statement = edit.original.lines().next().unwrap_or("").trim();
    let is_alone = text.is_some_and(|text| {
        let rest = text.replacen(statement, "", 1);
        !rest.contains(|one: char| one.is_ascii_alphanumeric())
    });
    let own = (!is_alone).then_some(edit.line);
    let mut lines: Vec<u32> = before.into_iter().chain(own).chain(after).collect();
    if lines.is_empty() {
        lines.push(edit.line);
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_missing_statement_shows_before_and_after_it() {
        let edit = |line, end_line, original: &str, replacement: &str| Edit {
            file: "a.c".into(),
            line,
            column: 1,
            end_line,
            end_column: 1,
            original: original.into(),
            replacement: replacement.into(),
        };
        let code = [2, 4, 5, 9];
        assert_eq!(around(&code, &edit(4, 4, "x++;", ""), Some("    x++;")), [2, 5]);
        assert_eq!(around(&code, &edit(4, 4, "x++;", ""), Some("    if (y) x++;")), [2, 4, 5]);
        assert_eq!(around(&code, &edit(4, 5, "x++;", ""), Some("    } x++;")), [2, 9]);
        assert_eq!(around(&code, &edit(4, 5, "if (y) x++;", "x++;"), Some("    if (y)")), [2, 4]);
        assert_eq!(around(&code, &edit(4, 4, "if (y) {", "{"), Some("    if (y) {")), [2, 5]);
        assert_eq!(around(&[4], &edit(4, 4, "x++;", ""), Some("x++;")), [4]);
    }
}
