//! Tests of the starts of programs inside of tests that are drivers: each with its own arguments, input, output and coverage.

use std::fs;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rayon::prelude::*;
use serde::{Deserialize, Serialize};

use super::answers::{Asking, wanted_answer};
use super::compared::complaint;
use super::config::{Kind, Names};
use super::deadline::Deadline;
use super::driver::{Driven, Driver, Reading, Telling, last_words, of_start, refused};
use super::kept_start::{KeptStart, judge_by_files, write_as_others};
use super::likeness::Likeness;
use super::load::{Found, Listed, Listing};
use super::oracle::{Compare, Expected, Oracle};
use super::test::line_text;
use super::words::Said;
use super::{SuiteError, Test, Verdict};
use crate::exec::kept::Reply;
use crate::exec::remove_tree;
use crate::exec::turns::MOST_STARTS;

/// Starts of programs from which on a test is a driver. A group of Autotest is one with a single start, too: its script takes far longer than the program.
const LEAST_STARTS: usize = 2;
/// The directory with the starts of all drivers, in the store's.
const DIRECTORY: &str = "starts";
/// The file with what is known of those of one driver.
const LEARNT: &str = "learnt.json";

/// What is known of the starts of a driver.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Learnt {
    telling: Telling,
    starts: Vec<Known>,
    /// What is said of them.
    note: String,
}

/// What is known of one start.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
enum Known {
    Passes,
    /// With what its driver says.
    Fails(String),
    /// It cannot be told from others, or not be run alone.
    Unknown,
}

impl Learnt {
    /// Whether what the driver comes to shows in its starts.
    fn tells_all(&self) -> bool {
        self.telling == Telling::Passes || self.starts.iter().any(|known| matches!(known, Known::Fails(_)))
    }

    /// How a start is judged of which this is known.
    fn oracle(&self, started: &KeptStart, known: &Known) -> Oracle {
        let KeptStart { driver, kept, number, start, reply, .. } = started;
        let own = of_start(kept, *number);
        match known {
            Known::Fails(why) => Oracle::Driven(Arc::new(Driven {
                driver: (*driver).clone(),
                kept: (*kept).to_owned(),
                telling: self.telling.clone(),
                number: *number,
                n_starts: self.starts.len(),
                wrong: reply.clone(),
                wanted: wanted_answer(kept, *number),
                is_merged: start.is_merged,
                complaint: why.clone(),
                known: Mutex::default(),
            })),
            Known::Passes | Known::Unknown => {
                let shown = format!("what {} takes for right", driver.test.name);
                Oracle::Compare(Compare {
                    expected: Expected::File { path: own.join(Reply::OUTPUT), shown },
                    status: Some(reply.status >> 8),
                    filter: None,
                    likeness: Likeness::default(),
                })
            }
        }
    }
}

impl Listing<'_> {
    /// What was found with a test for each start of a program behind the tests that are drivers; as it is known already if it is to be `as_known`.
    pub(super) fn with_starts(&self, found: Found, as_known: bool) -> Result<Found, SuiteError> {
        if self.section.starts == Names::None {
            return Ok(found);
        }
        let Found { tests, mut notes, is_slow } = found;
        let around: Vec<usize> = tests
            .iter()
            .flat_map(|test| test.plan.before.iter().map(|(other, _)| *other).chain(test.plan.after.clone()))
            .collect();
        let (mut all, mut places) = (Vec::new(), Vec::new());
        let is_driver = |index: usize, test: &Listed| !around.contains(&index) && self.section.starts.has(&test.name);
        let mut n_left = tests.iter().enumerate().filter(|(index, test)| is_driver(*index, test)).count();
        for (index, test) in tests.into_iter().enumerate() {
            places.push(all.len());
            let is_driver = is_driver(index, &test);
            // One share is for the runs of what is found.
            let driver = is_driver.then(|| self.driver(&test, self.deadline.shared(n_left + 1))).flatten();
            n_left -= usize::from(is_driver);
            let (name, at) = (test.name.clone(), all.len());
            all.push(test);
            let Some(driver) = driver else { continue };
            let kept = self.starts_of(&driver);
            if !as_known {
                (self.asked)(&format!("finding the starts of programs in {name}"));
            }
            let learnt = match as_known {
                true => read(&kept),
                false => match self.learn(&driver, &kept) {
                    // Only its share of the time is over.
                    Err(SuiteError::Late(why)) if !self.deadline.is_over() => {
                        remove_tree(&kept);
                        notes.push(format!("{name}: its starts stay one test: {why}"));
                        None
                    }
                    learnt => learnt?,
                },
            };
            if let Some(learnt) = learnt {
                notes.push(format!("{name}: {}", learnt.note));
                // What it is asked from now on is not a part of its share.
                let driver = Driver { deadline: self.deadline, ..driver };
                let starts = self.tests_of(&driver, &kept, &learnt);
                all[at].plan.has_starts = learnt.tells_all() && !starts.is_empty();
                all.extend(starts);
            }
        }
        for test in &mut all {
            test.plan.before.iter_mut().for_each(|(other, _)| *other = places[*other]);
            test.plan.after.iter_mut().for_each(|other| *other = places[*other]);
        }
        Ok(Found { tests: all, notes, is_slow })
    }

    /// A test as a driver, if it can be run alone and is no case of a test program.
    fn driver(&self, test: &Listed, deadline: Deadline) -> Option<Driver> {
        let Listed { name, dir, plan } = test;
        let test = Test {
            name: name.clone(),
            index: 0,
            suite: self.number,
            command: line_text(&plan.argv),
            dir: dir.clone(),
            around: None,
            plan: plan.clone(),
        };
        let mut alone = test.alone().ok().filter(|test| !test.is_judged_by_case())?;
        alone.plan.timeout = alone.plan.timeout.or(self.section.timeout);
        Some(Driver { test: alone, deadline })
    }

    fn starts_of(&self, driver: &Driver) -> PathBuf {
        let mut hasher = DefaultHasher::new();
        (&driver.test.dir, &driver.test.plan.argv).hash(&mut hasher);
        self.root.join(crate::STORE_DIRECTORY).join(DIRECTORY).join(format!("{:016x}", hasher.finish()))
    }

    /// Runs a driver and learns what its starts come to; nothing where it starts too few programs for one.
    fn learn(&self, driver: &Driver, kept: &Path) -> Result<Option<Learnt>, SuiteError> {
        let above = kept.parent().unwrap_or(self.root);
        let refused = |source| SuiteError::Io { what: "write in", path: above.to_owned(), source };
        fs::create_dir_all(above).map_err(refused)?;
        remove_tree(kept);
        fs::create_dir(kept).map_err(refused)?;
        let first = driver.keep(kept)?;
        let n_starts = first.after.len();
        let least = if self.section.kind == Kind::Autotest { 1 } else { LEAST_STARTS };
        let learnt = match n_starts {
            few if few < least => None,
            MOST_STARTS.. => Some(Err("it starts too many programs")),
            _ if !matches!(first.verdict, Verdict::Pass | Verdict::Fail) => {
                Some(Err("it neither passes nor fails where its starts are watched"))
            }
            _ => Some(learn_starts(driver, kept, &first)?),
        };
        let learnt = learnt.map(|learnt| {
            learnt.unwrap_or_else(|why| {
                let note = format!("its {n_starts} starts of instrumented programs stay one test: {why}");
                Learnt { telling: Telling::Passes, starts: Vec::new(), note }
            })
        });
        match &learnt {
            Some(learnt) => {
                let text = serde_json::to_vec(learnt).map_err(|error| refused(error.into()))?;
                fs::write(kept.join(LEARNT), text).map_err(refused)?;
            }
            None => remove_tree(kept),
        }
        Ok(learnt)
    }

    /// The tests of those starts that are known.
    fn tests_of(&self, driver: &Driver, kept: &Path, learnt: &Learnt) -> Vec<Listed> {
        let known = learnt.starts.iter().enumerate().filter(|(_, known)| **known != Known::Unknown);
        let test = |(number, known): (usize, &Known)| {
            let started = KeptStart::read(driver, kept, number)?;
            let oracle = learnt.oracle(&started, known);
            Some(Listed { name: started.name(), dir: started.directory(), plan: started.plan(oracle) })
        };
        known.filter_map(test).collect()
    }
}

fn read(kept: &Path) -> Option<Learnt> {
    serde_json::from_slice(&fs::read(kept.join(LEARNT)).ok()?).ok()
}

/// What the starts of a driver come to, or why that cannot be known.
fn learn_starts(driver: &Driver, kept: &Path, first: &Reading) -> Result<Result<Learnt, &'static str>, SuiteError> {
    let n_starts = first.after.len();
    let started: Option<Vec<KeptStart>> = (0..n_starts).map(|number| KeptStart::read(driver, kept, number)).collect();
    let Some(mut started) = started else {
        return Ok(Err("what they read or write is too long, or the driver ends them"));
    };
    write_as_others(&mut started).map_err(refused("write answers in"))?;
    let replies = |started: &[KeptStart]| -> Vec<Reply> { started.iter().map(|one| one.reply.clone()).collect() };
    let mut told = driver.telling(kept, first, &replies(&started))?;
    if told.is_err() && judge_by_files(&mut started).map_err(refused("write answers in"))? {
        told = driver.telling(kept, first, &replies(&started))?;
    }
    let replies = replies(&started);
    let (telling, said) = match told {
        Ok(told) => told,
        Err(why) => return Ok(Err(why)),
    };
    // Starts that are not the first of their cases.
    let ends_case: Vec<bool> = (0..n_starts).map(|number| number > 0 && said[number - 1] == Said::Nothing).collect();
    let why = |text: &[u8]| {
        let complaint = match &telling {
            Telling::Words(words) => words.complaint(text),
            _ => last_words(text),
        };
        format!("{}: {}", driver.test.name, complaint.unwrap_or_else(|| "it fails there".into()))
    };
    let said = match &telling {
        Telling::Compares(_) | Telling::One | Telling::Each => compared(&said, |number| {
            let shown = complaint(&first.after.concat(), &replies[number].stdout);
            let shown = shown.or_else(|| last_words(&first.after.concat()));
            format!("{}: {}", driver.test.name, shown.unwrap_or_else(|| "it writes something else".into()))
        }),
        _ => {
            let is_chain = |begin: usize, end: usize| {
                let feeding = started[end].feeding(&started[..end]);
                (begin..end).all(|number| feeding.contains(&number))
            };
            known(&said, is_chain, |number| why(first.after.get(number).map(Vec::as_slice).unwrap_or_default()))
        }
    };
    let alone: Vec<bool> = started.par_iter_mut().map(KeptStart::stands_alone).collect();
    driver.deadline.left(Duration::MAX)?;
    let is_checked = matches!(telling, Telling::Words(_) | Telling::Breaks(_));
    let mut stands = alone.clone();
    for number in (0..n_starts).filter(|number| matches!(said[*number], Known::Fails(_))) {
        let (earlier, from_here) = started.split_at_mut(number);
        let start = &mut from_here[0];
        let is_fed = match is_checked {
            true => ends_case[number],
            false => earlier.iter().any(|other| start.is_fed_by(other)),
        };
        // What it was given may be wrong already.
        if is_fed {
            stands[number] = start.stands_behind(earlier);
        }
    }
    let n_otherwise = alone.iter().zip(&stands).filter(|(alone, stands)| !**alone && !**stands).count();
    let own = |(known, stands): (Known, bool)| if stands { known } else { Known::Unknown };
    let starts: Vec<Known> = said.into_iter().zip(stands).map(own).collect();
    let failing: Vec<(usize, &Reply)> = (0..n_starts)
        .filter(|number| matches!(starts[*number], Known::Fails(_)))
        .map(|number| (number, &replies[number]))
        .collect();
    Asking { driver, kept, telling: &telling, first, failing: &failing }.keep_wanted()?;
    let count = |wanted: fn(&Known) -> bool| starts.iter().filter(|known| wanted(known)).count();
    let n_failing = count(|known| matches!(known, Known::Fails(_)));
    let n_unknown = count(|known| *known == Known::Unknown) - n_otherwise;
    let mut note = format!(
        "{} of its {n_starts} starts of instrumented programs are tests of their own, {n_failing} of them fail",
        n_starts - n_unknown - n_otherwise
    );
    if n_unknown > 0 {
        note.push_str(&format!("; of {n_unknown} what it says does not tell whether they do what they should"));
    }
    if n_otherwise > 0 {
        note.push_str(&format!("; {n_otherwise} do something else when they are run alone"));
    }
    Ok(Ok(Learnt { telling, starts, note }))
}

/// What is known of each start by what the driver said of it alone.
fn compared(said: &[Said], why: impl Fn(usize) -> String) -> Vec<Known> {
    let of_start = |(number, said): (usize, &Said)| match said {
        Said::Pass => Known::Passes,
        Said::Fail => Known::Fails(why(number)),
        Said::Nothing => Known::Unknown,
    };
    said.iter().enumerate().map(of_start).collect()
}

/// What is known of each start by what the driver `said` after it: what it says of a case is said of all starts since the one before. If such a case
/// fails it cannot be told which of them is to blame, but where from a first to a last one they are a chain: each writes what a later one reads.
fn known(said: &[Said], is_chain: impl Fn(usize, usize) -> bool, why: impl Fn(usize) -> String) -> Vec<Known> {
    let (mut known, mut open) = (Vec::new(), 0);
    for (number, said) in said.iter().enumerate() {
        open += 1;
        let of_case = match said {
            Said::Nothing => continue,
            Said::Pass => Known::Passes,
            Said::Fail if open == 1 => Known::Fails(why(number)),
            Said::Fail if is_chain(number + 1 - open, number) => {
                known.extend(std::iter::repeat_n(Known::Unknown, open - 1));
                open = 1;
                Known::Fails(why(number))
            }
            Said::Fail => Known::Unknown,
        };
        known.extend(std::iter::repeat_n(of_case, open));
        open = 0;
    }
    known.extend(std::iter::repeat_n(Known::Unknown, open));
    known
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_a_case_is_said_of_all_its_starts() {
        use Said::{Fail, Nothing, Pass};
        let said = [Nothing, Pass, Fail, Nothing, Fail, Pass, Nothing, Fail, Nothing];
        let known = known(&said, |begin, end| (begin, end) == (6, 7), |number| number.to_string());
        let fails = |number: &str| Known::Fails(number.into());
        use Known::{Passes, Unknown};
        let expected = [Passes, Passes, fails("2"), Unknown, Unknown, Passes, Unknown, fails("7"), Unknown];
        assert_eq!(known, expected);
    }
}
