//! The second walk along a run: every read and write under its canonical name.

use std::collections::BTreeMap;

use super::gather::{Layouts, ObjectLayouts};
use super::layout::Cell;
use super::objects::Kind;
use super::observer::{Access, Activation, Observer, View};
use crate::comparison::{Alignment, NONE, Names, Place, Recorder, Run, RunTooLong, Side, Table, Value};

/// Canonical names of objects and locations of both runs, and what they name.
#[derive(Debug, Default)]
pub struct Naming {
    /// Numbers of objects and locations.
    pub names: Names,
    keys: Table<Kind, u32>,
    /// What each object is; of the heap's, in the run that was seen first.
    pub kinds: Vec<Kind>,
    /// Which run that was.
    pub sides: Vec<Side>,
    /// Bytes of each object.
    pub sizes: Vec<u64>,
}

impl Naming {
    /// The canonical number of an object that run `side` has.
    pub fn object(&mut self, kind: Kind, size: u64, side: Side, alignment: &Alignment) -> u32 {
        let number = match kind {
            Kind::Heap { point, .. } => self.names.object(alignment.instance(side, point), 0),
            kind => {
                let next = 1 + self.keys.len() as u32;
                let key = *self.keys.entry(kind).or_insert(next);
                self.names.object(alignment.instance(Side::First, 0), key)
            }
        };
        if number as usize == self.kinds.len() {
            self.kinds.push(kind);
            self.sides.push(side);
            self.sizes.push(size);
        }
        self.sizes[number as usize] = self.sizes[number as usize].max(size);
        number
    }

    /// The number of an object that is none of the heap's, if a run has it.
    pub fn known(&self, kind: Kind, alignment: &Alignment) -> Option<u32> {
        let key = *self.keys.get(&kind)?;
        self.names.known_object(alignment.instance(Side::First, 0), key)
    }
}

/// One execution of a function, by canonical numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// The function.
    pub function: u32,
    /// The object that is its frame.
    pub object: u32,
    /// Where that is in the process.
    pub address: u64,
    /// The activation that called it, or its own number.
    pub caller: u32,
    /// How many calls are open around it.
    pub depth: u32,
    /// The step that called it, if recorded code did.
    pub call: Option<u32>,
}

/// Where an object of the heap lay.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Its address.
    pub address: u64,
    /// Its size.
    pub size: u64,
}

/// What is known of one run beside the run itself.
#[derive(Debug, Default)]
pub struct Details {
    /// Executions of functions, in order.
    pub frames: Vec<Frame>,
    /// The execution that each point belongs to, from the first one that is kept on.
    frame_of: Vec<u32>,
    /// Points behind the start that are not kept.
    skipped: u32,
    /// Addresses of objects that stay where they are, by canonical number.
    pub held: Table<u32, Held>,
    /// Arguments of the program, by canonical number: their bytes, with the zero at the end.
    pub arguments: BTreeMap<u32, Vec<u8>>,
}

impl Details {
    /// The number of the execution that a point belongs to; of a point that is not kept, the outermost.
    pub fn frame_of(&self, point: u32) -> Option<u32> {
        self.frame_of.get(point.saturating_sub(self.skipped) as usize).copied()
    }

    /// The execution that a point belongs to.
    pub fn frame_at(&self, point: u32) -> Option<&Frame> {
        self.frames.get(self.frame_of(point)? as usize)
    }
}

/// Fills a [`Recorder`].
pub struct Fill<'a> {
    recorder: Recorder<'a>,
    layouts: &'a mut Layouts,
    own: ObjectLayouts,
    naming: &'a mut Naming,
    alignment: &'a Alignment,
    side: Side,
    details: Details,
    /// For each of the run's own objects: its canonical number, and from which write on it is what it is.
    canonical: Vec<(u32, u32)>,
    cells: Vec<Cell>,
    depth: u32,
    /// The next segment of the alignment, and where the runs parted last.
    segment: usize,
    parted: u32,
}

impl<'a> Fill<'a> {
    /// A run that has only started.
    pub fn new(
        recorder: Recorder<'a>,
        layouts: &'a mut Layouts,
        naming: &'a mut Naming,
        alignment: &'a Alignment,
        side: Side,
    ) -> Self {
        let skipped = recorder.skipped().points;
        let details = Details { frame_of: vec![0], skipped, ..Details::default() };
        Self {
            recorder,
            layouts,
            own: ObjectLayouts::default(),
            naming,
            alignment,
            side,
            details,
            canonical: Vec::new(),
            cells: Vec::new(),
            depth: 0,
            segment: 0,
            parted: 0,
        }
    }

    /// The whole run.
    pub fn finish(self) -> Result<(Run, Details), RunTooLong> {
        Ok((self.recorder.finish()?, self.details))
    }

    fn canonical(&mut self, object: u32, view: &mut View) -> (u32, u32) {
        let at = object as usize;
        if self.canonical.len() <= at {
            self.canonical.resize(at + 1, (NONE, 0));
        }
        if self.canonical[at].0 == NONE {
            let own = view.objects.all()[at];
            let number = self.naming.object(own.kind, own.size, self.side, self.alignment);
            self.canonical[at].0 = number;
            if !matches!(own.kind, Kind::Frame { .. }) {
                self.details.held.insert(number, Held { address: own.address, size: own.size });
            }
            if matches!(own.kind, Kind::Argument(_)) {
                let byte = |offset: u64| view.memory.load(own.address + offset, 1).map(|byte| byte as u8);
                let text = (0..own.size).map(byte).collect::<Option<Vec<u8>>>();
                self.details.arguments.extend(text.map(|text| (number, text)));
            }
        }
        self.canonical[at]
    }

    fn value(&mut self, address: u64, cell: Cell, view: &mut View) -> Value {
        let Some(bits) = view.memory.load(address, cell.length) else { return Value::Undefined };
        if cell.can_point()
            && let Some(spot) = view.objects.named(bits)
        {
            let (object, _) = self.canonical(spot.object, view);
            return Value::Address(Place { object, offset: spot.offset });
        }
        Value::Number(bits)
    }

    fn cells(&mut self, access: Access, view: &View) -> Vec<Cell> {
        let mut cells = std::mem::take(&mut self.cells);
        cells.clear();
        let number = self.own.of(access.spot.object, self.side, view.objects.all(), self.layouts);
        cells.extend(self.layouts.layout(number).cells(access.spot.offset, access.length));
        cells
    }

    /// Where the runs are together again, what came between decides nothing any more: both came here.
    fn join_regions(&mut self) {
        let (alignment, side) = (self.alignment, self.side.index());
        while let Some(segment) = alignment.segments().get(self.segment)
            && segment.first[side] <= self.recorder.points()
        {
            if segment.aligned > 0 {
                if segment.first[side] > 0 {
                    self.recorder.together_since(self.parted);
                }
                self.parted = segment.first[side] + segment.aligned - 1;
            }
            self.segment += 1;
        }
    }

    fn location(&mut self, object: u32, cell: Cell) -> u32 {
        self.naming.names.location(Place { object, offset: cell.offset })
    }
}

impl Observer for Fill<'_> {
    fn point(&mut self, site: u32, activation: u32) {
        self.join_regions();
        self.recorder.point(site);
        self.details.frame_of.push(activation);
    }

    fn read(&mut self, access: Access, view: &mut View) {
        let (object, since) = self.canonical(access.spot.object, view);
        let cells = self.cells(access, view);
        for cell in &cells {
            let value = self.value(access.address + u64::from(cell.offset - access.spot.offset), *cell, view);
            let location = self.location(object, *cell);
            self.recorder.read_since(location, value, since);
        }
        self.cells = cells;
    }

    fn write(&mut self, access: Access, view: &mut View) {
        let (object, _) = self.canonical(access.spot.object, view);
        let cells = self.cells(access, view);
        for cell in &cells {
            let value = self.value(access.address + u64::from(cell.offset - access.spot.offset), *cell, view);
            let location = self.location(object, *cell);
            self.recorder.write(location, value);
        }
        self.cells = cells;
    }

    fn outcome(&mut self, outcome: u32) {
        self.recorder.branch(outcome);
    }

    fn enter(&mut self, activation: Activation, opener: u32, view: &mut View) {
        let (object, _) = self.canonical(activation.object, view);
        self.canonical[activation.object as usize].1 = self.recorder.writes();
        self.depth += 1;
        let Activation { function, address, caller, depth, call, .. } = activation;
        self.details.frames.push(Frame { function, object, address, caller, depth, call });
        self.recorder.enter_from(opener);
    }

    fn leave(&mut self) {
        self.depth -= 1;
        self.recorder.leave();
    }

    fn unwind(&mut self, depth: u32) {
        while self.depth > depth {
            self.leave();
        }
    }

    fn allocate(&mut self, object: u32, view: &mut View) {
        self.canonical(object, view);
    }
}
