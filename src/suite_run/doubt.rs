//! Doubt whether verdicts are about the program: nearly all tests fail where it is built wrongly or the suite's command is wrong, and a driver that leaves
//! failures out of its exit status passes whatever it finds.

use std::path::Path;

use crate::report::shell_word;
use crate::store::TestRecord;
use crate::suite::{Test, clip};

/// Words of a line that tells a failure, in capitals as drivers write them.
const FAILURES: [&str; 4] = ["FAIL", "FAILED", "FAILURE", "BAD"];

/// Words of the last line that tell a failure there, however they are written.
const LAST_FAILURES: [&str; 4] = ["fail", "failed", "failure", "wrong"];

/// Words beside those that tell that nothing failed, or that it should.
const DENIALS: [&str; 9] = ["0", "no", "not", "none", "never", "nothing", "without", "expected", "xfail"];

/// A line that tells a failure.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Told {
    line: String,
    /// Whether it stands on standard error.
    is_error: bool,
}

/// The first line that a test wrote, to standard output or else to standard error, that tells a failure by a word of its own; or the last one of either,
/// which mostly sums up.
pub fn told_failure(written: [&[u8]; 2]) -> Option<Told> {
    let by_itself = |output| lines(output).find(|line| tells(line, &FAILURES));
    let at_last = |output| lines(output).next_back().filter(|line| tells(&line.to_ascii_lowercase(), &LAST_FAILURES));
    let [first, first_error] = written.map(by_itself);
    let [last, last_error] = written.map(at_last);
    let candidates = [(first, false), (first_error, true), (last, false), (last_error, true)];
    candidates.into_iter().find_map(|(line, is_error)| Some(Told { line: clip(line?), is_error }))
}

/// The lines of an output that are not empty.
fn lines(output: &[u8]) -> impl DoubleEndedIterator<Item = &[u8]> {
    output.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty())
}

/// Whether a line has one of these words, and none that denies it.
fn tells(line: &[u8], words: &[&str]) -> bool {
    let text = String::from_utf8_lossy(line);
    let mut said = text.split(|c: char| !c.is_alphanumeric());
    said.clone().any(|word| words.contains(&word))
        && !said.any(|word| DENIALS.iter().any(|denial| word.eq_ignore_ascii_case(denial)))
}

/// The word by which a line tells a failure, as it is written there.
fn telling_word(line: &str) -> &str {
    let mut said = line.split(|c: char| !c.is_alphanumeric());
    let in_capitals = said.clone().find(|word| FAILURES.contains(word));
    let tells = |word: &&str| LAST_FAILURES.iter().any(|failure| word.eq_ignore_ascii_case(failure));
    in_capitals.or_else(|| said.find(tells)).unwrap_or("BAD")
}

/// Says that a test passes by its exit status and told a failure, where none fails.
pub fn silent_failure(told: Option<(&str, &Told)>, records: &[TestRecord]) -> Option<String> {
    let (test, Told { line, is_error }) = told.filter(|_| records.iter().all(|record| record.passed != Some(false)))?;
    let alone = records.first().filter(|record| records.len() == 1 && !record.command.contains(['\'', '\n']));
    let command = alone.map_or("COMMAND", |record| record.command.as_str());
    // A program that crashes writes no such word, and has to fail as well.
    let both = if *is_error { " 2>&1" } else { "" };
    let run = format!("run = 'said=$({command}{both}) && ! echo \"$said\" | grep {}'", telling_word(line));
    Some(format!(
        "{test} passes by its exit status and writes `{line}`: if that tells a failure, have its status say so, as by {run}"
    ))
}

/// Says so, with what to look at, where all tests that count fail, or more than nine of ten.
pub fn doubt(root: &Path, tests: &[Test], records: &[TestRecord]) -> Option<String> {
    let of = |wanted: Option<bool>| records.iter().filter(|record| record.passed == wanted).count();
    let (failing, passing) = (of(Some(false)), of(Some(true)));
    let all = failing + passing;
    if failing < 2 || failing * 10 <= all * 9 {
        return None;
    }
    let (first, _) = tests.iter().zip(records).find(|(_, record)| record.passed == Some(false))?;
    let how_many = if passing == 0 { format!("all {all}") } else { format!("{failing} of {all}") };
    let command = match first.dir.strip_prefix(root) {
        Ok(below) if below.as_os_str().is_empty() => first.command.clone(),
        below => {
            let dir = below.unwrap_or(&first.dir).to_string_lossy();
            format!("(cd {} && {})", shell_word(&dir), first.command)
        }
    };
    Some(format!(
        "{how_many} tests fail: is the program built as it should be, and from these sources (`suspect build` builds it again), and is the command in \
         suspect.toml right? See what one test says: {command}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failures_are_told_in_capitals_or_at_the_end() {
        let told = |output: &str| told_failure([output.as_bytes(), b"1 unit ignored\n"]).map(|told| told.line);
        let told_of = |line: &str| Some(line.to_owned());
        assert_eq!(told("a: ok\nb: FAILED 3\nc: ok\n"), told_of("b: FAILED 3"));
        assert_eq!(
            told("Checking\nSomething is wrong: it failed the check:\n\n"),
            told_of("Something is wrong: it failed the check:")
        );
        assert_eq!(told("1 test failed\n"), told_of("1 test failed"));
        let on_error = Told { line: "1 test failed".to_owned(), is_error: true };
        assert_eq!(told_failure([b"checking\n", b"1 test failed\n"]), Some(on_error));
        for fine in [
            "",
            "failed as it should\nall passed\n",
            "0 failed\n",
            "FAILED: 0\n",
            "No test failed.\n",
            "3 expected failures\n",
            "none failed",
            "unfailing",
        ] {
            assert_eq!(told(fine), None, "{fine}");
        }
        let words = ["b: FAILED 3", "Something is wrong: 1 of 7", "1 Test Failed", "failed: BAD 7"].map(telling_word);
        assert_eq!(words, ["FAILED", "wrong", "Failed", "BAD"]);
    }
}
