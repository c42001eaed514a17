//! GZoltar's text form of a coverage matrix: `matrix.txt`, `spectra.csv` and `tests.csv`.
//!
//! A row of the matrix is a test: 0 or 1 for each component, then `+` if it passed and `-` if it failed. `spectra.csv` names the
//! components, `tests.csv` the tests (`name,outcome,runtime,stacktrace`), one on each line below a header, which older versions leave out.
//! Reading and writing are functions between strings; files are the caller's.

use std::fmt::Write;

use super::CoverageMatrix;

/// One of the files: what to call it in errors, and its content.
#[derive(Clone, Copy, Debug)]
pub struct Text<'a> {
    /// Its path.
    pub name: &'a str,
    /// Its content.
    pub text: &'a str,
}

/// Why a file is not one of GZoltar's.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}:{line}: {message}")]
pub struct GzoltarError {
    /// The file, as [`Text::name`] has it.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

/// A matrix with names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gzoltar {
    /// The matrix: components are its units.
    pub matrix: CoverageMatrix,
    /// Names of the components.
    pub components: Vec<String>,
    /// The tests.
    pub tests: Vec<GzoltarTest>,
}

/// A test as `tests.csv` has it; whether it failed is in the matrix.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GzoltarTest {
    /// Its name.
    pub name: String,
    /// Run time in nanoseconds, 0 if unknown.
    pub runtime: u64,
    /// Stack trace of its failure on one line; empty if it passed.
    pub stack_trace: String,
}

/// A component's name taken apart: `package$Class#method(arguments):line`. For C, the package is the directory and the class the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Component<'a> {
    /// Before `$`; empty without one.
    pub package: &'a str,
    /// Between `$` and `#`.
    pub class: &'a str,
    /// Between `#` and the last `:`; empty without a `#`.
    pub method: &'a str,
    /// After the last `:` (or, as old versions have it, after the `#`); 0 if there is none.
    pub line: u32,
}

impl<'a> Component<'a> {
    /// Takes `name` apart; what has no separators is a class.
    pub fn parse(name: &'a str) -> Self {
        let (place, line) = match name.rsplit_once([':', '#']) {
            Some((place, line)) if line.parse::<u32>().is_ok() => (place, line.parse().unwrap_or(0)),
            _ => (name, 0),
        };
        let (owner, method) = place.split_once('#').unwrap_or((place, ""));
        let (package, class) = owner.split_once('$').unwrap_or(("", owner));
        Component { package, class, method, line }
    }
}

impl Gzoltar {
    /// Reads the matrix, its components and, if given, its tests; without, tests are called `test 1` and so on.
    pub fn parse(matrix: Text, spectra: Text, tests: Option<Text>) -> Result<Self, GzoltarError> {
        let mut components = lines(spectra).map(|(_, line)| line.to_string()).collect::<Vec<_>>();
        if components.first().is_some_and(|first| first == "name") {
            components.remove(0);
        }
        let mut read = CoverageMatrix::new(components.len());
        for (number, line) in lines(matrix) {
            let read_slowly = || {
                row(line, components.len()).map_err(|message| {
                    wrong(matrix, number, format!("{message} ({} names the components)", spectra.name))
                })
            };
            let (units, failed) = usual_row(line.as_bytes(), components.len()).map_or_else(read_slowly, Ok)?;
            read.push(units, failed);
        }
        let tests = match tests {
            Some(text) => parse_tests(text, &read, matrix)?,
            None => {
                (1..=read.n_tests()).map(|n| GzoltarTest { name: format!("test {n}"), ..Default::default() }).collect()
            }
        };
        Ok(Gzoltar { matrix: read, components, tests })
    }

    /// The text of `matrix.txt`.
    pub fn matrix_text(&self) -> String {
        let mut text = String::with_capacity((2 * self.matrix.n_units() + 2) * self.matrix.n_tests());
        for (test, failed) in self.matrix.failed().iter().enumerate() {
            let start = text.len();
            text.extend(std::iter::repeat_n("0 ", self.matrix.n_units()));
            let mut line = text.split_off(start).into_bytes();
            self.matrix.units_of(test).for_each(|unit| line[2 * unit as usize] = b'1');
            text.extend(line.into_iter().map(char::from));
            text.push_str(if *failed { "-\n" } else { "+\n" });
        }
        text
    }

    /// The text of `spectra.csv`; line breaks in names become spaces.
    pub fn spectra_text(&self) -> String {
        let mut text = String::from("name\n");
        for component in &self.components {
            text.push_str(&on_one_line(component));
            text.push('\n');
        }
        text
    }

    /// The text of `tests.csv`; names with commas or quotes are quoted, and line breaks become spaces.
    pub fn tests_text(&self) -> String {
        let mut text = String::from("name,outcome,runtime,stacktrace\n");
        for (test, failed) in self.tests.iter().zip(self.matrix.failed()) {
            let mut name = on_one_line(&test.name);
            if name.contains([',', '"']) {
                name = format!("\"{}\"", name.replace('"', "\"\""));
            }
            let outcome = if *failed { "FAIL" } else { "PASS" };
            let trace = on_one_line(&test.stack_trace);
            writeln!(text, "{name},{outcome},{},{trace}", test.runtime).expect("a string takes what is written to it");
        }
        text
    }
}

fn on_one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

fn wrong(text: Text, line: usize, message: impl Into<String>) -> GzoltarError {
    GzoltarError { file: text.name.to_string(), line, message: message.into() }
}

/// Lines that are not empty, numbered from 1.
fn lines<'a>(text: Text<'a>) -> impl Iterator<Item = (usize, &'a str)> {
    text.text.lines().enumerate().filter(|(_, line)| !line.is_empty()).map(|(at, line)| (at + 1, line))
}

/// The units a line of the matrix covers, and whether its test failed; `None` unless the line is right and spaced as usual.
fn usual_row(line: &[u8], n_components: usize) -> Option<(Vec<u32>, bool)> {
    let failed = match line.last()? {
        b'+' => false,
        b'-' => true,
        _ => return None,
    };
    let pairs = line[..line.len() - 1].chunks_exact(2);
    let usual = |pair: &[u8]| matches!(pair, [b'0' | b'1', b' ']);
    if line.len() != 2 * n_components + 1 || !pairs.clone().all(usual) {
        return None;
    }
    Some(((0..).zip(pairs).filter(|(_, pair)| pair[0] == b'1').map(|(unit, _)| unit).collect(), failed))
}

/// As [`usual_row`], whatever the spacing, or what is wrong.
fn row(line: &str, n_components: usize) -> Result<(Vec<u32>, bool), String> {
    let mut units = Vec::new();
    let mut entries = line.split_ascii_whitespace();
    let outcome = entries.next_back().unwrap_or("");
    let mut n_entries = 0;
    for entry in entries {
        match entry {
            "0" => {}
            "1" => units.push(n_entries),
            other => return Err(format!("entry {} is `{other}`, expected 0 or 1", n_entries + 1)),
        }
        n_entries += 1;
    }
    if n_entries as usize != n_components {
        return Err(format!("{n_entries} entries for {n_components} components"));
    }
    match outcome {
        "+" => Ok((units, false)),
        "-" => Ok((units, true)),
        other => Err(format!("ends in `{other}`, expected + (passed) or - (failed)")),
    }
}

fn parse_tests(text: Text, matrix: &CoverageMatrix, matrix_text: Text) -> Result<Vec<GzoltarTest>, GzoltarError> {
    let mut tests: Vec<GzoltarTest> = Vec::new();
    for (number, line) in lines(text) {
        if number == 1 && line.starts_with("name,") {
            continue;
        }
        let (test, failed) = parse_test(line).map_err(|message| wrong(text, number, message))?;
        match matrix.failed().get(tests.len()) {
            Some(in_matrix) if *in_matrix != failed => {
                let message = format!(
                    "test `{}` differs from its outcome in row {} of {}",
                    test.name,
                    tests.len() + 1,
                    matrix_text.name
                );
                return Err(wrong(text, number, message));
            }
            Some(_) => tests.push(test),
            None => {
                return Err(wrong(
                    text,
                    number,
                    format!("more tests than the {} rows of {}", tests.len(), matrix_text.name),
                ));
            }
        }
    }
    if tests.len() < matrix.n_tests() {
        let message = format!("{} tests for the {} rows of {}", tests.len(), matrix.n_tests(), matrix_text.name);
        return Err(wrong(text, text.text.lines().count().max(1), message));
    }
    Ok(tests)
}

/// A line of `tests.csv`. Names may hold commas unquoted, so the outcome is what is looked for.
fn parse_test(line: &str) -> Result<(GzoltarTest, bool), String> {
    let (name, rest) = match line.strip_prefix('"').and_then(quoted) {
        Some(split) => split,
        None => {
            let at = [",PASS", ",FAIL", ",OK", ",ERROR"].iter().filter_map(|outcome| line.find(outcome)).min();
            let at = at.ok_or("expected `name,PASS,runtime,` or `name,FAIL,runtime,stacktrace`")?;
            (line[..at].to_string(), &line[at..])
        }
    };
    let mut fields = rest.strip_prefix(',').ok_or("expected a comma after the quoted name")?.splitn(3, ',');
    let failed = match fields.next().unwrap_or("") {
        "PASS" | "OK" => false,
        "FAIL" | "ERROR" => true,
        other => return Err(format!("outcome is `{other}`, expected PASS or FAIL")),
    };
    let runtime = fields.next().unwrap_or("").trim();
    let runtime = match runtime {
        "" => 0,
        digits => digits.parse().map_err(|_| format!("run time is `{digits}`, expected nanoseconds"))?,
    };
    Ok((GzoltarTest { name, runtime, stack_trace: fields.next().unwrap_or("").to_string() }, failed))
}

/// The text up to the closing quote, and what follows it.
fn quoted(text: &str) -> Option<(String, &str)> {
    let mut name = String::new();
    let mut characters = text.char_indices().peekable();
    while let Some((at, character)) = characters.next() {
        if character != '"' {
            name.push(character);
        } else if characters.next_if(|(_, next)| *next == '"').is_some() {
            name.push('"');
        } else {
            return Some((name, &text[at + 1..]));
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(matrix: &str, spectra: &str, tests: Option<&str>) -> Result<Gzoltar, GzoltarError> {
        let text = |name, text| Text { name, text };
        Gzoltar::parse(
            text("m/matrix.txt", matrix),
            text("m/spectra.csv", spectra),
            tests.map(|t| text("m/tests.csv", t)),
        )
    }

    #[test]
    fn files_as_gzoltar_writes_them_are_read() {
        let read = parse(
            "1 0 1 +\n0 1 1 -\n",
            "name\norg.x$A#f(int):3\norg.x$A#f(int):4\norg.x$B#<init>():9\n",
            Some("name,outcome,runtime,stacktrace\norg.x.T#t1[1, 2],PASS,1200,\norg.x.T#t2,FAIL,7,java.lang.AssertionError, at x\n"),
        )
        .unwrap();
        assert_eq!(read.components.len(), 3);
        assert_eq!(read.matrix.units_of(1).collect::<Vec<_>>(), [1, 2]);
        assert_eq!(read.matrix.failed(), [false, true]);
        assert_eq!(
            read.tests[0],
            GzoltarTest { name: "org.x.T#t1[1, 2]".into(), runtime: 1200, stack_trace: String::new() }
        );
        assert_eq!(read.tests[1].stack_trace, "java.lang.AssertionError, at x");
        let component = Component { package: "org.x", class: "A", method: "f(int)", line: 3 };
        assert_eq!(Component::parse(&read.components[0]), component);
        assert_eq!(Component::parse("src$a.c#main():12").line, 12);
        assert_eq!(Component::parse("org.x.A#12"), Component { class: "org.x.A", line: 12, ..Default::default() });
        let spaced = parse("1\t0  1 -\r\n", "a\r\nb\r\nc\r\n", None).unwrap();
        assert_eq!((spaced.matrix.units_of(0).collect::<Vec<_>>(), spaced.matrix.failed()), (vec![0, 2], &[true][..]));
        assert_eq!(Component::parse("a.c"), Component { class: "a.c", ..Default::default() });
    }

    #[test]
    fn errors_name_file_and_line() {
        let error = |matrix, spectra, tests| parse(matrix, spectra, tests).unwrap_err().to_string();
        assert_eq!(
            error("1 0 +\n1 +\n", "a\nb\n", None),
            "m/matrix.txt:2: 1 entries for 2 components (m/spectra.csv names the components)"
        );
        assert_eq!(
            error("1 2 +\n", "a\nb\n", None),
            "m/matrix.txt:1: entry 2 is `2`, expected 0 or 1 (m/spectra.csv names the components)"
        );
        assert_eq!(
            error("1 0 1\n", "a\nb\n", None),
            "m/matrix.txt:1: ends in `1`, expected + (passed) or - (failed) (m/spectra.csv names the components)"
        );
        assert_eq!(
            error("1 +\n", "a\n", Some("x;PASS\n")),
            "m/tests.csv:1: expected `name,PASS,runtime,` or `name,FAIL,runtime,stacktrace`"
        );
        assert_eq!(
            error("1 +\n", "a\n", Some("x,FAIL,1,\n")),
            "m/tests.csv:1: test `x` differs from its outcome in row 1 of m/matrix.txt"
        );
        assert_eq!(
            error("1 +\n", "a\n", Some("x,PASS,1,\ny,PASS,1,\n")),
            "m/tests.csv:2: more tests than the 1 rows of m/matrix.txt"
        );
        assert_eq!(
            error("1 +\n1 +\n", "a\n", Some("x,PASS,1,\n")),
            "m/tests.csv:1: 1 tests for the 2 rows of m/matrix.txt"
        );
        assert_eq!(
            error("1 +\n", "a\n", Some("x,PASS,soon,\n")),
            "m/tests.csv:1: run time is `soon`, expected nanoseconds"
        );
        assert_eq!(
            error("1 +\n", "a\n", Some("x,PASSED,1,\n")),
            "m/tests.csv:1: outcome is `PASSED`, expected PASS or FAIL"
        );
    }

    fn text() -> impl Strategy<Value = String> {
        "[ -~äλ]{1,20}".prop_filter("a header is no name", |name| name != "name" && !name.starts_with("name,"))
    }

    proptest! {
        #[test]
        fn what_is_written_is_read_back(
            components in prop::collection::vec(text(), 0..9),
            rows in prop::collection::vec((prop::collection::vec(any::<bool>(), 9), any::<bool>(), text(), any::<u64>(), "[ -~]{0,20}"), 0..70),
        ) {
            let tests = rows.iter().map(|(_, _, name, runtime, trace)| {
                GzoltarTest { name: name.clone(), runtime: *runtime, stack_trace: trace.clone() }
            }).collect();
            let covered: Vec<_> = rows.iter().map(|(row, failed, ..)| (row.clone(), *failed)).collect();
            let matrix = CoverageMatrix::from_rows(components.len(), &covered);
            let written = Gzoltar { matrix, components, tests };
            let read = parse(&written.matrix_text(), &written.spectra_text(), Some(&written.tests_text()));
            prop_assert_eq!(read, Ok(written));
        }
    }
}
