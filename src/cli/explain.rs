//! `suspect explain`: why a run fails where another one does not.

mod effect;
mod infer;
mod process;
mod second;
mod tell;

use std::io::Write;
use std::path::Path;

use super::args::{AnswerFormat, ExplainArguments, ExplainMethod};
use super::exit::{Exit, Failure};
use super::recorded::{RecordedTest, RecordingRoom};
use crate::comparison::{self, Chain, DualSlice, Effect, Inference, Link, Pair, Rules, Side, States};
use crate::recording::{Code, Finder, NoAnswer, Runs, Words};
use crate::report::{self, Explanation};
use crate::store::Store;
use crate::suite::Test;
use infer::Prover;
use tell::Teller;

impl From<NoAnswer> for Failure {
    fn from(no: NoAnswer) -> Failure {
        Failure::new(Exit::Usage, no.to_string())
    }
}

/// Two recorded runs of one program, and what is asked about them.
struct Case<'a> {
    /// The tests: the passing one first.
    tests: [&'a Test; 2],
    recorded: [&'a RecordedTest; 2],
    code: &'a Code,
    runs: &'a Runs,
    pair: &'a Pair<'a>,
    words: &'a Words<'a>,
    finder: &'a Finder<'a>,
    room: &'a RecordingRoom<'a>,
}

/// Runs both tests recorded, and explains.
pub fn explain(root: &Path, arguments: &ExplainArguments, out: &mut impl Write) -> Result<(), Failure> {
    let store = Store::new(root);
    let [passing, failing] = second::tests(&store, arguments)?;
    let room = RecordingRoom::new(&store)?;
    let tests = [room.test(&passing)?, room.test(&failing)?];
    let recorded = [room.record(tests[0], "first")?, room.record(tests[1], "other")?];
    let (program, code) = room.code(&recorded[1].recording)?;
    check_same_program(&recorded)?;
    let unsteady = unsteady(&room, tests[1], &recorded[1])?;
    let recordings = recorded.each_ref().map(|one| &one.recording);
    let runs = Runs::read(&code, &recordings)
        .map_err(|error| Failure::new(Exit::Usage, format!("{}: {error}", tests[1].name)))?;
    let pair = Pair::new(&runs.runs[0], &runs.runs[1], &runs.alignment);
    let words = Words::new(&program, &code, &runs, recorded[1].recording.header().errno_address);
    let finder = Finder::new(&code, &runs, &words);
    let case = Case {
        tests,
        recorded: recorded.each_ref(),
        code: &code,
        runs: &runs,
        pair: &pair,
        words: &words,
        finder: &finder,
        room: &room,
    };
    let mut explanation = case.explanation(arguments)?;
    explanation.trust.extend(unsteady);
    tell::keep(&store, &explanation)?;
    write(root, &explanation, arguments.format, out)?;
    match explanation.verified || arguments.method != ExplainMethod::Cc {
        true => Ok(()),
        false => Err(Failure::new(Exit::Finding, String::new())),
    }
}

fn write(root: &Path, explanation: &Explanation, format: AnswerFormat, out: &mut impl Write) -> Result<(), Failure> {
    let line = |file: &str, line: u32| {
        let text = std::fs::read(root.join(file)).ok()?;
        String::from_utf8_lossy(&text).lines().nth((line as usize).checked_sub(1)?).map(str::to_owned)
    };
    let written = match format {
        AnswerFormat::Text => report::write_explanation(explanation, line, out),
        AnswerFormat::Json => write_json(explanation, out),
        AnswerFormat::Sarif => write_json(&report::explanation_sarif(explanation), out),
    };
    written.map_err(Failure::of(Exit::File))
}

fn write_json(view: &impl serde::Serialize, out: &mut impl Write) -> std::io::Result<()> {
    writeln!(out, "{}", serde_json::to_string_pretty(view)?)
}

fn check_same_program(recorded: &[RecordedTest; 2]) -> Result<(), Failure> {
    let [first, second] = recorded.each_ref().map(|one| one.recording.modules());
    if first == second {
        return Ok(());
    }
    let names = recorded.each_ref().map(|one| one.recording.names()[1].clone());
    let message =
        format!("the tests run different programs ({} and {}); give tests of one program", names[0], names[1]);
    Err(Failure::new(Exit::Usage, message))
}

/// Runs the failing test once more: a run that does not do the same twice can be compared, but not be repeated with a patch.
fn unsteady(room: &RecordingRoom<'_>, test: &Test, recorded: &RecordedTest) -> Result<Option<String>, Failure> {
    let again = room.record(test, "again")?;
    let same = |side: &RecordedTest| (side.recording.stream().end(), side.verdict);
    if same(&again) == same(recorded) {
        return Ok(None);
    }
    Ok(Some(format!(
        "{} does not do the same each time it runs; steps that could be proved may look as if they could not",
        test.name
    )))
}

impl<'a> Case<'a> {
    fn explanation(&self, arguments: &ExplainArguments) -> Result<Explanation, Failure> {
        let (effect, words) = match &arguments.effect {
            Some(asked) => (self.finder.effect(self.pair, asked)?, None),
            None => self.default_effect()?,
        };
        let mut prover = Prover::new(self, arguments)?;
        let chain = match &arguments.cause {
            Some(cause) => {
                let of = arguments.effect.clone().unwrap_or_else(|| cause.clone());
                let point = self.finder.cause(&effect, cause, &of)?;
                self.single(effect.clone(), point, &mut prover)?
            }
            None => comparison::chain(
                self.pair,
                &self.runs.naming.names,
                effect.clone(),
                arguments.steps,
                |slice, states, cut| prover.infer(slice, states, cut),
            ),
        };
        let problems = prover.problems();
        Teller { case: self, arguments }.explanation(&effect, words, &chain, problems)
    }

    /// One step from a given cause point.
    fn single(&self, effect: Effect, point: u32, prover: &mut Prover<'_, 'a>) -> Result<Chain, Failure> {
        let names = &self.runs.naming.names;
        let states = States::before(self.pair, point, names)
            .ok_or_else(|| Failure::new(Exit::Internal, "the cause point is in one run only"))?;
        let slice = DualSlice::new(self.pair, &effect, Rules::Repaired);
        let inference: Inference = prover.infer(&slice, &states, &slice.cut(&states));
        let partner = self.runs.alignment.partner(Side::First, point).unwrap_or_default();
        let cause = [point, partner];
        let points = Side::BOTH.map(|side| {
            let (from, to) = (0, effect.points[side.index()]);
            slice.members(side).iter().filter(|point| (from..=to).contains(point)).collect()
        });
        let complete = !inference.causes.is_empty();
        let link = Link { cause, effect: effect.clone(), inference, points };
        Ok(Chain { links: vec![link], origins: Vec::new(), complete })
    }
}
