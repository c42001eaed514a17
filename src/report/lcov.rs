//! What tests executed, as LCOV's tracefile, which editors and genhtml read.

use std::fmt::Write;

use super::{Report, SourceFile};

/// All files; a count is the number of tests that executed the line or function.
pub fn report_lcov(report: &Report) -> String {
    let mut text = String::new();
    for file in &report.files {
        write_file(file, &mut text).expect("a string takes all");
    }
    text
}

fn write_file(file: &SourceFile, out: &mut String) -> std::fmt::Result {
    writeln!(out, "TN:suspect\nSF:{}", one_line(&file.path))?;
    for function in &file.functions {
        writeln!(out, "FN:{},{}", function.line, one_line(&function.name))?;
    }
    for function in &file.functions {
        writeln!(out, "FNDA:{},{}", function.tests, one_line(&function.name))?;
    }
    let hit = file.functions.iter().filter(|function| function.tests > 0).count();
    writeln!(out, "FNF:{}\nFNH:{hit}", file.functions.len())?;
    for (line, failing, passing) in file.executed() {
        writeln!(out, "DA:{line},{}", failing + passing)?;
    }
    let hit = file.executed().filter(|(_, failing, passing)| failing + passing > 0).count();
    writeln!(out, "LF:{}\nLH:{hit}\nend_of_record", file.lines.len())
}

fn one_line(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { ' ' } else { c }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document_tests::{hostile, sample};

    #[test]
    fn lines_and_functions_have_the_number_of_their_tests() {
        let text = report_lcov(&sample());
        assert_eq!(
            text,
            "TN:suspect\nSF:sum.c\nFN:1,sum\nFN:70,unused\nFNDA:5,sum\nFNDA:0,unused\nFNF:2\nFNH:1\n\
             DA:3,5\nDA:4,2\nDA:5,3\nDA:70,0\nLF:4\nLH:3\nend_of_record\n"
        );
        assert_eq!(report_lcov(&hostile()).lines().count(), text.lines().count());
    }
}
