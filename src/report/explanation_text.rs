//! An explanation as a compiler's notes.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::Range;

use crate::evidence::ordinal;

use super::document::{Cause, Explanation, Origin, Point, Step};
use super::tabs::untabbed;

/// How many differences of a step are told.
pub const MOST_CAUSES: usize = 6;
/// Of a chain with more steps than both, so many are told from the failure on and up to where it comes in.
const TOLD: (usize, usize) = (12, 6);

/// Which of so many steps of a chain are not told one by one.
pub fn between(n_steps: usize) -> Range<usize> {
    match n_steps > TOLD.0 + TOLD.1 {
        true => TOLD.0..n_steps - TOLD.1,
        false => n_steps..n_steps,
    }
}

/// Writes an explanation; `line` gives the text of a line of the source, if it can be had.
pub fn write_explanation(
    explanation: &Explanation,
    line: impl Fn(&str, u32) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Explanation { test, against, effect, .. } = explanation;
    if !explanation.summary.is_empty() {
        writeln!(out, "{}", explanation.summary.join(" "))?;
    }
    let heading = if against.is_empty() { test.clone() } else { format!("{test} compared with {against}") };
    match untold(test, effect, &explanation.summary) {
        "" if against.is_empty() => {}
        "" => writeln!(out, "\n{heading}")?,
        rest if explanation.summary.is_empty() => writeln!(out, "{heading}: {rest}")?,
        rest => writeln!(out, "\n{heading}: {rest}")?,
    }
    for fact in &explanation.facts {
        writeln!(out, "\n{}: {}", at(fact), fact.text)?;
        write_source(fact, &line, out)?;
    }
    let told = told(&explanation.steps);
    let hidden = hidden(&told);
    for (at, step) in told.iter().enumerate() {
        match hidden.iter().find(|range| range.contains(&at)) {
            Some(range) if range.start == at => {
                let steps = told[range.clone()].iter().filter_map(|(_, steps)| steps.last());
                writeln!(out, "\n{} (--format json has all)", in_between(range, steps))?;
            }
            Some(_) => {}
            None => write_step(at + 1, *step, &line, out)?,
        }
    }
    let mut number = told.len();
    let mut origins = explanation.origins.as_slice();
    if let (Some(step), [first, rest @ ..]) = (explanation.steps.last(), origins)
        && is_told(first, step)
    {
        writeln!(out, "      the difference comes in here")?;
        origins = rest;
    }
    // A run that was followed alone differs from none.
    let what = match (against.is_empty(), explanation.complete) {
        (true, true) => "this can be mended here",
        (true, false) => "the fault may be here",
        (false, _) => "the difference comes in here",
    };
    for of_one_line in by_line(origins) {
        number += 1;
        write_origins((number, what), &of_one_line, &line, out)?;
    }
    for point in &explanation.before {
        number += 1;
        writeln!(out, "\n{number}: {}: before that, {}", at(point), point.text)?;
        write_source(point, &line, out)?;
    }
    writeln!(out)?;
    for statement in &explanation.trust {
        writeln!(out, "note: {statement}")?;
    }
    if !explanation.command.is_empty() {
        writeln!(out, "again: {}", explanation.command)?;
    }
    Ok(())
}

/// The part of an effect that the summary's first sentence does not tell.
fn untold<'e>(test: &str, effect: &'e str, summary: &[String]) -> &'e str {
    let Some(first) = summary.first() else { return effect };
    let told = first.strip_prefix(test).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(first);
    let told = told.strip_suffix('.').unwrap_or(told);
    match effect.strip_prefix(told) {
        Some(rest) if rest.chars().all(|letter| letter == '.') => "",
        Some(rest) => rest.trim_start_matches([':', ' ']),
        None if told.starts_with(effect.trim_end_matches('.')) => "",
        None => effect,
    }
}

/// Steps that are told as one: the rounds before, and the others.
type Told<'a> = (&'a [Step], &'a [Step]);

/// Steps that are told one by one, at most: so many from the failure on, and so many up to where it comes in.
const MOST_TOLD: (usize, usize) = (8, 4);
/// So many steps in a row on so few lines are rounds of a loop, or of a recursion.
const LOOP: (usize, usize) = (6, 3);

/// Which steps are counted instead of told: of rounds of a loop those after the first two and before the last one; then the middle of what is left.
fn hidden(told: &[Told<'_>]) -> Vec<Range<usize>> {
    let place = |at: usize| told[at].1.last().map(|step| (&step.cause_point.file, step.cause_point.line));
    let (mut hidden, mut from): (Vec<Range<usize>>, usize) = (Vec::new(), 0);
    while from < told.len() {
        let mut lines = BTreeSet::new();
        let in_loop = |at: &usize| {
            lines.insert(place(*at));
            lines.len() <= LOOP.1
        };
        let rounds = (from..told.len()).take_while(in_loop).count();
        if rounds >= LOOP.0 {
            hidden.push(from + 2..from + rounds - 1);
            from += rounds;
        } else {
            from += 1;
        }
    }
    let seen: Vec<usize> = (0..told.len()).filter(|at| !hidden.iter().any(|range| range.contains(at))).collect();
    if seen.len() > MOST_TOLD.0 + MOST_TOLD.1 {
        let middle = seen[MOST_TOLD.0 - 1] + 1..seen[seen.len() - MOST_TOLD.1];
        hidden.retain(|range| range.end <= middle.start || range.start >= middle.end);
        // What is counted already right before or behind is counted with it.
        hidden.push(middle);
        hidden.sort_by_key(|range| range.start);
    }
    hidden
}

/// A chain as it is told.
fn told(mut steps: &[Step]) -> Vec<Told<'_>> {
    let mut told = Vec::new();
    while !steps.is_empty() {
        let (first, rest) = steps.split_at(whole(steps));
        told.push(first.split_at(rounds(steps)));
        steps = rest;
    }
    told
}

/// In words, which steps of a chain are left out, and where they are.
pub fn in_between<'a>(between: &Range<usize>, steps: impl Iterator<Item = &'a Step>) -> String {
    let mut lines: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for step in steps {
        lines.entry(&step.cause_point.file).or_default().insert(step.cause_point.line);
    }
    let of = |(file, lines): (&&str, &BTreeSet<u32>)| {
        let lines: Vec<String> = lines.iter().map(u32::to_string).collect();
        format!("{file}:{}", lines.join(", "))
    };
    let lines: Vec<String> = lines.iter().map(of).collect();
    format!("{} to {}: {} more steps, at {}", between.start + 1, between.end, between.len(), lines.join("; "))
}

/// Origins on one line together, in the order of the first of each.
fn by_line(origins: &[Origin]) -> Vec<Vec<&Origin>> {
    let mut groups: Vec<Vec<&Origin>> = Vec::new();
    for origin in origins {
        let place = |point: &Point| (point.file.clone(), point.line);
        match groups.iter_mut().find(|group| place(&group[0].point) == place(&origin.point)) {
            Some(group) => group.push(origin),
            None => groups.push(vec![origin]),
        }
    }
    groups
}

/// Writes what comes in at one line: what several executions say alike once.
fn write_origins(
    (number, what): (usize, &str),
    origins: &[&Origin],
    line: &impl Fn(&str, u32) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let point = &origins[0].point;
    writeln!(out, "\n{number}: {}: {what}", at(point))?;
    write_source(point, line, out)?;
    let mut told: Vec<&String> = Vec::new();
    for text in origins.iter().flat_map(|origin| &origin.what) {
        if !told.contains(&text) {
            told.push(text);
        }
    }
    for text in told.iter().take(MOST_CAUSES) {
        writeln!(out, "      {text}")?;
    }
    match told.len().saturating_sub(MOST_CAUSES) {
        0 => Ok(()),
        more => writeln!(out, "      and {more} more (--format json has all)"),
    }
}

/// How many of the first steps are told as one: rounds of a loop, or else what hands on the same values.
fn whole(steps: &[Step]) -> usize {
    let first = rounds(steps);
    let (step, rest) = (&steps[first], &steps[first + 1..]);
    let looped = first > 0 && is_round(&steps[first - 1], step);
    first + 1 + if looped { 0 } else { copies(step, rest) }
}

fn names(step: &Step) -> Vec<&str> {
    step.causes.iter().map(|cause| cause.what.as_str()).collect()
}

/// Whether a step says of the same variables what an earlier one does.
fn is_round(later: &Step, earlier: &Step) -> bool {
    names(later) == names(earlier) && later.taken.is_empty()
}

/// How many of the first steps say of the same line what the next one says of it: rounds of a loop, or parts of one expression.
fn rounds(steps: &[Step]) -> usize {
    let same = |pair: &&[Step]| {
        let [later, earlier] = pair else { return false };
        let place = |step: &Step| (step.cause_point.file.clone(), step.cause_point.line);
        let is_part = |cause: &Cause| ["a value ", "the value of "].iter().any(|what| cause.what.starts_with(what));
        let part = later.causes.iter().all(is_part);
        let told = !later.causes.is_empty() && !earlier.causes.is_empty() && later.model != "none";
        told && place(later) == place(earlier) && (part || is_round(later, earlier))
    };
    steps.windows(2).take_while(same).count()
}

/// How many of the steps behind `step` only hand on its value.
fn copies(step: &Step, rest: &[Step]) -> usize {
    let values = |step: &Step| {
        let of = |cause: &Cause| (cause.failing.clone(), cause.passing.clone());
        step.causes.iter().map(of).collect::<BTreeSet<_>>()
    };
    if step.causes.is_empty() {
        return 0;
    }
    let handed = values(step);
    let hands_on = |next: &&Step| !next.decides && values(next) == handed;
    rest.iter().take_while(hands_on).count()
}

/// Whether a step already says what an origin does: same line, same values.
fn is_told(origin: &Origin, step: &Step) -> bool {
    let same = origin.point.file == step.cause_point.file && origin.point.line == step.cause_point.line;
    let said = |text: &String| {
        step.causes.iter().any(|cause| text.ends_with(&format!(" is {} here, {} there", cause.failing, cause.passing)))
    };
    same && origin.what.iter().all(said)
}

/// What differs, as it stands in a sentence: what the source has a name for in backquotes.
pub fn quoted(what: &str) -> String {
    let phrase = ["what ", "a ", "the value of ", "argument ", "memory "].iter().any(|word| what.starts_with(word));
    if phrase { what.to_owned() } else { format!("`{what}`") }
}

fn at(point: &Point) -> String {
    match point.line {
        0 => "before main".to_owned(),
        line => format!("{}:{line}", point.file),
    }
}

fn write_source(point: &Point, line: &impl Fn(&str, u32) -> Option<String>, out: &mut impl Write) -> io::Result<()> {
    match line(&point.file, point.line) {
        Some(text) => writeln!(out, "{:>6} | {}", point.line, untabbed(text.trim_end())),
        None => Ok(()),
    }
}

/// Writes steps that are told as one: later `rounds` of what the first of the others says, and whom that hands its value on to.
fn write_step(
    number: usize,
    (rounds, steps): Told,
    line: &impl Fn(&str, u32) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Some((last, passed)) = steps.split_last() else { return Ok(()) };
    let point = &last.cause_point;
    let until = rounds.first().map_or(point.instance, |step| step.cause_point.instance);
    let which = match point.instance {
        from if from < until && passed.is_empty() => format!(" ({} to {} time)", ordinal(from), ordinal(until)),
        from if from > 1 => format!(" ({} time)", ordinal(from)),
        _ => String::new(),
    };
    writeln!(out, "\n{number}: {}{which}: because of this:", at(point))?;
    write_source(point, line, out)?;
    for Cause { what, failing, passing } in last.causes.iter().take(MOST_CAUSES) {
        writeln!(out, "      {} is {failing} here, {passing} there", quoted(what))?;
    }
    if last.causes.len() > MOST_CAUSES {
        writeln!(out, "      and {} more (--format json has all)", last.causes.len() - MOST_CAUSES)?;
    }
    if let Some(round) = rounds.first().filter(|_| passed.is_empty())
        && let ([cause], [first]) = (round.causes.as_slice(), last.causes.as_slice())
        && cause.what == first.what
    {
        writeln!(out, "      and so on, until it is {} here, {} there", cause.failing, cause.passing)?;
    }
    if last.causes.is_empty() && last.cut.is_empty() {
        writeln!(out, "      nothing that is in memory here differs")?;
    }
    for taken in steps.iter().rev().flat_map(|step| &step.taken) {
        writeln!(out, "      {taken}")?;
    }
    let mut handed_on: Vec<String> = Vec::new();
    for cause in passed.iter().rev().flat_map(|step| &step.causes) {
        let name = quoted(&cause.what);
        if !handed_on.contains(&name) && !last.causes.iter().any(|own| own.what == cause.what) {
            handed_on.push(name);
        }
    }
    handed_on.truncate(MOST_CAUSES);
    if !handed_on.is_empty() {
        writeln!(out, "      handed on to {}", handed_on.join(", "))?;
    }
    writeln!(out, "      {}", last.proof)
}

#[cfg(test)]
mod tests {
    use super::super::document::EXPLANATION_SCHEMA_VERSION;
    use super::*;

    fn step(line: u32, what: &str) -> Step {
        let point = |line| Point { file: "a.c".into(), line, instance: 1, ..Point::default() };
        Step {
            cause_point: point(line),
            effect_point: point(line + 1),
            causes: vec![Cause { what: what.into(), failing: "-1".into(), passing: "0".into() }],
            model: "exact".into(),
            proof: "proved".into(),
            re_executions: 2,
            ..Step::default()
        }
    }

    fn explanation() -> Explanation {
        let point = Point { file: "a.c".into(), line: 2, ..Point::default() };
        Explanation {
            schema_version: EXPLANATION_SCHEMA_VERSION,
            test: "t2".into(),
            against: "t1".into(),
            effect: "`undone` is 1 here, 0 there".into(),
            steps: vec![step(18, "status"), step(7, "tmp")],
            origins: vec![Origin { point, what: vec!["`name` is 2 here, 3 there".into()] }],
            complete: true,
            verified: true,
            ..Explanation::default()
        }
    }

    #[test]
    fn copies_are_told_as_one() {
        let mut text = Vec::new();
        let mut explanation = explanation();
        explanation.steps[0].taken = vec!["the condition at a.c:17 is true here, not there".into()];
        write_explanation(&explanation, |_, line| Some(format!("source {line}")), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.contains("1: a.c:7: because of this:\n     7 | source 7\n      `tmp` is -1 here, 0 there"),
            "{text}"
        );
        assert!(text.contains("handed on to `status`"), "{text}");
        assert!(text.contains("      the condition at a.c:17 is true here, not there\n"), "{text}");
        assert!(text.contains("2: a.c:2: the difference comes in here"), "{text}");
    }

    #[test]
    fn rounds_of_a_loop_are_told_as_one() {
        let mut explanation = explanation();
        let round = |instance: u64, failing: &str| {
            let mut step = step(67, "item");
            step.cause_point.instance = instance;
            step.causes[0].failing = failing.into();
            step
        };
        explanation.steps = vec![round(12, "9"), round(11, "10"), round(10, "11"), step(18, "status")];
        let mut text = Vec::new();
        write_explanation(&explanation, |_, _| None, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let told = "1: a.c:67 (10th to 12th time): because of this:\n      `item` is 11 here, 0 there\n      \
            and so on, until it is 9 here, 0 there\n";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("2: a.c:18: because of this:"), "{text}");
    }

    #[test]
    fn an_effect_that_the_summary_ends_with_a_full_stop_is_told_once() {
        let (effect, summary) = ("exit status 1: Malloc failed.", "t2: exit status 1: Malloc failed.");
        assert_eq!(untold("t2", effect, &[summary.to_owned()]), "");
        assert_eq!(untold("t2", "exit status 1: 3 of 4.", &["t2: exit status 1.".to_owned()]), "3 of 4.");
    }

    #[test]
    fn of_a_long_chain_the_middle_is_counted() {
        let mut explanation = explanation();
        // Other values each: nothing is handed on.
        let steps = |n: u32| {
            let one = |at: u32| {
                let mut step = step(100 + at % 7, "x");
                step.causes[0].failing = at.to_string();
                step
            };
            (1..=n).map(one).collect::<Vec<_>>()
        };
        let mut written = |n: u32| {
            explanation.steps = steps(n);
            let mut text = Vec::new();
            write_explanation(&explanation, |_, _| None, &mut text).unwrap();
            String::from_utf8(text).unwrap()
        };
        let text = written(12);
        assert!(text.contains("\n12: a.c:105: because") && !text.contains("more step"), "{text}");
        let text = written(25);
        let told = "\n8: a.c:101: because of this:\n      `x` is 8 here, 0 there\n      proved\n\n9 to 21: 13 more steps, at a.c:100, \
                    101, 102, 103, 104, 105, 106 (--format json has all)\n\n22: a.c:101: because";
        assert!(text.contains(told) && text.contains("\n25: a.c:104: because"), "{text}");
        assert!(text.contains("\n26: a.c:2: the difference comes in here"), "{text}");
    }

    #[test]
    fn rounds_of_a_loop_of_several_lines_are_counted() {
        let mut explanation = explanation();
        let round = |at: u32| {
            let mut step = step([22, 33, 25][at as usize % 3], "at");
            step.causes[0].failing = at.to_string();
            step
        };
        let mut first = step(50, "all");
        first.causes[0].failing = "77".into();
        explanation.steps = std::iter::once(first).chain((0..40).map(round)).chain([step(7, "tmp")]).collect();
        let mut text = Vec::new();
        write_explanation(&explanation, |_, _| None, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let told = "\n4 to 40: 37 more steps, at a.c:22, 25, 33 (--format json has all)\n";
        assert!(text.contains(told), "{text}");
        assert!(text.contains("\n42: a.c:7: because") && text.matches("because of this").count() == 5, "{text}");
    }

    #[test]
    fn what_comes_in_at_the_last_step_is_not_told_twice() {
        let mut explanation = explanation();
        explanation.steps[1].cause_point.line = 2;
        explanation.steps[1].causes[0].what = "what mkdir returned".into();
        explanation.origins[0].point.line = 2;
        explanation.origins[0].what = vec!["what mkdir returned is -1 here, 0 there".into()];
        let mut text = Vec::new();
        write_explanation(&explanation, |_, _| None, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("      what mkdir returned is -1 here, 0 there\n"), "{text}");
        assert!(text.contains("      proved\n      the difference comes in here\n"), "{text}");
        assert!(!text.contains("2: a.c"), "{text}");
    }

    #[test]
    fn what_comes_in_at_one_line_several_times_is_told_once() {
        let mut explanation = explanation();
        let first = explanation.origins[0].clone();
        let origin = |line: u32, value: usize| {
            let mut origin = first.clone();
            (origin.point.line, origin.what) = (line, vec![format!("`c` is {value} here, 0 there")]);
            origin
        };
        explanation.origins = vec![origin(2, 5), origin(3, 1), origin(2, 5), origin(2, 6)];
        explanation.origins.extend((7..15).map(|value| origin(2, value)));
        let mut text = Vec::new();
        write_explanation(&explanation, |_, _| None, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        let told =
            "2: a.c:2: the difference comes in here\n      `c` is 5 here, 0 there\n      `c` is 6 here, 0 there\n";
        assert!(text.contains(told), "{text}");
        let rest =
            "      `c` is 10 here, 0 there\n      and 4 more (--format json has all)\n\n3: a.c:3: the difference";
        assert!(text.contains(rest), "{text}");
    }

    #[test]
    fn instances_and_the_start_are_told_in_words() {
        let mut explanation = explanation();
        explanation.steps[1].cause_point.instance = 22;
        explanation.origins[0].point = Point { file: "a.c".into(), ..Point::default() };
        let mut text = Vec::new();
        write_explanation(&explanation, |_, _| None, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(text.contains("1: a.c:7 (22nd time): because of this:"), "{text}");
        assert!(text.contains("2: before main: the difference comes in here"), "{text}");
    }

    #[test]
    fn json_is_read_back_and_fits_the_schema_file() {
        let json = serde_json::to_value(explanation()).unwrap();
        assert_eq!(serde_json::from_value::<Explanation>(json.clone()).unwrap(), explanation());
        let schema = schemars::schema_for!(Explanation);
        let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explanation.schema.json");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "UPDATE_EXPECT=1 writes it anew");
        let validator = jsonschema::validator_for(&schema.to_value()).unwrap();
        assert!(validator.is_valid(&json));
    }
}
