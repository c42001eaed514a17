//! Where the region of a branch ends, and which region a point stands in.

use super::NONE;
use super::meetings::Meetings;

/// For each site that decides, the site where its ways join again: its immediate post-dominator, [`NONE`] if that is the function's
/// end (section 2, IPDOM table).
#[derive(Clone, Debug)]
pub struct Joins {
    joins: Vec<u32>,
    meetings: Meetings,
    /// Of two builds of a program: for each site its place in the order of the code, [`NONE`] for those that are in one build alone.
    order: Vec<u32>,
}

impl Joins {
    /// Takes a table made elsewhere: `joins[site]`.
    pub fn new(joins: Vec<u32>) -> Self {
        Self { joins, meetings: Meetings::default(), order: Vec::new() }
    }

    /// The same with the blocks in which ways join if ways out are left aside.
    pub fn with_meetings(joins: Vec<u32>, meetings: Meetings) -> Self {
        Self { joins, meetings, order: Vec::new() }
    }

    /// The same of runs of two builds of a program that differ in an edit: `order[site]` is the site's place in the order of the code, or [`NONE`]
    /// if it is in one build alone.
    pub fn with_edit(self, order: Vec<u32>) -> Self {
        Self { order, ..self }
    }

    /// The place of a site in the order of the code; [`NONE`] if it is in one of two builds alone.
    pub(super) fn order(&self, site: u32) -> u32 {
        self.order.get(site as usize).copied().unwrap_or(site)
    }

    /// How near to `branch` two runs that part there may meet at `site`, more being nearer; nothing if they may not.
    pub(super) fn nearness(&self, branch: u32, site: u32) -> Option<u32> {
        let nearest = || (branch != NONE && site != NONE && self.of(branch) == site).then_some(u32::MAX);
        self.meetings.nearness(branch, site).or_else(nearest)
    }

    /// Where `site`'s ways join again.
    pub fn of(&self, site: u32) -> u32 {
        self.joins.get(site as usize).copied().unwrap_or(NONE)
    }

    /// From flow graphs of functions, each site with its successors; `returns` lists the sites where a function returns. A way that ends
    /// the process does not count, as long as another way returns: else an `exit` in an error branch would keep the whole rest apart.
    pub fn from_flow(successors: &[Vec<u32>], returns: &[u32]) -> Self {
        let mut flow = Flow::new(successors);
        flow.solve(returns);
        let ends: Vec<u32> = (0..successors.len() as u32)
            .filter(|site| flow.rank[*site as usize] == NONE && successors[*site as usize].is_empty())
            .collect();
        flow.solve(&ends);
        Self::new(flow.dominators)
    }
}

/// Immediate dominators of the reversed graph (Cooper, Harvey & Kennedy, "A simple, fast dominance algorithm").
pub(super) struct Flow<'a> {
    successors: &'a [Vec<u32>],
    predecessors: Vec<Vec<u32>>,
    /// Position in the reversed graph's post-order; the exit stands above all.
    rank: Vec<u32>,
    dominators: Vec<u32>,
}

impl<'a> Flow<'a> {
    /// Nothing is known yet.
    pub(super) fn new(successors: &'a [Vec<u32>]) -> Self {
        let mut predecessors = vec![Vec::new(); successors.len()];
        for (from, targets) in successors.iter().enumerate() {
            for to in targets {
                predecessors[*to as usize].push(from as u32);
            }
        }
        Self { successors, predecessors, rank: vec![NONE; successors.len()], dominators: vec![NONE; successors.len()] }
    }

    /// Fills in the sites that lead to `ends` and have no dominator yet.
    pub(super) fn solve(&mut self, ends: &[u32]) {
        let order = self.post_order(ends);
        let mut known = vec![false; self.successors.len()];
        let mut changed = true;
        while changed {
            changed = false;
            for site in order.iter().rev() {
                let found = self.meet(*site, ends, &known);
                let first = !std::mem::replace(&mut known[*site as usize], true);
                changed |= first || self.dominators[*site as usize] != found;
                self.dominators[*site as usize] = found;
            }
        }
    }

    /// Whether nothing that was solved for is led to from here.
    pub(super) fn is_unknown(&self, site: u32) -> bool {
        self.rank[site as usize] == NONE
    }

    /// The dominators; [`NONE`] for ends.
    pub(super) fn into_dominators(self) -> Vec<u32> {
        self.dominators
    }

    fn post_order(&mut self, ends: &[u32]) -> Vec<u32> {
        let mut order = Vec::new();
        let mut seen: Vec<bool> = self.rank.iter().map(|rank| *rank != NONE).collect();
        let mut stack = Vec::new();
        for end in ends {
            if !std::mem::replace(&mut seen[*end as usize], true) {
                stack.push((*end, 0));
            }
            while let Some((site, next)) = stack.pop() {
                match self.predecessors[site as usize].get(next) {
                    Some(before) => {
                        stack.push((site, next + 1));
                        if !std::mem::replace(&mut seen[*before as usize], true) {
                            stack.push((*before, 0));
                        }
                    }
                    None => order.push(site),
                }
            }
        }
        for (rank, site) in order.iter().enumerate() {
            self.rank[*site as usize] = rank as u32;
        }
        order
    }

    fn meet(&self, site: u32, ends: &[u32], known: &[bool]) -> u32 {
        if ends.contains(&site) {
            return NONE;
        }
        let mut ways = self.successors[site as usize].iter().copied().filter(|next| known[*next as usize]);
        let first = ways.next().unwrap_or(NONE);
        ways.fold(first, |a, b| self.intersect(a, b))
    }

    fn intersect(&self, mut a: u32, mut b: u32) -> u32 {
        while a != b && a != NONE && b != NONE {
            if self.rank[a as usize] < self.rank[b as usize] {
                a = self.dominators[a as usize];
            } else {
                b = self.dominators[b as usize];
            }
        }
        if a == b { a } else { NONE }
    }
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Region {
    /// The conditional or the call that opened the region.
    opener: u32,
    join: u32,
    call: bool,
}

/// The regions that are open at the current point of a run (section 3.1, dynamic control parent): a branch opens one, which closes at the
/// branch's join or with the call that it is in.
#[derive(Debug)]
pub struct RegionStack<'a> {
    joins: &'a Joins,
    pub(super) open: Vec<Region>,
    site: u32,
}

impl<'a> RegionStack<'a> {
    /// No region is open.
    pub fn new(joins: &'a Joins) -> Self {
        Self { joins, open: Vec::new(), site: NONE }
    }

    /// Control comes to `site`: regions that end there are closed. Answers the dynamic control parent.
    pub fn arrive(&mut self, site: u32) -> u32 {
        self.site = site;
        while self.open.last().is_some_and(|top| !top.call && top.join == site) {
            self.open.pop();
        }
        self.open.last().map_or(NONE, |top| top.opener)
    }

    /// The last arrival was the conditional `point`: its region opens. One that ends at the same join gives way, so a loop takes one place
    /// however often it goes round; its rounds stand under each other all the same, by their parents.
    pub fn branch(&mut self, point: u32) {
        let join = self.joins.of(self.site);
        if self.open.last().is_some_and(|top| !top.call && top.join == join) {
            self.open.pop();
        }
        self.open.push(Region { opener: point, join, call: false });
    }

    /// The last arrival, `point`, calls.
    pub fn enter(&mut self, point: u32) {
        self.open.push(Region { opener: point, join: NONE, call: true });
    }

    /// The runs that parted at `from` are together again: regions that were opened since are no longer what decides.
    pub fn close_since(&mut self, from: u32) {
        while self.open.last().is_some_and(|top| !top.call && top.opener >= from) {
            self.open.pop();
        }
    }

    /// The current call ends, and all regions in it.
    pub fn leave(&mut self) {
        while self.open.pop().is_some_and(|region| !region.call) {}
    }
}
