//! Reading a report back, and writing it.

use std::fs;
use std::path::Path;

use serde::Deserialize;

use super::{REPORT_SCHEMA_VERSION, Report};
use crate::obstacle::Obstacle;

/// Why a text is no report.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// It is not JSON, or cut off.
    #[error("is no JSON: {0}; give a file that `suspect report --format json` wrote, whole")]
    NotJson(serde_json::Error),
    /// It is JSON of something else.
    #[error("is no report: {0}; give a file that `suspect report --format json` wrote")]
    Foreign(String),
    /// Another version of suspect wrote it.
    #[error(
        "is a report of version {found}, this suspect reads {REPORT_SCHEMA_VERSION}; make it again with `suspect report --format json`"
    )]
    Version {
        /// The version it names.
        found: u64,
    },
}

/// Reads a report that was written as JSON.
pub fn read_report(path: &Path) -> Result<Report, Obstacle> {
    let text = fs::read(path).map_err(|error| {
        let message =
            format!("cannot read {}: {error}; give a file that `suspect report --format json` wrote", path.display());
        Obstacle::new(Obstacle::File, message)
    })?;
    Report::parse(&text).map_err(|error| Obstacle::new(Obstacle::File, format!("{} {error}", path.display())))
}

impl Report {
    /// Reads what [`Report::to_json`] wrote.
    ///
    /// # Errors
    /// When it is something else or of another version.
    pub fn parse(text: &[u8]) -> Result<Report, ReadError> {
        let value: serde_json::Value = serde_json::from_slice(text).map_err(ReadError::NotJson)?;
        let foreign = |what: &str| Err(ReadError::Foreign(what.to_string()));
        let Some(object) = value.as_object() else { return foreign("it is no object") };
        if !object.contains_key("suspect_version") {
            return foreign("`suspect_version` is missing");
        }
        match object.get("schema_version").and_then(serde_json::Value::as_u64) {
            Some(version) if version == u64::from(REPORT_SCHEMA_VERSION) => {}
            Some(found) => return Err(ReadError::Version { found }),
            None => return foreign("`schema_version` is missing"),
        }
        let report = Report::deserialize(value).map_err(|error| ReadError::Foreign(error.to_string()))?;
        report.check()
    }

    /// Columns of one table are equally long.
    fn check(self) -> Result<Report, ReadError> {
        let foreign = |what: String| Err(ReadError::Foreign(what));
        for file in &self.files {
            if file.failing.len() != file.lines.len() || file.passing.len() != file.lines.len() {
                return foreign(format!("the counts of {} are not as many as its lines", file.path));
            }
        }
        let n_methods = self.comparison.methods.len();
        match self.comparison.lines.iter().find(|line| line.ranks.len() != n_methods) {
            Some(line) => foreign(format!("{}:{} has not one rank for each method", line.file, line.line)),
            None => Ok(self),
        }
    }

    /// Its JSON form, with a line end.
    pub fn to_json(&self) -> String {
        let mut text = serde_json::to_string(self).expect("a report has string keys and finite numbers or null");
        text.push('\n');
        text
    }
}
