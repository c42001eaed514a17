//! Writes that are missing behind a suspected line: a decision that the line led to led past them, so no dependence leads from the failure to the line.

use std::cell::RefCell;
use std::collections::{HashMap, HashSet};

use super::Case;
use crate::comparison::{NONE, Tie, way};
use crate::recording::Site;

/// Executions of the suspected line, at most, that are looked at: the last ones.
const MOST_GOALS: usize = 200;
/// Points behind such a line, at most, among which a decision is looked for that it led to.
const MOST_BEHIND: u32 = 400;
/// Values of one function, one computed from another, by which a line may lead to a decision, at most.
const DEEPEST: usize = 6;

/// A decision that led past stores.
struct Past {
    decision: u32,
    /// The suspected point that led to it.
    goal: u32,
    /// What these stores write, as far as the source names it.
    members: HashSet<String>,
}

impl Case<'_> {
    /// The way back from where the failure shows to a value that could have been written anew, to the decision that led past the store, and to that one of
    /// these points which led to the decision. Nothing unless the store is of the same member or array as the value, by its name.
    pub(super) fn way_past(&self, starts: &[(u32, Option<u32>)], points: &HashSet<u32>) -> Option<Vec<(u32, Tie)>> {
        let run = self.failing();
        let pasts = self.pasts(points);
        let names: RefCell<HashMap<u32, Option<String>>> = RefCell::default();
        let name = |writer: u32| {
            let site = run.site(writer);
            names.borrow_mut().entry(site).or_insert_with(|| self.member(site)).clone()
        };
        let stays = |reader: u32| {
            let past = pasts.iter().rev().find(|past| past.decision < reader)?;
            let is_old = |write: &&u32| {
                let writer = run.writer(**write);
                writer != 0 && writer < past.decision && name(writer).is_some_and(|name| past.members.contains(&name))
            };
            Some((*run.reads(reader).iter().find(is_old)?, past))
        };
        if pasts.is_empty() {
            return None;
        }
        let mut found = way(run, starts, |point| stays(point).is_some())?;
        let (write, past) = stays(found.last()?.0)?;
        found.extend([(run.writer(write), Tie::Value(write)), (past.decision, Tie::Missed)]);
        if past.goal != past.decision {
            found.push((past.goal, Tie::Value(run.written(past.goal).next()?)));
        }
        Some(found)
    }

    /// Decisions that these points led to, in the same activation, and that led past stores; in the order of the run.
    fn pasts(&self, points: &HashSet<u32>) -> Vec<Past> {
        let run = self.failing();
        let mut goals: Vec<u32> = points.iter().copied().collect();
        goals.sort_unstable();
        let goals = goals.split_off(goals.len().saturating_sub(MOST_GOALS));
        let mut led_past: HashMap<(u32, u32), HashSet<String>> = HashMap::new();
        let mut pasts: Vec<Past> = Vec::new();
        for goal in goals {
            for decision in self.decided_from(goal) {
                let way = (run.site(decision), run.outcome(decision));
                let members = led_past.entry(way).or_insert_with(|| self.left_out_by(way));
                if !members.is_empty() {
                    pasts.push(Past { decision, goal, members: members.clone() });
                }
            }
        }
        pasts.sort_by_key(|past| past.decision);
        pasts
    }

    /// The decisions in the activation of a point that its value led to; the point itself if it is one.
    fn decided_from(&self, goal: u32) -> Vec<u32> {
        let (run, details) = (self.failing(), &self.runs.details[1]);
        let frame = details.frame_of(goal);
        let is_branch = |point: u32| {
            matches!(self.code.what(run.site(point)), Site::Step(step) if self.code.is_branch(step))
                && run.outcome(point) != NONE
        };
        let comes_of = |point: u32| {
            let mut open = vec![(point, 0)];
            let mut seen = HashSet::new();
            while let Some((at, depth)) = open.pop() {
                if at == goal {
                    return true;
                }
                let is_near = |writer: &u32| *writer >= goal && details.frame_of(*writer) == frame;
                if depth < DEEPEST && seen.insert(at) {
                    open.extend(
                        run.reads(at).iter().map(|read| run.writer(*read)).filter(is_near).map(|at| (at, depth + 1)),
                    );
                }
            }
            false
        };
        let last = goal.saturating_add(MOST_BEHIND).min(run.points());
        let decides = |point: &u32| details.frame_of(*point) == frame && is_branch(*point) && comes_of(*point);
        (goal..last).filter(decides).collect()
    }

    /// What a decision of two ways, at a site, leads past by going one way: members and arrays that only stores on the other way write.
    fn left_out_by(&self, way: (u32, u32)) -> HashSet<String> {
        let is_store = |step: &u32| self.code.is_store(*step) && self.local(*step).is_none();
        let stores = self.steps_left_out(way).into_iter().filter(is_store);
        stores.filter_map(|step| self.member(self.code.site(Site::Step(step)))).collect()
    }

    /// The steps of its function that a decision of two ways, at a site, leads past by going one way: those that are come to on the other way alone.
    pub(super) fn steps_left_out(&self, (site, outcome): (u32, u32)) -> Vec<u32> {
        let Some(branch) = self.code.step_of(site) else { return Vec::new() };
        let ways = self.code.successors(branch);
        let (Some(taken), Some(other)) = (ways.get(outcome as usize), ways.get(1 - (outcome as usize).min(1))) else {
            return Vec::new();
        };
        let [on_the_way, left_out] = [*taken, *other].map(|way| self.reached(way, branch));
        let function = &self.code.functions[self.code.steps[branch as usize].function as usize];
        function.steps.clone().filter(|step| left_out.contains(step) && !on_the_way.contains(step)).collect()
    }

    /// The steps that are come to from a step without passing `but`.
    fn reached(&self, from: u32, but: u32) -> HashSet<u32> {
        let (mut open, mut seen) = (vec![from], HashSet::new());
        while let Some(step) = open.pop() {
            if step != but && seen.insert(step) {
                open.extend(self.code.successors(step));
            }
        }
        seen
    }

    /// The member or array that a store writes, by the name that it has where it is assigned.
    fn member(&self, site: u32) -> Option<String> {
        name_of(&self.words.assigned(site)?)
    }
}

/// The last name of what is assigned, `data[]` of `to->data[at]`; nothing for what has none.
fn name_of(assigned: &str) -> Option<String> {
    let (base, index) = match assigned.split_once('[') {
        Some((base, _)) => (base.trim_end(), "[]"),
        None => (assigned.trim_end(), ""),
    };
    let name = base.rsplit(|letter: char| !letter.is_alphanumeric() && letter != '_').next()?;
    (!name.is_empty()).then(|| format!("{name}{index}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_assigned_has_the_name_of_its_member_or_array() {
        let named = |assigned: &str| name_of(assigned).unwrap_or_default();
        assert_eq!([named("to->data[at + 1]"), named("words[i]")], ["data[]", "words[]"]);
        assert_eq!([named("list.head->next"), named("to->data")], ["next", "data"]);
        assert_eq!(name_of("*(at)"), None);
    }
}
