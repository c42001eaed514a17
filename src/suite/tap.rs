//! The Test Anything Protocol, versions 12 to 14: what a test script says about its points.

use super::Verdict;
use super::verdict::{Judgement, clip, status_text};
use crate::exec::Status;

/// One result line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Point {
    /// Whether the line says `ok`.
    pub ok: bool,
    /// Its number; the one after the last when the line has none.
    pub number: u64,
    /// What it says.
    pub description: String,
    /// `# SKIP` or `# TODO`.
    pub directive: Option<Directive>,
}

/// What does not let a point fail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Directive {
    /// Not run.
    Skip,
    /// Known not to work.
    Todo,
}

/// What was understood of a script's output.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tap {
    /// Number of points announced.
    pub plan: Option<u64>,
    /// Why all points are skipped (`1..0 # SKIP why`).
    pub skip_all: Option<String>,
    /// The result lines of the script itself; subtests are indented and summed up by their parent's line.
    pub points: Vec<Point>,
    /// `Bail out!`, with what it says.
    pub bail_out: Option<String>,
}

/// Reads a script's output. Lines that are not TAP are what the program wrote and say nothing.
pub fn parse(output: &[u8]) -> Tap {
    let mut tap = Tap::default();
    for line in output.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        if let Some(rest) = line.strip_prefix("Bail out!") {
            tap.bail_out = Some(rest.trim().to_owned());
            break;
        }
        if let Some(rest) = line.strip_prefix("not ok") {
            tap.point(false, rest);
        } else if let Some(rest) = line.strip_prefix("ok") {
            tap.point(true, rest);
        } else if let Some(rest) = line.strip_prefix("1..") {
            tap.plan(rest);
        }
    }
    tap
}

impl Tap {
    fn plan(&mut self, rest: &str) {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(count) = rest[..digits].parse() else { return };
        let tail = rest[digits..].trim_start();
        if self.plan.is_some() || !(tail.is_empty() || tail.starts_with('#')) {
            return;
        }
        self.plan = Some(count);
        if count == 0 {
            let why = tail.trim_start_matches('#').trim();
            let skip = why.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("skip"));
            self.skip_all =
                Some(if skip { why[4..].trim_start_matches(|c: char| !c.is_whitespace()) } else { why }.trim().into());
        }
    }

    fn point(&mut self, ok: bool, rest: &str) {
        // `okay`, `ok:` are a program's own words.
        if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return;
        }
        let rest = rest.trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = &rest[digits..];
        let numbered = digits > 0 && (after.is_empty() || after.starts_with([' ', '\t']));
        let next = self.points.last().map_or(1, |last| last.number.saturating_add(1));
        let (number, rest) = match numbered {
            true => (rest[..digits].parse().unwrap_or(next), after),
            false => (next, rest),
        };
        let (description, directive) = directive(rest);
        let description = description.trim();
        let dashed = description.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        let description = dashed.unwrap_or(description).trim_start().to_owned();
        self.points.push(Point { ok, number, description, directive });
    }

    /// The verdict on the whole script, which ended with `status`.
    pub(super) fn judge(&self, status: Status) -> Judgement {
        if let Some(why) = &self.bail_out {
            return Judgement::error(format!("bailed out: {}", clip(why.as_bytes())));
        }
        let failed: Vec<&Point> = self.points.iter().filter(|p| !p.ok && p.directive.is_none()).collect();
        if let Some(first) = failed.first() {
            let others = match failed.len() {
                1 => String::new(),
                n => format!(" (and {} more)", n - 1),
            };
            let what = clip(first.description.as_bytes());
            let what = if what.is_empty() { String::new() } else { format!(": {what}") };
            return Judgement::fail(format!("point {} is not ok{what}{others}", first.number));
        }
        if !status.success() {
            return Judgement::fail(status_text(status));
        }
        match (self.plan, self.points.len() as u64) {
            (Some(0), 0) => Judgement {
                verdict: Verdict::Skip,
                reason: self.skip_all.clone().filter(|why| !why.is_empty()).map(|why| clip(why.as_bytes())),
            },
            (Some(planned), found) if planned != found => {
                Judgement::error(format!("{found} of {planned} points reported"))
            }
            (None, 0) => Judgement::error("wrote no TAP"),
            (None, _) => Judgement::error("TAP without a plan (`1..N`)"),
            _ if self.points.iter().all(|p| p.directive == Some(Directive::Skip)) => {
                Judgement::new(Verdict::Skip, "all points skipped")
            }
            _ => Judgement::pass(),
        }
    }
}

/// Splits a description from its directive. A `#` after a backslash is part of the description.
fn directive(text: &str) -> (&str, Option<Directive>) {
    let marks = text.match_indices('#').filter(|(at, _)| !text[..*at].ends_with('\\'));
    for (at, _) in marks {
        let word = text[at + 1..].trim_start();
        let is = |name: &str| word.get(..4).is_some_and(|start| start.eq_ignore_ascii_case(name));
        if is("skip") {
            return (&text[..at], Some(Directive::Skip));
        }
        if is("todo") {
            return (&text[..at], Some(Directive::Todo));
        }
    }
    (text, None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn judge(text: &str) -> (Verdict, String) {
        let judgement = parse(text.as_bytes()).judge(Status::Exited(0));
        (judgement.verdict, judgement.reason.unwrap_or_default())
    }

    #[test]
    fn points_plan_and_noise() {
        let tap = parse(
            b"TAP version 13\n1..3\nok 1 - a\nhello\n# note\nnot ok 2 b # TODO later\n  ---\n  not ok\n  ...\nok\n",
        );
        assert_eq!(tap.plan, Some(3));
        let oks: Vec<(bool, u64, &str)> = tap.points.iter().map(|p| (p.ok, p.number, &*p.description)).collect();
        assert_eq!(oks, [(true, 1, "a"), (false, 2, "b"), (true, 3, "")]);
        assert_eq!(tap.points[1].directive, Some(Directive::Todo));
        assert_eq!(judge("1..1\nok 1\n").0, Verdict::Pass);
    }

    #[test]
    fn verdict_is_that_of_the_worst_point() {
        assert_eq!(
            judge("1..3\nok\nnot ok 2 - sum\nnot ok 3\n"),
            (Verdict::Fail, "point 2 is not ok: sum (and 1 more)".into())
        );
        assert_eq!(judge("1..2\nok\n"), (Verdict::Error, "1 of 2 points reported".into()));
        assert_eq!(judge("1..0 # SKIP no display\n"), (Verdict::Skip, "no display".into()));
        assert_eq!(judge("1..0 # Skipped: no display\n"), (Verdict::Skip, "no display".into()));
        assert_eq!(judge("1..1\nok 1 # skip why\n").0, Verdict::Skip);
        assert_eq!(judge("1..1\nok 1\nBail out! broken\n"), (Verdict::Error, "bailed out: broken".into()));
        assert_eq!(judge("nothing here\n"), (Verdict::Error, "wrote no TAP".into()));
        assert_eq!(judge("okay\nok: fine\n"), (Verdict::Error, "wrote no TAP".into()));
        assert_eq!(parse(b"1..1\nok\n").judge(Status::Exited(2)).verdict, Verdict::Fail);
    }

    fn point() -> impl Strategy<Value = Point> {
        let directive = prop_oneof![Just(None), Just(Some(Directive::Skip)), Just(Some(Directive::Todo))];
        (any::<bool>(), "([a-z][a-z ]{0,8}[a-z])?", directive).prop_map(|(ok, description, directive)| Point {
            ok,
            number: 0,
            description,
            directive,
        })
    }

    proptest! {
        #[test]
        fn anything_is_read_without_panic(bytes in proptest::collection::vec(any::<u8>(), 0..400)) {
            parse(&bytes).judge(Status::Exited(0));
        }

        #[test]
        fn anything_like_tap_is_read_without_panic(text in "((not )?ok|1\\.\\.|#| |[0-9]{1,25}|skip|todo|é|\\\\|\n|Bail out!){0,30}") {
            parse(text.as_bytes()).judge(Status::Exited(0));
        }

        #[test]
        fn what_is_written_is_read(points in proptest::collection::vec(point(), 0..20), plan_first: bool) {
            let points: Vec<Point> = (1..).zip(points).map(|(number, p)| Point { number, ..p }).collect();
            let plan = format!("1..{}\n", points.len());
            let mut text = if plan_first { plan.clone() } else { String::new() };
            for p in &points {
                let directive = p.directive.map_or(String::new(), |d| format!(" # {d:?}"));
                text += &format!("{} {} - {}{directive}\n", if p.ok { "ok" } else { "not ok" }, p.number, p.description);
            }
            text += if plan_first { "" } else { &plan };
            let tap = parse(text.as_bytes());
            prop_assert_eq!(tap.plan, Some(points.len() as u64));
            prop_assert_eq!(&tap.points, &points);
            let fails = points.iter().any(|p| !p.ok && p.directive.is_none());
            prop_assert_eq!(tap.judge(Status::Exited(0)).verdict == Verdict::Fail, fails);
        }
    }
}
