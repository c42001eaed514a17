//! The effect where none is asked for: the crash, the wrong output, or the first output that differs.

use std::collections::HashSet;

use suspect_format::external::Role;

use super::Case;
use super::recorded_test::RecordedTest;
use super::wrong::Wrong;
use crate::comparison::{self, Effect, Side, Value, Watch};
use crate::obstacle::Obstacle;
use crate::program::{Place, is_of_system};
use crate::recording::{End, Site};
use crate::suite::Verdict;

impl Case<'_> {
    /// The effect, and what it is in words.
    pub(super) fn default_effect(&self) -> Result<(Effect, Option<String>), Obstacle> {
        if let Some(found) = self.misuse_effect() {
            return Ok(found);
        }
        if let Some(found) = self.crash() {
            return Ok(found);
        }
        if let Some(found) = self.wrong_effect() {
            return Ok(found);
        }
        if let Some(found) = self.check_effect() {
            return Ok(found);
        }
        let first = (1..self.runs.runs[0].points()).find_map(|point| self.written_differently(point));
        if let Some(found) = first {
            return Ok(found);
        }
        if let Some(cut) = self.recorded.iter().position(|one| one.recording.is_cut()) {
            // What comes after it is not known, so what one run alone does may be what both do.
            let message = format!(
                "as far as {} is recorded, {} and {} write the same; say what differs before: --effect FILE:LINE[:VAR]",
                self.names[cut], self.names[1], self.names[0]
            );
            return Err(Obstacle::new(Obstacle::Request, message));
        }
        if let Some(found) = self.exclusive_output().or_else(|| self.returned_differently()) {
            return Ok(found);
        }
        let message = format!(
            "{} and {} write the same and end alike, as far as one can see; say what differs: --effect FILE:LINE[:VAR]",
            self.names[1], self.names[0]
        );
        Err(Obstacle::new(Obstacle::Request, message))
    }

    /// True if a run ended where no process ends in order, or is recorded as far as it may and does not end. It need not be the process that the test's
    /// command is.
    fn died(&self, side: Side) -> bool {
        let RecordedTest { recording, verdict, .. } = &self.recorded[side.index()];
        match self.runs.walked[side.index()].end {
            _ if recording.is_cut() => *verdict == Verdict::Timeout && recording.is_full(),
            End::Within(_) => true,
            End::Outside(Some(step)) if !recording.has_ended() => {
                // What else leaves a process without its destructors: another program in its place, a child's `_exit`.
                !matches!(self.code.role_of(step), Some(Role::Ends | Role::Executes | Role::Forks))
            }
            _ => false,
        }
    }

    /// How the failing run died, in words, if it did.
    pub(super) fn told_end(&self) -> Option<String> {
        if !self.died(Side::Second) {
            return None;
        }
        let last = self.runs.runs[1].points() - 1;
        let (name, place) = (&self.names[1], self.at(Side::Second, last));
        Some(match self.recorded[1].verdict {
            Verdict::Timeout if self.recorded[1].recording.is_full() => {
                format!("{name} does not end in time, and is at {place} where its recording ends")
            }
            Verdict::Timeout => format!("{name} does not end in time, and was at {place} then"),
            _ => match self.asserted() {
                Some(assertion) => format!("{name} aborts at {place}: the assertion `{assertion}` fails"),
                None => match self.aborted() {
                    Some(check) => format!("{name} aborts at {place}, for {}", self.told_decision(check, "")),
                    None => format!("{name} crashes at {place}"),
                },
            },
        })
    }

    /// The failing run alone died: what the step reads differs in which it did, or the way that led there.
    fn crash(&self) -> Option<(Effect, Option<String>)> {
        let text = Some(self.told_end().filter(|_| !self.died(Side::First))?);
        let last = self.runs.runs[1].points() - 1;
        if let Some(partner) = self.runs.alignment.partner(Side::Second, last) {
            let found = self.reads_differ(partner);
            if found.is_some() {
                return found.map(|effect| (effect, text));
            }
        }
        self.parting_before(Side::Second, last).map(|effect| (effect, text))
    }

    /// A point that corresponds, as an effect of what it reads.
    pub(super) fn reads_differ(&self, point: u32) -> Option<Effect> {
        let names = &self.runs.naming.names;
        let partner = self.runs.alignment.partner(Side::First, point)?;
        let (first, second) = (&self.runs.runs[0], &self.runs.runs[1]);
        let mut locations: Vec<u32> = Vec::new();
        for (run, point) in [(first, point), (second, partner)] {
            locations.extend(run.reads(point).iter().map(|write| run.location(*write)));
        }
        locations.sort_unstable();
        locations.dedup();
        let all = Effect::new(self.pair, point, Watch::Locations(locations.clone()), names)?;
        let differing = locations.iter().zip(all.values[0].iter().zip(&all.values[1])).filter(|(_, (a, b))| a != b);
        let differing: Vec<(u32, [Value; 2])> =
            differing.map(|(location, (first, second))| (*location, [*first, *second])).collect();
        let same = self.same_texts([point, partner], &differing);
        let differing: Vec<u32> =
            differing.into_iter().map(|(location, _)| location).filter(|location| !same.contains(location)).collect();
        if differing.is_empty() {
            return None;
        }
        Effect::new(self.pair, point, Watch::Locations(differing), names)
    }

    /// Of the locations that differ where these points read, those that only tell where a text lies that is the same in both runs: the pointers to it, and
    /// the text itself.
    fn same_texts(&self, points: [u32; 2], differing: &[(u32, [Value; 2])]) -> HashSet<u32> {
        let mut same = HashSet::new();
        for (location, values) in differing {
            let [Value::Address(first), Value::Address(second)] = *values else { continue };
            let texts =
                (self.text_read(Side::First, points[0], first), self.text_read(Side::Second, points[1], second));
            if let (Some((one, cells)), Some((other, others))) = texts
                && one == other
            {
                same.insert(*location);
                same.extend(cells.into_iter().chain(others));
            }
        }
        same
    }

    /// The text that a point reads at a place, up to its end, and the locations that it is in; nothing if it does not read all of one.
    pub(super) fn text_read(&self, side: Side, point: u32, place: comparison::Place) -> Option<(Vec<u8>, Vec<u32>)> {
        let (run, names) = (&self.runs.runs[side.index()], &self.runs.naming.names);
        let mut cells: Vec<(u32, u32, u64)> = Vec::new();
        for write in run.reads(point) {
            let (location, value) = (run.location(*write), run.value(*write));
            let at = names.place(location);
            if let (true, Value::Number(bits)) = (at.object == place.object && at.offset >= place.offset, value) {
                cells.push((at.offset, location, bits));
            }
        }
        cells.sort_unstable();
        let layout = self.runs.layout(place.object)?;
        let (mut text, mut locations) = (Vec::new(), Vec::new());
        for (offset, location, bits) in cells {
            let length = layout.cells(offset, 8).next()?.length as usize;
            if offset != place.offset + text.len() as u32 {
                return None;
            }
            let bytes = &bits.to_le_bytes()[..length.min(8)];
            locations.push(location);
            match bytes.iter().position(|byte| *byte == 0) {
                Some(end) => {
                    text.extend_from_slice(&bytes[..end]);
                    return Some((text, locations));
                }
                None => text.extend_from_slice(bytes),
            }
        }
        None
    }

    /// The last decision that both runs have and take differently before `point` of a run.
    pub(super) fn parting_before(&self, side: Side, point: u32) -> Option<Effect> {
        let floor = self.runs.alignment.floor(side, point);
        let parted = |point: &u32| {
            self.pair.parted(Side::First, *point) && self.runs.alignment.partner(Side::First, *point).is_some()
        };
        let branch = (1..=floor).rev().find(parted)?;
        Effect::new(self.pair, branch, Watch::Result, &self.runs.naming.names)
    }

    /// The effect of the wrong output: the values that both runs read for it, or the decision that leads one run alone there.
    fn wrong_effect(&self) -> Option<(Effect, Option<String>)> {
        let wrong = self.wrong?;
        if let Some(effect) = self.read_otherwise(wrong) {
            return Some((effect, Some(wrong.to_string())));
        }
        if self.runs.alignment.partner(Side::Second, wrong.point).is_some() {
            return None;
        }
        let text = match self.names[0].strip_prefix("itself ") {
            Some(change) => format!("{wrong}; {change}, it does not come there"),
            None => format!("{wrong}, where {} does not come", self.names[0]),
        };
        self.parting_before(Side::Second, wrong.point).map(|effect| (effect, Some(text)))
    }

    /// The effect of the wrong output, where both runs come to that call and read other values for it.
    pub(super) fn read_otherwise(&self, wrong: &Wrong) -> Option<Effect> {
        if let Some((returned, cell, _)) = self.wrong_cell(wrong) {
            let partner = self.runs.alignment.partner(Side::Second, returned)?;
            let watch = Watch::Locations(vec![self.runs.runs[1].location(cell)]);
            return Effect::new(self.pair, partner, watch, &self.runs.naming.names).filter(Effect::differs);
        }
        if let (Some(numbers), Some(partner)) =
            (self.wrong_number(wrong), self.runs.alignment.partner(Side::Second, wrong.point))
        {
            let locations = numbers.iter().map(|write| self.runs.runs[1].location(*write)).collect();
            let watch = Watch::Locations(locations);
            let effect = Effect::new(self.pair, partner, watch, &self.runs.naming.names).filter(Effect::differs);
            if effect.is_some() {
                return effect;
            }
        }
        let of_call = |point: u32| {
            let partner = self.runs.alignment.partner(Side::Second, point)?;
            self.differently(partner).filter(Effect::differs)
        };
        of_call(wrong.point).or_else(|| of_call(wrong.returned?))
    }

    /// The check that the complaint names, where the other run decides otherwise, or reads other values for it. A run of the test itself that does not come
    /// there was led away by a decision; another test may never have been on the way there.
    fn check_effect(&self) -> Option<(Effect, Option<String>)> {
        if self.recorded[1].verdict != Verdict::Fail {
            return None;
        }
        let complaint = self.recorded[1].reason.clone()?;
        let at = *self.failed_check(&complaint, self.words.files())?.first()?;
        let names = &self.runs.naming.names;
        let effect = match self.runs.alignment.partner(Side::Second, at) {
            Some(partner) if self.pair.parted(Side::First, partner) => {
                Effect::new(self.pair, partner, Watch::Result, names)
            }
            Some(partner) => self.differently(partner).filter(Effect::differs),
            None if self.made.is_some() => self.parting_before(Side::Second, at),
            None => None,
        };
        let root = format!("{}/", self.room.root().display());
        effect.map(|effect| (effect, Some(complaint.replace(&root, ""))))
    }

    /// A point that corresponds, as an effect of what it reads or hands on.
    fn differently(&self, point: u32) -> Option<Effect> {
        match self.code.what(self.runs.runs[0].site(point)) {
            Site::Step(_) => Effect::new(self.pair, point, Watch::Result, &self.runs.naming.names),
            _ => self.reads_differ(point),
        }
    }

    fn written_differently(&self, point: u32) -> Option<(Effect, Option<String>)> {
        let site = self.runs.runs[0].site(point);
        let role = self.code.role(site).filter(|role| matches!(role, Role::Output | Role::Ends | Role::Aborts))?;
        self.runs.alignment.partner(Side::First, point)?;
        let effect = self.differently(point);
        let what = if role != Role::Output { "the status of the process differs" } else { "what is written differs" };
        let text = format!("{what} at {}", self.at(Side::First, point));
        effect.filter(Effect::differs).map(|effect| (effect, Some(text)))
    }

    /// Something is written by one run only: the decision that led there.
    fn exclusive_output(&self) -> Option<(Effect, Option<String>)> {
        let found = Side::BOTH.into_iter().filter_map(|side| {
            let run = &self.runs.runs[side.index()];
            let alone = |point: &u32| {
                self.runs.alignment.partner(side, *point).is_none()
                    && matches!(self.code.role(run.site(*point)), Some(Role::Output | Role::Ends | Role::Aborts))
            };
            (1..run.points()).find(alone).map(|point| (side, point))
        });
        let (side, point) = found.min_by_key(|(side, point)| self.runs.alignment.floor(*side, *point))?;
        let failing = &self.names[1];
        let at = self.at(side, point);
        let other = |does: &str| match self.names[0].strip_prefix("itself ") {
            Some(change) => format!("{change}, it {does}"),
            None => format!("{} {does}", self.names[0]),
        };
        let effect = self.parting_before(side, point)?;
        let decided = self.told_values_of(effect.points[1]);
        let text = match side {
            Side::First => format!("{failing} never comes to {at}{decided}; {}", other("does")),
            Side::Second => format!("{failing} comes to {at}{decided}; {}", other("does not")),
        };
        Some((effect, Some(text)))
    }

    /// Why the failing run went the way that it did at a decision of two ways, if that has a text or values with names.
    fn told_values_of(&self, point: u32) -> String {
        let site = self.code.what(self.runs.runs[1].site(point));
        if !matches!(site, Site::Step(step) if self.code.is_branch(step)) {
            return String::new();
        }
        let told = self.told_decision(point, &format!(" at {}", self.at(Side::Second, point)));
        let says = self.condition(point).is_some() || told.contains(": ");
        if says { format!(", for {told}") } else { String::new() }
    }

    /// `main` returns another status; or it is not recorded, and the runs differ before what it makes of them.
    fn returned_differently(&self) -> Option<(Effect, Option<String>)> {
        let last = self.runs.runs[0].points() - 1;
        let effect = self.reads_differ(last).or_else(|| {
            let both = self.runs.alignment.floor(Side::First, last);
            self.reads_differ(both).or_else(|| self.parting_before(Side::First, last))
        })?;
        let site = self.runs.runs[0].site(last);
        let text = match self.words.function(site) {
            "main" => format!("the status of the process differs at {}", self.at(Side::First, last)),
            _ => "nothing that is recorded is written differently; before the end".to_owned(),
        };
        Some((effect, Some(text)))
    }

    /// The place of a point in words.
    pub(super) fn at(&self, side: Side, point: u32) -> String {
        match self.own_place(side, point) {
            Some((place, _)) => format!("{}:{}", self.words.file(place), place.line),
            None => "the start".to_owned(),
        }
    }

    /// Where a point stands in the source, and in which function; of what the system's headers define, where it is called.
    pub(super) fn own_place(&self, side: Side, point: u32) -> Option<(Place, &str)> {
        let site = self.stated(side, point);
        let mut found = (self.words.place(site)?, self.words.function(site));
        let details = &self.runs.details[side.index()];
        let mut frame = details.frame_of(point)?;
        while is_of_system(self.words.file(found.0)) {
            let Some(of) = details.frames.get(frame as usize) else { break };
            let Some(call) = of.call.map(|call| self.code.site(Site::Step(call))) else { break };
            found = (self.words.place(call)?, self.words.function(call));
            frame = of.caller;
        }
        Some(found)
    }
}
