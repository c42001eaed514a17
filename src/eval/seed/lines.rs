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
/// function, `source` is the file; both as they are without the edit.
pub fn around(code: &[u32], edit: &Edit, source: &str) -> Vec<u32> {
    let text = |line: u32| source.lines().nth((line as usize).checked_sub(1)?);
    let holds_code = |text: &str| text.contains(|one: char| one.is_ascii_alphanumeric());
    let before = code.iter().copied().filter(|line| *line < edit.line).max();
    if holds_code(&edit.replacement) {
        return before.into_iter().chain([edit.line]).collect();
    }
    // What is left of the last line stands after the edit, if that is not its first line, too.
    let rest = text(edit.end_line).and_then(|text| text.get(edit.end_column as usize - 1..));
    let is_left = edit.end_line > edit.line && rest.is_some_and(holds_code);
    let after = code.iter().copied().filter(|line| *line >= edit.end_line + u32::from(!is_left)).min();
    let statement = edit.original.lines().next().unwrap_or("").trim();
    let is_alone = text(edit.line).is_some_and(|text| !holds_code(&text.replacen(statement, "", 1)));
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
        let edit = |line, (end_line, end_column), original: &str, replacement: &str| Edit {
            file: "a.c".into(),
            line,
            column: 1,
            end_line,
            end_column,
            original: original.into(),
            replacement: replacement.into(),
        };
        let code = [2, 4, 5, 9];
        // The file has `first` as its fourth line and `second` as its fifth.
        let around = |code: &[u32], edit: &Edit, first: &str, second: &str| {
            super::around(code, edit, &format!("\n\n\n{first}\n{second}\n"))
        };
        assert_eq!(around(&code, &edit(4, (4, 1), "x++;", ""), "    x++;", ""), [2, 5]);
        assert_eq!(around(&code, &edit(4, (4, 1), "x++;", ""), "    if (y) x++;", ""), [2, 4, 5]);
        assert_eq!(around(&code, &edit(4, (5, 1), "x++;", ""), "    } x++;", ""), [2, 9]);
        assert_eq!(around(&code, &edit(4, (5, 1), "if (y) x++;", "x++;"), "    if (y)", ""), [2, 4]);
        assert_eq!(around(&code, &edit(4, (4, 1), "if (y) {", "{"), "    if (y) {", ""), [2, 5]);
        assert_eq!(around(&[4], &edit(4, (4, 1), "x++;", ""), "x++;", ""), [4]);
        // The statement whose guard is gone, but not a brace alone, nor the end of what is gone whole.
        let guard = edit(4, (5, 9), "if (y)\n        ", "");
        assert_eq!(around(&code, &guard, "    if (y)", "        x++;"), [2, 5]);
        assert_eq!(around(&code, &guard, "    if (y)", "        {"), [2, 9]);
        let whole = edit(4, (5, 13), "if (y)\n        x++;", "");
        assert_eq!(around(&code, &whole, "    if (y)", "        x++;"), [2, 9]);
    }
}
