//! `kind = "autotest"`: the test groups of a script that GNU Autotest generated, each run alone in a directory of its own.
//!
//! Such a script makes its directories anew where it is started, so two runs of it there would be in each other's way. In a directory of its own it reads
//! the project's `atconfig` through a link, and finds the project by the absolute names that are in it.

use std::ffi::OsString;
use std::path::Path;

use super::SuiteError;
use super::autotest::{CONFIG, script};
use super::config::ScratchKind;
use super::load::{Found, Listed, Listing};
use super::oracle::Oracle;
use super::test::{Plan, command_text};

/// Runs a group, with the directory of `atconfig`, the script and the group's number.
const RUN: &str = "ln -s \"$1\" built && \
    echo '. ./built/atconfig; at_srcdir=$abs_srcdir at_top_srcdir=$abs_top_srcdir at_top_build_prefix=$abs_top_builddir/' >atconfig && \
    echo 'test ! -r ./built/atlocal || . ./built/atlocal' >atlocal && exec /bin/sh \"$2\" -v -d \"$3\"";

/// The groups that the script in the suite's directory lists.
pub(super) fn list(listing: &Listing) -> Result<Found, SuiteError> {
    let dir = &listing.dir;
    if !dir.join(CONFIG).is_file() {
        return Err(listing.no_tests(format!("{} has no {CONFIG}: is the project configured?", dir.display())));
    }
    let Some(script) = script(dir) else {
        return Err(listing.no_tests(format!("{} has no script that Autotest generated: is it made?", dir.display())));
    };
    let command = listing.tool(["/bin/sh".into(), script.clone().into_os_string(), "-l".into()]);
    let outcome = listing.run_tool(&command)?;
    let text = String::from_utf8_lossy(&outcome.stdout.bytes).into_owned();
    let tests: Vec<Listed> = groups(&text)
        .map(|(number, name)| {
            let words = ["/bin/sh".into(), "-c".into(), RUN.into(), "sh".into(), dir.into(), script.clone().into()];
            let argv = words.into_iter().chain([OsString::from(number)]).collect();
            let plan = Plan { argv, oracle: Oracle::Autotest, scratch: ScratchKind::Empty, ..Plan::default() };
            Listed { name: name.to_owned(), dir: dir.clone(), plan }
        })
        .collect();
    match tests.is_empty() {
        true => Err(listing.no_tests(format!("{} lists none", script.display()))),
        false => Ok(Found { tests, ..Found::default() }),
    }
}

/// The command as a person would type it in the suite's directory.
pub(super) fn line(argv: &[OsString]) -> String {
    let [.., dir, script, number] = argv else { return command_text(argv) };
    let script = Path::new(script).strip_prefix(dir).map_or(script.clone(), |name| Path::new(".").join(name).into());
    command_text(&["sh".into(), script, "-v".into(), number.clone()])
}

/// Number and title of each group by the script's list: `  17: file.at:20   title`, and its keywords below.
fn groups(text: &str) -> impl Iterator<Item = (&str, &str)> {
    text.lines().filter_map(|line| {
        let (number, rest) = line.trim_start().split_once(": ")?;
        let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let (place, title) = rest.trim_start().split_once(char::is_whitespace)?;
        let title = if title.trim().is_empty() { place } else { title.trim() };
        is_number.then_some((number, title))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIST: &str = "calc 1.0 test suite test groups:\n\n NUM: FILE-NAME:LINE     TEST-GROUP-NAME\n      KEYWORDS\n\n\
        \x20  1: calc.at:3          adds two numbers\n      calc add\n\
        \x20 12: calc.at:20         \n";

    #[test]
    fn groups_have_a_number_and_a_title() {
        let found: Vec<(&str, &str)> = groups(LIST).collect();
        assert_eq!(found, [("1", "adds two numbers"), ("12", "calc.at:20")]);
    }
}
