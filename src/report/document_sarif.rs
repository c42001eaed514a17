//! A report as SARIF 2.1.0: the first lines as results, chains of causes as code flows.

use serde_json::{Value, json};

use super::document_text::point;
use super::fingerprint::fingerprint;
use super::sarif::artifact;
use super::words::{not_looked_at, place, suspicion};
use super::{Entry, Explanation, Point, RankingReport, Report, Step};

/// Results that are warnings; the others are notes.
const WARNINGS: usize = 5;

/// The first `top` lines of the ranking.
pub fn report_sarif(report: &Report, top: usize) -> Value {
    let ranking = report.ranking.as_ref();
    let results = ranking.map_or_else(Vec::new, |ranking| {
        report.top(top).iter().enumerate().map(|(at, entry)| result(report, ranking, at, entry)).collect()
    });
    let notes = not_looked_at(&report.not_looked_at)
        .into_iter()
        .map(|statement| json!({ "level": "note", "message": { "text": format!("not looked at: {statement}") } }));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "suspect", "version": report.suspect_version, "rules": [rule()] } },
            "automationDetails": { "id": "suspect/report/" },
            "invocations": [{ "executionSuccessful": true, "toolExecutionNotifications": notes.collect::<Vec<_>>() }],
            "columnKind": "utf16CodeUnits",
            "results": results,
        }],
    })
}

fn rule() -> Value {
    json!({
        "id": "suspicious-line",
        "shortDescription": { "text": "This line is probably to blame for a failing test" },
        "fullDescription": {
            "text": "What failing and passing tests execute, and what changes of the program do to them, points to this line.",
        },
        "defaultConfiguration": { "level": "warning" },
    })
}

fn result(report: &Report, ranking: &RankingReport, at: usize, entry: &Entry) -> Value {
    let flows: Vec<Value> = report.explanations.iter().filter(|chain| touches(chain, entry)).map(flow).collect();
    let mut result = json!({
        "ruleId": "suspicious-line",
        "ruleIndex": 0,
        "level": if at < WARNINGS { "warning" } else { "note" },
        "message": { "text": message(ranking, entry) },
        "locations": [{
            "physicalLocation": {
                "artifactLocation": artifact(&entry.file),
                "region": { "startLine": entry.line.max(1), "endLine": entry.last_line.max(entry.line).max(1) },
            },
            "logicalLocations": [{ "name": entry.function, "kind": "function" }],
        }],
        "rank": rank_of(report, entry, at),
        "partialFingerprints": { "suspect/line/v1": fingerprint(report, entry) },
        "properties": {
            "suspect/rank": entry.rank,
            "suspect/score": entry.score,
            "suspect/probability": entry.probability,
        },
    });
    if !flows.is_empty() {
        result["codeFlows"] = Value::from(flows);
    }
    result
}

/// From 0 to 100: its probability, or how much of the ranking comes after it.
fn rank_of(report: &Report, entry: &Entry, at: usize) -> f64 {
    let after = 1.0 - at as f64 / f64::from(report.n_ranked.max(1));
    let share = entry.probability.unwrap_or(after).clamp(0.0, 1.0);
    (share * 10_000.0).round() / 100.0
}

fn message(ranking: &RankingReport, entry: &Entry) -> String {
    let mut text = format!(
        "#{} {} ({}): {}",
        super::words::rank(entry.rank_best, entry.rank_worst),
        place(entry),
        suspicion(ranking, entry),
        entry.evidence.sentence()
    );
    for reason in &entry.reasons {
        text += &format!("\n- {}", reason.text);
        if let Some(claim) = &reason.claim {
            text += &format!(" (suspect replay {})", claim.id);
        }
    }
    text
}

fn touches(chain: &Explanation, entry: &Entry) -> bool {
    let at = |point: &Point| point.file == entry.file && (entry.line..=entry.last_line).contains(&point.line);
    chain.steps.iter().any(|step| at(&step.cause_point) || at(&step.effect_point))
}

/// A chain from its first cause to the failure: one thread flow, as viewers show one only.
fn flow(chain: &Explanation) -> Value {
    let mut locations: Vec<Value> = Vec::new();
    let mut last = None;
    for step in chain.steps.iter().rev() {
        if last != Some(&step.cause_point) {
            locations.push(location(&step.cause_point, chain, &values(step)));
        }
        locations.push(location(&step.effect_point, chain, ""));
        last = Some(&step.effect_point);
    }
    json!({
        "message": { "text": format!("why {} fails; {}", chain.test, chain.command) },
        "threadFlows": [{ "locations": locations }],
    })
}

/// A point; the output, which is nowhere in the source, stands where the chain last was.
fn location(at: &Point, chain: &Explanation, values: &str) -> Value {
    let real = |point: &&Point| point.line > 0;
    let steps = chain.steps.iter().flat_map(|step| [&step.effect_point, &step.cause_point]);
    let place = [at].into_iter().find(real).or_else(|| steps.into_iter().find(real));
    let physical =
        place.map(|place| json!({ "artifactLocation": artifact(&place.file), "region": { "startLine": place.line } }));
    let mut location = json!({ "message": { "text": format!("{}{values}", point(at)) } });
    if let Some(physical) = physical {
        location["physicalLocation"] = physical;
    }
    json!({ "location": location, "nestingLevel": 0 })
}

fn values(step: &Step) -> String {
    let causes: Vec<String> =
        step.causes.iter().map(|cause| format!("{} is {}, not {}", cause.what, cause.failing, cause.passing)).collect();
    if causes.is_empty() { String::new() } else { format!(": {}", causes.join("; ")) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document_tests::{HOSTILE, hostile, sample};

    #[test]
    fn the_first_lines_are_results_with_rank_fingerprint_and_chain() {
        let value = report_sarif(&sample(), 10);
        let results = value["runs"][0]["results"].as_array().unwrap();
        assert_eq!(results.len(), 2);
        let first = &results[0];
        assert_eq!((first["rank"].as_f64().unwrap(), first["level"].as_str().unwrap()), (83.4, "warning"));
        assert_eq!(first["locations"][0]["physicalLocation"]["region"]["startLine"], 4);
        assert!(first["message"]["text"].as_str().unwrap().starts_with("#1 sum.c:4 in sum() (83 %)"), "{first}");
        assert_eq!(first["partialFingerprints"]["suspect/line/v1"].as_str().unwrap().len(), 16);
        let flow = first["codeFlows"][0]["threadFlows"][0]["locations"].as_array().unwrap();
        let lines: Vec<u64> = flow
            .iter()
            .map(|step| step["location"]["physicalLocation"]["region"]["startLine"].as_u64().unwrap())
            .collect();
        assert_eq!(lines, [3, 4], "from the cause to the effect");
        assert!(flow[0]["location"]["message"]["text"].as_str().unwrap().contains("a > 10 is true, not false"));
        assert!(results[1].get("codeFlows").is_none());
        assert_eq!(report_sarif(&sample(), 1)["runs"][0]["results"].as_array().unwrap().len(), 1);
    }

    #[test]
    fn the_output_stands_where_the_chain_last_was() {
        let mut report = sample();
        report.explanations[0].steps[0].effect_point = Point { text: "prints 1".into(), ..Point::default() };
        let value = report_sarif(&report, 1);
        let mut chain = report.explanations[0].clone();
        chain.steps[0].cause_point.line = 4;
        let flow = flow(&chain);
        let last = &flow["threadFlows"][0]["locations"][1]["location"];
        assert_eq!(last["physicalLocation"]["region"]["startLine"], 4, "{last}");
        assert_eq!(last["message"]["text"], "the output `prints 1`");
        assert!(value["runs"][0]["results"][0].get("codeFlows").is_none(), "line 4 is no part of the chain");
    }

    #[test]
    fn places_are_uris_whatever_files_are_called() {
        let value = report_sarif(&hostile(), 10);
        let uri = value["runs"][0]["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"].clone();
        let uri = uri.as_str().unwrap();
        assert!(uri.bytes().all(|byte| byte.is_ascii_graphic() && !b"<>\"'{}`".contains(&byte)), "{uri} of {HOSTILE}");
    }
}
