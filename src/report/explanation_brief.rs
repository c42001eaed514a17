//! An explanation in short, for programs (`docs/explanation-brief.schema.json`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::Explanation;

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const BRIEF_EXPLANATION_SCHEMA_VERSION: u32 = 1;
/// Bytes of each text, at most: six texts and the places stay below a kilobyte.
const MOST_BYTES: usize = 120;
/// Places, at most.
const MOST_PLACES: usize = 5;

/// An explanation in short: at most 1000 bytes of JSON.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefExplanation {
    /// Version of this form.
    pub schema_version: u32,
    /// The failing test.
    pub test: String,
    /// The run that it is compared with.
    pub against: String,
    /// What happens, and what it comes from.
    pub summary: Vec<String>,
    /// Where the causes are: `FILE:LINE`, the first cause first.
    pub places: Vec<String>,
    /// Whether patched runs proved each step.
    pub verified: bool,
    /// What shows all of it.
    pub command: String,
}

impl BriefExplanation {
    /// Of an explanation.
    pub fn of(explanation: &Explanation) -> BriefExplanation {
        let origins = explanation.origins.iter().map(|origin| &origin.point);
        let steps = explanation.steps.iter().rev().filter(|step| !step.causes.is_empty()).map(|step| &step.cause_point);
        let mut places: Vec<String> = Vec::new();
        for point in origins.chain(steps).filter(|point| point.line > 0) {
            let place = format!("{}:{}", last_bytes(&point.file, MOST_BYTES / 4), point.line);
            if places.len() < MOST_PLACES && !places.contains(&place) {
                places.push(place);
            }
        }
        BriefExplanation {
            schema_version: BRIEF_EXPLANATION_SCHEMA_VERSION,
            test: short(&explanation.test, MOST_BYTES / 2),
            against: short(&explanation.against, MOST_BYTES / 2),
            summary: explanation.summary.iter().map(|text| short(text, MOST_BYTES)).collect(),
            places,
            verified: explanation.verified,
            command: short(&explanation.command, MOST_BYTES),
        }
    }
}

/// A text of so many bytes, at most; each counts twice in JSON if it is quoted there.
fn short(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let end = (0..=most - 3).rev().find(|at| text.is_char_boundary(*at)).unwrap_or(0);
    format!("{}...", &text[..end])
}

/// The end of a path.
fn last_bytes(text: &str, most: usize) -> &str {
    let from = text.len().saturating_sub(most);
    let from = (from..text.len()).find(|at| text.is_char_boundary(*at)).unwrap_or(text.len());
    &text[from..]
}

#[cfg(test)]
mod tests {
    use super::super::document::{Origin, Point, Step};
    use super::*;

    #[test]
    fn it_keeps_within_a_kilobyte_and_fits_the_schema_file() {
        let long = "quoted \"text\" ".repeat(50);
        let point = |line| Point { file: "directory/".repeat(30), line, ..Point::default() };
        let explanation = Explanation {
            test: long.clone(),
            against: long.clone(),
            summary: vec![long.clone(), long.clone()],
            command: long,
            origins: (1..20).map(|line| Origin { point: point(line), what: Vec::new() }).collect(),
            steps: vec![Step::default()],
            ..Explanation::default()
        };
        let brief = BriefExplanation::of(&explanation);
        let json = serde_json::to_string(&brief).unwrap();
        assert!(json.len() <= 1000, "{} bytes: {json}", json.len());
        assert_eq!(brief.places.len(), MOST_PLACES);
        let schema = schemars::schema_for!(BriefExplanation);
        let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explanation-brief.schema.json");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "UPDATE_EXPECT=1 writes it anew");
    }
}
