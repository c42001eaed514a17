//! A report as GitLab's code quality JSON, which it shows in merge requests.

use serde_json::{Value, json};

use super::Report;
use super::fingerprint::fingerprint;
use super::words::{place, suspicion, why};

/// Lines that count as major; the others are minor.
const MAJOR: usize = 5;

/// The first `top` lines of the ranking.
pub fn report_code_quality(report: &Report, top: usize) -> Value {
    let Some(ranking) = &report.ranking else { return json!([]) };
    let issue = |(at, entry): (usize, &super::Entry)| {
        json!({
            "type": "issue",
            "check_name": "suspect",
            "description": format!("#{} {} ({}): {}", at + 1, place(entry), suspicion(ranking, entry), why(entry)),
            "categories": ["Bug Risk"],
            "severity": if at < MAJOR { "major" } else { "minor" },
            "fingerprint": fingerprint(report, entry),
            "location": { "path": entry.file, "lines": { "begin": entry.line, "end": entry.last_line.max(entry.line) } },
        })
    };
    Value::from(report.top(top).iter().enumerate().map(issue).collect::<Vec<_>>())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::document_tests::sample;

    #[test]
    fn issues_have_what_gitlab_needs() {
        let value = report_code_quality(&sample(), 9);
        let issues = value.as_array().unwrap();
        assert_eq!(issues.len(), 2);
        assert_eq!(
            (&issues[0]["location"]["path"], &issues[0]["location"]["lines"]["begin"]),
            (&json!("sum.c"), &json!(4))
        );
        assert!(issues[0]["description"].as_str().unwrap().starts_with("#1 sum.c:4 in sum() (83 %): with `+`"));
        assert!(issues.iter().all(|issue| issue["fingerprint"].as_str().is_some_and(|text| text.len() == 16)));
        assert_ne!(issues[0]["fingerprint"], issues[1]["fingerprint"]);
        assert_eq!(report_code_quality(&Report { ranking: None, ..sample() }, 9), json!([]));
    }
}
