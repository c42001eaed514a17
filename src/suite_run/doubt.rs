//! Doubt whether tests fail by a fault of the program: nearly all do where it is built wrongly or the suite's command is wrong.

use std::path::Path;

use crate::report::shell_word;
use crate::store::TestRecord;
use crate::suite::Test;

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
