//! A score as it is shown: a number, an infinity, or nothing.

use std::borrow::Cow;
use std::fmt;

use schemars::{JsonSchema, Schema, SchemaGenerator, json_schema};
use serde::de::{self, Deserializer, Unexpected, Visitor};
use serde::{Deserialize, Serialize, Serializer};

/// The score that a method gives: in JSON a number, `"inf"` or `"-inf"` where it is infinite, `null` where the method is undefined for it or has
/// nothing to judge it by.
#[derive(Clone, Copy, Debug)]
pub struct Score(pub f64);

/// From this size on a number is shown with its power of ten, for its digits would say nothing.
const LARGE: f64 = 1e9;

/// Names of the infinities.
const INFINITE: &str = "inf";
const MINUS_INFINITE: &str = "-inf";

impl Score {
    /// The number, if it is finite: what tables and other tools' formats can hold.
    pub fn finite(self) -> Option<f64> {
        Some(self.0).filter(|score| score.is_finite())
    }
}

impl PartialEq for Score {
    fn eq(&self, other: &Score) -> bool {
        self.0 == other.0 || (self.0.is_nan() && other.0.is_nan())
    }
}

impl fmt::Display for Score {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            score if score.is_nan() => f.write_str("undefined"),
            f64::INFINITY => f.write_str(INFINITE),
            f64::NEG_INFINITY => f.write_str(MINUS_INFINITE),
            score if score.abs() >= LARGE => write!(f, "{score:.4e}"),
            score => write!(f, "{score:.4}"),
        }
    }
}

impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            score if score.is_nan() => serializer.serialize_none(),
            f64::INFINITY => serializer.serialize_str(INFINITE),
            f64::NEG_INFINITY => serializer.serialize_str(MINUS_INFINITE),
            score => serializer.serialize_f64(score),
        }
    }
}

impl<'de> Deserialize<'de> for Score {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Score, D::Error> {
        deserializer.deserialize_any(ScoreVisitor)
    }
}

struct ScoreVisitor;

impl Visitor<'_> for ScoreVisitor {
    type Value = Score;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a number, \"inf\", \"-inf\" or null")
    }

    fn visit_f64<E: de::Error>(self, score: f64) -> Result<Score, E> {
        Ok(Score(score))
    }

    fn visit_u64<E: de::Error>(self, score: u64) -> Result<Score, E> {
        Ok(Score(score as f64))
    }

    fn visit_i64<E: de::Error>(self, score: i64) -> Result<Score, E> {
        Ok(Score(score as f64))
    }

    fn visit_str<E: de::Error>(self, text: &str) -> Result<Score, E> {
        match text {
            INFINITE => Ok(Score(f64::INFINITY)),
            MINUS_INFINITE => Ok(Score(f64::NEG_INFINITY)),
            other => Err(E::invalid_value(Unexpected::Str(other), &self)),
        }
    }

    fn visit_unit<E: de::Error>(self) -> Result<Score, E> {
        Ok(Score(f64::NAN))
    }
}

impl JsonSchema for Score {
    fn schema_name() -> Cow<'static, str> {
        "Score".into()
    }

    fn json_schema(_: &mut SchemaGenerator) -> Schema {
        json_schema!({
            "description": "A number; `\"inf\"` or `\"-inf\"` where it is infinite; `null` where the method is undefined or has nothing to judge by.",
            "anyOf": [{ "type": "number", "format": "double" }, { "enum": [INFINITE, MINUS_INFINITE] }, { "type": "null" }],
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_finite_number_is_said_to_be_none() {
        let shown = |score: f64| (Score(score).to_string(), serde_json::to_string(&Score(score)).unwrap());
        let pair = |text: &str, json: &str| (text.to_owned(), json.to_owned());
        assert_eq!(shown(0.25), pair("0.2500", "0.25"));
        assert_eq!(shown(f64::INFINITY), pair("inf", "\"inf\""));
        assert_eq!(shown(f64::NEG_INFINITY), pair("-inf", "\"-inf\""));
        assert_eq!(shown(f64::NAN), pair("undefined", "null"));
        assert!(shown(f64::MAX).0.len() < 16 && shown(-1e300).0 == "-1.0000e300");
        for score in [0.25, -3.0, f64::INFINITY, f64::NEG_INFINITY, f64::NAN, f64::MAX] {
            let json = serde_json::to_string(&Score(score)).unwrap();
            assert_eq!(serde_json::from_str::<Score>(&json).unwrap(), Score(score), "{json}");
        }
        assert!(serde_json::from_str::<Score>("\"much\"").is_err());
    }
}
