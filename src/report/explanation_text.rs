//! An explanation as a compiler's notes.

use std::io::{self, Write};

use crate::evidence::ordinal;

use super::document::{Cause, Explanation, Point, Step};

/// Writes an explanation; `line` gives the text of a line of the source, if it can be had.
pub fn write_explanation(
    explanation: &Explanation,
    line: impl Fn(&str, u32) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let Explanation { test, against, effect, .. } = explanation;
    writeln!(out, "{test} compared with {against}: {effect}")?;
    let mut number = 0;
    let mut steps = explanation.steps.as_slice();
    while let Some((step, rest)) = steps.split_first() {
        number += 1;
        let copies = copies(step, rest);
        let last = copies.checked_sub(1).map_or(step, |last| &rest[last]);
        let passed = [step].into_iter().chain(&rest[..copies]).rev().skip(1).flat_map(|step| &step.causes);
        let mut handed_on: Vec<String> = passed.map(|cause| format!("`{}`", cause.what)).collect();
        handed_on.dedup();
        write_step(number, last, &handed_on, &line, out)?;
        steps = &rest[copies..];
    }
    for origin in &explanation.origins {
        number += 1;
        writeln!(out, "\n{number}: {}: the difference comes in here", at(&origin.point))?;
        write_source(&origin.point, &line, out)?;
        for text in &origin.what {
            writeln!(out, "      {text}")?;
        }
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

/// How many of the steps behind `step` only hand on its value.
fn copies(step: &Step, rest: &[Step]) -> usize {
    let alike = |one: &Cause, other: &Cause| one.failing == other.failing && one.passing == other.passing;
    let [cause] = step.causes.as_slice() else { return 0 };
    let hands_on = |next: &&Step| matches!(next.causes.as_slice(), [other] if alike(cause, other)) && !next.decides;
    rest.iter().take_while(hands_on).count()
}

fn at(point: &Point) -> String {
    match point.line {
        0 => "before main".to_owned(),
        line => format!("{}:{line}", point.file),
    }
}

fn write_source(point: &Point, line: &impl Fn(&str, u32) -> Option<String>, out: &mut impl Write) -> io::Result<()> {
    match line(&point.file, point.line) {
        Some(text) => writeln!(out, "{:>6} | {}", point.line, text.trim_end()),
        None => Ok(()),
    }
}

fn write_step(
    number: u32,
    last: &Step,
    handed_on: &[String],
    line: &impl Fn(&str, u32) -> Option<String>,
    out: &mut impl Write,
) -> io::Result<()> {
    let point = &last.cause_point;
    let which = if point.instance > 1 { format!(" ({} time)", ordinal(point.instance)) } else { String::new() };
    writeln!(out, "\n{number}: {}{which}: because of this:", at(point))?;
    write_source(point, line, out)?;
    for Cause { what, failing, passing } in &last.causes {
        writeln!(out, "      `{what}` is {failing} here, {passing} there")?;
    }
    if last.causes.is_empty() {
        writeln!(out, "      nothing that is in memory here differs")?;
    }
    for taken in &last.taken {
        writeln!(out, "      {taken}")?;
    }
    if !handed_on.is_empty() {
        writeln!(out, "      handed on to {}", handed_on.join(", "))?;
    }
    writeln!(out, "      {}", last.model)
}

#[cfg(test)]
mod tests {
    use super::super::document::{EXPLANATION_SCHEMA_VERSION, Origin};
    use super::*;

    fn step(line: u32, what: &str) -> Step {
        let point = |line| Point { file: "a.c".into(), line, instance: 1, ..Point::default() };
        Step {
            cause_point: point(line),
            effect_point: point(line + 1),
            causes: vec![Cause { what: what.into(), failing: "-1".into(), passing: "0".into() }],
            model: "proved".into(),
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
        write_explanation(&explanation(), |_, line| Some(format!("source {line}")), &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert!(
            text.contains("1: a.c:7: because of this:\n     7 | source 7\n      `tmp` is -1 here, 0 there"),
            "{text}"
        );
        assert!(text.contains("handed on to `status`"), "{text}");
        assert!(text.contains("2: a.c:2: the difference comes in here"), "{text}");
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
