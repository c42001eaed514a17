//! The Test Anything Protocol, versions 12 to 14: what a test script says about its points.

use super::Verdict;
use super::mismatch::clip;
use super::verdict::{Judgement, status_text};
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
    /// The version that the script says it writes.
    pub version: Option<u32>,
    /// Number of points announced.
    pub plan: Option<u64>,
    /// Why all points are skipped (`1..0 # SKIP why`).
    pub skip_all: Option<String>,
    /// The result lines of the script itself; subtests are indented and summed up by their parent's line.
    pub points: Vec<Point>,
    /// `Bail out!`, with what it says.
    pub bail_out: Option<String>,
    /// The first thing that no script may write, in words.
    pub wrong: Option<String>,
    /// Points that came before the plan.
    before_plan: usize,
    /// Whether lines that are not TAP are wrong.
    is_strict: bool,
}

/// Reads a script's output. Lines that are not TAP are what the program wrote and say nothing, unless the script asks for `pragma +strict`.
pub fn parse(output: &[u8]) -> Tap {
    let mut tap = Tap::default();
    let mut in_block = false;
    let output = output.strip_suffix(b"\n").unwrap_or(output);
    for line in output.split(|byte| *byte == b'\n') {
        let line = String::from_utf8_lossy(line);
        let line = line.trim_end();
        if in_block {
            in_block = line.trim_start() != "...";
        } else if let Some(said) = bail_out(line) {
            tap.bail_out = Some(said.to_owned());
            break;
        } else if line.starts_with([' ', '\t']) && line.trim_start() == "---" && !tap.points.is_empty() {
            in_block = true;
        } else if !tap.line(line) && tap.is_foreign(line) {
            tap.wrong(format!("`{}` is no TAP, and `pragma +strict` is on", clip(line.as_bytes())));
        }
    }
    tap
}

/// Whether an output is TAP with all its points, at least two.
pub(super) fn is_whole(output: &[u8]) -> bool {
    let tap = parse(output);
    tap.wrong.is_none() && tap.points.len() > 1 && tap.plan == Some(tap.points.len() as u64)
}

/// What a line says that ends everything; that of a subtest ends its parents, too.
fn bail_out(line: &str) -> Option<&str> {
    let bare = line.trim_start_matches(SUBTEST);
    bare.strip_prefix("Bail out!").map(str::trim)
}

/// What the lines of a subtest begin with.
const SUBTEST: &str = "    ";

impl Tap {
    /// Takes a line in; false if it is not TAP.
    fn line(&mut self, line: &str) -> bool {
        if let Some(rest) = line.strip_prefix("not ok") {
            self.point(false, rest)
        } else if let Some(rest) = line.strip_prefix("ok") {
            self.point(true, rest)
        } else if let Some(rest) = line.strip_prefix("1..") {
            self.plan(rest)
        } else if let Some(version) = line.strip_prefix("TAP version ") {
            self.version(version)
        } else if let Some(pragmas) = line.strip_prefix("pragma ").filter(|_| self.version.is_some()) {
            self.pragmas(pragmas)
        } else {
            line.trim_start().starts_with('#')
        }
    }

    /// Whether a line that is not TAP is wrong. Version 14 has subtests and blank lines.
    fn is_foreign(&self, line: &str) -> bool {
        let is_known = self.version >= Some(14) && (line.is_empty() || line.starts_with(SUBTEST));
        self.is_strict && !is_known
    }

    fn wrong(&mut self, what: String) {
        self.wrong.get_or_insert(what);
    }

    fn version(&mut self, text: &str) -> bool {
        let Ok(version) = text.trim().parse() else { return false };
        if self.plan.is_some() || !self.points.is_empty() {
            self.wrong("the TAP version does not come first".into());
        }
        self.version = Some(version);
        true
    }

    fn pragmas(&mut self, text: &str) -> bool {
        for pragma in text.split(',').map(str::trim) {
            match pragma {
                "+strict" => self.is_strict = true,
                "-strict" => self.is_strict = false,
                _ => {}
            }
        }
        true
    }

    fn plan(&mut self, rest: &str) -> bool {
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let Ok(count) = rest[..digits].parse() else { return false };
        let tail = rest[digits..].trim_start();
        if !(tail.is_empty() || tail.starts_with('#')) {
            return false;
        }
        if self.plan.is_some() {
            self.wrong("more than one plan (`1..N`)".into());
            return true;
        }
        (self.plan, self.before_plan) = (Some(count), self.points.len());
        if count == 0 {
            let why = tail.trim_start_matches('#').trim();
            let skip = why.get(..4).is_some_and(|word| word.eq_ignore_ascii_case("skip"));
            self.skip_all =
                Some(if skip { why[4..].trim_start_matches(|c: char| !c.is_whitespace()) } else { why }.trim().into());
        }
        true
    }

    fn point(&mut self, ok: bool, rest: &str) -> bool {
        // `okay`, `ok:` are a program's own words.
        if !(rest.is_empty() || rest.starts_with([' ', '\t'])) {
            return false;
        }
        let rest = rest.trim_start();
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        let after = &rest[digits..];
        let numbered = digits > 0 && (after.is_empty() || after.starts_with([' ', '\t']));
        let next = self.points.len() as u64 + 1;
        let (number, rest) = match numbered {
            true => (rest[..digits].parse().unwrap_or(u64::MAX), after),
            false => (next, rest),
        };
        if number != next {
            self.wrong(format!("point {number} where point {next} is due"));
        }
        if self.plan.is_some() && self.before_plan > 0 {
            self.wrong("the plan (`1..N`) is neither before nor after all points".into());
        }
        let (description, directive) = directive(rest);
        let description = description.trim();
        let dashed = description.strip_prefix('-').filter(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
        let description = dashed.unwrap_or(description).trim_start().to_owned();
        self.points.push(Point { ok, number, description, directive });
        true
    }

    /// The verdict on the whole script, which ended with `status`. A script that does not say of all its points how they went fails: what is
    /// missing may be the program's fault.
    pub(super) fn judge(&self, status: Status) -> Judgement {
        if let Some(why) = &self.bail_out {
            return Judgement::fail(format!("bailed out: {}", clip(why.as_bytes())));
        }
        // A point that is to be skipped and fails all the same was not skipped.
        let failed: Vec<&Point> =
            self.points.iter().filter(|p| !p.ok && p.directive != Some(Directive::Todo)).collect();
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
            (Some(planned), found) if planned != found => {
                return Judgement::fail(format!("{found} of {planned} points reported"));
            }
            (None, 0) => return Judgement::fail("wrote no TAP"),
            (None, _) => return Judgement::fail("TAP without a plan (`1..N`)"),
            _ => {}
        }
        if let Some(what) = &self.wrong {
            return Judgement::fail(format!("not well-formed TAP: {what}"));
        }
        if self.plan == Some(0) {
            let reason = self.skip_all.clone().filter(|why| !why.is_empty()).map(|why| clip(why.as_bytes()));
            return Judgement { reason, ..Judgement::skip() };
        }
        match self.points.iter().all(|p| p.directive == Some(Directive::Skip)) {
            true => Judgement::new(Verdict::Skip, "all points skipped"),
            false => Judgement::pass(),
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
        assert_eq!(judge("1..2\nok\n"), (Verdict::Fail, "1 of 2 points reported".into()));
        assert_eq!(judge("1..0 # SKIP no display\n"), (Verdict::Skip, "no display".into()));
        assert_eq!(judge("1..0 # Skipped: no display\n"), (Verdict::Skip, "no display".into()));
        assert_eq!(judge("1..1\nok 1 # skip why\n").0, Verdict::Skip);
        assert_eq!(judge("1..1\nok 1\nBail out! broken\n"), (Verdict::Fail, "bailed out: broken".into()));
        assert_eq!(judge("nothing here\n"), (Verdict::Fail, "wrote no TAP".into()));
        assert_eq!(judge("okay\nok: fine\n"), (Verdict::Fail, "wrote no TAP".into()));
        assert_eq!(judge("1..2\nok 1\nnot ok 2 # SKIP no\n").0, Verdict::Fail);
        assert_eq!(parse(b"1..1\nok\n").judge(Status::Exited(2)).verdict, Verdict::Fail);
    }

    #[test]
    fn a_script_that_loses_points_or_says_them_wrongly_fails() {
        // As `prove` judges them.
        for text in [
            "1..3\n",
            "1..1\nok 1\nok 2\n",
            "1..0\nok 1\n",
            "ok 1\n",
            "1..1\nok 1\n1..1\n",
            "1..1\nok 1\n1..0 # SKIP no\n",
            "ok 1\n1..2\nok 2\n",
            "1..2\nok 2\nok 1\n",
            "1..2\nok 1\nok 1\n",
            "1..2\nok 1\nok 3\n",
            "1..1\nok 0\n",
            "1..1\nok 99999999999999999999999\n",
            "1..1\n ok 1\n",
            "1..1\nTAP version 13\nok 1\n",
            "1..1 or so\nok 1\n",
            "1..2\nok 1\n    Bail out! in a subtest\nok 2\n",
            "TAP version 13\npragma +strict\n1..1\ngarbage\nok 1\n",
            "TAP version 13\npragma +other, +strict\n1..1\n\nok 1\n",
            "TAP version 13\npragma +strict\n1..1\n    ok 1\nok 1\n",
            "TAP version 14\npragma +strict\n1..1\nok 1\n  ---\n  a: 1\n  ...\ngarbage\n",
        ] {
            assert_eq!(judge(text).0, Verdict::Fail, "{text}");
        }
        for text in [
            "1..1\nok 1\nok1\nokay\n",
            "garbage\nTAP version 13\n1..1\nok 1\n",
            "ok 1\n# done\n1..1\n# really\nmore\n",
            "pragma +strict\n1..1\ngarbage\nok 1\n",
            "TAP version 13\npragma +strict\npragma -strict\n1..1\ngarbage\nok 1\n",
            "TAP version 13\npragma +strict\n1..1\n# said\nok 1\n  ---\n  any: thing\n  ...\n",
            "TAP version 14\npragma +strict\n1..1\n\n# Subtest: in\n    ok 1\n    1..1\nok 1 - in\n",
            "1..1\nbail out! not really\nok 1\n",
        ] {
            assert_eq!(judge(text), (Verdict::Pass, String::new()), "{text}");
        }
        assert_eq!(judge("1..3\n").1, "0 of 3 points reported");
        assert_eq!(judge("1..1\nok 1\n1..1\n").1, "not well-formed TAP: more than one plan (`1..N`)");
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
            let fails = points.iter().any(|p| !p.ok && p.directive != Some(Directive::Todo));
            prop_assert_eq!(tap.judge(Status::Exited(0)).verdict == Verdict::Fail, fails);
        }
    }
}
