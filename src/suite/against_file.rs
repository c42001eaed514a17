//! Drivers that compare what a program writes with a file of the project and show neither (`cmp out expected`).

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use super::driver::{Driver, Seen, Telling, Told};
use super::words::Said;
use super::{SuiteError, Verdict};
use crate::exec::kept::Reply;
use crate::exec::stand_in::MOST_BYTES;

/// Files that are tried as what a start should have written, at most: each costs a replay of the driver for each start.
const MOST_FILES: usize = 4;
/// Starts of a driver that is asked so, at most.
const MOST_COMPARED: usize = 8;
/// What ends a name in what a driver says, besides white space.
const MARKS: [char; 9] = ['\'', '"', '`', ':', ',', ';', '(', ')', '='];

impl Driver {
    /// The one start that is right with the text of a file that its driver names: with it the driver passes, so the others are right.
    pub(super) fn compares_with_file(&self, seen: &Seen) -> Result<Option<Told>, SuiteError> {
        let Seen { kept, first, replies, .. } = *seen;
        if replies.len() > MOST_COMPARED {
            return Ok(None);
        }
        // One that a start wrote says nothing of another start that is compared with it.
        let is_written = |text: &[u8]| replies.iter().any(|reply| reply.stdout == text);
        for text in self.named_files(&first.whole()).into_iter().filter(|text| !is_written(text)) {
            for (number, wrong) in replies.iter().enumerate() {
                for reply in answers(&text, wrong) {
                    if self.replay(kept, [(number, &reply)], None)?.verdict == Verdict::Pass {
                        let said = |at: usize| if at == number { Said::Fail } else { Said::Pass };
                        return Ok(Some((Telling::One, (0..replies.len()).map(said).collect())));
                    }
                }
            }
        }
        Ok(None)
    }

    /// The texts of the files in its directory that a driver names in what it says, those that it names last first.
    pub(super) fn named_files(&self, said: &[u8]) -> Vec<Vec<u8>> {
        let said = String::from_utf8_lossy(said);
        let mut known = BTreeSet::new();
        let names = said.rsplit(|c: char| c.is_whitespace() || MARKS.contains(&c)).filter(|name| known.insert(*name));
        let texts = names.filter_map(|name| text(&self.test.dir.join(name)));
        texts.take(MOST_FILES).collect()
    }
}

/// The answers with this text that may be right where this one is wrong: with its status, and with a good one.
pub(super) fn answers(text: &[u8], wrong: &Reply) -> Vec<Reply> {
    let statuses = BTreeSet::from([0, wrong.status]);
    let answer = |status| Reply { stdout: text.to_vec(), status, ..wrong.clone() };
    if text == wrong.stdout { Vec::new() } else { statuses.into_iter().map(answer).collect() }
}

/// What is in a file that is no longer than what is kept of an output.
fn text(path: &Path) -> Option<Vec<u8>> {
    let data = fs::metadata(path).ok().filter(|data| data.is_file() && data.len() <= MOST_BYTES)?;
    let mut text = Vec::with_capacity(data.len() as usize);
    File::open(path).ok()?.take(MOST_BYTES).read_to_end(&mut text).ok()?;
    Some(text)
}
