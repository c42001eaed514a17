//! Looks for a change of a failing test's run with which it passes: a condition that goes another way once, or a value that is another one once.

use std::cell::{Cell, OnceCell, RefCell};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::rc::Rc;
use std::time::{Duration, Instant};

use suspect_format::body::Type;
use suspect_format::external::Role;
use suspect_format::plan::OTHER_WAY;

use super::is_over;
use super::itself::{is_silenced, turned_at};
use super::recorded::{Loaded, RecordingRoom};
use super::recorded_test::{Change, RecordedTest};
use super::request::Itself;
use super::right::Right;
use super::skipped::{Check, comes_of, is_answer, is_part_of};
use crate::comparison::{Replacement, Side, Turn, decisions, switching_order};
use crate::obstacle::Obstacle;
use crate::program::Place;
use crate::ranking::{Claims, KeptClaim};
use crate::recording::{Addresses, Code, Runs, Site, Store, Stores, own_position};
use crate::report::{Claim, MutantEdit};
use crate::suite::Verdict;
use crate::trial;

/// A failing test's run, and what can be changed in it.
pub struct Search<'a> {
    room: &'a RecordingRoom<'a>,
    name: &'a str,
    failing: &'a RecordedTest,
    loaded: Loaded,
    runs: Rc<Runs>,
    decisions: Vec<u32>,
    stores: Stores,
    claims: Option<Claims>,
    /// What is enough where no change makes the test pass, if that is.
    right: Option<&'a Right>,
    /// Conditions and values that were tried.
    tried: [Cell<u32>; 2],
    /// The check that fails.
    check: OnceCell<Check>,
    /// Whether the test passed under one of them because it did not come to its check.
    is_skipped: Cell<bool>,
    /// Sites beside the check, a change at which kept the test from it.
    skipping: RefCell<HashSet<u32>>,
    /// Whether a change of the check itself is passed over: nobody asked for one.
    spares_check: Cell<bool>,
}

/// A trial on a line on which a change made the test pass already.
enum Known {
    /// All other ways of the decision of this number.
    Turns(u64),
    /// A change of a value as it made the test pass.
    Value(Change),
    /// All other values of the store of this number.
    Values(u64),
}

/// Executions at which what one change of the program comes to is tried, at most: the last ones.
const MOST_OF_A_MEND: usize = 40;

/// Executions of a condition, at most, of which one may be changed where no line is suspected: what is read in a loop of more is data.
const MANY: usize = 16;

/// The result of a part of the search.
enum Part {
    Found(Change),
    Exhausted,
    OutOfTime,
}

impl<'a> Search<'a> {
    /// Reads the run of the test called `name`. A change that makes it `right` is found only where none makes it pass.
    pub fn new(
        room: &'a RecordingRoom<'a>,
        name: &'a str,
        failing: &'a RecordedTest,
        right: Option<&'a Right>,
    ) -> Result<Self, Obstacle> {
        let (loaded, runs) = room.read(name, failing)?;
        let code = &loaded.1;
        let decisions = decisions(&runs.runs[0], |site| code.decides(site));
        let stores = Stores::of(code, &runs);
        let (claims, tried) = (room.claims(), Default::default());
        Ok(Search {
            room,
            name,
            failing,
            loaded,
            runs,
            decisions,
            stores,
            claims,
            right,
            tried,
            check: OnceCell::new(),
            is_skipped: Cell::default(),
            skipping: RefCell::default(),
            spares_check: Cell::new(true),
        })
    }

    fn code(&self) -> &Code {
        &self.loaded.1
    }

    /// The number of changes that were tried.
    pub fn tried(&self) -> u32 {
        self.tried.iter().map(Cell::get).sum()
    }

    /// A change outside of the tests' own code that makes the test pass, within `budget`. Lines at which a change made it pass already come first, in
    /// the order of the last ranking; a condition comes before a value, for a run that is sent another way holds no value that the program did not
    /// compute.
    pub fn find(&self, asked: Itself, budget: Duration) -> Result<Change, Obstacle> {
        let began = Instant::now();
        let end = began + budget;
        self.spares_check.set(asked == Itself::Either);
        let trusted = self.room.trusted_files()?;
        let may_err = |point: u32| self.line(point).is_none_or(|(file, _)| !trusted.contains(file));
        let points: Vec<u32> = self.stores.all().iter().map(|store| store.point).collect();
        let ranks = self.ranks();
        let rank = |point: u32| self.rank(&ranks, &trusted, point);
        let (told, stored) = self.known(&points, rank);
        let ends = self.ends();
        let order = |points: &[u32], but: &BTreeSet<u64>| {
            let wanted = |number: &u64| !but.contains(number) && may_err(points[*number as usize]);
            switching_order(&self.runs.runs[0], points, &ends).filter(wanted).collect::<Vec<u64>>()
        };
        // The check itself holds if it goes another way, which says nothing of what it checks.
        let is_check = |number: &u64| self.check().has(self.runs.runs[0].site(self.decisions[*number as usize]));
        let (checks, others): (Vec<u64>, Vec<u64>) = match asked.conditions() {
            true => order(&self.decisions, &told).into_iter().partition(is_check),
            false => Default::default(),
        };
        let (conditions, values) = (asked.conditions(), asked.values());
        let mut out_of_time = [false; 2];
        let mut part = |what: usize, part: Result<Part, Obstacle>| match part {
            Ok(Part::Found(change)) => Some(Ok(change)),
            Ok(Part::Exhausted) => None,
            Ok(Part::OutOfTime) => {
                out_of_time[what] = true;
                None
            }
            Err(failure) => Some(Err(failure)),
        };
        let half = if conditions && values { began + budget / 2 } else { end };
        let known = self.at_known_lines(asked, (&told, &stored), rank);
        let mut found = part(usize::from(!conditions), self.try_all(known, half));
        if conditions && found.is_none() {
            found = part(0, self.try_all(self.turns(others.into_iter()), half));
        }
        if values && found.is_none() {
            found = part(1, self.try_all(self.replacements(order(&points, &stored).into_iter()), end));
        }
        if conditions && found.is_none() && !self.spares_check.get() {
            found = part(0, self.try_all(self.turns(checks.into_iter()), end));
        }
        found.unwrap_or_else(|| Err(self.nothing(asked, budget, out_of_time)))
    }

    /// A condition or value of the run on a line on which a change of the program makes the test pass, so that the test passes; looked for until then.
    pub fn turn(&self, until: Instant) -> Result<Option<Change>, Obstacle> {
        let trusted = self.room.trusted_files()?;
        let points: Vec<u32> = self.stores.all().iter().map(|store| store.point).collect();
        let ranks = self.ranks();
        let rank = |point: u32| self.rank(&ranks, &trusted, point);
        let (told, stored) = self.known(&points, rank);
        let known = self.at_known_lines(Itself::Either, (&told, &stored), rank);
        Ok(match self.try_all(known, until)? {
            Part::Found(change) => Some(change),
            Part::Exhausted | Part::OutOfTime => None,
        })
    }

    /// The numbers of the decisions and of the stores, at `points`, that have a rank.
    fn known(&self, points: &[u32], rank: impl Fn(u32) -> Option<usize>) -> (BTreeSet<u64>, BTreeSet<u64>) {
        (numbers(&self.decisions, |point| rank(point).is_some()), numbers(points, |point| rank(point).is_some()))
    }

    /// The place of a point's line among those on which a change made the test pass; none of the tests' own code.
    fn rank(&self, ranks: &HashMap<(&str, u32), usize>, trusted: &HashSet<String>, point: u32) -> Option<usize> {
        self.line(point).filter(|(file, _)| !trusted.contains(*file)).and_then(|at| ranks.get(&at).copied())
    }

    /// The condition or value of the run that stands for a change of the program, so that the test passes; looked for until then.
    pub fn mend(&self, claim: &KeptClaim, until: Instant) -> Result<Option<Change>, Obstacle> {
        if self.room.trusted_files()?.contains(&claim.shown.file) {
            return Ok(None);
        }
        let changes = self.of_mend(claim).into_iter().take(MOST_OF_A_MEND);
        let everywhere = self.everywhere_of_mend(claim).into_iter().take(MOST_OF_A_MEND);
        let nearby = self.near_mend(claim).into_iter().take(MOST_OF_A_MEND);
        Ok(match self.try_all(changes.chain(everywhere).chain(nearby), until)? {
            Part::Found(change) => Some(change),
            Part::Exhausted | Part::OutOfTime => None,
        })
    }

    /// What a change of the program can come to in one execution, the last first: the value that a store on its line leaves, or the way that a condition
    /// goes which it changes.
    fn of_mend(&self, claim: &KeptClaim) -> Vec<Change> {
        let Claim { file, line, edit, .. } = &claim.shown;
        let at = (file.as_str(), *line);
        let values = claim.value_change().into_iter().flat_map(|change| self.known_value(at, &change));
        let decided = numbers(&self.decisions, |point| self.line(point) == Some(at));
        let mut decided: Vec<u64> = decided.into_iter().rev().collect();
        // The condition itself comes before others of its line.
        decided.sort_by_key(|number| !self.is_in_edit(edit.as_ref(), self.decisions[*number as usize]));
        values.map(|(_, change)| change).chain(self.turns(decided.into_iter())).collect()
    }

    /// What a change of the program can come to in each execution: the way of a condition in its edit, or on its line if it has none, that is made more
    /// than once.
    fn everywhere_of_mend(&self, claim: &KeptClaim) -> Vec<Change> {
        let Claim { file, line, edit, .. } = &claim.shown;
        let at = (file.as_str(), *line);
        let is_meant = |point: u32| self.line(point) == Some(at) && self.is_in_edit(edit.as_ref(), point);
        let mut last: BTreeMap<u32, (u64, usize)> = BTreeMap::new();
        for (decision, point) in (0..).zip(&self.decisions).filter(|(_, point)| is_meant(**point)) {
            let (latest, times) = last.entry(self.runs.runs[0].site(*point)).or_default();
            (*latest, *times) = (decision, *times + 1);
        }
        let skipped = self.runs.runs[0].skipped().decisions;
        let several = last.into_iter().filter(|(_, (_, times))| *times > 1);
        let ways = several.flat_map(|(site, (decision, _))| {
            let ways = self.code().ways(site);
            let other = (ways.len() == 2).then_some(OTHER_WAY);
            ways.chain(other).map(move |way| Turn { decision: skipped + decision, way })
        });
        ways.filter_map(|turn| self.everywhere(turn)).collect()
    }

    /// The change that each decision made where this one is goes its way; nothing if there is no such decision, or it has no such way.
    pub fn everywhere(&self, turn: Turn) -> Option<Change> {
        let run = &self.runs.runs[0];
        let number = turn.decision.checked_sub(run.skipped().decisions)?;
        let site = run.site(*self.decisions.get(number as usize)?);
        let ways = self.code().ways(site);
        let has_it = ways.contains(&turn.way) || turn.way == OTHER_WAY && ways.len() == 2;
        has_it.then(|| turned_at(self.code(), site, turn.way)).flatten().map(|turned| Change::Everywhere(turn, turned))
    }

    /// Whether a point is in what is edited; on its line each is where that is not known.
    fn is_in_edit(&self, edit: Option<&MutantEdit>, point: u32) -> bool {
        let column = self.place(point).map_or(0, |place| place.column);
        edit.is_none_or(|edit| edit.line == edit.end_line && (edit.column..edit.end_column).contains(&column))
    }

    /// Other values where a change of the program makes one that is not known: of what calls on its line pass, and of what stores on it leave, the last
    /// execution first.
    fn near_mend(&self, claim: &KeptClaim) -> Vec<Change> {
        let at = (claim.shown.file.as_str(), claim.shown.line);
        if claim.value_change().is_some() {
            return Vec::new();
        }
        let there = |store: &&Store| self.line(store.point) == Some(at);
        let passed = self.stores.passed().iter().rev().filter(there);
        let stored = self.stores.all().iter().rev().filter(there);
        let others = |store: &Store| {
            let values = self.stores.alternatives(store);
            values.into_iter().filter_map(|bits| self.replaced(store, bits)).collect::<Vec<_>>()
        };
        passed.chain(stored).flat_map(others).collect()
    }

    /// What is tried at these decisions and stores, on lines on which a change made the test pass: line after line by `rank`, on each of them
    /// conditions, values that turned the test, other values; the last execution first.
    fn at_known_lines(
        &self,
        asked: Itself,
        (told, stored): (&BTreeSet<u64>, &BTreeSet<u64>),
        rank: impl Fn(u32) -> Option<usize>,
    ) -> impl Iterator<Item = Change> {
        let mut known: Vec<(usize, Known)> = Vec::new();
        if asked.conditions() {
            let ranked = |at: &u64| Some((rank(self.decisions[*at as usize])?, Known::Turns(*at)));
            known.extend(told.iter().rev().filter_map(ranked));
        }
        if asked.values() {
            let turning = self.known_values().into_iter();
            known.extend(turning.filter_map(|(point, change)| Some((rank(point)?, Known::Value(change)))));
            let ranked = |at: &u64| Some((rank(self.stores.get(*at)?.point)?, Known::Values(*at)));
            known.extend(stored.iter().rev().filter_map(ranked));
        }
        known.sort_by_key(|(rank, _)| *rank);
        known.into_iter().flat_map(|(_, known)| self.changes(known))
    }

    /// The change that a replacement is; nothing if there is no such store.
    pub fn replacement(&self, replacement: Replacement) -> Option<Change> {
        self.replaced(self.stores.get(replacement.store)?, replacement.bits)
    }

    /// The number of the store at a point that leaves another value at this address.
    pub fn number(&self, point: u32, address: u64) -> Option<u64> {
        let (all, passed) = (self.stores.all(), self.stores.passed());
        if let Ok(number) = all.binary_search_by_key(&point, |store| store.point) {
            return Some(number as u64);
        }
        let is_there = |store: &Store| {
            let change = self.replaced(store, store.bits);
            store.point == point && matches!(change, Some(Change::Replaced(_, replaced)) if replaced.address == address)
        };
        passed.iter().position(is_there).map(|number| (all.len() + number) as u64)
    }

    fn try_all(&self, changes: impl Iterator<Item = Change>, until: Instant) -> Result<Part, Obstacle> {
        let mut partly = None;
        for change in changes {
            if is_over(until) {
                return Ok(partly.map_or(Part::OutOfTime, Part::Found));
            }
            if self.site(change).is_some_and(|site| self.skipping.borrow().contains(&site)) {
                self.is_skipped.set(true);
                continue;
            }
            let tried = &self.tried[usize::from(matches!(change, Change::Replaced(..)))];
            tried.set(tried.get() + 1);
            match self.room.changed(self.failing, change)? {
                // Where the output is all that counts it is as expected.
                Some((Verdict::Pass, written)) if self.right.is_none() && is_silenced(self.failing, &written) => {}
                Some((Verdict::Pass, _)) if self.spares_check.get() && self.is_of_check(change) => {
                    self.is_skipped.set(true)
                }
                Some((Verdict::Pass, _)) if self.right.is_none() && self.skips_check(change, until)? => {
                    self.is_skipped.set(true)
                }
                Some((Verdict::Pass, _)) => return Ok(Part::Found(change)),
                Some((Verdict::Fail, [output, _])) if partly.is_none() && self.is_right(&output) => {
                    partly = Some(change)
                }
                _ => {}
            }
        }
        Ok(partly.map_or(Part::Exhausted, Part::Found))
    }

    /// Whether a change was found, since this was last asked, that makes the test pass only because it does not come to its check.
    pub fn has_skipped(&self) -> bool {
        self.is_skipped.take()
    }

    /// Whether the test passes under a change because it does not come to its check. Where there is no time to look, as the last one of which it is known.
    fn skips_check(&self, change: Change, until: Instant) -> Result<bool, Obstacle> {
        let known = self.is_skipped.get();
        if known && is_over(until) {
            return Ok(true);
        }
        let Some(changed) = self.room.record_changed(self.failing, change, "skipping")? else { return Ok(known) };
        let check = self.check();
        let skips = check.is_skipped(self.room, self.code(), &changed, until);
        // At other times it decides the same: whether the check is made.
        let site = self.site(change).filter(|site| skips == Some(true) && check.is_beside(self.code(), *site));
        self.skipping.borrow_mut().extend(site);
        Ok(skips.unwrap_or(known && is_over(until)))
    }

    /// Whether a change is one of the check itself: of its condition, of a value that a call hands it, or of one that chooses how the process exits. It says
    /// nothing of what is checked.
    pub fn is_of_check(&self, change: Change) -> bool {
        let run = &self.runs.runs[0];
        let answers =
            |site: u32| self.check().asked(self.code(), run).is_some_and(|of| is_part_of(self.code(), site, of));
        if self.site(change).is_some_and(answers) {
            return true;
        }
        let Change::Replaced(point, _) = change else {
            return self.site(change).is_some_and(|site| self.check().has(site));
        };
        let is_handed = |read: &u32| run.writer(*read) == point;
        let is_passed = self.stores.passed().iter().any(|store| store.point == point);
        let reads_it = |at: u32| {
            let site = run.site(at);
            let comes_of = || run.reads(at).iter().any(|read| comes_of(run, *read, point));
            self.check().is_exiting(site) && comes_of()
                || self.check().has(site)
                    && (is_passed && run.reads(at).iter().any(is_handed)
                        || is_answer(self.code(), run, at) && comes_of())
        };
        (point + 1..run.points()).any(reads_it)
    }

    /// Whether a change acts at one of many executions of a condition.
    pub fn is_one_of_many(&self, change: Change) -> bool {
        let run = &self.runs.runs[0];
        let is_of = |site: u32| self.decisions.iter().filter(|point| run.site(**point) == site).count() > MANY;
        matches!(change, Change::Turned(_)) && self.site(change).is_some_and(is_of)
    }

    fn check(&self) -> &Check {
        self.check.get_or_init(|| Check::of(self.room, self.failing, &self.loaded, &self.runs))
    }

    /// What executes where something is changed.
    fn site(&self, change: Change) -> Option<u32> {
        let run = &self.runs.runs[0];
        let point = match change {
            Change::Turned(turn) | Change::Everywhere(turn, _) => {
                let number = turn.decision.checked_sub(run.skipped().decisions)?;
                *self.decisions.get(number as usize)?
            }
            Change::Replaced(point, _) => point,
        };
        Some(run.site(point))
    }

    fn is_right(&self, output: &[u8]) -> bool {
        self.right.is_some_and(|right| right.is_in(output))
    }

    /// All other ways of decisions.
    fn turns(&self, numbers: impl Iterator<Item = u64>) -> impl Iterator<Item = Change> {
        let run = &self.runs.runs[0];
        numbers.flat_map(move |decision| {
            let point = self.decisions[decision as usize];
            let ways = self.code().ways(run.site(point)).filter(move |way| *way != run.outcome(point));
            let decision = run.skipped().decisions + decision;
            ways.map(move |way| Change::Turned(Turn { decision, way }))
        })
    }

    /// All other values of stores.
    fn replacements(&self, numbers: impl Iterator<Item = u64>) -> impl Iterator<Item = Change> {
        numbers.filter_map(|number| self.stores.get(number)).flat_map(|store| {
            let values = self.stores.alternatives(store);
            values.into_iter().filter_map(|bits| self.replaced(store, bits))
        })
    }

    /// What made the test pass when a node's value was changed, for each execution of a store on that line, the last first; with its point.
    fn known_values(&self) -> Vec<(u32, Change)> {
        let Some(claims) = &self.claims else { return Vec::new() };
        claims
            .values_that_turn(self.name)
            .flat_map(|(file, line, change)| self.known_value((file, line), &change))
            .collect()
    }

    /// What a change of a node's value makes of each store on its line, the last first; with its point.
    fn known_value(&self, at: (&str, u32), change: &trial::Change) -> Vec<(u32, Change)> {
        let there = self.stores.all().iter().rev().filter(|store| self.line(store.point) == Some(at));
        let other = |store: &Store| changed(change, store).filter(|bits| *bits != store.bits);
        there.filter_map(|store| Some((store.point, self.replaced(store, other(store)?)?))).collect()
    }

    fn changes(&self, known: Known) -> Vec<Change> {
        match known {
            Known::Turns(decision) => self.turns(std::iter::once(decision)).collect(),
            Known::Value(change) => vec![change],
            Known::Values(store) => self.replacements(std::iter::once(store)).collect(),
        }
    }

    /// Lines on which a change made the test pass, by their place in the last ranking.
    fn ranks(&self) -> HashMap<(&str, u32), usize> {
        let lines = self.claims.as_ref().map(|claims| claims.lines_that_turn(self.name)).unwrap_or_default();
        let order = self.room.ranked_lines();
        let rank = |at: &(&str, u32)| order.iter().position(|(file, line)| (file.as_str(), *line) == *at);
        lines.into_iter().map(|at| (at, rank(&at).unwrap_or(usize::MAX))).collect()
    }

    fn replaced(&self, store: &Store, bits: u64) -> Option<Change> {
        let at = store.point + 1;
        let place = self.runs.naming.names.place(store.location);
        let address = Addresses::at(&self.runs, Side::First, at).of(place).ok()?;
        let (decisions, steps) = self.position(at);
        let at = suspect_format::plan::Point { decisions: [decisions; 2], steps: [steps; 2] };
        let bits = bits & (u64::MAX >> (64 - store.of.bits()));
        Some(Change::Replaced(store.point, trial::Replaced { at, address, bits, length: store.of.bytes() }))
    }

    /// A point: decisions made, and steps begun since the last of them.
    fn position(&self, point: u32) -> (u64, u64) {
        let run = &self.runs.runs[0];
        match self.decisions.partition_point(|decision| *decision < point) {
            0 => own_position(self.code(), run, point),
            made => {
                let is_step = |point: &u32| matches!(self.code().what(run.site(*point)), Site::Step(_));
                let steps = (self.decisions[made - 1] + 1..point).filter(is_step).count();
                (run.skipped().decisions + made as u64, steps as u64)
            }
        }
    }

    fn place(&self, point: u32) -> Option<Place> {
        let step = self.code().step_of(self.runs.runs[0].site(point))?;
        Some(self.code().steps[step as usize].place)
    }

    fn line(&self, point: u32) -> Option<(&str, u32)> {
        let place = self.place(point)?;
        Some((self.loaded.0.files.get(place.file as usize)?, place.line))
    }

    /// Where the outside learns something: what was written, and the last point.
    fn ends(&self) -> Vec<u32> {
        let run = &self.runs.runs[0];
        let told =
            |point: &u32| matches!(self.code().role(run.site(*point)), Some(Role::Output | Role::Ends | Role::Aborts));
        let last = run.points() - 1;
        (1..last).filter(told).chain([last]).collect()
    }

    fn nothing(&self, asked: Itself, budget: Duration, out_of_time: [bool; 2]) -> Obstacle {
        let name = self.name;
        let of = |what: usize, all: String| {
            let tried = self.tried[what].get();
            match out_of_time[what] {
                true => format!("{tried} {all} were tried in {budget:.0?}; --budget gives it more time"),
                false => format!("{tried} {all} were tried"),
            }
        };
        let conditions = asked.conditions().then(|| {
            let all = of(0, format!("other ways at the {} decisions of its run", self.decisions.len()));
            format!("no condition makes {name} pass by going another way once: {all}")
        });
        let values = asked.values().then(|| {
            let all = of(1, format!("other values of the {} numbers that it stores", self.stores.all().len()));
            format!("no value makes {name} pass in place of another one once: {all}")
        });
        let all: Vec<String> = conditions.into_iter().chain(values).collect();
        Obstacle::new(Obstacle::Tests, format!("{}; give a test that passes: --against TEST", all.join("; ")))
    }
}

/// The numbers of the points that `is_wanted` holds for.
fn numbers(points: &[u32], is_wanted: impl Fn(u32) -> bool) -> BTreeSet<u64> {
    (0..).zip(points).filter(|(_, point)| is_wanted(**point)).map(|(number, _)| number).collect()
}

/// The number that the change of a node's value makes of a stored one.
fn changed(change: &trial::Change, store: &Store) -> Option<u64> {
    let is_integer = matches!(store.of, Type::Integer(_));
    let bits = match change {
        trial::Change::Set(bits) => *bits,
        trial::Change::Add(bits) if is_integer => store.bits.wrapping_add(*bits),
        trial::Change::Negate if is_integer => store.bits.wrapping_neg(),
        trial::Change::Complement if is_integer => !store.bits,
        trial::Change::Flip => u64::from(store.bits == 0),
        _ => return None,
    };
    Some(bits & (u64::MAX >> (64 - store.of.bits())))
}
