//! An explanation in short, for programs (`docs/explanation-brief.schema.json`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::document::Explanation;

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const BRIEF_EXPLANATION_SCHEMA_VERSION: u32 = 1;
/// Bytes of JSON, at most.
const MOST_JSON: usize = 1000;
/// Bytes of JSON of each text, at most: the first of these with which all of it keeps within its bytes. The command is never cut, for it is to be pasted.
const CLIPPED: [usize; 5] = [240, 120, 60, 30, 15];
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
    /// What shows all of it; empty if it does not fit.
    pub command: String,
}

impl BriefExplanation {
    /// Of an explanation.
    pub fn of(explanation: &Explanation) -> BriefExplanation {
        let origins = explanation.origins.iter().map(|origin| &origin.point);
        let steps = explanation.steps.iter().rev().filter(|step| !step.causes.is_empty()).map(|step| &step.cause_point);
        let mut places: Vec<String> = Vec::new();
        for point in origins.chain(steps).filter(|point| point.line > 0) {
            let place = format!("{}:{}", point.file, point.line);
            if places.len() < MOST_PLACES && !places.contains(&place) {
                places.push(place);
            }
        }
        let mut brief = BriefExplanation {
            schema_version: BRIEF_EXPLANATION_SCHEMA_VERSION,
            test: explanation.test.clone(),
            against: explanation.against.clone(),
            summary: explanation.summary.clone(),
            places,
            verified: explanation.verified,
            command: explanation.command.clone(),
        };
        for most in CLIPPED {
            if brief.fits() {
                return brief;
            }
            brief.clip(most);
        }
        if !brief.fits() {
            brief.command.clear();
        }
        brief
    }

    fn fits(&self) -> bool {
        serde_json::to_string(self).is_ok_and(|json| json.len() <= MOST_JSON)
    }

    fn clip(&mut self, most: usize) {
        for text in [&mut self.test, &mut self.against].into_iter().chain(&mut self.summary) {
            *text = beginning(text, most);
        }
        for place in &mut self.places {
            *place = end(place, most);
        }
    }
}

/// Bytes of a character in a string of JSON.
fn in_json(c: char) -> usize {
    serde_json::to_string(&c).map_or(6, |json| json.len() - 2)
}

/// A text whose JSON has so many bytes, at most: the beginning of a longer one.
fn beginning(text: &str, most: usize) -> String {
    match clipped(text.chars(), most) {
        None => text.to_owned(),
        Some(kept) => format!("{kept}..."),
    }
}

/// The same with the end of a longer one, as of a path.
fn end(text: &str, most: usize) -> String {
    match clipped(text.chars().rev(), most) {
        None => text.to_owned(),
        Some(kept) => format!("...{}", kept.chars().rev().collect::<String>()),
    }
}

/// The first characters, if not all have their place, so that three dots have theirs.
fn clipped(characters: impl Iterator<Item = char> + Clone, most: usize) -> Option<String> {
    if characters.clone().map(in_json).sum::<usize>() <= most {
        return None;
    }
    let mut left = most.saturating_sub(3);
    let fits = |c: &char| {
        let bytes = in_json(*c);
        let fits = bytes <= left;
        left = left.saturating_sub(bytes);
        fits
    };
    Some(characters.take_while(fits).collect())
}

#[cfg(test)]
mod tests {
    use super::super::document::{Origin, Point, Step};
    use super::*;

    #[test]
    fn it_keeps_within_a_kilobyte_and_fits_the_schema_file() {
        let long = "quoted \"text\" \u{1}".repeat(50);
        let command = format!("suspect explain {}", "case".repeat(100));
        let point = |line| Point { file: "directory/".repeat(30), line, ..Point::default() };
        let explanation = Explanation {
            test: long.clone(),
            against: long.clone(),
            summary: vec![long.clone(), long.clone()],
            command: command.clone(),
            origins: (1..20).map(|line| Origin { point: point(line), what: Vec::new() }).collect(),
            steps: vec![Step::default()],
            ..Explanation::default()
        };
        let brief = BriefExplanation::of(&explanation);
        let json = serde_json::to_string(&brief).unwrap();
        assert!(json.len() <= 1000, "{} bytes: {json}", json.len());
        assert_eq!((brief.places.len(), &brief.command), (MOST_PLACES, &command));
        assert!(brief.places[0].starts_with("...") && brief.places[0].ends_with("/:1"), "{json}");
        let endless = Explanation { command: "x".repeat(2000), ..explanation };
        assert_eq!(BriefExplanation::of(&endless).command, "");
        let schema = schemars::schema_for!(BriefExplanation);
        let expected = serde_json::to_string_pretty(&schema).unwrap() + "\n";
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/explanation-brief.schema.json");
        if std::env::var_os("UPDATE_EXPECT").is_some() {
            std::fs::write(path, &expected).unwrap();
        }
        assert_eq!(std::fs::read_to_string(path).unwrap(), expected, "UPDATE_EXPECT=1 writes it anew");
    }
}
