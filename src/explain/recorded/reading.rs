//! What recorded tests did, read from their recordings: of a long one the last part.

use std::rc::Rc;
use std::time::{Duration, Instant};

use super::{Loaded, RecordedTest, RecordingRoom};
use crate::obstacle::Obstacle;
use crate::recording::{NotRead, Runs, Site, Stretch, file_of_main, is_same_file, read_last};
use crate::report::Place;
use crate::suite::Verdict;

/// Points of a run, at most, that are all kept to follow it alone: they take half a GiB of memory, and ten seconds to be read.
const MOST_WHOLE: u32 = 8 << 20;
/// Bytes of a recording of which all is kept, at most: most recordings have a point a byte or more.
const LONGEST_WHOLE: u64 = 8 << 20;
/// The last part of a longer one that is kept at least; twice as much at most.
const LAST: Stretch = Stretch { points: 2 << 20, bytes: 2 << 20 };
/// Points of each of two runs that are compared, at most: together they take two GiB of memory.
pub const MOST_POINTS: u32 = 16 << 20;

/// Time of a reading, at least, that says how long others take: of less, most is what does not grow with the recording.
const LEAST_TIMED: Duration = Duration::from_millis(100);

/// Why the runs of a test were not read.
pub fn unread(name: &str, error: &NotRead) -> Obstacle {
    let kind = if *error == NotRead::Late { Obstacle::Time } else { Obstacle::Request };
    Obstacle::new(kind, format!("{name}: {error}"))
}

impl RecordingRoom<'_> {
    /// What a recorded test called `name` did, as a run that is compared with itself, and what it did outside of its objects where that is looked for. Of a long
    /// recording the last part is kept.
    pub fn read(&self, name: &str, recorded: &RecordedTest) -> Result<(Loaded, Rc<Runs>), Obstacle> {
        let is_long = recorded.recording.stream().end() > LONGEST_WHOLE;
        self.read_part(name, recorded, if is_long { 0 } else { MOST_WHOLE })
    }

    /// The same of all that it did.
    pub fn read_whole(&self, name: &str, recorded: &RecordedTest) -> Result<(Loaded, Rc<Runs>), Obstacle> {
        if recorded.read.borrow().as_ref().is_some_and(|runs| runs.passed.is_some()) {
            recorded.read.borrow_mut().take();
        }
        self.read_part(name, recorded, MOST_POINTS)
    }

    /// The same, of all of it if that has no more points than `most`.
    fn read_part(&self, name: &str, recorded: &RecordedTest, most: u32) -> Result<(Loaded, Rc<Runs>), Obstacle> {
        let loaded = self.code(&[&recorded.recording])?;
        if let Some(runs) = recorded.read.borrow().as_ref() {
            return Ok((loaded, Rc::clone(runs)));
        }
        let bounds = recorded.is_looked_at_for_misuses();
        let began = Instant::now();
        let (code, deadline) = (&loaded.1, self.deadline.get());
        let mut read = Err(NotRead::TooMany(most));
        if most > 0 {
            read = Runs::read_alone(code, &recorded.recording, bounds, most, deadline);
        }
        let is_last = matches!(read, Err(NotRead::TooMany(_)));
        if is_last {
            let ends = self.sites_complained_of(recorded, &loaded);
            read = read_last(code, &recorded.recording, bounds, LAST, &ends, deadline);
        }
        let runs = read.map_err(|error| unread(name, &error))?;
        let (runs, took, bytes) = (Rc::new(runs), began.elapsed(), recorded.recording.stream().end());
        let kept = runs.runs[0].points() - runs.runs[0].skipped().points;
        tracing::debug!(test = name, bytes, kept, ?took, "a recording was read");
        if took >= LEAST_TIMED {
            self.pace.set(took.as_nanos() as f64 / bytes as f64);
        }
        // Two more that are compared have to find room beside it.
        if is_last || bytes <= self.most / 2 {
            *recorded.read.borrow_mut() = Some(Rc::clone(&runs));
        }
        Ok((loaded, runs))
    }

    /// The sites on the first line in recorded code that what a test complains of names; none of a process that did not end in order, for there it is the
    /// end that matters.
    pub fn sites_complained_of(&self, recorded: &RecordedTest, loaded: &Loaded) -> Vec<u32> {
        if recorded.recording.has_ended() { self.sites_named(recorded, loaded) } else { Vec::new() }
    }

    /// The same of a process that ended anyhow, as by an assertion that aborts it.
    pub fn sites_named(&self, recorded: &RecordedTest, loaded: &Loaded) -> Vec<u32> {
        let (program, code) = &**loaded;
        if recorded.verdict != Verdict::Fail {
            return Vec::new();
        }
        let complaint = recorded.reason.clone().unwrap_or_default();
        let sites = |place: Place| {
            let is_there = |step: &u32| {
                let at = code.steps[*step as usize].place;
                let file = program.files.get(at.file as usize);
                at.line == place.line && file.is_some_and(|file| is_same_file(file, &place.file))
            };
            let steps = (0..code.steps.len() as u32).filter(is_there);
            Some(steps.map(|step| code.site(Site::Step(step))).collect::<Vec<u32>>()).filter(|sites| !sites.is_empty())
        };
        let own = file_of_main(program, code);
        let mut places = recorded.complained_places(&complaint, self.store.root(), &program.files, own);
        places.find_map(sites).unwrap_or_default()
    }

    /// How long reading so many bytes of recordings takes, judged by the last one that was read.
    pub fn reading(&self, bytes: u64) -> Duration {
        Duration::from_nanos((self.pace.get() * bytes as f64) as u64)
    }
}
