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

/// The first line of an output that tells a failure by a word of its own, or the last one, which mostly sums up.
pub fn told_failure(output: &[u8]) -> Option<String> {
    let tells = |line: &[u8], words: &[&str]| {
        let text = String::from_utf8_lossy(line);
        let mut said = text.split(|c: char| !c.is_alphanumeric());
        said.clone().any(|word| words.contains(&word))
            && !said.any(|word| DENIALS.iter().any(|denial| word.eq_ignore_ascii_case(denial)))
    };
    let mut lines = output.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii).filter(|line| !line.is_empty());
    let last = lines.clone().next_back().filter(|line| tells(&line.to_ascii_lowercase(), &LAST_FAILURES));
    lines.find(|line| tells(line, &FAILURES)).or(last).map(clip)
}

/// Says that a test passes by its exit status and told a failure, where none fails.
pub fn silent_failure(told: Option<(&str, &str)>, records: &[TestRecord]) -> Option<String> {
    let (test, line) = told.filter(|_| records.iter().all(|record| record.passed != Some(false)))?;
    let alone = records.first().filter(|record| records.len() == 1 && !record.command.contains(['\'', '\n']));
    let command = alone.map_or("COMMAND", |record| record.command.as_str());
    let word = FAILURES.into_iter().find(|word| line.contains(word)).unwrap_or("BAD");
    // A program that crashes writes no such word, and has to fail as well.
    let run = format!("run = 'said=$({command}) && ! echo \"$said\" | grep {word}'");
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
        let told = |output: &str| told_failure(output.as_bytes());
        let told_of = |line: &str| Some(line.to_owned());
        assert_eq!(told("a: ok\nb: FAILED 3\nc: ok\n"), told_of("b: FAILED 3"));
        assert_eq!(
            told("Checking\nSomething is wrong: it failed the check:\n\n"),
            told_of("Something is wrong: it failed the check:")
        );
        assert_eq!(told("1 test failed\n"), told_of("1 test failed"));
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
    }
}
