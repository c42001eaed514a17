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
    let effect = explanation.steps.first().map(|step| &step.effect_point);
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
                "message": { "text": format!("{} compared with {}: {}", explanation.test, explanation.against, explanation.effect) },
                "locations": place.into_iter().collect::<Vec<_>>(),
                "codeFlows": [{ "threadFlows": [{ "locations": locations }] }],
            }],
        }],
    })
}
