//! Recordings of one or two runs, ready to be compared.

use std::path::PathBuf;
use std::rc::Rc;

use super::body::Code;
use super::bounds::Misuse;
use super::deadline::Deadline;
use super::file::Recording;
use super::fill::{Details, Fill, Naming};
use super::gather::{Control, Gather, Layouts};
use super::image::Modules;
use super::last::Passed;
use super::layout::Layout;
use super::loading::Image;
use super::observer::Observer;
use super::walk::Walk;
use super::walked::{End, Stray, Walked};
use crate::comparison::{Alignment, Joins, Recorder, Run, RunTooLong, START, Side, Step, align};

/// One or two recorded runs of a program. A run alone is compared with itself.
#[derive(Debug)]
pub struct Runs {
    /// Where ways join.
    pub joins: Joins,
    /// Which points correspond.
    pub alignment: Alignment,
    /// Names of objects and locations.
    pub naming: Naming,
    /// Cells of objects.
    pub layouts: Layouts,
    /// The runs.
    pub runs: Vec<Rc<Run>>,
    /// What else is known of each.
    pub details: Vec<Rc<Details>>,
    /// How the walks along them ended.
    pub walked: Vec<Walked>,
    /// Where modules were.
    pub modules: Vec<Rc<Modules>>,
    /// What came before the part that is kept, if not all of the first run is.
    pub passed: Option<Passed>,
}

/// Why recordings were not read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum NotRead {
    /// There is more in them than can be numbered.
    #[error(transparent)]
    TooLong(#[from] RunTooLong),
    /// They go on for longer than what is asked for.
    #[error("it takes more than {0} steps, and of runs that are compared no part can be left out")]
    TooMany(u32),
    /// Time was over before their ends.
    #[error("no time was left to read what it did; --budget gives it more")]
    Late,
}

impl NotRead {
    /// Nothing, unless that walk ended for want of time.
    pub(super) fn unless_late(walked: &Walked) -> Result<(), NotRead> {
        if walked.end == End::Late { Err(NotRead::Late) } else { Ok(()) }
    }

    /// Nothing, unless that walk ended for want of time, or came to more points.
    fn unless_whole(walked: &Walked, most: u32) -> Result<(), NotRead> {
        if walked.points > most { Err(NotRead::TooMany(most)) } else { NotRead::unless_late(walked) }
    }
}

impl Runs {
    /// Reads recordings, one or two.
    pub fn read(code: &Code, recordings: &[&Recording]) -> Result<Runs, NotRead> {
        Runs::fill(code, recordings, Courses::of(code, recordings, u32::MAX, Deadline::NEVER)?, Deadline::NEVER)
    }

    /// Reads one recording that both runs are, if it has no more than `most` points and there is time; with `bounds` also what it does outside of objects.
    pub fn read_alone(
        code: &Code,
        recording: &Recording,
        bounds: bool,
        most: u32,
        deadline: Deadline,
    ) -> Result<Runs, NotRead> {
        let (joins, mut layouts) = (code.joins(), Layouts::default());
        let (mut gather, mut image) = (Gather::of_cells(&mut layouts), Modules::default());
        let first = walk(code, recording, &mut gather, &mut image, &[]).until(deadline);
        let first = if bounds { first.with_bounds() } else { first };
        let walked = first.run_to(most.saturating_add(1));
        NotRead::unless_whole(&walked, most)?;
        let (alignment, mut naming) = (Alignment::of_itself(walked.points), Naming::default());
        let mut fill = Fill::new(Recorder::new(&joins), &mut layouts, &mut naming, &alignment, Side::First);
        let mut image = Modules::default();
        let second = walk(code, recording, &mut fill, &mut image, &walked.strays).until(deadline).run();
        NotRead::unless_late(&second)?;
        let filled = fill.finish()?;
        Ok(Runs::alone(joins, alignment, (naming, layouts), filled, (walked, image), None))
    }

    /// A run that is compared with itself.
    pub(super) fn alone(
        joins: Joins,
        alignment: Alignment,
        (naming, layouts): (Naming, Layouts),
        (run, details): (Run, Details),
        (walked, image): (Walked, Modules),
        passed: Option<Passed>,
    ) -> Runs {
        let (run, details, image) = (Rc::new(run), Rc::new(details), Rc::new(image));
        let runs = vec![Rc::clone(&run), run];
        let details = vec![Rc::clone(&details), details];
        let modules = vec![Rc::clone(&image), image];
        let walked = vec![walked.clone(), walked];
        Runs { joins, alignment, naming, layouts, runs, details, walked, modules, passed }
    }

    /// Reads two recordings if neither has more than `most` points, there is time and it is `worth` it, which is asked when nothing is known but which points
    /// correspond.
    pub fn read_if(
        code: &Code,
        recordings: &[&Recording; 2],
        most: u32,
        deadline: Deadline,
        worth: impl FnOnce(&Alignment) -> bool,
    ) -> Result<Option<Runs>, NotRead> {
        let courses = Courses::of(code, recordings, most, deadline)?;
        worth(&courses.alignment).then(|| Runs::fill(code, recordings, courses, deadline)).transpose()
    }

    fn fill(code: &Code, recordings: &[&Recording], courses: Courses, deadline: Deadline) -> Result<Runs, NotRead> {
        let Courses { joins, mut layouts, alignment, found } = courses;
        if recordings.len() > 1 {
            layouts.unite(&alignment);
        }
        let mut naming = Naming::default();
        let (mut runs, mut details, mut walked, mut modules) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        for ((side, recording), found) in Side::BOTH.into_iter().zip(recordings).zip(found) {
            let recorder = Recorder::new(&joins);
            let mut fill = Fill::new(recorder, &mut layouts, &mut naming, &alignment, side);
            let mut image = Modules::default();
            let second = walk(code, recording, &mut fill, &mut image, &found.strays).until(deadline).run();
            NotRead::unless_late(&second)?;
            let (run, detail) = fill.finish()?;
            runs.push(Rc::new(run));
            details.push(Rc::new(detail));
            modules.push(Rc::new(image));
            walked.push(found);
        }
        Ok(Runs { joins, alignment, naming, layouts, runs, details, walked, modules, passed: None })
    }

    /// The cells of an object, by its canonical number.
    pub fn layout(&self, object: u32) -> Option<&Layout> {
        let (kind, side) = (self.naming.kinds.get(object as usize)?, self.naming.sides.get(object as usize)?);
        self.layouts.known(*kind, *side)
    }
}

/// What the first walk along one or two recordings tells.
struct Courses {
    joins: Joins,
    layouts: Layouts,
    alignment: Alignment,
    found: Vec<Walked>,
}

impl Courses {
    fn of(code: &Code, recordings: &[&Recording], most: u32, deadline: Deadline) -> Result<Courses, NotRead> {
        let joins = code.joins();
        let mut layouts = Layouts::default();
        let sides = Side::BOTH.into_iter().zip(recordings);
        let first: Vec<(Control, Walked)> =
            sides.map(|(side, one)| gather(code, one, (side, most, deadline), &mut layouts, false)).collect();
        first.iter().try_for_each(|(_, walked)| NotRead::unless_whole(walked, most))?;
        let steps = |run: usize| first[run.min(first.len() - 1)].0.steps();
        let alignment = align(steps(0), steps(1), &joins);
        Ok(Courses { joins, layouts, alignment, found: first.into_iter().map(|(_, walked)| walked).collect() })
    }
}

fn gather(
    code: &Code,
    recording: &Recording,
    (side, most, deadline): (Side, u32, Deadline),
    layouts: &mut Layouts,
    bounds: bool,
) -> (Control, Walked) {
    let (mut gather, mut image) = (Gather::new(layouts, side), Modules::default());
    let walk = walk(code, recording, &mut gather, &mut image, &[]).until(deadline);
    let walk = if bounds { walk.with_bounds() } else { walk };
    let walked = walk.run_to(most.saturating_add(1));
    (gather.finish(), walked)
}

/// The modules that a process loaded, as far as the recording can be followed along this code.
pub fn modules_on_the_way(code: &Code, recording: &Recording) -> Vec<PathBuf> {
    gather(code, recording, (Side::First, u32::MAX, Deadline::NEVER), &mut Layouts::default(), false).1.modules
}

/// What a recorded run does outside of its objects, the first things of it, as far as there is time.
pub fn misuses(code: &Code, recording: &Recording, deadline: Deadline) -> Vec<Misuse> {
    gather(code, recording, (Side::First, u32::MAX, deadline), &mut Layouts::default(), true).1.misuses
}

/// The control flow of a recorded run.
pub fn course(code: &Code, recording: &Recording) -> Control {
    gather(code, recording, (Side::First, u32::MAX, Deadline::NEVER), &mut Layouts::default(), false).0
}

/// Where two recordings first go another way: the last site of the first one that both come to; nothing if they go one way to the end.
///
/// # Errors
/// There is no time to read both.
pub fn parting(code: &Code, recordings: [&Recording; 2], deadline: Deadline) -> Result<Option<u32>, NotRead> {
    let mut courses = Vec::new();
    for recording in recordings {
        let (course, walked) =
            gather(code, recording, (Side::First, u32::MAX, deadline), &mut Layouts::default(), false);
        NotRead::unless_late(&walked)?;
        courses.push(course);
    }
    let (mut steps, mut others) = (courses[0].steps(), courses[1].steps());
    let mut last = START;
    loop {
        let (one, other) = (steps.next(), others.next());
        if let (Some(Step::Point { site, .. }), Some(Step::Point { site: another, .. })) = (one, other)
            && site == another
        {
            last = site;
        }
        match (one, other) {
            (None, None) => return Ok(None),
            (one, other) if one != other => return Ok(Some(last)),
            _ => {}
        }
    }
}

pub(super) fn walk<'w, O: Observer, I: Image>(
    code: &'w Code,
    recording: &'w Recording,
    observer: &'w mut O,
    image: &'w mut I,
    strays: &'w [Stray],
) -> Walk<'w, O, I> {
    Walk::new(code, image, observer, recording.stream(), recording.header(), recording.replaced(), strays)
}
