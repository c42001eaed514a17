//! The answers that a driver wants of starts that fail, as far as it shows them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use super::SuiteError;
use super::against_file::answers as of_text;
use super::driver::{Driver, OTHERWISE, Reading, Telling, of_start, refused};
use super::wanted::{MOST_TRIED, MOST_UNDONE, candidates, undone};
use crate::exec::kept::Reply;

/// The directory of a start with the answer that its driver wants.
const WANTED: &str = "wanted";

/// The answer that its driver wants of a start, if it is known.
pub(super) fn wanted_answer(kept: &Path, number: usize) -> Option<Reply> {
    Reply::read(&of_start(kept, number).join(WANTED)).ok()
}

/// Failing starts of a driver, about whose answers it is asked: all of them in one run.
pub(super) struct Asking<'a> {
    pub(super) driver: &'a Driver,
    /// The directory of its starts.
    pub(super) kept: &'a Path,
    pub(super) telling: &'a Telling,
    /// Its run as it is.
    pub(super) first: &'a Reading,
    /// The numbers of those that fail, with what they answered.
    pub(super) failing: &'a [(usize, &'a Reply)],
}

impl Asking<'_> {
    /// Keeps beside each of the starts the answer that the driver wants, if it shows one, takes that for right, and looks at all of it. What of it does
    /// not matter to the driver is as the program wrote it.
    pub(super) fn keep_wanted(&self) -> Result<(), SuiteError> {
        let shown = self.shown()?;
        let needed = self.needed(shown)?;
        for (number, reply) in self.looked_at_whole(needed)? {
            reply.write(&of_start(self.kept, number).join(WANTED)).map_err(refused("write answers in"))?;
        }
        Ok(())
    }

    /// The starts of which the driver takes these answers for right.
    fn accepted(&self, answers: &BTreeMap<usize, Reply>) -> Result<BTreeSet<usize>, SuiteError> {
        if answers.is_empty() {
            return Ok(BTreeSet::new());
        }
        let reading = self.driver.replay(self.kept, answers.iter().map(|(number, reply)| (*number, reply)), None)?;
        let n_starts = self.first.after.len();
        let numbers = answers.keys().copied();
        Ok(numbers.filter(|number| self.telling.has_passed(&reading, *number, n_starts)).collect())
    }

    /// Of each start the first answer that the driver shows and takes for right.
    fn shown(&self) -> Result<BTreeMap<usize, Reply>, SuiteError> {
        let all = self.first.whole();
        let shown = |(number, wrong): &(usize, &Reply)| {
            let said = self.first.after.get(*number).map(Vec::as_slice).unwrap_or_default();
            let mut answers = answers([said, &all], wrong);
            if answers.is_empty() {
                answers = self.driver.named_files(&all).iter().flat_map(|text| of_text(text, wrong)).collect();
            }
            (*number, answers.into_iter())
        };
        let mut open: BTreeMap<usize, std::vec::IntoIter<Reply>> = self.failing.iter().map(shown).collect();
        let mut found = BTreeMap::new();
        for _ in 0..MOST_TRIED {
            let round: BTreeMap<usize, Reply> =
                open.iter_mut().filter_map(|(number, replies)| Some((*number, replies.next()?))).collect();
            let accepted = self.accepted(&round)?;
            open.retain(|number, _| !accepted.contains(number));
            found.extend(round.into_iter().filter(|(number, _)| accepted.contains(number)));
        }
        Ok(found)
    }

    /// These answers with each difference from the wrong one undone without which the driver takes them for right, too.
    fn needed(&self, mut found: BTreeMap<usize, Reply>) -> Result<BTreeMap<usize, Reply>, SuiteError> {
        let mut next: HashMap<usize, usize> = HashMap::new();
        for _ in 0..MOST_UNDONE {
            let undone = |(number, wrong): &(usize, &Reply)| {
                let reply = found.get(number)?;
                let at = next.get(number).copied().unwrap_or(0);
                Some((*number, Reply { stdout: undone(&reply.stdout, &wrong.stdout, at)?, ..reply.clone() }))
            };
            let round: BTreeMap<usize, Reply> = self.failing.iter().filter_map(undone).collect();
            let accepted = self.accepted(&round)?;
            for (number, reply) in round {
                match accepted.contains(&number) {
                    true => drop(found.insert(number, reply)),
                    false => *next.entry(number).or_default() += 1,
                }
            }
        }
        Ok(found)
    }

    /// Those answers that the driver does not take for right with a line more before or behind: of the others it looks at a part, and what is near to them
    /// says nothing.
    fn looked_at_whole(&self, mut found: BTreeMap<usize, Reply>) -> Result<BTreeMap<usize, Reply>, SuiteError> {
        for is_behind in [false, true] {
            let more = |(number, reply): (&usize, &Reply)| {
                let line = format!("{OTHERWISE} {number} {OTHERWISE}\n").into_bytes();
                let parts = if is_behind { [&reply.stdout, &line] } else { [&line, &reply.stdout] };
                (*number, Reply { stdout: parts.map(Vec::as_slice).concat(), ..reply.clone() })
            };
            let accepted = self.accepted(&found.iter().map(more).collect())?;
            found.retain(|number, _| !accepted.contains(number));
        }
        Ok(found)
    }
}

/// Answers that a driver may want instead of a wrong one, by the first of these texts that shows any: of a program that ended badly, first with a good
/// status.
fn answers(said: [&[u8]; 2], wrong: &Reply) -> Vec<Reply> {
    let found = said.map(|text| candidates(text, &wrong.stdout)).into_iter().find(|found| !found.is_empty());
    found.unwrap_or_default().iter().flat_map(|text| of_text(text, wrong)).take(MOST_TRIED).collect()
}
