//! The file as TOML gives it, and checking it.

use std::collections::BTreeMap;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::Deserialize;
use serde::de::DeserializeOwned;
use suspect_format::abi::Mode;
use toml::Spanned;

use super::super::framework::Framework;
use super::super::likeness::{Close, Likeness};
use super::super::targets::Call;
use super::super::template::{Template, nearest};
use super::super::test_code::TestCode;
use super::{
    BuildConfig, Cases, CasesConfig, CommandConfig, Config, Expect, ExpectSource, Kind, LinesConfig, Names,
    ResultFormat, ScratchKind, StatedRange, StoreConfig, SuiteConfig,
};
use crate::mutant::ValueRange;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawConfig {
    #[serde(default)]
    build: RawBuild,
    #[serde(default)]
    store: RawStore,
    #[serde(default)]
    rank: RawRank,
    #[serde(default)]
    ranges: BTreeMap<Spanned<String>, Spanned<toml::Value>>,
    #[serde(default)]
    suite: Vec<Spanned<RawSuite>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawBuild {
    command: Option<String>,
    again: Option<String>,
    #[serde(default)]
    modes: Vec<Spanned<String>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct RawStore {
    keep: Option<Spanned<i64>>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawRank {
    test_code: Option<Vec<Spanned<String>>>,
}

/// A `[[suite]]` section as written.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct RawSuite {
    kind: Spanned<String>,
    name: Option<Spanned<String>>,
    dir: Option<PathBuf>,
    timeout: Option<Spanned<toml::Value>>,
    repeat: Option<Spanned<i64>>,
    #[serde(default)]
    env: BTreeMap<Spanned<String>, Spanned<String>>,
    scratch: Option<Spanned<String>>,
    alone: Option<Spanned<toml::Value>>,
    needs: Option<Spanned<toml::Value>>,
    cases: Option<Spanned<String>>,
    starts: Option<Spanned<toml::Value>>,
    targets: Option<Spanned<bool>>,
    list: Option<Spanned<String>>,
    run: Option<Spanned<String>>,
    result: Option<Spanned<String>>,
    inputs: Option<Spanned<String>>,
    file: Option<Spanned<String>>,
    expect: Option<Spanned<String>>,
    reference: Option<Spanned<String>>,
    filter: Option<Spanned<String>>,
    status: Option<Spanned<i64>>,
    close: Option<Spanned<f64>>,
    unordered: Option<Spanned<bool>>,
    patterns: Option<Spanned<bool>>,
}

/// Something wrong, and where in the text.
pub(super) struct Wrong {
    pub(super) at: Range<usize>,
    pub(super) message: String,
}

pub(super) fn wrong<T>(at: Range<usize>, message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { at, message: message.into() })
}

/// Line and column, from 1, of a byte in the text.
pub(super) fn position(text: &str, byte: usize) -> (usize, usize) {
    let before = text.get(..byte).unwrap_or(text);
    let line_start = before.rfind('\n').map_or(0, |at| at + 1);
    (before.matches('\n').count() + 1, before[line_start..].chars().count() + 1)
}

/// Reads and checks the whole text.
pub(super) fn check(text: &str, path: &Path) -> Result<Config, Wrong> {
    let raw: RawConfig = parse(text)?;
    let mut modes = Vec::new();
    for mode in raw.build.modes {
        let known = Mode::VERSIONS.map(Mode::name);
        let Some(found) = Mode::version_from_name(mode.get_ref()) else {
            return wrong(mode.span(), unknown_word("mode", mode.get_ref(), &known));
        };
        modes.push(found);
    }
    let store = check_store(raw.store)?;
    let test_code = check_test_code(raw.rank)?;
    let ranges = check_ranges(raw.ranges)?;
    let suites = check_suites(raw.suite)?;
    let build = BuildConfig { command: raw.build.command, again: raw.build.again, modes };
    Ok(Config { path: path.into(), build, store, test_code, ranges, suites })
}

pub(super) fn check_test_code(raw: RawRank) -> Result<TestCode, Wrong> {
    let Some(written) = raw.test_code else { return Ok(TestCode::default()) };
    let patterns: Vec<&str> = written.iter().map(|pattern| pattern.get_ref().as_str()).collect();
    TestCode::matching(&patterns).or_else(|(at, why)| {
        wrong(
            written[at].span(),
            format!("`test_code` is a list of patterns such as \"tests/**/*.c\"; this is none: {why}"),
        )
    })
}

fn check_ranges(raw: BTreeMap<Spanned<String>, Spanned<toml::Value>>) -> Result<Vec<StatedRange>, Wrong> {
    let mut ranges = Vec::new();
    for (name, value) in raw {
        let Some((function, variable)) = name.get_ref().split_once(':').filter(|(f, x)| !f.is_empty() && !x.is_empty())
        else {
            let what = "a range is of FUNCTION:VARIABLE, or of FUNCTION:return";
            return wrong(name.span(), format!("\"{}\": {what}", name.get_ref().escape_debug()));
        };
        let number = |value: &toml::Value| value.as_float().or_else(|| value.as_integer().map(|number| number as f64));
        let numbers: Option<Vec<f64>> = value.get_ref().as_array().and_then(|all| all.iter().map(number).collect());
        let range = match numbers.as_deref() {
            Some([low, high]) if low.is_finite() && high.is_finite() && low <= high => {
                ValueRange { low: *low, high: *high }
            }
            _ => return wrong(value.span(), "a range is the least and the greatest value, such as [0, 3]"),
        };
        ranges.push(StatedRange { function: function.into(), variable: variable.into(), range });
    }
    Ok(ranges)
}

fn check_store(raw: RawStore) -> Result<StoreConfig, Wrong> {
    let Some(keep) = raw.keep else { return Ok(StoreConfig::default()) };
    match usize::try_from(*keep.get_ref()) {
        Ok(keep @ 1..) => Ok(StoreConfig { keep }),
        _ => wrong(keep.span(), "`keep` is how many nights are kept, at least 1"),
    }
}

/// Reads TOML, naming what was probably meant by an unknown field.
pub(super) fn parse<T: DeserializeOwned>(text: &str) -> Result<T, Wrong> {
    toml::from_str(text).map_err(|e| {
        let at = e.span().unwrap_or(0..0);
        Wrong { message: suggest(e.message()), at }
    })
}

/// Checks `[[suite]]` sections.
pub(super) fn check_suites(raw: Vec<Spanned<RawSuite>>) -> Result<Vec<SuiteConfig>, Wrong> {
    raw.into_iter().map(check_suite).collect()
}

/// Adds what was probably meant to the message of an unknown field.
fn suggest(message: &str) -> String {
    let message = message.trim().replace('\n', " ");
    let mut names = message.split('`').skip(1).step_by(2);
    match (message.starts_with("unknown field"), names.next()) {
        (true, Some(name)) => match nearest(name, names) {
            Some(near) => format!("unknown field `{name}`: did you mean `{near}`?"),
            None => message,
        },
        _ => message,
    }
}

fn unknown_word(what: &str, word: &str, known: &[&str]) -> String {
    match nearest(word, known.iter().copied()) {
        Some(near) => format!("unknown {what} \"{word}\": did you mean \"{near}\"?"),
        None => format!("unknown {what} \"{word}\": one of \"{}\"", known.join("\", \"")),
    }
}

const KINDS: [&str; 8] = ["auto", "command", "cases", "lines", "ctest", "automake", "meson", "autotest"];

fn check_suite(raw: Spanned<RawSuite>) -> Result<SuiteConfig, Wrong> {
    let raw = raw.into_inner();
    let kind = check_kind(&raw)?;
    let own_dir = matches!(kind, Kind::Command(_) | Kind::Cases(_) | Kind::Lines(_));
    let scratch = match &raw.scratch {
        Some(word) if !own_dir => {
            return wrong(word.span(), format!("`scratch` has no meaning for kind = \"{}\"", kind.name()));
        }
        Some(word) => check_scratch(word)?,
        None => ScratchKind::None,
    };
    let cases = match &raw.cases {
        Some(word) if matches!(kind, Kind::Cases(_) | Kind::Lines(_)) => {
            return wrong(word.span(), format!("`cases` has no meaning for kind = \"{}\"", kind.name()));
        }
        Some(word) => Some(check_cases_of_programs(word)?),
        None => None,
    };
    let targets = match &raw.targets {
        Some(word) if *word.get_ref() && !calls_make(&kind) => {
            return wrong(word.span(), "`targets` is for one command that calls make, such as run = \"make check\"");
        }
        word => word.as_ref().is_some_and(|word| *word.get_ref()),
    };
    let repeat = match raw.repeat {
        Some(repeat) => match usize::try_from(*repeat.get_ref()) {
            Ok(times @ 2..=1000) => times,
            _ => return wrong(repeat.span(), "`repeat` is a number from 2 to 1000: once says nothing about chance"),
        },
        None => 2,
    };
    Ok(SuiteConfig {
        name: raw.name.map(check_name).transpose()?,
        kind,
        dir: raw.dir.unwrap_or_else(|| PathBuf::from(".")),
        timeout: raw.timeout.map(check_timeout).transpose()?,
        repeat,
        env: check_env(raw.env)?,
        scratch,
        alone: raw.alone.map_or(Ok(Names::None), |value| check_names(value, "alone", "net-*"))?,
        needs: raw.needs.map_or(Ok(Vec::new()), check_needs)?,
        cases,
        starts: raw.starts.map_or(Ok(Names::None), |value| check_names(value, "starts", "spec-*"))?,
        targets,
    })
}

/// Whether a suite is one call of make for one target.
fn calls_make(kind: &Kind) -> bool {
    matches!(kind, Kind::Command(config) if config.list.is_none() && config.run.plain().and_then(Call::parse).is_some())
}

/// All tests, or those that match a pattern, as a key says.
fn check_names(value: Spanned<toml::Value>, key: &str, example: &str) -> Result<Names, Wrong> {
    let names = match value.get_ref() {
        toml::Value::Boolean(true) => Ok(Names::All),
        toml::Value::Boolean(false) => Ok(Names::None),
        toml::Value::Array(patterns) => names_matching(patterns),
        _ => Err(String::new()),
    };
    names.or_else(|why| {
        let what = format!("`{key}` is true, or a list of patterns of names of tests such as [\"{example}\"]");
        wrong(value.span(), format!("{what}{why}"))
    })
}

fn check_needs(value: Spanned<toml::Value>) -> Result<Vec<(String, Names)>, Wrong> {
    let needs: Result<Vec<(String, Names)>, String> = match value.get_ref() {
        toml::Value::Array(names) => {
            let name = |name: &toml::Value| name.as_str().map(|name| (name.to_owned(), Names::All));
            names.iter().map(|one| name(one).ok_or_else(String::new)).collect()
        }
        toml::Value::Table(table) => {
            let need = |(name, tests): (&String, &toml::Value)| match tests {
                toml::Value::Array(patterns) => Ok((name.clone(), names_matching(patterns)?)),
                _ => Err(String::new()),
            };
            table.iter().map(need).collect()
        }
        _ => Err(String::new()),
    };
    needs.or_else(|why| {
        let what = "`needs` is a list of what each test has for itself such as [\"port 5555\"], or a table with the tests that need it such as \
                    { \"port 5555\" = [\"net-*\"] }";
        wrong(value.span(), format!("{what}{why}"))
    })
}

/// The tests that match a list of patterns, or what is wrong with it.
fn names_matching(patterns: &[toml::Value]) -> Result<Names, String> {
    let pattern = |value: &toml::Value| {
        let text = value.as_str().ok_or_else(String::new)?;
        glob::Pattern::new(text).map_err(|error| format!("; \"{text}\" is no pattern: {}", error.msg))
    };
    patterns.iter().map(pattern).collect::<Result<_, _>>().map(Names::Matching)
}

fn check_name(name: Spanned<String>) -> Result<String, Wrong> {
    match name.get_ref().as_str() {
        "" => wrong(name.span(), "`name` is empty"),
        text if text.contains(['/', '\n', '\0']) => wrong(name.span(), "`name` may not contain `/` or a line break"),
        _ => Ok(name.into_inner()),
    }
}

fn check_env(env: BTreeMap<Spanned<String>, Spanned<String>>) -> Result<BTreeMap<String, String>, Wrong> {
    for (name, value) in &env {
        if name.get_ref().is_empty() || name.get_ref().contains(['=', '\0']) {
            return wrong(name.span(), format!("`{}` cannot be the name of a variable", name.get_ref().escape_debug()));
        }
        if value.get_ref().contains('\0') {
            return wrong(value.span(), "a variable cannot contain the character NUL");
        }
    }
    Ok(env.into_iter().map(|(name, value)| (name.into_inner(), value.into_inner())).collect())
}

fn check_scratch(word: &Spanned<String>) -> Result<ScratchKind, Wrong> {
    match word.get_ref().as_str() {
        "none" => Ok(ScratchKind::None),
        "copy" => Ok(ScratchKind::Copy),
        "empty" => Ok(ScratchKind::Empty),
        other => wrong(word.span(), unknown_word("scratch", other, &["none", "copy", "empty"])),
    }
}

fn check_cases_of_programs(word: &Spanned<String>) -> Result<Cases, Wrong> {
    match word.get_ref().as_str() {
        "auto" => Ok(Cases::Auto),
        other => match Framework::ALL.into_iter().find(|framework| framework.name() == other) {
            Some(framework) => Ok(Cases::Of(framework)),
            None => {
                let known: Vec<&str> = ["auto"].into_iter().chain(Framework::ALL.map(Framework::name)).collect();
                wrong(word.span(), unknown_word("framework", other, &known))
            }
        },
    }
}

fn check_timeout(value: Spanned<toml::Value>) -> Result<Duration, Wrong> {
    let duration = match value.get_ref() {
        toml::Value::String(text) => parse_duration(text),
        // Seconds of a configuration file are far from where this loses digits.
        toml::Value::Integer(seconds) => seconds_to_duration(*seconds as f64),
        toml::Value::Float(seconds) => seconds_to_duration(*seconds),
        _ => None,
    };
    match duration {
        Some(duration) => Ok(duration),
        None => {
            wrong(value.span(), "`timeout` is a time such as \"10s\", \"500ms\" or \"2min\", or a number of seconds")
        }
    }
}

/// A time such as "10s", "500ms" or "2min", or a number of seconds; more than nothing and at most a year.
pub fn parse_duration(text: &str) -> Option<Duration> {
    let text = text.trim();
    let digits = text.find(|c: char| !c.is_ascii_digit() && c != '.').unwrap_or(text.len());
    let number: f64 = text[..digits].parse().ok()?;
    let unit = match text[digits..].trim() {
        "" | "s" | "sec" => 1.0,
        "ms" => 1e-3,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    seconds_to_duration(number * unit)
}

/// More than nothing, at most a year.
fn seconds_to_duration(seconds: f64) -> Option<Duration> {
    (1e-3..=366.0 * 86_400.0).contains(&seconds).then(|| Duration::from_secs_f64(seconds))
}

fn check_kind(raw: &RawSuite) -> Result<Kind, Wrong> {
    let kind = raw.kind.get_ref().as_str();
    let allowed: &[&str] = match kind {
        "command" => &["list", "run", "result"],
        "cases" => &["inputs", "run", "expect", "reference", "filter"],
        "lines" => &["file", "run", "expect", "reference", "filter"],
        "auto" | "ctest" | "automake" | "meson" | "autotest" => &[],
        other => return wrong(raw.kind.span(), unknown_word("kind", other, &KINDS)),
    };
    for (name, field) in raw.own_fields() {
        if let Some(field) = field
            && !allowed.contains(&name)
        {
            return wrong(field.span(), format!("`{name}` has no meaning for kind = \"{kind}\""));
        }
    }
    let compares = matches!(kind, "cases" | "lines") && (raw.expect.is_some() || raw.reference.is_some());
    for (name, field) in raw.comparing_fields() {
        if let Some(at) = field
            && !compares
        {
            return wrong(
                at,
                format!(
                    "`{name}` needs kind = \"cases\" or \"lines\" with `expect` or `reference` to compare the output with"
                ),
            );
        }
    }
    match kind {
        "command" => check_command(raw).map(Kind::Command),
        "cases" => check_cases(raw).map(Kind::Cases),
        "lines" => check_lines(raw).map(Kind::Lines),
        "ctest" => Ok(Kind::Ctest),
        "automake" => Ok(Kind::Automake),
        "meson" => Ok(Kind::Meson),
        "autotest" => Ok(Kind::Autotest),
        _ => Ok(Kind::Auto),
    }
}

impl RawSuite {
    /// Fields that only some kinds have.
    fn own_fields(&self) -> [(&'static str, &Option<Spanned<String>>); 8] {
        [
            ("list", &self.list),
            ("run", &self.run),
            ("result", &self.result),
            ("inputs", &self.inputs),
            ("file", &self.file),
            ("expect", &self.expect),
            ("reference", &self.reference),
            ("filter", &self.filter),
        ]
    }

    /// Where fields are that only comparisons have.
    fn comparing_fields(&self) -> [(&'static str, Option<Range<usize>>); 4] {
        [
            ("status", self.status.as_ref().map(Spanned::span)),
            ("close", self.close.as_ref().map(Spanned::span)),
            ("unordered", self.unordered.as_ref().map(Spanned::span)),
            ("patterns", self.patterns.as_ref().map(Spanned::span)),
        ]
    }

    /// The field, or what to say when it is missing.
    fn need<'a>(
        &self,
        field: &'a Option<Spanned<String>>,
        name: &str,
        like: &str,
    ) -> Result<&'a Spanned<String>, Wrong> {
        match field {
            Some(field) => Ok(field),
            None => {
                let kind = self.kind.get_ref();
                wrong(self.kind.span(), format!("kind = \"{kind}\" needs `{name}`, such as {name} = \"{like}\""))
            }
        }
    }
}

fn shell(text: &Spanned<String>, known: &[&str]) -> Result<Template, Wrong> {
    no_nul(text)?;
    Template::shell(text.get_ref(), known).or_else(|message| wrong(text.span(), message))
}

fn no_nul(text: &Spanned<String>) -> Result<String, Wrong> {
    match text.get_ref().contains('\0') {
        true => wrong(text.span(), "a command or path cannot contain the character NUL"),
        false => Ok(text.get_ref().clone()),
    }
}

fn check_command(raw: &RawSuite) -> Result<CommandConfig, Wrong> {
    let run = raw.need(&raw.run, "run", "sh {test}")?;
    let template = shell(run, &["test", "dir"])?;
    if raw.list.is_some() && !template.uses("test") {
        return wrong(run.span(), "`run` does not use {test}, so each test of `list` would run the same");
    }
    if raw.list.is_none() && template.uses("test") {
        return wrong(run.span(), "`run` uses {test}, but there is no `list` to say what the tests are");
    }
    let list = raw.list.as_ref().map(no_nul).transpose()?;
    let result = match &raw.result {
        None => ResultFormat::Exit,
        Some(word) => match word.get_ref().as_str() {
            "exit" => ResultFormat::Exit,
            "tap" => ResultFormat::Tap,
            other => match other.strip_prefix("junit:") {
                Some(path) if !path.is_empty() => ResultFormat::Junit(no_nul(word)?["junit:".len()..].into()),
                _ => return wrong(word.span(), "`result` is \"exit\", \"tap\" or \"junit:\" and the path of a file"),
            },
        },
    };
    Ok(CommandConfig { list, run: template, result })
}

fn check_cases(raw: &RawSuite) -> Result<CasesConfig, Wrong> {
    let inputs = raw.need(&raw.inputs, "inputs", "t/*.in")?;
    if let Err(e) = glob::Pattern::new(inputs.get_ref()) {
        return wrong(inputs.span(), format!("`inputs` is not a pattern: {}", e.msg));
    }
    let run = raw.need(&raw.run, "run", "./prog < {input}")?;
    let template = shell(run, &["input", "stem", "dir"])?;
    if !template.uses("input") && !template.uses("stem") {
        return wrong(run.span(), "`run` uses neither {input} nor {stem}, so each test would run the same");
    }
    let expect = check_expect(raw, &["input", "stem", "dir"])?;
    Ok(CasesConfig { inputs: no_nul(inputs)?, run: template, expect })
}

fn check_lines(raw: &RawSuite) -> Result<LinesConfig, Wrong> {
    let file = raw.need(&raw.file, "file", "tests/universe")?;
    let run = raw.need(&raw.run, "run", "./prog {line}")?;
    let template = shell(run, &["line", "n", "dir"])?;
    if !template.uses("line") {
        return wrong(run.span(), "`run` does not use {line}, so each test would run the same");
    }
    Ok(LinesConfig { file: no_nul(file)?.into(), run: template, expect: check_expect(raw, &["line", "n", "dir"])? })
}

fn check_expect(raw: &RawSuite, known: &[&str]) -> Result<Option<Expect>, Wrong> {
    let source = match (&raw.expect, &raw.reference) {
        (Some(_), Some(reference)) => {
            return wrong(reference.span(), "`expect` and `reference` both say what the output has to be: keep one");
        }
        (Some(file), None) => {
            no_nul(file)?;
            let known: Vec<&str> = known.iter().copied().filter(|name| *name != "line").collect();
            let template = Template::path(file.get_ref(), &known).or_else(|message| wrong(file.span(), message))?;
            ExpectSource::File(template)
        }
        (None, Some(run)) => ExpectSource::Reference(shell(run, known)?),
        (None, None) => {
            return match &raw.filter {
                Some(filter) => {
                    wrong(filter.span(), "`filter` needs `expect` or `reference` to compare the output with")
                }
                None => Ok(None),
            };
        }
    };
    let filter = raw.filter.as_ref().map(no_nul).transpose()?;
    Ok(Some(Expect { source, filter, status: check_status(raw)?, likeness: check_likeness(raw)? }))
}

fn check_status(raw: &RawSuite) -> Result<Option<i32>, Wrong> {
    let Some(status) = &raw.status else { return Ok(None) };
    match u8::try_from(*status.get_ref()) {
        Ok(status) => Ok(Some(status.into())),
        Err(_) => wrong(status.span(), "`status` is the exit status that the program must have, from 0 to 255"),
    }
}

fn check_likeness(raw: &RawSuite) -> Result<Likeness, Wrong> {
    let close = match &raw.close {
        None => None,
        Some(most) => match Close::new(*most.get_ref()) {
            Some(close) => Some(close),
            None => {
                return wrong(
                    most.span(),
                    "`close` is by how much numbers may differ, more than 0 and less than 1, such as 1e-9",
                );
            }
        },
    };
    let is_set = |field: &Option<Spanned<bool>>| field.as_ref().is_some_and(|field| *field.get_ref());
    match &raw.patterns {
        Some(patterns) if *patterns.get_ref() && raw.expect.is_none() => {
            wrong(patterns.span(), "`patterns` needs `expect`: what a program writes are no regular expressions")
        }
        _ => Ok(Likeness { close, unordered: is_set(&raw.unordered), patterns: is_set(&raw.patterns) }),
    }
}
