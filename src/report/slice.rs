//! The view of a dynamic slice, which is also its JSON form (`docs/slice.schema.json`), and its text.

use std::io::{self, Write};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::tabs::untabbed;

/// Version of [`SliceReport`] as JSON.
pub const SLICE_SCHEMA_VERSION: u32 = 1;

/// What a place of a run, or of the code, depends on or influences.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SliceReport {
    /// Version of this form.
    pub schema_version: u32,
    /// The test that was run; empty for a static slice, of code.
    pub test: String,
    /// What was asked for.
    pub place: String,
    /// True for what the place influences, false for what it depends on.
    #[serde(default)]
    pub forward: bool,
    /// Executions of statements in the slice; of a static slice, lines.
    pub points: u64,
    /// Executions of statements in the run; of a static slice, lines with code.
    pub of: u64,
    /// The lines of the slice, by file and line.
    pub lines: Vec<SliceLine>,
}

/// A line of a slice.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct SliceLine {
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
    /// How many executions of its statements are in the slice; 0 in a static slice.
    pub executions: u64,
}

/// Writes a slice with the lines of the source; `text_of` gives a file's.
pub fn write_slice(
    report: &SliceReport,
    text_of: impl Fn(&str) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let SliceReport { test, place, points, of, .. } = report;
    match (test.is_empty(), report.forward) {
        (true, true) => writeln!(out, "{place} may influence {points} of {of} lines:")?,
        (true, false) => writeln!(out, "{place} may depend on {points} of {of} lines:")?,
        (false, true) => writeln!(out, "{place} in {test} influences {points} of {of} steps, on these lines:")?,
        (false, false) => writeln!(out, "{place} in {test} depends on {points} of {of} steps, on these lines:")?,
    }
    let mut source = (String::new(), Vec::new());
    for SliceLine { file, line, executions } in &report.lines {
        if source.0 != *file {
            let text = text_of(file).unwrap_or_default();
            source = (file.clone(), text.lines().map(str::to_owned).collect::<Vec<_>>());
            writeln!(out, "\n{file}")?;
        }
        let text = source.1.get(*line as usize - 1).map_or_else(String::new, |text| untabbed(text.trim_end()));
        match executions {
            0 => writeln!(out, "{line:>6} | {text}")?,
            _ => writeln!(out, "{line:>6} {executions:>6}x | {text}")?,
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_fits_the_schema_file() {
        let line = SliceLine { file: "a.c".into(), line: 7, executions: 2 };
        let report = SliceReport {
            schema_version: SLICE_SCHEMA_VERSION,
            test: "t".into(),
            place: "output".into(),
            forward: false,
            points: 2,
            of: 9,
            lines: vec![line],
        };
        let schema = schemars::schema_for!(SliceReport);
        let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/slice.schema.json");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "UPDATE_EXPECT=1 writes it anew");
        let validator = jsonschema::validator_for(&schema.to_value()).unwrap();
        assert!(validator.is_valid(&serde_json::to_value(&report).unwrap()));
    }
}
