//! Places of the source that are asked about, found in recorded runs.

use super::body::{Code, Site};
use super::describe::Words;
use super::objects::Kind;
use super::runs::Runs;
use crate::comparison::{Effect, NONE, Pair, Place, Side, Watch};

/// `FILE:LINE` or `FILE:LINE:VARIABLE`, and with `#N` behind it the N-th execution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asked {
    /// Source file, or the end of its path.
    pub file: String,
    /// Line.
    pub line: u32,
    /// Variable.
    pub variable: Option<String>,
    /// Which execution of the line, from 1.
    pub execution: Option<u32>,
}

impl std::str::FromStr for Asked {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a place such as src/a.c:41, src/a.c:41:count or src/a.c:41#3".to_owned();
        let (text, execution) = match text.rsplit_once('#') {
            // Files may have such a character in their names.
            Some((place, number)) if !number.contains(':') => {
                (place, Some(number.parse().ok().filter(|number| *number > 0).ok_or_else(wrong)?))
            }
            _ => (text, None),
        };
        let (rest, last) = text.rsplit_once(':').ok_or_else(wrong)?;
        if let Ok(line) = last.parse() {
            return Ok(Asked { file: rest.to_owned(), line, variable: None, execution });
        }
        let (file, line) = rest.rsplit_once(':').ok_or_else(wrong)?;
        let line = line.parse().map_err(|_| wrong())?;
        Ok(Asked { file: file.to_owned(), line, variable: Some(last.to_owned()), execution })
    }
}

impl std::fmt::Display for Asked {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}:{}", self.file, self.line)?;
        if let Some(variable) = &self.variable {
            write!(formatter, ":{variable}")?;
        }
        self.execution.map_or(Ok(()), |number| write!(formatter, "#{number}"))
    }
}

/// Why there is no answer.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NoAnswer {
    /// Nobody came there.
    #[error("{0} was not executed in {1}; give a line with a statement that was executed")]
    NotExecuted(Asked, &'static str),
    /// It was executed less often than asked for.
    #[error("{asked}: {run} executes the line {count} times; give a number up to that")]
    NotSoOften {
        /// What is asked for.
        asked: Asked,
        /// The run.
        run: &'static str,
        /// Executions of the line.
        count: usize,
    },
    /// The runs have no execution of it in common.
    #[error(
        "{0}: no execution of it in one run corresponds to one in the other; give an earlier line, where both runs still are"
    )]
    NotCommon(Asked),
    /// There is no such variable, or it was never used.
    #[error("{0}: neither a variable of the function nor a global one of this name was used")]
    NoVariable(Asked),
    /// There is nothing to explain.
    #[error("{0}: the runs do not differ there")]
    Same(Asked),
    /// The cause is behind the effect.
    #[error("{cause} was not executed in both runs before {effect}; give a line that was")]
    Behind {
        /// The cause.
        cause: Box<Asked>,
        /// The effect.
        effect: Box<Asked>,
    },
}

/// Finds places in one or two runs.
pub struct Finder<'a> {
    code: &'a Code,
    runs: &'a Runs,
    words: &'a Words<'a>,
}

impl<'a> Finder<'a> {
    /// Finds places in `runs`.
    pub fn new(code: &'a Code, runs: &'a Runs, words: &'a Words<'a>) -> Self {
        Self { code, runs, words }
    }

    /// The executions of a line in run `side`: the points of each, without those of functions that it calls.
    pub fn executions(&self, side: Side, asked: &Asked) -> Vec<Vec<u32>> {
        let (run, details) = (&self.runs.runs[side.index()], &self.runs.details[side.index()]);
        let mut executions: Vec<Vec<u32>> = Vec::new();
        for point in self.words.points_on(side, &asked.file, asked.line) {
            let frame = |point: u32| details.frame_of(point);
            let goes_on = |last: u32| frame(last) == frame(point) && run.site(last) < run.site(point);
            match executions.last_mut() {
                Some(execution) if execution.last().is_some_and(|last| goes_on(*last)) => execution.push(point),
                _ => executions.push(vec![point]),
            }
        }
        executions
    }

    /// The locations that a variable has at a point of run `side`.
    pub fn locations(&self, side: Side, point: u32, name: &str) -> Vec<u32> {
        let details = &self.runs.details[side.index()];
        let local = details.frame_at(point).and_then(|frame| {
            let function = &self.code.functions[frame.function as usize];
            let variable = function.variables.iter().find(|variable| variable.name == name)?;
            Some((frame.object, variable.offset, variable.size))
        });
        let global = || {
            let symbols = (0..).zip(&self.code.symbols).filter(|(_, symbol)| symbol.name == name);
            symbols.filter_map(|(number, symbol)| {
                let object = self.runs.naming.known(Kind::Symbol(number), &self.runs.alignment)?;
                Some((object, 0, symbol.size.max(1) as u32))
            })
        };
        let Some((object, offset, size)) = local.or_else(|| global().next()) else { return Vec::new() };
        let names = &self.runs.naming.names;
        (offset..offset.saturating_add(size))
            .filter_map(|offset| names.known_location(Place { object, offset }))
            .collect()
    }

    /// The execution of the failing run that is asked for by its number, if one is; its points in the passing run.
    fn numbered(&self, asked: &Asked) -> Result<Option<Vec<u32>>, NoAnswer> {
        let Some(number) = asked.execution else { return Ok(None) };
        let executions = self.executions(Side::Second, asked);
        let run = "the failing run";
        if executions.is_empty() {
            return Err(NoAnswer::NotExecuted(asked.clone(), run));
        }
        let few = NoAnswer::NotSoOften { asked: asked.clone(), run, count: executions.len() };
        let points = executions.get(number as usize - 1).ok_or(few)?;
        let partner = |point: &u32| self.runs.alignment.partner(Side::Second, *point);
        let points: Vec<u32> = points.iter().map_while(partner).collect();
        if points.is_empty() { Err(NoAnswer::NotCommon(asked.clone())) } else { Ok(Some(points)) }
    }

    /// What is asked for as an effect: the execution of the failing run that has the number, or else the last one that both runs have.
    pub fn effect(&self, pair: &Pair<'_>, asked: &Asked) -> Result<Effect, NoAnswer> {
        let points = match self.numbered(asked)? {
            Some(points) => points,
            None => {
                let executions = self.executions(Side::First, asked);
                if executions.is_empty() {
                    return Err(NoAnswer::NotExecuted(asked.clone(), "the passing run"));
                }
                let common = |points: &Vec<u32>| self.runs.alignment.partner(Side::First, points[0]).is_some();
                executions.into_iter().rev().find(common).ok_or_else(|| NoAnswer::NotCommon(asked.clone()))?
            }
        };
        let names = &self.runs.naming.names;
        let effect = match &asked.variable {
            Some(name) => {
                let locations = self.locations(Side::First, points[0], name);
                if locations.is_empty() {
                    return Err(NoAnswer::NoVariable(asked.clone()));
                }
                Effect::new(pair, points[0], Watch::Locations(locations), names)
            }
            None => {
                let results = points.iter().filter_map(|point| Effect::new(pair, *point, Watch::Result, names));
                results.into_iter().find(Effect::differs)
            }
        };
        effect.filter(Effect::differs).ok_or_else(|| NoAnswer::Same(asked.clone()))
    }

    /// What is asked for as a cause point: the start of the execution of the failing run that has the number, or else of the last one before the effect
    /// that both runs have. A point of the first run.
    pub fn cause(&self, effect: &Effect, asked: &Asked, of: &Asked) -> Result<u32, NoAnswer> {
        let executions = match self.numbered(asked)? {
            Some(points) => vec![points],
            None => self.executions(Side::First, asked),
        };
        let fits =
            |point: &u32| *point <= effect.points[0] && self.runs.alignment.partner(Side::First, *point).is_some();
        let starts = executions.iter().rev().map(|points| points[0]);
        starts
            .into_iter()
            .find(fits)
            .ok_or_else(|| NoAnswer::Behind { cause: Box::new(asked.clone()), effect: Box::new(of.clone()) })
    }

    /// The step of a point, if it is one.
    pub fn step(&self, side: Side, point: u32) -> Option<u32> {
        match self.code.what(self.runs.runs[side.index()].site(point)) {
            Site::Step(step) => Some(step),
            _ => None,
        }
    }

    /// How often the step of `point` was executed up to it, with it.
    pub fn instance(&self, side: Side, point: u32) -> u64 {
        let run = &self.runs.runs[side.index()];
        let site = run.site(point);
        let passed = self.runs.passed.as_ref().map_or(0, |passed| passed.count(site));
        let kept = (run.skipped().points..=point).filter(|other| run.site(*other) == site).count();
        u64::from(passed) + kept as u64
    }

    /// Places of source lines that points belong to, each once, in order.
    pub fn lines(&self, side: Side, points: impl Iterator<Item = u32>) -> Vec<(String, u32)> {
        let run = &self.runs.runs[side.index()];
        let mut steps: Vec<u32> =
            points.filter_map(|point| self.code.step_of(run.site(point)).filter(|_| run.site(point) != NONE)).collect();
        steps.sort_unstable();
        steps.dedup();
        let mut lines: Vec<(String, u32)> = steps
            .into_iter()
            .map(|step| self.code.steps[step as usize].place)
            .filter(|place| place.line != 0)
            .map(|place| (self.words.file(place).to_owned(), place.line))
            .collect();
        lines.sort();
        lines.dedup();
        lines
    }
}
