//! The answer in short: what fails, where it is probably to blame, what mends it, how far to trust that, what to type next. Also the JSON form of
//! `--brief` (`docs/brief.schema.json`).

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::claim::{Claim, ClaimedOutcome, Effect};
use super::inserted::Inserted;
use super::shell::shell_word;
use super::{Entry, OutputDifference, RankingReport, Reason, TestCounts, TrialCounts};
use crate::source::{Edit, Text};
use crate::store::TestRecord;

/// Version of the JSON form; goes up when a field changes its meaning or goes away.
pub const BRIEF_SCHEMA_VERSION: u32 = 1;

/// A ranking in short.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefReport {
    /// Version of this form.
    pub schema_version: u32,
    /// The method that gave the scores.
    pub method: String,
    /// The tests behind it.
    pub tests: TestCounts,
    /// The failing test that is shown; `null` where the ranking is of another tool's spectra.
    pub failure: Option<Failure>,
    /// Names of the others that fail.
    pub others: Vec<String>,
    /// The first places, in rank order.
    pub places: Vec<BriefPlace>,
    /// The change that mends what fails, if one is known: the best one of the first place that has one.
    pub best: Option<Mend>,
    /// How far to trust it: one statement each, the weightiest first.
    pub trust: Vec<String>,
    /// Commands to type next.
    pub next: Vec<String>,
}

/// A failing test.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Failure {
    /// Its name.
    pub test: String,
    /// Its command, as a shell would take it.
    pub command: String,
    /// The verdict in words, with its reason.
    pub verdict: String,
    /// Number of the first wrong line of its output, from 1; `null` where it fails for something else.
    pub line: Option<usize>,
    /// That line as it should be, around the first wrong character; `null` where the output should have ended, or only a line break is wrong.
    pub expected: Option<String>,
    /// That line as it is; `null` where the output had ended, or only a line break is wrong.
    pub written: Option<String>,
}

/// A place of the ranking: a line, or neighbouring ones that tie.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BriefPlace {
    /// Its rank if it came first of those that tie with it.
    pub rank: u32,
    /// Its rank if it came last of those that tie with it.
    pub rank_worst: u32,
    /// Source file.
    pub file: String,
    /// Its lines.
    pub lines: Vec<u32>,
    /// The function that they are in; empty where that is not known.
    pub function: String,
    /// First and last line of the function, where they are known.
    pub extent: Option<(u32, u32)>,
    /// The probability that the fault is in the function: the sum over all of it that is ranked; `null` for methods that do not say.
    pub of_function: Option<f64>,
    /// What is ranked, in words.
    pub unit: String,
    /// The probability that the fault is in one of them; `null` for methods that do not say.
    pub probability: Option<f64>,
    /// The score in words, for these.
    pub score: String,
    /// Text of the first of them; empty where the source is not to be had.
    pub text: String,
    /// The best change of it that mends what fails.
    pub mend: Option<Mend>,
    /// What else is to be said of it, where no change mends.
    pub reason: String,
}

/// A change with which a failing test passes, and no passing one fails.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Mend {
    /// What `suspect replay` takes.
    pub id: String,
    /// `FILE:LINE`.
    pub place: String,
    /// The change in words: an expression of the source as it becomes, in backquotes, or a statement and where it is put; of what is no edit, what it does in a sentence.
    pub change: String,
    /// Failing tests that pass with it.
    pub mended: u32,
    /// Failing tests that it was tried on.
    pub tried_on: u32,
    /// Passing tests that still pass with it, all that it was tried on.
    pub kept: u32,
    /// Whether it is an edit of the source: `suspect replay ID --patch` prints it.
    pub is_edit: bool,
}

/// First and last line of a function, by file and name.
pub type Extent<'e> = dyn Fn(&str, &str) -> Option<(u32, u32)> + 'e;

/// What a brief report is made from besides a ranking.
pub struct BriefSources<'s> {
    /// The failing tests that count, in the suite's order.
    pub failing: Vec<&'s TestRecord>,
    /// First and last line of a function of a file.
    pub extent: &'s Extent<'s>,
    /// Text of a file.
    pub source: &'s dyn Fn(&str) -> Option<String>,
}

/// Other failing tests that are named where bytes count.
const MOST_OTHERS: usize = 3;
/// Bytes of an expression that a change is shown in.
const LONGEST_EXPRESSION: u32 = 60;
/// Lines between two that are one place, and most lines of one: as in the long form.
const NEAR: u32 = 2;
/// Most lines of one place.
pub(super) const MOST_LINES: u32 = 12;

impl BriefReport {
    /// Of a ranking, with so many places.
    pub fn new(ranking: &RankingReport, sources: &BriefSources, top: usize) -> BriefReport {
        let places: Vec<BriefPlace> =
            tied(&ranking.ranking, top).iter().map(|entries| BriefPlace::new(ranking, entries, sources)).collect();
        let best = places.iter().find_map(|place| place.mend.clone());
        let failure = shown_failure(&sources.failing, best.as_ref(), ranking).map(Failure::of);
        let is_other = |test: &&&TestRecord| failure.as_ref().is_none_or(|failure| failure.test != test.name);
        let others = sources.failing.iter().filter(is_other).map(|test| test.name.clone()).collect();
        let next = next(ranking, failure.as_ref(), best.as_ref());
        BriefReport {
            schema_version: BRIEF_SCHEMA_VERSION,
            method: ranking.method.clone(),
            tests: ranking.tests,
            failure,
            others,
            places,
            best,
            trust: trust(ranking),
            next,
        }
    }
}

/// Characters of each text, first and in the end, where a report has too many bytes.
const CLIPPED: [usize; 3] = [120, 60, 30];

impl BriefReport {
    /// Shortens texts, then leaves out what is least needed, until the JSON form has at most so many bytes.
    pub fn keep_within(&mut self, bytes: usize) {
        let fits = |report: &BriefReport| serde_json::to_string(report).is_ok_and(|json| json.len() < bytes);
        self.others.truncate(MOST_OTHERS);
        for most in CLIPPED {
            if fits(self) {
                return;
            }
            self.texts().for_each(|text| clip(text, most));
        }
        while !fits(self) && self.trust.pop().or_else(|| self.others.pop()).is_some() {}
        while !fits(self) && self.places.pop().is_some() {}
        if !fits(self) {
            // A name that is too long to be told is too long to be typed.
            self.next.clear();
            self.failure.iter_mut().for_each(|failure| clip(&mut failure.test, CLIPPED[0]));
        }
    }

    /// Texts that may be shorter and still say something.
    fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let of_failure = self.failure.iter_mut().flat_map(|failure| {
            let lines = failure.expected.iter_mut().chain(&mut failure.written);
            [&mut failure.command, &mut failure.verdict].into_iter().chain(lines)
        });
        let of_places = self.places.iter_mut().flat_map(|place| {
            [&mut place.text, &mut place.reason].into_iter().chain(place.mend.as_mut().map(|mend| &mut mend.change))
        });
        let best = self.best.iter_mut().map(|mend| &mut mend.change);
        of_failure.chain(of_places).chain(best).chain(&mut self.trust)
    }
}

/// Shortens a text to so many characters.
fn clip(text: &mut String, most: usize) {
    if let Some((at, _)) = text.char_indices().nth(most) {
        text.truncate(at);
        text.push_str("...");
    }
}

/// The failing test that is shown: the first that the best change mends.
fn shown_failure<'s>(
    failing: &[&'s TestRecord],
    best: Option<&Mend>,
    ranking: &RankingReport,
) -> Option<&'s TestRecord> {
    let claims = ranking.ranking.iter().flat_map(|entry| &entry.reasons).filter_map(|reason| reason.claim.as_ref());
    let of_best = best.and_then(|best| claims.into_iter().find(|claim| claim.id == best.id));
    let is_mended = |test: &str| {
        of_best.is_some_and(|claim| {
            claim.outcomes.iter().any(|outcome| outcome.test == test && outcome.effect == Effect::Passes)
        })
    };
    failing.iter().find(|test| is_mended(&test.name)).or(failing.first()).copied()
}

impl Failure {
    fn of(test: &TestRecord) -> Failure {
        let difference = test.mismatch.as_ref().map(OutputDifference::of);
        let line = difference.as_ref().map(|difference| difference.line);
        let (expected, written) =
            difference.map_or((None, None), |difference| (difference.expected, difference.written));
        Failure {
            test: test.name.clone(),
            command: test.command.clone(),
            verdict: test.verdict.strip_prefix("fail: ").unwrap_or(&test.verdict).to_owned(),
            line,
            expected,
            written,
        }
    }
}

/// The first `top` places: neighbouring lines of one function that tie are one, since nothing tells them apart.
pub(super) fn tied(ranking: &[Entry], top: usize) -> Vec<Vec<&Entry>> {
    let mut places: Vec<Vec<&Entry>> = Vec::new();
    for entry in ranking {
        let joins = |place: &Vec<&Entry>| {
            let (first, last) = (place[0], place[place.len() - 1]);
            last.rank_best == entry.rank_best
                && (&last.file, &last.function) == (&entry.file, &entry.function)
                && entry.line.abs_diff(last.last_line) <= NEAR
                && entry.last_line.abs_diff(first.line) < MOST_LINES
        };
        match places.iter().position(joins) {
            Some(place) => places[place].push(entry),
            None if places.len() == top => break,
            None => places.push(vec![entry]),
        }
    }
    places
}

impl BriefPlace {
    fn new(ranking: &RankingReport, entries: &[&Entry], sources: &BriefSources) -> BriefPlace {
        let first = entries[0];
        let text = (sources.source)(&first.file);
        let line = text.as_deref().and_then(|text| text.lines().nth(first.line.checked_sub(1)? as usize));
        let parsed = || text.clone().map(Text::parse);
        // What mends it beside a line is that line's.
        let is_here =
            |claim: &&Claim| entries.iter().any(|entry| (&entry.file, entry.line) == (&claim.file, claim.line));
        let reasons = entries.iter().flat_map(|entry| &entry.reasons);
        let mends = reasons.filter(|reason| reason.claim.as_ref().is_some_and(|claim| is_here(&claim)));
        BriefPlace {
            rank: first.rank_best,
            rank_worst: first.rank_worst,
            file: first.file.clone(),
            lines: entries.iter().map(|entry| entry.line).collect(),
            function: first.function.clone(),
            extent: (sources.extent)(&first.file, &first.function),
            of_function: of_function(&ranking.ranking, first),
            unit: first.unit.clone(),
            probability: first.probability.map(|one| (one * entries.len() as f64).min(1.0)),
            score: format!("{} {}", ranking.method, first.score),
            text: line.unwrap_or_default().trim().to_owned(),
            mend: best(mends, parsed),
            reason: reason(entries),
        }
    }
}

/// The probability that the fault is in the function of an entry.
fn of_function(ranking: &[Entry], one: &Entry) -> Option<f64> {
    let same = ranking.iter().filter(|entry| (&entry.file, &entry.function) == (&one.file, &one.function));
    let sum: Option<f64> = same.map(|entry| entry.probability).sum();
    sum.map(|sum| sum.min(1.0))
}

/// What is to be said of a place where no change mends.
fn reason(entries: &[&Entry]) -> String {
    let first = entries[0];
    let breaks = |claim: &Claim| claim.outcomes.iter().any(|outcome| outcome.effect == Effect::Fails);
    match first.reasons.first() {
        Some(reason) if reason.claim.as_ref().is_some_and(breaks) => {
            "only changes that break other tests mend it".into()
        }
        Some(reason) => reason.text.clone(),
        None => first.evidence.sentence(),
    }
}

/// The first of the changes that mend most of the failing tests they were tried on and break nothing.
fn best<'r>(reasons: impl Iterator<Item = &'r Reason>, text: impl Fn() -> Option<Text>) -> Option<Mend> {
    let still_fail = |claim: &Claim| {
        let fails = |outcome: &&ClaimedOutcome| !outcome.passed_before && outcome.effect != Effect::Passes;
        claim.outcomes.iter().filter(fails).count()
    };
    let claims = reasons.filter_map(|reason| Some((reason.claim.as_ref()?, reason.text.as_str())));
    let best = claims.filter(|(claim, _)| mends(claim)).min_by_key(|(claim, _)| still_fail(claim));
    best.map(|(claim, words)| Mend::of(claim, words, text))
}

/// Whether a failing test passes with a change, and no passing one fails.
fn mends(claim: &Claim) -> bool {
    let any = |wanted: Effect| claim.outcomes.iter().any(|outcome| outcome.effect == wanted);
    any(Effect::Passes) && !any(Effect::Fails)
}

impl Mend {
    fn of(claim: &Claim, words: &str, text: impl Fn() -> Option<Text>) -> Mend {
        let count = |wanted: &dyn Fn(&ClaimedOutcome) -> bool| {
            claim.outcomes.iter().filter(|outcome| wanted(outcome)).count() as u32
        };
        Mend {
            id: claim.id.clone(),
            place: format!("{}:{}", claim.file, claim.line),
            change: change(claim, words, text),
            mended: count(&|outcome| outcome.effect == Effect::Passes),
            tried_on: count(&|outcome| !outcome.passed_before),
            kept: count(&|outcome| outcome.passed_before && outcome.effect != Effect::Unknown),
            is_edit: claim.edit.is_some(),
        }
    }
}

/// A change in a few words, which a sentence such as `t3 passes` follows: an expression of the source, given as text, as it becomes.
pub fn change_in_short(claim: &Claim, source: Option<String>) -> String {
    match &claim.edit {
        Some(_) => {
            let change = change(claim, "", || source.clone().map(Text::parse));
            let is_expression = change.starts_with('`') && change.matches('`').count() == 2 && change.ends_with('`');
            let there = if is_expression { " there" } else { "" };
            if change.starts_with('`') { format!("with {change}{there}") } else { change }
        }
        None => format!("if {}", super::change_of(claim)),
    }
}

/// Words of a statement that an edit of their own exchanges: they are no expression, and say nothing alone.
const KEYWORDS: [&str; 2] = ["if", "while"];

/// A change in a few words; of what is no edit, what it does in a sentence.
fn change(claim: &Claim, words: &str, text: impl Fn() -> Option<Text>) -> String {
    let Some(shown) = &claim.edit else { return words.to_owned() };
    let edit = Edit {
        file: shown.file.clone(),
        line: shown.line,
        column: shown.column,
        end_line: shown.end_line,
        end_column: shown.end_column,
        original: shown.original.clone(),
        replacement: shown.replacement.clone(),
    };
    let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    if edit.replacement.trim().trim_matches(';').is_empty() {
        return format!("without `{}`", one_line(&edit.original));
    }
    if let Some(inserted) = Inserted::of(&edit.original, &edit.replacement) {
        return format!("`{}` {}", inserted.statement, inserted.place());
    }
    if KEYWORDS.contains(&edit.original.trim()) {
        return format!("`{}` instead of `{}`", one_line(&edit.replacement), one_line(&edit.original));
    }
    let (_, after) = text().map_or_else(
        || (edit.original.clone(), edit.replacement.clone()),
        |text| edit.in_context(&text, LONGEST_EXPRESSION),
    );
    format!("`{}`", one_line(&after))
}

/// How a statement of a ranking's trust ends which says that the fault may be where nothing is recorded.
pub const ELSEWHERE: &str = "the fault may lie outside it, as in C++";

/// How far to trust a ranking, the weightiest first.
fn trust(ranking: &RankingReport) -> Vec<String> {
    let elsewhere = ranking.trust.iter().filter(|statement| statement.ends_with(ELSEWHERE)).cloned();
    let mut statements: Vec<String> = elsewhere.chain(without_trials(ranking)).collect();
    if let Some(confidence) = &ranking.confidence {
        statements.extend(confidence.lack.clone());
        statements.extend(confidence.next.first().cloned());
    }
    statements
}

/// Why no change was tried, where none was: the first reason as far as its first semicolon, behind which details stand.
fn without_trials(ranking: &RankingReport) -> Option<String> {
    let none = ranking.trials.as_ref().is_none_or(|counts| counts.trials == 0);
    let why = ranking.not_tried.first().filter(|_| none)?;
    Some(format!("not tried: {}", why.split(';').next().unwrap_or(why)))
}

/// What to type next.
fn next(ranking: &RankingReport, failure: Option<&Failure>, best: Option<&Mend>) -> Vec<String> {
    let mut commands = Vec::new();
    if let Some(failure) = failure {
        commands.push(format!("suspect explain {}", shell_word(&failure.test)));
    }
    match best {
        Some(best) if best.is_edit => commands.push(format!("suspect replay {} --patch | patch -p1", short(&best.id))),
        Some(best) => commands.push(format!("suspect replay {}", short(&best.id))),
        None => {}
    }
    match ranking.trials {
        Some(TrialCounts { finished: false, settled: true, .. }) => commands.push("suspect rank --budget 60s".into()),
        Some(TrialCounts { finished: false, .. }) => commands.push("suspect rank".into()),
        _ => {}
    }
    commands.push("suspect rank -v".into());
    commands
}

/// The digits of a claim's name that suffice.
pub(super) fn short(id: &str) -> &str {
    id.get(..8).unwrap_or(id)
}
