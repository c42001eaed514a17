//! The first walk along a run: which way it goes, and in which parts it uses memory.

use super::layout::Layout;
use super::objects::{Kind, Object};
use super::observer::{Access, Activation, Observer, View};
use crate::comparison::{Alignment, NONE, Side, Step, Table};

/// What objects have their cells in common.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Class {
    Symbol(u32),
    Frame(u32),
    Arguments,
    Argv,
    Argument(u32),
    Environ,
    /// Made at a point of a run.
    Heap(Side, u32),
    Library(u64),
    Region(u64),
}

impl Class {
    fn of(kind: Kind, side: Side) -> Self {
        match kind {
            Kind::Symbol(symbol) => Class::Symbol(symbol),
            Kind::Frame { function, .. } => Class::Frame(function),
            Kind::Arguments { .. } => Class::Arguments,
            Kind::Heap { point, .. } => Class::Heap(side, point),
            Kind::Argv => Class::Argv,
            Kind::Argument(number) => Class::Argument(number),
            Kind::Environ => Class::Environ,
            Kind::Library(name) => Class::Library(name),
            Kind::Region(base) => Class::Region(base),
        }
    }
}

/// The cells of all objects, in all runs that are compared.
#[derive(Debug, Default)]
pub struct Layouts {
    numbers: Table<Class, u32>,
    layouts: Vec<Layout>,
}

impl Layouts {
    /// The number of the layout that objects of this kind have in run `side`.
    pub fn number(&mut self, kind: Kind, side: Side) -> u32 {
        let next = self.layouts.len() as u32;
        let number = *self.numbers.entry(Class::of(kind, side)).or_insert(next);
        if number == next {
            self.layouts.push(Layout::default());
        }
        number
    }

    /// The layout of objects of this kind in run `side`, if there is one.
    pub fn known(&self, kind: Kind, side: Side) -> Option<&Layout> {
        self.numbers.get(&Class::of(kind, side)).map(|number| self.layout(*number))
    }

    /// From now on objects of the heap that correspond have their cells in common. Those that one function allocates for all the others are
    /// used in as many ways as there are others, so the place of the call does not tell which are alike.
    pub fn unite(&mut self, alignment: &Alignment) {
        let heap = |class: &Class| if let Class::Heap(side, point) = *class { Some((side, point)) } else { None };
        let made: Vec<(Side, u32)> = self.numbers.keys().filter_map(heap).collect();
        for (side, point) in made {
            let Some(partner) = alignment.partner(side, point) else { continue };
            let number = self.numbers[&Class::Heap(side, point)];
            let other = self.numbers.insert(Class::Heap(side.other(), partner), number);
            if let Some(other) = other.filter(|other| *other != number) {
                let other = std::mem::take(&mut self.layouts[other as usize]);
                self.layouts[number as usize].unite(&other);
            }
        }
    }

    /// The layout of this number.
    pub fn layout(&self, number: u32) -> &Layout {
        &self.layouts[number as usize]
    }
}

/// The layout of each object of a run, by the run's own number.
#[derive(Debug, Default)]
pub struct ObjectLayouts {
    numbers: Vec<u32>,
}

impl ObjectLayouts {
    /// The layout of `object` of run `side`.
    pub fn of(&mut self, object: u32, side: Side, objects: &[Object], layouts: &mut Layouts) -> u32 {
        let at = object as usize;
        if self.numbers.len() <= at {
            self.numbers.resize(at + 1, NONE);
        }
        if self.numbers[at] == NONE {
            self.numbers[at] = layouts.number(objects[at].kind, side);
        }
        self.numbers[at]
    }
}

const ENTER: u64 = u64::MAX;
const LEAVE: u64 = u64::MAX - 1;
/// Upper half of an unwinding; the lower one is the depth.
const UNWIND: u32 = u32::MAX - 1;

/// The control flow of a run.
#[derive(Debug, Default)]
pub struct Control {
    steps: Vec<u64>,
}

impl Control {
    /// The steps, for [`align`](crate::comparison::align).
    pub fn steps(&self) -> impl Iterator<Item = Step> + '_ {
        self.steps.iter().map(|step| match *step {
            ENTER => Step::Enter,
            LEAVE => Step::Leave,
            step if (step >> 32) as u32 == UNWIND => Step::Unwind { depth: step as u32 },
            step => Step::Point { site: (step >> 32) as u32, outcome: step as u32 },
        })
    }
}

/// Collects what the second walk has to know first.
pub struct Gather<'a> {
    layouts: &'a mut Layouts,
    side: Side,
    own: ObjectLayouts,
    /// Its course, if that is asked for.
    control: Option<Control>,
    last: usize,
}

impl<'a> Gather<'a> {
    /// Nothing yet of run `side`.
    pub fn new(layouts: &'a mut Layouts, side: Side) -> Self {
        Self { layouts, side, own: ObjectLayouts::default(), control: Some(Control::default()), last: 0 }
    }

    /// Nothing yet of a run whose course nobody asks for.
    pub fn of_cells(layouts: &'a mut Layouts) -> Self {
        Self { layouts, side: Side::First, own: ObjectLayouts::default(), control: None, last: 0 }
    }

    /// The control flow of the whole run.
    pub fn finish(self) -> Control {
        self.control.unwrap_or_default()
    }

    fn push(&mut self, step: u64) {
        if let Some(control) = &mut self.control {
            control.steps.push(step);
        }
    }

    fn access(&mut self, access: Access, view: &mut View) {
        let number = self.own.of(access.spot.object, self.side, view.objects.all(), self.layouts);
        self.layouts.layouts[number as usize].access(access.spot.offset, access.length, access.pointer);
    }
}

impl Observer for Gather<'_> {
    fn point(&mut self, site: u32, _: u32) {
        if let Some(control) = &mut self.control {
            self.last = control.steps.len();
            control.steps.push(u64::from(site) << 32 | u64::from(NONE));
        }
    }

    fn read(&mut self, access: Access, view: &mut View) {
        self.access(access, view);
    }

    fn write(&mut self, access: Access, view: &mut View) {
        self.access(access, view);
    }

    fn outcome(&mut self, outcome: u32) {
        if let Some(step) = self.control.as_mut().and_then(|control| control.steps.get_mut(self.last)) {
            *step = *step >> 32 << 32 | u64::from(outcome);
        }
    }

    fn enter(&mut self, _: Activation, _: u32, _: &mut View) {
        self.push(ENTER);
    }

    fn leave(&mut self) {
        self.push(LEAVE);
    }

    fn unwind(&mut self, depth: u32) {
        self.push(u64::from(UNWIND) << 32 | u64::from(depth));
    }

    fn allocate(&mut self, _: u32, _: &mut View) {}
}
