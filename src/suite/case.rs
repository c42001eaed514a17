//! What a unit-test framework says of the one case that it ran.

use super::Verdict;
use super::framework::{Framework, unity_line};
use super::verdict::{Judgement, failure_text};
use crate::exec::Status;

/// What a program wrote about its cases.
#[derive(Debug, Default, PartialEq, Eq)]
struct Said {
    n_passed: usize,
    n_skipped: usize,
    /// The failed assertion, with its place.
    complaint: Option<String>,
}

impl Framework {
    /// The verdict on a run of one case. The program has to say that the case ran: one that only ends well proves nothing.
    pub(super) fn judge(self, status: Status, output: &[u8]) -> Judgement {
        let text = String::from_utf8_lossy(output);
        let said = self.said(&text);
        if let Some(complaint) = said.complaint {
            return Judgement::fail(complaint);
        }
        match (status.success(), said.n_passed, said.n_skipped) {
            (false, ..) => Judgement::fail(failure_text(status, output)),
            (true, 0, 0) => Judgement::error("ended with status 0, but does not say that the case ran"),
            (true, 0, _) => Judgement::new(Verdict::Skip, "skipped by the program"),
            (true, ..) => Judgement::pass(),
        }
    }

    fn said(self, text: &str) -> Said {
        let lines: Vec<&str> = text.lines().collect();
        let count = |begins: &str| lines.iter().filter(|line| line.trim_start().starts_with(begins)).count();
        let (n_passed, n_skipped) = match self {
            Framework::Check => (count("ok ") + checks_passed(&lines), 0),
            Framework::Cmocka => (count("[       OK ]"), count("[  SKIPPED ]")),
            Framework::Unity => {
                let with = |word: &str| {
                    lines
                        .iter()
                        .filter_map(|line| unity_line(line))
                        .filter(|said| said.result.starts_with(word))
                        .count()
                };
                (with("PASS"), with("IGNORE"))
            }
            Framework::Criterion => match numbers(&lines, "[====] Synthesis: ") {
                Some([0, ..]) => (0, 1),
                counts => (counts.map_or(0, |[_, passing]| passing), 0),
            },
            Framework::Glib => {
                let n_skipped = lines.iter().filter(|line| line.starts_with("ok ") && line.contains("# SKIP")).count();
                let old = lines.iter().filter(|line| line.starts_with('/') && line.ends_with(": OK")).count();
                (count("ok ") - n_skipped + old, n_skipped)
            }
            Framework::Cpputest => {
                let ran = lines.iter().any(|line| line.starts_with("OK (") && !line.contains(" 0 ran"));
                (usize::from(ran), count("IGNORE_TEST("))
            }
            Framework::Googletest => (count("[       OK ]"), count("[  SKIPPED ]")),
            Framework::Greatest => match numbers(&lines, "Pass: ") {
                Some([passed, _]) => (passed, count("SKIP ") + usize::from(last_number(&lines, "Pass: ") > 0)),
                None => (0, 0),
            },
            Framework::Munit => {
                let with = |word: &str| lines.iter().filter(|line| line.contains(word)).count();
                (with("[ OK "), with("[ SKIP "))
            }
            // They are judged as the whole program is.
            Framework::Functions => (0, 0),
        };
        Said { n_passed, n_skipped, complaint: self.complaint(&lines) }
    }

    /// The first failed assertion, with its place.
    fn complaint(self, lines: &[&str]) -> Option<String> {
        let at = |is: &dyn Fn(&str) -> bool| lines.iter().position(|line| is(line));
        // The line that says where, and what follows it up to a line of another kind.
        let followed = |at: usize, ends: &dyn Fn(&str) -> bool| {
            let rest = lines[at + 1..].iter().map(|line| line.trim()).take_while(|line| !ends(line));
            rest.take(MOST_LINES).collect::<Vec<_>>()
        };
        match self {
            Framework::Functions => None,
            Framework::Check => lines.iter().find_map(|line| check_complaint(line)),
            Framework::Unity => {
                let said = lines.iter().filter_map(|line| unity_line(line));
                let failed = said.into_iter().find(|said| said.result.starts_with("FAIL"))?;
                Some(told(&format!("{}{}", failed.place, failed.result.trim_start_matches("FAIL"))))
            }
            Framework::Cmocka => {
                let after = |begins: &str| lines.iter().find_map(|line| line.strip_prefix(begins)).map(str::trim);
                let place = after("[   LINE   ] --- ").map(|line| line.split(": error").next().unwrap_or(line));
                let texts: Vec<&str> = place.into_iter().chain(after("[  ERROR   ] --- ")).collect();
                (!texts.is_empty()).then(|| told(&texts.join(": ")))
            }
            Framework::Glib => {
                let text = lines.iter().find_map(|line| line.split_once("ERROR:").map(|(_, rest)| rest.trim()));
                let not_ok = || lines.iter().find(|line| line.starts_with("not ok")).copied();
                text.or_else(not_ok).map(told)
            }
            Framework::Munit => {
                let error = lines.iter().find_map(|line| line.trim_start().strip_prefix("Error: "));
                error.map(told)
            }
            Framework::Greatest => {
                let fail = lines.iter().find_map(|line| line.strip_prefix("FAIL "))?;
                Some(told(fail.split_once(": ").map_or(fail, |(_, message)| message)))
            }
            Framework::Criterion => {
                let bare = |line: &str| line.strip_prefix("[----]").map(|rest| rest.trim().to_owned());
                let at = at(&|line| bare(line).is_some_and(|text| is_place(&text)))?;
                let place = bare(lines[at])?;
                let rest = lines[at + 1..].iter().map_while(|line| bare(line)).find(|line| !line.is_empty());
                Some(match rest {
                    Some(message) => {
                        told(&format!("{} {message}", place.trim_end_matches("Assertion Failed").trim_end()))
                    }
                    None => told(&place),
                })
            }
            Framework::Cpputest => {
                let at = at(&|line| line.contains(": error: Failure in "))?;
                let place = lines[at].split(": error: ").next().unwrap_or_default();
                Some(told(&format!("{place}: {}", followed(at, &|line| line.is_empty()).join(", "))))
            }
            Framework::Googletest => {
                let at = at(&|line| line.ends_with(": Failure"))?;
                let place = lines[at].trim_end_matches(" Failure");
                Some(told(&format!(
                    "{place} {}",
                    followed(at, &|line| line.starts_with('[') || line.is_empty()).join(" ")
                )))
            }
        }
    }
}

/// Lines of a failed assertion that are told.
const MOST_LINES: usize = 5;
/// Characters of a failed assertion that are told.
const MOST_LETTERS: usize = 200;

/// A failed assertion for a message: without directories, printable and not too long.
fn told(text: &str) -> String {
    let place = text.split(':').next().unwrap_or_default();
    let text = &text[place.rfind('/').map_or(0, |slash| slash + 1)..];
    let letters: String = text.chars().take(MOST_LETTERS).map(|c| if c.is_control() { ' ' } else { c }).collect();
    if text.chars().nth(MOST_LETTERS).is_some() { format!("{letters}…") } else { letters }
}

/// Whether a text begins with a file and a line.
fn is_place(text: &str) -> bool {
    let mut parts = text.split(':');
    let file = parts.next().is_some_and(|file| file.contains('.') && !file.contains(' '));
    file && parts.next().is_some_and(|line| line.parse::<u32>().is_ok())
}

/// `t.c:5:F:case:function:0: message` of Check without what the test's name says, or its line of TAP.
fn check_complaint(line: &str) -> Option<String> {
    let parts: Vec<&str> = line.splitn(7, ':').collect();
    if let [file, number, "F" | "E", _, _, _, message] = parts[..] {
        return Some(told(&format!("{file}:{number}:{message}")));
    }
    None
}

/// Checks that Check counts as passed, where all of them are: `100%: Checks: 3, Failures: 0, Errors: 0`.
fn checks_passed(lines: &[&str]) -> usize {
    lines.iter().filter_map(|line| line.strip_prefix("100%: Checks: ")?.split(',').next()?.parse::<usize>().ok()).sum()
}

/// The first two numbers of the line that begins so.
fn numbers(lines: &[&str], begins: &str) -> Option<[usize; 2]> {
    let line = lines.iter().find(|line| line.starts_with(begins))?;
    let mut found = line.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok());
    Some([found.next()?, found.next()?])
}

/// The last number of the line that begins so.
fn last_number(lines: &[&str], begins: &str) -> usize {
    let line = lines.iter().find(|line| line.starts_with(begins)).copied().unwrap_or_default();
    line.split(|c: char| !c.is_ascii_digit()).filter_map(|digits| digits.parse().ok()).next_back().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(framework: Framework, code: i32, text: &str) -> (Verdict, String) {
        let judgement = framework.judge(Status::Exited(code), text.as_bytes());
        (judgement.verdict, judgement.reason.unwrap_or_default())
    }

    #[test]
    fn failed_assertions_are_told_with_their_places() {
        let said = |framework: Framework, text: &str| {
            let (verdict, reason) = judge(framework, 1, text);
            assert_eq!(verdict, Verdict::Fail);
            reason
        };
        let check = "Running suite(s): calc\nnot ok 1 - t.c:mul:muls: Assertion 'a == 6' failed: a == 8\n\
                     0%: Checks: 1, Failures: 1, Errors: 0\n/src/t.c:5:F:mul:muls:0: Assertion 'a == 6' failed: a == 8\n";
        assert_eq!(said(Framework::Check, check), "t.c:5: Assertion 'a == 6' failed: a == 8");
        let cmocka = "[  ERROR   ] --- 0x8 != 0x6\n[   LINE   ] --- t.c:8: error: Failure!\n[  FAILED  ] muls\n";
        assert_eq!(said(Framework::Cmocka, cmocka), "t.c:8: 0x8 != 0x6");
        let criterion =
            "[----] t.c:4: Assertion Failed\n[----]   \n[----]   mul is 8\n[----]   \n[FAIL] calc::muls: (0.00s)\n";
        assert_eq!(said(Framework::Criterion, criterion), "t.c:4: mul is 8");
        let glib = "# random seed: R02\n**\nERROR:/a/t.c:4:muls: assertion failed (mul(2,3) == 6): (8 == 6)\n";
        assert_eq!(said(Framework::Glib, glib), "t.c:4:muls: assertion failed (mul(2,3) == 6): (8 == 6)");
        let cpputest =
            "t.cpp:8: error: Failure in TEST(Calc, Muls)\n\texpected <6 (0x6)>\n\tbut was  <8 (0x8)>\n\n - 0 ms\n";
        assert_eq!(said(Framework::Cpputest, cpputest), "t.cpp:8: expected <6 (0x6)>, but was  <8 (0x8)>");
        let google = "t.cpp:6: Failure\nExpected equality of these values:\n  6\n  mul(2,3)\n    Which is: 8\n[  FAILED  ] Calc.Muls (0 ms)\n";
        assert_eq!(
            said(Framework::Googletest, google),
            "t.cpp:6: Expected equality of these values: 6 mul(2,3) Which is: 8"
        );
        let greatest = "* Suite calc:\nF\nFAIL muls: 6 != mul(2,3) (t.c:4)\nPass: 0, fail: 1, skip: 0.\n";
        assert_eq!(said(Framework::Greatest, greatest), "6 != mul(2,3) (t.c:4)");
        let munit = "/calc/muls      [ ERROR ]\nError: t.c:4: assertion failed: mul(2,3) == 6 (8 == 6)\n";
        assert_eq!(said(Framework::Munit, munit), "t.c:4: assertion failed: mul(2,3) == 6 (8 == 6)");
        let unity = "/src/t.c:5:muls:FAIL: Expected 6 Was 8\n\n1 Tests 1 Failures 0 Ignored\nFAIL\n";
        assert_eq!(said(Framework::Unity, unity), "t.c:5: Expected 6 Was 8");
    }

    #[test]
    fn a_program_that_ends_well_without_running_the_case_proves_nothing() {
        let passing = [
            (Framework::Check, "100%: Checks: 1, Failures: 0, Errors: 0\n"),
            (Framework::Check, "ok 1 - t.c:add:adds: Passed\n"),
            (Framework::Cmocka, "[ RUN      ] adds\n[       OK ] adds\n"),
            (Framework::Criterion, "[====] Synthesis: Tested: 1 | Passing: 1 | Failing: 0 | Crashing: 0 \n"),
            (Framework::Glib, "ok 1 /calc/add\n1..1\n"),
            (Framework::Glib, "/calc/add: OK\n"),
            (Framework::Cpputest, "OK (2 tests, 1 ran, 1 checks, 0 ignored, 1 filtered out, 0 ms)\n"),
            (Framework::Googletest, "[       OK ] Calc.Adds (0 ms)\n"),
            (Framework::Greatest, "Pass: 1, fail: 0, skip: 0.\n"),
            (Framework::Munit, "/calc/adds         [ OK    ] [ 0.1 / 0.1 CPU ]\n"),
            (Framework::Unity, "t.c:9:adds:PASS\n1 Tests 0 Failures 0 Ignored\nOK\n"),
        ];
        for (framework, text) in passing {
            assert_eq!(judge(framework, 0, text).0, Verdict::Pass, "{framework:?}");
            assert_eq!(judge(framework, 0, "").0, Verdict::Error, "{framework:?}");
            assert_eq!(judge(framework, 1, text).0, Verdict::Fail, "{framework:?}");
        }
        let empty = "OK (2 tests, 0 ran, 0 checks, 0 ignored, 2 filtered out, 0 ms)\n";
        assert_eq!(judge(Framework::Cpputest, 0, empty).0, Verdict::Error);
        assert_eq!(judge(Framework::Greatest, 0, "Pass: 0, fail: 0, skip: 0.\n").0, Verdict::Error);
    }

    #[test]
    fn skipped_cases_neither_pass_nor_fail() {
        let skipped = [
            (Framework::Glib, "ok 1 /calc/add # SKIP not here\n1..1\n"),
            (Framework::Cmocka, "[ RUN      ] adds\n[  SKIPPED ] adds\n"),
            (Framework::Googletest, "[  SKIPPED ] Calc.Adds (0 ms)\n"),
            (Framework::Greatest, "SKIP adds: \nPass: 0, fail: 0, skip: 1.\n"),
            (Framework::Munit, "/calc/adds         [ SKIP  ]\n"),
            (Framework::Unity, "t.c:9:adds:IGNORE\n1 Tests 0 Failures 1 Ignored\nOK\n"),
        ];
        for (framework, text) in skipped {
            assert_eq!(judge(framework, 0, text).0, Verdict::Skip, "{framework:?}");
        }
    }
}
