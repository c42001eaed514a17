//! Versions with known faults, and the features of the lines that their failing tests execute.

use std::collections::HashMap;
use std::fs;

use serde_json::Value;

/// Lines of a version with the same features.
pub struct Row {
    pub features: Vec<f64>,
    /// Lines that have them.
    pub count: f64,
    /// Of these, faulty ones.
    pub faulty: f64,
}

/// A version, ranked with one suite.
pub struct Version {
    pub program: String,
    pub name: String,
    pub class: String,
    pub rows: Vec<Row>,
    /// Tests of the suite that it was ranked with.
    pub tests: f64,
    /// Its share in a fit: one over the number of suites that the version was ranked with.
    pub weight: f64,
    /// Trials that were run, and seconds that took.
    pub trials: f64,
    pub seconds: f64,
}

impl Version {
    /// Whether a line that a failing test executes is faulty.
    pub fn is_reachable(&self) -> bool {
        self.rows.iter().any(|row| row.faulty > 0.0)
    }

    /// The mean position of the first faulty line by `scores` of the rows, ties in any order; infinite if no line is faulty.
    pub fn position(&self, scores: &[f64]) -> f64 {
        let best = self.rows.iter().zip(scores).filter(|(row, _)| row.faulty > 0.0).map(|(_, score)| *score);
        let best = best.fold(f64::NEG_INFINITY, f64::max);
        let sum = |is: &dyn Fn(f64) -> bool, of: fn(&Row) -> f64| -> f64 {
            self.rows.iter().zip(scores).filter(|(_, score)| is(**score)).map(|(row, _)| of(row)).sum()
        };
        let is_tied = |score: f64| (score - best).abs() <= 1e-9 * best.abs().max(1.0);
        let before = sum(&|score| score > best && !is_tied(score), |row| row.count);
        let (tied, faulty) = (sum(&is_tied, |row| row.count), sum(&is_tied, |row| row.faulty));
        if faulty == 0.0 { f64::INFINITY } else { before + (tied + 1.0) / (faulty + 1.0) }
    }
}

/// Reads files that `suspect eval --features` wrote: names of the features, and the versions.
pub fn read(paths: &[String]) -> Result<(Vec<String>, Vec<Version>), String> {
    let mut names: Vec<String> = Vec::new();
    let mut versions: Vec<Version> = Vec::new();
    let mut known: HashMap<String, usize> = HashMap::new();
    for path in paths {
        let text = fs::read_to_string(path).map_err(|error| format!("cannot read {path}: {error}"))?;
        for (number, line) in text.lines().enumerate() {
            let value: Value = serde_json::from_str(line).map_err(|error| format!("{path}:{}: {error}", number + 1))?;
            if value["program"].is_null() {
                let found: Vec<String> = strings(&value["features"]);
                if !names.is_empty() && names != found {
                    return Err(format!("{path} has other features than the files before it"));
                }
                names = found;
                continue;
            }
            let text_of = |key: &str| value[key].as_str().unwrap_or_default().to_string();
            let key = format!("{} {} {} {path}", text_of("program"), text_of("version"), text_of("suite"));
            if value["features"].is_null() {
                let class =
                    if value["class"].is_null() { strings(&value["kinds"]).join("+") } else { text_of("class") };
                known.insert(key, versions.len());
                let number = |key: &str| value[key].as_f64().unwrap_or_default();
                let (trials, seconds) = (number("trials"), number("seconds"));
                let program = base(&text_of("program"));
                versions.push(Version {
                    program,
                    name: format!("{}/{}", text_of("program"), text_of("version")),
                    class,
                    rows: Vec::new(),
                    tests: number("failing") + number("passing"),
                    weight: 1.0,
                    trials,
                    seconds,
                });
                continue;
            }
            let at = *known.get(&key).ok_or_else(|| format!("{path}:{}: a line of no version", number + 1))?;
            let features = value["features"].as_array().into_iter().flatten().filter_map(Value::as_f64).collect();
            let faulty = if value["is_faulty"] == Value::Bool(true) { 1.0 } else { 0.0 };
            versions[at].rows.push(Row { features, count: 1.0, faulty });
        }
    }
    versions.iter_mut().for_each(merge);
    weigh(&mut versions);
    Ok((names, versions))
}

/// Shares a version among the suites that it was ranked with.
fn weigh(versions: &mut [Version]) {
    let mut suites: HashMap<String, f64> = HashMap::new();
    versions.iter().for_each(|version| *suites.entry(version.name.clone()).or_default() += 1.0);
    versions.iter_mut().for_each(|version| version.weight = 1.0 / suites[&version.name]);
}

/// The program that a benchmark's part is of, whatever its faults come from: `lua51-varargs` and `lua-source` are both `lua`.
fn base(part: &str) -> String {
    let name = part.split('-').next().unwrap_or(part);
    name.trim_end_matches(|c: char| c.is_ascii_digit()).to_string()
}

fn strings(value: &Value) -> Vec<String> {
    value.as_array().into_iter().flatten().filter_map(Value::as_str).map(str::to_string).collect()
}

/// Lines with the same features become one row.
fn merge(version: &mut Version) {
    let mut at: HashMap<Vec<u64>, usize> = HashMap::new();
    let mut merged: Vec<Row> = Vec::new();
    for row in version.rows.drain(..) {
        let key: Vec<u64> = row.features.iter().map(|value| value.to_bits()).collect();
        let index = *at.entry(key).or_insert(merged.len());
        match merged.get_mut(index) {
            Some(known) => {
                known.count += row.count;
                known.faulty += row.faulty;
            }
            None => merged.push(row),
        }
    }
    version.rows = merged;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_version_is_shared_among_its_suites() {
        let of = |name: &str| Version {
            program: "p".into(),
            name: name.into(),
            class: "c".into(),
            rows: Vec::new(),
            tests: 6.0,
            weight: 1.0,
            trials: 0.0,
            seconds: 0.0,
        };
        let mut versions = vec![of("p/1"), of("p/2"), of("p/1")];
        weigh(&mut versions);
        assert_eq!(versions.iter().map(|version| version.weight).collect::<Vec<_>>(), [0.5, 1.0, 0.5]);
    }
}
