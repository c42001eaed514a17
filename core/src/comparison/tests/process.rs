//! Executions of programs of the test language: recorded, patched, guided.

use std::collections::HashMap;

use super::language::{CURSOR, Context, Op, Program, execute, number};
use crate::comparison::{Effects, Guide, NONE, Operands, Place, RegionStack, Step, Stop, Value};

/// One executed statement, with the process's own numbers of objects.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    pub site: u32,
    /// Its structural index, interned by [`Indices`].
    pub index: u32,
    pub reads: Vec<(Place, Value)>,
    pub effects: Effects,
}

/// Structural indices: the index of the region that a point stands in, and its site. The definition that alignment is checked against.
#[derive(Debug, Default)]
pub struct Indices(HashMap<(u32, u32), u32>);

impl Indices {
    fn of(&mut self, parent: u32, site: u32) -> u32 {
        let next = self.0.len() as u32;
        *self.0.entry((parent, site)).or_insert(next)
    }
}

/// What to change in an execution, and when.
pub struct Patch<'a> {
    /// Before which point.
    pub before: u32,
    pub writes: Vec<(Place, Value)>,
    /// Guard rails.
    pub guide: Option<Guide<'a>>,
}

/// A running process.
pub struct Process<'a> {
    program: &'a Program,
    input: &'a [i64],
    pub memory: HashMap<Place, Value>,
    objects: u32,
    pub events: Vec<Event>,
    regions: RegionStack<'a>,
    indices: &'a mut Indices,
    site: u32,
}

struct Logged<'m> {
    memory: &'m HashMap<Place, Value>,
    reads: Vec<(Place, Value)>,
}

impl Operands for Logged<'_> {
    fn read(&mut self, place: Place) -> Result<Value, Stop> {
        let value = self.memory.get(&place).copied().unwrap_or(Value::Undefined);
        self.reads.push((place, value));
        Ok(value)
    }
}

impl<'a> Process<'a> {
    pub fn new(program: &'a Program, input: &'a [i64], indices: &'a mut Indices) -> Self {
        let memory = HashMap::from([(Place { object: CURSOR, offset: 0 }, number(0))]);
        let regions = RegionStack::new(&program.joins);
        let objects = program.variables();
        Self { program, input, memory, objects, events: Vec::new(), regions, indices, site: 0 }
    }

    /// Runs to just before the point with the structural index `end`, or to the end of the program; at most so many statements.
    pub fn run(&mut self, end: Option<u32>, mut patch: Option<Patch<'_>>, limit: usize) -> Result<(), Stop> {
        while self.site != NONE {
            if self.events.len() >= limit {
                return Err(Stop::Broken);
            }
            if let Some(patch) = patch.as_mut().filter(|patch| patch.before == self.events.len() as u32) {
                self.memory.extend(patch.writes.drain(..));
            }
            let parent = self.regions.arrive(self.site);
            if Some(self.index(parent)) == end {
                return Ok(());
            }
            self.step(parent, patch.as_mut().and_then(|patch| patch.guide.as_mut()))?;
        }
        if end.is_some() { Err(Stop::EffectNotReached) } else { Ok(()) }
    }

    fn index(&mut self, parent: u32) -> u32 {
        let parent = self.events.get(parent as usize).map_or(NONE, |event| event.index);
        self.indices.of(parent, self.site)
    }

    /// Executes one statement, whose control parent is `parent`.
    pub fn step(&mut self, parent: u32, guide: Option<&mut Guide<'_>>) -> Result<(), Stop> {
        let (site, index) = (self.site, self.index(parent));
        let node = &self.program.nodes[site as usize];
        let context = Context { input: self.input, fresh: self.objects };
        self.objects += u32::from(matches!(node.op, Op::Alloc(_)));
        let mut operands = Logged { memory: &self.memory, reads: Vec::new() };
        let mut effects = Effects::default();
        let executed = execute(&node.op, &context, &mut operands, &mut effects);
        let reads = operands.reads;
        match (executed, &guide) {
            (Err(_), Some(_)) if node.next.len() > 1 => effects.outcome = Some(NONE),
            (executed, _) => executed?,
        }
        if let (Some(outcome), Some(guide)) = (effects.outcome, guide) {
            effects.outcome = Some(guide.decide(outcome)?);
        }
        self.memory.extend(effects.writes.iter().copied());
        if effects.outcome.is_some() {
            self.regions.branch(self.events.len() as u32);
        }
        self.site = node.next.get(effects.outcome.unwrap_or(0) as usize).copied().unwrap_or(NONE);
        self.events.push(Event { site, index, reads, effects });
        Ok(())
    }
}

/// The control part of events, without the start.
pub fn steps(events: &[Event]) -> impl Iterator<Item = Step> + '_ {
    events[1..].iter().map(|event| Step::Point { site: event.site, outcome: event.effects.outcome.unwrap_or(NONE) })
}
