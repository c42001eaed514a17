//! Why a failing run ends as it does: chains of causes, each proved by running the program again.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// Version of an [`Explanation`] as JSON.
pub const EXPLANATION_SCHEMA_VERSION: u32 = 1;

/// A chain of causes from the first difference that matters to the failure.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Explanation {
    /// Version of this form.
    #[serde(default)]
    pub schema_version: u32,
    /// The failing test.
    pub test: String,
    /// The run that it is compared with.
    #[serde(default)]
    pub against: String,
    /// What made the other run, if it is the failing test's own, changed so that it passes.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub made: Option<Made>,
    /// The answer in two sentences: what happens, and what it comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub summary: Vec<String>,
    /// What is explained, in words.
    #[serde(default)]
    pub effect: String,
    /// What the failing run alone shows, each with a text: a use of memory outside of its object; where a null pointer that it dies of comes from.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub facts: Vec<Point>,
    /// The steps, from the failure back to the first cause.
    pub steps: Vec<Step>,
    /// Where what differs comes in.
    #[serde(default)]
    pub origins: Vec<Origin>,
    /// How the failing run came to what comes in there, the nearest first: seen in that run alone, and not proved.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub before: Vec<Point>,
    /// Whether everything was followed back to where it comes in.
    #[serde(default)]
    pub complete: bool,
    /// Whether patched runs proved each step.
    #[serde(default)]
    pub verified: bool,
    /// What repeats it.
    #[serde(default)]
    pub command: String,
    /// How far to trust it: one statement each.
    #[serde(default)]
    pub trust: Vec<String>,
    /// When the run was recorded of which it was found out, seconds since 1970, if that was an earlier one in which both tests did the
    /// same.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub found: Option<u64>,
    /// What has changed since then, or did something else, and is not what it leads through, in words: functions that its tests execute, and what they do not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub changed: Vec<String>,
}

impl Explanation {
    /// Where the causes are, step by step, and where what differs comes in; each place once.
    pub fn chain_lines(&self) -> Vec<Place> {
        let causes = self.steps.iter().filter(|step| !step.causes.is_empty()).map(|step| &step.cause_point);
        let points = causes.chain(self.origins.iter().map(|origin| &origin.point)).filter(|point| point.line > 0);
        let mut places: Vec<Place> = points.map(|point| Place { file: point.file.clone(), line: point.line }).collect();
        places.sort();
        places.dedup();
        places
    }

    /// The same, with the lines that the failing run alone shows.
    pub fn told_lines(&self) -> Vec<Place> {
        let shown = self.facts.iter().filter(|point| point.line > 0);
        let shown = shown.map(|point| Place { file: point.file.clone(), line: point.line });
        self.chain_lines().into_iter().chain(shown).collect()
    }

    /// All places in these files that it names, in its points and in words.
    pub fn places(&self, files: &[String]) -> BTreeSet<Place> {
        let mut places = BTreeSet::new();
        // Of what is all text and numbers nothing is lost.
        collect_places(&serde_json::to_value(self).unwrap_or_default(), files, &mut places);
        places
    }
}

fn collect_places(value: &Value, files: &[String], places: &mut BTreeSet<Place>) {
    match value {
        Value::String(text) => places.extend(places_in(text, files)),
        Value::Array(values) => values.iter().for_each(|value| collect_places(value, files, places)),
        Value::Object(fields) => {
            let line = fields.get("line").and_then(Value::as_u64).filter(|line| *line > 0);
            if let (Some(Value::String(file)), Some(line)) = (fields.get("file"), line) {
                places.insert(Place { file: file.clone(), line: line as u32 });
            }
            fields.values().for_each(|value| collect_places(value, files, places));
        }
        _ => {}
    }
}

/// What stands between a file and a line in what programs say: gcc's and C's own way, `printf("%s %d")`, Python's, MSVC's, CUnit's, and
/// that of checks which projects write themselves.
const BEFORE_LINE: [&str; 8] = [":", " ", "(", ", line ", " line ", ": line ", ":line ", " on line "];

/// What reads `FILE:LINE` in a text, or says it in another of the ways that programs have, in its order; a file may be named without its directories.
pub fn places_named(text: &str, files: &[String]) -> Vec<Place> {
    let names = files.iter().filter_map(|file| Some(file.rsplit_once('/')?.1));
    let names: BTreeSet<&str> = files.iter().map(String::as_str).chain(names).collect();
    let is_part = |last: char| last.is_alphanumeric() || "/._-".contains(last);
    let line_behind = |rest: &str| {
        BEFORE_LINE.iter().find_map(|between| {
            let rest = rest.strip_prefix(between)?;
            let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
            let ends = rest[digits..].chars().next().is_none_or(|next| !next.is_alphanumeric());
            rest[..digits].parse().ok().filter(|_| ends)
        })
    };
    let of_name = |name: &&str| {
        let name = *name;
        let found = text.match_indices(name).filter(|(at, _)| !text[..*at].chars().next_back().is_some_and(is_part));
        let found = found.filter_map(|(at, _)| {
            let line = line_behind(&text[at + name.len()..])?;
            Some((at, Place { file: name.to_owned(), line }))
        });
        found.collect::<Vec<_>>()
    };
    let mut places: Vec<(usize, Place)> = names.iter().flat_map(of_name).collect();
    places.sort_by_key(|(at, _)| *at);
    places.into_iter().map(|(_, place)| place).collect()
}

/// Lines that a text names without a file, as in `failed on line 12`; none of what it names with a column, for that is of an input.
pub fn lines_named(text: &str) -> Vec<u32> {
    let words: Vec<&str> = text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let is_column = |at: usize| words.get(at).is_some_and(|word| COLUMNS.contains(&word.to_lowercase().as_str()));
    let named = (1..words.len()).filter(|at| words[at - 1].eq_ignore_ascii_case("line") && !is_column(at + 1));
    named.filter_map(|at| words[at].parse().ok()).collect()
}

/// What stands between a line and a column.
const COLUMNS: [&str; 5] = ["column", "columns", "col", "char", "position"];

/// What reads `FILE:LINE` in a text.
fn places_in<'a>(text: &'a str, files: &'a [String]) -> impl Iterator<Item = Place> + 'a {
    text.match_indices(':').flat_map(move |(at, _)| {
        let digits = text[at + 1..].bytes().take_while(u8::is_ascii_digit).count();
        let line = text[at + 1..at + 1 + digits].parse().ok();
        let is_named = move |file: &&String| {
            let before = text[..at].strip_suffix(file.as_str()).map(|before| before.chars().next_back());
            before.is_some_and(|last| last.is_none_or(|last| !last.is_alphanumeric() && !"/._-".contains(last)))
        };
        let files = if line.is_some() { files } else { &[] };
        files.iter().filter(is_named).filter_map(move |file| Some(Place { file: file.clone(), line: line? }))
    })
}

/// How a failing run was made to pass.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Made {
    /// What was changed: `switched`, a condition that goes another way at this one execution; `switched everywhere`, one that does so each time, first
    /// here; `replaced`, a value that is another one once it was stored.
    pub by: String,
    /// Where.
    pub point: Point,
    /// The option that makes the same run again: `--switch=NUMBER:WAY`, `--switch=every:NUMBER:WAY` or `--replace=NUMBER:VALUE`.
    #[serde(default)]
    pub option: String,
    /// Of a value that was replaced: what it is of, and what it is in each run.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub value: Option<Cause>,
    /// Changes that were tried until this one made the test pass.
    pub tried: u32,
}

/// One step: an effect and what caused it.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Step {
    /// Where the causes are.
    pub cause_point: Point,
    /// Where the effect is.
    pub effect_point: Point,
    /// What is different at the causes, in the failing run and in the other one.
    pub causes: Vec<Cause>,
    /// Places that the effect depends on and that differ.
    #[serde(default)]
    pub slice: Vec<Place>,
    /// The execution model that proved it: `approximate`, `exact` or `unguided`; `none` if nothing did.
    #[serde(default)]
    pub model: String,
    /// How the step was judged, in words.
    #[serde(default)]
    pub proof: String,
    /// Runs that it took to prove it.
    #[serde(default)]
    pub re_executions: u32,
    /// Of these runs, how many were forked from one process at the cause point.
    #[serde(default)]
    pub forked: u32,
    /// All differences that the effect depends on here, of which the causes are chosen.
    #[serde(default)]
    pub cut: Vec<Cause>,
    /// Conditions between cause and effect that went another way in the other run, in words.
    #[serde(default)]
    pub taken: Vec<String>,
    /// Whether a condition between cause and effect went another way.
    #[serde(default)]
    pub decides: bool,
}

/// Where something comes into the runs that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Origin {
    /// The place.
    pub point: Point,
    /// What differs from there on, in words.
    pub what: Vec<String>,
}

/// A place in the source.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema)]
pub struct Place {
    /// Source file.
    pub file: String,
    /// Line.
    pub line: u32,
}

/// A place in the source at one execution.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Point {
    /// Source file; empty for the output.
    pub file: String,
    /// Line; 0 for the output.
    pub line: u32,
    /// Function; empty where there is none.
    #[serde(default)]
    pub function: String,
    /// Which execution of the place, from 1; 0 where that means nothing.
    #[serde(default)]
    pub instance: u64,
    /// What happens there, in words.
    #[serde(default)]
    pub text: String,
}

/// A value that differs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Cause {
    /// What has it: a variable, a condition.
    pub what: String,
    /// What it is in the failing run.
    pub failing: String,
    /// What it is in the other run.
    pub passing: String,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_those_of_points_and_of_words() {
        let point = |file: &str, line| Point { file: file.into(), line, ..Point::default() };
        let cause = Cause { what: "malloc@lib/b.c:104#1+668".into(), ..Cause::default() };
        let step = Step {
            cause_point: point("a.c", 7),
            effect_point: point("", 0),
            cut: vec![cause],
            taken: vec!["the condition at a.c:12 is true here, xa.c:13, :14 and a.c: 15 not".into()],
            ..Step::default()
        };
        let chain = Explanation { effect: "`a.c:9`".into(), steps: vec![step], ..Explanation::default() };
        let place = |file: &str, line| Place { file: file.into(), line };
        let expected = [place("a.c", 7), place("a.c", 9), place("a.c", 12), place("lib/b.c", 104)];
        assert_eq!(chain.places(&["a.c".into(), "b.c".into(), "lib/b.c".into()]), expected.into());
    }

    #[test]
    fn places_are_named_in_many_ways() {
        let files = ["lib/b.c".to_owned(), "a.c".to_owned()];
        let named = |text: &str| {
            let places = places_named(text, &files).into_iter();
            places.map(|place| format!("{}:{}", place.file, place.line)).collect::<Vec<_>>()
        };
        assert_eq!(named("not ok 3 - a.c 117\nb.c(5): no"), ["a.c:117", "b.c:5"]);
        assert_eq!(named("at a.c line 7, lib/b.c, line 8, /x/b.c:line 9"), ["a.c:7", "lib/b.c:8"]);
        assert_eq!(named("failed in a.c on line 7 : n == 3; a.c: 4 checks failed"), ["a.c:7"]);
        assert_eq!(named("a.c:12:5: error; aa.c:4, a.c 2nd, a.c: none"), ["a.c:12"]);
    }

    #[test]
    fn lines_are_named_without_a_file() {
        assert_eq!(lines_named("Fail on line 511: [a == b]"), [511]);
        assert_eq!(lines_named("FAILED: t1 (at Line 12), line: 14"), [12, 14]);
        assert_eq!(lines_named("line 3 column 5, line 3, col 7, lines 4, on-line x, pipeline2 7"), [0; 0]);
    }
}
