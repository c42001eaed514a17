//! An explanation as SARIF 2.1.0: one result with a code flow from where the difference comes in to the effect.

use serde_json::{Value, json};

use super::document::{Cause, Explanation, Point};
use super::explanation_text::quoted;

fn location(point: &Point, text: &str) -> Value {
    json!({
        "physicalLocation": {
            "artifactLocation": { "uri": point.file },
            "region": { "startLine": point.line.max(1) },
        },
        "message": { "text": text },
    })
}

/// What is explained, and beside what.
fn compared(Explanation { test, against, effect, .. }: &Explanation) -> String {
    match against.is_empty() {
        true => format!("{test}: {effect}"),
        false => format!("{test} compared with {against}: {effect}"),
    }
}

/// The code flow; steps are in the order of the run.
pub fn explanation_sarif(explanation: &Explanation) -> Value {
    let mut locations = Vec::new();
    for origin in explanation.origins.iter().rev() {
        let text = format!("the difference comes in here: {}", origin.what.join(", "));
        locations.push(json!({ "location": location(&origin.point, &text), "kinds": ["origin"] }));
    }
    for step in explanation.steps.iter().rev() {
        let causes = step.causes.iter().map(|Cause { what, failing, passing }| {
            format!("{} is {failing} in {}, {passing} in {}", quoted(what), explanation.test, explanation.against)
        });
        let text = causes.chain([step.proof.clone()]).collect::<Vec<_>>().join("; ");
        locations.push(json!({ "location": location(&step.cause_point, &text) }));
    }
    // Of a run that was followed alone its facts are the way.
    let alone = explanation.steps.is_empty();
    let facts = explanation.facts.iter().filter(|_| alone).rev();
    locations.extend(facts.map(|fact| json!({ "location": location(fact, &fact.text) })));
    let effect = explanation.steps.first().map(|step| &step.effect_point).or(explanation.facts.first());
    let place = effect.map(|point| location(point, &explanation.effect));
    locations.extend(place.iter().map(|place| json!({ "location": place, "kinds": ["effect"] })));
    json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": { "driver": { "name": "suspect", "version": env!("CARGO_PKG_VERSION"), "rules": [{
                "id": "explanation",
                "shortDescription": { "text": "Why a test fails where another one passes" },
            }] } },
            "automationDetails": { "id": "suspect/explain/" },
            "results": [{
                "ruleId": "explanation",
                "level": "error",
                "message": { "text": compared(explanation) },
                "locations": place.into_iter().collect::<Vec<_>>(),
                "codeFlows": [{ "threadFlows": [{ "locations": locations }] }],
            }],
        }],
    })
}
