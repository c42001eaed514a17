//! Two runs of a test program, recorded under common names, with a cause and an effect point.

use std::collections::HashMap;

use super::language::{Context, OUT, Op, Program, execute};
use super::process::{Event, Indices, Patch, Process, steps};
use crate::comparison::*;

const LIMIT: usize = 20_000;

/// Two runs of a program.
pub struct Recorded<'p> {
    pub program: &'p Program,
    pub inputs: [Vec<i64>; 2],
    pub events: [Vec<Event>; 2],
    pub indices: Indices,
    pub alignment: Alignment,
    pub names: Names,
    pub runs: [Run; 2],
    /// Common numbers of each process's own objects.
    objects: [HashMap<u32, u32>; 2],
}

impl<'p> Recorded<'p> {
    pub fn new(program: &'p Program, first: &[i64], second: &[i64]) -> Result<Self, Stop> {
        let mut indices = Indices::default();
        let mut events = [Vec::new(), Vec::new()];
        for (events, input) in events.iter_mut().zip([first, second]) {
            let mut process = Process::new(program, input, &mut indices);
            process.run(None, None, LIMIT)?;
            *events = process.events;
        }
        let alignment = align(steps(&events[0]), steps(&events[1]), &program.joins);
        let mut names = Names::default();
        let start = alignment.instance(Side::First, 0);
        (0..program.variables()).for_each(|variable| assert_eq!(names.object(start, variable), variable));
        let mut objects = [HashMap::new(), HashMap::new()];
        let mut runs = [Run::default(), Run::default()];
        for side in Side::BOTH {
            objects[side.index()] = name_objects(program, &events[side.index()], side, &alignment, &mut names);
            runs[side.index()] = record(program, &events[side.index()], &objects[side.index()], &mut names);
        }
        let inputs = [first.to_vec(), second.to_vec()];
        Ok(Self { program, inputs, events, indices, alignment, names, runs, objects })
    }

    pub fn pair(&self) -> Pair<'_> {
        Pair::new(&self.runs[0], &self.runs[1], &self.alignment)
    }

    /// The `nth` point of the first run on `line`.
    pub fn point(&self, line: u32, nth: usize) -> u32 {
        let mut points =
            (0..self.runs[0].points()).filter(|point| self.program.line(self.runs[0].site(*point)) == line);
        points.nth(nth).unwrap_or_else(|| panic!("line {line} is executed less than {nth} times"))
    }

    /// What run `side` printed.
    pub fn printed(&self, side: Side) -> Vec<i64> {
        let run = &self.runs[side.index()];
        let printed = |write: &u32| self.names.place(run.location(*write)) == Place { object: OUT, offset: 0 };
        let writes = (0..run.points()).flat_map(|point| run.written(point)).filter(printed);
        writes
            .map(|write| if let Value::Number(bits) = run.value(write) { bits as i64 } else { panic!("not a number") })
            .collect()
    }

    pub fn location(&self, variable: &str) -> u32 {
        let place = Place { object: self.program.variable(variable), offset: 0 };
        self.names.known_location(place).unwrap_or_else(|| panic!("{variable} is never used"))
    }

    /// How a location is called: `x` or `x[1]`; objects of the heap by number.
    pub fn name(&self, location: u32) -> String {
        let place = self.names.place(location);
        let object = if place.object < self.program.variables() {
            self.program.name(place.object).to_owned()
        } else {
            format!("heap{}", place.object)
        };
        if place.offset == 0 { object } else { format!("{object}[{}]", place.offset) }
    }

    pub fn named(&self, differences: &[Difference]) -> Vec<String> {
        let mut names: Vec<String> = differences.iter().map(|difference| self.name(difference.location)).collect();
        names.sort();
        names
    }

    /// Source lines of a set of points of one run, without the start.
    pub fn lines_of(&self, side: Side, points: &Bits) -> Vec<u32> {
        let run = &self.runs[side.index()];
        let mut lines: Vec<u32> =
            points.iter().map(|point| self.program.line(run.site(point))).filter(|line| *line != 0).collect();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Source lines of a dual slice.
    pub fn lines(&self, slice: &DualSlice<'_>) -> Vec<u32> {
        let mut lines = Side::BOTH.map(|side| self.lines_of(side, slice.members(side))).concat();
        lines.sort_unstable();
        lines.dedup();
        lines
    }

    /// Executes the program again on the input of run `side`, with the other run's values of `patch` at the cause point; under guard rails if there
    /// is a plan. Answers the values at the effect point.
    pub fn execute_again(
        &mut self,
        side: Side,
        cause: [u32; 2],
        effect: &Effect,
        patch: &[&Difference],
        plan: Option<&Plan>,
    ) -> Verdict {
        effect.judge(side, self.values_again(side, cause, effect, patch, plan))
    }

    pub fn values_again(
        &mut self,
        side: Side,
        cause: [u32; 2],
        effect: &Effect,
        patch: &[&Difference],
        plan: Option<&Plan>,
    ) -> Result<Vec<Value>, Stop> {
        let other = side.other().index();
        let patch = Patch {
            before: cause[side.index()],
            writes: patch
                .iter()
                .map(|item| {
                    Ok((
                        self.local_place(side, self.names.place(item.location))?,
                        self.local(side, item.values[other])?,
                    ))
                })
                .collect::<Result<_, Stop>>()?,
            guide: plan.map(|plan| Guide::new(plan, side)),
        };
        let index = self.events[0][effect.points[0] as usize].index;
        let mut process = Process::new(self.program, &self.inputs[side.index()], &mut self.indices);
        process.run(Some(index), Some(patch), LIMIT)?;
        let values = match &effect.watch {
            Watch::Locations(locations) => {
                let places = locations.iter().map(|location| self.names.place(*location));
                let held = places.map(|place| process.memory.get(&place).copied().unwrap_or(Value::Undefined));
                held.collect()
            }
            Watch::Result => {
                let known = process.events.len();
                process.step(NONE, None)?;
                process.events[known].effects.results()
            }
        };
        Ok(values.into_iter().map(|value| translate(value, &self.objects[side.index()])).collect())
    }

    /// All that the program does on the input of run `side` with a patch under guard rails.
    pub fn guided(
        &mut self,
        side: Side,
        cause: [u32; 2],
        patch: &[&Difference],
        plan: &Plan,
    ) -> (Vec<Event>, Result<(), Stop>) {
        let other = side.other().index();
        let writes = patch.iter().map(|item| (self.names.place(item.location), item.values[other])).collect();
        let patch = Patch { before: cause[side.index()], writes, guide: Some(Guide::new(plan, side)) };
        let mut process = Process::new(self.program, &self.inputs[side.index()], &mut self.indices);
        let ended = process.run(None, Some(patch), LIMIT);
        (process.events, ended)
    }

    fn local_place(&self, side: Side, place: Place) -> Result<Place, Stop> {
        if place.object < self.program.variables() {
            return Ok(place);
        }
        let own = self.objects[side.index()].iter().find(|(_, common)| **common == place.object);
        own.map(|(own, _)| Place { object: *own, ..place }).ok_or(Stop::MissingObject)
    }

    fn local(&self, side: Side, value: Value) -> Result<Value, Stop> {
        match value {
            Value::Address(place) => Ok(Value::Address(self.local_place(side, place)?)),
            other => Ok(other),
        }
    }
}

fn name_objects(
    program: &Program,
    events: &[Event],
    side: Side,
    alignment: &Alignment,
    names: &mut Names,
) -> HashMap<u32, u32> {
    let allocations =
        (0..).zip(events).filter(|(_, event)| matches!(program.nodes[event.site as usize].op, Op::Alloc(_)));
    allocations
        .map(|(point, event)| {
            let (_, Value::Address(own)) = event.effects.writes[0] else { panic!("an allocation writes an address") };
            (own.object, names.object(alignment.instance(side, point), 0))
        })
        .collect()
}

fn translate_place(place: Place, objects: &HashMap<u32, u32>) -> Place {
    Place { object: objects.get(&place.object).copied().unwrap_or(place.object), ..place }
}

fn translate(value: Value, objects: &HashMap<u32, u32>) -> Value {
    match value {
        Value::Address(place) => Value::Address(translate_place(place, objects)),
        other => other,
    }
}

/// Fills a run as a reader of traces does.
fn record(program: &Program, events: &[Event], objects: &HashMap<u32, u32>, names: &mut Names) -> Run {
    let mut recorder = Recorder::new(&program.joins);
    for (point, event) in events.iter().enumerate() {
        if point > 0 {
            recorder.point(event.site);
        }
        for (place, value) in &event.reads {
            recorder.read(names.location(translate_place(*place, objects)), translate(*value, objects));
        }
        for (place, value) in &event.effects.writes {
            recorder.write(names.location(translate_place(*place, objects)), translate(*value, objects));
        }
        if let Some(outcome) = event.effects.outcome {
            recorder.branch(outcome);
        }
    }
    recorder.finish().unwrap()
}

/// What the program's statements compute, by common names.
pub struct Meaning<'a> {
    pub program: &'a Program,
    pub inputs: &'a [Vec<i64>; 2],
    pub names: &'a Names,
}

impl Semantics for Meaning<'_> {
    fn execute(
        &self,
        site: u32,
        instance: Instance,
        side: Side,
        operands: &mut dyn Operands,
        effects: &mut Effects,
    ) -> Result<(), Stop> {
        let fresh = self.names.known_object(instance, 0).unwrap_or(NONE);
        let context = Context { input: &self.inputs[side.index()], fresh };
        execute(&self.program.nodes[site as usize].op, &context, operands, effects)
    }
}
